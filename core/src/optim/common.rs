//! What all optimizers share: the options that Keras gives each of them, and the way of a step through them.
//! Each optimizer holds a [`Common`] and hands itself, a [`Method`], to it at every step.

use super::batch::Batch;
use super::gradients::{Warned, pairs};
use super::ids::{Ids, Patterns};
use super::rules::Decay;
use super::slots::{ACCUMULATOR, Slots, ZEROS};
use super::{LearningRate, Rate};
use engine::library::{Named, Rule, SlotName, apply_gradient_descent, apply_rule, constraint_of};
use engine::{Duplicate, Fields, Gradients, IndexedRows, Module, Tensor, Variable};
use engine::{try_cast, try_clip_by_global_norm, try_clip_by_norm, try_clip_by_value, try_equal};
use kernels::dtype::DType;
use kernels::error::Result;
use std::cell::RefCell;
use std::panic::Location;
use std::sync::Arc;

/// What is added up apart where the gradient is rows of an embedding that may come several times: Keras takes these of each part, a
/// dense gradient would give those of the sum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    Nothing,
    Squares,
    Magnitudes,
}

/// What is an optimizer's own in a step.
pub(super) trait Method {
    /// What it shares with all others.
    fn common(&self) -> &Common;

    /// Moves variables and slots by dense gradients.
    ///
    /// # Errors
    /// What the operations answer.
    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()>;

    /// Makes what must be there before the first step changes anything.
    #[track_caller]
    fn build(&self, _variables: &[Variable]) -> Result<()> {
        Ok(())
    }

    /// What happens once in each step, before any variable moves.
    #[track_caller]
    fn begin(&self, _step: &Step<'_>) -> Result<()> {
        Ok(())
    }

    /// What it needs of the parts of rows.
    fn parts(&self) -> Parts {
        Parts::Nothing
    }

    /// Moves the rows of a variable that have a gradient, if all others stay as they are; answers whether it did.
    #[track_caller]
    fn rows(&self, _variable: &Variable, _rows: &IndexedRows, _step: &Step<'_>) -> Result<bool> {
        Ok(false)
    }

    /// How fast a variable decays beside its gradient.
    fn decay(&self, _variable: &Variable) -> Option<f64> {
        self.common().weight_decay
    }

    /// Whether any variable decays.
    fn decays(&self) -> bool {
        self.common().weight_decay.is_some()
    }
}

/// What a method is given in a step.
pub(super) struct Step<'a> {
    pub variables: &'a [Variable],
    pub gradients: &'a [Tensor],
    /// What was added up of the parts of rows, where the gradients are such.
    pub parts: Option<&'a [Tensor]>,
    /// The rate of this step, a `float32` scalar.
    pub rate: &'a Tensor,
    /// How many steps there were, an `int64` scalar.
    pub iterations: &'a Tensor,
}

impl Step<'_> {
    /// One step of a rule that is given the gradients, and their parts where there are some.
    #[track_caller]
    pub fn run(&self, rule: Arc<dyn Rule>, numbers: &[&Tensor], slots: &[&[Variable]]) -> Result<()> {
        match self.parts {
            Some(parts) => apply_rule(&rule, numbers, self.variables, slots, &[self.gradients, parts]),
            None => apply_rule(&rule, numbers, self.variables, slots, &[self.gradients]),
        }
    }

    /// The number of this step, counted from 1, as a `float32` scalar.
    #[track_caller]
    pub fn number(&self) -> Result<Tensor> {
        Ok(try_cast(self.iterations, DType::F32)? + 1.0)
    }
}

/// How gradients are clipped.
#[derive(Clone, Copy, PartialEq, Debug, Duplicate)]
pub(super) enum Clip {
    Nothing,
    Norm(f64),
    Value(f64),
    GlobalNorm(f64),
}

/// Options and state of every optimizer.
#[derive(Debug, Duplicate)]
pub(super) struct Common {
    pub kind: &'static str,
    pub name: String,
    pub learning_rate: LearningRate,
    pub iterations: Variable,
    pub slots: Slots,
    pub clip: Clip,
    pub weight_decay: Option<f64>,
    pub excluded: Ids,
    pub excluded_names: Patterns,
    pub use_ema: bool,
    pub ema_momentum: f64,
    pub ema_overwrite_frequency: Option<usize>,
    pub loss_scale_factor: Option<f64>,
    pub gradient_accumulation_steps: Option<usize>,
    #[duplicate(default)]
    warned: Warned,
}

impl Common {
    /// Of a kind of optimizers, with the names of its slots and of variables of its own.
    #[track_caller]
    pub fn new(
        kind: &'static str,
        rate: impl Into<Rate>,
        names: &'static [SlotName],
        own: &'static [&'static str],
    ) -> Result<Self> {
        let name = kind.to_lowercase();
        let iterations = Variable::with(Tensor::from(0i64), format!("{name}/iterations"), false);
        Ok(Self {
            kind,
            name,
            learning_rate: LearningRate::new(kind, rate.into(), &iterations)?,
            iterations,
            slots: Slots::new(names, own),
            clip: Clip::Nothing,
            weight_decay: None,
            excluded: Ids::default(),
            excluded_names: Patterns::default(),
            use_ema: false,
            ema_momentum: 0.99,
            ema_overwrite_frequency: None,
            loss_scale_factor: None,
            gradient_accumulation_steps: None,
            warned: Warned::default(),
        })
    }

    /// One step. Generic, since the caller's line does not reach through a trait object.
    #[track_caller]
    pub fn apply<M: Method>(&self, method: &M, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let pairs = pairs(self.kind, gradients, variables, Some(&self.warned))?;
        let mut batch = Batch::of(&pairs);
        method.build(variables)?;
        let mut iterations = self.iterations.value();
        if let Some(scale) = self.loss_scale_factor {
            batch.map(|gradient| Ok(gradient / scale))?;
        }
        match self.gradient_accumulation_steps {
            None => self.update(method, &mut batch, &iterations)?,
            Some(steps) => {
                let due = try_equal((&iterations + 1i64) % steps as i64, 0i64)?;
                iterations = iterations / steps as i64;
                self.accumulate(method, batch, &iterations, steps, due)?;
            }
        }
        if self.use_ema {
            self.average(variables, &iterations)?;
        }
        for (variable, _) in &pairs {
            if let Some(constraint) = constraint_of(variable) {
                variable.try_assign(constraint.project(&variable.value())?)?;
            }
        }
        // Its variable changes in place only if nobody else holds the value.
        drop(iterations);
        self.iterations.try_assign_add(Tensor::from(1i64))
    }

    /// Clips, decays and moves.
    #[track_caller]
    fn update<M: Method>(&self, method: &M, batch: &mut Batch, iterations: &Tensor) -> Result<()> {
        self.clip(method, batch)?;
        let rate = &self.learning_rate.try_value()?;
        if method.decays() {
            self.decay(method, batch, rate)?;
        }
        let nothing = Step { variables: &[], gradients: &[], parts: None, rate, iterations };
        method.begin(&nothing)?;
        if !batch.variables.is_empty() {
            method.update(&Step { variables: &batch.variables, gradients: &batch.gradients, ..nothing })?;
        }
        if batch.rows.is_empty() {
            return Ok(());
        }
        let mut others = Vec::new();
        for (variable, rows) in &batch.rows {
            if !method.rows(variable, rows, &nothing)? {
                others.push((variable, rows));
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        let (variables, gradients, parts) = Batch::dense(&others, method.parts())?;
        let parts = parts.as_deref();
        method.update(&Step { variables: &variables, gradients: &gradients, parts, ..nothing })
    }

    #[track_caller]
    fn clip<M: Method>(&self, method: &M, batch: &mut Batch) -> Result<()> {
        match self.clip {
            Clip::Norm(most) if most > 0.0 => batch.map(|gradient| try_clip_by_norm(gradient, most, ())),
            Clip::Value(most) if most > 0.0 => batch.map(|gradient| try_clip_by_value(gradient, -most, most)),
            Clip::GlobalNorm(most) if most > 0.0 => {
                let (clipped, _) = try_clip_by_global_norm(batch.tensors(), most)?;
                batch.put(clipped);
                // Keras makes rows dense here: what counts of their parts is then that of their sum.
                if method.parts() != Parts::Nothing {
                    batch.make_dense()?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    #[track_caller]
    fn decay<M: Method>(&self, method: &M, batch: &Batch, rate: &Tensor) -> Result<()> {
        let mut alike: Vec<(f64, Vec<Variable>)> = Vec::new();
        for variable in batch.all() {
            let Some(decay) = method.decay(variable) else { continue };
            if self.excluded.has(variable.id()) || self.excluded_names.find_in(&variable.label()) {
                continue;
            }
            match alike.iter_mut().find(|(other, _)| *other == decay) {
                Some((_, variables)) => variables.push(variable.clone()),
                None => alike.push((decay, vec![variable.clone()])),
            }
        }
        for (decay, variables) in alike {
            apply_rule(&(Arc::new(Decay(decay)) as _), &[rate], &variables, &[], &[])?;
        }
        Ok(())
    }

    /// Adds gradients up, and moves by their mean when enough have come.
    #[track_caller]
    fn accumulate<M: Method>(
        &self,
        method: &M,
        mut batch: Batch,
        iterations: &Tensor,
        steps: usize,
        due: Tensor,
    ) -> Result<()> {
        batch.make_dense()?;
        let batch = &batch;
        let [sums] = self.slots.of([(ACCUMULATOR, ZEROS)], &batch.variables)?;
        let add = || apply_gradient_descent(&sums, &batch.gradients, &Tensor::from(-1.0f32));
        let step = || {
            let mut means = Vec::with_capacity(sums.len());
            for (gradient, sum) in batch.gradients.iter().zip(&sums) {
                means.push((gradient + sum.value()) / steps as f64);
            }
            let mut mean = Batch { variables: batch.variables.clone(), gradients: means, rows: Vec::new() };
            self.update(method, &mut mean, iterations)?;
            for sum in &sums {
                sum.try_assign(engine::try_zeros_like(sum.value())?)?;
            }
            Ok(())
        };
        branch(&due, step, add)
    }

    /// Tells a module's fields of everything.
    pub fn visit(&self, fields: &mut Fields<'_>) {
        let bits = |x: Option<f64>| x.map(f64::to_bits);
        let clip = match self.clip {
            Clip::Nothing => (0u8, 0),
            Clip::Norm(most) => (1, most.to_bits()),
            Clip::Value(most) => (2, most.to_bits()),
            Clip::GlobalNorm(most) => (3, most.to_bits()),
        };
        fields.value(&(clip, bits(self.weight_decay), bits(self.loss_scale_factor), self.gradient_accumulation_steps));
        fields.value(&(self.use_ema, self.ema_momentum.to_bits(), self.ema_overwrite_frequency));
        self.excluded.visit(fields);
        self.excluded_names.visit(fields);
        fields.field("iterations", &self.iterations);
        fields.field("learning_rate", &self.learning_rate);
        self.slots.visit(fields);
    }
}

/// One of two ways, chosen by a truth value; in a traced function a branch of the graph. What a way refuses is refused.
#[track_caller]
pub(super) fn branch(
    chosen: &Tensor,
    then: impl FnOnce() -> Result<()>,
    otherwise: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let here = Location::caller();
    // A branch of the graph has no place for an error, and it is known while the branch is recorded.
    let refused = RefCell::new(None);
    let note = |result: Result<()>| {
        if let Err(error) = result {
            refused.borrow_mut().get_or_insert(error);
        }
    };
    engine::cond(chosen, || note(then()), || note(otherwise()));
    refused.into_inner().map_or(Ok(()), |error| Err(error.at(here)))
}
