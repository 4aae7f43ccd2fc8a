//! The filters that resizing weighs pixels by: each as a function of the distance between the centres of an old and a new pixel.
//! `taps.rs` asks them for weights; they are the kernels of TensorFlow's `ScaleAndTranslate`.

use engine::Tensor;
use kernels::error::Result;
use std::f64::consts::PI;

/// A filter around 0.
#[derive(Clone, Copy)]
pub(super) enum Filter {
    Triangle,
    /// The cubic of Keys with A = -1/2.
    Keys,
    /// The cubic of Mitchell and Netravali with B = C = 1/3.
    Mitchell,
    Gaussian,
    /// A sinc in the window of a wider one, with this radius.
    Lanczos(usize),
}

/// A polynomial by its coefficients, that of the highest power first.
#[track_caller]
fn polynomial(x: &Tensor, coefficients: [f64; 4]) -> Result<Tensor> {
    let [first, rest @ ..] = coefficients;
    let mut y = x.try_multiply(first)?.try_add(rest[0])?;
    for coefficient in &rest[1..] {
        y = y.try_multiply(x)?.try_add(*coefficient)?;
    }
    Ok(y)
}

/// What is within a distance, what is within another, and 0.
#[track_caller]
fn pieces(x: &Tensor, near: &Tensor, far: &Tensor) -> Result<Tensor> {
    let far = engine::try_where(&x.try_less(2.0)?, far, 0.0)?;
    engine::try_where(&x.try_less(1.0)?, near, &far)
}

impl Filter {
    /// Twice the distance beyond which all is 0.
    pub fn width(self) -> usize {
        match self {
            Self::Triangle => 2,
            Self::Keys | Self::Mitchell => 4,
            Self::Gaussian => 3,
            Self::Lanczos(radius) => 2 * radius,
        }
    }

    /// The weights at these distances, none of which is negative.
    #[track_caller]
    pub fn weights(self, x: &Tensor) -> Result<Tensor> {
        let within = |y: &Tensor| engine::try_where(&x.try_less(self.width() as f64 / 2.0)?, y, 0.0);
        match self {
            Self::Triangle => x.try_neg()?.try_add(1.0)?.try_maximum(0.0),
            Self::Keys => pieces(x, &polynomial(x, [1.5, -2.5, 0.0, 1.0])?, &polynomial(x, [-0.5, 2.5, -4.0, 2.0])?),
            Self::Mitchell => pieces(
                x,
                &polynomial(x, [7.0 / 6.0, -2.0, 0.0, 8.0 / 9.0])?,
                &polynomial(x, [-7.0 / 18.0, 2.0, -10.0 / 3.0, 16.0 / 9.0])?,
            ),
            // The deviation is a third of the radius, 1/2.
            Self::Gaussian => within(&x.try_multiply(x)?.try_multiply(-2.0)?.try_exp()?),
            Self::Lanczos(radius) => {
                let radius = radius as f64;
                let is_middle = x.try_less_equal(1e-3)?;
                let x = engine::try_where(&is_middle, 1.0, x)?;
                let waves = x.try_multiply(PI)?.try_sin()?.try_multiply(&x.try_multiply(PI / radius)?.try_sin()?)?;
                let y = waves.try_multiply(radius)?.try_divide(&x.try_multiply(&x)?.try_multiply(PI * PI)?)?;
                within(&engine::try_where(&is_middle, 1.0, &y)?)
            }
        }
    }
}
