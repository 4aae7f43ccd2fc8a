//! `tf::image`: colours, sizes, crops, measures and boxes of images, TensorFlow's `tf.image`.
//! User code calls it, and readers of folders of images resize with it; everything but work on the host is made of operations.

mod boxes;
mod colour;
mod convert;
mod crops;
mod differences;
mod flips;
mod hue;
mod jpeg_quality;
mod operand;
mod random;
mod resize;
mod similarity;
mod spaces;

pub use crate::io::{
    decode_and_crop_jpeg, decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png,
    extract_jpeg_shape, is_jpeg,
};
pub use boxes::{
    CombinedSuppression, CropMethod, Distortion, Glimpse, GlimpseNoise, PaddedSuppression,
    combined_non_max_suppression, crop_and_resize, draw_bounding_boxes, extract_glimpse, non_max_suppression,
    non_max_suppression_overlaps, non_max_suppression_padded, non_max_suppression_with_scores,
    sample_distorted_bounding_box, stateless_sample_distorted_bounding_box, try_combined_non_max_suppression,
    try_crop_and_resize, try_draw_bounding_boxes, try_extract_glimpse, try_non_max_suppression,
    try_non_max_suppression_overlaps, try_non_max_suppression_padded, try_non_max_suppression_with_scores,
    try_sample_distorted_bounding_box, try_stateless_sample_distorted_bounding_box,
};
pub use colour::{
    adjust_brightness, adjust_contrast, adjust_gamma, per_image_standardization, try_adjust_brightness,
    try_adjust_contrast, try_adjust_gamma, try_per_image_standardization,
};
pub use convert::{convert_image_dtype, try_convert_image_dtype};
pub use crops::{
    central_crop, crop_to_bounding_box, pad_to_bounding_box, resize_with_crop_or_pad, try_central_crop,
    try_crop_to_bounding_box, try_pad_to_bounding_box, try_resize_with_crop_or_pad,
};
pub use differences::{
    image_gradients, sobel_edges, total_variation, try_image_gradients, try_sobel_edges, try_total_variation,
};
#[doc(inline)]
pub use engine::{extract_patches, try_extract_patches};
pub use flips::{
    flip_left_right, flip_up_down, rot90, transpose, try_flip_left_right, try_flip_up_down, try_rot90, try_transpose,
};
pub use hue::{
    adjust_hue, adjust_saturation, hsv_to_rgb, rgb_to_hsv, try_adjust_hue, try_adjust_saturation, try_hsv_to_rgb,
    try_rgb_to_hsv,
};
pub use jpeg_quality::{adjust_jpeg_quality, try_adjust_jpeg_quality};
pub use random::{
    random_brightness, random_contrast, random_crop, random_flip_left_right, random_flip_up_down, random_hue,
    random_jpeg_quality, random_saturation, stateless_random_brightness, stateless_random_contrast,
    stateless_random_crop, stateless_random_flip_left_right, stateless_random_flip_up_down, stateless_random_hue,
    stateless_random_jpeg_quality, stateless_random_saturation, try_random_brightness, try_random_contrast,
    try_random_crop, try_random_flip_left_right, try_random_flip_up_down, try_random_hue, try_random_jpeg_quality,
    try_random_saturation, try_stateless_random_brightness, try_stateless_random_contrast, try_stateless_random_crop,
    try_stateless_random_flip_left_right, try_stateless_random_flip_up_down, try_stateless_random_hue,
    try_stateless_random_jpeg_quality, try_stateless_random_saturation,
};
pub(crate) use resize::places as resize_places;
pub use resize::{ResizeMethod, Resizing, resize, resize_with_pad, try_resize, try_resize_with_pad};
pub use similarity::{Similarity, psnr, ssim, ssim_multiscale, try_psnr, try_ssim, try_ssim_multiscale};
pub use spaces::{
    grayscale_to_rgb, rgb_to_grayscale, rgb_to_yiq, rgb_to_yuv, try_grayscale_to_rgb, try_rgb_to_grayscale,
    try_rgb_to_yiq, try_rgb_to_yuv, try_yiq_to_rgb, try_yuv_to_rgb, yiq_to_rgb, yuv_to_rgb,
};
