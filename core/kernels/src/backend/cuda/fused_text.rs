//! The text of a cluster's kernel: a scalar program whose results are stored or folded, by rows or by columns.
//! `fused.rs` asks for it once per cluster and layout.

use super::call::THREADS;
use super::reduce::{combine, identity};
use super::scalar_text::{element_function, storage, value};
use super::text::{InputRead, element_call, operand_parameters, space_text};
use super::vector_io;
use crate::backend::cpu::reduce::Monoid;
use crate::dtype::DType;
use crate::scalar::Program;
use std::fmt::Write;

/// How elements are folded: those that lie side by side, by blocks or warps, or those of a column, by the threads of a unit. A thread
/// takes so many neighbours at once: of what it folds, or of columns.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Rows(usize),
    Columns(usize),
}

/// The kernel's text: prelude apart.
pub(super) fn text(
    program: &Program,
    walks: &[InputRead],
    stored: usize,
    monoids: &[Monoid],
    way: Way,
    whole: bool,
) -> String {
    let mut text = element_function(program);
    let strided = walks.iter().filter(|w| w.is_strided()).count();
    text.push_str(&space_text(strided));
    let sizes: &[&str] = match way {
        Way::Rows(_) => &["groups", "count", "columns", "part", "total", "lanes"],
        Way::Columns(_) => &["groups", "count", "columns", "part", "units", "across", "down"],
    };
    let mut parameters: Vec<String> = sizes.iter().map(|n| format!("index_t {n}")).collect();
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
        Way::Columns(each) => body.columns(each),
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

    /// What is done with element `i`; `of` is behind the names of the sums that it belongs to.
    fn element(&self, of: &str, indent: &str) -> String {
        let mut text = self.places(indent);
        for (k, dtype) in self.folded.iter().enumerate() {
            let _ = writeln!(text, "{indent}{} f{k};", storage(*dtype));
        }
        let results: Vec<String> = (0..self.stored).map(|o| format!("y{o}[i]")).chain(self.fold_names()).collect();
        let _ = writeln!(text, "{indent}{}", element_call(self.program, self.walks, &results));
        text + &self.take(of, indent)
    }

    /// What is done with `each` neighbours from element `i` on, of which the loop calls one `k`.
    fn elements(&self, each: usize, of: &str, indent: &str) -> String {
        if each == 1 {
            return self.element(of, indent);
        }
        let mut text = self.places(indent) + &vector_io::loads(self.program, self.walks, each, "i", indent);
        text += &vector_io::room(self.program, self.stored, each, indent);
        let _ = writeln!(text, "{indent}#pragma unroll\n{indent}for (int k = 0; k < {each}; ++k) {{");
        for (k, dtype) in self.folded.iter().enumerate() {
            let _ = writeln!(text, "{indent}  {} f{k};", storage(*dtype));
        }
        let results: Vec<String> = (0..self.stored).map(|o| format!("py{o}.of[k]")).chain(self.fold_names()).collect();
        let _ = writeln!(text, "{indent}  {}", vector_io::neighbour_call(self.program, self.walks, &results));
        text += &self.take(of, &format!("{indent}  "));
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
    fn take(&self, of: &str, indent: &str) -> String {
        self.each(|k| format!("{indent}sum{k}{of} = combine{k}(sum{k}{of}, Into<F{k}>::of(wide(f{k})));\n"))
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
        text += &self.elements(each, "", "      ");
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

    /// `across` times `down` threads for a piece of a row's columns and a part of the rows: each thread folds every `down`th row of its
    /// columns, and what those of a column have is folded in shared memory.
    fn columns(&self, each: usize) -> String {
        let mut text = if each > 1 { vector_io::shared_operands(self.program, self.walks) } else { String::new() };
        let bytes = self.folded.iter().map(|d| d.compute().size()).max().unwrap_or(1) * THREADS as usize * each;
        let _ = write!(
            text,
            "  __shared__ __align__(16) unsigned char room[{bytes}];\n  \
             const index_t packs = (columns + {each} - 1) / {each}, pieces = (packs + across - 1) / across;\n  \
             const int threads = (int)(across * down), mine = (int)threadIdx.x % threads;\n  \
             const int x = mine % (int)across, y = mine / (int)across, beside = {THREADS} / threads;\n  \
             for (index_t from = (index_t)blockIdx.x * beside; from < units; from += (index_t)gridDim.x * beside) {{\n    \
             const index_t unit = from + threadIdx.x / threads;\n    \
             const index_t group = unit / pieces % groups, begin = unit / (pieces * groups) * part;\n    \
             const index_t end = begin + part < count ? begin + part : count;\n    \
             const index_t column = (unit % pieces * across + x) * {each};\n    \
             const bool there = unit < units && column < columns;\n"
        );
        text += &self.each(|k| {
            format!("    F{k} sum{k}[{each}];\n    _Pragma(\"unroll\") for (int k = 0; k < {each}; ++k) sum{k}[k] = identity{k}();\n")
        });
        // Results are memory of their own, so that several rounds load before the first of them stores.
        let _ = write!(
            text,
            "    if (there) {{\n      #pragma unroll 2\n      for (index_t r = begin + y; r < end; r += down) {{\n        \
             const index_t i = (group * count + r) * columns + column;\n"
        );
        text += &self.elements(each, if each == 1 { "[0]" } else { "[k]" }, "        ");
        text.push_str("      }\n    }\n");
        text += &self.each(|k| format!("    if (down > 1) {}\n", Self::fold_down(k, each)));
        text.push_str("    if (there && y == 0) {\n      const index_t to = unit / pieces * columns + column;\n");
        let _ = writeln!(text, "      #pragma unroll\n      for (int k = 0; k < {each}; ++k) {{");
        text += &self.give("        ", "to + k", |k| format!("sum{k}[k]"));
        text + "      }\n    }\n  }\n"
    }

    /// Folds what the threads of a column have, in a tree: the first of them has it all then.
    fn fold_down(fold: usize, each: usize) -> String {
        format!(
            "{{\n      F{fold}* all = (F{fold}*)room;\n      \
             _Pragma(\"unroll\") for (int k = 0; k < {each}; ++k) all[k * {THREADS} + threadIdx.x] = sum{fold}[k];\n      \
             __syncthreads();\n      \
             for (int step = (int)down / 2; step > 0; step /= 2) {{\n        \
             if (y < step)\n          \
             _Pragma(\"unroll\") for (int k = 0; k < {each}; ++k) {{\n            \
             sum{fold}[k] = combine{fold}(sum{fold}[k], all[k * {THREADS} + threadIdx.x + step * (int)across]);\n            \
             all[k * {THREADS} + threadIdx.x] = sum{fold}[k];\n          }}\n        \
             __syncthreads();\n      }}\n    }}"
        )
    }
}
