//! Under another name, as a crate that re-exports the library sees it.

mod mine {
    pub use eagerflow as tf;
}

use mine::tf::{Module, Nest, Tensor, Variable, custom_gradient, tf_function};

#[custom_gradient(crate = crate::reexport::mine::tf)]
fn double(x: &Tensor) -> Tensor {
    (x * 2.0, |dy: &Tensor| dy * 2.0)
}

#[derive(Module)]
#[module(crate = mine::tf)]
struct Dense {
    kernel: Variable,
}

#[derive(Nest)]
#[nest(crate = mine::tf)]
struct State {
    h: Tensor,
}

#[tf_function(crate = crate::reexport::mine::tf)]
fn step(state: &State, x: &Tensor) -> State {
    let mut h = state.h.clone();
    while &h < x && x > 0.0 {
        h = h + 1.0;
        println!("{h}");
    }
    State { h }
}

#[test]
fn runs() {
    let _ = double(&mine::tf::constant(1.0));
    let state = State { h: mine::tf::constant(0.5) };
    assert_eq!(step(&state, &mine::tf::constant(2.0)).h.item::<f32>(), 2.5);
    assert_eq!(Dense { kernel: Variable::new(1.0) }.variables().len(), 1);
}
