//! Options of layers, initializers, optimizers and data sets that cannot be meant: refused at the line that writes them, by a panic
//! or, of the `try_` twins, by an error.

use crate::panics::panics;
use crate::refused;
use eagerflow as tf;
use tf::data::{Dataset, Shuffle};
use tf::initializers::{Initializer, RandomNormal, RandomUniform, TruncatedNormal};
use tf::layers::{Conv2D, Dense, Dropout, MaxPool2D};
use tf::optim::{Adam, Optimizer, SGD};
use tf::{DType, Padding};

#[test]
fn of_dense_layers() {
    panics!(Dense::new(0), "`units` is out of range");
    refused!(Dense::try_new(0), InvalidArgument, "Dense", ["units", "at least 1"]);
    panics!(Dense::new(2).dtype(DType::I32), "must be floating-point");
    refused!(Dense::new(2).try_dtype(DType::Bool), InvalidArgument, "Dense", ["bool"]);
    let negative = RandomNormal::new().stddev(-1.0);
    panics!(Dense::new(2).kernel_initializer(negative), "`stddev`");
    refused!(Dense::new(2).try_bias_initializer(negative), InvalidArgument, "random_normal", ["stddev", "-1"]);
    assert_eq!(Dense::new(1).dtype(DType::F64).call(tf::ones([1, 1]).cast(DType::F64)).dtype(), DType::F64);
}

#[test]
fn of_convolutions() {
    panics!(Conv2D::new(0, 3), "`filters` is out of range");
    panics!(Conv2D::new(2, 0), "kernel size");
    refused!(Conv2D::try_new(2, [3, -1]), InvalidArgument, "Conv2D", ["kernel size", "-1"]);
    panics!(Conv2D::new(4, 3).strides(0), "strides must be positive");
    refused!(Conv2D::new(4, 3).try_strides([1, 0]), InvalidArgument, "Conv2D", ["strides", "[1, 0]"]);
    panics!(Conv2D::new(4, 3).dilation_rate(0), "dilations must be positive");
    refused!(Conv2D::new(4, 3).try_dilation_rate(-2), InvalidArgument, "Conv2D", ["dilations", "-2"]);
    panics!(Conv2D::new(4, 3).groups(0), "`groups` is out of range");
    panics!(Conv2D::new(4, 3).groups(3), "do not divide into the groups");
    refused!(Conv2D::new(4, 3).try_groups(8), InvalidArgument, "Conv2D", ["4 filters, 8 groups"]);
    refused!(
        Conv2D::new(4, 3).try_padding(Padding::Explicit([[usize::MAX, 0], [0, 0]])),
        InvalidArgument,
        "Conv2D",
        ["padding"]
    );
    panics!(Conv2D::new(4, 3).dtype(DType::I32), "must be floating-point");
    let turned = RandomUniform::new().minval(1.0).maxval(0.0);
    panics!(Conv2D::new(4, 3).kernel_initializer(turned), "`minval` is above `maxval`");
    panics!(Conv2D::new(4, 3).bias_initializer(turned), "`minval` is above `maxval`");
    assert_eq!(Conv2D::new(4, 3).groups(2).strides([1, 2]).call(tf::ones([1, 5, 5, 2])).shape(), [1, 3, 2, 4]);
}

#[test]
fn of_poolings_and_dropout() {
    panics!(MaxPool2D::new(0), "sizes must be positive");
    refused!(MaxPool2D::try_new([2, 0]), InvalidArgument, "MaxPooling2D", ["[2, 0]"]);
    panics!(MaxPool2D::new(2).strides(0), "strides must be positive");
    refused!(MaxPool2D::new(2).try_strides(-1), InvalidArgument, "MaxPooling2D", ["strides", "-1"]);
    panics!(MaxPool2D::new(2).padding(Padding::Explicit([[2, 0], [0, 0]])), "as large as the window");
    for rate in [1.5, -0.1, f64::NAN, f64::INFINITY] {
        refused!(Dropout::try_new(rate), InvalidArgument, "Dropout", ["`rate`", "from 0 to 1"]);
    }
    panics!(Dropout::new(1.5), "got: 1.5");
    // Keras takes both ends.
    let ends = [0.0, 1.0].map(|rate| Dropout::new(rate).call_training(tf::ones([4]), true).to_vec::<f32>());
    assert_eq!(ends, [vec![1.0; 4], vec![0.0; 4]]);
}

#[test]
fn of_initializers() {
    let nan = f64::NAN;
    refused!(RandomNormal::new().mean(nan).try_call([2], DType::F32), InvalidArgument, "random_normal", ["`mean`"]);
    refused!(
        TruncatedNormal::new().stddev(f64::INFINITY).try_call([2], DType::F32),
        InvalidArgument,
        "truncated_normal",
        ["`stddev`"]
    );
    refused!(
        RandomUniform::new().maxval(nan).try_call([2], DType::F32),
        InvalidArgument,
        "random_uniform",
        ["`maxval`"]
    );
    let one = RandomUniform::new().minval(2.0).maxval(2.0).call([2], DType::F32);
    assert_eq!(one.to_vec::<f32>(), [2.0, 2.0]);
}

#[test]
fn of_optimizers() {
    panics!(SGD::new(0.1).momentum(2.0), "`momentum` is out of range");
    refused!(SGD::new(0.1).try_momentum(-0.5), InvalidArgument, "SGD", ["`momentum`", "-0.5"]);
    panics!(Adam::new(0.1).beta_1(1.5), "`beta_1` is out of range");
    // The mean would never be corrected: a division by zero.
    panics!(Adam::new(0.1).beta_1(1.0), "`beta_1` is out of range");
    refused!(Adam::new(0.1).try_beta_1(f64::NAN), InvalidArgument, "Adam", ["`beta_1`"]);
    refused!(Adam::new(0.1).try_beta_2(-0.1), InvalidArgument, "Adam", ["`beta_2`"]);
    panics!(Adam::new(0.1).beta_2(1.0), "`beta_2` is out of range");
    panics!(Adam::new(0.1).epsilon(-1e-7), "`epsilon` is out of range");
    refused!(Adam::new(0.1).try_epsilon(f64::INFINITY), InvalidArgument, "Adam", ["`epsilon`"]);
    let _edges = (SGD::new(0.0).momentum(1.0).momentum(0.0), Adam::new(0.1).beta_1(0.0).beta_2(0.0).epsilon(0.0));
}

#[test]
fn of_learning_rates() {
    panics!(SGD::new(-0.1), "`learning_rate` is out of range");
    panics!(Adam::new(f64::NAN), "`learning_rate` is out of range");
    for rate in [-1e-3, f64::NAN, f64::INFINITY, 1e300] {
        refused!(SGD::try_new(rate), InvalidArgument, "SGD", ["`learning_rate`"]);
        refused!(Adam::try_new(rate), InvalidArgument, "Adam", ["`learning_rate`"]);
    }
    let sgd = SGD::new(0.5);
    panics!(sgd.learning_rate().set(-1.0), "`learning_rate` is out of range");
    refused!(sgd.learning_rate().try_set(f64::NAN), InvalidArgument, "set", ["`learning_rate`"]);
    assert_eq!(sgd.learning_rate().get(), 0.5);
    sgd.learning_rate().set(0.0);
    assert_eq!(sgd.learning_rate().get(), 0.0);
}

#[test]
fn of_data_sets() {
    let numbers = Dataset::from_tensor_slices(tf::constant([1, 2, 3]));
    panics!(numbers.batch(0), "a batch of no elements");
    panics!(numbers.batch_exact(0), "a batch of no elements");
    panics!(numbers.shuffle(0), "the buffer holds no elements");
    panics!(Shuffle::buffer(0), "`buffer` is out of range");
    refused!(Shuffle::try_buffer(0), InvalidArgument, "shuffle", ["`buffer`", "at least 1"]);
    assert!(numbers.try_shuffle(0).is_err() && numbers.try_batch(0, false).is_err());
    // Nothing at all can be meant here, and TensorFlow takes it.
    assert_eq!((numbers.take(0).iter().count(), numbers.repeat(0).iter().count()), (0, 0));
}
