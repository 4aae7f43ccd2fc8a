//! `Muon`: momentum whose step is made orthogonal, for matrices; AdamW for all else.
//! Keras's `Muon`: the momentum by a rule, the Newton–Schulz iteration by operations, the move by another rule.

use super::common::{Common, Method, Parts, Step};
use super::ids::Patterns;
use super::rules::Scaled;
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{AdamRule, Element, Few, Formula, Named, SlotName, apply_rule, cast_to};
use engine::{Duplicate, Tensor, Variable, try_matmul, try_matrix_transpose, try_reduce_sum, try_sqrt, try_square};
use kernels::error::Result;
use kernels::scalar::{Scalar, Val};
use std::sync::Arc;

/// Steps whose singular values are all about one, for the matrices of a model. Variables that are no matrix, and those in whose name
/// is `embedding`, take steps of AdamW.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Muon, Optimizer};
/// let optimizer = Muon::new(0.1).weight_decay(0.0);
/// let w = [tf::Variable::new(tf::zeros([2, 2]))];
/// optimizer.apply_gradients(&[tf::constant([[300.0, 0.0], [0.0, 100.0]])].into_iter().collect(), &w);
/// let w = w[0].value().to_vec::<f32>();
/// assert!(w[0] < -0.01 && w[3] < -0.01 && w[1] == 0.0);
/// ```
#[derive(Debug, Duplicate)]
pub struct Muon {
    common: Common,
    adam_beta_1: f64,
    adam_beta_2: f64,
    adam_weight_decay: f64,
    adam_lr_ratio: f64,
    epsilon: f64,
    muon_a: f64,
    muon_b: f64,
    muon_c: f64,
    momentum: f64,
    ns_steps: usize,
    nesterov: bool,
    rms_rate: Option<f64>,
    exclude_embeddings: bool,
    exclude_layers: Patterns,
}

made_with_a_rate!(
    Muon,
    0.001,
    |common| {
        let mut common = common;
        common.weight_decay = Some(0.004);
        Self {
            common,
            adam_beta_1: 0.9,
            adam_beta_2: 0.999,
            adam_weight_decay: 0.004,
            adam_lr_ratio: 1.0,
            epsilon: 1e-7,
            muon_a: 3.4445,
            muon_b: -4.775,
            muon_c: 2.0315,
            momentum: 0.95,
            ns_steps: 5,
            nesterov: true,
            rms_rate: Some(0.2),
            exclude_embeddings: true,
            exclude_layers: Patterns::default(),
        }
    },
    NAMES
);
shared_options!(Muon {
    adam_beta_1,
    adam_beta_2,
    adam_weight_decay,
    adam_lr_ratio,
    epsilon,
    muon_a,
    muon_b,
    muon_c,
    momentum,
    ns_steps,
    nesterov,
    rms_rate,
    exclude_embeddings,
    exclude_layers,
});

const NAMES: &[SlotName] = slot_names!("momentum" "momentums" 2, "v" "adam_velocities" 2);

impl Muon {
    /// Whether the momentum is applied before the gradient, as Nesterov does; yes unless set.
    pub fn nesterov(mut self, nesterov: bool) -> Self {
        self.nesterov = nesterov;
        self
    }

    /// Whether variables with `embedding` in their names, in capitals or not, take steps of AdamW; yes unless set.
    pub fn exclude_embeddings(mut self, exclude: bool) -> Self {
        self.exclude_embeddings = exclude;
        self
    }

    /// How often the Newton–Schulz iteration is repeated, 5 times unless set.
    pub fn ns_steps(mut self, steps: usize) -> Self {
        self.ns_steps = steps;
        self
    }
}

options! { Muon:
    /// AdamW's mean of the gradient, 0.9 unless set: from 0 up to 1.
    pub fn adam_beta_1, try_adam_beta_1(this, beta: f64) {
        this.adam_beta_1 = options::decay("Muon", "adam_beta_1", beta)?;
        Ok(this)
    }

    /// AdamW's mean of the square, 0.999 unless set: from 0 up to 1.
    pub fn adam_beta_2, try_adam_beta_2(this, beta: f64) {
        this.adam_beta_2 = options::decay("Muon", "adam_beta_2", beta)?;
        Ok(this)
    }

    /// The decay of variables that take steps of AdamW, 0.004 unless set: 0 or more.
    pub fn adam_weight_decay, try_adam_weight_decay(this, decay: f64) {
        this.adam_weight_decay = options::magnitude("Muon", "adam_weight_decay", decay)?;
        Ok(this)
    }

    /// AdamW's rate as a share of the learning rate, 1 unless set: 0 or more.
    pub fn adam_lr_ratio, try_adam_lr_ratio(this, ratio: f64) {
        this.adam_lr_ratio = options::magnitude("Muon", "adam_lr_ratio", ratio)?;
        Ok(this)
    }

    /// What AdamW adds to the root, 1e-7 unless set: 0 or more.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        this.epsilon = options::magnitude("Muon", "epsilon", epsilon)?;
        Ok(this)
    }

    /// The first number of the iteration, 3.4445 unless set.
    pub fn muon_a, try_muon_a(this, a: f64) {
        this.muon_a = options::finite("Muon", "muon_a", a)?;
        Ok(this)
    }

    /// The second number of the iteration, -4.775 unless set.
    pub fn muon_b, try_muon_b(this, b: f64) {
        this.muon_b = options::finite("Muon", "muon_b", b)?;
        Ok(this)
    }

    /// The third number of the iteration, 2.0315 unless set.
    pub fn muon_c, try_muon_c(this, c: f64) {
        this.muon_c = options::finite("Muon", "muon_c", c)?;
        Ok(this)
    }

    /// How much of the momentum is kept, 0.95 unless set: from 0 up to 1.
    pub fn momentum, try_momentum(this, momentum: f64) {
        this.momentum = options::decay("Muon", "momentum", momentum)?;
        Ok(this)
    }

    /// The size of a step beside AdamW's, 0.2 unless set: above 0. With `None` steps are not scaled by the matrix's size.
    pub fn rms_rate, try_rms_rate(this, rate: impl Into<Option<f64>>) {
        let rate: Option<f64> = rate.into();
        this.rms_rate = rate.map(|rate| options::positive("Muon", "rms_rate", rate)).transpose()?;
        Ok(this)
    }

    /// Patterns: variables in whose name or path one is found take steps of AdamW.
    pub fn exclude_layers, try_exclude_layers(this, patterns: &[&str]) {
        this.exclude_layers = Patterns::new("Muon", "exclude_layers", patterns)?;
        Ok(this)
    }
}

/// `m = g + momentum m`
struct Momentum(f64);

impl Formula for Momentum {
    fn label(&self) -> &'static str {
        "apply_muon_momentum"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("momentum", self.0);
    }

    fn numbers(&self) -> usize {
        0
    }

    fn formula(&self, s: &Scalar, x: Element<'_>) -> Few<Val> {
        let m = x.variable;
        [s.add(m, s.add(x.given[0], s.mul(m, s.number(m, self.0 - 1.0))))].into_iter().collect()
    }
}

impl Muon {
    fn takes_adam(&self, variable: &Variable) -> bool {
        let label = variable.label();
        variable.shape().rank() != 2
            || (self.exclude_embeddings && label.to_lowercase().contains("embedding"))
            || self.exclude_layers.find_in(&label)
    }

    /// The matrix with singular values of about one, by the Newton–Schulz iteration.
    #[track_caller]
    fn orthogonal(&self, x: &Tensor) -> Result<Tensor> {
        let norm = try_sqrt(try_reduce_sum(try_square(x)?, ())?)?;
        let tall = matches!(x.shape().dims(), [rows, columns] if rows > columns);
        let mut x = if tall { try_matrix_transpose(x)? } else { x.clone() } / (norm + 1e-7);
        for _ in 0..self.ns_steps {
            let square = try_matmul(&x, try_matrix_transpose(&x)?)?;
            let both = &square * self.muon_b + try_matmul(&square * self.muon_c, &square)?;
            x = &x * self.muon_a + try_matmul(both, &x)?;
        }
        if tall { try_matrix_transpose(x) } else { Ok(x) }
    }

    #[track_caller]
    fn update_matrices(&self, step: &Step<'_>) -> Result<()> {
        let [momenta] = self.common.slots.of([(2, ZEROS)], step.variables)?;
        apply_rule(&(Arc::new(Momentum(self.momentum)) as _), &[], &momenta, &[], &[step.gradients])?;
        let (mut changes, mut rates) = (Vec::new(), Vec::new());
        for ((variable, m), gradient) in step.variables.iter().zip(&momenta).zip(step.gradients) {
            let ahead = if self.nesterov { gradient + m.value() * self.momentum } else { m.value() };
            changes.push(self.orthogonal(&ahead)?);
            let longer = variable.shape().dims().iter().copied().max().unwrap_or(1);
            let scale = self.rms_rate.map_or(1.0, |rate| (longer as f64).sqrt() * rate);
            rates.push(cast_to(step.rate, variable.dtype())? * scale);
        }
        apply_rule(&(Arc::new(Scaled) as _), &[], step.variables, &[], &[&changes, &rates])
    }

    #[track_caller]
    fn update_others(&self, step: &Step<'_>) -> Result<()> {
        let [m, v] = self.common.slots.of([(2, ZEROS), (3, ZEROS)], step.variables)?;
        let rule = AdamRule {
            beta_1: self.adam_beta_1,
            beta_2: self.adam_beta_2,
            epsilon: self.epsilon,
            amsgrad: false,
            squares: step.parts.is_some(),
        };
        let rate = step.rate * self.adam_lr_ratio;
        step.run(Arc::new(rule), &[&rate, step.iterations], &[&m, &v])
    }
}

impl Method for Muon {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    fn decays(&self) -> bool {
        true
    }

    fn decay(&self, variable: &Variable) -> Option<f64> {
        match self.takes_adam(variable) {
            true => Some(self.adam_weight_decay),
            false => self.common.weight_decay,
        }
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let (others, matrices): (Vec<usize>, Vec<usize>) =
            (0..step.variables.len()).partition(|&i| self.takes_adam(&step.variables[i]));
        for (which, adam) in [(matrices, false), (others, true)] {
            if which.is_empty() {
                continue;
            }
            let chosen = |list: &[Tensor]| which.iter().map(|&i| list[i].clone()).collect::<Vec<_>>();
            let variables: Vec<Variable> = which.iter().map(|&i| step.variables[i].clone()).collect();
            let (gradients, parts) = (chosen(step.gradients), step.parts.map(chosen));
            let part = Step { variables: &variables, gradients: &gradients, parts: parts.as_deref(), ..*step };
            match adam {
                true => self.update_others(&part)?,
                false => self.update_matrices(&part)?,
            }
        }
        Ok(())
    }
}
