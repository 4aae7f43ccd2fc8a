//! Draws on a GPU: the kernels of the distributions, and what each is told of its law.
//! The two drawing operations call [`draw`].

use super::Law;
use kernels::backend::cpu::View;
use kernels::backend::cpu::philox::Philox;
use kernels::backend::cuda::{Arguments, CudaCall, Kernel, bits_of, grid};
use kernels::dtype::{DType, bf16, f16};
use kernels::error::Result;

/// The generator, which stands in front of every text that draws.
pub(crate) const PHILOX: &str = include_str!("philox.cuh");
const REALS: &str = concat!("#define REALS\n", include_str!("philox.cuh"), include_str!("random_draw.cuh"));
static UNIFORM: Kernel = Kernel { name: "draw_uniform", text: &[REALS] };
static NORMAL: Kernel = Kernel { name: "draw_normal", text: &[REALS] };
static TRUNCATED: Kernel = Kernel { name: "draw_truncated", text: &[REALS] };
static INTEGERS: Kernel = Kernel { name: "draw_integers", text: &[PHILOX, include_str!("random_draw.cuh")] };
static ORDER: Kernel = Kernel { name: "draw_order", text: &[PHILOX, include_str!("random_draw.cuh")] };
static CHANCES: Kernel =
    Kernel { name: "running_chances", text: &[concat!("#define CHANCES\n", include_str!("categorical.cuh"))] };
static CLASSES: Kernel = Kernel { name: "draw_classes", text: &[PHILOX, include_str!("categorical.cuh")] };
static MOVE_STATE: Kernel = Kernel { name: "move_state", text: &[PHILOX, include_str!("random_draw.cuh")] };

/// Where a draw's stream comes from.
pub(super) enum Source<'a> {
    /// The host knows it.
    Stream(Philox),
    /// A seed on the device.
    Seed(&'a View),
    /// A generator's state on the device, which moves on.
    State(&'a View),
}

impl Source<'_> {
    /// The element type of what lies on the device.
    fn dtype(&self) -> DType {
        match self {
            Self::Stream(_) => DType::I64,
            Self::Seed(given) | Self::State(given) => given.dtype,
        }
    }

    /// What `stream_of` of the kernels is told.
    fn push(&self, to: &mut Arguments) {
        let (stream, given, step) = match self {
            Self::Stream(stream) => (*stream, 0, 0),
            Self::Seed(seed) => {
                (Philox::from_key_counter(0, [0; 2]), seed.ptr.addr() as u64, seed.strides()[0] as i64)
            }
            Self::State(state) => (Philox::from_key_counter(0, [0; 2]), state.ptr.addr() as u64, 0),
        };
        let (key, [low, high]) = stream.key_counter();
        to.address(given);
        to.value(step);
        to.size(usize::from(matches!(self, Self::State(_))));
        to.words(&[low, high, key].map(|word| word as i64));
    }
}

/// Threads of the one block that draws an order: it takes as many exchanges at a time.
const EXCHANGES: u32 = 1024;

/// Draws all elements of the output.
///
/// # Safety
/// As `Op::cuda`; the output is dense and of the law's dtype, a seed has two elements, a state three words that only
/// this call sees.
pub(super) unsafe fn draw(law: Law, call: &CudaCall<'_>, source: &Source<'_>) -> Result<()> {
    let out = &call.outputs[0];
    let seed_type = source.dtype();
    if out.is_empty() {
        return move_on(law, call, source);
    }
    if law == Law::Order {
        let holders = call.scratch(out.len() * 8)?;
        // SAFETY: by the caller's promise; a word for each element.
        unsafe {
            call.gpu.set_bytes(holders.address(), 0xff, out.len() * 8)?;
            call.launch(&ORDER, &[DType::U64, seed_type], grid(1, EXCHANGES), |arguments| {
                arguments.view(out);
                arguments.size(out.len());
                source.push(arguments);
                arguments.address(holders.address());
            })?;
        }
        return move_on(law, call, source);
    }
    let (kernel, dtype) = match law {
        Law::Uniform { .. } => (&UNIFORM, out.dtype),
        Law::Normal { .. } => (&NORMAL, out.dtype),
        Law::Truncated { .. } => (&TRUNCATED, out.dtype),
        _ => (&INTEGERS, bits_of(out.dtype.size())),
    };
    let group = if out.dtype.size() == 8 { 2 } else { 4 };
    let arguments = |arguments: &mut Arguments| {
        arguments.view(out);
        arguments.size(out.len());
        source.push(arguments);
        law.push(out.dtype, arguments);
    };
    // SAFETY: by the caller's promise; groups are shared out among threads.
    unsafe { call.elements(kernel, &[dtype, seed_type], out.len().div_ceil(group), arguments)? };
    move_on(law, call, source)
}

/// Draws the classes of categorical numbers by the rows of the logits, the call's second input.
///
/// # Safety
/// As `Op::cuda`; logits and output are dense, with as many rows and at least one class, and a seed has two elements.
pub(super) unsafe fn classes(call: &CudaCall<'_>, source: &Source<'_>) -> Result<()> {
    let (logits, out) = (&call.inputs[1], &call.outputs[0]);
    if out.is_empty() {
        return Ok(());
    }
    let &[rows, classes] = logits.dims() else { return Ok(()) };
    let sums = call.scratch(logits.len() * size_of::<f64>())?;
    // SAFETY: by the caller's promise; a sum for each logit.
    unsafe {
        call.launch(&CHANCES, &[logits.dtype], grid(rows, 256), |to| {
            to.view(logits);
            to.size(classes);
            to.address(sums.address());
        })?;
        call.elements(&CLASSES, &[out.dtype, source.dtype()], out.len(), |to| {
            to.view(out);
            to.sizes(&[out.dims()[1], classes]);
            to.address(sums.address());
            source.push(to);
        })
    }
}

/// Moves a generator's state past the draw that was queued.
fn move_on(law: Law, call: &CudaCall<'_>, source: &Source<'_>) -> Result<()> {
    match source {
        // SAFETY: a state of three words that only this call sees.
        Source::State(state) => unsafe { skip(call, state, law.counters(call.outputs[0].len())) },
        _ => Ok(()),
    }
}

/// Moves a generator's state on by so many counters.
///
/// # Safety
/// The state is three int64 words on the call's device that only this call sees.
pub(super) unsafe fn skip(call: &CudaCall<'_>, state: &View, counters: u128) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        call.launch(&MOVE_STATE, &[DType::U64, DType::I64], grid(1, 32), |arguments| {
            arguments.view(state);
            arguments.value(counters as u64);
            arguments.value((counters >> 64) as u64);
        })
    }
}

impl Law {
    /// What the kernel is told of a law: scale and shift in the type that is computed with, or the lowest number and how
    /// many there are.
    fn push(self, dtype: DType, arguments: &mut Arguments) {
        let [a, b] = self.reals();
        let uniform = matches!(self, Self::Uniform { .. });
        macro_rules! reals {
            ($from:expr, $wide:expr) => {{
                let [a, b] = [$from(a), $from(b)];
                let (scale, shift) = if uniform { (b - a, a) } else { (b, a) };
                arguments.value($wide(scale));
                arguments.value($wide(shift));
            }};
        }
        match dtype {
            DType::F64 => reals!(|v: f64| v, |v: f64| v),
            DType::F16 => reals!(f16::from_f64, f16::to_f32),
            DType::BF16 => reals!(bf16::from_f64, bf16::to_f32),
            DType::F32 => reals!(|v: f64| v as f32, |v: f32| v),
            _ => {
                let [low, high] = self.integers();
                arguments.value(low);
                arguments.value(high.wrapping_sub(low));
            }
        }
    }
}

