//! `embedding_lookup`: rows of a table by their numbers; the table's gradient stays rows, as long as nothing needs it whole.
//! TensorFlow's `tf.nn.embedding_lookup`; it is `gather` along axis 0.

use super::AsTensor;
use super::gather::try_gather;
use kernels::error::{OrFail, Result, OnTheWay};
use crate::tensor::Tensor;
use std::panic::Location;

/// The rows of `params` (a tensor or a variable) at `ids`; the result has the shape of the ids, then that of a row.
///
/// ```
/// use eagerflow as tf;
/// let table = tf::Variable::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let tape = tf::GradientTape::new();
/// let rows = tf::embedding_lookup(&table, &tf::constant([2, 0, 2]));
/// assert_eq!(rows.to_vec::<f32>(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
/// let gradients = tape.gradient(&rows, &[table][..]);
/// assert_eq!(gradients.rows(0).unwrap().indices.to_vec::<i32>(), [2, 0, 2]);
/// ```
///
/// # Panics
/// As [`try_embedding_lookup`] fails.
#[track_caller]
pub fn embedding_lookup(params: impl AsTensor, ids: impl AsTensor) -> Tensor {
    try_embedding_lookup(params, ids).or_fail()
}

/// The rows of `params` at `ids`.
///
/// # Errors
/// OutOfRange for an id outside the table, InvalidArgument for ids that are not integers or a table without rows.
#[track_caller]
pub fn try_embedding_lookup(params: impl AsTensor, ids: impl AsTensor) -> Result<Tensor> {
    // Which rows there are may be known only when the graph runs.
    crate::execute::note_said("gather", "embedding_lookup");
    let here = Location::caller();
    try_gather(params, ids, 0).map_err(|e| e.named("embedding_lookup").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn rows_stay_rows_through_a_variable_and_add_up_with_others() {
        let table = tf::Variable::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let tape = tf::GradientTape::new();
        let value = table.value();
        let y = tf::embedding_lookup(&value, &tf::constant([[2], [0]])) * 2.0;
        let z = tf::embedding_lookup(&table, &tf::constant([2]));
        let sum = y.sum() + z.sum();
        let gradients = tape.gradient(&sum, &[table.clone()][..]);
        let rows = gradients.rows(0).unwrap();
        assert_eq!(rows.values.shape(), [3, 2]);
        assert_eq!(gradients.get(0).unwrap().to_vec::<f32>(), [2.0, 2.0, 0.0, 0.0, 3.0, 3.0]);
        assert!(tf::try_embedding_lookup(&table, &tf::constant([3])).is_err());
    }
}
