//! Steps that leave elements as they are: in another order, again, some of them, ahead of time, kept, or with their numbers.
//! Each is a method of the data set.

use super::Dataset;
use crate::data::cardinality::Cardinality;
use crate::data::count::IntoCount;
use crate::data::form::{DatasetElement, Form};
use crate::data::order::global_seed;
use crate::data::steps::cache::{Cache, Kept};
use crate::data::steps::device::ToDevice;
use crate::data::steps::enumerate::{Enumerate, numbered};
use crate::data::steps::file_cache::FileCache;
use crate::data::steps::ignore_errors::{IgnoreErrors, IgnoredErrors};
use crate::data::steps::parallel::AUTOTUNE;
use crate::data::steps::part::{Shard, Skip, Take};
use crate::data::steps::prefetch::{Buffer, Prefetch};
use crate::data::steps::repeat::Repeat;
use crate::data::steps::shuffle::{Shuffle, Shuffled};
use crate::data::steps::unique::Unique;
use crate::tensor::{Tensor, TensorType};
use kernels::device::Device;
use kernels::devices::id_of;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

impl<S: DatasetElement> Dataset<S> {
    /// The elements in random order: `shuffle(1000)` draws from a buffer of 1000 elements, and
    /// [`Shuffle::whole`] from all of them.
    ///
    /// Each pass has an order of its own. It depends on the seed and the number of the pass alone.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{Dataset, Shuffle};
    /// let cards = Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4])).shuffle(Shuffle::whole().seed(5));
    /// let mut order: Vec<i32> = cards.iter().map(|card| card.item()).collect();
    /// order.sort();
    /// assert_eq!(order, [1, 2, 3, 4]);
    /// ```
    ///
    /// # Panics
    /// As [`try_shuffle`](Self::try_shuffle) fails.
    #[track_caller]
    pub fn shuffle(&self, how: impl Into<Shuffle>) -> Self {
        self.try_shuffle(how).or_fail()
    }

    /// The elements in random order.
    ///
    /// # Errors
    /// InvalidArgument for a buffer of no elements, or one of all elements where they have no end.
    #[track_caller]
    pub fn try_shuffle(&self, how: impl Into<Shuffle>) -> Result<Self> {
        let here = Location::caller();
        let how = how.into();
        if how.buffer == 0 {
            return Err(Error::invalid_argument("shuffle", "the buffer holds no elements")
                .help("give at least 1, or `Shuffle::whole()`")
                .at(here));
        }
        let endless = move || Error::invalid_argument("shuffle", "all of an endless dataset cannot be shuffled");
        self.then("shuffle", self.form.clone(), Ok, move |before| {
            if how.buffer == usize::MAX && before.cardinality() == Cardinality::Infinite {
                return Err(endless().help("shuffle first, then `repeat`").at(here));
            }
            let seed = how.seed.map_or_else(global_seed, Ok)?;
            Ok(Arc::new(Shuffled::new(before.clone(), how, seed)))
        })
    }

    /// The elements over and over: `count` times, or for ever if it is `None`. A tensor may say it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let twice = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(2);
    /// assert_eq!(twice.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>(), [1, 2, 1, 2]);
    /// ```
    #[track_caller]
    pub fn repeat(&self, count: impl IntoCount) -> Self {
        self.then_counted("repeat", count, |before, count| Arc::new(Repeat { before, count })).or_fail()
    }

    /// The first `count` elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Cardinality;
    /// let endless = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(None);
    /// assert_eq!(endless.cardinality(), Cardinality::Infinite);
    /// assert_eq!(endless.take(3).iter().count(), 3);
    /// ```
    #[track_caller]
    pub fn take(&self, count: impl IntoCount) -> Self {
        let all = |count: Option<usize>| count.unwrap_or(usize::MAX);
        self.then_counted("take", count, move |before, count| Arc::new(Take { before, count: all(count) })).or_fail()
    }

    /// All but the first `count` elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rest: Vec<i64> = tf::data::Dataset::range(5).skip(3).iter().map(|n| n.item()).collect();
    /// assert_eq!(rest, [3, 4]);
    /// ```
    #[track_caller]
    pub fn skip(&self, count: impl IntoCount) -> Self {
        let all = |count: Option<usize>| count.unwrap_or(usize::MAX);
        self.then_counted("skip", count, move |before, count| Arc::new(Skip { before, count: all(count) })).or_fail()
    }

    /// One of `num_shards` parts: every so many-th element, from number `index` on. Parts with different indices have no element in
    /// common, and together have all.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let part: Vec<i64> = tf::data::Dataset::range(7).shard(3, 1).iter().map(|n| n.item()).collect();
    /// assert_eq!(part, [1, 4]);
    /// ```
    ///
    /// # Panics
    /// As [`try_shard`](Self::try_shard) fails.
    #[track_caller]
    pub fn shard(&self, num_shards: usize, index: usize) -> Self {
        self.try_shard(num_shards, index).or_fail()
    }

    /// One of `num_shards` parts.
    ///
    /// # Errors
    /// InvalidArgument for no parts, and an index that is none of them.
    #[track_caller]
    pub fn try_shard(&self, num_shards: usize, index: usize) -> Result<Self> {
        let here = Location::caller();
        if index >= num_shards {
            return Err(Error::invalid_argument("shard", "there is no part with this index")
                .got(format!("index {index} of {num_shards} parts"))
                .expected("an index below the number of parts")
                .at(here));
        }
        let make =
            move |before: &Arc<_>| Ok(Arc::new(Shard { before: Arc::clone(before), shards: num_shards, index }) as _);
        self.then("shard", self.form.clone(), Ok, make)
    }

    /// Works ahead: a thread keeps up to `buffer_size` elements ready while others are used. [`AUTOTUNE`](crate::data::AUTOTUNE) lets
    /// the buffer grow while it runs dry, up to 512 elements, within [`ram_budget`](crate::data::ram_budget).
    ///
    /// The thread begins with the first element that is asked for, and has ended when the iterator is dropped.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let ahead = tf::data::Dataset::range(5).map(|n| n * 2).prefetch(2);
    /// assert_eq!(ahead.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
    /// ```
    ///
    /// # Panics
    /// As [`try_prefetch`](Self::try_prefetch) fails.
    #[track_caller]
    pub fn prefetch(&self, buffer_size: usize) -> Self {
        self.try_prefetch(buffer_size).or_fail()
    }

    /// Works ahead, and brings the elements to a device meanwhile: TensorFlow's `prefetch_to_device`. It is the last step of a pipeline.
    ///
    /// Strings stay on the host, where all strings lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let batches = tf::data::Dataset::range(6).batch(2).prefetch_to_device("/cpu:0", 2);
    /// assert!(batches.iter().all(|batch| batch.device().kind() == tf::DeviceKind::Cpu));
    /// ```
    ///
    /// # Panics
    /// As [`try_prefetch_to_device`](Self::try_prefetch_to_device) fails.
    #[track_caller]
    pub fn prefetch_to_device(&self, device: &str, buffer_size: usize) -> Self {
        self.try_prefetch_to_device(device, buffer_size).or_fail()
    }

    /// Works ahead, on a device.
    ///
    /// # Errors
    /// InvalidArgument for a buffer of no elements and for a text that names no device, NotFound for a device that is not there.
    #[track_caller]
    pub fn try_prefetch_to_device(&self, device: &str, buffer_size: usize) -> Result<Self> {
        let location = Location::caller();
        let known = Device::parse(device).and_then(id_of);
        let device: Arc<str> =
            known.map_err(|e| e.named("prefetch_to_device").at(location))?.device().to_string().into();
        let there = |from: &Self| {
            let device = device.clone();
            let make = move |before: &Arc<_>| {
                Ok(Arc::new(ToDevice { before: Arc::clone(before), device: device.clone(), location }) as _)
            };
            from.then("prefetch_to_device", from.form.clone(), Ok, make)
        };
        // What a state held in the buffer comes from the host, so it is brought there behind the buffer.
        there(&there(self)?.try_prefetch(buffer_size)?)
    }

    /// Works ahead.
    ///
    /// # Errors
    /// InvalidArgument for a buffer of no elements.
    #[track_caller]
    pub fn try_prefetch(&self, buffer_size: usize) -> Result<Self> {
        let here = Location::caller();
        let size = crate::options::count("prefetch", "buffer_size", buffer_size).map_err(|e| e.at(here))?;
        let buffer = if size == AUTOTUNE { Buffer::Tuned } else { Buffer::Fixed(size) };
        let make = move |before: &Arc<_>| Ok(Arc::new(Prefetch { before: Arc::clone(before), buffer }) as _);
        self.then("prefetch", self.form.clone(), Ok, make)
    }

    /// Keeps the elements of the first pass in memory for all that follow. Only a pass that came to its end fills the cache.
    ///
    /// What stands before it, a shuffle or random numbers too, is computed once; what stands behind it, in every pass. A checkpoint of a data set or
    /// a pass holds the elements that are kept.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// static CALLS: AtomicUsize = AtomicUsize::new(0);
    /// let costly = |n: tf::Tensor| {
    ///     CALLS.fetch_add(1, Ordering::Relaxed);
    ///     n * 2
    /// };
    /// let cached = tf::data::Dataset::range(3).map(costly).cache();
    /// assert_eq!((cached.iter().count(), cached.iter().count()), (3, 3));
    /// assert_eq!(CALLS.load(Ordering::Relaxed), 3);
    /// ```
    #[track_caller]
    pub fn cache(&self) -> Self {
        let make =
            move |before: &Arc<_>| Ok(Arc::new(Cache { before: Arc::clone(before), kept: Kept::default() }) as _);
        self.then("cache", self.form.clone(), Ok, make).or_fail()
    }

    /// Keeps the elements of the first pass in a file, for all passes that follow, of other processes too: TensorFlow's `cache(filename)`.
    ///
    /// The file has its name once a pass came to its end; one that was given up leaves nothing. While a pass fills the cache another one
    /// that begins is an error (AlreadyExists), as in TensorFlow; a process that was killed is in nobody's way. The file says which steps
    /// it was made by: a pipeline with other steps refuses it. What functions compute it cannot tell: remove the file when they change.
    ///
    /// A checkpoint of the pass that fills the cache goes on without the cache, which the next whole pass fills.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let path = std::env::temp_dir().join(format!("eagerflow-cache-in-{}", std::process::id()));
    /// let numbers = || tf::data::Dataset::range(3).map(|n| n * 2).cache_in(&path);
    /// assert_eq!(numbers().iter().count(), 3);
    /// assert_eq!(numbers().iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 2, 4]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    ///
    /// # Panics
    /// If the graph that is open fails. What is wrong with the file, passes answer.
    #[track_caller]
    pub fn cache_in(&self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_owned();
        let make =
            move |before: &Arc<_>| Ok(Arc::new(FileCache { before: Arc::clone(before), path: path.clone() }) as _);
        self.then("cache_in", self.form.clone(), Ok, make).or_fail()
    }

    /// Leaves elements out whose computation failed, and goes on behind them. With `log` each error is printed.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let inverse = |n: tf::Tensor| match n.item::<i64>() {
    ///     0 => Err(tf::Error::invalid_argument("inverse", "zero has none")),
    ///     n => Ok(tf::constant(1.0 / n as f32)),
    /// };
    /// let inverses = tf::data::Dataset::range(3).try_map(inverse).ignore_errors(false);
    /// assert_eq!(inverses.iter().map(|x| x.item::<f32>()).collect::<Vec<_>>(), [1.0, 0.5]);
    /// ```
    #[track_caller]
    pub fn ignore_errors(&self, log: bool) -> Self {
        self.ignoring(IgnoredErrors::new(), log)
    }

    /// [`ignore_errors`](Self::ignore_errors) that counts what it leaves out.
    #[track_caller]
    pub fn ignore_errors_counted(&self, ignored: &IgnoredErrors) -> Self {
        self.ignoring(ignored.clone(), false)
    }

    #[track_caller]
    fn ignoring(&self, ignored: IgnoredErrors, log: bool) -> Self {
        let make = move |before: &Arc<_>| {
            Ok(Arc::new(IgnoreErrors { before: Arc::clone(before), ignored: ignored.clone(), log }) as _)
        };
        self.then("ignore_errors", self.form.clone(), Ok, make).or_fail()
    }

    /// Each element once: those that were given before are left out. It remembers all that it has given.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let unique = tf::data::Dataset::from_tensor_slices(tf::constant([1, 37, 2, 37, 2, 1])).unique();
    /// assert_eq!(unique.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>(), [1, 37, 2]);
    /// ```
    #[track_caller]
    pub fn unique(&self) -> Self {
        let make = move |before: &Arc<_>| Ok(Arc::new(Unique { before: Arc::clone(before) }) as _);
        self.then("unique", self.form.clone(), Ok, make).or_fail()
    }

    /// The elements with their numbers, from 0: `int64` scalars.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let letters = tf::data::Dataset::from_tensor_slices(tf::constant([7, 8]));
    /// for (number, letter) in &letters.enumerate() {
    ///     assert_eq!(letter.item::<i32>() as i64, 7 + number.item::<i64>());
    /// }
    /// ```
    #[track_caller]
    pub fn enumerate(&self) -> Dataset<(Tensor, S)> {
        self.enumerate_from(0)
    }

    /// [`enumerate`](Self::enumerate) from another first number: TensorFlow's `start`.
    #[track_caller]
    pub fn enumerate_from(&self, start: i64) -> Dataset<(Tensor, S)> {
        let types = |types: Vec<TensorType>| Ok(numbered(&types));
        let make = move |before: &Arc<_>| Ok(Arc::new(Enumerate { before: Arc::clone(before), start }) as _);
        self.then("enumerate", Form::<(Tensor, S)>::parts((Form::open(), self.form.clone())), types, make).or_fail()
    }
}
