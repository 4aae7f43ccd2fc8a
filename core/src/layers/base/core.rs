//! What every layer of the library has, and what happens around each `forward`: casts, masks, and the regularizer of the output.
//! [`run`] is Keras's `Layer.__call__`; whatever calls a layer comes through it.

use super::losses::{add_loss, collects};
use super::{Call, Layer, Masking, Policy, global_policy, names};
use crate::regularizers::Regularizer;
use crate::shared::Shared;
use engine::library::{begin_training, cast_to, layer_scope, mask_of, set_mask};
use engine::{Copies, Duplicate, Fields, Tensor, Variable, executing_eagerly};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::ops::Deref;

/// The outputs of a layer, of which most have one.
#[derive(Clone)]
pub struct Outputs(SmallVec<[Tensor; 1]>);

impl Outputs {
    /// A single output.
    pub fn one(output: Tensor) -> Self {
        Self(SmallVec::from_buf([output]))
    }

    /// Several outputs.
    pub fn many(outputs: impl IntoIterator<Item = Tensor>) -> Self {
        Self(outputs.into_iter().collect())
    }

    /// The first output, which the layer's mask rule is about.
    ///
    /// # Errors
    /// Internal for a layer that has given none.
    pub fn into_first(self, layer: &str) -> Result<Tensor> {
        self.0.into_iter().next().ok_or_else(|| Error::internal(layer, "the layer has given no output"))
    }
}

impl Deref for Outputs {
    type Target = [Tensor];

    fn deref(&self) -> &[Tensor] {
        &self.0
    }
}

impl IntoIterator for Outputs {
    type Item = Tensor;
    type IntoIter = smallvec::IntoIter<[Tensor; 1]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Tensor> for Outputs {
    fn from(output: Tensor) -> Self {
        Self::one(output)
    }
}

/// The part that every layer of the library has.
#[derive(Clone, Debug)]
pub struct Core {
    /// Tells layers of different types apart that have the same settings.
    kind: &'static str,
    name: String,
    policy: Policy,
    /// Whether floats that are given are cast to the dtype of the computations first.
    casts: bool,
    activity: Option<Shared<dyn Regularizer>>,
}

impl Core {
    /// The part of a new layer of a kind, such as `"dense"`, which numbers its name.
    pub fn new(kind: &'static str) -> Self {
        Self { kind, name: names::next(kind), policy: global_policy(), casts: true, activity: None }
    }

    /// The part of a layer that is given its inputs as they are: Keras's `autocast=False`.
    pub(crate) fn uncast(self) -> Self {
        Self { casts: false, ..self }
    }

    /// The layer's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// In which dtypes the layer computes and keeps its variables.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The dtype of the layer's computations.
    pub fn compute(&self) -> DType {
        self.policy.compute_dtype()
    }

    pub(crate) fn set_name(&mut self, name: String) {
        self.name = name;
    }

    pub(crate) fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    pub(crate) fn set_activity(&mut self, regularizer: Shared<dyn Regularizer>) {
        self.activity = Some(regularizer);
    }

    /// A variable as the layer computes with it.
    ///
    /// # Errors
    /// ResourceExhausted without memory.
    #[track_caller]
    pub fn read(&self, variable: &Variable) -> Result<Tensor> {
        cast_to(&variable.value(), self.compute())
    }

    /// The settings of this part, for a signature: with the kind, as a function may be given any layer.
    pub(crate) fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&(self.kind, self.policy, self.activity.as_ref().map(Shared::word)));
    }
}

impl Duplicate for Core {
    fn duplicate_in(&self, _: &mut Copies) -> Self {
        self.clone()
    }
}

/// A layer's outputs for its inputs: with inputs in the layer's dtype, masks handed on, and its losses noted.
#[track_caller]
pub(crate) fn run(layer: &dyn Layer, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
    let core = layer.core();
    let name = || core.map_or_else(|| layer.layer_name(), Core::name);
    let _scope = (!executing_eagerly()).then(|| layer_scope(name()));
    let cast = core.map_or_else(SmallVec::new, |core| cast_inputs(core, inputs));
    let cast: SmallVec<[Tensor; 2]> = cast.into_iter().collect::<Result<_>>()?;
    let given = if cast.is_empty() { inputs } else { &cast };
    // What the layer calls without a word of training, as a closure or a layer of the user's own may, inherits this.
    let _told = begin_training(cx.is_training());
    let masked = cx.any_mask(inputs);
    if !masked {
        cx.check(layer.layer_name(), inputs.len())?;
        let outputs = layer.forward(given, cx)?;
        return note_activity(core, outputs);
    }
    cx.check(layer.layer_name(), inputs.len())?;
    // What was cast carries no mask.
    let masks = (0..inputs.len()).map(|index| cx.mask_of(inputs, index));
    let with_masks = cx.clone().masks(masks);
    let mask = match layer.masking() {
        Masking::Refuses => return Err(refused(layer)),
        Masking::Passes => with_masks.mask_of(inputs, 0),
        Masking::Ends | Masking::Own => None,
    };
    let outputs = layer.forward(given, &with_masks)?;
    let outputs = match mask {
        Some(mask) => masked_first(outputs, inputs, &mask)?,
        None => outputs,
    };
    note_activity(core, outputs)
}

/// The outputs, of which the first carries the mask. One that is an input itself keeps the mask which the caller's tensor has.
#[track_caller]
fn masked_first(mut outputs: Outputs, inputs: &[Tensor], mask: &Tensor) -> Result<Outputs> {
    if let Some(first) = outputs.0.first_mut() {
        let is_input = inputs.iter().any(|input| input.id() == first.id());
        if is_input && mask_of(first).is_none_or(|own| own.id() != mask.id()) {
            *first = engine::try_identity(&*first)?;
        }
        set_mask(first, mask);
    }
    Ok(outputs)
}

/// As [`run`] for one input and one output.
#[track_caller]
pub(crate) fn run_single(layer: &dyn Layer, input: &Tensor, cx: &Call) -> Result<Tensor> {
    run(layer, std::slice::from_ref(input), cx)?.into_first(layer.layer_name())
}

/// The inputs with floats in the dtype in which the layer computes; none where all have it.
#[track_caller]
fn cast_inputs(core: &Core, inputs: &[Tensor]) -> SmallVec<[Result<Tensor>; 2]> {
    let compute = core.compute();
    let other = |x: &Tensor| x.dtype().is_floating() && x.dtype() != compute;
    if !core.casts || !core.policy.casts_inputs() || !inputs.iter().any(other) {
        return SmallVec::new();
    }
    let mut cast = SmallVec::new();
    for input in inputs {
        cast.push(if other(input) { cast_to(input, compute) } else { Ok(input.clone()) });
    }
    cast
}

/// Adds what the regularizer of the output says, per example as Keras does, to the losses that are collected.
#[track_caller]
fn note_activity(core: Option<&Core>, outputs: Outputs) -> Result<Outputs> {
    let Some(activity) = core.and_then(|core| core.activity.as_ref()) else { return Ok(outputs) };
    if collects() {
        for output in outputs.iter() {
            let loss = activity.compute(output)?;
            let batch = match output.rank() {
                0 => kernels::shape::Dim::ONE,
                _ => output.shape().dim(0),
            };
            add_loss(cast_to(&loss, DType::F32)?.try_divide(batch)?);
        }
    }
    Ok(outputs)
}

#[cold]
fn refused(layer: &dyn Layer) -> Error {
    Error::invalid_argument(layer.layer_name(), "the input has a mask, and this layer can neither heed it nor hand it on")
        .got("a masked input")
        .expected("an input without a mask")
        .help("put the layer before the one that makes the mask, or call it with `Call::..masks([None])` if the masked steps may count")
}
