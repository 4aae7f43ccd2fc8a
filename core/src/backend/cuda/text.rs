//! CUDA C++ text for a scalar program: a function of one element, and the kernel that calls it for all.
//! It is the one match from `Code` to CUDA; the same program runs on the CPU's tile machine.

use super::packs;
use crate::dtype::DType;
use crate::scalar::{Code, Program, Slot, Step};
use std::fmt::Write;

/// How an operand is walked by a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walk {
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

impl Walk {
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
pub(crate) fn elementwise_kernel(name: &str, program: &Program, walks: &[Walk], packed: bool) -> String {
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
fn strided_body(program: &Program, walks: &[Walk], strided: usize) -> String {
    let results: Vec<String> = (0..program.outputs.len()).map(|o| format!("y{o}[i]")).collect();
    format!(
        "  ELEMENTS(i, count) {{\n    index_t at[{strided}];\n    offsets(space, i, at);\n    {}\n  }}\n",
        element_call(program, walks, &results)
    )
}

/// The call of `element` for element `i`, whose places in strided operands are in `at`.
pub(super) fn element_call(program: &Program, walks: &[Walk], results: &[String]) -> String {
    let mut next = 0;
    let mut arguments: Vec<String> = walks[..program.inputs.len()]
        .iter()
        .enumerate()
        .map(|(x, walk)| match walk {
            Walk::Dense => format!("x{x}[i]"),
            Walk::Scalar => format!("x{x}[0]"),
            Walk::Number => format!("x{x}"),
            Walk::Strided | Walk::StridedRun | Walk::StridedOne => {
                next += 1;
                format!("x{x}[at[{}]]", next - 1)
            }
        })
        .collect();
    arguments.extend_from_slice(results);
    format!("element({}, faults, site);", arguments.join(", "))
}

/// Neighbouring elements in registers, then, where nothing is strided, what is left one by one.
fn packed_body(program: &Program, walks: &[Walk], strided: usize) -> String {
    let (each, outputs) = (elements_each(program), program.outputs.len());
    let mut text = packs::shared_operands(program, walks);
    let _ = writeln!(
        text,
        "  const index_t packs = count / {each};\n  ELEMENTS(p, packs) {{\n    const index_t i = p * {each};"
    );
    if strided > 0 {
        let _ = writeln!(text, "    index_t at[{strided}];\n    offsets(space, i, at);");
    }
    text += &packs::loads(program, walks, each, "i", "    ");
    text += &packs::room(program, outputs, each, "    ");
    let results: Vec<String> = (0..outputs).map(|o| format!("py{o}.of[k]")).collect();
    let call = packs::neighbour_call(program, walks, &results);
    let _ = writeln!(text, "    #pragma unroll\n    for (int k = 0; k < {each}; ++k) {call}");
    text += &packs::stores(program, outputs, each, "i", "    ");
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
pub(crate) fn elements_each(program: &Program) -> usize {
    let widest = program.inputs.iter().chain(&program.outputs).map(|d| d.size()).max().unwrap_or(1);
    (16 / widest.max(1)).clamp(1, 8)
}

/// The parameters for a program's operands.
pub(super) fn operand_parameters(program: &Program, walks: &[Walk]) -> Vec<String> {
    let parameter = |(i, dtype): (usize, &DType)| match walks[i] {
        Walk::Number => format!("const {} x{i}", storage(*dtype)),
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
         if (i <= 0x7fffffff) {{\n      \
         const unsigned dim = (unsigned)space.dims[axis], quotient = (unsigned)i / dim;\n      \
         here = (unsigned)i - quotient * dim;\n      next = quotient;\n    \
         }} else {{\n      next = i / space.dims[axis];\n      here = i - next * space.dims[axis];\n    }}\n    \
         for (int o = 0; o < {strided}; ++o) at[o] += here * space.strides[o][axis];\n    i = next;\n  }}\n  \
         for (int o = 0; o < {strided}; ++o) at[o] += i * space.strides[o][0];\n}}\n"
    )
}

/// `element`: the program for one element, from values as they lie in memory to results as they lie in memory.
pub(crate) fn element_function(program: &Program) -> String {
    let inputs = program.inputs.iter().enumerate().map(|(i, d)| format!("const {} m{i}", storage(*d)));
    let outputs = program.outputs.iter().enumerate().map(|(o, d)| format!("{}& r{o}", storage(*d)));
    let mut parameters: Vec<String> = inputs.chain(outputs).collect();
    parameters.extend(["Faults* faults".into(), "unsigned site".into()]);
    let mut text = format!("__device__ inline void element({}) {{\n", parameters.join(", "));
    for (i, dtype) in program.inputs.iter().enumerate() {
        let read = if *dtype == DType::Bool { format!("wide(m{i})") } else { format!("m{i}") };
        let _ = writeln!(text, "  const {} a{i} = {read};", value(*dtype));
    }
    for (n, step) in program.steps.iter().enumerate() {
        let expression = expression(program, step);
        match step.to {
            Slot::Output(o) => {
                let _ = writeln!(text, "  const {} o{o} = {expression};", value(step.result));
                let kept = if step.result == DType::Bool { format!("narrow<truth>(o{o})") } else { format!("o{o}") };
                let _ = writeln!(text, "  r{o} = {kept};");
            }
            // A slot that is used again gets a name of its own: the compiler does the register allocation.
            _ => {
                let _ = writeln!(text, "  const {} v{n} = {expression};", value(step.result));
            }
        }
    }
    text.push_str("}\n");
    text
}

/// The C++ type of a dtype in memory.
pub(crate) fn storage(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::I8 => "signed char",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "long long",
        DType::U8 => "unsigned char",
        DType::U16 => "unsigned short",
        DType::U32 => "unsigned int",
        DType::U64 => "unsigned long long",
        DType::Bool => "truth",
        DType::Resource | DType::Variant => "void",
    }
}

/// The C++ type of a value of the scalar language.
pub(crate) fn value(dtype: DType) -> &'static str {
    if dtype == DType::Bool { "bool" } else { storage(dtype) }
}

/// The name of an operand of step `at`: the value that its slot holds there.
fn operand(program: &Program, at: &Step, slot: Slot) -> String {
    match slot {
        Slot::Input(i) => format!("a{i}"),
        Slot::Output(o) => format!("o{o}"),
        Slot::Const(c) => constant(program.constants[c as usize]),
        Slot::Temp(_) => {
            let here = program.steps.iter().position(|s| std::ptr::eq(s, at)).unwrap_or(program.steps.len());
            let writer = program.steps[..here].iter().rposition(|s| s.to == slot);
            format!("v{}", writer.unwrap_or(0))
        }
    }
}

/// A constant by its bits, so that no digit is lost.
pub(crate) fn constant((dtype, bits): (DType, u64)) -> String {
    match dtype {
        DType::F32 => format!("__uint_as_float({:#010x}u)", bits as u32),
        DType::F64 => format!("__longlong_as_double({bits:#018x}ll)"),
        DType::F16 | DType::BF16 => format!("{}{{(unsigned short){:#06x}}}", storage(dtype), bits as u16),
        DType::Bool => (bits != 0).to_string(),
        other => format!("({}){bits:#x}ull", storage(other)),
    }
}

fn expression(program: &Program, step: &Step) -> String {
    let args: Vec<_> = step.args[..step.code.arity()].iter().map(|&a| operand(program, step, a)).collect();
    let a = args.first().map_or("", String::as_str);
    let b = args.get(1).map_or("", String::as_str);
    let c = args.get(2).map_or("", String::as_str);
    let single = step.operand == DType::F32;
    let floating = step.operand.is_floating();
    let truth = step.operand == DType::Bool;
    let ty = value(step.operand);
    // Rounding intrinsics forbid the compiler to contract a product and a sum; integers wrap.
    let rounded = |name: &str| match (floating, single) {
        (true, true) => format!("__f{name}_rn({a}, {b})"),
        (true, false) => format!("__d{name}_rn({a}, {b})"),
        _ => format!("wrap_{name}<{ty}>({a}, {b})"),
    };
    let call = |name: &str| if single { format!("{name}f({a})") } else { format!("{name}({a})") };
    let bitwise = |sign: &str| format!("({ty})({a} {sign} {b})");
    let checked = |name: &str| format!("{name}<{ty}>({a}, {b}, faults, site)");
    match step.code {
        Code::Const => a.to_string(),
        Code::Cast => format!("Into<{}>::of({a})", value(step.result)),
        Code::Neg if floating => format!("-{a}"),
        Code::Neg => format!("wrap_neg<{ty}>({a})"),
        Code::Abs => format!("magnitude({a})"),
        Code::Sign => format!("sign({a})"),
        Code::Sqrt if single => format!("__fsqrt_rn({a})"),
        Code::Sqrt => format!("__dsqrt_rn({a})"),
        Code::Rsqrt if single => format!("__fdiv_rn(1.0f, __fsqrt_rn({a}))"),
        Code::Rsqrt => format!("__ddiv_rn(1.0, __dsqrt_rn({a}))"),
        Code::Exp => call("exp"),
        Code::Expm1 => call("expm1"),
        Code::Log => call("log"),
        Code::Log1p => call("log1p"),
        Code::Sin => call("sin"),
        Code::Cos => call("cos"),
        Code::Tanh => call("tanh"),
        Code::Erf => call("erf"),
        Code::Erfc => call("erfc"),
        Code::Sigmoid => format!("sigmoid({a})"),
        Code::Floor => call("floor"),
        Code::Ceil => call("ceil"),
        Code::Round => call("rint"),
        Code::Not if truth => format!("!{a}"),
        Code::Not => format!("({ty})~{a}"),
        Code::IsNan => format!("{a} != {a}"),
        // Neither an infinity nor NaN gives zero here.
        Code::IsFinite => format!("{a} - {a} == 0"),
        Code::Add => rounded("add"),
        Code::Sub => rounded("sub"),
        Code::Mul => rounded("mul"),
        Code::Div if floating => rounded("div"),
        Code::Div => checked("divide"),
        Code::Rem if single => format!("fmodf({a}, {b})"),
        Code::Rem if floating => format!("fmod({a}, {b})"),
        Code::Rem => checked("remainder"),
        Code::FloorDiv if floating => format!("floor_divide({a}, {b})"),
        Code::FloorDiv => checked("floor_divide"),
        Code::FloorMod if floating => format!("floor_modulo({a}, {b})"),
        Code::FloorMod => checked("floor_modulo"),
        Code::Pow if floating => format!("power({a}, {b})"),
        Code::Pow => checked("power"),
        Code::Min => format!("minimum({a}, {b})"),
        Code::Max => format!("maximum({a}, {b})"),
        Code::And => bitwise("&"),
        Code::Or => bitwise("|"),
        Code::Xor => bitwise("^"),
        Code::Eq => format!("{a} == {b}"),
        Code::Ne => format!("{a} != {b}"),
        Code::Lt => format!("{a} < {b}"),
        Code::Le => format!("{a} <= {b}"),
        Code::Select => format!("{a} ? {b} : {c}"),
    }
}
