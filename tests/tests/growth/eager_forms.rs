//! Loops that take a part of a tensor in each round, or change one, operation by operation: each is given to a macro as
//! `name(rows, number) body`. The tests of this folder count what a round costs and `core/benches/growth.rs` measures its time.

use eagerflow as tf;
use tf::Tensor;

/// The sum of the squares of so many tensors.
pub fn total(n: usize, term: impl Fn(usize) -> Tensor) -> Tensor {
    (0..n).fold(tf::constant(0.0), |sum, i| sum + tf::reduce_sum(tf::square(term(i)), ()))
}

/// An index as a vector.
pub fn index(i: usize) -> Tensor {
    tf::constant([i as i32])
}

/// Hands loops that run operation by operation to a macro: the body of a function of a tensor of rows, and of how many there are.
macro_rules! eager_forms {
    ($define:ident) => {
        $define! {
            rows(xs, n) {
                total(n, |i| xs.at(i))
            }

            gathered_rows(xs, n) {
                total(n, |i| tf::gather(xs, &index(i), 0))
            }

            map_fn(xs, _n) {
                tf::reduce_sum(tf::map_fn(|x| tf::reduce_sum(x * x, ()), xs), ())
            }

            folds(xs, _n) {
                let left = tf::foldl(|sum, x| tf::tanh(sum * 0.5 + x), xs, tf::zeros([8]));
                tf::reduce_sum(left + tf::foldr(|sum, x| tf::tanh(sum * 0.5 + x), xs, tf::FirstRow), ())
            }

            scan(xs, _n) {
                let sums = tf::scan(|sum, x| tf::tanh(sum * 0.5 + x), xs, tf::FirstRow, true);
                tf::reduce_sum(&sums * &sums, ())
            }

            while_loop(xs, n) {
                let start = (tf::constant(0), tf::constant(0.0));
                let next = |(i, sum): &(Tensor, Tensor)| (i + 1, sum + tf::reduce_sum(tf::square(xs.at(i)), ()));
                tf::while_loop(|(i, _)| tf::less(i, n as i32), next, start, None).1
            }

            recompute_grad(xs, n) {
                let square = tf::recompute_grad(|x: &Tensor| tf::reduce_sum(tf::square(tf::sin(x)), ()));
                (0..n).fold(tf::constant(0.0), |sum, i| sum + square(&xs.at(i)))
            }

            gathered_columns(xs, n) {
                let turned = tf::transpose(xs, [1, 0]) * 2.0;
                total(n, |i| tf::gather(&turned, &index(i), 1))
            }

            gathered_by_tuples(xs, n) {
                total(n, |i| tf::gather_nd(xs, &tf::reshape(&index(i), [1, 1])))
            }

            strided_slices(xs, n) {
                total(n, |_| xs.at(s![2..10;3, 1..7;-2]))
            }

            splits(xs, n) {
                total(n, |_| tf::split(xs, [4, -1], 0).swap_remove(0))
            }

            stacked_rows(xs, n) {
                tf::reduce_sum(tf::square(tf::stack(&(0..n).map(|i| xs.at(i)).collect::<Vec<_>>(), 0)), ())
            }

            updates_of_a_tensor_that_is_given_up(xs, n) {
                let mut all = xs * 1.0;
                for i in 0..n {
                    let row = tf::square(tf::reshape(&xs.at(i), [1, WIDTH as isize]));
                    all = tf::tensor_scatter_nd_update(all, &tf::reshape(&index(i), [1, 1]), &row);
                }
                tf::reduce_sum(&all, ())
            }

            list_read_back(xs, n) {
                let mut all = TensorArray::new(DType::F32, n as i32).write(0, &xs.at(0));
                for i in 1..n as i32 {
                    let before = all.read(i - 1);
                    all = all.write(i, &(tf::tanh(before) + xs.at(i)));
                }
                tf::reduce_sum(all.read(n as i32 - 1), ())
            }

            a_tape_in_each_round(xs, n) {
                let mut sum = tf::reduce_sum(xs.at(0), ());
                for _ in 0..n {
                    let mut tape = GradientTape::new();
                    tape.watch(&sum);
                    let y = &sum * &sum;
                    let slope = tape.gradient(&y, &sum);
                    sum = tf::tanh(sum * 0.5 + slope * 0.1);
                }
                sum
            }
        }
    };
}
pub(crate) use eager_forms;
