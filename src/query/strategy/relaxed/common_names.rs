//! Names that hold a word which many names hold, and no other word of `q`: told apart by what they
//! weigh.
//!
//! Nobody else shares less of `q` than these, and nobody else is so many: which of them `q` covers
//! most is told by a byte each ([`name_weights`](crate::snapshot::answers::name_weights)), and few
//! are read. Whoever's name holds several words that cover it is told by the lists of these words.

use super::{RelaxedScorer, Shares, score_of};
use crate::ids::TermOrd;
use crate::query::session::Session;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::answers::name_weights::{LEAST, sharpened};

/// Most terms that many names hold: each two of them are intersected.
const COMMON_MAX: usize = 8;

/// Most businesses of the other lists, which are read.
const READ_MAX: usize = 1 << 16;

/// Terms that many names hold, each told apart from names that hold several.
pub struct CommonNames<'s> {
    terms: Vec<CommonTerm<'s>>,
    /// Names that hold several terms.
    several: SetExpr<'s>,
}

/// A term that many names hold.
struct CommonTerm<'s> {
    names: SetExpr<'s>,
    code: u32,
    /// The clauses that it covers names for.
    clauses: Vec<usize>,
}

/// What a hit may come to, by the byte of its name.
pub struct Bound {
    score_max: [u32; 256],
    of_name_max: [f64; 256],
    /// The most that each clause counts by an akin word.
    akin_max: Vec<f64>,
}

impl Bound {
    /// A score that no business with this byte exceeds.
    #[inline]
    pub fn score_max(&self, byte: u8) -> u32 {
        self.score_max[usize::from(byte)]
    }

    /// A share that `q` covers of no more of its name.
    #[inline]
    pub fn of_name_max(&self, byte: u8) -> f64 {
        self.of_name_max[usize::from(byte)]
    }

    /// The most that each clause counts by an akin word.
    pub fn akin_max(&self) -> &[f64] {
        &self.akin_max
    }
}

impl<'s> CommonNames<'s> {
    /// The common names among those that `scorer` is for; none if telling them would cost more than
    /// reading them all.
    pub fn new(scorer: &RelaxedScorer<'s>, session: &Session<'s>) -> Option<CommonNames<'s>> {
        let names_of = |ord: TermOrd| session.snapshot().terms().lists(ord).in_name();
        let num_names = |ord| names_of(ord).map(|list| list.len()).sum::<usize>();
        let common_min = session.tuning().common_names_min;
        let (common, rare): (Vec<_>, Vec<_>) =
            scorer.covering.iter().partition(|(ord, _)| num_names(*ord) >= common_min);
        if common.is_empty() || common.len() > COMMON_MAX {
            return None;
        }
        let num_read = rare.iter().map(|(ord, _)| num_names(*ord)).sum::<usize>();
        if num_read > READ_MAX {
            return None;
        }
        let terms: Vec<CommonTerm<'s>> = common
            .iter()
            .map(|(ord, clauses)| CommonTerm {
                names: SetExpr::union(names_of(*ord).map(SetExpr::list)),
                code: session.snapshot().terms().code(*ord),
                clauses: clauses.clone(),
            })
            .collect();
        let mut read: Vec<u32> = Vec::with_capacity(num_read);
        for list in rare.iter().flat_map(|(ord, _)| names_of(*ord)) {
            list.push_to(&mut read);
        }
        read.sort_unstable();
        let twice = read.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let mut several: Vec<u32> = twice.collect();
        read.dedup();
        let any = SetExpr::union(terms.iter().map(|term| term.names.clone()));
        several.extend(DocSet::of_sorted(read.into_iter()).within(&any).iter().map(|doc| doc.0));
        // Two common ones may be many, and are not held.
        let both = terms.iter().enumerate().flat_map(|(at, term)| {
            let names = |other: &CommonTerm<'s>| [term.names.clone(), other.names.clone()];
            terms[..at].iter().map(move |other| SetExpr::intersection(names(other)))
        });
        let several = SetExpr::union(both.chain([SetExpr::materialised(DocSet::of(several))]));
        Some(CommonNames { terms, several })
    }

    /// The `members` of a portion, those among `left` whose name holds words of a clause, in parts:
    /// first those whose names hold several words or a rare one, then those with each common one,
    /// and what these may come to. `most` is what each clause counts at most in those in whose name
    /// a word of it stands, and in others.
    pub fn parts(
        &self,
        scorer: &RelaxedScorer<'s>,
        (clause, most): (usize, &[(f64, f64)]),
        members: SetExpr<'s>,
        left: &SetExpr<'s>,
    ) -> Vec<(SetExpr<'s>, Option<Bound>)> {
        let is_of = |term: &&CommonTerm<'s>| term.clauses.contains(&clause);
        let terms: Vec<&CommonTerm<'s>> = self.terms.iter().filter(is_of).collect();
        if terms.is_empty() {
            return vec![(members, None)];
        }
        let common = SetExpr::union(terms.iter().map(|term| term.names.clone()));
        let several = SetExpr::intersection([self.several.clone(), members.clone()]);
        let rare = SetExpr::difference(members, common);
        let bounded = terms.into_iter().map(|term| {
            let names = SetExpr::intersection([term.names.clone(), left.clone()]);
            let names = SetExpr::difference(names, self.several.clone());
            (names, Some(scorer.bound(term, most)))
        });
        std::iter::once((SetExpr::union([several, rare]), None)).chain(bounded).collect()
    }
}

impl RelaxedScorer<'_> {
    /// What a business may come to whose name holds this term and no other that covers it, where
    /// clauses count no more than so much with a word in the name, and without.
    fn bound(&self, term: &CommonTerm<'_>, most: &[(f64, f64)]) -> Bound {
        let most = most.iter().enumerate().map(|(clause, &(in_name, elsewhere))| {
            if term.clauses.contains(&clause) { in_name } else { elsewhere }
        });
        let of_query = self.held(most) / self.total;
        let covers = self.cover_of(term.code);
        let covered_max = covers * sharpened(self.snapshot.terms().weight_of_code(term.code));
        let of_name_max = LEAST.map(|least| (covered_max / least).min(1.0));
        let mut akin_max = vec![0.0f64; self.clauses.len()];
        self.akin_of(term.code)
            .for_each(|(clause, counts)| akin_max[clause] = akin_max[clause].max(counts));
        // One more, since sums of floats are rounded.
        let score_max = of_name_max.map(|of_name| score_of(&Shares { of_query, of_name }) + 1);
        Bound { score_max, of_name_max, akin_max }
    }
}
