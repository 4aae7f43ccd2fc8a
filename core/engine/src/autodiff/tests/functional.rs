//! The functional forms: orders, several parameters, variables, and what they refuse.

use super::item;
use crate as tf;
use crate::{Module, Tensor, Variable};

#[test]
fn first_to_third_derivative() {
    let f = |x: &Tensor| x * x * x * x;
    let first = tf::gradients_function(f);
    let second = tf::gradients_function(tf::gradients_function(f));
    let third = tf::gradients_function(|x: &Tensor| second(x));
    let x = tf::constant(2.0);
    assert_eq!([item(&first(&x)), item(&second(&x)), item(&third(&x))], [32.0, 48.0, 48.0]);
    assert_eq!(item(&first(&x)), 32.0, "it can be called again");
}

#[test]
fn several_parameters_and_captures() {
    let scale = Variable::new(10.0);
    let f = tf::value_and_gradients_function(|a: &Tensor, b: &Tensor, c: &Tensor| (a * b + c * c) * &scale);
    let (value, (da, db, dc)) = f(&tf::constant(2.0), &tf::constant(3.0), &tf::constant(4.0));
    assert_eq!([item(&value), item(&da), item(&db), item(&dc)], [220.0, 30.0, 20.0, 80.0]);
}

struct Line {
    w: Variable,
    b: Variable,
}

impl Module for Line {
    fn visit(&self, fields: &mut tf::Fields<'_>) {
        fields.field("w", &self.w);
        fields.field("b", &self.b);
    }
}

fn loss(model: &Line, x: &Tensor, y: &Tensor) -> Tensor {
    let error = x * &model.w + &model.b - y;
    tf::reduce_sum(&error * &error, ())
}

#[test]
fn implicit_gradients_train_a_line() {
    let model = Line { w: Variable::new(0.0), b: Variable::new(0.0) };
    let (x, y) = (tf::constant([0.0, 1.0, 2.0]), tf::constant([2.0, 5.0, 8.0]));
    let step = tf::implicit_value_and_gradients(loss);
    let mut last = f32::INFINITY;
    for _ in 0..200 {
        let (value, (gradients, variables)) = step(&model, &x, &y);
        assert_eq!(variables.len(), 2);
        for (i, variable) in variables.iter().enumerate() {
            variable.assign_sub(gradients.get(i).unwrap() * 0.1);
        }
        last = item(&value);
    }
    assert!(last < 1e-6, "{last}");
    assert!((item(&model.w.value()) - 3.0).abs() < 1e-2 && (item(&model.b.value()) - 2.0).abs() < 1e-2);
    let (gradients, variables) = tf::implicit_gradients(loss)(&model, &x, &y);
    let ids: Vec<u64> = variables.iter().map(Variable::id).collect();
    assert_eq!(ids, model.trainable_variables().iter().map(Variable::id).collect::<Vec<_>>());
    assert_eq!(gradients.len(), 2);
}

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(f).unwrap_err();
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn what_cannot_be_differentiated_is_said_at_the_users_line() {
    let text = message(|| {
        let f = tf::gradients_function(|x: &Tensor, y: &Tensor| x + y.cast(tf::DType::I32).cast(tf::DType::F32));
        let _ = f(&tf::constant(1.0), &tf::constant(2.0));
    });
    assert!(text.contains("source 1") && text.contains("cast") && text.contains(file!()), "{text}");
    let text = message(|| {
        let _ = tf::implicit_gradients(|x: &Tensor| x * 2.0)(&tf::constant(1.0));
    });
    assert!(text.contains("no trainable variable") && text.contains(file!()), "{text}");
}
