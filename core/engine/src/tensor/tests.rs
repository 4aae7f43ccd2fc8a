//! The lines that tensors and symbols know.
//! Run by `cargo test` of this crate.

use super::{Tensor, TensorType};
use crate as tf;
use kernels::dtype::DType;

#[test]
fn a_symbol_outside_its_recording_names_where_it_was_recorded() {
    let symbol = Tensor::symbol(&TensorType::scalar(DType::F32));
    let error = tf::try_add(&symbol, 1.0).unwrap_err();
    let text = error.to_string();
    let here = format!("recorded at {}:", file!());
    assert!(matches!(error, tf::Error::FailedPrecondition(_)) && text.contains(&here), "{text}");
}

#[test]
fn tensors_know_the_line_that_made_them() {
    let x = tf::constant([1.0, 2.0]);
    let made = [&x + &x, &x * 2.0, tf::less(&x, 1.5), tf::reduce_sum(&x, 0), x.reshape([2, 1]), tf::zeros([3])];
    let lines = made.each_ref().map(|t| t.location());
    assert!(lines.iter().all(|line| line.file() == file!()), "{lines:?}");
}
