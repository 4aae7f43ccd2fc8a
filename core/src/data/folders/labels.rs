//! Labels of files by the names of their folders, and the methods that set the options which all readers of folders have.
//! `read.rs` makes tensors of the labels; readers of images and texts have the options.

use super::files::Found;
use engine::Tensor;
use engine::data::Dataset;
use kernels::error::{Error, Result};

/// What a label is: Keras's `label_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelMode {
    /// The number of the class, `int32`.
    #[default]
    Int,
    /// One-hot, `float32`.
    Categorical,
    /// 0 or 1 of two classes, `float32` in a dimension of its own.
    Binary,
}

/// Which part of the files a data set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subset {
    /// The first ones.
    Training,
    /// Those that `validation_split` holds out, at the end.
    Validation,
}

/// A data set of files with labels, and what Keras keeps as attributes of it.
#[derive(Clone)]
pub struct LabeledFiles {
    /// Batches of contents and labels, or single ones without a batch size.
    pub dataset: Dataset<(Tensor, Tensor)>,
    /// The classes, in the order of their numbers.
    pub class_names: Vec<String>,
    /// The files, in the order of the first pass before it is shuffled.
    pub file_paths: Vec<String>,
}

/// The labels of files as a tensor.
pub(super) fn tensor(op: &str, mode: LabelMode, found: &Found) -> Result<Tensor> {
    let (count, classes) = (found.labels.len(), found.classes.len());
    match mode {
        LabelMode::Int => Tensor::try_from_vec(found.labels.clone(), [count]),
        LabelMode::Categorical => {
            let mut rows = vec![0.0_f32; count * classes];
            for (row, &label) in rows.chunks_exact_mut(classes.max(1)).zip(&found.labels) {
                row[label as usize] = 1.0;
            }
            Tensor::try_from_vec(rows, [count, classes])
        }
        LabelMode::Binary if classes == 2 => {
            Tensor::try_from_vec(found.labels.iter().map(|&label| label as f32).collect(), [count, 1])
        }
        LabelMode::Binary => Err(Error::invalid_argument(op, "binary labels need two classes")
            .got(found.classes.join(", "))
            .expected("two folders")),
    }
}

/// Writes the options that all readers of folders have.
macro_rules! folder_options {
    ($folder:ident $op:literal) => {
        impl Default for $folder {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $folder {
            /// What labels are; numbers of `int32` unless set.
            #[must_use]
            pub fn label_mode(mut self, mode: $crate::data::LabelMode) -> Self {
                self.selection.label_mode = mode;
                self
            }

            /// The names of the folders in the order of their numbers, if it is not that of their names.
            #[must_use]
            pub fn class_names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
                self.selection.class_names = Some(names.into_iter().map(Into::into).collect());
                self
            }

            /// Whether files come in a random order, another in each pass. They do unless this says otherwise.
            #[must_use]
            pub fn shuffle(mut self, shuffle: bool) -> Self {
                self.selection.shuffle = shuffle;
                self
            }

            /// The seed of the order; that of the files, before each pass is shuffled, is Keras's of the same seed.
            #[must_use]
            pub fn seed(mut self, seed: u32) -> Self {
                self.selection.seed = Some(seed);
                self
            }

            /// Which part of the files, with [`validation_split`](Self::validation_split).
            #[must_use]
            pub fn subset(mut self, subset: $crate::data::Subset) -> Self {
                self.selection.subset = Some(subset);
                self
            }

            /// Whether links to folders are followed.
            #[must_use]
            pub fn follow_links(mut self, follow: bool) -> Self {
                self.selection.follow_links = follow;
                self
            }

            /// Leaves files out that cannot be read or decoded, and counts them. Without it, such a file is an error that names it.
            #[must_use]
            pub fn ignore_errors(mut self, ignored: &engine::data::IgnoredErrors) -> Self {
                self.selection.ignored = Some(ignored.clone());
                self
            }

            /// Single elements in place of batches: Keras's `batch_size=None`.
            #[must_use]
            pub fn unbatched(mut self) -> Self {
                self.selection.batch_size = None;
                self
            }
        }

        engine::library::options::options! { [] $folder:
            /// Elements of a batch; 32 unless set.
            pub fn batch_size, try_batch_size(this, size: usize) {
                this.selection.batch_size = Some(engine::library::options::count($op, "batch_size", size)?);
                Ok(this)
            }

            /// The share of the files that validation holds out: the last ones.
            pub fn validation_split, try_validation_split(this, share: f64) {
                if !(share > 0.0 && share < 1.0) {
                    return Err(kernels::error::Error::invalid_argument($op, "`validation_split` is out of range").got(share).expected("between 0 and 1"));
                }
                this.selection.validation_split = share;
                Ok(this)
            }
        }
    };
}
pub(super) use folder_options;
