//! What the service serves, as JSON.

use crate::snapshot::Snapshot;
use crate::snapshot::metadata::Filled;
use serde::Serialize;

/// The version of the rules that answers follow: `docs/api.md`.
pub const CONTRACT_VERSION: &str = "1.0";

#[derive(Serialize)]
struct About {
    contract: &'static str,
    snapshot: SnapshotPart,
    businesses: u32,
    fields: Filled,
}

#[derive(Serialize)]
struct SnapshotPart {
    version: String,
    built_at: String,
}

/// The body of a response to a request for what is served.
pub fn about(snapshot: &Snapshot) -> Vec<u8> {
    let metadata = snapshot.metadata();
    let about = About {
        contract: CONTRACT_VERSION,
        snapshot: SnapshotPart {
            version: snapshot.version().to_string(),
            built_at: time(metadata.built_at),
        },
        businesses: metadata.num_docs,
        fields: metadata.filled,
    };
    serde_json::to_vec(&about).expect("numbers and texts have a JSON form")
}

/// A time as RFC 3339 has it; what is beyond all calendars is shown as a number of seconds.
fn time(seconds: u64) -> String {
    let timestamp =
        i64::try_from(seconds).ok().and_then(|it| jiff::Timestamp::from_second(it).ok());
    timestamp.map_or_else(|| seconds.to_string(), |timestamp| timestamp.to_string())
}
