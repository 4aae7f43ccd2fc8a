//! Every line alone on numbers at which something changes, in registers and in memory.
//! Each runs with its operands apart, and with one register in several places.

use super::*;
use Kind::Truth as T;

fn bits(number: Number) -> Vec<u64> {
    let floats = [
        0.0,
        1.0,
        0.5,
        0.3,
        1.5,
        2.5,
        3.0,
        7.25,
        8388607.5,
        8388608.0,
        16777217.0,
        2147483520.0,
        2147483648.0,
        2147483904.0,
        9.223372e18,
        9.3e18,
        1e30,
        1e-30,
        1e-40,
        5e-324,
        1e300,
        f64::INFINITY,
        f64::NAN,
        4503599627370495.5,
        2147483647.0,
        9223372036854774784.0,
        0.49999997,
        0.1,
        f64::from(f32::MAX),
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from(f32::MIN_POSITIVE),
    ];
    let both = || floats.into_iter().flat_map(|x| [x, -x]);
    match number {
        Number::F32 => both().map(|x| u64::from((x as f32).to_bits())).collect(),
        Number::F64 => both().map(f64::to_bits).collect(),
        Number::I32 => [0, 1, -1, 2, 3, -3, 7, -7, 100, i32::MAX, i32::MIN, i32::MIN + 1, 65536, -65537, 16777217]
            .map(|x: i32| u64::from(x as u32))
            .to_vec(),
        Number::I64 => {
            [0, 1, -1, 2, 3, -3, 7, -7, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 32, -(1 << 33), (1 << 53) + 1]
                .map(|x: i64| x as u64)
                .to_vec()
        }
    }
}

const ALL: [Number; 4] = [Number::F32, Number::F64, Number::I32, Number::I64];
const FLOATS: [Number; 2] = [Number::F32, Number::F64];
const WHOLE: [Number; 2] = [Number::I32, Number::I64];
const COMPARISONS: [Comparison; 4] = [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le];
/// Registers around the operands, which take all that the processor has.
const CROWD: u16 = 20;

/// A line on each of these operands. They are in registers, then in memory, where others that are used more drive them.
fn check(op: Op, kinds: [Kind; 4], values: &[[u64; 3]]) {
    // `to` is 0, or one of the operands that has its kind.
    let [to, operands @ ..] = kinds;
    let mut places = vec![[0u16, 1, 2, 3]];
    places.extend((0..3).filter(|&n| operands[n] == to).map(|n| [n as u16 + 1, 1, 2, 3]));
    let halt = line(Op::Halt, 0, [0; 3], 0);
    let junk = |kind: Kind, bits: u64| bits | if value(kind, u64::MAX) == u64::MAX { 0 } else { 0xa5a5_5a5a << 32 };
    let start = |values: &[u64; 3]| {
        let operands = operands.into_iter().zip(values).map(|(kind, &bits)| junk(kind, bits));
        [0xdead_beef_dead_beef].into_iter().chain(operands).collect::<Vec<u64>>()
    };
    let mut starts: Vec<Vec<u64>> = values.iter().map(start).collect();
    for &[to, a, b, c] in &places {
        let one = line(op, to, [a, b, c], 0);
        same(&[one, halt], &kinds, &starts, &one);
    }
    let mut kinds = kinds.to_vec();
    for n in 0..CROWD {
        kinds.extend([Kind::Number(Number::F64), Kind::Number(Number::I64)]);
        starts.iter_mut().for_each(|start| start.extend([f64::from(n).to_bits(), u64::from(n)]));
    }
    for &[to, a, b, c] in &places {
        let one = line(op, to, [a, b, c], 0);
        let mut lines = vec![one];
        for n in 0..CROWD {
            let (f, i) = (4 + 2 * n, 5 + 2 * n);
            for _ in 0..3 {
                lines.push(line(Op::Binary(Binary::Add, Number::F64), f, [f, f, 0], 0));
                lines.push(line(Op::Binary(Binary::Add, Number::I64), i, [i, i, 0], 0));
            }
        }
        lines.push(halt);
        same(&lines, &kinds, &starts, &one);
    }
}

fn unary(op: Op, to: Kind, from: Number) {
    let values: Vec<[u64; 3]> = bits(from).into_iter().map(|a| [a, 0, 0]).collect();
    check(op, [to, Kind::Number(from), T, T], &values);
}

/// All pairs of these.
fn pairs(number: Number) -> Vec<[u64; 3]> {
    let all = bits(number);
    all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b, 0])).collect()
}

fn binary(op: Op, to: Kind, number: Number) {
    let kind = Kind::Number(number);
    check(op, [to, kind, kind, T], &pairs(number));
}

#[test]
fn arithmetic_of_one_operand() {
    for number in ALL {
        for op in [Unary::Neg, Unary::Abs] {
            unary(Op::Unary(op, number), Kind::Number(number), number);
        }
    }
    for number in FLOATS {
        for op in [Unary::Sign, Unary::Sqrt, Unary::Floor] {
            unary(Op::Unary(op, number), Kind::Number(number), number);
        }
        for function in [Function::Exp, Function::Log, Function::Tanh, Function::Sigmoid] {
            unary(Op::Function(function, number), Kind::Number(number), number);
        }
    }
}

#[test]
fn arithmetic_of_two_operands() {
    for number in ALL {
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Min, Binary::Max] {
            binary(Op::Binary(op, number), Kind::Number(number), number);
        }
    }
    for number in FLOATS {
        binary(Op::Binary(Binary::Div, number), Kind::Number(number), number);
    }
    for number in WHOLE {
        for division in [Division::Div, Division::Rem, Division::FloorDiv, Division::FloorMod] {
            binary(Op::Division(division, number), Kind::Number(number), number);
        }
    }
}

#[test]
fn smaller_and_larger_keep_the_bits_of_what_they_choose() {
    // Signs of zeros and of NaNs included, unlike above.
    for op in [Binary::Min, Binary::Max] {
        let lines = [line(Op::Binary(op, Number::F32), 2, [0, 1, 0], 0), line(Op::Halt, 0, [0; 3], 0)];
        let starts: Vec<Vec<u64>> = pairs(Number::F32).iter().map(|values| values.to_vec()).collect();
        // As integers, whose bits are compared as they are.
        same(&lines, &[Kind::Number(Number::I32); 3], &starts, &op);
    }
}

#[test]
fn pairs_are_rounded_twice() {
    let pairs = [
        (Binary::Mul, Binary::Add, false),
        (Binary::Mul, Binary::Sub, false),
        (Binary::Mul, Binary::Mul, false),
        (Binary::Add, Binary::Mul, false),
        (Binary::Sub, Binary::Mul, false),
        (Binary::Add, Binary::Add, false),
        (Binary::Mul, Binary::Sub, true),
    ];
    let mut rng = Rng(7);
    for (first, second, swapped) in pairs {
        for number in ALL {
            let (kind, values) = (Kind::Number(number), bits(number));
            let op = Op::Pair { first, second, number, swapped };
            let values: Vec<[u64; 3]> = (0..200).map(|_| [0; 3].map(|_| rng.of(&values))).collect();
            check(op, [kind; 4], &values);
        }
    }
}

#[test]
fn comparisons_and_their_jumps() {
    for number in ALL {
        for comparison in COMPARISONS {
            binary(Op::Compare(comparison, number), T, number);
            let kind = Kind::Number(number);
            for unless in [false, true] {
                let lines = [
                    line(Op::Branch { comparison, number, unless }, 0, [0, 1, 0], 2),
                    line(Op::Not, 2, [2, 0, 0], 0),
                    line(Op::Halt, 0, [0; 3], 0),
                ];
                let starts: Vec<Vec<u64>> = pairs(number).iter().map(|values| values.to_vec()).collect();
                same(&lines, &[kind, kind, T], &starts, &lines[0]);
            }
        }
    }
}

#[test]
fn conversions_saturate() {
    for from in ALL {
        for into in ALL {
            unary(Op::Convert(from, into), Kind::Number(into), from);
        }
    }
}

#[test]
fn truth_values() {
    let bytes = [0, 1, 2, 255];
    let mut values = Vec::new();
    bytes.iter().for_each(|&a| values.extend(bytes.iter().map(|&b| [a, b, a ^ 1])));
    [Op::Not, Op::Move(1), Op::Select(1)].into_iter().for_each(|op| check(op, [T; 4], &values));
    [Logic::And, Logic::Or, Logic::Xor].into_iter().for_each(|logic| check(Op::Logic(logic), [T; 4], &values));
    for number in ALL {
        let kind = Kind::Number(number);
        let all = bits(number);
        let values: Vec<[u64; 3]> = all.windows(2).flat_map(|two| bytes.map(|a| [a, two[0], two[1]])).collect();
        check(Op::Select(number.size()), [kind, T, kind, kind], &values);
    }
    for op in [Op::JumpIf, Op::JumpUnless] {
        let lines = [line(op, 0, [0; 3], 2), line(Op::Not, 1, [1, 0, 0], 0), line(Op::Halt, 0, [0; 3], 0)];
        same(&lines, &[T, T], &bytes.map(|a| vec![a | 0x5500, 0]), &op);
    }
}

#[test]
fn values_of_all_sizes_are_moved() {
    for size in [1, 2, 4, 8] {
        let bits = 0x8877_6655_4433_2211u64;
        let kind = [T, Kind::Number(Number::I32), Kind::Number(Number::I64)][size as usize / 4];
        check(Op::Move(size), [kind; 4], &[[bits, 0, 0]]);
        check(Op::Select(size), [kind, T, kind, kind], &[[1, bits, !bits], [0, bits, !bits]]);
    }
}

#[test]
fn counters_end_their_loops() {
    for number in WHOLE {
        for (step, comparison, swapped, from, limit) in [
            (Binary::Add, Comparison::Lt, false, 0i64, 10i64),
            (Binary::Add, Comparison::Le, false, 0, 10),
            (Binary::Sub, Comparison::Lt, true, 10, -2),
            (Binary::Sub, Comparison::Le, true, 10, -2),
            (Binary::Add, Comparison::Lt, false, 0, -5),
        ] {
            let op = Op::Count { step, comparison, number, swapped };
            let lines = [
                line(Op::Binary(Binary::Add, number), 3, [3, 2, 0], 0),
                line(op, 0, [0, 1, 2], 0),
                line(Op::Halt, 0, [0; 3], 0),
            ];
            let start = [from, limit, 1, 0].map(|x| x as u64);
            same(&lines, &[Kind::Number(number); 4], &[start.to_vec()], &op);
        }
    }
}

#[test]
fn calls_and_their_faults() {
    let function = reference::wide_loop as crate::backend::cpu::vector::Loop as usize;
    let kind = Kind::Number(Number::I64);
    let values = [[5, 3, 11], [5, 7, 11], [u64::MAX, 2, 1]];
    check(Op::Call(function), [kind; 4], &values);
    let touched = Touched { reads: [true, true, false], writes: Some(8), lists: [None; 2] };
    check(Op::Step(touched), [kind; 4], &values);
}
