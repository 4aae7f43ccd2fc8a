//! Layers that are one activation against Keras, `PReLU` and `Softmax` with masks among them.
//! One test per layer, with a row for each option.

use crate::layer_rows::check;
use crate::mask_rows::check_masks;
use crate::numbers::file;
use eagerflow as tf;
use tf::layers::{Call, ELU, LeakyReLU, PReLU, ReLU, Softmax};

#[test]
fn rectifiers() {
    let rows = file("layers_rectifiers");
    check(&rows["relu"], "relu", &ReLU::new(), 0.0);
    check(&rows["relu_max_value"], "relu_max_value", &ReLU::new().max_value(1.5), 1e-6);
    check(&rows["relu_negative_slope"], "relu_negative_slope", &ReLU::new().negative_slope(0.3), 1e-6);
    check(&rows["relu_threshold"], "relu_threshold", &ReLU::new().threshold(0.7), 1e-6);
    let all = ReLU::new().max_value(1.5).negative_slope(0.2).threshold(0.7);
    check(&rows["relu_all"], "relu_all", &all, 1e-6);
    check(&rows["leaky_relu"], "leaky_relu", &LeakyReLU::new(), 1e-6);
    check(&rows["leaky_relu_slope"], "leaky_relu_slope", &LeakyReLU::new().negative_slope(0.7), 1e-6);
    check(&rows["elu"], "elu", &ELU::new(), 1e-6);
    check(&rows["elu_alpha"], "elu_alpha", &ELU::new().alpha(1.7), 1e-6);
    assert!(ReLU::new().try_max_value(-1.0).unwrap_err().to_string().contains("max_value"));
}

#[test]
fn prelu() {
    let rows = file("layers_rectifiers");
    check(&rows["prelu"], "prelu", &PReLU::new(), 1e-6);
    check(&rows["prelu_shared"], "prelu_shared", &PReLU::new().shared_axes([1, 2]), 2e-6);
    check(&rows["prelu_mixed"], "prelu_mixed", &PReLU::new().dtype("mixed_bfloat16"), 2e-2);
    assert!(PReLU::new().try_shared_axes(0).unwrap_err().to_string().contains("shared_axes"));
    let text = PReLU::new().shared_axes(3).name("pr").try_call(tf::ones([2, 3]), false).unwrap_err().to_string();
    assert!(text.contains("pr") && text.contains("float32[2, 3]"), "{text}");
}

#[test]
fn softmax() {
    let rows = file("layers_rectifiers");
    check(&rows["softmax"], "softmax", &Softmax::new(), 1e-6);
    check(&rows["softmax_axis"], "softmax_axis", &Softmax::new().axis(1), 1e-6);
    check(&rows["softmax_axes"], "softmax_axes", &Softmax::new().axis([1, 2]), 1e-6);
    check_masks(&rows["softmax_masked"], "softmax_masked", &Softmax::new(), 1e-6);
    check_masks(&rows["softmax_axes_masked"], "softmax_axes_masked", &Softmax::new().axis([0, 1]), 1e-6);
    let odd = Call::inference().mask(tf::constant([true, false]));
    let error = tf::layers::LayerExt::try_apply(&Softmax::new().name("sm"), tf::ones([2, 3]), &odd);
    let text = error.unwrap_err().to_string();
    assert!(text.contains("sm") && text.contains("bool[2]"), "{text}");
}
