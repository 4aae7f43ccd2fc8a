//! One element of a scalar program in CUDA C++: the names of types, constants by their bits, and the one match from `Code` to CUDA.
//! The generators of whole kernels (`text.rs`, `multi_tensor.rs`, `fused.rs`) put it into their loops; the CPU's tile machine runs the same program.

use crate::dtype::DType;
use crate::scalar::{Code, Program, Slot, Step};
use std::fmt::Write;

/// `element`: the program for one element, from values as they lie in memory to results as they lie in memory.
pub fn element_function(program: &Program) -> String {
    let inputs = program.inputs.iter().enumerate().map(|(i, d)| format!("const {} m{i}", storage(*d)));
    let outputs = program.outputs.iter().enumerate().map(|(o, d)| format!("{}& r{o}", storage(*d)));
    let mut parameters: Vec<String> = inputs.chain(outputs).collect();
    parameters.extend(["Faults* faults".into(), "unsigned site".into()]);
    let mut text = match program.steps.iter().any(|step| step.code.is_special()) {
        true => crate::backend::special::text().to_string(),
        false => String::new(),
    };
    let _ = writeln!(text, "__device__ inline void element({}) {{", parameters.join(", "));
    for (i, dtype) in program.inputs.iter().enumerate() {
        let read = if *dtype == DType::Bool { format!("wide(m{i})") } else { format!("m{i}") };
        let _ = writeln!(text, "  const {} a{i} = {read};", value(*dtype));
    }
    for (n, step) in program.steps.iter().enumerate() {
        let expression = expression(program, step, is_rounded_to_16_bits(program, n));
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
pub fn storage(dtype: DType) -> &'static str {
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
        DType::C64 => "complex64",
        DType::C128 => "complex128",
        DType::Resource | DType::Variant | DType::String => "void",
    }
}

/// The C++ type of a value of the scalar language.
pub fn value(dtype: DType) -> &'static str {
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
pub fn constant((dtype, bits): (DType, u64)) -> String {
    match dtype {
        DType::F32 => format!("__uint_as_float({:#010x}u)", bits as u32),
        DType::F64 => format!("__longlong_as_double({bits:#018x}ll)"),
        DType::F16 | DType::BF16 => format!("{}{{(unsigned short){:#06x}}}", storage(dtype), bits as u16),
        DType::Bool => (bits != 0).to_string(),
        other => format!("({}){bits:#x}ull", storage(other)),
    }
}

/// Whether all that reads what step `n` computes rounds it to 16 bits.
fn is_rounded_to_16_bits(program: &Program, n: usize) -> bool {
    let (step, behind) = (&program.steps[n], &program.steps[n + 1..]);
    if step.result != DType::F32 || !matches!(step.to, Slot::Temp(_)) {
        return false;
    }
    // Until another step takes the slot.
    let last = behind.iter().position(|other| other.to == step.to).map_or(behind.len(), |at| at + 1);
    let mut readers =
        behind[..last].iter().filter(|other| other.args[..other.code.arity()].contains(&step.to)).peekable();
    readers.peek().is_some()
        && readers.all(|reader| reader.code == Code::Cast && matches!(reader.result, DType::F16 | DType::BF16))
}

/// What a step computes; functions may be less exact where all that reads it rounds it `to_16_bits`.
fn expression(program: &Program, step: &Step, to_16_bits: bool) -> String {
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
    // Computed in double precision, and rounded once.
    let special = |name: &str| format!("({ty}){name}({})", args.join(", "));
    let all_bits = format!("{:#x}ull", u64::MAX >> (64 - 8 * step.operand.size().clamp(1, 8)));
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
        Code::Exp if to_16_bits => format!("exp_16({a})"),
        Code::Tanh if to_16_bits => format!("tanh_16({a})"),
        Code::Sigmoid if to_16_bits => format!("sigmoid_16({a})"),
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
        Code::Tan => call("tan"),
        Code::Asin => call("asin"),
        Code::Acos => call("acos"),
        Code::Atan => call("atan"),
        Code::Sinh => call("sinh"),
        Code::Cosh => call("cosh"),
        Code::Asinh => call("asinh"),
        Code::Acosh => call("acosh"),
        Code::Atanh => call("atanh"),
        Code::Lgamma => special("log_gamma"),
        Code::Digamma => special("digamma"),
        Code::Erfinv => special("erf_inverse"),
        Code::Ndtri => special("normal_quantile"),
        Code::BesselI0 => special("bessel_i0"),
        Code::BesselI0e => special("bessel_i0e"),
        Code::BesselI1 => special("bessel_i1"),
        Code::BesselI1e => special("bessel_i1e"),
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
        Code::PopulationCount => format!("({ty})__popcll((unsigned long long){a} & ({all_bits}))"),
        Code::Atan2 if single => format!("atan2f({a}, {b})"),
        Code::Atan2 => format!("atan2({a}, {b})"),
        Code::NextAfter if single => format!("nextafterf({a}, {b})"),
        Code::NextAfter => format!("nextafter({a}, {b})"),
        Code::Zeta => special("hurwitz_zeta"),
        Code::Polygamma => special("polygamma"),
        Code::Igamma => special("gamma_lower"),
        Code::Igammac => special("gamma_upper"),
        Code::IgammaGradA => special("gamma_lower_by_a"),
        Code::LeftShift => format!("shift_left<{ty}>({a}, {b})"),
        Code::RightShift => format!("shift_right<{ty}>({a}, {b})"),
        Code::Betainc => special("beta_share"),
        Code::Select => format!("{a} ? {b} : {c}"),
    }
}
