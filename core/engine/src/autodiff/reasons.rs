//! Why a source has no gradient: one reason for each mistake, each with its own cure.
//! The tapes ask when a walk has left a source without an answer; errors and the warnings of optimizers say it.

use super::active_tape::value_type;
use crate::tape::Cotangent;
use crate::tape::log::Log;
use crate::tape::slot_table::UNTRACKED;
use crate::tape::tape_memory::TapeData;
use crate::tensor::local::LOCAL;
use crate::tensor::{Resource, Tensor};

/// For each missing gradient, why it is missing, where that is known.
pub(super) fn reasons(
    data: &TapeData,
    log: &Log,
    targets: &[&Tensor],
    handles: &[&Tensor],
    list: &[Option<Cotangent>],
) -> Vec<Option<String>> {
    if list.iter().all(Option::is_some) {
        return Vec::new();
    }
    let asked = Asked { data, log, targets };
    let of =
        |(entry, handle): (&Option<Cotangent>, &&Tensor)| if entry.is_none() { asked.reason(handle) } else { None };
    list.iter().zip(handles).map(of).collect()
}

/// A gradient that was asked for.
struct Asked<'a> {
    data: &'a TapeData,
    log: &'a Log,
    targets: &'a [&'a Tensor],
}

impl Asked<'_> {
    #[cold]
    fn reason(&self, source: &Tensor) -> Option<String> {
        let dtype = value_type(source).dtype;
        if !dtype.is_differentiable() {
            return Some(format!(
                "the source is not floating-point but {dtype}, and only floats have gradients: make it a float, as with \
                 `cast(DType::F32)`, and compute with that"
            ));
        }
        match (self.data.find(source), source.as_object::<Resource>()) {
            (UNTRACKED, Some(variable)) => self
                .not_followed(source, variable)
                .or_else(|| self.target_is_elsewhere())
                .or_else(|| Some(not_read(source))),
            (UNTRACKED, None) => self.target_is_elsewhere().or_else(|| Some(not_watched(source))),
            (slot, _) => {
                self.cut_from(slot).or_else(|| self.target_is_elsewhere()).or_else(|| self.read_on_the_host(slot))
            }
        }
    }

    /// The operation on the way from the source to the target that lets no gradient through.
    fn cut_from(&self, source: u32) -> Option<String> {
        if self.data.cuts.is_empty() {
            return None;
        }
        let slots: Vec<u32> = self.targets.iter().map(|target| self.data.find(target)).collect();
        let cut = self.data.cuts.between(self.log, self.data.count, source, self.targets, &slots)?;
        let at = cut.location;
        Some(format!("`{}` at {}:{} stops the gradient: {}", cut.op, at.file(), at.line(), cut.reason))
    }

    /// A place where numbers that depend on the source left the tape, for a target that no cut explains.
    fn read_on_the_host(&self, source: u32) -> Option<String> {
        let read = self.data.cuts.read_of(self.log, self.data.count, source)?;
        let at = read.location;
        Some(format!(
            "the target was not computed from it by operations; `{}` at {}:{} reads numbers of it, or of what was computed from it, on the \
             host, and a tensor that is made of such numbers is a constant to the tape: compute the target from the tensor itself",
            read.op,
            at.file(),
            at.line()
        ))
    }

    /// A variable that the tape would not follow had it been read.
    fn not_followed(&self, source: &Tensor, variable: &Resource) -> Option<String> {
        let name = Resource::wording(source);
        if !variable.trainable() {
            return Some(format!(
                "{name} is not trainable, and tapes follow trainable variables alone: `tape.watch(&variable)` before it is \
                 used, or make it trainable"
            ));
        }
        (!self.data.watch_variables).then(|| {
            format!("the tape was told to follow no variables by itself: `tape.watch(&variable)` before {name} is used")
        })
    }

    /// A target that the tape cannot have seen come about.
    fn target_is_elsewhere(&self) -> Option<String> {
        let seen = |t: &&Tensor| self.data.find(t) != UNTRACKED || self.data.cuts.has(t);
        if self.targets.iter().any(seen) {
            return None;
        }
        let target = self.targets.first()?;
        let made = target.location();
        if !LOCAL.with(|local| local.made_here(target.id())) {
            return Some(format!(
                "the target, made at {made}, comes from another thread, and a tape records what its own thread computes: \
                 compute the target on the thread of the tape, or begin the tape on that thread"
            ));
        }
        (target.id() < self.data.began).then(|| {
            format!(
                "the target, made at {made}, was computed before the tape began: begin the tape first, then compute it"
            )
        })
    }
}

fn not_read(source: &Tensor) -> String {
    format!(
        "no operation that the tape recorded read {}; a value that was read before the tape began, while it was paused, while the \
         variable was frozen, or on another thread does not count: compute with the variable itself while the tape records",
        Resource::wording(source)
    )
}

fn not_watched(source: &Tensor) -> String {
    let made = source.location();
    format!("the tape does not watch this tensor, made at {made}: `tape.watch(&x)` before it is used")
}
