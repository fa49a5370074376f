//! Progress on standard error: a bar on a terminal, a line every ten seconds otherwise.

use firmament::build::{Phase, Progress, Reject};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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

impl Progress for Display {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        let mut state = self.state.borrow_mut();
        state.clear_bar();
        state.phase = Some(phase);
        state.total = total.filter(|&total| total > 0);
        if !state.is_terminal {
            return;
        }
        let bar = ProgressBar::with_draw_target(state.total, ProgressDrawTarget::stderr());
        let template = match (state.total, phase) {
            (Some(_), Phase::Read) => {
                "{msg:17} {wide_bar} {percent:>3} %  {binary_bytes_per_sec}  {eta} left  {prefix}"
            }
            (Some(_), _) => "{msg:17} {wide_bar} {percent:>3} %  {per_sec}  {eta} left",
            (None, _) => "{msg:17} {spinner} {elapsed} {prefix}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("a constant template"));
        bar.set_message(phase.describe());
        bar.enable_steady_tick(Duration::from_millis(200));
        state.bar = Some(bar);
    }

    fn advance(&self, done: u64, records: u64) {
        let mut state = self.state.borrow_mut();
        if let Some(bar) = &state.bar {
            bar.set_position(done);
            if state.phase == Some(Phase::Read) {
                bar.set_prefix(format!("{records} records"));
            }
        } else if state.last_line.elapsed() >= LINE_EVERY {
            state.last_line = Instant::now();
            let phase = state.phase.map_or("", Phase::describe);
            let share = state.total.map_or(String::new(), |total| {
                format!(", {:.0} %", 100.0 * done as f64 / total as f64)
            });
            eprintln!("{phase}: {records} records{share}");
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
