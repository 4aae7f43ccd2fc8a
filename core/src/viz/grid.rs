//! A batch of images as one picture, side by side: `grid`, and its options.
//! Programs look at their data, samples and reconstructions with it.

use super::pen::WHITE;
use super::picture::{Picture, checked_size};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::path::Path;

/// The side that images have at least unless a zoom is set, in pixels.
const LEAST_SIDE: usize = 48;
/// What stands for values that are NaN.
const NAN: [u8; 4] = [255, 0, 255, 255];

/// Writes a batch of images side by side as a PNG, with the default options of [`Grid`].
///
/// ```
/// use eagerflow as tf;
/// # let path = std::env::temp_dir().join(format!("eagerflow-grid-page-{}.png", std::process::id()));
/// let images = tf::random::stateless_uniform([10, 8, 8, 1], [1, 2], 0.0, 1.0);
/// tf::viz::grid(&images, &path);
/// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Panics
/// As [`try_grid`] fails, at the caller's line.
#[track_caller]
pub fn grid(images: impl AsTensor, path: impl AsRef<Path>) {
    Grid::new().save(images, path)
}

/// Writes a batch of images side by side as a PNG.
///
/// # Errors
/// As [`Grid::try_save`].
#[track_caller]
pub fn try_grid(images: impl AsTensor, path: impl AsRef<Path>) -> Result<()> {
    Grid::new().try_save(images, path)
}

/// How images are put side by side.
///
/// ```
/// use eagerflow as tf;
/// use tf::viz::Grid;
/// # let path = std::env::temp_dir().join(format!("eagerflow-grid-options-{}.png", std::process::id()));
/// let images = tf::random::stateless_uniform([6, 8, 8, 3], [1, 2], -1.0, 1.0);
/// Grid::new().columns(3).padding(2).zoom(4).range(-1.0, 1.0).save(&images, &path);
/// # std::fs::remove_file(path).unwrap();
/// assert!(Grid::new().try_columns(0).is_err());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    columns: Option<usize>,
    padding: usize,
    zoom: Option<usize>,
    range: Option<(f64, f64)>,
}

/// Images as numbers on the host.
struct Images {
    values: Vec<f32>,
    count: usize,
    height: usize,
    width: usize,
    channels: usize,
}

impl Grid {
    /// As many columns as rows or nearly so, 2 white pixels between images, a zoom that makes small images visible, and values from 0
    /// to 1, or from 0 to 255 if they are `uint8`.
    pub fn new() -> Self {
        Self { columns: None, padding: 2, zoom: None, range: None }
    }

    /// Which values are black and white, or without a color and full of it; what lies beyond is drawn as the nearer of both.
    ///
    /// # Panics
    /// As [`try_range`](Self::try_range) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn range(self, low: f64, high: f64) -> Self {
        self.try_range(low, high).or_fail()
    }

    /// Which values are black and white.
    ///
    /// # Errors
    /// InvalidArgument unless both are finite and `low` is below `high`.
    #[track_caller]
    pub fn try_range(mut self, low: f64, high: f64) -> Result<Self> {
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(Error::invalid_argument("grid", "`range` is out of range")
                .got(format!("{low} to {high}"))
                .expected("two finite numbers, the lower one first")
                .at(Location::caller()));
        }
        self.range = Some((low, high));
        Ok(self)
    }

    /// Writes images as a PNG: `[n, height, width]` or `[n, height, width, channels]` of any floats or integers, where 1 channel is
    /// gray, 3 are red, green and blue, and a fourth is opacity. They lie in rows from the upper left; a value that is NaN is
    /// magenta. The file is replaced at once.
    ///
    /// # Panics
    /// As [`try_save`](Self::try_save) fails, at the caller's line.
    #[track_caller]
    pub fn save(&self, images: impl AsTensor, path: impl AsRef<Path>) {
        self.try_save(images, path).or_fail()
    }

    /// Writes images as a PNG.
    ///
    /// # Errors
    /// InvalidArgument for another rank or number of channels, no images, images without pixels, values that are no real numbers, and
    /// pictures of more than 2^27 pixels; FailedPrecondition for a value of a graph that is being recorded; what the file system
    /// refuses, with the path: then a file that was there is as it was.
    #[track_caller]
    pub fn try_save(&self, images: impl AsTensor, path: impl AsRef<Path>) -> Result<()> {
        let here = Location::caller();
        let images = images.as_tensor();
        self.picture(&images).and_then(|picture| picture.save(path.as_ref())).map_err(|e| e.at(here))
    }

    fn picture(&self, images: &Tensor) -> Result<Picture> {
        let (low, high) = self.range.unwrap_or((0.0, if images.dtype() == DType::U8 { 255.0 } else { 1.0 }));
        let images = Images::of(images)?;
        let columns = self.columns.unwrap_or_else(|| square(images.count)).min(images.count);
        let rows = images.count.div_ceil(columns);
        let zoom = self.zoom.unwrap_or_else(|| LEAST_SIDE.div_ceil(images.width.min(images.height)));
        let side = |pixels: usize, count: usize| {
            let one = (pixels as u64).saturating_mul(zoom as u64);
            let all = (count as u64).saturating_mul(one.saturating_add(self.padding as u64));
            all.saturating_add(self.padding as u64)
        };
        let (width, height) = (side(images.width, columns), side(images.height, rows));
        let size = checked_size("grid", width, height, "take fewer images, or a smaller `zoom` or `padding`")?;
        let mut picture = Picture::blank(size, if images.channels == 4 { 4 } else { 3 }, WHITE);
        let byte = |value: f32| ((f64::from(value) - low) / (high - low) * 255.0).round().clamp(0.0, 255.0) as u8;
        for at in 0..images.count {
            let place = |index: usize, pixels: usize| (self.padding + index * (pixels * zoom + self.padding)) as u32;
            let (x, y) = (place(at % columns, images.width), place(at / columns, images.height));
            picture.paste((x, y), &images.enlarged(at, zoom, &byte));
        }
        Ok(picture)
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self::new()
    }
}

options! { Grid:
    /// How many images lie beside each other: at least 1. As many as rows, or nearly so, unless set.
    pub fn columns, try_columns(this, columns: usize) {
        this.columns = Some(options::count("grid", "columns", columns)?);
        Ok(this)
    }

    /// How many white pixels lie between images and around them: at most 1000. 2 unless set.
    pub fn padding, try_padding(this, pixels: usize) {
        this.padding = pixels;
        at_most("padding", pixels, 1000)?;
        Ok(this)
    }

    /// How many pixels high and wide a pixel of an image is: from 1 to 1000. As many as make images at least 48 pixels high and wide,
    /// unless set.
    pub fn zoom, try_zoom(this, pixels: usize) {
        this.zoom = Some(options::count("grid", "zoom", pixels)?);
        at_most("zoom", pixels, 1000)?;
        Ok(this)
    }
}

fn at_most(option: &str, pixels: usize, most: usize) -> Result<()> {
    match pixels <= most {
        true => Ok(()),
        false => Err(Error::invalid_argument("grid", format!("`{option}` is out of range"))
            .got(pixels)
            .expected(format!("at most {most}"))),
    }
}

/// The side of the smallest square that holds so many.
fn square(count: usize) -> usize {
    (1..).find(|side| side * side >= count).unwrap_or(1)
}

impl Images {
    fn of(images: &Tensor) -> Result<Self> {
        let wrong =
            |what: &str| Error::invalid_argument("grid", what).got(format!("{} {}", images.dtype(), images.shape()));
        if !(images.dtype().is_floating() || images.dtype().is_integer()) {
            return Err(wrong("the images have no real numbers").expected("floats or integers"));
        }
        if !matches!(images.rank(), 3 | 4) {
            return Err(wrong("the images have a wrong rank")
                .expected("[n, height, width] or [n, height, width, channels]")
                .help("`expand_dims(&image, 0)` makes a batch of one image"));
        }
        let values = cast_to(images, DType::F32)?.try_to_vec::<f32>()?;
        let shape = images.shape();
        let (count, height, width) = (shape[0], shape[1], shape[2]);
        let channels = if shape.rank() == 4 { shape[3] } else { 1 };
        if !matches!(channels, 1 | 3 | 4) {
            return Err(wrong("the images have a wrong number of channels")
                .expected("1 for gray, 3 for red, green and blue, or 4 with opacity"));
        }
        if values.is_empty() {
            return Err(wrong("there is nothing to draw").expected("at least one image with at least one pixel"));
        }
        Ok(Self { values, count, height, width, channels })
    }

    /// An image as a picture, each pixel as a square of `zoom` by `zoom`.
    fn enlarged(&self, at: usize, zoom: usize, byte: &impl Fn(f32) -> u8) -> Picture {
        let size = self.height * self.width * self.channels;
        let image = &self.values[at * size..(at + 1) * size];
        let channels = if self.channels == 4 { 4 } else { 3 };
        let mut bytes = Vec::with_capacity(self.height * self.width * zoom * zoom * channels);
        for row in image.chunks_exact(self.width * self.channels) {
            let from = bytes.len();
            for pixel in row.chunks_exact(self.channels) {
                let color = match *pixel {
                    _ if pixel.iter().any(|value| value.is_nan()) => NAN,
                    [r, g, b, opacity] => [byte(r), byte(g), byte(b), byte(opacity)],
                    [r, g, b] => [byte(r), byte(g), byte(b), 255],
                    _ => [byte(pixel[0]), byte(pixel[0]), byte(pixel[0]), 255],
                };
                (0..zoom).for_each(|_| bytes.extend(&color[..channels]));
            }
            let to = bytes.len();
            (1..zoom).for_each(|_| bytes.extend_from_within(from..to));
        }
        Picture { width: (self.width * zoom) as u32, height: (self.height * zoom) as u32, channels, bytes }
    }
}
