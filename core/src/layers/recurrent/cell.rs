//! [`Cell`]: what a recurrent layer does at one step: an input and states to an output and the next states.
//! `RNN` goes over a sequence with any cell; the library's cells also say what can be done before the loop.

use super::super::Call;
use engine::library::zeros_of;
use engine::{Copies, Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// One step of a recurrent network, for [`RNN`](super::RNN): the library's cells, and cells of one's own.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Call, Cell, Dense, RNN};
/// use tf::{Duplicate, Module, Result, Tensor};
///
/// /// The mean of the state and what the input says.
/// #[derive(Clone, Module, Duplicate)]
/// struct Slow {
///     from_input: Dense,
/// }
///
/// impl Cell for Slow {
///     fn state_sizes(&self) -> Vec<usize> {
///         vec![4]
///     }
///     fn step(&self, x: &Tensor, states: &[Tensor], cx: &Call) -> Result<(Tensor, Vec<Tensor>)> {
///         let next = (self.from_input.call_with(x, cx) + &states[0]) / 2.0;
///         Ok((next.clone(), vec![next]))
///     }
/// }
///
/// let layer = RNN::new(Slow { from_input: Dense::new(4).activation("tanh") }).return_sequences(true);
/// assert_eq!(layer.call(tf::ones([2, 7, 3])).shape(), [2, 7, 4]);
/// ```
pub trait Cell: Module + SharedCell + Send + Sync {
    /// What errors call the cell.
    fn cell_name(&self) -> &str {
        "cell"
    }

    /// How many numbers each state has, for one example.
    fn state_sizes(&self) -> Vec<usize>;

    /// How many numbers the output has, for one example: as the first state, unless a cell says otherwise.
    fn output_size(&self) -> usize {
        self.state_sizes().first().copied().unwrap_or(0)
    }

    /// The output and the next states for the input of one step, `[batch, …]`, and the states before.
    ///
    /// # Errors
    /// InvalidArgument where input or states do not fit the cell.
    #[track_caller]
    fn step(&self, x: &Tensor, states: &[Tensor], cx: &Call) -> Result<(Tensor, Vec<Tensor>)>;

    /// The states before the first step, for inputs of a type `[batch, …]`: zeros, unless a cell says otherwise.
    ///
    /// # Errors
    /// ResourceExhausted without memory.
    #[track_caller]
    fn initial_state(&self, x: &TensorType) -> Result<Vec<Tensor>> {
        self.initial_types(x)?.iter().map(zeros_of).collect()
    }

    /// The types of the states for inputs of a type.
    #[doc(hidden)]
    fn initial_types(&self, x: &TensorType) -> Result<Vec<TensorType>> {
        self.state_sizes().into_iter().map(|size| row(x, size)).collect()
    }

    /// The shape of the output for inputs of a type `[batch, …]`.
    ///
    /// # Errors
    /// InvalidArgument where inputs of the type do not fit the cell.
    fn output_shape(&self, x: &TensorType) -> Result<Shape> {
        Ok(row(x, self.output_size())?.shape)
    }

    /// Whether the output is the first of the next states, which then need not be carried twice.
    #[doc(hidden)]
    fn output_is_state(&self) -> bool {
        false
    }

    /// A cell with the same options whose variables and random numbers are its own; a cell of one's own is copied.
    #[doc(hidden)]
    fn anew(&self) -> Result<Arc<dyn Cell>> {
        Ok(AnyCell(self.shared()).duplicate().0)
    }

    /// Makes the variables for inputs of a type, where the cell can do so without a step.
    #[doc(hidden)]
    #[track_caller]
    fn prepare(&self, _: &TensorType) -> Result<()> {
        Ok(())
    }

    /// What is done for all steps at once: `xs` is `[steps, batch, …]`, or one step. Variables are read, and what is dropped is drawn.
    #[doc(hidden)]
    #[track_caller]
    fn begin<'c>(&'c self, xs: &Tensor, step: &TensorType, cx: &'c Call) -> Result<Begun<'c>> {
        Ok(Begun { inputs: xs.clone(), steps: self.steps(step, cx)? })
    }

    /// The step, for inputs that nothing was done to; what is dropped is drawn here, for all steps.
    #[doc(hidden)]
    #[track_caller]
    fn steps<'c>(&'c self, _: &TensorType, cx: &'c Call) -> Result<Steps<'c>> {
        Ok(Box::new(|x, states| self.step(x, states, cx)))
    }
}

/// A step as a function of what is left of the input, and of the states.
#[doc(hidden)]
pub type Steps<'c> = Box<dyn Fn(&Tensor, &[Tensor]) -> Result<(Tensor, Vec<Tensor>)> + 'c>;

/// What a cell has done with a whole sequence before its loop.
#[doc(hidden)]
pub struct Begun<'c> {
    /// What each step takes, step by step.
    pub inputs: Tensor,
    /// The step.
    pub steps: Steps<'c>,
}

impl std::fmt::Debug for Begun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

/// The type `[batch, size]` beside an input `[batch, …]`.
pub(super) fn row(x: &TensorType, size: usize) -> Result<TensorType> {
    Ok(TensorType::new(x.dtype, Shape::from_dims(&[x.shape.dim(0), Dim::known(size)])?))
}

/// Handles and deep copies of a cell whose type is not known. Every cell that has `Clone` and [`Duplicate`] has it.
pub trait SharedCell {
    /// A handle that shares the cell's variables.
    fn shared(&self) -> Arc<dyn Cell>;

    /// A deep copy.
    fn copied(&self, copies: &mut Copies) -> Arc<dyn Cell>;
}

impl<C: Cell + Clone + Duplicate + 'static> SharedCell for C {
    fn shared(&self) -> Arc<dyn Cell> {
        Arc::new(self.clone())
    }

    fn copied(&self, copies: &mut Copies) -> Arc<dyn Cell> {
        Arc::new(self.duplicate_in(copies))
    }
}

/// A cell whose type is not known, as a part of a layer.
#[derive(Clone)]
pub(super) struct AnyCell(pub Arc<dyn Cell>);

impl Duplicate for AnyCell {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self(copies.shared(Arc::as_ptr(&self.0).addr() as u64, |copies| self.0.copied(copies)))
    }
}

impl Module for AnyCell {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.0.visit(fields);
    }

    fn module_name(&self) -> Option<&'static str> {
        self.0.module_name()
    }
}
