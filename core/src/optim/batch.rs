//! The gradients of one step on their way to the formula: dense ones, and rows of embeddings beside them.
//! `Common` unscales, clips and adds them up.

use super::common::Parts;
use engine::library::{Cotangent, Named};
use engine::{IndexedRows, Tensor, Variable, try_abs, try_square};
use kernels::error::Result;

/// Variables with their gradients.
pub(super) struct Batch {
    /// Those with dense gradients, and these.
    pub variables: Vec<Variable>,
    pub gradients: Vec<Tensor>,
    /// Those whose gradients are rows.
    pub rows: Vec<(Variable, IndexedRows)>,
}

/// Variables with dense gradients, and what was added up of the parts of rows.
type Dense = (Vec<Variable>, Vec<Tensor>, Option<Vec<Tensor>>);

impl Batch {
    pub fn of(pairs: &[(&Variable, &Cotangent)]) -> Self {
        let (variables, gradients) = (Vec::with_capacity(pairs.len()), Vec::with_capacity(pairs.len()));
        let mut batch = Self { variables, gradients, rows: Vec::new() };
        for (variable, gradient) in pairs {
            match gradient {
                Cotangent::Dense(gradient) => {
                    batch.variables.push((*variable).clone());
                    batch.gradients.push(gradient.clone());
                }
                Cotangent::Rows(rows) => batch.rows.push(((*variable).clone(), (**rows).clone())),
            }
        }
        batch
    }

    /// All variables.
    pub fn all(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().chain(self.rows.iter().map(|(variable, _)| variable))
    }

    /// The numbers of all gradients.
    pub fn tensors(&self) -> Vec<Tensor> {
        self.gradients.iter().chain(self.rows.iter().map(|(_, rows)| &rows.values)).cloned().collect()
    }

    /// Puts others in their place.
    pub fn put(&mut self, tensors: Vec<Tensor>) {
        let own = self.gradients.iter_mut().chain(self.rows.iter_mut().map(|(_, rows)| &mut rows.values));
        own.zip(tensors).for_each(|(own, tensor)| *own = tensor);
    }

    /// Changes all gradients.
    #[track_caller]
    pub fn map(&mut self, change: impl Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
        let mut changed = Vec::with_capacity(self.gradients.len() + self.rows.len());
        for tensor in &self.tensors() {
            changed.push(change(tensor)?);
        }
        self.put(changed);
        Ok(())
    }

    /// Makes all gradients dense.
    #[track_caller]
    pub fn make_dense(&mut self) -> Result<()> {
        for (variable, rows) in std::mem::take(&mut self.rows) {
            self.gradients.push(rows.try_to_dense().map_err(|e| e.variable(variable.label()))?);
            self.variables.push(variable);
        }
        Ok(())
    }

    /// Rows as dense gradients, and what a method needs of their parts.
    #[track_caller]
    pub fn dense(rows: &[(&Variable, &IndexedRows)], needs: Parts) -> Result<Dense> {
        let (mut variables, mut gradients, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (variable, rows) in rows {
            variables.push((*variable).clone());
            gradients.push(whole(variable, rows, rows.values.clone())?);
            match needs {
                Parts::Nothing => {}
                Parts::Squares => parts.push(whole(variable, rows, try_square(&rows.values)?)?),
                Parts::Magnitudes => parts.push(whole(variable, rows, try_abs(&rows.values)?)?),
            }
        }
        Ok((variables, gradients, (needs != Parts::Nothing).then_some(parts)))
    }
}

/// Rows with these values as a tensor of the variable's shape. A function, since a closure would hide the caller's line.
#[track_caller]
fn whole(variable: &Variable, rows: &IndexedRows, values: Tensor) -> Result<Tensor> {
    IndexedRows { values, ..rows.clone() }.try_to_dense().map_err(|e| e.variable(variable.label()))
}
