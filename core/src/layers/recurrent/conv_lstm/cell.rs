//! The step of a `ConvLSTM`: convolutions of all inputs before the loop, one of the states in each round, then the gates of an LSTM.
//! The layers make one for each call.

use super::super::cell::{Begun, Cell, Steps};
use super::super::gates::Kind;
use super::super::gates::{Gates, kept, with_forget_bias};
use super::super::lstm::memory;
use super::super::one_step::check_states;
use super::window::Window;
use crate::layers::base::misfit;
use crate::layers::{Call, Core};
use engine::library::{Typed, reshape_to};
use engine::{Copies, Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// One step over signals, images or volumes.
#[derive(Clone)]
pub(super) struct ConvCell {
    pub core: Core,
    pub gates: Gates,
    pub window: Window,
}

impl ConvCell {
    /// The convolution of inputs, of one step or all, with the bias: the four blocks one after the other.
    #[track_caller]
    fn projected(&self, xs: &Tensor, step: &TensorType, drops: Option<&[Tensor]>) -> Result<Tensor> {
        let (gates, core) = (&self.gates, &self.core);
        let kernel = core.read(gates.kernel.make(core, &[])?)?;
        let channels = self.window.channels(step.shape.rank());
        // Steps of all examples are one batch.
        let one = |x: &Tensor, kernel: &Tensor| -> Result<Tensor> {
            if x.rank() == step.shape.rank() {
                return self.window.of_inputs(x, kernel);
            }
            let sizes = x.shape().sizes();
            let all: Vec<Dim> = std::iter::once(sizes[0] * sizes[1]).chain(sizes[2..].iter().copied()).collect();
            let y = self.window.of_inputs(&reshape_to(x, &Shape::from_dims(&all)?)?, kernel)?;
            let apart: Vec<Dim> = sizes[..2].iter().chain(&y.shape().sizes()[1..]).copied().collect();
            reshape_to(&y, &Shape::from_dims(&apart)?)
        };
        let axis = (channels + xs.rank() - step.shape.rank()) as isize;
        let product = match drops {
            None => one(xs, &kernel)?,
            Some(drops) => {
                let blocks = engine::try_split(&kernel, 4, -1)?;
                let block = |(drop, block): (&Tensor, &Tensor)| one(&xs.try_multiply(drop)?, block);
                engine::try_concat(&drops.iter().zip(&blocks).map(block).collect::<Result<Vec<Tensor>>>()?, axis)?
            }
        };
        if !gates.use_bias {
            return Ok(product);
        }
        let bias = core.read(gates.bias.make(core, &[])?)?;
        let mut sizes = vec![Dim::ONE; product.rank()];
        sizes[axis as usize] = bias.shape().dim(0);
        product.try_add(&reshape_to(&bias, &Shape::from_dims(&sizes)?)?)
    }

    /// What inputs and states are multiplied by, for each gate.
    #[track_caller]
    fn drops(&self, step: &TensorType, training: bool) -> Result<[Option<Vec<Tensor>>; 2]> {
        let draw = |rate: f64, shape: &Shape| -> Result<Option<Vec<Tensor>>> {
            let draws = training && rate > 0.0;
            let all = || (0..4).map(|_| kept(shape, rate, step, &self.gates.seeds)).collect::<Result<Vec<Tensor>>>();
            draws.then(all).transpose()
        };
        let state = self.output_shape(step)?;
        Ok([draw(self.gates.dropout, &step.shape)?, draw(self.gates.recurrent_dropout, &state)?])
    }

    /// The step behind the convolution of the input.
    #[track_caller]
    fn after(&self, step: &TensorType, drops: Option<Vec<Tensor>>) -> Result<Steps<'_>> {
        let recurrent = self.core.read(self.gates.recurrent_kernel.make(&self.core, &[])?)?;
        let blocks = drops.as_ref().map(|_| engine::try_split(&recurrent, 4, -1)).transpose()?.unwrap_or_default();
        let axis = self.window.channels(step.shape.rank()) as isize;
        Ok(Box::new(move |x, states| {
            let (h, c) = (&states[0], &states[1]);
            let product = match &drops {
                None => self.window.of_states(h, &recurrent)?,
                Some(drops) => {
                    let block = |(drop, block)| self.window.of_states(&h.try_multiply(drop)?, block);
                    engine::try_concat(&drops.iter().zip(&blocks).map(block).collect::<Result<Vec<Tensor>>>()?, axis)?
                }
            };
            memory(&self.gates, &x.try_add(&product)?, c, axis)
        }))
    }
}

impl Cell for ConvCell {
    fn cell_name(&self) -> &str {
        self.core.name()
    }

    fn state_sizes(&self) -> Vec<usize> {
        vec![self.gates.units; 2]
    }

    #[track_caller]
    fn step(&self, x: &Tensor, states: &[Tensor], cx: &Call) -> Result<(Tensor, Vec<Tensor>)> {
        check_states(self, x.ty(), states)?;
        (self.steps(x.ty(), cx)?)(x, states)
    }

    fn initial_types(&self, x: &TensorType) -> Result<Vec<TensorType>> {
        Ok(vec![TensorType::new(x.dtype, self.output_shape(x)?); 2])
    }

    fn output_shape(&self, x: &TensorType) -> Result<Shape> {
        self.window.output(&x.shape, self.gates.units)
    }

    fn output_is_state(&self) -> bool {
        true
    }

    fn anew(&self) -> Result<Arc<dyn Cell>> {
        Ok(Arc::new(Self { gates: self.gates.anew()?, ..self.clone() }))
    }

    #[track_caller]
    fn prepare(&self, x: &TensorType) -> Result<()> {
        let (gates, core, window) = (&self.gates, &self.core, &self.window);
        let (rank, axes) = (x.shape.rank(), window.kernel.len());
        if rank != axes + 2 || x.dtype != core.compute() {
            let expected =
                format!("{}[batch, …] with {axes} spatial axes and one of channels at each step", core.compute());
            return Err(misfit(core.name(), "the inputs have another number of axes", x, expected));
        }
        let width = 4 * gates.units;
        let given = x.shape.dim(window.channels(rank));
        let kernel = match (gates.kernel.get(), given.known_value().filter(|&n| n > 0)) {
            (Some(kernel), _) => kernel,
            (None, Some(channels)) => {
                let shape: Vec<usize> = window.kernel.iter().copied().chain([channels, width]).collect();
                gates.kernel.make(core, &shape)?
            }
            (None, None) => {
                let what = "the layer cannot be built: the number of channels must be known";
                return Err(misfit(core.name(), what, x, "at least one channel"));
            }
        };
        let own = kernel.shape();
        if !given.can_equal(own.dim(axes)) {
            let expected = format!("{} channels, as the layer was built for (kernel {own})", own.dim(axes));
            return Err(misfit(core.name(), "the input has another number of channels", x, expected));
        }
        let shape: Vec<usize> = window.kernel.iter().copied().chain([gates.units, width]).collect();
        gates.recurrent_kernel.make(core, &shape)?;
        if gates.use_bias {
            match gates.kind {
                Kind::Lstm { unit_forget_bias: true } => {
                    with_forget_bias(&gates.bias, gates.units).make(core, &[width])?
                }
                _ => gates.bias.make(core, &[width])?,
            };
        }
        Ok(())
    }

    #[track_caller]
    fn begin<'c>(&'c self, xs: &Tensor, step: &TensorType, cx: &'c Call) -> Result<Begun<'c>> {
        self.prepare(step)?;
        let [inputs, states] = self.drops(step, cx.is_training())?;
        Ok(Begun { inputs: self.projected(xs, step, inputs.as_deref())?, steps: self.after(step, states)? })
    }

    #[track_caller]
    fn steps<'c>(&'c self, step: &TensorType, cx: &'c Call) -> Result<Steps<'c>> {
        self.prepare(step)?;
        let [inputs, states] = self.drops(step, cx.is_training())?;
        let (after, step) = (self.after(step, states)?, *step);
        Ok(Box::new(move |x, states| after(&self.projected(x, &step, inputs.as_deref())?, states)))
    }
}

impl Duplicate for ConvCell {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self { gates: self.gates.duplicate_in(copies), ..self.clone() }
    }
}

impl Module for ConvCell {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.window);
        self.gates.visit(fields);
    }
}
