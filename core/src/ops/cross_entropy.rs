//! Cross entropies of softmax(logits): -sum(labels * log p), with labels as distributions or as class numbers.
//! dlogits = (p - labels) * dy, dlabels = -log(p) * dy. TensorFlow's `softmax_cross_entropy_with_logits` and
//! `sparse_softmax_cross_entropy_with_logits`, whose gradients also take labels to add up to 1.

use super::log_softmax;
use super::multiply::Multiply;
use super::normalise::{REAL, axis_last, check, chunk, part, part_mut, work};
use super::softmax::{SoftmaxGradient, sum_last};
use super::subtract::Subtract;
use super::{AsTensor, add_owned, broadcast_to_shape, cast_to, ones_of, reshape, reshape_to, zeros_of};
use crate::backend::cpu::{CpuCall, View, Work, exponentials};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, OrFail, Result};
use crate::execute::{execute, execute1};
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::scalar::{Scalar, Val};
use crate::shape::{Constraints, Shape, broadcast};
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::panic::Location;

/// Inputs: labels and logits of one shape. Outputs: the loss of each row, and the softmax for the gradient.
#[derive(Clone)]
pub(crate) struct CrossEntropy;

/// Inputs: class numbers, and logits with one dimension more. Outputs as [`CrossEntropy`].
#[derive(Clone)]
pub(crate) struct SparseCrossEntropy;

/// `(p - labels) * dy`: one pass, differentiated by its meaning.
#[derive(Clone)]
struct CrossEntropyGradient;

/// The same with class numbers; inputs: softmax, labels, cotangent of the losses.
#[derive(Clone)]
struct SparseCrossEntropyGradient;

/// The two output types of a cross entropy with these logits.
fn outputs(cx: &mut Infer<'_>, op: &str) -> Result<Shape> {
    cx.check_dtype(1, REAL)?;
    let logits = *cx.shape(1);
    let Some(last) = logits.rank().checked_sub(1) else {
        return Err(Error::invalid_argument(op, "logits must have a dimension of classes").got(logits));
    };
    let loss = logits.remove(last);
    cx.output(cx.dtype(1), loss);
    cx.output(cx.dtype(1), logits);
    Ok(loss)
}

impl Op for CrossEntropy {
    identity!("softmax_cross_entropy_with_logits");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        outputs(cx, "softmax_cross_entropy_with_logits").map(drop)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        work(&call.outputs[1])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, index: usize) -> Result<()> {
        let (labels, logits, loss, p) = (&call.inputs[0], &call.inputs[1], &call.outputs[0], &call.outputs[1]);
        let (range, n) = chunk(p, index);
        macro_rules! run {
            ($t:ty) => {{
                let loss = if n == 0 { part_mut::<$t>(loss, &(0..loss.len()), 1) } else { part_mut(loss, &range, 1) };
                if n == 0 {
                    loss.fill(0.0);
                }
                let (labels, logits) = (part(labels, &range, n), part(logits, &range, n));
                exponentials::cross_entropy::<$t>(call.isa, n, labels, logits, loss, part_mut(p, &range, n));
            }};
        }
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            match p.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let logits = if needs[0] { Saves::inputs(&[1]) } else { Saves::NOTHING };
        let p = if needs[1] { Saves::inputs(&[0]).and(Saves::outputs(&[1])) } else { Saves::NOTHING };
        logits.and(p)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = reshape::expand_last(&g.dy(0)?)?;
        if g.needs(0) {
            let log = log_softmax::along(g.input(1)?, -1)?;
            let product = execute1(&Multiply, &[&log, &dy])?;
            let dx = execute1(&Subtract, &[&zeros_of(g.input_type(0))?, &product])?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dx = execute1(&CrossEntropyGradient, &[g.output(1)?, g.input(0)?, &dy])?;
            let dx = with_softmax(g, dx)?;
            g.give(1, dx);
        }
        Ok(())
    }
}

/// Adds what comes through the second output, which gradients of higher order read.
fn with_softmax(g: &Backward<'_>, dx: Tensor) -> Result<Tensor> {
    match g.dy_or_none(1) {
        None => Ok(dx),
        Some(dp) => add_owned(dx, &execute1(&SoftmaxGradient, &[g.output(1)?, dp])?),
    }
}

impl Op for CrossEntropyGradient {
    identity!("softmax_cross_entropy_gradient");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: REAL, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.mul(s.sub(x[0], x[1]), x[2])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// Dtypes of class numbers.
const LABELS: DTypes = DTypes::of(&[DType::I32, DType::I64]);

impl Op for SparseCrossEntropy {
    identity!("sparse_softmax_cross_entropy_with_logits");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, LABELS)?;
        let labels = *cx.shape(0);
        let loss = outputs(cx, self.name())?;
        if labels.rank() != loss.rank() || labels.iter().zip(loss.iter()).any(|(a, b)| !a.can_equal(b)) {
            return Err(Error::invalid_argument(self.name(), "labels and logits do not fit each other")
                .got(format!("labels {labels}, logits {}", cx.shape(1)))
                .expected("labels with the shape of the logits but for the last dimension")
                .help("for labels that are distributions use `softmax_cross_entropy_with_logits`"));
        }
        labels.iter().zip(loss.iter()).filter(|(a, b)| a != b).for_each(|(a, b)| cx.constraints.push(a, b));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        work(&call.outputs[1])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, index: usize) -> Result<()> {
        let (labels, logits, loss, p) = (&call.inputs[0], &call.inputs[1], &call.outputs[0], &call.outputs[1]);
        let (range, n) = chunk(p, index);
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            let range = if n == 0 { 0..loss.len() } else { range };
            let labels = class_numbers(labels, &range, n)?;
            match p.dtype {
                DType::F64 => {
                    let (logits, loss) = (part(logits, &range, n), part_mut(loss, &range, 1));
                    exponentials::sparse_cross_entropy::<f64>(call.isa, n, &labels, logits, loss, part_mut(p, &range, n));
                }
                _ => {
                    let (logits, loss) = (part(logits, &range, n), part_mut(loss, &range, 1));
                    exponentials::sparse_cross_entropy::<f32>(call.isa, n, &labels, logits, loss, part_mut(p, &range, n));
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0]).and(Saves::outputs(&[1]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&SparseCrossEntropyGradient, &[g.output(1)?, g.input(0)?, &g.dy(0)?])?;
        let dx = with_softmax(g, dx)?;
        g.give(1, dx);
        Ok(())
    }
}

/// The labels of a range of rows, each below the number of classes.
///
/// # Safety
/// The view is valid, dense, and has the range.
unsafe fn class_numbers(labels: &View, range: &std::ops::Range<usize>, classes: usize) -> Result<Vec<usize>> {
    let read = |i: usize| {
        // SAFETY: by the caller's promise.
        unsafe {
            match labels.dtype {
                DType::I32 => i64::from(*labels.as_ptr::<i32>().add(i)),
                _ => *labels.as_ptr::<i64>().add(i),
            }
        }
    };
    range
        .clone()
        .map(|i| match usize::try_from(read(i)) {
            Ok(label) if label < classes => Ok(label),
            _ => Err(Error::invalid_argument(
                "sparse_softmax_cross_entropy_with_logits",
                format!("label number {i} is no class"),
            )
            .got(read(i))
            .expected(format!("0..{classes}"))),
        })
        .collect()
}

impl Op for SparseCrossEntropyGradient {
    identity!("sparse_softmax_cross_entropy_gradient");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, REAL)?;
        cx.check_dtype(1, LABELS)?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        work(&call.outputs[0])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, index: usize) -> Result<()> {
        let (p, labels, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.inputs[2], &call.outputs[0]);
        let (range, n) = chunk(dx, index);
        macro_rules! run {
            ($t:ty) => {{
                let (p, dy, dx) = (part::<$t>(p, &range, n), part::<$t>(dy, &range, 1), part_mut(dx, &range, n));
                let rows = p.chunks_exact(n).zip(dx.chunks_exact_mut(n)).zip(dy);
                for (((p, dx), &dy), label) in rows.zip(class_numbers(labels, &range, n)?) {
                    dx.iter_mut().zip(p).for_each(|(dx, &p)| *dx = p * dy);
                    dx[label] = (p[label] - 1.0) * dy;
                }
            }};
        }
        if dx.len() == 0 {
            return Ok(());
        }
        // SAFETY: dense tensors of the inferred shapes; chunks have rows of their own.
        unsafe {
            match dx.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let p = if needs[2] { Saves::inputs(&[0, 1]) } else { Saves::NOTHING };
        let dy = if needs[0] { Saves::inputs(&[2]) } else { Saves::NOTHING };
        p.and(dy)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let u = g.dy(0)?;
        if g.needs(0) {
            let dp = execute1(&Multiply, &[&u, &reshape::expand_last(g.input(2)?)?])?;
            g.give(0, dp);
        }
        if g.needs(2) {
            let ones = ones_of(g.input_type(2))?;
            let slope = execute1(&SparseCrossEntropyGradient, &[g.input(0)?, g.input(1)?, &ones])?;
            let sum = sum_last(&execute1(&Multiply, &[&u, &slope])?)?;
            g.give(2, reshape_to(&sum, &g.input_type(2).shape)?);
        }
        Ok(())
    }
}

/// The losses of an operation with two outputs.
#[track_caller]
fn losses(op: &dyn Op, labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
    let mut outputs = execute(op, &[labels, logits])?;
    match outputs.len() {
        2 => Ok(outputs.swap_remove(0)),
        _ => Err(Error::internal(op.name(), "two results were expected")),
    }
}

#[track_caller]
fn dense(labels: &Tensor, logits: &Tensor, axis: isize) -> Result<Tensor> {
    const NAME: &str = "softmax_cross_entropy_with_logits";
    check(NAME, logits)?;
    if labels.dtype() != logits.dtype() {
        return Err(Error::invalid_argument(NAME, "labels and logits have different dtypes")
            .got(format!("{} and {}", labels.dtype(), logits.dtype()))
            .help("`cast` one of them; for class numbers use `sparse_softmax_cross_entropy_with_logits`"));
    }
    if logits.dtype().compute() != logits.dtype() {
        let wide = dense(&cast_to(labels, DType::F32)?, &cast_to(logits, DType::F32)?, axis)?;
        return cast_to(&wide, logits.dtype());
    }
    let shape = broadcast(labels.shape(), logits.shape(), &mut Constraints::default()).map_err(|e| e.in_op(NAME))?;
    let labels = if *labels.shape() == shape { labels.clone() } else { broadcast_to_shape(labels, &shape)? };
    let logits = if *logits.shape() == shape { logits.clone() } else { broadcast_to_shape(logits, &shape)? };
    let (labels, _) = axis_last(NAME, &labels, axis)?;
    let (logits, _) = axis_last(NAME, &logits, axis)?;
    losses(&CrossEntropy, &labels, &logits)
}

/// The cross entropy between distributions `labels` and the softmax of `logits`, along the last axis.
///
/// The softmax is never taken apart, so large logits neither overflow nor lose digits. The gradient by the logits is
/// TensorFlow's `softmax - labels`, which takes each row of labels to add up to 1.
///
/// ```
/// use eagerflow as tf;
/// let (labels, logits) = (tf::constant([[0.0, 1.0]]), tf::constant([[1000.0, 1000.0]]));
/// let loss = tf::softmax_cross_entropy_with_logits(&labels, &logits);
/// assert_eq!(loss.to_vec::<f32>(), [2f32.ln()]);
/// ```
///
/// # Panics
/// As [`try_softmax_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn softmax_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Tensor {
    try_softmax_cross_entropy_with_logits(labels, logits, -1).or_fail()
}

/// The cross entropy between distributions `labels` and the softmax of `logits` along an axis.
///
/// # Errors
/// InvalidArgument for dtypes that are not floating-point or differ, shapes that do not broadcast, or a wrong axis.
#[track_caller]
pub fn try_softmax_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
    axis: isize,
) -> Result<Tensor> {
    let here = Location::caller();
    dense(&labels.as_tensor(), &logits.as_tensor(), axis).map_err(|e| e.at(here))
}

/// The cross entropy between class numbers `labels` and the softmax of `logits` along the last axis.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::sparse_softmax_cross_entropy_with_logits(&tf::constant([1]), &tf::constant([[0.0, 0.0]]));
/// assert_eq!(loss.to_vec::<f32>(), [2f32.ln()]);
/// ```
///
/// # Panics
/// As [`try_sparse_softmax_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn sparse_softmax_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Tensor {
    try_sparse_softmax_cross_entropy_with_logits(labels, logits).or_fail()
}

/// The cross entropy between class numbers `labels` and the softmax of `logits` along the last axis.
///
/// # Errors
/// InvalidArgument for a label that is no class (as TensorFlow's CPU refuses it), labels that are not `int32` or
/// `int64`, logits that are not floating-point, or shapes that do not fit.
#[track_caller]
pub fn try_sparse_softmax_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
) -> Result<Tensor> {
    #[track_caller]
    fn run(labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
        check("sparse_softmax_cross_entropy_with_logits", logits)?;
        if logits.dtype().compute() != logits.dtype() {
            return cast_to(&run(labels, &cast_to(logits, DType::F32)?)?, logits.dtype());
        }
        losses(&SparseCrossEntropy, labels, logits)
    }
    let here = Location::caller();
    run(&labels.as_tensor(), &logits.as_tensor()).map_err(|e| e.at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::{DType, GradientTape};

    #[test]
    fn gradients_of_both_orders() {
        for (rows, classes) in [(3, 4), (1, 7), (0, 3)] {
            let labels = tf::softmax(numbers(9, &[rows, classes]), -1);
            let loss = |x: &[tf::Tensor]| tf::softmax_cross_entropy_with_logits(&labels, &x[0]);
            check(&loss, &[numbers(8, &[rows, classes])]);
            let logits = numbers(8, &[rows, classes]);
            check(&|x| tf::softmax_cross_entropy_with_logits(&x[0], &logits), &[numbers(9, &[rows, classes])]);
            let labels = tf::Tensor::from((0..rows as i32).map(|i| i % classes as i32).collect::<Vec<_>>());
            let loss = |x: &[tf::Tensor]| {
                let loss = tf::sparse_softmax_cross_entropy_with_logits(&labels, &x[0]);
                &loss * &loss
            };
            check(&loss, &[numbers(8, &[rows, classes])]);
        }
    }

    #[test]
    fn class_numbers_are_one_hot_distributions() {
        let logits = numbers(5, &[2, 2, 3]) * 4.0;
        let classes = tf::constant([[2, 0], [1, 1]]);
        let one_hot = tf::constant([[[0, 0, 1], [1, 0, 0]], [[0, 1, 0], [0, 1, 0]]]).cast(DType::F64);
        let sparse = tf::sparse_softmax_cross_entropy_with_logits(&classes, &logits).to_vec::<f64>();
        let dense = tf::softmax_cross_entropy_with_logits(&one_hot, &logits).to_vec::<f64>();
        assert!(sparse.iter().zip(&dense).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn extreme_logits_stay_finite() {
        let logits = tf::constant([[1000.0, -1000.0]]);
        let mut tape = GradientTape::new();
        tape.watch(&logits);
        let loss = tf::sparse_softmax_cross_entropy_with_logits(tf::constant([1]), &logits);
        assert_eq!(loss.to_vec::<f32>(), [2000.0]);
        assert_eq!(tape.gradient(&loss, &logits).to_vec::<f32>(), [1.0, -1.0]);
    }

    #[test]
    fn bad_labels_are_refused() {
        let logits = tf::ones([2, 3]);
        let fails = |labels: tf::Tensor| tf::try_sparse_softmax_cross_entropy_with_logits(labels, &logits).is_err();
        assert!(fails(tf::constant([0, 3])));
        assert!(fails(tf::constant([0, -1])));
        assert!(fails(tf::constant([0, 1, 2])));
        assert!(fails(tf::constant([0.0, 1.0])));
        assert!(!fails(tf::constant([0, 2])));
        assert!(tf::try_softmax_cross_entropy_with_logits(tf::constant([[1, 0, 0]]), &logits, -1).is_err());
        assert!(tf::try_softmax_cross_entropy_with_logits(tf::ones([2, 2]), &logits, -1).is_err());
        assert!(tf::try_sparse_softmax_cross_entropy_with_logits(tf::constant([0, 0]), tf::ones([2, 0])).is_err());
    }
}
