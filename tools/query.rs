//! `firmament-tools query`: answers one request in process, and tells why; or many, and tells what
//! they cost.
//!
//! In: a snapshot and a query string, what stands behind `?` in a request. Out: the results as a
//! table, or with `--json` the body of the response; with `--explain` also the [`Explanation`].
//! With a file of requests in place of the query string: their times ([`workload`]). With `--walk`
//! what each page of a walk costs ([`walk`]).

mod walk;
mod workload;

use super::output::{plain, print};
use super::{Failure, inspect};
use firmament::facets::Facet;
use firmament::http::parse_query_string;
use firmament::query::Shares;
use firmament::query::explain::{Explanation, PlanNode, ResultExplanation, Standing, explain};
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::Query;
use firmament::render;
use firmament::snapshot::Snapshot;
use firmament::snapshot::columns::doc_store::id_and_name;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Options of `query`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools query companies.firmament 'q=pay+pal&location=Georgia&limit=5'
  firmament-tools query companies.firmament --explain --q 'pay pal'
  firmament-tools query companies.firmament --walk 'industry=Software&sort=name'
  firmament-tools query companies.firmament --workload mixed.tsv --repeat 3 --slowest 20
  firmament-tools query companies.firmament --workload mixed.tsv --repeat 3 --facet industry,city")]
pub struct QueryArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// What stands behind `?` in a request, as 'q=pay+pal&location=Georgia&limit=5'
    #[arg(default_value = "")]
    query_string: String,
    /// The text to search for, as it is; instead of q in the query string
    #[arg(long = "q", value_name = "TEXT")]
    q: Option<String>,
    /// Tell how q was clause_match, the plan, and why each result stands where it stands
    #[arg(long)]
    explain: bool,
    /// Print one JSON object: the body of the response, or with --explain body and explanation;
    /// with --workload the times
    #[arg(long)]
    json: bool,
    /// Read all pages of the request by their cursors, there and back, check that they join, and
    /// tell what pages cost at the beginning, in the middle and at the end
    #[arg(long, conflicts_with_all = ["explain", "workload"])]
    walk: bool,
    #[command(flatten)]
    measured: MeasuredArguments,
}

/// Options of `query --workload`.
#[derive(clap::Args)]
struct MeasuredArguments {
    /// Time the requests of a file, as `workload` writes it, in process and on one thread
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query_string", "q", "explain"])]
    workload: Option<PathBuf>,
    /// With --workload: include the rendering of the body in the times
    #[arg(long, requires = "workload")]
    render: bool,
    /// With --workload: count the values of these facets in place of searching, 20 of each
    #[arg(long, value_name = "FACETS", requires = "workload", conflicts_with = "render",
          value_delimiter = ',', value_parser = facet)]
    facet: Vec<Facet>,
    /// With --workload: answer the file so many times before it is timed
    #[arg(long, value_name = "N", default_value_t = 1, requires = "workload")]
    warm_up: u32,
    /// With --workload: time each request so often; its least time counts
    #[arg(long, value_name = "N", default_value_t = 1, requires = "workload",
          value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// With --workload: list so many of the dearest requests
    #[arg(long, value_name = "N", default_value_t = 0, requires = "workload")]
    slowest: usize,
}

fn facet(name: &str) -> Result<Facet, String> {
    let names = Facet::ALL.map(Facet::name).join(", ");
    let found = Facet::ALL.into_iter().find(|facet| facet.name() == name);
    found.ok_or_else(|| format!("there is no facet of this name; there are {names}"))
}

/// Answers the request, or those of the file, and prints what was asked for.
pub fn run(arguments: &QueryArguments) -> Result<(), Failure> {
    let text = match &arguments.measured.workload {
        Some(path) => workload::run(arguments, path)?,
        None if arguments.walk => {
            let query = parse(arguments)?;
            let snapshot = inspect::open(&arguments.snapshot)?;
            check_cursor(&query, &snapshot)?;
            walk::run(&snapshot, &query, arguments.json)?
        }
        None => answer(arguments)?,
    };
    print(&text)
}

fn answer(arguments: &QueryArguments) -> Result<String, Failure> {
    let query = parse(arguments)?;
    let snapshot = inspect::open(&arguments.snapshot)?;
    check_cursor(&query, &snapshot)?;
    let page = search(&snapshot, &query, &mut Scratch::default());
    let explanation = arguments.explain.then(|| explain(&snapshot, &query, &page));
    Ok(match (arguments.json, &explanation) {
        (false, explanation) => describe(&snapshot, &page, explanation.as_ref()),
        (true, None) => {
            String::from_utf8_lossy(&render::page(&snapshot, &page)).into_owned() + "\n"
        }
        (true, Some(explanation)) => to_json(&snapshot, &page, explanation).to_string() + "\n",
    })
}

fn parse(arguments: &QueryArguments) -> Result<Query, Failure> {
    let mut query_string = arguments.query_string.clone();
    if let Some(q) = &arguments.q {
        if !query_string.is_empty() {
            query_string.push('&');
        }
        query_string.push_str("q=");
        query_string.extend(form_urlencoded::byte_serialize(q.as_bytes()));
    }
    parse_query_string(&query_string)
        .map_err(|error| Failure { message: error.to_string(), exit_code: 2 })
}

/// A cursor of another request or snapshot would give some page, not the one it means.
fn check_cursor(query: &Query, snapshot: &Snapshot) -> Result<(), Failure> {
    let failure = |message: String| Err(Failure { message, exit_code: 2 });
    match &query.cursor {
        Some(cursor) if cursor.snapshot_version() != snapshot.version() => failure(format!(
            "cursor_expired: `cursor` belongs to snapshot {}, this is {}; leave it out to begin with the first \
             page",
            cursor.snapshot_version(),
            snapshot.version()
        )),
        Some(cursor) if cursor.query_fingerprint() != query.fingerprint() => failure(
            "cursor_mismatch: `cursor` belongs to a request with other parameters; repeat them as they were, \
             only `limit` and `fields` may change"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

fn describe(snapshot: &Snapshot, page: &Page, explanation: Option<&Explanation>) -> String {
    let mut text = match explanation {
        Some(explanation) => explanation.to_string(),
        None => table(snapshot, page),
    };
    for (title, cursor) in [("next", &page.next_cursor), ("previous", &page.previous_cursor)] {
        if let Some(cursor) = cursor {
            let _ = writeln!(text, "{:16} {}", format!("{title}_cursor"), cursor.encode());
        }
    }
    text
}

fn table(snapshot: &Snapshot, page: &Page) -> String {
    let mut text = format!("{} of {} businesses\n", page.docs.len(), page.total);
    if let Some(corrected) = &page.corrected {
        let _ = writeln!(text, "corrected: {corrected}");
    }
    if let Some(place) = &page.place {
        let _ = writeln!(text, "place: {place}");
    }
    if page.relaxed {
        text.push_str("relaxed: nothing matches all words, so any counts\n");
    }
    for (rank, &doc) in (1..).zip(&page.docs) {
        let (id, name) = id_and_name(&snapshot.document(doc));
        let _ = writeln!(text, "{rank:>3}  {}  {}", plain(&id), plain(&name));
    }
    text
}

fn to_json(snapshot: &Snapshot, page: &Page, explanation: &Explanation) -> Value {
    let body: Value = serde_json::from_slice(&render::page(snapshot, page)).unwrap_or_default();
    let clauses = explanation.clauses.iter().map(|clause| {
        json!({
            "text": clause.text,
            "kind": clause.kind.to_string(),
            "looked_up": clause.looked_up,
            "quoted": clause.is_quoted,
            "starred": clause.is_starred,
            "prefix": clause.prefix.map(|reach| {
                json!({ "words": reach.words, "names": reach.names, "hosts": reach.hosts })
            }),
            "with_neighbours": clause.with_neighbours,
            "readings": clause.readings,
            "split": clause.split,
            "businesses": clause.businesses,
        })
    });
    json!({
        "response": body,
        "corrected": page.corrected,
        "place": page.place,
        "relaxed": page.relaxed,
        "explanation": {
            "q": explanation.q,
            "reading": explanation.reading.to_string(),
            "clauses": clauses.collect::<Vec<_>>(),
            "legal_forms": explanation.legal_forms,
            "excluded": explanation.excluded,
            "plan": plan_to_json(&explanation.plan),
            "results": explanation.results.iter().map(result_to_json).collect::<Vec<_>>(),
        },
    })
}

fn plan_to_json(node: &PlanNode) -> Value {
    json!({
        "what": node.what,
        "at_most": node.cardinality_max,
        "exactly": node.cardinality,
        "parts": node.parts.iter().map(plan_to_json).collect::<Vec<_>>(),
    })
}

fn result_to_json(result: &ResultExplanation) -> Value {
    let held = result.held.iter().map(|held| held.iter().map(ToString::to_string).collect());
    let shares = match result.standing {
        Standing::Relaxed(shares) => {
            let Shares { of_query, of_name, boost } = shares;
            json!({ "of_q": of_query, "of_name": of_name, "boost": boost, "score": shares.score() })
        }
        _ => Value::Null,
    };
    json!({
        "rank": result.rank,
        "id": result.id,
        "name": result.name,
        "standing": result.standing.to_string(),
        "shares": shares,
        "text_score": result.score.sum(),
        "text_score_of_clauses": result.score.clauses,
        "text_score_of_legal_forms": result.score.legal_forms,
        "held": held.collect::<Vec<Vec<String>>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(query_string: &str, q: Option<&str>) -> QueryArguments {
        QueryArguments {
            snapshot: PathBuf::new(),
            query_string: query_string.to_owned(),
            q: q.map(str::to_owned),
            explain: false,
            json: false,
            walk: false,
            measured: MeasuredArguments {
                workload: None,
                render: false,
                facet: Vec::new(),
                warm_up: 1,
                repeat: 1,
                slowest: 0,
            },
        }
    }

    #[test]
    fn a_text_is_taken_as_it_is() {
        let query = parse(&arguments("limit=5", Some("AT&T + 50% é"))).ok().unwrap();
        assert_eq!((query.text.as_str(), query.limit), ("AT&T + 50% é", 5));
    }

    #[test]
    fn what_the_server_refuses_is_refused() {
        for (query_string, q, code) in [
            ("limit=0", None, "invalid_parameter: "),
            ("q=a", Some("b"), "duplicate_parameter: "),
            ("min_employee=1", None, "unknown_parameter: "),
        ] {
            let failure = parse(&arguments(query_string, q)).err().unwrap();
            assert!(failure.message.starts_with(code), "{}", failure.message);
            assert_eq!(failure.exit_code, 2);
        }
    }
}
