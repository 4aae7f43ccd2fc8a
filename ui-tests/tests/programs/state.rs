//! State that only one branch needs, and state that jumps out of nested branches take along.

use eagerflow::{self as tf, Tensor, tf_function};

/// Changed by one branch, read by the other, needed by nobody afterwards.
#[tf_function]
fn read_by_the_other(x: &Tensor) -> Tensor {
    let mut a = x.clone();
    if &a % 2 == 1 {
        a = &a + 10;
        return &a * 2;
    } else {
        return &a * 3;
    }
}

/// Left by a jump out of an inner branch, while the outer one goes on.
#[tf_function]
fn out_of_an_inner_branch(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for i in 0..3 {
        if &y > 3 {
            if &y > 9 {
                break;
            }
            y = y + i;
        }
        y = y + 1;
    }
    y
}

fn by_hand(mut y: i32) -> i32 {
    for i in 0..3 {
        if y > 3 {
            if y > 9 {
                break;
            }
            y += i;
        }
        y += 1;
    }
    y
}

/// Another choice in each round, kept by reference.
#[tf_function]
fn through_a_reference(x: &Tensor) -> Tensor {
    let mut pair = (x.clone(), x.clone());
    let side = &mut pair;
    let mut n = tf::constant(0);
    while &n < 4 {
        n += 1;
        if &n % 2 == 0 {
            side.0 += &n;
            continue;
        }
        side.1 -= &n;
    }
    pair.0 * 100 + pair.1
}

#[test]
fn runs() {
    assert_eq!(read_by_the_other(&tf::constant(3)).item::<i32>(), 26);
    assert_eq!(read_by_the_other(&tf::constant(4)).item::<i32>(), 12);
    for y in 0..12 {
        assert_eq!(out_of_an_inner_branch(&tf::constant(y)).item::<i32>(), by_hand(y));
    }
    assert_eq!(through_a_reference(&tf::constant(0)).item::<i32>(), 596);
}
