//! Names of layers that are given none: Keras's for the kind, with a number from the second of a kind on.
//! Every layer's constructor takes one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The next name for a kind: `dense`, `dense_1`, `dense_2`.
pub(crate) fn next(kind: &'static str) -> String {
    static COUNTS: Mutex<BTreeMap<&'static str, usize>> = Mutex::new(BTreeMap::new());
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.entry(kind).or_insert(0);
    *count += 1;
    match *count - 1 {
        0 => kind.to_string(),
        number => format!("{kind}_{number}"),
    }
}
