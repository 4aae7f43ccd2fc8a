//! `StackedRNNCells`: several cells as one, each of which takes the output of the one before at every step.
//! Keras's layer of this name; `RNN` goes over sequences with it.

use super::cell::{AnyCell, Begun, Cell, Steps};
use super::one_step::{cell_methods, check_states};
use crate::layers::{Call, Core};
use engine::library::Typed;
use engine::{Copies, Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::sync::Arc;

/// Cells for [`StackedRNNCells`]: a tuple of cells, or a list of shared ones.
pub trait IntoCells {
    /// The list.
    fn into_cells(self) -> Vec<Arc<dyn Cell>>;
}

impl IntoCells for Vec<Arc<dyn Cell>> {
    fn into_cells(self) -> Self {
        self
    }
}

impl<C: Cell + 'static> IntoCells for Vec<C> {
    fn into_cells(self) -> Vec<Arc<dyn Cell>> {
        self.into_iter().map(|cell| Arc::new(cell) as Arc<dyn Cell>).collect()
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Cell + 'static),*> IntoCells for ($($name,)*) {
            fn into_cells(self) -> Vec<Arc<dyn Cell>> {
                vec![$(Arc::new(self.$index) as Arc<dyn Cell>),*]
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Several cells as one: Keras's `StackedRNNCells`. Its states are those of all cells, one after the other; its output is that of the last.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{LSTMCell, RNN, StackedRNNCells};
/// let cells = StackedRNNCells::new((LSTMCell::new(8), LSTMCell::new(4)));
/// assert_eq!(RNN::new(cells).call(tf::ones([2, 5, 3])).shape(), [2, 4]);
/// ```
#[derive(Clone)]
pub struct StackedRNNCells {
    core: Core,
    cells: Vec<AnyCell>,
}

cell_methods!(StackedRNNCells);

impl StackedRNNCells {
    /// Cells in order.
    pub fn new(cells: impl IntoCells) -> Self {
        let cells = cells.into_cells().into_iter().map(AnyCell).collect();
        Self { core: Core::new("stacked_rnn_cells"), cells }
    }

    /// The type of the input of each cell, and the number of its states.
    fn inputs(&self, x: &TensorType) -> Result<Vec<(&dyn Cell, TensorType, usize)>> {
        let mut x = *x;
        let mut all = Vec::with_capacity(self.cells.len());
        for AnyCell(cell) in &self.cells {
            all.push((&**cell, x, cell.initial_types(&x)?.len()));
            x = TensorType::new(x.dtype, cell.output_shape(&x)?);
        }
        match all.is_empty() {
            true => Err(Error::invalid_argument(self.core.name(), "there are no cells").got("an empty list")),
            false => Ok(all),
        }
    }
}

/// One step of each cell; the first one's input may be prepared.
fn through(cells: &[(Steps<'_>, usize)], x: &Tensor, states: &[Tensor]) -> Result<(Tensor, Vec<Tensor>)> {
    let (mut x, mut rest, mut all) = (x.clone(), states, Vec::with_capacity(states.len()));
    for (steps, count) in cells {
        let (own, others) = rest.split_at(*count);
        let (output, next) = steps(&x, own)?;
        all.extend(next);
        (x, rest) = (output, others);
    }
    Ok((x, all))
}

impl Cell for StackedRNNCells {
    fn cell_name(&self) -> &str {
        self.core.name()
    }

    fn state_sizes(&self) -> Vec<usize> {
        self.cells.iter().flat_map(|cell| cell.0.state_sizes()).collect()
    }

    fn output_size(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.0.output_size())
    }

    #[track_caller]
    fn step(&self, x: &Tensor, states: &[Tensor], cx: &Call) -> Result<(Tensor, Vec<Tensor>)> {
        check_states(self, x.ty(), states)?;
        (self.steps(x.ty(), cx)?)(x, states)
    }

    #[track_caller]
    fn initial_state(&self, x: &TensorType) -> Result<Vec<Tensor>> {
        let mut all = Vec::new();
        for (cell, x, _) in self.inputs(x)? {
            all.extend(cell.initial_state(&x)?);
        }
        Ok(all)
    }

    fn initial_types(&self, x: &TensorType) -> Result<Vec<TensorType>> {
        let mut all = Vec::new();
        for (cell, x, _) in self.inputs(x)? {
            all.extend(cell.initial_types(&x)?);
        }
        Ok(all)
    }

    fn output_shape(&self, x: &TensorType) -> Result<Shape> {
        let inputs = self.inputs(x)?;
        let (last, x, _) = &inputs[inputs.len() - 1];
        last.output_shape(x)
    }

    fn anew(&self) -> Result<Arc<dyn Cell>> {
        let cells = self.cells.iter().map(|cell| cell.0.anew().map(AnyCell)).collect::<Result<_>>()?;
        Ok(Arc::new(Self { core: self.core.clone(), cells }))
    }

    #[track_caller]
    fn prepare(&self, x: &TensorType) -> Result<()> {
        self.inputs(x)?.into_iter().try_for_each(|(cell, x, _)| cell.prepare(&x))
    }

    #[track_caller]
    fn begin<'c>(&'c self, xs: &Tensor, step: &TensorType, cx: &'c Call) -> Result<Begun<'c>> {
        let inputs = self.inputs(step)?;
        let (first, _, count) = inputs[0];
        let begun = first.begin(xs, step, cx)?;
        let mut cells = vec![(begun.steps, count)];
        for (cell, x, count) in inputs.into_iter().skip(1) {
            cells.push((cell.steps(&x, cx)?, count));
        }
        Ok(Begun { inputs: begun.inputs, steps: Box::new(move |x, states| through(&cells, x, states)) })
    }

    #[track_caller]
    fn steps<'c>(&'c self, step: &TensorType, cx: &'c Call) -> Result<Steps<'c>> {
        let cells = self.inputs(step)?.into_iter().map(|(cell, x, count)| Ok((cell.steps(&x, cx)?, count)));
        let cells: Vec<(Steps<'c>, usize)> = cells.collect::<Result<_>>()?;
        Ok(Box::new(move |x, states| through(&cells, x, states)))
    }
}

impl Duplicate for StackedRNNCells {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self { core: self.core.clone(), cells: self.cells.iter().map(|cell| cell.duplicate_in(copies)).collect() }
    }
}

impl Module for StackedRNNCells {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.field("cells", &self.cells);
    }
}

impl std::fmt::Debug for StackedRNNCells {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.cells.iter().map(|cell| cell.0.cell_name().to_owned())).finish()
    }
}
