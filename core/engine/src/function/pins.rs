//! The trace under way on a thread, and its pins: open sizes that the program read as numbers, with the lines that did.
//! A pinned trace serves calls with that number alone, and the reason of the next one names the line.

use super::created_variables::CreatedVariable;
use super::eager_draws::Drawn;
use super::identity::Reads;
use super::listener::Listener;
use super::operands::{Learnt, OperandNames};
use super::signature::Sizes;
use crate::execute::{InGradient, NameScope, Owner, set_listener};
use crate::graph::size_mismatch::check_recorded;
use crate::op::{Facts, Op};
use crate::tape::Unseen;
use crate::tensor::Resource;
use crate::tensor::{ReadHook, Tensor, TensorType, set_read_hook};
use kernels::error::{Error, Result};
use kernels::shape::{Constraints, Dim, PinHook, Symbol, set_pin_hook};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Weak;

/// An open size that was read as a number.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    pub size: Dim,
    pub number: usize,
    pub location: &'static Location<'static>,
}

impl Pin {
    /// Whether a call has the number that was read.
    pub fn holds(&self, sizes: &Sizes) -> bool {
        number(self.size, sizes) == Some(self.number)
    }
}

fn number(size: Dim, sizes: &Sizes) -> Option<usize> {
    size.bind(&|symbol| find(sizes, symbol)).ok()?.known_value()
}

/// Whether sizes that an operation wants equal are so in the call that is traced: else its error is raised at the user's
/// line, as it is where functions run operation by operation.
pub(super) fn check_sizes(op: &dyn Op, inputs: &[&TensorType], facts: &dyn Facts, equal: &Constraints) -> Result<()> {
    CURRENT.with_borrow(|all| match all.last() {
        Some(current) => check_recorded(op, inputs, facts, equal, &|symbol| find(&current.sizes, symbol)),
        None => Ok(()),
    })
}

/// The number of a symbol.
pub(super) fn find(sizes: &Sizes, symbol: Symbol) -> Option<usize> {
    sizes.iter().find(|(s, _)| *s == symbol).map(|(_, number)| *number)
}

pub(super) struct Current {
    sizes: Sizes,
    pins: Vec<Pin>,
    owned: Vec<CreatedVariable>,
    /// The variables that the program makes while it is recorded, by id.
    made: Vec<u64>,
    reads: Reads,
    pub drawn: Drawn,
    /// How many random draws of each kind the graph has.
    draws: HashMap<String, usize>,
    pub learnt: Learnt,
}

thread_local! {
    static CURRENT: RefCell<Vec<Current>> = const { RefCell::new(Vec::new()) };
}

/// Shows the trace under way, if there is one.
pub(super) fn current<R>(show: impl FnOnce(&mut Current) -> R) -> Option<R> {
    CURRENT.with_borrow_mut(|all| all.last_mut().map(show))
}

/// What one of the traces under way answers, the innermost first.
pub(super) fn any_trace<R>(ask: impl Fn(&Current) -> Option<R>) -> Option<R> {
    CURRENT.with_borrow(|all| all.iter().rev().find_map(ask))
}

/// Shows all traces under way, one in the other.
pub(super) fn each_current(show: impl FnMut(&mut Current)) {
    CURRENT.with_borrow_mut(|all| all.iter_mut().for_each(show));
}

/// While it lives, a trace is being made on this thread: outer tapes see nothing, and open sizes may be read.
pub(crate) struct Tracing {
    _unseen: Unseen,
    /// What is recorded is used again, whoever's gradient asks for it first.
    _gradient: InGradient,
    /// Scopes around a call are none of the function's.
    _scope: NameScope,
    hook: Option<PinHook>,
    watched: Option<ReadHook>,
}

impl Tracing {
    pub fn start(sizes: Sizes) -> Self {
        let current = Current {
            sizes,
            pins: Vec::new(),
            owned: Vec::new(),
            made: Vec::new(),
            reads: Reads::default(),
            drawn: Drawn::default(),
            draws: HashMap::new(),
            learnt: Learnt::default(),
        };
        set_listener(&Listener);
        CURRENT.with_borrow_mut(|all| all.push(current));
        let watched = set_read_hook(Some(read_elements));
        let (_unseen, _gradient, _scope) = (Unseen::start(), InGradient::of(None), NameScope::of(None));
        Self { _unseen, _gradient, _scope, hook: set_pin_hook(Some(read)), watched }
    }

    /// The pins so far.
    pub fn pins(&self) -> Vec<Pin> {
        CURRENT.with_borrow(|all| all.last().map(|c| c.pins.clone()).unwrap_or_default())
    }

    /// Whose elements were read so far.
    pub fn reads(&self) -> Reads {
        CURRENT.with_borrow_mut(|all| all.last_mut().map(|c| std::mem::take(&mut c.reads)).unwrap_or_default())
    }

    /// What operations are given, in the user's words.
    pub fn operands(&self) -> OperandNames {
        CURRENT.with_borrow(|all| all.last().map(|c| c.learnt.operands()).unwrap_or_default())
    }

    /// Whether the program made this variable while it was recorded.
    pub fn has_made(&self, id: u64) -> bool {
        CURRENT.with_borrow(|all| all.last().is_some_and(|c| c.made.contains(&id)))
    }

    /// The variables that layers and optimizers made for themselves so far.
    pub fn owned(&self) -> Vec<CreatedVariable> {
        CURRENT.with_borrow(|all| all.last().map(|c| c.owned.clone()).unwrap_or_default())
    }
}

/// Tells the trace under way, if there is one, that code runs at once which may read the elements of any tensor.
pub(super) fn note_scope() {
    CURRENT.with_borrow_mut(|all| all.iter_mut().for_each(|current| current.reads.any = true));
}

/// Counts a random draw that is recorded; answers how many of its kind there were before in the trace under way.
pub(super) fn nth_draw(kind: &str) -> Option<usize> {
    current(|current| {
        let count = current.draws.entry(kind.to_owned()).or_default();
        *count += 1;
        *count - 1
    })
}

/// Notes that elements were read, which a trace has as they were.
fn read_elements(id: u64, location: Option<&'static Location<'static>>) {
    CURRENT.with_borrow_mut(|all| {
        for current in all {
            current.reads.of.entry(id).or_insert(location);
        }
    });
}

/// Tells the trace under way, if there is one, whose a new variable is.
pub(super) fn note_owner(handle: &Tensor, owner: Weak<dyn Owner>) {
    CURRENT.with_borrow_mut(|all| {
        if let Some(current) = all.last_mut() {
            let name = handle.as_object::<Resource>().map_or(String::new(), |resource| resource.name.clone());
            current.owned.push(CreatedVariable { id: handle.id(), name, owner });
        }
    });
}

/// Tells the trace under way that the program makes a variable while it is recorded.
pub(super) fn note_made(handle: &Tensor) {
    CURRENT.with_borrow_mut(|all| all.iter_mut().for_each(|current| current.made.push(handle.id())));
}

impl Drop for Tracing {
    fn drop(&mut self) {
        set_pin_hook(self.hook);
        set_read_hook(self.watched);
        CURRENT.with_borrow_mut(Vec::pop);
    }
}

/// Answers an open size with its number in the call that is traced, and notes that the trace depends on it.
fn read(size: Dim, location: &'static Location<'static>) -> Result<usize> {
    let found = CURRENT.with_borrow_mut(|all| {
        let current = all.last_mut()?;
        let number = number(size, &current.sizes)?;
        if current.pins.iter().all(|p| p.size != size) {
            current.pins.push(Pin { size, number, location });
        }
        Some(number)
    });
    found.ok_or_else(|| {
        Error::failed_precondition("shape", format!("the size {size} is known only when the graph runs"))
            .at(location)
            .expected("a size that follows from the arguments, where the program needs a number")
            .help("compute with `x.dim(i)` instead, which stays a size, or with tensors")
    })
}
