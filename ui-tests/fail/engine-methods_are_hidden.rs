//! What the library asks of tensors, sizes and errors beside the public surface is no method of the user's.

use eagerflow as tf;

fn main() {
    let x = tf::ones([2]);
    println!("{:?}", x.ty());
    println!("{}", x.shape().dim(0).bits());
    println!("{}", tf::Error::internal("f", "what").named("g"));
}
