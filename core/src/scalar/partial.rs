//! The derivative of an element-wise operation as an operation of its own: one fused program per input.
//! The tape's driver asks [`partial`] for it, so such operations write no gradient rule and differentiate to any order.

use super::derive::derivative;
use super::program::{narrow, widen};
use super::{Scalar, Val};
use crate::dtype::{DType, DTypes};
use crate::op::{Attr, Gradient, Kind, Op, OpRef, fingerprint};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// `dy * d op / d input[index]`, element by element.
///
/// Its inputs are those inputs of the operation, and its output, that the expression needs, then `dy`.
pub(crate) struct Partial {
    of: OpRef,
    dtypes: SmallVec<[DType; 4]>,
    index: usize,
    uses: SmallVec<[usize; 4]>,
}

/// A cached [`Partial`] and what it needs of the operation: input numbers, and the number of inputs for the output.
pub(crate) struct PartialInfo {
    pub op: OpRef,
    pub uses: SmallVec<[usize; 4]>,
    /// The derivative is `dy` itself, as for an addition: nothing needs to run.
    pub identity: bool,
}

type Key = (usize, u64, SmallVec<[DType; 4]>, usize);

thread_local! {
    static PARTIALS: RefCell<HashMap<Key, Option<Rc<PartialInfo>>>> = RefCell::new(HashMap::new());
}

const MOST_PARTIALS: usize = 1024;

/// The derivative of an element-wise operation by input `index`; `None` where it is zero everywhere.
pub(crate) fn partial(op: &dyn Op, dtypes: &[DType], index: usize) -> Option<Rc<PartialInfo>> {
    let key = (op.name().as_ptr() as usize, fingerprint(op), SmallVec::from_slice(dtypes), index);
    if let Some(known) = PARTIALS.with_borrow(|partials| partials.get(&key).cloned()) {
        return known;
    }
    let made = make(op, dtypes, index).map(Rc::new);
    PARTIALS.with_borrow_mut(|partials| {
        if partials.len() >= MOST_PARTIALS {
            partials.clear();
        }
        partials.insert(key, made.clone());
    });
    made
}

fn make(op: &dyn Op, dtypes: &[DType], index: usize) -> Option<PartialInfo> {
    let s = Scalar::new();
    let n = dtypes.len();
    let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| widen(&s, s.input(i, d))).collect();
    let leaf = |at: usize| move |s: &Scalar, dtype| widen(s, s.input(at, dtype));
    let result = expression(&s, op, &xs, dtypes, index, leaf(n), leaf(n + 1))?;
    let identity = s.node(result).code.is_none() && s.node(result).payload as usize == n + 1;
    let mut reached = vec![false; result.0 as usize + 1];
    reached[result.0 as usize] = true;
    let mut uses = SmallVec::new();
    for i in (0..=result.0).rev() {
        let node = s.node(Val(i));
        if !reached[i as usize] {
            continue;
        }
        match node.code {
            Some(code) => node.args[..code.arity()].iter().for_each(|&a| reached[a as usize] = true),
            None if node.payload as usize <= n => uses.push(node.payload as usize),
            None => {}
        }
    }
    uses.sort_unstable();
    let op = Partial { of: op.keep(), dtypes: dtypes.into(), index, uses: SmallVec::clone(&uses) };
    Some(PartialInfo { op: OpRef::Shared(Arc::new(op)), uses, identity })
}

/// The derivative's expression; `output` and `cotangent` make the values that stand for the result and for `dy`, given
/// the dtype in which those are stored.
fn expression(
    s: &Scalar,
    op: &dyn Op,
    xs: &[Val],
    dtypes: &[DType],
    index: usize,
    output: impl FnOnce(&Scalar, DType) -> Val,
    cotangent: impl FnOnce(&Scalar, DType) -> Val,
) -> Option<Val> {
    let root = op.scalar(s, xs);
    // The operation's own output dtype; the derivative is rounded to the input's, whatever that one is.
    let storage = s.dtype(narrow(s, root, dtypes));
    s.exact();
    let dtype = storage.compute();
    if !dtype.is_floating() || !dtypes[index].is_floating() {
        return None;
    }
    let (y, dy) = (output(s, storage), cotangent(s, storage));
    let root = s.cast(root, dtype);
    let result = match op.partial(s, xs, y, dy, index) {
        Some(own) => own,
        None => derivative(s, root, y, xs[index], dy)?,
    };
    Some(s.cast(result, dtypes[index]))
}

impl Op for Partial {
    fn name(&self) -> &'static str {
        "partial"
    }

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("of", Attr::Text(self.of.name()));
        self.of.attributes(visit);
        visit("by", Attr::Int(self.index as i64));
        for dtype in &self.dtypes {
            visit("dtype", Attr::DType(*dtype));
        }
    }

    fn keep(&self) -> OpRef {
        OpRef::Shared(Arc::new(Self {
            of: self.of.clone(),
            dtypes: self.dtypes.clone(),
            index: self.index,
            uses: self.uses.clone(),
        }))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::ALL, direct: None }
    }

    fn mixes_dtypes(&self) -> bool {
        true
    }

    fn scalar(&self, s: &Scalar, inputs: &[Val]) -> Val {
        let n = self.dtypes.len();
        let find = |which: usize| self.uses.iter().position(|&u| u == which).map(|at| inputs[at]);
        let xs: SmallVec<[Val; 4]> =
            (0..n).map(|i| find(i).unwrap_or_else(|| s.unused(self.dtypes[i].compute()))).collect();
        let dy = inputs[inputs.len() - 1];
        let stand_in = |s: &Scalar, dtype| find(n).unwrap_or_else(|| s.unused(dtype));
        expression(s, &*self.of, &xs, &self.dtypes, self.index, stand_in, |_, _| dy)
            // `make` found a path with the same operation and dtypes.
            .unwrap_or_else(|| s.constant(self.dtypes[self.index], 0.0))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

impl Scalar {
    /// A value that the expression does not depend on, for an operand that a derivative does not need.
    ///
    /// An input that no program has, not a constant: folding must not change the expression, and two operands must
    /// not become one value, also where derivatives are nested.
    fn unused(&self, dtype: DType) -> Val {
        self.stand_ins.set(self.stand_ins.get() + 1);
        self.input(usize::from(u16::MAX) - self.stand_ins.get(), dtype)
    }
}
