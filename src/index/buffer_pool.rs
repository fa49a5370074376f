//! Buffers between two uses.
//!
//! A build fills, empties and fills again some gigabytes a second. Given back in between, memory
//! goes to the system now and then, which clears what it gives out: a fifth of the time that
//! reading took.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What can be filled anew.
pub trait Reuse: Default {
    /// Forgets what it holds, and keeps its room.
    fn clear(&mut self);
}

impl<T> Reuse for Vec<T> {
    fn clear(&mut self) {
        Vec::clear(self);
    }
}

/// Empty buffers that were in use before, and have room therefore. Any thread lends them.
pub struct Spares<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Spares<T> {
    fn clone(&self) -> Spares<T> {
        Spares(self.0.clone())
    }
}

impl<T> Default for Spares<T> {
    fn default() -> Spares<T> {
        Spares(Arc::default())
    }
}

impl<T: Reuse> Spares<T> {
    /// One of them; a new one if all are in use.
    pub fn lend(&self) -> Lent<T> {
        Lent { value: self.lock().pop().unwrap_or_default(), home: self.clone() }
    }

    /// Gives their memory back.
    pub fn free(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer that is a spare one again when it is dropped.
pub struct Lent<T: Reuse> {
    value: T,
    home: Spares<T>,
}

impl<T: Reuse> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Reuse> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Reuse> Drop for Lent<T> {
    fn drop(&mut self) {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        self.home.lock().push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_empty_and_with_its_room() {
        let spares = Spares::<Vec<u8>>::default();
        let mut first = spares.lend();
        first.extend_from_slice(&[1; 100]);
        let second = spares.lend();
        assert_eq!(second.capacity(), 0);
        let place = first.as_ptr();
        drop(first);
        let again = spares.lend();
        assert!(again.is_empty() && again.capacity() >= 100);
        assert_eq!(again.as_ptr(), place);
        drop((again, second));
        spares.free();
        assert_eq!(spares.lend().capacity(), 0);
    }
}
