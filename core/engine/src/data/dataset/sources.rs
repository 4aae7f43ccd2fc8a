//! Where data sets come from: tensors in memory, functions and iterators of the host, and numbers.
//! Sources that read files are types of their own, beside this one.

use super::Dataset;
use crate::TensorSpec;
use crate::builder;
use crate::data::cardinality::Cardinality;
use crate::data::form::{DatasetElement, Form};
use crate::data::order::SharedOrder;
use crate::data::slices::Slices;
use crate::data::stage::{Item, Stage};
use crate::data::steps::generated::{Elements, Generated};
use crate::data::steps::numbers::{Counter, IntoRange, Numbers, Random};
use crate::data::steps::rows::{InOrder, Indexed};
use crate::data::steps::window::Taken;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::{Arc, OnceLock};

impl<S: DatasetElement> Dataset<S> {
    /// The rows of tensors, which have the same first dimension: element `i` is row `i` of each.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rows = tf::data::Dataset::from_tensor_slices(tf::constant([[1, 2], [3, 4]]));
    /// let lists: Vec<_> = rows.iter().map(|row| row.to_vec::<i32>()).collect();
    /// assert_eq!(lists, [[1, 2], [3, 4]]);
    /// ```
    ///
    /// # Panics
    /// As [`try_from_tensor_slices`](Self::try_from_tensor_slices) fails.
    #[track_caller]
    pub fn from_tensor_slices(tensors: S) -> Self {
        Self::try_from_tensor_slices(tensors).or_fail()
    }

    /// The rows of tensors.
    ///
    /// # Errors
    /// InvalidArgument for no tensors, a scalar, or first dimensions that differ.
    #[track_caller]
    pub fn try_from_tensor_slices(tensors: S) -> Result<Self> {
        let here = Location::caller();
        let form = Form::open();
        let list = form.take_apart(&tensors, "from_tensor_slices").map_err(|e| e.at(here))?;
        let types = || Slices::row_types(&list).map(Some);
        let make = |inputs: &[Tensor]| -> Result<Arc<dyn Stage>> {
            Ok(Arc::new(InOrder(Arc::new(Slices::new(inputs.to_vec())?))))
        };
        Self::source("from_tensor_slices", &list, form, types, make).map_err(|e| e.at(here))
    }

    /// A data set of one element: TensorFlow's `from_tensors`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let one = tf::data::Dataset::from_tensors(tf::constant([1, 2]));
    /// assert_eq!((one.cardinality().known(), one.iter().next().unwrap().to_vec::<i32>()), (Some(1), vec![1, 2]));
    /// ```
    ///
    /// # Panics
    /// As [`try_from_tensors`](Self::try_from_tensors) fails.
    #[track_caller]
    pub fn from_tensors(tensors: S) -> Self {
        Self::try_from_tensors(tensors).or_fail()
    }

    /// A data set of one element.
    ///
    /// # Errors
    /// InvalidArgument for an element that holds a variable.
    #[track_caller]
    pub fn try_from_tensors(tensors: S) -> Result<Self> {
        let here = Location::caller();
        let form = Form::open();
        let list = form.take_apart(&tensors, "from_tensors").map_err(|e| e.at(here))?;
        let types = || Ok(Some(list.iter().map(|t| *t.ty()).collect()));
        let make = |inputs: &[Tensor]| -> Result<Arc<dyn Stage>> {
            let types = Some(inputs.iter().map(|t| *t.ty()).collect());
            let items = vec![Item::Values(inputs.iter().cloned().collect())];
            Ok(Arc::new(InOrder(Arc::new(Taken { items, source: None, types }))))
        };
        Self::source("from_tensors", &list, form, types, make).map_err(|e| e.at(here))
    }

    /// The elements of an iterator that the closure makes anew for each pass: TensorFlow's `from_generator`.
    ///
    /// Nothing is kept: elements come when they are asked for. A checkpoint of a pass holds how many were given, and a pass that is
    /// resumed goes over those once more.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let squares = tf::data::Dataset::from_generator(|| (0..4).map(|n| tf::constant(n * n)));
    /// let values: Vec<i32> = squares.iter().map(|n| n.item()).collect();
    /// assert_eq!(values, [0, 1, 4, 9]);
    /// ```
    ///
    /// For a loop in a traced function it has to be told what the elements are: [`from_generator_with`](Self::from_generator_with).
    #[track_caller]
    pub fn from_generator<I>(generator: impl Fn() -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator<Item = S>,
        I::IntoIter: Send + 'static,
    {
        Self::generated(None, move || generator().into_iter().map(Ok)).or_fail()
    }

    /// [`from_generator`](Self::from_generator) of elements with these types, in the order of their tensors: `output_signature`.
    ///
    /// ```
    /// use eagerflow::{self as tf, DType, TensorSpec};
    /// let spec = [TensorSpec::new([None], DType::F32)];
    /// let lists = tf::data::Dataset::from_generator_with(spec, || (1..4).map(|n| tf::ones([n])));
    /// assert_eq!(lists.padded_batch(3).iter().next().unwrap().shape(), [3, 3]);
    /// ```
    #[track_caller]
    pub fn from_generator_with<I>(
        spec: impl IntoIterator<Item = TensorSpec>,
        generator: impl Fn() -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = S>,
        I::IntoIter: Send + 'static,
    {
        let spec: Vec<TensorSpec> = spec.into_iter().collect();
        let types = TensorSpec::types(&spec);
        types.and_then(|types| Self::generated(Some(types), move || generator().into_iter().map(Ok))).or_fail()
    }

    /// [`from_generator`](Self::from_generator) of an iterator whose elements may fail: an error is passed on in place of the element.
    ///
    /// # Errors
    /// FailedPrecondition in a traced function.
    #[track_caller]
    pub fn try_from_generator<I>(generator: impl Fn() -> I + Send + Sync + 'static) -> Result<Self>
    where
        I: IntoIterator<Item = Result<S>>,
        I::IntoIter: Send + 'static,
    {
        Self::generated(None, generator)
    }

    #[track_caller]
    fn generated<I>(types: Option<Vec<TensorType>>, generator: impl Fn() -> I + Send + Sync + 'static) -> Result<Self>
    where
        I: IntoIterator<Item = Result<S>>,
        I::IntoIter: Send + 'static,
    {
        let location = Location::caller();
        let form = Form::open();
        let of_elements = form.clone();
        let make = move || -> Result<Elements> {
            let form = of_elements.clone();
            let elements = generator().into_iter();
            Ok(Box::new(elements.map(move |element| form.take_apart(&element?, "from_generator"))))
        };
        let (make, told) = (Arc::new(make), types.clone());
        let stage = move |_: &[Tensor]| -> Result<Arc<dyn Stage>> {
            let (step, make, types) = ("from_generator", make.clone(), told.clone());
            Ok(Arc::new(Generated { step, make, types, cardinality: Cardinality::Unknown, location }))
        };
        Self::source("from_generator", &[], form, || Ok(types), stage)
    }

    /// Elements that a function makes of their number, `0..count`: they can be had in any order, so that a shuffle draws numbers and
    /// only what is drawn is made. PyTorch calls it a map-style data set.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{Dataset, Shuffle};
    /// let squares = Dataset::from_indexed(5, |n| tf::constant((n * n) as i32));
    /// let mut all: Vec<i32> = squares.shuffle(Shuffle::whole().seed(1)).iter().map(|n| n.item()).collect();
    /// all.sort();
    /// assert_eq!(all, [0, 1, 4, 9, 16]);
    /// ```
    #[track_caller]
    pub fn from_indexed(count: usize, element: impl Fn(usize) -> S + Send + Sync + 'static) -> Self {
        Self::try_from_indexed(count, move |number| Ok(element(number))).or_fail()
    }

    /// [`from_indexed`](Self::from_indexed) of a function that may answer an error, which is passed on in place of the element.
    ///
    /// # Errors
    /// None, unless the graph that is open fails.
    #[track_caller]
    pub fn try_from_indexed(
        count: usize,
        element: impl Fn(usize) -> Result<S> + Send + Sync + 'static,
    ) -> Result<Self> {
        let location = Location::caller();
        let form = Form::open();
        let of_elements = form.clone();
        let function = Arc::new(move |number: usize| of_elements.take_apart(&element(number)?, "from_indexed"));
        let rows = Arc::new(Indexed { count, function, location, types: OnceLock::new() });
        let types = || Ok(crate::data::stage::Rows::types(&*rows));
        let made = rows.clone();
        let make = move |_: &[Tensor]| -> Result<Arc<dyn Stage>> { Ok(Arc::new(InOrder(made.clone()))) };
        Self::source("from_indexed", &[], form, types, make)
    }

    /// Elements that are there already.
    #[track_caller]
    fn of_elements(elements: impl IntoIterator<Item = S>) -> Result<Self> {
        let here = Location::caller();
        if builder::current().is_some() {
            return Err(Error::failed_precondition(
                "from_iter",
                "a traced function cannot collect elements of the host",
            )
            .help("use `from_tensor_slices`, or collect outside of the function")
            .at(here));
        }
        let form = Form::open();
        let apart = |element: S| form.take_apart(&element, "from_iter").map(Item::Values);
        let items = elements.into_iter().map(apart).collect::<Result<Vec<_>>>().map_err(|e| e.at(here))?;
        let types = items.first().map(|item| match item {
            Item::Values(values) => values.iter().map(|t| *t.ty()).collect(),
            Item::Row(_) => Vec::new(),
        });
        let handle = Taken { items, source: None, types }.into_handle();
        Ok(Self::made(handle, None, form))
    }
}

/// Collects elements in memory.
///
/// ```
/// use eagerflow as tf;
/// let words: tf::data::Dataset = ["a", "bc"].into_iter().map(tf::constant).collect();
/// assert_eq!(words.cardinality(), 2);
/// ```
impl<S: DatasetElement> FromIterator<S> for Dataset<S> {
    /// # Panics
    /// In a traced function, and for elements of different forms.
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = S>>(elements: I) -> Self {
        Self::of_elements(elements).or_fail()
    }
}

impl Dataset<Tensor> {
    /// Numbers from 0 to below the end, of `start..end`, or of `(start, end, step)`: `int64` scalars. Bounds may be tensors of integers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let list = |range: tf::data::Dataset| range.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>();
    /// assert_eq!(list(tf::data::Dataset::range(3)), [0, 1, 2]);
    /// assert_eq!(list(tf::data::Dataset::range((5, 0, -2))), [5, 3, 1]);
    /// ```
    ///
    /// # Panics
    /// As [`try_range`](Self::try_range) fails.
    #[track_caller]
    pub fn range(range: impl IntoRange) -> Self {
        Self::try_range(range).or_fail()
    }

    /// Numbers at equal distances.
    ///
    /// # Errors
    /// InvalidArgument for a step of 0.
    #[track_caller]
    pub fn try_range(range: impl IntoRange) -> Result<Self> {
        let here = Location::caller();
        let bounds = range.into_range().map_err(|e| e.at(here))?;
        let make =
            |bounds: &[Tensor]| -> Result<Arc<dyn Stage>> { Ok(Arc::new(InOrder(Arc::new(Numbers::new(bounds)?)))) };
        let types = || Ok(Some(vec![TensorType::scalar(DType::I64)]));
        Self::source("range", &bounds, Form::open(), types, make).map_err(|e| e.at(here))
    }

    /// Numbers without an end: `int64` scalars from `start` at distances of `step`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let numbers: Vec<i64> = tf::data::Dataset::counter(1, 2).take(3).iter().map(|n| n.item()).collect();
    /// assert_eq!(numbers, [1, 3, 5]);
    /// ```
    #[track_caller]
    pub fn counter(start: i64, step: i64) -> Self {
        let make = move |_: &[Tensor]| -> Result<Arc<dyn Stage>> { Ok(Arc::new(Counter { start, step })) };
        Self::source("counter", &[], Form::open(), || Ok(Some(vec![TensorType::scalar(DType::I64)])), make).or_fail()
    }

    /// Random numbers without an end, of 32 bits each, as `int64` scalars: other ones in each pass.
    ///
    /// Without a seed they follow from the one that [`set_seed`](crate::random::set_seed) sets. They are not TensorFlow's.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let numbers = tf::data::Dataset::random(7);
    /// let first = |set: &tf::data::Dataset| set.iter().next().unwrap().item::<i64>();
    /// assert_eq!(first(&numbers), first(&tf::data::Dataset::random(7)));
    /// ```
    #[track_caller]
    pub fn random(seed: impl Into<Option<i64>>) -> Self {
        let seed = seed.into();
        let make = move |_: &[Tensor]| -> Result<Arc<dyn Stage>> {
            let order = SharedOrder::new(seed.unwrap_or_else(crate::random::data_seed));
            Ok(Arc::new(Random { order, another: true }))
        };
        Self::source("random", &[], Form::open(), || Ok(Some(vec![TensorType::scalar(DType::I64)])), make).or_fail()
    }
}
