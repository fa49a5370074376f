//! Builds in small: any limit of memory and number of threads gives the same bytes; any failing
//! system call leaves the target as it was.

use super::*;
use crate::snapshot::file::fs_ops::faults::with_plan;
use proptest::prelude::*;

/// Records of all kinds: shared and unique values, many scripts, plurals, compounds, missing
/// values.
fn records(num: usize, seed: u64) -> Vec<String> {
    const WORDS: [&str; 24] = [
        "company",
        "companies",
        "box",
        "boxes",
        "gas",
        "Böhme",
        "AT&T",
        "S.p.A.",
        "東京",
        "news",
        "a",
        "Zürich",
        "data-driven",
        "glass",
        "x",
        "software",
        "softwares",
        "O'Neil",
        "Ünal",
        "инженер",
        "co",
        "bus",
        "buses",
        "energy",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    (0..num)
        .map(|id| {
            let mut words = |count: usize| -> String {
                (0..count).map(|_| WORDS[random(WORDS.len())]).collect::<Vec<_>>().join(" ")
            };
            let (name, description, industry) = (words(2), words(id % 40), words(1));
            let employees = match random(4) {
                0 => "null".to_owned(),
                _ => random(5).to_string(),
            };
            let (year, host) = (1990 + random(9), random(num.max(1)));
            format!(
                "{{\"id\":\"{:x}\",\"name\":\"{name}\",\"website\":\"https://www.w{host}.co.uk/\",\
                 \"description\":\"{description}\",\"industry\":\"{industry}\",\"employee_count\":{employees},\
                 \"founded_year\":{},\"location\":{{\"city\":\"City {}\",\"country\":\"DE\"}}}}\n",
                random(num * 50),
                if random(3) == 0 { "null".to_owned() } else { year.to_string() },
                random(7)
            )
        })
        .collect()
}

/// The bytes of the snapshot of `records`, cut into so many inputs and built at one time, and the
/// rejects.
fn bytes_of(records: &[String], num_inputs: usize, options: &BuildOptions) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.firmament");
    let inputs: Vec<Input> = records
        .chunks(records.len().div_ceil(num_inputs).max(1))
        .map(|part| Input::Memory(part.concat().into_bytes()))
        .collect();
    let reject_file = folder.path().join("rejects");
    let options = BuildOptions {
        reject_file: Some(reject_file.clone()),
        max_rejects: MaxRejects::Percent(100.0),
        allow_empty: true,
        built_at: Some(0),
        ..options.clone()
    };
    build(&inputs, &target, &options, &NoProgress).unwrap();
    let rejects = std::fs::read_to_string(reject_file).unwrap_or_default();
    let entries = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 1 + usize::from(!rejects.is_empty()), "temporary files are left");
    (std::fs::read(target).unwrap(), rejects)
}

fn options(memory: usize, threads: usize) -> BuildOptions {
    BuildOptions {
        memory: MemoryLimit::from_bytes(memory),
        threads: NonZeroUsize::new(threads),
        built_at: Some(0),
        ..BuildOptions::default()
    }
}

/// Whatever can be stored, but that few keys are dense.
const FEW_DENSE: Thresholds = Thresholds { dense_keys_max: 30, ..Thresholds::EVERYTHING };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn memory_and_threads_do_not_show(
        num in 0usize..700,
        seed in 0u64..1000,
        memory in prop_oneof![1usize..100, 1000usize..1_000_000],
        threads in 1usize..5,
        thresholds in prop_oneof![Just(Thresholds::default()), Just(FEW_DENSE)],
    ) {
        let records = records(num, seed);
        let expected = BuildOptions { thresholds, ..BuildOptions::default() };
        let (expected, expected_rejects) = bytes_of(&records, 40, &expected);
        let options = BuildOptions { thresholds, ..options(memory, threads) };
        let (bytes, rejects) = bytes_of(&records, 40, &options);
        prop_assert!(bytes == expected);
        prop_assert_eq!(rejects, expected_rejects);
    }
}

/// Every system call in turn fails, with an I/O error and with a full disk: the target is the old
/// snapshot or the new one, whole, and the next build leaves nothing but its snapshot. All calls of
/// a small build; every `FIRMAMENT_FAULT_STEP`th, if that is set.
#[test]
fn whatever_call_fails_the_target_is_whole() {
    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;
    let step: usize =
        std::env::var("FIRMAMENT_FAULT_STEP").map_or(1, |step| step.parse().expect("a number"));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let target = folder.join("x.firmament");
    let thresholds = Thresholds { dense_keys_max: 6, ..FEW_DENSE };
    let options = BuildOptions { thresholds, ..options(20_000, 2) };
    let attempt = |records: &[String], fail_at| {
        let input = records.chunks(20).map(|part| Input::Memory(part.concat().into_bytes()));
        let inputs: Vec<Input> = input.collect();
        let options = BuildOptions { max_rejects: MaxRejects::Percent(100.0), ..options.clone() };
        with_plan(folder, fail_at, || build(&inputs, &target, &options, &NoProgress))
    };
    let (old, new) = (records(90, 1), records(110, 2));
    let (built, _) = attempt(&new, None);
    built.unwrap();
    let new_bytes = std::fs::read(&target).unwrap();
    let (built, _) = attempt(&old, None);
    built.unwrap();
    let old_bytes = std::fs::read(&target).unwrap();
    let (built, calls) = attempt(&new, None);
    built.unwrap();
    assert!(calls > 50, "{calls} calls");
    let mut failures = 0;
    for number in [EIO, ENOSPC] {
        for at in (0..calls).step_by(step) {
            std::fs::write(&target, &old_bytes).unwrap();
            let (built, _) = attempt(&new, Some((at, number)));
            let found = std::fs::read(&target).unwrap();
            // The number of calls varies a little: threads decide how many bytes are written
            // together.
            assert!(found == old_bytes || found == new_bytes, "call {at}");
            assert!(built.is_err() || found == new_bytes, "call {at}");
            if let Err(error) = &built {
                let is_named = matches!(
                    error,
                    BuildError::Scratch(ScratchError { source, .. })
                        | BuildError::Snapshot(SnapshotError::Io { cause: source, .. })
                        if source.raw_os_error() == Some(number)
                );
                assert!(is_named, "call {at}: {error}");
            }
            failures += u32::from(built.is_err());
            let names = std::fs::read_dir(folder).unwrap().count();
            assert_eq!(names, 1, "call {at}: temporary files are left");
        }
    }
    println!("{failures} failures, {calls} calls a build");
    assert!(u64::from(failures) * step as u64 > calls);
}
