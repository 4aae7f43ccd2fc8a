//! The types of a loop's state: what fits both before the loop and after each of its rounds, and which sizes are open for it.
//! The loop asks after each pass over its body, and records the body once more where a type had to be widened.

use super::{Leave, StagedLoop};
use crate::builder::Builder;
use crate::ir::fresh_sizes;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;
use std::rc::Rc;

/// The types that values have both before the loop and in it.
pub(super) fn join_types(outer: &Builder, a: &[Tensor], body: &Builder, b: &[Tensor]) -> Result<Vec<TensorType>> {
    let types = a.iter().zip(b).map(|(a, b)| {
        crate::graph::control::cond::join(&outer.type_of(a)?, &body.type_of(b)?, &mut || Dim::unbacked(fresh_sizes(1)))
    });
    types.collect()
}

impl StagedLoop {
    /// Makes sizes open that differ between the state before and after a round; whether any had to be.
    pub(super) fn widen(&mut self, body: &Rc<Builder>, fell: Option<&[Tensor]>, leaving: &[Leave]) -> Result<bool> {
        let inside = fell.unwrap_or_default().iter().cloned().enumerate().chain(self.broken_state(leaving));
        let mut found = Vec::new();
        for (i, tensor) in inside {
            found.push((i, body.type_of(&tensor)?, tensor));
        }
        for (i, tensor) in self.broken_state(&self.pending) {
            found.push((i, self.outer.type_of(&tensor)?, tensor));
        }
        let mut widened = false;
        for (i, new, tensor) in found {
            let old = self.types[i];
            if old.dtype != new.dtype || old.shape.rank() != new.shape.rank() {
                return Err(self.type_changes(i, &old, &new, &tensor));
            }
            let mut sizes: SmallVec<[Dim; 8]> = SmallVec::new();
            for (a, b) in old.shape.iter().zip(new.shape.iter()) {
                // A size that is open around the loop is one number there, and another one in each round.
                let differs = a != b && !self.opened.contains(&a);
                widened |= differs;
                sizes.push(if differs { Dim::unbacked(fresh_sizes(1)) } else { a });
                self.opened.extend(differs.then(|| sizes[sizes.len() - 1]));
            }
            self.types[i] = TensorType::new(old.dtype, Shape::from_dims(&sizes)?);
        }
        Ok(widened)
    }

    #[cold]
    fn type_changes(&self, index: usize, old: &TensorType, new: &TensorType, tensor: &Tensor) -> Error {
        let name = self.before.name_of(index);
        let root = name.split('.').next().unwrap_or_default().to_owned();
        let (what, help) = if old.dtype == new.dtype {
            ("number of axes", format!("give `{root}` its final number of axes before the loop"))
        } else {
            ("dtype", format!("declare `{root}` with dtype {}, or convert the new value with `cast`", new.dtype))
        };
        Error::invalid_argument("while", format!("`{name}` has another {what} after a round than before the loop"))
            .got(format!("{old} before, {new} after a round (from {})", tensor.location()))
            .expected("one dtype and number of axes in all rounds")
            .help(help)
            .variable(&name)
            .at(self.location)
    }
}
