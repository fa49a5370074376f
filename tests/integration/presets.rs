//! Presets read the layouts of public data under their published headers, and stop where they do
//! not fit.

use super::operator::{Folder, build, stderr};
use firmament::ids::DocId;
use firmament::snapshot::Snapshot;
use serde_json::{Value, json};

/// The header of `BasicCompanyData`: blanks stand before some names.
const COMPANIES_HOUSE: &str = "CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.POBox,\
    RegAddress.AddressLine1, RegAddress.AddressLine2,RegAddress.PostTown,RegAddress.County,RegAddress.Country,\
    RegAddress.PostCode,CompanyCategory,CompanyStatus,CountryOfOrigin,DissolutionDate,IncorporationDate,\
    Accounts.AccountRefDay,Accounts.AccountRefMonth,Accounts.NextDueDate,Accounts.LastMadeUpDate,\
    Accounts.AccountCategory,Returns.NextDueDate,Returns.LastMadeUpDate,Mortgages.NumMortCharges,\
    Mortgages.NumMortOutstanding,Mortgages.NumMortPartSatisfied,Mortgages.NumMortSatisfied,SICCode.SicText_1,\
    SICCode.SicText_2,SICCode.SicText_3,SICCode.SicText_4,LimitedPartnerships.NumGenPartners,\
    LimitedPartnerships.NumLimPartners,URI,PreviousName_1.CONDATE, PreviousName_1.CompanyName,\
    PreviousName_2.CONDATE, PreviousName_2.CompanyName,PreviousName_3.CONDATE, PreviousName_3.CompanyName,\
    PreviousName_4.CONDATE, PreviousName_4.CompanyName,PreviousName_5.CONDATE, PreviousName_5.CompanyName,\
    PreviousName_6.CONDATE, PreviousName_6.CompanyName,PreviousName_7.CONDATE, PreviousName_7.CompanyName,\
    PreviousName_8.CONDATE, PreviousName_8.CompanyName,PreviousName_9.CONDATE, PreviousName_9.CompanyName,\
    PreviousName_10.CONDATE, PreviousName_10.CompanyName,ConfStmtNextDueDate, ConfStmtLastMadeUpDate";

/// The header of `StockUniteLegale`.
const SIRENE: &str = "siren,statutDiffusionUniteLegale,unitePurgeeUniteLegale,dateCreationUniteLegale,\
    sigleUniteLegale,sexeUniteLegale,prenom1UniteLegale,prenom2UniteLegale,prenom3UniteLegale,\
    prenom4UniteLegale,prenomUsuelUniteLegale,pseudonymeUniteLegale,identifiantAssociationUniteLegale,\
    trancheEffectifsUniteLegale,anneeEffectifsUniteLegale,dateDernierTraitementUniteLegale,\
    nombrePeriodesUniteLegale,categorieEntreprise,anneeCategorieEntreprise,dateDebut,\
    etatAdministratifUniteLegale,nomUniteLegale,nomUsageUniteLegale,denominationUniteLegale,\
    denominationUsuelle1UniteLegale,denominationUsuelle2UniteLegale,denominationUsuelle3UniteLegale,\
    categorieJuridiqueUniteLegale,activitePrincipaleUniteLegale,nomenclatureActivitePrincipaleUniteLegale,\
    nicSiegeUniteLegale,economieSocialeSolidaireUniteLegale,societeMissionUniteLegale,\
    caractereEmployeurUniteLegale,activitePrincipaleNAF25UniteLegale";

/// The header of the data dump of ROR, schema 2.
const ROR: &str = "id,admin.created.date,admin.created.schema_version,admin.last_modified.date,\
    admin.last_modified.schema_version,domains,established,external_ids.type.fundref.all,\
    external_ids.type.fundref.preferred,external_ids.type.grid.all,external_ids.type.grid.preferred,\
    external_ids.type.isni.all,external_ids.type.isni.preferred,external_ids.type.wikidata.all,\
    external_ids.type.wikidata.preferred,links.type.website,links.type.wikipedia,locations.geonames_id,\
    locations.geonames_details.continent_code,locations.geonames_details.continent_name,\
    locations.geonames_details.country_code,locations.geonames_details.country_name,\
    locations.geonames_details.country_subdivision_code,locations.geonames_details.country_subdivision_name,\
    locations.geonames_details.lat,locations.geonames_details.lng,locations.geonames_details.name,\
    names.types.acronym,names.types.alias,names.types.label,names.types.ror_display,ror_display_lang,\
    relationships,status,types";

/// The header of the companies file of OpenCorporates.
const OPENCORPORATES: &str = "company_number,jurisdiction_code,name,normalised_name,company_type,nonprofit,\
    current_status,incorporation_date,dissolution_date,branch,business_number,current_alternative_legal_name,\
    current_alternative_legal_name_language,home_jurisdiction_text,native_company_number,previous_names,\
    retrieved_at,registry_url,restricted_for_marketing,inactive,accounts_next_due,accounts_reference_date,\
    accounts_last_made_up_date,annual_return_next_due,annual_return_last_made_up_date,has_been_liquidated,\
    has_insolvency_history,has_charges,number_of_employees,registered_address.street_address,\
    registered_address.locality,registered_address.region,registered_address.postal_code,\
    registered_address.country,registered_address.in_full,home_jurisdiction_code,\
    home_jurisdiction_company_number,industry_code_uids,latest_accounts_date,latest_accounts_cash,\
    latest_accounts_assets,latest_accounts_liabilities";

/// The columns of the golden copy that matter here, among others of its 338.
const GLEIF: &str = "LEI,Entity.LegalName,Entity.LegalName.xmllang,Entity.OtherEntityNames.OtherEntityName.1,\
    Entity.OtherEntityNames.OtherEntityName.1.xmllang,Entity.OtherEntityNames.OtherEntityName.1.type,\
    Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1,Entity.LegalAddress.FirstAddressLine,\
    Entity.LegalAddress.City,Entity.LegalAddress.Region,Entity.LegalAddress.Country,\
    Entity.LegalAddress.PostalCode,Entity.HeadquartersAddress.FirstAddressLine,\
    Entity.HeadquartersAddress.City,Entity.HeadquartersAddress.Region,Entity.HeadquartersAddress.Country,\
    Entity.HeadquartersAddress.PostalCode,Entity.LegalJurisdiction,Entity.EntityCategory,\
    Entity.EntityCreationDate,Entity.EntityStatus,Registration.InitialRegistrationDate";

const PEOPLE_DATA_LABS: &str =
    "country,founded,id,industry,linkedin_url,locality,name,region,size,website";

/// A row under `header` with these cells, the others empty.
fn table(header: &str, cells: &[(&str, &str)]) -> String {
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    assert!(cells.iter().all(|(name, _)| names.contains(name)), "{cells:?}");
    let cell = |name: &&str| cells.iter().find(|(of, _)| of == name).map_or("", |(_, cell)| cell);
    let row: Vec<String> = names.iter().map(|name| format!("\"{}\"", cell(name))).collect();
    format!("{header}\n{}\n", row.join(","))
}

fn preset<'a>(name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["--preset", name], more].concat()
}

/// The one record, or what was said.
fn read(text: &str, options: &[&str]) -> Result<Value, String> {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let result = build(&[&folder.write("a.csv", text)], &output, options);
    if !result.status.success() {
        return Err(stderr(&result));
    }
    let snapshot = Snapshot::open(&output).unwrap();
    assert_eq!(snapshot.num_docs(), 1);
    Ok(serde_json::from_slice(&snapshot.document(DocId(0))).unwrap())
}

#[track_caller]
fn check(found: &Value, fields: &[(&str, Value)]) {
    for (path, expected) in fields {
        let value = path.split('.').fold(found, |value, key| &value[key]);
        assert_eq!(value, expected, "{path}");
    }
}

#[test]
fn registers_are_read_under_their_headers() {
    let text = table(
        COMPANIES_HOUSE,
        &[
            ("CompanyName", "HARROW LANE BAKERS LIMITED"),
            ("CompanyNumber", "00123456"),
            ("RegAddress.PostTown", "LEEDS"),
            ("RegAddress.Country", "ENGLAND"),
            ("IncorporationDate", "02/11/1987"),
            ("SICCode.SicText_1", "10710 - Manufacture of bread"),
            ("SICCode.SicText_2", "47240 - Retail sale of bread"),
            ("PreviousName_1.CompanyName", "HARROW LANE MILLS LIMITED"),
            ("CountryOfOrigin", "United Kingdom"),
        ],
    );
    check(
        &read(&text, &preset("companies-house", &[])).unwrap(),
        &[
            ("id", json!("00123456")),
            ("name", json!("HARROW LANE BAKERS LIMITED")),
            ("industry", json!("10710 - Manufacture of bread")),
            ("location.city", json!("LEEDS")),
            ("location.country", json!("ENGLAND")),
            ("founded_year", json!(1987)),
        ],
    );
    let text = table(
        GLEIF,
        &[
            ("LEI", "529900EXAMPLE0000X01"),
            ("Entity.LegalName", "Nordwind Reederei GmbH"),
            ("Entity.OtherEntityNames.OtherEntityName.1", "Nordwind Shipping"),
            ("Entity.LegalAddress.City", "Wilmington"),
            ("Entity.HeadquartersAddress.City", "Emden"),
            ("Entity.HeadquartersAddress.Region", "DE-NI"),
            ("Entity.HeadquartersAddress.Country", "DE"),
            ("Entity.EntityCreationDate", "1998-03-04T00:00:00.000Z"),
        ],
    );
    check(
        &read(&text, &preset("gleif", &[])).unwrap(),
        &[
            ("id", json!("529900EXAMPLE0000X01")),
            ("location.city", json!("Emden")),
            ("location.state", json!("DE-NI")),
            ("founded_year", json!(1998)),
        ],
    );
    let text = table(
        ROR,
        &[
            ("id", "https://ror.org/0example1"),
            ("names.types.ror_display", "Institut für Moorkunde"),
            ("names.types.alias", "en: Institute of Bogs"),
            ("links.type.website", "https://moor.example/"),
            ("locations.geonames_details.name", "Vechta"),
            ("locations.geonames_details.country_name", "Germany"),
            ("types", "education; funder"),
            ("established", "1951"),
        ],
    );
    check(
        &read(&text, &preset("ror", &[])).unwrap(),
        &[
            ("name", json!("Institut für Moorkunde")),
            ("website", json!("https://moor.example/")),
            ("industry", json!("education; funder")),
            ("location.country", json!("Germany")),
            ("founded_year", json!(1951)),
        ],
    );
    let text = table(
        OPENCORPORATES,
        &[
            ("company_number", "H4711"),
            ("jurisdiction_code", "de"),
            ("name", "Krause & Töchter OHG"),
            ("incorporation_date", "2001-09-30"),
            ("number_of_employees", "12"),
            ("registered_address.locality", "Görlitz"),
            ("registered_address.country", "Germany"),
        ],
    );
    let found = read(&text, &preset("opencorporates", &[])).unwrap();
    check(&found, &[("employee_count", json!(12)), ("location.city", json!("Görlitz"))]);
    // The number alone is that of many registers.
    let other = text.replace("\"de\"", "\"at\"");
    let other = read(&other, &preset("opencorporates", &[])).unwrap();
    assert_ne!(other["id"], found["id"]);
}

#[test]
fn persons_of_sirene_have_names() {
    let named = |cells: &[(&str, &str)]| {
        let cells = [&[("siren", "123456789")], cells].concat();
        read(&table(SIRENE, &cells), &preset("sirene", &[]))
    };
    let company = named(&[
        ("denominationUniteLegale", "FROMAGERIE DU LAC"),
        ("trancheEffectifsUniteLegale", "11"),
        ("activitePrincipaleUniteLegale", "10.51C"),
        ("dateCreationUniteLegale", "1979-05-01"),
    ]);
    check(
        &company.unwrap(),
        &[
            ("name", json!("FROMAGERIE DU LAC")),
            ("employee_count", Value::Null),
            ("industry", json!("10.51C")),
            ("founded_year", json!(1979)),
        ],
    );
    let person = named(&[("prenomUsuelUniteLegale", "LUCIE"), ("nomUniteLegale", "MARCHAND")]);
    check(&person.unwrap(), &[("name", json!("LUCIE MARCHAND"))]);
    let hidden = named(&[("prenomUsuelUniteLegale", "[ND]"), ("nomUniteLegale", "[ND]")]);
    assert!(hidden.unwrap_err().contains("name is missing"));
}

#[test]
fn both_layouts_of_the_free_company_data_set_are_read() {
    let new = table(
        PEOPLE_DATA_LABS,
        &[
            ("id", "Abc123"),
            ("name", "tide & timber"),
            ("website", "tidetimber.example"),
            ("industry", "construction"),
            ("locality", "portland"),
            ("region", "oregon"),
            ("country", "united states"),
            ("size", "51-200"),
            ("founded", "2010"),
        ],
    );
    let found = read(&new, &preset("people-data-labs", &["--bands", "lower"])).unwrap();
    check(
        &found,
        &[
            ("id", json!("Abc123")),
            ("website", json!("tidetimber.example")),
            ("employee_count", json!(51)),
            ("location.city", json!("portland")),
            ("location.state", json!("oregon")),
            ("founded_year", json!(2010)),
        ],
    );
    let said = read(&new, &preset("people-data-labs", &[])).unwrap_err();
    assert!(said.contains("--bands"), "{said}");
    let found = read(&new, &preset("people-data-labs", &["--map", "employee_count=-"])).unwrap();
    check(&found, &[("employee_count", Value::Null), ("location.state", json!("oregon"))]);
    let old = ",name,domain,year founded,locality,current employee estimate,linkedin url\n\
               1,tide & timber,tidetimber.example,2010.0,\"portland, oregon, united states\",70,x\n";
    let found = read(old, &preset("people-data-labs", &[])).unwrap();
    check(&found, &[("location.state", json!("oregon")), ("employee_count", json!(70))]);
}

#[test]
fn a_preset_that_does_not_fit_stops() {
    for (header, name, expected) in [
        ("id,name,city", "gleif", "--preset gleif finds none of its columns (\"LEI\""),
        (
            "id,names.types.ror_display,website,links.type.website",
            "ror",
            "there is a column \"website\"",
        ),
        ("name,locality", "people-data-labs", "\"locality\" means different things"),
        ("name,domain,region", "people-data-labs", "the columns are of more than one"),
        ("siren,x", "sirene", "there is no column \"denominationUniteLegale\""),
    ] {
        let said = read(&table(header, &[]), &preset(name, &[])).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }
    let folder = Folder::new();
    let lines = "{\"jurisdiction_code\":\"at\",\"name\":\"A\",\"company_number\":\"1\",\"employee_count\":7}\n";
    let input = folder.write("a.jsonl", lines);
    let result = build(&[&input], &folder.path("out.firmament"), &preset("opencorporates", &[]));
    assert_eq!(result.status.code(), Some(1));
    assert!(
        stderr(&result).contains("there is a column \"employee_count\""),
        "{}",
        stderr(&result)
    );
    // What the operator says of a column counts.
    let options = ["--map", "location=locality", "--id-from", "name"];
    let found = read("name,locality\nA,\"Graz, Austria\"\n", &preset("people-data-labs", &options));
    check(&found.unwrap(), &[("location.city", json!("Graz"))]);
}
