//! The monotonic clock of quotas.

use std::time::Instant;

/// Nanoseconds since the server started; every copy agrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Clock {
        Clock(Instant::now())
    }

    pub(super) fn now_nanos(self) -> u64 {
        self.nanos_at(Instant::now())
    }

    /// For a moment that was read already.
    pub(super) fn nanos_at(self, moment: Instant) -> u64 {
        // 584 years fit.
        moment.saturating_duration_since(self.0).as_nanos() as u64
    }
}
