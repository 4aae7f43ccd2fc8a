//! Decoders and encoders of images beside real TensorFlow, in traced functions and data sets, and what damaged files are answered with.
//! `tests/golden/images.py` has recorded what TensorFlow gives.

mod conformance;
mod damage;
mod folders;
mod keras_datasets;
mod ops;
mod records;
