//! Steps over several data sets: `zip`, `concatenate`, `choose_from_datasets` and `sample_from_datasets`.
//! Methods of the data set, and functions of `tf::data`.

use super::Dataset;
use crate::data::form::{DatasetElement, Form};
use crate::data::order::SharedOrder;
use crate::data::pipeline::{Pipeline, Types, record_with};
use crate::data::stage::Stage;
use crate::data::steps::choose::{Choice, Choose};
use crate::data::steps::concatenate::{Concatenate, common};
use crate::data::steps::zip::{Zip, side_by_side};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

/// A data set of several ones: at once, or by the graph that is open.
#[track_caller]
fn of_several<R>(
    step: &'static str,
    handles: &[&Tensor],
    form: Form<R>,
    types: impl FnOnce() -> Option<Vec<TensorType>>,
    make: impl Fn(Vec<Arc<dyn Stage>>) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
) -> Result<Dataset<R>> {
    let stages = |all: &[Pipeline]| all.iter().map(|one| one.stages.clone()).collect();
    if crate::builder::current().is_none() && !handles.iter().any(|handle| handle.is_symbol()) {
        let all = handles.iter().map(|handle| Pipeline::of(handle, step).cloned()).collect::<Result<Vec<_>>>()?;
        return Ok(Dataset::made(Pipeline { stages: make(stages(&all))? }.into_handle(), None, form));
    }
    let types = types().map(Types::from);
    let handle = record_with(step, handles, &[], move |all, _| make(stages(all)))?;
    Ok(Dataset::made(handle, types, form))
}

impl<S: DatasetElement> Dataset<S> {
    /// Elements of both side by side, up to the end of the shorter one. [`tf::data::zip`](zip) takes more than two.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Dataset;
    /// let pairs = Dataset::range(3).zip(&Dataset::range((10, 20, 1)));
    /// let list: Vec<_> = pairs.iter().map(|(a, b)| (a.item::<i64>(), b.item::<i64>())).collect();
    /// assert_eq!(list, [(0, 10), (1, 11), (2, 12)]);
    /// ```
    #[track_caller]
    pub fn zip<R: DatasetElement>(&self, other: &Dataset<R>) -> Dataset<(S, R)> {
        let types = || side_by_side(&[self.types()?, other.types()?]);
        let make = |inputs| Ok(Arc::new(Zip { inputs }) as _);
        of_several(
            "zip",
            &[self.handle(), other.handle()],
            Form::<(S, R)>::parts((self.form.clone(), other.form.clone())),
            types,
            make,
        )
        .or_fail()
    }

    /// The elements of this one, then those of another.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Dataset;
    /// let both = Dataset::range(2).concatenate(&Dataset::range((5, 7, 1)));
    /// assert_eq!(both.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 1, 5, 6]);
    /// ```
    ///
    /// # Panics
    /// As [`try_concatenate`](Self::try_concatenate) fails.
    #[track_caller]
    pub fn concatenate(&self, other: &Self) -> Self {
        self.try_concatenate(other).or_fail()
    }

    /// The elements of this one, then those of another.
    ///
    /// # Errors
    /// InvalidArgument for elements of different dtypes, ranks or numbers of tensors, where they are known.
    #[track_caller]
    pub fn try_concatenate(&self, other: &Self) -> Result<Self> {
        alike("concatenate", &[self, other], Location::caller())?;
        let types = || common(&self.types()?, &other.types()?);
        let make = |inputs| Ok(Arc::new(Concatenate { inputs }) as _);
        of_several("concatenate", &[self.handle(), other.handle()], self.form.clone(), types, make)
    }
}

/// An error for data sets whose elements cannot be those of one.
fn alike<S>(step: &str, all: &[&Dataset<S>], here: &'static Location<'static>) -> Result<()> {
    let known: Vec<Vec<TensorType>> = all.iter().filter_map(|set| set.types()).collect();
    let list = |types: &[TensorType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match known.windows(2).find(|pair| common(&pair[0], &pair[1]).is_none()) {
        Some(pair) => Err(Error::invalid_argument(step, "the elements of the data sets are not of one kind")
            .got(format!("({}) and ({})", list(&pair[0]), list(&pair[1])))
            .expected("the same dtypes and ranks")
            .at(here)),
        None => Ok(()),
    }
}

/// Data sets that go side by side: a tuple of up to four.
pub trait ZipDatasets {
    /// Elements of all.
    type Element;
    /// The data set.
    #[doc(hidden)]
    #[track_caller]
    fn zipped(self) -> Dataset<Self::Element>;
}

impl<A: DatasetElement, B: DatasetElement> ZipDatasets for (&Dataset<A>, &Dataset<B>) {
    type Element = (A, B);
    #[track_caller]
    fn zipped(self) -> Dataset<(A, B)> {
        self.0.zip(self.1)
    }
}

macro_rules! more {
    ($($name:ident $index:tt),*) => {
        impl<$($name: DatasetElement),*> ZipDatasets for ($(&Dataset<$name>,)*) {
            type Element = ($($name,)*);
            #[track_caller]
            fn zipped(self) -> Dataset<Self::Element> {
                let types = || side_by_side(&[$(self.$index.types()?),*]);
                let make = |inputs| Ok(Arc::new(Zip { inputs }) as _);
                let form = Form::<Self::Element>::parts(($(self.$index.form.clone(),)*));
                of_several("zip", &[$(self.$index.handle()),*], form, types, make).or_fail()
            }
        }
    };
}

more!(A 0, B 1, C 2);
more!(A 0, B 1, C 2, D 3);

/// Elements of several data sets side by side, up to the end of the shortest: TensorFlow's `Dataset.zip`.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::Dataset;
/// let (a, b, c) = (Dataset::range(3), Dataset::range(2), Dataset::counter(7, 1));
/// let list: Vec<_> = tf::data::zip((&a, &b, &c)).iter().map(|(.., c)| c.item::<i64>()).collect();
/// assert_eq!(list, [7, 8]);
/// ```
#[track_caller]
pub fn zip<Z: ZipDatasets>(datasets: Z) -> Dataset<Z::Element> {
    datasets.zipped()
}

/// Elements of several data sets as another one says, whose `int64` scalars are their numbers, up to its end or the first end of one
/// that is chosen: TensorFlow's `choose_from_datasets`.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, choose_from_datasets};
/// let words = ["foo", "bar"].map(|word| Dataset::from_tensors(tf::constant(word)).repeat(None));
/// let turns = Dataset::range(2).repeat(2);
/// assert_eq!(choose_from_datasets(&words, &turns).iter().count(), 4);
/// ```
///
/// # Panics
/// For no data sets, and elements that are not of one kind.
#[track_caller]
pub fn choose_from_datasets<S: DatasetElement>(datasets: &[Dataset<S>], choice_dataset: &Dataset) -> Dataset<S> {
    chosen("choose_from_datasets", datasets, Some(choice_dataset), true, || Ok(Choice::Numbers)).or_fail()
}

/// [`choose_from_datasets`] that passes over choices of a data set that has ended, up to the end of the choices or of all:
/// `stop_on_empty_dataset=False`.
///
/// # Panics
/// For no data sets, and elements that are not of one kind.
#[track_caller]
pub fn choose_from_datasets_to_the_end<S: DatasetElement>(
    datasets: &[Dataset<S>],
    choice_dataset: &Dataset,
) -> Dataset<S> {
    chosen("choose_from_datasets", datasets, Some(choice_dataset), false, || Ok(Choice::Numbers)).or_fail()
}

/// How elements are sampled from several data sets.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, Sample, sample_from_datasets};
/// let sets = [Dataset::range(100), Dataset::range((100, 200, 1))];
/// let mostly_first = sample_from_datasets(&sets, Sample::weights([0.9, 0.1]).seed(1));
/// let first = mostly_first.take(50).iter().filter(|n| n.item::<i64>() < 100).count();
/// assert!(first > 30);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sample {
    weights: Option<Vec<f64>>,
    seed: Option<i64>,
    stop_on_empty_dataset: bool,
    rerandomize_each_iteration: bool,
}

impl Sample {
    /// Each data set as often as the others.
    pub fn evenly() -> Self {
        Self::default()
    }

    /// Data sets as often as their weights say, of which only the ratios count.
    pub fn weights(weights: impl IntoIterator<Item = f64>) -> Self {
        Self { weights: Some(weights.into_iter().collect()), ..Self::default() }
    }

    /// The seed; without one it follows from that of `tf::random::set_seed`.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether all ends with the first data set that has ended: otherwise the rest goes on.
    #[must_use]
    pub fn stop_on_empty_dataset(mut self, stop: bool) -> Self {
        self.stop_on_empty_dataset = stop;
        self
    }

    /// Whether each pass has choices of its own: all have the same, unless this says otherwise.
    #[must_use]
    pub fn rerandomize_each_iteration(mut self, another: bool) -> Self {
        self.rerandomize_each_iteration = another;
        self
    }
}

/// Elements of several data sets at random: TensorFlow's `sample_from_datasets`. The choices are not TensorFlow's.
///
/// # Panics
/// For no data sets, elements that are not of one kind, and weights that are not one positive number or zero for each.
#[track_caller]
pub fn sample_from_datasets<S: DatasetElement>(datasets: &[Dataset<S>], how: Sample) -> Dataset<S> {
    const STEP: &str = "sample_from_datasets";
    let weights = how.weights.unwrap_or_else(|| vec![1.0; datasets.len()]);
    let sum: f64 = weights.iter().sum();
    let good = weights.len() == datasets.len() && weights.iter().all(|weight| *weight >= 0.0) && sum > 0.0;
    if !good || !sum.is_finite() {
        kernels::error::fail(
            Error::invalid_argument(STEP, "the weights do not fit the data sets")
                .got(format!("{weights:?} for {} data sets", datasets.len()))
                .expected("a finite number of 0 or more for each, not all 0"),
        );
    }
    let weights: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let (seed, another) = (how.seed, how.rerandomize_each_iteration);
    let choice = move || {
        let order = SharedOrder::new(seed.unwrap_or_else(crate::random::data_seed));
        Ok(Choice::Weights { weights: weights.clone(), order, another })
    };
    chosen(STEP, datasets, None, how.stop_on_empty_dataset, choice).or_fail()
}

#[track_caller]
fn chosen<S: DatasetElement>(
    step: &'static str,
    datasets: &[Dataset<S>],
    numbers: Option<&Dataset>,
    stop_on_empty: bool,
    choice: impl Fn() -> Result<Choice> + Send + Sync + 'static,
) -> Result<Dataset<S>> {
    let location = Location::caller();
    let Some(first) = datasets.first() else {
        return Err(Error::invalid_argument(step, "there are no data sets").expected("at least one").at(location));
    };
    alike(step, &datasets.iter().collect::<Vec<_>>(), location)?;
    let types = || {
        let mut each = datasets.iter().map(Dataset::types);
        let first = each.next()??;
        each.try_fold(first, |all, next| common(&all, &next?))
    };
    let handles: Vec<&Tensor> = datasets.iter().map(Dataset::handle).chain(numbers.map(Dataset::handle)).collect();
    let make = move |inputs| Ok(Arc::new(Choose { step, inputs, choice: choice()?, stop_on_empty, location }) as _);
    of_several(step, &handles, first.form.clone(), types, make)
}
