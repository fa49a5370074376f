//! Which value of an input goes to which field of a record.
//!
//! In: what an operator said: a [`Preset`], pairs of field and column, constants, texts that mean
//! "no value", and what ids are made from. Out: a [`Mapping`], in the two shapes that readers need:
//! a tree of keys for JSON objects, and slots by position for tables. Without a word from the
//! operator every field is read from the key or column of its own name.

pub mod derived_id;
pub mod preset;

pub use preset::Preset;

use crate::company;
use crate::company::{Company, Field, FieldError};

/// What an operator may say about the columns of the input.
#[derive(Clone, Debug, Default)]
pub struct MappingOptions {
    /// A well-known layout, which the others below change.
    pub preset: Option<&'static Preset>,
    /// Pairs of a field and the column or key it is read from; dots lead into nested values.
    pub columns: Vec<(String, String)>,
    /// Pairs of a field and the value that all records have in it.
    pub constants: Vec<(String, String)>,
    /// Texts that mean "no value", besides the empty one.
    pub nulls: Vec<String>,
    /// Fields, or else columns, that the id of a record without one is made from.
    pub id_from: Vec<String>,
}

/// A mapping that makes no sense, or does not fit an input: what was given, what is accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct MappingError(pub String);

/// Where a value goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A field of the record. [`Field::Location`] takes a text `city, state, country` apart.
    Field(Field),
    /// So many-th column that ids are made from and that is no field.
    IdPart(usize),
}

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

/// Most fields and columns that an id is made from.
const ID_PARTS_MAX: usize = 16;

/// What an id is made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IdSource {
    /// The value of a field, as it is served.
    Field(Field),
    /// A column that is no field: its number among those, and its name.
    Column(usize, String),
}

/// Which value of an input goes to which field.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Field and column of what the operator or the preset mapped.
    columns: Vec<(Field, String)>,
    /// So many of them the operator mapped; they come first, and must be there.
    num_asked_for: usize,
    /// Fields that are the same in all records; the ids and names in it are empty.
    pub(super) constants: Company,
    constant_fields: Vec<Field>,
    pub(super) nulls: Vec<String>,
    pub(super) id_from: Vec<IdSource>,
    /// The operator said what ids are made from; its columns must be there, those of a preset need
    /// not.
    is_id_from_asked_for: bool,
    keys: Vec<Key>,
}

/// The fields that hold one value each.
const LEAVES: [Field; 10] = [
    Field::Id,
    Field::Name,
    Field::Website,
    Field::Description,
    Field::Industry,
    Field::EmployeeCount,
    Field::City,
    Field::State,
    Field::Country,
    Field::FoundedYear,
];

impl Default for Mapping {
    fn default() -> Mapping {
        Mapping::new(&MappingOptions::default()).expect("every field under its own name")
    }
}

/// The field that an operator names: as in responses, or a place by its last word.
fn field_by_name(name: &str) -> Option<Field> {
    let short = [("city", Field::City), ("state", Field::State), ("country", Field::Country)];
    LEAVES
        .into_iter()
        .chain([Field::Location])
        .find(|field| field.name() == name)
        .or_else(|| short.into_iter().find(|(short, _)| *short == name).map(|(_, field)| field))
}

fn required_field(name: &str, option: &str) -> Result<Field, MappingError> {
    field_by_name(name).ok_or_else(|| {
        let known = LEAVES.map(Field::name);
        let nearest = nearest(name, known.into_iter());
        MappingError(format!(
            "{option}: {name:?} is no field{}; fields are {}, location",
            nearest.map_or(String::new(), |nearest| format!("; did you mean {nearest}?")),
            known.join(", ")
        ))
    })
}

/// The name most like `given`, if one is.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

impl Mapping {
    /// Checks what the operator said.
    ///
    /// # Errors
    /// A field is unknown, given twice, or has a constant value that no record could have.
    pub fn new(options: &MappingOptions) -> Result<Mapping, MappingError> {
        let mut mapping = Mapping {
            columns: Vec::new(),
            num_asked_for: 0,
            constants: Company::default(),
            constant_fields: Vec::new(),
            nulls: options.nulls.clone(),
            id_from: Vec::new(),
            is_id_from_asked_for: !options.id_from.is_empty(),
            keys: Vec::new(),
        };
        for (name, value) in &options.constants {
            mapping.add_constant(name, value)?;
        }
        for (name, column) in &options.columns {
            mapping.add_column(required_field(name, "--map")?, column)?;
        }
        mapping.num_asked_for = mapping.columns.len();
        let mut id_from: Vec<&str> = options.id_from.iter().map(String::as_str).collect();
        if let Some(preset) = options.preset {
            for &(field, column) in preset.columns {
                if mapping.column(field).is_none() && !mapping.constant_fields.contains(&field) {
                    mapping.columns.push((field, column.to_owned()));
                }
            }
            mapping.nulls.extend(preset.nulls.iter().map(|&null| null.to_owned()));
            if id_from.is_empty() && mapping.column(Field::Id).is_none() {
                id_from = preset.id_from.to_vec();
            }
        }
        mapping.set_id_from(&id_from)?;
        mapping.grow_keys()?;
        Ok(mapping)
    }

    fn add_column(&mut self, field: Field, column: &str) -> Result<(), MappingError> {
        let fault =
            |reason: &str| Err(MappingError(format!("--map {}={column}: {reason}", field.name())));
        if column.split('.').any(str::is_empty) {
            return fault("the name of the column is empty; give it as in --map name=company");
        }
        if self.column(field).is_some() {
            return fault("the field is mapped twice; keep one");
        }
        if self.constant_fields.contains(&field) {
            return fault("the field has a constant as well; keep one of the two");
        }
        self.columns.push((field, column.to_owned()));
        Ok(())
    }

    fn add_constant(&mut self, name: &str, value: &str) -> Result<(), MappingError> {
        let field = required_field(name, "--constant")?;
        let fault = |reason: String| {
            Err(MappingError(format!("--constant {}={value:?}: {reason}", field.name())))
        };
        match field {
            Field::Id => return fault("ids are unique; see --id-from".to_owned()),
            Field::Location => return fault("give city, state or country".to_owned()),
            _ if self.constant_fields.contains(&field) => {
                return fault("the field is given twice; keep one".to_owned());
            }
            _ => {}
        }
        let mut set = || -> Result<bool, FieldError> {
            if matches!(field, Field::EmployeeCount | Field::FoundedYear) {
                return match (value.parse(), field) {
                    (Ok(count), Field::EmployeeCount) => {
                        self.constants.employee_count = Some(company::employee_count(count)?);
                        Ok(true)
                    }
                    (Ok(year), _) => {
                        self.constants.founded_year = Some(company::founded_year(year)?);
                        Ok(true)
                    }
                    (Err(_), _) => Err(FieldError::new(field, "is no whole number")),
                };
            }
            let text = company::text_value(field, value)?.map(str::to_owned);
            let is_some = text.is_some();
            let constants = &mut self.constants;
            match field {
                Field::Name => constants.name = text.unwrap_or_default(),
                Field::Website => constants.website = text,
                Field::Description => constants.description = text,
                Field::Industry => constants.industry = text,
                Field::City => constants.location.city = text,
                Field::State => constants.location.state = text,
                _ => constants.location.country = text,
            }
            Ok(is_some)
        };
        match set() {
            Ok(true) => {
                self.constant_fields.push(field);
                Ok(())
            }
            Ok(false) => fault("the value is empty".to_owned()),
            Err(error) => fault(error.to_string()),
        }
    }

    fn set_id_from(&mut self, names: &[&str]) -> Result<(), MappingError> {
        if names.len() > ID_PARTS_MAX {
            return Err(MappingError(format!(
                "--id-from names {} values; at most {ID_PARTS_MAX} are accepted",
                names.len()
            )));
        }
        let mut columns = 0;
        for &name in names {
            let source = match field_by_name(name) {
                Some(Field::Id | Field::Location) => {
                    let reason = "name what the id is made from, such as name,website";
                    return Err(MappingError(format!("--id-from {name}: {reason}")));
                }
                Some(field) => IdSource::Field(field),
                None if name.split('.').any(str::is_empty) => {
                    let reason = "a name is empty; give them as in --id-from name,website";
                    return Err(MappingError(format!("--id-from {}: {reason}", names.join(","))));
                }
                None => {
                    columns += 1;
                    IdSource::Column(columns - 1, name.to_owned())
                }
            };
            if self.id_from.contains(&source) {
                return Err(MappingError(format!("--id-from names {name} twice; keep one")));
            }
            self.id_from.push(source);
        }
        Ok(())
    }

    /// Are ids made for records that have none?
    pub fn derives_ids(&self) -> bool {
        !self.id_from.is_empty()
    }

    /// The column that a field was mapped to, by the operator or the preset.
    pub fn column(&self, field: Field) -> Option<&str> {
        self.columns.iter().find(|(mapped, _)| *mapped == field).map(|(_, column)| column.as_str())
    }

    /// Number of columns that ids are made from and that are no fields.
    pub fn num_id_parts(&self) -> usize {
        self.id_from.iter().filter(|source| matches!(source, IdSource::Column(..))).count()
    }

    fn id_columns(&self) -> impl Iterator<Item = (Slot, &str)> {
        self.id_from.iter().filter_map(|source| match source {
            IdSource::Column(part, name) => Some((Slot::IdPart(*part), name.as_str())),
            IdSource::Field(_) => None,
        })
    }

    /// Every field that is read from the input, with the names it is looked for under; the first
    /// that exists counts. A field that the operator mapped has one name.
    fn wanted(&self) -> Vec<(Slot, Vec<String>)> {
        let location = self.column(Field::Location).unwrap_or("location");
        let mut wanted = Vec::new();
        for field in LEAVES.into_iter().filter(|field| !self.constant_fields.contains(field)) {
            let names = match (self.column(field), field.name().strip_prefix("location.")) {
                (Some(column), _) => vec![column.to_owned()],
                (None, Some(place)) => vec![format!("{location}.{place}"), place.to_owned()],
                (None, None) => vec![field.name().to_owned()],
            };
            wanted.push((Slot::Field(field), names));
        }
        if let Some(column) = self.column(Field::Location) {
            wanted.push((Slot::Field(Field::Location), vec![column.to_owned()]));
        }
        wanted.extend(self.id_columns().map(|(slot, name)| (slot, vec![name.to_owned()])));
        wanted
    }

    /// The keys of a JSON record.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    fn grow_keys(&mut self) -> Result<(), MappingError> {
        let mut keys = Vec::new();
        let mut number = 0;
        for (slot, names) in self.wanted() {
            // A JSON record has its places under `location`, or where it was said.
            let mut level = &mut keys;
            let mut parts = names[0].split('.').peekable();
            while let Some(part) = parts.next() {
                let is_last = parts.peek().is_none();
                let field = match slot {
                    Slot::Field(field) if is_last => field,
                    Slot::Field(Field::City | Field::State | Field::Country) => Field::Location,
                    Slot::Field(field) => field,
                    Slot::IdPart(_) => Field::Id,
                };
                let at = level.iter().position(|key: &Key| key.name == part).unwrap_or_else(|| {
                    let key = Key {
                        name: part.to_owned(),
                        slots: Vec::new(),
                        children: Vec::new(),
                        field,
                        number,
                    };
                    number += 1;
                    level.push(key);
                    level.len() - 1
                });
                if is_last {
                    level[at].slots.push(slot);
                }
                level = &mut level[at].children;
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

    /// Is this the name of a field, or of a column that was mapped?
    pub fn knows(&self, name: &str) -> bool {
        field_by_name(name).is_some()
            || self.columns.iter().any(|(_, column)| column == name)
            || self.id_columns().any(|(_, column)| column == name)
    }

    /// Finds the columns of a table by their names. What only a preset names may be missing, as in
    /// JSON.
    ///
    /// # Errors
    /// The name of a column that is read stands twice, a column that was asked for is not there, or none holds the names or
    /// ids.
    pub fn bind(&self, columns: &[String]) -> Result<Binding, MappingError> {
        let shown = || {
            let mut shown: Vec<String> =
                columns.iter().take(20).map(|name| format!("{name:?}")).collect();
            shown.extend((columns.len() > 20).then(|| "…".to_owned()));
            shown.join(", ")
        };
        let mut binding = Binding { slots: Vec::new(), unused: Vec::new(), absent: Vec::new() };
        for (slot, names) in self.wanted() {
            let found =
                names.iter().find_map(|name| columns.iter().position(|column| column == name));
            let (is_asked_for, is_needed) = match slot {
                Slot::Field(field) => (
                    self.columns[..self.num_asked_for].iter().any(|(asked, _)| *asked == field),
                    field == Field::Name || (field == Field::Id && !self.derives_ids()),
                ),
                Slot::IdPart(_) => (self.is_id_from_asked_for, false),
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
                None => binding.absent.extend(match slot {
                    Slot::Field(field) => Some(field),
                    Slot::IdPart(_) => None,
                }),
            }
        }
        if binding.slots.iter().any(|(_, slot)| *slot == Slot::Field(Field::Location)) {
            // The text of the whole place holds the others.
            let is_place = |field: &Field| field.name().starts_with("location");
            binding.absent.retain(|field| !is_place(field));
        }
        binding.absent.retain(|&field| field != Field::Id);
        binding.unused = (0..columns.len())
            .filter(|at| !binding.slots.iter().any(|(column, _)| column == at))
            .map(|at| columns[at].clone())
            .filter(|name| !name.is_empty())
            .collect();
        Ok(binding)
    }
}

/// The columns of one table that are read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Place of a column, from 0, and where its values go; a column may go to several.
    pub slots: Vec<(usize, Slot)>,
    /// Names of the columns that go nowhere.
    pub unused: Vec<String>,
    /// Fields that no column holds.
    pub absent: Vec<Field>,
}

#[cfg(test)]
mod tests;
