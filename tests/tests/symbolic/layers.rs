//! Samples of layers that look up, join, normalise, disturb or bend their inputs: recorded with all sizes unknown that make no variable.
//! Layers are built before: variables are no part of a list.

use super::{Sample, small, walk, x};
use eagerflow as tf;
use tf::__testing::Naming;
use tf::layers::{
    Add, AlphaDropout, Average, BatchNormalization, Call, CategoryEncoding, Concatenate, Dense, Discretization, Dot,
    ELU, EinsumDense, Embedding, FillMode, GaussianDropout, GaussianNoise, GroupNormalization, Identity, ImageSampling,
    Lambda, Layer, LayerNormalization, LeakyReLU, Masking, Maximum, Minimum, Multiply, Normalization, PReLU, Permute,
    RMSNormalization, RandomBrightness, RandomContrast, RandomFlip, RandomRotation, RandomTranslation, RandomZoom,
    ReLU, RepeatVector, Rescaling, Reshape, Softmax, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D,
    SpectralNormalization, Subtract, UnitNormalization, get_mask,
};
use tf::{DType, GradientTape, Result, Tensor};

/// The output, its mask as numbers, and the gradients of all variables.
fn called(layer: &dyn Layer, x: &[Tensor], training: bool) -> Result<Vec<Tensor>> {
    let tape = GradientTape::new();
    let y = layer.try_call_all(x, &Call::of(training))?[0].clone();
    let mask = get_mask(&y).map(|mask| mask.try_cast(DType::F64)).transpose()?;
    let variables = layer.trainable_variables();
    let mut all = vec![y];
    if !variables.is_empty() {
        let gradients = tape.try_gradient(&all[0], &variables)?;
        all.extend((0..variables.len()).filter_map(|i| gradients.get(i)));
    }
    all.extend(mask);
    Ok(all)
}

/// A sample of a layer, which is built by a call first.
fn of(
    name: &'static str,
    layer: impl Layer + 'static,
    training: bool,
    inputs: fn(super::Sizes) -> Vec<Tensor>,
) -> Sample {
    called(&layer, &inputs(super::CALLS[0]), training).unwrap_or_else(|e| panic!("{name}: {e}"));
    Sample::new(name, inputs, move |x| called(&layer, x, training))
}

fn samples() -> Vec<Sample> {
    let wide = DType::F64;
    let mut list = vec![
        of("Embedding", Embedding::new(3, 5).mask_zero(true).dtype(wide), false, |s| vec![small(&[s.a, s.b])]),
        of("Masking", Masking::new().dtype(wide), false, |s| vec![x(&[s.a, s.b, s.c])]),
        of("Identity", Identity::new().dtype(wide), false, |s| vec![x(&[s.a, s.b])]),
        of("Lambda", Lambda::new(|x| x * x).dtype(wide), false, |s| vec![x(&[s.a, s.b])]),
        of("EinsumDense", EinsumDense::new("ab,bc->ac", 3).bias_axes("c").dtype(wide), true, |s| vec![x(&[s.a, 8])]),
        of("EinsumDense", EinsumDense::new("...x,xy->...y", 3).dtype(wide), true, |s| vec![x(&[s.a, s.b, s.c, 8])]),
        of("EinsumDense", EinsumDense::new("ab...,bc->ac...", 3).bias_axes("c").dtype(wide), true, |s| {
            vec![x(&[s.a, 8, s.b, s.c])]
        }),
        of("Reshape", Reshape::new([-1, 2]).dtype(wide), false, |s| vec![x(&[s.a, s.b, 8])]),
        of("Permute", Permute::new([2, 1, 3]).dtype(wide), false, |s| vec![x(&[s.a, s.b, s.c, s.a])]),
        of("RepeatVector", RepeatVector::new(3).dtype(wide), false, |s| vec![x(&[s.a, s.b])]),
        of("Rescaling", Rescaling::new(2.0).offset(1.0).dtype(wide), false, |s| vec![x(&[s.a, s.b])]),
    ];
    list.extend(merging());
    list.extend(normalising());
    list.extend(bending());
    list.extend(preparing());
    list
}

/// Random layers with a range of one number, so that every call does the same.
fn preparing() -> Vec<Sample> {
    let wide = DType::F64;
    let images = |s: super::Sizes| vec![x(&[s.a, s.b, s.c, 2])];
    let mut list = vec![
        of("RandomBrightness", RandomBrightness::new((0.1, 0.1)).dtype(wide), true, images),
        of("RandomContrast", RandomContrast::new((0.0, 0.0)).value_range((-9.0, 9.0)).dtype(wide), true, images),
        of("CategoryEncoding", CategoryEncoding::new(3).dtype(wide), false, |s| vec![small(&[s.a, s.b])]),
        of("Discretization", Discretization::new([-0.5, 0.5]).dtype(wide), false, |s| vec![x(&[s.a, s.b])]),
    ];
    for mode in [FillMode::Reflect, FillMode::Wrap, FillMode::Constant, FillMode::Nearest] {
        let rotation = RandomRotation::new((0.1, 0.1)).fill_mode(mode).dtype(wide);
        list.push(of("RandomRotation", rotation, true, images));
    }
    let zoom = RandomZoom::new((0.3, 0.3)).interpolation(ImageSampling::Nearest).dtype(wide);
    list.push(of("RandomZoom", zoom, true, images));
    let moved = RandomTranslation::new((0.3, 0.3), (-0.2, -0.2)).dtype(wide);
    list.push(of("RandomTranslation", moved, true, images));
    list
}

fn merging() -> Vec<Sample> {
    let wide = DType::F64;
    let two = |s: super::Sizes| vec![x(&[s.a, s.b, s.c]), x(&[s.a, s.b, s.c]) * 2.0];
    let ranks = |s: super::Sizes| vec![x(&[s.a, s.b]), x(&[s.a, s.c, s.b])];
    vec![
        of("Add", Add::new().dtype(wide), false, two),
        of("Add", Add::new().dtype(wide), false, ranks),
        of("Subtract", Subtract::new().dtype(wide), false, two),
        of("Multiply", Multiply::new().dtype(wide), false, ranks),
        of("Average", Average::new().dtype(wide), false, two),
        of("Maximum", Maximum::new().dtype(wide), false, two),
        of("Minimum", Minimum::new().dtype(wide), false, two),
        of("Concatenate", Concatenate::new().axis(1).dtype(wide), false, |s| {
            vec![x(&[s.a, s.b, s.c]), x(&[s.a, s.c, s.c])]
        }),
        of("Dot", Dot::new((2, 1)).dtype(wide), false, |s| vec![x(&[s.a, s.b, s.c]), x(&[s.a, s.c, s.b])]),
        of("Dot", Dot::new(-1).normalize(true).dtype(wide), false, |s| vec![x(&[s.a, s.c]), x(&[s.a, s.c]) + 2.0]),
        of("masked_add", Lambda::of_many(masked_sum).dtype(wide), false, two),
    ]
}

/// A sum and an extreme of inputs with masks that the sizes of the call decide.
fn masked_sum(x: &[Tensor], _: &Call) -> Result<Tensor> {
    let mask = |x: &Tensor| tf::try_reduce_mean(x, -1)?.try_greater(0.0);
    let cx = Call::inference().masks([Some(mask(&x[0])?), Some(mask(&x[1])?)]);
    let sum = tf::layers::LayerExt::try_apply_all(&Multiply::new().dtype(DType::F64), x, &cx)?[0].clone();
    let least = tf::layers::LayerExt::try_apply_all(&Maximum::new().dtype(DType::F64), x, &cx)?[0].clone();
    tf::try_add(&sum, &least)
}

fn normalising() -> Vec<Sample> {
    let wide = DType::F64;
    let rows = |s: super::Sizes| vec![x(&[s.a, s.b, 8])];
    let dense = SpectralNormalization::new(Dense::new(2).dtype(wide)).dtype(wide);
    let told = Normalization::new().mean_and_variance(tf::constant(0.5), tf::constant(2.0));
    vec![
        of("BatchNormalization", BatchNormalization::new().dtype(wide), true, rows),
        of("BatchNormalization", BatchNormalization::new().dtype(wide), false, rows),
        of("BatchNormalization", BatchNormalization::new().axis(1).dtype(wide), true, |s| vec![x(&[s.a, 8, s.b])]),
        of("LayerNormalization", LayerNormalization::new().dtype(wide), true, rows),
        of(
            "LayerNormalization",
            LayerNormalization::new().axis([1, 2]).center(false).scale(false).dtype(wide),
            true,
            |s| vec![x(&[s.a, s.b, s.c])],
        ),
        of("RMSNormalization", RMSNormalization::new().dtype(wide), true, rows),
        of("GroupNormalization", GroupNormalization::new().groups(2).dtype(wide), true, |s| {
            vec![x(&[s.a, s.b, s.c, 8])]
        }),
        of("UnitNormalization", UnitNormalization::new().axis([1, 2]).dtype(wide), false, |s| {
            vec![x(&[s.a, s.b, s.c])]
        }),
        of("SpectralNormalization", dense, false, rows),
        of("Normalization", told.dtype(wide), false, rows),
    ]
}

fn bending() -> Vec<Sample> {
    let wide = DType::F64;
    let rows = |s: super::Sizes| vec![x(&[s.a, s.b])];
    let mut list = vec![
        of("ReLU", ReLU::new().negative_slope(0.2).max_value(0.5).dtype(wide), false, rows),
        of("LeakyReLU", LeakyReLU::new().dtype(wide), false, rows),
        of("ELU", ELU::new().alpha(1.5).dtype(wide), false, rows),
        of("PReLU", PReLU::new().shared_axes([1, 2]).dtype(wide), true, |s| vec![x(&[s.a, s.b, s.c, 2])]),
        of("Softmax", Softmax::new().axis([1, 2]).dtype(wide), false, |s| vec![x(&[s.a, s.b, s.c])]),
        of("GaussianNoise", GaussianNoise::new(0.5).dtype(wide), false, rows),
        of("GaussianDropout", GaussianDropout::new(0.5).dtype(wide), false, rows),
    ];
    /// The numbers go on from call to call: only the shape of what is drawn can be compared.
    macro_rules! drawing {
        ($($name:literal, $layer:expr, $inputs:expr;)*) => {$(
            let layer = $layer.dtype(wide);
            list.push(Sample::new($name, $inputs, move |x| {
                Ok(vec![tf::try_zeros_like(&layer.try_call(&x[0], true)?)?])
            }));
        )*};
    }
    drawing! {
        "GaussianNoise", GaussianNoise::new(0.5), |s| vec![x(&[s.a, s.b])];
        "GaussianDropout", GaussianDropout::new(0.5), |s| vec![x(&[s.a, s.b])];
        "AlphaDropout", AlphaDropout::new(0.5).noise_shape([None, Some(1)]), |s| vec![x(&[s.a, s.b])];
        "SpatialDropout1D", SpatialDropout1D::new(0.5), |s| vec![x(&[s.a, s.b, s.c])];
        "SpatialDropout2D", SpatialDropout2D::new(0.5), |s| vec![x(&[s.a, s.b, s.c, s.b])];
        "SpatialDropout3D", SpatialDropout3D::new(0.5), |s| vec![x(&[s.a, s.b, s.c, s.b, s.a])];
        "RandomFlip", RandomFlip::new(), |s| vec![x(&[s.a, s.b, s.c, s.a])];
    }
    list
}

#[test]
fn layers_read_no_size() {
    walk(&samples(), Naming::BySize);
}

#[test]
fn layers_read_no_size_where_all_sizes_are_apart() {
    let together = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot", "masked_add"];
    let alone: Vec<Sample> = samples().into_iter().filter(|sample| !together.contains(&sample.name)).collect();
    walk(&alone, Naming::Apart);
}
