//! Data sets beside real `tf.data`: elements, cardinalities and errors of every source and step, at once and in traced loops.
//! `tests/golden/tf_data.py` has recorded what TensorFlow gives.

mod cases;
mod conformance;
mod memory;
mod threads;
