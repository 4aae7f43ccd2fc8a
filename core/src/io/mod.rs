//! Tensors and files: whole files as strings, tensors as strings of bytes, and what lies in files.
//! Users find it under `tf::io`.

mod csv;
mod examples;
pub(crate) mod host;
pub(crate) mod images;
pub(crate) mod npy;
mod raw;
mod record_writer;

pub use csv::{CsvDecoding, CsvDefault, decode_csv, try_decode_csv};
#[doc(inline)]
pub use engine::io::{
    matching_files, parse_tensor, parse_tensor_of_rank, read_file, serialize_tensor, try_matching_files,
    try_parse_tensor, try_parse_tensor_of_rank, try_read_file, try_serialize_tensor, try_write_file, write_file,
};
pub use examples::{
    FeatureDefault, FeatureSpec, FeatureValue, FixedLenFeature, FixedLenSequenceFeature, ParsedFeatures, RaggedFeature,
    RaggedFeatureValue, SparseFeatureValue, VarLenFeature, parse_example, parse_sequence_example, parse_single_example,
    parse_single_sequence_example, try_parse_example, try_parse_sequence_example, try_parse_single_example,
    try_parse_single_sequence_example,
};
pub(crate) use images::encode_png_bytes;
pub use images::{
    CropWindow, DctMethod, ImageDecoding, JpegDecoding, JpegEncoding, PngDecoding, decode_and_crop_jpeg, decode_bmp,
    decode_gif, decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png, encode_png_with, extract_jpeg_shape,
    is_jpeg, try_decode_and_crop_jpeg, try_decode_bmp, try_decode_gif, try_decode_image, try_decode_jpeg,
    try_decode_png, try_encode_jpeg, try_encode_png, try_encode_png_with, try_extract_jpeg_shape, try_is_jpeg,
};
pub use npy::{load_npy, load_npz, save_npy, try_load_npy, try_load_npz, try_save_npy};
pub use raw::{decode_raw, decode_raw_padded, try_decode_raw, try_decode_raw_padded};
pub use record_writer::{TFRecordOptions, TFRecordWriter};
