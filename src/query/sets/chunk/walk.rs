//! Steps through the lower halves of a chunk, to either side.
//!
//! A step remembers its place, so that only the first one looks for it in an array: twelve
//! comparisons among 4,000, for each of the twenty hits on a page.

use super::{ALL, Chunk, View};
use crate::snapshot::encoding::container::{last_bit, next_bit};

impl Chunk<'_> {
    /// The place between those below `low` and the others: how many are below it in an array, else
    /// `low` itself.
    pub fn place_of(&self, low: u32) -> u32 {
        match self.view() {
            View::Array(lows) => lows.partition_point(|&other| u32::from(other) < low) as u32,
            View::Span(_) | View::Bitmap(..) => low.min(ALL),
        }
    }

    /// The first behind a place, which moves behind it.
    #[inline]
    pub fn next(&self, place: &mut u32) -> Option<u16> {
        match self.view() {
            View::Span(range) => {
                let low = range.start.max(*place);
                *place = low + 1;
                (low < range.end).then_some(low as u16)
            }
            View::Array(lows) => {
                let low = *lows.get(*place as usize)?;
                *place += 1;
                Some(low)
            }
            View::Bitmap(words, _) => {
                let low = next_bit(words, *place as usize)?;
                *place = low as u32 + 1;
                Some(low as u16)
            }
        }
    }

    /// The last before a place, which moves before it.
    #[inline]
    pub fn previous(&self, place: &mut u32) -> Option<u16> {
        let low = match self.view() {
            View::Span(range) => {
                let last = range.end.min(*place).checked_sub(1)?;
                (last >= range.start).then_some(last as u16)?
            }
            View::Array(lows) => {
                *place = place.checked_sub(1)?;
                return Some(lows[*place as usize]);
            }
            View::Bitmap(words, _) => last_bit(words, place.checked_sub(1)? as usize)? as u16,
        };
        *place = u32::from(low);
        Some(low)
    }
}
