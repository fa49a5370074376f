//! Well-known layouts of public data, by name.

use crate::company::Field;

/// The layout of a data set that many people have.
#[derive(PartialEq, Eq, Debug)]
pub struct Preset {
    /// What operators call it.
    pub name: &'static str,
    /// What it is, one line.
    pub description: &'static str,
    /// Fields and the columns they are read from.
    pub columns: &'static [(Field, &'static str)],
    /// Texts that mean "no value".
    pub nulls: &'static [&'static str],
    /// What ids are made from; nothing if the data have ids.
    pub id_from: &'static [&'static str],
}

/// All of them.
pub static PRESETS: [Preset; 2] = [
    Preset {
        name: "people-data-labs",
        description: "the free company data set of People Data Labs (name, domain, year founded, locality, …)",
        // `locality` is "city, state, country"; `country` stands alone as well. The number of
        // employees is the current one: `total employee estimate` counts everybody who ever worked
        // there.
        columns: &[
            (Field::Name, "name"),
            (Field::Website, "domain"),
            (Field::Industry, "industry"),
            (Field::EmployeeCount, "current employee estimate"),
            (Field::Location, "locality"),
            (Field::Country, "country"),
            (Field::FoundedYear, "year founded"),
        ],
        nulls: &[],
        // The address of the profile is unique where it is known; name and domain help where it is
        // not.
        id_from: &["linkedin url", "name", "website"],
    },
    Preset {
        name: "sql-export",
        description: "a table exported from a database (id, name, …, city, state, country, founded_year), \\N or \
                      NULL for no value",
        columns: &[
            (Field::Id, "id"),
            (Field::Name, "name"),
            (Field::Website, "website"),
            (Field::Description, "description"),
            (Field::Industry, "industry"),
            (Field::EmployeeCount, "employee_count"),
            (Field::City, "city"),
            (Field::State, "state"),
            (Field::Country, "country"),
            (Field::FoundedYear, "founded_year"),
        ],
        nulls: &["\\N", "NULL"],
        id_from: &[],
    },
];

impl Preset {
    /// The preset of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn by_name(name: &str) -> Result<&'static Preset, String> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names = PRESETS.each_ref().map(|preset| preset.name).join(", ");
            format!("{name:?} is no preset; presets are {names}")
        })
    }
}
