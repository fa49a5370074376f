//! Property tests: the engine must answer as the oracle does, on random collections and requests.
//!
//! For each pair of a collection and a request: the total; what `q` was corrected to and whether it
//! was relaxed; the exact sequence under every sort and order; walks over pages of random sizes,
//! forward and back; that a further filter never adds matches, and never changes how `q` is read;
//! and the bytes of the first page. Text scores and the scores of relaxed answers are the engine's,
//! told of each record alone. A failing pair is shrunk and shown. At the end the run shows how
//! often each rule decided something, and fails if one never did.
//!
//! `FIRMAMENT_PAIRS` is the number of pairs and `FIRMAMENT_SEED` where they come from: the same
//! seed gives the same pairs. A million pairs by hand:
//!
//! ```text
//! FIRMAMENT_PAIRS=1000000 FIRMAMENT_SEED=7 cargo test --release --test integration -- --nocapture answers
//! ```

/// Returns a fault unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

mod coverage;
mod facets;
mod frequent_pairs;
mod misspelling;
mod requests;
mod shrink;
pub mod subject;

use crate::collections::{self, Record, Rng};
use crate::oracle::relaxation::Boosts;
use crate::oracle::{Answer, Oracle, rows};
use coverage::Coverage;
use firmament::company::{Company, TextList};
use firmament::ids::DocId;
use firmament::query::Shares;
use firmament::query::cursor::Cursor;
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::session::ways::Way;
use firmament::query::text::TextQuery;
use requests::Request;
use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use subject::Subject;

const PAIRS_DEFAULT: u64 = 12_000;
const SEED_DEFAULT: u64 = 20_260_101;

/// Fewer pairs than this need not exercise every rule.
const PAIRS_TO_COVER: u64 = 10_000;

/// What is wrong with an answer.
type Fault = String;

/// One request to one collection, and what is needed to check it.
struct Pair<'a> {
    oracle: &'a Oracle,
    subject: &'a Subject,
    records: &'a [Record],
    request: &'a Request,
    query: Query,
    /// What the engine must answer.
    answer: Answer,
    /// The text score of each record that matches.
    scores: HashMap<usize, u32>,
    /// What each of them shares with a relaxed query.
    shares: HashMap<usize, Shares>,
    rng: Rng,
    scratch: &'a mut Scratch,
}

impl<'a> Pair<'a> {
    fn new(
        oracle: &'a Oracle,
        subject: &'a Subject,
        records: &'a [Record],
        request: &'a Request,
        rng: Rng,
        scratch: &'a mut Scratch,
    ) -> Pair<'a> {
        let query = request.query().expect("a request that was generated");
        let answer = oracle.answer(&query);
        let scores = {
            let score = subject.text_score(&query);
            answer.matches.iter().map(|found| (found.record, score(found.record))).collect()
        };
        let relaxed = answer.matches.iter().filter(|_| answer.is_relaxed);
        let shares = relaxed.map(|it| (it.record, subject.relaxed_shares(&query, it.record)));
        let shares = shares.collect();
        Pair { oracle, subject, records, request, query, answer, scores, shares, rng, scratch }
    }

    /// Checks everything.
    fn check(&mut self) -> Result<(), Fault> {
        let query = self.query.clone();
        let sequence = self.sequence(query.sort, query.order);
        let first = self.page(&query, &sequence, 0..query.limit as usize)?;
        self.check_bytes(&first, &sequence)?;
        self.check_walk(&query, &sequence)?;
        for sort in requests::SORTS {
            for order in requests::ORDERS {
                let sequence = self.sequence(sort, order);
                self.check_order(&Query { sort, order, limit: 100, ..query.clone() }, &sequence)?;
            }
        }
        self.check_narrowing()
    }

    /// The full sequence in an order.
    fn sequence(&self, sort: SortKey, order: SortOrder) -> Vec<usize> {
        if self.answer.is_relaxed && sort == SortKey::Relevance {
            return self.relaxed_sequence(order);
        }
        let score = |number| self.scores[&number];
        self.oracle.sequence(&self.answer, sort, order, &score)
    }

    /// "Relaxed answers are ranked by how much of `q` and of the name they share, then by text
    /// score and static order"; the worst first with `order=asc`.
    fn relaxed_sequence(&self, order: SortOrder) -> Vec<usize> {
        let mut keyed: Vec<(i64, usize, usize)> = self
            .answer
            .matches
            .iter()
            .map(|found| {
                let score = self.shares[&found.record].score();
                let key = i64::from(score) << 16 | i64::from(self.scores[&found.record]);
                let static_order = self.oracle.records()[found.record].places.static_order;
                (if order == SortOrder::Desc { -key } else { key }, static_order, found.record)
            })
            .collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(.., record)| record).collect()
    }

    /// The engine's answer; a panic of the engine is a fault.
    fn ask(&mut self, query: &Query) -> Result<Page, Fault> {
        caught(|| Ok(self.subject.search(query, self.scratch)))
    }

    /// Asks for one page and compares it with a range of the sequence, of which the end may be
    /// beyond the last business.
    fn page(
        &mut self,
        query: &Query,
        sequence: &[usize],
        range: Range<usize>,
    ) -> Result<Page, Fault> {
        let (start, end) = (range.start, range.end.min(sequence.len()));
        let what = || {
            let side = query.cursor.map_or("first page".to_owned(), |c| format!("{:?}", c.side));
            let (sort, order, limit) = (query.sort, query.order, query.limit);
            format!("{sort:?} {order:?}, limit {limit}, {start}..{end}, {side}")
        };
        let page = self.ask(query).map_err(|fault| format!("{}: {fault}", what()))?;
        self.check_reading(&page).map_err(|fault| format!("{}: {fault}", what()))?;
        ensure!(
            page.total == sequence.len() as u64,
            "{}: total is {}, should be {}",
            what(),
            page.total,
            sequence.len()
        );
        let numbers: Vec<usize> =
            page.docs.iter().map(|doc| self.subject.numbers[doc.index()]).collect();
        ensure!(
            numbers == sequence[start..end],
            "{}: businesses are\n  {:?}, should be\n  {:?}",
            what(),
            self.ids(&numbers),
            self.ids(&sequence[start..end])
        );
        ensure!(
            page.next_cursor.is_none() == (end == sequence.len()),
            "{}: next_cursor is {:?} at {end} of {}",
            what(),
            page.next_cursor,
            sequence.len()
        );
        ensure!(
            page.previous_cursor.is_none() == (start == 0),
            "{}: previous_cursor is {:?}",
            what(),
            page.previous_cursor
        );
        Ok(page)
    }

    /// How the engine read `q`.
    fn check_reading(&self, page: &Page) -> Result<(), Fault> {
        ensure!(
            page.corrected == self.answer.corrected,
            "q is corrected to {:?}, should be {:?}",
            page.corrected,
            self.answer.corrected
        );
        ensure!(page.place == self.answer.place, "the place is {:?}", page.place);
        ensure!(page.relaxed == self.answer.is_relaxed, "relaxed is {}", page.relaxed);
        if page.relaxed {
            self.check_boosts()?;
        }
        Ok(())
    }

    /// What the matches of a relaxed answer count more for their names and places.
    fn check_boosts(&self) -> Result<(), Fault> {
        let (text, _) = self.oracle.understood(&self.query.text);
        let boosts = Boosts::of(&text, self.oracle);
        for found in &self.answer.matches {
            let boost = self.shares[&found.record].boost;
            let record = &self.oracle.records()[found.record];
            let tenths = boosts.tenths(record);
            let is_right = (boost * 10.0).round() as u32 == tenths;
            ensure!(is_right, "{} counts {boost}, not {tenths} tenths", record.company.id);
        }
        Ok(())
    }

    fn ids(&self, numbers: &[usize]) -> Vec<&str> {
        let records = self.oracle.records();
        numbers.iter().map(|&number| records[number].company.id.as_str()).collect()
    }

    /// A page size that cuts the sequence into some pages.
    fn page_size(&mut self, len: usize) -> u32 {
        let most = if self.rng.chance(30) { 100 } else { (len / 4).clamp(1, 100) };
        self.rng.within(1, most) as u32
    }

    /// "Pages of any size, concatenated, are the one full sequence", forward and back; and the page
    /// before the next page is this page.
    fn check_walk(&mut self, query: &Query, sequence: &[usize]) -> Result<(), Fault> {
        let mut query = query.clone();
        query.limit = self.page_size(sequence.len());
        let mut range = 0..query.limit as usize;
        let mut page = self.page(&query, sequence, range.clone())?;
        while let Some(next) = page.next_cursor {
            let (range_before, limit_before) = (range.clone(), query.limit);
            query.limit = self.page_size(sequence.len());
            query.cursor = Some(travelled(next)?);
            range = range.end..range.end + query.limit as usize;
            page = self.page(&query, sequence, range.clone())?;
            if let Some(previous) = page.previous_cursor.filter(|_| self.rng.chance(20)) {
                let (limit, cursor) = (limit_before, Some(travelled(previous)?));
                self.page(&Query { limit, cursor, ..query.clone() }, sequence, range_before)?;
            }
        }
        while let Some(previous) = page.previous_cursor {
            query.limit = self.page_size(sequence.len());
            query.cursor = Some(travelled(previous)?);
            range = range.start.saturating_sub(query.limit as usize)..range.start;
            page = self.page(&query, sequence, range.clone())?;
        }
        Ok(())
    }

    /// The whole sequence in the largest pages.
    fn check_order(&mut self, query: &Query, sequence: &[usize]) -> Result<(), Fault> {
        let mut query = query.clone();
        let len = query.limit as usize;
        let (mut start, mut page) = (0, self.page(&query, sequence, 0..len)?);
        while let Some(next) = page.next_cursor {
            start += len;
            query.cursor = Some(next);
            page = self.page(&query, sequence, start..start + len)?;
        }
        Ok(())
    }

    /// Adding a filter never raises the total, and never changes how `q` is read.
    fn check_narrowing(&mut self) -> Result<(), Fault> {
        let mut narrower = self.request.clone();
        match self.rng.below(8) {
            4 if narrower.min_year.is_none() => {
                let bound = requests::year_bound(&mut self.rng);
                narrower.min_year = Some(bound.min(narrower.max_year.unwrap_or(u16::MAX)));
            }
            5 if narrower.max_year.is_none() => {
                let bound = requests::year_bound(&mut self.rng);
                narrower.max_year = Some(bound.max(narrower.min_year.unwrap_or(0)));
            }
            6 => {
                let value = requests::industry_filter(&mut self.rng, self.records);
                narrower.excluded_industries.push(value);
            }
            7 => {
                let value = requests::location_filter(&mut self.rng, self.records);
                narrower.excluded_locations.push(value);
            }
            0 if narrower.industries.is_empty() => {
                narrower.industries = vec![requests::industry_filter(&mut self.rng, self.records)];
            }
            1 if narrower.locations.is_empty() => {
                narrower.locations = vec![requests::location_filter(&mut self.rng, self.records)];
            }
            2 if narrower.min.is_none() => {
                let bound = requests::employee_bound(&mut self.rng);
                narrower.min = Some(bound.min(narrower.max.unwrap_or(u64::MAX)));
            }
            3 if narrower.max.is_none() => {
                let bound = requests::employee_bound(&mut self.rng);
                narrower.max = Some(bound.max(narrower.min.unwrap_or(0)));
            }
            _ => return Ok(()),
        }
        let query = narrower.query().expect("only filters were added");
        let page = self.ask(&query).map_err(|fault| format!("{narrower}: {fault}"))?;
        self.check_reading(&page).map_err(|fault| format!("{narrower}: {fault}"))?;
        let total = self.answer.matches.len();
        ensure!(
            page.total <= total as u64,
            "a further filter raises the total from {total} to {}: {narrower}",
            page.total
        );
        Ok(())
    }

    /// The first page as it is sent: the records as given, trimmed, with all keys in order.
    fn check_bytes(&self, page: &Page, sequence: &[usize]) -> Result<(), Fault> {
        let records = self.oracle.records();
        let results: Vec<String> = sequence[..page.docs.len()]
            .iter()
            .map(|&number| rendered(&records[number].company))
            .collect();
        let cursor = |cursor: &Option<Cursor>| text_or_null(cursor.map(|c| c.encode()).as_deref());
        let expected = format!(
            r#"{{"results":[{}],"pagination":{{"total":{},"limit":{},"next_cursor":{},"previous_cursor":{}}}}}"#,
            results.join(","),
            sequence.len(),
            page.docs.len(),
            cursor(&page.next_cursor),
            cursor(&page.previous_cursor),
        );
        let bytes = firmament::render::page(&self.subject.snapshot, page);
        let sent = String::from_utf8_lossy(&bytes);
        ensure!(sent == expected, "the answer is\n  {sent}\nshould be\n  {expected}");
        Ok(())
    }
}

/// A cursor after its way to the caller and back.
fn travelled(cursor: Cursor) -> Result<Cursor, Fault> {
    let text = cursor.encode();
    Cursor::decode(&text).map_err(|_| format!("an issued cursor is refused: {text}"))
}

/// A business as every response shows it.
fn rendered(company: &Company) -> String {
    let number = |value: Option<u64>| value.map_or("null".to_owned(), |value| value.to_string());
    let text = |value: &Option<String>| text_or_null(value.as_deref());
    format!(
        r#"{{"id":{},"name":{},"website":{},"description":{},"industry":{},"employee_count":{},"location":{{"city":{},"state":{},"country":{}}},"founded_year":{}}}"#,
        collections::json_text(&company.id),
        collections::json_text(&company.name),
        text(&company.website),
        text(&company.description),
        text(&company.industry),
        number(company.employee_count),
        text(&company.location.city),
        text(&company.location.state),
        text(&company.location.country),
        number(company.founded_year.map(u64::from)),
    )
}

/// A company as a line of input: with what is searched and never returned.
fn input_line(company: &Company) -> String {
    let list =
        |texts: &TextList| texts.iter().map(collections::json_text).collect::<Vec<_>>().join(",");
    let rendered = rendered(company);
    let returned = rendered.trim_end_matches('}');
    let (aliases, websites) = (list(&company.aliases), list(&company.other_websites));
    format!(r#"{returned},"aliases":[{aliases}],"other_websites":[{websites}]}}"#)
}

fn text_or_null(text: Option<&str>) -> String {
    text.map_or("null".to_owned(), collections::json_text)
}

fn companies(records: &[Record]) -> Vec<Company> {
    records.iter().map(|record| record.company.clone()).collect()
}

fn lines(records: &[Record]) -> String {
    records.iter().map(|record| format!("{}\n", record.line)).collect()
}

/// What a check finds; a panic is a fault too.
fn caught<T>(check: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// How large a collection is: most are small, so that every place matters; some are larger than a
/// page, and a few are large enough for words that few businesses hold.
fn collection_len(rng: &mut Rng, number: u64) -> usize {
    match number % 50 {
        0 => rng.within(1, 3),
        17 => rng.within(300, 700),
        33 if number % 100 == 33 => rng.within(1500, 3000),
        _ => rng.within(4, 90),
    }
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

#[test]
fn the_engine_answers_as_the_oracle_does() {
    let pairs = variable("FIRMAMENT_PAIRS", PAIRS_DEFAULT);
    let seed = variable("FIRMAMENT_SEED", SEED_DEFAULT);
    let mut coverage = Coverage::default();
    let mut scratch = Scratch::default();
    let mut taken = [0; Way::ALL.len()];
    let (mut done, mut collection) = (0, 0);
    while done < pairs {
        let mut rng = Rng::new(seed, collection);
        let len = collection_len(&mut rng, collection);
        let records = collections::records(&mut rng, len);
        let oracle = Oracle::new(companies(&records));
        let subject = match std::panic::catch_unwind(|| {
            Subject::publish(&companies(&records), &lines(&records))
        }) {
            Ok(subject) => subject,
            Err(_) => {
                shrink::report(seed, &records, &Request { limit: 1, ..Request::default() }, &rng)
            }
        };
        let requests = if len > 200 { 30 } else { 60 };
        for _ in 0..requests.min(pairs - done) {
            let request = requests::request(&mut rng, &records);
            let Some(query) = request.query() else { continue };
            let (oracle, subject, scratch) = (&oracle, &subject, &mut scratch);
            let rng_of_pair = Rng::new(rng.next(), done);
            let (records, request, rng) = (&records[..], &request, rng_of_pair.clone());
            let check = || Pair::new(oracle, subject, records, request, rng, scratch).check();
            if caught(check).is_err() {
                shrink::report(seed, records, request, &rng_of_pair);
            }
            coverage.observe(oracle, &query, &oracle.answer(&query));
            done += 1;
        }
        collection += 1;
        taken.iter_mut().zip(subject.ways_taken()).for_each(|(sum, count)| *sum += count);
    }
    coverage.print();
    for (count, way) in taken.iter().zip(Way::ALL) {
        println!("{count:>10}  answers by {way:?}");
    }
    println!("{done} pairs on {collection} collections with FIRMAMENT_SEED={seed}");
    if pairs >= PAIRS_TO_COVER {
        assert_eq!(coverage.never_seen(), Vec::<&str>::new(), "rules that no pair exercised");
        let never = Way::ALL.into_iter().zip(taken).filter(|(_, count)| *count == 0);
        assert_eq!(never.count(), 0, "ways that no answer took");
    }
}

/// Groups of relevance that turn out to have no members come before that of the last document on
/// the page.
#[test]
fn a_page_goes_on_behind_a_stored_one_of_documents_with_the_word_in_an_alias() {
    let names = ["Nr 0", "Nr 1", "Nr 2", "Nr 3", "Nr 4", "Nr 5", "Nr 6"];
    let record = |number: usize, name: &&str| {
        let aliases: &[&str] = match number {
            1 => &["Ember Harrow"],
            2 => &["Old Harrow Ember"],
            _ => &[],
        };
        let company = Company {
            id: format!("id-{number}"),
            name: (*name).to_owned(),
            website: (number == 3).then(|| "emberly.com".to_owned()),
            employee_count: Some(100 - number as u64),
            aliases: aliases.iter().collect(),
            ..Company::default()
        };
        Record { line: input_line(&company), company }
    };
    for len in [6, 7] {
        let records: Vec<Record> =
            names.iter().enumerate().take(len).map(|(number, name)| record(number, name)).collect();
        let subject = Subject::publish(&companies(&records), &lines(&records));
        let text = TextQuery::parse("ember").expect("a short text");
        let of_limit = |limit| Query { text: text.clone(), limit, ..Query::default() };
        let mut scratch = Scratch::default();
        let all = search(&subject.snapshot, &of_limit(100), &mut scratch).docs;
        assert_eq!(all.len(), 3);
        for limit in 1..4 {
            let (mut query, mut docs) = (of_limit(limit), Vec::new());
            loop {
                let page = search(&subject.snapshot, &query, &mut scratch);
                docs.extend(page.docs);
                query.cursor = page.next_cursor;
                if query.cursor.is_none() || docs.len() > all.len() {
                    break;
                }
            }
            assert_eq!(docs, all, "{len} records, limit {limit}");
        }
    }
}

#[test]
fn the_engine_answers_as_the_contract_says() {
    for group in rows::groups() {
        let companies = rows::companies(group);
        let lines: String =
            companies.iter().map(|company| format!("{}\n", input_line(company))).collect();
        let subject = Subject::publish(&companies, &lines);
        let mut scratch = Scratch::default();
        for (request, expected) in group.rows {
            let page = subject.search(&rows::query(request, group.sort), &mut scratch);
            let id = |doc: &DocId| companies[subject.numbers[doc.index()]].id.as_str();
            let ids: Vec<&str> = page.docs.iter().map(id).collect();
            let answer =
                rows::shown(&ids, page.corrected.as_deref(), page.place.as_deref(), page.relaxed);
            assert_eq!(answer, *expected, "{}: {request}", group.about);
            assert_eq!(page.total, ids.len() as u64, "{}: {request}", group.about);
        }
    }
}

/// Names that hold a corrected word are one tier, whether they start with it or not; what the
/// snapshot stores of the word itself tells them apart.
#[test]
fn a_corrected_word_with_a_legal_form_is_ranked_by_score_alone() {
    let rows = [
        "a | Zenithar Far And Wide Across The Seven Seas Inc | e=5",
        "b | Old Zenithar Inc | w=zenithar.com | e=4",
        "c | Old Zenithar | w=zenithar.com | e=3",
        "d | Zenithar | e=2",
        "e | Acme | d=zenithar | e=1",
    ];
    let record = |company: Company| Record { line: input_line(&company), company };
    let records: Vec<Record> = rows.map(|row| record(rows::company(row))).into();
    let oracle = Oracle::new(companies(&records));
    let subject = Subject::publish(&companies(&records), &lines(&records));
    let mut scratch = Scratch::default();
    for (number, q) in (0..).zip(["zenithor inc", "zenithar inc"]) {
        let request = Request { q: vec![q.to_owned()], limit: 2, ..Request::default() };
        let rng = Rng::new(1, number);
        let mut pair = Pair::new(&oracle, &subject, &records, &request, rng, &mut scratch);
        assert_eq!(pair.answer.corrected.is_some(), q == "zenithor inc");
        assert_eq!(pair.check(), Ok(()), "{request}");
    }
}
