//! Running sums and products along an axis on a device: whole lanes by threads or blocks, long ones in parts.
//! `cumsum` and `cumprod` run here; `recurrence` shares the way lanes are cut.

use super::call::{Arguments, CudaCall, THREADS, grid};
use super::program::Kernel;
use crate::backend::cpu::scan::{Running, Scan};
use crate::error::Result;

/// Elements of a part that are worth a thread, and a block.
const LONG: [usize; 2] = [256, 4096];

/// Parts of a lane from which their totals are scanned by blocks: one thread would wait for each of them.
const MANY: usize = 16;

/// Lanes that are shorter get a thread even where neighbouring threads then read far apart.
const SHORT: usize = 128;

/// The lanes of a dense tensor along an axis, and how each is cut.
pub struct Lanes {
    pub lanes: usize,
    pub length: usize,
    /// From one element of a lane to the next.
    pub stride: usize,
    /// Elements of a part, and how many parts a lane has.
    pub part: usize,
    pub parts: usize,
}

impl Lanes {
    /// Lanes along `axis`, cut so that the device is busy, but into at most so many parts; `by_blocks` says that a part is worth a
    /// block.
    pub fn new(call: &CudaCall<'_>, axis: usize, by_blocks: bool, most: usize) -> Self {
        let dims = call.outputs[0].dims();
        let stride: usize = dims[axis + 1..].iter().product();
        let (lanes, length) = (dims[..axis].iter().product::<usize>() * stride, dims[axis]);
        let busy = call.gpu.multiprocessors() as usize * if by_blocks { 8 } else { 4 * THREADS as usize };
        let parts = (busy / lanes.max(1)).clamp(1, length.div_ceil(LONG[usize::from(by_blocks)]).clamp(1, most));
        // Whole vectors of four.
        let part = length.div_ceil(parts).max(1).next_multiple_of(if by_blocks { 4 } else { 1 });
        Self { lanes, length, stride, part, parts: length.div_ceil(part).max(1) }
    }
}

/// The kernels of one way to run: over columns, over rows, and over the totals of parts.
macro_rules! kernels {
    ($combine:literal, $identity:literal) => {{
        const TEXT: &str = concat!(
            "#define COMBINE(a, b) ",
            $combine,
            "\n#define IDENTITY ",
            $identity,
            "\n",
            include_str!("scan.cuh")
        );
        static KERNELS: [Kernel; 3] = [
            Kernel { name: "scan_columns", text: &[TEXT] },
            Kernel { name: "scan_rows", text: &[TEXT] },
            Kernel { name: "scan_totals", text: &[TEXT] },
        ];
        &KERNELS
    }};
}

/// A scan of complex numbers: a thread for each lane. They are rare, and their lanes short.
///
/// # Safety
/// As [`scan`].
unsafe fn complex(call: &CudaCall<'_>, scan: &Scan) -> Result<()> {
    static KERNEL: Kernel = Kernel { name: "scan_complex", text: &[include_str!("scan_complex.cuh")] };
    let (x, y) = (&call.inputs[0], &call.outputs[0]);
    let stride: usize = y.dims()[scan.axis + 1..].iter().product();
    let lanes = y.dims()[..scan.axis].iter().product::<usize>() * stride;
    // SAFETY: by the caller's promise; the arguments are those of the text.
    unsafe {
        call.elements(&KERNEL, &[y.dtype], lanes, |arguments| {
            arguments.views(&[x, y]);
            arguments.sizes(&[y.dims()[scan.axis], stride]);
            arguments.value(i32::from(scan.running == Running::Prod));
            arguments.value(i32::from(scan.exclusive));
            arguments.value(i32::from(scan.reverse));
        })
    }
}

/// Runs a scan of the first input into the first output.
///
/// # Safety
/// The views are dense, of one shape and dtype, and valid on the call's device in the order of its stream.
pub unsafe fn scan(call: &CudaCall<'_>, scan: &Scan) -> Result<()> {
    if call.outputs[0].dtype.is_complex() {
        // SAFETY: the same contract.
        return unsafe { complex(call, scan) };
    }
    let [columns, rows, totals] = match scan.running {
        Running::Sum => kernels!("plus(a, b)", "((A0)0)"),
        Running::Prod => kernels!("times(a, b)", "((A0)1)"),
        Running::LogSumExp => kernels!("log_add(a, b)", "(Limits<A0>::lowest())"),
    };
    let dtype = call.outputs[0].dtype;
    // Neighbouring threads should read neighbouring elements: those of one lane, if lanes do not lie side by side.
    let dims = call.outputs[0].dims();
    let by_blocks = dims[scan.axis] >= SHORT && dims[scan.axis + 1..].iter().product::<usize>() < 8;
    let cut = Lanes::new(call, scan.axis, by_blocks, usize::MAX);
    if cut.lanes == 0 || cut.length == 0 {
        return Ok(());
    }
    let pass = |starts: u64, sums: u64| {
        let fill = |arguments: &mut Arguments| {
            arguments.views(&[&call.inputs[0], &call.outputs[0]]);
            arguments.sizes(&[cut.lanes, cut.length, cut.stride, cut.part]);
            arguments.value(i32::from(scan.exclusive));
            arguments.value(i32::from(scan.reverse));
            arguments.address(starts);
            arguments.address(sums);
        };
        let units = cut.lanes * cut.parts;
        // SAFETY: by the caller's promise; totals and starts have a number for each part.
        unsafe {
            match by_blocks {
                true => call.launch(rows, &[dtype], grid(units, THREADS), fill),
                false => call.elements(columns, &[dtype], units, fill),
            }
        }
    };
    if cut.parts == 1 {
        return pass(0, 0);
    }
    let sums = call.scratch(cut.lanes * cut.parts * dtype.compute().size())?;
    pass(0, sums.address())?;
    if cut.parts > MANY {
        let before = call.scratch(cut.lanes * cut.parts * dtype.compute().size())?;
        // SAFETY: as above; the totals of a lane's parts lie as far apart as there are lanes.
        unsafe {
            call.launch(rows, &[dtype.compute()], grid(cut.lanes, THREADS), |arguments| {
                arguments.address(sums.address());
                arguments.address(before.address());
                arguments.sizes(&[cut.lanes, cut.parts, cut.lanes, cut.parts]);
                [1i32, 0].into_iter().for_each(|flag| arguments.value(flag));
                [0, 0].into_iter().for_each(|none| arguments.address(none));
            })?;
        }
        return pass(before.address(), 0);
    }
    // SAFETY: as above.
    unsafe {
        call.elements(totals, &[dtype], cut.lanes, |arguments| {
            arguments.size(cut.parts);
            arguments.address(sums.address());
        })?;
    }
    pass(sums.address(), 0)
}
