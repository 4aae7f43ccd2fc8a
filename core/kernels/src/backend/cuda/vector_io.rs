//! Text that takes several neighbouring elements at once: loads and stores of up to 16 bytes around calls of `element`.
//! Kernels of scalar programs, stored or folded, are made with it where their layouts allow it.

use super::scalar_text::storage;
use super::text::InputRead;
use crate::scalar::Program;
use std::fmt::Write;

/// Declares, before the loop, what is one number for all elements: a thread reads it once.
pub(super) fn shared_operands(program: &Program, walks: &[InputRead]) -> String {
    let scalar = |(i, _): &(usize, _)| walks[*i] == InputRead::Scalar;
    program.inputs.iter().enumerate().filter(scalar).fold(String::new(), |mut text, (i, dtype)| {
        let _ = writeln!(text, "  const {} px{i} = x{i}[0];", storage(*dtype));
        text
    })
}

/// Loads `each` neighbours from element `first` on; the places of strided operands are in `at`.
pub(super) fn loads(program: &Program, walks: &[InputRead], each: usize, first: &str, indent: &str) -> String {
    let (mut text, mut strided) = (String::new(), 0);
    for (i, dtype) in program.inputs.iter().enumerate() {
        let ty = storage(*dtype);
        let pack = format!("Pack<{ty}, {each}>");
        let _ = match walks[i] {
            InputRead::Dense => writeln!(text, "{indent}const {pack} px{i} = *(const {pack}*)(x{i} + {first});"),
            InputRead::StridedRun => {
                writeln!(text, "{indent}const {pack} px{i} = *(const {pack}*)(x{i} + at[{strided}]);")
            }
            InputRead::StridedOne => writeln!(text, "{indent}const {ty} px{i} = x{i}[at[{strided}]];"),
            InputRead::Strided => writeln!(
                text,
                "{indent}{pack} px{i};\n{indent}#pragma unroll\n{indent}for (int k = 0; k < {each}; ++k) \
                 px{i}.of[k] = x{i}[at[{strided}] + k * space.strides[{strided}][space.rank - 1]];"
            ),
            InputRead::Scalar | InputRead::Number => Ok(()),
        };
        strided += usize::from(walks[i].is_strided());
    }
    text
}

/// The call of `element` for neighbour `k` of those that [`loads`] has loaded.
pub(super) fn neighbour_call(program: &Program, walks: &[InputRead], results: &[String]) -> String {
    let operand = |i: usize| match walks[i] {
        InputRead::Number => format!("x{i}"),
        InputRead::Scalar | InputRead::StridedOne => format!("px{i}"),
        InputRead::Dense | InputRead::StridedRun | InputRead::Strided => format!("px{i}.of[k]"),
    };
    let all: Vec<String> = (0..program.inputs.len()).map(operand).chain(results.iter().cloned()).collect();
    format!("element({}, faults, site);", all.join(", "))
}

/// Declares room for `each` neighbours of the first `count` results.
pub(super) fn room(program: &Program, count: usize, each: usize, indent: &str) -> String {
    program.outputs[..count].iter().enumerate().fold(String::new(), |mut text, (o, dtype)| {
        let _ = writeln!(text, "{indent}Pack<{}, {each}> py{o};", storage(*dtype));
        text
    })
}

/// Stores them from element `first` on.
pub(super) fn stores(program: &Program, count: usize, each: usize, first: &str, indent: &str) -> String {
    program.outputs[..count].iter().enumerate().fold(String::new(), |mut text, (o, dtype)| {
        let _ = writeln!(text, "{indent}*(Pack<{}, {each}>*)(y{o} + {first}) = py{o};", storage(*dtype));
        text
    })
}
