//! Numerical methods: roots, series, differential equations, integers.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(mean_of_means(a, b)),
    twin!(newton_root(x)),
    twin!(power_iteration(a, n)),
    twin!(matrix_power(a, n)),
    twin!(logistic_map(r, n)),
    twin!(mandelbrot(x, y)),
    twin!(leibniz(n)),
    twin!(euler(x, n)),
    twin!(runge_kutta(x, v, n)),
    twin!(bisection(low, high)),
    twin!(cubic_root(c)),
    twin!(gcd(a, b)),
    twin!(reverse_digits(n)),
    twin!(line_search(x)),
];

#[tf_function]
fn mean_of_means(a: &Tensor, b: &Tensor) -> (Tensor, Tensor) {
    let (mut a, mut b) = (a.clone(), b.clone());
    while (&a - &b).abs() > 1e-6 {
        let mean = (&a + &b) / 2.0;
        b = (a * b).sqrt();
        a = mean;
    }
    (a, b)
}

#[tf_function]
fn newton_root(x: &Tensor) -> Tensor {
    let mut guess = x / 2.0 + 0.5;
    loop {
        let new = (&guess + x / &guess) / 2.0;
        let step = (&new - &guess).abs();
        guess = new;
        if step < 1e-8 {
            break;
        }
    }
    guess
}

#[tf_function]
fn power_iteration(a: &Tensor, n: &Tensor) -> Tensor {
    let mut v = tf::ones([2, 1]).cast(DType::F64);
    for _ in tf::range(0, n, 1) {
        let w = tf::matmul(a, &v);
        v = &w / tf::reduce_sum(&w * &w, ()).sqrt();
    }
    v
}

#[tf_function]
fn matrix_power(a: &Tensor, n: &Tensor) -> Tensor {
    let (mut a, mut n) = (a.clone(), n.clone());
    let mut result = tf::eye(2).cast(DType::F64);
    while n > 0 {
        if &n % 2 == 1 {
            result = tf::matmul(&result, &a);
        }
        a = tf::matmul(&a, &a);
        n = n / 2;
    }
    result
}

#[tf_function]
fn logistic_map(r: &Tensor, n: &Tensor) -> Tensor {
    let mut x = tf::zeros_like(r) + 0.3;
    for _ in tf::range(0, n, 1) {
        x = r * &x * (1.0 - &x);
    }
    x
}

#[tf_function]
fn mandelbrot(cx: &Tensor, cy: &Tensor) -> (Tensor, Tensor, Tensor) {
    let (mut x, mut y) = (tf::zeros_like(cx), tf::zeros_like(cy));
    let mut n = tf::constant(0);
    while &x * &x + &y * &y < 4.0 && n < 20 {
        (x, y) = (&x * &x - &y * &y + cx, 2.0 * &x * &y + cy);
        n += 1;
    }
    (n, x, y)
}

#[tf_function]
fn leibniz(n: &Tensor) -> Tensor {
    let mut total = tf::constant(0.0).cast(DType::F64);
    let mut sign = tf::constant(1.0).cast(DType::F64);
    for i in tf::range(0, n, 1) {
        total = total + &sign / (i * 2 + 1).cast(DType::F64);
        sign = -sign;
    }
    total * 4.0
}

#[tf_function]
fn euler(x: &Tensor, n: &Tensor) -> Tensor {
    let mut x = x.clone();
    for _ in tf::range(0, n, 1) {
        x = &x + 0.1 * (x.sin() - &x * &x * 0.25);
    }
    x
}

#[tf_function]
fn runge_kutta(x: &Tensor, v: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let (mut x, mut v) = (x.clone(), v.clone());
    let h = 0.125;
    for _ in tf::range(0, n, 1) {
        let (k1x, k1v) = (v.clone(), -&x);
        let (k2x, k2v) = (&v + h / 2.0 * &k1v, -(&x + h / 2.0 * &k1x));
        let (k3x, k3v) = (&v + h / 2.0 * &k2v, -(&x + h / 2.0 * &k2x));
        let (k4x, k4v) = (&v + h * &k3v, -(&x + h * &k3x));
        x = &x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x);
        v = &v + h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
    }
    (x, v)
}

#[tf_function]
fn bisection(low: &Tensor, high: &Tensor) -> (Tensor, Tensor) {
    let (mut low, mut high) = (low.clone(), high.clone());
    let mut i = tf::constant(0);
    while i < 12 {
        let middle = (&low + &high) / 2.0;
        if &middle * &middle * &middle > 2.0 {
            high = middle;
        } else {
            low = middle;
        }
        i += 1;
    }
    (low, high)
}

#[tf_function]
fn cubic_root(c: &Tensor) -> Tensor {
    let mut x = tf::ones_like(c);
    let mut i = tf::constant(0);
    while (&x * &x * &x + &x - c).abs() > 1e-10 && i < 50 {
        x = &x - (&x * &x * &x + &x - c) / (3.0 * &x * &x + 1.0);
        i += 1;
    }
    x
}

#[tf_function]
fn gcd(a: &Tensor, b: &Tensor) -> Tensor {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b != 0 {
        (a, b) = (b.clone(), a % b);
    }
    a
}

#[tf_function]
fn reverse_digits(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut result = tf::constant(0);
    while n > 0 {
        result = result * 10 + &n % 10;
        n = n / 10;
    }
    result
}

#[tf_function]
fn line_search(x: &Tensor) -> Tensor {
    let cost = |x: &Tensor| (x - 1.0).square() + (x * 0.5).exp();
    let value = cost(x);
    let slope = 2.0 * (x - 1.0) + 0.5 * (x * 0.5).exp();
    let mut step = tf::ones_like(x);
    for _ in tf::range(0, 20, 1) {
        let new = x - &step * &slope;
        if cost(&new) <= &value - 0.25 * &step * &slope * &slope {
            break;
        }
        step = step * 0.5;
    }
    x - step * slope
}
