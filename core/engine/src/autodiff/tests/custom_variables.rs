//! `#[custom_gradient]` functions of variables: as parameters, inside of models, and forgotten.
//! Their closures answer pairs of variables and gradients.

use super::item;
use crate as tf;
use crate::{GradientTape, Tensor, Variable, custom_gradient};

#[custom_gradient]
fn affine(x: &Tensor, w: &Variable) -> Tensor {
    (x * w, move |dy: &Tensor| (dy * w * 2.0, dy * x * 3.0))
}

#[custom_gradient]
fn reads(x: &Tensor, model: &Model) -> Tensor {
    let w = model.w.clone();
    let y = x * &w;
    (y, move |dy: &Tensor| (dy * &w, [(w.clone(), dy * x * 5.0)]))
}

struct Model {
    w: Variable,
}

impl Model {
    #[custom_gradient]
    fn call(&self, x: &Tensor) -> Tensor {
        let w = self.w.clone();
        (x * &self.w, |dy| (dy * w.value(), vec![(w.clone(), dy * x * 7.0)]))
    }

    #[custom_gradient]
    fn forgets(&self, x: &Tensor) -> tf::Result<Tensor> {
        let y = tf::try_multiply(x, &self.w)?;
        Ok((y, |dy| dy.clone()))
    }
}

#[test]
fn variables_as_parameters_and_inside() {
    let (x, model) = (tf::constant(2.0), Model { w: Variable::with(3.0, "weights", true) });
    let run = |f: &dyn Fn() -> Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = f();
        assert_eq!(item(&y), 6.0);
        let (dx, dw) = tape.gradient(&y, (&x, &model.w));
        (item(&dx), item(&dw))
    };
    assert_eq!(run(&|| affine(&x, &model.w)), (6.0, 6.0));
    assert_eq!(run(&|| reads(&x, &model)), (3.0, 10.0));
    assert_eq!(run(&|| model.call(&x)), (3.0, 14.0));
}

#[test]
fn a_forgotten_variable_is_named() {
    let (x, model) = (tf::constant(2.0), Model { w: Variable::with(3.0, "weights", true) });
    // Nobody asks for a gradient: nothing is missing.
    assert_eq!(item(&model.forgets(&x).unwrap()), 6.0);
    let _tape = GradientTape::new();
    let error = model.forgets(&x).unwrap_err().to_string();
    assert!(error.contains("forgets") && error.contains("weights"), "{error}");
    assert!(error.contains(file!()), "{error}");
    // A variable that is not trainable needs none.
    let still = Model { w: Variable::with(3.0, "still", false) };
    assert!(still.forgets(&x).is_ok());
}
