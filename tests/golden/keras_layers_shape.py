"""Rows of layers that look numbers up, project, mask and give another shape: `keras_layers_shape.json`."""
from keras_common import numbers, tensor, write
from keras_layers import plain, row
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
x = numbers(1, (3, 5))
wide = numbers(2, (2, 3, 4))
words = np.array([[1, 2, 0], [5, 0, 2]], "int32")


def masked(layer, inputs, masks=None, call=None):
    """One call with masks, those given or those the layer makes: outputs and the mask that the first of them carries."""
    inputs = [tf.constant(x) for x in inputs]
    for given, mask in zip(inputs, masks or []):
        if mask is not None:
            keras.src.backend.set_keras_mask(given, tf.constant(mask))
    given = inputs[0] if len(inputs) == 1 else list(inputs)
    y = call(layer, given) if call else layer(given)
    mask = keras.src.backend.get_keras_mask(y)
    return {
        "inputs": [plain(x) for x in inputs],
        "masks": [None if m is None else tensor(np.array(m)) for m in (masks or [None] * len(inputs))],
        "output": plain(y),
        "mask": None if mask is None else plain(mask),
    }


def rows_of_this_file():
    holes = wide.copy()
    holes[0, 1] = 0.0
    holes[1, 2] = 0.5
    return {
        "embedding": row(L.Embedding(6, 4), [words]),
        "embedding_mask_zero": row(L.Embedding(6, 2, mask_zero=True), [words]),
        "embedding_mixed": row(L.Embedding(6, 2, dtype="mixed_bfloat16"), [words]),
        "embedding_floats": row(L.Embedding(6, 2), [np.array([[1.7, 2.2]], "float32")]),
        "masking": row(L.Masking(), [holes]),
        "masking_value": row(L.Masking(mask_value=0.5), [holes]),
        "mask_of_masking": masked(L.Masking(mask_value=0.5), [holes]),
        "identity": row(L.Identity(), [x]),
        "lambda": row(L.Lambda(lambda x: x * x + 1.0), [x]),
        "einsum_dense": row(L.EinsumDense("ab,bc->ac", output_shape=4), [x]),
        "einsum_dense_bias": row(L.EinsumDense("ab,bc->ac", output_shape=4, bias_axes="c", activation="tanh"), [x]),
        "einsum_dense_left": row(L.EinsumDense("...x,xy->...y", output_shape=3, bias_axes="y"), [wide]),
        "einsum_dense_right": row(L.EinsumDense("ab...,bc->ac...", output_shape=2, bias_axes="c"), [wide]),
        "einsum_dense_heads": row(L.EinsumDense("bsf,fhd->bshd", output_shape=(None, 2, 3), bias_axes="hd"), [wide]),
        "einsum_dense_steps": row(L.EinsumDense("bsf,st->btf", output_shape=(2, None), bias_axes="t"), [wide]),
        "einsum_dense_mixed": row(L.EinsumDense("ab,bc->ac", output_shape=4, bias_axes="c", dtype="mixed_bfloat16"), [x]),
        "reshape": row(L.Reshape((4, 3)), [wide]),
        "reshape_open": row(L.Reshape((-1, 2)), [wide]),
        "reshape_flat": row(L.Reshape((-1,)), [wide]),
        "permute": row(L.Permute((2, 1)), [wide]),
        "repeat_vector": row(L.RepeatVector(3), [x]),
        "rescaling": row(L.Rescaling(0.5), [x]),
        "rescaling_offset": row(L.Rescaling(2.0, offset=-1.0), [x]),
        "rescaling_channels": row(L.Rescaling([1.0, 2.0, 3.0, 4.0], offset=[0.1, 0.2, 0.3, 0.4]), [wide]),
        "rescaling_pixels": row(L.Rescaling(1.0 / 255.0), [np.array([[0, 51, 255]], "uint8")]),
    }


if __name__ == "__main__":
    write("layers_shape", rows_of_this_file())
