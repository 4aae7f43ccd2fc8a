//! `psnr`, `ssim` and `ssim_multiscale`: how alike two images are, with gradients.
//! Users call them under `tf::image`; each compares `[.., height, width, channels]`, whose leading axes broadcast.

use super::convert::converted;
use super::operand::{at_least_an_image, image_fn, misfit};
use engine::library::options::{self, options};
use engine::library::{Typed, cast_to, reshape_to};
use engine::{AsTensor, PadMode, Padding, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What structural similarity is measured with: TensorFlow's options of `tf.image.ssim` and `tf.image.ssim_multiscale`. A number alone is
/// the range of values.
///
/// ```
/// use eagerflow as tf;
/// use tf::image::Similarity;
/// let x = tf::random::stateless_uniform([1, 16, 16, 3], [1, 2], 0.0, 1.0);
/// let same = tf::image::ssim(&x, &x, Similarity::new(1.0).filter_size(7).filter_sigma(1.0));
/// assert!((same.to_vec::<f32>()[0] - 1.0).abs() < 1e-5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    max_val: f64,
    filter_size: usize,
    filter_sigma: f64,
    k1: f64,
    k2: f64,
    index_map: bool,
    power_factors: Vec<f64>,
}

impl From<f64> for Similarity {
    fn from(max_val: f64) -> Self {
        Self {
            max_val,
            filter_size: 11,
            filter_sigma: 1.5,
            k1: 0.01,
            k2: 0.03,
            index_map: false,
            power_factors: vec![0.0448, 0.2856, 0.3001, 0.2363, 0.1333],
        }
    }
}

impl Similarity {
    /// The defaults for values from 0 to `max_val`, as 1 for floats and 255 for bytes.
    pub fn new(max_val: f64) -> Self {
        Self::from(max_val)
    }

    /// The constant that keeps the comparison of brightness apart from 0 by 0, 0.01 unless set.
    #[must_use]
    pub fn k1(mut self, k1: f64) -> Self {
        self.k1 = k1;
        self
    }

    /// The constant that keeps the comparison of contrast apart from 0 by 0, 0.03 unless set.
    #[must_use]
    pub fn k2(mut self, k2: f64) -> Self {
        self.k2 = k2;
        self
    }

    /// Whether `ssim` gives a map of places, `[.., height - filter_size + 1, width - filter_size + 1]`, instead of their mean.
    #[must_use]
    pub fn return_index_map(mut self, index_map: bool) -> Self {
        self.index_map = index_map;
        self
    }
}

options! { [] Similarity:
    /// Rows and columns of the window, 11 unless set.
    pub fn filter_size, try_filter_size(this, filter_size: usize) {
        this.filter_size = options::count("ssim", "filter_size", filter_size)?;
        Ok(this)
    }

    /// The deviation of the bell that weighs the window, 1.5 unless set.
    pub fn filter_sigma, try_filter_sigma(this, filter_sigma: f64) {
        this.filter_sigma = options::positive("ssim", "filter_sigma", filter_sigma)?;
        Ok(this)
    }

    /// The powers of the scales of `ssim_multiscale`, the finest first; five unless set.
    pub fn power_factors, try_power_factors(this, power_factors: &[f64]) {
        if power_factors.is_empty() {
            return Err(Error::invalid_argument("ssim_multiscale", "`power_factors` has no scale").expected("at least one number"));
        }
        this.power_factors = power_factors.to_vec();
        Ok(this)
    }
}

/// Two images of the same inner sizes as `float32`, and the range of their values as a tensor.
#[track_caller]
fn pair(a: &Tensor, b: &Tensor, max_val: f64) -> Result<[Tensor; 3]> {
    at_least_an_image(a)?;
    at_least_an_image(b)?;
    let inner = |x: &Tensor| x.shape().iter().skip(x.rank() - 3).collect::<Vec<_>>();
    let is_compatible = inner(a).iter().zip(inner(b)).all(|(a, b)| a.can_equal(b));
    if !is_compatible {
        return Err(misfit("the images differ in size", b, &Typed::ty(a).to_string()));
    }
    let greatest = cast_to(&engine::try_fill((), max_val)?, a.dtype())?;
    let float = |x: &Tensor| converted(x, DType::F32, false);
    Ok([float(a)?, float(b)?, float(&greatest)?])
}

/// The middle of each window by a bell, channel by channel.
#[track_caller]
fn blurred(x: &Tensor, bell: &[f32]) -> Result<Tensor> {
    let lead = x.rank() - 3;
    let dim = |axis: usize| x.shape().dim(lead + axis);
    let batch = x.shape().iter().take(lead).fold(Dim::ONE, |all, size| all * size);
    let y = reshape_to(x, &Shape::from_dims(&[batch, dim(0), dim(1), dim(2)])?)?;
    let size = Dim::known(bell.len());
    let filter = |height: Dim, width: Dim| {
        let column = Tensor::try_from_vec(bell.to_vec(), [height, width, Dim::ONE, Dim::ONE])?;
        engine::try_broadcast_to(&column, &Shape::from_dims(&[height, width, dim(2), Dim::ONE])?)
    };
    // The bell of two axes is the product of two of one, which take fewer products.
    let y = engine::try_depthwise_conv2d(&y, filter(size, Dim::ONE)?, 1, Padding::Valid)?;
    let y = engine::try_depthwise_conv2d(&y, filter(Dim::ONE, size)?, 1, Padding::Valid)?;
    let dims: Vec<Dim> = x.shape().iter().take(lead).chain(y.shape().iter().skip(1)).collect();
    reshape_to(&y, &Shape::from_dims(&dims)?)
}

/// Brightness and contrast with structure, compared at each place and channel.
#[track_caller]
fn compared(x: &Tensor, y: &Tensor, greatest: &Tensor, how: &Similarity) -> Result<[Tensor; 2]> {
    for image in [x, y] {
        let size = Dim::known(how.filter_size);
        let fits = |axis: usize| (image.shape().dim(image.rank() - axis) - size).valid().is_ok();
        if !fits(3) || !fits(2) {
            return Err(misfit(
                "the images are smaller than the filter",
                image,
                &format!("at least {size} rows and columns"),
            )
            .help("`filter_size` makes the filter smaller"));
        }
    }
    let middle = (how.filter_size - 1) as f64 / 2.0;
    let bell = (0..how.filter_size).map(|i| (-0.5 * ((i as f64 - middle) / how.filter_sigma).powi(2)).exp());
    let sum: f64 = bell.clone().sum();
    let bell: Vec<f32> = bell.map(|weight| (weight / sum) as f32).collect();
    let mean = |x: &Tensor| blurred(x, &bell);
    let c1 = greatest.try_multiply(how.k1)?.try_square()?;
    let c2 = greatest.try_multiply(how.k2)?.try_square()?;
    let (mean_x, mean_y) = (mean(x)?, mean(y)?);
    let product = mean_x.try_multiply(&mean_y)?.try_multiply(2.0)?;
    let squares = mean_x.try_square()?.try_add(&mean_y.try_square()?)?;
    let brightness = product.try_add(&c1)?.try_divide(&squares.try_add(&c1)?)?;
    let of_products = mean(&x.try_multiply(y)?)?.try_multiply(2.0)?;
    let of_squares = mean(&x.try_square()?.try_add(&y.try_square()?)?)?;
    let upper = of_products.try_subtract(&product)?.try_add(&c2)?;
    let contrast = upper.try_divide(&of_squares.try_subtract(&squares)?.try_add(&c2)?)?;
    Ok([brightness.try_multiply(&contrast)?, contrast])
}

/// Half as many rows and columns, each the mean of four; odd sizes repeat their last ones.
#[track_caller]
fn halved(x: &Tensor) -> Result<Tensor> {
    let lead = x.rank() - 3;
    let dim = |axis: usize| x.shape().dim(lead + axis);
    let batch = x.shape().iter().take(lead).fold(Dim::ONE, |all, size| all * size);
    let y = reshape_to(x, &Shape::from_dims(&[batch, dim(0), dim(1), dim(2)])?)?;
    let odd = |axis: usize| [Dim::ZERO, dim(axis) % 2];
    let y = engine::try_pad(&y, [[Dim::ZERO; 2], odd(0), odd(1), [Dim::ZERO; 2]], PadMode::Symmetric)?;
    let y = engine::try_avg_pool2d(&y, 2, 2, Padding::Valid)?;
    let dims: Vec<Dim> = x.shape().iter().take(lead).chain(y.shape().iter().skip(1)).collect();
    reshape_to(&y, &Shape::from_dims(&dims)?)
}

image_fn! {
    /// The ratio of the greatest value to the error between two images, in decibels (PSNR), one number for each pair. `max_val` is the range
    /// of their values. TensorFlow's `tf.image.psnr`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b) = (tf::zeros([2, 2, 1]), tf::fill([2, 2, 1], 0.1));
    /// assert!((tf::image::psnr(&a, &b, 1.0).item::<f32>() - 20.0).abs() < 1e-4);
    /// ```
    pub fn psnr, try_psnr(a: impl AsTensor, b: impl AsTensor, max_val: f64) -> Tensor {
        let [a, b, greatest] = pair(&a.as_tensor(), &b.as_tensor(), max_val)?;
        let error = engine::try_squared_difference(&a, &b)?.try_reduce_mean([-3, -2, -1])?;
        let ten = std::f64::consts::LN_10;
        let range = greatest.try_log()?.try_multiply(20.0)?.try_divide(ten)?;
        range.try_subtract(&error.try_log()?.try_multiply(10.0 / ten)?)
    }

    /// The structural similarity (SSIM) of two images, from -1 to 1, one number for each pair. The third argument is the range of values, or
    /// [`Similarity`] with all options. TensorFlow's `tf.image.ssim`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::random::stateless_uniform([2, 16, 16, 1], [1, 2], 0.0, 1.0);
    /// let y = tf::image::ssim(&x, &(1.0 - &x), 1.0);
    /// assert!(y.shape() == [2] && y.to_vec::<f32>().iter().all(|s| *s < 0.0));
    /// ```
    pub fn ssim, try_ssim(img1: impl AsTensor, img2: impl AsTensor, how: impl Into<Similarity>) -> Tensor {
        let how = how.into();
        let [a, b, greatest] = pair(&img1.as_tensor(), &img2.as_tensor(), how.max_val)?;
        let [similar, _] = compared(&a, &b, &greatest, &how)?;
        match how.index_map {
            true => similar.try_reduce_mean(-1),
            false => similar.try_reduce_mean([-3, -2, -1]),
        }
    }

    /// The structural similarity of two images at several scales (MS-SSIM), each half of the one before, one number for each pair. The third
    /// argument is the range of values, or [`Similarity`] with all options. TensorFlow's `tf.image.ssim_multiscale`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::Similarity;
    /// let x = tf::random::stateless_uniform([1, 32, 32, 1], [1, 2], 0.0, 1.0);
    /// let y = tf::image::ssim_multiscale(&x, &x, Similarity::new(1.0).power_factors(&[0.5, 0.5]));
    /// assert!((y.to_vec::<f32>()[0] - 1.0).abs() < 1e-5);
    /// ```
    pub fn ssim_multiscale, try_ssim_multiscale(img1: impl AsTensor, img2: impl AsTensor, how: impl Into<Similarity>) -> Tensor {
        let how = how.into();
        if how.index_map {
            return Err(Error::invalid_argument("", "`return_index_map` is an option of `ssim`").got("return_index_map = true"));
        }
        let [mut a, mut b, greatest] = pair(&img1.as_tensor(), &img2.as_tensor(), how.max_val)?;
        let mut scales = Vec::with_capacity(how.power_factors.len());
        for scale in 0..how.power_factors.len() {
            if scale > 0 {
                (a, b) = (halved(&a)?, halved(&b)?);
            }
            let [similar, contrast] = compared(&a, &b, &greatest, &how)?;
            // The coarsest scale counts as a whole, the others by contrast and structure.
            let counts = if scale + 1 == how.power_factors.len() { similar } else { contrast };
            scales.push(counts.try_reduce_mean([-3, -2])?.try_relu()?);
        }
        let powers: Vec<f32> = how.power_factors.iter().map(|&power| power as f32).collect();
        let powers = Tensor::try_from_vec(powers, [scales.len()])?;
        engine::try_stack(&scales, -1)?.try_pow(&powers)?.try_reduce_prod(-1)?.try_reduce_mean(-1)
    }
}
