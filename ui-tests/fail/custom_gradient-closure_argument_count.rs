use eagerflow::{Tensor, custom_gradient};

#[custom_gradient]
fn both(x: &Tensor) -> (Tensor, Tensor) {
    ((x * 2.0, x * 3.0), |dy: &Tensor| dy * 2.0)
}

#[custom_gradient]
fn list(x: &Tensor) -> Vec<Tensor> {
    (vec![x * 2.0, x * 3.0], |da: &Tensor, db: &Tensor| da + db)
}

fn main() {}
