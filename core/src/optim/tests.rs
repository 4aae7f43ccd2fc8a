//! Steps against Keras's numbers (TensorFlow 2.21), dense and by rows, and what is said about gradients that are missing.
//! All optimizers share the checks before a step.

use super::gradients::missing;
use super::*;
use crate as tf;
use crate::Tensor;
use engine::library::{Cotangent, gradient_at};

/// Keras takes the powers of Adam's betas in `float32`, which costs it the last digits of `1 - beta^t`.
fn near(variable: &Variable, right: &[f32]) {
    let got = variable.value().to_vec::<f32>();
    assert!(
        got.iter().zip(right).all(|(a, b)| (a - b).abs() < 4e-6 * b.abs().max(1.0)) && got.len() == right.len(),
        "{got:?} not {right:?}"
    );
}

#[test]
fn keras_numbers() {
    let check = |optimizer: &dyn Optimizer, right: [f32; 3]| {
        let w = [Variable::new([1.0, 2.0, -3.0])];
        for g in [[0.5, -1.0, 0.0], [0.1, 2.0, -3.0], [-0.2, 0.3, 0.4]] {
            optimizer.apply_gradients(&[tf::constant(g)].into_iter().collect(), &w);
        }
        near(&w[0], &right);
        assert_eq!(optimizer.iterations().value().item::<i64>(), 3);
    };
    check(&SGD::new(0.1), [0.959_999_98, 1.869_999_9, -2.74]);
    check(&SGD::new(0.1).momentum(0.9), [0.865_499_97, 1.860_999_8, -2.47]);
    check(&SGD::new(0.1).momentum(0.9).nesterov(true), [0.838_949_98, 1.744_9, -2.262_999_8]);
    check(&Adam::new(0.1), [0.785_263_5, 2.026_841_4, -2.877_017_5]);
    check(&Adam::new(0.05).beta_1(0.8).beta_2(0.9).epsilon(1e-3), [0.897_709_13, 2.009_108, -2.938_302]);
}

/// A gradient of so many rows of a table, some of which may come twice.
fn rows(values: &Tensor, indices: &[i32]) -> Gradients {
    let table = [Variable::new(tf::zeros([3, 2]))];
    let tape = tf::GradientTape::new();
    let loss = tf::reduce_sum(tf::embedding_lookup(&table[0], tf::constant(indices.to_vec())) * values, ());
    let gradients = tape.gradient(&loss, &table[..]);
    assert!(matches!(gradient_at(&gradients, 0), Some(Cotangent::Rows(_))));
    gradients
}

#[test]
fn keras_numbers_for_rows() {
    let check = |optimizer: &dyn Optimizer, right: [f32; 6]| {
        let w = [Variable::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])];
        let three = tf::constant([[1.0, -1.0], [0.5, 0.5], [2.0, 1.0]]);
        for _ in 0..2 {
            optimizer.apply_gradients(&rows(&three, &[0, 2, 0]), &w);
        }
        optimizer.apply_gradients(&rows(&tf::ones([1, 2]), &[1]), &w);
        near(&w[0], &right);
    };
    check(&SGD::new(0.1), [0.4, 2.0, 2.9, 3.9, 4.9, 5.9]);
    check(&SGD::new(0.1).momentum(0.9), [-0.383, 2.0, 2.9, 3.9, 4.769_5, 5.769_5]);
    // The first row comes twice: Keras adds up the squares of its parts; a dense gradient would give 0.7227.
    check(&Adam::new(0.1), [0.627_965_6, 2.0, 2.936_119, 3.936_119, 4.722_703_5, 5.722_703_5]);
}

#[test]
fn other_dtypes() {
    for dtype in [tf::DType::F64, tf::DType::F16, tf::DType::BF16] {
        for optimizer in [&Adam::new(0.25) as &dyn Optimizer, &SGD::new(0.25).momentum(0.5)] {
            let w = [Variable::new(tf::ones([2]).cast(dtype))];
            optimizer.apply_gradients(&[tf::ones([2]).cast(dtype)].into_iter().collect(), &w);
            let moved = w[0].value().cast(tf::DType::F64).to_vec::<f64>();
            assert!(moved.iter().all(|x| (x - 0.75).abs() < 1e-4), "{dtype}: {moved:?}");
        }
    }
}

#[test]
fn the_rate_can_be_set() {
    let (optimizer, w) = (SGD::new(1.0), [Variable::new(0.0)]);
    let one: Gradients = [tf::constant(1.0)].into_iter().collect();
    optimizer.apply_gradients(&one, &w);
    optimizer.learning_rate().set(0.25);
    optimizer.apply_gradients(&one, &w);
    near(&w[0], &[-1.25]);
    assert_eq!(optimizer.learning_rate().get(), 0.25);
}

#[test]
fn missing_gradients_are_named() {
    let w = [Variable::with(1.0, "used", true), Variable::with(2.0, "unused", true), Variable::with(3.0, "cut", true)];
    let tape = tf::GradientTape::new();
    let loss = w[0].value().square();
    let gradients = tape.gradient(&loss, &w[..]);
    let optimizer = SGD::new(0.1);
    optimizer.apply_gradients(&gradients, &w);
    near(&w[0], &[0.8]);
    near(&w[1], &[2.0]);
    let text = missing("SGD", &gradients, 1, &w[1]);
    assert!(text.contains("'unused'") && text.contains("tape"), "{text}");

    let tape = tf::GradientTape::new();
    let loss = tf::cast(&tf::argmax(tf::reshape(&w[2], [1]), 0), tf::DType::F32);
    let gradients = tape.gradient(&loss, &w[2..]);
    let text = optimizer.try_apply_gradients(&gradients, &w[2..]).unwrap_err().to_string();
    assert!(text.contains("no variable has a gradient") && text.contains("argmax") && text.contains("'cut'"), "{text}");
    assert_eq!(optimizer.iterations().value().item::<i64>(), 1, "a refused step does not count");
}

#[test]
fn what_does_not_fit() {
    let (optimizer, w) = (Adam::new(0.1), [Variable::with([1.0, 2.0], "pair", true)]);
    let text =
        |list: Vec<Tensor>| optimizer.try_apply_gradients(&list.into_iter().collect(), &w).unwrap_err().to_string();
    assert!(text(vec![]).contains("0 gradients, 1 variables"));
    let wrong = text(vec![tf::ones([3])]);
    assert!(wrong.contains("float32[3]") && wrong.contains("float32[2]") && wrong.contains("pair"), "{wrong}");
    assert!(text(vec![Tensor::from([1.0f64, 2.0])]).contains("float64[2]"));
    near(&w[0], &[1.0, 2.0]);
}

#[test]
fn slots_belong_to_the_optimizer() {
    let (optimizer, w) = (Adam::new(0.1), [Variable::with([1.0], "w", true)]);
    optimizer.apply_gradients(&[tf::constant([1.0])].into_iter().collect(), &w);
    let names: Vec<_> = optimizer.variables().iter().map(|v| v.name().to_string()).collect();
    assert_eq!(names, ["adam/iterations", "learning_rate", "w/m", "w/v"]);
    assert!(optimizer.trainable_variables().is_empty());
}
