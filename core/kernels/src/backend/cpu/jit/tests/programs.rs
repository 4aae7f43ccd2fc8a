//! Random programs as machine code and by loops, and those in which a mistake would hide from chance.
//! The seed of a program that differs decides all of it.

use super::singles::{CASTS, INTEGER, REAL};
use super::*;
use crate::scalar::Pair;

fn stored(case: &mut Case, to: Slot, dtype: DType) {
    match to {
        Slot::Output(_) => case.outputs.push(dtype),
        _ => case.sequence.temps += 1,
    }
}

/// A program of random instructions whose results are stored or folded at the end.
fn random(rng: &mut Rng, folds: bool) -> Case {
    let inputs: Vec<Input> = (0..1 + rng.below(9))
        .map(|i| {
            let dtype = rng.of(&[DType::F32, DType::F32, DType::F32, DType::I32, DType::Bool]);
            let dtype = if i == 0 { DType::F32 } else { dtype };
            Input { dtype, scalar: dtype.size() == 4 && rng.below(4) == 0 }
        })
        .collect();
    let mut values: Vec<(Slot, DType)> =
        inputs.iter().enumerate().map(|(i, input)| (Slot::Input(i as u16), input.dtype)).collect();
    let mut case = Case {
        sequence: Sequence { widest: 4, ..Sequence::default() },
        inputs,
        outputs: Vec::new(),
        folds: Vec::new(),
    };
    for (i, x) in [0.0f32, 1.0, -2.5, f32::NAN].iter().enumerate() {
        case.sequence.constants.push((DType::F32, u64::from(x.to_bits())));
        values.push((Slot::Const(i as u16), DType::F32));
    }
    for _ in 0..1 + rng.below(40) {
        let pick = |rng: &mut Rng, dtype: DType| {
            let of: Vec<_> = values.iter().filter(|(_, d)| *d == dtype).collect();
            (!of.is_empty()).then(|| of[rng.below(of.len())].0)
        };
        let operand = rng.of(&[DType::F32, DType::F32, DType::F32, DType::I32, DType::Bool]);
        let (code, result) = match operand {
            _ if rng.below(8) == 0 => {
                let to: Vec<DType> =
                    CASTS[..7].iter().filter(|(from, _)| *from == operand).map(|(_, to)| *to).collect();
                (Code::Cast, rng.of(&to))
            }
            DType::F32 => {
                let code = rng.of(&REAL);
                (code, code.result(operand))
            }
            DType::I32 => {
                let code = rng.of(&INTEGER);
                (code, code.result(operand))
            }
            _ => (
                rng.of(&[Code::And, Code::Or, Code::Xor, Code::Not, Code::Eq, Code::Lt, Code::Le, Code::Select]),
                DType::Bool,
            ),
        };
        let to = Slot::Temp(case.sequence.temps);
        // Some results are stored as soon as they are there, perhaps over an operand, and read again later.
        let to = if rng.below(8) == 0 { Slot::Output(case.outputs.len() as u16) } else { to };
        let mut args = [Slot::Const(0); 3];
        let found = args.iter_mut().enumerate().take(code.arity()).all(|(i, arg)| {
            let dtype = if code == Code::Select && i == 0 { DType::Bool } else { operand };
            let slot = pick(rng, dtype);
            slot.map(|slot| *arg = slot).is_some()
        });
        let pair = rng.below(6) == 0;
        if pair
            && let (Some(a), Some(b), Some(c)) = (pick(rng, DType::F32), pick(rng, DType::F32), pick(rng, DType::F32))
        {
            let (first, swapped) = (rng.of(&[Code::Add, Code::Sub, Code::Mul, Code::Max]), rng.below(2) == 1);
            let second = if swapped { Code::Sub } else { rng.of(&[Code::Add, Code::Sub, Code::Mul, Code::Max]) };
            let pair = Pair { first, second, swapped, args: [a, b, c], arity: 3, to };
            case.sequence.actions.push(Action::Pair(pair));
            values.push((to, DType::F32));
            stored(&mut case, to, DType::F32);
        } else if found {
            case.sequence.actions.push(Action::Step(Step { code, operand, result, args, to }));
            values.push((to, result));
            stored(&mut case, to, result);
        }
    }
    let results: Vec<_> = values.iter().rev().take(1 + rng.below(3)).copied().collect();
    for (slot, dtype) in results {
        if folds && dtype == DType::F32 && case.folds.len() < MOST_FOLDS {
            case.sequence.actions.push(Action::Fold(case.folds.len() as u16, slot));
            case.folds.push((rng.of(&[Monoid::Sum, Monoid::Prod, Monoid::Max, Monoid::Min]), dtype));
        } else {
            let to = Slot::Output(case.outputs.len() as u16);
            let step = Step { code: Code::Cast, operand: dtype, result: dtype, args: [slot; 3], to };
            case.sequence.actions.push(Action::Step(step));
            case.outputs.push(dtype);
        }
    }
    case
}

#[test]
fn random_programs() {
    let heavy = std::env::var_os("EAGERFLOW_HEAVY").is_some_and(|v| v == "1" || v == "all");
    for seed in 1..=if heavy { 20_000 } else { 600u64 } {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let folds = seed % 2 == 0;
        let case = random(&mut rng, folds);
        let sizes = [rng.below(70), 64 + rng.below(200), 1000];
        let in_lanes = !case.folds.is_empty();
        case.check(&sizes, &mut rng, in_lanes);
    }
}

/// Every operand of a fused multiply-add may be a constant, be read again, or be read for the last time.
#[test]
fn fused_in_every_arrangement() {
    let data = [3.0f32, -5.0, 7.0].map(|x| (0..50).map(|i| x + i as f32).collect::<Vec<f32>>());
    for arrangement in 0..27usize {
        let kinds = [arrangement % 3, arrangement / 3 % 3, arrangement / 9];
        let mut list = List::default();
        let args: Vec<_> = (kinds.iter().enumerate())
            .map(|(i, kind)| match kind {
                0 => list.float(data[i][0]),
                _ => list.push(ops::Op::Load(i as u16), &[]),
            })
            .collect();
        let sum = list.push(ops::Op::Fma, &args);
        list.push(ops::Op::Store(3), &[sum]);
        for i in (0..3).filter(|&i| kinds[i] == 2) {
            list.push(ops::Op::Store(4 + i as u16), &[args[i]]);
        }
        let all = [(1, 0), (2, 0), (4, 0), (1, 3), (2, 1), (2, 3)];
        for ((streams, held), (target, isa)) in all.into_iter().flat_map(|how| TARGETS.map(|of| (how, of))) {
            let request = Request { list: &list, folds: &[], operands: &[4; 7], streams, held, target };
            let bytes = emit(&request).expect("a short list");
            let machine = Machine { code: Executable::new(&bytes).expect("executable memory"), lanes: false };
            if !available(isa) {
                continue;
            }
            let mut out = [const { [0f32; 50] }; 4];
            let mut table: Vec<*mut u8> = data.iter().map(|d| d.as_ptr().cast::<u8>().cast_mut()).collect();
            table.extend(out.iter_mut().map(|o| o.as_mut_ptr().cast::<u8>()));
            // SAFETY: seven operands of 50 elements.
            unsafe { machine.run(table.as_ptr(), 50, std::ptr::null_mut()) };
            for i in 0..50 {
                let [a, b, c] = [0, 1, 2].map(|n| data[n][if kinds[n] == 0 { 0 } else { i }]);
                assert_eq!(out[0][i], a.mul_add(b, c), "{kinds:?}, {streams} streams, {held} held, element {i}");
                for n in (0..3).filter(|&n| kinds[n] == 2) {
                    assert_eq!(out[1 + n][i], data[n][i], "operand {n} of {kinds:?}, {streams} streams");
                }
            }
        }
    }
}

/// An operand that is still wanted after a result was stored over it, with too many values for the registers between.
#[test]
fn operands_outlive_results_that_lie_over_them() {
    let unary = |code: Code, from: Slot, to: Slot| {
        let args = [from; 3];
        Action::Step(Step { code, operand: DType::F32, result: DType::F32, args, to })
    };
    let add = |a: u16, b: u16, to: Slot| {
        let args = [Slot::Temp(a), Slot::Temp(b), Slot::Temp(b)];
        Action::Step(Step { code: Code::Add, operand: DType::F32, result: DType::F32, args, to })
    };
    // t0 is the operand itself; 40 other values, none larger than 1, are alive before it is read.
    let mut actions = vec![unary(Code::Cast, Slot::Input(0), Slot::Temp(0))];
    actions.push(unary(Code::Neg, Slot::Input(0), Slot::Output(0)));
    actions.push(unary(Code::Tanh, Slot::Output(0), Slot::Temp(1)));
    actions.extend((2..42).map(|i| unary(Code::Tanh, Slot::Temp(i - 1), Slot::Temp(i))));
    actions.push(unary(Code::Neg, Slot::Temp(41), Slot::Temp(42)));
    actions.extend((43..84).map(|i| add(i - 1, 84 - i, Slot::Temp(i))));
    actions.push(add(83, 0, Slot::Output(1)));
    let case = Case {
        sequence: Sequence { actions, constants: Vec::new(), temps: 84, widest: 4 },
        inputs: vec![Input { dtype: DType::F32, scalar: false }],
        outputs: vec![DType::F32; 2],
        folds: Vec::new(),
    };
    assert!(case.sequence.may_overlay(0, 0));
    case.check(&SIZES, &mut Rng(77), false);
}
