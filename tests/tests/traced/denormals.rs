//! Denormal numbers: products give zero in their place, at once and traced, and measured plans tell which steps met some. On the CPU:
//! a GPU keeps them, and has no such plans.
//! Part of the test binary `traced`.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// Products whose results are below the least normal number of `float32`, and beside it a sum.
#[tf_function]
fn fading(x: &Tensor, w: &Tensor) -> Tensor {
    let y = x.matmul(w);
    let y = tf::relu(y.matmul(w) + 1e-30);
    tf::reduce_sum(y, ())
}

#[test]
fn products_give_zeros() {
    let _cpu = tf::device("/cpu:0");
    let (x, w) = (tf::constant([[1e-20_f32, -2e-20]]), tf::constant([[1e-20_f32, 3e-18], [1e-20, 0.0]]));
    let y = x.matmul(&w);
    let values = y.to_vec::<f32>();
    assert_eq!(values[0].to_bits(), (-0.0_f32).to_bits());
    assert!((values[1] / 3e-38 - 1.0).abs() < 1e-5, "{values:?}");
    let eager = tf::config::with_eager_functions(|| fading(&x, &w)).item::<f32>();
    assert_eq!(fading(&x, &w).item::<f32>().to_bits(), eager.to_bits());
}

#[tf_function]
fn scaled(x: &Tensor, by: &Tensor) -> Tensor {
    tf::exp(x * by)
}

/// Long enough for all threads, whose notes come back to the thread that measures.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_measured_plan_tells_who_met_them() {
    let _cpu = tf::device("/cpu:0");
    let x = tf::ones([1 << 20]);
    let report = |by: f32| {
        tf::function(scaled).clear();
        tf::profile(|| (0..3).for_each(|_| drop(scaled(&x, &tf::constant(by)))));
        tf::function(scaled).plan().unwrap()
    };
    let usual = report(0.5);
    assert!(!usual.contains("denormal numbers") && !usual.contains("Denormal"), "{usual}");
    let small = report(1e-40);
    assert!(small.contains("denormal numbers in 3 of 3 runs"), "{small}");
    assert!(small.contains("Many processors are slow with them"), "{small}");
}

/// A number at the far end alone, which a worker may meet.
#[test]
#[cfg(target_arch = "x86_64")]
fn one_number_among_many_is_seen() {
    let _cpu = tf::device("/cpu:0");
    #[tf_function]
    fn tripled(x: &Tensor) -> Tensor {
        x * 3.0
    }
    for place in [0, (1 << 21) - 1] {
        let mut values = vec![1.0_f32; 1 << 21];
        values[place] = 1e-40;
        let x = tf::constant(values);
        tf::function(tripled).clear();
        tf::profile(|| (0..20).for_each(|_| drop(tripled(&x))));
        let plan = tf::function(tripled).plan().unwrap();
        assert!(plan.contains("denormal numbers in 20 of 20 runs"), "{place}: {plan}");
    }
}
