//! What `sin` and `cos` do with large arguments: a vector that holds one leaves the loop for a call, which computes those elements one by one.
//! `lines.rs` writes the test and the jump, `emit.rs` the way out behind the loops; `angles.rs` has the functions.

use super::emit::{LOAD, STORE};
use super::encode::general::*;
use super::encode::{Assembler, Form, If, Mark, Memory, Operand};
use super::registers::LoopBody;
use super::target::Target;
use crate::backend::cpu::math::single::trig;

/// Bytes of a vector at most: arguments and results lie so far apart.
const VECTOR: i32 = 64;
/// Where they lie above the saved registers: 32 vectors, and masks of 8 bytes each.
const PAIR: i32 = 32 * VECTOR + 8 * 8;
const AREA: i32 = PAIR + 2 * VECTOR;
/// Registers that a called function may change. With the way back they take 80 bytes, so the stack stays aligned.
const CHANGED: [u8; 9] = [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11];
const PUSHED: i32 = 8 * (CHANGED.len() as i32 + 1);

/// A line that may leave the loop.
pub(super) struct Exit {
    /// The jump out, and where the loop goes on.
    out: Mark,
    back: Mark,
    /// Registers of the arguments and of the results so far.
    x: u8,
    y: u8,
    shift: u8,
}

/// Computes again what the vector path is not right for: results lie [`VECTOR`] bytes behind their arguments. `how` has 0 for
/// sines and 1 for cosines in its low bits, and the number of lanes from bit 8 on.
///
/// # Safety
/// Both vectors are there, and nobody else's.
unsafe extern "sysv64" fn again(x: *const f32, how: u64) {
    let y = x.wrapping_byte_add(VECTOR as usize).cast_mut();
    for i in 0..(how >> 8) as usize {
        // SAFETY: by the caller's promise.
        unsafe {
            let x = *x.add(i);
            if x.abs() > trig::NEAR {
                *y.add(i) = trig::far(x, how & 0xff);
            }
        }
    }
}

fn on_stack(offset: i32) -> Operand {
    Operand::Memory(Memory { base: RSP, index: None, offset, repeated: false })
}

impl LoopBody<'_> {
    /// The results in `y`, those of the lanes in `mask` computed once more from `x`.
    pub(super) fn rare(&mut self, shift: u8, position: u32, args: &[usize], to: usize) {
        let avx512 = self.request.target == Target::Avx512;
        let mask = if avx512 { self.mask(args[0]) } else { self.vector(args[0]) };
        let x = self.vector(args[1]);
        let y = self.over(args[2], position);
        self.consume(position, args);
        match avx512 {
            true => self.asm.mask_test(mask),
            false => self.asm.vector(&Form::new(2, 1, 0x17), mask, 0, Operand::Register(mask), 0, false),
        }
        let out = self.asm.jump(If::NotZero);
        let back = self.asm.here();
        self.exits.push(Exit { out, back, x, y, shift });
        self.define(to, y);
    }
}

/// The ways out, behind the end of the program, and what they have in common. Arguments and results are written below the stack's end first,
/// where 128 bytes belong to whoever runs, so that no step down the stack is longer than a page.
pub(super) fn exits(asm: &mut Assembler, exits: &[Exit]) {
    if exits.is_empty() {
        return;
    }
    let common = asm.here();
    call(asm);
    for exit in exits {
        let here = asm.here();
        asm.reach(exit.out, here);
        asm.vector(&STORE, exit.x, 0, on_stack(-2 * VECTOR), 0, false);
        asm.vector(&STORE, exit.y, 0, on_stack(-VECTOR), 0, false);
        asm.number(5, RSP, AREA);
        asm.set(RBP, u32::from(exit.shift) | (asm.target.lanes() as u32) << 8);
        let from = asm.call_here();
        asm.reach(from, common);
        asm.number(0, RSP, AREA);
        asm.vector(&LOAD, exit.y, 0, on_stack(-VECTOR), 0, false);
        let on = asm.jump(If::Always);
        asm.reach(on, exit.back);
    }
}

/// Saves what a called function may change, calls [`again`], and returns.
fn call(asm: &mut Assembler) {
    // The way back lies below the area.
    let registers = |asm: &mut Assembler, form: &Form| {
        for r in 0..asm.target.registers() as u8 {
            asm.vector(form, r, 0, on_stack(8 + i32::from(r) * VECTOR), 0, false);
        }
    };
    let masks = |asm: &mut Assembler, store: bool| {
        if asm.target == Target::Avx512 {
            (1..8).for_each(|m| asm.mask_memory(m, 8 + 32 * VECTOR + i32::from(m) * 8, store));
        }
    };
    registers(asm, &STORE);
    masks(asm, true);
    CHANGED.iter().for_each(|&register| asm.push(register));
    asm.general(0x89, RDI, RSP);
    asm.number(0, RDI, PUSHED + PAIR);
    asm.general(0x89, RSI, RBP);
    asm.constant(RAX, (again as *const ()).addr() as u64);
    asm.call(Operand::Register(RAX));
    CHANGED.iter().rev().for_each(|&register| asm.pop(register));
    masks(asm, false);
    registers(asm, &LOAD);
    asm.leave();
}
