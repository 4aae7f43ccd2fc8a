//! Comparisons and logic on everything that has them.

use eagerflow::{self as tf, Tensor, Variable, tf_function};

#[derive(PartialEq, PartialOrd, Clone, Debug)]
struct Version(u32, u32);

#[tf_function]
fn tensors(x: &Tensor, mut y: Tensor, v: &Variable) -> Tensor {
    let mut n = tf::constant(0);
    if x < 5.0 {
        n = n + 1;
    }
    if 2.0 < x {
        n = n + 1;
    }
    if x == &y {
        n = n + 1;
    }
    if v > 1.0 && x != y {
        n = n + 10;
    }
    let r = &mut y;
    if *r >= 3.0 || *v <= 0.0 {
        n = n + 100;
    }
    if !(x > 100.0) {
        n = n + 1000;
    }
    let both = x > 1.0 && x < 4.0;
    if both {
        n = n + 10000;
    }
    n
}

#[tf_function]
fn hosts(x: &Tensor, n: u32, text: String, numbers: &[f64], o: Option<&Variable>) -> Tensor {
    let mut count = 0;
    if &n > &3 {
        count += 1;
    }
    if text == "a" {
        count += 1;
    }
    if numbers == [1.0, 2.0] {
        count += 1;
    }
    if o == None::<&Variable> {
        count += 1;
    }
    if Version(1, 2) < Version(1, 3) && n as f32 > 0.5 {
        count += 1;
    }
    if numbers.iter().any(|v| *v > 1.5) {
        count += 1;
    }
    let lt = |a, b| a < b;
    if lt(1, 2) || text.len() > 10 {
        count += 1;
    }
    let largest = numbers.iter().copied().filter(|v| v < &9.0).fold(0.0, |a: f64, b| if a > b { a } else { b });
    x + count as f32 + largest as f32
}

/// The right side runs only where it matters, `?` in it works.
#[tf_function]
fn lazy(x: &Tensor, o: Option<f32>) -> Option<Tensor> {
    if o.is_some() && x > o? {
        return Some(x.clone());
    }
    let host = o.is_none() || o? > 100.0;
    if host { None } else { Some(-x) }
}

#[test]
fn runs() {
    let x = tf::constant(3.0);
    assert_eq!(tensors(&x, x.clone(), &Variable::new(2.0)).item::<i32>(), 11103);
    assert_eq!(tensors(&x, x.clone() + 1.0, &Variable::new(2.0)).item::<i32>(), 11112);
    let total = hosts(&x, 4, "a".to_string(), &[1.0, 2.0], None);
    assert_eq!(total.item::<f32>(), 3.0 + 7.0 + 2.0);
    assert_eq!(lazy(&x, Some(1.0)).unwrap().item::<f32>(), 3.0);
    assert_eq!(lazy(&x, Some(9.0)).unwrap().item::<f32>(), -3.0);
    assert!(lazy(&x, None).is_none());
}
