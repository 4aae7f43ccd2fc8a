//! The stage that changes the order: `shuffle`, by drawing from a buffer that is filled from the stages before.
//! The order follows from a seed and the number of the pass, on every machine.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::order::{Order, SharedOrder};
use crate::data::stage::{Item, Pass, Stage};
use crate::data::state::{Saved, save_item, saved_item};
use crate::module::StateWriter;
use kernels::backend::cpu::philox::{Philox, Stream as Words};
use kernels::error::{OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

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
    pub(in crate::data) buffer: usize,
    pub(in crate::data) seed: Option<i64>,
    pub(in crate::data) reshuffle: bool,
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

pub(in crate::data) struct Shuffled {
    before: Arc<dyn Stage>,
    options: Shuffle,
    order: SharedOrder,
}

impl Shuffled {
    pub fn new(before: Arc<dyn Stage>, options: Shuffle, seed: i64) -> Self {
        Self { before, options, order: SharedOrder::new(seed) }
    }
}

impl Stage for Shuffled {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let size = self.options.buffer;
        let Some(from) = from else {
            let Order { seed, passes } = self.order.take(self.options.reshuffle);
            let draws = Draws::new(seed, passes, 0);
            return Ok(Box::new(Shuffling { before: Some(self.before.begin(None)?), buffer: Vec::new(), size, draws }));
        };
        let draws = Draws::resume(from)?;
        let count = from.count()?;
        if count > size {
            return Err(from.damaged("a buffer holds more elements than it has room for"));
        }
        let buffer = (0..count).map(|_| saved_item(from, self.source())).collect::<Result<_>>()?;
        let before = from.flag()?.then(|| self.before.begin(Some(from))).transpose()?;
        Ok(Box::new(Shuffling { before, buffer, size, draws }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    one_input!(with its types and rows);

    fn describe(&self) -> String {
        let Shuffle { buffer, seed, reshuffle } = self.options;
        let buffer = if buffer == usize::MAX { "all".to_owned() } else { buffer.to_string() };
        let seed = seed.map_or(String::new(), |seed| format!(", seed {seed}"));
        format!("shuffle({buffer}{seed}{})", if reshuffle { "" } else { ", the same order in all passes" })
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.order]
    }
}

/// The random numbers of one pass, and how many of them were drawn.
pub(in crate::data) struct Draws {
    seed: i64,
    pass: u64,
    drawn: u64,
    words: Words,
}

impl Draws {
    /// Those after the first so many, wherever they are at no cost.
    pub fn new(seed: i64, pass: u64, drawn: u64) -> Self {
        // A group of four words holds two numbers.
        let words = Words::new(Philox::from_seed([seed, pass as i64]).skip(drawn / 2));
        let mut draws = Self { seed, pass, drawn: drawn / 2 * 2, words };
        if drawn % 2 == 1 {
            draws.next();
        }
        draws
    }

    pub fn next(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        (u64::from(self.words.next_word()) << 32) | u64::from(self.words.next_word())
    }

    /// A number below another one: the upper half of a product, as even as 64 bits allow, without a division.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    pub fn save(&self, to: &mut StateWriter) {
        to.signed(self.seed);
        to.number(self.pass);
        to.number(self.drawn);
    }

    pub fn resume(from: &mut Saved<'_>) -> Result<Self> {
        Ok(Self::new(from.signed()?, from.number()?, from.number()?))
    }
}

struct Shuffling {
    /// Nothing once the end was seen.
    before: Option<Box<dyn Pass>>,
    buffer: Vec<Item>,
    size: usize,
    draws: Draws,
}

impl Pass for Shuffling {
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
        let drawn = self.draws.below(self.buffer.len());
        Ok(Some(self.buffer.swap_remove(drawn)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.draws.save(to);
        to.number(self.buffer.len() as u64);
        self.buffer.iter().try_for_each(|item| save_item(item, to))?;
        to.flag(self.before.is_some());
        self.before.as_ref().map_or(Ok(()), |before| before.save(to))
    }
}
