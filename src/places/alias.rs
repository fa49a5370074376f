//! What names and codes of places stand for besides themselves: countries, subdivisions and a few
//! cities.

use super::folding::fold;
use super::key::{PlaceKey, PlaceKind};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

const COUNTRIES: &str = include_str!("countries.tsv");
const SUBDIVISIONS: &str = include_str!("subdivisions.tsv");
const ISO_3166_2: &str = include_str!("iso_3166_2.tsv");
/// Other names of cities, by country.
pub const CITIES: &str = include_str!("cities.tsv");
/// The parts of the United Kingdom, which are given as countries too.
const PARTS_OF_GB: [&str; 4] = ["s@GB-ENG", "s@GB-NIR", "s@GB-SCT", "s@GB-WLS"];

/// One entity that a folded text stands for.
pub struct Alias {
    /// The entity.
    pub key: PlaceKey,
    /// Its kind.
    pub kind: PlaceKind,
    /// The country, or that of the subdivision or the city.
    pub country: &'static str,
    /// Of a code: its place in the order in which a code alone is read. `None` for names.
    pub code_order: Option<u8>,
}

impl Alias {
    /// Is it a part of the United Kingdom?
    pub fn is_part_of_gb(&self) -> bool {
        PARTS_OF_GB.contains(&self.key.as_str())
    }
}

/// From folded text to what it stands for besides itself.
pub static ALIASES: LazyLock<FxHashMap<String, Vec<Alias>>> = LazyLock::new(read_tables);

fn read_tables() -> FxHashMap<String, Vec<Alias>> {
    let mut map = FxHashMap::default();
    for (country, rest) in rows(COUNTRIES) {
        let Some((alpha3, names)) = rest.split_once('\t') else { continue };
        let key = PlaceKey::entity(PlaceKind::Country, country);
        for code in [country, alpha3] {
            add(&mut map, code, &key, country, Some(1));
        }
        for name in names.split(" | ") {
            add(&mut map, name, &key, country, None);
        }
    }
    for (country, rest) in rows(SUBDIVISIONS) {
        let Some((code, name)) = rest.split_once('\t') else { continue };
        let key = PlaceKey::entity(PlaceKind::State, &format!("{country}-{code}"));
        let order = match country {
            "US" => 0, // before the countries, which have 1
            "CA" => 2,
            _ => 3,
        };
        add(&mut map, code, &key, country, Some(order));
        add(&mut map, &format!("{country}-{code}"), &key, country, None);
        add(&mut map, name, &key, country, None);
    }
    for (country, rest) in rows(ISO_3166_2) {
        let Some((code, names)) = rest.split_once('\t') else { continue };
        let code = format!("{country}-{code}");
        let key = PlaceKey::entity(PlaceKind::State, &code);
        for name in names.split(" | ").chain([code.as_str()]) {
            add(&mut map, name, &key, country, None);
        }
    }
    for (country, names) in rows(CITIES) {
        let name = names.split(" | ").next().unwrap_or_default();
        let Some(form) = fold(name).into_iter().next() else { continue };
        let key = PlaceKey::entity(PlaceKind::City, &form);
        for name in names.split(" | ") {
            add(&mut map, name, &key, country, None);
        }
    }
    map
}

/// The rows of a table: first column and the rest.
pub fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

fn add(
    map: &mut FxHashMap<String, Vec<Alias>>,
    text: &str,
    key: &PlaceKey,
    country: &'static str,
    code_order: Option<u8>,
) {
    for form in fold(text) {
        let list = map.entry(form).or_default();
        match list.iter_mut().find(|alias| alias.key == *key) {
            // `US` is a code and, by CLDR, a name: a name has no order to lose in.
            Some(known) => known.code_order = known.code_order.and(code_order),
            None => list.push(Alias { key: key.clone(), kind: key.kind(), country, code_order }),
        }
    }
}

/// The entities that any of the folded forms stands for.
pub fn aliases<S: AsRef<str>>(forms: &[S]) -> impl Iterator<Item = &'static Alias> + Clone {
    forms.iter().filter_map(|form| ALIASES.get(form.as_ref())).flatten()
}
