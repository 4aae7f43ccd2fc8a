"""Rows of Dense and of the simplest layers without variables: `keras_layers_core.json`."""
from keras_common import numbers, write
from keras_layers import row
import keras

L = keras.layers
x = numbers(1, (3, 5))
wide = numbers(2, (2, 3, 5))
images = numbers(4, (1, 3, 4, 2))
rows = {
    "dense": row(L.Dense(4), [x]),
    "dense_relu": row(L.Dense(4, activation="relu"), [x]),
    "dense_bare": row(L.Dense(3, use_bias=False), [x]),
    "dense_wide": row(L.Dense(2, activation="tanh"), [wide]),
    "dense_mixed": row(L.Dense(3, dtype="mixed_bfloat16"), [x]),
    "activation": row(L.Activation("gelu"), [x]),
    "flatten": row(L.Flatten(), [wide]),
    "concatenate": row(L.Concatenate(axis=1), [wide, numbers(3, (2, 2, 5))]),
    "dropout_used": row(L.Dropout(0.5), [x]),
    "conv2d": row(L.Conv2D(2, 2, strides=2, padding="same", activation="tanh"), [images]),
    "max_pool2d": row(L.MaxPool2D(2), [images]),
    "max_pool2d_strides": row(L.MaxPool2D(3, strides=1, padding="same"), [images]),
    "global_average_pooling2d": row(L.GlobalAveragePooling2D(), [images]),
    "global_average_pooling2d_kept": row(L.GlobalAveragePooling2D(keepdims=True), [images]),
}
write("layers_core", rows)
