//! The typed instructions of the register machine in one table, from which the opcodes, their choice by dtype, and the arms
//! of the interpreter are made.

/// Hands the table of typed instructions to the macro `$then`: name, Rust type, dtype, code of the scalar language, and
/// the method or operator that computes it.
macro_rules! table {
    ($then:ident) => {
        $then! {
            unary {
                NegF32 f32 F32 Neg neg, NegF64 f64 F64 Neg neg, NegI32 i32 I32 Neg neg, NegI64 i64 I64 Neg neg,
                AbsF32 f32 F32 Abs abs, AbsF64 f64 F64 Abs abs, AbsI32 i32 I32 Abs abs, AbsI64 i64 I64 Abs abs,
                SignF32 f32 F32 Sign sign, SignF64 f64 F64 Sign sign,
            }
            heavy {
                SqrtF32 f32 F32 Sqrt sqrt, SqrtF64 f64 F64 Sqrt sqrt,
                ExpF32 f32 F32 Exp exp, ExpF64 f64 F64 Exp exp,
                LogF32 f32 F32 Log log, LogF64 f64 F64 Log log,
                TanhF32 f32 F32 Tanh tanh, TanhF64 f64 F64 Tanh tanh,
                SigmoidF32 f32 F32 Sigmoid sigmoid, SigmoidF64 f64 F64 Sigmoid sigmoid,
                FloorF32 f32 F32 Floor floor, FloorF64 f64 F64 Floor floor,
            }
            binary {
                AddF32 f32 F32 Add add, AddF64 f64 F64 Add add, AddI32 i32 I32 Add add, AddI64 i64 I64 Add add,
                SubF32 f32 F32 Sub sub, SubF64 f64 F64 Sub sub, SubI32 i32 I32 Sub sub, SubI64 i64 I64 Sub sub,
                MulF32 f32 F32 Mul mul, MulF64 f64 F64 Mul mul, MulI32 i32 I32 Mul mul, MulI64 i64 I64 Mul mul,
                DivF32 f32 F32 Div div, DivF64 f64 F64 Div div,
                MinF32 f32 F32 Min min, MinF64 f64 F64 Min min, MinI32 i32 I32 Min min, MinI64 i64 I64 Min min,
                MaxF32 f32 F32 Max max, MaxF64 f64 F64 Max max, MaxI32 i32 I32 Max max, MaxI64 i64 I64 Max max,
            }
            logic {
                AndBool Truth Bool And and, OrBool Truth Bool Or or, XorBool Truth Bool Xor xor,
            }
            negation {
                NotBool Truth Bool Not not,
            }
            faulty {
                DivI32 i32 I32 Div div no_divisor, DivI64 i64 I64 Div div no_divisor,
                RemI32 i32 I32 Rem rem no_divisor, RemI64 i64 I64 Rem rem no_divisor,
                FloorDivI32 i32 I32 FloorDiv floor_div no_divisor, FloorDivI64 i64 I64 FloorDiv floor_div no_divisor,
                FloorModI32 i32 I32 FloorMod floor_mod no_divisor, FloorModI64 i64 I64 FloorMod floor_mod no_divisor,
            }
            compare {
                EqF32 JumpEqF32 UnlessEqF32 f32 F32 Eq ==, EqF64 JumpEqF64 UnlessEqF64 f64 F64 Eq ==,
                EqI32 JumpEqI32 UnlessEqI32 i32 I32 Eq ==, EqI64 JumpEqI64 UnlessEqI64 i64 I64 Eq ==,
                NeF32 JumpNeF32 UnlessNeF32 f32 F32 Ne !=, NeF64 JumpNeF64 UnlessNeF64 f64 F64 Ne !=,
                NeI32 JumpNeI32 UnlessNeI32 i32 I32 Ne !=, NeI64 JumpNeI64 UnlessNeI64 i64 I64 Ne !=,
                LtF32 JumpLtF32 UnlessLtF32 f32 F32 Lt <, LtF64 JumpLtF64 UnlessLtF64 f64 F64 Lt <,
                LtI32 JumpLtI32 UnlessLtI32 i32 I32 Lt <, LtI64 JumpLtI64 UnlessLtI64 i64 I64 Lt <,
                LeF32 JumpLeF32 UnlessLeF32 f32 F32 Le <=, LeF64 JumpLeF64 UnlessLeF64 f64 F64 Le <=,
                LeI32 JumpLeI32 UnlessLeI32 i32 I32 Le <=, LeI64 JumpLeI64 UnlessLeI64 i64 I64 Le <=,
            }
            convert {
                I32ToF32 i32 I32 f32 F32, I32ToF64 i32 I32 f64 F64, I64ToF32 i64 I64 f32 F32, I64ToF64 i64 I64 f64 F64,
                F32ToF64 f32 F32 f64 F64, F64ToF32 f64 F64 f32 F32, I32ToI64 i32 I32 i64 I64, I64ToI32 i64 I64 i32 I32,
                F32ToI32 f32 F32 i32 I32, F32ToI64 f32 F32 i64 I64,
            }
            pairs {
                MulAddF32 f32 MulF32 mul AddF32 add, MulAddF64 f64 MulF64 mul AddF64 add,
                MulAddI32 i32 MulI32 mul AddI32 add, MulAddI64 i64 MulI64 mul AddI64 add,
                MulSubF32 f32 MulF32 mul SubF32 sub, MulSubF64 f64 MulF64 mul SubF64 sub,
                MulMulF32 f32 MulF32 mul MulF32 mul, MulMulF64 f64 MulF64 mul MulF64 mul,
                AddMulF32 f32 AddF32 add MulF32 mul, AddMulF64 f64 AddF64 add MulF64 mul,
                SubMulF32 f32 SubF32 sub MulF32 mul, SubMulF64 f64 SubF64 sub MulF64 mul,
                AddAddF32 f32 AddF32 add AddF32 add, AddAddF64 f64 AddF64 add AddF64 add,
            }
            swapped {
                SubOfMulF32 f32 MulF32 mul SubF32 sub, SubOfMulF64 f64 MulF64 mul SubF64 sub,
            }
            count {
                AddJumpLtI32 AddI32 JumpLtI32 i32 <, AddJumpLtI64 AddI64 JumpLtI64 i64 <,
                AddJumpLeI32 AddI32 JumpLeI32 i32 <=, AddJumpLeI64 AddI64 JumpLeI64 i64 <=,
            }
            down {
                SubJumpGtI32 SubI32 JumpLtI32 i32 <, SubJumpGtI64 SubI64 JumpLtI64 i64 <,
            }
        }
    };
}
pub(super) use table;
