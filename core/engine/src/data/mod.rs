//! Data sets: tensors cut into elements, shuffled, put together in batches and changed on the way to a training loop.
//! Users build a [`Dataset`] and iterate over it; [`IdxFile`] reads the files that the handwritten digits come in.

mod batch;
mod dataset;
mod enumerate;
mod graph_loop;
mod idx;
mod iterator;
mod loops;
mod map;
mod pipeline;
mod repeat;
mod shuffle;
mod source;
mod stage;
mod state;
mod structure;

#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;

pub use dataset::Dataset;
pub use idx::IdxFile;
pub use iterator::DatasetIterator;
#[doc(hidden)]
pub use loops::{IterateElements, Passing};
pub use shuffle::Shuffle;
pub use structure::Structure;
