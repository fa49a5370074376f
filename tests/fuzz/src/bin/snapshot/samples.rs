//! Small valid snapshots, taken apart into sections: what instructions damage.

use firmament::index::{Thresholds, from_jsonl_storing};
use firmament::snapshot::Snapshot;
use firmament::snapshot::file::format::{SectionEntry, SectionKind, encode_frame};
use std::sync::LazyLock;

/// Number of samples.
pub const NUM: usize = 4;

/// A valid snapshot.
pub struct Sample {
    /// Its sections, in the order of the file.
    pub sections: Vec<Vec<u8>>,
    /// Their checksums.
    pub checksums: Vec<[u8; 32]>,
}

/// A dozen businesses, of which everything is stored that can be; forty, for lists by chunks; some
/// more than fit an array, for bitmaps; and none.
pub static SAMPLES: LazyLock<[Sample; NUM]> = LazyLock::new(|| {
    let dozen: String = DOZEN.iter().map(|line| format!("{line}\n")).collect();
    [sample(&dozen, 40), sample(&plain(40), 24), sample(&plain(530), 12), sample("", 0)]
});

const DOZEN: [&str; 12] = [
    r#"{"id":"a1","name":"Blue Harbor Bank Inc","website":"https://www.blueharbor.com/","description":"Banks and oil gas loans.","industry":"Banking","employee_count":900,"location":{"city":"Austin","state":"Texas","country":"United States"},"founded_year":1950}"#,
    r#"{"id":"a2","name":"Blue Harbor","website":"https://blueharbor.com/x","description":"Oil gas wells.","industry":"Oil, Gas & Mining","employee_count":900,"location":{"city":"Austin","state":"Texas","country":"United States"},"founded_year":1950}"#,
    r#"{"id":"a3","name":"AT&T Bank","website":"https://att.example.org/","description":"Telephone bank.","industry":"Banking","employee_count":80,"location":{"city":"Paris","country":"France"},"founded_year":1990}"#,
    r#"{"id":"a4","name":"Rolls-Royce plc","description":"Engines, engine parts.","industry":"Engines","employee_count":70,"location":{"city":"Derby","country":"United Kingdom"},"founded_year":1906}"#,
    r#"{"id":"a5","name":"Müller GmbH","website":"http://mueller.de","description":"Cheese and oil gas.","industry":"Dairies","employee_count":60,"location":{"city":"Munich","state":"Bavaria","country":"Germany"}}"#,
    r#"{"id":"a6","name":"東京銀行","description":"Bank of Tokyo.","industry":"Banking","employee_count":50,"location":{"country":"Japan"},"founded_year":1880}"#,
    r#"{"id":"a7","name":"Blue Bank","description":"Harbor dredging.","industry":"Dredging"}"#,
    r#"{"id":"a8","name":"Bluebird Dairies","website":"http://bluebird.de","industry":"Dairies","location":{"city":"Paris","state":"Texas","country":"United States"}}"#,
    r#"{"id":"a9","name":"Universal Engine Company","description":"Engines for harbors.","industry":"Engines","employee_count":1}"#,
    r#"{"id":"b1","name":"Universität Engine","description":"Oil gas university.","employee_count":0}"#,
    r#"{"id":"b2","name":"Gas","website":"http://gas.com"}"#,
    r#"{"id":"b3","name":"Gas","description":"Gas and oil, oil gas bank."}"#,
];

/// Businesses that share nearly everything.
fn plain(len: usize) -> String {
    let name = |n: usize| if n.is_multiple_of(3) { "Blue Bank" } else { "Bank Gas" };
    let line = |n: usize| {
        let (name, prose) = (name(n), if n.is_multiple_of(5) { "banks" } else { "oil gas" });
        format!(
            "{{\"id\":\"{n}\",\"name\":\"{name}\",\"description\":\"{prose}\",\"industry\":\"Banking\",\
             \"employee_count\":{},\"location\":{{\"country\":\"France\"}},\"founded_year\":{}}}\n",
            n / 4,
            1950 + n % 7
        )
    };
    (0..len).map(line).collect()
}

fn sample(lines: &str, dense_keys_max: usize) -> Sample {
    let path = std::env::temp_dir().join(format!("fuzz-{}.firmament", std::process::id()));
    let thresholds = Thresholds { dense_keys_max, ..Thresholds::EVERYTHING };
    from_jsonl_storing(thresholds, lines, &path).expect("valid records");
    let bytes = std::fs::read(&path).expect("the snapshot just built");
    std::fs::remove_file(&path).expect("the snapshot just built");
    let snapshot = Snapshot::from_bytes(&bytes).expect("a valid snapshot");
    let entries = snapshot.sections();
    let section =
        |entry: &SectionEntry| bytes[entry.offset as usize..][..entry.len as usize].to_vec();
    let sample = Sample {
        sections: entries.iter().map(section).collect(),
        checksums: entries.iter().map(|entry| entry.checksum).collect(),
    };
    assert!(assemble(&sample.sections, &sample.checksums) == bytes);
    eprintln!("a sample of {} bytes", bytes.len());
    sample
}

/// The file that has these sections, with these checksums.
pub fn assemble<S: AsRef<[u8]>>(sections: &[S], checksums: &[[u8; 32]]) -> Vec<u8> {
    let mut end = firmament::snapshot::file::format::SECTIONS_START as u64;
    let mut entries = Vec::with_capacity(sections.len());
    for ((kind, section), &checksum) in SectionKind::ALL.into_iter().zip(sections).zip(checksums) {
        let (offset, len) = (end.next_multiple_of(64), section.as_ref().len() as u64);
        entries.push(SectionEntry { kind, offset, len, checksum });
        end = offset + len;
    }
    let mut bytes = encode_frame(&entries, end);
    bytes.reserve(end as usize - bytes.len());
    for (entry, section) in entries.iter().zip(sections) {
        bytes.resize(entry.offset as usize, 0);
        bytes.extend_from_slice(section.as_ref());
    }
    bytes
}
