//! Work on all cores, results in order; and work beside that.

use rayon::ThreadPool;
use std::collections::VecDeque;
use std::sync::mpsc;
use std::thread::JoinHandle;

/// Results that may wait to be consumed by a thread that writes them: where the disk is behind, the
/// system makes that one wait, and the others go on. However many cores there are, one thread
/// writes.
const WAITING: usize = 14;

/// As many inputs are under way where the results, some megabytes each, are written.
pub fn ahead_of_disk(pool: &ThreadPool) -> usize {
    pool.current_num_threads() + WAITING
}

/// Applies `work` to every input on the threads of `pool`, and gives the results to `consume` in
/// the order of the inputs, on the calling thread. At most `ahead` inputs are under way at a time.
///
/// # Errors
/// The first error of `inputs` or of `consume`, in order.
pub fn in_order<T: Send, R: Send, E>(
    pool: &ThreadPool,
    ahead: usize,
    inputs: impl Iterator<Item = Result<T, E>>,
    work: impl Fn(T) -> R + Sync,
    mut consume: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let work = &work;
    pool.in_place_scope(|scope| {
        let mut under_way: VecDeque<mpsc::Receiver<R>> = VecDeque::with_capacity(ahead);
        for input in inputs {
            let input = input?;
            if under_way.len() >= ahead.max(1) {
                // A worker that panicked sends nothing; the scope passes its panic on.
                let Some(Ok(result)) = under_way.pop_front().map(|next| next.recv()) else {
                    return Ok(());
                };
                consume(result)?;
            }
            let (sender, receiver) = mpsc::sync_channel(1);
            under_way.push_back(receiver);
            scope.spawn(move |_| {
                let _ = sender.send(work(input));
            });
        }
        for next in under_way {
            let Ok(result) = next.recv() else { return Ok(()) };
            consume(result)?;
        }
        Ok(())
    })
}

/// What a thread of its own works on. Nobody who drops it leaves the thread behind: it is waited
/// for.
#[derive(Debug)]
pub struct InBackground<T> {
    thread: Option<JoinHandle<T>>,
}

impl<T: Send + 'static> InBackground<T> {
    /// Begins `work`.
    pub fn begin(work: impl FnOnce() -> T + Send + 'static) -> InBackground<T> {
        InBackground { thread: Some(std::thread::spawn(work)) }
    }

    /// What came of it, when it is done.
    pub fn wait(mut self) -> T {
        let thread = self.thread.take().expect("it is waited for once");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl<T> Drop for InBackground<T> {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
