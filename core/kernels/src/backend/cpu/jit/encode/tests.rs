//! Instructions with every register in every role, every kind of address, and masks, run as they were written.
//! A wrong bit in an encoding names another register or another place.

use super::general::*;
use super::*;
use crate::backend::cpu::Isa;
use crate::backend::cpu::jit::memory::Executable;

const LOAD: Form = Form::new(1, 0, 0x10);
const STORE: Form = Form::new(1, 0, 0x11);
const SUB: Form = Form::new(1, 0, 0x5c);

fn run(target: Target, write: impl FnOnce(&mut Assembler), operands: &[*mut f32]) {
    let mut asm = Assembler::new(target);
    let saved = [RBX, RBP, R12, R13, R14, R15];
    saved.iter().for_each(|&register| asm.push(register));
    write(&mut asm);
    saved.iter().rev().for_each(|&register| asm.pop(register));
    asm.finish();
    let code = Executable::new(&asm.bytes).expect("this system lets tests run code of their own");
    // SAFETY: the bytes are a function of this type, which the tests below wrote.
    unsafe {
        let f = std::mem::transmute::<*const u8, extern "sysv64" fn(*const *mut f32)>(code.start());
        f(operands.as_ptr());
    }
}

fn at(base: u8, offset: i32) -> Operand {
    Operand::Memory(Memory { base, index: None, offset, repeated: false })
}

#[test]
fn every_register_in_every_role() {
    if !Isa::available().any(|isa| isa == Isa::Avx512) {
        return;
    }
    let a: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..16).map(|i| (i * i) as f32).collect();
    for r in 0..32u8 {
        let (first, second) = ((r + 7) % 32, (r + 19) % 32);
        let mut out = [0f32; 16];
        let operands = [a.as_ptr().cast_mut(), b.as_ptr().cast_mut(), out.as_mut_ptr()];
        run(
            Target::Avx512,
            |asm| {
                (0..3).for_each(|i| asm.load([R12, R13, R14][i], RDI, i as i32 * 8));
                asm.vector(&LOAD, first, 0, at(R12, 0), 0, false);
                asm.vector(&LOAD, second, 0, at(R13, 0), 0, false);
                asm.vector(&SUB, r, first, Operand::Register(second), 0, false);
                asm.vector(&STORE, r, 0, at(R14, 0), 0, false);
            },
            &operands,
        );
        (0..16).for_each(|i| assert_eq!(out[i], a[i] - b[i], "register {r}"));
    }
}

#[test]
fn every_base_and_every_kind_of_address() {
    if !Isa::available().any(|isa| isa == Isa::Avx512) {
        return;
    }
    let a: Vec<f32> = (0..4096).map(|i| i as f32).collect();
    for base in (0..16).filter(|&base| base != RSP && base != RDI) {
        // Short, long, odd and negative offsets; whole vectors and one element; with an index and without.
        for (offset, repeated, index) in [
            (0, false, None),
            (64, false, Some((R9, 2))),
            (-64, false, Some((RAX, 0))),
            (4, false, None),
            (8192, false, Some((R11, 3))),
            (508, true, None),
            (-512, true, Some((RSI, 1))),
            (512, true, None),
            (4000, true, Some((R10, 2))),
        ] {
            if index.is_some_and(|(register, _)| register == base) {
                continue;
            }
            let mut out = [0f32; 16];
            let operands = [a[1024..].as_ptr().cast_mut(), out.as_mut_ptr()];
            run(
                Target::Avx512,
                |asm| {
                    asm.load(base, RDI, 0);
                    if let Some((register, _)) = index {
                        asm.general(0x31, register, register);
                        asm.number(0, register, 8);
                    }
                    let place = Operand::Memory(Memory { base, index, offset, repeated });
                    // Zero minus what lies there.
                    asm.vector(&Form::new(1, 1, 0xef), 21, 21, Operand::Register(21), 0, false);
                    asm.vector(&SUB, 5, 21, place, 0, false);
                    asm.load(RDI, RDI, 8);
                    asm.vector(&STORE, 5, 0, at(RDI, 0), 0, false);
                },
                &operands,
            );
            let start = 1024 + (offset + index.map_or(0, |(_, scale)| 8 << scale)) / 4;
            for (i, &got) in out.iter().enumerate() {
                let from = start as usize + if repeated { 0 } else { i };
                assert_eq!(got, -a[from], "base {base}, offset {offset}, {index:?}");
            }
        }
    }
}

#[test]
fn masks_select_lanes() {
    if !Isa::available().any(|isa| isa == Isa::Avx512) {
        return;
    }
    let a: Vec<f32> = (0..16).map(|i| i as f32 + 1.0).collect();
    for count in 0..=16u32 {
        let mut out = [-1f32; 32];
        let operands = [a.as_ptr().cast_mut(), out.as_mut_ptr()];
        run(
            Target::Avx512,
            |asm| {
                asm.load(R8, RDI, 0);
                asm.load(R15, RDI, 8);
                asm.set(RBX, count);
                asm.set(RBP, 0xffff);
                asm.low_bits(RBP, RBP, RBX);
                asm.mask_from(3, RBP);
                // The complement by way of the stack.
                asm.number(5, RSP, 64);
                asm.mask_memory(3, 8, true);
                asm.mask_memory(6, 8, false);
                asm.number(0, RSP, 64);
                asm.mask_not(7, 6);
                asm.masks(0x45, 4, 7, 3);
                asm.set(RBP, 0xf);
                asm.mask_from(5, RBP);
                asm.masks(0x41, 4, 4, 5);
                asm.vector(&LOAD, 30, 0, at(R8, 0), 3, true);
                asm.vector(&STORE, 30, 0, at(R15, 0), 0, false);
                asm.vector(&STORE, 30, 0, at(R15, 64), 4, false);
            },
            &operands,
        );
        for i in 0..16 {
            assert_eq!(out[i], if (i as u32) < count { a[i] } else { 0.0 }, "{count} lanes");
            assert_eq!(out[16 + i], if i < 4 { out[i] } else { -1.0 }, "the four lanes that are left");
        }
    }
}

#[test]
fn jumps_go_where_they_aim() {
    // Counts down from 10 to 3 in rbx and writes how often it went round.
    let mut out = [0u64; 1];
    run(
        Target::Avx512,
        |asm| {
            asm.set(RBX, 10);
            asm.general(0x31, RAX, RAX);
            let again = asm.here();
            asm.number(7, RBX, 4);
            let out = asm.jump(If::Below);
            asm.number(5, RBX, 1);
            asm.number(0, RAX, 1);
            let back = asm.jump(If::Always);
            asm.reach(back, again);
            let here = asm.here();
            asm.reach(out, here);
            asm.load(RCX, RDI, 0);
            // mov [rcx], rax
            asm.put(&[0x48, 0x89, 0x01]);
        },
        &[out.as_mut_ptr().cast()],
    );
    assert_eq!(out[0], 7);
}
