//! Data sets: the engine's pipelines, and the sources that read files.
//! Users find all of them under `tf::data`.

mod csv;
mod files;
mod folders;
mod infer;
mod make_csv;
mod npy;
mod paths;
mod source;

pub use csv::{CsvColumn, CsvDataset, CsvOptions, IntoColumns};
#[doc(inline)]
pub use engine::data::{
    AUTOTUNE, Cardinality, Dataset, DatasetElement, DatasetIterator, IdxFile, IgnoredErrors, IntoBound, IntoCount,
    IntoRange, PaddedBatch, Parallel, Resample, Sample, SaveOptions, Shuffle, Timeseries, ZipDatasets,
    choose_from_datasets, choose_from_datasets_to_the_end, ram_budget, ram_in_use, sample_from_datasets,
    set_ram_budget, timeseries_dataset_from_array, timeseries_dataset_with_targets, try_timeseries_dataset_from_array,
    try_timeseries_dataset_with_targets, zip,
};
pub use files::{
    Compression, FileOptions, FixedLengthOptions, FixedLengthRecordDataset, TFRecordDataset, TextLineDataset,
};
pub use folders::{
    AspectRatio, ColorMode, ImageFolder, LabelMode, LabeledFiles, Subset, TextFolder, image_dataset_from_directory,
    image_dataset_from_directory_unlabeled, text_dataset_from_directory, text_dataset_from_directory_unlabeled,
    try_image_dataset_from_directory, try_image_dataset_from_directory_unlabeled, try_text_dataset_from_directory,
    try_text_dataset_from_directory_unlabeled,
};
pub use make_csv::{
    CsvName, MakeCsvOptions, make_csv_dataset, make_labeled_csv_dataset, try_make_csv_dataset,
    try_make_labeled_csv_dataset,
};
pub use npy::NpyDataset;
pub use paths::IntoFiles;
