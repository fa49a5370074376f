//! From a request head to its response: the checks in the contract's order, then the search.
//!
//! Malformed HTTP · key · quota · path · method · parameters · admission; then the entity tag,
//! then the search. Everything here is synchronous and belongs to one worker; most searches are
//! shorter than handing them to another thread would take. A search that turns out to be expensive,
//! which is known before it begins, is handed to the [`pool`](super::pool); one beyond the budget
//! is refused.
//!
//! The quota is looked at in its place and charged once it is known whether the answer is free,
//! which is before any search. A key with nothing left is refused at the look; if another worker
//! takes the last request between the look and the charge, it is refused at the charge. So no
//! charge is ever given back, and the rate holds exactly (see [`crate::auth::Quota`]).
//!
//! A panic in reading parameters, searching or rendering becomes one 500 and is counted; the
//! worker's scratch memory, which it may have left in disorder, is replaced.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Response, StatusCode, Uri, Version};
use tokio::sync::oneshot;

use super::clock::Clock;
use super::cors::Cors;
use super::escaped::Excerpt;
use super::head_scan::HeadFault;
use super::metrics::{Metrics, Outcome, RequestKind};
use super::page::Page as BrowserPage;
use super::params::{IdsRequest, SearchRequest};
use super::pool::Pool;
use super::prepare::{Prepared, Work, prepare};
use super::published::Reader;
use super::request_id::RequestIds;
use super::respond::{
    Answer, Code, Context, Notes, Refusal, UNKNOWN_VALUES_MAX, UnknownValue, response,
};
use super::snapshots::SnapshotSet;
use super::{SearchFn, head_check, log};
use crate::auth::{KeyTable, LiveKey, QuotaStatus};
use crate::facets::nearest::nearest;
use crate::facets::{self, FacetCounts};
use crate::query::page::{Page, Scratch};
use crate::query::request::Valued;
use crate::query::session::cost::{EXPENSIVE, TooExpensive};
use crate::render;
use crate::snapshot::{Snapshot, SnapshotVersion};

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// One request, as far as it is read.
pub(super) struct Head<'a> {
    pub(super) method: &'a Method,
    pub(super) target: &'a Uri,
    pub(super) version: Version,
    pub(super) headers: &'a HeaderMap,
    /// What the parser did not see.
    pub(super) fault: Option<HeadFault>,
    /// Whether the connection is one too many.
    pub(super) overloaded: bool,
    /// Whether the connection ends with this request in any case.
    pub(super) last: bool,
}

/// Answers the requests of one worker.
pub(super) struct Answerer {
    pub(super) keys: RefCell<Reader<KeyTable>>,
    pub(super) snapshots: RefCell<Reader<SnapshotSet>>,
    pub(super) scratch: RefCell<Scratch>,
    pub(super) request_ids: RequestIds,
    pub(super) metrics: Arc<Metrics>,
    pub(super) clock: Clock,
    pub(super) search: SearchFn,
    /// Where expensive requests are answered.
    pub(super) pool: Pool,
    /// The most that a request may cost.
    pub(super) budget: u64,
    pub(super) access_log: bool,
    /// Which pages of other origins may ask.
    pub(super) cors: Option<Arc<Cors>>,
    /// What browsers get without a key.
    pub(super) page: Option<Arc<BrowserPage>>,
}

/// What is learnt on the way to an answer.
struct Facts {
    quota: Option<QuotaStatus>,
    /// The current snapshot, then the one that answers.
    snapshot: Option<SnapshotVersion>,
    kind: RequestKind,
    /// For the access log only.
    key_name: Option<String>,
}

/// A request under way.
struct Begun {
    started: Instant,
    request_id: HeaderValue,
    facts: Facts,
}

/// What becomes of a request.
pub(super) enum Reply {
    /// It is answered.
    Now(Response<Full<Bytes>>),
    /// The pool works on it.
    Later(Box<Later>),
}

/// A request that the pool works on.
pub(super) struct Later {
    begun: Begun,
    result: oneshot::Receiver<Result<Answer, Refusal>>,
}

/// What is known when the worker is done with a request.
enum Checked {
    Answered(Answer),
    Queued(oneshot::Receiver<Result<Answer, Refusal>>),
}

impl Answerer {
    /// Answers one request, or has it answered by the pool.
    pub(super) fn answer(&self, head: &Head<'_>) -> Reply {
        let started = Instant::now();
        let request_id = self.request_ids.for_request(head.headers);
        let current = self.snapshots.borrow_mut().latest().current().map(Snapshot::version);
        let facts =
            Facts { quota: None, snapshot: current, kind: RequestKind::NoSearch, key_name: None };
        let mut begun = Begun { started, request_id, facts };
        let answer = match self.checked(head, started, &mut begun.facts) {
            Ok(Checked::Queued(result)) => return Reply::Later(Box::new(Later { begun, result })),
            Ok(Checked::Answered(answer)) => answer,
            Err(refusal) => Answer::Refused(refusal),
        };
        Reply::Now(self.respond(head, begun, answer))
    }

    /// Answers a request with what the pool has come to.
    pub(super) fn answer_later(
        &self,
        head: &Head<'_>,
        later: Later,
        answer: Answer,
    ) -> Response<Full<Bytes>> {
        self.respond(head, later.begun, answer)
    }

    fn respond(&self, head: &Head<'_>, begun: Begun, answer: Answer) -> Response<Full<Bytes>> {
        let Begun { started, request_id, facts } = begun;
        let outcome = match &answer {
            Answer::Found { .. } => Outcome::Found,
            Answer::NotModified { .. } => Outcome::NotModified,
            Answer::Preflight(_) => Outcome::Preflight,
            Answer::Static(answer) if answer.status == StatusCode::OK => Outcome::Found,
            Answer::Static(_) => Outcome::Refused(Code::NotFound),
            Answer::Refused(refusal) => Outcome::Refused(refusal.code),
        };
        let has_body = head_check::has_body(head.headers);
        let close = head.last || head.overloaded || has_body;
        let (snapshot, quota) = (facts.snapshot, facts.quota);
        let mut response = response(answer, Context { request_id, snapshot, quota, close });
        if let Some(cors) = &self.cors {
            cors.mark(head.headers, response.headers_mut());
        }
        let duration = started.elapsed();
        self.metrics.answered(outcome, facts.kind, duration);
        if self.access_log {
            log_access(head, &response, facts.key_name.as_deref(), duration.as_micros());
        }
        response
    }

    /// Lets go of old keys and snapshots; a worker without requests would hold them for ever.
    pub(super) fn let_go_of_old(&self) {
        self.keys.borrow_mut().latest();
        self.snapshots.borrow_mut().latest();
    }

    fn checked(
        &self,
        head: &Head<'_>,
        started: Instant,
        facts: &mut Facts,
    ) -> Result<Checked, Refusal> {
        head_check::check(head)?;
        if let Some(cors) = &self.cors
            && let Some(preflight) = cors.preflight(head.method, head.headers)
        {
            return Ok(Checked::Answered(Answer::Preflight(preflight)));
        }
        if let Some(page) = &self.page
            && let Some(answer) = page.answer(head)
        {
            return Ok(Checked::Answered(Answer::Static(answer)));
        }
        let mut keys = self.keys.borrow_mut();
        let key = authenticate(keys.latest(), head.headers)?;
        if self.access_log {
            facts.key_name = Some(key.name().to_owned());
        }
        let now = self.clock.nanos_at(started);
        if let Some(quota) = key.quota()
            && !quota.has_some_left(now)
        {
            return Err(rate_limited(key, facts.quota.insert(quota.status(now))));
        }

        let mut snapshots = self.snapshots.borrow_mut();
        let open = snapshots.latest();
        let prepared = self.guarded(|| prepare(head, open)).flatten();
        if let Some(quota) = key.quota() {
            let is_free = matches!(prepared, Ok(Prepared::NotModified { named: true, .. }));
            let granted = is_free || quota.charge(now);
            let status = facts.quota.insert(quota.status(now));
            if !granted {
                return Err(rate_limited(key, status));
            }
        }

        match prepared? {
            Prepared::NotModified { tag, version, .. } => {
                facts.snapshot = Some(version);
                Ok(Checked::Answered(Answer::NotModified { tag }))
            }
            Prepared::Work { snapshot, work, tag } => {
                facts.snapshot = Some(snapshot.version());
                facts.kind = work.kind();
                let (search, budget) = (self.search, self.budget);
                let most = EXPENSIVE.min(budget);
                let done_here =
                    || done(search, snapshot, &work, most, &mut self.scratch.borrow_mut());
                match self.guarded(done_here)? {
                    Ok((body, notes)) => {
                        let body = body.into();
                        Ok(Checked::Answered(Answer::Found { body, tag, notes }))
                    }
                    Err(refused) if refused.cost > budget => Err(too_expensive(&refused, budget)),
                    Err(_) => {
                        let metrics = Arc::clone(&self.metrics);
                        let snapshot = open.handle_to(snapshot);
                        let queued = self.pool.submit(move || {
                            let mut scratch = Scratch::default();
                            let done = || done(search, &snapshot, &work, budget, &mut scratch);
                            match guarded(&metrics, done)? {
                                Ok((body, notes)) => {
                                    Ok(Answer::Found { body: body.into(), tag, notes })
                                }
                                Err(refused) => Err(too_expensive(&refused, budget)),
                            }
                        });
                        queued.map(Checked::Queued).ok_or_else(queue_is_full)
                    }
                }
            }
        }
    }

    /// Turns a panic into a refusal.
    fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, Refusal> {
        // What a panic may leave half done is the scratch memory, and that is replaced.
        guarded(&self.metrics, work).inspect_err(|_| {
            self.scratch.replace(Scratch::default());
        })
    }
}

impl Later {
    /// Waits until the pool has done the work, and says what it came to.
    pub(super) async fn done(&mut self) -> Answer {
        let done = (&mut self.result).await.unwrap_or_else(|_| {
            let message = "the server stops; try again in 1 s";
            Err(Refusal::new(Code::Overloaded, message))
        });
        done.unwrap_or_else(Answer::Refused)
    }
}

/// Turns a panic into a refusal.
fn guarded<T>(metrics: &Metrics, work: impl FnOnce() -> T) -> Result<T, Refusal> {
    // What it may have left half done is not looked at.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        metrics.panics.inc();
        let message = "the request could not be answered, and trying again may not help; \
            report the request id";
        Refusal::new(Code::Internal, message)
    })
}

/// The body of an answer, and what headers tell about it, if it costs `most` at most.
fn done(
    search: SearchFn,
    snapshot: &Snapshot,
    work: &Work,
    most: u64,
    scratch: &mut Scratch,
) -> Result<(Vec<u8>, Notes), TooExpensive> {
    Ok(match work {
        Work::Search(request) => {
            let SearchRequest { query, fields, .. } = &**request;
            let begun = Instant::now();
            let page = search(snapshot, query, most, scratch)?;
            let search = Some(begun.elapsed());
            let body = render::page_of(snapshot, &page, *fields);
            let unknown = unknown_values(snapshot, page.unknown);
            let Page { corrected, place, relaxed, .. } = page;
            (body, Notes { corrected, place, relaxed, unknown, search })
        }
        Work::Facets(request) => {
            let begun = Instant::now();
            let counts = facets::count_within(snapshot, request, scratch.tuning, most)?;
            let search = Some(begun.elapsed());
            let body = render::facets::facets(&counts);
            let unknown = unknown_values(snapshot, counts.unknown);
            let FacetCounts { corrected, place, relaxed, .. } = counts;
            (body, Notes { corrected, place, relaxed, unknown, search })
        }
        Work::Business(doc, fields) => {
            (render::business(snapshot, *doc, *fields), Notes::default())
        }
        Work::Businesses(IdsRequest { ids, fields }) => {
            let (mut docs, mut missing) = (Vec::new(), Vec::new());
            for id in ids {
                match snapshot.doc_by_id(id) {
                    Some(doc) => docs.push(doc),
                    None => missing.push(id.as_str()),
                }
            }
            (render::businesses(snapshot, &docs, &missing, *fields), Notes::default())
        }
        Work::About => (render::about::about(snapshot), Notes::default()),
    })
}

/// Values of filters that name nothing, each with the known one nearest to it.
fn unknown_values(snapshot: &Snapshot, unknown: Vec<(Valued, String)>) -> Vec<UnknownValue> {
    let unknown = unknown.into_iter().take(UNKNOWN_VALUES_MAX);
    unknown
        .map(|(filter, given)| {
            let nearest = nearest(snapshot, filter, &given);
            UnknownValue { filter, given, nearest }
        })
        .collect()
}

/// The key that a request names: `X-API-Key`, once, and nowhere else.
fn authenticate<'a>(keys: &'a KeyTable, headers: &HeaderMap) -> Result<&'a LiveKey, Refusal> {
    let mut given = headers.get_all(X_API_KEY).iter();
    let key = match (given.next(), given.next()) {
        (Some(_), Some(_)) => {
            return Err(Refusal::new(
                Code::InvalidApiKey,
                "several `X-API-Key` headers were given; send one",
            ));
        }
        (Some(key), None) if !key.is_empty() => key,
        _ => {
            let message = "no API key was given; send one in the header `X-API-Key`";
            return Err(Refusal::new(Code::MissingApiKey, message));
        }
    };
    let key = keys.find(key.as_bytes()).ok_or_else(|| {
        let message = "the API key is not one that this server knows; check it for typing \
            errors, or ask for a new one";
        Refusal::new(Code::InvalidApiKey, message)
    })?;
    if key.is_expired(jiff::Timestamp::now) {
        let message = "the API key is past its date; ask for a new one";
        return Err(Refusal::new(Code::ExpiredApiKey, message));
    }
    Ok(key)
}

fn rate_limited(key: &LiveKey, status: &QuotaStatus) -> Refusal {
    let rate = key.quota().map_or(0.0, |quota| quota.rule().rate());
    let message = format!(
        "the quota of this API key, {rate} requests per second and {} at once, is used up; try \
            again in {} s",
        status.limit, status.retry_after_seconds
    );
    Refusal::new(Code::RateLimited, message)
}

/// Says what is expensive about a request, and what would help.
fn too_expensive(refused: &TooExpensive, budget: u64) -> Refusal {
    let cost = refused.cost;
    let mend = match refused.words.as_slice() {
        [] => "narrow it by filters, or ask for fewer facets".to_owned(),
        words => {
            let words: Vec<String> =
                words.iter().map(|word| format!("\"{}\"", Excerpt(word))).collect();
            format!(
                "the dearest words are {}: leave them out, or add a rarer word or a filter",
                words.join(", ")
            )
        }
    };
    let message = format!(
        "the request may read {cost} postings and tokens, and this server reads {budget} at most; \
            {mend}"
    );
    let param = (!refused.words.is_empty()).then(|| "q".to_owned());
    Refusal { code: Code::QueryTooExpensive, message, param }
}

fn queue_is_full() -> Refusal {
    let message = "the server has as many expensive requests as it can take; try again in 1 s";
    Refusal::new(Code::Overloaded, message)
}

fn log_access(head: &Head<'_>, response: &Response<Full<Bytes>>, key: Option<&str>, micros: u128) {
    let target = head.target.path_and_query().map_or("", |target| target.as_str());
    let id =
        response.headers().get(super::request_id::X_REQUEST_ID).and_then(|id| id.to_str().ok());
    log::line(format_args!(
        "{} {} \"{}\" {micros} us, key {}, request {}",
        response.status().as_u16(),
        Excerpt(head.method.as_str()),
        Excerpt(target),
        key.unwrap_or("-"),
        id.unwrap_or("-"),
    ));
}
