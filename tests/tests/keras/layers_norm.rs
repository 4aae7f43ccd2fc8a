//! Layers that normalise against Keras: trained and used, frozen, with masks, and what their statistics are after.
//! One test per layer, with a row for each option.

use crate::layer_rows::check;
use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::Module;
use tf::layers::{
    BatchNormalization, Dense, Embedding, GroupNormalization, LayerNormalization, Masking, Normalization,
    RMSNormalization, SpectralNormalization, UnitNormalization,
};

/// Each row with its layer.
macro_rules! rows {
    ($rows:ident, $tolerance:expr; $($name:literal => $layer:expr;)*) => {
        $(check(&$rows[$name], $name, &$layer, $tolerance);)*
    };
}

#[test]
fn batch_normalization() {
    let rows = file("layers_norm");
    let new = BatchNormalization::new;
    rows! { rows, 5e-6;
        "batch" => new();
        "batch_used" => new();
        "batch_image" => new();
        "batch_axis" => new().axis(1);
        "batch_axis_used" => new().axis(1);
        "batch_momentum" => new().momentum(0.6);
        "batch_epsilon" => new().epsilon(0.3);
        "batch_no_center" => new().center(false);
        "batch_no_scale" => new().scale(false);
        "batch_bare" => new().scale(false).center(false);
        "batch_masked" => tf::Sequential::new((Masking::new(), new()));
        "batch_renorm" => new().renorm(true);
        "batch_renorm_clipping" => new().renorm(true).renorm_clipping((0.5, 1.2, 0.3));
        "batch_renorm_momentum" => new().renorm(true).renorm_momentum(0.5);
        "batch_renorm_used" => new().renorm(true);
    }
    check(&rows["batch_mixed"], "batch_mixed", &new().dtype("mixed_bfloat16"), 3e-2);
    let frozen = new();
    frozen.set_trainable(false);
    check(&rows["batch_frozen"], "batch_frozen", &frozen, 5e-6);
}

#[test]
fn statistics_start_as_their_initializers_say() {
    let layer = BatchNormalization::new()
        .moving_mean_initializer("ones")
        .moving_variance_initializer(tf::initializers::Constant::new(4.0))
        .gamma_initializer(tf::initializers::Constant::new(3.0))
        .beta_initializer("ones")
        .renorm(true);
    layer.build([1, 2]);
    let values: Vec<f32> = layer.variables().iter().map(|v| v.value().to_vec::<f32>()[0]).collect();
    assert_eq!(values, [3.0, 1.0, 1.0, 4.0, 2.0, 1.0, 2.0]);
    let names: Vec<String> = layer.named_variables().into_iter().map(|(path, _)| path).collect();
    let right = ["gamma", "beta", "moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"];
    assert_eq!(names, right);
    assert_eq!(layer.trainable_variables().len(), 2);
}

#[test]
fn freezing_and_back() {
    let layer = BatchNormalization::new().center(false).scale(false);
    let x = tf::constant([[1.0, 2.0], [3.0, 6.0]]);
    layer.build([1, 2]);
    let step = |layer: &BatchNormalization, x: &tf::Tensor| traced(layer, x);
    layer.set_trainable(false);
    step(&layer, &x);
    assert_eq!(layer.moving_mean().unwrap().value().to_vec::<f32>(), [0.0, 0.0]);
    layer.set_trainable(true);
    step(&layer, &x);
    let mean = layer.moving_mean().unwrap().value().to_vec::<f32>();
    assert!(mean[0] > 0.0 && layer.trainable_variables().is_empty(), "{mean:?}");
    // A trace that found the layer by itself looks whether it is frozen.
    let found = FOUND.get_or_init(|| layer.clone());
    let now = || found.moving_mean().unwrap().value().to_vec::<f32>();
    let before = now();
    by_itself(&x);
    let held = now();
    assert_ne!(held, before);
    layer.set_trainable(false);
    by_itself(&x);
    assert_eq!(now(), held);
}

/// A layer that is no argument.
static FOUND: std::sync::OnceLock<BatchNormalization> = std::sync::OnceLock::new();

#[tf::tf_function]
fn by_itself(x: &tf::Tensor) -> tf::Tensor {
    FOUND.get().expect("the layer").call_training(x, true)
}

#[tf::tf_function]
fn traced(layer: &BatchNormalization, x: &tf::Tensor) -> tf::Tensor {
    layer.call_training(x, true)
}

#[test]
fn layer_normalization() {
    let rows = file("layers_norm");
    let new = LayerNormalization::new;
    rows! { rows, 5e-6;
        "layer" => new();
        "layer_axis" => new().axis(1);
        "layer_axes" => new().axis([1, 3]);
        "layer_epsilon" => new().epsilon(0.3);
        "layer_no_center" => new().center(false);
        "layer_no_scale" => new().scale(false);
    }
    check(&rows["layer_mixed"], "layer_mixed", &new().dtype("mixed_bfloat16"), 3e-2);
}

#[test]
fn rms_group_and_unit_normalization() {
    let rows = file("layers_norm");
    rows! { rows, 5e-6;
        "rms" => RMSNormalization::new();
        "rms_axis" => RMSNormalization::new().axis([2, 3]);
        "rms_epsilon" => RMSNormalization::new().epsilon(0.3);
        "group" => GroupNormalization::new().groups(2);
        "group_channel" => GroupNormalization::new().groups(-1);
        "group_axis" => GroupNormalization::new().groups(2).axis(1);
        "group_epsilon" => GroupNormalization::new().groups(2).epsilon(0.3);
        "group_no_center" => GroupNormalization::new().groups(1).center(false);
        "group_no_scale" => GroupNormalization::new().groups(1).scale(false);
        "unit" => UnitNormalization::new();
        "unit_axes" => UnitNormalization::new().axis([1, 2]);
    }
    let mixed = GroupNormalization::new().groups(2).dtype("mixed_bfloat16");
    check(&rows["group_mixed"], "group_mixed", &mixed, 3e-2);
}

#[test]
fn spectral_normalization() {
    let rows = file("layers_norm");
    rows! { rows, 5e-6;
        "spectral" => SpectralNormalization::new(Dense::new(2));
        "spectral_used" => SpectralNormalization::new(Dense::new(2));
        "spectral_iterations" => SpectralNormalization::new(Dense::new(2)).power_iterations(3);
    }
    // Keras casts the rows to the dtype of the numbers that they were looked up by; ours stay as they are.
    let (row, layer) = (&rows["spectral_embedding"], SpectralNormalization::new(Embedding::new(4, 2)));
    let numbers = tensor(&row["inputs"][0]);
    layer.call(&numbers);
    let variables = layer.variables();
    variables
        .iter()
        .zip(row["weights"].as_array().unwrap())
        .for_each(|(variable, value)| variable.assign(tensor(value)));
    let y = layer.call_training(&numbers, true);
    for (variable, value) in variables.iter().zip(row["state"].as_array().unwrap()) {
        near("spectral_embedding", &variable.value(), value, 5e-6);
    }
    let table = variables[0].value();
    assert_eq!(y.to_vec::<f32>(), tf::embedding_lookup(&table, &numbers).to_vec::<f32>());
    // A kernel of zeros has no greatest singular value, and stays.
    let zeros = SpectralNormalization::new(Dense::new(2).kernel_initializer("zeros"));
    assert_eq!(zeros.call_training(tf::ones([1, 3]), true).to_vec::<f32>(), [0.0, 0.0]);
}

#[test]
fn normalization() {
    let rows = file("layers_norm");
    let told = || Normalization::new().mean_and_variance(tf::constant([0.1, 0.2, 0.3]), tf::constant([1.0, 2.0, 3.0]));
    let axes = Normalization::new().axis([1, 2]);
    let four = (tf::constant([0.1, 0.2, 0.3, 0.4]), tf::constant([1.0, 2.0, 3.0, 4.0]));
    let one = Normalization::new().axis(()).mean_and_variance(tf::constant(0.5), tf::constant(4.0));
    rows! { rows, 2e-6;
        "normalization_told" => told();
        "normalization_one" => one;
        "normalization_invert" => told().invert(true);
        "normalization_axes" => axes.clone().mean_and_variance(&four.0, &four.1);
        "normalization_adapted" => Normalization::new();
    }
    let adapted = |row: &Value, layer: Normalization, batches: Option<[std::ops::Range<isize>; 2]>| {
        let data = tensor(&row["data"]);
        match batches {
            None => layer.adapt(&data),
            Some(ranges) => layer.adapt_batches(ranges.map(|range| data.at(tf::s![range, ..]))),
        }
        near("mean", &layer.mean().unwrap().value(), &row["mean"], 2e-6);
        near("variance", &layer.variance().unwrap().value(), &row["variance"], 2e-6);
        near("output", &layer.call(&data), &row["output"], 5e-6);
    };
    adapted(&rows["adapt"], Normalization::new(), None);
    adapted(&rows["adapt_axes"], axes, None);
    adapted(&rows["adapt_none"], Normalization::new().axis(()), None);
    adapted(&rows["adapt_batches"], Normalization::new(), Some([0..1, 1..4]));
}

#[test]
fn refusals_name_layer_and_shapes() {
    let words = |text: String, words: &[&str]| {
        let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
    };
    let x = tf::ones([2, 3]);
    words(BatchNormalization::new().try_synchronized(true).unwrap_err().to_string(), &["synchronized", "one device"]);
    words(BatchNormalization::new().try_momentum(1.5).unwrap_err().to_string(), &["momentum", "1.5"]);
    let clipped = BatchNormalization::new().try_renorm_clipping((2.0, 1.0, 0.0));
    words(clipped.unwrap_err().to_string(), &["renorm_clipping", "rmin 2, rmax 1"]);
    let batch = BatchNormalization::new().name("bn");
    batch.call(&x);
    words(batch.try_call(tf::ones([2, 4]), false).unwrap_err().to_string(), &["bn", "3 channels", "[2, 4]"]);
    words(batch.clone().axis(5).try_call(&x, false).unwrap_err().to_string(), &["bn", "axis 5"]);
    words(GroupNormalization::new().try_call(&x, false).unwrap_err().to_string(), &["32 groups of 3 channels"]);
    words(GroupNormalization::new().try_groups(0).unwrap_err().to_string(), &["groups", "from 1 on"]);
    words(
        LayerNormalization::new().axis(4).try_call(&x, false).unwrap_err().to_string(),
        &["layer_normalization", "axis 4"],
    );
    words(LayerNormalization::new().try_epsilon(-1.0).unwrap_err().to_string(), &["epsilon", "-1"]);
    let told = Normalization::new().name("told").mean_and_variance(tf::constant([1.0]), tf::constant([1.0]));
    words(told.try_adapt(&x).unwrap_err().to_string(), &["told"]);
    words(Normalization::new().try_adapt_batches([]).unwrap_err().to_string(), &["no data"]);
    let flat = SpectralNormalization::new(LayerNormalization::new().name("inside")).name("sn");
    words(flat.try_call(&x, true).unwrap_err().to_string(), &["sn", "inside", "kernel"]);
}
