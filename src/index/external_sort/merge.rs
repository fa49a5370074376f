//! Merging sorted runs into one.

use super::{
    HEAD_BYTES, Piece, READ_BYTES_MAX, READ_BYTES_MIN, Run, ScratchError, entry, prefix_of,
};
use std::cmp::Ordering;
use std::ops::Range;

/// Merges runs: a binary heap of their front entries.
pub(super) struct Merge {
    cursors: Vec<Cursor>,
    /// Places in `cursors`; the one with the smallest key first.
    heap: Vec<usize>,
    is_begun: bool,
}

impl Merge {
    /// A merge of `runs` that reads into `memory` bytes, about.
    ///
    /// # Errors
    /// A run cannot be read.
    pub(super) fn new(runs: Vec<Run>, memory: usize) -> Result<Merge, ScratchError> {
        let read_bytes = (memory / runs.len()).clamp(READ_BYTES_MIN, READ_BYTES_MAX);
        let mut cursors = Vec::with_capacity(runs.len());
        for run in runs {
            let mut cursor =
                Cursor { rest: run, buffer: Vec::new(), front: 0..0, prefix: 0, read_bytes };
            if cursor.advance()? {
                cursors.push(cursor);
            }
        }
        let mut merge = Merge { heap: (0..cursors.len()).collect(), cursors, is_begun: false };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(at);
        }
        Ok(merge)
    }

    /// The bytes of the next entry.
    ///
    /// # Errors
    /// A run cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ScratchError> {
        if std::mem::replace(&mut self.is_begun, true)
            && let Some(&top) = self.heap.first()
        {
            if !self.cursors[top].advance()? {
                self.heap.swap_remove(0);
            }
            self.sift_down(0);
        }
        Ok(self.heap.first().map(|&top| self.cursors[top].front()))
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.cursors[self.heap[a]], &self.cursors[self.heap[b]]);
        a.prefix.cmp(&b.prefix).then_with(|| a.key().cmp(b.key())) == Ordering::Less
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                return;
            }
            let right = left + 1;
            let smaller =
                if right < self.heap.len() && self.is_before(right, left) { right } else { left };
            if !self.is_before(smaller, at) {
                return;
            }
            self.heap.swap(at, smaller);
            at = smaller;
        }
    }
}

/// The front of a run.
struct Cursor {
    /// What is not in the buffer yet.
    rest: Run,
    buffer: Vec<u8>,
    /// The front entry within the buffer.
    front: Range<usize>,
    prefix: u64,
    read_bytes: usize,
}

impl Cursor {
    fn front(&self) -> &[u8] {
        &self.buffer[self.front.clone()]
    }

    fn key(&self) -> &[u8] {
        entry(self.front()).map_or(&[], |(key, _)| key)
    }

    /// Goes on to the next entry; `false` at the end.
    fn advance(&mut self) -> Result<bool, ScratchError> {
        let mut from = self.front.end;
        loop {
            if let Some((key, payload)) = entry(&self.buffer[from..]) {
                self.prefix = prefix_of(key);
                self.front = from..from + HEAD_BYTES + key.len() + payload.len();
                return Ok(true);
            }
            let Some(Piece { file, range }) = self.rest.front_mut() else { return Ok(false) };
            self.buffer.drain(..from);
            from = 0;
            let kept = self.buffer.len();
            // An entry longer than the buffer makes it grow.
            let more = (range.end - range.start).min(self.read_bytes.max(kept) as u64);
            self.buffer.resize(kept + more as usize, 0);
            file.read_at(&mut self.buffer[kept..], range.start)?;
            range.start += more;
            if range.is_empty() {
                self.rest.pop_front();
            }
        }
    }
}
