//! Mistakes that users make with losses and metrics, and what they are told: both shapes, and the way out.
//! `cargo test -p eagerflow-tests --test keras` runs it.

use eagerflow as tf;
use tf::{Result, losses, metrics};

/// The message of what is refused, which is the panic's, too.
#[track_caller]
fn refused(what: Result<impl std::fmt::Debug>, words: &[&str]) {
    let message = what.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
    assert!(message.contains("keras/mistakes.rs"), "the line is the user's: {message}");
}

#[test]
fn with_losses() {
    let (three, wide, rows) = (tf::ones([3]), tf::ones([3, 2]), tf::ones([3, 4]));
    refused(losses::try_mean_squared_error(&three, &wide), &["labels [3], predictions [3, 2]", "expand_dims"]);
    refused(losses::MeanSquaredError::new().try_call(&wide, &rows, None), &["labels [3, 2], predictions [3, 4]"]);
    let classes = tf::constant([0, 1, 2]);
    refused(
        losses::CategoricalCrossentropy::new().try_call(&classes, &rows, None),
        &["labels [3], predictions [3, 4]", "Sparse", "one_hot"],
    );
    refused(
        losses::SparseCategoricalCrossentropy::new().try_call(&rows, &rows, None),
        &["labels [3, 4], predictions [3, 4]", "without `Sparse`"],
    );
    let logits = losses::SparseCategoricalCrossentropy::new().from_logits(true);
    refused(logits.try_call(tf::constant([0, 4, 1]), &rows, None), &["0..4"]);
    refused(logits.try_call(tf::constant([true, false, true]), &rows, None), &["bool[3]", "integers from 0"]);
    refused(losses::try_hinge(&classes, &classes), &["int32[3]", "cast"]);
    let text = tf::constant(["a", "b", "c"]);
    refused(losses::Poisson::new().try_call(text, &three, None), &["string[3]", "truth values"]);
    refused(
        losses::MeanSquaredError::new().try_call(&wide, &wide, Some(&tf::ones([2]))),
        &["[2] for losses [3]", "one weight per loss"],
    );
    let deep = tf::ones([3, 2, 5]);
    refused(
        losses::MeanSquaredError::new().try_call(&deep, &deep, Some(&three)),
        &["[3] for losses [3, 2]", "expand_dims"],
    );
    refused(losses::Huber::new().try_delta(-1.0), &["`delta`", "-1", "at least 0"]);
    refused(losses::BinaryCrossentropy::new().try_label_smoothing(1.5), &["`label_smoothing`", "1.5", "from 0 to 1"]);
    refused(losses::CategoricalGeneralizedCrossEntropy::new().try_q(1.0), &["`q`", "between, and not, 0 and 1"]);
    refused(losses::MeanSquaredError::new().try_dtype(tf::DType::I32), &["`dtype`", "int32", "floating-point"]);
    refused(losses::CTC::new().try_call(&three, &deep, None), &["int[batch, length]", "float[batch, frames, classes]"]);
    refused(losses::Circle::new().try_call(&classes, &three, None), &["float[batch, features]"]);
    refused(losses::try_get("mean_square_error"), &["no loss of this name", "`mean_squared_error`"]);
    refused(losses::try_get("accuracy"), &["`accuracy`", "tf::losses"]);
    refused(losses::CategoricalGeneralizedCrossEntropy::new().try_call(tf::constant([0, 9, 1]), &rows, None), &["9"]);
}

#[test]
fn with_metrics() {
    let (two, three, rows) = (tf::ones([2]), tf::ones([3]), tf::ones([3, 4]));
    refused(metrics::Accuracy::new().try_update(&two, &three), &["labels [2], predictions [3]"]);
    refused(metrics::CategoricalAccuracy::new().try_update(tf::constant([0, 1, 2]), &rows), &["Sparse", "one_hot"]);
    refused(metrics::SparseCategoricalAccuracy::new().try_update(&rows, &rows), &["labels [3, 4]", "without `Sparse`"]);
    refused(metrics::Precision::new().try_thresholds([0.5, 1.5]), &["`thresholds`", "[0.5, 1.5]", "from 0 to 1"]);
    refused(metrics::Precision::new().try_thresholds(vec![]), &["`thresholds`", "at least one"]);
    refused(metrics::Recall::new().class_id(4).try_update(&rows, &rows), &["class 4 of predictions [3, 4]"]);
    refused(metrics::Recall::new().class_id(0).try_update(&three, &three), &["[batch, classes]"]);
    refused(metrics::Recall::new().try_top_k(0), &["`top_k`", "at least 1"]);
    refused(
        metrics::TruePositives::new().try_update_state(&three, &three, Some(&two)),
        &["weights [2], predictions [3]", "one weight per example"],
    );
    refused(metrics::Mean::new("m").try_update_state(&three, Some(&two)), &["weights [2], values [3]"]);
    refused(metrics::MeanSquaredError::new().try_update_state(&rows, &rows, Some(&two)), &["weights [2], values [3]"]);
    refused(metrics::PrecisionAtRecall::try_new(1.2), &["`recall`", "1.2", "from 0 to 1"]);
    refused(metrics::AUC::new().try_num_thresholds(1), &["`num_thresholds`", "at least 2"]);
    refused(metrics::AUC::new().try_num_labels(3), &["`multi_label(true)`"]);
    let many = metrics::AUC::new().multi_label(true);
    refused(many.try_result(), &["no batch yet", "`num_labels`"]);
    refused(many.try_update(&three, &three), &["[batch, labels]"]);
    many.update_state(&rows, &rows);
    refused(many.try_update(tf::ones([3, 2]), tf::ones([3, 2])), &["another number of labels"]);
    refused(metrics::F1Score::new().try_result(), &["no batch yet"]);
    refused(metrics::F1Score::new().try_update(&three, &three), &["[batch, classes]"]);
    refused(metrics::F1Score::new().try_update_state(&rows, &rows, Some(&rows)), &["one weight per example"]);
    refused(metrics::FBetaScore::new().try_beta(0.0), &["`beta`", "above 0"]);
    refused(metrics::FBetaScore::new().try_threshold(0.0), &["`threshold`", "above 0, up to 1"]);
    refused(metrics::IoU::try_new(2, [2]), &["`target_class_ids`", "[2]", "not, 2"]);
    refused(metrics::MeanIoU::try_new(0), &["`num_classes`", "at least 1"]);
    refused(
        metrics::MeanIoU::new(4).try_update(&three, &rows),
        &["labels [3], predictions [3, 4]", "sparse_y_pred(false)"],
    );
    refused(metrics::R2Score::new().try_update(&three, &three), &["[batch, outputs]"]);
    refused(metrics::try_get("acuracy"), &["no metric of this name", "`accuracy`"]);
}
