//! Weights alone, in safetensors: one file that PyTorch and Hugging Face open, and published weights of theirs for models of ours.
//! Programs call [`save_weights`], [`load_weights`] and, for names of others, [`WeightsLoader`].

mod load;
mod names;
mod report;
mod value;

pub use load::{WeightsLoader, load_weights};
pub use report::LoadReport;

pub(super) use names::nearest;

use super::fetched::Fetched;
use engine::Module;
use engine::library::{End, ObjectGraph, value_of};
use formats::files::Options;
use formats::safetensors::{self, Source, Tensor};
use kernels::error::Result;
use std::collections::BTreeMap;
use std::panic::Location;
use std::path::Path;

/// Saves the variables of a module as a safetensors file, each under its path, such as `hidden/kernel`; one that is shared is saved
/// once. The file gets its name when it is whole.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// # let path = std::env::temp_dir().join(format!("eagerflow-doc-weights-{}.safetensors", std::process::id()));
/// let (model, again) = (Dense::new(2), Dense::new(2));
/// let y = model.call(tf::ones([1, 3]));
/// tf::train::save_weights(&model, &path)?;
/// let report = tf::train::load_weights(&again, &path)?;
/// assert_eq!(report.loaded.len(), 2);
/// assert_eq!(again.call(tf::ones([1, 3])).to_vec::<f32>(), y.to_vec::<f32>());
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// FailedPrecondition where a layer is not built yet, so that weights would be missing; what the system answers, with the path: then a
/// file that was there is as it was.
#[track_caller]
pub fn save_weights(model: &impl Module, path: impl AsRef<Path>) -> Result<()> {
    let here = Location::caller();
    // An error names the layers that have no variables yet.
    model.try_variables().map_err(|e| e.at(here))?;
    let objects = ObjectGraph::of(model).objects;
    let values: Vec<(String, Fetched)> = objects
        .into_iter()
        .filter_map(|object| match object.end {
            End::Variable(variable) => Some((object.path, Fetched::of(value_of(&variable)))),
            _ => None,
        })
        .collect();
    let entries: Vec<Tensor<'_>> = values
        .iter()
        .map(|(name, fetched)| Tensor {
            name,
            dtype: fetched.ty.dtype,
            shape: fetched.ty.shape.dims().iter().map(|&n| n as u64).collect(),
            source: Source::Pieces(fetched),
        })
        .collect();
    safetensors::write(path.as_ref(), &entries, &BTreeMap::new(), &Options::default()).map_err(|e| e.at(here))
}
