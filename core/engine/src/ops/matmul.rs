//! `matmul`: products of the last two dimensions, batches broadcast; dA = dC Bᵀ, dB = Aᵀ dC, by strides without copies.
//! TensorFlow's `tf.matmul`; transposed operands are views, the kernel takes any strides.

use super::AsTensor;
use super::add::Add;
use super::conj::conjugate;
use super::public;
use super::subtract::Subtract;
use super::transpose::swap_last;
use kernels::backend::cpu::merge_dims::collapse;
use kernels::backend::cpu::gemm::Addend;
use kernels::backend::cpu::{CpuCall, View, Work, gemm};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::meaning::{joined, parts};
use crate::op::{Gradient, Infer, Kind, Op, Outputs, Saves, identity};
use kernels::shape::{Shape, broadcast};
use crate::tape::Backward;
use crate::ops::sum_to;
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};
use std::panic::Location;

#[derive(Clone)]
pub(crate) struct MatMul;

impl Op for MatMul {
    identity!("matmul");

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let accepts = DTypes::FLOATING.and(DTypes::of(&[DType::I16, DType::I32, DType::I64]));
        cx.same_dtype()?;
        cx.check_dtype(0, accepts)?;
        let (a, b) = (cx.shape(0), cx.shape(1));
        if a.rank() < 2 || b.rank() < 2 {
            return Err(Error::invalid_argument("matmul", "both operands must be matrices or batches of them")
                .got(format!("{a} and {b}"))
                .expected("at least two dimensions each")
                .help("use `expand_dims` for a vector, or `tensordot`"));
        }
        let (k, l) = (a.dim(a.rank() - 1), b.dim(b.rank() - 2));
        match (k.known_value(), l.known_value()) {
            (Some(x), Some(y)) if x != y => {
                let error = Error::invalid_argument("matmul", "the inner dimensions differ")
                    .got(format!("{a} times {b}: {x} and {y}"))
                    .expected("as many columns in the first operand as rows in the second");
                return Err(match transposed_help(a, b) {
                    Some(help) => error.help(help),
                    None => error,
                });
            }
            _ if k != l => cx.constraints.push(k, l),
            _ => {}
        }
        let (m, n) = (a.dim(a.rank() - 2), b.dim(b.rank() - 1));
        if a.rank() == 2 && b.rank() == 2 {
            cx.output(cx.dtype(0), Shape::from_dims(&[m, n])?);
            return Ok(());
        }
        let outer = |s: &Shape| Shape::from_dims(&s.sizes()[..s.rank() - 2]);
        let shape = broadcast(&outer(a)?, &outer(b)?, &mut cx.constraints).map_err(|e| e.in_op("matmul"))?;
        let shape = shape.push(m)?.push(n)?;
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    /// (a + ib)(c + id) by four products of real matrices, which read the parts where they lie.
    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let types = [inputs[0].ty(), inputs[1].ty()];
        if types[0].dtype != types[1].dtype {
            return Ok(None);
        }
        let ((a, b), (c, d)) = (parts(inputs[0])?, parts(inputs[1])?);
        // A function, not a closure: it lets the caller's line through.
        #[track_caller]
        fn product(x: &Tensor, y: &Tensor) -> Result<Tensor> {
            execute1(&MatMul, &[x, y])
        }
        let re = execute1(&Subtract, &[&product(&a, &c)?, &product(&b, &d)?])?;
        let im = execute1(&Add, &[&product(&a, &d)?, &product(&b, &c)?])?;
        Ok(Some(smallvec![joined(&re, &im)?]))
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let batches = Batches::new(call);
        let work = gemm::work(&batches.product, call.outputs[0].dtype, call.isa);
        if batches.outer.len() == 1 {
            return work;
        }
        // Batches that no single stride describes run one product after another, each in the same scratch.
        Work { phases: [1, 0, 0, 0, 0], ..work }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let batches = Batches::new(call);
        let dtype = call.outputs[0].dtype;
        let [a, b, c] = [call.inputs[0].ptr, call.inputs[1].ptr, call.outputs[0].ptr];
        let size = dtype.size() as isize;
        // SAFETY: the strides are those of the views; scratch and phases are what `work` said.
        unsafe {
            if let [_] = batches.outer[..] {
                gemm::run(&batches.product, dtype, call.isa, a, b, c, Addend::NONE, call.scratch, phase, chunk);
                return Ok(());
            }
            let phases = gemm::work(&batches.product, dtype, call.isa).phases;
            for [ao, bo, co] in &batches.outer {
                for (phase, &chunks) in phases.iter().enumerate() {
                    for chunk in 0..chunks {
                        let (a, b, c) = (a.offset(ao * size), b.offset(bo * size), c.offset(co * size));
                        gemm::run(&batches.product, dtype, call.isa, a, b, c, Addend::NONE, call.scratch, phase, chunk);
                    }
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { cuda::product(call, &call.inputs[0], &call.inputs[1], &call.outputs[0], None) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        match (needs[0], needs[1]) {
            (true, true) => Saves::inputs(&[0, 1]),
            (true, false) => Saves::inputs(&[1]),
            _ => Saves::inputs(&[0]),
        }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        if g.needs(0) {
            let dx = execute1(&MatMul, &[&dy, &swap_last(g.input(1)?)?])?;
            let dx = sum_to(dx, g.input_type(0))?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dx = execute1(&MatMul, &[&swap_last(g.input(0)?)?, &dy])?;
            let dx = sum_to(dx, g.input_type(1))?;
            g.give(1, dx);
        }
        Ok(())
    }
}

/// Which operand fits once it is transposed.
#[cold]
fn transposed_help(a: &Shape, b: &Shape) -> Option<&'static str> {
    let known = |s: &Shape, from_end: usize| s.dim(s.rank() - from_end).known_value();
    let [(a_rows, a_columns), (b_rows, b_columns)] = [a, b].map(|s| (known(s, 2), known(s, 1)));
    let matrices = a.rank() == 2 && b.rank() == 2;
    match (a_rows == b_rows, a_columns == b_columns, a_rows == b_columns) {
        (true, true, _) if matrices => Some("transpose one of them: `a.t()` in front, or `b.t()` behind"),
        (true, ..) if matrices => Some("transpose the first one: `a.t()`"),
        (_, true, _) if matrices => Some("transpose the second one: `b.t()`"),
        (_, _, true) if matrices => Some("transpose both, `a.t()` and `b.t()`, or exchange them"),
        (true, ..) => Some("transpose the first one: `matmul_transposed(&a, true, &b, false)`"),
        (_, true, _) => Some("transpose the second one: `matmul_transposed(&a, false, &b, true)`"),
        (_, _, true) => Some("transpose both: `matmul_transposed(&a, true, &b, true)`"),
        _ => None,
    }
}

/// The product of two matrices as the kernel takes it.
pub(crate) fn product_of(a: &View, b: &View, c: &View) -> gemm::MatMul {
    Batches::of(a, b, c).product
}

/// A batched product as the kernel takes it: one batch stride per operand, and offsets of what remains outside.
struct Batches {
    product: gemm::MatMul,
    outer: SmallVec<[[isize; 3]; 1]>,
}

impl Batches {
    fn new(call: &CpuCall<'_>) -> Self {
        Self::of(&call.inputs[0], &call.inputs[1], &call.outputs[0])
    }

    fn of(a: &View, b: &View, c: &View) -> Self {
        let at = |view: &View, from_end: usize| view.strides()[view.rank() - from_end];
        let (m, n) = (c.dims()[c.rank() - 2], c.dims()[c.rank() - 1]);
        let mut product = gemm::MatMul {
            m,
            n,
            k: a.dims()[a.rank() - 1],
            a_rs: at(a, 2),
            a_cs: at(a, 1),
            b_rs: at(b, 2),
            b_cs: at(b, 1),
            c_rs: n as isize,
            batch: 1,
            a_bs: 0,
            b_bs: 0,
            c_bs: (m * n) as isize,
        };
        let mut outer: SmallVec<[[isize; 3]; 1]> = SmallVec::from_buf([[0; 3]]);
        if c.rank() == 2 {
            return Self { product, outer };
        }
        let batch_dims = &c.dims()[..c.rank() - 2];
        let stride = |view: &View, axis: usize| {
            let lead = c.rank() - view.rank();
            match axis.checked_sub(lead) {
                Some(own) if view.dims()[own] != 1 => view.strides()[own],
                _ => 0,
            }
        };
        let space = collapse(batch_dims, 3, |o, axis| stride([a, b, c][o], axis), |_, _| true);
        let last = space.dims.len() - 1;
        product.batch = space.dims[last];
        (product.a_bs, product.b_bs) = (space.stride(last, 0), space.stride(last, 1));
        if product.batch > 1 {
            product.c_bs = space.stride(last, 2);
        }
        for axis in 0..last {
            let step = [0, 1, 2].map(|o| space.stride(axis, o));
            outer = outer
                .iter()
                .flat_map(|base| (0..space.dims[axis] as isize).map(move |i| [0, 1, 2].map(|o| base[o] + i * step[o])))
                .collect();
        }
        if batch_dims.contains(&0) {
            outer.clear();
        }
        Self { product, outer }
    }
}

/// The matrix product of the last two dimensions; leading dimensions are batches and broadcast.
///
/// Floats, `int16`, `int32` and `int64`; 16-bit floats are added up in `f32`. On the CPU sums below the least normal number (1.2e-38 in
/// `float32`) become zero, as in TensorFlow. See [`matmul_transposed`] for products of transposed operands, or pass `x.t()`:
/// neither copies.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(tf::matmul(&a, &a).to_vec::<f32>(), [7.0, 10.0, 15.0, 22.0]);
/// ```
///
/// # Panics
/// As [`try_matmul`] fails.
#[track_caller]
pub fn matmul(a: impl AsTensor, b: impl AsTensor) -> Tensor {
    try_matmul(a, b).or_fail()
}

/// The matrix product of the last two dimensions.
///
/// # Errors
/// InvalidArgument for fewer than two dimensions, inner dimensions or batches that do not fit, or dtypes that differ.
#[track_caller]
pub fn try_matmul(a: impl AsTensor, b: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    execute1(&MatMul, &[&a.as_tensor(), &b.as_tensor()]).map_err(|e| e.at(here))
}

/// The matrix product with either operand's last two dimensions swapped first: TensorFlow's `transpose_a`,
/// `transpose_b`.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::ones([5, 2]);
/// assert_eq!(tf::matmul_transposed(&a, true, &a, false).shape(), [2, 2]);
/// ```
///
/// # Panics
/// As [`try_matmul`] fails.
#[track_caller]
pub fn matmul_transposed(a: impl AsTensor, transpose_a: bool, b: impl AsTensor, transpose_b: bool) -> Tensor {
    try_matmul_transposed(a, transpose_a, b, transpose_b).or_fail()
}

/// The matrix product with either operand's last two dimensions swapped first.
///
/// # Errors
/// As [`try_matmul`].
#[track_caller]
pub fn try_matmul_transposed(
    a: impl AsTensor,
    transpose_a: bool,
    b: impl AsTensor,
    transpose_b: bool,
) -> Result<Tensor> {
    let turn = |x: &Tensor, turn: bool| if turn && x.rank() >= 2 { swap_last(x) } else { Ok(x.clone()) };
    let (a, b) = (turn(&a.as_tensor(), transpose_a)?, turn(&b.as_tensor(), transpose_b)?);
    try_matmul(a, b)
}

/// The matrix product with either operand's last two dimensions swapped and conjugated first: TensorFlow's `adjoint_a`, `adjoint_b`.
/// Of real matrices that is [`matmul_transposed`].
///
/// ```
/// use eagerflow::{self as tf, Complex};
/// let a = tf::Tensor::from([[Complex::new(1.0_f32, 1.0)], [Complex::new(0.0, 2.0)]]);
/// assert_eq!(tf::matmul_adjoint(&a, true, &a, false).item::<Complex<f32>>(), Complex::new(6.0, 0.0));
/// ```
///
/// # Panics
/// As [`try_matmul`] fails.
#[track_caller]
pub fn matmul_adjoint(a: impl AsTensor, adjoint_a: bool, b: impl AsTensor, adjoint_b: bool) -> Tensor {
    try_matmul_adjoint(a, adjoint_a, b, adjoint_b).or_fail()
}

/// The matrix product with either operand's last two dimensions swapped and conjugated first.
///
/// # Errors
/// As [`try_matmul`].
#[track_caller]
pub fn try_matmul_adjoint(a: impl AsTensor, adjoint_a: bool, b: impl AsTensor, adjoint_b: bool) -> Result<Tensor> {
    #[track_caller]
    fn turn(x: &Tensor, turn: bool) -> Result<Tensor> {
        if turn && x.rank() >= 2 { conjugate(&swap_last(x)?) } else { Ok(x.clone()) }
    }
    let (a, b) = (turn(&a.as_tensor(), adjoint_a)?, turn(&b.as_tensor(), adjoint_b)?);
    try_matmul(a, b)
}

public! {
    /// Matrices, or batches of them, with their last two dimensions swapped and their elements conjugated.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let a = tf::Tensor::from([[Complex::new(1.0_f32, 1.0), Complex::new(0.0, 2.0)]]);
    /// assert_eq!(tf::adjoint(&a).to_vec::<Complex<f32>>(), [Complex::new(1.0, -1.0), Complex::new(0.0, -2.0)]);
    /// ```
    pub fn adjoint, try_adjoint(x) -> Tensor {
        if x.rank() < 2 {
            return Err(Error::invalid_argument("adjoint", "only matrices and batches of them have an adjoint")
                .got(x.ty())
                .expected("at least two dimensions"));
        }
        conjugate(&swap_last(x)?)
    }
}

impl Tensor {
    /// [`matmul`] of this tensor and another.
    #[track_caller]
    pub fn matmul(&self, other: impl AsTensor) -> Tensor {
        matmul(self, other)
    }

    /// [`try_matmul`] of this tensor and another.
    ///
    /// # Errors
    /// As [`try_matmul`].
    #[track_caller]
    pub fn try_matmul(&self, other: impl AsTensor) -> Result<Tensor> {
        try_matmul(self, other)
    }
}
