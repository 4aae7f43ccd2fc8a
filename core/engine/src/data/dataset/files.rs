//! Names of files as the elements of a data set: `list_files`.
//! Sources that read files take such a data set.

use super::Dataset;
use crate::data::form::Form;
use crate::data::slices::Slices;
use crate::data::stage::Stage;
use crate::data::steps::rows::InOrder;
use crate::data::steps::shuffle::Shuffle;
use crate::ops::AsTensor;
use crate::ops::strings::try_matching_files;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

impl Dataset<Tensor> {
    /// The names of the files that match a pattern, or one of a tensor of patterns, as scalar strings: in the order of their bytes, or
    /// shuffled with a seed, anew in each pass. [`matching_files`](crate::io::matching_files) tells what patterns are.
    ///
    /// They are looked for when the data set is made. Without a seed the order follows from the one that
    /// [`set_seed`](crate::random::set_seed) sets; with one it is not TensorFlow's.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Dataset;
    /// let folder = std::env::temp_dir().join(format!("eagerflow-list-files-{}", std::process::id()));
    /// let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    /// for name in ["b.txt", "a.txt"] {
    ///     tf::io::write_file(path(name), "a line");
    /// }
    /// let names = Dataset::list_files(path("*.txt"), false, None);
    /// assert_eq!(names.iter().map(|name| name.item_string()).collect::<Vec<_>>(), [path("a.txt"), path("b.txt")]);
    /// let shuffled = Dataset::list_files(path("*.txt"), true, 7);
    /// assert_eq!(shuffled.cardinality(), 2);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    ///
    /// # Panics
    /// As [`try_list_files`](Self::try_list_files) fails.
    #[track_caller]
    pub fn list_files(file_pattern: impl AsTensor, shuffle: bool, seed: impl Into<Option<i64>>) -> Self {
        Self::try_list_files(file_pattern, shuffle, seed).or_fail()
    }

    /// The names of the files that match a pattern.
    ///
    /// # Errors
    /// InvalidArgument where no file matches, in a traced function when its graph runs, and for patterns that are no strings; what the
    /// file system refuses.
    #[track_caller]
    pub fn try_list_files(file_pattern: impl AsTensor, shuffle: bool, seed: impl Into<Option<i64>>) -> Result<Self> {
        let here = Location::caller();
        let patterns: Tensor = file_pattern.as_tensor().clone();
        let names = try_matching_files(&patterns).map_err(|e| e.at(here))?;
        let make = |inputs: &[Tensor]| -> Result<Arc<dyn Stage>> {
            if inputs[0].num_elements() == 0 {
                return Err(Error::invalid_argument("list_files", "no file matches the pattern")
                    .got(inputs[1].try_to_strings()?.join(", "))
                    .help("`matching_files` answers an empty list instead"));
            }
            Ok(Arc::new(InOrder(Arc::new(Slices::new(vec![inputs[0].clone()])?))))
        };
        let types = || Ok(Some(vec![TensorType::scalar(DType::String)]));
        let sorted =
            Self::source("list_files", &[names, patterns], Form::open(), types, make).map_err(|e| e.at(here))?;
        if !shuffle {
            return Ok(sorted);
        }
        let whole = Shuffle::whole();
        sorted.try_shuffle(seed.into().map_or(whole, |seed| whole.seed(seed))).map_err(|e| e.at(here))
    }
}
