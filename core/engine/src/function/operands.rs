//! The user's names of what operations are given, gathered while a function is traced: errors of a trace's runs name them.
//! Builders, branches and loops tell names of symbols; `execute` tells which operation uses them, at which line.

use super::pins::{any_trace, current};
use crate::lists::{READ, WRITE};
use crate::op::{Op, Outputs};
use crate::tensor::Tensor;
use crate::tensor::local::LOCAL;
use kernels::error::{Error, OnTheWay, Result};
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

/// An operation of the user's program.
type CallSite = (&'static str, &'static Location<'static>);

/// What a trace learns while it is made.
#[derive(Default)]
pub(super) struct Learnt {
    /// By symbol.
    names: HashMap<u64, Rc<str>>,
    /// `None` for a place that is used for several things, as a line in a function that is called twice.
    operands: HashMap<CallSite, Option<Rc<str>>>,
    /// What the user wrote for operations of another name.
    said: HashMap<CallSite, &'static str>,
}

/// The names of operands, and of operations that the user knows by another one, by operation and line.
#[derive(Default)]
pub(crate) struct OperandNames {
    operands: Vec<(CallSite, String)>,
    said: Vec<(CallSite, &'static str)>,
}

/// Notes the user's name of a symbol, by its id.
pub(crate) fn note_name(symbol: u64, name: impl FnOnce() -> String) {
    current(|trace| {
        trace.learnt.names.entry(symbol).or_insert_with(|| name().into());
    });
}

/// The user's name of a symbol of the traces under way.
pub(super) fn symbol_name(symbol: &Tensor) -> Option<String> {
    any_trace(|trace| trace.learnt.names.get(&symbol.id()).map(|name| name.to_string()))
}

/// Notes that the user wrote `said` where the operation `op` is recorded in its place.
pub(super) fn note_said(op: &'static str, said: &'static str, line: &'static Location<'static>) {
    current(|trace| trace.learnt.said.insert((op, line), said));
}

/// Whether anybody listens.
pub(crate) fn names_matter() -> bool {
    current(|_| ()).is_some()
}

/// Notes what an operation that was recorded is given; an error gets the names at once.
#[cold]
pub(super) fn named(
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

/// What errors call an operation that the user knows by another name wherever it stands.
fn said(op: &str) -> &str {
    match op {
        "list_get" => READ,
        "list_set" => WRITE,
        _ => op,
    }
}

fn with_names(error: Error, names: &str) -> Error {
    if error.report().variable().is_some() { error } else { error.variable(names) }
}

impl Learnt {
    fn note(&mut self, place: CallSite, names: Option<Rc<str>>) {
        let known = self.operands.entry(place).or_insert_with(|| names.clone());
        if *known != names {
            *known = None;
        }
    }

    pub fn operands(&self) -> OperandNames {
        let known = self.operands.iter().filter_map(|(place, names)| Some((*place, names.as_ref()?.to_string())));
        OperandNames {
            operands: known.collect(),
            said: self.said.iter().map(|(place, said)| (*place, *said)).collect(),
        }
    }
}

impl OperandNames {
    /// An error of a run, with the names of what its operation is given, and its own.
    #[cold]
    pub fn explain(&self, error: Error) -> Error {
        let report = error.report();
        let Some(at) = report.location() else { return error };
        let here = |(op, line): &CallSite| (*op == report.op() || said(op) == report.op()) && *line == at;
        let names = self.operands.iter().find(|(place, _)| here(place));
        let said = self.said.iter().find(|(place, _)| here(place));
        let error = match names {
            Some((_, names)) => with_names(error, names),
            None => error,
        };
        match said {
            Some((_, said)) => error.named(said),
            None => error,
        }
    }
}
