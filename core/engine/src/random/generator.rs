//! `Generator`: a stream of random numbers with a state of its own, TensorFlow's three words under the Philox algorithm.
//! User code holds generators; clones share the state, and so does a graph that draws from one.

use super::parameters::{self, Ready};
use crate::execute::{execute, execute1, generator_state as state};
use crate::ops::{self, AsTensor, Change, GeneratorSkip, Law, RandomDraw};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::backend::cpu::philox;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{IntoShape, Shape};
use std::hash::{BuildHasher, RandomState};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A state that nobody can foresee: hash keys, which the standard library takes from the operating system.
pub(super) fn entropy() -> [i64; 3] {
    [0, 1, 2].map(|word: u64| RandomState::new().hash_one(word) as i64)
}

/// A random number generator, TensorFlow's `tf.random.Generator` with the Philox algorithm.
///
/// ```
/// use eagerflow as tf;
/// let generator = tf::random::Generator::from_seed(1234);
/// let (a, b) = (generator.normal([2], 0.0, 1.0), generator.normal([2], 0.0, 1.0));
/// assert_ne!(a.to_vec::<f32>(), b.to_vec::<f32>());
/// let again = tf::random::Generator::from_seed(1234);
/// assert_eq!(a.to_vec::<f32>(), again.normal([2], 0.0, 1.0).to_vec::<f32>());
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    state: Tensor,
}

impl Generator {
    /// Its state as a variable that no optimizer trains: traced functions tell generators apart by it.
    pub(crate) fn as_variable(&self) -> Variable {
        Variable::from_handle(self.state.clone())
    }

    /// The generator whose state is this variable.
    pub(crate) fn from_variable(state: &Variable) -> Self {
        Self { state: state.as_handle().clone() }
    }

    /// The handle of its state.
    pub(super) fn handle(&self) -> &Tensor {
        &self.state
    }

    /// The generator of a seed; negative numbers and those beyond 64 bits count in full.
    #[track_caller]
    pub fn from_seed(seed: impl Into<i128>) -> Self {
        Self::from_state(philox::Generator::from_seed(seed.into()).words())
    }

    /// The generator with this state, as [`Generator::state`] gives it.
    #[track_caller]
    pub fn from_state(words: [i64; 3]) -> Self {
        Self { state: state(words) }
    }

    /// The generator with this key and counter.
    #[track_caller]
    pub fn from_key_counter(key: i64, counter: [i64; 2]) -> Self {
        Self::from_state([counter[0], counter[1], key])
    }

    /// A generator with a state that nobody can foresee.
    #[track_caller]
    pub fn from_non_deterministic_state() -> Self {
        Self::from_state(entropy())
    }

    /// The state: two words of counter and the key, `int64`.
    ///
    /// # Panics
    /// If the tensor cannot be made for want of memory.
    #[track_caller]
    pub fn state(&self) -> Tensor {
        ops::read_variable(&self.state).or_fail()
    }

    /// The key, `int64`.
    ///
    /// # Panics
    /// Within a function being recorded, where states have no numbers yet.
    #[track_caller]
    pub fn key(&self) -> i64 {
        self.state().to_vec::<i64>()[2]
    }

    /// Gives the generator another state, a tensor of three `int64` words.
    ///
    /// # Errors
    /// InvalidArgument for another dtype or shape.
    #[track_caller]
    pub fn reset(&self, state: impl AsTensor) -> Result<()> {
        let here = Location::caller();
        ops::assign(&self.state, &state.as_tensor(), Change::Set).map_err(|e| e.at(here))
    }

    /// Gives the generator the state of [`Generator::from_seed`].
    ///
    /// # Errors
    /// ResourceExhausted without memory.
    #[track_caller]
    pub fn reset_from_seed(&self, seed: impl Into<i128>) -> Result<()> {
        self.reset(Tensor::from(philox::Generator::from_seed(seed.into()).words()))
    }

    /// Moves on as if `count` numbers had been drawn.
    ///
    /// # Panics
    /// For a count beyond `i64`.
    #[track_caller]
    pub fn skip(&self, count: u64) {
        let count = i64::try_from(count)
            .map_err(|_| Error::invalid_argument("skip", "the count is too large").got(count))
            .or_fail();
        execute(&GeneratorSkip { count }, &[&self.state]).map(drop).or_fail();
    }

    /// `count` seeds for the stateless functions, one per column: shape `[2, count]`, `int64`.
    ///
    /// # Panics
    /// If the tensor cannot be made for want of memory.
    #[track_caller]
    pub fn make_seeds(&self, count: usize) -> Tensor {
        let seeds = || {
            let keys = self.draw(Shape::new(&[1, count]), Law::Full, DType::I64)?;
            ops::concat_all(&[&keys, &ops::zeros_of(keys.ty())?], 0)
        };
        seeds().or_fail()
    }

    /// `count` generators whose streams do not overlap with each other or with this one.
    ///
    /// # Panics
    /// Within a function being recorded, where the new keys have no numbers yet.
    #[track_caller]
    pub fn split(&self, count: usize) -> Vec<Self> {
        let keys = self.draw(Shape::new(&[count]), Law::Full, DType::I64).or_fail();
        keys.to_vec::<i64>().into_iter().map(|key| Self::from_state([0, 0, key])).collect()
    }

    #[track_caller]
    fn draw(&self, shape: Result<Shape>, law: Law, dtype: DType) -> Result<Tensor> {
        crate::execute::note_draw(Location::caller());
        execute1(&RandomDraw { law, shape: shape?, dtype }, &[&self.state])
    }
}

macro_rules! draws {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident($a:ident, $b:ident: $t:ty) = $law:ident, $dtype:ident;)*) => {
        impl Generator {$(
            $(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!("As [`Generator::", stringify!($try_name), "`] fails.")]
            #[track_caller]
            pub fn $name(&self, shape: impl IntoShape, $a: $t, $b: $t) -> Tensor {
                self.$try_name(shape, $a, $b, DType::$dtype).or_fail()
            }

            #[doc = concat!("[`Generator::", stringify!($name), "`] of another dtype.")]
            ///
            /// # Errors
            /// InvalidArgument for a bad shape, parameter or dtype: then the state has not moved.
            #[track_caller]
            pub fn $try_name(&self, shape: impl IntoShape, $a: $t, $b: $t, dtype: DType) -> Result<Tensor> {
                let here = Location::caller();
                self.draw(shape.into_shape(), Law::$law { $a, $b }, dtype).map_err(|e| e.at(here))
            }
        )*}
    };
}

draws! {
    /// Numbers between `low` (included) and `high`, `float32`.
    uniform, try_uniform(low, high: f64) = Uniform, F32;
    /// Normal numbers, `float32`.
    normal, try_normal(mean, stddev: f64) = Normal, F32;
    /// Normal numbers less than two deviations from the mean, `float32`.
    truncated_normal, try_truncated_normal(mean, stddev: f64) = Truncated, F32;
    /// Integers of `low..high`, `int32`.
    uniform_int, try_uniform_int(low, high: i64) = Integers, I32;
}

impl Generator {
    /// Integers over the whole range of a dtype of 32 or 64 bits.
    ///
    /// # Errors
    /// InvalidArgument for a bad shape or dtype: then the state has not moved.
    #[track_caller]
    pub fn uniform_full_int(&self, shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
        let here = Location::caller();
        self.draw(shape.into_shape(), Law::Full, dtype).map_err(|e| e.at(here))
    }
}

impl Generator {
    /// A seed for a stateless draw; moves the state on.
    #[track_caller]
    pub(super) fn seed(&self) -> Result<Tensor> {
        self.draw(Shape::new(&[2]), Law::Full, DType::I64)
    }

    /// How many of `counts` trials succeed, each with probability `probs`, `int32`: as
    /// [`stateless_binomial`](super::stateless_binomial), with another seed at each call.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let generator = tf::random::Generator::from_seed(3);
    /// let x = generator.binomial([100], &tf::constant(6.0), &tf::constant(0.5));
    /// assert!(x.to_vec::<i32>().iter().all(|heads| (0..=6).contains(heads)));
    /// ```
    ///
    /// # Panics
    /// As [`Generator::try_binomial`] fails.
    #[track_caller]
    pub fn binomial(&self, shape: impl IntoShape, counts: impl AsTensor, probs: impl AsTensor) -> Tensor {
        self.try_binomial(shape, counts, probs, DType::I32).or_fail()
    }

    /// [`Generator::binomial`] of another dtype.
    ///
    /// # Errors
    /// InvalidArgument for a bad shape or dtype, or a shape that does not end with that of the parameters: then the state has not moved.
    #[track_caller]
    pub fn try_binomial(
        &self,
        shape: impl IntoShape,
        counts: impl AsTensor,
        probs: impl AsTensor,
        dtype: DType,
    ) -> Result<Tensor> {
        const OP: &str = "binomial";
        let here = Location::caller();
        let (counts, probs) = (counts.as_tensor(), probs.as_tensor());
        let ready = parameters::binomial(OP, shape.into_shape(), &counts, &probs, dtype).and_then(Ready::checked);
        let drawn = match ready {
            // Not in a closure: the draw notes its caller's line.
            Ok(ready) => match self.seed() {
                Ok(seed) => ready.draw(&seed),
                Err(e) => Err(e),
            },
            Err(e) => Err(e),
        };
        drawn.map_err(|e| e.named(OP).at(here))
    }
}

static SHARED: Mutex<Option<Generator>> = Mutex::new(None);

/// The process' own generator, if there is one yet.
pub(super) fn shared() -> MutexGuard<'static, Option<Generator>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process' own generator, made at the first call.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::random::get_global_generator().uniform([3], 0.0, 1.0).shape(), [3]);
/// ```
#[track_caller]
pub fn get_global_generator() -> Generator {
    shared().get_or_insert_with(Generator::from_non_deterministic_state).clone()
}

/// Puts another generator in the place of the process' own.
pub fn set_global_generator(generator: Generator) {
    *shared() = Some(generator);
}
