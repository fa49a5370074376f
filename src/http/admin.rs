//! The operator's side: probes, metrics, reload. Its own address and its own thread, so that it
//! answers when the service is saturated; no key, so that it belongs on a loopback or otherwise
//! protected address.
//!
//! | request | answer |
//! |---|---|
//! | `GET /livez` | 200 as long as the process runs |
//! | `GET /readyz` | 200 if a snapshot is open and the server is not stopping, else 503 |
//! | `GET /metrics` | OpenMetrics text |
//! | `GET /openapi.json` | what the service answers, for programs |
//! | `POST /-/reload` | opens the snapshot file again: 200 with the version, or 500 and nothing changes |

use std::cell::Cell;
use std::convert::Infallible;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};

use super::connection::http_settings;
use super::head_scan::HeadScan;
use super::metrics::Metrics;
use super::openapi::openapi;
use super::published::Published;
use super::reload::LoadRequest;
use super::shutdown::{Phase, reached};
use super::snapshots::SnapshotSet;
use super::stream::{READ_BUFFER_BYTES, ReadBuffer, Stream};
use super::write_batching::{Outbox, Turn};

/// Connections beyond this are closed at once.
const CONNECTIONS_MAX: usize = 64;

const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const JSON: &str = "application/json";

/// What the admin endpoints look at and set in motion.
pub(super) struct Admin {
    pub(super) metrics: Arc<Metrics>,
    pub(super) snapshots: Arc<Published<SnapshotSet>>,
    pub(super) loads: Sender<LoadRequest>,
    pub(super) phase: watch::Receiver<Phase>,
    pub(super) head_timeout: Duration,
}

impl Admin {
    /// Serves `listener` until the server has ended. Needs the local runtime of its thread around
    /// it.
    pub(super) async fn run(self, listener: TcpListener) -> std::io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let mut phase = self.phase.clone();
        let this = Rc::new(self);
        tokio::select! {
            never = this.accept(&listener) => match never {},
            () = reached(&mut phase, Phase::Ended) => Ok(()),
        }
    }

    async fn accept(self: &Rc<Self>, listener: &tokio::net::TcpListener) -> Infallible {
        let buffer: ReadBuffer = Rc::new(vec![0; READ_BUFFER_BYTES].into_boxed_slice().into());
        let open = Rc::new(Cell::new(0));
        loop {
            let Ok((socket, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            if open.get() >= CONNECTIONS_MAX {
                continue;
            }
            open.set(open.get() + 1);
            let (this, buffer, open) = (Rc::clone(self), Rc::clone(&buffer), Rc::clone(&open));
            tokio::task::spawn_local(async move {
                this.serve(socket, buffer).await;
                open.set(open.get() - 1);
            });
        }
    }

    async fn serve(self: Rc<Self>, socket: TcpStream, buffer: ReadBuffer) {
        let heads = Rc::new(HeadScan::new().into());
        let turn = Rc::new(Turn::new(Rc::new(Outbox::new())));
        let stream = Stream::new(socket, buffer, heads, turn);
        let service = service_fn(|request| self.answer(request));
        // Whatever ends a connection here is the operator's tool's business.
        let _ = http_settings(self.head_timeout).serve_connection(stream, service).await;
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
        let mut response = match request.uri().path() {
            "/livez" if is_reading => json_response(StatusCode::OK, &json!({"status": "live"})),
            "/readyz" if is_reading => self.readiness(),
            "/metrics" if is_reading => self.metrics(),
            "/-/reload" if request.method() == Method::POST => self.reload().await,
            "/openapi.json" if is_reading => with_body(StatusCode::OK, JSON, openapi()),
            "/livez" | "/readyz" | "/metrics" | "/openapi.json" => not_allowed("GET, HEAD"),
            "/-/reload" => not_allowed("POST"),
            _ => error(
                StatusCode::NOT_FOUND,
                "not_found",
                "there are /livez, /readyz, /metrics, /openapi.json and POST /-/reload",
            ),
        };
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if *self.phase.borrow() != Phase::Running {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }

    fn readiness(&self) -> Response<Full<Bytes>> {
        let set = self.snapshots.get();
        let reason = match (*self.phase.borrow(), set.current()) {
            (Phase::Running, Some(current)) => {
                let version = current.version().to_string();
                return json_response(
                    StatusCode::OK,
                    &json!({"status": "ready", "snapshot": version}),
                );
            }
            (Phase::Running, None) => "opening",
            _ => "stopping",
        };
        let mut response =
            json_response(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": reason}));
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        match self.metrics.text() {
            Ok(text) => with_body(StatusCode::OK, OPENMETRICS, text),
            Err(_) => error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "the metrics could not be written; report this",
            ),
        }
    }

    async fn reload(&self) -> Response<Full<Bytes>> {
        let (reply, result) = oneshot::channel();
        // If the thread is gone, so is the reply's sender, and the wait ends at once.
        let _ = self.loads.send(LoadRequest { reply: Some(reply) });
        match result.await {
            Ok(Ok(loaded)) => {
                let status = if loaded.unchanged { "unchanged" } else { "loaded" };
                let (version, records) = (loaded.version.to_string(), loaded.records);
                let body = json!({"status": status, "snapshot": version, "records": records});
                json_response(StatusCode::OK, &body)
            }
            Ok(Err(message)) => error(StatusCode::INTERNAL_SERVER_ERROR, "reload_failed", &message),
            Err(_) => error(
                StatusCode::SERVICE_UNAVAILABLE,
                "stopping",
                "the server is stopping; nothing was loaded",
            ),
        }
    }
}

fn not_allowed(allow: &'static str) -> Response<Full<Bytes>> {
    let message = format!("accepted here: {allow}");
    let mut response = error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}

fn error(status: StatusCode, code: &str, message: &str) -> Response<Full<Bytes>> {
    json_response(status, &json!({"error": {"code": code, "message": message}}))
}

fn json_response(status: StatusCode, body: &serde_json::Value) -> Response<Full<Bytes>> {
    with_body(status, JSON, format!("{body}\n"))
}

fn with_body(
    status: StatusCode,
    content_type: &'static str,
    body: String,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
