//! What a key file may hold, what it may not, and how it is replaced.

use std::os::unix::fs::PermissionsExt;

use super::*;

const HASH: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER: &str = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn one_entry(fields: &str) -> String {
    format!("{{\"keys\":[{{{fields}}}]}}")
}

#[test]
fn a_full_entry_survives_writing_and_reading() {
    let text = one_entry(&format!(
        r#""name":"acme","hash":"{HASH}","rate":2.5,"burst":7,"expires":"2030-01-02","created":"2026-11-20T12:00:00Z""#
    ));
    for text in [text.clone(), KeyFile::parse(&text).unwrap().to_text()] {
        let file = KeyFile::parse(&text).unwrap();
        let [entry] = file.entries() else { panic!("one entry") };
        assert_eq!(entry.name(), "acme");
        assert_eq!(entry.hash().to_hex().as_str(), HASH);
        assert_eq!(entry.quota().map(|rule| (rule.rate(), rule.burst())), Some((2.5, 7)));
        assert_eq!(entry.expires().unwrap().as_str(), "2030-01-02");
        assert_eq!(entry.expires().unwrap().end().to_string(), "2030-01-03T00:00:00Z");
        assert_eq!(entry.created().unwrap().to_string(), "2026-11-20T12:00:00Z");
    }
}

#[test]
fn only_name_and_hash_are_required() {
    let file = KeyFile::parse(&one_entry(&format!(r#""name":"acme","hash":"{HASH}""#))).unwrap();
    let entry = &file.entries()[0];
    assert!(entry.quota().is_none() && entry.expires().is_none() && entry.created().is_none());
}

#[test]
fn a_rate_without_a_burst_gets_one_second_worth() {
    let text = one_entry(&format!(r#""name":"a","hash":"{HASH}","rate":10"#));
    let file = KeyFile::parse(&text).unwrap();
    assert_eq!(file.entries()[0].quota().unwrap().burst(), 10);
    assert!(file.to_text().contains("\"rate\": 10,"), "whole rates are written as whole numbers");
}

#[test]
fn entries_keep_their_order() {
    let mut file = KeyFile::default();
    for name in ["zeta", "alpha", "mid"] {
        file.add(name, None, None).unwrap();
    }
    let read = KeyFile::parse(&file.to_text()).unwrap();
    let names: Vec<_> = read.entries().iter().map(KeyEntry::name).collect();
    assert_eq!(names, ["zeta", "alpha", "mid"]);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_accepted() {
    let text = format!("\u{FEFF}{{\r\n\"keys\":[\r\n{{\"name\":\"a\",\"hash\":\"{HASH}\"}}]}}\r\n");
    assert_eq!(KeyFile::parse(&text).unwrap().entries().len(), 1);
}

#[test]
fn wrong_entries_are_refused_with_their_position() {
    let base = format!(r#""name":"a","hash":"{HASH}""#);
    for (fields, says) in [
        (r#""name":"a","hash":"00""#.to_owned(), "64 hex digits"),
        (format!(r#""name":"a","hash":"{}""#, HASH.replace('0', "g")), "64 hex digits"),
        (format!(r#""name":"","hash":"{HASH}""#), "name"),
        (format!(r#""name":" a","hash":"{HASH}""#), "spaces"),
        (format!(r#""name":"a\n","hash":"{HASH}""#), "spaces"),
        (format!(r#""name":"a\u0007b","hash":"{HASH}""#), "control"),
        (format!(r#""name":"fmt_x","hash":"{HASH}""#), "fmt_"),
        (format!(r#""name":"{}","hash":"{HASH}""#, "x".repeat(65)), "64 characters"),
        (format!(r#"{base},"rate":0"#), "rate 0"),
        (format!(r#"{base},"rate":-1"#), "rate -1"),
        (format!(r#"{base},"rate":18446744073709551616"#), "outside"),
        (format!(r#"{base},"rate":1,"burst":0"#), "burst 0"),
        (format!(r#"{base},"burst":5"#), "without `rate`"),
        (format!(r#"{base},"expires":"tomorrow""#), "neither a date"),
        (format!(r#"{base},"expires":"2027-02-30""#), "neither a date"),
        (format!(r#"{base},"expires":"2027-12-31T18:00:00""#), "neither a date"),
        (format!(r#"{base},"created":"once""#), "created"),
    ] {
        let error = KeyFile::parse(&one_entry(&fields)).expect_err(&fields);
        assert!(matches!(error, KeyFileError::Entry { position: 1, .. }), "{fields}: {error:?}");
        assert!(error.to_string().contains(says), "{fields}: {error}");
    }
}

#[test]
fn wrong_forms_are_refused_with_their_line() {
    let entry = format!(r#"{{"name":"a","hash":"{HASH}"}}"#);
    for text in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "not json".to_owned(),
        format!("{{\"keys\":[{entry}"),
        format!("{{\"keys\":[{entry}]}} trailing"),
        format!("{{\"keys\":[{entry}],\"more\":1}}"),
        one_entry(&format!(r#""name":"a","hash":"{HASH}","rates":1"#)),
        one_entry(&format!(r#""name":"a","hash":"{HASH}","rate":"1""#)),
        one_entry(&format!(r#""name":"a","hash":"{HASH}","rate":1,"burst":-1"#)),
        one_entry(&format!(r#""name":"a","hash":"{HASH}","rate":1,"burst":1.5"#)),
        one_entry(r#""name":"a""#),
    ] {
        let error = KeyFile::parse(&text).expect_err(&text);
        assert!(matches!(error, KeyFileError::Syntax { .. }), "{text}: {error:?}");
        assert!(error.to_string().contains("line"), "{text}: {error}");
    }
}

#[test]
fn duplicates_are_refused() {
    for (second_name, second_hash, says) in [("a", OTHER, "same name"), ("b", HASH, "same hash")] {
        let text = format!(
            r#"{{"keys":[{{"name":"a","hash":"{HASH}"}},{{"name":"{second_name}","hash":"{second_hash}"}}]}}"#
        );
        let error = KeyFile::parse(&text).unwrap_err();
        assert!(matches!(error, KeyFileError::Entry { position: 2, .. }), "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_key_in_plain_text_is_refused_wherever_it_stands_and_never_repeated() {
    let key = ApiKey::generate().unwrap();
    let key = key.expose();
    for text in [
        format!("{{\"keys\":[\n{{\"name\":\"a\",\"hash\":\"{key}\"}}]}}"),
        format!("{{\"keys\":[\n{{\"name\":\"{key}\",\"hash\":\"{HASH}\"}}]}}"),
        format!("{{\"keys\":[\n{{\"name\":\"a\",\"rate\":\"{key}\"}}]}}"),
        format!("\n{key}"),
    ] {
        let error = KeyFile::parse(&text).unwrap_err();
        assert!(matches!(error, KeyFileError::PlainKey { line: 2 }), "{error:?}");
        for shown in [error.to_string(), format!("{error:?}")] {
            assert!(!shown.contains(&key[4..20]), "{shown}");
        }
    }
}

#[test]
fn saving_creates_a_file_for_the_owner_only_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let key = KeyFile::update(&path, |file| file.add("acme", None, None)).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!is_exposed(&path));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(key.expose()));
    assert_eq!(KeyFile::load(&path).unwrap().entries()[0].hash(), key.hash());

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(is_exposed(&path));
}

#[test]
fn a_failed_change_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    KeyFile::update(&path, |file| file.add("acme", None, None)).unwrap();
    let before = fs::read(&path).unwrap();
    let taken = KeyFile::update(&path, |file| file.add("acme", None, None)).unwrap_err();
    assert!(matches!(taken, KeyFileError::NameTaken(_)));
    let unknown = KeyFile::update(&path, |file| file.revoke("nobody")).unwrap_err();
    assert!(matches!(unknown, KeyFileError::NoSuchName(_)));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    fs::write(&path, "{\"keys\":[").unwrap();
    assert!(KeyFile::update(&path, |file| file.add("acme", None, None)).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"keys\":[");
}

#[test]
fn a_symbolic_link_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.json"), folder.path().join("keys.json"));
    KeyFile::default().save(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    KeyFile::update(&link, |file| file.add("acme", None, None)).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(KeyFile::load(&real).unwrap().entries().len(), 1);
}

#[test]
fn a_link_from_another_folder_waits_for_the_same_lock() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (real, link) = (folder.path().join("real.json"), other.path().join("keys.json"));
    KeyFile::default().save(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    KeyFile::update(&link, |_| {
        let lock = fs::File::open(folder.path()).unwrap();
        assert!(matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)));
        Ok(())
    })
    .unwrap();
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(KeyFile::load(folder.path()), Err(KeyFileError::NotAFile(_))));
    assert!(matches!(KeyFile::load(&folder.path().join("none")), Err(KeyFileError::Read { .. })));
    let binary = folder.path().join("binary");
    fs::write(&binary, b"{\"keys\":[\xFF").unwrap();
    let error = KeyFile::load(&binary).unwrap_err();
    assert!(error.to_string().starts_with(&binary.display().to_string()), "{error}");
    let KeyFileError::In { fault, .. } = error else { panic!("{error}") };
    assert!(matches!(*fault, KeyFileError::NotUtf8(9)));
}

#[test]
fn a_rotated_key_keeps_its_quota_and_a_set_one_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut old = None;
    KeyFile::update(&path, |file| file.add("a", None, None).map(|key| old = Some(key))).unwrap();
    let old = old.unwrap();
    let quota = QuotaRule::new(7.0, Some(9)).unwrap();
    KeyFile::update(&path, |file| file.set("a", Some(Some(quota)), None)).unwrap();
    assert_eq!(KeyFile::load(&path).unwrap().entries()[0].hash, old.hash());
    let mut new = None;
    KeyFile::update(&path, |file| file.rotate("a").map(|key| new = Some(key))).unwrap();
    let file = KeyFile::load(&path).unwrap();
    let [entry] = file.entries() else { panic!("one key") };
    assert_eq!(entry.hash, new.unwrap().hash());
    assert_ne!(entry.hash, old.hash());
    assert_eq!(entry.quota, Some(quota));
    KeyFile::update(&path, |file| file.set("a", Some(None), None)).unwrap();
    assert_eq!(KeyFile::load(&path).unwrap().entries()[0].quota, None);
    let missing = KeyFile::update(&path, |file| file.rotate("b").map(drop));
    assert!(matches!(missing, Err(KeyFileError::NoSuchName(_))));
}

#[test]
fn timestamps_end_a_key_to_the_second() {
    let expiry = Expiry::parse("2027-12-31T18:00:00+02:00").unwrap();
    assert_eq!(expiry.end().to_string(), "2027-12-31T16:00:00Z");
    assert_eq!(Expiry::parse("9999-12-31").unwrap().end(), Timestamp::MAX);
    for bad in ["", "2027", "2027-13-01", "31.12.2027", "2027-12-31 ", "20271231T1", "never"] {
        assert!(Expiry::parse(bad).is_err(), "{bad}");
    }
}
