//! Reductions over any set of axes of a view on a device: parts by blocks or threads, then the parts of each output.
//! Operations of kind reduction run here; the order of combination depends on layout and device, not on the run.

use super::call::{CudaCall, Strided, THREADS, grid};
use super::driver::Grid;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::collapse;
use crate::backend::cpu::reduce::Monoid;
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::{AxisSet, MAX_RANK};
use smallvec::SmallVec;

/// The two kernels of a monoid, a block or a thread per output, and its text: `combine` of `a` and `b`, and the identity, in
/// the type `A1`.
macro_rules! monoids {
    ($($monoid:ident: $combine:literal, $identity:literal;)*) => {
        fn kernels(monoid: Monoid) -> (&'static Kernel, &'static Kernel) {
            match monoid {$(
                Monoid::$monoid => {
                    const TEXT: &str = concat!(
                        "#define COMBINE(a, b) ", $combine, "\n#define IDENTITY ", $identity,
                        "\n#define DIVIDE(a, n) Into<A1>::of((a) / Into<A1>::of(n))\n",
                        include_str!("reduce.cuh")
                    );
                    static ROWS: Kernel = Kernel { name: "reduce_rows", text: &[TEXT] };
                    static COLUMNS: Kernel = Kernel { name: "reduce_columns", text: &[TEXT] };
                    (&ROWS, &COLUMNS)
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

/// Outputs from which threads, not blocks, take one each, where what is folded is not what lies side by side.
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
}

/// # Safety
/// As [`reduce`].
unsafe fn fold(call: &CudaCall<'_>, monoid: Monoid, fold: &Fold<'_>, to: &View, divisor: Option<usize>) -> Result<()> {
    let (rows, columns) = kernels(monoid);
    let Fold { outputs, length, .. } = *fold;
    // Neighbouring threads should read neighbouring elements.
    let short = length < 4 || (length <= 32 && fold.along != 1);
    let by_threads = short || (outputs >= MANY && fold.across == 1 && fold.along != 1);
    let busy = call.gpu.multiprocessors() as usize * AT_ONCE;
    let (units, worth) = match by_threads {
        true => (outputs.div_ceil(THREADS as usize), LONG),
        false => (outputs, LONG * THREADS as usize),
    };
    let parts = (busy / units.max(1)).clamp(1, length.div_ceil(worth).max(1)).min(1024);
    // Parts begin where whole rows of 16 bytes do, if the first does.
    let part = length.div_ceil(parts).max(1).next_multiple_of(if parts > 1 { 16 } else { 1 });
    let parts = length.div_ceil(part).max(1);
    let acc = to.dtype.compute();
    let target = if parts == 1 { to.dtype } else { acc };
    let scratch = if parts == 1 { None } else { Some(call.scratch(parts * outputs * acc.size().max(1))?) };
    let address = scratch.as_ref().map_or(to.ptr.addr() as u64, super::buffers::Buffer::address);
    let own_divisor = divisor.filter(|_| parts == 1);
    let fill = |arguments: &mut super::call::Arguments| {
        arguments.view(fold.from);
        arguments.value(fold.kept);
        arguments.value(fold.folded);
        arguments.size(outputs);
        arguments.size(length);
        arguments.size(part);
        arguments.address(address);
        arguments.divisor(own_divisor);
    };
    let types = [fold.from.dtype, target];
    // SAFETY: by the caller's promise; parts lie in scratch memory of their number.
    unsafe {
        match by_threads {
            true => {
                let function = call.gpu.kernel(columns, &types)?;
                call.elements_of(function, parts * outputs, 1, fill)?;
            }
            false => by_rows(call, rows, &types, parts * outputs, (part, fold.each()), fill)?,
        }
        if parts == 1 {
            return Ok(());
        }
        finish_parts(call, monoid, address, parts, outputs, to, divisor)
    }
}

/// # Safety
/// As [`reduce`]; the arguments are those of the kernel but for its last two.
unsafe fn by_rows(
    call: &CudaCall<'_>,
    kernel: &'static Kernel,
    types: &[DType],
    units: usize,
    (part, each): (usize, usize),
    fill: impl FnOnce(&mut super::call::Arguments),
) -> Result<()> {
    let (lanes, grid) = lanes(units, part, each);
    // SAFETY: by the caller's promise.
    unsafe {
        call.launch(kernel, types, grid, |arguments| {
            fill(arguments);
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
    let (rows, columns) = kernels(monoid);
    let types: [DType; 2] = [fold.from.dtype, to.dtype];
    let fill = |arguments: &mut super::call::Arguments| {
        arguments.view(fold.from);
        arguments.value(fold.kept);
        arguments.value(fold.folded);
        arguments.size(fold.outputs);
        arguments.size(fold.length);
        arguments.size(fold.length.max(1));
        arguments.view(to);
        arguments.divisor(divisor);
    };
    // SAFETY: by the caller's promise.
    unsafe {
        if fold.outputs >= MANY {
            let function = call.gpu.kernel(columns, &types)?;
            call.elements_of(function, fold.outputs, 1, fill)
        } else {
            by_rows(call, rows, &types, fold.outputs, (fold.length, fold.each()), fill)
        }
    }
}
