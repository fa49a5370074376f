//! Progress on standard error: a bar on a terminal, a line every ten seconds otherwise.

use firmament::build::{Phase, Progress, Reject};
use indicatif::{
    HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle,
};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Most rejected records shown; all of them are in the reject file.
const REJECTS_SHOWN: u64 = 100;

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how a build gets on.
pub struct Display {
    state: RefCell<State>,
}

struct State {
    bar: Option<ProgressBar>,
    is_terminal: bool,
    phase: Option<Phase>,
    total: Option<u64>,
    begun: Instant,
    last_line: Instant,
    rejects: u64,
}

impl Display {
    /// A display on standard error.
    pub fn new() -> Display {
        let state = State {
            bar: None,
            is_terminal: std::io::stderr().is_terminal(),
            phase: None,
            total: None,
            begun: Instant::now(),
            last_line: Instant::now(),
            rejects: 0,
        };
        Display { state: RefCell::new(state) }
    }
}

impl State {
    /// A message that does not tear the bar apart.
    fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{message}")),
            None => eprintln!("{message}"),
        }
    }

    fn clear_bar(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// How far a phase is, in words: what is behind, how fast, and how long the rest of the phase will take at that
/// rate.
fn describe(
    phase: Phase,
    done: u64,
    total: Option<u64>,
    records: u64,
    elapsed: Duration,
) -> String {
    let mut parts = Vec::new();
    if records > 0 {
        parts.push(format!("{} records", HumanCount(records)));
    }
    if matches!(phase, Phase::Read | Phase::Encode) {
        parts.push(match total {
            Some(total) => format!("{} of {}", HumanBytes(done), HumanBytes(total)),
            None => HumanBytes(done).to_string(),
        });
    }
    if let Some(total) = total {
        parts.push(format!("{} %", 100 * done.min(total) / total.max(1)));
    }
    let seconds = elapsed.as_secs_f64();
    if seconds >= 1.0 {
        if records > 0 {
            parts.push(format!("{} records/s", HumanCount((records as f64 / seconds) as u64)));
        }
        if let Some(left) = total.and_then(|total| total.checked_sub(done))
            && done > 0
        {
            let left = Duration::from_secs_f64(seconds * left as f64 / done as f64);
            parts.push(format!("{} left", HumanDuration(left)));
        }
    }
    format!("{}: {}", phase.describe(), parts.join(", "))
}

impl Progress for Display {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        let mut state = self.state.borrow_mut();
        state.clear_bar();
        state.phase = Some(phase);
        state.total = total.filter(|&total| total > 0);
        state.begun = Instant::now();
        if !state.is_terminal {
            return;
        }
        let bar = ProgressBar::with_draw_target(state.total, ProgressDrawTarget::stderr());
        let template = match state.total {
            Some(_) => "{wide_bar} {msg}",
            None => "{spinner} {msg} {elapsed}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("a constant template"));
        bar.set_message(phase.describe());
        bar.enable_steady_tick(Duration::from_millis(200));
        state.bar = Some(bar);
    }

    fn advance(&self, done: u64, records: u64) {
        let mut state = self.state.borrow_mut();
        let Some(phase) = state.phase else { return };
        let describe = || describe(phase, done, state.total, records, state.begun.elapsed());
        if let Some(bar) = &state.bar {
            bar.set_position(done);
            bar.set_message(describe());
        } else if state.last_line.elapsed() >= LINE_EVERY {
            eprintln!("{}", describe());
            state.last_line = Instant::now();
        }
    }

    fn note(&self, note: &str) {
        self.state.borrow().say(note);
    }

    fn rejected(&self, reject: &Reject) {
        let mut state = self.state.borrow_mut();
        state.rejects += 1;
        if state.rejects <= REJECTS_SHOWN {
            state.say(&format!("rejected {reject}"));
        } else if state.rejects == REJECTS_SHOWN + 1 {
            state.say("more are rejected; see the reject file");
        }
    }

    fn end(&self) {
        self.state.borrow_mut().clear_bar();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_behind_and_what_is_left() {
        let line =
            describe(Phase::Read, 3 << 30, Some(4 << 30), 1_500_000, Duration::from_secs(30));
        assert_eq!(
            line,
            "reading records: 1,500,000 records, 3.00 GiB of 4.00 GiB, 75 %, 50,000 records/s, 10 seconds left"
        );
        let line = describe(Phase::Read, 1 << 20, None, 10, Duration::ZERO);
        assert_eq!(line, "reading records: 10 records, 1.00 MiB");
        let line = describe(Phase::Merge, 5, Some(5), 0, Duration::from_secs(2));
        assert_eq!(line, "merging words: 100 %, 0 seconds left");
    }
}
