//! Makes a failing pair smaller, and shows it.

use super::requests::Request;
use super::{Fault, Pair, Subject, caught, companies, lines};
use crate::collections::{Record, Rng};
use crate::oracle::Oracle;
use firmament::query::page::Scratch;
use firmament::query::request::SortKey;

/// Most attempts at a smaller pair; each builds a snapshot.
const ATTEMPTS_MAX: usize = 600;

/// Shrinks a failing pair and panics with what is left of it.
pub fn report(seed: u64, records: &[Record], request: &Request, rng: &Rng) -> ! {
    let fault = fault(records, request, rng);
    let Some(first_fault) = fault else {
        panic!("FIRMAMENT_SEED={seed}: a fault that depends on earlier requests: {request}");
    };
    let (records, request) = shrunk(records.to_vec(), request.clone(), rng);
    let fault = self::fault(&records, &request, rng).unwrap_or(first_fault);
    let oracle = Oracle::new(companies(&records));
    let query = request.query().expect("it was checked before");
    let answer = oracle.answer(&query);
    let matches: Vec<String> = answer
        .matches
        .iter()
        .map(|found| {
            let id = &records[found.record].company.id;
            format!("{id} ({:?}, {:?})", found.tier, found.kind)
        })
        .collect();
    panic!(
        "FIRMAMENT_SEED={seed}: the engine answers otherwise than the oracle\n\n{}\n{request}\n\n{fault}\n\n\
         the oracle's matches: {}\ncorrected: {:?}, place: {:?}, relaxed: {}\n",
        lines(&records),
        matches.join(", "),
        answer.corrected,
        answer.place,
        answer.is_relaxed,
    );
}

/// What is wrong with the answer to a request, if anything.
fn fault(records: &[Record], request: &Request, rng: &Rng) -> Option<Fault> {
    request.query()?;
    let check = || {
        let oracle = Oracle::new(companies(records));
        let subject = Subject::publish(&companies(records), &lines(records));
        let (oracle, subject, rng, scratch) =
            (&oracle, &subject, rng.clone(), &mut Scratch::default());
        Pair::new(oracle, subject, records, request, rng, scratch).check()
    };
    caught(check).err()
}

/// Leaves out records, and parts of the request, as long as the rest still fails.
fn shrunk(mut records: Vec<Record>, mut request: Request, rng: &Rng) -> (Vec<Record>, Request) {
    let mut attempts = 0;
    loop {
        let mut is_smaller = false;
        for smaller in smaller_requests(&request) {
            attempts += 1;
            if fault(&records, &smaller, rng).is_some() {
                (request, is_smaller) = (smaller, true);
                break;
            }
        }
        let mut chunk = records.len() / 2;
        while chunk > 0 && !is_smaller {
            let mut start = 0;
            while start < records.len() && records.len() > chunk && attempts < ATTEMPTS_MAX {
                let mut fewer = records.clone();
                fewer.drain(start..(start + chunk).min(records.len()));
                attempts += 1;
                if !fewer.is_empty() && fault(&fewer, &request, rng).is_some() {
                    (records, is_smaller) = (fewer, true);
                } else {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
        if !is_smaller || attempts >= ATTEMPTS_MAX {
            return (records, request);
        }
    }
}

/// The request with one part less.
fn smaller_requests(request: &Request) -> Vec<Request> {
    let mut smaller = Vec::new();
    let mut add = |change: &dyn Fn(&mut Request)| {
        let mut changed = request.clone();
        change(&mut changed);
        smaller.push(changed);
    };
    if !request.q.is_empty() {
        add(&|r| r.q.clear());
    }
    let pieces: Vec<String> = request.q.join(" ").split(' ').map(str::to_owned).collect();
    if pieces.len() > 1 {
        (0..pieces.len()).for_each(|at| {
            add(&|r| {
                r.q.clone_from(&pieces);
                r.q.remove(at);
            })
        });
    }
    (0..request.industries.len()).for_each(|at| add(&|r| drop(r.industries.remove(at))));
    (0..request.locations.len()).for_each(|at| add(&|r| drop(r.locations.remove(at))));
    let excluded = request.excluded_industries.len();
    (0..excluded).for_each(|at| add(&|r| drop(r.excluded_industries.remove(at))));
    let excluded = request.excluded_locations.len();
    (0..excluded).for_each(|at| add(&|r| drop(r.excluded_locations.remove(at))));
    if request.min_year.is_some() {
        add(&|r| r.min_year = None);
    }
    if request.max_year.is_some() {
        add(&|r| r.max_year = None);
    }
    if request.min.is_some() {
        add(&|r| r.min = None);
    }
    if request.max.is_some() {
        add(&|r| r.max = None);
    }
    if request.order.is_some() {
        add(&|r| r.order = None);
    }
    if request.sort != SortKey::Relevance {
        add(&|r| r.sort = SortKey::Relevance);
    }
    if request.limit > 1 {
        add(&|r| r.limit /= 2);
    }
    smaller
}
