//! Columns of a table to the fields that are read from them.

use super::nearest::nearest;
use super::{Mapping, MappingError, Meaning, Slot, field_by_name};
use crate::company::Field;

/// The columns of one table that are read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Names of all columns.
    pub columns: Vec<String>,
    /// Place of a column, from 0, and where its values go; a column may go to several.
    pub slots: Vec<(usize, Slot)>,
    /// Names of the columns that go nowhere.
    pub unused: Vec<String>,
    /// Fields that no column holds.
    pub absent: Vec<Field>,
}

impl Binding {
    /// What every column means, in their order.
    pub fn meanings(&self) -> Vec<Meaning> {
        let fields = |at: usize| {
            let slots = self.slots.iter().filter(|(column, _)| *column == at);
            slots.map(|(_, slot)| slot.name()).collect()
        };
        self.columns.iter().enumerate().map(|(at, name)| (name.clone(), fields(at))).collect()
    }
}

impl Mapping {
    /// Finds the columns of a table by their names. What only a preset names may be missing, as in
    /// JSON.
    ///
    /// # Errors
    /// The name of a column that is read stands twice, a column that was asked for is not there, or
    /// none holds the names or ids.
    pub fn bind(&self, columns: &[String]) -> Result<Binding, MappingError> {
        let shown = || {
            let mut shown: Vec<String> =
                columns.iter().take(20).map(|name| format!("{name:?}")).collect();
            shown.extend((columns.len() > 20).then(|| "…".to_owned()));
            shown.join(", ")
        };
        let mut binding = Binding { columns: columns.to_vec(), ..Binding::default() };
        for (slot, names) in self.wanted() {
            let found =
                names.iter().find_map(|name| columns.iter().position(|column| column == name));
            let (is_asked_for, is_needed) = match slot {
                Slot::Field(field) => (
                    self.columns[..self.num_asked_for].iter().any(|(asked, _)| *asked == field),
                    field == Field::Name || (field == Field::Id && !self.derives_ids()),
                ),
                Slot::Beside(_) => (false, false),
                Slot::IdPart(_) => (self.is_id_from_asked_for, false),
                Slot::NamePart(_) => (false, false),
            };
            match found {
                Some(column) if columns[column + 1..].contains(&columns[column]) => {
                    return Err(MappingError(format!(
                        "the column {:?} stands twice: rename or remove one",
                        columns[column]
                    )));
                }
                Some(column) => binding.slots.push((column, slot)),
                None if is_asked_for || is_needed => {
                    let name = &names[0];
                    let near = nearest(name, columns.iter().map(String::as_str));
                    let near =
                        near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
                    let mend = match slot {
                        Slot::Field(Field::Id) if !is_asked_for => {
                            "; name it with --map id=COLUMN, or have ids made with --id-from name,website"
                                .to_owned()
                        }
                        Slot::Field(field) if !is_asked_for => {
                            format!("; name it with --map {}=COLUMN", field.name())
                        }
                        _ => String::new(),
                    };
                    return Err(MappingError(format!(
                        "there is no column {name:?}{near}{mend}; its columns are {}",
                        shown()
                    )));
                }
                None => binding.absent.extend(slot.field()),
            }
        }
        // A field of several columns has their texts in the order of the columns, as one of several
        // keys has them in the order of the keys of a JSON record.
        for of_field in binding.slots.chunk_by_mut(|one, next| one.1 == next.1) {
            of_field.sort_unstable_by_key(|&(column, _)| column);
        }
        if binding.slots.iter().any(|(_, slot)| *slot == Slot::Field(Field::Location)) {
            // The text of the whole place holds the others.
            let is_place = |field: &Field| field.name().starts_with("location");
            binding.absent.retain(|field| !is_place(field));
        }
        binding.absent.retain(|&field| field != Field::Id && !field.is_list());
        binding.unused = (0..columns.len())
            .filter(|at| !binding.slots.iter().any(|(column, _)| column == at))
            .map(|at| columns[at].clone())
            .filter(|name| !name.is_empty() && !self.is_name_left_out(name))
            .collect();
        let unused: Vec<&str> = binding.unused.iter().map(String::as_str).collect();
        self.check_unused(&unused)?;
        Ok(binding)
    }

    /// A preset reads a field from a column of its own; one that has the name of the field is not
    /// lost without a word.
    ///
    /// # Errors
    /// One of the columns or keys that go nowhere has that name.
    pub fn check_unused(&self, unused: &[&str]) -> Result<(), MappingError> {
        let (Some(preset), Some(layout)) = (self.options.preset, self.layout) else {
            return Ok(());
        };
        for &name in unused.iter().filter(|name| !layout.knows(name)) {
            let field = field_by_name(name);
            let read = layout.columns.iter().find(|(read, _)| Some(*read) == field);
            if let Some(&(field, column)) = read
                && self.columns[self.num_asked_for..].iter().any(|(mapped, _)| *mapped == field)
            {
                return Err(MappingError(format!(
                    "--preset {} reads {field} from {column:?}, and there is a column {name:?}: say which one counts \
                     with --map {field}={name} or --map {field}={column:?}",
                    preset.name
                )));
            }
        }
        Ok(())
    }
}
