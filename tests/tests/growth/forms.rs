//! Loops of graphs that take a part of a tensor in each round, or change one: each is given to a macro as `name(rows, number) body`.
//! The tests of this folder count what a round costs, those of `cuda` ask it of a GPU, and `core/benches/growth.rs` measures its time.

/// Hands the loops of graphs to a macro: the body of a traced function of a tensor of rows, and of how many there are.
macro_rules! graph_forms {
    ($define:ident) => {
        $define! {
            rows_of_a_for(xs, _n) {
                let mut sum = tf::constant(0.0);
                for x in xs {
                    sum = sum + tf::reduce_sum(&x * &x, ());
                }
                sum
            }

            at(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    let x = xs.at(&i);
                    sum = sum + tf::reduce_sum(&x * &x, ());
                }
                sum
            }

            in_a_branch(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    if &i % 2 == 0 {
                        sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
                    }
                }
                sum
            }

            in_both_branches(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    if &i % 2 == 0 {
                        sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
                    } else {
                        sum = sum - tf::reduce_sum(xs.at(0) * xs.at(&i), ());
                    }
                }
                sum
            }

            in_an_inner_loop(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    for _ in tf::range(0, &tf::minimum(n, 2), 1) {
                        sum = sum + tf::reduce_sum(tf::square(xs.at(&i)), ());
                    }
                }
                sum
            }

            gather(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(tf::gather(xs, &tf::reshape(&i, [1]), 0)), ());
                }
                sum
            }

            gather_of_columns(xs, n) {
                let mut sum = tf::constant(0.0);
                let turned = tf::transpose(xs, [1, 0]) * 2.0;
                for i in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(tf::gather(&turned, &tf::reshape(&i, [1]), 1)), ());
                }
                sum
            }

            gather_nd(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(tf::gather_nd(xs, &tf::reshape(&i, [1, 1]))), ());
                }
                sum
            }

            a_fixed_slice(xs, n) {
                let mut sum = tf::constant(0.0);
                for _ in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(xs.at(s![3..5, ..])), ());
                }
                sum
            }

            a_strided_slice(xs, n) {
                let mut sum = tf::constant(0.0);
                for _ in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(xs.at(s![2..10;3, 1..7;-2])), ());
                }
                sum
            }

            split(xs, n) {
                let mut sum = tf::constant(0.0);
                for _ in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(&tf::split(xs, [4, -1], 0)[0]), ());
                }
                sum
            }

            unstack(xs, n) {
                let mut sum = tf::constant(0.0);
                let few = xs.at(s![..10, ..]);
                for _ in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(&tf::unstack(&few, 0)[3]), ());
                }
                sum
            }

            pushed(xs, n) {
                let mut all = Vec::new();
                for i in tf::range(0, n, 1) {
                    all.push(tf::square(xs.at(&i)));
                }
                tf::reduce_sum(tf::stack(&all, 0), ())
            }

            scatter_update(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    let row = tf::square(tf::reshape(&all.at(&i), [1, WIDTH as isize]));
                    all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
                }
                tf::reduce_sum(&all, ())
            }

            scatter_add(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    let row = tf::square(tf::reshape(&xs.at(&i), [1, WIDTH as isize]));
                    all = tf::tensor_scatter_nd_add(&all, &tf::reshape(&i, [1, 1]), &row);
                }
                tf::reduce_sum(&all, ())
            }

            a_tape_on_each_row(xs, n) {
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    let x = xs.at(&i);
                    let mut tape = GradientTape::new();
                    tape.watch(&x);
                    let y = tf::reduce_sum(&x * &x * &x, ());
                    let slope = tape.gradient(&y, &x);
                    sum = sum + tf::reduce_sum(slope, ());
                }
                sum
            }

            rows_moved_within_a_tensor(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    let row = tf::reshape(&all.at(0), [1, WIDTH as isize]);
                    all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
                }
                tf::reduce_sum(tf::square(&all), ())
            }

            rows_exchanged(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    let (first, here) = (all.at(0), all.at(&i));
                    all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &tf::expand_dims(&first, 0));
                    all = tf::tensor_scatter_nd_update(&all, &tf::constant([[0]]), &tf::expand_dims(tf::sin(&here), 0));
                }
                tf::reduce_sum(tf::square(&all), ())
            }

            update_in_a_branch(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    let first = all.at(1);
                    if &i % 2 == 0 {
                        let row = tf::sin(tf::expand_dims(&all.at(&i), 0));
                        all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
                    }
                    all = tf::tensor_scatter_nd_add(&all, &tf::reshape(&i, [1, 1]), &tf::expand_dims(&first, 0));
                }
                tf::reduce_sum(tf::square(&all), ())
            }

            update_in_an_inner_loop(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    for _ in tf::range(0, &tf::minimum(n, 2), 1) {
                        let row = tf::sin(tf::expand_dims(&all.at(&i), 0));
                        all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &row);
                    }
                }
                tf::reduce_sum(tf::square(&all), ())
            }

            updates_alone(xs, n) {
                let mut all = xs * 1.0;
                for i in tf::range(0, n, 1) {
                    all = tf::tensor_scatter_nd_update(&all, &tf::reshape(&i, [1, 1]), &tf::ones([1, WIDTH]));
                }
                tf::reduce_sum(&all, ())
            }

            unstacked_list(xs, n) {
                let inputs = TensorArray::unstack(xs);
                let mut sum = tf::constant(0.0);
                for i in tf::range(0, n, 1) {
                    sum = sum + tf::reduce_sum(tf::square(inputs.read(&i)), ());
                }
                sum
            }

            list_in_a_branch(xs, n) {
                let mut all = TensorArray::new(DType::F32, n).write(0, &xs.at(0));
                for i in tf::range(1, n, 1) {
                    if &i % 2 == 0 {
                        let before = all.read(&(&i - 2));
                        all = all.write(&i, &tf::tanh(before));
                    } else {
                        all = all.write(&i, &xs.at(&i));
                    }
                }
                tf::reduce_sum(all.stack(), ())
            }

            list_read_back(xs, n) {
                let mut all = TensorArray::new(DType::F32, n).write(0, &xs.at(0));
                for i in tf::range(1, n, 1) {
                    let before = all.read(&(&i - 1));
                    all = all.write(&i, &(tf::tanh(before) + xs.at(&i)));
                }
                tf::reduce_sum(all.read(&(n - 1)), ())
            }

            map_fn(xs, _n) {
                tf::reduce_sum(tf::map_fn(|x| tf::reduce_sum(x * x, ()), xs), ())
            }

            foldl(xs, _n) {
                let sum = tf::foldl(|sum, x| tf::tanh(sum * 0.5 + x), xs, tf::zeros([8]));
                tf::reduce_sum(sum, ())
            }

            scan(xs, _n) {
                let sums = tf::scan(|sum, x| tf::tanh(sum * 0.5 + x), xs, tf::FirstRow, true);
                tf::reduce_sum(&sums * &sums, ())
            }

            while_loop(xs, n) {
                let start = (tf::constant(0), tf::constant(0.0));
                let next = |(i, sum): &(Tensor, Tensor)| (i + 1, sum + tf::reduce_sum(tf::square(xs.at(i)), ()));
                tf::while_loop(|(i, _)| i < n, next, start, None).1
            }

            recompute_grad(xs, n) {
                let mut sum = tf::constant(0.0);
                let square = tf::recompute_grad(|x: &Tensor| tf::reduce_sum(tf::square(tf::sin(x)), ()));
                for i in tf::range(0, n, 1) {
                    sum = sum + square(&xs.at(&i));
                }
                sum
            }

            a_tape_in_each_round(xs, n) {
                let mut sum = tf::reduce_sum(xs.at(0), ());
                for _ in tf::range(0, n, 1) {
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
pub(crate) use graph_forms;
