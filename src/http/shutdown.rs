//! How the server stops, and who tells it to.
//!
//! The first `SIGTERM` or `SIGINT` begins a graceful stop: readiness goes off, every request that
//! has arrived is answered, its connection closed. A second one, or the deadline, ends the rest.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Where the server stands. It only ever moves forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Running,
    /// Finishing what has arrived.
    Draining,
    /// Dropping what is left.
    Ended,
}

/// The one place that moves the phase.
#[derive(Debug)]
pub(super) struct Shutdown(watch::Sender<Phase>);

impl Shutdown {
    pub(super) fn new() -> Shutdown {
        Shutdown(watch::Sender::new(Phase::Running))
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Phase> {
        self.0.subscribe()
    }

    /// Moves on to `phase`; never back.
    pub(super) fn advance(&self, phase: Phase) {
        self.0.send_if_modified(|current| {
            let advances = *current < phase;
            if advances {
                *current = phase;
            }
            advances
        });
    }
}

/// Waits until the phase is `phase` or later. A dropped [`Shutdown`] counts as the end.
pub(super) async fn reached(receiver: &mut watch::Receiver<Phase>, phase: Phase) {
    let _ = receiver.wait_for(|&current| current >= phase).await;
}

/// What the operating system asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Stop,
    Reload,
}

/// The signals that the server listens to.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Must be called within a runtime.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.terminate.recv() => Request::Stop,
            _ = self.interrupt.recv() => Request::Stop,
            _ = self.hang_up.recv() => Request::Reload,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_never_goes_back() {
        let shutdown = Shutdown::new();
        let receiver = shutdown.subscribe();
        assert_eq!(*receiver.borrow(), Phase::Running);
        shutdown.advance(Phase::Ended);
        shutdown.advance(Phase::Draining);
        assert_eq!(*receiver.borrow(), Phase::Ended);
    }
}
