//! Layers as models use them: shapes, names, variables that are made once, and refusals that name the layer.
//! Values are compared with the operations that a layer stands for.

use super::*;
use crate as tf;
use crate::Padding;
use engine::Module;

fn parts<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    words.iter().copied().find(|w| !text.contains(w))
}

#[test]
fn names_count() {
    let (a, b) = (Dense::new(1), Dense::new(1));
    let number =
        |layer: &Dense| layer.layer_name().strip_prefix("dense").unwrap().trim_start_matches('_').parse().unwrap_or(0);
    assert!(number(&b) > number(&a));
    let head = Dense::new(2).name("head");
    head.call(&tf::ones([1, 3]));
    assert_eq!(head.kernel().unwrap().name(), "head/kernel");
    assert_eq!(head.named_variables().iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["kernel", "bias"]);
}

#[test]
fn dense_is_a_product() {
    let layer = Dense::new(2)
        .activation("relu")
        .kernel_initializer(tf::initializers::Constant::new(0.5))
        .bias_initializer(tf::initializers::Constant::new(-2.0));
    let x = tf::constant([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]]);
    assert_eq!(layer.call(&x).to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0]);
    let batches = layer.call(&tf::ones([2, 5, 3]));
    assert_eq!(batches.shape(), [2, 5, 2]);
    let bare = Dense::new(4).use_bias(false);
    bare.call(&x);
    assert!(bare.bias().is_none() && bare.variables().len() == 1);
}

#[test]
fn convolutions_have_keras_shapes() {
    let x = tf::ones([2, 9, 9, 4]);
    let shape = |layer: Conv2D| layer.call(&x).shape().to_string();
    assert_eq!(shape(Conv2D::new(8, 3)), "[2, 7, 7, 8]");
    assert_eq!(shape(Conv2D::new(8, [3, 5]).padding(Padding::Same).strides(2)), "[2, 5, 5, 8]");
    assert_eq!(shape(Conv2D::new(8, 3).dilation_rate(2)), "[2, 5, 5, 8]");
    assert_eq!(shape(Conv2D::new(8, 1).groups(4)), "[2, 9, 9, 8]");
    let one = Conv2D::new(1, 3).kernel_initializer(tf::initializers::Ones).bias_initializer(tf::initializers::Ones);
    assert_eq!(one.call(&tf::ones([1, 3, 3, 2])).to_vec::<f32>(), [19.0]);
}

#[test]
fn built_once_from_any_thread() {
    let layer = Dense::new(3);
    let before = layer.signature();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| layer.call(&tf::ones([2, 5])));
        }
    });
    assert_eq!((layer.variables().len(), layer.signature()), (2, before));
    let copy = layer.clone();
    assert_eq!(copy.kernel().unwrap().id(), layer.kernel().unwrap().id());
}

#[test]
fn gradients_reach_the_variables() {
    let layer = Conv2D::new(2, 2);
    let x = tf::ones([1, 3, 3, 1]);
    layer.call(&x);
    let tape = tf::GradientTape::new();
    let y = tf::reduce_sum(layer.call(&x), ());
    let grads = tape.gradient(&y, &layer.trainable_variables());
    assert_eq!(grads.get(0).unwrap().to_vec::<f32>(), [4.0; 8]);
    assert_eq!(grads.get(1).unwrap().to_vec::<f32>(), [4.0; 2]);
}

#[test]
fn refusals_name_the_layer_and_both_shapes() {
    let conv = Conv2D::new(2, 3).name("stem");
    let refused = |x: &tf::Tensor| conv.try_call(x, false).unwrap_err().to_string();
    let text = refused(&tf::ones([3, 3]));
    assert_eq!(
        parts(&text, &["stem", "float32[3, 3]", "[batch, rows, columns, channels]", "layers/tests.rs"]),
        None,
        "{text}"
    );
    assert!(conv.kernel().is_none(), "a wrong input must not build the layer");
    conv.call(&tf::ones([1, 4, 4, 1]));
    let text = refused(&tf::ones([1, 4, 4, 3]));
    assert_eq!(parts(&text, &["stem", "[1, 4, 4, 3]", "[3, 3, 1, 2]"]), None, "{text}");
    let text = refused(&tf::ones([1, 4, 4, 1]).cast(tf::DType::I32));
    assert_eq!(parts(&text, &["stem", "int32[1, 4, 4, 1]", "float32["]), None, "{text}");

    let text = |layer: Conv2D| layer.name("odd").try_call(&tf::ones([1, 4, 4, 3]), false).unwrap_err().to_string();
    assert_eq!(parts(&text(Conv2D::new(4, 1).groups(2)), &["odd", "3 channels, 2 groups"]), None);
    assert_eq!(parts(&text(Conv2D::new(4, 5)), &["odd", "conv2d", "4 rows", "a window of 5"]), None);
    assert!(Dense::new(3).try_call(&tf::ones([2]), false).unwrap_err().to_string().contains("features"));
    assert!(Flatten::new().try_call(&tf::constant(1.0), false).unwrap_err().to_string().contains("scalar"));
}

/// Numbers of Keras 3 (TensorFlow 2.21) at -1 and 2.
#[test]
fn activations_are_those_of_keras() {
    let x = tf::constant([-1.0, 2.0]);
    let right = [
        ("linear", [-1.0, 2.0]),
        ("relu", [0.0, 2.0]),
        ("sigmoid", [0.268_941_4, 0.880_797]),
        ("tanh", [-0.761_594_2, 0.964_027_6]),
        ("softmax", [0.047_425_87, 0.952_574_1]),
        ("log_softmax", [-3.048_587_3, -0.048_587_35]),
        ("gelu", [-0.158_655_25, 1.954_499_7]),
        ("silu", [-0.268_941_4, 1.761_594]),
        ("elu", [-0.632_120_55, 2.0]),
        ("selu", [-1.111_330_7, 2.101_402]),
        ("softplus", [0.313_261_7, 2.126_928]),
        ("softsign", [-0.5, 0.666_666_7]),
        ("leaky_relu", [-0.2, 2.0]),
        ("exponential", [0.367_879_44, 7.389_056]),
    ];
    for (activation, right) in right {
        let got = Activation::new(activation).call(&x).to_vec::<f32>();
        assert!(got.iter().zip(right).all(|(a, b)| (a - b).abs() < 2e-6), "{activation:?}: {got:?}, not {right:?}");
    }
}

#[test]
fn dropout_keeps_the_mean() {
    let (layer, x) = (Dropout::new(0.3), tf::ones([10_000]));
    let y = layer.call_training(&x, true).to_vec::<f32>();
    let kept = y.iter().filter(|&&v| v != 0.0).count();
    // 7000 are expected, with a standard deviation of 46.
    assert!((6750..7250).contains(&kept) && y.iter().all(|&v| v == 0.0 || (v - 1.0 / 0.7).abs() < 1e-6), "{kept}");
    assert_eq!(layer.call(&x).to_vec::<f32>(), x.to_vec::<f32>());
    assert!(Dropout::new(1.0).call_training(&x, true).to_vec::<f32>().iter().all(|&v| v == 0.0));
    let text = |layer: Dropout, x: &tf::Tensor| layer.name("drop").try_call(x, true).unwrap_err().to_string();
    assert!(text(Dropout::new(0.5), &tf::constant([1, 2])).contains("int32[2]"));
    // The gradient passes where a value passed.
    let mut tape = tf::GradientTape::new();
    tape.watch(&x);
    let y = layer.call_training(&x, true);
    let slope = tape.gradient(&tf::reduce_sum(&y, ()), &x);
    assert_eq!(slope.to_vec::<f32>(), y.to_vec::<f32>());
}

#[test]
fn pooling() {
    let x = tf::reshape(&tf::range(0.0, 32.0, 1.0), [1, 4, 4, 2]);
    assert_eq!(MaxPool2D::default().call(&x).to_vec::<f32>(), [10.0, 11.0, 14.0, 15.0, 26.0, 27.0, 30.0, 31.0]);
    assert_eq!(MaxPool2D::new(3).strides(2).padding(Padding::Same).call(&x).shape(), [1, 2, 2, 2]);
    assert_eq!(GlobalAveragePooling2D::new().call(&x).to_vec::<f32>(), [15.0, 16.0]);
    assert_eq!(GlobalAveragePooling2D::new().keepdims(true).call(&x).shape(), [1, 1, 1, 2]);
    let text = MaxPool2D::new(2).name("pool").try_call(&tf::ones([4, 4]), false).unwrap_err().to_string();
    assert!(text.contains("pool") && text.contains("[4, 4]"), "{text}");
}
