//! Loops with jumps of all kinds.

use eagerflow::{self as tf, Tensor, tf_function};

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

/// The first pair whose product is the target, out of two loops at once.
#[tf_function]
fn pair(target: &Tensor) -> Tensor {
    let mut i = tf::constant(1);
    while i < 20 {
        let mut j = i.clone();
        while j < 20 {
            if &i * &j == target {
                return tf::stack(&[&i, &j], 0);
            }
            j = j + 1;
        }
        i = i + 1;
    }
    tf::constant([-1, -1])
}

#[tf_function]
fn labelled(limit: &Tensor) -> Tensor {
    let mut sum = tf::constant(0);
    'rows: for i in 0..10 {
        for j in 0..10 {
            if (&sum + j) > limit {
                continue 'rows;
            }
            if i > 5 {
                break 'rows;
            }
            sum = sum + j;
        }
    }
    sum
}

fn labelled_by_hand(limit: i32) -> i32 {
    let mut sum = 0;
    'rows: for i in 0..10 {
        for j in 0..10 {
            if (sum + j) > limit {
                continue 'rows;
            }
            if i > 5 {
                break 'rows;
            }
            sum += j;
        }
    }
    sum
}

#[tf_function]
fn fizzbuzz(n: &Tensor) -> Tensor {
    let mut fizz = tf::constant(0);
    let mut buzz = tf::constant(0);
    let mut other = tf::constant(0);
    for i in tf::range(1, n, 1) {
        if &i % 15 == 0 {
            fizz = fizz + 1;
            buzz = buzz + 1;
            continue;
        }
        if &i % 3 == 0 {
            fizz = fizz + 1;
        } else if &i % 5 == 0 {
            buzz = buzz + 1;
        } else {
            other = other + i;
        }
    }
    tf::stack(&[&fizz, &buzz, &other], 0)
}

#[tf_function]
fn newton(x: &Tensor) -> Tensor {
    let mut guess = x.clone();
    loop {
        let next = (&guess + x / &guess) / 2.0;
        let step = (&next - &guess).abs();
        guess = next;
        if step < 1e-6 {
            break;
        }
    }
    guess
}

#[tf_function]
fn found(values: &[Tensor], least: &Tensor) -> Tensor {
    for value in values {
        if value >= least {
            return value.clone();
        }
    }
    tf::constant(-1.0)
}

#[test]
fn runs() {
    assert_eq!(collatz(&tf::constant(27)).item::<i32>(), 111);
    assert_eq!(pair(&tf::constant(35)).to_vec::<i32>(), [5, 7]);
    assert_eq!(pair(&tf::constant(1000)).to_vec::<i32>(), [-1, -1]);
    for limit in [0, 3, 40, 1000] {
        assert_eq!(labelled(&tf::constant(limit)).item::<i32>(), labelled_by_hand(limit));
    }
    assert_eq!(fizzbuzz(&tf::constant(16)).to_vec::<i32>(), [5, 3, 60]);
    assert!((newton(&tf::constant(2.0)).item::<f32>() - 2f32.sqrt()).abs() < 1e-5);
    let values = [tf::constant(1.0), tf::constant(5.0)];
    assert_eq!(found(&values, &tf::constant(2.0)).item::<f32>(), 5.0);
    assert_eq!(found(&values, &tf::constant(9.0)).item::<f32>(), -1.0);
}
