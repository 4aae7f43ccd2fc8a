//! What a trace leaves in places that the caller lent by `&mut`: new values, or other tensors in the user's own.
//! The call of a traced function writes them when the trace has run.

use super::Given;
use crate::structure::{BoxedState, Place, StateVtable};
use crate::tensor::Tensor;

/// What a trace leaves in a place.
pub(crate) struct Wrote {
    /// The value where its structure changes; otherwise the user's own gets other tensors.
    pub changed: Option<BoxedState>,
    pub table: &'static StateVtable,
    /// For each tensor the argument's tensor that it is, or none for a result of the graph.
    pub sources: Vec<Option<usize>>,
}

impl Wrote {
    /// The tensors of the new value: the arguments' own where the function has left them there, else results.
    pub fn tensors<'a>(
        &'a self,
        arguments: &'a [Given],
        outputs: &'a mut dyn Iterator<Item = Tensor>,
    ) -> impl Iterator<Item = Option<Tensor>> + 'a {
        self.sources.iter().map(move |source| match source {
            Some(leaf) => arguments.get(*leaf).map(Given::handle),
            None => outputs.next(),
        })
    }

    /// Puts the new value where the user has lent the old one.
    pub fn put(&self, place: &mut Place<'_>, arguments: &[Given], outputs: &mut dyn Iterator<Item = Tensor>) {
        let mut tensors = self.tensors(arguments, outputs);
        let mut next = |old: &Tensor| tensors.next().flatten().unwrap_or_else(|| old.clone());
        match &self.changed {
            Some(value) if place.is_of(self.table) => place.put_copy(value, &mut next),
            _ => place.replace(&mut next),
        }
    }
}
