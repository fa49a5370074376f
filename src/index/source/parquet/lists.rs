//! List columns: which groups of a schema are lists, and of what.
//!
//! A list is a group annotated as one, with one repeated field: a group around the element, or in
//! files of older writers the element itself. A repeated field outside of such a group is a list
//! too. See the [rules](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists),
//! those of backward compatibility among them.

use super::column;
use ::parquet::basic::{ConvertedType, LogicalType, Repetition};
use ::parquet::schema::types::Type;

/// A leaf of the schema, as a column of a table.
pub struct Leaf {
    /// The names from the root to the leaf, or to the list whose elements it holds.
    pub name: String,
    /// All names from the root to the leaf.
    pub path: String,
    /// Does it hold the elements of a list?
    pub is_list: bool,
}

/// The leaves below `root`, in the order of their columns.
pub fn leaves(root: &Type) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    collect_leaves(root, "", &mut leaves);
    leaves
}

fn collect_leaves(group: &Type, path: &str, leaves: &mut Vec<Leaf>) {
    let is_annotated = nesting(group).is_some();
    for node in group.get_fields() {
        let name = format!("{path}{}", node.name());
        if node.is_primitive() {
            let is_list = is_repeated(node) && !is_annotated;
            leaves.push(Leaf { path: name.clone(), name, is_list });
            continue;
        }
        match element_of(node) {
            Some((element, path)) if element.is_primitive() => {
                leaves.push(Leaf { path: format!("{name}.{path}"), name, is_list: true });
            }
            _ => collect_leaves(node, &format!("{name}."), leaves),
        }
    }
}

/// What a column is if its rows hold any number of values.
pub fn nesting(node: &Type) -> Option<&'static str> {
    let info = node.get_basic_info();
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::Map), _) | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => {
            Some("a map")
        }
        (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => Some("a list"),
        _ => is_repeated(node).then_some("a list"),
    }
}

/// What a list or map is, with its elements; none for other columns.
pub fn describe(node: &Type) -> Option<String> {
    let nesting = nesting(node)?;
    let of = match element_of(node) {
        _ if nesting == "a map" => String::new(),
        Some((element, _)) if element.is_primitive() => {
            format!(" of elements of the type {}", column::type_name(element))
        }
        Some((element, _)) if !is_repeated(element) && nesting_is(element, "a list") => {
            " of lists".to_owned()
        }
        Some((element, _)) if nesting_is(element, "a map") => " of maps".to_owned(),
        Some(_) => " of structs".to_owned(),
        None => String::new(),
    };
    Some(format!("{nesting}{of}"))
}

fn nesting_is(node: &Type, expected: &str) -> bool {
    nesting(node) == Some(expected)
}

fn is_repeated(node: &Type) -> bool {
    let info = node.get_basic_info();
    info.has_repetition() && info.repetition() == Repetition::REPEATED
}

/// The element of a group, if that is a list, and the names that lead to it from there.
fn element_of(node: &Type) -> Option<(&Type, String)> {
    if !node.is_group() || nesting(node) != Some("a list") {
        return None;
    }
    if is_repeated(node) {
        return Some((node, String::new()));
    }
    let [repeated] = node.get_fields() else { return None };
    if !is_repeated(repeated) {
        return None;
    }
    let name = repeated.name();
    if repeated.is_primitive() {
        return Some((repeated, name.to_owned()));
    }
    match repeated.get_fields() {
        [element] => {
            let is_struct = is_repeated(element)
                || name == "array"
                || name.strip_suffix("_tuple") == Some(node.name());
            match is_struct {
                true => Some((repeated, name.to_owned())),
                false => Some((element, format!("{name}.{}", element.name()))),
            }
        }
        _ => Some((repeated, name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::schema::parser::parse_message_type;

    /// Names of the columns, `[]` behind those of lists, and what the first field is.
    fn shown(fields: &str) -> (String, Option<String>) {
        let root = parse_message_type(&format!("message m {{ {fields} }}")).unwrap();
        let leaves = leaves(&root);
        let descriptor = ::parquet::schema::types::SchemaDescriptor::new(root.clone().into());
        let paths = descriptor.columns().iter().map(|column| column.path().string());
        assert!(leaves.iter().map(|leaf| leaf.path.clone()).eq(paths), "{fields}");
        let name = |leaf: &Leaf| leaf.name.clone() + if leaf.is_list { "[]" } else { "" };
        let names: Vec<String> = leaves.iter().map(name).collect();
        (names.join(" "), describe(&root.get_fields()[0]))
    }

    #[test]
    fn lists_are_told_by_the_rules_of_the_format() {
        for (fields, names, expected) in [
            ("optional binary a (STRING);", "a", None),
            // Three levels, whatever the names of the inner ones are.
            (
                "optional group a (LIST) { repeated group list { optional binary element (STRING); } }",
                "a[]",
                Some("a list of elements of the type BYTE_ARRAY (String)"),
            ),
            (
                "required group a (LIST) { repeated group bag { required int32 array_element; } }",
                "a[]",
                Some("a list of elements of the type INT32"),
            ),
            (
                "optional group x { optional group a (LIST) { repeated group list { optional binary item; } }
                                    optional binary b; }",
                "x.a[] x.b",
                None,
            ),
            // Two levels.
            (
                "optional group a (LIST) { repeated binary array (STRING); }",
                "a[]",
                Some("a list of elements of the type BYTE_ARRAY (String)"),
            ),
            (
                "optional group a (LIST) { repeated group array { required binary b; } }",
                "a.array.b",
                Some("a list of structs"),
            ),
            (
                "optional group a (LIST) { repeated group a_tuple { required binary b; } }",
                "a.a_tuple.b",
                Some("a list of structs"),
            ),
            (
                "optional group a (LIST) { repeated group list { repeated binary b; } }",
                "a.list.b",
                Some("a list of structs"),
            ),
            (
                "optional group a (LIST) { repeated group list { required binary b; required binary c; } }",
                "a.list.b a.list.c",
                Some("a list of structs"),
            ),
            // One level.
            ("repeated binary a (STRING);", "a[]", Some("a list")),
            ("repeated group a { required binary b; }", "a.b", Some("a list of structs")),
            // Lists of something else.
            (
                "optional group a (LIST) { repeated group list { optional group element {
                     optional binary b; optional binary c; } } }",
                "a.list.element.b a.list.element.c",
                Some("a list of structs"),
            ),
            (
                "optional group a (LIST) { repeated group list { optional group element (LIST) {
                     repeated group list { optional binary element; } } } }",
                "a.list.element[]",
                Some("a list of lists"),
            ),
            (
                "optional group a (LIST) { repeated group list { optional group element (MAP) {
                     repeated group key_value { required binary key; optional binary value; } } } }",
                "a.list.element.key_value.key a.list.element.key_value.value",
                Some("a list of maps"),
            ),
            (
                "optional group a (MAP) { repeated group key_value { required binary key; } }",
                "a.key_value.key",
                Some("a map"),
            ),
            // None, though it says that it is one.
            (
                "optional group a (LIST) { optional group list { optional binary b; } }",
                "a.list.b",
                Some("a list"),
            ),
            (
                "optional group a (LIST) { repeated binary b; repeated binary c; }",
                "a.b a.c",
                Some("a list"),
            ),
        ] {
            assert_eq!(shown(fields), (names.to_owned(), expected.map(str::to_owned)), "{fields}");
        }
    }
}
