//! Branches, loops, jumps and calls, each with what the function must give and how often it is traced.

use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, tf_function};

#[tf_function]
fn collatz(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut steps = tf::constant(0);
    while n != 1 {
        if &n % 2 == 0 {
            n = n / 2;
        } else {
            n = n * 3 + 1;
        }
        steps = steps + 1;
    }
    steps
}

#[test]
fn collatz_is_a_loop_of_the_graph() {
    for (n, steps) in [(1, 0), (6, 8), (27, 111)] {
        assert_eq!(collatz(&tf::constant(n)).item::<i32>(), steps);
    }
    let info = tf::function(collatz);
    assert_eq!(info.trace_count(), 1);
    let graph = info.graph().unwrap();
    assert!(graph.contains("while") && graph.contains("cond"), "{graph}");
}

#[tf_function]
fn early(x: &Tensor) -> Tensor {
    if x > 10.0 {
        return x * 2.0;
    }
    let y = x + 1.0;
    if y < 0.0 {
        return y.square();
    }
    y * 3.0
}

#[test]
fn early_returns() {
    for x in [20.0f32, 3.0, -5.0, -1.0] {
        let expected = if x > 10.0 {
            x * 2.0
        } else if x + 1.0 < 0.0 {
            (x + 1.0) * (x + 1.0)
        } else {
            (x + 1.0) * 3.0
        };
        let x = tf::constant(x);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = early(&x);
        assert_eq!(y.item::<f32>(), expected);
        let slope = tape.gradient(&y, &x).item::<f32>();
        let x = x.item::<f32>();
        let expected = if x > 10.0 {
            2.0
        } else if x + 1.0 < 0.0 {
            2.0 * (x + 1.0)
        } else {
            3.0
        };
        assert_eq!(slope, expected, "at {x}");
    }
    assert_eq!(tf::function(early).trace_count(), 1);
}

/// The first pair whose product is the target, out of two loops at once.
#[tf_function]
fn pair(target: &Tensor) -> Tensor {
    let mut i = tf::constant(1);
    while i < 20 {
        let mut j = i.clone();
        while j < 20 {
            if &i * &j == target {
                return tf::stack(&[&i, &j], 0);
            }
            j = j + 1;
        }
        i = i + 1;
    }
    tf::constant([-1, -1])
}

#[test]
fn returns_out_of_nested_loops() {
    for (target, found) in [(35, [5, 7]), (1, [1, 1]), (23, [-1, -1]), (361, [19, 19])] {
        assert_eq!(pair(&tf::constant(target)).to_vec::<i32>(), found);
    }
}

#[tf_function]
fn breaks(limit: &Tensor) -> (Tensor, Tensor) {
    let mut sum = tf::constant(0);
    let mut odd = tf::constant(0);
    let mut i = tf::constant(0);
    while i < 100 {
        i = i + 1;
        if &i % 2 == 1 {
            odd = odd + 1;
            continue;
        }
        sum = sum + &i;
        if &sum > limit {
            break;
        }
    }
    (sum, odd)
}

#[test]
fn breaks_and_continues() {
    let by_hand = |limit: i32| {
        let (mut sum, mut odd, mut i) = (0, 0, 0);
        while i < 100 {
            i += 1;
            if i % 2 == 1 {
                odd += 1;
                continue;
            }
            sum += i;
            if sum > limit {
                break;
            }
        }
        (sum, odd)
    };
    for limit in [0, 10, 57, 100_000] {
        let (sum, odd) = breaks(&tf::constant(limit));
        assert_eq!((sum.item::<i32>(), odd.item::<i32>()), by_hand(limit));
    }
}

#[tf_function]
fn first_power(base: &Tensor, limit: &Tensor) -> Tensor {
    let mut x = base.clone();
    let found = loop {
        if &x > limit {
            break x;
        }
        x = &x * base;
    };
    found + 0.0
}

#[test]
fn loops_with_a_value() {
    for (base, limit, power) in [(2.0f32, 10.0, 16.0), (3.0, 100.0, 243.0), (5.0, 1.0, 5.0)] {
        assert_eq!(first_power(&tf::constant(base), &tf::constant(limit)).item::<f32>(), power);
    }
}

#[tf_function]
fn host_and_graph(x: &Tensor, training: bool, rounds: usize) -> Tensor {
    let mut y = x.clone();
    for i in 0..rounds {
        if training {
            y = y * 2.0;
        }
        if tf::reduce_sum(&y, ()) > 100.0 {
            break;
        }
        y = y + i as f32;
    }
    y
}

#[test]
fn host_conditions_stay_native() {
    let by_hand = |x: f32, training: bool, rounds: usize| {
        let mut y = x;
        for i in 0..rounds {
            if training {
                y *= 2.0;
            }
            if y > 100.0 {
                break;
            }
            y += i as f32;
        }
        y
    };
    for (x, training, rounds) in [(1.0, true, 5), (1.0, false, 5), (60.0, true, 5), (1.0, true, 9), (1.0, true, 0)] {
        assert_eq!(host_and_graph(&tf::constant(x), training, rounds).item::<f32>(), by_hand(x, training, rounds));
    }
    assert_eq!(tf::function(host_and_graph).trace_count(), 4);
}

#[tf_function]
fn total(rows: &Tensor) -> Tensor {
    let mut sum = tf::zeros([2]);
    for row in rows {
        if row.at(0) > 2.0 {
            continue;
        }
        sum = sum + row;
    }
    sum
}

#[test]
fn rows_of_a_tensor() {
    let rows = tf::constant([[1.0, 2.0], [3.0, 4.0], [2.0, 0.5]]);
    assert_eq!(total(&rows).to_vec::<f32>(), [3.0, 2.5]);
    assert_eq!(total(&tf::zeros([5, 2])).to_vec::<f32>(), [0.0, 0.0]);
}

#[tf_function]
fn step(w: &Variable, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = (x * w - 3.0).square();
    let dw = tape.gradient(&loss, w);
    w.assign_sub(&(dw * 0.1));
    loss
}

#[test]
fn a_training_step_inside() {
    let (w, v) = (Variable::new(1.0), Variable::new(1.0));
    let x = tf::constant(2.0);
    for _ in 0..5 {
        let loss = step(&w, &x);
        let tape = GradientTape::new();
        let expected = (&x * &v - 3.0).square();
        let dv = tape.gradient(&expected, &v);
        v.assign_sub(&(dv * 0.1));
        assert_eq!(loss.item::<f32>(), expected.item::<f32>());
    }
    assert_eq!(w.value().item::<f32>(), v.value().item::<f32>());
    assert_eq!(tf::function(step).trace_count(), 1);
}
