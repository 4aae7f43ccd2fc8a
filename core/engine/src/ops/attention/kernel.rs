//! The two operations of attention, forward and gradient: their types and kernels.
//! `mod.rs` runs them; second derivatives come from `composed.rs`.

use super::composed;
use super::device;
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use kernels::backend::cpu::attention::{self as blocks, Gradients};
use kernels::backend::cpu::philox::Philox;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape, broadcast};
use smallvec::SmallVec;

/// What is asked for beside the operands.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub masked: bool,
    pub causal: bool,
    pub scale: Option<f64>,
    /// The rate at which probabilities are dropped, above 0; the seed is the last input then.
    pub rate: f64,
}

/// Inputs: queries `[.., h, Tq, D]`, keys `[.., h or 1, Tk, D]`, values `[.., h or 1, Tk, Dv]`, a mask, a seed. Outputs: `[.., h, Tq, Dv]`,
/// and the logarithm of each query's sum of exponentials, for the gradient.
#[derive(Clone)]
pub(super) struct Attention {
    pub options: Options,
}

/// Inputs: queries, keys, values, both outputs, the first one's cotangent, a mask, a seed. Outputs: cotangents of the first three.
#[derive(Clone)]
pub(super) struct AttentionGradient {
    pub options: Options,
}

/// The attributes of both.
macro_rules! attention_identity {
    ($name:literal) => {
        identity!($name, {
            "masked": Bool = |this| this.options.masked,
            "causal": Bool = |this| this.options.causal,
            "scaled": Bool = |this| this.options.scale.is_some(),
            "scale": Float = |this| this.options.scale.unwrap_or(0.0),
            "rate": Float = |this| this.options.rate,
        });
    };
}

impl Options {
    pub fn drops(&self) -> bool {
        self.rate > 0.0
    }

    /// The mask and the seed among what comes after `before` inputs.
    pub fn extras<'a, T>(&self, inputs: &'a [T], before: usize) -> (Option<&'a T>, Option<&'a T>) {
        let mask = if self.masked { inputs.get(before) } else { None };
        let seed = if self.drops() { inputs.get(before + usize::from(self.masked)) } else { None };
        (mask, seed)
    }

    /// The call as the kernels of the CPU take it.
    ///
    /// # Safety
    /// A seed is valid.
    unsafe fn on_host<'a>(&self, call: &'a CpuCall<'_>, before: usize) -> Result<blocks::Attention<'a>> {
        let [query, key, value] = [0, 1, 2].map(|i| &call.inputs[i]);
        let (mask, seed) = self.extras(call.inputs, before);
        // SAFETY: by the caller's promise.
        let dropout = match seed.map(|seed| unsafe { seed.integers() }) {
            None => None,
            Some(seed) => Some((stream(&seed)?, self.rate)),
        };
        Ok(blocks::Attention {
            query,
            key,
            value,
            mask,
            causal: self.causal,
            scale: self.scale,
            dropout,
            isa: call.isa,
        })
    }

    /// The same for questions about sizes, which no seed decides.
    fn sizes_of<'a>(&self, call: &'a CpuCall<'_>, before: usize) -> blocks::Attention<'a> {
        let [query, key, value] = [0, 1, 2].map(|i| &call.inputs[i]);
        let (mask, _) = self.extras(call.inputs, before);
        let dropout = self.drops().then(|| (Philox::from_key_counter(0, [0; 2]), self.rate));
        blocks::Attention { query, key, value, mask, causal: self.causal, scale: self.scale, dropout, isa: call.isa }
    }
}

/// The stream of a seed.
pub(super) fn stream(seed: &[i64]) -> Result<Philox> {
    match *seed {
        [a, b] => Ok(Philox::from_seed([a, b])),
        _ => Err(Error::invalid_argument("attention", "a seed has two numbers").got(seed.len())),
    }
}

/// The shapes of all outer dimensions together with the last two: `[.., rows, columns]`.
fn outer_with(shape: &Shape, rows: Dim, columns: Dim) -> Result<Shape> {
    let rank = shape.rank();
    shape.with(rank - 2, rows)?.with(rank - 1, columns)
}

fn misfit(cx: &Infer<'_>, what: &str) -> Error {
    Error::invalid_argument(super::NAME, what)
        .got(format!("queries {}, keys {}, values {}", cx.shape(0), cx.shape(1), cx.shape(2)))
        .expected("[.., heads, Tq, D], [.., heads, Tk, D] and [.., heads, Tk, Dv]")
}

/// Checks operands, mask and seed; gives the shape of the result.
fn checked(cx: &mut Infer<'_>, options: &Options, before: usize) -> Result<Shape> {
    for i in 0..3 {
        cx.check_dtype(i, DTypes::FLOATING)?;
        if cx.dtype(i) != cx.dtype(0) {
            return Err(misfit(cx, "queries, keys and values have different dtypes")
                .got(format!("{}, {} and {}", cx.dtype(0), cx.dtype(1), cx.dtype(2)))
                .help("convert them with `cast`"));
        }
    }
    let [q, k, v] = [0, 1, 2].map(|i| *cx.shape(i));
    let rank = q.rank();
    if rank < 2 || k.rank() != rank || v.rank() != rank {
        return Err(misfit(cx, "queries, keys and values must be matrices, or batches of them"));
    }
    let mut same: SmallVec<[(Dim, Dim); 12]> = SmallVec::new();
    same.push((q.dim(rank - 1), k.dim(rank - 1)));
    same.push((k.dim(rank - 2), v.dim(rank - 2)));
    for axis in 0..rank - 2 {
        same.push((k.dim(axis), v.dim(axis)));
        // One set of keys and values may be that of all heads.
        if axis + 3 < rank || k.dim(axis) != Dim::ONE {
            same.push((q.dim(axis), k.dim(axis)));
        }
    }
    for (a, b) in same {
        if !a.can_equal(b) {
            return Err(misfit(cx, "queries, keys and values do not fit each other").help(
                "queries and keys have elements of one size, keys and values are as many; fewer heads of keys are for `grouped`",
            ));
        }
        if a != b {
            cx.constraints.push(a, b);
        }
    }
    if options.masked {
        let mask = *cx.input(before);
        if mask.dtype != DType::Bool && mask.dtype != cx.dtype(0) {
            return Err(Error::invalid_argument(
                super::NAME,
                "the mask holds neither truth values nor numbers like the queries'",
            )
            .got(mask.dtype)
            .expected(format!("bool or {}", cx.dtype(0))));
        }
        let scores = outer_with(&q, q.dim(rank - 2), k.dim(rank - 2))?;
        let both = broadcast(&scores, &mask.shape, &mut cx.constraints).map_err(|e| e.in_op(super::NAME))?;
        if both != scores && (both.rank() != rank || both.iter().zip(scores.iter()).any(|(a, b)| !a.can_equal(b))) {
            return Err(Error::invalid_argument(super::NAME, "the mask does not broadcast to the scores")
                .got(mask.shape)
                .expected(format!("a shape that broadcasts to {scores}")));
        }
    }
    if options.drops() {
        let seed = before + usize::from(options.masked);
        cx.check_dtype(seed, DTypes::of(&[DType::I32, DType::I64]))?;
        let shape = cx.shape(seed);
        if shape.rank() != 1 || shape.dim(0).known_value().is_some_and(|n| n != 2) {
            return Err(Error::invalid_argument(super::NAME, "a seed has two numbers").got(shape).expected("[2]"));
        }
    }
    outer_with(&q, q.dim(rank - 2), v.dim(rank - 1))
}

impl Op for Attention {
    attention_identity!("attention");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let out = checked(cx, &self.options, 3)?;
        cx.output(cx.dtype(0), out);
        cx.output(cx.dtype(0).compute(), out.remove(out.rank() - 1));
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        blocks::forward_work(&self.options.sizes_of(call, 3))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        // SAFETY: views of the inferred types, chunks and scratch memory of `work`.
        unsafe {
            let p = self.options.on_host(call, 3)?;
            blocks::forward(&p, &call.outputs[0], &call.outputs[1], call.scratch, chunk);
        }
        Ok(())
    }

    fn takes_from_host(&self, index: usize) -> bool {
        index == 3 + usize::from(self.options.masked)
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { device::forward(&self.options, call) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let extras = &[0, 1, 2, 3, 4][..needs.len()];
        Saves::inputs(extras).and(Saves::outputs(&[0, 1]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let owed = g.dy(0)?;
        if (0..3).any(|i| g.needs(i)) {
            let given = {
                let mut inputs: SmallVec<[&_; 8]> = SmallVec::new();
                inputs.extend([g.input(0)?, g.input(1)?, g.input(2)?, g.output(0)?, g.output(1)?, &owed]);
                for i in 3..g.len() {
                    inputs.push(g.input(i)?);
                }
                execute(&AttentionGradient { options: self.options }, &inputs)?
            };
            for (i, dx) in given.into_iter().enumerate() {
                if g.needs(i) {
                    g.give(i, dx);
                }
            }
        }
        if self.options.masked && g.needs(3) && g.input_type(3).dtype != DType::Bool {
            let seed = if self.options.drops() { Some(g.input(4)?) } else { None };
            let operands = [g.input(0)?, g.input(1)?, g.input(2)?];
            let dx = composed::mask_gradient(&self.options, operands, g.input(3)?, seed, &owed)?;
            g.give(3, dx);
        }
        Ok(())
    }
}

impl Op for AttentionGradient {
    attention_identity!("attention_gradient");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        checked(cx, &self.options, 6)?;
        (0..3).for_each(|i| cx.output(cx.dtype(i), *cx.shape(i)));
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        blocks::backward_work(&self.options.sizes_of(call, 6))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (i, o) = (call.inputs, call.outputs);
        let g = Gradients { out: &i[3], logs: &i[4], owed: &i[5], query: &o[0], key: &o[1], value: &o[2] };
        // SAFETY: views of the inferred types, phases, chunks and scratch memory of `work`.
        unsafe { blocks::backward(&self.options.on_host(call, 6)?, &g, call.scratch, phase, chunk) };
        Ok(())
    }

    fn takes_from_host(&self, index: usize) -> bool {
        index == 6 + usize::from(self.options.masked)
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { device::backward(&self.options, call) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        let all = &[0, 1, 2, 5, 6, 7][..needs.len() - 2];
        Saves::inputs(all)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        composed::second_order(&self.options, g)
    }
}
