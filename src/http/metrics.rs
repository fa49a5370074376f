//! Counters, and their text for `/metrics` (OpenMetrics 1.0).
//!
//! Each worker writes its own counters, which no other thread writes, so that counting costs no
//! traffic between cores; a scrape adds them up. Labels have few values by construction: never a
//! key, never a query. Units are base units.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

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
    Page,
    NotModified,
    Refused(Code),
}

impl Outcome {
    const COUNT: usize = Code::ALL.len() + 2;

    fn index(self) -> usize {
        match self {
            Outcome::Refused(code) => code as usize,
            Outcome::Page => Code::ALL.len(),
            Outcome::NotModified => Code::ALL.len() + 1,
        }
    }

    /// Status and code, in the order of `index`.
    fn labels() -> impl Iterator<Item = (u16, &'static str)> {
        let refused = Code::ALL.into_iter().map(|code| (code.status().as_u16(), code.as_str()));
        refused.chain([(200, ""), (304, "")])
    }
}

/// What a request was about, as far as its cost goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A search with `q`.
    Text,
    /// A search without.
    Filter,
    /// No search: 304 and errors.
    NoSearch,
}

impl RequestKind {
    const ALL: [(RequestKind, &'static str); 3] = [
        (RequestKind::Text, "text"),
        (RequestKind::Filter, "filter"),
        (RequestKind::NoSearch, "none"),
    ];
}

/// A latency histogram with one writer.
#[derive(Debug, Default)]
struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_nanos: AtomicU64,
}

impl Histogram {
    fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = BOUNDS.iter().position(|&bound| seconds <= bound).unwrap_or(BOUNDS.len());
        bump(&self.buckets[bucket], 1);
        bump(&self.sum_nanos, duration.as_nanos() as u64);
    }
}

/// Adds without a locked instruction: right only where there is one writer.
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed) + by, Relaxed);
}

/// The counters of one worker; only that worker writes them.
#[derive(Debug, Default)]
pub(super) struct WorkerMetrics {
    responses: [AtomicU64; Outcome::COUNT],
    durations: [Histogram; RequestKind::ALL.len()],
}

impl WorkerMetrics {
    pub(super) fn answered(&self, outcome: Outcome, kind: RequestKind, duration: Duration) {
        bump(&self.responses[outcome.index()], 1);
        self.durations[kind as usize].observe(duration);
    }
}

/// The counters of one process.
#[derive(Default)]
pub(super) struct Metrics {
    workers: Mutex<Vec<Arc<WorkerMetrics>>>,
    snapshots: Mutex<Option<Arc<Published<SnapshotSet>>>>,
    /// Open now; also what admission goes by.
    pub(super) connections: AtomicUsize,
    pub(super) connections_accepted: AtomicU64,
    pub(super) connections_refused: AtomicU64,
    pub(super) accept_errors: AtomicU64,
    pub(super) panics: AtomicU64,
    keys: AtomicUsize,
    key_reloads: AtomicU64,
    key_reload_failures: AtomicU64,
    snapshot_loads: AtomicU64,
    snapshot_unchanged: AtomicU64,
    snapshot_failures: AtomicU64,
    snapshot_opened_seconds: AtomicU64,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// What became of a wish to load the snapshot again.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReloadOutcome {
    /// Another version is current now.
    Current,
    /// The file holds the version that was current before.
    Unchanged,
    /// It does not open, and the old one stays.
    Failed,
}

impl Metrics {
    /// Counters for one more worker.
    pub(super) fn add_worker(&self) -> Arc<WorkerMetrics> {
        let worker = Arc::default();
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&worker));
        worker
    }

    /// Where to look for open snapshots.
    pub(super) fn watch_snapshots(&self, snapshots: Arc<Published<SnapshotSet>>) {
        *self.snapshots.lock().unwrap_or_else(PoisonError::into_inner) = Some(snapshots);
    }

    pub(super) fn keys_loaded(&self, count: usize) {
        self.keys.store(count, Relaxed);
    }

    pub(super) fn keys_reloaded(&self, success: bool) {
        let counter = if success { &self.key_reloads } else { &self.key_reload_failures };
        counter.fetch_add(1, Relaxed);
    }

    pub(super) fn snapshot_opened(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.snapshot_opened_seconds.store(now.as_secs(), Relaxed);
    }

    pub(super) fn snapshot_reloaded(&self, outcome: ReloadOutcome) {
        let counter = match outcome {
            ReloadOutcome::Unchanged => &self.snapshot_unchanged,
            ReloadOutcome::Current => &self.snapshot_loads,
            ReloadOutcome::Failed => &self.snapshot_failures,
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Everything in OpenMetrics text.
    pub(super) fn text(self: &Arc<Self>) -> Result<String, fmt::Error> {
        let mut registry = Registry::with_prefix("firmament");
        registry.register_collector(Box::new(Arc::clone(self)));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)?;
        Ok(text)
    }
}

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        self.encode_requests(&mut encoder)?;
        self.encode_connections(&mut encoder)?;
        self.encode_snapshots(&mut encoder)?;
        self.encode_keys(&mut encoder)
    }
}

impl Metrics {
    fn encode_requests(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner).clone();

        let mut family = encoder.encode_descriptor(
            "http_responses",
            "Responses by status and error code",
            None,
            MetricType::Counter,
        )?;
        for (index, (status, code)) in Outcome::labels().enumerate() {
            let total: u64 =
                workers.iter().map(|worker| worker.responses[index].load(Relaxed)).sum();
            let labels = [("status", status.to_string()), ("code", code.to_owned())];
            ConstCounter::new(total).encode(family.encode_family(&labels)?)?;
        }

        let mut family = encoder.encode_descriptor(
            "http_request_duration",
            "Time from a complete request head to its response, by kind of search",
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for (kind, name) in RequestKind::ALL {
            let histograms = || workers.iter().map(|worker| &worker.durations[kind as usize]);
            let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds
                .enumerate()
                .map(|(index, bound)| {
                    (
                        bound,
                        histograms().map(|histogram| histogram.buckets[index].load(Relaxed)).sum(),
                    )
                })
                .collect();
            let count = buckets.iter().map(|bucket| bucket.1).sum();
            let nanos: u64 = histograms().map(|histogram| histogram.sum_nanos.load(Relaxed)).sum();
            family.encode_family(&[("kind", name)])?.encode_histogram::<NoLabelSet>(
                nanos as f64 / 1e9,
                count,
                &buckets,
                None,
            )?;
        }
        counter(encoder, "http_panics", "Requests that failed inside the server", &self.panics)
    }

    fn encode_connections(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        gauge(
            encoder,
            "http_connections",
            "Connections open now",
            None,
            self.connections.load(Relaxed) as u64,
        )?;
        counter(
            encoder,
            "http_connections_accepted",
            "Connections accepted",
            &self.connections_accepted,
        )?;
        counter(
            encoder,
            "http_connections_refused",
            "Connections closed at once, beyond the hard limit",
            &self.connections_refused,
        )?;
        counter(
            encoder,
            "http_accept_errors",
            "Errors while accepting connections",
            &self.accept_errors,
        )
    }

    fn encode_snapshots(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let published = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let set = published.map(|snapshots| snapshots.get());
        gauge(
            encoder,
            "snapshots_open",
            "Open snapshots, the current one included",
            None,
            set.as_ref().map_or(0, |set| set.all().count()) as u64,
        )?;
        if let Some(current) = set.as_ref().and_then(|set| set.current()) {
            let labels = [("version", current.version().to_string())];
            let mut info = encoder.encode_descriptor(
                "snapshot",
                "The current snapshot",
                None,
                MetricType::Info,
            )?;
            info.encode_info(&labels)?;
            let (records, bytes) = (u64::from(current.num_docs()), current.len_bytes());
            gauge(encoder, "snapshot_records", "Records in the current snapshot", None, records)?;
            gauge(
                encoder,
                "snapshot_size",
                "Size of the current snapshot",
                Some(&Unit::Bytes),
                bytes,
            )?;
            gauge(
                encoder,
                "snapshot_opened_timestamp",
                "When the current snapshot became current, as Unix time",
                Some(&Unit::Seconds),
                self.snapshot_opened_seconds.load(Relaxed),
            )?;
        }
        let results = [
            ("loaded", &self.snapshot_loads),
            ("unchanged", &self.snapshot_unchanged),
            ("failed", &self.snapshot_failures),
        ];
        by_result(encoder, "snapshot_reloads", "Reloads of the snapshot by result", &results)
    }

    fn encode_keys(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        gauge(encoder, "keys", "Keys in the key file", None, self.keys.load(Relaxed) as u64)?;
        let results = [("loaded", &self.key_reloads), ("failed", &self.key_reload_failures)];
        by_result(encoder, "key_reloads", "Reloads of the key file by result", &results)
    }
}

fn counter(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: &AtomicU64,
) -> fmt::Result {
    let metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    ConstCounter::new(value.load(Relaxed)).encode(metric)
}

fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    value: u64,
) -> fmt::Result {
    let metric = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
    ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)).encode(metric)
}

fn by_result(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    results: &[(&str, &AtomicU64)],
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (result, value) in results {
        let labels: [(&str, &str); 1] = [("result", result)];
        ConstCounter::new(value.load(Relaxed)).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_their_labels_line_up() {
        let labels: Vec<_> = Outcome::labels().collect();
        assert_eq!(labels.len(), Outcome::COUNT);
        for code in Code::ALL {
            let label = labels[Outcome::Refused(code).index()];
            assert_eq!(label, (code.status().as_u16(), code.as_str()));
        }
        assert_eq!(labels[Outcome::Page.index()], (200, ""));
        assert_eq!(labels[Outcome::NotModified.index()], (304, ""));
    }

    #[test]
    fn workers_are_added_up() {
        let metrics = Arc::new(Metrics::default());
        for _ in 0..2 {
            let worker = metrics.add_worker();
            worker.answered(Outcome::Page, RequestKind::Text, Duration::from_micros(30));
            worker.answered(
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
            "firmament_key_reloads_total{result=\"failed\"} 0",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
