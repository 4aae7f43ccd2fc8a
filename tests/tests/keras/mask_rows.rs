//! How a layer's masks are held against Keras: inputs with masks, the output, and the mask that it carries, at once and traced.
//! A row is `{"inputs": [..], "masks": [a mask or null for each], "output": tensor, "mask": tensor or null}`.

use crate::numbers::{near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{Call, Layer, get_mask, set_mask_of};
use tf::{Duplicate, Tensor, tf_function};

/// Fails unless output and mask are Keras's.
pub fn check_masks<L: Layer + Duplicate + Clone + 'static>(row: &Value, what: &str, layer: &L, tolerance: f64) {
    let inputs: Vec<Tensor> = row["inputs"].as_array().expect("inputs").iter().map(tensor).collect();
    let given = row["masks"].as_array().expect("masks");
    let masks: Vec<Option<Tensor>> = given.iter().map(|mask| (!mask.is_null()).then(|| tensor(mask))).collect();
    // Once with masks that the inputs carry, once with those of the caller, once in a traced function.
    let carried: Vec<Tensor> = inputs.iter().map(tf::identity).collect();
    for (input, mask) in carried.iter().zip(&masks) {
        mask.iter().for_each(|mask| set_mask_of(input, mask));
    }
    let dynamic: &dyn Layer = layer;
    let once = |inputs: &[Tensor], cx: &Call| {
        let y = dynamic.try_call_all(inputs, cx).unwrap()[0].clone();
        let mask = get_mask(&y);
        (y, mask)
    };
    compare(row, &format!("{what}, carried"), once(&carried, &Call::inference()), tolerance);
    let told = Call::inference().masks(masks.iter().cloned());
    compare(row, &format!("{what}, told"), once(&inputs, &told), tolerance);
    compare(row, &format!("{what}, traced"), traced(dynamic, &inputs, &told), tolerance);
    // Masks that the caller told are not left on the inputs.
    assert!(inputs.iter().all(|x| get_mask(x).is_none()), "{what}: an input carries a mask now");
}

fn compare(row: &Value, what: &str, (y, mask): (Tensor, Option<Tensor>), tolerance: f64) {
    near(&format!("{what}: output"), &y, &row["output"], tolerance);
    match (mask, row["mask"].is_null()) {
        (Some(mask), false) => near(&format!("{what}: mask"), &mask, &row["mask"], 0.0),
        (None, true) => {}
        (Some(mask), true) => panic!("{what}: there is a mask, {mask}"),
        (None, false) => panic!("{what}: the mask is lost"),
    }
}

#[tf_function]
fn traced(layer: &dyn Layer, inputs: &Vec<Tensor>, cx: &Call) -> (Tensor, Option<Tensor>) {
    let y = layer.try_call_all(inputs, cx).unwrap()[0].clone();
    let mask = get_mask(&y);
    (y, mask)
}
