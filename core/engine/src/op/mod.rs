//! What an operation is: one trait that holds its identity, types, meaning, kernels, effects and gradient.
//! Each file in `ops/` implements it once; `execute`, the tape and the recorders know operations only through it.

mod control;
mod identity;
mod infer;
mod kind;
mod sizes;

pub(crate) use control::ControlOp;
pub(crate) use identity::{Attr, OpRef, fingerprint, identity};
pub use infer::cast_help;
pub(crate) use infer::{Facts, Infer};
pub(crate) use kind::{Access, Flow, Gradient, Kind, Mask, Saves};
pub(crate) use sizes::Sizes;

use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::backend::cpu::reduce::Monoid;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use kernels::shape::{AxisSet, Symbol};
use smallvec::SmallVec;
use std::any::Any;

/// The sizes that stand for symbols in one run of a recorded list.
pub(crate) type Lookup<'a> = dyn Fn(Symbol) -> Option<usize> + 'a;

/// The results of an operation; most have one.
pub(crate) type Outputs = SmallVec<[Tensor; 1]>;

/// The operands of an operation on handles, given up by the caller.
pub(crate) type Operands = SmallVec<[Tensor; 4]>;

/// An operation. Adding one touches its own file and one line in `ops/mod.rs`; see `docs/adding-an-op.md`.
pub(crate) trait Op: Any + Send + Sync {
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
        cx.output(crate::meaning::program_of(self.as_dyn(), &dtypes).outputs[0], shape);
        Ok(())
    }

    /// `self` as a trait object, which default methods cannot make themselves.
    fn as_dyn(&self) -> &dyn Op;

    /// The operation with the sizes of a run in place of symbols; only those with sizes among their attributes differ.
    fn bind(&self, _lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(self.keep())
    }

    /// The elements of an output that is a scalar or a vector of integers, where those of all inputs are known as sizes; `types` are
    /// those of the inputs.
    fn sizes(&self, inputs: &[&Sizes], _types: &[&TensorType], _output: usize) -> Option<Sizes> {
        sizes::elementwise(self.as_dyn(), inputs)
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

    // Complex operands.

    /// The meaning for one complex element, by its parts; `None` if it has none, so that complex operands are refused. A real operand
    /// stands in both parts.
    fn complex(&self, _s: &Scalar, _x: &[ComplexVal]) -> Option<Meant> {
        None
    }

    /// The complex derivative of that meaning by operand `index`, where that of the formulas would lose digits or is longer.
    fn complex_slope(&self, _s: &Scalar, _x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        None
    }

    /// What it gives for complex operands where it is no formula for one element, made of other operations; `None` if it takes them as
    /// they are, or refuses them.
    fn on_complex(&self, _inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        Ok(None)
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

    /// Whether the kernel reads inputs of any strides; else `execute` hands it dense ones.
    fn takes_strides(&self) -> bool {
        false
    }

    /// The same for the kernel of a GPU.
    fn takes_strides_on_gpu(&self) -> bool {
        self.takes_strides()
    }

    /// The input over which the kernel may write its one output, if the two are of one type and both dense.
    fn overwrites(&self) -> Option<usize> {
        None
    }

    /// The operation that adds what this one gives to a tensor, its input before those of this one: for results that are zero
    /// but for a part, so that sums of them cost the parts alone.
    fn onto(&self) -> Option<OpRef> {
        None
    }

    /// The input to which the one output adds something that does not depend on it.
    fn adds_to(&self) -> Option<usize> {
        None
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

    /// Whether it refuses operands for sizes that constraints between sizes do not tell, as a window refuses images that are
    /// smaller: then it may fail where these sizes are not known.
    fn may_refuse_sizes(&self, _inputs: &[&TensorType]) -> bool {
        false
    }

    /// One part of the work on the CPU. Never allocates tensors; outputs may be uninitialised.
    ///
    /// # Safety
    /// The views are valid for this operation's inferred types, nobody else touches the outputs, and every chunk of
    /// [`Op::work`] runs exactly once, phase after phase.
    unsafe fn cpu(&self, _call: &CpuCall<'_>, _phase: usize, _chunk: usize) -> Result<()> {
        Err(Error::unimplemented(self.name(), "no CPU kernel"))
    }

    /// The whole work where operands or results are strings, for operations that look at them; those that only move
    /// elements have their kernels run on words that stand for the strings.
    fn strings(&self, _inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        None
    }

    /// The whole work on a GPU, for operations that are neither element-wise nor reductions: queues kernels, waits for none.
    ///
    /// # Safety
    /// The views are valid for this operation's inferred types on the call's device, in the order of its stream, and nobody
    /// else touches the outputs.
    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        Err(Error::unimplemented(self.name(), "no kernel for a GPU")
            .got(call.gpu.id.device())
            .help("place it on the CPU: `let _cpu = tf::device(\"/cpu:0\");`"))
    }

    /// Whether it talks to the host and so runs there wherever its operands are.
    fn runs_on_host(&self) -> bool {
        false
    }

    /// The input beside which it runs, wherever the others are.
    fn runs_beside(&self) -> Option<usize> {
        None
    }

    /// Whether there is nothing to do for these inputs, as far as those in the host's memory tell.
    fn is_idle(&self, _inputs: &[&Tensor]) -> bool {
        false
    }

    /// Whether the kernel for a GPU takes input `index` from the host's memory where it lies there, and else from the
    /// device: numbers, which then travel as arguments. [`CudaCall::is_here`] tells which it is.
    fn takes_from_host(&self, _index: usize) -> bool {
        false
    }

    /// Whether a view whose output has the type of its input also keeps every element in its place.
    fn keeps_order(&self) -> bool {
        false
    }

    /// Whether each element of the result is one of the operands' elements, chosen: NaN and infinities only pass through.
    fn picks_elements(&self) -> bool {
        false
    }

    /// What operations with graphs inside, and operations on tensor handles, have beside the rest.
    fn as_control(&self) -> Option<&dyn ControlOp> {
        None
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
