//! Data sets: tensors cut into elements, shuffled, put together in batches and changed on the way to a training loop.
//! Users build a [`Dataset`] and iterate over it; [`IdxFile`] reads the files that the handwritten digits come in.

mod budget;
mod cardinality;
mod count;
mod dataset;
mod form;
mod function;
mod graph_loop;
mod idx;
mod iterator;
mod loops;
mod order;
mod pipeline;
mod saved;
mod slices;
#[doc(hidden)]
pub mod stage;
mod state;
mod steps;

#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;

pub use budget::{ram_budget, ram_in_use, set_ram_budget};
pub use cardinality::Cardinality;
pub use count::IntoCount;
pub use dataset::{
    Dataset, PaddedBatch, Sample, ZipDatasets, choose_from_datasets, choose_from_datasets_to_the_end,
    sample_from_datasets, zip,
};
pub use dataset::{
    Resample, Timeseries, timeseries_dataset_from_array, timeseries_dataset_with_targets,
    try_timeseries_dataset_from_array, try_timeseries_dataset_with_targets,
};
pub use form::DatasetElement;
#[doc(inline)]
pub use formats::records::Compression;
pub use idx::IdxFile;
pub use iterator::DatasetIterator;
#[doc(hidden)]
pub use loops::{IterateElements, Passing};
pub use saved::SaveOptions;
pub use steps::ignore_errors::IgnoredErrors;
pub use steps::numbers::{IntoBound, IntoRange};
pub use steps::parallel::{AUTOTUNE, Parallel};
pub use steps::shuffle::Shuffle;
