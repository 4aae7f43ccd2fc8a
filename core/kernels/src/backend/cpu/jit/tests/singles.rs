//! Each instruction by itself, over operands of any kind.
//! The lists of instructions serve the random programs too.

use super::*;

pub(super) fn single(code: Code, operand: DType, result: DType) -> Case {
    let args = [0, 1, 2].map(|i| Slot::Input(if i < code.arity() as u16 { i } else { 0 }));
    let step = Step { code, operand, result, args, to: Slot::Output(0) };
    let dtypes = if code == Code::Select { [DType::Bool, operand, operand] } else { [operand; 3] };
    Case {
        sequence: Sequence { actions: vec![Action::Step(step)], constants: Vec::new(), temps: 0, widest: 4 },
        inputs: dtypes[..code.arity()].iter().map(|&dtype| Input { dtype, scalar: false }).collect(),
        outputs: vec![result],
        folds: Vec::new(),
    }
}

pub(super) const REAL: [Code; 32] = [
    Code::Neg,
    Code::Abs,
    Code::Sign,
    Code::Sqrt,
    Code::Rsqrt,
    Code::Exp,
    Code::Expm1,
    Code::Erf,
    Code::Erfc,
    Code::Sin,
    Code::Cos,
    Code::Log,
    Code::Log1p,
    Code::Tanh,
    Code::Sigmoid,
    Code::Floor,
    Code::Ceil,
    Code::Round,
    Code::Add,
    Code::Sub,
    Code::Mul,
    Code::Div,
    Code::FloorDiv,
    Code::Min,
    Code::Max,
    Code::IsNan,
    Code::IsFinite,
    Code::Eq,
    Code::Ne,
    Code::Lt,
    Code::Le,
    Code::Select,
];
pub(super) const INTEGER: [Code; 16] = [
    Code::Neg,
    Code::Abs,
    Code::Sign,
    Code::Not,
    Code::Add,
    Code::Sub,
    Code::Mul,
    Code::Min,
    Code::Max,
    Code::And,
    Code::Or,
    Code::Xor,
    Code::Eq,
    Code::Ne,
    Code::Lt,
    Code::Le,
];
pub(super) const CASTS: [(DType, DType); 11] = [
    (DType::F32, DType::F32),
    (DType::F32, DType::I32),
    (DType::F32, DType::Bool),
    (DType::I32, DType::F32),
    (DType::I32, DType::Bool),
    (DType::Bool, DType::F32),
    (DType::Bool, DType::I32),
    (DType::U8, DType::F32),
    (DType::U8, DType::I32),
    (DType::U8, DType::Bool),
    (DType::Bool, DType::Bool),
];

#[test]
fn single_instructions() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    for code in REAL {
        single(code, DType::F32, code.result(DType::F32)).check(&SIZES, &mut rng, false);
    }
    for code in INTEGER {
        single(code, DType::I32, code.result(DType::I32)).check(&SIZES, &mut rng, false);
    }
    for (from, to) in CASTS {
        single(Code::Cast, from, to).check(&SIZES, &mut rng, false);
    }
    single(Code::Select, DType::Bool, DType::Bool).check(&SIZES, &mut rng, false);
    for code in [Code::Not, Code::And, Code::Or, Code::Xor, Code::Eq, Code::Ne, Code::Lt, Code::Le] {
        single(code, DType::Bool, DType::Bool).check(&SIZES, &mut rng, false);
    }
}
