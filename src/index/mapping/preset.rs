//! Well-known layouts of public data, by name.
//!
//! A preset has a layout for each form in which its data were published; which one a file has is
//! told by its columns. A layout names the columns that are read and those that are left out on
//! purpose; a column that it knows and that goes nowhere otherwise is an error, since whole fields
//! would be lost with no more than a notice. The layouts follow the headers as published in 2026.

use crate::company::Field;

/// A data set that many people have.
#[derive(PartialEq, Eq, Debug)]
pub struct Preset {
    /// What operators call it.
    pub name: &'static str,
    /// What it is, one line.
    pub description: &'static str,
    /// The forms in which it was published, the present one first.
    pub layouts: &'static [Layout],
}

/// Columns of a data set, and what they mean.
#[derive(PartialEq, Eq, Debug)]
pub struct Layout {
    /// Which one it is, for messages.
    pub name: &'static str,
    /// Fields and the columns they are read from.
    pub columns: &'static [(Field, &'static str)],
    /// Columns that could be taken for a field, and are not read.
    pub left_out: &'static [&'static str],
    /// Columns whose texts, with blanks between, are the name of a record that has none: those of
    /// the first group of which all have a text.
    pub names: &'static [&'static [&'static str]],
    /// Texts that mean "no value".
    pub nulls: &'static [&'static str],
    /// What ids are made from; nothing if the data have ids.
    pub id_from: &'static [&'static str],
}

impl Layout {
    const EMPTY: Layout =
        Layout { name: "", columns: &[], left_out: &[], names: &[], nulls: &[], id_from: &[] };

    /// Does it say what this column is?
    pub fn knows(&self, column: &str) -> bool {
        self.field_of(column).is_some()
            || self.left_out.contains(&column)
            || (self.id_from.contains(&column) && super::field_by_name(column).is_none())
            || self.names.iter().any(|group| group.contains(&column))
    }

    /// The field that is read from this column.
    pub fn field_of(&self, column: &str) -> Option<Field> {
        self.columns.iter().find(|(_, name)| *name == column).map(|(field, _)| *field)
    }
}

/// All of them.
pub static PRESETS: [Preset; 6] = [
    Preset {
        name: "people-data-labs",
        description: "the free company data set of People Data Labs, in its present and its former layout",
        layouts: &[
            Layout {
                name: "with region and size",
                // `size` is a band such as 51-200.
                columns: &[
                    (Field::Id, "id"),
                    (Field::Name, "name"),
                    (Field::Website, "website"),
                    (Field::Industry, "industry"),
                    (Field::EmployeeCount, "size"),
                    (Field::City, "locality"),
                    (Field::State, "region"),
                    (Field::Country, "country"),
                    (Field::FoundedYear, "founded"),
                ],
                left_out: &["linkedin_url"],
                ..Layout::EMPTY
            },
            Layout {
                name: "with domain and year founded",
                // `locality` is "city, state, country"; `country` stands alone as well. The number
                // of employees is the current one: `total employee estimate` counts everybody who
                // ever worked there, and `size range` is a band.
                columns: &[
                    (Field::Name, "name"),
                    (Field::Website, "domain"),
                    (Field::Industry, "industry"),
                    (Field::EmployeeCount, "current employee estimate"),
                    (Field::Location, "locality"),
                    (Field::Country, "country"),
                    (Field::FoundedYear, "year founded"),
                ],
                left_out: &["size range", "total employee estimate"],
                // The address of the profile is unique where it is known; name and domain help
                // where it is not.
                id_from: &["linkedin url", "name", "website"],
                ..Layout::EMPTY
            },
        ],
    },
    Preset {
        name: "gleif",
        description: "the golden copy of GLEIF, level 1, as CSV: legal entities at their headquarters",
        layouts: &[Layout {
            name: "LEI-CDF 3.1",
            // The legal address is often that of an agent.
            columns: &[
                (Field::Id, "LEI"),
                (Field::Name, "Entity.LegalName"),
                (Field::City, "Entity.HeadquartersAddress.City"),
                (Field::State, "Entity.HeadquartersAddress.Region"),
                (Field::Country, "Entity.HeadquartersAddress.Country"),
                (Field::FoundedYear, "Entity.EntityCreationDate"),
                // Other and transliterated names.
                (Field::Aliases, "Entity.OtherEntityNames.OtherEntityName.1"),
                (Field::Aliases, "Entity.OtherEntityNames.OtherEntityName.2"),
                (Field::Aliases, "Entity.OtherEntityNames.OtherEntityName.3"),
                (Field::Aliases, "Entity.OtherEntityNames.OtherEntityName.4"),
                (Field::Aliases, "Entity.OtherEntityNames.OtherEntityName.5"),
                (
                    Field::Aliases,
                    "Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1",
                ),
                (
                    Field::Aliases,
                    "Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.2",
                ),
                (
                    Field::Aliases,
                    "Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.3",
                ),
                (
                    Field::Aliases,
                    "Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.4",
                ),
                (
                    Field::Aliases,
                    "Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.5",
                ),
            ],
            left_out: &[
                "Entity.LegalAddress.City",
                "Entity.LegalAddress.Region",
                "Entity.LegalAddress.Country",
            ],
            ..Layout::EMPTY
        }],
    },
    Preset {
        name: "companies-house",
        description: "BasicCompanyData of Companies House: companies of the United Kingdom at their registered office",
        layouts: &[Layout {
            name: "BasicCompanyData",
            columns: &[
                (Field::Id, "CompanyNumber"),
                (Field::Name, "CompanyName"),
                (Field::Industry, "SICCode.SicText_1"),
                (Field::City, "RegAddress.PostTown"),
                (Field::State, "RegAddress.County"),
                (Field::Country, "RegAddress.Country"),
                (Field::FoundedYear, "IncorporationDate"),
                (Field::Aliases, "PreviousName_1.CompanyName"),
                (Field::Aliases, "PreviousName_2.CompanyName"),
                (Field::Aliases, "PreviousName_3.CompanyName"),
                (Field::Aliases, "PreviousName_4.CompanyName"),
                (Field::Aliases, "PreviousName_5.CompanyName"),
                (Field::Aliases, "PreviousName_6.CompanyName"),
                (Field::Aliases, "PreviousName_7.CompanyName"),
                (Field::Aliases, "PreviousName_8.CompanyName"),
                (Field::Aliases, "PreviousName_9.CompanyName"),
                (Field::Aliases, "PreviousName_10.CompanyName"),
            ],
            // Further industries, and the page of the register.
            left_out: &[
                "SICCode.SicText_2",
                "SICCode.SicText_3",
                "SICCode.SicText_4",
                "CountryOfOrigin",
                "URI",
            ],
            ..Layout::EMPTY
        }],
    },
    Preset {
        name: "sirene",
        description: "StockUniteLegale of SIRENE: legal units of France, CSV or Parquet; it has no places",
        layouts: &[Layout {
            name: "StockUniteLegale",
            columns: &[
                (Field::Id, "siren"),
                (Field::Name, "denominationUniteLegale"),
                (Field::Industry, "activitePrincipaleUniteLegale"),
                (Field::FoundedYear, "dateCreationUniteLegale"),
                // Abbreviations and trading names.
                (Field::Aliases, "sigleUniteLegale"),
                (Field::Aliases, "denominationUsuelle1UniteLegale"),
                (Field::Aliases, "denominationUsuelle2UniteLegale"),
                (Field::Aliases, "denominationUsuelle3UniteLegale"),
            ],
            // The number of employees is a code (`11` is 10 to 19), and no number.
            left_out: &[
                "trancheEffectifsUniteLegale",
                "pseudonymeUniteLegale",
                "activitePrincipaleNAF25UniteLegale",
            ],
            // Persons who are units by themselves have no denomination.
            names: &[
                &["prenomUsuelUniteLegale", "nomUsageUniteLegale"],
                &["prenomUsuelUniteLegale", "nomUniteLegale"],
                &["nomUsageUniteLegale"],
                &["nomUniteLegale"],
            ],
            // Not disclosed.
            nulls: &["[ND]"],
            ..Layout::EMPTY
        }],
    },
    Preset {
        name: "ror",
        description: "the data dump of the Research Organization Registry as CSV, schema 2",
        layouts: &[Layout {
            name: "schema 2",
            columns: &[
                (Field::Id, "id"),
                (Field::Name, "names.types.ror_display"),
                (Field::Website, "links.type.website"),
                (Field::Industry, "types"),
                (Field::City, "locations.geonames_details.name"),
                (Field::State, "locations.geonames_details.country_subdivision_name"),
                (Field::Country, "locations.geonames_details.country_name"),
                (Field::FoundedYear, "established"),
            ],
            // Names of one language are parted by commas, which names have too.
            left_out: &[
                "names.types.acronym",
                "names.types.alias",
                "names.types.label",
                "domains",
                "links.type.wikipedia",
                "locations.geonames_details.country_code",
                "locations.geonames_details.country_subdivision_code",
            ],
            ..Layout::EMPTY
        }],
    },
    Preset {
        name: "opencorporates",
        description: "the companies file of OpenCorporates: companies at their registered address",
        layouts: &[Layout {
            name: "companies",
            columns: &[
                (Field::Name, "name"),
                (Field::EmployeeCount, "number_of_employees"),
                (Field::City, "registered_address.locality"),
                (Field::State, "registered_address.region"),
                (Field::Country, "registered_address.country"),
                (Field::FoundedYear, "incorporation_date"),
            ],
            // Industries are codes of several classifications in one cell.
            left_out: &[
                "normalised_name",
                "current_alternative_legal_name",
                "previous_names",
                "industry_code_uids",
                "registry_url",
                "registered_address.in_full",
            ],
            // The two are the key of the data set.
            id_from: &["jurisdiction_code", "company_number"],
            ..Layout::EMPTY
        }],
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

    /// The layout that has all the columns that any layout of the preset knows.
    ///
    /// # Errors
    /// None of the columns is known; or those that are belong to different layouts, or to several
    /// that read them differently.
    pub fn layout(&self, columns: &[String]) -> Result<&'static Layout, String> {
        let known: Vec<&str> = columns
            .iter()
            .map(String::as_str)
            .filter(|column| self.layouts.iter().any(|layout| layout.knows(column)))
            .collect();
        let shown = |names: &[&str]| {
            let mut shown: Vec<String> =
                names.iter().take(20).map(|name| format!("{name:?}")).collect();
            shown.extend((names.len() > 20).then(|| "…".to_owned()));
            shown.join(", ")
        };
        let Self { name, .. } = self;
        if known.is_empty() {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            let wanted: Vec<&str> =
                self.layouts[0].columns.iter().map(|(_, column)| *column).collect();
            return Err(format!(
                "--preset {name} finds none of its columns ({}); its columns are {}: leave out --preset, or name another",
                shown(&wanted),
                shown(&columns)
            ));
        }
        let fits = |layout: &&Layout| known.iter().all(|column| layout.knows(column));
        let fitting: Vec<&Layout> = self.layouts.iter().filter(fits).collect();
        match fitting.as_slice() {
            [] => {
                let of = |layout: &Layout| {
                    let own: Vec<&str> =
                        known.iter().copied().filter(|column| layout.knows(column)).collect();
                    format!("{} ({})", shown(&own), layout.name)
                };
                let layouts: Vec<String> = self.layouts.iter().map(of).collect();
                Err(format!(
                    "--preset {name} has several layouts, and the columns are of more than one: {}; leave out --preset, \
                     and say with --map which are read",
                    layouts.join(" or ")
                ))
            }
            [first, others @ ..] => {
                let differs = |column: &&&str| {
                    others.iter().any(|other| other.field_of(column) != first.field_of(column))
                };
                match known.iter().find(differs) {
                    Some(column) => Err(format!(
                        "--preset {name} has several layouts in which {column:?} means different things, and no other \
                         column tells which one this is; leave out --preset, and say with --map which are read"
                    )),
                    None => Ok(first),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(preset: &str, columns: &[&str]) -> Result<&'static str, String> {
        let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
        Preset::by_name(preset).unwrap().layout(&columns).map(|layout| layout.name)
    }

    #[test]
    fn layouts_are_told_by_their_columns() {
        let new = "country,founded,id,industry,linkedin_url,locality,name,region,size,website";
        let new: Vec<&str> = new.split(',').collect();
        assert_eq!(layout("people-data-labs", &new), Ok("with region and size"));
        let old = ["", "name", "domain", "year founded", "size range", "locality", "country"];
        assert_eq!(layout("people-data-labs", &old), Ok("with domain and year founded"));
        assert_eq!(layout("people-data-labs", &["name", "industry"]), Ok("with region and size"));
        let error = layout("people-data-labs", &["name", "locality"]).unwrap_err();
        assert!(error.contains("\"locality\" means different things"), "{error}");
        let error = layout("people-data-labs", &["name", "domain", "region"]).unwrap_err();
        assert!(error.contains("\"region\" (with region and size) or"), "{error}");
        let error = layout("gleif", &["id", "name"]).unwrap_err();
        assert!(error.starts_with("--preset gleif finds none of its columns (\"LEI\""), "{error}");
    }

    #[test]
    fn no_column_is_read_and_left_out() {
        for layout in PRESETS.iter().flat_map(|preset| preset.layouts) {
            for column in layout.left_out {
                assert_eq!(layout.field_of(column), None, "{column}");
            }
        }
    }
}
