//! `image_dataset_from_directory`: a folder per class, with images of any size that become images of one.
//! Keras's `keras.utils.image_dataset_from_directory`.

use super::files::Selection;
use super::labels::{LabeledFiles, folder_options};
use super::read::Reader;
use crate::image::{ResizeMethod, resize_places, try_resize};
use crate::io::host::{Work, bytes_of, io_fn, one_string, typed, within};
use crate::io::images::{ImageDecoding, try_decode_image};
use engine::data::Dataset;
use engine::library::options::{self, options};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::path::Path;

const OP: &str = "image_dataset_from_directory";
const ENDINGS: [&str; 5] = ["bmp", "gif", "jpeg", "jpg", "png"];

/// How many channels images get: Keras's `color_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMode {
    /// 1.
    Grayscale,
    /// 3.
    #[default]
    Rgb,
    /// 4.
    Rgba,
}

/// What becomes of images whose sides have another proportion than the size that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AspectRatio {
    /// They are stretched.
    #[default]
    Stretch,
    /// They are cut around their middle first: `crop_to_aspect_ratio`.
    Crop,
    /// They get black margins first: `pad_to_aspect_ratio`.
    Pad,
}

/// How a folder of images is read: the options of `keras.utils.image_dataset_from_directory`.
#[derive(Clone, Debug)]
pub struct ImageFolder {
    selection: Selection,
    color_mode: ColorMode,
    image_size: (usize, usize),
    interpolation: ResizeMethod,
    aspect_ratio: AspectRatio,
}

impl ImageFolder {
    /// Keras's defaults: RGB of 256 by 256, batches of 32, shuffled, numbers for labels.
    pub fn new() -> Self {
        Self {
            selection: Selection::new(),
            color_mode: ColorMode::Rgb,
            image_size: (256, 256),
            interpolation: ResizeMethod::Bilinear,
            aspect_ratio: AspectRatio::Stretch,
        }
    }

    /// How many channels images get.
    #[must_use]
    pub fn color_mode(mut self, mode: ColorMode) -> Self {
        self.color_mode = mode;
        self
    }

    /// How images get their size.
    #[must_use]
    pub fn interpolation(mut self, method: ResizeMethod) -> Self {
        self.interpolation = method;
        self
    }

    /// What becomes of other proportions.
    #[must_use]
    pub fn aspect_ratio(mut self, aspect_ratio: AspectRatio) -> Self {
        self.aspect_ratio = aspect_ratio;
        self
    }

    fn reader(&self) -> Reader<'_> {
        Reader { op: OP, endings: &ENDINGS, selection: &self.selection }
    }

    fn channels(&self) -> usize {
        match self.color_mode {
            ColorMode::Grayscale => 1,
            ColorMode::Rgb => 3,
            ColorMode::Rgba => 4,
        }
    }

    /// What makes an image of a path: one operation, so that an error can name the file.
    fn read(&self) -> impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static {
        let (channels, size, method, aspect) =
            (self.channels(), self.image_size, self.interpolation, self.aspect_ratio);
        move |path: &Tensor| {
            let types = move |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| {
                one_string(OP, inputs[0])?;
                Ok(vec![typed(DType::F32, &[Dim::from(size.0), Dim::from(size.1), Dim::from(channels)])?])
            };
            let run = move |inputs: &[&Tensor]| {
                let options = ImageDecoding::from(channels).expand_animations(false);
                let image = engine::io::try_read_file(inputs[0]).and_then(|file| try_decode_image(&file, options));
                let image = image.map_err(|error| in_file(&bytes_of(OP, inputs[0]).unwrap_or_default(), error))?;
                Ok(vec![sized(&image, size, method, aspect)?])
            };
            Work::new("load_image", format!("{channels} {size:?} {method:?} {aspect:?}"), types, run).call1(&[path])
        }
    }
}

/// The error of a file, with its path.
fn in_file(path: &[u8], error: Error) -> Error {
    let path = String::from_utf8_lossy(path).into_owned();
    match error.to_string().contains(&path) {
        true => error,
        false => within(OP, &format!("`{path}`"), &error).help("`ignore_errors` leaves such files out"),
    }
}

/// An image as numbers of this size.
fn sized(image: &Tensor, (height, width): (usize, usize), method: ResizeMethod, aspect: AspectRatio) -> Result<Tensor> {
    let (dims, pixels) = (image.shape().dims().to_vec(), image.try_to_vec::<u8>()?);
    let &[rows, columns, channels] = &dims[..] else {
        return Err(Error::internal(OP, "an image has three dimensions"));
    };
    let (by_width, by_height) = (columns * height / width, rows * width / height);
    // The window that is read, in which what lies outside of the image is black.
    let (tall, wide) = match aspect {
        AspectRatio::Stretch => (rows, columns),
        AspectRatio::Crop => (rows.min(by_width).max(1), columns.min(by_height).max(1)),
        AspectRatio::Pad => (rows.max(by_width), columns.max(by_height)),
    };
    let (top, left) = ((rows as isize - tall as isize) / 2, (columns as isize - wide as isize) / 2);
    let at = |y: usize, x: usize, c: usize| {
        let (y, x) = (y as isize + top, x as isize + left);
        let is_inside = (0..rows as isize).contains(&y) && (0..columns as isize).contains(&x);
        if is_inside { f32::from(pixels[(y as usize * columns + x as usize) * channels + c]) } else { 0.0 }
    };
    if !matches!(method, ResizeMethod::Bilinear | ResizeMethod::Nearest) {
        let cells = (0..tall * wide * channels).map(|i| at(i / channels / wide, i / channels % wide, i % channels));
        return try_resize(&Tensor::try_from_vec(cells.collect(), [tall, wide, channels])?, (height, width), method);
    }
    let mut out = Vec::with_capacity(height * width * channels);
    let (lines, places) = (resize_places(height, tall), resize_places(width, wide));
    let nearest =
        |i: usize, to: usize, from: usize| (((i as f32 + 0.5) * (from as f32 / to as f32)) as usize).min(from - 1);
    for (row, &(y0, y1, down)) in lines.iter().enumerate() {
        for (column, &(x0, x1, across)) in places.iter().enumerate() {
            for c in 0..channels {
                out.push(match method {
                    ResizeMethod::Nearest => at(nearest(row, height, tall), nearest(column, width, wide), c),
                    _ => {
                        let line = |y: usize| at(y, x0, c) + (at(y, x1, c) - at(y, x0, c)) * across;
                        let (above, below) = (line(y0), line(y1));
                        above + (below - above) * down
                    }
                });
            }
        }
    }
    Tensor::try_from_vec(out, [height, width, channels])
}

folder_options!(ImageFolder "image_dataset_from_directory");

options! { [] ImageFolder:
    /// Rows and columns of all images; 256 by 256 unless set.
    pub fn image_size, try_image_size(this, size: (usize, usize)) {
        this.image_size = (options::count(OP, "image_size", size.0)?, options::count(OP, "image_size", size.1)?);
        Ok(this)
    }
}

io_fn! {
    /// Images and labels of a folder that has a folder for each class, with BMP, GIF, JPEG and PNG files of any size.
    ///
    /// Images are `float32` from 0 to 255. A file that is no image is an error that names it, or left out under
    /// [`ignore_errors`](ImageFolder::ignore_errors). Keras's `subset="both"` is two calls here, with the same seed.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{ImageFolder, image_dataset_from_directory};
    /// let folder = std::env::temp_dir().join(format!("eagerflow-images-{}", std::process::id()));
    /// for (class, level) in [("cats", 50_u8), ("dogs", 90)] {
    ///     let file = tf::io::encode_png(tf::fill([4, 6, 3], level));
    ///     tf::io::write_file(folder.join(class).join("0.png").to_str().unwrap(), file);
    /// }
    /// let images = image_dataset_from_directory(&folder, ImageFolder::new().image_size((2, 2)).shuffle(false));
    /// let (x, y) = images.dataset.iter().next().unwrap();
    /// assert_eq!((x.shape().dims(), y.to_vec::<i32>()), (&[2, 2, 2, 3][..], vec![0, 1]));
    /// assert_eq!(images.class_names, ["cats", "dogs"]);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    pub fn image_dataset_from_directory, try_image_dataset_from_directory(folder: impl AsRef<Path>, options: ImageFolder) -> LabeledFiles {
        options.reader().labeled(folder.as_ref(), options.read())
    }

    /// The images of all files below a folder, without labels: Keras's `labels=None`.
    pub fn image_dataset_from_directory_unlabeled, try_image_dataset_from_directory_unlabeled(
        folder: impl AsRef<Path>,
        options: ImageFolder,
    ) -> Dataset<Tensor> {
        options.reader().unlabeled(folder.as_ref(), options.read())
    }
}
