//! Whole programs: recurrent networks, training, searches, differentiated loops.

use eagerflow::{self as tf, GradientTape, Tensor, Variable, tf_function};

/// The dynamic RNN of TensorFlow's guide.
#[tf_function]
fn rnn(cell: &Variable, data: &Tensor, state: &Tensor) -> (Tensor, Tensor) {
    let data = tf::transpose(data, [1, 0, 2]);
    let mut state = state.clone();
    let mut total = tf::zeros_like(&state);
    for i in tf::range(0, 3, 1) {
        let x = tf::gather(&data, &i, 0);
        state = tf::tanh(x.matmul(cell) + &state);
        total = total + &state;
    }
    (state, total)
}

/// Variables written in a loop that is left early.
#[tf_function]
fn effects(v: &Variable, x: &Tensor) -> Tensor {
    let mut i = tf::constant(0);
    while i < 3 {
        v.assign_add(x);
        if v.value() > 5.0 {
            println!("large: {} in round {i}", v.value());
            break;
        }
        i = i + 1;
    }
    i
}

/// A tape around a loop.
#[tf_function]
fn slope(x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let mut y = x.clone();
    while y < 100.0 {
        y = &y * &y;
    }
    tape.gradient(&y, x)
}

/// A list filled by a host loop.
#[tf_function]
fn list(x: &Tensor, n: usize) -> Vec<Tensor> {
    let mut out = Vec::new();
    let mut y = x.clone();
    for i in 0..n {
        if y > 3.0 {
            y = y - 1.0;
        }
        y = y + i as f32;
        out.push(y.clone());
    }
    out
}

/// Out of a loop over rows.
#[tf_function]
fn search(xs: &Tensor, target: &Tensor) -> Tensor {
    let mut at = tf::constant(0);
    for x in xs {
        if &x == target {
            return at;
        }
        at = at + 1;
    }
    tf::constant(-1)
}

/// A condition that a closure computes.
#[tf_function]
fn checked(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let limit = 3.0;
    let check = |t: &Tensor| t > limit && t < 50.0;
    while check(&y) {
        y = y * 1.5;
    }
    y
}

/// One step of training, with a host switch.
#[tf_function]
fn step(w: &Variable, x: &Tensor, y: &Tensor, clip: bool) -> Tensor {
    let tape = GradientTape::new();
    let loss = (x * w - y).square().mean();
    let mut g = tape.gradient(&loss, w);
    if clip && tf::abs(&g) > 1.0 {
        g = tf::sign(&g);
    }
    w.assign_sub(&g * 0.1);
    loss
}

#[test]
fn runs() {
    let cell = Variable::new([[0.1f32, 0.2], [0.3, 0.4]]);
    let (state, total) = rnn(&cell, &tf::ones([2, 3, 2]), &tf::zeros([2, 2]));
    let (mut h, mut sum) = (tf::zeros([2, 2]), tf::zeros([2, 2]));
    for _ in 0..3 {
        h = tf::tanh(tf::ones([2, 2]).matmul(&cell) + &h);
        sum = sum + &h;
    }
    assert_eq!(state.to_vec::<f32>(), h.to_vec::<f32>());
    assert_eq!(total.to_vec::<f32>(), sum.to_vec::<f32>());

    let v = Variable::new(0.0f32);
    assert_eq!(effects(&v, &tf::constant(2.0)).item::<i32>(), 2);
    assert_eq!(v.value().item::<f32>(), 6.0);
    assert_eq!(effects(&v, &tf::constant(-2.0)).item::<i32>(), 3);
    assert_eq!(v.value().item::<f32>(), 0.0);

    // y = x^8
    assert_eq!(slope(&tf::constant(3.0)).item::<f32>(), 8.0 * 3f32.powi(7));
    let values: Vec<f32> = list(&tf::constant(3.0), 3).iter().map(|t| t.item()).collect();
    assert_eq!(values, [3.0, 4.0, 5.0]);
    let xs = tf::constant([5.0, 6.0, 7.0]);
    assert_eq!(search(&xs, &tf::constant(6.0)).item::<i32>(), 1);
    assert_eq!(search(&xs, &tf::constant(8.0)).item::<i32>(), -1);
    assert_eq!(checked(&tf::constant(10.0)).item::<f32>(), 50.625);
    assert_eq!(checked(&tf::constant(2.0)).item::<f32>(), 2.0);
    let w = Variable::new(0.0f32);
    let (x, y) = (tf::constant([1.0, 2.0]), tf::constant([3.0, 6.0]));
    let first = step(&w, &x, &y, true).item::<f32>();
    for _ in 0..60 {
        step(&w, &x, &y, true);
    }
    assert!(first > 20.0 && step(&w, &x, &y, false).item::<f32>() < 1e-3);
}
