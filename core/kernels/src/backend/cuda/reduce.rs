//! Reductions over any set of axes of a view on a device: parts by blocks or threads, then the parts of each output.
//! Operations of kind reduction run here; the order of combination depends on layout and device, not on the run.

use super::call::{Arguments, CudaCall, Strided, THREADS, grid};
use super::columns::Columns;
use super::driver::Grid;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::collapse;
use crate::backend::cpu::reduce::Monoid;
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::{AxisSet, MAX_RANK};
use smallvec::SmallVec;

/// The kernels of a monoid.
struct Kernels {
    /// A block, or a part of one, for each output.
    rows: &'static Kernel,
    /// Threads for neighbouring outputs, one by one and 16 bytes at a time.
    columns: [&'static Kernel; 2],
    /// A thread for each output.
    alone: &'static Kernel,
}

/// The kernels of each monoid, and its text: `combine` of `a` and `b`, and the identity, in the type `A1`.
macro_rules! monoids {
    ($($monoid:ident: $combine:literal, $identity:literal;)*) => {
        fn kernels(monoid: Monoid) -> Kernels {
            match monoid {$(
                Monoid::$monoid => {
                    const TEXT: &str = concat!(
                        "#define COMBINE(a, b) ", $combine, "\n#define IDENTITY ", $identity,
                        "\n#define DIVIDE(a, n) Into<A1>::of((a) / Into<A1>::of(n))\n",
                        include_str!("reduce.cuh")
                    );
                    static ROWS: Kernel = Kernel { name: "reduce_rows", text: &["#define WAY 0\n", TEXT] };
                    static COLUMNS: Kernel = Kernel { name: "reduce_columns", text: &["#define WAY 1\n", TEXT] };
                    static PACKED: Kernel = Kernel { name: "reduce_columns", text: &["#define WAY 2\n", TEXT] };
                    static ALONE: Kernel = Kernel { name: "reduce_alone", text: &["#define WAY 3\n", TEXT] };
                    Kernels { rows: &ROWS, columns: [&COLUMNS, &PACKED], alone: &ALONE }
                }
            )*}
        }

        pub(super) fn combine(monoid: Monoid) -> &'static str {
            match monoid {$(Monoid::$monoid => $combine),*}
        }

        pub(super) fn identity(monoid: Monoid) -> &'static str {
            match monoid {$(Monoid::$monoid => $identity),*}
        }
    };
}

monoids! {
    Sum: "plus(a, b)", "((A1)0)";
    Prod: "times(a, b)", "((A1)1)";
    Max: "maximum(a, b)", "(Limits<A1>::lowest())";
    Min: "minimum(a, b)", "(Limits<A1>::highest())";
    Any: "((a) || (b))", "false";
    All: "((a) && (b))", "true";
}

/// Outputs from which threads, not blocks, take one each, where neither what is folded nor the outputs lie side by side.
const MANY: usize = 64;
/// Elements that a thread folds before it is worth sharing them.
const LONG: usize = 64;
/// Blocks that a multiprocessor surely runs at once. Long folds are cut into as many parts, so that no second wave follows which is
/// nearly empty.
pub(super) const AT_ONCE: usize = 4;
/// The longest fold for which a warp is enough.
const BY_WARPS: usize = 1024;

/// The threads that fold `part` elements for each of `units`, `each` at a time, and the grid for all: a block, a warp, or as much
/// of one as has something to do.
pub(super) fn lanes(units: usize, part: usize, each: usize) -> (i32, Grid) {
    let threads = THREADS as usize;
    let lanes = match part <= BY_WARPS {
        // As many as elements may lie before the first whole 16 bytes.
        true => part.div_ceil(each).next_power_of_two().clamp(each.max(4), 32),
        false => threads,
    };
    (lanes as i32, grid(units.div_ceil(threads / lanes), THREADS))
}

/// Sizes and strides of some axes, merged.
fn walk(view: &View, axes: &[usize]) -> (Strided, usize, isize) {
    let dims: SmallVec<[usize; MAX_RANK]> = axes.iter().map(|&a| view.dims()[a]).collect();
    let space = collapse(&dims, 1, |_, axis| view.strides()[axes[axis]], |_, _| true);
    let strides: SmallVec<[isize; MAX_RANK]> = (0..space.dims.len()).map(|axis| space.stride(axis, 0)).collect();
    let inner = strides.last().copied().unwrap_or(0);
    (Strided::new(&space.dims, &strides), dims.iter().product(), inner)
}

/// Folds `axes` of the first input into the dense output; `mean` divides by the number of elements folded.
///
/// # Safety
/// The views are valid on the call's device in the order of its stream.
pub unsafe fn reduce(call: &CudaCall<'_>, monoid: Monoid, axes: AxisSet, mean: bool) -> Result<()> {
    let (from, to) = (&call.inputs[0], &call.outputs[0]);
    let (folded, kept): (Vec<usize>, Vec<usize>) = (0..from.rank()).partition(|&a| axes.contains(a));
    let (folded, length, along) = walk(from, &folded);
    let (kept, outputs, across) = walk(from, &kept);
    if outputs == 0 {
        return Ok(());
    }
    let divisor = mean.then(|| divisor_of(to, length));
    // SAFETY: by the caller's promise.
    unsafe { fold(call, monoid, &Fold { from, kept, folded, outputs, length, along, across }, to, divisor) }
}

/// What the sum of `count` elements is divided by for their mean. Integers have no mean of nothing: 0, as on the CPU.
pub(super) fn divisor_of(to: &View, count: usize) -> usize {
    if to.dtype.is_floating() { count } else { count.max(1) }
}

struct Fold<'a> {
    from: &'a View,
    kept: Strided,
    folded: Strided,
    outputs: usize,
    length: usize,
    /// Strides of the innermost dimension that is folded, and that is kept.
    along: isize,
    across: isize,
}

impl Fold<'_> {
    /// Elements that a thread takes at once: 16 bytes of neighbours.
    fn each(&self) -> usize {
        if self.along == 1 { 16 / self.from.dtype.size() } else { 1 }
    }

    /// Whether outputs lie side by side, and what is folded does not.
    fn by_columns(&self) -> bool {
        self.across == 1 && self.along != 1
    }

    /// Outputs that a thread takes at once: 16 bytes, if all rows of neighbours consist of such.
    fn beside(&self) -> usize {
        let each = (16 / self.from.dtype.size().max(1)).max(1);
        let aligned = self.from.ptr.addr().is_multiple_of(16);
        let fits = aligned && self.kept.has_rows_of(each) && self.folded.steps_by(each);
        if fits { each } else { 1 }
    }
}

/// # Safety
/// As [`reduce`].
unsafe fn fold(call: &CudaCall<'_>, monoid: Monoid, fold: &Fold<'_>, to: &View, divisor: Option<usize>) -> Result<()> {
    let Fold { outputs, length, .. } = *fold;
    let each = fold.beside();
    let shared = Columns::new(call, 1, [length, outputs], each);
    let alone = length < 4 || (length <= 32 && fold.along != 1);
    let (part, parts) = match fold.by_columns() {
        true => (shared.part, shared.parts),
        false => cut(call, outputs, length, alone),
    };
    let acc = to.dtype.compute();
    let target = if parts == 1 { to.dtype } else { acc };
    let scratch = if parts == 1 { None } else { Some(call.scratch(parts * outputs * acc.size().max(1))?) };
    let address = scratch.as_ref().map_or(to.ptr.addr() as u64, super::buffers::Buffer::address);
    let pass = Pass { part, address, divisor: divisor.filter(|_| parts == 1), target };
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        match fold.by_columns() {
            true => by_columns(call, monoid, fold, &pass, shared, each)?,
            false => pass_over(call, monoid, fold, &pass, parts, alone)?,
        }
        if parts == 1 {
            return Ok(());
        }
        finish_parts(call, monoid, address, parts, outputs, to, divisor)
    }
}

/// How what each output folds is cut: elements of a part, and parts.
fn cut(call: &CudaCall<'_>, outputs: usize, length: usize, alone: bool) -> (usize, usize) {
    let busy = call.gpu.multiprocessors() as usize * AT_ONCE;
    let (units, worth) = match alone {
        true => (outputs.div_ceil(THREADS as usize), LONG),
        false => (outputs, LONG * THREADS as usize),
    };
    let parts = (busy / units.max(1)).clamp(1, length.div_ceil(worth).max(1)).min(1024);
    // Parts begin where whole rows of 16 bytes do, if the first does.
    let part = length.div_ceil(parts).max(1).next_multiple_of(if parts > 1 { 16 } else { 1 });
    (part, length.div_ceil(part).max(1))
}

/// One pass: elements of a part, where the results go, of which type they are, and what they are divided by.
struct Pass {
    part: usize,
    address: u64,
    divisor: Option<usize>,
    target: DType,
}

impl Pass {
    fn push(&self, arguments: &mut Arguments, fold: &Fold<'_>) {
        arguments.view(fold.from);
        arguments.value(fold.kept);
        arguments.value(fold.folded);
        arguments.sizes(&[fold.outputs, fold.length, self.part]);
        arguments.address(self.address);
        arguments.divisor(self.divisor);
    }
}

/// # Safety
/// As [`reduce`]; there is room for all parts where the results go.
unsafe fn by_columns(
    call: &CudaCall<'_>,
    monoid: Monoid,
    fold: &Fold<'_>,
    pass: &Pass,
    shared: Columns,
    each: usize,
) -> Result<()> {
    let kernel = kernels(monoid).columns[usize::from(each > 1)];
    // SAFETY: by the caller's promise.
    unsafe {
        call.launch(kernel, &[fold.from.dtype, pass.target], shared.grid(call), |arguments| {
            pass.push(arguments, fold);
            arguments.size(shared.units);
            arguments.value(shared.across as i32);
            arguments.value(shared.down as i32);
        })
    }
}

/// # Safety
/// As [`by_columns`].
unsafe fn pass_over(
    call: &CudaCall<'_>,
    monoid: Monoid,
    fold: &Fold<'_>,
    pass: &Pass,
    parts: usize,
    alone: bool,
) -> Result<()> {
    let (kernels, types, units) = (kernels(monoid), [fold.from.dtype, pass.target], parts * fold.outputs);
    // SAFETY: by the caller's promise.
    unsafe {
        if alone {
            let function = call.gpu.kernel(kernels.alone, &types)?;
            return call.elements_of(function, units, 1, |arguments| pass.push(arguments, fold));
        }
        let (lanes, grid) = lanes(units, pass.part, fold.each());
        call.launch(kernels.rows, &types, grid, |arguments| {
            pass.push(arguments, fold);
            arguments.size(units);
            arguments.value(lanes);
        })
    }
}

/// Folds `parts` partial results for each output, in the type of computation, into the outputs.
///
/// # Safety
/// As [`reduce`]; the address is that of the parts, one list of outputs after the other.
pub(super) unsafe fn finish_parts(
    call: &CudaCall<'_>,
    monoid: Monoid,
    address: u64,
    parts: usize,
    outputs: usize,
    to: &View,
    divisor: Option<usize>,
) -> Result<()> {
    let place = std::ptr::without_provenance_mut(address as usize);
    let partial = View::dense(place, to.dtype.compute(), &[parts, outputs]);
    let (folded, length, along) = walk(&partial, &[0]);
    let (kept, outputs, across) = walk(&partial, &[1]);
    let fold = Fold { from: &partial, kept, folded, outputs, length, along, across };
    // SAFETY: by the caller's promise.
    unsafe { finish(call, monoid, &fold, to, divisor) }
}

/// The second pass, which always ends: it never has parts of its own.
///
/// # Safety
/// As [`reduce`].
unsafe fn finish(
    call: &CudaCall<'_>,
    monoid: Monoid,
    fold: &Fold<'_>,
    to: &View,
    divisor: Option<usize>,
) -> Result<()> {
    let pass = Pass { part: fold.length.max(1), address: to.ptr.addr() as u64, divisor, target: to.dtype };
    // SAFETY: by the caller's promise.
    unsafe {
        if fold.by_columns() {
            let each = fold.beside();
            return by_columns(call, monoid, fold, &pass, Columns::whole([fold.length, fold.outputs], each), each);
        }
        pass_over(call, monoid, fold, &pass, 1, fold.outputs >= MANY)
    }
}
