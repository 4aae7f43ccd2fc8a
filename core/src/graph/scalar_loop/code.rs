//! The instructions of the register machine: one table from which the opcodes, their choice by dtype, and the arms of the
//! interpreter are made. `emit` writes them over virtual registers, `machine` runs them.

use crate::dtype::DType;
use crate::scalar::Code;

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

macro_rules! opcodes {
    (unary { $($un:ident $ut:ident $ud:ident $uc:ident $um:ident,)* }
     heavy { $($hn:ident $ht:ident $hd:ident $hc:ident $hm:ident,)* }
     binary { $($bn:ident $bt:ident $bd:ident $bc:ident $bm:ident,)* }
     logic { $($ln:ident $lt:ident $ld:ident $lc:ident $lm:ident,)* }
     negation { $($nn:ident $nt:ident $nd:ident $nc:ident $nm:ident,)* }
     faulty { $($fn:ident $ft:ident $fd:ident $fc:ident $fm:ident $ff:ident,)* }
     compare { $($cn:ident $cj:ident $cu:ident $ct:ident $cd:ident $cc:ident $cm:tt,)* }
     convert { $($vn:ident $vt:ident $vd:ident $wt:ident $wd:ident,)* }
     pairs { $($pn:ident $pt:ident $p1:ident $pm1:ident $p2:ident $pm2:ident,)* }
     swapped { $($sn:ident $st:ident $s1:ident $sm1:ident $s2:ident $sm2:ident,)* }
     count { $($an:ident $a1:ident $a2:ident $at:ident $am:tt,)* }
     down { $($dn:ident $d1:ident $d2:ident $dt:ident $dm:tt,)* }) => {
        /// What an instruction does. Typed ones are named `<what><type>`; `Jump…` and `Unless…` compare and branch.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u16)]
        pub(super) enum Opcode {
            $($un,)* $($hn,)* $($bn,)* $($ln,)* $($nn,)* $($fn,)* $($cn, $cj, $cu,)* $($vn,)*
            /// Two instructions at once: `to = (a . b) . c`, both rounded.
            $($pn,)*
            /// `to = c . (a . b)`.
            $($sn,)*
            /// `to = to + c`, then jumps to `imm` if `to < b`.
            $($an,)*
            /// `to = to - c`, then jumps to `imm` if `b < to`.
            $($dn,)*
            /// The loop number `imm` of the scalar language on one element: everything without an instruction of its own.
            Call,
            /// As `Call`; may fault.
            CallFaulty,
            Move1,
            Move2,
            Move4,
            Move8,
            /// `to = if a { b } else { c }`.
            Select1,
            Select2,
            Select4,
            Select8,
            Jump,
            JumpIf,
            JumpUnless,
            Halt,
            /// A new empty list of layout `imm / 2` in `to`; if `imm` is odd, its items go on without end, all missing.
            NewList,
            /// Moves or copies list `a` into `to`. Before registers are assigned it is always a `MoveList`.
            MoveList,
            CopyList,
            /// Appends a row of `imm` bytes to list `to`; the fields are stored after it.
            PushRow,
            /// Takes the last row of `imm` bytes of list `to` away; its fields may be loaded until the next push.
            PopRow,
            /// Stores `a` `imm` bytes before the end of the last row of list `to`.
            Store1,
            Store2,
            Store4,
            Store8,
            /// Appends list `a`, which is given up, to the lists of list `to`.
            StoreList,
            /// Loads from offset `imm` of the row just taken from list `a`.
            Load1,
            Load2,
            Load4,
            Load8,
            /// Takes the last list of list `a`.
            LoadList,
            /// A row of one field at once.
            Push4,
            Push8,
            Pop4,
            Pop8,
            /// The number of rows of list `a` as an `i32`.
            Len,
        }

        /// The instruction of a code of the scalar language, where it has one of its own.
        pub(super) fn typed(code: Code, operand: DType, result: DType) -> Option<Opcode> {
            Some(match (code, operand, result) {
                $((Code::$uc, DType::$ud, _) => Opcode::$un,)*
                $((Code::$hc, DType::$hd, _) => Opcode::$hn,)*
                $((Code::$bc, DType::$bd, _) => Opcode::$bn,)*
                $((Code::$lc, DType::$ld, _) => Opcode::$ln,)*
                $((Code::$nc, DType::$nd, _) => Opcode::$nn,)*
                $((Code::$fc, DType::$fd, _) => Opcode::$fn,)*
                $((Code::$cc, DType::$cd, _) => Opcode::$cn,)*
                $((Code::Cast, DType::$vd, DType::$wd) => Opcode::$vn,)*
                (Code::Select, _, _) => sized(result.size(), [
                    Opcode::Select1, Opcode::Select2, Opcode::Select4, Opcode::Select8,
                ]),
                _ => return None,
            })
        }

        /// One instruction for two, where the first only feeds the second: by its first operand, or by its second.
        pub(super) fn pair(first: Opcode, second: Opcode, by_second: bool) -> Option<Opcode> {
            let commutes = |op| matches!(op, Opcode::AddF32 | Opcode::AddF64 | Opcode::AddI32 | Opcode::AddI64
                | Opcode::MulF32 | Opcode::MulF64 | Opcode::MulI32 | Opcode::MulI64);
            if by_second && !commutes(second) {
                return match (first, second) {
                    $((Opcode::$s1, Opcode::$s2) => Some(Opcode::$sn),)*
                    _ => None,
                };
            }
            match (first, second) {
                $((Opcode::$p1, Opcode::$p2) => Some(Opcode::$pn),)*
                _ => None,
            }
        }

        /// The jump that compares by itself; `unless` where the comparison must fail.
        pub(super) fn comparing_jump(compare: Opcode, unless: bool) -> Option<Opcode> {
            match compare {
                $(Opcode::$cn => Some(if unless { Opcode::$cu } else { Opcode::$cj }),)*
                _ => None,
            }
        }

        /// The end of a counted loop in one instruction: `jump` compares what `step` has just computed, as its first
        /// operand or else as its second.
        pub(super) fn counting_jump(step: Opcode, jump: Opcode, first: bool) -> Option<Opcode> {
            match (step, jump, first) {
                $((Opcode::$a1, Opcode::$a2, true) => Some(Opcode::$an),)*
                $((Opcode::$d1, Opcode::$d2, false) => Some(Opcode::$dn),)*
                _ => None,
            }
        }

        impl Opcode {
            /// Which operands are read and written, and how they are held.
            pub(super) fn shape(self) -> Operands {
                use Role::{List, None, Word};
                let to = |to, a, b, c| Operands { to, a, b, c, changes: false, jumps: false };
                let change = |to, a| Operands { to, a, b: None, c: None, changes: true, jumps: false };
                let jump = |a, b| Operands { to: None, a, b, c: None, changes: false, jumps: true };
                match self {
                    $(Self::$un)|* | $(Self::$hn)|* | $(Self::$nn)|* | $(Self::$vn)|* => to(Word, Word, None, None),
                    $(Self::$bn)|* | $(Self::$ln)|* | $(Self::$fn)|* | $(Self::$cn)|* => to(Word, Word, Word, None),
                    $(Self::$cj | Self::$cu)|* => jump(Word, Word),
                    $(Self::$pn)|* | $(Self::$sn)|* => to(Word, Word, Word, Word),
                    $(Self::$an)|* | $(Self::$dn)|* => {
                        Operands { to: Word, a: None, b: Word, c: Word, changes: true, jumps: true }
                    }
                    Self::Call | Self::CallFaulty => to(Word, Word, Word, Word),
                    Self::Move1 | Self::Move2 | Self::Move4 | Self::Move8 => to(Word, Word, None, None),
                    Self::Select1 | Self::Select2 | Self::Select4 | Self::Select8 => to(Word, Word, Word, Word),
                    Self::Jump => jump(None, None),
                    Self::JumpIf | Self::JumpUnless => jump(Word, None),
                    Self::Halt => to(None, None, None, None),
                    Self::NewList => to(List, None, None, None),
                    Self::MoveList | Self::CopyList => to(List, List, None, None),
                    Self::PushRow | Self::PopRow => change(List, None),
                    Self::Store1 | Self::Store2 | Self::Store4 | Self::Store8 => change(List, Word),
                    Self::Push4 | Self::Push8 => change(List, Word),
                    Self::StoreList => change(List, List),
                    Self::Load1 | Self::Load2 | Self::Load4 | Self::Load8 | Self::Len => to(Word, List, None, None),
                    Self::Pop4 | Self::Pop8 => to(Word, List, None, None),
                    Self::LoadList => to(List, List, None, None),
                }
            }

            /// Whether its operands cannot change places.
            pub(super) fn is_difference(self) -> bool {
                matches!(self, Self::SubI32 | Self::SubI64)
            }

            /// Whether it may be left out where nobody reads what it writes.
            pub(super) fn is_pure(self) -> bool {
                match self {
                    $(Self::$un)|* | $(Self::$hn)|* | $(Self::$nn)|* | $(Self::$vn)|* => true,
                    $(Self::$bn)|* | $(Self::$ln)|* | $(Self::$cn)|* | $(Self::$pn)|* | $(Self::$sn)|* => true,
                    Self::Call | Self::Move1 | Self::Move2 | Self::Move4 | Self::Move8 => true,
                    Self::Select1 | Self::Select2 | Self::Select4 | Self::Select8 => true,
                    Self::NewList | Self::MoveList | Self::CopyList | Self::Len => true,
                    Self::Load1 | Self::Load2 | Self::Load4 | Self::Load8 => true,
                    Self::PushRow | Self::Push4 | Self::Push8 | Self::StoreList => true,
                    Self::Store1 | Self::Store2 | Self::Store4 | Self::Store8 => true,
                    _ => false,
                }
            }
        }
    };
}
table!(opcodes);

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    None,
    Word,
    List,
}

/// The operands of an instruction. `changes` says that `to` is read as well as written.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub to: Role,
    pub a: Role,
    pub b: Role,
    pub c: Role,
    pub changes: bool,
    pub jumps: bool,
}

/// The one of four instructions for values of `size` bytes.
pub(super) fn sized(size: usize, [one, two, four, eight]: [Opcode; 4]) -> Opcode {
    match size {
        1 => one,
        2 => two,
        4 => four,
        _ => eight,
    }
}

pub(super) fn move_of(size: usize) -> Opcode {
    sized(size, [Opcode::Move1, Opcode::Move2, Opcode::Move4, Opcode::Move8])
}

pub(super) fn store_of(size: usize) -> Opcode {
    sized(size, [Opcode::Store1, Opcode::Store2, Opcode::Store4, Opcode::Store8])
}

pub(super) fn load_of(size: usize) -> Opcode {
    sized(size, [Opcode::Load1, Opcode::Load2, Opcode::Load4, Opcode::Load8])
}

/// An instruction over virtual registers; unused operands are 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ins {
    pub op: Opcode,
    pub to: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Where a jump goes, the offset of a field, or a number of a table.
    pub imm: u32,
    /// The number of what an error of this instruction names.
    pub place: u32,
}

impl Ins {
    /// Virtual registers that it reads, in order, with their roles.
    pub fn reads(&self) -> impl Iterator<Item = (Role, u32)> {
        let shape = self.op.shape();
        let own = if shape.changes { shape.to } else { Role::None };
        [(own, self.to), (shape.a, self.a), (shape.b, self.b), (shape.c, self.c)]
            .into_iter()
            .filter(|(role, _)| *role != Role::None)
    }

    /// Virtual registers that it writes; lists that it takes away count too.
    pub fn writes(&self) -> impl Iterator<Item = (Role, u32)> {
        let shape = self.op.shape();
        let also = matches!(self.op, Opcode::Pop4 | Opcode::Pop8 | Opcode::LoadList | Opcode::StoreList);
        let list = if also { shape.a } else { Role::None };
        [(shape.to, self.to), (list, self.a)].into_iter().filter(|(role, _)| *role != Role::None)
    }
}

/// An instruction over the machine's registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Instr {
    pub op: Opcode,
    pub to: u16,
    pub a: u16,
    pub b: u16,
    pub c: u16,
    pub imm: u32,
}
