//! Forms that must compile, without a warning.
#![deny(warnings, clippy::all)]

use eagerflow::{self as tf, Result, Tensor, Variable, custom_gradient};

#[custom_gradient]
pub(crate) fn guide(x: &Tensor) -> Tensor {
    let e = x.exp();
    ((1.0 + &e).log(), move |dy: &Tensor| dy * (1.0 - 1.0 / (1.0 + &e)))
}

/// Documented, generic, with a lifetime and a `where` clause.
#[custom_gradient]
#[must_use]
pub fn generic<'a, T>(mut x: Tensor, list: &'a [Tensor], by: T, name: &str) -> (Tensor, Tensor)
where
    T: Into<f64> + Copy + 'static,
{
    x += &list[0];
    let rest = name.len() as f64 * &list[1];
    ((x, rest), move |da, db| (da * by.into(), vec![da * by.into(), db * name.len() as f64]))
}

#[custom_gradient]
fn early(x: &Tensor, how: bool) -> Result<Tensor> {
    if how {
        return Ok((x.try_add(x)?, |dy| dy * 2.0));
    }
    let gradient = |dy: &Tensor| -> Result<Tensor> { tf::try_multiply(dy, x) };
    Ok((x.try_multiply(x)?, gradient))
}

#[custom_gradient]
fn matched(x: &Tensor, n: usize) -> Tensor {
    match n {
        0 => (x * 1.0, |dy| dy * 1.0),
        1 => {
            let y = x * 2.0;
            (y, |dy| dy * 2.0)
        }
        _ => panic!("no"),
    }
}

fn helper(x: &Tensor) -> (Tensor, impl Fn(&Tensor) -> Tensor + use<>) {
    (x * 2.0, |dy: &Tensor| dy * 2.0)
}

#[custom_gradient]
fn by_helper(x: &Tensor) -> Tensor {
    helper(x)
}

fn free(dy: &Tensor) -> Tensor {
    dy * 2.0
}

#[custom_gradient]
unsafe fn by_function(x: &Tensor) -> Tensor {
    (x * 2.0, free)
}

struct Model {
    w: Variable,
}

trait Call {
    fn call(&self, x: &Tensor) -> Tensor;
}

impl Call for Model {
    #[custom_gradient]
    fn call(&self, x: &Tensor) -> Tensor {
        let w = self.w.clone();
        (x * &w, move |dy: &Tensor| (dy * &w, [(w.clone(), dy * x)]))
    }
}

impl Model {
    #[custom_gradient]
    fn nothing(&mut self, x: Option<&Tensor>, y: [&Variable; 2]) -> [Tensor; 2] {
        self.w = Variable::new(2.0);
        let z = y[0] * x.map_or(1.0, |x| x.item::<f32>());
        ([z.clone(), z], |dys: &[Tensor]| ((), [Some(dys[0].clone()), None]))
    }
}

// A name of the user's that generated code could clash with.
#[custom_gradient]
fn names(call: &Tensor, parts: f32) -> Tensor {
    let kept_call = call * parts;
    (kept_call, move |outputs| outputs * call * parts)
}

#[test]
fn runs() {
    let x = tf::constant(2.0);
    let mut model = Model { w: Variable::new(3.0) };
    let _ = guide(&x);
    let _ = generic(x.clone(), &[x.clone(), x.clone()], 2.0f32, "ab");
    let _ = (early(&x, true), matched(&x, 1), by_helper(&x), model.call(&x), names(&x, 2.0));
    let _ = model.nothing(None, [&Variable::new(1.0), &Variable::new(2.0)]);
    // SAFETY: it does nothing unsafe.
    let _ = unsafe { by_function(&x) };
}
