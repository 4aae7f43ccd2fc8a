//! Traced functions on a GPU: clusters as one kernel, gradients, branches and loops, variables.
//! Results are those of the CPU; the emulation's counters say how many kernels ran.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{GradientTape, Tensor, Variable, tf_function};

fn close(got: &Tensor, want: &Tensor) {
    assert_eq!((got.shape(), got.dtype()), (want.shape(), want.dtype()));
    for (a, b) in got.to_vec::<f32>().iter().zip(want.to_vec::<f32>()) {
        assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{got} {want}");
    }
}

fn numbers(n: usize, seed: f32) -> Tensor {
    Tensor::from((0..n).map(|i| (i as f32 * 0.37 + seed).sin() * 2.0).collect::<Vec<_>>())
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(&((a * b + c).tanh() * a.sigmoid() - (-(b * b)).exp()), 0)
}

#[test]
fn a_formula_is_few_kernels() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 7, 1000, 70_001] {
        let here = [numbers(n, 0.0), numbers(n, 1.0), numbers(n, 2.0)];
        let there = here.each_ref().map(|t| t.gpu());
        let want = formula(&here[0], &here[1], &here[2]);
        let first = formula(&there[0], &there[1], &there[2]);
        assert_eq!(first.device().to_string(), "/device:GPU:0");
        close(&first, &want);
        if let Some(emulation) = gpu.emulation {
            emulation.reset_counters();
            formula(&there[0], &there[1], &there[2]).item::<f32>();
            let counted = emulation.counters();
            assert!(counted.launches <= 2 && counted.host_to_device == 0, "{counted:?}");
        }
    }
}

#[test]
fn gradients_of_a_traced_function() {
    let Some(_gpu) = gpu() else { return };
    let here = [numbers(5000, 0.0), numbers(5000, 1.0), numbers(5000, 2.0)];
    let gradients = |x: &[Tensor; 3]| {
        let mut tape = GradientTape::new();
        x.iter().for_each(|x| tape.watch(x));
        let y = formula(&x[0], &x[1], &x[2]);
        let (a, b, c) = tape.gradient(&y, (&x[0], &x[1], &x[2]));
        [a, b, c]
    };
    let (want, got) = (gradients(&here), gradients(&here.each_ref().map(|t| t.gpu())));
    got.iter().zip(&want).for_each(|(got, want)| close(got, want));
}

#[tf_function]
fn wander(x: &Tensor, rounds: &Tensor) -> (Tensor, Tensor) {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < rounds {
        if tf::reduce_sum(&x, 0) > 0.0 {
            x = &x * 0.5 - 0.3;
        } else {
            x = &x + 1.0;
        }
        i = i + 1;
    }
    (x, i)
}

#[test]
fn branches_and_loops() {
    let Some(_gpu) = gpu() else { return };
    let x = numbers(9, 0.5);
    for rounds in [0, 1, 6] {
        let rounds = tf::constant(rounds);
        let ((want, n), (got, m)) = (wander(&x, &rounds), wander(&x.gpu(), &rounds));
        close(&got, &want);
        assert_eq!(n.item::<i32>(), m.item::<i32>());
    }
}

#[tf_function]
fn descend(w: &Variable, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean(&(w * x - 1.0).square(), 0);
    let dw = tape.gradient(&loss, w);
    w.assign_sub(&(dw * 0.1));
    loss
}

#[test]
fn variables_change_on_the_device() {
    let Some(_gpu) = gpu() else { return };
    let x = numbers(33, 0.25);
    let here = Variable::new(tf::ones([33]));
    let want: Vec<f32> = (0..4).map(|_| descend(&here, &x).item()).collect();
    let _there = tf::device("/gpu:0").unwrap();
    let there = Variable::new(tf::ones([33]));
    let got: Vec<f32> = (0..4).map(|_| descend(&there, &x).item()).collect();
    for (a, b) in got.iter().zip(&want) {
        assert!((a - b).abs() < 1e-5, "{got:?} {want:?}");
    }
    assert_eq!(there.value().device().to_string(), "/device:GPU:0");
    close(&there.value(), &here.value());
}
