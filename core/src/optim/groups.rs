//! `Groups`: several optimizers, each with its variables, as one: a head that learns faster than what lies below it.
//! Keras's `MultiOptimizer`, with groups by module or list instead of by path.

use super::gradients::pairs;
use super::ids::Ids;
use super::{LearningRate, Optimizer};
use engine::library::{Named, OrFail, gradient_at, map_gradients, options, pick_gradients};
use engine::{Copies, Duplicate, Fields, Gradients, Module, Tensor, Variable, try_multiply};
use kernels::error::{Error, Result};
use std::fmt;
use std::panic::Location;

/// An optimizer that can be copied behind a pointer.
trait Member: Optimizer {
    fn copied(&self, copies: &mut Copies) -> Box<dyn Member>;
}

impl<O: Optimizer + Duplicate + 'static> Member for O {
    fn copied(&self, copies: &mut Copies) -> Box<dyn Member> {
        Box::new(self.duplicate_in(copies))
    }
}

/// Variables with an optimizer of their own.
struct Group {
    ids: Ids,
    optimizer: Box<dyn Member>,
}

/// Optimizers for groups of variables, and one for all others.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adam, Groups, Optimizer, SGD};
/// let (body, head) = (tf::Variable::new(1.0), tf::Variable::new(1.0));
/// let optimizer = Groups::new(Adam::new(1e-3)).with(&head, SGD::new(0.5));
/// optimizer.apply_gradients(&[tf::constant(1.0), tf::constant(1.0)].into_iter().collect(), &[body.clone(), head.clone()]);
/// assert!((body.value().item::<f32>() - 0.999).abs() < 1e-6);
/// assert_eq!(head.value().item::<f32>(), 0.5);
/// // Each has a rate of its own; that of the first is the rate of the whole.
/// optimizer.group(0).unwrap().learning_rate().set(0.25);
/// assert!((optimizer.learning_rate().get() - 1e-3).abs() < 1e-9);
/// ```
pub struct Groups {
    name: String,
    iterations: Variable,
    loss_scale_factor: Option<f64>,
    rest: Box<dyn Member>,
    groups: Vec<Group>,
}

impl Groups {
    /// One optimizer for all variables that no group has.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(rest: impl Optimizer + Duplicate + 'static) -> Self {
        Self::try_new(rest).or_fail()
    }

    /// One optimizer for all variables that no group has.
    ///
    /// # Errors
    /// InvalidArgument for an optimizer that scales losses.
    #[track_caller]
    pub fn try_new(rest: impl Optimizer + Duplicate + 'static) -> Result<Self> {
        let here = Location::caller();
        scales_nothing(&rest).map_err(|e| e.at(here))?;
        let iterations = Variable::with(Tensor::from(0i64), "groups/iterations", false);
        let (name, groups) = ("groups".into(), Vec::new());
        Ok(Self { name, iterations, loss_scale_factor: None, rest: Box::new(rest), groups })
    }

    /// Another optimizer for a module's variables, or a list of variables.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn with(self, variables: &(impl Module + ?Sized), optimizer: impl Optimizer + Duplicate + 'static) -> Self {
        self.try_with(variables, optimizer).or_fail()
    }

    /// Another optimizer for a module's variables, or a list of variables.
    ///
    /// # Errors
    /// InvalidArgument for no variables, a variable that another group has, or an optimizer that scales losses; FailedPrecondition for a
    /// module whose variables are not made yet.
    #[track_caller]
    pub fn try_with(
        mut self,
        variables: &(impl Module + ?Sized),
        optimizer: impl Optimizer + Duplicate + 'static,
    ) -> Result<Self> {
        let here = Location::caller();
        // A list of variables is no module of its own: what is listed is asked.
        let variables = Listed(variables).try_variables().map_err(|e| e.at(here))?;
        self.check(&variables, &optimizer).map_err(|e| e.at(here))?;
        let ids = variables.iter().map(Variable::id).collect();
        self.groups.push(Group { ids, optimizer: Box::new(optimizer) });
        Ok(self)
    }

    fn check(&self, variables: &[Variable], optimizer: &dyn Optimizer) -> Result<()> {
        if variables.is_empty() {
            return Err(Error::invalid_argument("Groups", "a group has no variables")
                .expected("a module with variables, or a list of them"));
        }
        for variable in variables {
            if self.groups.iter().any(|group| group.ids.has(variable.id())) {
                return Err(Error::invalid_argument("Groups", "a variable is in two groups")
                    .got(variable.wording())
                    .expected("one optimizer for each variable")
                    .variable(variable.label()));
            }
        }
        scales_nothing(optimizer)
    }

    /// What losses are multiplied with and gradients divided by, for all groups: above 0.
    ///
    /// # Panics
    /// As [`try_loss_scale_factor`](Self::try_loss_scale_factor) fails.
    #[track_caller]
    pub fn loss_scale_factor(self, factor: f64) -> Self {
        self.try_loss_scale_factor(factor).or_fail()
    }

    /// As [`loss_scale_factor`](Self::loss_scale_factor), for a value that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a number that is not above 0, or not finite.
    #[track_caller]
    pub fn try_loss_scale_factor(mut self, factor: f64) -> Result<Self> {
        let here = Location::caller();
        let factor = options::positive("Groups", "loss_scale_factor", factor).map_err(|e| e.at(here))?;
        self.loss_scale_factor = Some(factor);
        Ok(self)
    }

    /// What [`name`](Optimizer::name) answers: Keras's option `name`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The optimizer of group number `index`, in the order in which the groups were added.
    pub fn group(&self, index: usize) -> Option<&dyn Optimizer> {
        Some(&*self.groups.get(index)?.optimizer)
    }

    /// The optimizer of all variables that no group has.
    pub fn rest(&self) -> &dyn Optimizer {
        &*self.rest
    }

    /// Each optimizer with its variables' places in the list; those without any are left out.
    fn shares(&self, variables: &[Variable]) -> Vec<(&dyn Optimizer, Vec<usize>)> {
        let mut shares: Vec<(&dyn Optimizer, Vec<usize>)> = vec![(&*self.rest, Vec::new())];
        shares.extend(self.groups.iter().map(|group| (&*group.optimizer as &dyn Optimizer, Vec::new())));
        for (at, variable) in variables.iter().enumerate() {
            let group = self.groups.iter().position(|group| group.ids.has(variable.id()));
            shares[group.map_or(0, |group| group + 1)].1.push(at);
        }
        shares.retain(|(_, places)| !places.is_empty());
        shares
    }

    #[track_caller]
    fn step(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        // Nothing changes unless all fits.
        pairs("Groups", gradients, variables, None)?;
        let scaled;
        let gradients = match self.loss_scale_factor {
            None => gradients,
            Some(factor) => {
                scaled = map_gradients(gradients, &|gradient: &Tensor| Ok(gradient / factor))?;
                &scaled
            }
        };
        for (optimizer, places) in self.shares(variables) {
            if places.iter().any(|&place| gradient_at(gradients, place).is_some()) {
                optimizer.try_apply_gradients(&pick_gradients(gradients, &places), &chosen(variables, &places))?;
            }
        }
        self.iterations.try_assign_add(Tensor::from(1i64))
    }
}

fn chosen(variables: &[Variable], places: &[usize]) -> Vec<Variable> {
    places.iter().map(|&place| variables[place].clone()).collect()
}

/// An error for an optimizer that scales losses itself: there is one loss for all groups.
fn scales_nothing(optimizer: &dyn Optimizer) -> Result<()> {
    let scaled = engine::init_scope(|| Ok(optimizer.try_scale_loss(&Tensor::from(1.0f32))?.item::<f32>()))?;
    match scaled == 1.0 {
        true => Ok(()),
        false => {
            Err(Error::invalid_argument("Groups", "an optimizer of a group scales the loss, which all groups share")
                .got(format!("`{}`, which multiplies it by {scaled}", optimizer.name()))
                .help("set `loss_scale_factor` of `Groups`, or wrap it: `LossScaleOptimizer::new(Groups::new(..))`"))
        }
    }
}

/// Something as a part of a module.
struct Listed<'a, M: ?Sized>(&'a M);

impl<M: Module + ?Sized> Module for Listed<'_, M> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.0.visit(fields);
    }
}

impl Optimizer for Groups {
    #[track_caller]
    fn try_apply_gradients(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let here = Location::caller();
        self.step(gradients, variables).map_err(|e| e.at(here))
    }

    /// That of the variables which no group has; the groups' own are asked of [`Groups::group`].
    fn learning_rate(&self) -> &LearningRate {
        self.rest.learning_rate()
    }

    fn iterations(&self) -> &Variable {
        &self.iterations
    }

    fn name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn try_scale_loss(&self, loss: &Tensor) -> Result<Tensor> {
        match self.loss_scale_factor {
            Some(factor) => try_multiply(loss, factor),
            None => Ok(loss.clone()),
        }
    }

    #[track_caller]
    fn try_finalize_variable_values(&self, variables: &[Variable]) -> Result<()> {
        for (optimizer, places) in self.shares(variables) {
            optimizer.try_finalize_variable_values(&chosen(variables, &places))?;
        }
        Ok(())
    }

    #[track_caller]
    fn try_swap_averages(&self, variables: &[Variable]) -> Result<()> {
        for (optimizer, places) in self.shares(variables) {
            optimizer.try_swap_averages(&chosen(variables, &places))?;
        }
        Ok(())
    }
}

/// The groups of a copy are of the copies of the variables, where these are copied with it.
impl Duplicate for Groups {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let rest = self.rest.copied(copies);
        let groups = self.groups.iter();
        let groups = groups
            .map(|group| Group { ids: group.ids.duplicate_in(copies), optimizer: group.optimizer.copied(copies) })
            .collect();
        let iterations = self.iterations.duplicate_in(copies);
        Self { name: self.name.clone(), iterations, loss_scale_factor: self.loss_scale_factor, rest, groups }
    }
}

impl Module for Groups {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("loss_scale_factor", &self.loss_scale_factor);
        fields.field("iterations", &self.iterations);
        // The rest first, as number 0.
        let members: Vec<&dyn Module> = std::iter::once(&*self.rest as &dyn Module)
            .chain(self.groups.iter().map(|group| &*group.optimizer as &dyn Module))
            .collect();
        self.groups.iter().for_each(|group| group.ids.visit(fields));
        fields.field("_inner_optimizers", &members);
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.groups.iter().map(|group| group.optimizer.name());
        f.debug_list().entry(&self.rest.name()).entries(all).finish()
    }
}
