//! How often each class was predicted for each label, and what predictions and labels of a class share by what either covers.
//! The metrics of regions in `iou.rs` are this with their options.

use super::confusion::{add, zeros};
use crate::losses::checks::EPSILON;
use engine::library::options;
use engine::library::{cast_to, reshape_to};
use engine::{Duplicate, Fields, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;

/// What all metrics of regions hold.
#[derive(Clone, Debug, Duplicate)]
pub(super) struct State {
    #[module(skip)]
    pub num_classes: usize,
    #[module(skip)]
    pub target_class_ids: Vec<usize>,
    #[module(skip)]
    pub ignore_class: Option<i64>,
    #[module(skip)]
    pub sparse: [bool; 2],
    #[module(skip)]
    pub axis: isize,
    /// Rows are labels, columns predictions.
    pub total_cm: Variable,
}

impl State {
    #[track_caller]
    pub fn new(owner: &str, num_classes: usize, targets: Vec<usize>, sparse: [bool; 2]) -> Result<Self> {
        let num_classes = options::count(owner, "num_classes", num_classes)?;
        if targets.is_empty() || targets.iter().any(|&id| id >= num_classes) {
            return Err(Error::invalid_argument(owner, "`target_class_ids` is out of range")
                .got(format!("{targets:?}"))
                .expected(format!("at least one class from 0 up to, and not, {num_classes}")));
        }
        let total_cm = zeros(owner, "total_confusion_matrix", &[num_classes, num_classes]);
        Ok(Self { num_classes, target_class_ids: targets, ignore_class: None, sparse, axis: -1, total_cm })
    }

    #[track_caller]
    pub fn update(&self, metric: &str, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<()> {
        let labels = self.classes(y_true, self.sparse[0])?;
        let predictions = self.classes(y_pred, self.sparse[1])?;
        if !labels.shape().dim(0).can_equal(predictions.shape().dim(0)) {
            return Err(Error::invalid_argument(metric, "labels and predictions have different numbers of elements")
                .got(format!("labels {}, predictions {}", y_true.shape(), y_pred.shape()))
                .expected("one predicted class per label")
                .help("scores of classes `[…, classes]` are told by `sparse_y_pred(false)`, those of labels by `sparse_y_true(false)`"));
        }
        let count = self.num_classes as i64;
        let below = engine::try_logical_and(labels.try_less(count)?, predictions.try_less(count)?)?;
        let above = engine::try_logical_and(labels.try_greater_equal(0)?, predictions.try_greater_equal(0)?)?;
        let mut valid = engine::try_logical_and(&below, &above)?;
        if let Some(ignored) = self.ignore_class {
            valid = engine::try_logical_and(&valid, labels.try_not_equal(ignored)?)?;
        }
        // What is left out goes to no place.
        let places = valid.try_select(&labels.try_multiply(count)?.try_add(&predictions)?, -1)?;
        let weights = match weight {
            Some(weight) => weights(metric, weight, &labels)?,
            None => engine::library::ones_of(&engine::TensorType::new(DType::F64, *labels.shape()))?,
        };
        let counted = engine::try_unsorted_segment_sum(&weights, &places, self.num_classes * self.num_classes)?;
        add(&self.total_cm, &reshape_to(&counted, &Shape::new(&[self.num_classes, self.num_classes])?)?)
    }

    /// Class numbers as a vector: as they are, or where scores are greatest.
    #[track_caller]
    fn classes(&self, x: &Tensor, sparse: bool) -> Result<Tensor> {
        let classes = match sparse {
            true => cast_to(x, DType::I64)?,
            false => engine::try_argmax(x, self.axis)?,
        };
        reshape_to(&classes, &Shape::from_dims(&[classes.shape().element_count()])?)
    }

    #[track_caller]
    pub fn result(&self) -> Result<Tensor> {
        let matrix = self.total_cm.value();
        let right = engine::try_diag_part(&matrix)?;
        let either = matrix.try_reduce_sum(0)?.try_add(&matrix.try_reduce_sum(1)?)?.try_subtract(&right)?;
        let targets: Vec<i64> = self.target_class_ids.iter().map(|&id| id as i64).collect();
        let targets = Tensor::from(targets);
        let (right, either) = (engine::try_gather(&right, &targets, 0)?, engine::try_gather(&either, &targets, 0)?);
        // A class that is neither a label nor predicted is left out of the mean.
        let there = either.try_greater(1e-9)?;
        let shares = there.try_select(&right.try_divide(&either.try_add(EPSILON)?)?, 0.0)?;
        let count = cast_to(&there, DType::F64)?.try_reduce_sum(())?;
        cast_to(&shares.try_reduce_sum(())?.try_divide(&count.try_add(EPSILON)?)?, DType::F32)
    }
}

/// One weight per label, as a vector.
#[track_caller]
fn weights(metric: &str, weight: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let wide = cast_to(weight, DType::F64)?;
    let flat = match wide.rank() {
        0 | 1 => wide,
        _ => reshape_to(&wide, &Shape::from_dims(&[wide.shape().element_count()])?)?,
    };
    match engine::try_broadcast_to(&flat, labels.shape()) {
        Ok(weights) => Ok(weights),
        Err(_) => Err(Error::invalid_argument(metric, "the weights do not fit the labels")
            .got(format!("weights {} for {} labels", weight.shape(), labels.shape()))
            .expected("one weight per label, or a scalar")),
    }
}

impl Module for State {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("total_confusion_matrix", &self.total_cm);
        fields.value(&(self.num_classes, &self.target_class_ids, self.ignore_class, self.sparse, self.axis));
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
