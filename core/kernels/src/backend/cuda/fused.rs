//! A cluster of element-wise operations and reductions as one kernel: a scalar program whose results are stored, or folded
//! as they come. Fused nodes of graphs call it; `fused_text.rs` has the text, generated per cluster and layout.

use super::buffers::Buffer;
use super::call::{Arguments, CudaCall, THREADS};
use super::columns::Columns;
use super::copies::in_order;
use super::elementwise::{Owner, walk_operands};
use super::fused_text::{Way, text};
use super::program::Form;
use super::reduce::{AT_ONCE, divisor_of, finish_parts, lanes};
use super::text::elements_each;
use crate::backend::cpu::View;
use crate::backend::cpu::reduce::{InOrder, Monoid};
use crate::error::Result;
use crate::scalar::Program;
use smallvec::SmallVec;

/// A result of the program that is folded, and where the fold goes.
pub struct FoldTo {
    pub monoid: Monoid,
    pub mean: bool,
    pub output: View,
}

/// Elements that a thread folds before it is worth sharing them.
const LONG: usize = 32;

/// Runs a program over dense results of one shape, the first of which are stored and the last of which are folded, one after
/// the other, in the order that `walk` says.
///
/// # Safety
/// As [`super::run_program`]; the stored views are dense over `dims`, and the folds' outputs fit the walk.
pub unsafe fn run_fused(
    call: &CudaCall<'_>,
    owner: Owner,
    program: &Program,
    operands: (&[View], &[bool]),
    dims: &[usize],
    stored: &[View],
    folds: &[FoldTo],
    walk: InOrder,
) -> Result<()> {
    let (inputs, numbers) = operands;
    // SAFETY: by the caller's promise.
    let ordered = unsafe { in_order(call, inputs, numbers)? };
    let inputs = ordered.as_ref().map_or(inputs, |(views, _)| views);
    let walked = walk_operands(dims, inputs, numbers);
    let InOrder { groups, count, columns, .. } = walk;
    let outputs = groups * columns;
    let rows = columns == 1 && count >= 4;
    let each = elements_each(program);
    let neighbours = if rows { count } else { columns };
    let (walked, packed) = match neighbours.is_multiple_of(each) {
        true => walked.packed(inputs, stored, each),
        false => (walked, false),
    };
    let each = if packed { each } else { 1 };
    let shared = Columns::new(call, groups, [count, columns], each);
    let (part, parts) = if rows { cut_rows(call, outputs, count, each) } else { (shared.part, shared.parts) };
    let monoids: Vec<Monoid> = folds.iter().map(|f| f.monoid).collect();
    let whole = parts == 1;
    let form = Form {
        of: owner.name.as_ptr().addr(),
        attributes: owner.attributes,
        types: program.inputs.len() as u64,
        layout: walked.layout_key(&[packed, rows, whole]),
    };
    let function = call.gpu.generated(form, "fused", || {
        let way = if rows { Way::Rows(each) } else { Way::Columns(each) };
        text(program, &walked.walks, stored.len(), &monoids, way, whole)
    })?;
    let mut partials: SmallVec<[Buffer; 4]> = SmallVec::new();
    for fold in folds.iter().filter(|_| !whole) {
        partials.push(call.scratch(parts * outputs * fold.output.dtype.compute().size())?);
    }
    let mut arguments = Arguments::new();
    let (by, by_rows) = lanes(parts * outputs, part, each);
    arguments.sizes(&[groups, count, columns, part]);
    match rows {
        true => arguments.sizes(&[parts * outputs, by as usize]),
        false => arguments.sizes(&[shared.units, shared.across, shared.down]),
    }
    arguments.faults(call);
    // SAFETY: by the caller's promise; the arguments are in the order of the text's parameters.
    unsafe {
        walked.push(&mut arguments, inputs);
        stored.iter().for_each(|view| arguments.view(view));
        for (i, fold) in folds.iter().enumerate() {
            match partials.get(i) {
                Some(partial) => arguments.address(partial.address()),
                None => arguments.view(&fold.output),
            }
            arguments.divisor((fold.mean && whole).then(|| divisor_of(&fold.output, count)));
        }
        walked.push_space(&mut arguments);
        call.start(function, if rows { by_rows } else { shared.grid(call) }, &mut arguments)?;
        for (fold, partial) in folds.iter().zip(&partials) {
            let divisor = fold.mean.then(|| divisor_of(&fold.output, count));
            finish_parts(call, fold.monoid, partial.address(), parts, outputs, &fold.output, divisor)?;
        }
    }
    Ok(())
}

/// The rows of a part, and how many parts there are, where each output folds neighbours: for `outputs` folds of `count` elements.
fn cut_rows(call: &CudaCall<'_>, outputs: usize, count: usize, each: usize) -> (usize, usize) {
    let busy = call.gpu.multiprocessors() as usize * AT_ONCE;
    let worth = LONG * THREADS as usize;
    let parts = (busy / outputs.max(1)).clamp(1, count.div_ceil(worth).max(1)).min(1024);
    let part = count.div_ceil(parts).max(1).next_multiple_of(each);
    (part, count.div_ceil(part).max(1))
}
