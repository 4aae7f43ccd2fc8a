//! Machine code against the loops of the tile machine, bit for bit: what a case is and how it is compared.
//! The cases are in `tests/`: single instructions, programs of many, and functions at every float. Code is made on every processor, and runs where it can.

use super::*;
use crate::backend::cpu::vector::{self, fold, fold::WIDE};
use crate::scalar::{Action, Code, Slot, Step};

mod floats;
mod programs;
mod singles;

/// A generator of the tests' own.
pub(super) struct Rng(u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// What code is made for, whether it can run here or not.
const TARGETS: [(Target, Isa); 2] = [(Target::Avx512, Isa::Avx512), (Target::Avx2, Isa::Avx2)];

fn available(isa: Isa) -> bool {
    Isa::available().any(|other| other == isa)
}

/// Elements of any kind: ordinary ones, any bits, and those at which functions change.
fn elements(dtype: DType, n: usize, rng: &mut Rng) -> Vec<u8> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.625,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-41,
        -1e-42,
        f32::MAX,
        // The first numbers beyond 32-bit integers.
        2_147_483_648.0,
        -2_147_483_904.0,
    ];
    let mut bytes = Vec::new();
    for _ in 0..n {
        let (bits, how) = (rng.next(), rng.below(4));
        let small = (bits % 2001) as f32 / 100.0 - 10.0;
        match dtype {
            DType::F32 => {
                let x = match how {
                    0 => f32::from_bits(bits as u32),
                    1 => rng.of(&special),
                    _ => small,
                };
                bytes.extend(x.to_ne_bytes());
            }
            DType::I32 | DType::U32 => {
                let x = if how == 0 { bits as i32 } else { (bits % 7) as i32 - 3 };
                bytes.extend(x.to_ne_bytes());
            }
            DType::Bool => bytes.push([0, 1, 1, 2][how]),
            _ => bytes.push(bits as u8),
        }
    }
    bytes
}

/// A program with operands, its inputs' kinds, and what it is to give.
struct Case {
    sequence: Sequence,
    inputs: Vec<Input>,
    outputs: Vec<DType>,
    folds: Vec<(Monoid, DType)>,
}

impl Case {
    /// Outputs and lanes of the folds (or what was folded) by the loops.
    fn by_loops(&self, n: usize, data: &[Vec<u8>], isa: Isa) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let room = || vec![0u8; n.max(1) * 8];
        // Room even for none: loops want an aligned address.
        let inputs: Vec<Vec<u8>> = (data.iter().zip(&self.inputs))
            .map(|(bytes, input)| if input.scalar { bytes.repeat(n.max(1)) } else { [&bytes[..], &[0; 8]].concat() })
            .collect();
        let mut temps: Vec<Vec<u8>> = (0..self.sequence.temps).map(|_| room()).collect();
        let mut outputs: Vec<Vec<u8>> = self.outputs.iter().map(|_| room()).collect();
        let constants: Vec<Vec<u8>> = self
            .sequence
            .constants
            .iter()
            .map(|(dtype, bits)| bits.to_le_bytes()[..dtype.size()].repeat(n.max(1)))
            .collect();
        let mut lanes: Vec<Vec<u8>> = Vec::new();
        for (monoid, dtype) in &self.folds {
            let mut of = vec![0u8; WIDE * 8];
            let fold = fold::lookup(*monoid, *dtype, isa).unwrap();
            // SAFETY: room for the lanes.
            unsafe { (fold.start)(WIDE, of.as_mut_ptr()) };
            lanes.push(of);
        }
        for action in &self.sequence.actions {
            let of = |slot: Slot| match slot {
                Slot::Input(i) => inputs[i as usize].as_ptr(),
                Slot::Const(i) => constants[i as usize].as_ptr(),
                Slot::Temp(i) => temps[i as usize].as_ptr(),
                Slot::Output(i) => outputs[i as usize].as_ptr(),
            };
            let (run, args, to) = match action {
                Action::Step(s) => (vector::lookup(s.code, s.operand, s.result, isa).unwrap(), s.args, s.to),
                Action::Pair(p) => (vector::pair(p.first, p.second, p.swapped, isa).unwrap(), p.args, p.to),
                Action::Fold(i, from) => {
                    let (monoid, dtype) = self.folds[*i as usize];
                    let fold = fold::lookup(monoid, dtype, isa).unwrap();
                    // SAFETY: n elements and the lanes.
                    unsafe { (fold.lanes)(n, 1, 1, of(*from), lanes[*i as usize].as_mut_ptr()) };
                    continue;
                }
            };
            let [a, b, c] = args.map(of);
            let mut result = room();
            // SAFETY: operands of n elements.
            assert!(!unsafe { run(n, result.as_mut_ptr(), a, b, c) });
            match to {
                Slot::Temp(i) => temps[i as usize] = result,
                Slot::Output(i) => outputs[i as usize] = result,
                _ => unreachable!("only results are written"),
            }
        }
        (outputs, lanes)
    }

    fn check(&self, sizes: &[usize], rng: &mut Rng, in_lanes: bool) {
        TARGETS.iter().for_each(|&(target, isa)| self.check_one(sizes, rng, in_lanes, target, isa));
    }

    fn check_one(&self, sizes: &[usize], rng: &mut Rng, in_lanes: bool, target: Target, isa: Isa) {
        let operands = Operands { inputs: &self.inputs, outputs: &self.outputs, folds: &self.folds, lanes: in_lanes };
        let machine =
            Machine::compile(&self.sequence, &operands, target).unwrap_or_else(|| panic!("{:?}", self.sequence));
        assert_eq!(machine.lanes(), in_lanes);
        if !available(isa) {
            return;
        }
        for &n in sizes {
            let data: Vec<Vec<u8>> = (self.inputs.iter())
                .map(|input| elements(input.dtype, if input.scalar { 1 } else { n }, rng))
                .collect();
            let (want, want_lanes) = self.by_loops(n, &data, isa);
            // Every operand ends where its memory ends but for a guard, which must stay as it is.
            let mut outputs: Vec<Vec<u8>> = self.outputs.iter().map(|d| vec![0x5a; n * d.size() + 8]).collect();
            let mut lanes = vec![0u8; self.folds.len() * WIDE * 8];
            for (i, (monoid, dtype)) in self.folds.iter().enumerate() {
                let fold = fold::lookup(*monoid, *dtype, isa).unwrap();
                // SAFETY: room for the lanes.
                unsafe { (fold.start)(WIDE, lanes.as_mut_ptr().add(i * WIDE * 8)) };
            }
            let mut table: Vec<*mut u8> = data.iter().map(|d| d.as_ptr().cast_mut()).collect();
            table.extend(outputs.iter_mut().map(|o| o.as_mut_ptr()));
            self.overlay(&data, &mut outputs, &mut table);
            // SAFETY: an address for every operand, with n elements each.
            unsafe { machine.run(table.as_ptr(), n, lanes.as_mut_ptr()) };
            for ((got, want), dtype) in outputs.iter().zip(&want).zip(&self.outputs) {
                let size = n * dtype.size();
                assert_eq!(got[size..], [0x5a; 8], "written beyond the end at {n}");
                self.same(*dtype, &got[..size], &want[..size], n, &data);
            }
            for (i, want) in want_lanes.iter().enumerate() {
                let at = i * WIDE * 8;
                self.same(DType::F32, &lanes[at..at + WIDE * 4], &want[..WIDE * 4], n, &data);
            }
        }
    }

    /// Lets outputs lie over operands that are read for the last time before, as plans do.
    fn overlay(&self, data: &[Vec<u8>], outputs: &mut [Vec<u8>], table: &mut [*mut u8]) {
        let mut over: Vec<usize> = Vec::new();
        for (o, output) in outputs.iter_mut().enumerate() {
            let fits = |i: usize| !self.inputs[i].scalar && self.inputs[i].dtype.size() == self.outputs[o].size();
            let may = |i: &usize| !over.contains(i) && fits(*i) && self.sequence.may_overlay(o as u16, *i as u16);
            if let Some(i) = (0..data.len()).find(may) {
                output[..data[i].len()].copy_from_slice(&data[i]);
                table[i] = output.as_mut_ptr();
                over.push(i);
            }
        }
    }

    fn same(&self, dtype: DType, got: &[u8], want: &[u8], n: usize, data: &[Vec<u8>]) {
        if dtype != DType::F32 {
            return assert_eq!(got, want, "{n} elements of {:?}", self.sequence);
        }
        let floats =
            |bytes: &[u8]| -> Vec<f32> { bytes.as_chunks::<4>().0.iter().map(|b| f32::from_ne_bytes(*b)).collect() };
        for (i, (got, want)) in floats(got).iter().zip(floats(want)).enumerate() {
            // Which NaN comes out is not promised by either.
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            let first = data.first().map(|d| floats(d));
            assert!(
                same,
                "{got:e}, not {want:e}, for element {i} of {n} (first operand {:?}) of {:?}",
                first.and_then(|f| f.get(i).copied()),
                self.sequence
            );
        }
    }
}

const SIZES: [usize; 12] = [0, 1, 7, 15, 16, 17, 63, 64, 65, 100, 255, 1000];
