//! Operands and results of captured calls lie wherever the caller has them: kernels are told, and nothing is copied that a kernel
//! alone reads or writes. Results are those of the CPU, whatever is kept, cut, shared or returned as it came.

use crate::graphs::{CALLS, WARM, agree, numbers};
use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{Tensor, tf_function};

/// Calls a function on the GPU until it is captured, then some more times; copies within the device of each of these, and bytes
/// that came from the host, if they are counted.
fn copies_a_call(call: &dyn Fn() -> Vec<Tensor>) -> Option<(u64, u64)> {
    let gpu = gpu()?;
    let _there = tf::device("/gpu:0");
    (0..=WARM).for_each(|_| drop(call()));
    tf::config::synchronize("/gpu:0").unwrap();
    let emulation = gpu.emulation?;
    let before = emulation.counters();
    (0..10).for_each(|_| drop(call()));
    tf::config::synchronize("/gpu:0").unwrap();
    let now = emulation.counters();
    assert_eq!(now.graph_launches - before.graph_launches, 10, "each call starts one graph");
    let within = now.device_to_device - before.device_to_device;
    Some((within / 10, (now.host_to_device_bytes - before.host_to_device_bytes) / 10))
}

#[tf_function]
fn chain(a: &Tensor, b: &Tensor, _unused: &Tensor) -> Tensor {
    (a * b + b).tanh() * 0.5 + a
}

#[test]
fn what_kernels_alone_read_and_write_is_not_copied() {
    if gpu().is_none() {
        return;
    }
    let _there = tf::device("/gpu:0");
    let [a, b, c] = [1.0, 2.0, 3.0].map(|seed| numbers(1000, seed).gpu());
    let Some((copies, uploaded)) = copies_a_call(&|| vec![chain(&a, &b, &c)]) else { return };
    assert_eq!((copies, uploaded), (0, 0));
}

#[tf_function]
fn summed_later(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let z = x * y;
    (z.exp(), tf::reduce_sum(&z, ()))
}

/// The result of a call is an operand of the next one, and all results are kept: each call has other addresses.
#[test]
fn results_that_are_kept_stay_as_they_are() {
    let Some(gpu) = gpu() else { return };
    let call = |kept: &std::cell::RefCell<Vec<Tensor>>, i: usize| {
        let x = numbers(600, i as f32);
        let last = kept.borrow().last().map_or_else(|| x.clone(), |last| last * 0.01);
        let (z, sum) = summed_later(&x, &last);
        kept.borrow_mut().push(z.clone());
        vec![z, sum]
    };
    let started = agree(&gpu, &std::cell::RefCell::default, &call, &|kept| kept.borrow().clone());
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
}

/// Operands that begin anywhere within others, or lie in another order, or on the host; and one tensor for two operands.
#[test]
fn operands_lie_anywhere() {
    let Some(gpu) = gpu() else { return };
    let call = |(long, square): &(Tensor, Tensor), i: usize| {
        let cut = long.at(i as isize..i as isize + 64);
        let turned = tf::reshape(tf::transpose(square, &[1, 0]), [64]);
        let x = if i.is_multiple_of(2) { cut } else { turned };
        let here = numbers(64, i as f32);
        vec![chain(&x, &here, &x), chain(&x, &x, &x)]
    };
    let make = || (numbers(100, 1.0), tf::reshape(numbers(64, 2.0), [8, 8]));
    let started = agree(&gpu, &make, &call, &|(long, square)| vec![long.clone(), square.clone()]);
    assert_eq!(started, 2 * ((CALLS - 1) as u64 - WARM));
}

#[tf_function]
fn as_it_came(x: &Tensor, y: &Tensor) -> (Tensor, Tensor, Tensor, Tensor) {
    let z = x + y;
    (x.clone(), z.clone(), tf::transpose(tf::reshape(&z, [4, 16]), &[1, 0]), z)
}

/// Results that are operands, or one memory under several names.
#[test]
fn results_may_share_memory() {
    let Some(gpu) = gpu() else { return };
    let call = |(): &(), i: usize| {
        let (x, y) = (numbers(64, i as f32), numbers(64, -1.0));
        let (a, b, c, d) = as_it_came(&x, &y);
        vec![a, b, c, d, x]
    };
    let started = agree(&gpu, &|| (), &call, &|()| Vec::new());
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
}

#[tf_function]
fn by_the_library(x: &Tensor, w: &Tensor) -> Tensor {
    tf::matmul(x, w).relu() + 1.0
}

#[tf_function]
fn in_a_branch(x: &Tensor, y: &Tensor) -> Tensor {
    let mut z = x * 2.0;
    if tf::reduce_sum(x, ()) > 0.0 {
        z += y;
    }
    z * x
}

/// What the library reads, and what only a branch reads, is copied to where it was recorded; the rest is not.
#[test]
fn what_others_than_kernels_read_is_copied() {
    let Some(gpu) = gpu() else { return };
    let call = |(): &(), i: usize| {
        let (x, w) = (tf::reshape(numbers(64, i as f32), [8, 8]), tf::reshape(numbers(64, 9.0 - i as f32), [8, 8]));
        vec![by_the_library(&x, &w), in_a_branch(&x, &w)]
    };
    let started = agree(&gpu, &|| (), &call, &|()| Vec::new());
    assert_eq!(started, 2 * ((CALLS - 1) as u64 - WARM));
    drop(gpu);
    let _there = tf::device("/gpu:0");
    let [x, y] = [1.0, 2.0].map(|seed| numbers(500, seed).gpu());
    let Some((copies, _)) = copies_a_call(&|| vec![in_a_branch(&x, &y)]) else { return };
    assert!(copies > 0, "a branch reads where it was recorded to");
}

#[tf_function]
fn read_often(x: &Tensor) -> Tensor {
    let mut all = tf::zeros([8, 8]);
    for i in 0..12 {
        all = tf::softmax(x * (i as f32 + 1.0) + &all, -1);
    }
    all
}

/// A small operand of many kernels is copied once: that is less than telling all of them.
#[test]
fn operands_of_many_kernels_are_copied() {
    if gpu().is_none() {
        return;
    }
    let _there = tf::device("/gpu:0");
    let x = tf::reshape(numbers(64, 1.0), [8, 8]).gpu();
    let Some((copies, _)) = copies_a_call(&|| vec![read_often(&x)]) else { return };
    assert_eq!(copies, 1);
}

#[tf_function]
fn large(x: &Tensor, w: &Tensor) -> Tensor {
    tf::matmul(x, w)
}

/// A product alone, whose operands would be copied for it, is not captured.
#[test]
fn copies_that_take_longer_than_launches_are_not_made() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let (x, w) = (tf::zeros([4, 600_000]), tf::zeros([600_000, 2]));
    (0..=WARM + 1).for_each(|_| drop(large(&x, &w)));
    let plan = tf::function(large).plan().unwrap();
    assert!(plan.contains("copying operands and results would take longer"), "{plan}");
}
