//! CUDA C++ text for a scalar program: one grid-stride kernel over any number of strided operands.
//! It is the one match from `Code` to CUDA; the same program runs on the CPU's tile machine.

use crate::dtype::DType;
use crate::scalar::{Code, Program, Slot, Step};
use std::fmt::Write;

/// The kernel `name` for a program: every operand has its own element strides over the outputs' collapsed dimensions.
///
/// 16-bit floats are loaded and stored by the helpers of the prelude; contraction is ruled out by writing each rounding
/// as its own intrinsic, so that results are those of the CPU.
#[cfg_attr(not(test), allow(dead_code, reason = "the device backend compiles this text"))]
pub(crate) fn elementwise_kernel(name: &str, program: &Program) -> String {
    let mut text = String::new();
    let inputs = program.inputs.iter().enumerate().map(|(i, d)| format!("const {}* __restrict__ x{i}", storage(*d)));
    let outputs = program.outputs.iter().enumerate().map(|(i, d)| format!("{}* y{i}", storage(*d)));
    let parameters: Vec<_> = inputs.chain(outputs).collect();
    let _ = writeln!(
        text,
        "extern \"C\" __global__ void {name}(Space space, {}) {{\n  \
         for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < space.count; i += (long)gridDim.x * blockDim.x) {{",
        parameters.join(", ")
    );
    for (i, dtype) in program.inputs.iter().enumerate() {
        let _ = writeln!(text, "    const {} a{i} = x{i}[offset(space, {i}, i)];", storage(*dtype));
    }
    for (n, step) in program.steps.iter().enumerate() {
        let expression = expression(program, step);
        match step.to {
            Slot::Output(o) => {
                let _ = writeln!(text, "    const {} o{o} = {expression};\n    y{o}[i] = o{o};", storage(step.result));
            }
            // A slot that is used again gets a name of its own: the compiler does the register allocation.
            _ => {
                let _ = writeln!(text, "    const {} v{n} = {expression};", storage(step.result));
            }
        }
    }
    text.push_str("  }\n}\n");
    text
}

/// The C++ type of a dtype in memory.
fn storage(dtype: DType) -> &'static str {
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
        DType::Bool => "bool",
        DType::Resource | DType::Variant => "void",
    }
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
fn constant((dtype, bits): (DType, u64)) -> String {
    match dtype {
        DType::F32 => format!("__int_as_float({:#010x})", bits as u32),
        DType::F64 => format!("__longlong_as_double({bits:#018x}ll)"),
        DType::Bool => (bits != 0).to_string(),
        other => format!("({}){bits:#x}ull", storage(other)),
    }
}

fn expression(program: &Program, step: &Step) -> String {
    let args: Vec<_> = step.args[..step.code.arity()].iter().map(|&a| operand(program, step, a)).collect();
    let a = args.first().map_or("", String::as_str);
    let b = args.get(1).map_or("", String::as_str);
    let c = args.get(2).map_or("", String::as_str);
    let ty = storage(step.operand);
    let single = step.operand == DType::F32;
    let floating = step.operand.is_floating();
    // Rounding intrinsics forbid the compiler to contract a product and a sum.
    let rounded = |name: &str, plain: &str| match (floating, single) {
        (true, true) => format!("__f{name}_rn({a}, {b})"),
        (true, false) => format!("__d{name}_rn({a}, {b})"),
        _ => format!("({ty})({a} {plain} {b})"),
    };
    let call = |name: &str| if single { format!("{name}f({a})") } else { format!("{name}({a})") };
    match step.code {
        Code::Const => a.to_string(),
        Code::Cast => format!("convert<{}>({a})", storage(step.result)),
        Code::Neg => format!("({ty})(-{a})"),
        Code::Abs if floating => call("fabs"),
        Code::Abs => format!("({ty})({a} < 0 ? -{a} : {a})"),
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
        Code::Not if step.operand == DType::Bool => format!("!{a}"),
        Code::Not => format!("({ty})~{a}"),
        Code::IsNan => format!("{a} != {a}"),
        Code::IsFinite => format!("isfinite({a})"),
        Code::Add => rounded("add", "+"),
        Code::Sub => rounded("sub", "-"),
        Code::Mul => rounded("mul", "*"),
        Code::Div if floating => rounded("div", "/"),
        Code::Div => format!("divide({a}, {b}, &space)"),
        Code::Rem if floating => format!("fmod({a}, {b})"),
        Code::Rem => format!("remainder({a}, {b}, &space)"),
        Code::FloorDiv => format!("floor_divide({a}, {b}, &space)"),
        Code::FloorMod => format!("floor_modulo({a}, {b}, &space)"),
        Code::Pow => format!("power({a}, {b}, &space)"),
        Code::Min => format!("minimum({a}, {b})"),
        Code::Max => format!("maximum({a}, {b})"),
        Code::And => format!("({ty})({a} & {b})"),
        Code::Or => format!("({ty})({a} | {b})"),
        Code::Xor => format!("({ty})({a} ^ {b})"),
        Code::Eq => format!("{a} == {b}"),
        Code::Ne => format!("{a} != {b}"),
        Code::Lt => format!("{a} < {b}"),
        Code::Le => format!("{a} <= {b}"),
        Code::Select => format!("{a} ? {b} : {c}"),
    }
}
