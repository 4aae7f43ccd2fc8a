use eagerflow as tf;
use tf::{Tensor, Variable, GradientTape, tf_function};

#[tf_function]
fn two(x: &Tensor) -> Tensor {
    let mut a = x.clone();
    let mut b = tf::constant(1.0);
    let mut i = tf::constant(0);
    while i < 3 {
        a = &a * &b;
        b = &b + x;
        i = i + 1;
    }
    a
}
#[tf_function]
fn two2(x: &Tensor) -> Tensor {
    let mut a = x.clone();
    let mut b = tf::constant(1.0);
    let mut i = tf::constant(0);
    while i < 3 {
        let c = &a * &b;
        b = &b + x;
        a = c;
        i = i + 1;
    }
    a + b*2.0
}
#[test]
fn two_() { eager_vs_graph!(two(x); x in [1.5]); }
#[test]
fn two2_() { eager_vs_graph!(two2(x); x in [1.5]); }

#[tf_function]
fn rep(v: &Variable, times: &Tensor) -> Tensor {
    let mut y = tf::constant(0.0);
    for _ in tf::range(0, times, 1) {
        y = y + v;
        v.assign_add(&tf::constant(0.125));
    }
    y
}
#[tf_function]
fn rep2(v: &Variable, times: &Tensor) -> Tensor {
    let mut y = tf::constant(0.0);
    let mut i = tf::constant(0);
    while &i < times {
        y = y + v;
        v.assign_add(&tf::constant(0.125));
        i = i + 1;
    }
    y
}
#[tf_function]
fn rep3(v: &Variable, x: &Tensor) -> Tensor {
    let mut y = x * v;
    for _ in 0..2 {
        y = y * x;
    }
    if &y > 10.0 {
        return y;
    }
    y + 1.0
}
#[tf_function]
fn rep4(v: &Variable, x: &Tensor, times: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in tf::range(0, times, 1) {
        y = rep3(v, &y) * 0.25;
        v.assign_add(&tf::constant(0.125));
    }
    y
}
#[test]
fn rep_() { eager_vs_graph!(rep(v, n); v = Variable::new(1.5); n in [3, 0]); }
#[test]
fn rep2_() { eager_vs_graph!(rep2(v, n); v = Variable::new(1.5); n in [3, 0]); }
#[test]
fn rep4_() { eager_vs_graph!(rep4(v, x, n); v = Variable::new(1.5); (x, n) in [(1.5, 3), (0.5, 0)]); }
