//! Batch renormalisation: the batch's moments corrected towards running ones, which then move.
//! `BatchNormalization` calls it while it is trained with `renorm(true)`.

use super::BatchNormalization;
use crate::layers::base::Weight;
use engine::library::cast_to;
use engine::{Tensor, Variable};
use kernels::error::{Error, Result};

/// A share of the old value, and of the new one what is missing.
#[track_caller]
pub(super) fn moved(old: &Tensor, new: &Tensor, momentum: f64) -> Result<Tensor> {
    let new = engine::try_stop_gradient(new)?;
    old.try_multiply(momentum)?.try_add(&new.try_multiply(1.0 - momentum)?)
}

impl BatchNormalization {
    /// Factor and offset corrected towards the running statistics, which then move.
    #[track_caller]
    pub(super) fn renormalised(
        &self,
        limits: (f64, f64, f64),
        [mean, variance]: [&Tensor; 2],
        [gamma, beta]: [Option<Tensor>; 2],
        [moving_mean, moving_variance]: [&Variable; 2],
    ) -> Result<[Option<Tensor>; 2]> {
        let dtype = mean.dtype();
        let (rmin, rmax, dmax) = limits;
        let gone = || Error::internal(self.core.name(), "a running statistic is gone");
        let place = |weight: &Weight| -> Result<(Variable, Tensor)> {
            let variable = weight.get().ok_or_else(gone)?.clone();
            let value = cast_to(&variable.value(), dtype)?;
            Ok((variable, value))
        };
        let (of_mean, old_mean) = place(&self.renorm_mean)?;
        let (of_stddev, old_stddev) = place(&self.renorm_stddev)?;
        let (of_moving, old_moving) = place(&self.moving_stddev)?;
        let stddev = variance.try_add(self.epsilon)?.try_sqrt()?;
        let against = old_stddev.try_maximum(self.epsilon.sqrt())?;
        let r = stddev.try_divide(&against)?.try_maximum(rmin)?;
        let r = if rmax.is_finite() { r.try_minimum(rmax)? } else { r };
        let d = mean.try_subtract(&old_mean)?.try_divide(&against)?;
        let d = if dmax.is_finite() { engine::try_clip_by_value(&d, -dmax, dmax)? } else { d };
        let (r, d) = (engine::try_stop_gradient(&r)?, engine::try_stop_gradient(&d)?);
        let (factor, offset) = match &gamma {
            Some(gamma) => (r.try_multiply(gamma)?, d.try_multiply(gamma)?),
            None => (r, d),
        };
        let offset = beta.as_ref().map_or_else(|| Ok(offset.clone()), |beta| offset.try_add(beta))?;
        of_mean.try_assign(&self.stored(&moved(&old_mean, mean, self.renorm_momentum)?)?)?;
        of_stddev.try_assign(&self.stored(&moved(&old_stddev, &stddev, self.renorm_momentum)?)?)?;
        let running = cast_to(&moving_mean.value(), dtype)?;
        moving_mean.try_assign(&self.stored(&moved(&running, mean, self.momentum)?)?)?;
        let new_stddev = moved(&old_moving, &stddev, self.momentum)?;
        of_moving.try_assign(&self.stored(&new_stddev)?)?;
        moving_variance.try_assign(&self.stored(&new_stddev.try_square()?.try_subtract(self.epsilon)?.try_relu()?)?)?;
        Ok([Some(factor), Some(offset)])
    }
}
