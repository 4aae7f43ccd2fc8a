//! What a trainer takes for data: arrays of all examples, which it cuts into batches, or a data set of batches.
//! Both become a [`Feed`], whose passes give batches to `fit`, `evaluate` and `predict`.

use super::batch::leaves;
use super::{Batch, InputArrays, TargetArrays};
use engine::data::{Cardinality, Dataset, DatasetElement, DatasetIterator, Shuffle};
use engine::library::cast_to;
use engine::{AsTensor, Nest, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::collections::HashSet;

/// Data for `fit` and `evaluate`: arrays as `&x`, `(&x, &y)` or `(&x, &y, &weights)`, or a data set whose elements are batches
/// of that form.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the data of the model",
    label = "neither arrays nor a data set that fits the model's input",
    note = "give `(&x, &y)` with tensors, `&x` alone where there are no targets, or a `Dataset<(Tensor, Tensor)>` of batches"
)]
pub trait TrainingData<X: Nest> {
    /// The data as a feed of batches.
    ///
    /// # Errors
    /// InvalidArgument for arrays of different lengths, without examples, or scalars.
    fn into_feed(self, how: &Cut) -> Result<Feed<X>>;

    /// As arrays, where they are: a share of them may be set aside for validation.
    #[doc(hidden)]
    fn into_arrays(self) -> Option<Arrays<X>>
    where
        Self: Sized,
    {
        None
    }
}

/// How arrays are cut into batches.
#[doc(hidden)]
pub struct Cut {
    pub batch_size: Option<usize>,
    pub shuffle: Option<Shuffle>,
    pub class_weight: Option<Vec<(i64, f64)>>,
}

/// Arrays of all examples.
#[doc(hidden)]
pub struct Arrays<X: Nest> {
    pub x: X,
    pub y: Vec<Tensor>,
    pub weights: Vec<Tensor>,
}

/// Batches, pass after pass.
pub struct Feed<X: Nest> {
    /// The form of the inputs, whose tensors are replaced by those of each batch.
    form: X,
    inputs: usize,
    targets: usize,
    batches: Dataset<Vec<Tensor>>,
}

impl<X: Nest> Feed<X> {
    /// The number of batches of a pass, where it is known.
    pub fn steps(&self) -> Option<usize> {
        self.batches.cardinality().known()
    }

    /// Whether a pass has no end.
    pub(super) fn is_endless(&self) -> bool {
        self.batches.cardinality() == Cardinality::Infinite
    }

    /// An error for batches without an end, unless it is said how many are taken, and for more than there are.
    pub(super) fn check_steps(&self, what: &str, option: &str, steps: Option<usize>) -> Result<()> {
        match (self.steps(), steps) {
            (_, None) if self.is_endless() => {
                Err(Error::invalid_argument("fit", format!("the data set of {what} has no end"))
                    .help(format!("say with `{option}` how many batches are taken, or `take` so many of the data set")))
            }
            (Some(batches), Some(steps)) if steps > batches => {
                Err(Error::invalid_argument("fit", format!("`{option}` is more than {what} has batches"))
                    .got(steps)
                    .expected(format!("at most {batches}")))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn begin(&self) -> DatasetIterator<Vec<Tensor>> {
        self.batches.iter()
    }

    pub(super) fn next(&self, pass: &mut DatasetIterator<Vec<Tensor>>) -> Result<Option<Batch<X>>> {
        let Some(list) = pass.try_next()? else { return Ok(None) };
        let (inputs, rest) = list.split_at(self.inputs);
        let mut inputs = inputs.iter();
        let x = self.form.map(&mut |old| inputs.next().unwrap_or(old).clone());
        Ok(Some(Batch { x, y: rest[..self.targets].to_vec(), sample_weight: rest[self.targets..].to_vec() }))
    }
}

/// Keras's default.
const BATCH_SIZE: usize = 32;

impl<X: Nest> Arrays<X> {
    /// The number of examples, which is one for all arrays.
    pub fn examples(&self) -> Result<usize> {
        let x = leaves(&self.x);
        let named = x.iter().map(|t| ("input", t)).chain(self.y.iter().map(|t| ("target", t)));
        let named = named.chain(self.weights.iter().map(|t| ("weight", t)));
        let mut count: Option<usize> = None;
        for (what, tensor) in named {
            let own = match tensor.rank() {
                0 => {
                    return Err(Error::invalid_argument(
                        "fit",
                        format!("an {what} is a scalar, which has no examples"),
                    ));
                }
                _ => tensor.shape()[0],
            };
            match count {
                Some(other) if other != own => {
                    return Err(Error::invalid_argument("fit", "the arrays have different numbers of examples")
                        .got(format!("{own} in a {what}, {other} before"))
                        .expected("as many targets and weights as inputs, along the first axis"));
                }
                _ => count = Some(own),
            }
        }
        match count {
            Some(count) if count > 0 => Ok(count),
            _ => {
                Err(Error::invalid_argument("fit", "there are no examples").got("0 examples").expected("at least one"))
            }
        }
    }

    /// The examples of a range.
    fn part(&self, range: std::ops::Range<usize>) -> Self {
        let cut = |tensor: &Tensor| tensor.at(engine::s![range.clone()]);
        let list = |list: &[Tensor]| list.iter().map(cut).collect();
        Self { x: self.x.map(&mut |tensor| cut(tensor)), y: list(&self.y), weights: list(&self.weights) }
    }

    /// All but the last share of the examples, and these.
    pub fn split(self, share: f64) -> Result<(Self, Self)> {
        let count = self.examples()?;
        let first = (count as f64 * (1.0 - share)).floor() as usize;
        if first == 0 || first == count {
            return Err(Error::invalid_argument("fit", "`validation_split` leaves no examples on one side")
                .got(format!("{share} of {count} examples"))
                .expected("a share that leaves at least one example to train with and one to validate"));
        }
        Ok((self.part(0..first), self.part(first..count)))
    }

    /// Batches of the arrays.
    pub fn feed(mut self, how: &Cut) -> Result<Feed<X>> {
        self.examples()?;
        if let Some(classes) = &how.class_weight {
            self.weigh(classes)?;
        }
        let size = how.batch_size.unwrap_or(BATCH_SIZE);
        let x = leaves(&self.x);
        let (inputs, targets) = (x.len(), self.y.len());
        let all: Vec<Tensor> = x.into_iter().chain(self.y).chain(self.weights).collect();
        let mut batches = Dataset::try_from_tensor_slices(all)?;
        if let Some(shuffle) = &how.shuffle {
            batches = batches.try_shuffle(*shuffle)?;
        }
        let batches = batches.try_batch(size, false)?;
        Ok(Feed { form: self.x, inputs, targets, batches })
    }

    /// Weights of the examples by their classes, in addition to those that are there.
    fn weigh(&mut self, classes: &[(i64, f64)]) -> Result<()> {
        let [target] = &self.y[..] else {
            return Err(Error::invalid_argument("fit", "`class_weight` is for models of one output")
                .got(format!("{} targets", self.y.len())));
        };
        // One-hot targets have their class along the last axis; class numbers may have an axis of size 1.
        let wide = target.rank() > 1 && target.shape()[target.rank() - 1] > 1;
        let numbers = match wide {
            true => engine::try_argmax(target, -1)?,
            false => cast_to(target, DType::I64)?,
        };
        let numbers: Vec<i64> = engine::try_cast(&numbers, DType::I64)?.try_reshape([-1])?.try_to_vec::<i64>()?;
        let present: HashSet<i64> = numbers.iter().copied().collect();
        if let Some((absent, _)) = classes.iter().find(|(class, _)| !present.contains(class)) {
            let mut labels: Vec<i64> = present.into_iter().collect();
            labels.sort_unstable();
            return Err(Error::invalid_argument("fit", "`class_weight` has a class that no label is of")
                .got(format!("class {absent}"))
                .expected(format!("classes of the labels: {}", listed(&labels)))
                .help("classes are counted from 0, and those that are not named count 1: leave it out, or look at the labels"));
        }
        let weight_of =
            |class: &i64| classes.iter().find(|(own, _)| own == class).map_or(1.0, |(_, weight)| *weight) as f32;
        let weights = Tensor::from(numbers.iter().map(weight_of).collect::<Vec<f32>>());
        self.weights = match self.weights.pop() {
            Some(own) => vec![own.try_multiply(&weights)?],
            None => vec![weights],
        };
        Ok(())
    }
}

/// Numbers in brackets; of many, the first ones.
fn listed(numbers: &[i64]) -> String {
    match numbers.len() {
        0..=10 => format!("{numbers:?}"),
        count => format!("{:?} and {} others", &numbers[..10], count - 10),
    }
}

impl<X: Nest, A: InputArrays<X>, Y: TargetArrays> TrainingData<X> for (A, Y) {
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        Arrays { x: self.0.into_input(), y: self.1.into_targets(), weights: Vec::new() }.feed(how)
    }

    fn into_arrays(self) -> Option<Arrays<X>> {
        Some(Arrays { x: self.0.into_input(), y: self.1.into_targets(), weights: Vec::new() })
    }
}

impl<X: Nest, A: InputArrays<X>, Y: TargetArrays, W: TargetArrays> TrainingData<X> for (A, Y, W) {
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        Arrays { x: self.0.into_input(), y: self.1.into_targets(), weights: self.2.into_targets() }.feed(how)
    }

    fn into_arrays(self) -> Option<Arrays<X>> {
        Some(Arrays { x: self.0.into_input(), y: self.1.into_targets(), weights: self.2.into_targets() })
    }
}

/// Inputs without targets, for models of one input whose steps need none.
impl TrainingData<Tensor> for &Tensor {
    fn into_feed(self, how: &Cut) -> Result<Feed<Tensor>> {
        Arrays { x: self.clone(), y: Vec::new(), weights: Vec::new() }.feed(how)
    }

    fn into_arrays(self) -> Option<Arrays<Tensor>> {
        Some(Arrays { x: self.clone(), y: Vec::new(), weights: Vec::new() })
    }
}

/// As a tensor that is lent.
impl TrainingData<Tensor> for Tensor {
    fn into_feed(self, how: &Cut) -> Result<Feed<Tensor>> {
        (&self).into_feed(how)
    }

    fn into_arrays(self) -> Option<Arrays<Tensor>> {
        (&self).into_arrays()
    }
}

/// Targets or weights as a part of the elements of a data set.
#[doc(hidden)]
pub trait Targets: DatasetElement {
    const COUNT: usize;
}

impl Targets for Tensor {
    const COUNT: usize = 1;
}

macro_rules! target_tuples {
    ($($count:literal: $($name:ident),*;)*) => {$(
        impl<$($name: AsTensor + DatasetElement),*> Targets for ($($name,)*) {
            const COUNT: usize = $count;
        }
    )*};
}

target_tuples! {
    1: A;
    2: A, B;
    3: A, B, C;
    4: A, B, C, D;
}

/// A feed of a data set of batches, of whose tensors so many are targets; `input` takes the inputs of a batch.
fn of_dataset<X: Nest, S: DatasetElement>(
    batches: &Dataset<S>,
    input: fn(S) -> X,
    targets: usize,
    how: &Cut,
) -> Result<Feed<X>> {
    if how.batch_size.is_some() {
        return Err(Error::invalid_argument("fit", "`batch_size` is for arrays; a data set has batches already")
            .help("call `batch` of the data set"));
    }
    if how.class_weight.is_some() {
        return Err(Error::invalid_argument("fit", "`class_weight` is for arrays")
            .help("`map` the data set to elements `(x, y, weights)`"));
    }
    let empty = || Error::invalid_argument("fit", "the data set is empty").got("no batches").expected("at least one");
    if batches.cardinality() == 0 {
        return Err(empty());
    }
    // A pass of its own: functions of `map` run once more for the first batch.
    let form = input(batches.take(1).iter().try_next()?.ok_or_else(empty)?);
    let inputs = leaves(&form).len();
    Ok(Feed { form, inputs, targets, batches: batches.flattened() })
}

impl<X: DatasetElement, Y: Targets> TrainingData<X> for &Dataset<(X, Y)> {
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        of_dataset(self, |batch| batch.0, Y::COUNT, how)
    }
}

impl<X: DatasetElement, Y: Targets> TrainingData<X> for &Dataset<(X, Y, Tensor)> {
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        of_dataset(self, |batch| batch.0, Y::COUNT, how)
    }
}

impl TrainingData<Tensor> for &Dataset<Tensor> {
    fn into_feed(self, how: &Cut) -> Result<Feed<Tensor>> {
        of_dataset(self, |batch| batch, 0, how)
    }
}

/// Elements that are a tuple of inputs alone, for models of several inputs whose steps need no targets.
impl<X: DatasetElement> TrainingData<X> for &Dataset<(X,)>
where
    (X,): DatasetElement,
{
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        of_dataset(self, |batch| batch.0, 0, how)
    }
}

/// A data set that is given whole, as one that is lent.
impl<X: Nest, S: DatasetElement> TrainingData<X> for Dataset<S>
where
    for<'a> &'a Self: TrainingData<X>,
{
    fn into_feed(self, how: &Cut) -> Result<Feed<X>> {
        (&self).into_feed(how)
    }
}

/// Data for `predict`: the model's inputs as arrays, or a data set of batches of them. Targets and weights in its elements are left out.
///
/// `Kind` follows from the data: whatever is [`InputArrays`] is arrays, so that users' own inputs need nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the data of a prediction",
    label = "neither inputs of the model nor a data set of them",
    note = "give a tensor, a tuple of tensors for a model of several inputs, or a `Dataset` of batches"
)]
pub trait PredictionData<X: Nest, Kind> {
    /// The inputs as a feed of batches.
    ///
    /// # Errors
    /// As for [`TrainingData::into_feed`].
    fn into_inputs(self, how: &Cut) -> Result<Feed<X>>;
}

/// The kind of arrays of all examples.
#[doc(hidden)]
pub enum WholeArrays {}

/// The kind of data sets of batches.
#[doc(hidden)]
pub enum Batches {}

impl<X: Nest, A: InputArrays<X>> PredictionData<X, WholeArrays> for A {
    fn into_inputs(self, how: &Cut) -> Result<Feed<X>> {
        Arrays { x: self.into_input(), y: Vec::new(), weights: Vec::new() }.feed(how)
    }
}

impl<X: Nest, S: DatasetElement> PredictionData<X, Batches> for &Dataset<S>
where
    Self: TrainingData<X>,
{
    fn into_inputs(self, how: &Cut) -> Result<Feed<X>> {
        self.into_feed(how)
    }
}

impl<X: Nest, S: DatasetElement> PredictionData<X, Batches> for Dataset<S>
where
    for<'a> &'a Self: TrainingData<X>,
{
    fn into_inputs(self, how: &Cut) -> Result<Feed<X>> {
        (&self).into_feed(how)
    }
}
