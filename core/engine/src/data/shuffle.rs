//! The stage that changes the order: `shuffle`, by drawing from a buffer that is filled from the stages before.
//! The order follows from a seed and the number of the pass, on every machine.

use super::stage::{Item, Stage, Stream};
use crate::random;
use crate::tensor::TensorType;
use kernels::backend::cpu::philox::{Philox, Stream as Words};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a dataset is shuffled; a plain number stands for a buffer of so many elements.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, Shuffle};
/// let numbers = Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4, 5]));
/// let fixed = numbers.shuffle(Shuffle::whole().seed(7).reshuffle_each_iteration(false));
/// let order = || fixed.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>();
/// assert_eq!(order(), order());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shuffle {
    pub(super) buffer: usize,
    pub(super) seed: Option<i64>,
    pub(super) reshuffle: bool,
}

impl Shuffle {
    /// All elements in random order: every order is equally likely.
    pub fn whole() -> Self {
        Self::buffer(usize::MAX)
    }

    /// Elements drawn from a buffer that holds `size` of them at a time, TensorFlow's `buffer_size`.
    ///
    /// A buffer as large as the dataset shuffles it wholly; a smaller one keeps elements near their places.
    ///
    /// # Panics
    /// As [`try_buffer`](Self::try_buffer) fails, at the caller's line.
    #[track_caller]
    pub fn buffer(size: usize) -> Self {
        Self::try_buffer(size).or_fail()
    }

    /// Elements drawn from a buffer of a size that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a buffer of no elements.
    #[track_caller]
    pub fn try_buffer(size: usize) -> Result<Self> {
        let here = Location::caller();
        let buffer = crate::options::count("shuffle", "buffer", size).map_err(|e| e.at(here))?;
        Ok(Self { buffer, seed: None, reshuffle: true })
    }

    /// The seed of the order; without one it comes from the seed that `tf::random::set_seed` sets.
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether every pass over the dataset has an order of its own; it has unless this says otherwise.
    pub fn reshuffle_each_iteration(mut self, reshuffle: bool) -> Self {
        self.reshuffle = reshuffle;
        self
    }
}

/// `shuffle` looks at the size, whose caller can be told.
impl From<usize> for Shuffle {
    fn from(buffer: usize) -> Self {
        Self { buffer, seed: None, reshuffle: true }
    }
}

/// A seed for a shuffle that brings none, from the stream that `tf::random::set_seed` sets.
#[track_caller]
pub(super) fn global_seed() -> Result<i64> {
    random::try_uniform_int((), 0, i64::MAX, DType::I64, None)?.try_item()
}

pub(super) struct Shuffled {
    before: Arc<dyn Stage>,
    buffer: usize,
    seed: i64,
    reshuffle: bool,
    passes: AtomicU64,
}

impl Shuffled {
    pub fn new(before: Arc<dyn Stage>, options: Shuffle, seed: i64) -> Self {
        let Shuffle { buffer, reshuffle, .. } = options;
        Self { before, buffer, seed, reshuffle, passes: AtomicU64::new(0) }
    }
}

impl Stage for Shuffled {
    fn open(&self) -> Box<dyn Stream> {
        let pass = if self.reshuffle { self.passes.fetch_add(1, Ordering::Relaxed) } else { 0 };
        let words = Words::new(Philox::from_seed([self.seed, pass as i64]));
        Box::new(Shuffling { before: Some(self.before.open()), buffer: Vec::new(), size: self.buffer, words })
    }

    fn len(&self) -> Option<usize> {
        self.before.len()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }
}

struct Shuffling {
    /// Nothing once the end was seen.
    before: Option<Box<dyn Stream>>,
    buffer: Vec<Item>,
    size: usize,
    words: Words,
}

impl Stream for Shuffling {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(before) = &mut self.before
            && self.buffer.len() < self.size
        {
            match before.next()? {
                Some(item) => self.buffer.push(item),
                None => self.before = None,
            }
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        let word = (u64::from(self.words.next_word()) << 32) | u64::from(self.words.next_word());
        // The upper half of a product: as even as 64 bits allow, without a division.
        let drawn = ((u128::from(word) * self.buffer.len() as u128) >> 64) as usize;
        Ok(Some(self.buffer.swap_remove(drawn)))
    }
}
