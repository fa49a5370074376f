//! The stored best hits of one word, wherever or within one industry, and of two words next to each other.
//!
//! They are the first page; of two words next to each other, if nothing comes before them. See
//! [`term_best`](crate::snapshot::term_best) and [`best_within`](crate::snapshot::best_within).

use super::cursor::{Position, Side};
use super::hit_set::HitSet;
use super::nearest::Stretch;
use super::plan::Plan;
use super::planner::Planner;
use super::relevance::by_relevance;
use super::shortcut::Shortcut;
use super::text::{Clause, Term};
use super::understand::{Understanding, Understood};
use super::within_industry::industry_of;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::packed_ints::PackedInts;
use crate::snapshot::phrases::StoredPhrase;
use crate::snapshot::prefixes::may_be_prefix;

/// Where `query` asks for its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// Wherever.
    Everywhere,
    /// Within one industry, and nothing else is asked for.
    InIndustry(TermOrd),
}

impl Asked {
    /// Where that is, if best hits may be stored for it.
    fn of(planner: &Planner<'_>, query: &Query) -> Option<Asked> {
        let asked = match planner.filters(query) {
            [] => Asked::Everywhere,
            [filter] => Asked::InIndustry(industry_of(filter)?),
            _ => return None,
        };
        planner.excluded(&query.text).is_nothing().then_some(asked)
    }
}

/// How many hits there are, and the first page of them, if `query` asks for one word, wherever or in
/// one industry, and both are stored. A word that occurs means what it is, if the text is no id.
pub fn page_of_word(planner: &Planner<'_>, query: &Query) -> Option<(u64, Vec<Position>)> {
    let [clause] = query.text.required() else { return None };
    let Term::Word(word) = &clause.term else { return None };
    if !query.text.trailing_forms().is_empty() {
        return None;
    }
    let asked = Asked::of(planner, query)?;
    // What other forms begin is not among what is stored; and what the word begins is, if it may stand for that.
    if clause.is_prefix != may_be_prefix(word.only_form()?) {
        return None;
    }
    let (term, snapshot) = (planner.only_term(word)?, planner.snapshot());
    let ((best, total), shortcut) = match asked {
        Asked::Everywhere => (snapshot.best_of_term(term)?, Shortcut::BestOfWord),
        Asked::InIndustry(industry) => {
            (snapshot.best_in_industry(term, industry)?, Shortcut::BestInIndustry)
        }
    };
    if planner.whole_id(&query.text).is_some() {
        return None;
    }
    let position = |doc| position(planner, query, doc);
    let page = first_page(best, total, query.limit as usize, position)?;
    planner.took(shortcut);
    Some((total, page))
}

/// Where a hit stands.
fn position(planner: &Planner<'_>, query: &Query, doc: DocId) -> Option<Position> {
    let understanding = Understanding::new(planner, &query.text);
    let hits = (&Plan::ready(HitSet::of(vec![doc.0])), 1);
    let (order, side) = (SortOrder::Desc, Side::After);
    let stretch = Stretch { order, side, start: None, wanted: 1 };
    by_relevance(planner, query, &understanding, hits, None, stretch).pop()
}

/// The first `wanted` of `best`, or all if so few match; none if others would follow that are not
/// stored. Only the last of a full page is asked for its position, behind which the next page begins.
fn first_page(
    best: PackedInts<'_>,
    total: u64,
    wanted: usize,
    position: impl FnOnce(DocId) -> Option<Position>,
) -> Option<Vec<Position>> {
    let page = best.docs().take(wanted).map(|doc| Position { relevance_key: 0, doc });
    let mut page: Vec<Position> = page.collect();
    if page.len() < wanted {
        return (page.len() as u64 == total).then_some(page);
    }
    let last = page.last_mut()?;
    *last = position(last.doc)?;
    Some(page)
}

/// What is stored of `q` as a phrase, if it is two words, without readings, joined forms and legal forms: then
/// the text score of a business is the sum of their impacts.
pub fn two_words<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
) -> Option<StoredPhrase<'s>> {
    let is_plain = |understood: &Understood<'s>| {
        matches!(understood.clause.term, Term::Word(_) | Term::Phrase(_))
            && understood.is_only_as_written()
    };
    let words = query.text.ranking_words().words;
    let is_it = words.len() == 2
        && understanding.clauses.iter().all(is_plain)
        && query.text.trailing_forms().is_empty();
    if is_it { planner.stored_phrase(&words) } else { None }
}

/// The stored best of documents that hold two words next to each other, if `query` asks for these words in one industry, and
/// if a page of `wanted` is full with them, wherever those that have both words in the name stand, which come first.
pub fn best_of_phrase<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    wanted: usize,
) -> Option<PackedInts<'s>> {
    let [first, second] = understanding.clauses.as_slice() else { return None };
    let Asked::InIndustry(industry) = Asked::of(planner, query)? else { return None };
    let phrase = two_words(planner, query, understanding)?;
    let best = planner.snapshot().best_of_phrase_in_industry(&phrase, industry)?;
    let in_name = [first, second].map(|understood| understood.in_name(planner));
    let is_before = |&doc: &DocId| in_name.iter().all(|names| names.contains(doc));
    let num_before = best.docs().filter(is_before).count();
    (best.len() - num_before >= wanted).then_some(best)
}
