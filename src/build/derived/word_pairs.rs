//! The first pages of two words that many businesses hold, as the query engine finds them.
//!
//! Who ranks first of a pair is told by phrases in names, by names with both words, hosts, phrases elsewhere, and text
//! scores, in this order; the engine knows that, and a second ranking beside it would have to be kept equal to it. So this
//! is the one place where a build asks the engine, which answers from what is written so far.

use super::DenseTerms;
use super::by_set::Bounds;
use crate::build::BuildError;
use crate::build::pipeline::{ahead_of_disk, in_order};
use crate::query::planner::Planner;
use crate::query::stored_best::two_terms;
use crate::query::{Query, Scratch, TextQuery, search};
use crate::snapshot::Snapshot;
use crate::snapshot::best_within::BestWithinWriter;
use crate::snapshot::dense::place;
use crate::snapshot::format::SectionKind;
use crate::snapshot::packed_ints;
use crate::snapshot::word_pairs::WORD_PAIR_BEST;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;

/// One in so many businesses holds both words, at least: of how many pairs that is so hardly depends on how many businesses
/// there are.
const SHARE: u32 = 4096;

/// Pages that are found before what was looked at is given back: each looks at some ten megabytes, mostly the 2 MiB around
/// what it reads, in some 0.1 ms.
const PAGES_TOGETHER: usize = 16;

/// Writes the first page of every two dense terms that enough businesses hold both, in either order, and how many match;
/// `pair_counts` says how many hold which two.
///
/// # Errors
/// The file cannot be written or read back.
pub fn write(
    dense: DenseTerms<'_>,
    pair_counts: &[u32],
    bounds: Bounds,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let snapshot = pool.install(|| writer.preview())?;
    let engine = Engine {
        snapshot: &snapshot,
        dense,
        words: dense.terms.terms_of(dense.ords),
        pair_counts,
        docs_min: (dense.num_docs / SHARE).max(bounds.docs_min as u32),
        page_len: bounds.max as u32,
    };
    let mut section = writer.begin(WORD_PAIR_BEST.docs);
    let mut lists = BestWithinWriter::default();
    let (mut totals, mut ends) = (Vec::new(), Vec::new());
    let take = |pages: Pages| -> Result<(), BuildError> {
        section.write(&packed_ints::encode(&pages.docs, dense.num_docs))?;
        lists.push(pages.lens.into_iter());
        totals.extend(pages.totals);
        ends.extend(pages.ends);
        Ok(())
    };
    let (firsts, pages_of) = ((0..dense.ords.len()).map(Ok), |first| engine.pages_of(first));
    in_order(pool, ahead_of_disk(pool), firsts, pages_of, take)?;
    section.end(writer)?;
    let words = lists.into_words();
    writer.section(WORD_PAIR_BEST.lists, bytemuck::cast_slice(&words))?;
    writer.section(SectionKind::WordPairTotals, bytemuck::cast_slice(&totals))?;
    Ok(writer.section(SectionKind::WordPairEnds, bytemuck::cast_slice(&ends))?)
}

/// Answers a `q` of two dense terms.
struct Engine<'a> {
    snapshot: &'a Snapshot,
    dense: DenseTerms<'a>,
    /// By number, as all below.
    words: Vec<String>,
    pair_counts: &'a [u32],
    /// Fewest businesses that hold both words of a pair.
    docs_min: u32,
    page_len: u32,
}

/// The pages of a first word and whichever second ones.
#[derive(Default)]
struct Pages {
    docs: Vec<u32>,
    /// The numbers of the second words, and how many of `docs` are of their page.
    lens: Vec<(u32, usize)>,
    totals: Vec<u32>,
    /// The relevance key of the last of each page, if others follow.
    ends: Vec<u64>,
}

impl Engine<'_> {
    /// The pages of the term with this number and each that follows it in a `q`.
    fn pages_of(&self, first: usize) -> Pages {
        let mut pages = Pages::default();
        let mut scratch = Scratch::default();
        for second in (0..self.words.len()).filter(|&second| self.are_many(first, second)) {
            let Some(query) = self.query(first, second) else { continue };
            if pages.lens.len().is_multiple_of(PAGES_TOGETHER) {
                self.snapshot.release_many();
            }
            let page = search(self.snapshot, &query, &mut scratch);
            pages.lens.push((second as u32, page.docs.len()));
            pages.docs.extend(page.docs.iter().map(|doc| doc.0));
            pages.totals.push(page.total as u32);
            let end = page.next_cursor.map(|next| next.position.relevance_key);
            pages.ends.push(end.unwrap_or_default());
        }
        pages
    }

    fn are_many(&self, first: usize, second: usize) -> bool {
        let count = || self.pair_counts[place(first.min(second), first.max(second))];
        first != second && count() >= self.docs_min
    }

    /// A `q` of these two, if it is one for which a page is looked up.
    fn query(&self, first: usize, second: usize) -> Option<Query> {
        let q = format!("{} {}", self.words[first], self.words[second]);
        let text = TextQuery::parse(&q).ok()?;
        let query = Query { text, limit: self.page_len, ..Query::default() };
        let planner = Planner::new(self.snapshot);
        let is_it =
            two_terms(&planner, &query)? == [first, second].map(|number| self.dense.ords[number]);
        (is_it && planner.whole_id(&query.text).is_none()).then_some(query)
    }
}
