//! The metric `"accuracy"`, of which the first batch tells which accuracy is meant, as Keras's `compile` does.
//! Trainers make it for the names `"accuracy"` and `"acc"`, and of the same kind `"crossentropy"` and `"ce"`.

use crate::metrics::{
    BinaryAccuracy, BinaryCrossentropy, CategoricalAccuracy, CategoricalCrossentropy, Direction, Metric,
    SparseCategoricalAccuracy, SparseCategoricalCrossentropy,
};
use engine::{Fields, Module, Tensor};
use kernels::error::Result;
use std::sync::OnceLock;

/// A metric for binary, one-hot and integer labels, one of which it is from the first batch on.
pub(super) struct ByLabels {
    name: String,
    binary: Box<dyn Metric>,
    one_hot: Box<dyn Metric>,
    sparse: Box<dyn Metric>,
    chosen: OnceLock<Kind>,
}

#[derive(Clone, Copy)]
enum Kind {
    Binary,
    OneHot,
    Sparse,
}

impl ByLabels {
    /// `"accuracy"`, `"acc"`, `"crossentropy"` or `"ce"`.
    pub fn of(name: &str) -> Option<Self> {
        let (binary, one_hot, sparse): (Box<dyn Metric>, Box<dyn Metric>, Box<dyn Metric>) = match name {
            "accuracy" | "acc" => (
                Box::new(BinaryAccuracy::new()),
                Box::new(CategoricalAccuracy::new()),
                Box::new(SparseCategoricalAccuracy::new()),
            ),
            "crossentropy" | "ce" => (
                Box::new(BinaryCrossentropy::new()),
                Box::new(CategoricalCrossentropy::new()),
                Box::new(SparseCategoricalCrossentropy::new()),
            ),
            _ => return None,
        };
        Some(Self { name: name.to_owned(), binary, one_hot, sparse, chosen: OnceLock::new() })
    }

    fn metric(&self, kind: Kind) -> &dyn Metric {
        match kind {
            Kind::Binary => &*self.binary,
            Kind::OneHot => &*self.one_hot,
            Kind::Sparse => &*self.sparse,
        }
    }
}

/// Keras's rule: one prediction per example is binary; labels of the predictions' shape are one-hot; others are class numbers.
fn kind(y_true: &Tensor, y_pred: &Tensor) -> Kind {
    let last = |x: &Tensor| x.rank().checked_sub(1).and_then(|axis| x.shape().dim(axis).known_value());
    let binary = last(y_pred) == Some(1);
    let same =
        y_true.rank() == y_pred.rank() && y_true.shape().iter().zip(y_pred.shape().iter()).all(|(a, b)| a.can_equal(b));
    match (binary, same) {
        (true, _) => Kind::Binary,
        (false, true) => Kind::OneHot,
        (false, false) => Kind::Sparse,
    }
}

impl Metric for ByLabels {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        self.binary.direction()
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        let kind = *self.chosen.get_or_init(|| kind(y_true, y_pred));
        self.metric(kind).try_update_state(y_true, y_pred, sample_weight)
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        // Before any batch all are zero.
        self.metric(self.chosen.get().copied().unwrap_or(Kind::Binary)).try_result()
    }

    #[track_caller]
    fn reset_state(&self) {
        [Kind::Binary, Kind::OneHot, Kind::Sparse].into_iter().for_each(|kind| self.metric(kind).reset_state());
    }
}

impl Module for ByLabels {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("binary", &self.binary);
        fields.field("one_hot", &self.one_hot);
        fields.field("sparse", &self.sparse);
    }
}
