//! Convolutions, poolings, and what pads, crops and enlarges, against Keras.
//! One test per layer, with a row for each of its options.

use crate::layer_rows::check;
use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::set_mask_of;
use tf::layers::{
    AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D, AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D, AdaptiveMaxPooling3D, AveragePooling1D, AveragePooling2D, AveragePooling3D, AvgPool2D, Call,
    Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, ConvPadding, Convolution2D, Cropping1D,
    Cropping2D, Cropping3D, DepthwiseConv1D, DepthwiseConv2D, GlobalAveragePooling1D, GlobalAveragePooling2D,
    GlobalAveragePooling3D, GlobalAvgPool2D, GlobalMaxPool3D, GlobalMaxPooling1D, GlobalMaxPooling2D,
    GlobalMaxPooling3D, Interpolation, Layer, MaxPool1D, MaxPooling1D, MaxPooling2D, MaxPooling3D, SeparableConv1D,
    SeparableConv2D, UpSampling1D, UpSampling2D, UpSampling3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D,
};
use tf::{DataFormat, Duplicate, GradientTape, Padding};

/// Holds layers against the rows of their names in a file.
macro_rules! rows {
    ($family:literal, $tolerance:literal: $($row:literal => $layer:expr;)*) => {{
        let rows = file($family);
        $(checked(&rows[$row], concat!($family, " ", $row), &$layer, $tolerance);)*
    }};
}

fn checked<L: Layer + Duplicate + Clone + 'static>(row: &Value, what: &str, layer: &L, tolerance: f64) {
    assert!(row.is_object(), "{what}: there is no such row");
    check(row, what, layer, tolerance);
}

#[test]
fn conv1d() {
    rows! { "layers_conv", 2e-6:
        "conv1d" => Conv1D::new(3, 2);
        "conv1d_strides" => Conv1D::new(2, 3).strides(2).padding(Padding::Same).activation("tanh");
        "conv1d_causal" => Conv1D::new(2, 3).padding(ConvPadding::Causal).dilation_rate(2).use_bias(false);
        "conv1d_causal_strides" => Conv1D::new(2, 2).strides(2).padding("causal");
        "conv1d_first" => Conv1D::new(2, 2).padding("same").data_format(DataFormat::ChannelsFirst);
        "conv1d_causal_first" => Conv1D::new(2, 3).data_format("channels_first").padding("causal");
        "conv1d_groups" => Conv1D::new(2, 2).groups(2);
    }
    rows! { "layers_conv", 2e-2: "conv1d_mixed" => Conv1D::new(2, 2).dtype("mixed_bfloat16"); }
}

#[test]
fn conv2d() {
    rows! { "layers_conv", 2e-6:
        "conv2d" => Conv2D::new(2, 3);
        "conv2d_strides" => Convolution2D::new(2, (3, 2)).strides((2, 1)).padding("same").activation("relu");
        "conv2d_dilation" => Conv2D::new(2, 2).dilation_rate([1, 3]).use_bias(false);
        "conv2d_first" => Conv2D::new(3, 2).strides(2).padding("same").data_format("channels_first");
        "conv2d_groups" => Conv2D::new(4, 2).groups(2);
    }
}

#[test]
fn conv3d() {
    rows! { "layers_conv", 2e-6:
        "conv3d" => Conv3D::new(2, 2);
        "conv3d_strides" => Conv3D::new(1, (2, 1, 3)).strides((2, 1, 2)).padding("same").activation("sigmoid");
        "conv3d_dilation" => Conv3D::new(1, (2, 2, 1)).dilation_rate((2, 1, 1)).use_bias(false);
        "conv3d_first" => Conv3D::new(2, 2).data_format("channels_first");
        "conv3d_groups" => Conv3D::new(2, (1, 2, 2)).groups(2);
    }
}

#[test]
fn depthwise() {
    rows! { "layers_conv", 2e-6:
        "depthwise1d" => DepthwiseConv1D::new(2);
        "depthwise1d_all" => DepthwiseConv1D::new(3).strides(2).padding("same").depth_multiplier(2).activation("tanh");
        "depthwise1d_dilation" => DepthwiseConv1D::new(2).dilation_rate(3).use_bias(false);
        "depthwise1d_first" => DepthwiseConv1D::new(3).depth_multiplier(2).data_format("channels_first");
        "depthwise2d" => DepthwiseConv2D::new(2);
        "depthwise2d_all" => DepthwiseConv2D::new((3, 2)).strides(2).padding("same").depth_multiplier(2).activation("relu");
        "depthwise2d_dilation" => DepthwiseConv2D::new(2).dilation_rate((2, 3)).use_bias(false);
        "depthwise2d_both" => DepthwiseConv2D::new(2).strides(2).dilation_rate(2).padding("same");
        "depthwise2d_first" => DepthwiseConv2D::new(2).depth_multiplier(2).data_format("channels_first");
    }
}

#[test]
fn separable() {
    rows! { "layers_conv", 2e-6:
        "separable1d" => SeparableConv1D::new(3, 2);
        "separable1d_all" => SeparableConv1D::new(2, 3).strides(2).padding("same").depth_multiplier(2).activation("tanh");
        "separable1d_dilation" => SeparableConv1D::new(2, 2).dilation_rate(2).use_bias(false);
        "separable1d_first" => SeparableConv1D::new(3, 2).data_format("channels_first");
        "separable2d" => SeparableConv2D::new(3, 2);
        "separable2d_all" => SeparableConv2D::new(2, (3, 2)).strides(2).padding("same").depth_multiplier(2).activation("relu");
        "separable2d_dilation" => SeparableConv2D::new(2, 2).dilation_rate(2).use_bias(false);
        "separable2d_first" => SeparableConv2D::new(3, 2).data_format("channels_first");
    }
}

#[test]
fn transposed() {
    rows! { "layers_conv_transpose", 2e-6:
        "1d" => Conv1DTranspose::new(3, 2);
        "1d_valid" => Conv1DTranspose::new(2, 2).strides(3).activation("tanh");
        "1d_same" => Conv1DTranspose::new(2, 3).strides(2).padding("same").use_bias(false);
        "1d_same_more" => Conv1DTranspose::new(2, 3).strides(2).padding("same").output_padding(1);
        "1d_same_none" => Conv1DTranspose::new(2, 3).strides(2).padding("same").output_padding(0);
        "1d_valid_more" => Conv1DTranspose::new(2, 2).strides(3).output_padding(2);
        "1d_first" => Conv1DTranspose::new(3, 2).strides(2).data_format("channels_first");
        "2d" => Conv2DTranspose::new(3, 2);
        "2d_same" => Conv2DTranspose::new(1, (3, 2)).strides((2, 1)).padding("same").activation("sigmoid");
        "2d_more" => Conv2DTranspose::new(1, 3).strides((3, 2)).output_padding((2, 1)).use_bias(false);
        "2d_dilation" => Conv2DTranspose::new(2, 2).dilation_rate(2);
        "2d_first" => Conv2DTranspose::new(1, 2).strides(2).data_format("channels_first");
        "3d" => Conv3DTranspose::new(2, 2);
        "3d_same" => Conv3DTranspose::new(1, 2).strides((1, 2, 1)).padding("same").activation("relu");
        "3d_more" => Conv3DTranspose::new(1, (1, 2, 2)).strides((1, 2, 2)).output_padding((0, 1, 0)).use_bias(false);
    }
}

#[test]
fn max_pooling() {
    rows! { "layers_pooling", 1e-6:
        "max1d" => MaxPooling1D::default();
        "max1d_all" => MaxPool1D::new(3).strides(1).padding("same");
        "max1d_first" => MaxPooling1D::new(2).data_format("channels_first");
        "max2d" => MaxPooling2D::default();
        "max2d_all" => MaxPooling2D::new((3, 2)).strides((2, 1)).padding("same");
        "max2d_first" => MaxPooling2D::new(2).strides(1).data_format("channels_first");
        "max3d" => MaxPooling3D::default();
        "max3d_all" => MaxPooling3D::new((2, 1, 3)).strides((1, 1, 2)).padding("same");
        "max3d_first" => MaxPooling3D::new(2).strides(1).data_format("channels_first");
    }
}

#[test]
fn average_pooling() {
    rows! { "layers_pooling", 1e-6:
        "average1d" => AveragePooling1D::new(2);
        "average1d_all" => AveragePooling1D::new(3).strides(1).padding("same");
        "average1d_first" => AveragePooling1D::new(2).data_format("channels_first");
        "average2d" => AveragePooling2D::new(2);
        "average2d_all" => AvgPool2D::new((3, 2)).strides((2, 1)).padding("same");
        "average2d_first" => AveragePooling2D::new(2).strides(1).data_format("channels_first");
        "average3d" => AveragePooling3D::new(2);
        "average3d_all" => AveragePooling3D::new((2, 1, 3)).strides((1, 1, 2)).padding("same");
        "average3d_first" => AveragePooling3D::new(2).strides(1).data_format("channels_first");
    }
}

#[test]
fn global_pooling() {
    rows! { "layers_pooling", 1e-6:
        "global_max1d" => GlobalMaxPooling1D::new();
        "global_max1d_keep" => GlobalMaxPooling1D::new().keepdims(true);
        "global_max1d_first" => GlobalMaxPooling1D::new().data_format("channels_first");
        "global_max1d_first_keep" => GlobalMaxPooling1D::default().keepdims(true).data_format("channels_first");
        "global_max2d" => GlobalMaxPooling2D::new();
        "global_max2d_keep" => GlobalMaxPooling2D::new().keepdims(true);
        "global_max2d_first" => GlobalMaxPooling2D::new().data_format("channels_first");
        "global_max2d_first_keep" => GlobalMaxPooling2D::default().keepdims(true).data_format("channels_first");
        "global_max3d" => GlobalMaxPooling3D::new();
        "global_max3d_keep" => GlobalMaxPool3D::new().keepdims(true);
        "global_max3d_first" => GlobalMaxPooling3D::new().data_format("channels_first");
        "global_max3d_first_keep" => GlobalMaxPooling3D::default().keepdims(true).data_format("channels_first");
        "global_average1d" => GlobalAveragePooling1D::new();
        "global_average1d_keep" => GlobalAveragePooling1D::new().keepdims(true);
        "global_average1d_first" => GlobalAveragePooling1D::new().data_format("channels_first");
        "global_average1d_first_keep" => GlobalAveragePooling1D::default().keepdims(true).data_format("channels_first");
        "global_average2d" => GlobalAveragePooling2D::new();
        "global_average2d_keep" => GlobalAvgPool2D::new().keepdims(true);
        "global_average2d_first" => GlobalAveragePooling2D::new().data_format("channels_first");
        "global_average2d_first_keep" => GlobalAveragePooling2D::default().keepdims(true).data_format("channels_first");
        "global_average3d" => GlobalAveragePooling3D::new();
        "global_average3d_keep" => GlobalAveragePooling3D::new().keepdims(true);
        "global_average3d_first" => GlobalAveragePooling3D::new().data_format("channels_first");
        "global_average3d_first_keep" => GlobalAveragePooling3D::default().keepdims(true).data_format("channels_first");
    }
}

#[test]
fn adaptive_pooling() {
    rows! { "layers_pooling", 1e-6:
        "adaptive_max1d" => AdaptiveMaxPooling1D::new(2);
        "adaptive_max1d_more" => AdaptiveMaxPooling1D::new(7);
        "adaptive_max1d_first" => AdaptiveMaxPooling1D::new(3).data_format("channels_first");
        "adaptive_max2d" => AdaptiveMaxPooling2D::new(2);
        "adaptive_max2d_each" => AdaptiveMaxPooling2D::new((3, 5));
        "adaptive_max2d_first" => AdaptiveMaxPooling2D::new(2).data_format("channels_first");
        "adaptive_max3d" => AdaptiveMaxPooling3D::new(2);
        "adaptive_max3d_first" => AdaptiveMaxPooling3D::new((1, 2, 3)).data_format("channels_first");
        "adaptive_average1d" => AdaptiveAveragePooling1D::new(2);
        "adaptive_average1d_more" => AdaptiveAveragePooling1D::new(7);
        "adaptive_average1d_first" => AdaptiveAveragePooling1D::new(3).data_format("channels_first");
        "adaptive_average2d" => AdaptiveAveragePooling2D::new(2);
        "adaptive_average2d_each" => AdaptiveAveragePooling2D::new((3, 5));
        "adaptive_average2d_first" => AdaptiveAveragePooling2D::new(2).data_format("channels_first");
        "adaptive_average3d" => AdaptiveAveragePooling3D::new(2);
        "adaptive_average3d_first" => AdaptiveAveragePooling3D::new((1, 2, 3)).data_format("channels_first");
    }
}

/// Masks of the call, and those that the input carries.
#[test]
fn global_average_pooling_heeds_masks() {
    let rows = file("layers_pooling");
    let layers = [
        ("masked", GlobalAveragePooling1D::new()),
        ("masked_first", GlobalAveragePooling1D::new().keepdims(true).data_format("channels_first")),
    ];
    for (name, layer) in layers {
        let row = &rows[name];
        let (x, mask) = (tensor(&row["inputs"][0]), tensor(&row["mask"]));
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = layer.call_with(&x, &Call::inference().mask(mask.clone()));
        near(name, &y, &row["outputs"][0], 1e-6);
        let loss = tf::reduce_sum(&y * tensor(&row["factors"][0]), ());
        near(name, &tape.gradient(&loss, &x), &row["input_gradients"][0], 1e-6);
        set_mask_of(&x, &mask);
        let y = layer.call(&x);
        near(name, &y, &row["outputs"][0], 1e-6);
        assert!(tf::layers::get_mask(&y).is_none(), "{name}: the steps are gone");
    }
}

#[test]
fn padding_and_cropping() {
    rows! { "layers_windows", 0.0:
        "padding1d" => ZeroPadding1D::default();
        "padding1d_pair" => ZeroPadding1D::new((0, 2));
        "padding1d_first" => ZeroPadding1D::new([2, 1]).data_format("channels_first");
        "padding2d" => ZeroPadding2D::default();
        "padding2d_each" => ZeroPadding2D::new((1, 2));
        "padding2d_pairs" => ZeroPadding2D::new(((1, 0), (0, 2)));
        "padding2d_first" => ZeroPadding2D::new([[0, 1], [2, 0]]).data_format("channels_first");
        "padding3d" => ZeroPadding3D::default();
        "padding3d_each" => ZeroPadding3D::new((1, 0, 2));
        "padding3d_pairs" => ZeroPadding3D::new(((1, 0), (0, 0), (0, 2))).data_format("channels_first");
        "cropping1d" => Cropping1D::default();
        "cropping1d_pair" => Cropping1D::new((0, 3));
        "cropping2d" => Cropping2D::default();
        "cropping2d_each" => Cropping2D::new([1, 0]);
        "cropping2d_pairs" => Cropping2D::new([[1, 0], [2, 1]]);
        "cropping2d_first" => Cropping2D::new(((0, 1), (2, 0))).data_format("channels_first");
        "cropping3d" => Cropping3D::default();
        "cropping3d_each" => Cropping3D::new((1, 0, 1));
        "cropping3d_pairs" => Cropping3D::new([[1, 0], [0, 1], [0, 0]]).data_format("channels_first");
    }
}

#[test]
fn up_sampling() {
    rows! { "layers_windows", 1e-6:
        "up1d" => UpSampling1D::default();
        "up1d_three" => UpSampling1D::new(3);
        "up2d" => UpSampling2D::default();
        "up2d_each" => UpSampling2D::new((3, 1));
        "up2d_first" => UpSampling2D::new((1, 2)).data_format("channels_first");
        "up3d" => UpSampling3D::default();
        "up3d_each" => UpSampling3D::new((1, 3, 2)).data_format("channels_first");
    }
    rows! { "layers_windows", 1e-5:
        "up2d_first_bilinear" => UpSampling2D::new((2, 3)).data_format("channels_first").interpolation("bilinear");
        "up2d_bilinear" => UpSampling2D::new((3, 2)).interpolation(Interpolation::Bilinear);
        "up2d_bilinear_once" => UpSampling2D::new((1, 5)).interpolation("bilinear");
        "up2d_bicubic" => UpSampling2D::new((3, 2)).interpolation(Interpolation::Bicubic);
        "up2d_bicubic_once" => UpSampling2D::new((1, 5)).interpolation("bicubic");
        "up2d_lanczos3" => UpSampling2D::new((3, 2)).interpolation(Interpolation::Lanczos3);
        "up2d_lanczos3_once" => UpSampling2D::new((1, 5)).interpolation("lanczos3");
        "up2d_lanczos5" => UpSampling2D::new((3, 2)).interpolation(Interpolation::Lanczos5);
        "up2d_lanczos5_once" => UpSampling2D::new((1, 5)).interpolation("lanczos5");
    }
}
