//! Variables that are moved away in front of branches and jumps and given a value again in them: what rustc accepts of the
//! function as it stands, it accepts of the traced one.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// What follows branches that both leave is for rustc alone: it may name what they have moved.
#[tf_function]
#[allow(unreachable_code)]
fn moved_before_nothing(x: &Tensor) -> Tensor {
    let a = x * 2.0;
    let mut b = x.clone();
    loop {
        b = &b * 2.0;
        if &b > 3.0 {
            let taken = b;
            if x > 2.0 {
                return taken + a;
            } else {
                b = a;
                break;
            }
            b = &b + &a;
        } else {
            continue;
        }
        b = b + &a;
    }
    b.sin()
}

/// Given a value again in front of a `break`.
#[tf_function]
fn given_before_a_break(x: &Tensor) -> Tensor {
    let a = x * 2.0;
    let mut b = x.clone();
    loop {
        b = &b * 2.0;
        let taken = b;
        if &taken < 3.0 {
            b = taken;
        } else {
            b = &a + taken;
            break;
        }
        b = b + 1.0;
    }
    b.sin()
}

/// All jumps at once, and a value given late.
#[tf_function]
fn given_before_jumps(x: &Tensor, n: &Tensor) -> Tensor {
    let mut b = x.clone();
    let mut out;
    for i in tf::range(0, n, 1) {
        let taken = b;
        if &i == 2 {
            b = taken.sin();
            if x > 1.0 {
                continue;
            }
            let again = b;
            if x > 0.0 {
                b = again.cos();
            } else {
                b = again;
                break;
            }
        } else if &i == 3 {
            b = taken.tanh();
            return b;
        } else {
            b = &taken * 1.5;
        }
        b = b + 0.25;
    }
    if x > 0.5 {
        out = b;
    } else {
        out = x.clone();
        return out * 2.0;
    }
    out = out + 1.0;
    out
}

/// A value of both branches, of which one breaks with it; moved behind the loop.
#[tf_function]
fn taken_along(x: &Tensor) -> (Tensor, Tensor) {
    let mut a = x.clone();
    let mut b = x * 0.5;
    loop {
        let late;
        b = &b + 1.0;
        if &b < &(x + 3.0) {
            a = &b * 2.0;
            late = a.sin();
        } else {
            a = b.cos();
            break;
        }
        b = &b + late.square();
    }
    let kept = a;
    a = &kept + 1.0;
    (kept, a)
}

/// The same where a branch continues and the next round asks first.
#[tf_function]
fn asked_first(x: &Tensor) -> Tensor {
    let mut a = x.clone();
    let mut rounds = tf::constant(0);
    loop {
        rounds = rounds + 1;
        let late;
        if &a < 2.0 {
            a = x + rounds.cast(tf::DType::F32);
            late = a.tanh();
        } else {
            a = x * 0.5 - rounds.cast(tf::DType::F32);
            if &rounds > 5 {
                break;
            }
            continue;
        }
        a = &a + late;
    }
    let c = a;
    c * 2.0
}

/// A variable that is assigned once on each way.
#[tf_function]
fn assigned_once(x: &Tensor) -> Tensor {
    let a;
    let taken = x * 3.0;
    if x > 1.0 {
        a = taken;
    } else if x > 0.0 {
        a = taken.sin();
    } else {
        a = taken;
        return a * 2.0;
    }
    a + 1.0
}

#[test]
fn moves() {
    eager_vs_graph!(moved_before_nothing(x); x in [1.0, 8.0, 0.25]);
    eager_vs_graph!(given_before_a_break(x); x in [1.0, 8.0, 0.25]);
    eager_vs_graph!(given_before_jumps(x, n); (x, n) in [(-1.0, 5), (0.25, 3), (0.75, 4), (2.0, 3), (2.0, 5), (2.0, 0)]);
    eager_vs_graph!(taken_along(x); x in [2.0, 0.5, -1.0]);
    eager_vs_graph!(asked_first(x); x in [2.0, 0.5, -1.0]);
    eager_vs_graph!(assigned_once(x); x in [2.0, 0.5, -1.0]);
}
