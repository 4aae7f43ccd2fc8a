use eagerflow::{self as tf, layers::Dense};

fn main() {
    let dense = Dense::new(1);
    tf::build(&dense, "batch", |dense, x| dense.call(x));
}
