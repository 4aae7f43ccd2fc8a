//! The user's names of what operations are given, gathered while a function is traced: errors of a trace's runs name them.
//! Builders, branches and loops tell names of symbols; the door tells which operation uses them, at which line.

use super::pins::current;
use crate::error::{Error, Result};
use crate::op::{Op, Outputs};
use crate::tensor::Tensor;
use crate::tensor::local::LOCAL;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

/// An operation of the user's program.
type Place = (&'static str, &'static Location<'static>);

/// What a trace learns while it is made.
#[derive(Default)]
pub(super) struct Learnt {
    /// By symbol.
    names: HashMap<u64, Rc<str>>,
    /// `None` for a place that is used for several things, as a line in a function that is called twice.
    operands: HashMap<Place, Option<Rc<str>>>,
}

/// The names of operands, by operation and line.
#[derive(Default)]
pub(crate) struct OperandNames(Vec<(Place, String)>);

/// Notes the user's name of a symbol, by its id.
pub(crate) fn note_name(symbol: u64, name: impl FnOnce() -> String) {
    current(|trace| {
        trace.learnt.names.entry(symbol).or_insert_with(|| name().into());
    });
}

/// Whether anybody listens.
pub(crate) fn names_matter() -> bool {
    current(|_| ()).is_some()
}

/// Notes what an operation that was recorded is given; an error gets the names at once.
#[cold]
pub(crate) fn named(
    op: &dyn Op,
    inputs: &[&Tensor],
    at: &'static Location<'static>,
    result: Result<Outputs>,
) -> Result<Outputs> {
    // What the library does in the name of a line is nothing that the line's operands do not fit.
    if LOCAL.with(|local| local.in_name()) {
        return result;
    }
    let names = current(|trace| {
        let mut names: Vec<&str> = Vec::new();
        for name in inputs.iter().filter_map(|input| trace.learnt.names.get(&input.id())) {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| Rc::<str>::from(names.join(", ")))
    });
    let names = names.flatten();
    match (result, names) {
        (Ok(outputs), names) => {
            current(|trace| trace.learnt.note((op.name(), at), names));
            Ok(outputs)
        }
        (Err(error), Some(names)) => Err(with_names(error, &names)),
        (error, None) => error,
    }
}

fn with_names(error: Error, names: &str) -> Error {
    if error.report().variable().is_some() { error } else { error.variable(names) }
}

impl Learnt {
    fn note(&mut self, place: Place, names: Option<Rc<str>>) {
        let known = self.operands.entry(place).or_insert_with(|| names.clone());
        if *known != names {
            *known = None;
        }
    }

    pub fn operands(&self) -> OperandNames {
        let known = self.operands.iter().filter_map(|(place, names)| Some((*place, names.as_ref()?.to_string())));
        OperandNames(known.collect())
    }
}

impl OperandNames {
    /// An error of a run, with the names of what its operation is given.
    #[cold]
    pub fn explain(&self, error: Error) -> Error {
        let report = error.report();
        let Some(at) = report.location() else { return error };
        let found = self.0.iter().find(|((op, line), _)| *op == report.op() && *line == at);
        match found {
            Some((_, names)) => with_names(error, names),
            None => error,
        }
    }
}
