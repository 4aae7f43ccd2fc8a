//! `LossScaleOptimizer`: losses scaled as far up as gradients stay finite, for narrow floats.
//! Keras's `LossScaleOptimizer`; in a traced step all of it is operations of the graph.

use super::common::branch;
use super::forward::forwarded;
use super::{LearningRate, Optimizer};
use engine::library::options;
use engine::library::{Cotangent, OrFail, cast_to, gradient_at, map_gradients};
use engine::{Duplicate, Fields, Gradients, Module, Tensor, Variable};
use engine::{try_equal, try_is_finite, try_logical_and, try_multiply, try_reduce_all};
use kernels::dtype::DType;
use kernels::error::Result;
use std::panic::Location;

/// Another optimizer whose losses are scaled: the scale doubles after so many steps in a row with finite gradients, and halves where one
/// is not finite, whose step is left out.
///
/// Clipping, averages and all other options are those of the optimizer within.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{LossScaleOptimizer, Optimizer, SGD};
/// let optimizer = LossScaleOptimizer::new(SGD::new(0.5)).initial_scale(1024.0);
/// let w = [tf::Variable::new(3.0)];
/// let tape = tf::GradientTape::new();
/// let loss = optimizer.scale_loss(&w[0].value().square());
/// optimizer.apply_gradients(&tape.gradient(&loss, &w[..]), &w);
/// assert_eq!(w[0].value().item::<f32>(), 0.0);
/// // This step is left out, and the scale halved.
/// optimizer.apply_gradients(&[tf::constant(f32::INFINITY)].into_iter().collect(), &w);
/// assert_eq!((w[0].value().item::<f32>(), optimizer.dynamic_scale().value().item::<f32>()), (0.0, 512.0));
/// ```
#[derive(Debug, Duplicate)]
pub struct LossScaleOptimizer<O> {
    inner: O,
    name: String,
    dynamic_growth_steps: usize,
    step_counter: Variable,
    dynamic_scale: Variable,
    /// Steps and rate of Keras's wrapper itself, which stay 0: they are in its checkpoints.
    own: [Variable; 2],
}

impl<O: Optimizer> LossScaleOptimizer<O> {
    /// Scales losses for an optimizer, by 2¹⁵ at first.
    #[track_caller]
    pub fn new(inner_optimizer: O) -> Self {
        Self {
            inner: inner_optimizer,
            name: "loss_scale_optimizer".into(),
            dynamic_growth_steps: 2000,
            step_counter: Variable::with(Tensor::from(0i64), "step_counter", false),
            dynamic_scale: Variable::with(Tensor::from(32768f32), "dynamic_scale", false),
            own: [
                Variable::with(Tensor::from(0i64), "loss_scale_optimizer/iterations", false),
                Variable::with(Tensor::from(0f32), "learning_rate", false),
            ],
        }
    }

    /// The first scale, 32768 unless set: above 0.
    ///
    /// # Panics
    /// As [`try_initial_scale`](Self::try_initial_scale) fails.
    #[track_caller]
    pub fn initial_scale(self, scale: f64) -> Self {
        self.try_initial_scale(scale).or_fail()
    }

    /// As [`initial_scale`](Self::initial_scale), for a value that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a number that is not above 0, or not finite.
    #[track_caller]
    pub fn try_initial_scale(self, scale: f64) -> Result<Self> {
        let here = Location::caller();
        let scale = options::positive("LossScaleOptimizer", "initial_scale", scale).map_err(|e| e.at(here))?;
        self.dynamic_scale.try_assign(Tensor::from(scale as f32))?;
        Ok(self)
    }

    /// After how many finite steps in a row the scale doubles, 2000 unless set: at least 1.
    ///
    /// # Panics
    /// As [`try_dynamic_growth_steps`](Self::try_dynamic_growth_steps) fails.
    #[track_caller]
    pub fn dynamic_growth_steps(self, steps: usize) -> Self {
        self.try_dynamic_growth_steps(steps).or_fail()
    }

    /// As [`dynamic_growth_steps`](Self::dynamic_growth_steps), for a value that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for 0.
    #[track_caller]
    pub fn try_dynamic_growth_steps(mut self, steps: usize) -> Result<Self> {
        let here = Location::caller();
        self.dynamic_growth_steps =
            options::count("LossScaleOptimizer", "dynamic_growth_steps", steps).map_err(|e| e.at(here))?;
        Ok(self)
    }

    /// What [`name`](Optimizer::name) answers: Keras's option `name`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The optimizer within.
    pub fn inner_optimizer(&self) -> &O {
        &self.inner
    }

    /// The variable that holds the present scale, a `float32` scalar.
    pub fn dynamic_scale(&self) -> &Variable {
        &self.dynamic_scale
    }

    /// How many finite steps there were since the scale changed.
    pub fn step_counter(&self) -> &Variable {
        &self.step_counter
    }

    #[track_caller]
    fn step(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let mut finite: Option<Tensor> = None;
        for index in 0..gradients.len() {
            let values = match gradient_at(gradients, index) {
                Some(Cotangent::Dense(gradient)) => gradient,
                Some(Cotangent::Rows(rows)) => &rows.values,
                None => continue,
            };
            let own = try_reduce_all(try_is_finite(values)?, ())?;
            finite = Some(match finite {
                Some(others) => try_logical_and(others, own)?,
                None => own,
            });
        }
        let (scale, counter) = (&self.dynamic_scale, &self.step_counter);
        // Without any gradient the optimizer within says so.
        let Some(finite) = finite else { return self.inner.try_apply_gradients(gradients, variables) };
        let step = || {
            let by = scale.value();
            let unscaled = map_gradients(gradients, &|gradient| unscale(gradient, &by))?;
            self.inner.try_apply_gradients(&unscaled, variables)?;
            let full = try_equal(counter.value(), self.dynamic_growth_steps as i64 - 1)?;
            let double = || {
                counter.try_assign(Tensor::from(0i64))?;
                scale.try_assign(scale.value() * 2.0)
            };
            branch(&full, double, || counter.try_assign_add(Tensor::from(1i64)))
        };
        let leave_out = || {
            counter.try_assign(Tensor::from(0i64))?;
            scale.try_assign(scale.value() * 0.5)
        };
        branch(&finite, step, leave_out)
    }
}

/// A gradient divided by the scale, which may be too large for narrow floats.
#[track_caller]
fn unscale(gradient: &Tensor, scale: &Tensor) -> Result<Tensor> {
    let wide = if gradient.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
    cast_to(&(cast_to(gradient, wide)? / cast_to(scale, wide)?), gradient.dtype())
}

impl<O: Optimizer> Optimizer for LossScaleOptimizer<O> {
    #[track_caller]
    fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let here = Location::caller();
        self.step(gradients, variables).map_err(|e| e.at(here))
    }

    #[track_caller]
    fn try_scale_loss(&self, loss: &Tensor) -> Result<Tensor> {
        let loss = self.inner.try_scale_loss(loss)?;
        try_multiply(&loss, cast_to(&self.dynamic_scale.value(), loss.dtype())?)
    }

    fn name(&self) -> &str {
        &self.name
    }

    forwarded!(state | this | this.inner);
}

impl<O: Optimizer> Module for LossScaleOptimizer<O> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("dynamic_growth_steps", &self.dynamic_growth_steps);
        fields.field("iterations", &self.own[0]);
        fields.field("learning_rate", &self.own[1]);
        fields.field("step_counter", &self.step_counter);
        fields.field("dynamic_scale", &self.dynamic_scale);
        fields.field("inner_optimizer", &self.inner);
    }
}
