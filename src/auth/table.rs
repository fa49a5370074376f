//! The keys that are valid now, ready for look-ups.
//!
//! A [`KeyTable`] never changes; a changed file becomes a new table that takes over the quotas of
//! the keys it still holds. Look-ups go by hash: the standard library's seeded hasher keeps
//! callers from steering collisions, and [`KeyHash`] compares in constant time.

use std::collections::HashMap;

use jiff::Timestamp;

use super::key::{ApiKey, KeyHash};
use super::key_file::KeyFile;
use super::quota::Quota;

/// A key as the server uses it.
#[derive(Debug)]
pub struct LiveKey {
    name: String,
    quota: Option<Quota>,
    valid_until: Option<Timestamp>,
}

impl LiveKey {
    /// The operator's name for the key. Unlike the key, it may be logged.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The quota; none means that the key may ask as often as it likes.
    #[must_use]
    pub fn quota(&self) -> Option<&Quota> {
        self.quota.as_ref()
    }

    /// Whether the key's date has passed. The clock is read only for keys that have one.
    #[must_use]
    pub fn is_expired(&self, now: impl FnOnce() -> Timestamp) -> bool {
        self.valid_until.is_some_and(|end| now() >= end)
    }
}

/// All keys of one reading of the key file.
#[derive(Debug, Default)]
pub struct KeyTable {
    by_hash: HashMap<KeyHash, LiveKey>,
}

impl KeyTable {
    /// The table for `file`, with full quotas.
    #[must_use]
    pub fn new(file: &KeyFile) -> KeyTable {
        KeyTable::default().succeeded_by(file, || 0)
    }

    /// The table for a newer reading of the file. A key that stays (by hash) keeps what it has used
    /// of its quota, whatever else of its entry has changed. `now_nanos` reads the clock of quotas.
    #[must_use]
    pub fn succeeded_by(&self, file: &KeyFile, now_nanos: impl Fn() -> u64) -> KeyTable {
        let live = |entry: &super::KeyEntry| {
            let used = self.by_hash.get(&entry.hash()).and_then(LiveKey::quota);
            let quota = entry.quota().map(|rule| match used {
                Some(quota) => quota.with_rule(rule, &now_nanos),
                None => Quota::new(rule),
            });
            let valid_until = entry.expires().map(super::Expiry::end);
            (entry.hash(), LiveKey { name: entry.name().to_owned(), quota, valid_until })
        };
        KeyTable { by_hash: file.entries().iter().map(live).collect() }
    }

    /// The key that the bytes of a header name. A typo is refused by its check characters.
    #[must_use]
    pub fn find(&self, presented: &[u8]) -> Option<&LiveKey> {
        self.by_hash.get(&ApiKey::hash_if_well_formed(presented)?)
    }

    /// How many keys there are, expired ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_hash.len()
    }

    /// Whether there is no key at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_hash.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Expiry, QuotaRule};

    fn file_with(name: &str, rule: Option<QuotaRule>, expires: Option<&str>) -> (KeyFile, ApiKey) {
        let mut file = KeyFile::default();
        let expires = expires.map(|text| Expiry::parse(text).unwrap());
        let key = file.add(name, rule, expires).unwrap();
        (file, key)
    }

    #[test]
    fn a_key_is_found_by_its_text_only() {
        let (file, key) = file_with("acme", None, None);
        let table = KeyTable::new(&file);
        assert_eq!(table.len(), 1);
        assert_eq!(table.find(key.expose().as_bytes()).map(LiveKey::name), Some("acme"));
        assert!(table.find(key.hash().to_hex().as_bytes()).is_none(), "the hash is no key");
        assert!(table.find(ApiKey::generate().unwrap().expose().as_bytes()).is_none());
        assert!(table.find(b"").is_none());
    }

    #[test]
    fn a_key_is_valid_through_the_last_second_of_its_date() {
        let (file, key) = file_with("acme", None, Some("2030-06-30"));
        let table = KeyTable::new(&file);
        let live = table.find(key.expose().as_bytes()).unwrap();
        assert!(!live.is_expired(|| "2030-06-30T23:59:59.999Z".parse().unwrap()));
        assert!(live.is_expired(|| "2030-07-01T00:00:00Z".parse().unwrap()));
    }

    #[test]
    fn a_reload_keeps_quotas_and_drops_revoked_keys() {
        let rule = QuotaRule::new(1.0, Some(2)).unwrap();
        let (mut file, key) = file_with("acme", Some(rule), None);
        let other = file.add("other", Some(rule), None).unwrap();
        let before = KeyTable::new(&file);
        for key in [&key, &other] {
            let quota = before.find(key.expose().as_bytes()).unwrap().quota().unwrap();
            assert!(quota.charge(0) && quota.charge(0) && !quota.charge(0));
        }

        file.revoke("other").unwrap();
        let after = before.succeeded_by(&file, || 0);
        assert!(after.find(other.expose().as_bytes()).is_none());
        let quota = after.find(key.expose().as_bytes()).unwrap().quota().unwrap();
        assert!(!quota.charge(0), "a reload does not refill");
        assert!(quota.charge(1_000_000_000));
    }
}
