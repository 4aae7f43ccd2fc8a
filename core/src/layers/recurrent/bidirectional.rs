//! `Bidirectional`: a recurrent layer that goes over a sequence forwards, one that goes backwards, and both outputs as one.
//! Keras's layer of this name.

use super::recurrence::Recurrence;
use super::rnn::Recurrent;
use super::with_state::{built_by_call, calls_with_state};
use crate::layers::{Call, Core, Layer, Outputs, layer, named};
use engine::library::set_mask;
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

/// What becomes of the outputs of both directions: Keras's `merge_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MergeMode {
    /// One behind the other along the last axis.
    #[default]
    Concat,
    /// Their sum.
    Sum,
    /// Their product.
    Mul,
    /// Their mean.
    Ave,
    /// Two outputs: Keras's `None`.
    Separate,
}

/// What the option `merge_mode` takes: a mode, or Keras's name for it; `"none"` for two outputs.
pub trait IntoMergeMode {
    /// The mode.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_merge_mode(self) -> Result<MergeMode>;
}

impl IntoMergeMode for MergeMode {
    fn into_merge_mode(self) -> Result<MergeMode> {
        Ok(self)
    }
}

impl IntoMergeMode for &str {
    fn into_merge_mode(self) -> Result<MergeMode> {
        match self {
            "concat" => Ok(MergeMode::Concat),
            "sum" => Ok(MergeMode::Sum),
            "mul" => Ok(MergeMode::Mul),
            "ave" => Ok(MergeMode::Ave),
            "none" => Ok(MergeMode::Separate),
            other => Err(Error::invalid_argument("Bidirectional", "there is no such `merge_mode`")
                .got(format!("\"{other}\""))
                .expected("\"concat\", \"sum\", \"mul\", \"ave\" or \"none\"")),
        }
    }
}

/// Two recurrent layers over one sequence, one forwards and one backwards: Keras's `Bidirectional`.
///
/// Both are made of the layer that is given, with variables of their own under `forward_layer` and `backward_layer`, unless
/// [`backward_layer`](Self::backward_layer) says otherwise. Inputs and options are those of the layer; outputs of the backward layer are turned
/// round, so that each step has what was seen before it and behind it. Masked steps have zeros where all outputs are returned. States are those of
/// the forward layer, then those of the backward one.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Bidirectional, LSTM};
/// let layer = Bidirectional::new(LSTM::new(4).return_sequences(true));
/// assert_eq!(layer.call(tf::ones([2, 7, 3])).shape(), [2, 7, 8]);
/// let summed = Bidirectional::new(LSTM::new(4)).merge_mode("sum");
/// assert_eq!(summed.call(tf::ones([2, 7, 3])).shape(), [2, 4]);
/// ```
#[derive(Clone)]
pub struct Bidirectional {
    core: Core,
    forward_layer: Arc<dyn Recurrent>,
    backward_layer: Arc<dyn Recurrent>,
    merge_mode: MergeMode,
    return_state: bool,
}

layer!(Bidirectional);
built_by_call!(Bidirectional);
calls_with_state!(Bidirectional);

impl Bidirectional {
    /// Both directions of a layer.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(layer: impl Recurrent + 'static) -> Self {
        Self::try_new(layer).or_fail()
    }

    /// Both directions of a layer.
    ///
    /// # Errors
    /// ResourceExhausted without memory for seeds.
    #[track_caller]
    pub fn try_new(layer: impl Recurrent + 'static) -> Result<Self> {
        let how = layer.recurrence();
        let (backwards, zeros) = (how.go_backwards, how.return_sequences);
        let plain = layer.layer_name();
        let forward_layer = layer.anew(format!("forward_{plain}"), backwards, zeros)?;
        let backward_layer = layer.anew(format!("backward_{plain}"), !backwards, zeros)?;
        let return_state = how.return_state;
        let core = Core::new("bidirectional");
        Ok(Self { core, forward_layer, backward_layer, merge_mode: MergeMode::default(), return_state })
    }

    /// The layer that goes the other way, which `go_backwards` must say: in place of one that is made of the first.
    ///
    /// # Panics
    /// As [`try_backward_layer`](Self::try_backward_layer) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn backward_layer(self, layer: impl Recurrent + 'static) -> Self {
        self.try_backward_layer(layer).or_fail()
    }

    /// As [`backward_layer`](Self::backward_layer), for a layer that may not go with the other.
    ///
    /// # Errors
    /// InvalidArgument where both go one way, or differ in `return_sequences`, `return_state` or `stateful`.
    #[track_caller]
    pub fn try_backward_layer(mut self, layer: impl Recurrent + 'static) -> Result<Self> {
        let here = Location::caller();
        let (own, other) = (self.forward_layer.recurrence(), layer.recurrence());
        let facts = |how: &Recurrence| (how.return_sequences, how.return_state, how.is_stateful());
        let refused = |what: &str, got: String, expected: &str| {
            Err(Error::invalid_argument("Bidirectional", what.to_owned()).got(got).expected(expected).at(here))
        };
        if own.go_backwards == other.go_backwards {
            let got = format!("`go_backwards` is {} for both", own.go_backwards);
            return refused("both layers go the same way", got, "`go_backwards(true)` of the second layer");
        }
        if facts(own) != facts(other) {
            let got = format!("{:?} and {:?}", facts(own), facts(other));
            let expected = "the same `return_sequences`, `return_state` and `stateful` of both layers";
            return refused("the layers do not give the same kind of output", got, expected);
        }
        let (name, backwards, zeros) = (layer.layer_name().to_owned(), other.go_backwards, other.return_sequences);
        self.backward_layer = layer.anew(name, backwards, zeros).map_err(|e| e.at(here))?;
        Ok(self)
    }

    /// What becomes of both outputs: a [`MergeMode`], or Keras's name for it.
    ///
    /// # Panics
    /// As [`try_merge_mode`](Self::try_merge_mode) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn merge_mode(self, mode: impl IntoMergeMode) -> Self {
        self.try_merge_mode(mode).or_fail()
    }

    /// As [`merge_mode`](Self::merge_mode), for a name that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    #[track_caller]
    pub fn try_merge_mode(mut self, mode: impl IntoMergeMode) -> Result<Self> {
        let here = Location::caller();
        self.merge_mode = mode.into_merge_mode().map_err(|e| e.at(here))?;
        Ok(self)
    }

    /// Whether the last states of both layers are given behind the output; as the layer that was given says, unless told otherwise.
    #[must_use]
    pub fn return_state(mut self, return_state: bool) -> Self {
        self.return_state = return_state;
        self
    }

    /// Sets the states of stateful layers to zeros.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn reset_state(&self) {
        [&self.forward_layer, &self.backward_layer].into_iter().for_each(|layer| layer.recurrence().reset().or_fail());
    }

    #[track_caller]
    fn merged(&self, forward: Tensor, backward: Tensor) -> Result<Vec<Tensor>> {
        let one = match self.merge_mode {
            MergeMode::Concat => engine::try_concat(&[forward, backward], -1)?,
            MergeMode::Sum => forward.try_add(&backward)?,
            MergeMode::Mul => forward.try_multiply(&backward)?,
            MergeMode::Ave => forward.try_add(&backward)?.try_divide(2.0)?,
            MergeMode::Separate => return Ok(vec![forward, backward]),
        };
        Ok(vec![one])
    }
}

/// The output of a layer, and its last states, whether or not it is told to return them.
#[track_caller]
fn both(layer: &dyn Recurrent, inputs: &[Tensor], cx: &Call) -> Result<(Tensor, Vec<Tensor>)> {
    let mut all = layer.with_states(inputs, cx)?.into_iter();
    let missing = || Error::internal(layer.layer_name(), "the layer has given no output");
    Ok((all.next().ok_or_else(missing)?, all.collect()))
}

impl Layer for Bidirectional {
    named!();

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let states = &inputs[1..];
        if states.len() % 2 == 1 {
            return Err(Error::invalid_argument(self.core.name(), "there must be as many states for each direction")
                .got(format!("{} states", states.len())));
        }
        let mask = cx.mask_of(inputs, 0);
        let inner = cx.without_masks().masks([mask.clone()]);
        let (forwards, backwards) = states.split_at(states.len() / 2);
        let given = |states: &[Tensor]| -> Vec<Tensor> { std::iter::once(x).chain(states).cloned().collect() };
        let (forward, mut all) = both(&*self.forward_layer, &given(forwards), &inner)?;
        let (backward, others) = both(&*self.backward_layer, &given(backwards), &inner)?;
        all.extend(others);
        let sequences = self.forward_layer.recurrence().return_sequences;
        let backward = if sequences { engine::try_reverse(&backward, 1)? } else { backward };
        let mut outputs = self.merged(forward, backward)?;
        if let (Some(mask), true) = (&mask, sequences) {
            outputs.iter().for_each(|output| set_mask(output, mask));
        }
        if self.return_state {
            outputs.extend(all);
        }
        Ok(Outputs::many(outputs))
    }
}

impl Duplicate for Bidirectional {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let mut copied = |layer: &Arc<dyn Recurrent>| layer.copied_recurrent(copies);
        let (forward_layer, backward_layer) = (copied(&self.forward_layer), copied(&self.backward_layer));
        Self { forward_layer, backward_layer, ..self.clone() }
    }
}

impl Module for Bidirectional {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.merge_mode, self.return_state));
        fields.field("forward_layer", &self.forward_layer);
        fields.field("backward_layer", &self.backward_layer);
    }
}

impl std::fmt::Debug for Bidirectional {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [self.forward_layer.layer_name(), self.backward_layer.layer_name()];
        f.debug_struct("Bidirectional")
            .field("layers", &names)
            .field("merge_mode", &self.merge_mode)
            .finish_non_exhaustive()
    }
}
