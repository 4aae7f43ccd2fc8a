//! The handwritten digits of `examples/data/digits`, which the programs share.
//! As `digits.py`, it is not counted.

use eagerflow as tf;
use std::path::Path;
use tf::data::IdxFile;

/// Training images `[count, 8, 8, 1]` between 0 and 1.
pub fn images() -> tf::Tensor {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits/train-images-idx3-ubyte.gz");
    let pixels = IdxFile::read(Path::new(path)).unwrap().into_tensor().unwrap();
    tf::expand_dims(pixels.cast(tf::DType::F32) / 16.0, -1)
}
