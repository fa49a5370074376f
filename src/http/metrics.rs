//! Counters, and their text for `/metrics` (OpenMetrics 1.0).
//!
//! Every series exists from the start and is looked up once, so that counting a request touches
//! no table of labels. Workers share the counters, which costs 0.15 µs of a request's tens.
//! Labels have few values by construction: never a key, never a query. Units are base units.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry, Unit};

use super::published::Published;
use super::respond::Code;
use super::snapshots::SnapshotSet;

/// Upper bounds of the histogram's buckets, in seconds.
const BOUNDS: [f64; 14] = [
    0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1,
    0.25, 1.0,
];

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Found,
    NotModified,
    Preflight,
    Refused(Code),
}

impl Outcome {
    fn index(self) -> usize {
        match self {
            Outcome::Refused(code) => code as usize,
            Outcome::Found => Code::ALL.len(),
            Outcome::NotModified => Code::ALL.len() + 1,
            Outcome::Preflight => Code::ALL.len() + 2,
        }
    }

    /// Status and code, in the order of `index`.
    fn labels() -> impl Iterator<Item = (u16, &'static str)> {
        let refused = Code::ALL.into_iter().map(|code| (code.status().as_u16(), code.as_str()));
        refused.chain([(200, ""), (304, ""), (204, "")])
    }
}

/// What a request was about, as far as its cost goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A search with `q`.
    Text,
    /// A search without.
    Filter,
    /// Counts of values.
    Facets,
    /// Businesses by their ids, or what is served.
    Lookup,
    /// Nothing was looked up: 304 and errors.
    NoSearch,
}

impl RequestKind {
    const ALL: [(RequestKind, &'static str); 5] = [
        (RequestKind::Text, "text"),
        (RequestKind::Filter, "filter"),
        (RequestKind::Facets, "facets"),
        (RequestKind::Lookup, "lookup"),
        (RequestKind::NoSearch, "none"),
    ];
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    status: u16,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabel {
    result: &'static str,
}

/// The counters of one process.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    /// By [`Outcome::index`].
    responses: Vec<Counter>,
    /// By [`RequestKind`].
    durations: [Histogram; RequestKind::ALL.len()],
    pub(super) panics: Counter,
    /// Requests that the pool has begun to answer.
    pub(super) pool_answered: Counter,
    /// Requests that wait for the pool.
    pub(super) pool_waiting: Gauge,
    /// Open now; also what admission goes by.
    pub(super) connections: Gauge,
    pub(super) connections_accepted: Counter,
    pub(super) connections_refused: Counter,
    pub(super) accept_errors: Counter,
    pub(super) snapshots_loaded: Counter,
    pub(super) snapshots_unchanged: Counter,
    pub(super) snapshots_failed: Counter,
    snapshot_opened: Gauge,
    pub(super) keys: Gauge,
    pub(super) keys_loaded: Counter,
    pub(super) keys_failed: Counter,
}

impl Metrics {
    /// All counters at 0. The open snapshots are looked up where they are published.
    pub(super) fn new(snapshots: Arc<Published<SnapshotSet>>) -> Metrics {
        let mut registry = Registry::with_prefix("firmament");
        let to = &mut registry;

        let responses: Family<ResponseLabels, Counter> =
            registered(to, "http_responses", "Responses by status and error code");
        let durations = Family::new_with_constructor(|| Histogram::new(BOUNDS));
        let help = "Time from a complete request head to its response, by kind of request";
        to.register_with_unit("http_request_duration", help, Unit::Seconds, durations.clone());
        let snapshot_reloads: Family<ResultLabel, Counter> =
            registered(to, "snapshot_reloads", "Reloads of the snapshot by result");
        let key_reloads: Family<ResultLabel, Counter> =
            registered(to, "key_reloads", "Reloads of the key file by result");
        let result = |family: &Family<ResultLabel, Counter>, result| {
            family.get_or_create_owned(&ResultLabel { result })
        };
        let snapshot_opened = Gauge::default();
        let opened = snapshot_opened.clone();
        to.register_collector(Box::new(OpenSnapshots { snapshots, opened }));

        Metrics {
            responses: Outcome::labels()
                .map(|(status, code)| {
                    responses.get_or_create_owned(&ResponseLabels { status, code })
                })
                .collect(),
            durations: RequestKind::ALL
                .map(|(_, kind)| durations.get_or_create_owned(&KindLabel { kind })),
            panics: registered(to, "http_panics", "Requests that failed inside the server"),
            pool_answered: registered(
                to,
                "http_pool_requests",
                "Expensive requests that threads of the pool took on",
            ),
            pool_waiting: registered(
                to,
                "http_pool_waiting",
                "Expensive requests that wait for a thread of the pool",
            ),
            connections: registered(to, "http_connections", "Connections open now"),
            connections_accepted: registered(
                to,
                "http_connections_accepted",
                "Connections accepted",
            ),
            connections_refused: registered(
                to,
                "http_connections_refused",
                "Connections closed at once, beyond the hard limit",
            ),
            accept_errors: registered(
                to,
                "http_accept_errors",
                "Errors while accepting connections",
            ),
            snapshots_loaded: result(&snapshot_reloads, "loaded"),
            snapshots_unchanged: result(&snapshot_reloads, "unchanged"),
            snapshots_failed: result(&snapshot_reloads, "failed"),
            snapshot_opened,
            keys: registered(to, "keys", "Keys in the key file"),
            keys_loaded: result(&key_reloads, "loaded"),
            keys_failed: result(&key_reloads, "failed"),
            registry,
        }
    }

    pub(super) fn answered(&self, outcome: Outcome, kind: RequestKind, duration: Duration) {
        self.responses[outcome.index()].inc();
        self.durations[kind as usize].observe(duration.as_secs_f64());
    }

    pub(super) fn snapshot_opened(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.snapshot_opened.set(now.as_secs() as i64);
    }

    /// Everything in OpenMetrics text.
    pub(super) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn registered<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// What is read from the open snapshots at each scrape.
#[derive(Debug)]
struct OpenSnapshots {
    snapshots: Arc<Published<SnapshotSet>>,
    /// When the current one became current.
    opened: Gauge,
}

impl Collector for OpenSnapshots {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut write = |name, help, unit: Option<Unit>, metric: &dyn EncodeMetric| {
            let kind = metric.metric_type();
            metric.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)
        };
        let set = self.snapshots.get();
        let open = ConstGauge::new(set.all().count() as u64);
        write("snapshots_open", "Open snapshots, the current one included", None, &open)?;
        let Some(current) = set.current() else { return Ok(()) };
        let version = Info::new([("version", current.version().to_string())]);
        write("snapshot", "The current snapshot", None, &version)?;
        let records = ConstGauge::new(u64::from(current.num_docs()));
        write("snapshot_records", "Records in the current snapshot", None, &records)?;
        let (help, size) = ("Size of the current snapshot", ConstGauge::new(current.len_bytes()));
        write("snapshot_size", help, Some(Unit::Bytes), &size)?;
        let help = "When the current snapshot became current, as Unix time";
        write("snapshot_opened_timestamp", help, Some(Unit::Seconds), &self.opened)
    }
}

#[cfg(test)]
impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new(Arc::new(Published::new(SnapshotSet::empty())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_their_labels_line_up() {
        let labels: Vec<_> = Outcome::labels().collect();
        assert_eq!(labels.len(), Code::ALL.len() + 3);
        for code in Code::ALL {
            let label = labels[Outcome::Refused(code).index()];
            assert_eq!(label, (code.status().as_u16(), code.as_str()));
        }
        assert_eq!(labels[Outcome::Found.index()], (200, ""));
        assert_eq!(labels[Outcome::NotModified.index()], (304, ""));
        assert_eq!(labels[Outcome::Preflight.index()], (204, ""));
    }

    #[test]
    fn every_series_is_written() {
        let metrics = Metrics::default();
        for _ in 0..2 {
            metrics.answered(Outcome::Found, RequestKind::Text, Duration::from_micros(30));
            metrics.answered(
                Outcome::Refused(Code::RateLimited),
                RequestKind::NoSearch,
                Duration::from_secs(2),
            );
        }
        let text = metrics.text().unwrap();
        for line in [
            "firmament_http_responses_total{status=\"200\",code=\"\"} 2",
            "firmament_http_responses_total{status=\"429\",code=\"rate_limited\"} 2",
            "firmament_http_responses_total{status=\"404\",code=\"not_found\"} 0",
            "firmament_http_request_duration_seconds_bucket{le=\"0.00005\",kind=\"text\"} 2",
            "firmament_http_request_duration_seconds_bucket{le=\"0.000025\",kind=\"text\"} 0",
            "firmament_http_request_duration_seconds_bucket{le=\"1.0\",kind=\"none\"} 0",
            "firmament_http_request_duration_seconds_bucket{le=\"+Inf\",kind=\"none\"} 2",
            "firmament_http_request_duration_seconds_count{kind=\"none\"} 2",
            "firmament_http_request_duration_seconds_sum{kind=\"none\"} 4.0",
            "firmament_http_connections 0",
            "firmament_http_pool_requests_total 0",
            "firmament_http_pool_waiting 0",
            "firmament_key_reloads_total{result=\"failed\"} 0",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
