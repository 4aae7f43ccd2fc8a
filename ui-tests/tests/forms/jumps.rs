//! `return`, `break`, `continue` and `?`, out of everything that they leave.

use crate::{same, table};
use eagerflow as tf;
use tf::{Error, Tensor, tf_function};

#[test]
fn early_return() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        if x > 1.0 {
            return x * 2.0;
        }
        let y = x + 10.0;
        if y < 5.0 {
            return -y;
        }
        y
    }
    table(f, &[(2.0, 4.0), (0.0, 10.0), (-7.0, -3.0)]);
}

#[test]
fn return_from_both_branches() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        if x > 1.0 {
            return x * 2.0;
        } else {
            return x * 3.0;
        }
    }
    table(f, &[(2.0, 4.0), (0.5, 1.5)]);
}

#[test]
fn return_from_loop() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        for i in tf::range(0, 10, 1) {
            if y > 20.0 {
                return i.cast(tf::DType::F32);
            }
            y = y * 2.0;
        }
        -y
    }
    table(f, &[(3.0, 3.0), (0.0, 0.0), (-1.0, 1024.0)]);
}

#[test]
fn return_from_nested_loops() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while y < 100.0 {
            for k in 0..3 {
                loop {
                    y = y + k as f32 + 1.0;
                    if y > 40.0 {
                        return y;
                    }
                    if &y % 2.0 == 0.0 {
                        break;
                    }
                }
            }
        }
        x * 0.0
    }
    table(f, &[(1.0, 41.0), (200.0, 0.0)]);
}

#[test]
fn return_of_unit() {
    #[tf_function]
    fn f(sum: &mut Tensor, x: &Tensor) {
        if x > 1.0 {
            *sum = &*sum + x;
            return;
        }
        *sum = -x;
    }
    let run = |x: f32| {
        same(|| {
            let mut sum = tf::constant(10.0);
            f(&mut sum, &tf::constant(x));
            sum.item::<f32>()
        })
    };
    assert_eq!((run(2.0), run(0.5)), (12.0, -0.5));
}

#[test]
fn break_and_continue() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let (mut i, mut sum) = (tf::constant(0), x.clone());
        while &i < 100 {
            i = i + 1;
            if &i % 3 == 0 {
                continue;
            }
            if sum > 20.0 {
                break;
            }
            sum = sum + i.cast(tf::DType::F32);
        }
        sum * 100.0 + i.cast(tf::DType::F32)
    }
    table(f, &[(0.0, 2710.0), (30.0, 3001.0)]);
}

#[test]
fn question_mark_on_result() {
    #[tf_function]
    fn f(x: &Tensor, text: &str) -> Result<Tensor, Error> {
        let by: f32 = text.parse().map_err(|_| Error::invalid_argument("f", "no number"))?;
        let y = x.try_add(tf::constant(by))?;
        if y > 5.0 {
            return Ok(y * 2.0);
        }
        Ok(y)
    }
    table(|x| f(x, "1.5").unwrap(), &[(1.0, 2.5), (4.5, 12.0)]);
    assert!(same(|| f(&tf::constant(1.0), "x").unwrap_err().to_string()).contains("no number"));
}

#[test]
fn question_mark_on_option() {
    #[tf_function]
    fn f(x: &Tensor, all: &[f32]) -> Option<Tensor> {
        let by = all.first()?;
        if x > 1.0 {
            return Some(x * *by);
        }
        Some(x.clone())
    }
    table(|x| f(x, &[4.0]).unwrap(), &[(2.0, 8.0), (0.5, 0.5)]);
    assert!(same(|| f(&tf::constant(1.0), &[]).is_none()));
}

#[test]
fn let_else_that_returns() {
    #[tf_function]
    fn f(x: &Tensor, by: Option<f32>) -> Tensor {
        let Some(by) = by else {
            if x > 0.0 {
                return x * 10.0;
            }
            return -x;
        };
        x * by
    }
    table(|x| f(x, None), &[(2.0, 20.0), (-2.0, 2.0)]);
    table(|x| f(x, Some(3.0)), &[(2.0, 6.0)]);
}
