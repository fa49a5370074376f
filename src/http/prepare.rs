//! From a request with a valid key to the work that it asks for: path, method, parameters,
//! snapshot, admission, entity tag.

use hyper::Method;

use super::answer::Head;
use super::conditional::{EntityTag, Match, if_none_match};
use super::escaped::Excerpt;
use super::metrics::RequestKind;
use super::operation::Operation;
use super::params;
use super::params::{IdsRequest, SearchRequest};
use super::respond::{Code, Refusal};
use super::snapshots::SnapshotSet;
use crate::facets::FacetQuery;
use crate::ids::DocId;
use crate::query::cursor::Cursor;
use crate::render::fields::Fields;
use crate::snapshot::{Snapshot, SnapshotVersion};

/// A request that has passed all checks.
pub(super) enum Prepared<'a> {
    NotModified { tag: EntityTag, version: SnapshotVersion, named: bool },
    Work { snapshot: &'a Snapshot, work: Work, tag: EntityTag },
}

/// What is to be done for an answer.
pub(super) enum Work {
    Search(Box<SearchRequest>),
    Business(DocId, Fields),
    Businesses(IdsRequest),
    Facets(Box<FacetQuery>),
    About,
}

impl Work {
    /// What it is about, for the metrics.
    pub(super) fn kind(&self) -> RequestKind {
        match self {
            Work::Search(request) if request.has_text => RequestKind::Text,
            Work::Search(_) => RequestKind::Filter,
            Work::Facets(_) => RequestKind::Facets,
            Work::Business(..) | Work::Businesses(_) | Work::About => RequestKind::Lookup,
        }
    }
}

/// A request whose parameters are in order.
enum Request {
    Search(Box<SearchRequest>),
    Business(IdsRequest),
    Businesses(IdsRequest),
    Facets(Box<FacetQuery>),
    About,
}

/// Path, method, parameters, admission, entity tag.
pub(super) fn prepare<'a>(
    head: &Head<'_>,
    snapshots: &'a SnapshotSet,
) -> Result<Prepared<'a>, Refusal> {
    let path = head.target.path();
    let operation = Operation::at(path).ok_or_else(|| not_found(path))?;
    if !matches!(*head.method, Method::GET | Method::HEAD) {
        return Err(method_not_allowed(head.method, operation));
    }
    let request = parse(operation, head.target.query())?;
    let Some(current) = snapshots.current() else {
        return Err(Refusal::new(
            Code::NotReady,
            "the server is still opening its data; try again in 1 s",
        ));
    };
    let (snapshot, fingerprint) = match &request {
        Request::Search(request) => {
            let fingerprint = request.query.fingerprint();
            let cursor = request.query.cursor.as_ref();
            let named = cursor.map(|cursor| snapshot_of(cursor, fingerprint, snapshots));
            (named.transpose()?.unwrap_or(current), fingerprint)
        }
        _ => (current, 0),
    };
    if head.overloaded {
        let message = "the server has as many connections as it can serve; try again in 1 s";
        return Err(Refusal::new(Code::Overloaded, message));
    }
    let version = snapshot.version();
    let (tag, work) = match request {
        Request::Search(request) => {
            let (limit, cursor) = (request.query.limit, request.cursor_text.as_deref());
            let tag = EntityTag::of_page(version, fingerprint, limit, request.fields, cursor);
            (tag, Work::Search(request))
        }
        Request::Business(request) => {
            let doc = request.ids.iter().find_map(|id| snapshot.doc_by_id(id));
            let tag = tag_of_ids(version, operation, &request);
            (tag, Work::Business(doc.ok_or_else(|| nobody(&request))?, request.fields))
        }
        Request::Businesses(request) => {
            (tag_of_ids(version, operation, &request), Work::Businesses(request))
        }
        Request::Facets(request) => {
            (tag_of_facets(version, operation, &request), Work::Facets(request))
        }
        Request::About => {
            let none = std::iter::empty();
            (EntityTag::of_answer(version, operation.path(), none), Work::About)
        }
    };
    Ok(match if_none_match(head.headers, &tag) {
        Match::None => Prepared::Work { snapshot, work, tag },
        matched => Prepared::NotModified { tag, version, named: matched == Match::Tag },
    })
}

fn parse(operation: Operation<'_>, query_string: Option<&str>) -> Result<Request, Refusal> {
    Ok(match operation {
        Operation::Search => Request::Search(Box::new(params::search(query_string)?)),
        Operation::Business(id) => Request::Business(params::business(id, query_string)?),
        Operation::Businesses => Request::Businesses(params::businesses(query_string)?),
        Operation::Facets => Request::Facets(Box::new(params::facets(query_string)?)),
        Operation::About => {
            params::none(query_string, operation)?;
            Request::About
        }
    })
}

/// The snapshot that a cursor belongs to, if it is open and the cursor one of this query.
fn snapshot_of<'a>(
    cursor: &Cursor,
    fingerprint: u64,
    snapshots: &'a SnapshotSet,
) -> Result<&'a Snapshot, Refusal> {
    let refusal = |code, message: &str| Refusal {
        code,
        message: message.to_owned(),
        param: Some("cursor".to_owned()),
    };
    let named = snapshots.with_version(cursor.snapshot_version()).ok_or_else(|| {
        if snapshots.is_behind(cursor.built_at) {
            let message = "`cursor` belongs to data that are newer than those of this server, which has yet \
                to load them; repeat the request in 1 s";
            return refusal(Code::NotReady, message);
        }
        let message = "the data that `cursor` belongs to has been replaced; leave `cursor` out to \
            begin again with the first page";
        refusal(Code::CursorExpired, message)
    })?;
    if cursor.query_fingerprint() != fingerprint {
        let message = "`cursor` belongs to a request with other parameters; between pages only \
            `limit` and `fields` may change, so repeat the others as they were";
        return Err(refusal(Code::CursorMismatch, message));
    }
    Ok(named)
}

fn tag_of_ids(
    version: SnapshotVersion,
    operation: Operation<'_>,
    request: &IdsRequest,
) -> EntityTag {
    let fields = [request.fields.bits()];
    let params = request.ids.iter().map(String::as_bytes).chain([&fields[..]]);
    EntityTag::of_answer(version, operation.path(), params)
}

fn tag_of_facets(
    version: SnapshotVersion,
    operation: Operation<'_>,
    request: &FacetQuery,
) -> EntityTag {
    let fingerprint = request.query.fingerprint().to_le_bytes();
    let facets: Vec<u8> = request.facets.iter().map(|&facet| facet as u8).collect();
    let prefix = request.prefix.as_deref().unwrap_or_default().as_bytes();
    let limit = (request.limit as u64).to_le_bytes();
    let params = [&fingerprint[..], &facets, prefix, &limit];
    EntityTag::of_answer(version, operation.path(), params.into_iter())
}

fn nobody(request: &IdsRequest) -> Refusal {
    let id = request.ids.first().map_or("", String::as_str);
    let message = format!(
        "no business has the id \"{}\"; ids are compared byte for byte, and one that is part of a \
            path is percent-encoded",
        Excerpt(id)
    );
    Refusal { code: Code::NotFound, message, param: Some("id".to_owned()) }
}

fn not_found(path: &str) -> Refusal {
    let paths = Operation::ALL.map(Operation::path).join(", ");
    let message = format!("there is nothing at \"{}\"; there are {paths}", Excerpt(path));
    Refusal::new(Code::NotFound, message)
}

fn method_not_allowed(method: &Method, operation: Operation<'_>) -> Refusal {
    let message = format!(
        "the method {} is not accepted; this is a GET (or HEAD) with its parameters in the query \
            string and no body, as in GET {}",
        Excerpt(method.as_str()),
        operation.example()
    );
    Refusal::new(Code::MethodNotAllowed, message)
}
