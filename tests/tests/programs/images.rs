//! Images through a data set, augmentation and a small convolutional network, with callbacks.
//! The same as `images.py`.

use eagerflow as tf;
use std::path::Path;
use tf::callbacks::{EarlyStopping, ModelCheckpoint, ReduceLROnPlateau};
use tf::data::Dataset;
use tf::layers::{
    Activation, BatchNormalization, Conv2D, Dense, Dropout, FlipMode, GlobalAveragePooling2D, MaxPooling2D, RandomFlip,
    RandomRotation, RandomTranslation, Rescaling, SeparableConv2D,
};
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Fit};
use tf::{DType, Sequential, Tensor};

const SIZE: usize = 16;
const CLASSES: usize = 4;

/// Noisy pictures `[count, 16, 16, 1]` of 0 to 255: discs, rings, squares and crosses.
fn pictures(count: usize) -> (Tensor, Tensor) {
    let labels = tf::random::uniform_int([count], 0, CLASSES as i64);
    let middle = tf::random::uniform([2, count, 1, 1], 6.0, 9.0);
    let size = &tf::random::uniform([count, 1, 1], 3.0, 5.0);
    let pixels = tf::range(0.0, SIZE as f32, 1.0);
    let x = &(&pixels - middle.at(0)).abs();
    let y = &(tf::expand_dims(&pixels, 1) - middle.at(1)).abs();
    let (far, wide) = (&(x.square() + y.square()).sqrt(), &tf::maximum(x, y));
    let shapes = [
        tf::less(far, size),
        tf::less((far - size).abs(), 1.0),
        tf::less((wide - size).abs(), 1.0),
        tf::logical_and(tf::less(tf::minimum(x, y), 1.0), tf::less(wide, size)),
    ];
    let drawn = tf::gather!(tf::stack(&shapes, 1), &labels, axis = 1, batch_dims = 1).cast(DType::F32);
    let noisy = 50.0 + 150.0 * drawn + tf::random::normal([count, SIZE, SIZE], 0.0, 20.0);
    (tf::expand_dims(tf::clip_by_value(noisy, 0.0, 255.0), -1), labels)
}

fn build_model() -> Sequential {
    Sequential::new((
        RandomFlip::new().mode(FlipMode::HorizontalAndVertical),
        RandomRotation::new(0.1),
        RandomTranslation::new(0.1, 0.1),
        Rescaling::new(1.0 / 255.0),
        Conv2D::new(16, 3).padding("same").use_bias(false),
        BatchNormalization::new(),
        Activation::new("relu"),
        MaxPooling2D::new(2),
        SeparableConv2D::new(32, 3).padding("same").activation("relu"),
        GlobalAveragePooling2D::new(),
        Dropout::new(0.1),
        Dense::new(CLASSES),
    ))
}

/// The accuracy over new pictures, and how many epochs there were.
pub fn run(epochs: usize, checkpoint: &Path) -> (f64, usize) {
    tf::random::set_seed(1);
    let train = Dataset::from_tensor_slices(pictures(2000)).shuffle(2000).batch(32);
    let validation = Dataset::from_tensor_slices(pictures(400)).batch(100);
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = build_model().compile(Adam::new(3e-3), loss).metrics(["accuracy"]);
    let options = Fit::new()
        .epochs(epochs)
        .validation_data(validation)
        .callback(EarlyStopping::new("val_loss").patience(5).restore_best_weights(true))
        .callback(ReduceLROnPlateau::new("val_loss").patience(2))
        .callback(ModelCheckpoint::new(checkpoint).save_best_only(true).save_weights_only(true))
        .verbose(0);
    let history = trainer.fit(train, options);
    let (images, labels) = pictures(400);
    (trainer.evaluate((images, labels))["accuracy"], history.epochs().len())
}

#[test]
fn it_learns() {
    let folder = folder("small");
    let (accuracy, epochs) = run(6, &folder.join("best"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(accuracy > 0.35 && epochs == 6, "{accuracy} {epochs}");
}

/// A folder for a checkpoint.
pub fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("eagerflow-programs-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
