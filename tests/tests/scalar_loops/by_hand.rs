//! Loops written by hand: counters, sequences, jumps, nested loops, lists, gradients to second order, and faults.

use crate::support::{both_ways, by_bytecode, one_by_one, orders};
use eagerflow as tf;
use tf::{GradientTape, Tensor, tf_function};

#[tf_function]
fn collatz(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut steps = tf::constant(0);
    while n != 1 {
        if &n % 2 == 0 {
            n /= 2;
        } else {
            n = n * 3 + 1;
        }
        steps += 1;
    }
    steps
}

#[test]
fn collatz_takes_its_steps() {
    for (n, steps) in [(1, 0), (6, 8), (27, 111), (97, 118)] {
        let got = both_ways(|| vec![collatz(&tf::constant(n))]);
        assert_eq!(got[0].item::<i32>(), steps);
    }
}

#[tf_function]
fn decay(x: &Tensor, a: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        x = x * a + 0.001;
        i += 1;
    }
    x
}

#[test]
fn decay_has_the_right_gradients() {
    let (x, a) = (tf::constant(0.5f32), tf::constant(0.999f32));
    let n = tf::constant(1000);
    let all = both_ways(|| orders(|v| decay(&v[0], &v[1], &n), &[x.clone(), a.clone()]));
    assert!((all[1].item::<f32>() - 0.36770).abs() < 1e-4, "{:?}", all[1]);
    let da = all.iter().any(|t| (t.item::<f32>() - 448.27).abs() < 0.05);
    assert!(da, "{all:?}");
}

#[test]
fn no_round_changes_nothing() {
    let (x, a) = (tf::constant(0.5f32), tf::constant(0.999f32));
    for n in [0, -3, 1] {
        let n = tf::constant(n);
        let all = both_ways(|| orders(|v| decay(&v[0], &v[1], &n), &[x.clone(), a.clone()]));
        let rounds = n.item::<i32>().max(0);
        assert_eq!(all[0].item::<f32>(), if rounds == 0 { 0.5 } else { 0.5 * 0.999 + 0.001 });
    }
}

#[tf_function]
fn fibonacci(n: &Tensor) -> (Tensor, Tensor) {
    let mut a = tf::constant_of(0, tf::DType::I64);
    let mut b = tf::constant_of(1, tf::DType::I64);
    let mut i = tf::constant(0);
    while &i < n {
        let next = &a + &b;
        a = b;
        b = next;
        i += 1;
    }
    (a, b)
}

#[test]
fn values_that_change_places() {
    let got = both_ways(|| {
        let (a, b) = fibonacci(&tf::constant(90));
        vec![a, b]
    });
    assert_eq!(got[0].item::<i64>(), 2_880_067_194_370_816_120);
    // Past 64 bits integers wrap, as they do one by one.
    both_ways(|| {
        let (a, b) = fibonacci(&tf::constant(200));
        vec![a, b]
    });
}

#[tf_function]
fn newton(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut error = tf::constant(1.0f32);
    while tf::abs(&error) > 1e-6 {
        let next = (&y + x / &y) * 0.5;
        error = &next - &y;
        y = next;
    }
    y
}

#[test]
fn newton_finds_roots_and_their_slopes() {
    for x in [2.0f32, 9.0, 0.25] {
        let input = tf::constant(x);
        let all = both_ways(|| orders(|v| newton(&v[0]), std::slice::from_ref(&input)));
        assert!((all[0].item::<f32>() - x.sqrt()).abs() < 1e-4);
        assert!((all[1].item::<f32>() - 0.5 / x.sqrt()).abs() < 1e-3, "{all:?}");
    }
}

/// A sum of powers: the inner loop multiplies, the outer one adds.
#[tf_function]
fn powers(x: &Tensor, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0f32);
    let mut i = tf::constant(0);
    while &i < n {
        let mut power = tf::constant(1.0f32);
        let mut j = tf::constant(0);
        while &j < &i {
            power *= x;
            j += 1;
        }
        sum += power;
        i += 1;
    }
    sum
}

#[test]
fn nested_loops_are_differentiated() {
    let x = tf::constant(0.9f32);
    for n in [0, 1, 2, 7] {
        let n = tf::constant(n);
        let all = both_ways(|| orders(|v| powers(&v[0], &n), std::slice::from_ref(&x)));
        let expected: f64 = (0..n.item::<i32>()).map(|i| 0.9f64.powi(i)).sum();
        assert!((f64::from(all[0].item::<f32>()) - expected).abs() < 1e-4);
        if all.len() > 1 {
            let slope: f64 = (1..n.item::<i32>()).map(|i| f64::from(i) * 0.9f64.powi(i - 1)).sum();
            assert!((f64::from(all[1].item::<f32>()) - slope).abs() < 1e-3, "{all:?}");
        }
    }
}

/// Branches that save different things in each round.
#[tf_function]
fn zigzag(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        if &i % 3 == 0 {
            x = x.sin() * 1.5;
        } else if x > 0.5 {
            x = &x * &x * 0.75 - 0.2;
        } else {
            x = tf::exp(&(&x * 0.5)) - 0.1;
        }
        i += 1;
    }
    x
}

#[test]
fn branches_in_loops_are_differentiated() {
    for x in [0.3f32, 0.9, -1.5] {
        let x = tf::constant(x);
        for n in [1, 2, 10] {
            let n = tf::constant(n);
            both_ways(|| vec![zigzag(&x, &n)]);
            both_ways(|| orders(|v| zigzag(&v[0], &n), std::slice::from_ref(&x)));
        }
    }
}

#[tf_function]
fn leaves(limit: &Tensor) -> (Tensor, Tensor) {
    let mut sum = tf::constant(0);
    let mut odd = tf::constant(0);
    let mut i = tf::constant(0);
    while i < 100 {
        i += 1;
        if &i % 2 == 1 {
            odd += 1;
            continue;
        }
        sum += &i;
        if &sum > limit {
            break;
        }
    }
    (sum, odd)
}

#[test]
fn jumps_leave_loops() {
    for limit in [0, 10, 57, 100_000] {
        both_ways(|| {
            let (sum, odd) = leaves(&tf::constant(limit));
            vec![sum, odd]
        });
    }
}

#[tf_function]
fn quotients(a: &Tensor, b: &Tensor) -> Tensor {
    let mut a = a.clone();
    let mut b = b.clone();
    while b > -3 {
        a += tf::constant(100) / &b;
        b -= 1;
    }
    a
}

#[test]
fn faults_name_the_line() {
    let run = || tf::Error::to_string(&quotients_error());
    let fast = run();
    assert!(fast.contains("division by zero"), "{fast}");
    assert!(fast.contains("by_hand.rs"), "{fast}");
    assert_eq!(fast, by_bytecode(run));
    assert_eq!(fast, one_by_one(run));
    // The function still works.
    let got = both_ways(|| vec![quotients(&tf::constant(1), &tf::constant(-2))]);
    assert_eq!(got[0].item::<i32>(), -49);
}

fn quotients_error() -> tf::Error {
    let payload = std::panic::catch_unwind(|| quotients(&tf::constant(1), &tf::constant(2))).unwrap_err();
    let text = payload.downcast_ref::<String>().cloned().unwrap_or_default();
    tf::Error::invalid_argument("", text)
}

/// Types of all widths, and what has no instruction of its own.
#[tf_function]
fn mixed(x: &Tensor, n: &Tensor) -> (Tensor, Tensor, Tensor, Tensor) {
    let mut x = x.clone();
    let mut wide = tf::constant_of(0.1, tf::DType::F64);
    let mut small = tf::constant_of(3, tf::DType::I64);
    let mut odd = tf::constant(false);
    let mut i = tf::constant(0);
    while &i < n {
        wide += x.cast(tf::DType::F64) * 0.25;
        x = tf::softsign(&x) + small.cast(tf::DType::F32) * 0.01;
        small = tf::maximum(&(&small * 7 % 31), &i.cast(tf::DType::I64));
        odd = tf::logical_xor(&odd, &tf::less(&wide, 1.0));
        i += 1;
    }
    (x, wide, small, odd)
}

#[test]
fn types_of_all_kinds() {
    for n in [0, 1, 20] {
        both_ways(|| {
            let (a, b, c, d) = mixed(&tf::constant(0.7f32), &tf::constant(n));
            vec![a, b, c, d]
        });
    }
}

#[test]
fn a_gradient_outside_reads_what_the_loop_left() {
    // The way back runs one by one over the compact list that the way forth left in registers.
    let (x, a, n) = (tf::constant(0.5f32), tf::constant(0.9f32), tf::constant(50));
    let gradient = |backward: &dyn Fn(&dyn Fn() -> Tensor) -> Tensor| {
        let mut tape = GradientTape::persistent();
        tape.watch(&a);
        let y = decay(&x, &a, &n);
        backward(&|| tape.gradient(&y, &a))
    };
    let fast = gradient(&|f| f());
    let slow = gradient(&|f| one_by_one(f));
    assert_eq!(fast.item::<f32>().to_bits(), slow.item::<f32>().to_bits());
    let other = one_by_one(|| gradient(&|f| f()));
    assert_eq!(fast.item::<f32>().to_bits(), other.item::<f32>().to_bits());
}

/// More values than there are registers of a processor, each made of its neighbour's.
#[tf_function]
fn ring(values: Vec<Tensor>, x: &Tensor, n: &Tensor) -> Tensor {
    let mut values = values;
    let mut i = tf::constant(0);
    while &i < n {
        let first = values[0].clone();
        for at in 0..values.len() - 1 {
            values[at] = &values[at] * x + &values[at + 1] * 0.01;
        }
        let last = values.len() - 1;
        values[last] = &values[last] * x - first * 0.02;
        i += 1;
    }
    values.into_iter().reduce(|sum, value| sum * 0.5 + value).unwrap_or_else(|| x.clone())
}

#[test]
fn more_values_are_carried_than_there_are_registers() {
    for count in [3, 15, 60] {
        let values: Vec<Tensor> = (0..count).map(|i| tf::constant(i as f32 * 0.1 - 2.0)).collect();
        for n in [0, 1, 5] {
            let n = tf::constant(n);
            both_ways(|| orders(|v| ring(values.clone(), &v[0], &n), &[tf::constant(0.9f32)]));
        }
    }
}

/// A loop in a loop in a loop, left from the middle, with integers and floats that depend on each other.
#[tf_function]
fn first_above(limit: &Tensor, x: &Tensor) -> (Tensor, Tensor) {
    let mut product = x.clone();
    let mut rounds = tf::constant_of(0, tf::DType::I64);
    let mut i = tf::constant(0);
    while i < 5 {
        let mut j = tf::constant(0);
        while &j < &i {
            let mut k = tf::constant(3);
            while k > 0 {
                product = tf::where_(&tf::equal(&(&k % 2), 0), &(&product * x), &(&product + j.cast(tf::DType::F32)));
                rounds += 1;
                k -= 1;
                if &product > limit {
                    return (product, rounds);
                }
            }
            j += 1;
        }
        i += 1;
    }
    (product, rounds)
}

#[test]
fn returns_leave_several_loops_at_once() {
    for limit in [0.5f32, 3.0, 20.0, 1e9] {
        both_ways(|| {
            let (product, rounds) = first_above(&tf::constant(limit), &tf::constant(1.25f32));
            vec![product, rounds]
        });
        both_ways(|| orders(|v| first_above(&tf::constant(limit), &v[0]).0, &[tf::constant(1.25f32)]));
    }
}

/// Comparisons and choices of numbers that are none.
#[tf_function]
fn strange(x: &Tensor, n: &Tensor) -> (Tensor, Tensor, Tensor) {
    let mut x = x.clone();
    let mut least = tf::constant(f32::INFINITY);
    let mut seen = tf::constant(0);
    let mut i = tf::constant(0);
    while &i < n {
        if tf::less(&x, 0.0) {
            seen += 1;
        } else if tf::greater_equal(&x, 1e30) {
            seen += 100;
        } else if tf::not_equal(&x, &x) {
            seen += 10_000;
        }
        least = tf::minimum(&least, &tf::sign(&x));
        x = tf::sqrt(&(&x * &x * &x - 1.0)) * x.cast(tf::DType::I32).cast(tf::DType::F32);
        i += 1;
    }
    (x, least, seen)
}

#[test]
fn loops_over_infinities_and_no_numbers() {
    for x in [0.0f32, -0.0, 0.5, 1.0, -3.0, 1.5, 4e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-42] {
        both_ways(|| {
            let (x, least, seen) = strange(&tf::constant(x), &tf::constant(6));
            vec![x, least, seen]
        });
    }
}
