//! `while` and `for`, in one another and in branches.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(collatz(n)),
    twin!(halve(x)),
    twin!(fibonacci(n)),
    twin!(horner(x, n)),
    twin!(triangle(x, n)),
    twin!(zigzag(x)),
    twin!(loop_in_a_branch(x, n)),
    twin!(range_sum(n)),
    twin!(exponential_series(x, n)),
    twin!(recurrent(rows, w)),
    twin!(elements(x)),
    twin!(dot_by_index(a, b)),
    twin!(polynomial(c, x)),
    twin!(moving_average(x, decay)),
    twin!(welford(x)),
    twin!(state_machine(n, start)),
];

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
        steps += 1;
    }
    steps
}

#[tf_function]
fn halve(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    while x > 1.0 {
        x = x / 2.0;
    }
    x
}

#[tf_function]
fn fibonacci(n: &Tensor) -> Tensor {
    let (mut a, mut b) = (tf::constant(0), tf::constant(1));
    let mut i = tf::constant(0);
    while &i < n {
        (a, b) = (b.clone(), a + b);
        i += 1;
    }
    a
}

#[tf_function]
fn horner(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = tf::zeros_like(x);
    let mut i = tf::constant(0);
    while &i < n {
        y = y * x + 1.0;
        i += 1;
    }
    y
}

#[tf_function]
fn triangle(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = tf::zeros_like(x);
    let mut i = tf::constant(0);
    while &i < n {
        let mut j = tf::constant(0);
        while j < i {
            y = y * 0.5 + x;
            j += 1;
        }
        i += 1;
    }
    y
}

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
        i += 1;
    }
    x
}

#[tf_function]
fn loop_in_a_branch(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    if x > 0.0 {
        let mut i = tf::constant(0);
        while &i < n {
            y = y * x;
            i += 1;
        }
    } else {
        y = y - 1.0;
    }
    y
}

#[tf_function]
fn range_sum(n: &Tensor) -> Tensor {
    let mut total = tf::constant(0);
    for i in tf::range(0, n, 1) {
        total = total + i * 2;
    }
    total
}

#[tf_function]
fn exponential_series(x: &Tensor, n: &Tensor) -> Tensor {
    let mut term = tf::ones_like(x);
    let mut total = tf::ones_like(x);
    for i in tf::range(1, n, 1) {
        term = term * x / i.cast(DType::F64);
        total = total + &term;
    }
    total
}

#[tf_function]
fn recurrent(rows: &Tensor, w: &Tensor) -> Tensor {
    let mut h = tf::zeros([2]).cast(DType::F64);
    for row in rows {
        h = (h * w + row).tanh();
    }
    h
}

#[tf_function]
fn elements(x: &Tensor) -> Tensor {
    let mut y = tf::constant(1.0).cast(DType::F64);
    for row in x {
        for element in row {
            y = y * 0.5 + element;
        }
    }
    y
}

#[tf_function]
fn dot_by_index(a: &Tensor, b: &Tensor) -> Tensor {
    let mut total = tf::constant(0.0).cast(DType::F64);
    for i in tf::range(0, tf::shape(a).at(0), 1) {
        total = total + a.at(&i) * b.at(&i);
    }
    total
}

#[tf_function]
fn polynomial(coefficients: &Tensor, x: &Tensor) -> Tensor {
    let mut y = tf::zeros_like(x);
    for c in coefficients {
        y = y * x + c;
    }
    y
}

#[tf_function]
fn moving_average(x: &Tensor, decay: &Tensor) -> Tensor {
    let mut average = x.at(0);
    for i in tf::range(1, tf::shape(x).at(0), 1) {
        average = decay * average + (1.0 - decay) * x.at(&i);
    }
    average
}

#[tf_function]
fn welford(x: &Tensor) -> (Tensor, Tensor) {
    let zero = tf::constant(0.0).cast(DType::F64);
    let (mut mean, mut m2, mut n) = (zero.clone(), zero.clone(), zero);
    for value in x {
        n += 1.0;
        let delta = &value - &mean;
        mean = &mean + &delta / &n;
        m2 = &m2 + &delta * (&value - &mean);
    }
    (mean, m2 / n)
}

#[tf_function]
fn state_machine(n: &Tensor, start: &Tensor) -> Tensor {
    let mut state = start.clone();
    let mut path = tf::constant(0);
    for i in tf::range(0, n, 1) {
        if state == 0 {
            state = tf::constant(2);
        } else if state == 2 {
            state = i % 3;
        } else {
            state = tf::constant(0);
        }
        path = path * 3 + &state;
    }
    path
}
