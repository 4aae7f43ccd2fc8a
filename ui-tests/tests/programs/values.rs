//! Branches and loops as values: loops with `break`, branches that always leave, nesting, coercions.

use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn loop_value(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let z = loop {
        y = y * 2.0;
        if &y > 50.0 {
            break y.clone() + 1.0;
        }
    };
    z - y
}

/// A loop that only `return` leaves.
#[tf_function]
fn endless(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    loop {
        if &y > 50.0 {
            return y;
        }
        y = y * 2.0;
    }
}

/// Both branches leave.
#[tf_function]
fn both_leave(x: &Tensor) -> Tensor {
    if x > 0.0 {
        return x.clone();
    } else {
        return -x;
    }
}

/// A branch that leaves inside of an expression.
#[tf_function]
fn leaves_inside(x: &Tensor) -> Tensor {
    let y = 1.0 + if x > 0.0 { x.clone() } else { return -x };
    let z = (if y > 2.0 { y.clone() } else { x.clone() }) * 2.0;
    tf::maximum(&z, &if z > 0.0 { tf::constant(1.0) } else { tf::constant(2.0) })
}

/// Out of three loops at once, to each of them.
#[tf_function]
fn deep(x: &Tensor) -> Tensor {
    let mut count = tf::constant(0);
    'a: for i in 0..3 {
        'b: for j in 0..3 {
            let mut k = tf::constant(0);
            while k < 4 {
                k = k + 1;
                if &k + i == x {
                    continue 'b;
                }
                if &k * j > x {
                    continue 'a;
                }
                if &count > 30 {
                    break 'a;
                }
                count = count + 1;
            }
        }
    }
    count
}

fn deep_by_hand(x: i32) -> i32 {
    let mut count = 0;
    'a: for i in 0..3 {
        'b: for j in 0..3 {
            let mut k = 0;
            while k < 4 {
                k += 1;
                if k + i == x {
                    continue 'b;
                }
                if k * j > x {
                    continue 'a;
                }
                if count > 30 {
                    break 'a;
                }
                count += 1;
            }
        }
    }
    count
}

/// A boxed closure and a text of two kinds: types come from what is written.
#[tf_function]
fn coerced(x: &Tensor, c: &Tensor, name: &String) -> Tensor {
    let f: Box<dyn Fn(&Tensor) -> Tensor> = if c { Box::new(|t| t * 2.0) } else { Box::new(|t| t + 1.0) };
    let short: &str = if name.len() > 3 { name } else { "none" };
    f(x) + short.len() as f32
}

#[tf_function]
fn tuples(x: &Tensor) -> (Tensor, Tensor) {
    let mut state = (x.clone(), tf::constant(0));
    let mut o = Some(x.clone());
    while &state.0 < 100.0 {
        state.0 = &state.0 * 2.0;
        state.1 = &state.1 + 1;
        if let Some(y) = &mut o {
            if &state.0 > 20.0 {
                *y = &*y + 1.0;
            }
        }
    }
    let (a, b) = if &state.1 > 3 { state } else { (o.unwrap(), tf::constant(-1)) };
    (a, b)
}

#[tf_function]
fn eight_deep(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    if &y > 0.0 {
        if &y > 1.0 {
            while &y < 100.0 {
                if &y > 2.0 {
                    for i in 0..2 {
                        if &y > 3.0 {
                            if &y > 4.0 {
                                if &y > 90.0 {
                                    break;
                                }
                                y = y + i as f32;
                            }
                        }
                        y = y + 1.0;
                    }
                }
                y = y + 0.5;
            }
        }
    }
    y
}

#[test]
fn runs() {
    let x = tf::constant(3.0);
    assert_eq!(loop_value(&x).item::<f32>(), 1.0);
    assert_eq!(endless(&x).item::<f32>(), 96.0);
    assert_eq!(both_leave(&-&x).item::<f32>(), 3.0);
    assert_eq!(leaves_inside(&x).item::<f32>(), 8.0);
    assert_eq!(leaves_inside(&-&x).item::<f32>(), 3.0);
    for x in 0..8 {
        assert_eq!(deep(&tf::constant(x)).item::<i32>(), deep_by_hand(x));
    }
    // A graph does not choose between closures; operation by operation one branch runs.
    tf::config::run_functions_eagerly(true);
    assert_eq!(coerced(&x, &tf::constant(true), &"long name".to_string()).item::<f32>(), 15.0);
    tf::config::run_functions_eagerly(false);
    let (a, b) = tuples(&x);
    assert_eq!((a.item::<f32>(), b.item::<i32>()), (192.0, 6));
    assert!(eight_deep(&x).item::<f32>() > 90.0);
}
