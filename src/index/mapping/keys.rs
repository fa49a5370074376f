//! Keys of JSON records to the fields that are read from them.

use super::{LEAVES, Mapping, MappingError, Meaning, Slot};
use crate::company::Field;

/// A key of a JSON object, and the keys of the object that may stand under it.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Where its value goes.
    pub slots: Vec<Slot>,
    /// The keys below it.
    pub children: Vec<Key>,
    /// The field to name if the key is at fault.
    pub field: Field,
    /// Its number in the tree, below [`KEYS_MAX`].
    pub number: u32,
}

/// Most keys in the tree of a mapping: one bit each tells whether a key was seen.
pub const KEYS_MAX: u32 = 128;

impl Mapping {
    /// The keys of a JSON record.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    pub(super) fn grow_keys(&mut self) -> Result<(), MappingError> {
        let mut keys = Vec::new();
        let mut number = 0;
        for (slot, names) in self.wanted() {
            grow(&mut keys, &mut number, slot, &names[0]);
            // A record has its places under `location`, or beside it, as a table has.
            if let (Slot::Field(field), [_, short]) = (slot, names.as_slice()) {
                grow(&mut keys, &mut number, Slot::Beside(field), short);
            }
        }
        if number > KEYS_MAX {
            return Err(MappingError(format!(
                "the mapping names {number} nested keys; at most {KEYS_MAX} are accepted"
            )));
        }
        self.keys = keys;
        Ok(())
    }

    /// The outermost key under which JSON records have a field; none if it is not read.
    pub fn first_key_of(&self, field: Field) -> Option<&str> {
        fn has(key: &Key, field: Field) -> bool {
            key.slots.contains(&Slot::Field(field))
                || key.children.iter().any(|child| has(child, field))
        }
        self.keys.iter().find(|key| has(key, field)).map(|key| key.name.as_str())
    }

    /// The fields that no JSON record has a key for, if the records together have those of `seen`.
    pub fn fields_without_key(&self, seen: u128) -> Vec<Field> {
        let mut found = Vec::new();
        visit(&self.keys, "", &mut |_, key| {
            if seen & 1 << key.number != 0 {
                found.extend(key.slots.iter().filter_map(|slot| slot.field()));
            }
        });
        let has_place = found.contains(&Field::Location);
        let is_place = |field| matches!(field, Field::City | Field::State | Field::Country);
        let is_needed = |field: &Field| {
            let is_given = self.constant_fields.contains(field)
                || (*field == Field::Id && self.derives_ids())
                || (has_place && is_place(*field));
            // Few records have other names, and a field of them is no lack.
            !found.contains(field) && !is_given && !self.is_left_out(*field) && !field.is_list()
        };
        LEAVES.into_iter().filter(is_needed).collect()
    }

    /// What the keys of JSON records mean, of which `seen` has a bit each; first those that are
    /// read.
    pub fn meanings(&self, seen: u128, unknown: &[&str]) -> Vec<Meaning> {
        let mut meanings = Vec::new();
        visit(&self.keys, "", &mut |path, key| {
            if seen & 1 << key.number != 0 && !key.slots.is_empty() {
                let fields = key.slots.iter().map(|slot| slot.name()).collect();
                meanings.push((path.to_owned(), fields));
            }
        });
        meanings.extend(unknown.iter().map(|&name| (name.to_owned(), Vec::new())));
        meanings
    }

    /// The first key that the operator named and no JSON record has, as [`bind`](Self::bind) checks
    /// the columns of a table.
    pub fn first_key_without(&self, seen: u128) -> Option<String> {
        let asked_for = |slot: &Slot| match *slot {
            Slot::Field(field) => {
                self.columns[..self.num_asked_for].iter().any(|(asked, _)| *asked == field)
            }
            Slot::Beside(_) => false,
            Slot::IdPart(_) => self.is_id_from_asked_for,
            Slot::NamePart(_) => false,
        };
        let mut missing = None;
        visit(&self.keys, "", &mut |path, key| {
            let is_missing = seen & 1 << key.number == 0 && key.slots.iter().any(asked_for);
            if missing.is_none() && is_missing {
                missing = Some(path.to_owned());
            }
        });
        missing
    }
}

/// Visits every key of a tree with its path.
fn visit(keys: &[Key], above: &str, give: &mut dyn FnMut(&str, &Key)) {
    for key in keys {
        let path = format!("{above}{}", key.name);
        give(&path, key);
        visit(&key.children, &format!("{path}."), give);
    }
}

/// Adds the key of a path with dots to a tree, and the keys above it.
fn grow(mut level: &mut Vec<Key>, number: &mut u32, slot: Slot, path: &str) {
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let field = match slot {
            Slot::Field(field) | Slot::Beside(field) if is_last => field,
            Slot::Field(Field::City | Field::State | Field::Country) => Field::Location,
            Slot::Field(field) | Slot::Beside(field) => field,
            Slot::IdPart(_) => Field::Id,
            Slot::NamePart(_) => Field::Name,
        };
        let at = level.iter().position(|key: &Key| key.name == part).unwrap_or_else(|| {
            let key = Key {
                name: part.to_owned(),
                slots: Vec::new(),
                children: Vec::new(),
                field,
                number: *number,
            };
            *number += 1;
            level.push(key);
            level.len() - 1
        });
        if is_last {
            level[at].slots.push(slot);
        }
        level = &mut level[at].children;
    }
}
