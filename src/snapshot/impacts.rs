//! Looking up what a term adds to the text score of a business.

use super::container::Container;
use super::postings::Postings;
use crate::ids::DocId;
use crate::simd::count_ones;

/// Finds impacts in a list of postings; going on from where it was last costs least.
#[derive(Debug)]
pub struct ImpactCursor<'s> {
    postings: Postings<'s>,
    impacts: &'s [u8],
    place: ListPlace,
}

impl<'s> ImpactCursor<'s> {
    /// A cursor over a term's businesses and their impacts.
    pub fn new(postings: Postings<'s>, impacts: &'s [u8]) -> ImpactCursor<'s> {
        ImpactCursor { postings, impacts, place: ListPlace::default() }
    }

    /// The impact on `doc`, 0 if it is not on the list.
    #[inline]
    pub fn at(&mut self, doc: DocId) -> u32 {
        self.place.find(&self.postings, doc).map_or(0, |at| u32::from(self.impacts[at]))
    }
}

/// Where in a list of postings something was looked for last.
#[derive(Clone, Copy, Default, Debug)]
pub struct ListPlace {
    /// The business asked for last, the chunk it is in, and how far: within an array an index, within a bitmap a
    /// word, and how many businesses of the list are before it.
    last: u32,
    chunk: Option<usize>,
    at: usize,
    rank: usize,
}

impl ListPlace {
    /// The place of `doc` in the list, if it is there. The list is the same at every question.
    pub fn find(&mut self, postings: &Postings<'_>, doc: DocId) -> Option<usize> {
        let chunked = match postings {
            Postings::Small(docs) => return docs.binary_search(&doc.0).ok(),
            Postings::Chunked(chunked) => chunked,
        };
        let (key, low) = ((doc.0 >> 16) as u16, doc.0 as u16);
        if self.chunk.is_none() || key != (self.last >> 16) as u16 || doc.0 < self.last {
            self.chunk = chunked.find(key);
            self.at = 0;
            self.rank = 0;
        }
        self.last = doc.0;
        let chunk = self.chunk?;
        let before = chunked.rank(chunk);
        match chunked.chunk(chunk).container {
            Container::Array(lows) => {
                self.at += gallop(&lows[self.at..], low);
                (lows.get(self.at) == Some(&low)).then_some(before + self.at)
            }
            Container::Bitmap(words, _) => {
                let word = usize::from(low >> 6);
                let bit = 1u64 << (low & 63);
                if words[word] & bit == 0 {
                    return None;
                }
                if self.at < word {
                    self.rank += count_ones(&words[self.at..word]);
                    self.at = word;
                }
                let within = (words[word] & (bit - 1)).count_ones() as usize;
                Some(before + self.rank + within)
            }
        }
    }
}

/// How many of `lows` are below `low`; quick if they are few.
fn gallop(lows: &[u16], low: u16) -> usize {
    let mut step = 1;
    while step < lows.len() && lows[step] < low {
        step *= 2;
    }
    let start = step / 2;
    let end = (step + 1).min(lows.len());
    start.min(lows.len()) + lows[start.min(lows.len())..end].partition_point(|&other| other < low)
}
