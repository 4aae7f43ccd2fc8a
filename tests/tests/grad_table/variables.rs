//! The rule of reading a variable: its gradient is that of the value read, to the second order.
//! Samples are made of tensors, so variables are tried here.

use eagerflow as tf;
use eagerflow::__testing::flip_rule;
use tf::{GradientTape, Variable};

fn slopes() -> (f32, f32) {
    let v = Variable::new(3.0);
    let outer = GradientTape::new();
    let inner = GradientTape::new();
    let cube = &v * &v * &v;
    let slope = inner.gradient(&cube, &v);
    let curvature = outer.gradient(&slope, &v);
    (slope.item(), curvature.item())
}

#[test]
fn reads_carry_the_gradient() {
    flip_rule(None);
    assert_eq!(slopes(), (27.0, 18.0));
    flip_rule(Some(("read_variable", 0)));
    assert_ne!(slopes(), (27.0, 18.0), "a wrong sign in the rule would be noticed");
    flip_rule(None);
}
