//! Websites on hosts that many businesses share, as pages on a social network: their paths count.
//!
//! Contract, section 3, "Whole id, and hosts". Paths are not indexed: the stored websites of the
//! documents on the host are read. Further websites of a document are not stored, so that they
//! are found by their hosts alone, where few share these.

use super::Session;
use crate::analyzer::host::{Host, path_of_website};
use crate::ids::DocId;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::doc_store;

/// Most documents of a host whose address tells them well enough.
const UNSHARED_MAX: usize = 100;

/// What reading a document costs, in postings and tokens.
const DOCUMENT: u64 = 512;

impl<'s> Session<'s> {
    /// Documents whose website has this host and path, both folded, if many share the host.
    pub(super) fn page_on_shared_host(&self, host: &str, path: &str) -> Option<SetExpr<'s>> {
        let snapshot = self.snapshot();
        let docs = snapshot.on_host(host).filter(|docs| docs.len() > UNSHARED_MAX)?;
        let check = WebsiteIs { snapshot, host: host.to_owned(), path: path.to_owned() };
        Some(SetExpr::filtered(SetExpr::list(docs), check))
    }
}

/// The condition that the website of a document has a host and a path.
#[derive(Debug)]
struct WebsiteIs<'s> {
    snapshot: &'s Snapshot,
    host: String,
    path: String,
}

impl Predicate for WebsiteIs<'_> {
    fn matches(&self, doc: DocId) -> bool {
        doc_store::website(&self.snapshot.document(doc)).is_some_and(|website| {
            path_of_website(&website).is_some_and(|path| path == self.path)
                && Host::of_website(&website).is_some_and(|host| host.name() == self.host)
        })
    }

    fn cost(&self) -> u64 {
        DOCUMENT
    }

    fn describe(&self) -> String {
        format!("website {}{}", self.host, self.path)
    }
}
