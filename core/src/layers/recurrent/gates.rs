//! [`Gates`]: what `SimpleRNN`, `LSTM` and `GRU` have in common: a kernel, a recurrent kernel and a bias of one block for each gate,
//! and what is dropped of inputs and states. The cells and layers of these names are made of it.

use super::super::base::{Core, Weight, channels, misfit};
use super::super::dropout::own_seeds;
use super::cell::{Begun, Steps};
use super::{gru, lstm, simple_rnn};
use crate::activations::{Activation, Sigmoid, Tanh};
use crate::initializers::{GlorotUniform, Initializer, Ones, Orthogonal, Zeros};
use crate::shared::{IntoShared, Shared};
use engine::library::{options, reshape_to};
use engine::random::{self, SeedGenerator};
use engine::{Copies, Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// Which of the three cells it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Simple,
    Lstm { unit_forget_bias: bool },
    Gru { reset_after: bool },
}

impl Kind {
    /// The number of gates.
    fn gates(self) -> usize {
        match self {
            Self::Simple => 1,
            Self::Lstm { .. } => 4,
            Self::Gru { .. } => 3,
        }
    }
}

/// The options and variables of a cell.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    pub kind: Kind,
    pub units: usize,
    pub activation: Shared<dyn Activation>,
    pub recurrent_activation: Shared<dyn Activation>,
    pub use_bias: bool,
    pub kernel: Weight,
    pub recurrent_kernel: Weight,
    pub bias: Weight,
    pub dropout: f64,
    pub recurrent_dropout: f64,
    pub seed: Option<i128>,
    pub seeds: SeedGenerator,
}

/// So many rows of a product are as quick as more of them.
const ENOUGH_ROWS: usize = 32;

/// What one call reads of the variables, and drops of the states.
pub(super) struct Read {
    /// `[units, gates * units]`.
    pub recurrent: Tensor,
    /// What is added to the product of the state, for `reset_after`.
    pub recurrent_bias: Option<Tensor>,
    /// What states are multiplied by, once for each gate.
    pub drops: Option<Vec<Tensor>>,
}

impl Gates {
    #[track_caller]
    pub fn new(owner: &str, kind: Kind, units: usize) -> Result<Self> {
        Ok(Self {
            kind,
            units: options::count(owner, "units", units)?,
            activation: Tanh::new().into_shared()?,
            recurrent_activation: Sigmoid::new().into_shared()?,
            use_bias: true,
            kernel: Weight::new("kernel", GlorotUniform::new()),
            recurrent_kernel: Weight::new("recurrent_kernel", Orthogonal::new()),
            bias: Weight::new("bias", Zeros),
            dropout: 0.0,
            recurrent_dropout: 0.0,
            seed: None,
            seeds: own_seeds()?,
        })
    }

    /// The same options with variables and random numbers of their own.
    pub fn anew(&self) -> Result<Self> {
        let seeds = match self.seed {
            Some(seed) => SeedGenerator::new(seed),
            None => own_seeds()?,
        };
        let [kernel, recurrent_kernel, bias] = [&self.kernel, &self.recurrent_kernel, &self.bias].map(Weight::anew);
        Ok(Self { kernel, recurrent_kernel, bias, seeds, ..self.clone() })
    }

    pub fn set_seed(&mut self, seed: i128) {
        self.seed = Some(seed);
        self.seeds = SeedGenerator::new(seed);
    }

    /// The variables for a step's input, made if this is the first one.
    #[track_caller]
    pub fn make(&self, core: &Core, x: &TensorType) -> Result<()> {
        let (name, width) = (core.name(), self.kind.gates() * self.units);
        if x.shape.rank() != 2 || x.dtype != core.compute() {
            let expected = format!("{}[batch, features] at each step", core.compute());
            return Err(misfit(name, "the input of a step is no batch of rows of the layer's dtype", x, expected));
        }
        let kernel = match self.kernel.get() {
            Some(kernel) => kernel,
            None => self.kernel.make(core, &[channels(name, x)?, width])?,
        };
        let own = kernel.shape();
        if !x.shape.dim(1).can_equal(own.dim(0)) {
            let expected = format!("{} features, as the layer was built for (kernel {own})", own.dim(0));
            return Err(misfit(name, "the input has another number of features", x, expected));
        }
        self.recurrent_kernel.make(core, &[self.units, width])?;
        if self.use_bias {
            match self.kind {
                Kind::Lstm { unit_forget_bias: true } => {
                    with_forget_bias(&self.bias, self.units).make(core, &[width])?
                }
                Kind::Gru { reset_after: true } => self.bias.make(core, &[2, width])?,
                _ => self.bias.make(core, &[width])?,
            };
        }
        Ok(())
    }

    /// What is done with all inputs at once, and the step that is left.
    ///
    /// Operation by operation, and for few rows, the product of all inputs is one. In a graph's loop the products of enough rows are as
    /// quick each by itself, and the numbers between the two loops, and their gradients, need not be stored.
    #[track_caller]
    pub fn begin<'c>(&'c self, core: &'c Core, xs: &Tensor, step: &TensorType, training: bool) -> Result<Begun<'c>> {
        let rows = step.shape.dim(0).known_value();
        if !engine::executing_eagerly() && rows.is_none_or(|rows| rows >= ENOUGH_ROWS) {
            return Ok(Begun { inputs: xs.clone(), steps: self.steps(core, step, training)? });
        }
        self.make(core, step)?;
        let [inputs, states] = self.drops(step, training)?;
        let inputs = self.projected(core, xs, inputs.as_deref())?;
        Ok(Begun { inputs, steps: self.after(core, states)? })
    }

    /// The step for inputs that nothing was done to.
    #[track_caller]
    pub fn steps<'c>(&'c self, core: &'c Core, step: &TensorType, training: bool) -> Result<Steps<'c>> {
        self.make(core, step)?;
        let [inputs, states] = self.drops(step, training)?;
        let after = self.after(core, states)?;
        Ok(Box::new(move |x, states| after(&self.projected(core, x, inputs.as_deref())?, states)))
    }

    /// The step behind the product of the input.
    #[track_caller]
    fn after<'c>(&'c self, core: &Core, drops: Option<Vec<Tensor>>) -> Result<Steps<'c>> {
        let recurrent = core.read(self.recurrent_kernel.make(core, &[])?)?;
        let recurrent_bias = match (self.kind, self.use_bias) {
            (Kind::Gru { reset_after: true }, true) => Some(core.read(self.bias.make(core, &[])?)?.at(1)),
            _ => None,
        };
        let read = Read { recurrent, recurrent_bias, drops };
        match self.kind {
            Kind::Simple => Ok(simple_rnn::steps(self, read)),
            Kind::Lstm { .. } => lstm::steps(self, read),
            Kind::Gru { reset_after } => gru::steps(self, read, reset_after),
        }
    }

    /// The product of inputs, of one step or all, with the kernel, and the bias: `[.., gates * units]`.
    #[track_caller]
    fn projected(&self, core: &Core, xs: &Tensor, drops: Option<&[Tensor]>) -> Result<Tensor> {
        let kernel = core.read(self.kernel.make(core, &[])?)?;
        let product = match drops {
            None => rows_times(xs, &kernel)?,
            Some([drop]) => rows_times(&xs.try_multiply(drop)?, &kernel)?,
            Some(drops) => {
                let blocks = engine::try_split(&kernel, drops.len(), 1)?;
                let product = |(drop, block): (&Tensor, &Tensor)| rows_times(&xs.try_multiply(drop)?, block);
                let products: Vec<Tensor> = drops.iter().zip(&blocks).map(product).collect::<Result<_>>()?;
                engine::try_concat(&products, -1)?
            }
        };
        if !self.use_bias {
            return Ok(product);
        }
        let bias = core.read(self.bias.make(core, &[])?)?;
        let bias = if bias.rank() == 2 { bias.at(0) } else { bias };
        engine::try_bias_add(&product, &bias)
    }

    /// What inputs and states are multiplied by, the same at all steps; nothing is drawn where nothing is dropped. One for all gates,
    /// or, where states are dropped of cells with several gates, one for each: as Keras has it.
    #[track_caller]
    fn drops(&self, step: &TensorType, training: bool) -> Result<[Option<Vec<Tensor>>; 2]> {
        let each = if self.recurrent_dropout > 0.0 { self.kind.gates() } else { 1 };
        let draw = |rate: f64, size: Dim| -> Result<Option<Vec<Tensor>>> {
            if !training || rate == 0.0 {
                return Ok(None);
            }
            let shape = Shape::from_dims(&[step.shape.dim(0), size])?;
            (0..each).map(|_| kept(&shape, rate, step, &self.seeds)).collect::<Result<_>>().map(Some)
        };
        Ok([draw(self.dropout, step.shape.dim(1))?, draw(self.recurrent_dropout, Dim::known(self.units))?])
    }
}

/// Zeros for what is dropped, and what raises the rest.
#[track_caller]
pub(super) fn kept(shape: &Shape, rate: f64, like: &TensorType, seeds: &SeedGenerator) -> Result<Tensor> {
    let drawn = random::try_stateless_uniform(*shape, seeds.try_next()?, 0.0, 1.0, like.dtype.compute())?;
    let kept = engine::library::cast_to(&drawn.try_greater_equal(rate)?, like.dtype)?;
    // Nothing is left that could be raised.
    let raised = if rate == 1.0 { 1.0 } else { 1.0 / (1.0 - rate) };
    kept.try_multiply(raised)
}

/// The product of the last dimension with a matrix, in one go over all others.
#[track_caller]
fn rows_times(x: &Tensor, matrix: &Tensor) -> Result<Tensor> {
    if x.rank() == 2 {
        return engine::try_matmul(x, matrix);
    }
    let last = x.rank() - 1;
    let leading = &x.shape().sizes()[..last];
    let rows = leading.iter().fold(Dim::ONE, |product, &dim| product * dim);
    let flat = reshape_to(x, &Shape::from_dims(&[rows, x.shape().dim(last)])?)?;
    let y = engine::try_matmul(&flat, matrix)?;
    reshape_to(&y, &Shape::from_dims(leading)?.push(matrix.shape().dim(1))?)
}

/// The bias of an LSTM, whose second block starts at one.
pub(super) fn with_forget_bias(bias: &Weight, units: usize) -> Weight {
    let mut weight = bias.clone();
    let own = weight.initializer.clone();
    weight.initializer = Shared::new(Arc::new(ForgetBias { own, units }) as Arc<dyn Initializer>, "ForgetBias");
    weight
}

/// What an LSTM's bias starts as: Keras's `unit_forget_bias`.
#[derive(Debug)]
struct ForgetBias {
    own: Shared<dyn Initializer>,
    units: usize,
}

impl Initializer for ForgetBias {
    fn name(&self) -> &str {
        self.own.name()
    }

    #[track_caller]
    fn make(&self, ty: &TensorType) -> Result<Tensor> {
        let of = |units: usize| Ok(TensorType::new(ty.dtype, Shape::new(&[units])?));
        let one = Ones.make(&of(self.units)?)?;
        engine::try_concat(&[self.own.make(&of(self.units)?)?, one, self.own.make(&of(2 * self.units)?)?], 0)
    }
}

impl Duplicate for Gates {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self {
            kernel: self.kernel.duplicate_in(copies),
            recurrent_kernel: self.recurrent_kernel.duplicate_in(copies),
            bias: self.bias.duplicate_in(copies),
            seeds: self.seeds.duplicate_in(copies),
            ..self.clone()
        }
    }
}

impl Module for Gates {
    fn visit(&self, fields: &mut Fields<'_>) {
        let activations = (self.activation.word(), self.recurrent_activation.word());
        let rates = (self.dropout.to_bits(), self.recurrent_dropout.to_bits());
        fields.value(&(self.kind, self.units, activations, self.use_bias, rates));
        fields.field("kernel", &self.kernel);
        fields.field("recurrent_kernel", &self.recurrent_kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
        fields.field("seed_generator", &self.seeds);
    }
}
