//! The instructions of the register machine, made from the table of `table.rs`: opcodes, which of them serves a code of the
//! scalar language, what they read and write. `emit` writes them over virtual registers, `machine` runs them.

use super::table::table;
use kernels::dtype::DType;
use kernels::scalar::Code;

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
