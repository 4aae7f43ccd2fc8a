"""Rows of layers that normalise: `keras_layers_norm.json`."""
from keras_common import numbers, write
from keras_layers import plain, row
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
x = numbers(1, (4, 3), -2.0, 2.0)
image = numbers(2, (2, 2, 3, 4), -2.0, 2.0)
steps = numbers(3, (2, 3, 4), -2.0, 2.0)
padded = steps.copy()
padded[0, 2] = 0.0
padded[1, 1:] = 0.0


def batch(inputs, training=True, **options):
    return row(L.BatchNormalization(**options), inputs, training=training)


def frozen():
    layer = L.BatchNormalization()
    layer.trainable = False
    return row(layer, [x], training=True)


def of_sequence(*layers, inputs, training=False):
    model = keras.Sequential(list(layers))
    return row(model, inputs, training=training)


def spectral(layer, inputs, training=True, **options):
    """Keras has the vector behind the kernel, and the bias last; ours has the layer's variables before its own."""
    result = row(L.SpectralNormalization(layer, **options), inputs, training=training)
    for field in ["weights", "state"]:
        kernel, vector, *others = result[field]
        result[field] = [kernel, *others, vector]
    return result


def told(inputs, **options):
    return row(L.Normalization(**options), inputs)


def seen(layer, data, batches=None):
    """What `adapt` sees, and what the layer then gives."""
    layer.adapt(data if batches is None else [data[a:b] for a, b in batches])
    return {"data": plain(data), "mean": plain(layer.adapt_mean), "variance": plain(layer.adapt_variance), "output": plain(layer(tf.constant(data)))}


def after_adapting(mean, variance):
    def call(layer, x):
        layer.finalize_state()
        return layer(x)

    return row(L.Normalization(), [x], call=call, weights=[np.array(mean, "float32"), np.array(variance, "float32"), 0])


rows = {
    "batch": batch([x]),
    "batch_used": batch([x], training=False),
    "batch_image": batch([image]),
    "batch_axis": batch([image], axis=1),
    "batch_axis_used": batch([image], training=False, axis=1),
    "batch_momentum": batch([x], momentum=0.6),
    "batch_epsilon": batch([x], epsilon=0.3),
    "batch_no_center": batch([x], center=False),
    "batch_no_scale": batch([x], scale=False),
    "batch_bare": batch([x], scale=False, center=False),
    "batch_mixed": batch([x], dtype="mixed_bfloat16"),
    "batch_frozen": frozen(),
    "batch_masked": of_sequence(L.Masking(), L.BatchNormalization(), inputs=[padded], training=True),
    "batch_renorm": batch([x], renorm=True),
    "batch_renorm_clipping": batch([x], renorm=True, renorm_clipping={"rmin": 0.5, "rmax": 1.2, "dmax": 0.3}),
    "batch_renorm_momentum": batch([x], renorm=True, renorm_momentum=0.5),
    "batch_renorm_used": batch([x], training=False, renorm=True),
    "layer": row(L.LayerNormalization(), [x]),
    "layer_axis": row(L.LayerNormalization(axis=1), [image]),
    "layer_axes": row(L.LayerNormalization(axis=[1, 3]), [image]),
    "layer_epsilon": row(L.LayerNormalization(epsilon=0.3), [x]),
    "layer_no_center": row(L.LayerNormalization(center=False), [x]),
    "layer_no_scale": row(L.LayerNormalization(scale=False), [x]),
    "layer_mixed": row(L.LayerNormalization(dtype="mixed_bfloat16"), [x]),
    "rms": row(L.RMSNormalization(), [x]),
    "rms_axis": row(L.RMSNormalization(axis=[2, 3]), [image]),
    "rms_epsilon": row(L.RMSNormalization(epsilon=0.3), [x]),
    "group": row(L.GroupNormalization(groups=2), [image]),
    "group_channel": row(L.GroupNormalization(groups=-1), [image]),
    "group_axis": row(L.GroupNormalization(groups=2, axis=1), [image]),
    "group_epsilon": row(L.GroupNormalization(groups=2, epsilon=0.3), [steps]),
    "group_no_center": row(L.GroupNormalization(groups=1, center=False), [steps]),
    "group_no_scale": row(L.GroupNormalization(groups=1, scale=False), [steps]),
    "group_mixed": row(L.GroupNormalization(groups=2, dtype="mixed_bfloat16"), [image]),
    "unit": row(L.UnitNormalization(), [x]),
    "unit_axes": row(L.UnitNormalization(axis=[1, 2]), [image]),
    "spectral": spectral(L.Dense(2), [x]),
    "spectral_used": spectral(L.Dense(2), [x], training=False),
    "spectral_iterations": spectral(L.Dense(2), [x], power_iterations=3),
    "spectral_embedding": spectral(L.Embedding(4, 2), [np.array([[1, 3]], "int32")]),
    "normalization_told": told([x], mean=[0.1, 0.2, 0.3], variance=[1.0, 2.0, 3.0]),
    "normalization_one": told([x], axis=None, mean=0.5, variance=4.0),
    "normalization_invert": told([x], mean=[0.1, 0.2, 0.3], variance=[1.0, 2.0, 3.0], invert=True),
    "normalization_axes": told([steps], axis=[1, 2], mean=[0.1, 0.2, 0.3, 0.4], variance=[1.0, 2.0, 3.0, 4.0]),
    "normalization_adapted": after_adapting([0.1, -0.4, 0.3], [0.5, 1.5, 2.5]),
    "adapt": seen(L.Normalization(), x),
    "adapt_axes": seen(L.Normalization(axis=[1, 2]), steps),
    "adapt_none": seen(L.Normalization(axis=None), x),
    "adapt_batches": seen(L.Normalization(), x, [(0, 1), (1, 4)]),
}
write("layers_norm", rows)
