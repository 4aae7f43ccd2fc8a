//! What a model is trained with: optimizer, losses, metrics, and the running means that are reported.
//! `compile` makes it, steps are given it, and traced steps have it among their arguments.

use super::Batch;
use super::gradient_watch::{GradientWatch, Watches};
use crate::losses::Loss;
use crate::metrics::{Direction, Mean, Metric};
use crate::optim::Optimizer;
use engine::library::cast_to;
use engine::{AsTensor, Fields, Gradients, Module, Nest, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many numbers steps of a model's own may report.
const OWN_LOGS: usize = 16;

/// Optimizer, losses and metrics of a training, which steps are given.
pub struct Compiled {
    pub(super) optimizer: Option<Box<dyn Optimizer>>,
    pub(super) losses: Vec<Box<dyn Loss>>,
    pub(super) loss_weights: Option<Vec<f64>>,
    pub(super) metrics: Vec<OutputMetrics>,
    pub(super) output_names: Vec<String>,
    loss: Mean,
    /// The means of the outputs' losses, where there are several outputs.
    output_losses: Vec<Mean>,
    /// Means of what steps report themselves, and the names of those that are used.
    own: Vec<Mean>,
    own_names: Mutex<Vec<String>>,
    /// Who shows the gradients of steps.
    watches: Watches,
}

/// Metrics of one output; those that ignore weights and those that heed them.
#[derive(Default)]
pub(super) struct OutputMetrics {
    pub plain: Vec<Box<dyn Metric>>,
    pub weighted: Vec<Box<dyn Metric>>,
}

impl OutputMetrics {
    /// All metrics with their names; one that heeds weights is told from one of the same name that does not.
    fn named(&self) -> impl Iterator<Item = (&dyn Metric, String)> {
        let is_plain = |name: &str| self.plain.iter().any(|metric| metric.name() == name);
        let weighted = self.weighted.iter().map(move |metric| match metric.name() {
            name if is_plain(name) => (&**metric, format!("weighted_{name}")),
            name => (&**metric, name.to_owned()),
        });
        self.plain.iter().map(|metric| (&**metric, metric.name().to_owned())).chain(weighted)
    }
}

/// The name with a number behind it if there are others before it: `mae`, `mae_1`, `mae_2`.
fn numbered(name: String, used: &mut HashMap<String, usize>) -> String {
    let before = used.entry(name.clone()).or_default();
    *before += 1;
    match *before {
        1 => name,
        several => format!("{name}_{}", several - 1),
    }
}

/// Most outputs with a running mean of their loss.
const OUTPUTS: usize = 8;

impl Compiled {
    pub(super) fn new(optimizer: Option<Box<dyn Optimizer>>, losses: Vec<Box<dyn Loss>>) -> Self {
        Self {
            optimizer,
            losses,
            loss_weights: None,
            metrics: Vec::new(),
            output_names: Vec::new(),
            loss: Mean::new("loss"),
            output_losses: (0..OUTPUTS).map(|at| Mean::new(format!("output_{at}_loss"))).collect(),
            own: (0..OWN_LOGS).map(|_| Mean::new("own")).collect(),
            own_names: Mutex::default(),
            watches: Watches::default(),
        }
    }

    /// The optimizer.
    ///
    /// # Errors
    /// FailedPrecondition for a trainer that has none.
    pub fn optimizer(&self) -> Result<&dyn Optimizer> {
        self.optimizer.as_deref().ok_or_else(|| {
            Error::failed_precondition("fit", "the model was compiled without an optimizer").help("give `compile` one")
        })
    }

    /// The loss of a batch: the losses of all outputs by their weights, and what layers and regularizers `added`.
    ///
    /// # Errors
    /// InvalidArgument where there are not as many targets as outputs, or a loss refuses what it is given.
    #[track_caller]
    pub fn compute_loss<X: Nest>(&self, batch: &Batch<X>, outputs: &[Tensor], added: &[Tensor]) -> Result<Tensor> {
        let mut terms: Vec<Tensor> = Vec::new();
        if !self.losses.is_empty() {
            self.check(batch.y.len(), outputs.len())?;
            for (at, (target, output)) in batch.y.iter().zip(outputs).enumerate() {
                let loss = &self.losses[if self.losses.len() == 1 { 0 } else { at }];
                let mask = crate::layers::get_mask(output);
                let value = loss.try_compute(target, output, batch.weight(at), mask.as_ref())?;
                let value = cast_to(&value, DType::F32)?;
                if outputs.len() > 1 {
                    self.output_losses[at.min(OUTPUTS - 1)].try_update_state(&value, Some(&examples(target)?))?;
                }
                terms.push(match &self.loss_weights {
                    Some(weights) => value.try_multiply(weights[at])?,
                    None => value,
                });
            }
        }
        for loss in added {
            terms.push(cast_to(loss, DType::F32)?);
        }
        let mut terms = terms.into_iter();
        let Some(mut sum) = terms.next() else {
            return Err(Error::failed_precondition("fit", "there is no loss").help(
                "give `compile` a loss, add one with `layers::add_loss`, or write a `train_step` of the model's own",
            ));
        };
        for term in terms {
            sum = sum.try_add(&term)?;
        }
        Ok(sum)
    }

    /// The names of the outputs behind their number, where they have some.
    fn named_outputs(&self) -> String {
        if self.output_names.is_empty() { String::new() } else { format!(" {:?}", self.output_names) }
    }

    fn check(&self, targets: usize, outputs: usize) -> Result<()> {
        if targets != outputs {
            return Err(Error::invalid_argument("fit", "there are not as many targets as outputs")
                .got(format!("{targets} targets, {outputs} outputs"))
                .help("give `fit` a target for each output of the model, as `(&x, (&y1, &y2))`"));
        }
        if self.losses.len() != 1 && self.losses.len() != outputs {
            return Err(Error::invalid_argument("compile", "there are not as many losses as outputs")
                .got(format!("{} losses, {outputs} outputs{}", self.losses.len(), self.named_outputs()))
                .expected("one loss for all outputs, or one for each"));
        }
        if outputs > OUTPUTS && self.losses.len() > 1 {
            return Err(Error::invalid_argument("compile", "there are too many outputs with losses")
                .got(outputs)
                .expected(OUTPUTS));
        }
        match &self.loss_weights {
            Some(weights) if weights.len() != outputs => {
                Err(Error::invalid_argument("compile", "there are not as many loss weights as outputs")
                    .got(format!("{} weights, {outputs} outputs{}", weights.len(), self.named_outputs()))
                    .expected("one weight for each output"))
            }
            _ => Ok(()),
        }
    }

    /// Moves variables by gradients.
    ///
    /// # Errors
    /// As the optimizer's `try_apply_gradients`.
    #[track_caller]
    pub fn apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        self.watches.note(gradients, variables)?;
        self.optimizer()?.try_apply_gradients(gradients, variables)
    }

    /// Has steps show their gradients to a watch, or to none.
    pub(crate) fn watch_gradients(&self, watch: Option<Arc<GradientWatch>>) {
        self.watches.set(watch);
    }

    /// Takes a batch into the running loss and the metrics.
    ///
    /// # Errors
    /// InvalidArgument where targets, outputs or weights do not fit a metric.
    #[track_caller]
    pub fn update<X: Nest>(&self, batch: &Batch<X>, outputs: &[Tensor], loss: &Tensor) -> Result<()> {
        let first = super::batch::leaves(&batch.x).into_iter().chain(batch.y.iter().cloned()).next();
        let count = first.as_ref().map(examples).transpose()?;
        self.loss.try_update_state(loss, count.as_ref())?;
        for (at, metrics) in self.metrics.iter().enumerate() {
            let (Some(target), Some(output)) = (batch.y.get(at), outputs.get(at)) else {
                return Err(Error::invalid_argument(
                    "fit",
                    format!("there are metrics for output {at}, which has no target"),
                )
                .got(format!("{} targets, {} outputs", batch.y.len(), outputs.len())));
            };
            let mask = crate::layers::get_mask(output).map(|mask| cast_to(&mask, DType::F32)).transpose()?;
            for metric in &metrics.plain {
                metric.try_update_state(target, output, mask.as_ref())?;
            }
            let weight = batch.weight(at).or(mask.as_ref());
            for metric in &metrics.weighted {
                metric.try_update_state(target, output, weight)?;
            }
        }
        Ok(())
    }

    /// Reports a number of a step under a name, as the mean over the epoch: for steps of a model's own.
    ///
    /// # Errors
    /// ResourceExhausted for more than 16 names.
    #[track_caller]
    pub fn log(&self, name: &str, value: impl AsTensor) -> Result<()> {
        let mut names = self.own_names.lock().unwrap_or_else(PoisonError::into_inner);
        let at = names.iter().position(|own| own == name).unwrap_or(names.len());
        if at == names.len() {
            if at == self.own.len() {
                return Err(Error::resource_exhausted("log", "a step reports too many numbers")
                    .got(name)
                    .expected(format!("{OWN_LOGS} names")));
            }
            names.push(name.to_owned());
        }
        drop(names);
        self.own[at].try_update_state(value, None)
    }

    /// Forgets all batches: an epoch, or an evaluation, begins.
    pub fn reset(&self) {
        crate::metrics::Metric::reset_state(&self.loss);
        self.output_losses.iter().chain(&self.own).for_each(crate::metrics::Metric::reset_state);
        self.all_metrics().for_each(|metric| metric.reset_state());
    }

    fn all_metrics(&self) -> impl Iterator<Item = &Box<dyn Metric>> {
        self.metrics.iter().flat_map(|output| output.plain.iter().chain(&output.weighted))
    }

    /// Of how many outputs there are numbers.
    fn reported_outputs(&self) -> usize {
        self.metrics.len().max(if self.losses.len() > 1 { self.losses.len() } else { 0 })
    }

    fn output_name(&self, at: usize) -> String {
        self.output_names.get(at).cloned().unwrap_or_else(|| format!("output_{at}"))
    }

    /// The metrics of all outputs, by their names in the logs. One that has the name of another before it gets a number behind it.
    fn named_metrics(&self) -> Vec<(String, &dyn Metric)> {
        let several = self.reported_outputs() > 1;
        let mut used = HashMap::new();
        let mut all = Vec::new();
        for (at, output) in self.metrics.iter().enumerate() {
            for (metric, own) in output.named() {
                let name = if several { format!("{}_{own}", self.output_name(at)) } else { own };
                all.push((numbered(name, &mut used), metric));
            }
        }
        all
    }

    /// Which way a number of the logs gets better: losses down, metrics by their kind. None for others, such as what steps report themselves.
    pub(crate) fn direction(&self, name: &str) -> Option<Direction> {
        let name = name.strip_prefix("val_").unwrap_or(name);
        let metrics = self.named_metrics();
        match metrics.iter().find(|(own, _)| own == name) {
            Some((_, metric)) => metric.direction(),
            None => name.ends_with("loss").then_some(Direction::Down),
        }
    }

    /// The running numbers, in the order in which they are shown.
    ///
    /// # Errors
    /// As the metrics' `try_result`.
    pub(super) fn logs(&self, with_loss: bool) -> Result<super::Logs> {
        let mut logs = super::Logs::default();
        let names = self.own_names.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A step of a model's own may report other numbers instead, and one of evaluation may lack those of training.
        if with_loss && (names.is_empty() || self.loss.has_values()?) {
            logs.set("loss", number(&self.loss.try_result()?)?);
        }
        let outputs = self.reported_outputs();
        if outputs > 1 && with_loss {
            for (at, loss) in self.output_losses.iter().take(outputs).enumerate() {
                logs.set(format!("{}_loss", self.output_name(at)), number(&loss.try_result()?)?);
            }
        }
        for (name, metric) in self.named_metrics() {
            logs.set(name, number(&metric.try_result()?)?);
        }
        for (name, mean) in names.into_iter().zip(&self.own) {
            if mean.has_values()? {
                logs.set(name, number(&mean.try_result()?)?);
            }
        }
        Ok(logs)
    }
}

/// A result as one number: the mean of those that are lists, as Keras shows them.
fn number(result: &Tensor) -> Result<f64> {
    let wide = cast_to(result, DType::F64)?;
    let one = if wide.rank() == 0 { wide } else { wide.try_reduce_mean(())? };
    one.try_item::<f64>()
}

/// The number of examples of a batch, by its first size.
#[track_caller]
fn examples(x: &Tensor) -> Result<Tensor> {
    let one = Tensor::from(1.0f32);
    match x.rank() {
        0 => Ok(one),
        _ => one.try_multiply(x.shape().dim(0)),
    }
}

impl Module for Compiled {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("optimizer", &self.optimizer);
        fields.field("losses", &self.losses);
        fields.field("loss_weights", &self.loss_weights);
        fields.field("loss", &self.loss);
        fields.field("output_losses", &self.output_losses);
        fields.field("own", &self.own);
        fields.value(&self.watches.word());
        for (at, output) in self.metrics.iter().enumerate() {
            fields.item(at, &(&output.plain, &output.weighted));
        }
    }
}
