//! What the library has of its engine is no name of the user's.

use eagerflow as tf;

fn shown(_: &dyn tf::Op) {}

fn main() {
    tf::execute(&tf::ones([2]));
}
