//! Pictures in files: decoders and encoders of PNG, JPEG, GIF and BMP, and what makes tensors of their pixels.
//! Users find them under `tf::io` and `tf::image`; the readers of folders of images call them too.

mod any;
mod bmp;
mod gif;
mod jpeg;
mod pixels;
mod png;

pub use any::{ImageDecoding, decode_image, try_decode_image};
pub use bmp::{decode_bmp, try_decode_bmp};
pub use gif::{decode_gif, try_decode_gif};
pub use jpeg::{
    CropWindow, DctMethod, JpegDecoding, JpegEncoding, decode_and_crop_jpeg, decode_jpeg, encode_jpeg,
    extract_jpeg_shape, is_jpeg, try_decode_and_crop_jpeg, try_decode_jpeg, try_encode_jpeg, try_extract_jpeg_shape,
    try_is_jpeg,
};
pub(crate) use png::encode_bytes as encode_png_bytes;
pub use png::{
    PngDecoding, decode_png, encode_png, encode_png_with, try_decode_png, try_encode_png, try_encode_png_with,
};
