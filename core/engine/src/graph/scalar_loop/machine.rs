//! The machine: instructions over registers of 64 bits, and lists beside them. A round allocates nothing but the growth of
//! lists. The arithmetic is that of the eager loops, so results are the same to the last bit.

use super::code::{Instr, Opcode};
use super::table::table;
use crate::lists::layout::Layout;
use crate::lists::rows::Rows;
use kernels::backend::cpu::vector;
use kernels::backend::cpu::vector::number::{Bits, Number, Real, Truth};
use std::sync::Arc;

/// What the code works on.
pub(super) struct Machine<'a> {
    pub registers: &'a mut [u64],
    pub lists: &'a mut [Rows],
    pub loops: &'a [vector::Loop],
    pub layouts: &'a [Arc<Layout>],
}

/// Functions that are long are called, so that the machine's own loop stays small.
#[inline(never)]
fn far<T, R>(f: impl Fn(T) -> R, x: T) -> R {
    f(x)
}

/// Puts one of the missing rows into an open list that has no others, to be popped; whether the list is open.
#[cold]
fn pop_missing(rows: &mut Rows) -> bool {
    if rows.open {
        // Often nobody knows what the items were, and there is nothing in them.
        if !rows.layout.leaves.is_empty() {
            rows.bytes.resize(rows.layout.bytes, 0);
            rows.push_missing_lists();
        }
        rows.len = 1;
    }
    rows.open
}

macro_rules! machine {
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
        impl Machine<'_> {
            /// Runs code that ends with `Halt`; where it faults, the number of the instruction.
            ///
            /// # Safety
            /// Registers, lists, tables and jumps that the code names exist, registers hold values of the types that
            /// their instructions read, and lists have the layouts of theirs.
            pub unsafe fn run(&mut self, code: &[Instr]) -> Result<(), usize> {
                let registers = self.registers.as_mut_ptr();
                let lists = self.lists.as_mut_ptr();
                let start = code.as_ptr();
                let mut next = start;
                macro_rules! get {
                    ($t:ty, $r:expr) => {
                        // SAFETY: the register exists and holds a value of this type.
                        unsafe { *registers.add($r as usize).cast::<$t>() }
                    };
                }
                macro_rules! set {
                    ($t:ty, $r:expr, $value:expr) => {{
                        let value: $t = $value;
                        // SAFETY: the register exists.
                        unsafe { *registers.add($r as usize).cast::<$t>() = value }
                    }};
                }
                macro_rules! rows {
                    ($r:expr) => {
                        // SAFETY: the list exists, and only one reference to it is held at a time.
                        unsafe { &mut *lists.add($r as usize) }
                    };
                }
                macro_rules! jump {
                    ($i:expr) => {
                        // SAFETY: jumps stay inside the code.
                        next = unsafe { start.add($i.imm as usize) }
                    };
                }
                loop {
                    // SAFETY: the code ends with `Halt`.
                    let i = unsafe { &*next };
                    // SAFETY: one behind the end at most.
                    next = unsafe { next.add(1) };
                    macro_rules! fault {
                        () => {
                            // SAFETY: both point into the code.
                            return Err(unsafe { next.offset_from(start) } as usize - 1)
                        };
                    }
                    macro_rules! store {
                        ($t:ty) => {{
                            let value = get!($t, i.a);
                            let rows = rows!(i.to);
                            // SAFETY: the last row has this field, `imm` bytes before its end.
                            unsafe {
                                let end = rows.bytes.as_mut_ptr().add(rows.bytes.len());
                                end.sub(i.imm as usize).cast::<$t>().write_unaligned(value);
                            }
                        }};
                    }
                    macro_rules! load {
                        ($t:ty) => {{
                            let rows = rows!(i.a);
                            // SAFETY: the row just taken still lies behind the others.
                            let value = unsafe {
                                rows.bytes.as_ptr().add(rows.bytes.len() + i.imm as usize).cast::<$t>().read_unaligned()
                            };
                            set!($t, i.to, value);
                        }};
                    }
                    macro_rules! push {
                        ($t:ty) => {{
                            let value = get!($t, i.a);
                            let rows = rows!(i.to);
                            let (len, size) = (rows.bytes.len(), size_of::<$t>());
                            if rows.bytes.capacity() - len < size {
                                rows.grow(size);
                            }
                            // SAFETY: there is room for the row.
                            unsafe {
                                rows.bytes.as_mut_ptr().add(len).cast::<$t>().write_unaligned(value);
                                rows.bytes.set_len(len + size);
                            }
                            rows.len += 1;
                        }};
                    }
                    macro_rules! pop {
                        ($t:ty) => {{
                            let rows = rows!(i.a);
                            if rows.len == 0 && !pop_missing(rows) {
                                fault!();
                            }
                            rows.len -= 1;
                            let len = rows.bytes.len() - size_of::<$t>();
                            // SAFETY: rows are of this type, and there is one.
                            let value = unsafe {
                                rows.bytes.set_len(len);
                                rows.bytes.as_ptr().add(len).cast::<$t>().read_unaligned()
                            };
                            set!($t, i.to, value);
                        }};
                    }
                    match i.op {
                        $(Opcode::$un => set!($ut, i.to, Number::$um(get!($ut, i.a))),)*
                        $(Opcode::$hn => set!($ht, i.to, far(|x: $ht| Real::$hm(x), get!($ht, i.a))),)*
                        $(Opcode::$bn => set!($bt, i.to, Number::$bm(get!($bt, i.a), get!($bt, i.b))),)*
                        $(Opcode::$ln => set!($lt, i.to, Bits::$lm(get!($lt, i.a), get!($lt, i.b))),)*
                        $(Opcode::$nn => set!($nt, i.to, Bits::$nm(get!($nt, i.a))),)*
                        $(Opcode::$fn => {
                            let b = get!($ft, i.b);
                            if Number::$ff(b) {
                                fault!();
                            }
                            set!($ft, i.to, Number::$fm(get!($ft, i.a), b));
                        })*
                        $(Opcode::$cn => set!(u8, i.to, (get!($ct, i.a) $cm get!($ct, i.b)) as u8),
                        Opcode::$cj => {
                            if get!($ct, i.a) $cm get!($ct, i.b) {
                                jump!(i);
                            }
                        }
                        Opcode::$cu => {
                            // Not the opposite comparison: a NaN satisfies neither.
                            let holds = get!($ct, i.a) $cm get!($ct, i.b);
                            if !holds {
                                jump!(i);
                            }
                        })*
                        $(Opcode::$vn => set!($wt, i.to, get!($vt, i.a) as $wt),)*
                        $(Opcode::$pn => set!($pt, i.to, Number::$pm2(Number::$pm1(get!($pt, i.a), get!($pt, i.b)), get!($pt, i.c))),)*
                        $(Opcode::$sn => {
                            set!($st, i.to, Number::$sm2(get!($st, i.c), Number::$sm1(get!($st, i.a), get!($st, i.b))))
                        })*
                        $(Opcode::$an => {
                            let counter = Number::add(get!($at, i.to), get!($at, i.c));
                            set!($at, i.to, counter);
                            if counter $am get!($at, i.b) {
                                jump!(i);
                            }
                        })*
                        $(Opcode::$dn => {
                            let counter = Number::sub(get!($dt, i.to), get!($dt, i.c));
                            set!($dt, i.to, counter);
                            if get!($dt, i.b) $dm counter {
                                jump!(i);
                            }
                        })*
                        Opcode::Call | Opcode::CallFaulty => {
                            let mut out = 0u64;
                            let operand = |r: u16| registers.wrapping_add(r as usize).cast::<u8>().cast_const();
                            // SAFETY: one element each; the output is apart from the operands.
                            let fault = unsafe {
                                self.loops[i.imm as usize](
                                    1, std::ptr::from_mut(&mut out).cast(), operand(i.a), operand(i.b), operand(i.c),
                                )
                            };
                            if fault {
                                fault!();
                            }
                            set!(u64, i.to, out);
                        }
                        Opcode::Move1 => set!(u8, i.to, get!(u8, i.a)),
                        Opcode::Move2 => set!(u16, i.to, get!(u16, i.a)),
                        Opcode::Move4 => set!(u32, i.to, get!(u32, i.a)),
                        Opcode::Move8 => set!(u64, i.to, get!(u64, i.a)),
                        Opcode::Select1 => set!(u8, i.to, if get!(u8, i.a) != 0 { get!(u8, i.b) } else { get!(u8, i.c) }),
                        Opcode::Select2 => {
                            set!(u16, i.to, if get!(u8, i.a) != 0 { get!(u16, i.b) } else { get!(u16, i.c) })
                        }
                        Opcode::Select4 => {
                            set!(u32, i.to, if get!(u8, i.a) != 0 { get!(u32, i.b) } else { get!(u32, i.c) })
                        }
                        Opcode::Select8 => {
                            set!(u64, i.to, if get!(u8, i.a) != 0 { get!(u64, i.b) } else { get!(u64, i.c) })
                        }
                        Opcode::Jump => jump!(i),
                        Opcode::JumpIf => {
                            if get!(u8, i.a) != 0 {
                                jump!(i);
                            }
                        }
                        Opcode::JumpUnless => {
                            if get!(u8, i.a) == 0 {
                                jump!(i);
                            }
                        }
                        Opcode::Halt => return Ok(()),
                        Opcode::NewList => rows!(i.to).renew(&self.layouts[i.imm as usize / 2], i.imm % 2 == 1),
                        Opcode::MoveList => {
                            if i.to != i.a {
                                // SAFETY: two lists that exist.
                                unsafe { std::ptr::swap_nonoverlapping(lists.add(i.to as usize), lists.add(i.a as usize), 1) };
                            }
                        }
                        Opcode::CopyList => {
                            let copy = rows!(i.a).clone();
                            *rows!(i.to) = copy;
                        }
                        Opcode::PushRow => {
                            let rows = rows!(i.to);
                            let (len, size) = (rows.bytes.len(), i.imm as usize);
                            if rows.bytes.capacity() - len < size {
                                rows.grow(size);
                            }
                            // SAFETY: there is room; every field is stored next.
                            unsafe { rows.bytes.set_len(len + size) };
                            rows.len += 1;
                        }
                        Opcode::PopRow => {
                            let rows = rows!(i.to);
                            if rows.len == 0 && !pop_missing(rows) {
                                fault!();
                            }
                            rows.len -= 1;
                            rows.bytes.truncate(rows.bytes.len() - i.imm as usize);
                        }
                        Opcode::Store1 => store!(u8),
                        Opcode::Store2 => store!(u16),
                        Opcode::Store4 => store!(u32),
                        Opcode::Store8 => store!(u64),
                        Opcode::Load1 => load!(u8),
                        Opcode::Load2 => load!(u16),
                        Opcode::Load4 => load!(u32),
                        Opcode::Load8 => load!(u64),
                        Opcode::Push4 => push!(u32),
                        Opcode::Push8 => push!(u64),
                        Opcode::Pop4 => pop!(u32),
                        Opcode::Pop8 => pop!(u64),
                        Opcode::StoreList => {
                            let given = rows!(i.a).give_up();
                            rows!(i.to).lists.push(given);
                        }
                        Opcode::LoadList => {
                            if let Some(list) = rows!(i.a).lists.pop() {
                                *rows!(i.to) = list;
                            }
                        }
                        Opcode::Len => set!(i32, i.to, rows!(i.a).len().unwrap_or(0) as i32),
                    }
                }
            }
        }
    };
}
table!(machine);
