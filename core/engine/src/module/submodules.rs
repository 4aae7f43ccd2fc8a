//! The modules within a module, with their variables, and how many numbers these have.
//! `Module::submodules` and `Module::count_params` answer them.

use super::Module;
use super::fields::{Fields, Named, Path, Sink};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
use std::collections::HashSet;
use std::fmt;

/// A module within another, as [`Module::submodules`](super::Module::submodules) lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Submodule {
    /// Where it is, such as `"layers/0"`.
    pub path: String,
    /// Its type, as the compiler writes it.
    pub type_name: &'static str,
    /// Its variables that there are so far, each once; also those of the modules within it.
    pub variables: Vec<Variable>,
    /// Whether these are all: no layer within it has yet to make some.
    pub is_built: bool,
}

/// How many numbers the variables of a module have.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Module, layers::Dense};
/// let net = (Dense::new(4), Dense::new(1));
/// tf::build(&net, [None, Some(3)], |net, x| net.1.call(net.0.call(x)));
/// net.0.set_trainable(false);
/// let count = net.count_params();
/// assert_eq!((count.trainable, count.non_trainable, count.total()), (5, 16, 21));
/// assert_eq!(count.to_string(), "21 (5 trainable)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamCount {
    /// Of those that are trained.
    pub trainable: usize,
    /// Of the others.
    pub non_trainable: usize,
}

impl ParamCount {
    /// Of all: what Keras's `count_params` answers.
    pub const fn total(self) -> usize {
        self.trainable + self.non_trainable
    }

    pub(super) fn of<M: Module + ?Sized>(module: &M) -> Result<Self> {
        // States of random numbers are variables, but no parameters: Keras does not count them either.
        let drawn = |path: &str| path.rsplit('/').next() == Some("seed_generator");
        let states: HashSet<u64> =
            Named::of(module).built.iter().filter(|(path, _)| drawn(path)).map(|(_, v)| v.id()).collect();
        let counted = |v: &&Variable| !states.contains(&v.id());
        let elements = |all: Vec<Variable>| all.iter().filter(counted).map(|v| v.shape().num_elements()).sum();
        let count = |trained| Named::of(module).trained("count_params", trained).map(elements);
        Ok(Self { trainable: count(true)?, non_trainable: count(false)? })
    }
}

impl fmt::Display for ParamCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} trainable)", self.total(), self.trainable)
    }
}

/// A module that a visit has come to.
struct Found {
    shown: Submodule,
    /// Its variables and places in the order of the visit, by number.
    states: Vec<u64>,
    seen: HashSet<u64>,
    /// Whether the visit is through with it.
    closed: bool,
}

/// The modules that a visit comes to, in its order.
#[derive(Default)]
pub(super) struct Submodules {
    all: Vec<Found>,
    /// The parts that the visit is in, those that are modules by their numbers.
    open: Vec<Option<usize>>,
}

impl Submodules {
    pub fn of<M: Module + ?Sized>(module: &M) -> Vec<Submodule> {
        let mut found = Self::default();
        module.visit(&mut Fields { path: Path::ROOT, sink: &mut found });
        found.all.into_iter().map(|found| found.shown).collect()
    }

    fn state(&mut self, id: u64, variable: Option<&Variable>) {
        for &at in self.open.iter().flatten() {
            let found = &mut self.all[at];
            if found.seen.insert(id) {
                found.states.push(id);
                found.shown.is_built &= variable.is_some();
                // A variable may lie in a place and by itself.
                let new = variable.filter(|v| v.id() == id || found.seen.insert(v.id()));
                found.shown.variables.extend(new.cloned());
            }
        }
    }
}

impl Sink for Submodules {
    fn variable(&mut self, _: &Path<'_>, id: u64, variable: Option<&Variable>) {
        self.state(id, variable);
    }
    fn part(&mut self, _: &Path<'_>, variable: &Variable) {
        self.state(variable.id(), Some(variable));
    }
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
    fn wants_parts(&self) -> bool {
        true
    }
    fn enter(&mut self, path: &Path<'_>, module: Option<&'static str>) {
        let Some(type_name) = module else { return self.open.push(None) };
        let shown = Submodule { path: path.to_string(), type_name, variables: Vec::new(), is_built: true };
        self.open.push(Some(self.all.len()));
        self.all.push(Found { shown, states: Vec::new(), seen: HashSet::new(), closed: false });
    }
    fn leave(&mut self) {
        let Some(Some(at)) = self.open.pop() else { return };
        let (before, own) = self.all.split_at_mut(at);
        let own = &mut own[0];
        own.closed = true;
        // One that was listed at an earlier place, with all that is within it. Without variables nobody can tell two from one.
        let same =
            |other: &Found| other.closed && other.shown.type_name == own.shown.type_name && other.states == own.states;
        if !own.states.is_empty() && before.iter().any(same) {
            self.all.truncate(at);
        }
    }
}
