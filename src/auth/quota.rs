//! Rate and burst of one key: the generic cell rate algorithm in one atomic word.
//!
//! GCRA (ITU-T I.371, the continuous-state leaky bucket) keeps one number per key, the
//! *theoretical arrival time*: the moment at which the quota is full again. With `interval`
//! nanoseconds per request and a burst of `burst` requests, a request at `now` is granted if
//!
//! ```text
//! max(arrival, now) + interval <= now + burst * interval
//! ```
//!
//! and then moves the arrival time to the left-hand side. In any span of `t` seconds no more than
//! `burst + rate * t` requests are granted, on any number of threads: a grant is one successful
//! compare-and-swap, and a thread whose clock reading is a little old only sees less quota.
//!
//! Nothing is ever given back. Returning a charge is not the same as never having made it (while
//! it was out, other requests were counted from a later arrival time), so the server decides
//! whether an answer is free *before* it charges, and charges once.
//!
//! Times are nanoseconds of a monotonic clock, passed in by the caller; tests pass made-up ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// How many requests a key may make: `rate` per second on average, `burst` at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuotaRule {
    rate: f64,
    burst: u32,
}

/// Why a [`QuotaRule`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum QuotaRuleError {
    /// The rate is zero, negative, too small, too large or not a number.
    #[error(
        "rate {0} is outside {min}..{max} requests per second; for no quota leave the rate out",
        min = QuotaRule::RATE_MIN, max = QuotaRule::RATE_MAX
    )]
    Rate(f64),
    /// The burst is zero or too large.
    #[error("burst {0} is outside 1..{max} requests; leave it out to get one second's worth", max = QuotaRule::BURST_MAX)]
    Burst(u64),
}

impl QuotaRule {
    /// The slowest rate, one request in about 17 minutes. With [`QuotaRule::BURST_MAX`] it keeps
    /// `burst * interval` at 10^18 nanoseconds or below, so that sums of times cannot overflow.
    pub const RATE_MIN: f64 = 0.001;
    /// The fastest rate.
    pub const RATE_MAX: f64 = 1_000_000.0;
    /// The largest burst.
    pub const BURST_MAX: u32 = 1_000_000;

    /// A rule of `rate` requests per second; without `burst`, one second's worth of them.
    ///
    /// # Errors
    /// [`QuotaRuleError`] if either is out of range.
    pub fn new(rate: f64, burst: Option<u64>) -> Result<QuotaRule, QuotaRuleError> {
        if !(QuotaRule::RATE_MIN..=QuotaRule::RATE_MAX).contains(&rate) {
            return Err(QuotaRuleError::Rate(rate));
        }
        // In range, so the cast is exact.
        let burst = burst.unwrap_or(rate.ceil().max(1.0) as u64);
        match u32::try_from(burst) {
            Ok(burst) if (1..=QuotaRule::BURST_MAX).contains(&burst) => {
                Ok(QuotaRule { rate, burst })
            }
            _ => Err(QuotaRuleError::Burst(burst)),
        }
    }

    /// Requests per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Requests at once.
    #[must_use]
    pub fn burst(&self) -> u32 {
        self.burst
    }

    /// Nanoseconds per request, rounded up, so that the rate is never exceeded.
    fn interval_nanos(&self) -> u64 {
        (NANOS_PER_SECOND as f64 / self.rate).ceil() as u64
    }
}

/// The quota of one key.
#[derive(Clone, Debug)]
pub struct Quota {
    rule: QuotaRule,
    interval_nanos: u64,
    /// `burst * interval`: how far the arrival time may lie ahead of the clock.
    tolerance_nanos: u64,
    /// The theoretical arrival time. Shared by the old and the new table of keys after a reload.
    arrival_nanos: Arc<AtomicU64>,
}

/// What is left of a quota at one moment; the numbers of the `X-RateLimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaStatus {
    /// The burst: the most that can ever be left.
    pub limit: u32,
    /// Requests that would be granted now.
    pub remaining: u32,
    /// Seconds until the quota is full again, rounded up.
    pub reset_seconds: u64,
    /// Seconds until the next request would be granted, rounded up, at least 1.
    pub retry_after_seconds: u64,
}

impl Quota {
    /// A full quota.
    #[must_use]
    pub fn new(rule: QuotaRule) -> Quota {
        Quota::over(rule, Arc::default())
    }

    fn over(rule: QuotaRule, arrival_nanos: Arc<AtomicU64>) -> Quota {
        let interval_nanos = rule.interval_nanos();
        let tolerance_nanos = interval_nanos * u64::from(rule.burst);
        Quota { rule, interval_nanos, tolerance_nanos, arrival_nanos }
    }

    /// Quota of this key under a rule that may have changed. What was used stays used; a debt
    /// that a tighter rule cannot express is cut to "nothing left". Only then is the clock read:
    /// requests are charged meanwhile, and a moment that is past would give some of them back.
    #[must_use]
    pub fn with_rule(&self, rule: QuotaRule, now_nanos: impl FnOnce() -> u64) -> Quota {
        let quota = Quota::over(rule, Arc::clone(&self.arrival_nanos));
        if quota.tolerance_nanos < self.tolerance_nanos {
            quota.arrival_nanos.fetch_min(now_nanos() + quota.tolerance_nanos, Ordering::Relaxed);
        }
        quota
    }

    /// The rule this quota enforces.
    #[must_use]
    pub fn rule(&self) -> QuotaRule {
        self.rule
    }

    /// Whether a charge would be granted. Grants nothing.
    #[must_use]
    pub fn has_some_left(&self, now_nanos: u64) -> bool {
        let arrival = self.arrival_nanos.load(Ordering::Relaxed).max(now_nanos);
        arrival + self.interval_nanos <= now_nanos + self.tolerance_nanos
    }

    /// Takes one request from the quota; `false` if nothing is left, and then nothing is taken.
    #[must_use]
    pub fn charge(&self, now_nanos: u64) -> bool {
        // Relaxed: the word is the whole state, nothing else is published by it.
        self.arrival_nanos
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |arrival| {
                let next = arrival.max(now_nanos) + self.interval_nanos;
                (next <= now_nanos + self.tolerance_nanos).then_some(next)
            })
            .is_ok()
    }

    /// What is left.
    #[must_use]
    pub fn status(&self, now_nanos: u64) -> QuotaStatus {
        let debt = self.arrival_nanos.load(Ordering::Relaxed).saturating_sub(now_nanos);
        let free = self.tolerance_nanos.saturating_sub(debt);
        let wait = (debt + self.interval_nanos).saturating_sub(self.tolerance_nanos);
        QuotaStatus {
            limit: self.rule.burst,
            // At most the burst, which is a u32.
            remaining: (free / self.interval_nanos) as u32,
            reset_seconds: debt.div_ceil(NANOS_PER_SECOND),
            retry_after_seconds: wait.div_ceil(NANOS_PER_SECOND).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = NANOS_PER_SECOND;

    fn quota(rate: f64, burst: u64) -> Quota {
        Quota::new(QuotaRule::new(rate, Some(burst)).unwrap())
    }

    #[test]
    fn a_burst_is_granted_then_one_per_interval() {
        let quota = quota(10.0, 3);
        let start = 5 * SECOND;
        for _ in 0..3 {
            assert!(quota.has_some_left(start));
            assert!(quota.charge(start));
        }
        assert!(!quota.has_some_left(start));
        assert!(!quota.charge(start));
        assert!(!quota.charge(start + SECOND / 10 - 1));
        assert!(quota.charge(start + SECOND / 10));
        assert!(!quota.charge(start + SECOND / 10));
    }

    #[test]
    fn the_status_counts_down_and_fills_up() {
        let quota = quota(0.5, 4);
        let expect = |now, remaining, reset_seconds, retry_after_seconds| {
            let status = quota.status(now);
            assert_eq!(
                status,
                QuotaStatus { limit: 4, remaining, reset_seconds, retry_after_seconds }
            );
        };
        expect(0, 4, 0, 1);
        assert!(quota.charge(0));
        expect(0, 3, 2, 1);
        for _ in 0..3 {
            assert!(quota.charge(0));
        }
        expect(0, 0, 8, 2);
        expect(SECOND / 2, 0, 8, 2);
        expect(SECOND, 0, 7, 1);
        expect(2 * SECOND, 1, 6, 1);
        expect(8 * SECOND, 4, 0, 1);
        expect(1_000_000 * SECOND, 4, 0, 1);
    }

    #[test]
    fn an_idle_quota_never_holds_more_than_its_burst() {
        let quota = quota(100.0, 5);
        let late = 86_400 * SECOND;
        assert_eq!((0..100).filter(|_| quota.charge(late)).count(), 5);
    }

    #[test]
    fn the_default_burst_is_one_second_and_at_least_one() {
        for (rate, burst) in
            [(0.001, 1), (0.5, 1), (1.0, 1), (1.5, 2), (10.0, 10), (1e6, 1_000_000)]
        {
            assert_eq!(QuotaRule::new(rate, None).unwrap().burst(), burst, "rate {rate}");
        }
    }

    #[test]
    fn impossible_rules_are_refused() {
        for rate in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1e7, 2f64.powi(64)] {
            assert!(
                matches!(QuotaRule::new(rate, None), Err(QuotaRuleError::Rate(_))),
                "rate {rate}"
            );
        }
        for burst in [0, 1_000_001, u64::from(u32::MAX) + 2, u64::MAX] {
            let refused = QuotaRule::new(1.0, Some(burst));
            assert_eq!(refused, Err(QuotaRuleError::Burst(burst)), "burst {burst}");
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        let quota = quota(QuotaRule::RATE_MIN, u64::from(QuotaRule::BURST_MAX));
        let now = 100 * 365 * 86_400 * SECOND;
        for _ in 0..10 {
            assert!(quota.charge(now));
        }
        assert_eq!(quota.status(now).remaining, QuotaRule::BURST_MAX - 10);
    }

    #[test]
    fn a_new_rule_keeps_what_was_used_and_forgives_what_it_cannot_express() {
        let before = quota(1.0, 10);
        for _ in 0..10 {
            assert!(before.charge(0));
        }
        let same = before.with_rule(before.rule(), || unreachable!("nothing is cut"));
        assert!(!same.charge(0), "a reload refills nothing");
        assert!(same.charge(SECOND), "and both handles share the state");
        assert!(!before.charge(SECOND));

        let tighter = before.with_rule(QuotaRule::new(1.0, Some(2)).unwrap(), || SECOND);
        assert_eq!(tighter.status(SECOND).remaining, 0);
        assert_eq!(tighter.status(SECOND).retry_after_seconds, 1);
    }

    #[test]
    fn two_threads_share_one_burst_exactly() {
        let quota = quota(1.0, 10_000);
        let granted: usize = std::thread::scope(|scope| {
            let charge = || (0..20_000).filter(|_| quota.charge(SECOND)).count();
            let workers = [scope.spawn(charge), scope.spawn(charge)];
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!(granted, 10_000);
    }

    proptest! {
        /// The promise itself, for every span between two grants, on a made-up clock.
        #[test]
        fn no_span_grants_more_than_burst_plus_rate_times_span(
            rate in 0.01f64..10_000.0,
            burst in 1u64..50,
            steps in prop::collection::vec(0u64..3 * SECOND, 1..200),
        ) {
            let quota = quota(rate, burst);
            let mut now = 0;
            let mut grants = Vec::new();
            for step in steps {
                // Small steps matter as much as large ones: spread the sizes over magnitudes.
                now += step >> (step % 30);
                let promised = quota.has_some_left(now);
                let granted = quota.charge(now);
                prop_assert_eq!(promised, granted);
                if granted {
                    grants.push(now);
                }
            }
            for (first, &from) in grants.iter().enumerate() {
                for (last, &to) in grants.iter().enumerate().skip(first) {
                    let allowed = burst as f64 + rate * (to - from) as f64 / SECOND as f64;
                    let count = (last - first + 1) as f64;
                    prop_assert!(count <= allowed + 1e-6, "{count} grants, {allowed} allowed");
                }
            }
        }

        /// What the headers say is what happens: `remaining` charges succeed, one more does not,
        /// and after `retry_after_seconds` it does.
        #[test]
        fn the_status_predicts_the_grants(
            rate in 0.01f64..1_000.0,
            burst in 1u64..50,
            used in 0u64..60,
            now in 0u64..1_000 * SECOND,
        ) {
            let quota = quota(rate, burst);
            for _ in 0..used {
                let _ = quota.charge(now);
            }
            let status = quota.status(now);
            prop_assert_eq!(u64::from(status.remaining), burst.saturating_sub(used));
            for _ in 0..status.remaining {
                prop_assert!(quota.charge(now));
            }
            prop_assert!(!quota.charge(now));
            let empty = quota.status(now);
            prop_assert!(quota.charge(now + empty.retry_after_seconds * SECOND));
            let full = quota.status(now);
            prop_assert_eq!(quota.status(now + full.reset_seconds * SECOND).remaining, status.limit);
        }
    }
}
