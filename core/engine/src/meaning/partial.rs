//! The derivative of an element-wise operation as an operation of its own: one fused program per input.
//! The tape asks [`derivatives`] for them, so such operations write no gradient rule and differentiate to any order.

use super::build;
use super::cache::{Cache, Key};
use crate::op::{Attr, Gradient, Kind, Mask, Op, OpRef, Saves, identity};
use kernels::dtype::{DType, DTypes};
use kernels::scalar::{Code, MISSING, Scalar, Val, derivative, narrow};
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

/// A [`Partial`] and what it needs of the operation: input numbers, and the number of inputs for the output.
pub(crate) struct PartialInfo {
    pub op: OpRef,
    pub uses: SmallVec<[usize; 4]>,
    /// Where those lie among the tensors that [`Derivatives::saves`] keeps.
    pub operands: SmallVec<[u8; 8]>,
    /// The derivative is `dy` itself, as for an addition: nothing needs to run.
    pub identity: bool,
    /// The derivative is `dy` times one of those tensors.
    pub times: bool,
    /// Nobody has written this derivative: to ask for it is an error.
    pub missing: bool,
}

/// All that the tape wants to know of an element-wise operation: its derivatives by the inputs that need one, and what
/// they read.
pub(crate) struct Derivatives {
    pub op: OpRef,
    pub saves: Saves,
    /// One per input; none for those that need none, and those by which it is zero everywhere.
    pub by: SmallVec<[Option<PartialInfo>; 2]>,
}

thread_local! {
    static DERIVATIVES: RefCell<Cache<Rc<Derivatives>>> = const { RefCell::new(Cache::new()) };
}

/// The derivatives of an element-wise operation by those inputs for which `needed` says so.
#[inline]
pub(crate) fn derivatives(
    op: &dyn Op,
    dtypes: impl ExactSizeIterator<Item = DType> + Clone,
    needed: impl Fn(usize) -> bool,
) -> Rc<Derivatives> {
    let needs = (0..dtypes.len().min(64)).fold(0u64, |all, i| all | u64::from(needed(i)) << i);
    let key = Key::new(op, dtypes.clone(), needs);
    if let Some(key) = &key
        && let Some(known) = DERIVATIVES.with_borrow_mut(|all| all.get(key))
    {
        return known;
    }
    let dtypes: SmallVec<[DType; 4]> = dtypes.collect();
    let made = Rc::new(make_all(op, &dtypes, needs));
    if let Some(key) = key {
        DERIVATIVES.with_borrow_mut(|all| all.insert(key, made.clone()));
    }
    made
}

#[cold]
fn make_all(op: &dyn Op, dtypes: &[DType], needs: u64) -> Derivatives {
    let mut by: SmallVec<[Option<PartialInfo>; 2]> =
        (0..dtypes.len()).map(|i| Mask(needs).has(i).then(|| make(op, dtypes, i)).flatten()).collect();
    let mut saves = Saves::NOTHING;
    for &used in by.iter().flatten().flat_map(|info| &info.uses) {
        saves = saves.and(match used == dtypes.len() {
            true => Saves::outputs(&[0]),
            false => Saves::inputs(&[used]),
        });
    }
    for info in by.iter_mut().flatten() {
        let place = |&used: &usize| match used == dtypes.len() {
            true => saves.place_of_output(0) as u8,
            false => saves.place_of_input(used) as u8,
        };
        info.operands = info.uses.iter().map(place).collect();
    }
    Derivatives { op: op.keep(), saves, by }
}

fn make(op: &dyn Op, dtypes: &[DType], index: usize) -> Option<PartialInfo> {
    let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
    let n = dtypes.len();
    let xs: SmallVec<[Val; 4]> = dtypes.iter().enumerate().map(|(i, &d)| s.argument(i, d)).collect();
    let leaf = |at: usize| move |s: &Scalar, dtype| s.argument(at, dtype);
    let (result, storage) = expression(&s, op, &xs, dtypes, index, leaf(n), leaf(n + 1))?;
    let identity = s.as_input(result) == Some(n + 1);
    let mut uses = s.inputs_of(result);
    if uses.contains(&MISSING) {
        let (uses, operands) = (SmallVec::new(), SmallVec::new());
        return Some(PartialInfo { op: op.keep(), uses, operands, identity: false, times: false, missing: true });
    }
    uses.retain(|which| *which <= n);
    let mut op = Partial { of: op.keep(), dtypes: dtypes.into(), index, uses: SmallVec::clone(&uses), direct: None };
    let inputs: SmallVec<[DType; 4]> =
        uses.iter().map(|&u| dtypes.get(u).copied().unwrap_or(storage)).chain([storage]).collect();
    op.direct = build(&op, &inputs).single().map(|step| step.code).filter(|&c| c != Code::Cast && c != Code::Select);
    let times = op.direct == Some(Code::Mul) && uses.len() == 1;
    Some(PartialInfo {
        op: OpRef::Shared(Arc::new(op)),
        uses,
        operands: SmallVec::new(),
        identity,
        times,
        missing: false,
    })
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
    identity!("partial", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("of", Attr::Text(self.of.name()));
        self.of.attributes(visit);
        visit("by", Attr::Int(self.index as i64));
        for dtype in &self.dtypes {
            visit("dtype", Attr::DType(*dtype));
        }
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::REAL, direct: self.direct }
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
