//! Data sets of folders with a folder per class: images and texts, as Keras's `image_dataset_from_directory` and its like make them.
//! Users find them under `tf::data`.

mod files;
mod images;
mod labels;
mod read;
mod texts;

pub use images::{
    AspectRatio, ColorMode, ImageFolder, image_dataset_from_directory, image_dataset_from_directory_unlabeled,
    try_image_dataset_from_directory, try_image_dataset_from_directory_unlabeled,
};
pub use labels::{LabelMode, LabeledFiles, Subset};
pub use texts::{
    TextFolder, text_dataset_from_directory, text_dataset_from_directory_unlabeled, try_text_dataset_from_directory,
    try_text_dataset_from_directory_unlabeled,
};
