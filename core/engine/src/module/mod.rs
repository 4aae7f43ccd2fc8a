//! Modules: structs of layers, variables and settings, whose variables are found and whose identity is compared.
//! `#[derive(Module)]` writes [`Module::visit`]; optimizers, checkpoints and traced functions read what it visits.

mod build;
mod collections;
mod counters;
mod deferred;
mod duplicate;
mod field_options;
mod fields;
mod freezing;
mod input_spec;
mod lazy;
mod list_errors;
mod objects;
mod random_state;
mod saved_state;
mod skipped;
mod state_bytes;
mod states;
mod submodules;
#[cfg(test)]
mod tests;
mod values;

pub use build::{build, try_build};
pub use deferred::DeferredValue;
pub use duplicate::{Copies, Duplicate};
pub use field_options::FieldOptions;
pub use fields::{Fields, Signature};
pub(crate) use fields::{Name, Path, Sink, visit};
pub(crate) use freezing::{differ_in_training, word_of};
pub use input_spec::InputSpec;
pub use lazy::LazyVariable;
pub use objects::{Child, DeferredSlots, End, Object, ObjectGraph, SlotName, SlotTable};
pub use saved_state::{Prepared, SavedState, StateValue};
pub use skipped::{Changing, Skipped, SkippedChanging, SkippedOther};
pub use state_bytes::{StateReader, StateWriter};
pub use states::{commit_states, prepare_states, save_states};
pub use submodules::{ParamCount, Submodule};

use crate::variable::Variable;
use fields::Named;
use freezing::Freeze;
use kernels::error::{OrFail, Result};
use std::panic::Location;
use submodules::Submodules;

/// A tree of variables and settings: a layer, a model, an optimizer, or a plain field of one.
///
/// Derive it: every field is visited in the order of the declaration. Variables and tensors may be nested in
/// `Option`, `Vec`, maps, pointers, cells, arrays, tuples and other modules; numbers, texts and derived enums are settings, which make
/// the [`signature`](Self::signature). Items of a map go by what their keys are displayed as, in the order of the keys.
///
/// `#[module(skip)]` leaves a field out; `#[module(value)]` takes any `Hash` type as a setting. `#[module(not_trainable)]` leaves all
/// variables below a field out of the trainable ones. `#[module(name = "..")]` gives it another name in paths and checkpoints,
/// `#[module(renamed_from = "..")]`, which may be repeated, tells the names that it had before.
///
/// What a field that is left out holds in a `Cell`, a `RefCell` or an atomic number must not change in a branch or loop of a traced
/// function, which is recorded once: that is an error. Of other types a warning says that it cannot be seen.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Fields, Module, Variable};
/// struct Dense { kernel: Variable, bias: Option<Variable>, rate: f32 }
/// impl Module for Dense {
///     fn visit(&self, fields: &mut Fields<'_>) {
///         fields.field("kernel", &self.kernel);
///         fields.field("bias", &self.bias);
///         fields.field("rate", &self.rate);
///     }
/// }
/// let net = vec![Dense { kernel: Variable::new([[1.0]]), bias: None, rate: 0.5 }];
/// assert_eq!(net.named_variables()[0].0, "0/kernel");
/// assert_eq!(net.trainable_variables().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a module",
    label = "`Module` is not implemented for `{Self}`",
    note = "derive `Module` for it; or mark the field with `#[module(value)]` if it is a setting that implements `Hash`, or with `#[module(skip)]` if it does not matter"
)]
pub trait Module {
    /// Names every field in turn, see [`Fields`]; the derive macro writes it.
    fn visit(&self, fields: &mut Fields<'_>);

    /// All variables in the order of the fields, each once.
    ///
    /// # Panics
    /// As [`try_variables`](Self::try_variables) fails.
    #[track_caller]
    fn variables(&self) -> Vec<Variable> {
        self.try_variables().or_fail()
    }

    /// All variables in the order of the fields, each once.
    ///
    /// # Errors
    /// FailedPrecondition while a layer is not built yet, with its path: layers make their variables when they are called
    /// first, and a list taken before would miss them for good. [`built_variables`](Self::built_variables) lists what is there.
    /// InvalidArgument where two variables have one path, as by keys of a map that are displayed alike.
    #[track_caller]
    fn try_variables(&self) -> Result<Vec<Variable>> {
        let here = Location::caller();
        let all = Named::of(self).complete("variables").map_err(|e| e.at(here))?;
        Ok(all.into_iter().map(|(_, variable)| variable).collect())
    }

    /// The variables that tapes watch and optimizers update: without those that are not made for it, that are
    /// [frozen](Self::set_trainable), or that lie below a field that is `#[module(not_trainable)]`, on whatever way they are reached.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, layers::Dense};
    /// let net = (Dense::new(4), Dense::new(1));
    /// let early = net.try_trainable_variables().unwrap_err().to_string();
    /// assert!(early.contains("the layer `0` is not built yet"));
    /// net.1.call(net.0.call(tf::ones([2, 3])));
    /// assert_eq!(net.trainable_variables().len(), 4);
    /// ```
    ///
    /// # Panics
    /// As [`try_trainable_variables`](Self::try_trainable_variables) fails.
    #[track_caller]
    fn trainable_variables(&self) -> Vec<Variable> {
        self.try_trainable_variables().or_fail()
    }

    /// The variables that tapes watch and optimizers update.
    ///
    /// # Errors
    /// As [`try_variables`](Self::try_variables).
    #[track_caller]
    fn try_trainable_variables(&self) -> Result<Vec<Variable>> {
        let here = Location::caller();
        Named::of(self).trained("trainable_variables", true).map_err(|e| e.at(here))
    }

    /// The variables that are not trained: those made so, as running means, frozen ones, and all below a field that is
    /// `#[module(not_trainable)]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, Variable};
    /// #[derive(Module)]
    /// struct Agent {
    ///     online: Variable,
    ///     #[module(not_trainable)]
    ///     target: Variable,
    /// }
    /// let agent = Agent { online: Variable::new(1.0), target: Variable::new(1.0) };
    /// assert_eq!(agent.trainable_variables()[0].id(), agent.online.id());
    /// assert_eq!(agent.non_trainable_variables()[0].id(), agent.target.id());
    /// ```
    ///
    /// # Panics
    /// As [`try_non_trainable_variables`](Self::try_non_trainable_variables) fails.
    #[track_caller]
    fn non_trainable_variables(&self) -> Vec<Variable> {
        self.try_non_trainable_variables().or_fail()
    }

    /// The variables that are not trained.
    ///
    /// # Errors
    /// As [`try_variables`](Self::try_variables).
    #[track_caller]
    fn try_non_trainable_variables(&self) -> Result<Vec<Variable>> {
        let here = Location::caller();
        Named::of(self).trained("non_trainable_variables", false).map_err(|e| e.at(here))
    }

    /// The variables with their paths, such as `"layers/0/kernel"`; a shared one is listed at its first place.
    ///
    /// # Panics
    /// As [`try_named_variables`](Self::try_named_variables) fails.
    #[track_caller]
    fn named_variables(&self) -> Vec<(String, Variable)> {
        self.try_named_variables().or_fail()
    }

    /// The variables with their paths; a shared one is listed at its first place.
    ///
    /// # Errors
    /// As [`try_variables`](Self::try_variables).
    #[track_caller]
    fn try_named_variables(&self) -> Result<Vec<(String, Variable)>> {
        let here = Location::caller();
        Named::of(self).complete("named_variables").map_err(|e| e.at(here))
    }

    /// The variables that there are so far, with their paths: without those of layers that are not built yet.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, layers::Dense};
    /// let net = (Dense::new(4), Dense::new(1));
    /// net.0.build([1, 3]);
    /// let paths: Vec<String> = net.built_variables().into_iter().map(|(path, _)| path).collect();
    /// assert_eq!(paths, ["0/kernel", "0/bias"]);
    /// ```
    fn built_variables(&self) -> Vec<(String, Variable)> {
        Named::of(self).built
    }

    /// What lists of [`submodules`](Self::submodules) call it, the name of its type. It is none for what is a part of the module
    /// around it: a variable, a setting, or a collection, whose items are listed by themselves.
    fn module_name(&self) -> Option<&'static str> {
        Some(std::any::type_name::<Self>())
    }

    /// The modules within this one, at any depth, in the order of the fields: TensorFlow's `tf.Module.submodules`.
    ///
    /// Layers without variables are among them; settings, collections and the module itself are not. One that has variables is listed
    /// once, at its first place, however many fields hold it or a clone that shares its variables.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, layers::{Dense, Flatten}};
    /// #[derive(Module)]
    /// struct Net { flatten: Flatten, trunk: Dense, heads: Vec<(Dense, Dense)> }
    /// let trunk = Dense::new(4);
    /// let net = Net { flatten: Flatten::new(), trunk: trunk.clone(), heads: vec![(trunk, Dense::new(1))] };
    /// let all = net.submodules();
    /// let paths: Vec<&str> = all.iter().map(|module| module.path.as_str()).collect();
    /// assert_eq!(paths, ["flatten", "trunk", "heads/0/1"]);
    /// assert!(all[1].type_name.ends_with("Dense") && !all[1].is_built);
    /// ```
    fn submodules(&self) -> Vec<Submodule> {
        Submodules::of(self)
    }

    /// How many numbers the variables have, those that are trained and the others: Keras's `count_params`.
    ///
    /// # Panics
    /// As [`try_count_params`](Self::try_count_params) fails.
    #[track_caller]
    fn count_params(&self) -> ParamCount {
        self.try_count_params().or_fail()
    }

    /// How many numbers the variables have.
    ///
    /// # Errors
    /// As [`try_variables`](Self::try_variables).
    #[track_caller]
    fn try_count_params(&self) -> Result<ParamCount> {
        let here = Location::caller();
        ParamCount::of(self).map_err(|e| e.at(here))
    }

    /// Freezes all variables of the module, or takes that back: Keras's `layer.trainable = False`.
    ///
    /// Layers that are not built yet remember it, so that variables which they make later are frozen too. Variables that were made not
    /// trainable, as running means, stay so. It does not reach below a field that is `#[module(not_trainable)]`, nor to the slots of an
    /// optimizer. What a frozen variable is to tapes, optimizers and traced functions says
    /// [`Variable::set_trainable`](crate::Variable::set_trainable).
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, layers::Dense};
    /// #[derive(Module)]
    /// struct Net { trunk: Dense, head: Dense }
    /// let net = Net { trunk: Dense::new(8), head: Dense::new(1) };
    /// net.trunk.set_trainable(false);
    /// net.head.call(net.trunk.call(tf::ones([2, 4])));
    /// assert_eq!(net.trainable_variables().len(), 2);
    /// net.set_trainable(true);
    /// assert_eq!(net.trainable_variables().len(), 4);
    /// ```
    fn set_trainable(&self, trainable: bool) {
        self.visit(&mut Fields { path: Path::ROOT, sink: &mut Freeze(!trainable) });
    }

    /// What tells two states of a module apart when a function is traced: which variables it holds, and the values of
    /// its settings, and which variables are trained. A variable that is yet to be built counts by its place, so building it changes nothing.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, Variable};
    /// let v = Variable::new(1.0);
    /// let before = (v.clone(), 0.5f32).signature();
    /// v.assign(&tf::constant(2.0));
    /// assert_eq!(before, (v.clone(), 0.5f32).signature());
    /// assert_ne!(before, (v, 0.6f32).signature());
    /// ```
    fn signature(&self) -> Signature {
        let mut words = Signature(Vec::new());
        if let Some(name) = self.module_name() {
            words.0.push(fields::word_of_type(name));
        }
        self.visit(&mut Fields { path: Path::ROOT, sink: &mut words });
        words
    }
}
