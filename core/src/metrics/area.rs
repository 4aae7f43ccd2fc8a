//! Areas under curves that counts at some thresholds give: which curve, and how the parts between two thresholds are taken.
//! `AUC` calls it for its result.

use engine::library::cast_to;
use engine::{Dim, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Which curve an [`AUC`](super::AUC) is the area of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Curve {
    /// True positives over false positives, as shares: the receiver operating characteristic.
    #[default]
    ROC,
    /// Precision over recall.
    PR,
    /// Precision gain over recall gain: both as what they are better than chance.
    PRGAIN,
}

/// How an [`AUC`](super::AUC) takes the area between two thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SummationMethod {
    /// The mean of the heights; for precision and recall the interpolation of the counts.
    #[default]
    Interpolation,
    /// The smaller of the heights.
    Minoring,
    /// The larger of the heights.
    Majoring,
}

macro_rules! copied {
    ($($name:ident),*) => {$(
        impl engine::Duplicate for $name {
            fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
                *self
            }
        }
    )*};
}

copied!(Curve, SummationMethod);

/// All thresholds but the last, and all but the first.
#[track_caller]
fn neighbours(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let count = x.shape().dim(0).known_value().unwrap_or(1);
    let (mut sizes, mut begin): (Vec<Dim>, Vec<Dim>) = (x.shape().iter().collect(), vec![Dim::known(0); x.rank()]);
    sizes[0] = Dim::known(count - 1);
    let first = engine::try_slice(x, &begin[..], &sizes[..])?;
    begin[0] = Dim::ONE;
    Ok((first, engine::try_slice(x, &begin[..], &sizes[..])?))
}

/// `a / (a + b)`, 0 where both are 0.
#[track_caller]
fn share(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    engine::try_div_no_nan(a, &a.try_add(b)?)
}

/// The area, of counts `[thresholds]` or `[thresholds, labels]`: true and false positives, true and false negatives.
#[track_caller]
pub(super) fn area(
    counts: &[Tensor; 4],
    curve: Curve,
    method: SummationMethod,
    multi_label: bool,
    weights: Option<&[f64]>,
) -> Result<Tensor> {
    let parts = match (curve, method) {
        (Curve::PR, SummationMethod::Interpolation) => interpolated(counts)?,
        _ => rectangles(counts, curve, method)?,
    };
    let area = match (multi_label, weights) {
        (false, _) => parts.try_reduce_sum(())?,
        (true, None) => parts.try_reduce_sum(0)?.try_reduce_mean(())?,
        (true, Some(weights)) => {
            let (areas, weights) = (parts.try_reduce_sum(0)?, Tensor::from(weights));
            if !areas.shape().dim(0).can_equal(weights.shape().dim(0)) {
                return Err(Error::invalid_argument("auc", "`label_weights` does not fit the labels")
                    .got(format!("{} weights", weights.shape()))
                    .expected(format!("one per label, {}", areas.shape())));
            }
            engine::try_div_no_nan(&areas.try_multiply(&weights)?.try_reduce_sum(())?, &weights.try_reduce_sum(())?)?
        }
    };
    cast_to(&area, DType::F32)
}

#[track_caller]
fn rectangles(counts: &[Tensor; 4], curve: Curve, method: SummationMethod) -> Result<Tensor> {
    let [right, wrong, left, missed] = counts;
    let (x, y) = match curve {
        Curve::ROC => (share(wrong, left)?, share(right, missed)?),
        Curve::PR => (share(right, missed)?, share(right, wrong)?),
        Curve::PRGAIN => {
            let scale = engine::try_div_no_nan(&right.try_add(missed)?, &left.try_add(wrong)?)?;
            let none = right.try_equal(0.0)?;
            let recall = gain(&scale, missed, right)?;
            // Without true positives both gains would be infinite; a recall below that of chance is none.
            let recall = none.try_select(0.0, &recall)?.try_maximum(0.0)?;
            (recall, none.try_select(1.0, &gain(&scale, wrong, right)?)?)
        }
    };
    let ((x, next_x), (y, next_y)) = (neighbours(&x)?, neighbours(&y)?);
    let heights = match method {
        SummationMethod::Interpolation => y.try_add(&next_y)?.try_divide(2.0)?,
        SummationMethod::Minoring => y.try_minimum(&next_y)?,
        SummationMethod::Majoring => y.try_maximum(&next_y)?,
    };
    x.try_subtract(&next_x)?.try_multiply(&heights)
}

#[track_caller]
fn gain(scale: &Tensor, wrong: &Tensor, right: &Tensor) -> Result<Tensor> {
    engine::try_subtract(1.0, &scale.try_multiply(&engine::try_div_no_nan(wrong, right)?)?)
}

/// Davis and Goadrich: between two thresholds, true positives grow in proportion to all positives, and precision is no straight line.
#[track_caller]
fn interpolated(counts: &[Tensor; 4]) -> Result<Tensor> {
    let [right, wrong, _, missed] = counts;
    let positives = right.try_add(wrong)?;
    let ((tp, next_tp), (p, next_p)) = (neighbours(right)?, neighbours(&positives)?);
    let (_, next_missed) = neighbours(missed)?;
    let (dtp, dp) = (tp.try_subtract(&next_tp)?, p.try_subtract(&next_p)?);
    let slope = engine::try_div_no_nan(&dtp, &dp.try_maximum(0.0)?)?;
    let intercept = next_tp.try_subtract(&slope.try_multiply(&next_p)?)?;
    let both = engine::try_logical_and(p.try_greater(0.0)?, next_p.try_greater(0.0)?)?;
    let ratio = both.try_select(&engine::try_div_no_nan(&p, &next_p.try_maximum(0.0)?)?, 1.0)?;
    let grown = slope.try_multiply(&dtp.try_add(&intercept.try_multiply(&ratio.try_log()?)?)?)?;
    engine::try_div_no_nan(&grown, &next_tp.try_add(&next_missed)?.try_maximum(0.0)?)
}
