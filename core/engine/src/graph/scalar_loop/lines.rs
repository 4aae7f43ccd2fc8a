//! The bytecode machine's instructions as lines of the generator of machine code, one for one, from the same table.
//! `native.rs` asks for them; what has no line of its own is left to the bytecode machine, called for one instruction.

use super::code::{Instr, Opcode, Role};
use super::table::table;
use kernels::backend::cpu::jit::scalar::{
    Binary, Comparison, Division, Function, Line, Logic, Number, Op, Touched, Unary,
};
use kernels::backend::cpu::vector;
use kernels::scalar::Code;

/// Functions that the machine code computes or calls.
fn heavy(code: Code, number: Number) -> Option<Op> {
    Some(match code {
        Code::Sqrt => Op::Unary(Unary::Sqrt, number),
        Code::Floor => Op::Unary(Unary::Floor, number),
        Code::Exp => Op::Function(Function::Exp, number),
        Code::Log => Op::Function(Function::Log, number),
        Code::Tanh => Op::Function(Function::Tanh, number),
        Code::Sigmoid => Op::Function(Function::Sigmoid, number),
        _ => return None,
    })
}

fn pair(first: Opcode, second: Opcode, swapped: bool) -> Option<Op> {
    match (arithmetic(first)?, arithmetic(second)?) {
        (Op::Binary(first, number), Op::Binary(second, _)) => Some(Op::Pair { first, second, number, swapped }),
        _ => None,
    }
}

fn count(step: Opcode, jump: Opcode, swapped: bool) -> Option<Op> {
    match (arithmetic(step)?, arithmetic(jump)?) {
        (Op::Binary(step, number), Op::Branch { comparison, .. }) => {
            Some(Op::Count { step, comparison, number, swapped })
        }
        _ => None,
    }
}

macro_rules! lines {
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
        /// What a typed instruction does.
        fn arithmetic(op: Opcode) -> Option<Op> {
            Some(match op {
                $(Opcode::$un => Op::Unary(Unary::$uc, Number::$ud),)*
                $(Opcode::$hn => heavy(Code::$hc, Number::$hd)?,)*
                $(Opcode::$bn => Op::Binary(Binary::$bc, Number::$bd),)*
                $(Opcode::$ln => Op::Logic(Logic::$lc),)*
                $(Opcode::$nn => Op::Not,)*
                $(Opcode::$fn => Op::Division(Division::$fc, Number::$fd),)*
                $(Opcode::$cn => Op::Compare(Comparison::$cc, Number::$cd),
                Opcode::$cj => Op::Branch { comparison: Comparison::$cc, number: Number::$cd, unless: false },
                Opcode::$cu => Op::Branch { comparison: Comparison::$cc, number: Number::$cd, unless: true },)*
                $(Opcode::$vn => Op::Convert(Number::$vd, Number::$wd),)*
                $(Opcode::$pn => pair(Opcode::$p1, Opcode::$p2, false)?,)*
                $(Opcode::$sn => pair(Opcode::$s1, Opcode::$s2, true)?,)*
                $(Opcode::$an => count(Opcode::$a1, Opcode::$a2, false)?,)*
                $(Opcode::$dn => count(Opcode::$d1, Opcode::$d2, true)?,)*
                _ => return None,
            })
        }
    };
}
table!(lines);

/// The list whose rows an instruction pushes or pops, and their bytes.
fn row_of(i: &Instr) -> Option<(u16, u32)> {
    match i.op {
        Opcode::Push4 => Some((i.to, 4)),
        Opcode::Push8 => Some((i.to, 8)),
        Opcode::Pop4 => Some((i.a, 4)),
        Opcode::Pop8 => Some((i.a, 8)),
        Opcode::PushRow | Opcode::PopRow => Some((i.to, i.imm)),
        _ => None,
    }
}

/// For each list the bytes of its rows, where the code pushes and pops them.
pub(super) fn rows_of(code: &[Instr], lists: usize) -> Vec<Option<u32>> {
    let mut rows = vec![None; lists];
    let mut unclear = vec![false; lists];
    for (list, bytes) in code.iter().filter_map(row_of) {
        let known = rows[list as usize].get_or_insert(bytes);
        unclear[list as usize] |= *known != bytes;
    }
    rows.into_iter().zip(unclear).map(|(rows, unclear)| rows.filter(|_| !unclear)).collect()
}

/// An instruction as a line.
pub(super) fn line(i: &Instr, rows: &[Option<u32>], loops: &[vector::Loop]) -> Line {
    let walked = |list: u16| rows[list as usize].is_some_and(|bytes| bytes > 0);
    let counted = |list: u16| rows[list as usize] == Some(0);
    let op = match i.op {
        Opcode::Move1 => Op::Move(1),
        Opcode::Move2 => Op::Move(2),
        Opcode::Move4 => Op::Move(4),
        Opcode::Move8 => Op::Move(8),
        Opcode::Select1 => Op::Select(1),
        Opcode::Select2 => Op::Select(2),
        Opcode::Select4 => Op::Select(4),
        Opcode::Select8 => Op::Select(8),
        Opcode::Jump => Op::Jump,
        Opcode::JumpIf => Op::JumpIf,
        Opcode::JumpUnless => Op::JumpUnless,
        Opcode::Halt => Op::Halt,
        Opcode::Call | Opcode::CallFaulty => Op::Call(loops[i.imm as usize] as usize),
        Opcode::Push4 if walked(i.to) => Op::Push(4),
        Opcode::Push8 if walked(i.to) => Op::Push(8),
        Opcode::Pop4 if walked(i.a) => Op::Pop(4),
        Opcode::Pop8 if walked(i.a) => Op::Pop(8),
        Opcode::PushRow if walked(i.to) => Op::PushRow,
        Opcode::PopRow if walked(i.to) => Op::PopRow,
        Opcode::PushRow if counted(i.to) => Op::PushCount,
        Opcode::PopRow if counted(i.to) => Op::PopCount,
        Opcode::Store1 if walked(i.to) => Op::Store(1),
        Opcode::Store2 if walked(i.to) => Op::Store(2),
        Opcode::Store4 if walked(i.to) => Op::Store(4),
        Opcode::Store8 if walked(i.to) => Op::Store(8),
        Opcode::Load1 if walked(i.a) => Op::Load(1),
        Opcode::Load2 if walked(i.a) => Op::Load(2),
        Opcode::Load4 if walked(i.a) => Op::Load(4),
        Opcode::Load8 if walked(i.a) => Op::Load(8),
        op => arithmetic(op).unwrap_or_else(|| Op::Step(touched(i))),
    };
    Line { op, to: i.to, a: i.a, b: i.b, c: i.c, imm: i.imm }
}

/// What the bytecode machine reads and writes for an instruction that is left to it.
fn touched(i: &Instr) -> Touched {
    let shape = i.op.shape();
    let list = |role: Role, at: u16| (role == Role::List).then_some(at);
    let size = match i.op {
        Opcode::Load1 => 1,
        Opcode::Load2 => 2,
        Opcode::Load4 | Opcode::Pop4 | Opcode::Len => 4,
        _ => 8,
    };
    Touched {
        reads: [shape.a, shape.b, shape.c].map(|role| role == Role::Word),
        writes: (shape.to == Role::Word).then_some(size),
        lists: [list(shape.to, i.to), list(shape.a, i.a)],
    }
}
