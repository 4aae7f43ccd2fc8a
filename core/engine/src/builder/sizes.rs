//! Integers that are known as sizes while a graph is recorded: what `tf::shape` gives, and what is reckoned with it.
//! `size_from` asks here before it makes a new symbol, and rules ask through `Facts::size`.

use super::State;
use crate::execute::view_of;
use crate::ir::Value;
use crate::op::{Op, Sizes};
use crate::tensor::TensorType;
use kernels::shape::{IntoDim, MAX_RANK};
use smallvec::SmallVec;

/// Whether a tensor may be sizes: one integer, or no more of them than a shape has.
fn may_be_sizes(ty: &TensorType) -> bool {
    let count = ty.shape.element_count().known_value();
    ty.dtype.is_integer() && ty.shape.rank() <= 1 && count.is_some_and(|count| count <= MAX_RANK)
}

impl State {
    /// Notes which outputs of a new node are sizes.
    pub(super) fn note_sizes(&mut self, op: &dyn Op, inputs: &[Value], outputs: &[Value]) {
        if !outputs.iter().all(|&v| may_be_sizes(self.graph.ty(v))) {
            return;
        }
        let known: Option<SmallVec<[Sizes; 3]>> = inputs.iter().map(|&v| self.known_sizes(v)).collect();
        let Some(known) = known else { return };
        let inputs: SmallVec<[&TensorType; 3]> = inputs.iter().map(|&v| self.graph.ty(v)).collect();
        let known: SmallVec<[&Sizes; 3]> = known.iter().collect();
        let found: Vec<_> = (0..outputs.len()).map(|i| op.sizes(&known, &inputs, i)).collect();
        let found = outputs.iter().zip(found).filter_map(|(&v, sizes)| Some((v, sizes?)));
        self.sizes.extend(found);
    }

    fn known_sizes(&self, value: Value) -> Option<Sizes> {
        if let Some(sizes) = self.sizes.get(&value) {
            return Some(sizes.clone());
        }
        let constant = self.graph.constant(value).filter(|c| may_be_sizes(c.ty()) && !c.is_away())?;
        // SAFETY: a view of a live tensor in the host's memory.
        let numbers = unsafe { view_of(constant).integers() };
        numbers.into_iter().map(|number| number.into_dim().ok()).collect()
    }
}
