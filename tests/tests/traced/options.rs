//! The options of the attribute: what is declared of the arguments, names, limits of traces, exact sizes.

use eagerflow as tf;
use eagerflow_tests::sources::line_of_the_library;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{DType, Module, Nest, Tensor, Variable, tf_function};

/// What a call that is refused says.
fn refused<R>(call: impl FnOnce() -> R) -> String {
    let Err(error) = catch_unwind(AssertUnwindSafe(call)) else { panic!("the call is not refused") };
    error.downcast_ref::<String>().expect("a text").clone()
}

/// Sums of rows: any number of them.
#[tf_function(input_signature = [f32[_, 3], f32[]])]
fn rows(x: &Tensor, by: &Tensor) -> Tensor {
    let mut y = tf::reduce_sum(x, 1) * by;
    if tf::reduce_max(x, ()) > 5.0 {
        y = y - 1.0;
    }
    for row in x {
        y = y + tf::reduce_mean(row, ());
    }
    y
}

#[test]
fn one_trace_for_all_that_fit() {
    let by = tf::constant(2.0);
    for n in [4, 1, 0, 2, 7] {
        let x = tf::ones([n, 3]);
        let y = rows(&x, &by);
        assert_eq!(y.shape().dims(), [n]);
        assert_eq!(y.to_vec::<f32>(), vec![6.0 + n as f32; n]);
    }
    let info = tf::function(rows);
    assert_eq!(info.trace_count(), 1, "{:?} {:?}", info.reasons(), info.signatures());
    let text = refused(|| rows(&tf::ones([2, 4]), &by));
    assert!(text.contains("`x`") && text.contains("f32[2,4]") && text.contains("f32[_, 3]"), "{text}");
    let text = refused(|| rows(&tf::ones([3]), &by));
    assert!(text.contains("f32[3]") && text.contains("number of axes"), "{text}");
    let text = refused(|| rows(&tf::ones([2, 3]).cast(DType::F64), &by));
    assert!(text.contains("f64[2,3]") && text.contains("cast(DType::F32)"), "{text}");
    // The same operation by operation, and inside of another trace.
    let text = refused(|| tf::config::with_eager_functions(|| rows(&tf::ones([2, 4]), &by)));
    assert!(text.contains("input signature of `rows`"), "{text}");
    assert!(refused(|| around(&tf::ones([2, 4]))).contains("input signature of `rows`"));
    assert_eq!(around(&tf::ones([2, 3])).shape().dims(), [2]);
    assert_eq!(tf::function(rows).trace_count(), 1);
}

#[tf_function]
fn around(x: &Tensor) -> Tensor {
    rows(x, &tf::constant(1.0))
}

#[derive(Nest)]
struct Batch {
    images: Tensor,
    labels: Tensor,
}

#[derive(Module)]
struct Linear {
    weights: Variable,
}

impl Linear {
    /// A structure, a host value, and a size that two tensors share.
    #[tf_function(input_signature = [(f32[n, 2], i32[n]), _, f32[k, n]])]
    fn loss(&self, batch: &Batch, scale: f32, more: Tensor) -> Tensor {
        let logits = tf::matmul(&batch.images, &self.weights);
        let picked = tf::reduce_sum(logits, 1) * batch.labels.cast(DType::F32) * scale;
        tf::reduce_sum(picked + more, ())
    }
}

#[test]
fn structures_methods_and_shared_sizes() {
    let linear = Linear { weights: Variable::new([[1.0], [2.0]]) };
    let batch = |n: usize, m: usize| Batch { images: tf::ones([n, 2]), labels: tf::ones([m]).cast(DType::I32) };
    for (n, k) in [(3, 2), (1, 1), (5, 0)] {
        let loss = linear.loss(&batch(n, n), 2.0, tf::zeros([k, n]));
        assert_eq!(loss.item::<f32>(), 6.0 * (n * k) as f32);
    }
    assert_eq!(tf::function(Linear::loss).trace_count(), 1);
    let text = refused(|| linear.loss(&batch(3, 2), 2.0, tf::zeros([1, 3])));
    assert!(text.contains("`batch.1`") && text.contains("the size `n` is 3 in `batch.0`"), "{text}");
    let text = refused(|| linear.loss(&batch(3, 3), 2.0, tf::zeros([1, 4])));
    assert!(text.contains("`more`") && text.contains("f32[1,4]") && text.contains("f32[k, n]"), "{text}");
}

/// Gradients by open sizes, 1 among them, which broadcasts.
#[tf_function(input_signature = [f32[_, 2], f32[_, 2]])]
fn differences(x: &Tensor, y: &Tensor) -> Tensor {
    tf::reduce_mean((x - y).square(), ())
}

#[test]
fn gradients() {
    for (n, m) in [(3, 3), (3, 1), (1, 4), (2, 2)] {
        let (x, y) = (tf::ones([n, 2]) * 3.0, tf::ones([m, 2]));
        let run = |x: &Tensor, y: &Tensor| {
            let mut tape = tf::GradientTape::new();
            tape.watch(&[x, y]);
            let z = differences(x, y);
            let all = tape.gradient(&z, &vec![x, y]);
            (z, all.get(0).unwrap(), all.get(1).unwrap())
        };
        let eager = tf::config::with_eager_functions(|| run(&x, &y));
        let graph = run(&x, &y);
        assert_eq!(eager.0.item::<f32>(), graph.0.item::<f32>());
        assert_eq!((eager.1.to_vec::<f32>(), eager.1.shape()), (graph.1.to_vec::<f32>(), graph.1.shape()));
        assert_eq!((eager.2.to_vec::<f32>(), eager.2.shape()), (graph.2.to_vec::<f32>(), graph.2.shape()));
    }
    assert_eq!(tf::function(differences).trace_count(), 1);
}

/// A list with another number of tensors is no structure that was declared.
#[tf_function(input_signature = [(f32[_], f32[_])])]
fn two(all: &[Tensor]) -> Tensor {
    &all[0] + &all[1]
}

#[test]
fn the_number_of_tensors_is_declared() {
    let x = tf::constant([1.0, 2.0]);
    assert_eq!(two(&[x.clone(), x.clone()]).to_vec::<f32>(), [2.0, 4.0]);
    let text = refused(|| two(std::slice::from_ref(&x)));
    assert!(text.contains("`all`") && text.contains("1 tensor") && text.contains("2 tensors"), "{text}");
}

/// Under another name.
#[tf_function(name = "training/step")]
fn named(x: &Tensor) -> Tensor {
    x * 2.0
}

/// Two traces at most.
#[tf_function(max_traces = 2)]
fn few(x: &Tensor, by: i32) -> Tensor {
    x * by as f32
}

/// Every size has its trace.
#[tf_function(relax_shapes = false)]
fn exact(x: &Tensor) -> Tensor {
    x * 2.0
}

#[test]
fn names_and_limits() {
    let x = tf::constant([1.0, 2.0]);
    named(&x);
    let graph = tf::function(named).graph().unwrap();
    assert!(graph.contains("training/step"), "{graph}");

    for by in [1, 2, 3, 3, 2, 1] {
        assert_eq!(few(&x, by).to_vec::<f32>(), [by as f32, 2.0 * by as f32]);
    }
    let info = tf::function(few);
    assert_eq!((info.trace_count(), info.reasons().len()), (4, 2), "the first trace was dropped and made again");

    for n in [2, 3, 4, 3, 2] {
        exact(&tf::ones([n]));
    }
    let info = tf::function(exact);
    assert_eq!(info.trace_count(), 3);
    assert!(info.signatures().contains(&"x: f32[4]".to_owned()), "{:?}", info.signatures());
}

/// Sizes that depend on values, with work on both sides of them.
#[tf_function]
fn in_segments(x: &Tensor) -> Tensor {
    let y = tf::tanh(x * 2.0 + 1.0) * x;
    let z = tf::boolean_mask(&y, &y > 0.5, 0);
    let w = tf::exp(&z * 0.5) - &z;
    let mut sum = tf::constant(0.0);
    for row in tf::boolean_mask(&w, &w > 0.1, 0) {
        sum = sum + row.sin() * 2.0;
    }
    sum + tf::reduce_sum(&w, ())
}

#[tf_function]
fn planned(x: &Tensor) -> (Tensor, Tensor, Tensor) {
    (x * 2.0, tf::matmul(x, x), x.clone())
}

/// What a call runs is told with the user's lines, in segments too.
#[test]
fn plans() {
    assert_eq!(tf::function(in_segments).plan(), None);
    for factor in 1..4 {
        in_segments(&(tf::ones([5]) * factor as f32));
    }
    let plan = tf::function(in_segments).plan().unwrap();
    assert!(plan.starts_with("plan of in_segments in segments"), "{plan}");
    assert!(plan.contains("segment at tests/tests/traced/options.rs") && plan.contains("us/call"), "{plan}");
    assert!(plan.contains("boolean_mask") || plan.contains("by itself"), "{plan}");
    planned(&tf::ones([20, 20]));
    let whole = tf::function(planned).plan().unwrap();
    assert!(whole.contains("allocate"), "{whole}");
    for plan in [plan, whole] {
        assert_eq!(line_of_the_library(&plan), None, "{plan}");
    }
}
