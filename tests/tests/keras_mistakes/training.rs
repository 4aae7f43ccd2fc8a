//! Mistakes with `compile`, `fit`, `evaluate` and `predict`: data, labels, weights, losses, callbacks.
//! `main.rs` runs the rows.

use super::{Row, rows};
use eagerflow as tf;
use tf::callbacks::{EarlyStopping, LearningRateScheduler, ModelCheckpoint, ReduceLROnPlateau, TerminateOnNaN};
use tf::data::Dataset;
use tf::layers::Dense;
use tf::losses::{CategoricalCrossentropy, SparseCategoricalCrossentropy};
use tf::metrics::MeanMetricWrapper;
use tf::optim::{SGD, schedules::ExponentialDecay};
use tf::training::{Compile, Evaluate, Fit, Predict, Trainer};
use tf::{Functional, Module, Sequential, Tensor};

/// A model of three classes for examples of two features.
fn classes() -> Trainer<Sequential> {
    let model = Sequential::new((Dense::new(4).activation("relu"), Dense::new(3).name("head")));
    model.compile(SGD::new(0.1), SparseCategoricalCrossentropy::new().from_logits(true))
}

/// A model of one number.
fn line() -> Trainer<Sequential> {
    Sequential::new((Dense::new(1).name("head"),)).compile(SGD::new(0.1), "mse")
}

/// A model of two numbers from one input.
fn two() -> Functional<Tensor, (Tensor, Tensor)> {
    let a = tf::input([2]).name("a");
    let (one, two) = (Dense::new(1).name("one").call(&a), Dense::new(1).name("two").call(&a));
    Functional::new(&a, (&one, &two))
}

fn x() -> Tensor {
    tf::ones([4, 2])
}

fn y() -> Tensor {
    tf::zeros([4, 1])
}

fn quiet<'a>() -> Fit<'a> {
    Fit::new().verbose(0)
}

#[rustfmt::skip]
pub fn rows() -> Vec<Row> {
    rows! {
        "one-hot labels for a sparse loss": {
            classes().try_fit((&x(), &tf::ones([4, 3])), quiet())
        } => ["labels [4, 3], predictions [4, 3]", "without `Sparse`"];
        "class numbers for a loss of one-hot labels": {
            let model = Sequential::new((Dense::new(3),)).compile(SGD::new(0.1), CategoricalCrossentropy::new());
            model.try_fit((&x(), &tf::constant([0, 1, 2, 0])), quiet())
        } => ["labels [4], predictions [4, 3]", "Sparse", "one_hot"];
        "a class that the model does not have": {
            classes().try_fit((&x(), &tf::constant([0, 1, 2, 3])), quiet().shuffle(false))
        } => ["label number 3", "got: 3", "0..3"];
        "classes by name": {
            classes().try_fit((&x(), &tf::constant(["a", "b", "c", "a"])), quiet())
        } => ["string[4]", "integers from 0"];
        "targets of another shape than the output": {
            line().try_fit((&x(), &tf::ones([4, 2])), quiet())
        } => ["labels [4, 2], predictions [4, 1]", "reshape"];
        "a metric that does not fit the labels": {
            let trainer = classes().metrics(["categorical_accuracy"]);
            trainer.try_fit((&x(), &tf::constant([0, 1, 2, 0])), quiet())
        } => ["labels [4], predictions [4, 3]", "Sparse"];
        "more inputs than targets": {
            line().try_fit((&x(), &tf::zeros([3, 1])), quiet())
        } => ["fit", "3 in a target, 4 before", "as many targets"];
        "no examples": {
            line().try_fit((&tf::ones([0, 2]), &tf::ones([0, 1])), quiet())
        } => ["fit", "0 examples", "at least one"];
        "an empty data set": {
            let data = Dataset::from_tensor_slices((x(), y())).batch(2).take(0);
            line().try_fit(&data, quiet())
        } => ["fit", "no batches", "at least one"];
        "a data set without an end": {
            let data = Dataset::from_tensor_slices((x(), y())).batch(2).repeat(None);
            line().try_fit(&data, quiet())
        } => ["fit", "no end", "`steps_per_epoch`"];
        "an evaluation without an end": {
            let data = Dataset::from_tensor_slices((x(), y())).batch(2).repeat(None);
            line().try_evaluate(&data, Evaluate::new())
        } => ["evaluate", "no end", "`take`"];
        "a share of a data set for validation": {
            let data = Dataset::from_tensor_slices((x(), y())).batch(2);
            line().try_fit(&data, quiet().validation_split(0.5))
        } => ["`validation_split` is for arrays", "`validation_data`", "`take`"];
        "a batch size for a data set": {
            let data = Dataset::from_tensor_slices((x(), y())).batch(2);
            line().try_fit(&data, quiet().batch_size(2))
        } => ["`batch_size` is for arrays", "`batch`"];
        "a share that leaves nothing": {
            line().try_fit((&x(), &y()), quiet().validation_split(0.9))
        } => ["`validation_split`", "0.9 of 4 examples", "at least one"];
        "an epoch behind the last": {
            line().try_fit((&x(), &y()), quiet().initial_epoch(3).epochs(2))
        } => ["`initial_epoch`", "initial_epoch 3, epochs 2"];
        "a weight for a class that is in no label": {
            classes().try_fit((&x(), &tf::constant([0, 1, 2, 0])), quiet().class_weight([(0, 1.0), (7, 2.0)]))
        } => ["`class_weight`", "7", "[0, 1, 2]"];
        "weights of another length than the examples": {
            line().try_fit((&x(), &y(), &tf::ones([3])), quiet())
        } => ["fit", "3 in a weight, 4 before", "as many targets and weights"];
        "weights of another shape than the losses": {
            line().try_fit((&x(), &y(), &tf::ones([4, 3])), quiet())
        } => ["[4, 3]", "[4]", "one weight per"];
        "everything is frozen": {
            let model = Sequential::new((Dense::new(1).name("head"),));
            model.set_trainable(false);
            model.compile(SGD::new(0.1), "mse").try_fit((&x(), &y()), quiet())
        } => ["fit", "no variables that are trained", "set_trainable(true)"];
        "a model without variables": {
            let model = Sequential::new((tf::layers::Rescaling::new(2.0),));
            model.compile(SGD::new(0.1), "mse").try_fit((&x(), &x()), quiet())
        } => ["fit", "no variables that are trained"];
        "a loss that is no number": {
            let trainer = Sequential::new((Dense::new(1),)).compile(SGD::new(1e30), "mse");
            trainer.try_fit((&x(), &y()), quiet().epochs(9).callback(TerminateOnNaN::new()))
        } => ["the loss is no number", "learning rate", "enable_check_numerics"];
        "one target for two outputs": {
            two().compile(SGD::new(0.1), "mse").try_fit((&x(), &y()), quiet())
        } => ["1 targets, 2 outputs", "(&y1, &y2)"];
        "three losses for two outputs": {
            two().compile(SGD::new(0.1), ["mse", "mse", "mae"]).try_fit((&x(), (&y(), &y())), quiet())
        } => ["3 losses, 2 outputs", "\"one\"", "\"two\""];
        "one weight for two losses": {
            two().compile(SGD::new(0.1), ["mse", "mae"]).loss_weights([1.0]).try_fit((&x(), (&y(), &y())), quiet())
        } => ["1 weights, 2 outputs", "\"one\"", "\"two\""];
        "no loss": {
            Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), ()).try_fit((&x(), &y()), quiet())
        } => ["fit", "no loss", "`compile`"];
        "a number that no log has": {
            line().try_fit((&x(), &y()), quiet().callback(EarlyStopping::new("val_loss")))
        } => ["EarlyStopping", "\"val_loss\"", "[\"loss\"]", "validation"];
        "a metric that says not which way is better": {
            let far = MeanMetricWrapper::new("far", |y_true: &Tensor, y_pred: &Tensor| (y_true - y_pred).abs());
            line().metrics([far]).try_fit((&x(), &y()), quiet().callback(EarlyStopping::new("far")))
        } => ["EarlyStopping", "\"far\"", "larger or a smaller", "mode(Mode::Max)"];
        "a best model by a number that no log has": {
            let best = ModelCheckpoint::new(std::env::temp_dir().join("eagerflow-never")).monitor("acc").save_best_only(true);
            line().metrics(["mae"]).try_fit((&x(), &y()), quiet().callback(best))
        } => ["ModelCheckpoint", "\"acc\"", "\"mae\""];
        "a scheduler for an optimizer with a schedule": {
            let rate = ExponentialDecay::new(0.1, 10, 0.5);
            let trainer = Sequential::new((Dense::new(1),)).compile(SGD::new(rate), "mse");
            trainer.try_fit((&x(), &y()), quiet().callback(LearningRateScheduler::new(|_, rate| rate)))
        } => ["LearningRateScheduler", "follows a schedule", "ExponentialDecay", "a number"];
        "a plateau for an optimizer with a schedule": {
            let rate = ExponentialDecay::new(0.1, 10, 0.5);
            let trainer = Sequential::new((Dense::new(1),)).compile(SGD::new(rate), "mse");
            trainer.try_fit((&x(), &y()), quiet().epochs(3).callback(ReduceLROnPlateau::new("loss").patience(0).min_delta(9.0)))
        } => ["ReduceLROnPlateau", "follows a schedule", "ExponentialDecay", "a number"];
        "a schedule that answers a negative rate": {
            line().try_fit((&x(), &y()), quiet().callback(LearningRateScheduler::new(|_, _| -1.0)))
        } => ["LearningRateScheduler", "learning_rate", "-1", "at least 0"];
        "other features than the training had": {
            let trainer = line();
            trainer.fit((&x(), &y()), quiet());
            trainer.try_predict(&tf::ones([4, 3]), Predict::new())
        } => ["head", "[4, 3]", "2 in the last dimension"];
        "an evaluation with a class that the model does not have": {
            classes().try_evaluate((&x(), &tf::constant([0, 1, 2, 3])), Evaluate::new())
        } => ["label number 3", "got: 3", "0..3"];
        "a prediction for a word that the table does not have": {
            let model = Sequential::new((tf::layers::Embedding::new(5, 2).name("words"), tf::layers::Flatten::new()));
            model.compile(SGD::new(0.1), "mse").try_predict(&tf::constant([[1, 7]]), Predict::new())
        } => ["index number 1 is 7", "0..5"];
        "a prediction without examples": {
            line().try_predict(&tf::ones([0, 2]), Predict::new())
        } => ["predict", "0 examples"];
    }
}

#[test]
fn each_message_says_what_it_must() {
    super::check(&rows());
}
