"""Rows of Dense and of the simplest layers without variables: `keras_layers_core.json`."""
from keras_common import numbers, write
from keras_layers import row
import keras

L = keras.layers
x = numbers(1, (3, 5))
wide = numbers(2, (2, 3, 5))
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
}
write("layers_core", rows)
