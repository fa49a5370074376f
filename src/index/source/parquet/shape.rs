//! Columns that hold a field, but not in a shape that it can be read from.
//!
//! Columns are bound by the names of leaves and of lists of them. A map or struct called `industry`
//! has none of that name, nor has a list of structs, and a text called `location` has none below
//! it: all would be passed over like unknown columns, and their fields be null in all records. JSON
//! rejects such records, so a file of them is refused.

use super::lists::nesting;
use super::{column, lists};
use crate::company::Field;
use crate::index::mapping::{Key, Mapping, Slot};
use ::parquet::schema::types::Type;
use std::collections::HashSet;

/// Most columns of a struct that an error names.
const COLUMNS_SHOWN: usize = 8;

/// What is read, and the names it is looked for under; the first that is a leaf counts.
struct Wanted {
    slot: Slot,
    names: Vec<String>,
}

/// Does every column that `mapping` reads have the shape it is read in? `leaves` are the names of
/// all leaves.
///
/// # Errors
/// One has not: what the column is, what is accepted and how to mend it.
pub fn check(schema: &Type, leaves: &[String], mapping: &Mapping) -> Result<(), String> {
    let mut wanted = Vec::new();
    collect_wanted(mapping, mapping.keys(), "", &mut wanted);
    let leaves: HashSet<&str> = leaves.iter().map(String::as_str).collect();
    let leaf_of =
        |wanted: &Wanted| wanted.names.iter().find_map(|name| leaves.get(name.as_str())).copied();
    let read: HashSet<&str> = wanted.iter().filter_map(leaf_of).collect();
    for Wanted { slot, names } in wanted.iter().filter(|wanted| leaf_of(wanted).is_none()) {
        for name in names {
            match find_obstacle(schema, name, 0) {
                // A column that is read for itself, as a text to be taken apart or under --map
                // city=location.
                Some((column, _)) if read.contains(column) => {}
                Some((column, node)) => return Err(describe(column, node, name, *slot, mapping)),
                None => {}
            }
        }
    }
    Ok(())
}

/// The keys of JSON records, by their paths; in tables places have their short names as well.
fn collect_wanted(mapping: &Mapping, keys: &[Key], path: &str, wanted: &mut Vec<Wanted>) {
    for key in keys {
        let name = format!("{path}{}", key.name);
        // A place beside `location` is another name of the one under it.
        for &slot in key.slots.iter().filter(|slot| !matches!(slot, Slot::Beside(_))) {
            let mut names = vec![name.clone()];
            if let Slot::Field(field) = slot
                && mapping.column(field).is_none()
                && let Some(place) = field.name().strip_prefix("location.")
            {
                names.push(place.to_owned());
            }
            wanted.push(Wanted { slot, names });
        }
        collect_wanted(mapping, &key.children, &format!("{name}."), wanted);
    }
}

/// The column that has this name and is no leaf, or that is in the way to it and no struct. A
/// column of nulls is in nobody's way. `start` is where the names of the columns of `group` begin
/// in `name`.
fn find_obstacle<'n, 's>(
    group: &'s Type,
    name: &'n str,
    start: usize,
) -> Option<(&'n str, &'s Type)> {
    group.get_fields().iter().find_map(|node| {
        let below = name[start..].strip_prefix(node.name())?;
        let end = name.len() - below.len();
        let is_obstacle = if below.is_empty() {
            node.is_group()
        } else if !below.starts_with('.') {
            false
        } else if node.is_group() && nesting(node).is_none() {
            return find_obstacle(node, name, end + 1);
        } else {
            !column::is_of_nulls(node)
        };
        is_obstacle.then_some((&name[..end], &**node))
    })
}

/// What is wrong with the obstacle `column` before `name`.
fn describe(column: &str, node: &Type, name: &str, slot: Slot, mapping: &Mapping) -> String {
    let found = match lists::describe(node) {
        Some(found) => found,
        None if node.is_group() => {
            let fields = node.get_fields();
            let mut shown: Vec<String> = fields
                .iter()
                .take(COLUMNS_SHOWN)
                .map(|field| format!("{:?}", format!("{column}.{}", field.name())))
                .collect();
            shown.extend((fields.len() > COLUMNS_SHOWN).then(|| "…".to_owned()));
            format!("a struct of {}", shown.join(", "))
        }
        None => format!("of the type {}", column::type_name(node)),
    };
    let accepted = if column == name {
        format!("accepted are {}", column::accepted(slot))
    } else {
        format!("accepted is a struct that holds {name:?}")
    };
    let is_of_all_places = |field| {
        let is_place = matches!(field, Field::City | Field::State | Field::Country);
        is_place && mapping.column(field).is_none() && column != name
    };
    let mend = match slot {
        Slot::NamePart(_) => "convert it to text".to_owned(),
        Slot::Beside(_) | Slot::IdPart(_) => {
            "convert it, or name another column with --id-from".to_owned()
        }
        Slot::Field(field) if field.is_list() => format!(
            "convert it to a list of texts, or do not read it, with --map {field}=-"
        ),
        Slot::Field(field) if is_of_all_places(field) && column::is_of_texts(node) => format!(
            "have texts \"city, state, country\" taken apart with --map location={column}, or rename or drop the column"
        ),
        Slot::Field(field) if is_of_all_places(field) => {
            "convert, rename or drop it, or name other columns with --map for city, state and country".to_owned()
        }
        Slot::Field(field) => {
            let is_needed = match field {
                Field::Name => true,
                Field::Id => !mapping.derives_ids(),
                _ => false,
            };
            let mend = if is_needed || mapping.column(field).is_some() {
                "convert it"
            } else {
                "convert, rename or drop it"
            };
            format!("{mend}, or name another column with --map {}=COLUMN", field.name())
        }
    };
    format!("the column {column:?} is {found}; {accepted}: {mend}")
}
