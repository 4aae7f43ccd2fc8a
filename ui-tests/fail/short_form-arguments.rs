//! Arguments of short forms that do not exist, are missing, or are given twice.

use eagerflow as tf;

fn main() {
    let x = tf::ones([2, 3]);
    tf::softmax!(&x, axes = 0);
    tf::reduce_sum!(&x, 1, axis = 0);
    tf::one_hot!(&x);
    tf::argmax!(&x, 0, tf::int32, 4);
    tf::transpose!(x = &x, [1, 0]);
}
