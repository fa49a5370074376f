//! What the words of `q` cover of a name at most, by the lists of these words, without reading the
//! name.
//!
//! No term of a name covers more of it than its weight says
//! ([`name_weights`](crate::snapshot::answers::name_weights)), so all that are there cover no more
//! than the sum. Lists of frequent words tell the sum; rare words are many, and tell only of which
//! names nothing is known.

use crate::ids::TermOrd;
use crate::query::session::Session;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::answers::name_weights::sharpened;
use std::cmp::Reverse;

/// Most words whose weights are added up.
const SUMMED_MAX: usize = 64;

/// The words that cover names, by the documents in whose names they stand.
#[derive(Debug)]
pub struct Covering<'s> {
    /// The names with each of the frequent words, and what it covers.
    summed: Vec<(SetExpr<'s>, f64)>,
    /// Names of which nothing is known.
    unknown: SetExpr<'s>,
}

impl<'s> Covering<'s> {
    /// The words that cover names, each with the share of itself that it covers.
    pub fn new(
        session: &Session<'s>,
        words: impl IntoIterator<Item = (TermOrd, f64)>,
    ) -> Covering<'s> {
        let terms = session.snapshot().terms();
        let rare_max = session.tuning().relaxed_rare_max;
        let (mut frequent, mut unknown) = (Vec::new(), Vec::new());
        for (ord, share) in words {
            let lists = || terms.lists(ord).in_name();
            let num_names = lists().map(|list| list.len()).sum::<usize>();
            if num_names <= rare_max {
                lists().for_each(|list| list.push_to(&mut unknown));
            } else {
                let weight = share * sharpened(terms.weight_of_code(terms.code(ord)));
                let names = SetExpr::union(lists().map(SetExpr::list));
                frequent.push((num_names, ord, names, weight));
            }
        }
        frequent.sort_unstable_by_key(|word| (Reverse(word.0), word.1.0));
        let mut summed: Vec<_> = frequent.into_iter().map(|word| (word.2, word.3)).collect();
        let others = summed.split_off(summed.len().min(SUMMED_MAX));
        let unknown = SetExpr::materialised(DocSet::of(unknown));
        let others = others.into_iter().map(|(names, _)| names);
        Covering { summed, unknown: SetExpr::union(others.chain([unknown])) }
    }

    /// What is covered at most of the name of each of some documents of a chunk.
    pub fn most(&self, key: u16, lows: &[u16]) -> Vec<f64> {
        let mut most = vec![0.0; lows.len()];
        for (names, weight) in &self.summed {
            for_each_place(names, key, lows, |place| most[place] += weight);
        }
        for_each_place(&self.unknown, key, lows, |place| most[place] = f64::INFINITY);
        most
    }
}

/// Calls `visit` with the places of those of `lows` that match.
pub fn for_each_place(docs: &SetExpr<'_>, key: u16, lows: &[u16], mut visit: impl FnMut(usize)) {
    let mut place = 0;
    docs.chunk_within(key, Chunk::Slice(lows)).for_each(|low| {
        while lows[place] != low {
            place += 1;
        }
        visit(place);
    });
}
