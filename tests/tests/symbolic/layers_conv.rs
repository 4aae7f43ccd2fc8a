//! Samples of convolutions, poolings, and of what pads, crops and enlarges.
//! `super` records them with all sizes unknown but those of channels from which a kernel's shape was made.

use super::{Sample, x};
use eagerflow::layers::{
    AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveMaxPooling2D, AdaptiveMaxPooling3D, AveragePooling1D,
    AveragePooling2D, AveragePooling3D, Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose,
    Cropping1D, Cropping2D, Cropping3D, DepthwiseConv1D, DepthwiseConv2D, GlobalAveragePooling1D,
    GlobalAveragePooling2D, GlobalAveragePooling3D, GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D, Layer,
    LayerExt, MaxPooling1D, MaxPooling2D, MaxPooling3D, SeparableConv1D, SeparableConv2D, UpSampling1D, UpSampling2D,
    UpSampling3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D,
};
use eagerflow::{DType, GradientTape, Result, Tensor};

/// A sample for each of some layers, which are built for the number of channels that both calls have.
fn trained(
    name: &'static str,
    inputs: fn(super::Sizes) -> Vec<Tensor>,
    layers: Vec<Box<dyn Layer>>,
) -> impl Iterator<Item = Sample> {
    let built = inputs(super::CALLS[1]);
    layers.into_iter().map(move |layer| {
        layer.call_training(&built[0], true);
        Sample::new(name, inputs, move |x| {
            let tape = GradientTape::new();
            let y = layer.try_call(&x[0], true)?;
            let variables = layer.trainable_variables();
            let gradients = tape.try_gradient(&y, &variables)?;
            let mut all = vec![y];
            all.extend((0..variables.len()).filter_map(|i| gradients.get(i)));
            Ok(all)
        })
    })
}

fn all<L: Layer>(x: &Tensor, layers: impl IntoIterator<Item = L>) -> Result<Vec<Tensor>> {
    layers.into_iter().map(|layer| layer.try_apply(x, &eagerflow::layers::Call::inference())).collect()
}

macro_rules! boxed {
    ($($layer:expr),* $(,)?) => {
        vec![$(Box::new($layer.dtype(DType::F64)) as Box<dyn Layer>),*]
    };
}

pub fn samples() -> Vec<Sample> {
    let mut list = sequences();
    list.extend(images());
    list.extend(volumes());
    list.extend(poolings());
    list.extend(windows());
    list
}

fn sequences() -> Vec<Sample> {
    let mut list = Vec::new();
    list.extend(trained(
        "Conv1D",
        |s| vec![x(&[s.a, s.c, 6])],
        boxed![
            Conv1D::new(3, 2).activation("tanh"),
            Conv1D::new(2, 3).groups(2).strides(2).padding("same"),
            Conv1D::new(2, 2).padding("causal").dilation_rate(2),
            DepthwiseConv1D::new(2).depth_multiplier(2),
            SeparableConv1D::new(2, 3).strides(2).padding("same"),
            Conv1DTranspose::new(2, 3).strides(2),
            Conv1DTranspose::new(2, 3).strides(2).padding("same").output_padding(1),
        ],
    ));
    list.extend(trained(
        "Conv1D",
        |s| vec![x(&[s.b, 6, s.c])],
        boxed![
            Conv1D::new(2, 2).data_format("channels_first").padding("causal"),
            DepthwiseConv1D::new(2).data_format("channels_first"),
            SeparableConv1D::new(2, 2).data_format("channels_first"),
            Conv1DTranspose::new(2, 2).data_format("channels_first").strides(3),
        ],
    ));
    list
}

fn images() -> Vec<Sample> {
    let mut list = Vec::new();
    list.extend(trained(
        "Conv2D",
        |s| vec![x(&[s.b, s.a, s.c, 6])],
        boxed![
            Conv2D::new(2, 2).groups(2).strides(2).padding("same"),
            DepthwiseConv2D::new(2).depth_multiplier(2),
            DepthwiseConv2D::new(3).strides(2).padding("same").dilation_rate(2),
            SeparableConv2D::new(2, 2).activation("tanh"),
            Conv2DTranspose::new(2, 2),
            Conv2DTranspose::new(2, (3, 2)).strides(2).padding("same"),
        ],
    ));
    list.extend(trained(
        "Conv2D",
        |s| vec![x(&[s.b, 6, s.c, s.a])],
        boxed![
            Conv2D::new(2, 2).groups(2).data_format("channels_first"),
            SeparableConv2D::new(2, 2).data_format("channels_first"),
            Conv2DTranspose::new(2, 2).strides((1, 2)).data_format("channels_first"),
        ],
    ));
    list
}

fn volumes() -> Vec<Sample> {
    let mut list = Vec::new();
    list.extend(trained(
        "Conv3D",
        |s| vec![x(&[2, s.b, s.a, s.c, 2])],
        boxed![
            Conv3D::new(2, 2),
            Conv3D::new(2, (2, 1, 3)).groups(2).strides(2).padding("same"),
            Conv3DTranspose::new(1, 2).strides(2).padding("same"),
        ],
    ));
    list
}

fn poolings() -> Vec<Sample> {
    vec![
        Sample::new(
            "MaxPooling1D",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list =
                    all(x, [MaxPooling1D::new(2), MaxPooling1D::new(3).strides(2).padding("same").data_format(first)])?;
                list.extend(all(
                    x,
                    [AveragePooling1D::new(2), AveragePooling1D::new(3).padding("same").data_format(first)],
                )?);
                list.extend(all(
                    x,
                    [GlobalMaxPooling1D::new(), GlobalMaxPooling1D::new().keepdims(true).data_format(first)],
                )?);
                list.extend(all(x, [GlobalAveragePooling1D::new(), GlobalAveragePooling1D::new().data_format(first)])?);
                Ok(list)
            },
        ),
        Sample::new(
            "MaxPooling2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list =
                    all(x, [MaxPooling2D::new((2, 3)).padding("same"), MaxPooling2D::new(2).data_format(first)])?;
                list.extend(all(
                    x,
                    [AveragePooling2D::new(2), AveragePooling2D::new(3).strides(1).padding("same").data_format(first)],
                )?);
                list.extend(all(
                    x,
                    [GlobalMaxPooling2D::new(), GlobalMaxPooling2D::new().keepdims(true).data_format(first)],
                )?);
                list.extend(all(x, [GlobalAveragePooling2D::new(), GlobalAveragePooling2D::new().data_format(first)])?);
                Ok(list)
            },
        ),
        Sample::new(
            "MaxPooling3D",
            |s| vec![x(&[2, s.b, s.c, s.a, s.b])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list =
                    all(x, [MaxPooling3D::new(2), MaxPooling3D::new((2, 1, 3)).padding("same").data_format(first)])?;
                list.extend(all(
                    x,
                    [AveragePooling3D::new(2), AveragePooling3D::new(2).strides(1).padding("same").data_format(first)],
                )?);
                list.extend(all(x, [GlobalMaxPooling3D::new(), GlobalMaxPooling3D::new().data_format(first)])?);
                list.extend(all(
                    x,
                    [GlobalAveragePooling3D::new(), GlobalAveragePooling3D::new().keepdims(true).data_format(first)],
                )?);
                Ok(list)
            },
        ),
    ]
}

fn windows() -> Vec<Sample> {
    vec![
        Sample::new(
            "AdaptiveMaxPooling2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list =
                    all(x, [AdaptiveMaxPooling2D::new((2, 7)), AdaptiveMaxPooling2D::new(3).data_format(first)])?;
                list.extend(all(
                    x,
                    [AdaptiveAveragePooling2D::new(2), AdaptiveAveragePooling2D::new(1).data_format(first)],
                )?);
                Ok(list)
            },
        ),
        Sample::new(
            "AdaptiveMaxPooling3D",
            |s| vec![x(&[2, s.b, s.c, s.a, s.b])],
            |x| {
                all(
                    &x[0],
                    [AdaptiveMaxPooling3D::new(2), AdaptiveMaxPooling3D::new((1, 2, 3)).data_format("channels_first")],
                )
            },
        ),
        Sample::new(
            "AdaptiveAveragePooling1D",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                all(
                    &x[0],
                    [AdaptiveAveragePooling1D::new(2), AdaptiveAveragePooling1D::new(4).data_format("channels_first")],
                )
            },
        ),
        Sample::new(
            "ZeroPadding1D",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| {
                let mut list =
                    all(&x[0], [ZeroPadding1D::new((1, 2)), ZeroPadding1D::new(1).data_format("channels_first")])?;
                list.extend(all(&x[0], [Cropping1D::new((1, 0)), Cropping1D::new((0, 2))])?);
                list.extend(all(&x[0], [UpSampling1D::new(3)])?);
                Ok(list)
            },
        ),
        Sample::new(
            "ZeroPadding2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list =
                    all(x, [ZeroPadding2D::new((1, 2)), ZeroPadding2D::new([[0, 1], [2, 0]]).data_format(first)])?;
                list.extend(all(x, [Cropping2D::new((1, 1)), Cropping2D::new([[1, 0], [0, 2]]).data_format(first)])?);
                list.extend(all(x, [UpSampling2D::new((2, 3)), UpSampling2D::new((1, 2)).data_format(first)])?);
                let smooth = ["bilinear", "bicubic", "lanczos3"];
                list.extend(all(x, smooth.map(|how| UpSampling2D::new((2, 3)).interpolation(how).dtype(DType::F64)))?);
                list.extend(all(
                    x,
                    [UpSampling2D::new(2).interpolation("bilinear").data_format(first).dtype(DType::F64)],
                )?);
                Ok(list)
            },
        ),
        Sample::new(
            "ZeroPadding3D",
            |s| vec![x(&[2, s.b, s.c, s.a, s.b])],
            |x| {
                let (x, first) = (&x[0], "channels_first");
                let mut list = all(x, [ZeroPadding3D::new((0, 1, 2)), ZeroPadding3D::new(1).data_format(first)])?;
                list.extend(all(
                    x,
                    [Cropping3D::new((1, 0, 1)), Cropping3D::new([[1, 0], [0, 1], [0, 1]]).data_format(first)],
                )?);
                list.extend(all(x, [UpSampling3D::new((2, 1, 3)), UpSampling3D::new(2).data_format(first)])?);
                Ok(list)
            },
        ),
    ]
}
