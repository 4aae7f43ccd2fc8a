//! `while`, `loop` and `for` that become loops of the graph, and loops of the host around and inside them.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// One variable; the number of rounds is known only at run time.
#[tf_function]
fn halve(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    while x > 1.0 {
        x = x / 2.0;
    }
    x
}

/// Two variables that depend on each other.
#[tf_function]
fn fibonacci(n: &Tensor) -> Tensor {
    let mut a = tf::constant(0);
    let mut b = tf::constant(1);
    let mut i = tf::constant(0);
    while &i < n {
        (a, b) = (b.clone(), a + b);
        i += 1;
    }
    a
}

/// A sum of powers, whose gradient goes through all rounds.
#[tf_function]
fn horner(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = tf::constant(0.0);
    let mut i = tf::constant(0);
    while &i < n {
        y = &y * x + 1.0;
        i = i + 1;
    }
    y
}

/// A loop in a loop; the inner one counts with the outer one's variable.
#[tf_function]
fn triangle(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = tf::zeros_like(x);
    let mut i = tf::constant(0);
    while &i < n {
        let mut j = tf::constant(0);
        while j < i {
            y = &y * 0.5 + x;
            j = j + 1;
        }
        i = i + 1;
    }
    y
}

/// A branch in a loop, with both sides changing the state.
#[tf_function]
fn zigzag(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while i < 7 {
        if x > 2.0 {
            x = x * 0.25;
        } else {
            x = x.exp();
        }
        i = i + 1;
    }
    x
}

/// A loop in a branch.
#[tf_function]
fn sometimes(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    if x > 0.0 {
        let mut i = tf::constant(0);
        while &i < n {
            y = y * x;
            i = i + 1;
        }
    } else {
        y = y - 1.0;
    }
    y
}

/// A condition with work of its own, from two variables.
#[tf_function]
fn until_close(a: &Tensor, b: &Tensor) -> (Tensor, Tensor) {
    let mut a = a.clone();
    let mut b = b.clone();
    while (&a - &b).abs() > 0.01 {
        let mean = (&a + &b) / 2.0;
        b = (&a * &b).sqrt();
        a = mean;
    }
    (a, b)
}

/// A `loop` that is left by `break` alone, with a value.
#[tf_function]
fn root(x: &Tensor) -> Tensor {
    let mut guess = x / 2.0 + 0.5;
    loop {
        let next = (&guess + x / &guess) / 2.0;
        if (&next - &guess).abs() < 1e-3 {
            break next;
        }
        guess = next;
    }
}

/// A `loop` with two exits, each with a value and with other state.
#[tf_function]
fn two_exits(x: &Tensor) -> (Tensor, Tensor) {
    let mut steps = tf::constant(0);
    let mut y = x.clone();
    let found = loop {
        steps = steps + 1;
        if y > 100.0 {
            break y;
        }
        y = y * 3.0;
        if steps > 3 {
            break -y;
        }
    };
    (found, steps)
}

/// `for` over a range whose end is a tensor.
#[tf_function]
fn sum_to(n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0);
    for i in tf::range(0, n, 1) {
        sum = sum + i * 2;
    }
    sum
}

/// `for` over a range, with floats that depend on the index.
#[tf_function]
fn series(x: &Tensor, n: &Tensor) -> Tensor {
    let mut term = tf::ones_like(x);
    let mut sum = tf::ones_like(x);
    for i in tf::range(1, n, 1) {
        term = term * x / i.cast(tf::DType::F32);
        sum = sum + &term;
    }
    sum
}

/// `for` over the rows of a tensor: a recurrent network in three lines.
#[tf_function]
fn recurrent(rows: &Tensor, w: &Tensor) -> Tensor {
    let mut h = tf::zeros([2]);
    for row in rows {
        h = (h * w + row).tanh();
    }
    h
}

/// Rows of rows.
#[tf_function]
fn elements(x: &Tensor) -> Tensor {
    let mut y = tf::constant(1.0);
    for row in x {
        for element in row {
            y = y * 0.5 + element;
        }
    }
    y
}

/// `for` over a host range, unrolled, with a loop of the graph inside.
#[tf_function]
fn unrolled(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for k in 1..4 {
        while y < k as f32 * 5.0 {
            y = y * 1.5 + 0.125;
        }
    }
    y
}

/// `for` over pairs of a host list.
#[tf_function]
fn over_a_list(xs: &[Tensor], factors: [f32; 3]) -> Tensor {
    let mut sum = tf::constant(0.0);
    for (i, (x, factor)) in xs.iter().zip(factors).enumerate() {
        if x > 0.0 {
            sum = sum + x * factor;
        }
        sum = sum * (1.0 + i as f32);
    }
    sum
}

/// Variables of the body that are not state: each round has its own.
#[tf_function]
fn locals(x: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    let mut i = tf::constant(0.0);
    while i < 4.0 {
        let square = &i * &i;
        let shifted = square + x;
        sum = sum + shifted.sin();
        i = i + 1.0;
    }
    sum
}

/// Two loops, one after the other, on the same variables.
#[tf_function]
fn in_turn(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y < 10.0 {
        y = y * 2.0;
    }
    while y > 3.0 {
        y = y - 2.5;
    }
    y
}

/// A loop with vectors.
#[tf_function]
fn power_iteration(a: &Tensor, rounds: &Tensor) -> Tensor {
    let mut v = tf::ones([2, 1]);
    for _ in tf::range(0, rounds, 1) {
        let w = tf::matmul(a, &v);
        v = &w / tf::reduce_sum(&w * &w, ()).sqrt();
    }
    v
}

/// Elements by index, in a loop that a branch leaves for the end of the one around it.
#[tf_function]
fn out_of_elements(x: &Tensor, n: &Tensor) -> Tensor {
    let mut v = vec![(x.clone(), x * 2.0), (x + 1.0, x.clone())];
    let mut i = tf::constant(0);
    'o: while &i < n {
        for k in 0..v.len() {
            if &v[k].0 > 4.0 {
                break 'o;
            }
            v[k].0 = &v[k].0 * 1.5;
            v[k].1 = &v[k].1 + &v[k].0;
        }
        i = i + 1;
    }
    &v[0].0 * &v[0].1 + &v[1].0 - &v[1].1
}

/// Elements that an iterator lends, changed in branches and between them.
#[tf_function]
fn lent_elements(x: &Tensor, n: &Tensor) -> Tensor {
    let mut v = vec![(x.clone(), x * 2.0), (x + 1.0, x.clone())];
    for i in tf::range(0, n, 1) {
        for (a, b) in v.iter_mut() {
            if &*a > 4.0 {
                *a = &*a - &*b;
            } else if &i > 1 {
                continue_with(a);
            }
            *b = &*b * 0.5 + &*a;
        }
    }
    &v[0].0 * &v[0].1 + &v[1].0 - &v[1].1
}

fn continue_with(a: &mut Tensor) {
    *a = &*a * 2.0;
}

#[test]
fn elements_of_lists() {
    eager_vs_graph!(out_of_elements(x, n); (x, n) in [(1.0, 4), (0.25, 3), (9.0, 2), (1.0, 0)]);
    eager_vs_graph!(lent_elements(x, n); (x, n) in [(1.0, 4), (0.25, 3), (9.0, 2), (1.0, 0)]);
}

#[test]
fn while_loops() {
    eager_vs_graph!(halve(x); x in [10.0, 0.5, 1000.0]);
    eager_vs_graph!(fibonacci(n); n in [10, 0, 1]);
    eager_vs_graph!(horner(x, n); (x, n) in [(0.5, 4), (2.0, 0), (-1.5, 7)]);
    eager_vs_graph!(triangle(x, n); (x, n) in [(1.5, 4), (1.5, 0), (0.25, 6)]);
    eager_vs_graph!(zigzag(x); x in [0.3, 5.0, -1.0]);
    eager_vs_graph!(sometimes(x, n); (x, n) in [(1.5, 3), (-1.0, 3), (2.0, 0)]);
    eager_vs_graph!(until_close(a, b); (a, b) in [(1.0, 30.0), (4.0, 4.0)]);
    eager_vs_graph!(locals(x); x in [0.25, -3.0]);
    eager_vs_graph!(in_turn(x); x in [1.0, 30.0]);
}

#[test]
fn loops_left_by_break() {
    eager_vs_graph!(root(x); x in [2.0, 9.0, 0.25]);
    eager_vs_graph!(two_exits(x); x in [50.0, 1.0, 200.0]);
}

#[test]
fn for_over_tensors() {
    eager_vs_graph!(sum_to(n); n in [10, 0, 1]);
    eager_vs_graph!(series(x, n); (x, n) in [(1.0, 10), (-0.5, 5), (2.0, 1)]);
    eager_vs_graph!(elements(x); x in [[[1.0, 2.0], [3.0, 4.0]], [[0.0, -2.0], [0.5, 4.0]]]);
    eager_vs_graph!(power_iteration(a, n); (a, n) in [([[2.0, 1.0], [1.0, 3.0]], 5), ([[1.0, 0.5], [0.25, 1.0]], 0)]);
}

#[test]
fn for_over_rows() {
    eager_vs_graph!(recurrent(rows, w); (rows, w) in [([[1.0, 2.0], [0.5, -1.0]], [0.5, 0.25])]);
    eager_vs_graph!(recurrent(rows, w);
        (rows, w) in [(tf::zeros([5, 2]), [0.5, 0.25]), (tf::ones([0, 2]), [0.5, 0.25]), (tf::ones([7, 2]), [0.1, 2.0])]; traces 2);
}

#[test]
fn for_over_host_iterators() {
    eager_vs_graph!(unrolled(x); x in [0.5, 7.0, 20.0]);
    eager_vs_graph!({ over_a_list(&[x.clone(), y.clone()], [0.5, 2.0, 3.0]) }; (x, y) in [(1.0, 2.0), (-1.0, 4.0)]);
}
