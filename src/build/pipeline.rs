//! Work on all cores, results in order.

use rayon::ThreadPool;
use std::collections::VecDeque;
use std::sync::mpsc;

/// Applies `work` to every input on the threads of `pool`, and gives the results to `consume` in the order of the
/// inputs, on the calling thread. At most `ahead` inputs are under way at a time.
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
    let result = pool.in_place_scope(|scope| {
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
    });
    result
}
