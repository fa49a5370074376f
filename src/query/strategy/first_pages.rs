//! The stored best hits of one word, wherever or within one industry, and of two words next to each
//! other.
//!
//! They are the first page; of two words next to each other, if nothing comes before them. See
//! [`first_pages`](crate::snapshot::answers::first_pages).

use crate::ids::DocId;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::request::Query;
use crate::query::score::text_score::Scorer;
use crate::query::score::tiers::TierPartition;
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::session::within_industry::industry_of;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::Term;
use crate::snapshot::answers::first_pages::Scope;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::terms::prefixes::may_be_prefix;

/// Where `query` asks for its words, if it asks for nothing else beside one industry.
fn scope(session: &Session<'_>, query: &Query) -> Option<Scope> {
    let scope = match session.filters(query) {
        [] => Scope::Everywhere,
        [filter] => Scope::Industry(industry_of(filter)?),
        _ => return None,
    };
    session.excluded(query).is_nothing().then_some(scope)
}

/// How many hits there are, and the first page of them, if `query` asks for one word, wherever or
/// in one industry, and both are stored. A word that occurs means what it is, if the text is no id.
pub fn page_of_word(session: &Session<'_>, query: &Query) -> Option<(u64, Vec<Position>)> {
    let [clause] = query.text.required() else { return None };
    let Term::Word(word) = &clause.term else { return None };
    if !query.text.trailing_forms().is_empty() {
        return None;
    }
    let scope = scope(session, query)?;
    // What other forms begin is not among what is stored; and what the word begins is, if it may
    // stand for that. In quotes it does not, which is the same where it begins nothing.
    let form = word.only_form()?;
    if clause.is_prefix != may_be_prefix(form) && !session.begun_by(form).has_no_longer() {
        return None;
    }
    let page = session.snapshot().first_page(session.only_term(word)?, scope)?;
    let (wanted, num_stored) = (query.limit as usize, page.docs.len());
    let are_enough = wanted <= num_stored || page.total == num_stored as u64;
    if !are_enough || session.whole_id(&query.text).is_some() {
        return None;
    }
    let docs = page.docs.docs().take(wanted);
    let mut found: Vec<Position> = docs.map(|doc| Position { relevance_key: 0, doc }).collect();
    // Behind the last one the next page begins.
    let last = found.last_mut().filter(|_| page.total > wanted as u64);
    if let Some(last) = last {
        let is_last_stored = wanted == num_stored;
        *last = match is_last_stored {
            true => Position { relevance_key: page.last_key, ..*last },
            false => position(session, query, last.doc)?,
        };
    }
    session.took(Way::StoredPage);
    Some((page.total, found))
}

/// Where a hit stands.
fn position(session: &Session<'_>, query: &Query, doc: DocId) -> Option<Position> {
    let interpretation = Interpretation::new(session, &query.text);
    let only = SetExpr::materialised(DocSet::of(vec![doc.0]));
    let mut split = TierPartition::new(session, &interpretation, &query.text, only);
    // The members of a group may turn out to be none.
    let mut groups = std::iter::from_fn(|| split.next_group());
    let level = groups.find(|group| group.members.contains(doc))?.level;
    let score = Scorer::new(session, &interpretation, &query.text).score(doc);
    Some(Position { relevance_key: level.key(score), doc })
}

/// The stored best of documents that hold two words next to each other, if `query` asks for these
/// words in one industry, and if a page of `wanted` is full with them, wherever those that have
/// both words in the name stand, which come first.
pub fn best_of_phrase<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    wanted: usize,
) -> Option<PackedInts<'s>> {
    let [first, second] = interpretation.clauses.as_slice() else { return None };
    let scope @ Scope::Industry(_) = scope(session, query)? else { return None };
    let phrase = interpretation.stored_phrase(session, &query.text)?;
    let best = session.snapshot().best_of_phrase(&phrase, scope)?;
    // Whose alias is the phrase comes first, and who holds it in an alias only comes behind.
    let in_alias = query.text.ranking_words().words;
    let in_alias = in_alias.iter().map(|(_, word)| session.word_in_alias(word));
    if !SetExpr::intersection(in_alias).is_nothing() {
        return None;
    }
    let in_name = [first, second].map(|clause_match| clause_match.in_name(session));
    let is_before = |&doc: &DocId| in_name.iter().all(|names| names.contains(doc));
    let num_before = best.docs().filter(is_before).count();
    (best.len() - num_before >= wanted).then_some(best)
}
