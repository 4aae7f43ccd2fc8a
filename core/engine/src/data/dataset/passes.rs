//! Passes over a dataset: how many elements there are, and the iterator that gives them.
//! `for` loops of users begin here.

use super::Dataset;
use crate::data::iterator::DatasetIterator;
use crate::data::pipeline::Pipeline;
use crate::data::structure::Structure;
use kernels::error::OrFail;
use std::fmt;

impl<S: Structure> Dataset<S> {
    /// The number of elements in a pass; `None` if it has no end.
    ///
    /// # Panics
    /// In a traced function, whose graph alone knows it.
    #[track_caller]
    pub fn cardinality(&self) -> Option<usize> {
        self.pipeline("cardinality").or_fail().stages.len()
    }

    /// Begins a pass over the elements. `for element in &dataset` does it too.
    ///
    /// # Panics
    /// In a traced function: there `for element in &dataset` is a loop of the graph.
    #[track_caller]
    pub fn iter(&self) -> DatasetIterator<S> {
        DatasetIterator::new(self.pipeline("iter").or_fail())
    }
}

impl<S: Structure> IntoIterator for &Dataset<S> {
    type Item = S;
    type IntoIter = DatasetIterator<S>;

    #[track_caller]
    fn into_iter(self) -> DatasetIterator<S> {
        self.iter()
    }
}

impl<S: Structure> IntoIterator for Dataset<S> {
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
            Ok(p) => f.debug_struct("Dataset").field("cardinality", &p.stages.len()).finish_non_exhaustive(),
            Err(_) => f.write_str("Dataset, a value of a graph"),
        }
    }
}
