//! Convolutions, poolings, and what pads, crops and enlarges, where something cannot be meant: errors name the layer, what came and what would do.
//! Options are refused at the line that writes them, inputs at the line that calls the layer; sizes that only a run knows, by the run.

use eagerflow as tf;
use tf::layers::{
    AveragePooling3D, Call, Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, ConvPadding, Cropping1D,
    Cropping2D, DepthwiseConv2D, GlobalAveragePooling1D, Layer, MaxPooling1D, MaxPooling2D, SeparableConv2D,
    UpSampling2D, ZeroPadding2D,
};
use tf::{Module, Padding, Result, Tensor, tf_function};

/// Fails unless an error has all these words and this file.
#[track_caller]
fn says<T>(result: Result<T>, words: &[&str]) {
    let Err(error) = result else { panic!("nothing is refused where an error should say {words:?}") };
    let text = error.to_string();
    for word in words.iter().chain(&["layers_conv_mistakes.rs"]) {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

#[test]
fn options() {
    says(Conv1D::try_new(0, 3), &["Conv1D", "`filters`", "at least 1"]);
    says(Conv1D::try_new(2, [3, 3]), &["Conv1D", "kernel size", "[3, 3]", "1 spatial axes"]);
    says(Conv3D::try_new(2, (3, 3)), &["Conv3D", "kernel size", "3 numbers", "one for all"]);
    says(Conv2D::new(2, 3).try_strides((1, 2, 3)), &["Conv2D", "strides", "[1, 2, 3]"]);
    says(Conv2D::new(2, 3).try_padding("valied"), &["Conv2D", "\"valied\"", "\"valid\""]);
    says(Conv2D::new(2, 3).try_padding(ConvPadding::Causal), &["Conv2D", "only `Conv1D`", "`Padding::Same`"]);
    says(DepthwiseConv2D::new(3).try_padding("causal"), &["DepthwiseConv2D", "only `Conv1D`"]);
    says(SeparableConv2D::new(2, 3).try_depth_multiplier(0), &["SeparableConv2D", "`depth_multiplier`"]);
    says(Conv1D::new(2, 3).try_padding(Padding::Explicit([[1, 1], [0, 0]])), &["Conv1D", "explicit padding"]);
    says(Conv2D::new(2, 3).try_data_format("channels"), &["Conv2D", "\"channels\"", "\"channels_last\""]);
    says(Conv2D::new(6, 3).try_groups(4), &["Conv2D", "6 filters, 4 groups"]);
    let more = Conv2DTranspose::new(2, 3).strides((2, 1)).try_output_padding(1);
    says(more, &["Conv2DTranspose", "`output_padding`", "[1, 1] for strides [2, 1]"]);
    says(
        Conv1DTranspose::new(2, 3).strides(2).try_output_padding(-1),
        &["Conv1DTranspose", "must not be negative", "-1"],
    );
    let around = Padding::Explicit([[1, 1], [1, 1]]);
    says(Conv2DTranspose::new(2, 3).try_padding(around), &["Conv2DTranspose", "no explicit padding"]);
    says(MaxPooling1D::new(2).try_padding("causal"), &["MaxPooling1D", "causal"]);
    says(AveragePooling3D::try_new(0), &["AveragePooling3D", "sizes must be positive"]);
    says(ZeroPadding2D::try_new((1, -1)), &["ZeroPadding2D", "`padding`", "-1"]);
    says(Cropping1D::try_new((-2, 0)), &["Cropping1D", "`cropping`", "-2"]);
    says(UpSampling2D::try_new((2, 0)), &["UpSampling2D", "`size`", "[2, 0]"]);
    says(UpSampling2D::new(2).try_interpolation("cubic"), &["UpSampling2D", "\"cubic\"", "`bicubic`", "`lanczos5`"]);
}

#[test]
fn inputs_of_another_rank() {
    let ones = |sizes: &[usize]| tf::ones(sizes.to_vec());
    let line = Conv1D::new(2, 3).name("line");
    says(line.try_call(ones(&[4, 5]), false), &["line", "[4, 5]", "float32[batch, steps, channels]", "expand_dims(0)"]);
    let flat = Conv2D::new(2, 3).data_format("channels_first");
    says(flat.try_call(ones(&[3, 5, 5]), false), &["[batch, channels, rows, columns]", "expand_dims(1)"]);
    says(Conv3D::new(2, 3).try_call(ones(&[1, 5, 5, 5]), false), &["[batch, planes, rows, columns, channels]"]);
    says(MaxPooling1D::new(2).try_call(ones(&[4, 4, 4, 4]), false), &["max_pooling1d", "[batch, steps, channels]"]);
    says(ZeroPadding2D::new(1).try_call(ones(&[4, 4, 4]), false), &["zero_padding2d", "batch of images"]);
    says(GlobalAveragePooling1D::new().try_call(ones(&[4, 4]), false), &["batch of sequences"]);
    says(Conv2D::new(2, 3).try_call(ones(&[1, 5, 5, 1]).cast(tf::DType::I32), false), &["int32", "float32", "cast"]);
}

#[test]
fn channels_that_do_not_fit() {
    let ones = |sizes: [usize; 4]| tf::ones(sizes);
    let conv = Conv2D::new(2, 3).name("stem");
    conv.build([1, 8, 8, 3]);
    says(conv.try_call(ones([1, 8, 8, 4]), false), &["stem", "3 channels", "[3, 3, 3, 2]"]);
    let first = &["stem", "3 channels", "`data_format(DataFormat::ChannelsFirst)`"];
    says(conv.try_call(ones([1, 3, 8, 8]), false), first);
    let depthwise = DepthwiseConv2D::new(2).data_format("channels_first");
    depthwise.build([1, 3, 8, 8]);
    says(depthwise.try_call(ones([1, 8, 8, 3]), false), &["3 channels", "`data_format(DataFormat::ChannelsLast)`"]);
    says(Conv2D::new(4, 1).groups(2).try_call(ones([1, 4, 4, 3]), false), &["3 channels, 2 groups"]);
    says(Conv2D::new(2, 3).try_build([1, 8, 8, 0]), &["conv2d", "number of channels must be known"]);
    let transposed = Conv2DTranspose::new(2, 3);
    transposed.build([1, 4, 4, 5]);
    says(transposed.try_call(ones([1, 4, 4, 2]), false), &["5 channels", "[3, 3, 2, 5]"]);
}

#[test]
fn windows_that_do_not_fit() {
    let ones = |sizes: &[usize]| tf::ones(sizes.to_vec());
    says(Conv1D::new(2, 6).try_call(ones(&[1, 5, 1]), false), &["conv1d", "5 columns", "a window of 6"]);
    says(Conv3D::new(2, 3).try_call(ones(&[1, 2, 4, 4, 1]), false), &["conv3d", "2 planes", "a window of 3"]);
    says(
        SeparableConv2D::new(2, 3).dilation_rate(2).try_call(ones(&[1, 4, 9, 1]), false),
        &["4 rows", "a window of 5"],
    );
    says(MaxPooling2D::new(5).try_call(ones(&[1, 4, 4, 1]), false), &["max_pooling2d", "window"]);
    says(Cropping2D::new((2, 1)).try_call(ones(&[1, 4, 4, 1]), false), &["cropping2d", "2 + 2", "dimension 1"]);
    // No output could have been made of this one's input.
    let none = Conv1DTranspose::new(1, 2).strides(2).padding("same").output_padding(0);
    says(none.try_call(ones(&[1, 3, 1]), false), &["output shape"]);
}

#[tf_function]
fn traced(layer: &dyn Layer, x: &Tensor) -> Tensor {
    layer.call_training(x, false)
}

/// Functions whose sizes are open are traced once; a run refuses what would leave nothing.
#[test]
fn sizes_that_only_a_run_knows() {
    let crop = Cropping1D::new(2);
    for steps in [9, 5, 7] {
        assert_eq!(traced(&crop, &tf::ones([1, steps, 2])).shape(), [1, steps - 4, 2]);
    }
    let conv = Conv2D::new(2, 3);
    conv.build([1, 8, 8, 1]);
    for rows in [9, 5, 3] {
        assert_eq!(traced(&conv, &tf::ones([1, rows, 4, 1])).shape(), [1, rows - 2, 2, 2]);
    }
    let short = panics(|| traced(&Cropping1D::new(2), &tf::ones([1, 3, 2])));
    assert!(short.contains("s0-4 is -1"), "{short}");
    let small = panics(|| traced(&conv, &tf::ones([1, 2, 4, 1])));
    assert!(small.contains("2 rows with their padding, for a window of 3"), "{small}");
}

/// The message of a call that panics.
fn panics<T>(call: impl FnOnce() -> T) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(_) => panic!("nothing is refused"),
        Err(payload) => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

#[test]
fn masks_are_refused_where_keras_forgets_them() {
    let x = tf::ones([2, 6, 3]);
    let masked = Call::inference().mask(tf::ones([2, 6]).cast(tf::DType::Bool));
    let refused = panics(|| Conv1D::new(2, 3).name("line").call_with(&x, &masked));
    assert!(refused.contains("line") && refused.contains("an input without a mask"), "{refused}");
    let wrong = Call::inference().mask(tf::ones([6]).cast(tf::DType::Bool));
    let refused = panics(|| GlobalAveragePooling1D::new().call_with(&x, &wrong));
    assert!(refused.contains("bool[6]") && refused.contains("[batch, steps]"), "{refused}");
}

/// Explicit padding, which Keras has not, is that of the operation.
#[test]
fn explicit_padding_of_images() {
    let around = Padding::Explicit([[1, 0], [2, 2]]);
    let layer = Conv2D::new(1, 3).padding(around).use_bias(false).kernel_initializer("ones");
    let x = tf::reshape(tf::range(0.0, 12.0, 1.0), [1, 3, 4, 1]);
    let own = tf::conv2d(&x, tf::ones([3, 3, 1, 1]), 1, around);
    assert_eq!(layer.call(&x).to_vec::<f32>(), own.to_vec::<f32>());
    assert_eq!(MaxPooling2D::new(3).strides(1).padding(around).call(&x).shape(), [1, 2, 6, 1]);
}

/// Initializers, regularizers and constraints of each weight are those weights' own.
#[test]
fn options_of_each_weight() {
    let layer = SeparableConv2D::new(2, 1)
        .depthwise_initializer(tf::initializers::Constant::new(2.0))
        .pointwise_initializer(tf::initializers::Constant::new(3.0))
        .bias_initializer("ones")
        .depthwise_regularizer(tf::regularizers::L2::new(0.5))
        .pointwise_regularizer(tf::regularizers::L1::new(0.1))
        .depthwise_constraint("non_neg")
        .pointwise_constraint("unit_norm")
        .bias_constraint("non_neg");
    assert_eq!(layer.call(tf::ones([1, 1, 1, 1])).to_vec::<f32>(), [7.0, 7.0]);
    let paths: Vec<String> = layer.named_variables().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["depthwise_kernel", "pointwise_kernel", "bias"]);
    let other = SeparableConv2D::new(2, 1);
    other.build([1, 1, 1, 1]);
    assert_ne!(layer.signature(), other.signature());
    let depthwise = DepthwiseConv2D::new(1).depthwise_initializer("ones").bias_initializer("ones");
    assert_eq!(depthwise.call(tf::ones([1, 1, 1, 2])).to_vec::<f32>(), [2.0, 2.0]);
}
