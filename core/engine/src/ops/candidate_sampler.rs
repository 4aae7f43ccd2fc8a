//! Candidate samplers: classes drawn by how frequent they are taken to be, and how often each is expected; no gradient flows.
//! TensorFlow's `tf.random.uniform_candidate_sampler`, `log_uniform_candidate_sampler`, `fixed_unigram_candidate_sampler` (by its unigrams) and
//! `all_candidate_sampler`, with numbers of our own generator.

use super::AsTensor;
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::random::try_uniform_int;
use crate::tensor::Tensor;
use kernels::backend::cpu::philox::{Philox, Stream};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::Shape;
use std::collections::HashSet;
use std::panic::Location;

/// Which classes are more probable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Law {
    /// None.
    Uniform,
    /// Those of small numbers: (log(k + 2) - log(k + 1)) / log(range + 1).
    LogUniform,
    /// By the unigrams, the last input.
    Unigram,
    /// All are taken, in order.
    All,
}

/// Inputs: true classes `[batch, n]`, a seed of two integers, perhaps unigrams. Outputs: classes `[sampled]`, expected counts of the true ones and of them.
#[derive(Clone)]
struct CandidateSampler {
    law: Law,
    sampled: i64,
    unique: bool,
    range: i64,
}

impl CandidateSampler {
    fn label(&self) -> &'static str {
        match self.law {
            Law::Uniform => "uniform",
            Law::LogUniform => "log_uniform",
            Law::Unigram => "unigram",
            Law::All => "all",
        }
    }
}

impl Op for CandidateSampler {
    identity!("candidate_sampler", {
        "law": Text = |this| this.label(),
        "num_sampled": Int = |this| this.sampled,
        "unique": Bool = |this| this.unique,
        "range_max": Int = |this| this.range,
    });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::I64]))?;
        let truths = *cx.shape(0);
        if truths.rank() != 2 {
            return Err(Error::invalid_argument(self.name(), "true classes are rows")
                .got(cx.input(0))
                .expected("int64[batch, num_true]"));
        }
        let sampled = Shape::new(&[self.sampled as usize])?;
        cx.output(DType::I64, sampled);
        cx.output(DType::F32, truths);
        cx.output(DType::F32, sampled);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn work(&self, _: &CpuCall<'_>) -> Work {
        Work::SERIAL
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (range, count) = (self.range as usize, self.sampled as usize);
        // SAFETY: valid views of the inferred types; outputs are dense and of their sizes.
        unsafe {
            let truths = call.inputs[0].integers();
            let seed = call.inputs[1].integers();
            let weights: Vec<f64> = match call.inputs.get(2) {
                Some(unigrams) => {
                    let mut all = Vec::new();
                    kernels::backend::cpu::merge_dims::for_each_offset(unigrams.dims(), unigrams.strides(), |at| {
                        all.push(f64::from(unigrams.ptr.cast::<f32>().offset(at).read()));
                    });
                    all
                }
                None => Vec::new(),
            };
            let drawn = Drawn::new(self, range, &weights)?;
            let (classes, tries) = drawn.classes(self, count, [seed[0], seed[1]]);
            let expected = |class: i64| -> Result<f32> {
                match usize::try_from(class) {
                    Ok(class) if class < range => Ok(drawn.expected(self, class, count, tries) as f32),
                    _ => Err(Error::invalid_argument("candidate_sampler", "a true class is out of range")
                        .got(class)
                        .expected(format!("a number from 0 to below {range}"))),
                }
            };
            for (i, &class) in classes.iter().enumerate() {
                *call.outputs[0].ptr.cast::<i64>().add(i) = class;
                *call.outputs[2].ptr.cast::<f32>().add(i) = expected(class)?;
            }
            for (i, &class) in truths.iter().enumerate() {
                *call.outputs[1].ptr.cast::<f32>().add(i) = expected(class)?;
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("classes are drawn, and what is expected of them depends on no tensor")
    }
}

/// A distribution over classes.
struct Drawn {
    range: usize,
    /// Running sums of weights, for unigrams.
    sums: Vec<f64>,
}

impl Drawn {
    fn new(op: &CandidateSampler, range: usize, weights: &[f64]) -> Result<Self> {
        let mut sums = Vec::with_capacity(weights.len());
        let (mut total, mut known) = (0.0, 0);
        for &weight in weights {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(Error::invalid_argument("candidate_sampler", "a unigram is no weight").got(weight));
            }
            known += usize::from(weight > 0.0);
            total += weight;
            sums.push(total);
        }
        let all = if op.law == Law::Unigram { known } else { range };
        if all == 0 || op.unique && op.sampled as usize > all {
            return Err(Error::invalid_argument(
                "candidate_sampler",
                "there are fewer classes than different ones are asked for",
            )
            .got(format!("{} of {all}", op.sampled)));
        }
        Ok(Self { range, sums })
    }

    fn chance(&self, op: &CandidateSampler, class: usize) -> f64 {
        match op.law {
            Law::Uniform => 1.0 / self.range as f64,
            Law::LogUniform => ((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / (self.range as f64 + 1.0).ln(),
            Law::Unigram => {
                let before = if class == 0 { 0.0 } else { self.sums[class - 1] };
                (self.sums[class] - before) / self.sums[self.range - 1]
            }
            Law::All => 1.0,
        }
    }

    /// The class of a number from 0 to below 1.
    fn class(&self, op: &CandidateSampler, uniform: f64) -> usize {
        let class = match op.law {
            Law::LogUniform => (uniform * (self.range as f64 + 1.0).ln()).exp() as usize - 1,
            Law::Unigram => self.sums.partition_point(|&sum| sum <= uniform * self.sums[self.range - 1]),
            _ => (uniform * self.range as f64) as usize,
        };
        class.min(self.range - 1)
    }

    /// The classes, and in how many draws they were found.
    fn classes(&self, op: &CandidateSampler, count: usize, seed: [i64; 2]) -> (Vec<i64>, usize) {
        if op.law == Law::All {
            return ((0..count as i64).collect(), 1);
        }
        let mut words = Stream::new(Philox::from_seed(seed));
        let mut next = || {
            let (high, low) = (words.next_word(), words.next_word());
            let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
            self.class(op, bits as f64 / (1u64 << 53) as f64) as i64
        };
        let (mut classes, mut seen, mut tries) = (Vec::with_capacity(count), HashSet::new(), 0);
        while classes.len() < count {
            let class = next();
            tries += 1;
            if !op.unique || seen.insert(class) {
                classes.push(class);
            }
        }
        (classes, tries)
    }

    fn expected(&self, op: &CandidateSampler, class: usize, count: usize, tries: usize) -> f64 {
        let chance = self.chance(op, class);
        match (op.law, op.unique) {
            (Law::All, _) => 1.0,
            // That it is among them at all after so many draws.
            (_, true) => -(tries as f64 * (-chance).ln_1p()).exp_m1(),
            (_, false) => chance * count as f64,
        }
    }
}

/// Sampled classes, and how often the true ones and these are expected among them.
type Sampled = (Tensor, Tensor, Tensor);

#[track_caller]
pub(super) fn draw(
    name: &'static str,
    law: (&'static str, Option<&Tensor>),
    truths: &Tensor,
    [sampled, range]: [usize; 2],
    unique: bool,
    seed: Option<i64>,
) -> Result<Sampled> {
    let law_of = match law.0 {
        "uniform" => Law::Uniform,
        "log_uniform" => Law::LogUniform,
        "unigram" => Law::Unigram,
        _ => Law::All,
    };
    if range == 0 || i64::try_from(range).is_err() || i64::try_from(sampled).is_err() || unique && sampled > range {
        return Err(Error::invalid_argument(name, "so many classes cannot be drawn")
            .got(format!("{sampled} of {range}"))
            .expected("at least one class, and no more different ones than there are"));
    }
    if let Some(unigrams) = law.1
        && (unigrams.rank() != 1
            || unigrams.dtype() != DType::F32
            || unigrams.shape().dim(0).known_value().is_some_and(|n| n != range))
    {
        return Err(Error::invalid_argument(name, "there is not one unigram for each class")
            .got(unigrams.ty())
            .expected(format!("float32[{range}]")));
    }
    let seed = try_uniform_int(2, i64::MIN, i64::MAX, DType::I64, seed)?;
    let op = CandidateSampler { law: law_of, sampled: sampled as i64, unique, range: range as i64 };
    let mut inputs: Vec<&Tensor> = vec![truths, &seed];
    inputs.extend(law.1);
    let mut all = execute(&op, &inputs).map_err(|e| e.named(name))?.into_iter();
    match (all.next(), all.next(), all.next()) {
        (Some(a), Some(b), Some(c)) => Ok((a, b, c)),
        _ => Err(Error::internal(name, "three results were expected")),
    }
}

macro_rules! samplers {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident = $law:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// `true_classes` are `[batch, num_true]` of `int64`. The results are the classes `[num_sampled]`, drawn without repeats if `unique`, and how often the true
        /// classes and these are expected among them (`float32`): with `unique` the chance that they are there at all. The numbers are our own generator's, not
        /// TensorFlow's; `seed` is that of the operation, as in [`random`](crate::random).
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`] fails.")]
        #[track_caller]
        pub fn $name(
            true_classes: impl AsTensor,
            num_sampled: usize,
            unique: bool,
            range_max: usize,
            seed: Option<i64>,
        ) -> (Tensor, Tensor, Tensor) {
            $try_name(true_classes, num_sampled, unique, range_max, seed).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for true classes that are no rows of `int64` or out of range, no classes, or more different ones than there are.
        #[track_caller]
        pub fn $try_name(
            true_classes: impl AsTensor,
            num_sampled: usize,
            unique: bool,
            range_max: usize,
            seed: Option<i64>,
        ) -> Result<(Tensor, Tensor, Tensor)> {
            let here = Location::caller();
            draw(stringify!($name), ($law, None), &true_classes.as_tensor(), [num_sampled, range_max], unique, seed)
                .map_err(|e| e.at(here))
        }
    )*};
}

samplers! {
    /// Classes from 0 to below `range_max`, all equally probable.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let truths = tf::Tensor::from([[3_i64]]);
    /// let (classes, of_truths, _) = tf::uniform_candidate_sampler(&truths, 4, false, 8, Some(1));
    /// assert_eq!((classes.shape().dims(), of_truths.to_vec::<f32>()), (&[4][..], vec![0.5]));
    /// ```
    uniform_candidate_sampler, try_uniform_candidate_sampler = "uniform";
    /// Classes from 0 to below `range_max`, those of small numbers more often, as words come that are sorted by how frequent they are:
    /// `(log(k + 2) - log(k + 1)) / log(range_max + 1)`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let truths = tf::Tensor::from([[0_i64, 1]]);
    /// let (classes, of_truths, _) = tf::log_uniform_candidate_sampler(&truths, 5, true, 50, Some(1));
    /// let counts = of_truths.to_vec::<f32>();
    /// assert!(classes.shape() == [5] && counts[0] > counts[1]);
    /// ```
    log_uniform_candidate_sampler, try_log_uniform_candidate_sampler = "log_uniform";
}

/// Classes by `unigrams`, one weight (`float32`) for each: [`uniform_candidate_sampler`] otherwise. TensorFlow's `fixed_unigram_candidate_sampler` with its `unigrams`
/// raised to the power of `distortion` beforehand, and with `num_reserved_ids` weights of 0 in front; it also reads them from files.
///
/// ```
/// use eagerflow as tf;
/// let weights = tf::constant([0.0, 1.0, 3.0]);
/// let truths = tf::Tensor::from([[2_i64]]);
/// let (classes, of_truths, _) = tf::fixed_unigram_candidate_sampler(&truths, 4, false, 3, &weights, Some(1));
/// assert!(classes.to_vec::<i64>().iter().all(|&k| k > 0));
/// assert_eq!(of_truths.to_vec::<f32>(), [3.0]);
/// ```
///
/// # Panics
/// As [`try_fixed_unigram_candidate_sampler`] fails.
#[track_caller]
pub fn fixed_unigram_candidate_sampler(
    true_classes: impl AsTensor,
    num_sampled: usize,
    unique: bool,
    range_max: usize,
    unigrams: impl AsTensor,
    seed: Option<i64>,
) -> (Tensor, Tensor, Tensor) {
    try_fixed_unigram_candidate_sampler(true_classes, num_sampled, unique, range_max, unigrams, seed).or_fail()
}

/// Classes by weights.
///
/// # Errors
/// As [`try_uniform_candidate_sampler`], and InvalidArgument for weights that are not one `float32` from 0 up for each class.
#[track_caller]
pub fn try_fixed_unigram_candidate_sampler(
    true_classes: impl AsTensor,
    num_sampled: usize,
    unique: bool,
    range_max: usize,
    unigrams: impl AsTensor,
    seed: Option<i64>,
) -> Result<(Tensor, Tensor, Tensor)> {
    const OP: &str = "fixed_unigram_candidate_sampler";
    let here = Location::caller();
    let (truths, weights) = (true_classes.as_tensor(), unigrams.as_tensor());
    draw(OP, ("unigram", Some(&weights)), &truths, [num_sampled, range_max], unique, seed).map_err(|e| e.at(here))
}

/// All classes from 0 to below `num_sampled`, each expected once: where a loss over samples shall be the one over all.
///
/// ```
/// use eagerflow as tf;
/// let (classes, _, counts) = tf::all_candidate_sampler(tf::Tensor::from([[1_i64]]), 3);
/// assert_eq!((classes.to_vec::<i64>(), counts.to_vec::<f32>()), (vec![0, 1, 2], vec![1.0; 3]));
/// ```
///
/// # Panics
/// As [`try_all_candidate_sampler`] fails.
#[track_caller]
pub fn all_candidate_sampler(true_classes: impl AsTensor, num_sampled: usize) -> (Tensor, Tensor, Tensor) {
    try_all_candidate_sampler(true_classes, num_sampled).or_fail()
}

/// All classes, each expected once.
///
/// # Errors
/// As [`try_uniform_candidate_sampler`].
#[track_caller]
pub fn try_all_candidate_sampler(true_classes: impl AsTensor, num_sampled: usize) -> Result<(Tensor, Tensor, Tensor)> {
    let here = Location::caller();
    let truths = true_classes.as_tensor();
    draw("all_candidate_sampler", ("all", None), &truths, [num_sampled; 2], true, Some(0)).map_err(|e| e.at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::Tensor;

    #[test]
    fn classes_come_as_often_as_expected() {
        let truths = Tensor::from([[0_i64, 3, 9]]);
        for (classes, expected, counts) in [
            tf::uniform_candidate_sampler(&truths, 20_000, false, 10, Some(1)),
            tf::log_uniform_candidate_sampler(&truths, 20_000, false, 10, Some(2)),
        ] {
            let classes = classes.to_vec::<i64>();
            assert!(classes.iter().all(|k| (0..10).contains(k)) && counts.shape() == [20_000]);
            for (class, expected) in [0, 3, 9].iter().zip(expected.to_vec::<f32>()) {
                let seen = classes.iter().filter(|k| *k == class).count() as f32;
                assert!((seen - expected).abs() < 5.0 * expected.sqrt(), "{class}: {seen} {expected}");
            }
        }
        let (classes, ..) = tf::log_uniform_candidate_sampler(&truths, 10, true, 10, Some(3));
        let mut classes = classes.to_vec::<i64>();
        classes.sort_unstable();
        assert_eq!(classes, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn bad_input_is_refused() {
        let truths = Tensor::from([[0_i64, 12]]);
        assert!(tf::try_uniform_candidate_sampler(&truths, 3, false, 10, Some(1)).is_err());
        assert!(tf::try_uniform_candidate_sampler(Tensor::from([[0_i64]]), 11, true, 10, Some(1)).is_err());
        assert!(tf::try_uniform_candidate_sampler(tf::constant([[0]]), 1, true, 10, Some(1)).is_err());
        let weights = tf::constant([1.0, -1.0]);
        assert!(
            tf::try_fixed_unigram_candidate_sampler(Tensor::from([[0_i64]]), 1, true, 2, &weights, Some(1)).is_err()
        );
        let weights = tf::constant([1.0, 0.0]);
        assert!(
            tf::try_fixed_unigram_candidate_sampler(Tensor::from([[0_i64]]), 2, true, 2, &weights, Some(1)).is_err()
        );
    }
}
