//! Tensors of modules, which a trace uses as they are: what it takes for granted of which tensor is which.
//! Calls are checked against it, because the body cannot tell two tensors that happened to be one while it was traced.

use super::arguments::{Arguments, Given};
use super::outside_training::OutsideTraining;
use super::trace::{Source, Trace};
use crate::tape::IdMap;
use std::panic::Location;
use std::sync::Arc;

/// What a trace takes for granted.
#[derive(Default)]
pub(crate) struct Identity {
    /// Pairs of tensors of the arguments that were one.
    same: Vec<(usize, usize)>,
    /// Tensors of the arguments that must be the very ones that they were.
    fixed: Vec<Fixed>,
    /// Which variables from elsewhere are trained.
    outside: OutsideTraining,
}

struct Fixed {
    tensor: usize,
    id: u64,
    why: Why,
}

#[derive(Clone, Copy)]
enum Why {
    /// Somebody else holds it too, so the body may have used it under another name, of a `static` for one.
    Shared,
    /// Its elements were read while the function was traced.
    Read(Option<&'static Location<'static>>),
}

/// What a trace has seen of the elements of tensors.
#[derive(Default)]
pub(crate) struct Reads {
    /// The tensors, and the lines that read them.
    pub of: IdMap<Option<&'static Location<'static>>>,
    /// Whether code ran at once, which may have read any.
    pub any: bool,
}

impl Identity {
    /// Of a call that is to be traced, beside the traces of the same function.
    pub fn of(arguments: &Arguments, others: &[Arc<Trace>]) -> Self {
        let mut found = Self::default();
        let own: Vec<usize> = (0..arguments.tensors.len()).filter(|&i| arguments.in_module[i]).collect();
        let mut seen: IdMap<usize> = IdMap::default();
        for &i in &own {
            let id = arguments.tensors[i].id();
            let first = *seen.entry(id).or_insert(i);
            match Some(first).filter(|&first| first != i) {
                Some(first) => found.same.push((first, i)),
                // The second trace for other tensors in this place is for all of them: a module's state may change from call
                // to call, while its owner keeps what it was.
                None if arguments.held_elsewhere(i) && !others.iter().any(|t| t.identity.is_other(i, id)) => {
                    found.fixed.push(Fixed { tensor: i, id, why: Why::Shared });
                }
                None => {}
            }
        }
        found
    }

    /// Whether another tensor than this one is expected in a place because somebody else held it.
    fn is_other(&self, tensor: usize, id: u64) -> bool {
        let first = self.same.iter().find(|(_, other)| *other == tensor).map_or(tensor, |(first, _)| *first);
        self.fixed.iter().any(|f| f.tensor == first && f.id != id && matches!(f.why, Why::Shared))
    }

    /// Adds what was read while the function was traced.
    pub fn and_read(mut self, arguments: &Arguments, reads: &Reads) -> Self {
        for (i, tensor) in arguments.tensors.iter().enumerate().filter(|(i, _)| arguments.in_module[*i]) {
            let read = reads.of.get(&tensor.id()).copied();
            if let Some(line) = read.or(reads.any.then_some(None)) {
                self.fixed.push(Fixed { tensor: i, id: tensor.id(), why: Why::Read(line) });
            }
        }
        self
    }

    /// Adds which of the variables that the function found by itself are trained.
    pub fn and_trained(mut self, sources: &[Source]) -> Self {
        self.outside = OutsideTraining::of(sources);
        self
    }

    /// Whether a call has the tensors that are taken for granted.
    #[inline]
    pub fn holds(&self, tensors: &[Given], sources: &[Source]) -> bool {
        self.same.iter().all(|&(a, b)| tensors[a].id() == tensors[b].id())
            && self.fixed.iter().all(|f| tensors[f.tensor].id() == f.id)
            && self.outside.holds(sources)
    }

    /// Why a call does not, in the user's words.
    pub fn difference(&self, arguments: &Arguments, sources: &[Source]) -> Option<String> {
        let name = |tensor: usize| arguments.leaf_name(tensor);
        let fixed = self.fixed.iter().find(|f| arguments.tensors[f.tensor].id() != f.id);
        if let Some(fixed) = fixed {
            let name = name(fixed.tensor);
            return Some(match fixed.why {
                Why::Shared => format!("`{name}` is another tensor than the one that is used elsewhere too"),
                Why::Read(Some(line)) => format!("{line} reads the elements of `{name}`, which is another tensor now"),
                Why::Read(None) => {
                    format!("the elements of `{name}` are read while tracing, and it is another tensor now")
                }
            });
        }
        let apart = |(a, b): &&(usize, usize)| arguments.tensors[*a].id() != arguments.tensors[*b].id();
        if let Some((a, b)) = self.same.iter().find(apart) {
            return Some(format!("`{}` and `{}` were one tensor, and are two now", name(*a), name(*b)));
        }
        self.outside.difference(sources)
    }
}
