//! Operands that a node writes over: who else shows their memory is given a copy of the little it shows, and the memory is handed on.
//! The nodes of a plan ask for kernels that change a part of an operand, branches and loops for what they carry.

use super::compile::{Compiler, Holds};
use super::scope::{Scope, ValueLocation};
use super::{Base, Step};
use crate::ir::Value;
use std::panic::Location;

impl Compiler {
    /// Copies small views of an operand's memory that are used behind node `at`, which is to write over it: `let y = x.at(0); x[i] = z;
    /// use(y)`.
    pub(super) fn take_views_apart(&mut self, scope: &mut Scope<'_>, v: Value, at: usize) {
        let Some(place) = scope.place(v).filter(|place| place.owned && place.ty.dtype.size() > 0) else { return };
        let Some(views) = scope.shown_behind(v, at).filter(|views| !views.is_empty()) else { return };
        let bytes: usize = views.iter().map(|&view| scope.ty(view).bytes()).sum();
        if bytes * 2 > place.ty.bytes() {
            return;
        }
        let mut copies = Vec::new();
        for view in views {
            let Some(lies) = scope.place(view) else { continue };
            let apart = self.buffer(lies.ty);
            self.copy(&lies, &apart);
            copies.push((view, apart));
        }
        scope.part(v, at, copies);
    }

    /// Copies small operands that show a part of operand `i` out of it, so that it can be written over: `x[i] = x[j]`.
    pub(super) fn take_apart(&mut self, inputs: &mut [ValueLocation], i: usize) {
        let (base, bytes) = (inputs[i].base, inputs[i].ty.bytes());
        for k in (0..inputs.len()).filter(|&k| k != i) {
            if inputs[k].base == base && inputs[k].ty.dtype.size() > 0 && inputs[k].ty.bytes() * 2 <= bytes {
                let apart = self.buffer(inputs[k].ty);
                self.copy(&inputs[k], &apart);
                inputs[k] = apart;
            }
        }
    }

    /// Where the value of an operand lies, if this scope may write over it: it is used here for the last time, or was just copied
    /// to be dense.
    pub(super) fn dying(&self, scope: &Scope<'_>, v: Value, place: &ValueLocation, at: usize) -> Option<ValueLocation> {
        let lies = scope.place(v)?;
        let copied = lies.base != place.base;
        (copied || (lies.owned && scope.last_use(v) == at)).then(|| place.clone())
    }

    /// The tensor of an operand, if it is used here for the last time and this scope may give it away: as one that nobody else sees.
    pub(super) fn own(
        &mut self,
        scope: &Scope<'_>,
        v: Value,
        at: usize,
        location: &'static Location<'static>,
    ) -> Option<ValueLocation> {
        let place = scope.place(v)?;
        let Base::Slot(from) = place.base else { return None };
        let whole = self.slots[from as usize] == Holds::Tensor(place.ty) && place.offset == 0 && place.is_dense();
        if !whole || !place.owned || scope.last_use(v) != at || place.ty.dtype.size() == 0 {
            return None;
        }
        let to = self.slot(Holds::Tensor(place.ty));
        self.push(Step::Own { from, to, location });
        Some(ValueLocation::dense(Base::Slot(to), place.ty))
    }
}
