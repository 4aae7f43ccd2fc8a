//! Under another name, as a crate that re-exports the library sees it.

mod mine {
    pub use eagerflow as tf;
}

use mine::tf::{Module, Tensor, Variable, custom_gradient};

#[custom_gradient(crate = crate::mine::tf)]
fn double(x: &Tensor) -> Tensor {
    (x * 2.0, |dy: &Tensor| dy * 2.0)
}

#[derive(Module)]
#[module(crate = mine::tf)]
struct Dense {
    kernel: Variable,
}

fn main() {
    let _ = double(&mine::tf::constant(1.0));
    assert_eq!(Dense { kernel: Variable::new(1.0) }.variables().len(), 1);
}
