//! Loops over numbers, timed per round: the comparison's W7, and how time grows with the number of rounds.

use crate::measure::Bench;
use eagerflow as tf;
use tf::{GradientTape, Tensor, tf_function};

#[tf_function]
fn decay(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        x = x * 0.999 + 0.001;
        i = i + 1;
    }
    x
}

#[tf_function]
fn decay_by(x: &Tensor, a: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        x = x * a + 0.001;
        i = i + 1;
    }
    x
}

#[tf_function]
fn slopes(x: &Tensor, a: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(x);
    tape.watch(a);
    let y = decay_by(x, a, n);
    tape.gradient(&y, (x, a))
}

/// A sum of powers, by a loop in a loop.
#[tf_function]
fn powers(x: &Tensor, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    let mut i = tf::constant(0);
    while &i < n {
        let mut power = tf::constant(1.0);
        let mut j = tf::constant(0);
        while &j < n {
            power = power * x;
            j = j + 1;
        }
        sum = sum * 0.5 + power;
        i = i + 1;
    }
    sum
}

#[tf_function]
fn power_slope(x: &Tensor, n: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = powers(x, n);
    tape.gradient(&y, x)
}

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

/// Functions that are called, one with an instruction of its own and one without.
#[tf_function]
fn called(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        x = tf::tanh(&(x * 1.5)) + 0.1;
        i = i + 1;
    }
    x
}

#[tf_function]
fn waves(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < n {
        x = tf::sin(&(x * 1.5)) + 0.1;
        i = i + 1;
    }
    x
}

fn one(x: &Tensor) -> Vec<f64> {
    vec![tf::cast(x, tf::DType::F64).item::<f64>()]
}

pub fn run(b: &Bench) {
    let start = || (tf::constant(0.5), tf::constant(0.999));
    let forward = |rounds: i32| {
        let (x, n) = (start().0, tf::constant(rounds));
        move || decay(&x, &n)
    };
    b.run_rounds("w7_while_fwd_periter", 100_000, false, || forward(100_000), one);
    let gradient = |rounds: i32| {
        let ((x, a), n) = (start(), tf::constant(rounds));
        move || slopes(&x, &a, &n)
    };
    let both = |(dx, da): &(Tensor, Tensor)| vec![f64::from(dx.item::<f32>()), f64::from(da.item::<f32>())];
    b.run_rounds("w7_while_grad_periter", 1000, false, || gradient(1000), both);
    for rounds in [1, 3, 10, 100, 1000, 10_000, 100_000] {
        let n = rounds as usize;
        b.run_rounds(&format!("loop_fwd_{rounds}"), n, false, || forward(rounds), one);
        b.run_rounds(&format!("loop_grad_{rounds}"), n, false, || gradient(rounds), both);
    }
    for side in [10, 100, 300] {
        let nested = |f: fn(&Tensor, &Tensor) -> Tensor| {
            let (x, n) = (tf::constant(0.999), tf::constant(side));
            move || f(&x, &n)
        };
        let rounds = (side * side) as usize;
        b.run_rounds(&format!("nested_fwd_{side}"), rounds, false, || nested(powers), one);
        b.run_rounds(&format!("nested_grad_{side}"), rounds, false, || nested(power_slope), one);
    }
    for (name, f) in [("loop_tanh", called as fn(&Tensor, &Tensor) -> Tensor), ("loop_sin", waves)] {
        let make = || {
            let (x, n) = (tf::constant(0.5), tf::constant(1000));
            move || f(&x, &n)
        };
        b.run_rounds(name, 1000, false, make, one);
    }
    let steps = || {
        let n = tf::constant(97);
        move || collatz(&n)
    };
    b.run_rounds("collatz_97", 118, false, steps, one);
}
