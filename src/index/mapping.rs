//! Which value of an input goes to which field of a record.
//!
//! In: what an operator said: a [`Preset`], pairs of field and column, constants, texts that mean
//! "no value", and what ids are made from. Out: a [`Mapping`], in the two shapes that readers need:
//! a tree of keys for JSON objects, and slots by position for tables. Without a word from the
//! operator every field is read from the key or column of its own name.

mod binding;
pub mod derived_id;
mod keys;
pub mod nearest;
pub mod preset;

pub use binding::Binding;
pub use keys::{KEYS_MAX, Key};
pub use preset::Preset;

use super::values::ValueOptions;
use crate::company;
use crate::company::{Company, FaultKind, Field, FieldError};
use nearest::nearest;
use preset::Layout;

/// What an operator may say about the columns of the input.
#[derive(Clone, Debug, Default)]
pub struct MappingOptions {
    /// A well-known layout, which the others below change.
    pub preset: Option<&'static Preset>,
    /// Pairs of a field and the column or key it is read from; dots lead into nested values.
    pub columns: Vec<(String, String)>,
    /// Pairs of a field and the value that all records have in it.
    pub constants: Vec<(String, String)>,
    /// Pairs of a field of several values and what separates these in one text.
    pub separators: Vec<(String, String)>,
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
    /// So many-th column that names are made from.
    NamePart(usize),
}

/// A column or key, and the fields that are read from it; none if it is not used.
pub type Meaning = (String, Vec<&'static str>);

impl Slot {
    /// The name of the field that the value goes to, or becomes a part of.
    pub fn name(self) -> &'static str {
        match self {
            Slot::Field(field) | Slot::Beside(field) => field.name(),
            Slot::IdPart(_) => Field::Id.name(),
            Slot::NamePart(_) => Field::Name.name(),
        }
    }

    /// Is it a field that holds any number of texts?
    pub fn is_list(self) -> bool {
        self.field().is_some_and(Field::is_list)
    }

    /// The field, if it is one.
    pub fn field(self) -> Option<Field> {
        match self {
            Slot::Field(field) | Slot::Beside(field) => Some(field),
            Slot::IdPart(_) | Slot::NamePart(_) => None,
        }
    }
}

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
    /// What separates the values of a field in one text.
    separators: Vec<(Field, String)>,
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
    /// Columns that the names of records without one are made from.
    name_parts: Vec<&'static str>,
    keys: Vec<Key>,
    layout: Option<&'static Layout>,
    /// What it was made from, to be made anew for another layout of the preset.
    options: MappingOptions,
}

/// Between the columns that one field is read from.
const COLUMN_SEPARATOR: char = ',';

/// The fields that are read from one key or column each, but for those of several values, which may
/// be read from several.
const LEAVES: [Field; 12] = [
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
    Field::Aliases,
    Field::OtherWebsites,
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
        Mapping::with_layout(options, options.preset.map(|preset| &preset.layouts[0]))
    }

    /// This mapping for an input with these columns or keys, which tell the layout of a preset.
    ///
    /// # Errors
    /// The preset has no layout for them.
    pub fn for_columns(&self, columns: &[String]) -> Result<Mapping, MappingError> {
        let Some(preset) = self.options.preset.filter(|_| !columns.is_empty()) else {
            return Ok(self.clone());
        };
        // What the operator said of a column counts, whatever it means in a layout.
        let is_said =
            |name: &&String| self.columns[..self.num_asked_for].iter().any(|c| c.1 == **name);
        let others: Vec<String> = columns.iter().filter(|name| !is_said(name)).cloned().collect();
        let layout = preset.layout(&others).map_err(MappingError)?;
        Mapping::with_layout(&self.options, Some(layout))
    }

    /// Do both read the same layout of a preset?
    pub fn has_layout_of(&self, other: &Mapping) -> bool {
        self.layout == other.layout
    }

    /// How values are read.
    pub fn values(&self) -> ValueOptions {
        self.values
    }

    /// This mapping with another way to read values.
    #[must_use]
    pub fn with_values(mut self, values: ValueOptions) -> Mapping {
        (self.values, self.options.values) = (values, values);
        self
    }

    fn with_layout(
        options: &MappingOptions,
        layout: Option<&'static Layout>,
    ) -> Result<Mapping, MappingError> {
        let mut mapping = Mapping {
            columns: Vec::new(),
            num_asked_for: 0,
            separators: Vec::new(),
            constants: Company::default(),
            constant_fields: Vec::new(),
            nulls: options.nulls.clone(),
            id_from: Vec::new(),
            is_id_from_asked_for: !options.id_from.is_empty(),
            left_out: Vec::new(),
            values: options.values,
            name_parts: Vec::new(),
            keys: Vec::new(),
            layout,
            options: options.clone(),
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
        for (name, separator) in &options.separators {
            mapping.add_separator(name, separator)?;
        }
        if mapping.left_out.contains(&Field::Id) && options.id_from.is_empty() {
            let reason = "every record needs an id; name what it is made from with --id-from";
            return Err(MappingError(format!("--map id={LEFT_OUT}: {reason}")));
        }
        mapping.num_asked_for = mapping.columns.len();
        let mut id_from: Vec<&str> = options.id_from.iter().map(String::as_str).collect();
        if let Some(layout) = layout {
            for &(field, column) in layout.columns {
                // A column that the operator named is read as it was said.
                let is_asked_for = |(_, asked): &(Field, String)| asked == column;
                let is_said = mapping.constant_fields.contains(&field)
                    || mapping.is_left_out(field)
                    || mapping.columns[..mapping.num_asked_for].iter().any(is_asked_for);
                // A field of several values has several columns of the preset.
                let is_mapped = match field.is_list() {
                    true => mapping.is_asked_for(field),
                    false => mapping.column(field).is_some(),
                };
                if !is_mapped && !is_said {
                    mapping.columns.push((field, column.to_owned()));
                }
            }
            mapping.nulls.extend(layout.nulls.iter().map(|&null| null.to_owned()));
            if id_from.is_empty() && mapping.column(Field::Id).is_none() {
                id_from = layout.id_from.to_vec();
            }
            if !mapping.constant_fields.contains(&Field::Name) {
                for column in layout.names.iter().copied().flatten() {
                    if !mapping.name_parts.contains(column) {
                        mapping.name_parts.push(column);
                    }
                }
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
        let columns = match field.is_list() {
            true => column.split(COLUMN_SEPARATOR).collect(),
            false => vec![column],
        };
        if columns.iter().any(|column| column.split('.').any(str::is_empty)) {
            return fault("the name of the column is empty; give it as in --map name=company");
        }
        if self.column(field).is_some() || self.left_out.contains(&field) {
            return fault("the field is mapped twice; keep one");
        }
        if self.constant_fields.contains(&field) {
            return fault("the field has a constant as well; keep one of the two");
        }
        for column in columns {
            if self.columns.contains(&(field, column.to_owned())) {
                return fault("a column is named twice; keep one");
            }
            self.columns.push((field, column.to_owned()));
        }
        Ok(())
    }

    /// Did the operator map a field?
    fn is_asked_for(&self, field: Field) -> bool {
        self.columns[..self.num_asked_for].iter().any(|(asked, _)| *asked == field)
    }

    fn add_separator(&mut self, name: &str, separator: &str) -> Result<(), MappingError> {
        let field = required_field(name, "--split")?;
        let fault = |reason: &str| {
            Err(MappingError(format!("--split {}={separator}: {reason}", field.name())))
        };
        if !field.is_list() {
            return fault("the field has one value; aliases and other_websites have several");
        }
        if separator.is_empty() {
            return fault("the separator is empty; give it as in --split aliases=;");
        }
        if self.separator(field).is_some() {
            return fault("the field is split twice; keep one");
        }
        self.separators.push((field, separator.to_owned()));
        Ok(())
    }

    /// What separates the values of a field in one text, if anything does.
    pub fn separator(&self, field: Field) -> Option<&str> {
        let it = self.separators.iter().find(|(split, _)| *split == field);
        it.map(|(_, separator)| separator.as_str())
    }

    fn add_constant(&mut self, name: &str, value: &str) -> Result<(), MappingError> {
        let field = required_field(name, "--constant")?;
        let fault = |reason: String| {
            Err(MappingError(format!("--constant {}={value:?}: {reason}", field.name())))
        };
        match field {
            Field::Id => return fault("ids are unique; see --id-from".to_owned()),
            Field::Location => return fault("give city, state or country".to_owned()),
            Field::Aliases | Field::OtherWebsites => {
                return fault("every record has its own; no text is one of all".to_owned());
            }
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
                Some(Field::Aliases | Field::OtherWebsites) => {
                    let reason = "it may have several values, and others tomorrow; name what stays";
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

    /// The columns that a field was mapped to, with a comma between two.
    pub fn columns_of(&self, field: Field) -> Option<String> {
        let of_field = self.columns.iter().filter(|(mapped, _)| *mapped == field);
        let columns: Vec<&str> = of_field.map(|(_, column)| column.as_str()).collect();
        (!columns.is_empty()).then(|| columns.join(","))
    }

    /// Number of columns that ids are made from and that are no fields.
    pub fn num_id_parts(&self) -> usize {
        self.id_from.iter().filter(|source| matches!(source, IdSource::Column(..))).count()
    }

    /// Number of columns that names are made from.
    pub fn num_name_parts(&self) -> usize {
        self.name_parts.len()
    }

    /// The name made from these texts, which are in the order of [`Slot::NamePart`].
    pub fn name_of(&self, parts: &[Option<String>]) -> Option<String> {
        let part = |column: &&str| {
            let at = self.name_parts.iter().position(|name| name == column)?;
            parts[at].as_deref()
        };
        let whole = |group: &&[&str]| group.iter().map(part).collect::<Option<Vec<&str>>>();
        self.layout?.names.iter().find_map(whole).map(|parts| parts.join(" "))
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
            let of_field = self.columns.iter().filter(|(mapped, _)| *mapped == field);
            for (_, column) in of_field.skip(1) {
                wanted.push((Slot::Field(field), vec![column.clone()]));
            }
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
        let name_parts = self.name_parts.iter().enumerate();
        wanted.extend(name_parts.map(|(at, &name)| (Slot::NamePart(at), vec![name.to_owned()])));
        wanted
    }

    /// Is this the name of a field, or of a column that was mapped?
    pub fn knows(&self, name: &str) -> bool {
        field_by_name(name).is_some()
            || self.columns.iter().any(|(_, column)| column == name)
            || self.id_columns().any(|(_, column)| column == name)
            || self.layout.is_some_and(|layout| layout.knows(name))
    }
}

#[cfg(test)]
mod tests;
