//! `while`, `loop` and `for`, over all that they go over.

use crate::{same, table};
use eagerflow as tf;
use tf::data::Dataset;
use tf::{Tensor, TensorArray, tf_function};

#[test]
fn while_tensor_condition() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while y < 10.0 {
            y = y * 2.0;
        }
        y
    }
    table(f, &[(1.5, 12.0), (11.0, 11.0), (1.0, 16.0)]);
}

#[test]
fn while_host_condition() {
    #[tf_function]
    fn f(x: &Tensor, times: usize) -> Tensor {
        let (mut y, mut i) = (x.clone(), 0);
        while i < times {
            y = y + i as f32;
            i += 1;
        }
        y
    }
    table(|x| f(x, 4), &[(1.5, 7.5)]);
}

#[test]
fn while_block_condition() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while {
            y = y - 1.0;
            y > 0.0
        } {
            y = y - 1.0;
        }
        y
    }
    table(f, &[(5.0, 0.0), (4.0, -1.0), (-1.0, -2.0), (4.5, -0.5)]);
}

#[test]
fn loop_with_value() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        let steps = loop {
            y = y * 2.0;
            if y > 8.0 {
                break &y + 0.5;
            }
            if &y < -8.0 {
                break -&y;
            }
        };
        steps + x
    }
    table(f, &[(1.0, 17.5), (-3.0, 9.0)]);
}

#[test]
fn while_with_break_value_by_loop() {
    #[tf_function]
    fn f(x: &Tensor) -> (Tensor, Tensor) {
        let mut y = x.clone();
        let mut n = tf::constant(0);
        let found = loop {
            if !(&n < 5) {
                break tf::constant(false);
            }
            if y > 20.0 {
                break tf::constant(true);
            }
            y = &y * &y;
            n = n + 1;
        };
        (y, found)
    }
    let run = |x: f32| {
        same(|| {
            let (y, found) = f(&tf::constant(x));
            (y.item::<f32>(), found.item::<bool>())
        })
    };
    assert_eq!(run(2.0), (256.0, true));
    assert_eq!(run(1.0), (1.0, false));
}

#[test]
fn labelled_loops() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let (mut y, mut rounds) = (x.clone(), tf::constant(0.0));
        'outer: while y < 100.0 {
            rounds = rounds + 1.0;
            let mut inner = y.clone();
            'inner: loop {
                inner = inner + 1.0;
                if inner > 50.0 {
                    break 'outer;
                }
                if inner > 10.0 {
                    break 'inner;
                }
                if &inner < 3.0 {
                    y = y + 0.5;
                    continue 'outer;
                }
            }
            y = y * 3.0;
        }
        y + rounds * 1000.0
    }
    table(f, &[(1.0, 6054.0), (60.0, 1060.0)]);
}

#[test]
fn labelled_block() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = 'found: {
            if x > 2.0 {
                break 'found x * 2.0;
            }
            let y = x + 1.0;
            if y > 2.0 {
                break 'found y;
            }
            tf::constant(0.0)
        };
        y + 1.0
    }
    table(f, &[(3.0, 7.0), (1.5, 3.5), (0.0, 1.0)]);
}

#[test]
fn for_over_range() {
    #[tf_function]
    fn f(x: &Tensor, n: usize) -> Tensor {
        let mut y = x.clone();
        for i in (0..n).rev().step_by(2) {
            if &y < 10.0 {
                y = y + i as f32;
            }
        }
        y
    }
    table(|x| f(x, 5), &[(1.0, 7.0), (7.0, 11.0)]);
}

#[test]
fn for_over_tensor_range() {
    #[tf_function]
    fn f(x: &Tensor, n: &Tensor) -> Tensor {
        let mut y = x.clone();
        for i in tf::range(1, n, 1) {
            y = y + i.cast(tf::DType::F32) * x;
        }
        y
    }
    table(|x| f(x, &tf::constant(4)), &[(2.0, 14.0)]);
    table(|x| f(x, &tf::constant(1)), &[(2.0, 2.0)]);
}

#[test]
fn for_over_tensor_rows() {
    #[tf_function]
    fn f(rows: &Tensor) -> Tensor {
        let mut best = tf::constant(-1.0);
        for row in rows {
            let sum = tf::reduce_sum(row, ());
            if &sum > &best {
                best = sum;
            }
        }
        best
    }
    let rows = tf::constant([[1.0, 2.0], [4.0, 0.5], [0.0, 0.0]]);
    assert_eq!(same(|| f(&rows).item::<f32>()), 4.5);
}

#[test]
fn for_over_host_iterators() {
    #[tf_function]
    fn f(x: &Tensor, weights: &[f32], tensors: &Vec<Tensor>) -> Tensor {
        let mut y = x.clone();
        for (i, w) in weights.iter().enumerate() {
            if &y < 50.0 {
                y = y * *w + i as f32;
            }
        }
        for (t, _) in tensors.iter().zip(0..) {
            y = y + t;
        }
        y
    }
    let tensors = vec![tf::constant(1.0), tf::constant(2.0)];
    table(|x| f(x, &[2.0, 3.0], &tensors), &[(1.0, 10.0), (30.0, 63.0)]);
}

#[test]
fn for_over_dataset_outside() {
    #[tf_function]
    fn f(sum: &mut Tensor, batch: &Tensor) {
        if tf::reduce_max(batch, ()) > 2.0 {
            *sum = &*sum + tf::reduce_sum(batch, ());
        }
    }
    let run = || {
        let mut sum = tf::constant(0.0);
        for batch in &Dataset::from_tensor_slices(tf::constant([1.0, 2.0, 3.0, 4.0, 5.0])).batch(2) {
            f(&mut sum, &batch);
        }
        sum.item::<f32>()
    };
    assert_eq!(same(run), 12.0);
}

#[test]
fn tensor_array_in_loop() {
    #[tf_function]
    fn f(x: &Tensor, n: &Tensor) -> Tensor {
        let mut all = TensorArray::new(tf::DType::F32, n);
        let mut y = x.clone();
        for i in tf::range(0, n, 1) {
            y = y * 2.0;
            all = all.write(&i, &y);
        }
        all.stack()
    }
    let run = |n: i32| same(|| f(&tf::constant(1.0), &tf::constant(n)).to_vec::<f32>());
    assert_eq!(run(3), [2.0, 4.0, 8.0]);
    assert_eq!(run(5), [2.0, 4.0, 8.0, 16.0, 32.0]);
}

#[test]
fn loop_in_loop() {
    #[tf_function]
    fn f(n: &Tensor) -> Tensor {
        let mut count = tf::constant(0);
        for i in tf::range(0, n, 1) {
            let mut j = tf::constant(0);
            while j <= i {
                if (&i + &j) % 2 == 0 {
                    count = count + 1;
                }
                j = j + 1;
            }
        }
        count
    }
    assert_eq!(same(|| f(&tf::constant(4)).item::<i32>()), 6);
}
