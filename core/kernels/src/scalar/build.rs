//! The builder of scalar expressions: operations describe their meaning with it, one method per instruction.
//! Equal sub-expressions become one value, and constants are folded by running the instruction's own loop.

use super::Code;
use super::bits;
use crate::dtype::DType;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// A value of the expression under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Val(pub(super) u32);

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Node {
    pub code: Option<Code>,
    pub dtype: DType,
    pub args: [u32; 3],
    /// Bits of a constant, or the number of an input.
    pub payload: u64,
}

/// Runs one instruction on one element, by the dtypes of its first operand and its result, bits for bits; `None` where it faults or
/// has no meaning. The CPU's loops do it, so that a folded constant is what they would have computed.
pub type Evaluate = fn(code: Code, operand: DType, result: DType, args: [u64; 3]) -> Option<u64>;

/// An expression under construction.
pub struct Scalar {
    pub(super) evaluate: Evaluate,
    pub(super) nodes: RefCell<Vec<Node>>,
    /// The result's dtype was chosen by the operation and is not narrowed to its inputs'.
    pub(super) exact: Cell<bool>,
    /// How many stand-ins for operands that are not needed were made.
    pub(super) stand_ins: Cell<usize>,
}

/// The number of the input that [`Scalar::missing`] reads, which no program has.
pub const MISSING: usize = u16::MAX as usize;

pub(super) const NO_ARGS: [u32; 3] = [u32::MAX; 3];

impl Scalar {
    /// An empty expression, whose constants `evaluate` folds.
    pub fn new(evaluate: Evaluate) -> Self {
        Self { evaluate, nodes: RefCell::new(Vec::with_capacity(16)), exact: Cell::new(false), stand_ins: Cell::new(0) }
    }

    /// Input number `index`, of a storage dtype.
    pub(super) fn input(&self, index: usize, dtype: DType) -> Val {
        self.add_node(Node { code: None, dtype, args: NO_ARGS, payload: index as u64 })
    }

    /// Input number `index` of a fused program, as the operations' meanings take it.
    pub fn argument(&self, index: usize, dtype: DType) -> Val {
        super::program::widen(self, self.input(index, dtype))
    }

    /// The numbers of the inputs that a value is computed from, in order.
    pub fn inputs_of(&self, root: Val) -> SmallVec<[usize; 4]> {
        let nodes = self.nodes.borrow();
        let mut reached = vec![false; root.0 as usize + 1];
        reached[root.0 as usize] = true;
        let mut found = SmallVec::new();
        for i in (0..=root.0 as usize).rev() {
            match (reached[i], nodes[i].code) {
                (true, Some(code)) => nodes[i].args[..code.arity()].iter().for_each(|&a| reached[a as usize] = true),
                (true, None) => found.push(nodes[i].payload as usize),
                (false, _) => {}
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a value is an input and nothing else, and its number.
    pub fn as_input(&self, x: Val) -> Option<usize> {
        let node = self.node(x);
        node.code.is_none().then_some(node.payload as usize)
    }

    /// A value that the expression does not depend on, for an operand that a derivative does not need.
    ///
    /// An input that no program has, not a constant: folding must not change the expression, and two operands must
    /// not become one value, also where derivatives are nested.
    pub fn unused(&self, dtype: DType) -> Val {
        self.stand_ins.set(self.stand_ins.get() + 1);
        self.input(MISSING - self.stand_ins.get(), dtype)
    }

    /// Stands for a derivative that nobody has written: an expression that reads it is no derivative.
    pub fn missing(&self, dtype: DType) -> Val {
        self.input(MISSING, dtype)
    }

    /// The dtype of a value.
    pub fn dtype(&self, x: Val) -> DType {
        self.nodes.borrow()[x.0 as usize].dtype
    }

    /// The number `value` in the dtype of `like`.
    pub fn number(&self, like: Val, value: f64) -> Val {
        self.constant(self.dtype(like), value)
    }

    /// The number `value` in a dtype.
    pub fn constant(&self, dtype: DType, value: f64) -> Val {
        let payload = bits::encode(dtype, value);
        self.add_node(Node { code: Some(Code::Const), dtype, args: NO_ARGS, payload })
    }

    /// Keeps the result's dtype as it is, where it would else become the 16-bit float of the inputs.
    pub fn exact(&self) {
        self.exact.set(true);
    }

    /// `x` converted to `dtype`; nothing if it has that type.
    pub fn cast(&self, x: Val, dtype: DType) -> Val {
        let from = self.dtype(x);
        if from == dtype {
            return x;
        }
        // Widening a 16-bit float is exact, so narrowing it again gives the value it came from.
        let source = self.node(x);
        if source.code == Some(Code::Cast) && self.dtype(Val(source.args[0])) == dtype && dtype.compute() == from {
            return Val(source.args[0]);
        }
        // Narrow floats are reached through f32, so that loops exist for pairs with f32 only.
        if from.compute() != from && dtype != from.compute() {
            let wide = self.cast(x, from.compute());
            return self.cast(wide, dtype);
        }
        if dtype.compute() != dtype && from != dtype.compute() {
            let wide = self.cast(x, dtype.compute());
            return self.cast(wide, dtype);
        }
        self.op(Code::Cast, dtype, [x.0, u32::MAX, u32::MAX])
    }

    fn unary(&self, code: Code, x: Val) -> Val {
        self.op(code, code.result(self.dtype(x)), [x.0, u32::MAX, u32::MAX])
    }

    pub(super) fn binary(&self, code: Code, a: Val, b: Val) -> Val {
        debug_assert_eq!(self.dtype(a), self.dtype(b), "{code:?} of two dtypes");
        self.op(code, code.result(self.dtype(a)), [a.0, b.0, u32::MAX])
    }

    /// `then` where `condition` holds, else `otherwise`.
    pub fn select(&self, condition: Val, then: Val, otherwise: Val) -> Val {
        if then == otherwise {
            return then;
        }
        self.op(Code::Select, self.dtype(then), [condition.0, then.0, otherwise.0])
    }

    /// The regularized incomplete beta function of x.
    pub fn betainc(&self, a: Val, b: Val, x: Val) -> Val {
        self.op(Code::Betainc, self.dtype(a), [a.0, b.0, x.0])
    }

    pub(super) fn op(&self, code: Code, dtype: DType, args: [u32; 3]) -> Val {
        let node = Node { code: Some(code), dtype, args, payload: 0 };
        self.fold(&node).unwrap_or_else(|| self.add_node(node))
    }

    /// The result as a constant, if all operands are constants and the instruction does not fault on them.
    fn fold(&self, node: &Node) -> Option<Val> {
        let payload = {
            let nodes = self.nodes.borrow();
            let mut operands = [0u64; 3];
            let arity = node.code?.arity();
            for (slot, &arg) in operands.iter_mut().zip(&node.args[..arity]) {
                let source = &nodes[arg as usize];
                if source.code != Some(Code::Const) {
                    return None;
                }
                *slot = source.payload;
            }
            let first = nodes[node.args[usize::from(node.code? == Code::Select)] as usize].dtype;
            (self.evaluate)(node.code?, first, node.dtype, operands)?
        };
        Some(self.add_node(Node { code: Some(Code::Const), dtype: node.dtype, args: NO_ARGS, payload }))
    }

    pub(super) fn add_node(&self, node: Node) -> Val {
        let mut nodes = self.nodes.borrow_mut();
        // Expressions are short: a linear search beats a map.
        if let Some(same) = nodes.iter().position(|n| *n == node) {
            return Val(same as u32);
        }
        nodes.push(node);
        Val(nodes.len() as u32 - 1)
    }

    pub(super) fn node(&self, x: Val) -> Node {
        self.nodes.borrow()[x.0 as usize]
    }
}

macro_rules! instructions {
    (unary $($un:ident $uc:ident)*; binary $($bn:ident $bc:ident)*) => {
        impl Scalar {
            $(pub fn $un(&self, x: Val) -> Val {
                self.unary(Code::$uc, x)
            })*
            $(pub fn $bn(&self, a: Val, b: Val) -> Val {
                self.binary(Code::$bc, a, b)
            })*
        }
    };
}

instructions! {
    unary neg Neg abs Abs sign Sign sqrt Sqrt rsqrt Rsqrt exp Exp expm1 Expm1 log Log log1p Log1p sin Sin cos Cos
        tanh Tanh erf Erf erfc Erfc sigmoid Sigmoid tan Tan asin Asin acos Acos atan Atan sinh Sinh cosh Cosh asinh Asinh
        acosh Acosh atanh Atanh lgamma Lgamma digamma Digamma erfinv Erfinv ndtri Ndtri bessel_i0 BesselI0
        bessel_i0e BesselI0e bessel_i1 BesselI1 bessel_i1e BesselI1e population_count PopulationCount
        floor Floor ceil Ceil round Round not Not is_nan IsNan is_finite IsFinite;
    binary add Add sub Sub mul Mul div Div rem Rem floor_div FloorDiv floor_mod FloorMod pow Pow min Min max Max
        and And or Or xor Xor eq Eq ne Ne lt Lt le Le atan2 Atan2 nextafter NextAfter zeta Zeta polygamma Polygamma
        igamma Igamma igammac Igammac igamma_grad_a IgammaGradA left_shift LeftShift right_shift RightShift
}

impl Scalar {
    /// `a > b`.
    pub fn gt(&self, a: Val, b: Val) -> Val {
        self.lt(b, a)
    }

    /// `a >= b`.
    pub fn ge(&self, a: Val, b: Val) -> Val {
        self.le(b, a)
    }
}
