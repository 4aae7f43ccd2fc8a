//! The derivative of an element-wise operation as an operation of its own: one fused program per input.
//! The tape's driver asks [`partial`] for it, so such operations write no gradient rule and differentiate to any order.

use super::cache::{Cache, Key};
use super::derive::derivative;
use super::program::{build, narrow, widen};
use super::{Code, Scalar, Val};
use crate::dtype::{DType, DTypes};
use crate::op::{Attr, Gradient, Kind, Op, OpRef};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// `dy * d op / d input[index]`, element by element.
///
/// Its inputs are those inputs of the operation, and its output, that the expression needs, then `dy`.
#[derive(Clone)]
pub(crate) struct Partial {
    of: OpRef,
    dtypes: SmallVec<[DType; 4]>,
    index: usize,
    uses: SmallVec<[usize; 4]>,
    /// The instruction, where the derivative is just one, as `dy * y` is: it then runs like any such operation.
    direct: Option<Code>,
}

/// A cached [`Partial`] and what it needs of the operation: input numbers, and the number of inputs for the output.
pub(crate) struct PartialInfo {
    pub op: OpRef,
    pub uses: SmallVec<[usize; 4]>,
    /// The derivative is `dy` itself, as for an addition: nothing needs to run.
    pub identity: bool,
}

thread_local! {
    static PARTIALS: RefCell<Cache<Option<Rc<PartialInfo>>>> = const { RefCell::new(Cache::new()) };
}

/// The derivative of an element-wise operation by input `index`; `None` where it is zero everywhere.
pub(crate) fn partial(op: &dyn Op, dtypes: &[DType], index: usize) -> Option<Rc<PartialInfo>> {
    let Some(key) = Key::new(op, dtypes, index) else { return make(op, dtypes, index).map(Rc::new) };
    if let Some(known) = PARTIALS.with_borrow_mut(|partials| partials.get(&key)) {
        return known;
    }
    let made = make(op, dtypes, index).map(Rc::new);
    PARTIALS.with_borrow_mut(|partials| partials.insert(key, made.clone()));
    made
}

fn make(op: &dyn Op, dtypes: &[DType], index: usize) -> Option<PartialInfo> {
    let s = Scalar::new();
    let n = dtypes.len();
    let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| widen(&s, s.input(i, d))).collect();
    let leaf = |at: usize| move |s: &Scalar, dtype| widen(s, s.input(at, dtype));
    let (result, storage) = expression(&s, op, &xs, dtypes, index, leaf(n), leaf(n + 1))?;
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
    let mut op = Partial { of: op.keep(), dtypes: dtypes.into(), index, uses: SmallVec::clone(&uses), direct: None };
    let inputs: SmallVec<[DType; 4]> =
        uses.iter().map(|&u| dtypes.get(u).copied().unwrap_or(storage)).chain([storage]).collect();
    op.direct = build(&op, &inputs).single().map(|step| step.code).filter(|&c| c != Code::Cast && c != Code::Select);
    Some(PartialInfo { op: OpRef::Shared(Arc::new(op)), uses, identity })
}

/// The derivative's expression; `output` and `cotangent` make the values that stand for the result and for `dy`, given
/// the dtype in which those are stored, which comes second in the answer.
fn expression(
    s: &Scalar,
    op: &dyn Op,
    xs: &[Val],
    dtypes: &[DType],
    index: usize,
    output: impl FnOnce(&Scalar, DType) -> Val,
    cotangent: impl FnOnce(&Scalar, DType) -> Val,
) -> Option<(Val, DType)> {
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
    Some((s.cast(result, dtypes[index]), storage))
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
        OpRef::Shared(Arc::new(self.clone()))
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::ALL, direct: self.direct }
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
        let stand_in = |s: &Scalar, dtype: DType| find(n).unwrap_or_else(|| s.unused(dtype.compute()));
        match expression(s, &*self.of, &xs, &self.dtypes, self.index, stand_in, |_, _| dy) {
            Some((result, _)) => result,
            // `make` found a path with the same operation and dtypes.
            None => s.constant(self.dtypes[self.index], 0.0),
        }
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
