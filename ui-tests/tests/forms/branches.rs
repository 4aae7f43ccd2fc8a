//! `if` in all its places.

use crate::table;
use eagerflow as tf;
use tf::{Tensor, tf_function};

#[test]
fn if_statement() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        if x > 1.0 {
            y = y * 10.0;
        }
        y
    }
    table(f, &[(2.0, 20.0), (1.0, 1.0)]);
}

#[test]
fn if_else_statement() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let (mut a, mut b) = (x.clone(), x * 2.0);
        if x > 1.0 {
            a = a + 1.0;
        } else {
            b = b - 1.0;
        }
        a * b
    }
    table(f, &[(2.0, 12.0), (1.0, 1.0)]);
}

#[test]
fn if_expression() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = if x > 1.0 { x * 3.0 } else { x + 0.5 };
        y + if x > 5.0 { tf::constant(1.0) } else { tf::constant(2.0) }
    }
    table(f, &[(2.0, 8.0), (1.0, 3.5), (6.0, 19.0)]);
}

#[test]
fn else_if_chain() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        if x < 0.0 {
            -x
        } else if x < 1.0 {
            x * 2.0
        } else if x < 2.0 {
            x * 3.0
        } else {
            x.clone()
        }
    }
    table(f, &[(-1.0, 1.0), (0.5, 1.0), (1.5, 4.5), (4.0, 4.0)]);
}

#[test]
fn if_in_if() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = tf::constant(0.0);
        if x > 0.0 {
            y = y + 1.0;
            if x > 1.0 {
                y = y + 10.0;
                if x > 2.0 {
                    y = y + 100.0;
                }
            } else {
                y = y - 5.0;
            }
        }
        y
    }
    table(f, &[(-1.0, 0.0), (0.5, -4.0), (1.5, 11.0), (3.0, 111.0)]);
}

#[test]
fn if_of_host_and_graph() {
    #[tf_function]
    fn f(x: &Tensor, double: bool, times: usize) -> Tensor {
        let mut y = x.clone();
        if double && times > 1 {
            y = y * 2.0;
        } else if x > 1.0 {
            y = y + times as f32;
        }
        y
    }
    table(|x| f(x, true, 3), &[(2.0, 4.0), (0.5, 1.0)]);
    table(|x| f(x, false, 3), &[(2.0, 5.0), (0.5, 0.5)]);
}

#[test]
fn logic_is_lazy() {
    #[tf_function]
    fn f(x: &Tensor, n: &Tensor) -> Tensor {
        let mut y = x.clone();
        if n != 0 && 12 / n > 3 || !(x < 5.0) {
            y = y * 2.0;
        }
        y
    }
    table(|x| f(x, &tf::constant(0)), &[(2.0, 2.0), (6.0, 12.0)]);
    table(|x| f(x, &tf::constant(2)), &[(2.0, 4.0)]);
}

#[test]
fn block_as_expression() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = {
            let x = x * 2.0;
            if x > 2.0 { x - 1.0 } else { x }
        };
        y * { 3.0 } + x
    }
    table(f, &[(2.0, 11.0), (1.0, 7.0)]);
}

#[test]
fn deferred_let() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let (y, z);
        if x > 1.0 {
            y = x * 2.0;
            z = x.clone();
        } else {
            y = -x;
            z = tf::constant(1.0);
        }
        y + z
    }
    table(f, &[(2.0, 6.0), (1.0, 0.0)]);
}

#[test]
fn if_in_arguments_and_operands() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = tf::maximum(&if x > 0.0 { x.clone() } else { -x }, if x.rank() == 0 { 1.0 } else { 2.0 });
        [if x > 2.0 { y.clone() } else { &y * 2.0 }, y][0].clone() * 2.0
    }
    table(f, &[(-3.0, 12.0), (3.0, 6.0), (0.5, 4.0)]);
}
