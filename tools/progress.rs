//! Progress on standard error: a bar on a terminal, a line every ten seconds otherwise.

use super::output::tell;
use firmament::index::{Phase, Progress, Reject};
use indicatif::{
    HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle,
};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Most rejected records that a build shows, and where the others are.
const OF_BUILD: (u64, &str) = (100, "more are rejected; see the reject file");

/// Most rejected records that a check shows.
const OF_CHECK: (u64, &str) = (5, "more are at fault; they are counted below");

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how a build gets on.
pub struct Display {
    state: Arc<Mutex<State>>,
    /// Ends the thread that writes lines; there is none on a terminal.
    lines: Option<mpsc::Sender<()>>,
}

struct State {
    bar: Option<ProgressBar>,
    phase: Option<Phase>,
    total: Option<u64>,
    begun: Instant,
    /// Steps and records behind.
    done: u64,
    records: u64,
    rejects: u64,
    /// How many of them are shown, and what is said then.
    shown: (u64, &'static str),
}

impl Display {
    /// The display of a build, on standard error.
    pub fn new() -> Display {
        Display::showing(OF_BUILD)
    }

    /// The display of a check, on standard error.
    pub fn of_check() -> Display {
        Display::showing(OF_CHECK)
    }

    fn showing(shown: (u64, &'static str)) -> Display {
        let is_terminal = std::io::stderr().is_terminal();
        let state = Arc::new(Mutex::new(State {
            bar: None,
            phase: None,
            total: None,
            begun: Instant::now(),
            done: 0,
            records: 0,
            rejects: 0,
            shown,
        }));
        let lines = (!is_terminal).then(|| write_lines(state.clone()));
        Display { state, lines }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line every ten seconds, until the sender is gone: also where a phase counts no steps,
/// or waits for input.
fn write_lines(state: Arc<Mutex<State>>) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        while receiver.recv_timeout(LINE_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
            let state = lock(&state);
            if let Some(line) = state.describe() {
                tell(&line);
            }
        }
    });
    sender
}

impl State {
    /// A message that does not tear the bar apart.
    fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(message)),
            None => tell(message),
        }
    }

    fn clear_bar(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// How far the phase is; nothing before the first and after the last.
    fn describe(&self) -> Option<String> {
        let elapsed = self.begun.elapsed();
        self.phase.map(|phase| describe(phase, self.done, self.total, self.records, elapsed))
    }
}

/// How far a phase is, in words: what is behind, how fast, and how long the rest of the phase will
/// take at that rate.
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
    if parts.is_empty() {
        parts.push(format!("{} so far", HumanDuration(elapsed)));
    }
    format!("{}: {}", phase.describe(), parts.join(", "))
}

impl Progress for Display {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        let mut state = self.lock();
        state.clear_bar();
        state.phase = Some(phase);
        state.total = total.filter(|&total| total > 0);
        state.begun = Instant::now();
        (state.done, state.records) = (0, 0);
        if self.lines.is_some() {
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
        let mut state = self.lock();
        (state.done, state.records) = (done, records);
        if let (Some(bar), Some(line)) = (&state.bar, state.describe()) {
            bar.set_position(done);
            bar.set_message(line);
        }
    }

    fn note(&self, note: &str) {
        self.lock().say(note);
    }

    fn rejected(&self, reject: &Reject) {
        let mut state = self.lock();
        state.rejects += 1;
        let (most, others) = state.shown;
        if state.rejects <= most {
            state.say(&format!("rejected {reject}"));
        } else if state.rejects == most + 1 {
            state.say(others);
        }
    }

    fn end(&self) {
        let mut state = self.lock();
        state.clear_bar();
        state.phase = None;
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
        let line = describe(Phase::Derive, 0, None, 0, Duration::from_secs(20));
        assert_eq!(line, "deriving: 20 seconds so far");
    }
}
