//! CUDA C++ text of kernels for scalar programs: how operands are walked, and the loop that calls the function of one element.
//! `elementwise.rs` and `fused.rs` generate their kernels with it.

use super::scalar_text::{element_function, storage};
use super::vector_io;
use crate::dtype::DType;
use crate::scalar::Program;
use std::fmt::Write;

/// How an operand is walked by a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputRead {
    /// As the results.
    Dense,
    /// One element for all.
    Scalar,
    /// By strides of the kernel's `Space`.
    Strided,
    /// One number for all, which is an argument itself.
    Number,
    /// By strides, and neighbours that are taken at once lie side by side.
    StridedRun,
    /// By strides, and neighbours that are taken at once share one element.
    StridedOne,
}

impl InputRead {
    /// Whether places come from the kernel's `Space`.
    pub fn is_strided(self) -> bool {
        matches!(self, Self::Strided | Self::StridedRun | Self::StridedOne)
    }
}

/// The kernel `name` for a program: dense results, operands walked as told. Where layouts and addresses allow it (`packed`), a
/// thread takes several neighbouring elements at once, as many as make 16 bytes of the widest.
///
/// Each rounding is an intrinsic of its own, which rules contraction out: sums and products are those of the CPU. A result
/// may lie over an operand, which is why no parameter promises not to.
pub fn elementwise_kernel(name: &str, program: &Program, walks: &[InputRead], packed: bool) -> String {
    let mut text = element_function(program);
    let strided = walks.iter().filter(|w| w.is_strided()).count();
    let inputs = operand_parameters(program, walks);
    let outputs = program.outputs.iter().enumerate().map(|(i, d)| format!("{}* y{i}", storage(*d)));
    let mut parameters = vec!["index_t count".to_string(), "Faults* faults".into(), "unsigned site".into()];
    parameters.extend(inputs.into_iter().chain(outputs));
    text.push_str(&space_text(strided));
    if strided > 0 {
        parameters.push("Space space".into());
    }
    let _ = writeln!(text, "extern \"C\" __global__ void {name}({}) {{", parameters.join(", "));
    match (packed, strided) {
        (true, _) => text.push_str(&packed_body(program, walks, strided)),
        (false, 0) => {
            let results: Vec<String> = (0..program.outputs.len()).map(|o| format!("y{o}[i]")).collect();
            let _ = writeln!(text, "  ELEMENTS(i, count) {}", element_call(program, walks, &results));
        }
        _ => text.push_str(&strided_body(program, walks, strided)),
    }
    text.push_str("}\n");
    text
}

/// The element that a kernel works on, by strides.
fn strided_body(program: &Program, walks: &[InputRead], strided: usize) -> String {
    let results: Vec<String> = (0..program.outputs.len()).map(|o| format!("y{o}[i]")).collect();
    format!(
        "  ELEMENTS(i, count) {{\n    index_t at[{strided}];\n    offsets(space, i, at);\n    {}\n  }}\n",
        element_call(program, walks, &results)
    )
}

/// The call of `element` for element `i`, whose places in strided operands are in `at`.
pub(super) fn element_call(program: &Program, walks: &[InputRead], results: &[String]) -> String {
    let mut next = 0;
    let mut arguments: Vec<String> = walks[..program.inputs.len()]
        .iter()
        .enumerate()
        .map(|(x, walk)| match walk {
            InputRead::Dense => format!("x{x}[i]"),
            InputRead::Scalar => format!("x{x}[0]"),
            InputRead::Number => format!("x{x}"),
            InputRead::Strided | InputRead::StridedRun | InputRead::StridedOne => {
                next += 1;
                format!("x{x}[at[{}]]", next - 1)
            }
        })
        .collect();
    arguments.extend_from_slice(results);
    format!("element({}, faults, site);", arguments.join(", "))
}

/// Neighbouring elements in registers, then, where nothing is strided, what is left one by one.
fn packed_body(program: &Program, walks: &[InputRead], strided: usize) -> String {
    let (each, outputs) = (elements_each(program), program.outputs.len());
    let mut text = vector_io::shared_operands(program, walks);
    let _ = writeln!(
        text,
        "  const index_t packs = count / {each};\n  ELEMENTS(p, packs) {{\n    const index_t i = p * {each};"
    );
    if strided > 0 {
        let _ = writeln!(text, "    index_t at[{strided}];\n    offsets(space, i, at);");
    }
    text += &vector_io::loads(program, walks, each, "i", "    ");
    text += &vector_io::room(program, outputs, each, "    ");
    let results: Vec<String> = (0..outputs).map(|o| format!("py{o}.of[k]")).collect();
    let call = vector_io::neighbour_call(program, walks, &results);
    let _ = writeln!(text, "    #pragma unroll\n    for (int k = 0; k < {each}; ++k) {call}");
    text += &vector_io::stores(program, outputs, each, "i", "    ");
    text.push_str("  }\n");
    if strided == 0 {
        let results: Vec<String> = (0..outputs).map(|o| format!("y{o}[i]")).collect();
        let _ = writeln!(
            text,
            "  for (index_t i = packs * {each} + blockIdx.x * (index_t)blockDim.x + threadIdx.x; \
             i < count; i += (index_t)gridDim.x * blockDim.x) {}",
            element_call(program, walks, &results)
        );
    }
    text
}

/// How many neighbouring elements a thread takes at once, where layouts allow it: 16 bytes of the widest operand.
pub fn elements_each(program: &Program) -> usize {
    let widest = program.inputs.iter().chain(&program.outputs).map(|d| d.size()).max().unwrap_or(1);
    (16 / widest.max(1)).clamp(1, 8)
}

/// The parameters for a program's operands.
pub(super) fn operand_parameters(program: &Program, walks: &[InputRead]) -> Vec<String> {
    let parameter = |(i, dtype): (usize, &DType)| match walks[i] {
        InputRead::Number => format!("const {} x{i}", storage(*dtype)),
        _ => format!("const {}* x{i}", storage(*dtype)),
    };
    program.inputs.iter().enumerate().map(parameter).collect()
}

/// `Space` and `offsets`, which finds the places of an element in all strided operands.
pub(super) fn space_text(strided: usize) -> String {
    if strided == 0 {
        return String::new();
    }
    format!(
        "struct Space {{ index_t rank; index_t dims[8]; index_t strides[{strided}][8]; }};\n\
         __device__ inline void offsets(const Space& space, index_t i, index_t* at) {{\n  \
         for (int o = 0; o < {strided}; ++o) at[o] = 0;\n  \
         for (int axis = (int)space.rank - 1; axis > 0; --axis) {{\n    \
         index_t next, here;\n    \
         if (((unsigned long long)(i | space.dims[axis]) >> 32) == 0) {{\n      \
         const unsigned dim = (unsigned)space.dims[axis], quotient = (unsigned)i / dim;\n      \
         here = (unsigned)i - quotient * dim;\n      next = quotient;\n    \
         }} else {{\n      next = i / space.dims[axis];\n      here = i - next * space.dims[axis];\n    }}\n    \
         for (int o = 0; o < {strided}; ++o) at[o] += here * space.strides[o][axis];\n    i = next;\n  }}\n  \
         for (int o = 0; o < {strided}; ++o) at[o] += i * space.strides[o][0];\n}}\n"
    )
}

#[cfg(test)]
mod tests;
