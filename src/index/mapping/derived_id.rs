//! Ids for records that have none.
//!
//! A derived id is the version 5 UUID (RFC 9562) in [`NAMESPACE`] of the values it is made from,
//! written as a compact JSON array of texts, numbers and nulls in UTF-8. Quotation marks make the
//! encoding unambiguous: `["a","b"]` and `["ab",null]` differ. The same values give the same id in
//! every build, so cursors, links and caches of ids outlive an update of the data. In Python:
//!
//! ```text
//! uuid.uuid5(NAMESPACE, json.dumps([name, website], ensure_ascii=False, separators=(",", ":")))
//! ```

use serde_json::Value;
use uuid::Uuid;

/// The namespace of derived ids: the version 5 UUID of `https://firmament.example/derived-ids` in
/// the namespace of URLs.
pub const NAMESPACE: Uuid = Uuid::from_u128(0x9b8e97c1_51ca_5fb3_81b0_069cae90b352);

/// The id made from `values`; none if there is not a single one.
pub fn derive(values: &[Value]) -> Option<String> {
    if values.iter().all(Value::is_null) {
        return None;
    }
    let encoded = serde_json::to_vec(values).expect("values have a JSON form");
    Some(Uuid::new_v5(&NAMESPACE, &encoded).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_those_of_the_formula() {
        assert_eq!(
            NAMESPACE,
            Uuid::new_v5(&Uuid::NAMESPACE_URL, b"https://firmament.example/derived-ids")
        );
        // Computed with Python's `uuid` and `json`.
        let id = |values: &[Value]| derive(values).unwrap();
        assert_eq!(
            id(&[json!("Nestlé"), json!("nestle.com")]),
            "1c621385-2e59-57d0-8c50-177a199e21d0"
        );
        assert_eq!(
            id(&[json!("a\"b\n"), Value::Null, json!(1911)]),
            "2e89db4f-1963-50d7-83fe-f2e77d2a1581"
        );
        assert_ne!(id(&[json!("a"), json!("b")]), id(&[json!("ab"), Value::Null]));
        assert_eq!(derive(&[Value::Null, Value::Null]), None);
    }
}
