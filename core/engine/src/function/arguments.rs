//! The arguments of one call as its signature is collected: tensors, variables, and words for everything else.
//! Generated code notes each argument by reference; nothing is copied but handles.

use super::signature::Leaf;
use crate::module::{self, LazyVariable, Module};
use crate::op::Operands;
use crate::structure::{LeafSink, Leaves};
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::ptr::NonNull;

/// A tensor of the arguments: a handle of the call's own, or the user's, which costs no counting.
pub(crate) enum Given {
    Own(Tensor),
    /// Lent for as long as the call lives: see [`Arguments::lend`].
    Lent(NonNull<Tensor>),
}

impl Deref for Given {
    type Target = Tensor;

    #[inline]
    fn deref(&self) -> &Tensor {
        match self {
            Self::Own(tensor) => tensor,
            // SAFETY: who lent it promised that it lives as long as the arguments are used.
            Self::Lent(tensor) => unsafe { tensor.as_ref() },
        }
    }
}

impl Given {
    /// A handle that outlives the call.
    pub fn handle(&self) -> Tensor {
        Tensor::clone(self)
    }

    /// The tensor, or a handle of it where it is the user's.
    fn into_tensor(self) -> Tensor {
        match self {
            Self::Own(tensor) => tensor,
            lent @ Self::Lent(_) => lent.handle(),
        }
    }
}

/// What a call was given.
#[derive(Default)]
pub(crate) struct Arguments {
    pub names: Vec<&'static str>,
    /// Where the tensors of each argument begin.
    pub first: Vec<usize>,
    pub tensors: Vec<Given>,
    /// Whether a tensor belongs to a module, which traces use as it is.
    pub in_module: Vec<bool>,
    pub handles: Vec<Tensor>,
    pub words: Vec<u64>,
    /// For each word its argument.
    pub owners: Vec<usize>,
    /// Words that stand for closures, and the lines that made them.
    pub lines: Vec<(usize, &'static Location<'static>)>,
    /// An argument of which nothing is known but its type, although it holds something.
    pub unknown: Option<(&'static str, &'static str)>,
}

thread_local! {
    /// Lists of calls that are over, so that a call allocates none.
    #[allow(clippy::vec_box, reason = "they move between here and calls without a copy")]
    static SPARE: RefCell<Vec<Box<Arguments>>> = const { RefCell::new(Vec::new()) };
}

/// Calls within calls deeper than this make lists of their own.
const MOST_SPARE: usize = 8;

/// Arguments whose lists are used again by a later call of the thread.
pub(crate) struct ReusedArguments(ManuallyDrop<Box<Arguments>>);

impl ReusedArguments {
    /// Without arguments yet.
    pub fn new() -> Self {
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten();
        Self(ManuallyDrop::new(spare.unwrap_or_default()))
    }
}

impl Deref for ReusedArguments {
    type Target = Arguments;

    #[inline]
    fn deref(&self) -> &Arguments {
        &self.0
    }
}

impl DerefMut for ReusedArguments {
    #[inline]
    fn deref_mut(&mut self) -> &mut Arguments {
        &mut self.0
    }
}

impl Drop for ReusedArguments {
    fn drop(&mut self) {
        // SAFETY: nobody looks at it after this.
        let mut arguments = unsafe { ManuallyDrop::take(&mut self.0) };
        // The last handle of a tensor may run code of its owner: not while the list is borrowed.
        arguments.clear();
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST_SPARE {
                spare.push(arguments);
            }
        });
    }
}

impl Arguments {
    fn clear(&mut self) {
        self.names.clear();
        self.first.clear();
        self.tensors.clear();
        self.in_module.clear();
        self.handles.clear();
        self.words.clear();
        self.owners.clear();
        self.lines.clear();
        self.unknown = None;
    }

    fn begin(&mut self, name: &'static str) {
        self.names.push(name);
        self.first.push(self.tensors.len());
    }

    fn word(&mut self, word: u64) {
        self.words.push(word);
        self.owners.push(self.names.len().saturating_sub(1));
    }

    /// Notes a structure of tensors.
    pub fn nest(&mut self, name: &'static str, visit: impl FnOnce(&mut Leaves<'_>)) {
        self.begin(name);
        visit(&mut Leaves::new(self));
    }

    /// Notes a tensor that stays the user's.
    ///
    /// # Safety
    /// The tensor is there until the arguments are dropped.
    pub unsafe fn lend(&mut self, name: &'static str, tensor: &Tensor) {
        self.begin(name);
        self.tensors.push(Given::Lent(NonNull::from(tensor)));
        self.in_module.push(false);
    }

    /// The tensors as operands, for a call in which nobody reads the arguments any more.
    pub fn operands(&mut self) -> Operands {
        self.tensors.drain(..).map(Given::into_tensor).collect()
    }

    /// Notes a module.
    pub fn module(&mut self, name: &'static str, module: &dyn Module) {
        self.begin(name);
        module::visit(module, self);
    }

    /// Notes a value of which nothing is known but its type. That is enough for one that holds nothing, as a closure
    /// without captures.
    pub fn opaque<T>(&mut self, name: &'static str) {
        self.begin(name);
        if size_of::<T>() > 0 {
            self.unknown.get_or_insert((name, std::any::type_name::<T>()));
        }
    }

    pub fn types(&self) -> SmallVec<[TensorType; 8]> {
        self.tensors.iter().map(|t| *t.ty()).collect()
    }

    /// The tensors of an argument, by their numbers.
    pub fn tensors_of(&self, argument: usize) -> std::ops::Range<usize> {
        let end = |i: usize| self.first.get(i).copied().unwrap_or(self.tensors.len());
        end(argument)..end(argument + 1)
    }

    /// Whether more handles of a module's tensor are about than the arguments have.
    pub fn held_elsewhere(&self, tensor: usize) -> bool {
        let tensor = &self.tensors[tensor];
        if tensor.handles() <= 2 {
            return false;
        }
        let own = self.tensors.iter().filter(|t| t.id() == tensor.id()).count();
        // Each of them is counted here, and in the user's structure.
        tensor.handles() > 2 * own
    }

    /// The user's name for a tensor.
    pub fn leaf_name(&self, tensor: usize) -> String {
        let argument = self.first.iter().rposition(|&first| first <= tensor).unwrap_or(0);
        let (name, own) = (self.names.get(argument).copied().unwrap_or("argument"), self.tensors_of(argument));
        if own.len() > 1 { format!("{name}.{}", tensor - own.start) } else { name.to_owned() }
    }

    /// The tensors with the user's names for them.
    pub fn leaves(&self) -> Vec<Leaf> {
        self.tensors.iter().enumerate().map(|(i, t)| Leaf { name: self.leaf_name(i), ty: *t.ty() }).collect()
    }
}

impl LeafSink for Arguments {
    fn tensor(&mut self, _: &dyn fmt::Display, tensor: &Tensor) {
        self.tensors.push(Given::Own(tensor.clone()));
        self.in_module.push(false);
    }
    fn variable(&mut self, _: &dyn fmt::Display, variable: &Variable) {
        self.word(module::word_of(variable));
        self.handles.push(crate::autodiff::Differentiable::handle(variable).clone());
    }
    fn word(&mut self, _: &dyn fmt::Display, word: u64) {
        Arguments::word(self, word);
    }
    fn made_at(&mut self, line: &'static Location<'static>) {
        self.lines.push((self.words.len().saturating_sub(1), line));
    }
}

impl module::Sink for Arguments {
    fn variable(&mut self, _: &module::Path<'_>, id: u64, variable: Option<&Variable>) {
        Arguments::word(self, variable.map_or(id, module::word_of));
        self.handles.extend(variable.map(|v| crate::autodiff::Differentiable::handle(v).clone()));
    }
    fn lazy(&mut self, _: &module::Path<'_>, place: &LazyVariable) {
        Arguments::word(self, place.word());
        self.handles.extend(place.get().map(|v| crate::autodiff::Differentiable::handle(v).clone()));
    }
    fn part(&mut self, _: &module::Path<'_>, variable: &Variable) {
        self.handles.push(crate::autodiff::Differentiable::handle(variable).clone());
    }
    fn tensor(&mut self, tensor: &Tensor) {
        self.tensors.push(Given::Own(tensor.clone()));
        self.in_module.push(true);
    }
    fn word(&mut self, word: u64) {
        Arguments::word(self, word);
    }
    fn wants_words(&self) -> bool {
        true
    }
}
