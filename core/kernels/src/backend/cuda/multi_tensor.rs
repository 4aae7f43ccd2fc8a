//! A scalar program over many lists of dense tensors in one launch, in place: a table of addresses and lengths travels by
//! value. Optimizers change all variables of a step with it.

use super::call::{CudaCall, THREADS, grid};
use super::elementwise::Owner;
use super::program::Form;
use super::scalar_text::{element_function, storage, value};
use super::text::elements_each;
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;
use crate::scalar::Program;
use std::fmt::Write;

/// The most lists of one launch.
const MOST: usize = 16;

/// Runs a program for each list of dense tensors of one length and dtype, over the first of which its results go. A tensor whose flag
/// in `ones` is set has one element, for the whole list. The last inputs of the program are numbers for all lists, converted from the
/// dtypes in which they lie at the addresses of `numbers`.
///
/// # Safety
/// The views are valid on the call's device in the order of its stream, as are the numbers; lists do not share what is written.
pub unsafe fn run_many(
    call: &CudaCall<'_>,
    owner: Owner,
    program: &Program,
    lists: &[&[View]],
    ones: &[bool],
    numbers: &[(u64, DType)],
) -> Result<()> {
    let each = elements_each(program);
    let aligned = |view: &View| view.ptr.addr().is_multiple_of((each * view.dtype.size()).min(16));
    let packed = lists.iter().all(|list| list.iter().zip(ones).all(|(view, &one)| one || aligned(view)));
    let dtypes = numbers.iter().fold(program.inputs[0] as u64, |all, (_, dtype)| all << 8 | *dtype as u64);
    let form = Form {
        of: owner.name.as_ptr().addr(),
        attributes: owner.attributes,
        types: dtypes,
        layout: u64::from(packed) << 1 | 1,
    };
    let function = call.gpu.generated(form, "many", || text(program, ones, numbers, packed))?;
    for lists in lists.chunks(MOST) {
        let share = THREADS as usize * each;
        let mut table = vec![0i64; MOST * 2];
        let mut chunks = 0;
        for (i, list) in lists.iter().enumerate() {
            chunks += list[0].len().div_ceil(share);
            (table[i], table[MOST + i]) = (chunks as i64, list[0].len() as i64);
        }
        table.extend(lists.iter().flat_map(|list| list.iter().map(|view| view.ptr.addr() as i64)));
        table.resize(MOST * (2 + ones.len()), 0);
        if chunks == 0 {
            continue;
        }
        let mut arguments = super::Arguments::new();
        arguments.faults(call);
        arguments.size(chunks);
        numbers.iter().for_each(|(address, _)| arguments.address(*address));
        arguments.words(&table);
        let blocks = chunks.min(call.gpu.multiprocessors() as usize * 8);
        // SAFETY: by the caller's promise; the arguments are those of the text.
        unsafe { call.start(function, grid(blocks, THREADS), &mut arguments)? };
    }
    Ok(())
}

/// The kernel: a block takes a share of one list at a time, a thread as many neighbours as make 16 bytes.
fn text(program: &Program, ones: &[bool], numbers: &[(u64, DType)], packed: bool) -> String {
    let each = elements_each(program);
    let (lists, results) = (ones.len(), program.outputs.len());
    let ty = storage(program.inputs[0]);
    let mut text = element_function(program);
    let call = |from: &dyn Fn(usize) -> String, to: &dyn Fn(usize) -> String| {
        let operand = |i: usize| if ones[i] { format!("x{i}[0]") } else { from(i) };
        let operands = (0..lists).map(operand).chain((0..numbers.len()).map(|i| format!("number{i}")));
        let all: Vec<String> = operands.chain((0..results).map(to)).collect();
        format!("element({}, faults, site);", all.join(", "))
    };
    let given: String =
        numbers.iter().enumerate().map(|(i, (_, dtype))| format!("const {}* given{i}, ", storage(*dtype))).collect();
    let _ = writeln!(
        text,
        "struct Table {{ index_t ends[{MOST}]; index_t lengths[{MOST}]; {ty}* at[{MOST}][{lists}]; }};\n\
         extern \"C\" __global__ void many(Faults* faults, unsigned site, index_t chunks, {given}Table table) {{"
    );
    for i in 0..numbers.len() {
        let wanted = value(program.inputs[lists + i]);
        let _ = writeln!(text, "  const {wanted} number{i} = Into<{wanted}>::of(given{i}[0]);");
    }
    let _ = writeln!(
        text,
        "  for (index_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {{\n    \
         int list = 0;\n    while (chunk >= table.ends[list]) ++list;\n    \
         const index_t before = list > 0 ? table.ends[list - 1] : 0, length = table.lengths[list];\n    \
         const index_t first = ((chunk - before) * {THREADS} + threadIdx.x) * {each};"
    );
    (0..lists).for_each(|i| {
        let _ = writeln!(text, "    {ty}* x{i} = table.at[list][{i}];");
    });
    if packed {
        let _ = writeln!(text, "    if (first + {each} <= length) {{\n      typedef Pack<{ty}, {each}> P;");
        for i in (0..lists).filter(|&i| !ones[i]) {
            let _ = writeln!(text, "      P p{i} = *(const P*)(x{i} + first);");
        }
        let element = call(&|i| format!("p{i}.of[k]"), &|i| format!("p{i}.of[k]"));
        let _ = writeln!(text, "      #pragma unroll\n      for (int k = 0; k < {each}; ++k) {element}");
        for i in 0..results {
            let _ = writeln!(text, "      *(P*)(x{i} + first) = p{i};");
        }
        text.push_str("      continue;\n    }\n");
    }
    let element = call(&|i| format!("x{i}[i]"), &|i| format!("x{i}[i]"));
    let _ = writeln!(text, "    for (index_t i = first; i < first + {each} && i < length; ++i) {element}\n  }}\n}}");
    text
}
