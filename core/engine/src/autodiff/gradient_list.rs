//! Gradients as a list that is made of tensors, clipped, and read one by one.
//! Users collect and clip them; optimizers read them.

use crate::ops::functions::TensorList;
use crate::ops::{AsTensor, TensorRef};
use crate::tape::{Cotangent, Gradients};
use crate::tensor::Tensor;
use kernels::error::Result;
use smallvec::SmallVec;

/// The gradient of the variable with this number, if it has one.
pub fn gradient_at(gradients: &Gradients, index: usize) -> Option<&Cotangent> {
    gradients.list.get(index)?.as_ref()
}

/// The same gradients with other numbers: those that are rows stay rows.
///
/// # Errors
/// What `change` answers.
#[track_caller]
pub fn map_gradients(gradients: &Gradients, change: &dyn Fn(&Tensor) -> Result<Tensor>) -> Result<Gradients> {
    let mut changed = gradients.clone();
    for cotangent in changed.list.iter_mut().flatten() {
        match cotangent {
            Cotangent::Dense(tensor) => *tensor = change(tensor)?,
            Cotangent::Rows(rows) => rows.values = change(&rows.values)?,
        }
    }
    Ok(changed)
}

/// Some of the gradients, by their numbers.
pub fn pick_gradients(gradients: &Gradients, indices: &[usize]) -> Gradients {
    let list = indices.iter().map(|&i| gradients.list.get(i).cloned().flatten()).collect();
    let reasons = indices.iter().map(|&i| gradients.reasons.get(i).cloned().flatten()).collect();
    Gradients { list, reasons }
}

/// Gradients that were taken out to be changed, for an optimizer; in the order of the variables.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, SGD};
/// use tf::{GradientTape, Gradients, Variable};
/// let w = [Variable::new([3.0, 4.0])];
/// let tape = GradientTape::new();
/// let loss = tf::reduce_sum(w[0].value().square(), ());
/// let slopes = tape.gradient(&loss, &w[..]).try_to_vec()?;
/// let halved: Gradients = slopes.iter().map(|slope| slope * 0.5).collect();
/// SGD::new(1.0).apply_gradients(&halved, &w);
/// assert_eq!(w[0].value().to_vec::<f32>(), [0.0, 0.0]);
/// # Ok::<(), tf::Error>(())
/// ```
impl FromIterator<Tensor> for Gradients {
    fn from_iter<I: IntoIterator<Item = Tensor>>(tensors: I) -> Self {
        tensors.into_iter().map(Some).collect()
    }
}

/// As from tensors; `None` for a variable that has no gradient.
impl FromIterator<Option<Tensor>> for Gradients {
    fn from_iter<I: IntoIterator<Item = Option<Tensor>>>(tensors: I) -> Self {
        let list = tensors.into_iter().map(|t| t.map(Cotangent::Dense)).collect();
        Gradients { list, reasons: Vec::new() }
    }
}

impl TensorList for Gradients {
    type Clipped = Gradients;
    type Items = Gradients;

    fn items(self) -> Gradients {
        self
    }
    fn refs(items: &Gradients) -> SmallVec<[TensorRef<'_>; 8]> {
        fn of(cotangent: &Cotangent) -> &Tensor {
            match cotangent {
                Cotangent::Dense(tensor) => tensor,
                Cotangent::Rows(rows) => &rows.values,
            }
        }
        items.list.iter().flatten().map(|cotangent| of(cotangent).as_tensor()).collect()
    }
    fn clipped(mut items: Gradients, tensors: Vec<Tensor>) -> Gradients {
        for (cotangent, tensor) in items.list.iter_mut().flatten().zip(tensors) {
            match cotangent {
                Cotangent::Dense(old) => *old = tensor,
                Cotangent::Rows(rows) => rows.values = tensor,
            }
        }
        items
    }
}

impl TensorList for &Gradients {
    type Clipped = Gradients;
    type Items = Gradients;

    fn items(self) -> Gradients {
        self.clone()
    }
    fn refs(items: &Gradients) -> SmallVec<[TensorRef<'_>; 8]> {
        <Gradients as TensorList>::refs(items)
    }
    fn clipped(items: Gradients, tensors: Vec<Tensor>) -> Gradients {
        <Gradients as TensorList>::clipped(items, tensors)
    }
}
