//! The snapshots that are open: the current one, and earlier ones for walks in progress.
//!
//! A set never changes; a swap makes a new one. The current snapshot answers every request
//! without a cursor; a cursor is answered by the snapshot it names, as long as that is open. An
//! earlier snapshot stays open until there are too many or it was replaced too long ago.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::snapshot::{Snapshot, SnapshotVersion};

/// How many earlier snapshots stay open, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retention {
    pub(super) count: usize,
    pub(super) age: Duration,
}

/// An earlier snapshot.
#[derive(Debug)]
struct Earlier<S> {
    snapshot: Arc<S>,
    replaced_at: Instant,
}

/// What the set needs to know of a snapshot; tests use a number.
pub(super) trait Versioned {
    fn version(&self) -> SnapshotVersion;
    /// When it was built, in seconds since 1970.
    fn built_at(&self) -> u64;
}

impl Versioned for Snapshot {
    fn version(&self) -> SnapshotVersion {
        Snapshot::version(self)
    }

    fn built_at(&self) -> u64 {
        self.metadata().built_at
    }
}

/// All open snapshots. Empty until the first is open.
#[derive(Debug)]
pub(super) struct SnapshotSet<S = Snapshot> {
    current: Option<Arc<S>>,
    /// Latest first.
    earlier: Vec<Earlier<S>>,
}

impl<S: Versioned> SnapshotSet<S> {
    pub(super) fn empty() -> SnapshotSet<S> {
        SnapshotSet { current: None, earlier: Vec::new() }
    }

    pub(super) fn current(&self) -> Option<&S> {
        self.current.as_deref()
    }

    pub(super) fn with_version(&self, version: SnapshotVersion) -> Option<&S> {
        self.all().find(|snapshot| snapshot.version() == version)
    }

    /// Whether what was built at a time is newer than every open snapshot.
    pub(super) fn is_behind(&self, built_at: u64) -> bool {
        self.all().all(|snapshot| snapshot.built_at() < built_at)
    }

    /// Every open snapshot, the current one first.
    pub(super) fn all(&self) -> impl Iterator<Item = &S> {
        self.handles().map(Arc::as_ref)
    }

    /// Handles to every open snapshot, the current one first.
    pub(super) fn handles(&self) -> impl Iterator<Item = &Arc<S>> {
        self.current.iter().chain(self.earlier.iter().map(|earlier| &earlier.snapshot))
    }

    /// A handle to `snapshot`, which is one of the set.
    pub(super) fn handle_to(&self, snapshot: &S) -> Arc<S> {
        let mut handles = self.handles();
        let handle = handles.find(|handle| std::ptr::eq(handle.as_ref(), snapshot));
        Arc::clone(handle.expect("it is one of the set"))
    }

    /// The set after a swap. An earlier snapshot that becomes current again (a roll-back) leaves
    /// the earlier ones.
    pub(super) fn swapped(
        &self,
        current: Arc<S>,
        now: Instant,
        retention: Retention,
    ) -> SnapshotSet<S> {
        let replaced = self.current.iter().map(|snapshot| (Arc::clone(snapshot), now));
        let before =
            self.earlier.iter().map(|earlier| (Arc::clone(&earlier.snapshot), earlier.replaced_at));
        let earlier = replaced
            .chain(before)
            .filter(|(snapshot, _)| snapshot.version() != current.version())
            .map(|(snapshot, replaced_at)| Earlier { snapshot, replaced_at })
            .collect();
        let set = SnapshotSet { current: Some(current), earlier };
        set.pruned(now, retention).unwrap_or(set)
    }

    /// The set without the snapshots whose time is over, or nothing if all may stay.
    pub(super) fn pruned(&self, now: Instant, retention: Retention) -> Option<SnapshotSet<S>> {
        let stay = |earlier: &&Earlier<S>| now.duration_since(earlier.replaced_at) < retention.age;
        let kept: Vec<Earlier<S>> = self
            .earlier
            .iter()
            .filter(stay)
            .take(retention.count)
            .map(|earlier| Earlier {
                snapshot: Arc::clone(&earlier.snapshot),
                replaced_at: earlier.replaced_at,
            })
            .collect();
        (kept.len() < self.earlier.len())
            .then(|| SnapshotSet { current: self.current.clone(), earlier: kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered(u64);

    impl Versioned for Numbered {
        fn version(&self) -> SnapshotVersion {
            SnapshotVersion(self.0)
        }

        fn built_at(&self) -> u64 {
            self.0 * 10
        }
    }

    const KEEP_TWO: Retention = Retention { count: 2, age: Duration::from_secs(60) };

    fn versions(set: &SnapshotSet<Numbered>) -> Vec<u64> {
        set.all().map(|snapshot| snapshot.0).collect()
    }

    fn swap_through(numbers: &[u64], now: Instant) -> SnapshotSet<Numbered> {
        let empty = SnapshotSet::empty();
        numbers
            .iter()
            .fold(empty, |set, &number| set.swapped(Arc::new(Numbered(number)), now, KEEP_TWO))
    }

    #[test]
    fn an_empty_set_has_nothing() {
        let set = SnapshotSet::<Numbered>::empty();
        assert!(set.current().is_none());
        assert!(set.with_version(SnapshotVersion(0)).is_none());
    }

    #[test]
    fn the_latest_is_current_and_two_more_stay() {
        let set = swap_through(&[1, 2, 3, 4], Instant::now());
        assert_eq!(versions(&set), [4, 3, 2]);
        assert_eq!(set.current().map(|snapshot| snapshot.0), Some(4));
        assert!(set.with_version(SnapshotVersion(2)).is_some());
        assert!(set.with_version(SnapshotVersion(1)).is_none());
    }

    #[test]
    fn newer_is_what_was_built_after_all_that_are_open() {
        let set = swap_through(&[1, 5, 3], Instant::now());
        for (built_at, is_newer) in [(0, false), (31, false), (50, false), (51, true)] {
            assert_eq!(set.is_behind(built_at), is_newer, "{built_at}");
        }
    }

    #[test]
    fn a_roll_back_does_not_list_a_snapshot_twice() {
        assert_eq!(versions(&swap_through(&[1, 2, 1], Instant::now())), [1, 2]);
        assert_eq!(versions(&swap_through(&[1, 1], Instant::now())), [1]);
    }

    #[test]
    fn old_ones_go_when_their_time_is_over() {
        let start = Instant::now();
        let minute = Duration::from_secs(60);
        let set = swap_through(&[1, 2], start);
        let set = set.swapped(Arc::new(Numbered(3)), start + minute / 2, KEEP_TWO);
        assert!(set.pruned(start + minute - Duration::from_millis(1), KEEP_TWO).is_none());
        let set =
            set.pruned(start + minute, KEEP_TWO).expect("version 1 has been replaced for a minute");
        assert_eq!(versions(&set), [3, 2]);
        let set = set.pruned(start + 2 * minute, KEEP_TWO).expect("version 2, too");
        assert_eq!(versions(&set), [3], "the current one never goes");
    }

    #[test]
    fn nothing_earlier_stays_if_so_configured() {
        let none = Retention { count: 0, age: Duration::from_secs(60) };
        let now = Instant::now();
        let set = SnapshotSet::empty().swapped(Arc::new(Numbered(1)), now, none);
        assert_eq!(versions(&set.swapped(Arc::new(Numbered(2)), now, none)), [2]);
    }
}
