//! A cluster of element-wise operations and reductions as one kernel: a scalar program whose results are stored, or folded
//! as they come. Fused nodes of graphs call it; the text is generated per cluster and layout.

use super::buffers::Buffer;
use super::call::{Arguments, CudaCall, THREADS, grid};
use super::copies::in_order;
use super::elementwise::{Owner, walk_operands};
use super::program::Form;
use super::reduce::{AT_ONCE, combine, divisor_of, finish_parts, identity, lanes};
use super::scalar_text::{element_function, storage, value};
use super::text::{InputRead, element_call, elements_each, operand_parameters, space_text};
use super::vector_io;
use crate::backend::cpu::View;
use crate::backend::cpu::reduce::{InOrder, Monoid};
use crate::dtype::DType;
use crate::error::Result;
use crate::scalar::Program;
use smallvec::SmallVec;
use std::fmt::Write;

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
    let busy = call.gpu.multiprocessors() as usize * AT_ONCE;
    let (units, worth) = match rows {
        true => (outputs, LONG * THREADS as usize),
        false => (outputs.div_ceil(THREADS as usize), LONG),
    };
    let each = elements_each(program);
    let (walked, packed) = match rows && count.is_multiple_of(each) {
        true => walked.packed(inputs, stored, each),
        false => (walked, false),
    };
    let parts = (busy / units.max(1)).clamp(1, count.div_ceil(worth).max(1)).min(1024);
    let part = count.div_ceil(parts).max(1).next_multiple_of(if packed { each } else { 1 });
    let parts = count.div_ceil(part).max(1);
    let monoids: Vec<Monoid> = folds.iter().map(|f| f.monoid).collect();
    let whole = parts == 1;
    let form = Form {
        of: owner.name.as_ptr().addr(),
        attributes: owner.attributes,
        types: program.inputs.len() as u64,
        layout: walked.layout_key(&[packed, rows, whole]),
    };
    let function = call.gpu.generated(form, "fused", || {
        let way = match (rows, packed) {
            (true, true) => Way::Rows(each),
            (true, false) => Way::Rows(1),
            _ => Way::Columns,
        };
        text(program, &walked.walks, stored.len(), &monoids, way, whole)
    })?;
    let mut partials: SmallVec<[Buffer; 4]> = SmallVec::new();
    for fold in folds.iter().filter(|_| !whole) {
        partials.push(call.scratch(parts * outputs * fold.output.dtype.compute().size())?);
    }
    let mut arguments = Arguments::new();
    let (by, by_rows) = lanes(parts * outputs, part, if packed { each } else { 1 });
    [groups, count, columns, part, parts * outputs, by as usize].into_iter().for_each(|n| arguments.size(n));
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
        // A thread goes on with further outputs.
        let by_columns = grid((parts * outputs).div_ceil(THREADS as usize).min(2 * busy), THREADS);
        call.start(function, if rows { by_rows } else { by_columns }, &mut arguments)?;
        for (fold, partial) in folds.iter().zip(&partials) {
            let divisor = fold.mean.then(|| divisor_of(&fold.output, count));
            finish_parts(call, fold.monoid, partial.address(), parts, outputs, &fold.output, divisor)?;
        }
    }
    Ok(())
}

/// How elements are folded: by blocks or warps that take some neighbours at once, or by a thread for each output.
#[derive(Clone, Copy)]
enum Way {
    Rows(usize),
    Columns,
}

/// The kernel's text: prelude apart.
fn text(program: &Program, walks: &[InputRead], stored: usize, monoids: &[Monoid], way: Way, whole: bool) -> String {
    let mut text = element_function(program);
    let strided = walks.iter().filter(|w| w.is_strided()).count();
    text.push_str(&space_text(strided));
    let mut parameters: Vec<String> =
        ["groups", "count", "columns", "part", "total", "lanes"].map(|n| format!("index_t {n}")).into();
    parameters.extend(["Faults* faults".into(), "unsigned site".into()]);
    parameters.extend(operand_parameters(program, walks));
    // Results are memory of their own: loads need not wait for stores.
    parameters.extend((0..stored).map(|o| format!("{}* __restrict__ y{o}", storage(program.outputs[o]))));
    let folded = &program.outputs[stored..];
    for (k, (dtype, monoid)) in folded.iter().zip(monoids).enumerate() {
        let acc = dtype.compute();
        let _ =
            writeln!(text, "typedef {} F{k};\ntypedef {} P{k};", value(acc), storage(if whole { *dtype } else { acc }));
        let _ = writeln!(
            text,
            "__device__ inline F{k} combine{k}(F{k} a, F{k} b) {{ typedef F{k} A1; return {}; }}\n\
             __device__ inline F{k} identity{k}() {{ typedef F{k} A1; return {}; }}",
            combine(*monoid),
            identity(*monoid)
        );
        parameters.push(format!("P{k}* p{k}"));
        parameters.push(format!("index_t d{k}"));
    }
    if strided > 0 {
        parameters.push("Space space".into());
    }
    let _ = writeln!(text, "extern \"C\" __global__ void fused({}) {{", parameters.join(", "));
    let body = Body { program, walks, stored, strided, folded };
    text.push_str(&match way {
        Way::Rows(each) => body.rows(each),
        Way::Columns => body.columns(),
    });
    text.push_str("}\n");
    text
}

struct Body<'a> {
    program: &'a Program,
    walks: &'a [InputRead],
    stored: usize,
    strided: usize,
    folded: &'a [DType],
}

impl Body<'_> {
    fn each(&self, line: impl Fn(usize) -> String) -> String {
        (0..self.folded.len()).map(line).collect()
    }

    /// What is done with element `i`.
    fn element(&self, indent: &str) -> String {
        let mut text = self.places(indent);
        for (k, dtype) in self.folded.iter().enumerate() {
            let _ = writeln!(text, "{indent}{} f{k};", storage(*dtype));
        }
        let results: Vec<String> = (0..self.stored).map(|o| format!("y{o}[i]")).chain(self.fold_names()).collect();
        let _ = writeln!(text, "{indent}{}", element_call(self.program, self.walks, &results));
        text + &self.take(indent)
    }

    /// What is done with `each` neighbours from element `i` on.
    fn elements(&self, each: usize, indent: &str) -> String {
        let mut text = self.places(indent) + &vector_io::loads(self.program, self.walks, each, "i", indent);
        text += &vector_io::room(self.program, self.stored, each, indent);
        let _ = writeln!(text, "{indent}#pragma unroll\n{indent}for (int k = 0; k < {each}; ++k) {{");
        for (k, dtype) in self.folded.iter().enumerate() {
            let _ = writeln!(text, "{indent}  {} f{k};", storage(*dtype));
        }
        let results: Vec<String> = (0..self.stored).map(|o| format!("py{o}.of[k]")).chain(self.fold_names()).collect();
        let _ = writeln!(text, "{indent}  {}", vector_io::neighbour_call(self.program, self.walks, &results));
        text += &self.take(&format!("{indent}  "));
        let _ = writeln!(text, "{indent}}}");
        text + &vector_io::stores(self.program, self.stored, each, "i", indent)
    }

    /// Where element `i` lies in strided operands.
    fn places(&self, indent: &str) -> String {
        match self.strided {
            0 => String::new(),
            n => format!("{indent}index_t at[{n}];\n{indent}offsets(space, i, at);\n"),
        }
    }

    fn fold_names(&self) -> impl Iterator<Item = String> {
        (0..self.folded.len()).map(|k| format!("f{k}"))
    }

    /// Folds what `element` gave.
    fn take(&self, indent: &str) -> String {
        self.each(|k| format!("{indent}sum{k} = combine{k}(sum{k}, Into<F{k}>::of(wide(f{k})));\n"))
    }

    fn sums(&self, indent: &str) -> String {
        self.each(|k| format!("{indent}F{k} sum{k} = identity{k}();\n"))
    }

    /// `from` says what was folded in the end.
    fn give(&self, indent: &str, to: &str, from: impl Fn(usize) -> String) -> String {
        self.each(|k| {
            let all = from(k);
            format!(
                "{indent}p{k}[{to}] = narrow<P{k}>(d{k} >= 0 ? Into<F{k}>::of({all} / Into<F{k}>::of(d{k})) : {all});\n"
            )
        })
    }

    /// A block, a warp or a part of one per group and part.
    fn rows(&self, each: usize) -> String {
        let mut text = if each > 1 { vector_io::shared_operands(self.program, self.walks) } else { String::new() };
        text.push_str(
            "  const index_t unit = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;\n  \
             const int rank = (int)(threadIdx.x % lanes);\n",
        );
        text += &self.sums("  ");
        let _ = write!(
            text,
            "  if (unit < total) {{\n    \
             const index_t group = unit % groups, begin = unit / groups * part;\n    \
             const index_t end = begin + part < count ? begin + part : count;\n    \
             for (index_t r = begin + rank * {each}; r < end; r += lanes * {each}) {{\n      \
             const index_t i = group * count + r;\n"
        );
        text += &if each > 1 { self.elements(each, "      ") } else { self.element("      ") };
        text.push_str("    }\n  }\n  for (int step = lanes < 32 ? (int)lanes / 2 : 16; step > 0; step /= 2) {\n");
        text += &self
            .each(|k| format!("    sum{k} = combine{k}(sum{k}, (F{k})__shfl_xor_sync(0xffffffffu, sum{k}, step));\n"));
        text.push_str("  }\n  if (lanes > 32) {\n");
        text += &self.each(|k| format!("    __shared__ F{k} all{k}[{}];\n", THREADS / 32));
        text.push_str("    if (threadIdx.x % 32 == 0) {\n");
        text += &self.each(|k| format!("      all{k}[threadIdx.x / 32] = sum{k};\n"));
        let _ = writeln!(
            text,
            "    }}\n    __syncthreads();\n    if (rank == 0)\n      for (int w = 1; w < {}; ++w) {{",
            THREADS / 32
        );
        text += &self.each(|k| format!("        sum{k} = combine{k}(sum{k}, all{k}[w]);\n"));
        text.push_str("      }\n  }\n  if (rank == 0 && unit < total) {\n");
        text += &self.give("    ", "unit", |k| format!("sum{k}"));
        text + "  }\n"
    }

    /// A thread per output and part.
    fn columns(&self) -> String {
        let mut text = String::from(
            "  const index_t outputs = groups * columns;\n  ELEMENTS(t, total) {\n    \
             const index_t output = t % outputs, begin = t / outputs * part;\n    \
             const index_t end = begin + part < count ? begin + part : count;\n    \
             const index_t first = output / columns * count * columns + output % columns;\n",
        );
        text += &self.sums("    ");
        // Results are memory of their own, so that several rounds load before the first of them stores.
        text.push_str("    #pragma unroll 4\n    for (index_t r = begin; r < end; ++r) {\n");
        text.push_str("      const index_t i = first + r * columns;\n");
        text += &self.element("      ");
        text.push_str("    }\n");
        text += &self.give("    ", "t", |k| format!("sum{k}"));
        text + "  }\n"
    }
}
