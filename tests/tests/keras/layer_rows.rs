//! How a layer of ours is held against a row of Keras: the same weights, then output, gradients and state, at once and traced.
//! The tests of each family of layers call [`check`] with a layer and the name of its row.

use crate::numbers::{near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{Call, Layer};
use tf::{Duplicate, GradientTape, Module, Tensor, TensorType, tf_function};

/// A row: `{"training": bool, "inputs": [tensors], "weights": [tensors in the order of variables that are no seeds], "outputs": [..],
/// "input_gradients": [..], "weight_gradients": [..], "state": [weights after the call]}`. Gradients are those of the sum of all outputs
/// times fixed numbers, `"factors": [..]` of the outputs' shapes; an input or weight without gradient has null.
pub fn check<L: Layer + Duplicate + Clone + 'static>(row: &Value, what: &str, layer: &L, tolerance: f64) {
    let training = row["training"].as_bool().unwrap_or(false);
    let inputs: Vec<Tensor> = tensors(&row["inputs"]);
    build(layer, &inputs);
    set_weights(layer, &tensors(&row["weights"]));
    let copy = layer.duplicate();
    compare(
        row,
        &format!("{what}, at once"),
        layer,
        &inputs,
        training,
        tolerance,
        |layer, inputs, factors, training| call(layer, inputs, factors, training),
    );
    compare(
        row,
        &format!("{what}, traced"),
        &copy,
        &inputs,
        training,
        tolerance,
        |layer, inputs, factors, training| {
            let layer: &dyn Layer = layer;
            traced(layer, &inputs.to_vec(), &factors.to_vec(), training)
        },
    );
}

/// All results of one call.
type Results = (Vec<Tensor>, Vec<Option<Tensor>>);

fn compare<L: Layer>(
    row: &Value,
    what: &str,
    layer: &L,
    inputs: &[Tensor],
    training: bool,
    tolerance: f64,
    call: impl Fn(&L, &[Tensor], &[Tensor], bool) -> Results,
) {
    let factors = tensors(&row["factors"]);
    let (outputs, gradients) = call(layer, inputs, &factors, training);
    let right = row["outputs"].as_array().expect("outputs");
    assert_eq!(outputs.len(), right.len(), "{what}: number of outputs");
    for (at, (ours, keras)) in outputs.iter().zip(right).enumerate() {
        near(&format!("{what}: output {at}"), ours, keras, tolerance);
    }
    let expected =
        ["input_gradients", "weight_gradients"].iter().flat_map(|name| row[*name].as_array().expect("gradients"));
    let expected: Vec<&Value> = expected.collect();
    assert_eq!(gradients.len(), expected.len(), "{what}: number of gradients");
    for (at, (ours, keras)) in gradients.iter().zip(expected).enumerate() {
        match (ours, keras.is_null()) {
            (Some(ours), false) => near(&format!("{what}: gradient {at}"), ours, keras, tolerance),
            (None, true) => {}
            // Keras answers none where nothing flows, or zeros.
            (Some(ours), true) => {
                assert!(ours.to_vec::<f32>().iter().all(|&g| g == 0.0), "{what}: gradient {at} is {ours}")
            }
            (None, false) => {
                assert!(tensor(keras).to_vec::<f32>().iter().all(|&g| g == 0.0), "{what}: gradient {at} is missing")
            }
        }
    }
    for (at, (ours, keras)) in weights(layer).iter().zip(row["state"].as_array().expect("state")).enumerate() {
        near(&format!("{what}: state {at}"), &ours.value(), keras, tolerance);
    }
}

fn tensors(list: &Value) -> Vec<Tensor> {
    list.as_array().map(|list| list.iter().map(tensor).collect()).unwrap_or_default()
}

/// Makes the variables by a call that is not run.
fn build(layer: &dyn Layer, inputs: &[Tensor]) {
    let types: Vec<TensorType> = inputs.iter().map(|x| TensorType::new(x.dtype(), *x.shape())).collect();
    let module: &dyn Module = layer;
    tf::try_build(module, types, |_, x| layer.try_call_all(x, &Call::inference())).unwrap();
}

/// The variables in Keras's order, without states of random numbers.
fn weights(layer: &dyn Layer) -> Vec<tf::Variable> {
    let named = layer.named_variables().into_iter().filter(|(path, _)| !path.contains("seed_generator"));
    named.map(|(_, variable)| variable).collect()
}

fn set_weights(layer: &dyn Layer, values: &[Tensor]) {
    let own = weights(layer);
    assert_eq!(own.len(), values.len(), "number of weights of {}", layer.layer_name());
    own.iter().zip(values).for_each(|(variable, value)| variable.assign(value));
}

fn call(layer: &dyn Layer, inputs: &[Tensor], factors: &[Tensor], training: bool) -> Results {
    let mut tape = GradientTape::persistent();
    let floats: Vec<Tensor> = inputs.iter().filter(|x| x.dtype().is_floating()).cloned().collect();
    floats.iter().for_each(|x| tape.watch(x));
    let outputs = layer.try_call_all(inputs, &Call::of(training)).unwrap();
    let mut loss = tf::constant(0.0);
    for (output, factor) in outputs.iter().zip(factors) {
        loss = loss + tf::reduce_sum(output.cast(factor.dtype()) * factor, ()).cast(tf::DType::F32);
    }
    let mut gradients: Vec<Option<Tensor>> = Vec::new();
    if !floats.is_empty() {
        let by_inputs = tape.gradient(&loss, &floats);
        gradients.extend((0..floats.len()).map(|at| by_inputs.get(at)));
    }
    let trained = layer.trainable_variables();
    if !trained.is_empty() {
        let by_weights = tape.gradient(&loss, &trained);
        gradients.extend((0..trained.len()).map(|at| by_weights.get(at)));
    }
    (outputs.to_vec(), gradients)
}

#[tf_function]
fn traced(layer: &dyn Layer, inputs: &Vec<Tensor>, factors: &Vec<Tensor>, training: bool) -> Results {
    call(layer, inputs, factors, training)
}
