//! The OpenAPI 3.1 document, made from the tables that requests are read by: operations,
//! parameters, limits, codes of errors.

use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::params::{Accepts, Param};
use super::respond::Code;
use crate::limits::{IDS_MAX, PREFIX_CHARS_MAX, QUERY_CHARS_MAX};
use crate::query::cursor::CURSOR_CHARS_MAX;
use crate::render::about::CONTRACT_VERSION;
use crate::snapshot::metadata::Filled;

/// Statuses that errors of the service have, in their order.
const ERROR_STATUSES: [u16; 9] = [400, 401, 404, 405, 414, 429, 431, 500, 503];

/// The document, as text that ends in a line break.
#[must_use]
pub fn openapi() -> String {
    let text = serde_json::to_string_pretty(&document()).expect("a value has a JSON form");
    text + "\n"
}

fn document() -> Value {
    let paths: Map<String, Value> = Operation::ALL
        .into_iter()
        .map(|operation| (operation.path().to_owned(), json!({"get": described(operation)})))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Firmament",
            "version": CONTRACT_VERSION,
            "summary": "Search over business records",
            "description": "Free text, filters, exact totals, pages of any depth, counts of values. \
                Every request is a GET (or HEAD) with its parameters in the query string.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
            "schemas": schemas(),
            "headers": headers(),
            "responses": error_responses(),
        },
    })
}

fn described(operation: Operation<'_>) -> Value {
    let (id, summary, schema) = match operation {
        Operation::Search => ("search", "Pages of businesses", "Page"),
        Operation::Facets => {
            ("facets", "What values there are, and how many businesses have each", "Facets")
        }
        Operation::Businesses => ("businesses", "Several businesses by their ids", "Businesses"),
        Operation::Business(_) => ("business", "One business by its id", "Business"),
        Operation::About => ("about", "What is served", "About"),
    };
    let is_search = matches!(operation, Operation::Search | Operation::Facets);
    let mut parameters: Vec<Value> = Vec::new();
    if let Operation::Business(_) = operation {
        parameters.push(json!({
            "name": "id",
            "in": "path",
            "required": true,
            "description": "The id, percent-encoded.",
            "schema": {"type": "string", "minLength": 1},
        }));
    }
    parameters.extend(operation.params().iter().map(|&param| parameter(param)));
    parameters.push(json!({
        "name": "If-None-Match",
        "in": "header",
        "description": "An entity tag of an earlier answer: 304 if it is still that.",
        "schema": {"type": "string"},
    }));
    let mut names = vec!["ETag", "X-Request-Id", "X-Snapshot-Version"];
    names.extend(["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]);
    if is_search {
        names.extend(["Server-Timing", "X-Query-Corrected", "X-Query-Location"]);
        names.extend(["X-Query-Relaxed", "X-Query-Unknown"]);
    }
    let headers: Map<String, Value> =
        names.into_iter().map(|name| (name.to_owned(), reference("headers", name))).collect();
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": summary,
            "headers": headers,
            "content": {"application/json": {"schema": reference("schemas", schema)}},
        }),
    );
    responses.insert("304".to_owned(), json!({"description": "The answer is as its tag says"}));
    for status in ERROR_STATUSES {
        let name = format!("Error{status}");
        responses.insert(status.to_string(), reference("responses", &name));
    }
    json!({
        "operationId": id,
        "summary": summary,
        "parameters": parameters,
        "responses": responses,
    })
}

fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

fn parameter(param: Param) -> Value {
    let row = param.row();
    // NUL is the one character that no text may have.
    let text = json!({"type": "string", "pattern": "^[^\u{0}]*$"});
    let (schema, explode) = match (row.accepts, row.may_repeat) {
        (Accepts::Integer { min, max, default }, _) => {
            let mut schema = json!({"type": "integer", "minimum": min, "maximum": max});
            if let Some(default) = default {
                schema["default"] = default.into();
            }
            (schema, None)
        }
        (Accepts::OneOf(words), _) => (json!({"type": "string", "enum": words}), None),
        (Accepts::SomeOf(words), _) => {
            (json!({"type": "array", "items": {"type": "string", "enum": words}}), Some(false))
        }
        (Accepts::Token, _) => {
            let pattern = "^[A-Za-z0-9_-]*$";
            (json!({"type": "string", "maxLength": CURSOR_CHARS_MAX, "pattern": pattern}), None)
        }
        (Accepts::Text | Accepts::Names, true) => {
            (json!({"type": "array", "items": text}), Some(true))
        }
        (Accepts::Text | Accepts::Names, false) => (text, None),
    };
    let mut described = json!({
        "name": row.name,
        "in": "query",
        "description": row.about,
        "schema": schema,
    });
    if let Some(explode) = explode {
        described["style"] = "form".into();
        described["explode"] = explode.into();
    }
    match param {
        Param::Q => described["schema"]["maxLength"] = QUERY_CHARS_MAX.into(),
        Param::Prefix => described["schema"]["maxLength"] = PREFIX_CHARS_MAX.into(),
        Param::Id => {
            described["required"] = true.into();
            described["schema"]["minItems"] = 1.into();
            described["schema"]["maxItems"] = IDS_MAX.into();
            described["schema"]["items"]["minLength"] = 1.into();
        }
        _ => {}
    }
    described
}

/// A response for each status, with the codes that it may have.
fn error_responses() -> Map<String, Value> {
    let response = |status: u16| {
        let codes: Vec<&str> = Code::ALL
            .into_iter()
            .filter(|code| code.status().as_u16() == status)
            .map(Code::as_str)
            .collect();
        let code = json!({"properties": {"error": {"properties": {"code": {"enum": codes}}}}});
        let mut headers = json!({"X-Request-Id": reference("headers", "X-Request-Id")});
        if matches!(status, 429 | 503) {
            headers["Retry-After"] = reference("headers", "Retry-After");
        }
        let response = json!({
            "description": codes.join(", "),
            "headers": headers,
            "content": {
                "application/json": {
                    "schema": {"allOf": [reference("schemas", "Error"), code]},
                },
            },
        });
        (format!("Error{status}"), response)
    };
    ERROR_STATUSES.into_iter().map(response).collect()
}

fn headers() -> Value {
    let header = |description: &str, kind: &str| json!({"description": description, "schema": {"type": kind}});
    json!({
        "ETag": header("Names the answer; the same tag means the same bytes.", "string"),
        "Retry-After": header("Seconds to wait.", "integer"),
        "Server-Timing": header("How long the search took, in milliseconds: search;dur=0.021", "string"),
        "X-Query-Corrected": header("q with each corrected word replaced, percent-encoded.", "string"),
        "X-Query-Location": header("The place that words of q name, percent-encoded.", "string"),
        "X-Query-Relaxed": header("any-word, if no business has all words.", "string"),
        "X-Query-Unknown": header(
            "Values of filters that name nothing, each with the nearest known one, percent-encoded: \
             industry;given=\"Sofware\";nearest=\"Software\"",
            "string"
        ),
        "X-RateLimit-Limit": header("Requests that the key may make at once.", "integer"),
        "X-RateLimit-Remaining": header("How many of them are left.", "integer"),
        "X-RateLimit-Reset": header("Seconds until all of them are there again.", "integer"),
        "X-Request-Id": header("The caller's, if it is fit for it, or a new one.", "string"),
        "X-Snapshot-Version": header("The snapshot that answered.", "string"),
    })
}

fn schemas() -> Value {
    let text = json!({"type": ["string", "null"]});
    let number = json!({"type": "integer", "minimum": 0});
    let maybe_number = json!({"type": ["integer", "null"], "minimum": 0});
    let object = |properties: Value| {
        let required: Vec<String> =
            properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    let list = |items: Value| json!({"type": "array", "items": items});
    let mut filled = json!(Filled::default());
    filled.as_object_mut().into_iter().flatten().for_each(|(_, count)| *count = number.clone());
    let mut business = object(json!({
        "id": {"type": "string"},
        "name": {"type": "string"},
        "website": text,
        "description": text,
        "industry": text,
        "employee_count": maybe_number,
        "location": reference("schemas", "Location"),
        "founded_year": maybe_number,
    }));
    // With `fields`, some of them.
    business["required"] = json!([]);
    business["description"] = "All keys are present, unless `fields` chooses some.".into();
    let mut value = object(json!({
        "value": {"type": "string"},
        "count": number,
        "filter": {"type": "string", "description": "Of a place: a text for `location`."},
        "min": {"type": "integer", "description": "Of a band: its lower bound."},
        "max": {"type": ["integer", "null"], "description": "Of a band: its upper bound."},
    }));
    value["required"] = json!(["value", "count"]);
    let facet = object(json!({
        "facet": {"type": "string"},
        "values": list(value),
        "distinct": number,
        "missing": number,
    }));
    let mut facets = object(json!({"total": number, "facets": list(facet)}));
    facets["required"] = json!(["total"]);
    json!({
        "Business": business,
        "Location": object(json!({"city": text, "state": text, "country": text})),
        "Page": object(json!({
            "results": list(reference("schemas", "Business")),
            "pagination": object(json!({
                "total": number,
                "limit": number,
                "next_cursor": text,
                "previous_cursor": text,
            })),
        })),
        "Businesses": object(json!({
            "results": list(reference("schemas", "Business")),
            "missing": list(json!({"type": "string"})),
        })),
        "Facets": facets,
        "About": object(json!({
            "contract": {"type": "string"},
            "snapshot": object(json!({
                "version": {"type": "string"},
                "built_at": {"type": "string"},
            })),
            "businesses": number,
            "fields": object(filled),
        })),
        "Error": object(json!({
            "error": object(json!({
                "code": {"type": "string"},
                "message": {"type": "string"},
                "param": text,
                "request_id": {"type": "string"},
            })),
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_status_in_the_document() {
        for code in Code::ALL {
            assert!(ERROR_STATUSES.contains(&code.status().as_u16()), "{code:?}");
        }
    }

    #[test]
    fn references_lead_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    map.values().for_each(|value| references(value, found));
                }
                Value::Array(values) => values.iter().for_each(|value| references(value, found)),
                _ => {}
            }
        }
        let document = document();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 20);
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("within the document");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }
}
