//! `sample_distorted_bounding_box`: a window of an image at random that shows enough of some object in it.
//! Users call it under `tf::image` to make more pictures of few; the trials are work on the host, with TensorFlow's numbers for a seed.

use super::super::operand::{image_fn, misfit};
use super::check_boxes;
use super::windows::{Window, Words, window};
use crate::io::host::{Work, typed};
use engine::library::cast_to;
use engine::library::options::options;
use engine::random::{self, IntoSeed};
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

const OP: &str = "sample_distorted_bounding_box";

/// What windows are taken: TensorFlow's options of `tf.image.sample_distorted_bounding_box`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distortion {
    min_object_covered: f64,
    aspect_ratio_range: (f64, f64),
    area_range: (f64, f64),
    max_attempts: usize,
    use_image_if_no_bounding_boxes: bool,
}

impl Default for Distortion {
    fn default() -> Self {
        Self::new()
    }
}

impl Distortion {
    /// A tenth of an object, ratios from 0.75 to 1.33, areas from 0.05 to 1, a hundred trials.
    pub fn new() -> Self {
        Self {
            min_object_covered: 0.1,
            aspect_ratio_range: (0.75, 1.33),
            area_range: (0.05, 1.0),
            max_attempts: 100,
            use_image_if_no_bounding_boxes: false,
        }
    }

    /// Whether the whole image is the object where there are no boxes, which is an error else.
    #[must_use]
    pub fn use_image_if_no_bounding_boxes(mut self, use_image: bool) -> Self {
        self.use_image_if_no_bounding_boxes = use_image;
        self
    }
}

/// Two numbers above 0, the second not below the first.
fn range(option: &str, (low, high): (f64, f64)) -> Result<(f64, f64)> {
    match low > 0.0 && low <= high && high.is_finite() {
        true => Ok((low, high)),
        false => Err(Error::invalid_argument(OP, format!("`{option}` is no range"))
            .got(format!("from {low} to {high}"))
            .expected("two numbers above 0, the smaller one first")),
    }
}

options! { [] Distortion:
    /// The share of an object that the window must show, at least 0.
    pub fn min_object_covered, try_min_object_covered(this, min_object_covered: f64) {
        this.min_object_covered = engine::library::options::magnitude(OP, "min_object_covered", min_object_covered)?;
        Ok(this)
    }

    /// The width of windows as a multiple of their height, from one number to another.
    pub fn aspect_ratio_range, try_aspect_ratio_range(this, aspect_ratio_range: (f64, f64)) {
        this.aspect_ratio_range = range("aspect_ratio_range", aspect_ratio_range)?;
        Ok(this)
    }

    /// The share of the image that windows cover, from one number to another, at most 1.
    pub fn area_range, try_area_range(this, area_range: (f64, f64)) {
        let checked = range("area_range", area_range)?;
        if checked.1 > 1.0 {
            return Err(Error::invalid_argument(OP, "`area_range` is out of range").got(checked.1).expected("at most 1"));
        }
        this.area_range = checked;
        Ok(this)
    }

    /// How many windows are tried before the whole image is taken.
    pub fn max_attempts, try_max_attempts(this, max_attempts: usize) {
        this.max_attempts = engine::library::options::count(OP, "max_attempts", max_attempts)?;
        if max_attempts > 1 << 20 {
            return Err(Error::invalid_argument(OP, "`max_attempts` is out of range").got(max_attempts).expected("at most 1048576"));
        }
        Ok(this)
    }
}

/// Tries windows on the host.
fn run(how: Distortion, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let size = inputs[0].try_to_vec::<i64>()?;
    let sizes: Vec<i32> = size.iter().filter_map(|&n| i32::try_from(n).ok().filter(|&n| n > 0)).collect();
    let (&[height, width, _], 3) = (&sizes[..], size.len()) else {
        return Err(Error::invalid_argument(OP, "`image_size` must be three numbers above 0")
            .got(format!("{size:?}"))
            .expected("[height, width, channels]"));
    };
    let edges = inputs[1].try_to_vec::<f32>()?;
    if let Some(edge) = edges.iter().find(|edge| !(0.0..=1.0).contains(*edge)) {
        return Err(Error::invalid_argument(OP, "an edge of a box is out of range").got(edge).expected("from 0 to 1"));
    }
    let pixels = |share: f32, size: i32| (share * size as f32) as i32;
    let image = Window { left: 0, top: 0, right: width, bottom: height };
    let mut objects: Vec<Window> = edges
        .chunks_exact(4)
        .map(|x| Window {
            left: pixels(x[1], width),
            top: pixels(x[0], height),
            right: pixels(x[3], width),
            bottom: pixels(x[2], height),
        })
        .collect();
    if objects.is_empty() {
        if !how.use_image_if_no_bounding_boxes {
            return Err(Error::invalid_argument(OP, "there are no boxes")
                .help("`use_image_if_no_bounding_boxes` takes the whole image for one"));
        }
        objects.push(image);
    }
    let all = inputs[2].try_to_vec::<u32>()?;
    let mut words = Words::new(&all);
    let (low, high) = (how.aspect_ratio_range.0 as f32, how.aspect_ratio_range.1 as f32);
    let is_covered = |window: Window| {
        let enough = |x: &Window| x.area() >= 1.0 && x.shared(window) / x.area() >= how.min_object_covered as f32;
        window.area() >= 1.0 && objects.iter().any(enough)
    };
    let mut found = image;
    for _ in 0..how.max_attempts {
        let ratio = words.share() * (high - low) + low;
        if let Some(window) =
            window(&mut words, [height, width], ratio, how.area_range).filter(|&window| is_covered(window))
        {
            found = window;
            break;
        }
    }
    let Window { left, top, right, bottom } = found;
    let shares = [
        top as f32 / height as f32,
        left as f32 / width as f32,
        bottom as f32 / height as f32,
        right as f32 / width as f32,
    ];
    Ok(vec![
        Tensor::try_from_vec(vec![i64::from(top), i64::from(left), 0], [3])?,
        Tensor::try_from_vec(vec![i64::from(bottom - top), i64::from(right - left), -1], [3])?,
        Tensor::try_from_vec(shares.to_vec(), [1, 1, 4])?,
    ])
}

#[track_caller]
fn sampled(
    image_size: &Tensor,
    boxes: &Tensor,
    seed: impl IntoSeed,
    how: Distortion,
) -> Result<(Tensor, Tensor, Tensor)> {
    if image_size.rank() != 1 || !image_size.dtype().is_integer() || !image_size.shape().dim(0).can_equal(Dim::from(3))
    {
        return Err(misfit("`image_size` must be three integers", image_size, "int32[3]"));
    }
    check_boxes(boxes, 3)?;
    // Four words a trial, and some for those that are passed over.
    let words = random::try_stateless_uniform_full_int([4 * how.max_attempts + 64], seed, DType::U32)?;
    let types = |_: &[&TensorType], _: &mut dyn FnMut() -> Dim| {
        let three = typed(DType::I64, &[Dim::from(3)])?;
        Ok(vec![three, three, typed(DType::F32, &[Dim::ONE, Dim::ONE, Dim::from(4)])?])
    };
    let work = Work::new(OP, format!("{how:?}"), types, move |inputs| run(how, inputs));
    let results = work.call(&[&cast_to(image_size, DType::I64)?, &cast_to(boxes, DType::F32)?, &words])?;
    let [begin, size, found]: [Tensor; 3] =
        results.try_into().map_err(|_| Error::internal("", "three results were expected"))?;
    Ok((cast_to(&begin, image_size.dtype())?, cast_to(&size, image_size.dtype())?, found))
}

image_fn! {
    /// A window of an image of `image_size`, `[height, width, channels]`, that shows a part of one of the boxes `[batch, n, 4]`: `begin` and
    /// `size`, both `[3]`, for [`slice`](fn@crate::slice), and the window as a box `[1, 1, 4]`. [`Distortion`] says what windows are tried; if none
    /// fits, the whole image is taken. TensorFlow's `tf.image.sample_distorted_bounding_box`.
    ///
    /// The seed of each call is drawn from the global random state, or from a stream of it that `seed` names; the windows are not those of
    /// TensorFlow's, but for [`stateless_sample_distorted_bounding_box`](fn@stateless_sample_distorted_bounding_box).
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::Distortion;
    /// let boxes = tf::constant([[[0.2, 0.2, 0.8, 0.8]]]);
    /// let (begin, size, _) = tf::image::sample_distorted_bounding_box(tf::constant([40, 60, 3]), &boxes, Distortion::new(), None);
    /// let part = tf::slice(tf::zeros([40, 60, 3]), &begin, &size);
    /// assert!(part.shape().dims()[0] <= 40 && part.shape().dims()[2] == 3);
    /// ```
    pub fn sample_distorted_bounding_box, try_sample_distorted_bounding_box(
        image_size: impl AsTensor,
        bounding_boxes: impl AsTensor,
        how: Distortion,
        seed: Option<i64>,
    ) -> (Tensor, Tensor, Tensor) {
        let own = random::try_uniform_int([2], i64::from(i32::MIN), i64::from(i32::MAX), DType::I32, seed)?;
        sampled(&image_size.as_tensor(), &bounding_boxes.as_tensor(), &own, how)
    }

    /// [`sample_distorted_bounding_box`](fn@sample_distorted_bounding_box) with the same result for the same seed at every call. TensorFlow's
    /// `tf.image.stateless_sample_distorted_bounding_box`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::Distortion;
    /// let (size, boxes) = (tf::constant([40, 60, 3]), tf::constant([[[0.2, 0.2, 0.8, 0.8]]]));
    /// let draw = || tf::image::stateless_sample_distorted_bounding_box(&size, &boxes, Distortion::new(), [1, 2]);
    /// assert_eq!(draw().0.to_vec::<i32>(), draw().0.to_vec::<i32>());
    /// ```
    pub fn stateless_sample_distorted_bounding_box, try_stateless_sample_distorted_bounding_box(
        image_size: impl AsTensor,
        bounding_boxes: impl AsTensor,
        how: Distortion,
        seed: impl IntoSeed,
    ) -> (Tensor, Tensor, Tensor) {
        sampled(&image_size.as_tensor(), &bounding_boxes.as_tensor(), seed, how)
    }
}
