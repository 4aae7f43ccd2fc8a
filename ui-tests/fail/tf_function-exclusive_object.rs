use eagerflow::{Tensor, tf_function};

#[tf_function]
fn collect(all: &mut dyn Iterator<Item = Tensor>, x: &Tensor) {
    let _ = (all.next(), x);
}

fn main() {}
