//! Data sets of files: records, lines, pieces, saved data sets and caches; their elements beside TensorFlow's, states at every element, damage.
//! `tests/golden/tf_files.py` has recorded what TensorFlow reads from the same bytes.

mod conformance;
mod csv;
mod damage;
mod exchange;
mod folder;
mod kept;
mod npy;
mod process;
mod states;
