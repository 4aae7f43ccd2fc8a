use eagerflow::{self as tf};

fn main() {
    let x = tf::constant([1.0, 2.0]);
    let _ = tf::stack(&x, 0);
}
