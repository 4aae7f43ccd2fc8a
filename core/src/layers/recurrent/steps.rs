//! The loop over the steps of a sequence: a plain one operation by operation, one of the graph where a function is traced.
//! `Recurrence` runs it for every recurrent layer.

use super::cell::Steps;
use engine::__rt::autograph::{Next, Place, Slot, Test, While, condition, place, result};
use engine::library::{reshape_to, zeros_of};
use engine::{Tensor, TensorArray, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What a layer wants of the loop.
pub(super) struct Wanted {
    /// The type of each output.
    pub output: TensorType,
    pub all_outputs: bool,
    /// Whether the output is the first state.
    pub output_is_state: bool,
    pub backwards: bool,
    pub unroll: bool,
    pub zero_output_for_mask: bool,
}

/// What has come of it: all outputs, `[steps, batch, …]`, or the last one, and the last states.
pub(super) struct Done {
    pub output: Tensor,
    pub states: Vec<Tensor>,
}

/// The state of the loop.
struct Round {
    index: Tensor,
    states: Vec<Tensor>,
    /// The output before, where a masked step repeats it or the last one is asked for.
    before: Option<Tensor>,
    all: Option<TensorArray>,
}

impl Round {
    fn places(&mut self) -> [Place<'_>; 4] {
        [
            place("the step", &mut self.index, result::<Tensor>()),
            place("the states", &mut self.states, result::<Vec<Tensor>>()),
            place("the output", &mut self.before, result::<Option<Tensor>>()),
            place("the outputs", &mut self.all, result::<Option<TensorArray>>()),
        ]
    }
}

/// Goes over `xs`, `[steps, batch, …]`; `mask` is `[steps, batch]`.
#[track_caller]
pub(super) fn go(
    name: &str,
    steps: &Steps<'_>,
    xs: &Tensor,
    states: Vec<Tensor>,
    mask: Option<&Tensor>,
    wanted: &Wanted,
) -> Result<Done> {
    let count = xs.shape().dim(0);
    let repeats = mask.is_some() && !wanted.zero_output_for_mask;
    // The last output need not be carried where it is a state; behind masked steps it may be another.
    let carried = repeats || !(wanted.all_outputs || wanted.output_is_state && mask.is_none());
    let before = carried.then(|| zeros_of(&wanted.output)).transpose()?;
    let one = |state: &mut Round, x: &Tensor, mask: Option<Tensor>| -> Result<Tensor> {
        let (mut output, mut next) = steps(x, &state.states)?;
        if let Some(mask) = mask {
            let other = match &state.before {
                Some(before) if repeats => before.clone(),
                _ => zeros_of(&wanted.output)?,
            };
            output = chosen(&mask, &output, &other)?;
            for (next, before) in next.iter_mut().zip(&state.states) {
                *next = chosen(&mask, next, before)?;
            }
        }
        state.states = next;
        if carried {
            state.before = Some(output.clone());
        }
        Ok(output)
    };
    let mut state = Round { index: Tensor::from(0i32), states, before, all: None };
    match count.known_value() {
        Some(count) if wanted.unroll || engine::executing_eagerly() => {
            let output = in_a_row(xs, mask, count, wanted, &mut state, &one)?;
            Ok(Done { output, states: state.states })
        }
        None if wanted.unroll => {
            Err(Error::invalid_argument(name, "a loop over an unknown number of steps cannot be unrolled")
                .got(engine::library::Typed::ty(xs))
                .expected("a known number of steps")
                .help("leave `unroll` off: the loop of the graph serves all lengths"))
        }
        _ => in_the_graph(xs, mask, wanted, state, &one),
    }
}

/// One step: it changes the state and answers the output.
type One<'f> = &'f dyn Fn(&mut Round, &Tensor, Option<Tensor>) -> Result<Tensor>;

#[track_caller]
fn in_a_row(
    xs: &Tensor,
    mask: Option<&Tensor>,
    count: usize,
    wanted: &Wanted,
    state: &mut Round,
    one: One<'_>,
) -> Result<Tensor> {
    let rows = engine::try_unstack(xs, 0)?;
    let masks = mask.map(|mask| engine::try_unstack(mask, 0)).transpose()?;
    let mut outputs = Vec::with_capacity(count);
    for step in 0..count {
        let at = if wanted.backwards { count - 1 - step } else { step };
        let output = one(state, &rows[at], masks.as_ref().map(|masks| masks[at].clone()))?;
        if wanted.all_outputs {
            outputs.push(output);
        }
    }
    if !wanted.all_outputs {
        return last(state, wanted);
    }
    match outputs.is_empty() {
        true => zeros_of(&TensorType::new(wanted.output.dtype, wanted.output.shape.insert(0, Dim::ZERO)?)),
        false => engine::try_stack(&outputs, 0),
    }
}

#[track_caller]
fn in_the_graph(xs: &Tensor, mask: Option<&Tensor>, wanted: &Wanted, mut state: Round, one: One<'_>) -> Result<Done> {
    let count = match xs.shape().dim(0).known_value() {
        Some(count) => Tensor::from(i32::try_from(count).unwrap_or(i32::MAX)),
        None => engine::shape(xs).at(0),
    };
    if wanted.all_outputs {
        state.all = Some(TensorArray::try_new(wanted.output.dtype, &count)?.element_shape(wanted.output.shape));
    }
    let mut protocol = While::new(Slot::<()>::new(), &[], false);
    loop {
        protocol.head(&mut state.places());
        let more = condition(&engine::less(&state.index, &count));
        match protocol.test(more, &mut state.places()) {
            Test::Exit => break,
            Test::Again => continue,
            Test::Body => {}
        }
        let at = if wanted.backwards { &count - 1 - &state.index } else { state.index.clone() };
        let mask = mask.map(|mask| engine::try_gather(mask, &at, 0)).transpose()?;
        let output = one(&mut state, &engine::try_gather(xs, &at, 0)?, mask)?;
        if let Some(all) = state.all.take() {
            state.all = Some(all.try_write(&state.index, output)?);
        }
        state.index = &state.index + 1;
        match protocol.next(&mut state.places(), true) {
            Next::More => {}
            Next::Over | Next::Left => break,
        }
    }
    protocol.after(&mut state.places());
    let output = match &state.all {
        Some(all) => all.try_stack()?,
        None => last(&state, wanted)?,
    };
    Ok(Done { output, states: state.states })
}

/// The output of the last step.
fn last(state: &Round, wanted: &Wanted) -> Result<Tensor> {
    match (&state.before, state.states.first()) {
        (Some(output), _) => Ok(output.clone()),
        (None, Some(state)) => Ok(state.clone()),
        (None, None) => zeros_of(&wanted.output),
    }
}

/// One of two tensors `[batch, …]`, as `mask`, `[batch]`, says for each example.
#[track_caller]
fn chosen(mask: &Tensor, kept: &Tensor, other: &Tensor) -> Result<Tensor> {
    let mut sizes = vec![Dim::ONE; kept.rank()];
    sizes[0] = mask.shape().dim(0);
    engine::try_select(&reshape_to(mask, &Shape::from_dims(&sizes)?)?, kept, other)
}
