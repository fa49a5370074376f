//! Which value of an input goes to which field of a record.
//!
//! In: what an operator said: a [`Preset`], pairs of field and column, constants, texts that mean
//! "no value", and what ids are made from. Out: a [`Mapping`], in the two shapes that readers need:
//! a tree of keys for JSON objects, and slots by position for tables. Without a word from the
//! operator every field is read from the key or column of its own name.

pub mod derived_id;
pub mod nearest;
pub mod preset;

pub use preset::Preset;

use super::values::ValueOptions;
use crate::company;
use crate::company::{Company, FaultKind, Field, FieldError};
use nearest::nearest;

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
    /// How values are read.
    pub values: ValueOptions,
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
    /// City, state or country, where it does not stand under `location`.
    Beside(Field),
    /// So many-th column that ids are made from and that is no field.
    IdPart(usize),
}

impl Slot {
    /// The field, if it is one.
    pub fn field(self) -> Option<Field> {
        match self {
            Slot::Field(field) | Slot::Beside(field) => Some(field),
            Slot::IdPart(_) => None,
        }
    }
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

/// In place of a column: the field is not read.
const LEFT_OUT: &str = "-";

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
    /// Fields that are not read, whatever the input has.
    left_out: Vec<Field>,
    pub(super) values: ValueOptions,
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
            left_out: Vec::new(),
            values: options.values,
            keys: Vec::new(),
        };
        for (name, value) in &options.constants {
            mapping.add_constant(name, value)?;
        }
        for (name, column) in &options.columns {
            let field = required_field(name, "--map")?;
            if column == LEFT_OUT {
                mapping.leave_out(field)?;
            } else {
                mapping.add_column(field, column)?;
            }
        }
        if mapping.left_out.contains(&Field::Id) && options.id_from.is_empty() {
            let reason = "every record needs an id; name what it is made from with --id-from";
            return Err(MappingError(format!("--map id={LEFT_OUT}: {reason}")));
        }
        mapping.num_asked_for = mapping.columns.len();
        let mut id_from: Vec<&str> = options.id_from.iter().map(String::as_str).collect();
        if let Some(preset) = options.preset {
            for &(field, column) in preset.columns {
                let is_said =
                    mapping.constant_fields.contains(&field) || mapping.is_left_out(field);
                if mapping.column(field).is_none() && !is_said {
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

    fn leave_out(&mut self, field: Field) -> Result<(), MappingError> {
        let fault = |reason: &str| {
            Err(MappingError(format!("--map {}={LEFT_OUT}: {reason}", field.name())))
        };
        if field == Field::Name {
            return fault("every record needs a name; name another column");
        }
        if self.column(field).is_some() || self.left_out.contains(&field) {
            return fault("the field is mapped twice; keep one");
        }
        if self.constant_fields.contains(&field) {
            return fault("the field has a constant; that alone counts");
        }
        self.left_out.push(field);
        Ok(())
    }

    /// Is this the name of a field that was left out? Whoever said so knows of it.
    pub fn is_name_left_out(&self, name: &str) -> bool {
        field_by_name(name).is_some_and(|field| self.is_left_out(field))
    }

    /// Did the operator leave a field out? A location that is left out has no parts, but for those
    /// that were mapped.
    pub fn is_left_out(&self, field: Field) -> bool {
        let is_part = matches!(field, Field::City | Field::State | Field::Country);
        self.left_out.contains(&field)
            || is_part && self.left_out.contains(&Field::Location) && self.column(field).is_none()
    }

    fn add_column(&mut self, field: Field, column: &str) -> Result<(), MappingError> {
        let fault =
            |reason: &str| Err(MappingError(format!("--map {}={column}: {reason}", field.name())));
        if column.split('.').any(str::is_empty) {
            return fault("the name of the column is empty; give it as in --map name=company");
        }
        if self.column(field).is_some() || self.left_out.contains(&field) {
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
                    (Err(_), _) => {
                        Err(FieldError::new(field, FaultKind::NoNumber, "is no whole number"))
                    }
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

    /// May a record be without this field? Ids made without a value would change once it is there.
    pub fn can_be_null(&self, field: Field) -> bool {
        let is_place = |field| matches!(field, Field::City | Field::State | Field::Country);
        let identifies = self.id_from.iter().any(|source| match *source {
            IdSource::Field(part) => part == field || (field == Field::Location && is_place(part)),
            IdSource::Column(..) => false,
        });
        !matches!(field, Field::Id | Field::Name) && !identifies
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
        let is_read =
            |field: &Field| !self.constant_fields.contains(field) && !self.is_left_out(*field);
        for field in LEAVES.into_iter().filter(is_read) {
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

    /// Is this the name of a field, or of a column that was mapped?
    pub fn knows(&self, name: &str) -> bool {
        field_by_name(name).is_some()
            || self.columns.iter().any(|(_, column)| column == name)
            || self.id_columns().any(|(_, column)| column == name)
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
            !found.contains(field) && !is_given && !self.is_left_out(*field)
        };
        LEAVES.into_iter().filter(is_needed).collect()
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
        let mut binding = Binding { slots: Vec::new(), unused: Vec::new(), absent: Vec::new() };
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
        if binding.slots.iter().any(|(_, slot)| *slot == Slot::Field(Field::Location)) {
            // The text of the whole place holds the others.
            let is_place = |field: &Field| field.name().starts_with("location");
            binding.absent.retain(|field| !is_place(field));
        }
        binding.absent.retain(|&field| field != Field::Id);
        binding.unused = (0..columns.len())
            .filter(|at| !binding.slots.iter().any(|(column, _)| column == at))
            .map(|at| columns[at].clone())
            .filter(|name| !name.is_empty() && !self.is_name_left_out(name))
            .collect();
        Ok(binding)
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
