//! Attention on a GPU: how its kernels are launched.
//! The operations in `kernel.rs` call it.

use super::kernel::{Options, stream};
use crate::ops::random_draw::PHILOX;
use kernels::backend::cpu::View;
use kernels::backend::cpu::philox::Philox;
use kernels::backend::cuda::{Arguments, Buffer, CudaCall, Kernel, Strided, grid};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::MAX_RANK;

const TEXT: &[&str] = &[PHILOX, include_str!("pairs.cuh"), include_str!("attention.cuh")];
/// The kernels for any operands.
static GENERAL: Kernels = Kernels {
    forward: Kernel { name: "attention", text: TEXT },
    queries: Kernel { name: "attention_queries", text: TEXT },
    keys: Kernel { name: "attention_keys", text: TEXT },
    rows: 16,
    most: usize::MAX,
};

/// Kernels for rows of numbers that lie side by side: of so many numbers at most, and rows that a block takes.
macro_rules! by_tiles {
    ($most:literal, $define:literal, $rows:literal) => {{
        const TEXT: &[&str] = &[$define, PHILOX, include_str!("pairs.cuh"), include_str!("attention_tiles.cuh")];
        Kernels {
            forward: Kernel { name: "attention_by_tiles", text: TEXT },
            queries: Kernel { name: "attention_queries_by_tiles", text: TEXT },
            keys: Kernel { name: "attention_keys_by_tiles", text: TEXT },
            rows: $rows,
            most: $most,
        }
    }};
}

static TILES: [Kernels; 3] =
    [by_tiles!(32, "#define MOST 32\n", 32), by_tiles!(64, "#define MOST 64\n", 32), by_tiles!(128, "#define MOST 128\n", 16)];

/// Threads of a block, as the texts have them.
const THREADS: u32 = 128;

/// The three kernels of a way, the rows that their blocks take, and the most numbers of a row.
struct Kernels {
    forward: Kernel,
    queries: Kernel,
    keys: Kernel,
    rows: usize,
    most: usize,
}

impl Kernels {
    fn are_general(&self) -> bool {
        self.most == usize::MAX
    }
}

/// The operands as the text has them (`struct Operands`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Operands {
    at: [Strided; 4],
    addresses: [u64; 4],
}

/// What the gradient reads besides (`struct Saved`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Saved {
    at: [Strided; 2],
    addresses: [u64; 4],
}

/// What all three kernels are told.
struct Told<'a> {
    options: &'a Options,
    call: &'a CudaCall<'a>,
    mask: Option<&'a View>,
    seed: Option<&'a View>,
    given: Philox,
    heads: usize,
    key_heads: usize,
    queries: usize,
    keys: usize,
    depth: usize,
    width: usize,
}

impl<'a> Told<'a> {
    /// # Safety
    /// The call's views are valid.
    unsafe fn new(options: &'a Options, call: &'a CudaCall<'_>, before: usize) -> Result<Self> {
        let (mask, seed) = options.extras(call.inputs, before);
        let here = seed.is_some() && call.is_here(before + usize::from(options.masked));
        let given = match seed {
            // SAFETY: by the caller's promise, a seed in the host's memory.
            Some(seed) if here => stream(&unsafe { seed.integers() })?,
            _ => Philox::from_key_counter(0, [0; 2]),
        };
        let [q, k, v] = [0, 1, 2].map(|i| call.inputs[i].dims());
        let rank = q.len();
        Ok(Self {
            options,
            call,
            mask,
            seed: seed.filter(|_| !here),
            given,
            heads: q[..rank - 2].iter().product(),
            key_heads: k[..rank - 2].iter().product(),
            queries: q[rank - 2],
            keys: k[rank - 2],
            depth: q[rank - 1],
            width: v[rank - 1],
        })
    }

    fn types(&self) -> [DType; 3] {
        let dtype = self.call.inputs[0].dtype;
        [dtype, self.seed.map_or(DType::I64, |seed| seed.dtype), self.mask.map_or(DType::Bool, |mask| mask.dtype)]
    }

    /// The mask's strides over all scores.
    fn mask_at(&self) -> Strided {
        let Some(mask) = self.mask else { return Strided::SCALAR };
        let q = self.call.inputs[0].dims();
        let rank = q.len();
        let mut dims = [1; MAX_RANK];
        dims[..rank].copy_from_slice(q);
        dims[rank - 1] = self.keys;
        let stride = |axis: usize| match (axis + mask.rank()).checked_sub(rank) {
            Some(own) if mask.dims()[own] != 1 => mask.strides()[own],
            _ => 0,
        };
        let strides: [isize; MAX_RANK] = std::array::from_fn(|axis| if axis < rank { stride(axis) } else { 0 });
        Strided::new(&dims[..rank], &strides[..rank])
    }

    fn push(&self, to: &mut Arguments) {
        let group = self.heads.checked_div(self.key_heads).unwrap_or(1);
        let sizes = [self.heads, group, self.queries, self.keys, self.depth, self.width].map(|n| n as i64);
        let flags = [self.options.causal, self.mask.is_some(), self.options.drops()].map(i64::from);
        let step = self.seed.map_or(0, |seed| seed.strides()[0] as i64);
        to.words(&[&sizes[..], &flags[..], &[step]].concat());
        let scale = self.options.scale.unwrap_or_else(|| 1.0 / (self.depth as f64).sqrt());
        to.words(&[scale, self.options.rate].map(|x| x.to_bits() as i64));
        let address = |view: Option<&View>| view.map_or(0, |view| view.ptr.addr() as u64);
        let [q, k, v] = [0, 1, 2].map(|i| &self.call.inputs[i]);
        to.value(Operands {
            at: [Strided::of(q), Strided::of(k), Strided::of(v), self.mask_at()],
            addresses: [address(Some(q)), address(Some(k)), address(Some(v)), address(self.mask)],
        });
        to.value(address(self.seed));
        let (key, [low, high]) = self.given.key_counter();
        to.words(&[low, high, key].map(|word| word as i64));
    }

    /// The kernels to take: tiles in shared memory where numbers of a row lie side by side in `views` and are not too many.
    fn kernels(&self, views: &[&View]) -> &'static Kernels {
        let dense = |view: &&View| view.strides().last() == Some(&1);
        let most = self.depth.max(self.width);
        let tiles = TILES.iter().find(|kernels| most <= kernels.most);
        let wide = self.call.inputs[0].dtype.compute() != DType::F32;
        tiles.filter(|_| !wide && views.iter().all(dense)).unwrap_or(&GENERAL)
    }

    fn blocks(&self, kernels: &Kernels, heads: usize, rows: usize) -> usize {
        (heads * rows.div_ceil(kernels.rows)).min(self.call.gpu.multiprocessors() as usize * 64)
    }

    /// Memory for sums of so many results, which tiles keep in registers.
    fn sums(&self, kernels: &Kernels, count: usize, size: usize) -> Result<Option<Buffer>> {
        kernels.are_general().then(|| self.call.scratch(count.max(1) * size)).transpose()
    }
}

/// # Safety
/// As `Op::cuda`.
pub(super) unsafe fn forward(options: &Options, call: &CudaCall<'_>) -> Result<()> {
    let (out, logs) = (&call.outputs[0], &call.outputs[1]);
    // SAFETY: by the caller's promise; sums have a number for each result.
    unsafe {
        let told = Told::new(options, call, 3)?;
        if logs.is_empty() {
            return Ok(());
        }
        let [q, k, v] = [0, 1, 2].map(|i| &call.inputs[i]);
        let kernels = told.kernels(&[q, k, v]);
        let sums = told.sums(kernels, out.len(), logs.dtype.size())?;
        let blocks = told.blocks(kernels, told.heads, told.queries);
        call.launch(&kernels.forward, &told.types(), grid(blocks, THREADS), |to| {
            told.push(to);
            to.views(&[out, logs]);
            sums.iter().for_each(|sums| to.address(sums.address()));
        })
    }
}

/// # Safety
/// As `Op::cuda`.
pub(super) unsafe fn backward(options: &Options, call: &CudaCall<'_>) -> Result<()> {
    let (out, logs, owed) = (&call.inputs[3], &call.inputs[4], &call.inputs[5]);
    let [dq, dk, dv] = [0, 1, 2].map(|i| &call.outputs[i]);
    // SAFETY: by the caller's promise; sums have a number for each result, and deltas one for each query.
    unsafe {
        let told = Told::new(options, call, 6)?;
        let size = logs.dtype.size();
        let deltas = call.scratch(logs.len().max(1) * size)?;
        let saved = |to: &mut Arguments| {
            let [a, b, c] = [out, owed, logs].map(|view| view.ptr.addr() as u64);
            to.value(Saved { at: [Strided::of(out), Strided::of(owed)], addresses: [a, b, c, deltas.address()] });
        };
        let [q, k, v] = [0, 1, 2].map(|i| &call.inputs[i]);
        let kernels = told.kernels(&[q, k, v, out, owed]);
        if !logs.is_empty() {
            let sums = told.sums(kernels, dq.len(), size)?;
            let blocks = told.blocks(kernels, told.heads, told.queries);
            call.launch(&kernels.queries, &told.types(), grid(blocks, THREADS), |to| {
                told.push(to);
                saved(to);
                to.view(dq);
                sums.iter().for_each(|sums| to.address(sums.address()));
            })?;
        }
        if told.key_heads * told.keys == 0 {
            return Ok(());
        }
        let sums = told.sums(kernels, dk.len() + dv.len(), size)?;
        let blocks = told.blocks(kernels, told.key_heads, told.keys);
        call.launch(&kernels.keys, &told.types(), grid(blocks, THREADS), |to| {
            told.push(to);
            saved(to);
            to.views(&[dk, dv]);
            sums.iter().for_each(|sums| to.address(sums.address()));
        })
    }
}
