//! By which names metrics stand in the logs, and which way callbacks take them to get better.
//! The names are those that Keras gives in the same places.

use eagerflow as tf;
use tf::callbacks::{EarlyStopping, ModelCheckpoint};
use tf::layers::Dense;
use tf::metrics::{CosineSimilarity, Direction, MeanAbsoluteError, MeanMetricWrapper, Metric, Precision};
use tf::optim::SGD;
use tf::training::{Compile, Fit, Trainer};
use tf::{Sequential, Tensor};

#[test]
fn a_metric_given_by_a_name_keeps_it_and_repeated_names_are_numbered() {
    let model = Sequential::new((Dense::new(1).activation("sigmoid"),));
    let absolute = || MeanAbsoluteError::new().name("a");
    let plain = ("mae", Precision::new(), Precision::new().thresholds(0.3), absolute(), absolute(), "mae");
    let trainer = model.compile(SGD::new(0.1), "mse").metrics(plain).weighted_metrics(["mae", "MSE"]);
    let logs = trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), Fit::new().verbose(0)).last();
    let names = ["loss", "mae", "precision", "precision_1", "a", "a_1", "mae_1", "weighted_mae", "MSE"];
    assert_eq!(logs.names(), names);
    let scores = trainer.evaluate((&tf::ones([4, 2]), &tf::ones([4, 1])));
    assert_eq!(scores.names(), names);
    assert_eq!(scores["mae"], scores["a_1"]);
}

#[test]
fn metrics_know_which_way_they_get_better() {
    let names = |direction| -> Vec<&str> {
        let all = ["AUC", "accuracy", "acc", "recall", "f1_score", "BinaryIoU", "cosine_similarity", "r2_score", "mae"];
        let all =
            all.into_iter().chain(["root_mean_squared_error", "poisson", "hinge", "bce", "true_positives", "sum"]);
        all.filter(|name| tf::metrics::try_get(name).is_ok_and(|metric| metric.direction() == direction)).collect()
    };
    let up = ["AUC", "accuracy", "recall", "f1_score", "BinaryIoU", "cosine_similarity", "r2_score"];
    assert_eq!(names(Some(Direction::Up)), up);
    assert_eq!(names(Some(Direction::Down)), ["mae", "root_mean_squared_error", "poisson", "hinge", "bce"]);
    assert_eq!(names(None), ["true_positives", "sum"]);
}

/// A model of two numbers whose predictions turn towards the labels, epoch by epoch, and its data.
fn turning() -> (Trainer<Sequential>, (Tensor, Tensor)) {
    let x = tf::random::stateless_normal([32, 2], [3, 4], 0.0, 1.0);
    let y = tf::concat(&[x.slice([0, 1], [32, 1]), x.slice([0, 0], [32, 1]) * -1.0], 1);
    let dense = Dense::new(2).use_bias(false).kernel_initializer(tf::initializers::Identity::new());
    (Sequential::new((dense,)).compile(SGD::new(0.05), "mse"), (x, y))
}

#[test]
fn callbacks_go_by_the_metric_and_not_by_its_name() {
    let (trainer, (x, y)) = turning();
    let trainer = trainer.metrics((CosineSimilarity::new().name("turn"), "mae"));
    let epochs = |monitor: &str| {
        let stop = EarlyStopping::new(monitor).patience(1);
        let fit = Fit::new().epochs(6).shuffle(false).validation_data((&x, &y)).callback(stop).verbose(0);
        trainer.fit((&x, &y), fit)
    };
    let history = epochs("val_turn");
    assert!(history["val_turn"].windows(2).all(|pair| pair[1] > pair[0]), "{history:?}");
    assert_eq!((history.epochs().len(), epochs("val_mae").epochs().len()), (6, 6));
}

#[test]
fn one_of_the_users_own_says_its_direction() {
    let (trainer, (x, y)) = turning();
    let near = MeanMetricWrapper::new("near", |y_true: &Tensor, y_pred: &Tensor| (y_true - y_pred).abs() * -1.0);
    let trainer = trainer.metrics([near.direction(Direction::Up)]);
    let folder = std::env::temp_dir().join(format!("eagerflow-near-{}", std::process::id()));
    let best = ModelCheckpoint::new(folder.join("epoch-{epoch}")).monitor("near").save_best_only(true);
    trainer.fit((&x, &y), Fit::new().epochs(3).shuffle(false).callback(best).verbose(0));
    let saved = std::fs::read_dir(&folder)
        .unwrap()
        .filter(|file| file.as_ref().is_ok_and(|file| file.file_name().to_string_lossy().ends_with(".index")));
    assert_eq!(saved.count(), 3);
    std::fs::remove_dir_all(&folder).unwrap();
}
