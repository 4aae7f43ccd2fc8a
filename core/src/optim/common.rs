//! What all optimizers share: the options that Keras gives each of them, and the way of a step through them.
//! Each optimizer holds a [`Common`] and hands itself, a [`Method`], to it at every step.

use super::batch::Batch;
use super::gradients::{Warned, pairs};
use super::ids::{Ids, Patterns};
use super::rules::{Averaged, Decay};
use super::slots::{ACCUMULATOR, AVERAGE, Slots, ZEROS};
use super::{LearningRate, Rate};
use engine::library::options;
use engine::library::{Named, Rule, SlotName, apply_gradient_descent, apply_rule, constraint_of};
use engine::{Duplicate, Fields, Gradients, IndexedRows, Module, Tensor, Variable};
use engine::{try_cast, try_clip_by_global_norm, try_clip_by_norm, try_clip_by_value, try_equal, try_not_equal};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
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
enum Clip {
    Nothing,
    Norm(f64),
    Value(f64),
    GlobalNorm(f64),
}

/// Options and state of every optimizer.
#[derive(Debug, Duplicate)]
pub(super) struct Common {
    kind: &'static str,
    pub name: String,
    pub learning_rate: LearningRate,
    pub iterations: Variable,
    pub slots: Slots,
    clip: Clip,
    pub weight_decay: Option<f64>,
    excluded: Ids,
    excluded_names: Patterns,
    pub use_ema: bool,
    ema_momentum: f64,
    ema_overwrite_frequency: Option<usize>,
    pub loss_scale_factor: Option<f64>,
    gradient_accumulation_steps: Option<usize>,
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

    /// One step.
    #[track_caller]
    pub fn apply(&self, method: &dyn Method, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let pairs = pairs(self.kind, gradients, variables, Some(&self.warned))?;
        let mut batch = Batch::of(&pairs);
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
        self.iterations.try_assign_add(Tensor::from(1i64))
    }

    /// Clips, decays and moves.
    #[track_caller]
    fn update(&self, method: &dyn Method, batch: &mut Batch, iterations: &Tensor) -> Result<()> {
        self.clip(batch)?;
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
    fn clip(&self, batch: &mut Batch) -> Result<()> {
        match self.clip {
            Clip::Norm(most) if most > 0.0 => batch.map(|gradient| try_clip_by_norm(gradient, most, ())),
            Clip::Value(most) if most > 0.0 => batch.map(|gradient| try_clip_by_value(gradient, -most, most)),
            Clip::GlobalNorm(most) if most > 0.0 => {
                let (clipped, _) = try_clip_by_global_norm(batch.tensors(), most)?;
                batch.put(clipped);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    #[track_caller]
    fn decay(&self, method: &dyn Method, batch: &Batch, rate: &Tensor) -> Result<()> {
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
    fn accumulate(
        &self,
        method: &dyn Method,
        batch: Batch,
        iterations: &Tensor,
        steps: usize,
        due: Tensor,
    ) -> Result<()> {
        let batch = batch.without_rows()?;
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

    /// Moves the averages of variables, and overwrites these with them when it is time.
    #[track_caller]
    fn average(&self, variables: &[Variable], iterations: &Tensor) -> Result<()> {
        let [averages] = self.slots.of([(AVERAGE, ZEROS)], variables)?;
        let values: Vec<Tensor> = variables.iter().map(Variable::value).collect();
        let begun = try_cast(try_not_equal(iterations, 0i64)?, DType::F32)?;
        apply_rule(&(Arc::new(Averaged(self.ema_momentum)) as _), &[&begun], &averages, &[], &[&values])?;
        drop(values);
        match self.ema_overwrite_frequency {
            None => Ok(()),
            Some(every) => {
                let due = try_equal((iterations + 1i64) % every as i64, 0i64)?;
                branch(&due, || overwrite(variables, &averages), || Ok(()))
            }
        }
    }

    /// Variables with their averages.
    fn averages_of(&self, what: &str, variables: &[Variable]) -> Result<Vec<Variable>> {
        let found = self.slots.existing(AVERAGE, variables).into_iter().zip(variables);
        let one = |(average, variable): (Option<Variable>, &Variable)| {
            average.ok_or_else(|| {
                Error::failed_precondition(self.kind, format!("{what} a variable that has no average"))
                    .got(variable.wording())
                    .expected("variables that this optimizer has moved with `use_ema(true)`")
                    .variable(variable.label())
            })
        };
        found.map(one).collect()
    }

    /// Gives variables their averages for good, where there are averages.
    #[track_caller]
    pub fn finalize(&self, variables: &[Variable]) -> Result<()> {
        match self.use_ema {
            false => Ok(()),
            true => overwrite(variables, &self.averages_of("finalize_variable_values:", variables)?),
        }
    }

    /// Exchanges variables and their averages.
    #[track_caller]
    pub fn swap(&self, variables: &[Variable]) -> Result<()> {
        if !self.use_ema {
            return Err(Error::failed_precondition(self.kind, "there are no averages to swap in")
                .help("make the optimizer with `use_ema(true)`"));
        }
        let averages = self.averages_of("swap_averages:", variables)?;
        for (variable, average) in variables.iter().zip(&averages) {
            let (value, mean) = (variable.value(), average.value());
            variable.try_assign(mean)?;
            average.try_assign(value)?;
        }
        Ok(())
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

/// The options, each checked where it is set.
impl Common {
    pub fn set_clip_norm(&mut self, most: f64) -> Result<()> {
        self.set_clip("clipnorm", Clip::Norm(options::magnitude(self.kind, "clipnorm", most)?))
    }

    pub fn set_clip_value(&mut self, most: f64) -> Result<()> {
        self.set_clip("clipvalue", Clip::Value(options::magnitude(self.kind, "clipvalue", most)?))
    }

    pub fn set_global_clip_norm(&mut self, most: f64) -> Result<()> {
        self.set_clip("global_clipnorm", Clip::GlobalNorm(options::magnitude(self.kind, "global_clipnorm", most)?))
    }

    fn set_clip(&mut self, option: &str, clip: Clip) -> Result<()> {
        let before = match self.clip {
            Clip::Nothing => None,
            Clip::Norm(_) => Some("clipnorm"),
            Clip::Value(_) => Some("clipvalue"),
            Clip::GlobalNorm(_) => Some("global_clipnorm"),
        };
        match before.filter(|before| *before != option) {
            Some(before) => Err(Error::invalid_argument(self.kind, "gradients can be clipped in one way only")
                .got(format!("`{before}` and `{option}`"))
                .expected("one of `clipnorm`, `clipvalue` and `global_clipnorm`")),
            None => {
                self.clip = clip;
                Ok(())
            }
        }
    }

    pub fn set_weight_decay(&mut self, decay: f64) -> Result<()> {
        self.weight_decay = Some(options::magnitude(self.kind, "weight_decay", decay)?);
        Ok(())
    }

    pub fn exclude(&mut self, variables: &[Variable], names: &[&str]) -> Result<()> {
        self.excluded_names = Patterns::new(self.kind, "exclude_from_weight_decay", names)?;
        self.excluded = variables.iter().map(Variable::id).collect();
        Ok(())
    }

    pub fn set_ema_momentum(&mut self, momentum: f64) -> Result<()> {
        self.ema_momentum = options::share(self.kind, "ema_momentum", momentum)?;
        Ok(())
    }

    pub fn set_ema_overwrite_frequency(&mut self, every: usize) -> Result<()> {
        self.ema_overwrite_frequency = Some(options::count(self.kind, "ema_overwrite_frequency", every)?);
        Ok(())
    }

    pub fn set_loss_scale_factor(&mut self, factor: f64) -> Result<()> {
        self.loss_scale_factor = Some(options::positive(self.kind, "loss_scale_factor", factor)?);
        Ok(())
    }

    pub fn set_accumulation(&mut self, steps: usize) -> Result<()> {
        self.gradient_accumulation_steps =
            Some(options::count_from(self.kind, "gradient_accumulation_steps", steps, 2)?);
        Ok(())
    }
}

#[track_caller]
fn overwrite(variables: &[Variable], averages: &[Variable]) -> Result<()> {
    for (variable, average) in variables.iter().zip(averages) {
        variable.try_assign(average.value())?;
    }
    Ok(())
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
