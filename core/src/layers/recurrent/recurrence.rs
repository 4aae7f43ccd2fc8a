//! [`Recurrence`]: the options that every recurrent layer has, its states from call to call, and what a call does around the loop.
//! `RNN`, `LSTM` and their kind are a cell and one of these.

use super::cell::Cell;
use super::one_step::check_states;
use super::steps::{Wanted, go};
use crate::layers::base::{Core, misfit};
use crate::layers::{Call, Outputs};
use engine::library::{Typed, cast_to, set_mask, zeros_of};
use engine::{Copies, Duplicate, Fields, LazyVariable, Module, Tensor, TensorType, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// What every recurrent layer may be told.
#[derive(Clone, Debug, Default)]
pub struct Recurrence {
    pub(super) return_sequences: bool,
    pub(super) return_state: bool,
    pub(super) go_backwards: bool,
    pub(super) unroll: bool,
    pub(super) zero_output_for_mask: bool,
    /// The states that the next call begins with, one place for each, if the layer is stateful.
    pub(super) states: Option<Vec<LazyVariable>>,
}

impl Recurrence {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// The same options with states of their own.
    pub(super) fn anew(&self) -> Self {
        let states = self.states.as_ref().map(|states| states.iter().map(|_| LazyVariable::new()).collect());
        Self { states, ..self.clone() }
    }

    pub(super) fn set_stateful(&mut self, stateful: bool, states: usize) {
        self.states = stateful.then(|| (0..states).map(|_| LazyVariable::new()).collect());
    }

    /// Whether it takes up where the call before has ended.
    pub fn is_stateful(&self) -> bool {
        self.states.is_some()
    }

    /// Sets the states to zeros, where they are made.
    ///
    /// # Errors
    /// ResourceExhausted without memory.
    #[track_caller]
    pub(super) fn reset(&self) -> Result<()> {
        for state in self.states.iter().flatten().filter_map(LazyVariable::get) {
            state.try_assign(engine::try_zeros_like(&state.value())?)?;
        }
        Ok(())
    }

    /// The variables for an input of a type, where the cell makes them without a step, and the states.
    #[track_caller]
    pub(super) fn make(&self, core: &Core, cell: &dyn Cell, x: &TensorType) -> Result<()> {
        let step = step_type(core, x)?;
        cell.prepare(&step)?;
        self.kept_states(core, cell, &step).map(|_| ())
    }

    /// The states from the call before, made as the cell begins if this is the first one.
    #[track_caller]
    fn kept_states(&self, core: &Core, cell: &dyn Cell, step: &TensorType) -> Result<Option<Vec<&Variable>>> {
        let Some(places) = &self.states else { return Ok(None) };
        // Kept as variables are: in more digits than a layer of mixed precision computes with.
        let kept = |ty: TensorType| TensorType::new(core.policy().variable_dtype(), ty.shape);
        let types: Vec<TensorType> = cell.initial_types(step)?.into_iter().map(kept).collect();
        let mut states = Vec::with_capacity(places.len());
        for (at, (place, ty)) in places.iter().zip(&types).enumerate() {
            states.push(place.get_or_build(|| {
                if !ty.shape.is_known() {
                    let what = "a stateful layer must know the number of examples";
                    return Err(misfit(core.name(), what, step, "a known batch")
                        .help("call the layer's `build([batch, steps, features])` first"));
                }
                let first = match cell.initial_state(step)?.get(at) {
                    Some(state) => cast_to(state, ty.dtype)?,
                    None => zeros_of(ty)?,
                };
                Ok(Variable::with(first, format!("{}/rnn_state", core.name()), false))
            })?);
        }
        for (state, ty) in states.iter().zip(&types) {
            if !state.shape().dim(0).can_equal(ty.shape.dim(0)) {
                let expected = format!("a batch of {}, as in the calls before", state.shape().dim(0));
                return Err(misfit(
                    core.name(),
                    "a stateful layer is given another number of examples",
                    step,
                    expected,
                )
                .help("make a layer for each size of batch, or let the last batch of a data set go"));
            }
        }
        Ok(Some(states))
    }

    /// The outputs of a call: the output, and the last states if they are asked for. `inputs` is the sequence, and states to begin with.
    #[track_caller]
    pub(super) fn forward(&self, core: &Core, cell: &dyn Cell, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let step = step_type(core, x.ty())?;
        cell.prepare(&step)?;
        let mask = cx.mask_of(inputs, 0);
        let turned_mask = mask.as_ref().map(|mask| steps_first(core, x, mask)).transpose()?;
        let inner = cx.without_masks();
        let begun = cell.begin(&turned(x)?, &step, &inner)?;
        let kept = self.kept_states(core, cell, &step)?;
        let initial = match (&inputs[1..], &kept) {
            ([], Some(kept)) => {
                kept.iter().map(|state| cast_to(&state.value(), core.compute())).collect::<Result<_>>()?
            }
            ([], None) => cell.initial_state(&step)?,
            (given, _) => {
                check_states(cell, &step, given)?;
                given.to_vec()
            }
        };
        let wanted = Wanted {
            output: TensorType::new(core.compute(), cell.output_shape(&step)?),
            all_outputs: self.return_sequences,
            output_is_state: cell.output_is_state(),
            backwards: self.go_backwards,
            unroll: self.unroll,
            zero_output_for_mask: self.zero_output_for_mask,
        };
        let done = go(core.name(), &begun.steps, &begun.inputs, initial, turned_mask.as_ref(), &wanted)?;
        for (state, value) in kept.iter().flatten().zip(&done.states) {
            state.try_assign(cast_to(value, state.dtype())?)?;
        }
        let output = if self.return_sequences { turned(&done.output)? } else { done.output };
        if let (Some(mask), true) = (&mask, self.return_sequences) {
            set_mask(&output, mask);
        }
        let states = if self.return_state { done.states } else { Vec::new() };
        Ok(Outputs::many(std::iter::once(output).chain(states)))
    }
}

/// The type of one step's input.
fn step_type(core: &Core, x: &TensorType) -> Result<TensorType> {
    if x.shape.rank() < 3 {
        let help = match x.shape.rank() {
            2 => "`x.expand_dims(-1)` makes a sequence of one feature, `x.expand_dims(0)` a batch of one sequence",
            _ => "`reshape` it to a batch of sequences",
        };
        let expected = format!("{}[batch, steps, features]", core.compute());
        return Err(misfit(core.name(), "the input is no batch of sequences", x, expected).help(help));
    }
    Ok(TensorType::new(x.dtype, x.shape.remove(1)))
}

/// Steps in front of examples, and the other way round.
#[track_caller]
fn turned(x: &Tensor) -> Result<Tensor> {
    let axes: Vec<isize> = [1, 0].into_iter().chain(2..x.rank() as isize).collect();
    engine::try_transpose(x, axes)
}

/// A mask `[batch, steps]`, as truth values with the steps in front.
#[track_caller]
fn steps_first(core: &Core, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let fits = mask.rank() == 2 && (0..2).all(|axis| mask.shape().dim(axis).can_equal(x.shape().dim(axis)));
    if !fits {
        return Err(Error::invalid_argument(core.name(), "the mask does not fit the sequences")
            .got(format!("a mask {} for {}", mask.ty(), x.ty()))
            .expected("a mask bool[batch, steps]"));
    }
    cast_to(&turned(mask)?, DType::Bool)
}

impl Duplicate for Recurrence {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let states = self.states.as_ref().map(|all| all.iter().map(|state| state.duplicate_in(copies)).collect());
        Self { states, ..self.clone() }
    }
}

impl Module for Recurrence {
    fn visit(&self, fields: &mut Fields<'_>) {
        let outputs = (self.return_sequences, self.return_state, self.zero_output_for_mask);
        fields.value(&(outputs, self.go_backwards, self.unroll, self.is_stateful()));
        if let Some(states) = &self.states {
            fields.field("states", states);
        }
    }
}
