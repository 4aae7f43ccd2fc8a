//! `einsum`: products of operands whose axes are named by letters, summed over the names that the result leaves out.
//! TensorFlow's `tf.einsum` and `tf.linalg.einsum`; made of views, `matmul` and `multiply`, so it has gradients of every order.

mod equation;
mod order;

use super::diagonal::diagonal;
use super::multiply::Multiply;
use super::transpose::permuted;
use super::{AsTensors, Tensors, functions, no_tensors, reshape_to, sum_axes};
use crate::execute::execute1;
use crate::tensor::Tensor;
use equation::{Equation, Label};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape};
use order::{Labels, order};
use smallvec::SmallVec;
use std::panic::Location;

/// What a symbol counts as when orders are compared: a middling size.
const UNKNOWN: f64 = 64.0;

/// An operand, or what several of them came to, with the label of each axis; none stands twice.
struct Part {
    tensor: Tensor,
    labels: Vec<Label>,
}

impl Part {
    /// The tensor with the diagonal taken of labels that stand twice.
    #[track_caller]
    fn new(tensor: &Tensor, all: &[Label]) -> Result<Self> {
        let mut labels: Vec<Label> = Vec::new();
        let mut axes: SmallVec<[usize; MAX_RANK]> = SmallVec::new();
        for &label in all {
            axes.push(labels.iter().position(|&known| known == label).unwrap_or(labels.len()));
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Ok(Self { tensor: diagonal(tensor, &axes)?, labels })
    }

    fn axis(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&own| own == label)
    }

    fn has(&self, label: Label) -> bool {
        self.labels.contains(&label)
    }

    /// Summed over the labels that nobody wants.
    #[track_caller]
    fn summed(self, wanted: &dyn Fn(Label) -> bool) -> Result<Self> {
        let (kept, left): (Vec<_>, Vec<_>) = (0..self.labels.len()).partition(|&axis| wanted(self.labels[axis]));
        if left.is_empty() {
            return Ok(self);
        }
        let tensor = sum_axes(&self.tensor, AxisSet::of(&left), false)?;
        Ok(Self { tensor, labels: kept.into_iter().map(|axis| self.labels[axis]).collect() })
    }

    /// The tensor with its axes in the order of the labels, and one of size 1 for each label that it has not.
    #[track_caller]
    fn laid_out(&self, labels: &[Label]) -> Result<Tensor> {
        let own: SmallVec<[usize; MAX_RANK]> = labels.iter().filter_map(|&label| self.axis(label)).collect();
        let turned = permuted(&self.tensor, &own)?;
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = SmallVec::new();
        for &label in labels {
            sizes.push(self.axis(label).map_or(Dim::ONE, |axis| self.tensor.shape().dim(axis)));
        }
        reshape_to(&turned, &Shape::from_dims(&sizes)?)
    }

    fn sizes<'a>(&'a self, labels: &'a [Label]) -> impl Iterator<Item = Dim> + 'a {
        labels.iter().filter_map(|&label| self.axis(label)).map(|axis| self.tensor.shape().dim(axis))
    }

    fn count(&self, labels: &[Label]) -> Dim {
        self.sizes(labels).fold(Dim::ONE, |count, size| count * size)
    }
}

/// Two parts as one: multiplied, and summed over the labels that nobody wants any more.
#[track_caller]
fn joined(a: Part, b: Part, wanted: &dyn Fn(Label) -> bool) -> Result<Part> {
    let a = { let other = |label| wanted(label) || b.has(label); a.summed(&other)? };
    let b = { let other = |label| wanted(label) || a.has(label); b.summed(&other)? };
    let (batch, summed): (Vec<Label>, Vec<Label>) =
        a.labels.iter().copied().filter(|&label| b.has(label)).partition(|&label| wanted(label));
    let free = |part: &Part, other: &Part| -> Vec<Label> {
        part.labels.iter().copied().filter(|&label| !other.has(label)).collect()
    };
    let (rows, columns) = (free(&a, &b), free(&b, &a));
    let labels = [&batch[..], &rows, &columns].concat();
    if summed.is_empty() {
        let tensor = execute1(&Multiply, &[&a.laid_out(&labels)?, &b.laid_out(&labels)?])?;
        return Ok(Part { tensor, labels });
    }
    // Matrices [batch.., rows, summed] and [batch.., summed, columns], where several labels may make one axis.
    let (left, right) = ([&batch[..], &rows, &summed].concat(), [&batch[..], &summed, &columns].concat());
    let (x, y) = (a.laid_out(&left)?, b.laid_out(&right)?);
    let matrices = |part: &Part, x: &Tensor, first: Dim, second: Dim| {
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = part.sizes(&batch).collect();
        sizes.extend([first, second]);
        reshape_to(x, &Shape::from_dims(&sizes)?)
    };
    let x = matrices(&a, &x, a.count(&rows), a.count(&summed))?;
    let y = matrices(&b, &y, b.count(&summed), b.count(&columns))?;
    let product = functions::try_matmul(&x, &y)?;
    let mut sizes: SmallVec<[Dim; MAX_RANK]> = product.shape().iter().take(batch.len()).collect();
    sizes.extend(a.sizes(&rows).chain(b.sizes(&columns)));
    Ok(Part { tensor: reshape_to(&product, &Shape::from_dims(&sizes)?)?, labels })
}

/// One size for each letter: those that differ are an error, and sizes without a number are checked when they have one.
#[track_caller]
fn agreed(text: &str, tensors: &[&Tensor], equation: &Equation) -> Result<Vec<Tensor>> {
    let mut known: Vec<(Label, Dim)> = Vec::new();
    let mut agreed = Vec::with_capacity(tensors.len());
    for (i, (&tensor, labels)) in tensors.iter().zip(&equation.operands).enumerate() {
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = tensor.shape().iter().collect();
        for (axis, &label) in labels.iter().enumerate() {
            let Label::Letter(letter) = label else { continue };
            match known.iter().find(|(other, _)| *other == label) {
                None => known.push((label, sizes[axis])),
                Some(&(_, size)) if size.can_equal(sizes[axis]) => sizes[axis] = size,
                Some(&(_, size)) => {
                    return Err(Error::invalid_argument("einsum", format!("`{letter}` names axes of different sizes"))
                        .got(format!("{size}, and {} in operand {i} of \"{text}\": {}", sizes[axis], tensor.ty()))
                        .expected("one size for each letter"));
                }
            }
        }
        agreed.push(functions::try_ensure_shape(tensor, &sizes[..])?);
    }
    Ok(agreed)
}

#[track_caller]
fn contracted(text: &str, tensors: &[&Tensor]) -> Result<Tensor> {
    let Some(first) = tensors.first() else {
        return Err(no_tensors("einsum"));
    };
    let accepts = DTypes::FLOATING.and(DTypes::COMPLEX).and(DTypes::of(&[DType::I32, DType::I64]));
    if let Some(other) = tensors.iter().find(|t| t.dtype() != first.dtype() || !accepts.has(t.dtype())) {
        return Err(Error::invalid_argument("einsum", "operands of dtypes that do not go together")
            .got(format!("{} and {}", first.dtype(), other.dtype()))
            .expected(format!("one dtype of {accepts}"))
            .help("convert with `cast`"));
    }
    let ranks: Vec<usize> = tensors.iter().map(|t| t.rank()).collect();
    let equation = Equation::parse(text, &ranks)?;
    let tensors = agreed(text, tensors, &equation)?;
    let mut parts = Vec::with_capacity(tensors.len());
    for (tensor, labels) in tensors.iter().zip(&equation.operands) {
        parts.push(Part::new(tensor, labels)?);
    }
    for (first, second) in planned(&parts, &equation.result) {
        let b = parts.remove(second);
        let a = parts.remove(first);
        let wanted = |label| equation.result.contains(&label) || parts.iter().any(|part| part.has(label));
        let part = joined(a, b, &wanted)?;
        parts.insert(first, part);
    }
    match parts.pop() {
        Some(last) => last.summed(&|label| equation.result.contains(&label))?.laid_out(&equation.result),
        None => Err(no_tensors("einsum")),
    }
}

/// The order in which the parts are joined.
fn planned(parts: &[Part], result: &[Label]) -> Vec<(usize, usize)> {
    let labels = Labels::of(parts.iter().flat_map(|part| part.labels.iter().copied()));
    let size = |label: Label| {
        let sizes = parts.iter().filter_map(|part| Some(part.tensor.shape().dim(part.axis(label)?)));
        sizes.map(|size| size.known_value().map_or(UNKNOWN, |size| size as f64)).fold(1.0, f64::max)
    };
    let sizes: Vec<f64> = (0..labels.len()).map(|i| size(labels.at(i))).collect();
    let operands: Vec<u128> = parts.iter().map(|part| labels.bits(&part.labels)).collect();
    order(&operands, labels.bits(result), &sizes)
}

/// The sum of products that an equation names: Einstein's notation.
///
/// Each operand has a letter per axis, and `...` for all axes without one, which broadcast; the result's letters stand behind `->`. A
/// letter that the result leaves out is summed over; one that stands twice in an operand takes its diagonal. Without `->` the result has
/// the letters that stand once, in their order. Several operands are brought together in the order with the fewest multiplications.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant([[1.0, 2.0], [3.0, 4.0]]), tf::constant([1.0, 10.0]));
/// assert_eq!(tf::einsum("ij,j->i", &[&a, &b]).to_vec::<f32>(), [21.0, 43.0]);
/// assert_eq!(tf::einsum("ii", &[&a]).item::<f32>(), 5.0);
/// let (q, k) = (tf::ones([2, 5, 4, 8]), tf::ones([2, 7, 4, 8]));
/// assert_eq!(tf::einsum("bqhd,bkhd->bhqk", &[&q, &k]).shape(), [2, 4, 5, 7]);
/// ```
///
/// # Panics
/// As [`try_einsum`] fails.
#[track_caller]
pub fn einsum<L: AsTensors + ?Sized>(equation: &str, tensors: &L) -> Tensor {
    try_einsum(equation, tensors).or_fail()
}

/// The sum of products that an equation names.
///
/// # Errors
/// InvalidArgument for an equation that cannot be read or does not fit the ranks, sizes of one letter that differ, and dtypes other than
/// floats, `int32` and `int64`.
#[track_caller]
pub fn try_einsum<L: AsTensors + ?Sized>(equation: &str, tensors: &L) -> Result<Tensor> {
    let here = Location::caller();
    let result = match tensors.as_tensors() {
        Ok(Tensors::Each(held)) => contracted(equation, &held.iter().map(|t| &**t).collect::<Vec<_>>()),
        Ok(Tensors::List(..)) => Err(Error::invalid_argument("einsum", "a list of the graph as operands")
            .help("give the operands one by one: `&[&a, &b]`")),
        Err(error) => Err(error),
    };
    result.map_err(|e| e.named("einsum").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        for (equation, shapes) in [
            ("ij,jk->ik", &[&[2, 3][..], &[3, 2]][..]),
            ("ii->i", &[&[3, 3]]),
            ("iij->j", &[&[2, 2, 3]]),
            ("...ij,...jk->...ik", &[&[2, 2, 3], &[1, 3, 2]]),
            ("abc,acd->bd", &[&[2, 2, 2], &[2, 2, 3]]),
            ("a,b->ab", &[&[2], &[3]]),
            ("ij,jk,kl->il", &[&[2, 3], &[3, 2], &[2, 2]]),
            ("ab,ab,ab->", &[&[2, 3], &[2, 3], &[2, 3]]),
        ] {
            let inputs: Vec<_> = shapes.iter().enumerate().map(|(i, shape)| numbers(i as u64 + 1, shape)).collect();
            check(&|x| tf::einsum(equation, x), &inputs);
        }
    }

    #[test]
    fn many_operands() {
        let chain: Vec<tf::Tensor> = (0..12).map(|i| numbers(i, &[2, 2])).collect();
        let letters: Vec<char> = ('a'..='m').collect();
        let equation: Vec<String> = (0..12).map(|i| format!("{}{}", letters[i], letters[i + 1])).collect();
        let got = tf::einsum(&format!("{}->am", equation.join(",")), &chain);
        let want = chain[1..].iter().fold(chain[0].clone(), |a, b| tf::matmul(a, b));
        let apart = tf::reduce_max((got - want).abs(), ()).item::<f64>();
        assert!(apart < 1e-12, "{apart}");
    }

    #[test]
    fn mistakes_name_the_equation() {
        let (a, b) = (tf::ones([2, 3]), tf::ones([2, 3]));
        for (equation, part) in [("ij,jk->ik", "`j` names axes of different sizes"), ("ij->ij", "number of operands")] {
            let error = tf::try_einsum(equation, &[&a, &b]).unwrap_err().to_string();
            assert!(error.contains("einsum: ") && error.contains(part) && error.contains(equation), "{error}");
        }
        assert!(tf::try_einsum("ij,ij->", &[&a, &tf::ones([2, 3]).cast(tf::DType::F64)]).is_err());
        assert!(tf::try_einsum("", &[] as &[tf::Tensor]).is_err());
    }
}
