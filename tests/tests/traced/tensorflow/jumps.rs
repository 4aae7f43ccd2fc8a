//! `break`, `continue` and `return` in loops; the script has flags where AutoGraph takes no `return`.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{DType, Tensor, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(break_and_continue(limit)),
    twin!(not_the_rest(x)),
    twin!(return_from_a_loop(x)),
    twin!(pair(target)),
    twin!(is_prime(n)),
    twin!(product_until_negative(x)),
    twin!(sum_of_positives(x)),
    twin!(binary_search(x, wanted)),
    twin!(running_maximum(x)),
];

#[tf_function]
fn break_and_continue(limit: &Tensor) -> (Tensor, Tensor) {
    let (mut total, mut skipped) = (tf::constant(0), tf::constant(0));
    let mut i = tf::constant(0);
    while i < 50 {
        i += 1;
        if &i % 3 == 0 {
            skipped += 1;
            continue;
        }
        total = total + &i;
        if &total > limit {
            break;
        }
        total += 1;
    }
    (total, skipped)
}

#[tf_function]
fn not_the_rest(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 5 {
        if y > 4.0 {
            y = y + 0.5;
            break;
        }
        y = y * 1.5;
        i += 1;
    }
    y
}

#[tf_function]
fn return_from_a_loop(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 10 {
        y = y * x;
        if y > 50.0 {
            return y + 0.25;
        }
        i += 1;
    }
    -y
}

#[tf_function]
fn pair(target: &Tensor) -> (Tensor, Tensor) {
    let mut i = tf::constant(1);
    while i < 20 {
        let mut j = i.clone();
        while j < 20 {
            if &i * &j == target {
                return (i, j);
            }
            j += 1;
        }
        i += 1;
    }
    (tf::constant(-1), tf::constant(-1))
}

#[tf_function]
fn is_prime(n: &Tensor) -> Tensor {
    if n < 2 {
        return tf::constant(false);
    }
    let mut d = tf::constant(2);
    while &d * &d <= n {
        if n % &d == 0 {
            return tf::constant(false);
        }
        d += 1;
    }
    tf::constant(true)
}

#[tf_function]
fn product_until_negative(x: &Tensor) -> Tensor {
    let mut product = tf::constant(1.0).cast(DType::F64);
    for value in x {
        if value < 0.0 {
            break;
        }
        product = product * value;
    }
    product
}

#[tf_function]
fn sum_of_positives(x: &Tensor) -> Tensor {
    let mut total = tf::constant(0.0).cast(DType::F64);
    for value in x {
        if value < 0.0 {
            continue;
        }
        total = total + value.square();
    }
    total
}

#[tf_function]
fn binary_search(x: &Tensor, wanted: &Tensor) -> Tensor {
    let mut low = tf::constant(0);
    let mut high = tf::shape(x).at(0);
    while low < high {
        let middle = (&low + &high) / 2;
        if x.at(&middle) == wanted {
            return middle;
        }
        if x.at(&middle) < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    tf::constant(-1)
}

#[tf_function]
fn running_maximum(x: &Tensor) -> (Tensor, Tensor) {
    let mut best = x.at(0);
    let mut at = tf::constant(0);
    for i in tf::range(1, tf::shape(x).at(0), 1) {
        if x.at(&i) > best {
            best = x.at(&i);
            at = i;
        }
    }
    (best, at)
}
