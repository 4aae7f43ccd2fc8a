//! Thresholds above which a prediction is taken for a yes, and where among them predictions lie.
//! Counts, `Precision`, `Recall`, `AUC` and their kind hold them; `batch.rs` counts by them.

use engine::library::{cast_to, reshape_to};
use engine::{Fields, Module, Side, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

/// Below all predictions: what those that are not among the greatest of their row become.
pub(super) const NEVER: f64 = -1e10;

/// What can stand for thresholds: a number, or several.
pub trait IntoThresholds {
    /// The thresholds as a list.
    fn into_thresholds(self) -> Vec<f64>;
}

impl IntoThresholds for f64 {
    fn into_thresholds(self) -> Vec<f64> {
        vec![self]
    }
}

impl<const N: usize> IntoThresholds for [f64; N] {
    fn into_thresholds(self) -> Vec<f64> {
        self.to_vec()
    }
}

impl IntoThresholds for &[f64] {
    fn into_thresholds(self) -> Vec<f64> {
        self.to_vec()
    }
}

impl IntoThresholds for Vec<f64> {
    fn into_thresholds(self) -> Vec<f64> {
        self
    }
}

/// Thresholds in the order in which they were given.
#[derive(Clone, Debug)]
pub(super) struct Thresholds {
    list: Vec<f64>,
    /// Whether they divide 0 to 1 evenly: then the place of a prediction among them is computed, and not looked for.
    even: bool,
}

impl Module for Thresholds {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("list", &self.list);
        fields.field("even", &self.even);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl Thresholds {
    /// What a user gave: at least one number, from 0 to 1.
    pub fn checked(owner: &str, list: Vec<f64>) -> Result<Self> {
        if list.is_empty() || !list.iter().all(|t| (0.0..=1.0).contains(t)) {
            return Err(Error::invalid_argument(owner, "`thresholds` is out of range")
                .got(format!("{list:?}"))
                .expected("at least one number, each from 0 to 1"));
        }
        Ok(Self { even: is_even(&list), list })
    }

    /// One half: what is above is taken for a yes.
    pub fn half() -> Self {
        Self { list: vec![0.5], even: false }
    }

    /// Below whatever is among the greatest of a row.
    pub fn never() -> Self {
        Self { list: vec![NEVER], even: false }
    }

    /// So many, evenly from 0 to 1; one half for one.
    pub fn evenly(count: usize) -> Self {
        match count {
            1 => Self::half(),
            count => Self { list: (0..count).map(|i| i as f64 / (count - 1) as f64).collect(), even: true },
        }
    }

    /// These, sorted, between one just below 0 and one just above 1, so that the first is below and the last above all predictions.
    pub fn with_ends(mut inner: Vec<f64>, even: Option<bool>) -> Self {
        inner.sort_by(f64::total_cmp);
        let ends: Vec<f64> = [0.0].into_iter().chain(inner.iter().copied()).chain([1.0]).collect();
        let even = even.unwrap_or_else(|| is_even(&ends));
        let epsilon = crate::losses::checks::EPSILON;
        Self { list: [-epsilon].into_iter().chain(inner).chain([1.0 + epsilon]).collect(), even }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn list(&self) -> &[f64] {
        &self.list
    }

    /// Which threshold is the last below each prediction, among them in order; -1 for none.
    #[track_caller]
    pub fn places(&self, predictions: &Tensor, order: &[usize]) -> Result<Tensor> {
        if !self.even {
            let sorted: Vec<f32> = order.iter().map(|&i| self.list[i] as f32).collect();
            let shape = *predictions.shape();
            let flat = reshape_to(predictions, &Shape::from_dims(&[shape.element_count()])?)?;
            let below = engine::try_searchsorted(Tensor::from(sorted), &flat, Side::Left)?;
            return reshape_to(&below.try_subtract(1)?, &shape);
        }
        let steps = (self.len() - 1) as f64;
        let place = predictions.try_clip_by_value(0.0, 1.0)?.try_multiply(steps)?.try_ceil()?.try_subtract(1.0)?;
        // A first threshold below 0 is below 0 itself, too.
        let place = if self.list[0] < 0.0 { place.try_maximum(0.0)? } else { place };
        cast_to(&place, DType::I32)
    }
}

/// Whether a list is 0 to 1 in equal steps, by the tolerance of NumPy's `allclose`.
fn is_even(list: &[f64]) -> bool {
    let last = (list.len().max(2) - 1) as f64;
    let near = |(i, &t): (usize, &f64)| (t - i as f64 / last).abs() <= 1e-7 + 1e-5 * (i as f64 / last);
    list.len() >= 3 && list.iter().enumerate().all(near)
}
