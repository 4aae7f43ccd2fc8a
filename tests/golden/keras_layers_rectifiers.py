"""Rows of layers that are one activation: `keras_layers_rectifiers.json`."""
from keras_common import numbers, write
from keras_layers import row
from keras_layers_shape import masked
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
x = numbers(1, (3, 5), -3.0, 3.0)
image = numbers(2, (2, 2, 3, 2), -1.0, 1.0)
seen = np.array([[True, True, False, True, True], [True, False, False, True, False], [False, True, True, True, True]])


def with_mask(layer, inputs, mask):
    return masked(layer, inputs, [mask], call=lambda layer, x: layer(x, mask=tf.constant(mask)))


rows = {
    "relu": row(L.ReLU(), [x]),
    "relu_max_value": row(L.ReLU(max_value=1.5), [x]),
    "relu_negative_slope": row(L.ReLU(negative_slope=0.3), [x]),
    "relu_threshold": row(L.ReLU(threshold=0.7), [x]),
    "relu_all": row(L.ReLU(max_value=1.5, negative_slope=0.2, threshold=0.7), [x]),
    "leaky_relu": row(L.LeakyReLU(), [x]),
    "leaky_relu_slope": row(L.LeakyReLU(negative_slope=0.7), [x]),
    "elu": row(L.ELU(), [x]),
    "elu_alpha": row(L.ELU(alpha=1.7), [x]),
    "prelu": row(L.PReLU(), [x]),
    "prelu_shared": row(L.PReLU(shared_axes=[1, 2]), [image]),
    "prelu_mixed": row(L.PReLU(dtype="mixed_bfloat16"), [x]),
    "softmax": row(L.Softmax(), [x]),
    "softmax_axis": row(L.Softmax(axis=1), [image]),
    "softmax_axes": row(L.Softmax(axis=[1, 2]), [image]),
    "softmax_masked": with_mask(L.Softmax(), [x], seen),
    "softmax_axes_masked": with_mask(L.Softmax(axis=[0, 1]), [x], seen),
}
write("layers_rectifiers", rows)
