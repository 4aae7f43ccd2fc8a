//! Forms in one another: effects in conditions, loops in branches in loops, lists of variables, tapes of all kinds outside.

use eagerflow as tf;
use tf::{ForwardAccumulator, GradientTape, Tensor, Variable, tf_function};

/// A condition that writes, prints and is lazy.
#[tf_function]
fn condition_effects(v: &Variable, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while {
        v.assign_add(&tf::constant(1.0));
        println!("check {y}");
        v.value() < 5.0 && y < 100.0
    } {
        y = y * 2.0 + v.value();
    }
    y
}

/// A branch in a loop in a branch in a loop, with a jump.
#[tf_function]
fn deep(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        if &i % 2 == 0 {
            let mut j = tf::constant(0);
            while j < i {
                y = &y * x + 0.5;
                if y > 20.0 {
                    y = y * 0.125;
                    next(&mut j);
                    continue;
                }
                j = j + 1;
            }
        } else {
            y = y.sin() * x;
        }
    }
    y
}
fn next(j: &mut Tensor) {
    *j = &*j + 1;
}

/// Variables from a list, in a host loop.
#[tf_function]
fn list_of_variables(vs: &[Variable], x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for v in vs {
        if y > 1.0 {
            y = y * v;
            v.assign_add(&tf::constant(1.0));
        } else {
            y = y + v;
        }
    }
    y
}

/// A variable that may be missing.
#[tf_function]
fn optional_variable(v: Option<&Variable>, x: &Tensor) -> Tensor {
    let y = if x > 0.0 { x * 2.0 } else { -x };
    match v {
        Some(v) => y * v,
        None => y,
    }
}
/// A branch in a loop, for the tests below.
#[tf_function]
fn poly(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in tf::range(0, n, 1) {
        if y > 2.0 {
            y = y * 0.5;
        } else {
            y = y * x + 1.0;
        }
    }
    y
}
#[test]
fn forward_mode() {
    for x in [0.5f32, 1.5, 3.0] {
        let (x, one, n) = (tf::constant(x), tf::constant(1.0), tf::constant(4));
        let acc = ForwardAccumulator::new(&x, &one);
        let y = poly(&x, &n);
        let fwd = acc.jvp(&y).unwrap().item::<f32>();
        let mut t = GradientTape::new();
        t.watch(&x);
        let y = poly(&x, &n);
        let back = t.gradient(&y, &x).item::<f32>();
        assert!((fwd - back).abs() < 1e-4 * back.abs().max(1.0), "{fwd} {back}");
    }
}
#[test]
fn persistent_outside() {
    let x = tf::constant(1.5);
    let n = tf::constant(3);
    let mut t = GradientTape::persistent();
    t.watch(&x);
    let y = poly(&x, &n);
    let z = poly(&y, &n);
    let a = t.gradient(&z, &x).item::<f32>();
    let b = t.gradient(&z, &x).item::<f32>();
    let c = t.gradient(&y, &x).item::<f32>();
    assert_eq!(a, b);
    assert!(c != 0.0);
}
#[test]
fn jacobian_outside() {
    let x = tf::constant([1.5, 2.5]);
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while tf::reduce_sum(&y, ()) < 20.0 {
            y = &y * x;
        }
        y
    }
    let run = || {
        let mut t = GradientTape::persistent();
        t.watch(&x);
        let y = f(&x);
        t.jacobian(&y, &x).to_vec::<f32>()
    };
    assert_eq!(run(), tf::config::with_eager_functions(run));
}
/// A list of pairs as the state of a loop that is left by a label; part of an element is assigned.
#[tf_function]
fn vec_state(x: &Tensor) -> Tensor {
    let mut v: Vec<(Tensor, Tensor)> = (0..3).map(|i| (x + i as f32, x * i as f32)).collect();
    let mut i = tf::constant(0);
    'o: while i < 4 {
        for k in 0..v.len() {
            if &v[k].0 > 4.0 {
                v[k].0 = &v[k].0 * 0.5;
                if &v[k].1 > 5.0 {
                    break 'o;
                }
            } else {
                v[k].1 = &v[k].1 + &v[k].0;
            }
        }
        i = i + 1;
    }
    v.iter().fold(tf::constant(0.0), |s, (a, b)| s * 0.5 + a * b)
}
/// `return` from a loop in a closure, with an option.
#[tf_function]
fn early_in_nested_closure(x: &Tensor) -> Tensor {
    let find = |start: Tensor| -> Option<Tensor> {
        let mut y = start;
        for k in 1..5 {
            if &y > k as f32 * 3.0 {
                return Some(y);
            }
            y = y * 2.0;
        }
        Some(-y)
    };
    find(x.clone()).unwrap() + find(x + 1.0).unwrap()
}
/// Values of a `match` that are branches; variables set later, with a structure.
#[tf_function]
fn match_value(x: &Tensor, k: usize) -> Tensor {
    let (a, b) = match k {
        0 => {
            if x > 0.0 {
                (x * 1.0, x * 2.0)
            } else {
                (x * 3.0, x * 4.0)
            }
        }
        _ => (x.clone(), x.clone()),
    };
    let c;
    let d;
    if a > b {
        c = a.clone();
        d = Some(b.clone());
    } else {
        c = b.clone();
        d = Some(a.clone());
    }
    c * d.unwrap()
}
/// Returns of a structure out of a loop.
#[tf_function]
fn while_with_return_value(x: &Tensor) -> (Tensor, Option<Tensor>) {
    let mut n = tf::constant(0);
    let mut y = x.clone();
    while n < 5 {
        if y > 10.0 {
            return (y, Some(x.clone()));
        }
        if y < -10.0 {
            return (n.cast(tf::DType::F32), Some(y));
        }
        y = y * -1.75;
        n += 1;
    }
    (x * 2.0, Some(y))
}

#[test]
fn one_in_another() {
    eager_vs_graph!(condition_effects(v, x); v = Variable::new(1.0); x in [1.5, 200.0]);
    eager_vs_graph!(deep(x, n); (x, n) in [(1.5, 6), (2.5, 5), (0.5, 0)]);
    eager_vs_graph!({ list_of_variables(vs, x) }; vs = vec![Variable::new(1.5), Variable::new(0.5)]; x in [1.5, 0.25]);
    eager_vs_graph!({ optional_variable(Some(v), x) }; v = Variable::new(1.5); x in [1.5, -0.25]);
    eager_vs_graph!({ optional_variable(None, x) }; x in [1.5, -0.25]);
    eager_vs_graph!(vec_state(x); x in [1.5, 0.25, -3.0]);
    eager_vs_graph!(early_in_nested_closure(x); x in [1.5, 0.25, -3.0]);
    eager_vs_graph!({ match_value(x, 0) }; x in [1.5, -2.0]);
    eager_vs_graph!(while_with_return_value(x); x in [1.5, 6.0, -7.0, 0.1]);
}
