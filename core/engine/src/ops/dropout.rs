//! `dropout`: each element is zero with probability `rate`, else x / (1 - rate); dx = dy / (1 - rate) where it was kept.
//! TensorFlow's `tf.nn.dropout` with its very numbers for a seed; noise and mask are two passes, nothing else is kept.

use super::public;
use kernels::dtype::{DType, DTypes, bf16, f16};
use kernels::error::{Error, Result, OnTheWay};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::random::{try_stateless_uniform, try_uniform};
use kernels::scalar::{Scalar, Val};
use kernels::shape::{Constraints, IntoShape, Shape, broadcast};
use crate::tensor::Tensor;

/// Inputs: the tensor, and uniform noise that broadcasts to it.
#[derive(Clone)]
struct DropoutMask {
    rate: f64,
    scale: f64,
}

impl Op for DropoutMask {
    identity!("dropout_mask", { "rate": Float = |this| this.rate, "scale": Float = |this| this.scale });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let kept = s.ge(x[1], s.number(x[1], self.rate));
        s.select(kept, s.mul(x[0], s.number(x[0], self.scale)), s.number(x[0], 0.0))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// The nearest number of a dtype, as TensorFlow converts rate and scale.
fn rounded(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(value).to_f64(),
        DType::BF16 => bf16::from_f64(value).to_f64(),
        DType::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// The tensor with noise of a shape from `draw`; the noise is drawn, if only none of it, even where none is needed, so
/// that the calls that follow draw the same numbers whatever the rate.
#[track_caller]
fn masked(x: &Tensor, rate: f64, noise: Shape, draw: impl FnOnce(Shape) -> Result<Tensor>) -> Result<Tensor> {
    if !DTypes::FLOATING.has(x.dtype()) {
        return Err(Error::invalid_argument("dropout", "only floating-point numbers can be scaled")
            .got(x.dtype())
            .expected(DTypes::FLOATING)
            .help("convert the input with `cast`"));
    }
    if !(0.0..1.0).contains(&rate) {
        return Err(Error::invalid_argument("dropout", "the rate is no probability below 1")
            .got(rate)
            .expected("0.0 <= rate < 1.0"));
    }
    if broadcast(x.shape(), &noise, &mut Constraints::default()).map_err(|e| e.in_op("dropout"))? != *x.shape() {
        return Err(Error::invalid_argument("dropout", "the noise does not broadcast to the input")
            .got(noise)
            .expected(format!("the shape {} with sizes 1 where noise is shared", x.shape())));
    }
    if rate == 0.0 {
        draw(Shape::new(&[0])?)?;
        return Ok(x.clone());
    }
    let noise = draw(noise)?;
    let op = DropoutMask { rate: rounded(x.dtype(), rate), scale: rounded(x.dtype(), 1.0 / (1.0 - rate)) };
    execute1(&op, &[x, &noise])
}

public! {
    /// While `training`, zero for each element with probability `rate`, and the others divided by `1 - rate` so that
    /// sums keep their expected size; else the input itself.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::ones([1000]);
    /// assert!(tf::dropout(&x, 0.5, true).to_vec::<f32>().iter().all(|&y| y == 0.0 || y == 2.0));
    /// assert_eq!(tf::dropout(&x, 0.5, false).to_vec::<f32>(), [1.0; 1000]);
    /// ```
    pub fn dropout, try_dropout(x, rate: f64, training: bool) -> Tensor {
        if !training {
            return Ok(x.clone());
        }
        masked(x, rate, *x.shape(), |shape| try_uniform(shape, 0.0, 1.0, x.dtype(), None))
    }

    /// [`dropout`] whose noise has a shape of its own, shared along dimensions of size 1, and optionally its own seed.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::dropout_with(&tf::ones([2, 8]), 0.5, [2, 1], Some(7)).to_vec::<f32>();
    /// assert!(y[..8].iter().all(|v| *v == y[0]) && y[8..].iter().all(|v| *v == y[8]));
    /// ```
    pub fn dropout_with, try_dropout_with(x, rate: f64, noise: impl IntoShape, seed: Option<i64>) -> Tensor {
        masked(x, rate, noise.into_shape()?, |shape| try_uniform(shape, 0.0, 1.0, x.dtype(), seed))
    }

    /// [`dropout`] with the same choice for the same seed at every call: TensorFlow's
    /// `tf.nn.experimental.stateless_dropout`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let drop = || tf::stateless_dropout(&tf::ones([8]), 0.5, [1, 2]).to_vec::<f32>();
    /// assert_eq!(drop(), drop());
    /// ```
    pub fn stateless_dropout, try_stateless_dropout(x, rate: f64, seed: [i64; 2]) -> Tensor {
        let dropped = masked(x, rate, *x.shape(), |shape| try_stateless_uniform(shape, seed, 0.0, 1.0, x.dtype()));
        dropped.map_err(|e| e.named("stateless_dropout"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::{DType, f16};

    #[test]
    fn choices_are_tensorflows() {
        // tf.nn.experimental.stateless_dropout(tf.range(1., 9., dtype), 0.4, [1, 2])
        let x = tf::constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let y = tf::stateless_dropout(&x, 0.4, [1, 2]).to_vec::<f32>();
        assert_eq!(y, [1.666_666_6, 0.0, 5.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
        let y = tf::stateless_dropout(x.cast(DType::F16), 0.4, [1, 2]).to_vec::<f16>();
        assert_eq!(y, [1.666_992_2, 0.0, 0.0, 6.667_968_8, 0.0, 10.0, 0.0, 13.335_938].map(f16::from_f32));
        let _alone = crate::random::tests::alone();
        tf::random::set_seed(3);
        let y = tf::dropout(&x, 0.4, true).to_vec::<f32>();
        assert_eq!(y, [0.0, 3.333_333_3, 5.0, 0.0, 8.333_333, 10.0, 0.0, 0.0]);
        // A rate of zero takes its turn in the sequence of seeds.
        tf::dropout(&x, 0.0, true);
        let y = tf::dropout(&x, 0.4, true).to_vec::<f32>();
        assert_eq!(y, [0.0, 3.333_333_3, 0.0, 0.0, 8.333_333, 10.0, 0.0, 13.333_333]);
        let y = tf::dropout_with(&x, 0.4, 8, Some(5)).to_vec::<f32>();
        assert_eq!(y, [0.0, 3.333_333_3, 0.0, 6.666_666_5, 8.333_333, 10.0, 11.666_666, 13.333_333]);
    }

    #[test]
    fn gradients_of_both_orders() {
        check(&|x| tf::stateless_dropout(&(&x[0] * &x[0]), 0.5, [3, 4]), &[numbers(2, &[4, 5])]);
    }

    #[test]
    fn about_the_rate_is_dropped() {
        let y = tf::stateless_dropout(tf::ones([10_000]), 0.3, [5, 6]).to_vec::<f32>();
        let dropped = y.iter().filter(|v| **v == 0.0).count();
        assert!((2_850..3_150).contains(&dropped), "{dropped}");
        assert!(y.iter().all(|v| *v == 0.0 || (v - 1.0 / 0.7).abs() < 1e-6));
    }

    #[test]
    fn bad_input_is_refused() {
        // The last call takes a seed from the sequence of the process.
        let _alone = crate::random::tests::alone();
        let x = tf::ones([2, 3]);
        assert!(tf::try_dropout(&x, 1.0, true).is_err());
        assert!(tf::try_dropout(&x, -0.1, true).is_err());
        assert!(tf::try_dropout(&x, f64::NAN, true).is_err());
        assert!(tf::try_dropout(x.cast(DType::I32), 0.5, true).is_err());
        assert!(tf::try_dropout_with(&x, 0.5, [3, 1], None).is_err());
        assert!(tf::try_dropout_with(&x, 0.5, [4, 2, 3], None).is_err());
        assert_eq!(tf::dropout(&x, 0.0, true).to_vec::<f32>(), [1.0; 6]);
    }
}
