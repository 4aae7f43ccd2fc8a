//! What an operation is: one trait that holds its identity, types, meaning, kernels, effects and gradient.
//! Each file in `ops/` implements it once; the door, the tape and the recorders know operations only through it.

use crate::backend::cpu::reduce::Monoid;
use crate::backend::cpu::{CpuCall, View, Work};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::graph::control::list_ops::ListOp;
use crate::graph::scalar_loop::ScalarLoop;
use crate::graph::sizes::Sizes;
use crate::scalar::{Scalar, Val};
use crate::shape::{AxisSet, Constraints, Dim, Shape, Symbol, broadcast};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;

/// The sizes that stand for symbols in one run of a recorded list.
pub(crate) type Lookup<'a> = dyn Fn(Symbol) -> Option<usize> + 'a;

/// The results of an operation; most have one.
pub(crate) type Outputs = SmallVec<[Tensor; 1]>;

/// The operands of an operation on handles, given up by the caller.
pub(crate) type Operands = SmallVec<[Tensor; 4]>;

/// An operation that a tape or graph keeps.
#[derive(Clone)]
pub(crate) enum OpRef {
    /// An operation without attributes.
    Static(&'static dyn Op),
    /// A copy with its attributes.
    Shared(Arc<dyn Op>),
}

impl Deref for OpRef {
    type Target = dyn Op;

    #[inline]
    fn deref(&self) -> &dyn Op {
        match self {
            Self::Static(op) => *op,
            Self::Shared(op) => &**op,
        }
    }
}

/// An attribute as a value: enough to compare, hash, print and store an operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Attr<'a> {
    Int(i64),
    Float(f64),
    Bool(bool),
    DType(DType),
    Ints(&'a [i64]),
    Shape(&'a Shape),
    Text(&'a str),
}

/// Which broad kind an operation is: what the door, the fusion and the code generators may assume of it.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Each output element depends on the broadcast inputs' elements at the same place, by [`Op::scalar`].
    Elementwise {
        /// Dtypes of the inputs; all have the same one unless [`Op::mixes_dtypes`].
        accepts: DTypes,
        /// The instruction, for operations that are exactly one over their inputs in order: the fast way in.
        direct: Option<crate::scalar::Code>,
    },
    /// Folds axes with a monoid, see [`Op::reduction`].
    Reduction,
    /// Each output shows elements of the first input in some order, see [`Op::view`] and [`Op::views`].
    View,
    /// Copies elements to other places.
    Movement,
    /// A sum of products: matrix products and convolutions.
    Contraction,
    /// Anything else with a kernel and no effect.
    Opaque,
    /// The output is the present value of resource input 0, without a copy.
    Read,
    /// Changes the state of a resource input or talks to the world; keeps program order.
    Effect,
    /// Runs sub-graphs through the door, see [`Op::control`].
    Control,
    /// Works on tensor handles instead of elements: branches, loops and lists of graphs, see [`Op::host`].
    Host,
}

/// What the [`Op::bodies`] of an operation are to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// The one body, once.
    Call,
    /// By the truth of input 0, the first or the second body on the other inputs.
    Branch,
    /// As long as the first body says so, the second gives the next `carried` inputs; the others stay.
    Loop { carried: usize },
}

/// How an operation uses a resource input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// The kernel reads the present value.
    Read,
    /// The kernel changes the value in place; the door makes sure that nobody else sees the memory.
    Update,
    /// The kernel writes every element of the value without reading it.
    Overwrite,
}

/// What differentiating an operation means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gradient {
    /// [`Op::backward`] gives it (for element-wise operations: the derivative of the meaning).
    Rule,
    /// No gradient flows, for this reason: TensorFlow's `None`.
    Stops(&'static str),
    /// Nobody has written it: asking is an error that names the operation.
    Missing,
}

/// A set of inputs or outputs by number, up to 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mask(pub u64);

impl Mask {
    pub const NONE: Self = Self(0);

    pub const fn of(indices: &[usize]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < indices.len() {
            bits |= 1 << indices[i];
            i += 1;
        }
        Self(bits)
    }

    #[inline]
    pub const fn has(self, index: usize) -> bool {
        index < 64 && self.0 >> index & 1 == 1
    }

    /// How many members are below `index`, which is below 64.
    #[inline]
    const fn before(self, index: usize) -> usize {
        (self.0 & ((1 << index) - 1)).count_ones() as usize
    }
}

/// The tensors that a gradient rule reads, which the tape therefore keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Saves {
    pub inputs: Mask,
    pub outputs: Mask,
}

impl Saves {
    pub const NOTHING: Self = Self { inputs: Mask::NONE, outputs: Mask::NONE };

    pub const fn inputs(indices: &[usize]) -> Self {
        Self { inputs: Mask::of(indices), outputs: Mask::NONE }
    }

    pub const fn outputs(indices: &[usize]) -> Self {
        Self { inputs: Mask::NONE, outputs: Mask::of(indices) }
    }

    /// Where a saved input lies among all saved tensors, which are in order, inputs before outputs.
    #[inline]
    pub const fn place_of_input(self, index: usize) -> usize {
        self.inputs.before(index)
    }

    /// As [`Self::place_of_input`] for an output.
    #[inline]
    pub const fn place_of_output(self, index: usize) -> usize {
        self.inputs.0.count_ones() as usize + self.outputs.before(index)
    }

    pub const fn and(self, other: Self) -> Self {
        Self { inputs: Mask(self.inputs.0 | other.inputs.0), outputs: Mask(self.outputs.0 | other.outputs.0) }
    }
}

/// An operation. Adding one touches its own file and one line in `ops/mod.rs`; see `docs/adding-an-op.md`.
pub(crate) trait Op: Send + Sync + 'static {
    /// The name, unique among operations; TensorFlow's where it has the operation.
    fn name(&self) -> &'static str;

    /// Visits the attributes in a fixed order: the rest of the operation's identity.
    fn attributes(&self, _visit: &mut dyn FnMut(&'static str, Attr<'_>)) {}

    /// An owned copy, for tapes and graphs.
    fn keep(&self) -> OpRef;

    /// What may be assumed of it.
    fn kind(&self) -> Kind;

    /// The only rule for dtypes and shapes. Monotone: more knowledge never changes an answer.
    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        debug_assert!(matches!(self.kind(), Kind::Elementwise { .. }), "{} needs its own `infer`", self.name());
        let accepts = match self.kind() {
            Kind::Elementwise { accepts, .. } => accepts,
            _ => DTypes::NONE,
        };
        if !self.mixes_dtypes() {
            cx.same_dtype()?;
        }
        for i in 0..cx.len() {
            cx.check_dtype(i, accepts)?;
        }
        let shape = cx.broadcast_all()?;
        let dtypes = cx.dtypes();
        cx.output(crate::scalar::program_of(self.as_dyn(), &dtypes).outputs[0], shape);
        Ok(())
    }

    /// `self` as a trait object, which default methods cannot make themselves.
    fn as_dyn(&self) -> &dyn Op;

    /// The operation with the sizes of a run in place of symbols; only those with sizes among their attributes differ.
    #[cfg_attr(not(test), allow(dead_code, reason = "graphs bind sizes when they run; the skeleton test does"))]
    fn bind(&self, _lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(self.keep())
    }

    // Element-wise operations.

    /// The meaning for one element. 16-bit floats arrive as `f32`.
    fn scalar(&self, _s: &Scalar, _x: &[Val]) -> Val {
        unreachable!("{} is not element-wise", self.name())
    }

    /// Whether inputs may have different dtypes.
    fn mixes_dtypes(&self) -> bool {
        false
    }

    /// A derivative that differs from that of the meaning, where TensorFlow's does.
    ///
    /// `y` is the result and `dy` its cotangent; the answer is the cotangent of input `index`.
    fn partial(&self, _s: &Scalar, _x: &[Val], _y: Val, _dy: Val, _index: usize) -> Option<Val> {
        None
    }

    // Views.

    /// The layout of the output over the memory of input 0, for kind [`Kind::View`]; `None` asks for a dense copy first.
    fn view(&self, _input: &TensorType, _strides: &[isize], _output: &TensorType) -> Option<Layout> {
        None
    }

    /// The layouts of all outputs, for views that may have several; [`Op::view`] then answers for a single one.
    fn views(&self, _input: &TensorType, _strides: &[isize], _outputs: &[TensorType]) -> Option<Vec<Layout>> {
        None
    }

    // Kernels.

    /// Whether the kernel reads inputs of any strides; else the door hands it dense ones.
    fn takes_strides(&self) -> bool {
        false
    }

    /// Scratch memory and independent parts of the work; depends on shapes alone.
    fn work(&self, _call: &CpuCall<'_>) -> Work {
        Work::SERIAL
    }

    /// Monoid, axes, and whether the result is divided by the number of elements: for kind [`Kind::Reduction`], so that
    /// graphs can fold what they have just computed.
    fn reduction(&self) -> Option<(Monoid, AxisSet, bool)> {
        None
    }

    /// The bits of the one number that fills the whole output, for an operation without inputs.
    fn repeats(&self) -> Option<u64> {
        None
    }

    /// Whether it may refuse operands of the inferred types when it runs, as a gather refuses indices. For element-wise
    /// operations the instructions say it, see `passes::pure`.
    fn may_fail(&self) -> bool {
        !matches!(self.kind(), Kind::Elementwise { .. } | Kind::Reduction | Kind::View | Kind::Contraction | Kind::Read)
    }

    /// One part of the work on the CPU. Never allocates tensors; outputs may be uninitialised.
    ///
    /// # Safety
    /// The views are valid for this operation's inferred types, nobody else touches the outputs, and every chunk of
    /// [`Op::work`] runs exactly once, phase after phase.
    unsafe fn cpu(&self, _call: &CpuCall<'_>, _phase: usize, _chunk: usize) -> Result<()> {
        Err(Error::unimplemented(self.name(), "no CPU kernel"))
    }

    /// Runs the sub-graphs of a control operation through the door.
    fn control(&self, _inputs: &[&Tensor]) -> Result<Outputs> {
        Err(Error::internal(self.name(), "not a control operation"))
    }

    /// Runs an operation of kind [`Kind::Host`], which may keep or change the operands it is given.
    fn host(&self, _inputs: Operands, _sizes: &Sizes<'_>) -> Result<Outputs> {
        Err(Error::internal(self.name(), "not an operation on handles"))
    }

    /// Runs or records an operation of kind [`Kind::Host`] so that it can be differentiated by the inputs in `needs`:
    /// gives the operation that has the gradient rule, and the outputs behind one more, what that rule reads.
    fn run_for_gradient(
        &self,
        _inputs: &[&Tensor],
        _needs: &[bool],
        _location: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        Ok(None)
    }

    /// The input whose value output `output` of an operation on handles always is.
    fn same_as(&self, _output: usize) -> Option<usize> {
        None
    }

    /// Whether an operation on handles reads the resource that is its input `index`.
    fn reads(&self, _index: usize) -> bool {
        false
    }

    /// How the graphs inside it run, for executors that run them themselves.
    fn flow(&self) -> Option<Flow> {
        None
    }

    /// A loop over numbers as a program over registers.
    fn in_registers(&self) -> Option<&ScalarLoop> {
        None
    }

    /// Which operation on lists it is.
    fn list_op(&self) -> Option<ListOp<'_>> {
        None
    }

    /// The same operation with other graphs inside.
    fn with_bodies(&self, _bodies: &[Arc<Graph>]) -> Option<OpRef> {
        None
    }

    /// The graphs inside the operation.
    fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        SmallVec::new()
    }

    // State.

    /// How resource input `index` is used.
    fn access(&self, _index: usize) -> Access {
        Access::Read
    }

    // Gradient.

    /// What differentiating it means.
    fn gradient(&self) -> Gradient;

    /// What [`Op::backward`] reads, given which inputs need a gradient.
    fn saves(&self, _needs: &[bool]) -> Saves {
        Saves::NOTHING
    }

    /// The rule: gives a cotangent to each input that needs one. Written with operations, so it can be differentiated
    /// again; it never reads a number of a shape.
    fn backward(&self, _g: &mut Backward<'_>) -> Result<()> {
        Err(Error::unimplemented(self.name(), "no gradient rule"))
    }
}

/// Writes the identity part of an `impl Op`: `identity!("name")`, or with the fields that are attributes.
///
/// `identity!("cast", clone, { dtype: DType = "to" })` reads: field `dtype`, attribute kind `DType`, printed as `to`.
macro_rules! identity {
    ($name:literal) => {
        fn name(&self) -> &'static str {
            $name
        }
        fn keep(&self) -> $crate::op::OpRef {
            $crate::op::OpRef::Static(&Self)
        }
        fn as_dyn(&self) -> &dyn $crate::op::Op {
            self
        }
    };
    ($name:literal, { $($attr:literal: $kind:ident = |$this:ident| $value:expr),* $(,)? }) => {
        fn name(&self) -> &'static str {
            $name
        }
        fn keep(&self) -> $crate::op::OpRef {
            $crate::op::OpRef::Shared(std::sync::Arc::new(self.clone()))
        }
        fn as_dyn(&self) -> &dyn $crate::op::Op {
            self
        }
        fn attributes(&self, visit: &mut dyn FnMut(&'static str, $crate::op::Attr<'_>)) {
            $({
                let $this = self;
                visit($attr, $crate::op::Attr::$kind($value));
            })*
        }
    };
}
pub(crate) use identity;

/// One number for all attributes, to look up what was made for an operation.
pub(crate) fn fingerprint(op: &dyn Op) -> u64 {
    // FNV-1a over 64-bit words: attributes are few, and a collision needs equal names and dtypes too.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |word: u64| hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    op.attributes(&mut |name, attr| {
        mix(name.len() as u64 ^ u64::from(name.as_bytes()[0]) << 8);
        match attr {
            Attr::Int(v) => mix(v as u64),
            Attr::Float(v) => mix(v.to_bits()),
            Attr::Bool(v) => mix(u64::from(v)),
            Attr::DType(v) => mix(v as u64),
            Attr::Ints(v) => v.iter().for_each(|&i| mix(i as u64)),
            Attr::Shape(v) => v.sizes().iter().for_each(|d| mix(d.bits() as u64)),
            Attr::Text(v) => v.bytes().for_each(|b| mix(u64::from(b))),
        }
    });
    hash
}

impl fmt::Debug for dyn Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let mut first = true;
        let mut result = Ok(());
        self.attributes(&mut |name, attr| {
            let open = if std::mem::take(&mut first) { "{" } else { ", " };
            let one = match attr {
                Attr::Int(v) => write!(f, "{open}{name}={v}"),
                Attr::Float(v) => write!(f, "{open}{name}={v}"),
                Attr::Bool(v) => write!(f, "{open}{name}={v}"),
                Attr::DType(v) => write!(f, "{open}{name}={v}"),
                Attr::Ints(v) => write!(f, "{open}{name}={v:?}"),
                Attr::Shape(v) => write!(f, "{open}{name}={v}"),
                Attr::Text(v) => write!(f, "{open}{name}={v}"),
            };
            if result.is_ok() {
                result = one;
            }
        });
        result?;
        if first { Ok(()) } else { f.write_str("}") }
    }
}

/// What is known of an operation's inputs beyond their types: elements on the host, and what handles stand for.
pub(crate) trait Facts {
    /// The elements of an input, if they are known.
    fn value(&self, index: usize) -> Option<View>;
    /// The type of the value behind a resource handle, and the shape it must keep.
    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)>;
}

/// What [`Op::infer`] sees: types, and values where they are known; it answers by calling [`Infer::output`].
pub(crate) struct Infer<'a> {
    op: &'static str,
    inputs: &'a [&'a TensorType],
    facts: &'a dyn Facts,
    pub outputs: SmallVec<[TensorType; 1]>,
    /// Pairs of dimensions that must turn out equal when the numbers are known.
    pub constraints: Constraints,
}

impl<'a> Infer<'a> {
    pub fn new(op: &'static str, inputs: &'a [&'a TensorType], facts: &'a dyn Facts) -> Self {
        Self { op, inputs, facts, outputs: SmallVec::new(), constraints: Constraints::default() }
    }

    pub fn op(&self) -> &'static str {
        self.op
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn input(&self, index: usize) -> &'a TensorType {
        self.inputs[index]
    }

    pub fn shape(&self, index: usize) -> &'a Shape {
        &self.inputs[index].shape
    }

    pub fn dtype(&self, index: usize) -> DType {
        self.inputs[index].dtype
    }

    pub fn dtypes(&self) -> SmallVec<[DType; 4]> {
        self.inputs.iter().map(|t| t.dtype).collect()
    }

    /// The elements of an input on the host, if they are known.
    pub fn value(&self, index: usize) -> Option<View> {
        self.facts.value(index)
    }

    /// The type of the value behind resource input `index`, and the shape it must keep.
    pub fn resource(&self, index: usize) -> Result<(TensorType, Option<Shape>)> {
        self.facts.resource(index).ok_or_else(|| {
            Error::invalid_argument(self.op, format!("input {index} is not a variable"))
                .got(self.inputs[index])
                .expected("a variable or another resource handle")
        })
    }

    /// A dimension whose size is only known when the operation runs; its number is no other's.
    pub fn unknown_dim(&mut self) -> Dim {
        Dim::unbacked(crate::graph::ir::fresh_sizes(1))
    }

    /// Answers the type of the next output.
    pub fn output(&mut self, dtype: DType, shape: Shape) {
        self.outputs.push(TensorType::new(dtype, shape));
    }

    /// An error unless the dtype of input `index` is one of `accepts`.
    pub fn check_dtype(&self, index: usize, accepts: DTypes) -> Result<()> {
        let dtype = self.dtype(index);
        if accepts.has(dtype) {
            return Ok(());
        }
        Err(Error::invalid_argument(self.op, format!("input {index} has a dtype this operation does not take"))
            .got(dtype)
            .expected(format!("one of {accepts}"))
            .help("convert it with `cast`"))
    }

    /// An error unless all inputs have the dtype of the first.
    pub fn same_dtype(&self) -> Result<()> {
        let first = self.dtype(0);
        match self.inputs.iter().find(|t| t.dtype != first) {
            None => Ok(()),
            Some(other) => Err(Error::invalid_argument(self.op, "the inputs have different dtypes")
                .got(format!("{first} and {}", other.dtype))
                .expected("one dtype for all")
                .help(format!(
                    "dtypes are never mixed silently: convert one with `cast`, as in `x.cast(DType::{:?})`",
                    RustName(first)
                ))),
        }
    }

    /// The shape of all inputs broadcast together.
    pub fn broadcast_all(&mut self) -> Result<Shape> {
        let mut shape = self.inputs[0].shape;
        for other in &self.inputs[1..] {
            shape = broadcast(&shape, &other.shape, &mut self.constraints).map_err(|e| e.in_op(self.op))?;
        }
        Ok(shape)
    }
}

/// Prints a dtype as the enum's variant, which is what a user has to type.
struct RustName(DType);

impl fmt::Debug for RustName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            DType::F32 => "F32",
            DType::F64 => "F64",
            DType::I32 => "I32",
            DType::U8 => "U8",
            DType::I16 => "I16",
            DType::I8 => "I8",
            DType::I64 => "I64",
            DType::Bool => "Bool",
            DType::BF16 => "BF16",
            DType::U16 => "U16",
            DType::F16 => "F16",
            DType::Resource => "Resource",
            DType::Variant => "Variant",
            DType::U32 => "U32",
            DType::U64 => "U64",
        })
    }
}
