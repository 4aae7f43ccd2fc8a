//! `callbacks::TensorBoard` in `fit`: Keras's folders, tags and steps; weights, gradients, images and the graph.
//! Keras 3.15 was asked for the tags once: those of a model of two dense layers with a metric, over two epochs of eight batches.

use super::{Folder, written};
use eagerflow as tf;
use std::collections::BTreeSet;
use std::path::Path;
use tf::callbacks::TensorBoard;
use tf::layers::Dense;
use tf::optim::Adam;
use tf::summary::{ReadEvent, ReadValue};
use tf::training::{Compile, Evaluate, Fit};

fn train(callback: TensorBoard<'_>) {
    let model = tf::Sequential::new((Dense::new(3).name("hidden"), Dense::new(1).name("out")));
    let trainer = model.compile(Adam::new(0.1), "mse").metrics(["mean_absolute_error"]);
    let (x, y) = (tf::ones([32, 2]), tf::ones([32, 1]));
    let validation = (tf::ones([8, 2]), tf::ones([8, 1]));
    let validation = (&validation.0, &validation.1);
    let fit = Fit::new().epochs(2).batch_size(4).validation_data(validation).callback(callback).verbose(0);
    trainer.fit((&x, &y), fit);
}

/// Tags with their steps, in the order of the file.
fn tags(events: &[ReadEvent]) -> Vec<(String, i64)> {
    events.iter().filter(|event| !event.tag.is_empty()).map(|event| (event.tag.clone(), event.step)).collect()
}

fn graphs(events: &[ReadEvent]) -> usize {
    events.iter().filter(|event| matches!(event.value, ReadValue::Graph(_))).count()
}

fn epoch_tags(epoch: i64) -> Vec<(String, i64)> {
    ["epoch_loss", "epoch_mean_absolute_error", "epoch_learning_rate"].map(|tag| (tag.to_owned(), epoch)).to_vec()
}

fn run(folder: &Path) -> (Vec<ReadEvent>, Vec<ReadEvent>) {
    (written(&folder.join("train")), written(&folder.join("validation")))
}

#[test]
fn epochs_have_keras_tags() {
    let folder = Folder::new("callback-epochs");
    train(TensorBoard::new(&folder.0));
    let (training, validation) = run(&folder.0);
    assert_eq!(tags(&training), [epoch_tags(0), epoch_tags(1)].concat());
    assert_eq!(graphs(&training), 1);
    let rate = training.iter().find(|event| event.tag == "epoch_learning_rate").expect("a rate");
    assert_eq!(rate.scalar(), Some(0.1));
    let both = |iterations: i64, epoch: i64| {
        let count = ["evaluation_loss_vs_iterations", "evaluation_mean_absolute_error_vs_iterations"]
            .map(|t| (t.to_owned(), iterations));
        let own = ["epoch_loss", "epoch_mean_absolute_error"].map(|tag| (tag.to_owned(), epoch));
        [count, own].concat()
    };
    assert_eq!(tags(&validation), [both(8, 0), both(16, 1)].concat());
}

#[test]
fn batches_are_written_as_often_as_asked() {
    for (freq, right) in [(1, (1..=16).collect::<Vec<i64>>()), (3, vec![3, 6, 9, 12, 15])] {
        let folder = Folder::new(&format!("callback-batches-{freq}"));
        train(TensorBoard::new(&folder.0).update_freq(freq).write_graph(false));
        let (training, _) = run(&folder.0);
        assert_eq!(graphs(&training), 0);
        for tag in ["batch_loss", "batch_mean_absolute_error"] {
            let steps: Vec<i64> = training.iter().filter(|event| event.tag == tag).map(|event| event.step).collect();
            assert_eq!(steps, right);
        }
    }
    assert!(TensorBoard::new("x").try_update_freq("sometimes").is_err());
    assert!(TensorBoard::new("x").try_update_freq(0_usize).is_err());
}

#[test]
fn weights_gradients_and_images_of_epochs() {
    let folder = Folder::new("callback-weights");
    let samples = tf::zeros([2, 4, 4, 1]);
    let callback = TensorBoard::new(&folder.0).histogram_freq(1).write_gradients(true).write_images(true);
    train(callback.images("samples", |_| samples.clone()));
    let (training, _) = run(&folder.0);
    for epoch in 0..2 {
        let of: BTreeSet<&str> =
            training.iter().filter(|event| event.step == epoch).map(|event| event.tag.as_str()).collect();
        let weights = ["hidden/kernel", "hidden/bias", "out/kernel", "out/bias"];
        for name in weights {
            assert!(of.contains(&*format!("{name}/histogram")), "{name} in {of:?}");
            assert!(of.contains(&*format!("{name}/gradient")), "{name} in {of:?}");
        }
        assert!(of.contains("hidden/kernel/image") && of.contains("samples"), "{of:?}");
        let count =
            training.iter().filter(|event| event.tag == "hidden/kernel/gradient" && event.step == epoch).count();
        assert_eq!(count, 1, "of one batch in an epoch");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_of_the_training() {
    let folder = Folder::new("callback-unwritable");
    std::fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("file");
    std::fs::write(&file, "").unwrap();
    let trainer = tf::Sequential::new((Dense::new(1),)).compile(Adam::new(0.1), "mse");
    let (x, y) = (tf::ones([4, 2]), tf::ones([4, 1]));
    let error = trainer.try_fit((&x, &y), Fit::new().callback(TensorBoard::new(&file)).verbose(0)).unwrap_err();
    assert!(error.to_string().contains("callback-unwritable"), "{error}");
}

#[test]
fn an_evaluation_of_its_own_is_written_and_closed() {
    let folder = Folder::new("callback-evaluation");
    let model = tf::Sequential::new((Dense::new(1).name("out"),));
    let trainer = model.compile(Adam::new(0.1), "mse").metrics(["mae"]);
    let board = TensorBoard::new(&folder.0);
    trainer.evaluate_with((&tf::ones([8, 2]), &tf::ones([8, 1])), Evaluate::new().callback(board));
    let right = ["evaluation_loss_vs_iterations", "evaluation_mae_vs_iterations"].map(|tag| (tag.to_owned(), 0));
    assert_eq!(tags(&written(&folder.0.join("validation"))), right);
    assert!(!folder.0.join("train").exists());
}
