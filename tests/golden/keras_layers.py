"""A row of a Keras layer: weights, outputs, gradients of inputs and weights, and the state after a call.

The scripts `keras_layers_<family>.py` make theirs with `row`; `tests/tests/keras/layer_rows.rs` says what the fields mean.
"""
import numpy as np
from keras_common import numbers, tensor
import keras
import tensorflow as tf


def plain(x):
    """What JSON can hold: bfloat16 as float32 numbers under its name."""
    return tensor(x.numpy() if hasattr(x, "numpy") else x)


def row(layer, inputs, training=False, call=None, weights=None, **arguments):
    """One call of `layer`, which is built first and given fixed weights; `call` calls it where it takes more than the inputs."""
    inputs = [tf.constant(x) for x in inputs]

    def run():
        given = inputs[0] if len(inputs) == 1 else list(inputs)
        result = call(layer, given) if call else layer(given, **({"training": training} | arguments if takes(layer) else arguments))
        return list(result) if isinstance(result, (list, tuple)) else [result]

    run()
    kept = [v for v in layer.weights if "seed_generator" not in v.path]
    for i, v in enumerate(kept):
        low, high = (0.5, 1.5) if "variance" in v.path else (-0.8, 0.8)
        v.assign(numbers(100 + i, tuple(v.shape), low, high) if weights is None else weights[i])
    before = [plain(v.value) for v in kept]
    floats = [x for x in inputs if x.dtype.is_floating]
    trained = [v.value for v in layer.trainable_variables]
    with tf.GradientTape(persistent=True) as tape:
        for x in floats:
            tape.watch(x)
        outputs = run()
        factors = [numbers(200 + i, tuple(y.shape)) for i, y in enumerate(outputs)]
        loss = tf.add_n([tf.reduce_sum(tf.cast(tf.cast(y, "float32") * f, "float32")) for y, f in zip(outputs, factors) if y.dtype.is_floating] or [tf.constant(0.0)])
    gradient = lambda source: tape.gradient(loss, source)
    dense = lambda g: None if g is None else plain(tf.convert_to_tensor(g))
    return {
        "training": training,
        "inputs": [plain(x) for x in inputs],
        "weights": before,
        "factors": [tensor(f) for f in factors],
        "outputs": [plain(y) for y in outputs],
        "input_gradients": [dense(gradient(x)) for x in floats],
        "weight_gradients": [dense(gradient(v)) for v in trained],
        "state": [plain(v.value) for v in kept],
    }


def takes(layer):
    """Whether the layer's call takes `training`."""
    return layer._call_has_training_arg
