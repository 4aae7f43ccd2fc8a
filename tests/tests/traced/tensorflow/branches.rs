//! Branches, and the logical operators in their conditions.

use super::{Twin, twin};
use eagerflow as tf;
use tf::{Tensor, tf_function};

pub const TWINS: &[Twin] = &[
    twin!(if_statement(x)),
    twin!(either_side(x)),
    twin!(else_if(x)),
    twin!(nested_if(x, y)),
    twin!(guarded_division(n)),
    twin!(guarded_root(x)),
    twin!(early_returns(x, y)),
    twin!(clip_to_unit(x)),
    twin!(huber(y, target)),
    twin!(switch(x, which)),
    twin!(lazy_and(n)),
    twin!(lazy_or(n)),
    twin!(logic(x, y)),
    twin!(any_and_all(x)),
];

#[tf_function]
fn if_statement(x: &Tensor) -> Tensor {
    let mut y = x * 2.0;
    if x > 1.0 {
        y = y * x;
    }
    y + 1.0
}

#[tf_function]
fn either_side(x: &Tensor) -> (Tensor, Tensor) {
    let mut big = tf::zeros_like(x);
    let mut small = tf::zeros_like(x);
    if x > 0.0 {
        big = x * 3.0;
    } else {
        small = x.square();
    }
    (big, small)
}

#[tf_function]
fn else_if(x: &Tensor) -> Tensor {
    let y = if x < -1.0 {
        x.square()
    } else if x < 1.0 {
        x * 0.5
    } else if x < 3.0 {
        x.exp()
    } else {
        4.0 * x
    };
    y * x
}

#[tf_function]
fn nested_if(x: &Tensor, y: &Tensor) -> Tensor {
    let mut z = x.clone();
    if x > y {
        if x > 10.0 {
            z = z - y;
        }
        z = z * 2.0;
    } else {
        let w = if y > 10.0 { y * x } else { y + x };
        z = w.tanh() + z;
    }
    z
}

#[tf_function]
fn guarded_division(n: &Tensor) -> Tensor {
    if n == 0 {
        return tf::constant(-1);
    }
    tf::floordiv(100, n)
}

#[tf_function]
fn guarded_root(x: &Tensor) -> Tensor {
    if x > 0.0 { x.sqrt() } else { x * 0.0 }
}

#[tf_function]
fn early_returns(x: &Tensor, y: &Tensor) -> Tensor {
    if x < 0.0 {
        if y < 0.0 {
            return x * y;
        }
        return y.clone();
    }
    let z = x + y;
    if z > 10.0 {
        return z.sqrt();
    }
    if y < 0.0 {
        return z.exp();
    }
    if x > 5.0 {
        return x - y;
    }
    z
}

#[tf_function]
fn clip_to_unit(x: &Tensor) -> Tensor {
    let norm = tf::reduce_sum(x.square(), ()).sqrt();
    if norm > 1.0 { x / norm } else { x.clone() }
}

#[tf_function]
fn huber(y: &Tensor, target: &Tensor) -> Tensor {
    let error = (y - target).abs();
    tf::reduce_mean(tf::where_(&tf::less(&error, 1.0), error.square() * 0.5, &error - 0.5), ())
}

#[tf_function]
fn switch(x: &Tensor, which: &Tensor) -> Tensor {
    if which == 0 {
        x.sin()
    } else if which == 1 {
        x.cos() * x
    } else if which == 2 {
        x.log()
    } else {
        -x
    }
}

#[tf_function]
fn lazy_and(n: &Tensor) -> Tensor {
    if n != 0 && tf::constant(12) / n > 3 {
        return n * 2;
    }
    n - 1
}

#[tf_function]
fn lazy_or(n: &Tensor) -> Tensor {
    if n == 0 || tf::constant(12) / n > 3 {
        return n * 2;
    }
    n - 1
}

#[tf_function]
fn logic(x: &Tensor, y: &Tensor) -> Tensor {
    if x > 0.0 && !(y > 1.0) || x == y {
        return x * y;
    }
    x - y
}

#[tf_function]
fn any_and_all(x: &Tensor) -> (Tensor, Tensor, Tensor) {
    let mut seen = tf::constant(false);
    let mut every = tf::constant(true);
    for value in x {
        if value > 2.0 {
            seen = tf::constant(true);
        }
        every = every && value > 0.0;
    }
    let doubled = tf::where_(&seen, x * 2.0, x);
    (seen, every, doubled)
}
