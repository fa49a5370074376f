//! What mappings accept, and where they lead.

use super::*;
use crate::index::record::RecordParser;

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn fault(options: MappingOptions) -> String {
    Mapping::new(&options).unwrap_err().to_string()
}

/// A JSON record, as `name|website|city|state|country|employees`, or what is wrong with it.
fn read(mapping: &Mapping, json: &str) -> Result<Company, String> {
    RecordParser::new(mapping.clone()).parse(&mut json.as_bytes().to_vec()).map_err(|error| {
        let fault = &error.faults[0];
        format!("{} {}", fault.field.map_or("record", Field::name), fault.reason)
    })
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let columns = |list: &[(&str, &str)]| {
        fault(MappingOptions { columns: pairs(list), ..MappingOptions::default() })
    };
    assert!(columns(&[("nme", "x")]).contains("\"nme\" is no field; did you mean name?"));
    assert!(columns(&[("name", "a"), ("name", "b")]).contains("mapped twice"));
    assert!(columns(&[("city", "a"), ("location.city", "b")]).contains("mapped twice"));
    assert!(columns(&[("name", "")]).contains("empty"));
    assert!(columns(&[("name", "a..b")]).contains("empty"));
    let constants = |list: &[(&str, &str)]| {
        fault(MappingOptions { constants: pairs(list), ..MappingOptions::default() })
    };
    assert!(constants(&[("id", "1")]).contains("--id-from"));
    assert!(constants(&[("location", "Graz")]).contains("give city, state or country"));
    assert!(constants(&[("founded_year", "0")]).contains("is 0; whole numbers"));
    assert!(constants(&[("employee_count", "many")]).contains("no whole number"));
    assert!(constants(&[("country", " ")]).contains("empty"));
    assert!(constants(&[("state", "a"), ("location.state", "b")]).contains("twice"));
    let id_from =
        |list: &[&str]| fault(MappingOptions { id_from: texts(list), ..MappingOptions::default() });
    assert!(id_from(&["id"]).contains("name what the id is made from"));
    assert!(id_from(&["name", "name"]).contains("twice"));
    assert!(id_from(&["name", ""]).contains("empty"));
    let both = MappingOptions {
        columns: pairs(&[("country", "land")]),
        constants: pairs(&[("location.country", "Austria")]),
        ..MappingOptions::default()
    };
    assert!(fault(both).contains("has a constant as well"));
    let deep = (0..9).map(|at| format!("{at}{}", ".x".repeat(20))).collect();
    let deep = MappingOptions { id_from: deep, ..MappingOptions::default() };
    assert!(fault(deep).contains("nested keys; at most 128"));
}

#[test]
fn json_keys_may_be_nested_anywhere() {
    let mapping = Mapping::new(&MappingOptions {
        columns: pairs(&[
            ("name", "company.names.legal"),
            ("website", "company.domain"),
            ("city", "address.locality"),
            ("location.country", "address.country.name"),
        ]),
        constants: pairs(&[("industry", "Toys"), ("employee_count", "7")]),
        nulls: texts(&["n/a"]),
        ..MappingOptions::default()
    })
    .unwrap();
    let company = read(
        &mapping,
        r#"{"id":"1","name":"not this","industry":"nor this","company":{"names":{"legal":"A"},"domain":"n/a"},
            "address":{"locality":"Graz","country":{"name":" Austria "}},"location":{"state":"Styria","city":"no"}}"#,
    )
    .unwrap();
    assert_eq!((company.name.as_str(), company.website), ("A", None));
    let place = company.location;
    assert_eq!(place.city.as_deref(), Some("Graz"));
    assert_eq!(place.state.as_deref(), Some("Styria"));
    assert_eq!(place.country.as_deref(), Some("Austria"));
    assert_eq!((company.industry.as_deref(), company.employee_count), (Some("Toys"), Some(7)));
    for (json, expected) in [
        (r#"{"id":"1"}"#, "name is missing"),
        (
            r#"{"id":"1","company":3}"#,
            "name is the number 3; accepted is an object with the mapped",
        ),
        (r#"{"id":"1","company":{"names":{"legal":"A","legal":"B"}}}"#, "name stands twice"),
        (r#"{"id":"1","company":{},"company":{}}"#, "name stands twice"),
        (
            r#"{"id":"1","company":{"names":{"legal":5}}}"#,
            "name is the number 5; accepted is a text in quotation marks (read from \"company.names.legal\")",
        ),
    ] {
        let found = read(&mapping, json).unwrap_err();
        assert!(found.starts_with(expected), "{json}: {found}");
    }
}

#[test]
fn one_value_may_go_to_several_fields() {
    let mapping = Mapping::new(&MappingOptions {
        columns: pairs(&[("id", "domain"), ("website", "domain"), ("location", "place")]),
        ..MappingOptions::default()
    })
    .unwrap();
    let company =
        read(&mapping, r#"{"domain":"a.com","name":"A","place":"Graz, Styria, Austria"}"#).unwrap();
    assert_eq!((company.id.as_str(), company.website.as_deref()), ("a.com", Some("a.com")));
    assert_eq!(company.location.state.as_deref(), Some("Styria"));
    // A place may be an object in some records and a text in others.
    let company = read(&mapping, r#"{"domain":"a","name":"A","place":{"city":"Graz"}}"#).unwrap();
    assert_eq!(company.location.city.as_deref(), Some("Graz"));
}

#[test]
fn ids_are_made_where_there_is_none() {
    let mapping = Mapping::new(&MappingOptions {
        id_from: texts(&["name", "website", "register.number"]),
        ..MappingOptions::default()
    })
    .unwrap();
    let id = |json: &str| read(&mapping, json).map(|company| company.id);
    let made = id(r#"{"name":" A ","register":{"number":12}}"#).unwrap();
    let values = [serde_json::json!("A"), serde_json::Value::Null, serde_json::json!("12")];
    assert_eq!(made, derived_id::derive(&values).unwrap());
    for json in [
        r#"{"id":null,"name":"A","register":{"number":"12"}}"#,
        r#"{"id":"  ","name":"A","website":"","register":{"number":12,"x":1}}"#,
    ] {
        assert_eq!(id(json).as_ref(), Ok(&made), "{json}");
    }
    assert_ne!(id(r#"{"name":"A","website":"12"}"#).as_ref(), Ok(&made));
    assert_eq!(id(r#"{"id":"own","name":"A"}"#).as_deref(), Ok("own"));
    assert_eq!(id(r#"{"id":7,"name":"A"}"#).as_deref(), Ok("7"));
    assert!(id(r#"{"id":true,"name":"A"}"#).unwrap_err().starts_with("id is true"));
    let missing = id(r#"{"website":" "}"#).unwrap_err();
    assert!(missing.contains("made from: name, website, register.number"), "{missing}");
    let fraction = id(r#"{"name":"A","register":{"number":1.5}}"#).unwrap_err();
    assert!(fraction.starts_with("id is the number 1.5"), "{fraction}");
}

#[test]
fn tables_are_bound_by_name() {
    let mapping = Mapping::new(&MappingOptions {
        columns: pairs(&[("name", "Company Name")]),
        ..MappingOptions::default()
    })
    .unwrap();
    let bind = |names: &[&str]| mapping.bind(&texts(names)).map_err(|error| error.to_string());
    let binding = bind(&["", "name", "id", "Company Name", "city", "location.city", "extra", ""]);
    let binding = binding.unwrap();
    assert_eq!(
        binding.slots,
        [(2, Slot::Field(Field::Id)), (3, Slot::Field(Field::Name)), (5, Slot::Field(Field::City)),]
    );
    assert_eq!(binding.unused, ["name", "city", "extra"]);
    assert!(binding.absent.contains(&Field::State) && !binding.absent.contains(&Field::City));
    let error = bind(&["id", "company name"]).unwrap_err();
    assert!(
        error.starts_with("there is no column \"Company Name\"; did you mean \"company name\"?"),
        "{error}"
    );
    assert!(bind(&["Company Name"]).unwrap_err().contains("--map id=COLUMN, or have ids made"));
    assert!(bind(&["id", "id", "Company Name"]).unwrap_err().contains("\"id\" stands twice"));
}

#[test]
fn presets_read_their_layouts() {
    let preset = Preset::by_name("people-data-labs").unwrap();
    let options = MappingOptions { preset: Some(preset), ..MappingOptions::default() };
    let header = texts(&[
        "",
        "name",
        "domain",
        "year founded",
        "industry",
        "size range",
        "locality",
        "country",
        "linkedin url",
        "current employee estimate",
        "total employee estimate",
    ]);
    let mapping = Mapping::new(&options).unwrap().for_columns(&header).unwrap();
    let binding = mapping.bind(&header).unwrap();
    assert_eq!(binding.unused, ["size range", "total employee estimate"]);
    assert_eq!(binding.absent, [Field::Description]);
    let company = read(
        &mapping,
        r#"{"name":"ibm","domain":"ibm.com","year founded":1911,"industry":"it","size range":"10001+",
            "locality":"new york, new york, united states","country":"united states",
            "linkedin url":"linkedin.com/company/ibm","current employee estimate":274047}"#,
    )
    .unwrap();
    assert_eq!((company.founded_year, company.employee_count), (Some(1911), Some(274_047)));
    assert_eq!(company.location.city.as_deref(), Some("new york"));
    assert_eq!(company.location.country.as_deref(), Some("united states"));
    let values = ["linkedin.com/company/ibm", "ibm", "ibm.com"].map(serde_json::Value::from);
    assert_eq!(company.id, derived_id::derive(&values).unwrap());

    // A table with some of the columns will do, as a JSON record with some of the keys.
    let some = mapping.bind(&texts(&["name", "domain", "locality"])).unwrap();
    let slots = [(0, Field::Name), (1, Field::Website), (2, Field::Location)];
    assert_eq!(some.slots, slots.map(|(column, field)| (column, Slot::Field(field))));
    assert!(some.absent.contains(&Field::FoundedYear), "{:?}", some.absent);
    let error = mapping.bind(&texts(&["domain"])).unwrap_err().to_string();
    assert!(error.starts_with("there is no column \"name\"; name it with --map"), "{error}");
    // What the operator said beside the preset must be there.
    for (columns, id_from, missing) in [
        (pairs(&[("industry", "branch")]), texts(&[]), "branch"),
        (pairs(&[]), texts(&["linkedin url", "name"]), "linkedin url"),
    ] {
        let asking = MappingOptions { columns, id_from, ..options.clone() };
        let columns = texts(&["name", "domain"]);
        let mapping = Mapping::new(&asking).unwrap().for_columns(&columns).unwrap();
        let error = mapping.bind(&columns).unwrap_err();
        let expected = format!("there is no column {missing:?}; its columns are");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }

    // A field that has a constant is not read from the column of the preset.
    let constant = MappingOptions { constants: pairs(&[("country", "Austria")]), ..options };
    let mapping = Mapping::new(&constant).unwrap().for_columns(&texts(&["domain"])).unwrap();
    let some = mapping.bind(&texts(&["name", "domain", "country"])).unwrap();
    assert_eq!(some.unused, ["country"]);
    assert!(Preset::by_name("x").unwrap_err().contains("presets are people-data-labs, gleif, "));
}

#[test]
fn a_column_with_the_name_of_a_field_is_not_lost() {
    let options = |columns: &[(&str, &str)]| MappingOptions {
        preset: Some(Preset::by_name("ror").unwrap()),
        columns: pairs(columns),
        ..MappingOptions::default()
    };
    let header = texts(&["id", "names.types.ror_display", "links.type.website", "website", "x"]);
    let bind = |columns: &[(&str, &str)]| {
        let mapping = Mapping::new(&options(columns)).unwrap().for_columns(&header).unwrap();
        mapping.bind(&header).map_err(|error| error.to_string())
    };
    let error = bind(&[]).unwrap_err();
    assert!(
        error.starts_with(
            "--preset ror reads website from \"links.type.website\", and there is a column \"website\""
        ),
        "{error}"
    );
    assert_eq!(bind(&[("website", "website")]).unwrap().unused, ["links.type.website", "x"]);
    assert_eq!(bind(&[("website", "links.type.website")]).unwrap().unused, ["website", "x"]);
}

#[test]
fn names_are_made_of_columns_where_there_is_none() {
    let options = MappingOptions {
        preset: Some(Preset::by_name("sirene").unwrap()),
        ..MappingOptions::default()
    };
    let mapping = Mapping::new(&options).unwrap();
    let name = |json: &str| read(&mapping, json).map(|company| company.name);
    for (json, expected) in [
        (r#"{"siren":"1","denominationUniteLegale":"ATELIER LUNE"}"#, "ATELIER LUNE"),
        (
            r#"{"siren":"1","denominationUniteLegale":"","prenomUsuelUniteLegale":"ODILE","nomUniteLegale":"FABRE"}"#,
            "ODILE FABRE",
        ),
        (
            r#"{"siren":"1","prenomUsuelUniteLegale":"ODILE","nomUsageUniteLegale":"ROY","nomUniteLegale":"FABRE"}"#,
            "ODILE ROY",
        ),
        (r#"{"siren":"1","prenomUsuelUniteLegale":"[ND]","nomUniteLegale":"FABRE"}"#, "FABRE"),
    ] {
        assert_eq!(name(json).as_deref(), Ok(expected), "{json}");
    }
    let hidden =
        name(r#"{"siren":"1","denominationUniteLegale":"[ND]","prenomUsuelUniteLegale":"[ND]"}"#);
    assert!(hidden.unwrap_err().starts_with("name is missing"));
}

#[test]
fn fields_of_several_values_are_read_from_several_columns_and_split() {
    let options = MappingOptions {
        columns: pairs(&[("aliases", "former_names,trading.names")]),
        separators: pairs(&[("aliases", ";"), ("other_websites", " | ")]),
        nulls: texts(&["none"]),
        ..MappingOptions::default()
    };
    let mapping = Mapping::new(&options).unwrap();
    let company = read(
        &mapping,
        r#"{"id":"a","name":"b","former_names":"Harrow; none;;Mill Co; ","trading":{"names":["HM;Harm"]},
            "other_websites":"a.example | b.example"}"#,
    )
    .unwrap();
    assert_eq!(company.aliases.iter().collect::<Vec<_>>(), ["Harrow", "Mill Co", "HM", "Harm"]);
    assert_eq!(company.other_websites.iter().count(), 2);
    // In the order of the columns, whatever that of the mapping is.
    let columns = texts(&["id", "name", "former_names", "trading.names"]);
    let binding = mapping.bind(&columns).unwrap();
    let aliases = binding.slots.iter().filter(|(_, slot)| *slot == Slot::Field(Field::Aliases));
    assert_eq!(aliases.map(|(at, _)| *at).collect::<Vec<_>>(), [2, 3]);
    assert!(!binding.absent.contains(&Field::OtherWebsites), "{:?}", binding.absent);
    let error = mapping.bind(&texts(&["id", "name", "former_names"])).unwrap_err();
    assert!(error.to_string().contains("no column \"trading.names\""), "{error}");
    let error = read(&mapping, r#"{"id":"a","name":"b","former_names":1}"#).unwrap_err();
    assert!(error.ends_with("(read from \"former_names,trading.names\")"), "{error}");

    // A list of several values is none for a field of one, though another field takes them.
    let both = pairs(&[("aliases", "names"), ("name", "names")]);
    let mapping = Mapping::new(&MappingOptions { columns: both, ..MappingOptions::default() });
    let mapping = mapping.unwrap();
    let company = read(&mapping, r#"{"id":"a","names":["b"]}"#).unwrap();
    assert_eq!((company.name.as_str(), company.aliases.iter().count()), ("b", 1));
    let error = read(&mapping, r#"{"id":"a","names":["b","c"]}"#).unwrap_err();
    assert!(error.contains("name is a list of 2 values"), "{error}");

    // Without a separator a text is one value.
    let plain = Mapping::default();
    let company = read(&plain, r#"{"id":"a","name":"b","aliases":"Harrow; Mill"}"#).unwrap();
    assert_eq!(company.aliases.iter().collect::<Vec<_>>(), ["Harrow; Mill"]);

    let split = |list: &[(&str, &str)]| {
        fault(MappingOptions { separators: pairs(list), ..MappingOptions::default() })
    };
    assert!(split(&[("industry", ";")]).contains("the field has one value; aliases and"));
    assert!(split(&[("alias", ";")]).contains("did you mean aliases?"));
    assert!(split(&[("aliases", "")]).contains("--split aliases=;"));
    assert!(split(&[("aliases", ";"), ("aliases", ",")]).contains("split twice"));
    let columns = |list: &[(&str, &str)]| {
        fault(MappingOptions { columns: pairs(list), ..MappingOptions::default() })
    };
    assert!(columns(&[("aliases", "a,b,a")]).contains("a column is named twice"));
    assert!(columns(&[("aliases", "a,,b")]).contains("empty"));
    assert!(columns(&[("aliases", "a"), ("aliases", "b")]).contains("mapped twice"));
    let constants = pairs(&[("aliases", "x")]);
    let reason = fault(MappingOptions { constants, ..MappingOptions::default() });
    assert!(reason.contains("every record has its own"), "{reason}");
    let id_from = texts(&["aliases"]);
    let reason = fault(MappingOptions { id_from, ..MappingOptions::default() });
    assert!(reason.contains("several values"), "{reason}");
}
