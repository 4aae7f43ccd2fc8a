//! Passes over a data set: how many elements there are and of which types, and the iterator that gives them.
//! `for` loops of users begin here.

use super::Dataset;
use crate::TensorSpec;
use crate::data::cardinality::Cardinality;
use crate::data::form::DatasetElement;
use crate::data::iterator::DatasetIterator;
use crate::data::pipeline::Pipeline;
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;

impl<S: DatasetElement> Dataset<S> {
    /// The number of elements in a pass, as far as it is known before one is made.
    ///
    /// # Panics
    /// In a traced function, whose graph alone knows it.
    #[track_caller]
    pub fn cardinality(&self) -> Cardinality {
        self.pipeline("cardinality").or_fail().stages.cardinality()
    }

    /// The types of an element's tensors in order, `None` where only the elements tell: TensorFlow's `element_spec`.
    ///
    /// Sizes that differ between elements are open.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let batches = tf::data::Dataset::from_tensor_slices((tf::zeros([5, 3]), tf::ones([5]))).batch(2);
    /// let spec: Vec<String> = batches.element_spec().unwrap().iter().map(ToString::to_string).collect();
    /// assert_eq!(spec, ["float32[_,3]", "float32[_]"]);
    /// ```
    pub fn element_spec(&self) -> Option<Vec<TensorSpec>> {
        Some(self.types()?.iter().map(TensorSpec::of_type).collect())
    }

    /// Begins a pass over the elements. `for element in &dataset` does it too.
    ///
    /// # Panics
    /// In a traced function: there `for element in &dataset` is a loop of the graph. As [`try_iter`](Self::try_iter) fails.
    #[track_caller]
    pub fn iter(&self) -> DatasetIterator<S> {
        self.try_iter().or_fail()
    }

    /// Begins a pass over the elements.
    ///
    /// # Errors
    /// FailedPrecondition in a traced function; what a source answers that cannot begin.
    #[track_caller]
    pub fn try_iter(&self) -> Result<DatasetIterator<S>> {
        let here = Location::caller();
        DatasetIterator::new(self.pipeline("iter")?, self.form.clone()).map_err(|error| error.at(here))
    }

    /// The element of a data set that has one: TensorFlow's `get_single_element`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let sum = tf::data::Dataset::range(5).batch(5).map(|all| tf::reduce_sum(all, 0)).get_single_element();
    /// assert_eq!(sum.item::<i64>(), 10);
    /// ```
    ///
    /// # Panics
    /// As [`try_get_single_element`](Self::try_get_single_element) fails.
    #[track_caller]
    pub fn get_single_element(&self) -> S {
        self.try_get_single_element().or_fail()
    }

    /// The element of a data set that has one.
    ///
    /// # Errors
    /// InvalidArgument for no elements or several; what the steps answer.
    #[track_caller]
    pub fn try_get_single_element(&self) -> Result<S> {
        let here = Location::caller();
        let mut iterator = self.try_iter()?;
        let wrong = |got: &str| {
            let what = "the data set has not exactly one element";
            Error::invalid_argument("get_single_element", what).got(got).expected("one element").at(here)
        };
        let Some(element) = iterator.try_next()? else { return Err(wrong("no elements")) };
        match iterator.try_next()? {
            None => Ok(element),
            Some(_) => Err(wrong("more than one")),
        }
    }
}

impl<S: DatasetElement> IntoIterator for &Dataset<S> {
    type Item = S;
    type IntoIter = DatasetIterator<S>;

    #[track_caller]
    fn into_iter(self) -> DatasetIterator<S> {
        self.iter()
    }
}

impl<S: DatasetElement> IntoIterator for Dataset<S> {
    type Item = S;
    type IntoIter = DatasetIterator<S>;

    #[track_caller]
    fn into_iter(self) -> DatasetIterator<S> {
        self.iter()
    }
}

impl<S> fmt::Debug for Dataset<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Pipeline::of(&self.handle, "dataset") {
            Ok(p) => f.debug_struct("Dataset").field("cardinality", &p.stages.cardinality()).finish_non_exhaustive(),
            Err(_) => f.write_str("Dataset, a value of a graph"),
        }
    }
}
