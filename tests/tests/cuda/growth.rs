//! What a round costs that takes or changes a part of a tensor on a GPU: elements that kernels and copies touch, and their number.
//! The program `growth` asks the same of the CPU.

use eagerflow as tf;
use eagerflow_tests::cuda::{gpu, shares_segments};
use tf::__testing::moved;
use tf::{GradientTape, Tensor, tf_function};

/// Elements of a row.
pub const WIDTH: usize = 8;

fn rows(n: usize) -> Tensor {
    tf::reshape(tf::range(0.0, (n * WIDTH) as f32, 1.0), [n as isize, WIDTH as isize]) * 1e-3
}

pub fn gradient(f: impl Fn(&Tensor, usize) -> Tensor) -> impl Fn(&Tensor, usize) {
    move |xs, n| {
        let mut tape = GradientTape::new();
        tape.watch(xs);
        let y = f(xs, n);
        assert_eq!(tape.gradient(&y, xs).shape(), xs.shape());
    }
}

/// Asserts that a further round touches the same at 16, 48 and 120 rounds; at fewer where each buffer is an allocation of its own, which
/// is protected anew for each launch.
#[track_caller]
pub fn level(name: &str, step: impl Fn(&Tensor, usize)) {
    let Some(gpu) = gpu() else { return };
    if gpu.emulation.is_none() {
        return;
    }
    let _there = tf::device("/gpu:0");
    // The first size has a trace of its own; the second opens the one that is measured.
    [10, 12].into_iter().for_each(|n| step(&rows(n).gpu(), n));
    let rounds = if shares_segments() { [16, 48, 120] } else { [16, 20, 30] };
    let counts = rounds.map(|n| {
        let xs = rows(n).gpu();
        (0..3).for_each(|_| step(&xs, n));
        (n, moved(|| step(&xs, n)).1)
    });
    let each = |i: usize| {
        let ((few, before), (many, after)) = (counts[i], counts[i + 1]);
        let rounds = (many - few) as f64;
        ((after.bytes as f64 - before.bytes as f64) / rounds, (after.steps as f64 - before.steps as f64) / rounds)
    };
    let (first, later) = (each(0), each(1));
    let same = later.0 <= first.0 * 1.1 && later.1 <= first.1 + 0.1;
    assert!(same && first.0 > 0.0, "{name}: bytes and steps of a further round; {counts:?}");
}

fn total(n: usize, term: impl Fn(usize) -> Tensor) -> Tensor {
    (0..n).fold(tf::constant(0.0), |sum, i| sum + tf::reduce_sum(tf::square(term(i)), ()))
}

#[test]
fn rows_gathers_and_slices_operation_by_operation() {
    level("rows", gradient(|xs, n| total(n, |i| xs.at(i))));
    level("gather", gradient(|xs, n| total(n, |i| tf::gather(xs, &tf::constant([i as i32]), 0))));
    level("gather_nd", gradient(|xs, n| total(n, |i| tf::gather_nd(xs, &tf::constant([[i as i32]])))));
    level("split", gradient(|xs, n| total(n, |_| tf::split(xs, [4, -1], 0).swap_remove(0))));
}

#[test]
fn updates_of_a_tensor_that_is_given_up() {
    level(
        "tensor_scatter_nd_update",
        gradient(|xs, n| {
            let mut all = xs * 1.0;
            for i in 0..n {
                let row = tf::square(tf::reshape(&xs.at(i), [1, WIDTH as isize]));
                all = tf::tensor_scatter_nd_update(all, &tf::constant([[i as i32]]), &row);
            }
            tf::reduce_sum(&all, ())
        }),
    );
}

/// A loop that the device ends, in which a branch of the device's adds to one row or to another.
#[tf_function]
fn added_until(xs: &Tensor, limit: &Tensor) -> Tensor {
    let mut all = xs * 1.0;
    let mut total = limit * 0.0;
    while &total < limit {
        let row = tf::ones([1, WIDTH]);
        all = tf::tensor_scatter_nd_add(&all, &tf::constant([[1]]), &row);
        if tf::reduce_sum(all.at(1), ()) > 40.0 {
            all = tf::tensor_scatter_nd_update(&all, &tf::constant([[2]]), &row);
        } else {
            all = tf::tensor_scatter_nd_sub(&all, &tf::constant([[3]]), &row);
        }
        total = total + 1.0;
    }
    all
}

#[test]
fn captured_loops_and_branches_change_what_they_carry_where_it_lies() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let rounds = tf::constant(20.0f32);
    let copied = [100, 1000].map(|n| {
        let xs = tf::ones([n, WIDTH]);
        let expected = added_until(&xs, &rounds).to_vec::<f32>();
        let (xs, rounds) = (xs.gpu(), rounds.gpu());
        // The fourth call captures.
        (0..4).for_each(|_| drop(added_until(&xs, &rounds)));
        tf::config::synchronize("/gpu:0").unwrap();
        emulation.reset_counters();
        let got = added_until(&xs, &rounds);
        tf::config::synchronize("/gpu:0").unwrap();
        let counted = emulation.counters();
        assert_eq!(counted.graph_launches, 1, "{}", tf::function(added_until).plan().unwrap());
        assert_eq!(got.to_vec::<f32>(), expected);
        counted.device_to_device_bytes
    });
    let whole = (900 * WIDTH * 4) as u64;
    let times = (copied[1] - copied[0]) / whole;
    assert!(times <= 4, "20 rounds copy the tensor {times} times");
}

/// A branch of the device's that saves a tensor for its gradient and then changes a part of it.
#[tf_function]
fn saved_and_changed(xs: &Tensor, n: &Tensor) -> Tensor {
    let mut all = xs * 1.0;
    let mut total = tf::reduce_sum(xs.at(0), ());
    for i in tf::range(0, n, 1) {
        if tf::reduce_sum(all.at(1), ()) < 100.0 {
            let row = tf::sin(tf::expand_dims(all.at(&i), 0));
            all = tf::tensor_scatter_nd_update(&all, &tf::constant([[1]]), &row);
            total = total + tf::reduce_sum(tf::square(&all), ());
            all = tf::tensor_scatter_nd_update(&all, &tf::constant([[2]]), &(row * 2.0));
        }
    }
    total + tf::reduce_sum(tf::square(&all), ())
}

#[test]
fn a_branch_that_saves_a_tensor_and_changes_it_agrees_with_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    let slopes = |xs: &Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(xs);
        let y = saved_and_changed(xs, &tf::constant(4));
        (y.item::<f32>(), tape.gradient(&y, xs).to_vec::<f32>())
    };
    let xs = rows(6);
    let (y, expected) = slopes(&xs);
    let there = xs.gpu();
    for call in 0..6 {
        let (got, slope) = slopes(&there);
        let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(
            close((&got, &y)) && slope.iter().zip(&expected).all(close),
            "{call}: {got} {slope:?}, expected {y} {expected:?}"
        );
    }
}
