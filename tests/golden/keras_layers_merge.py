"""Rows of layers of several inputs, with masks and without: `keras_layers_merge.json`."""
from keras_common import numbers, write
from keras_layers import row
from keras_layers_shape import masked
import keras
import numpy as np

L = keras.layers
a, b, c = numbers(1, (2, 3, 4)), numbers(2, (2, 3, 4)), numbers(3, (2, 3, 4))
steps = numbers(4, (2, 1, 4))
row_only = numbers(5, (2, 4))
m1 = [[True, True, False], [True, False, False]]
m2 = [[True, False, True], [False, False, False]]
rows = {}
for name, layer in [("add", L.Add), ("multiply", L.Multiply), ("average", L.Average), ("maximum", L.Maximum), ("minimum", L.Minimum)]:
    rows[name] = row(layer(), [a, b, c])
    rows[name + "_broadcast"] = row(layer(), [a, steps])
    rows[name + "_rank"] = row(layer(), [row_only, a])
    rows[name + "_masks"] = masked(layer(), [a, b], [m1, m2])
    rows[name + "_one_mask"] = masked(layer(), [a, b], [m1, None])
rows |= {
    "subtract": row(L.Subtract(), [a, b]),
    "subtract_rank": row(L.Subtract(), [a, row_only]),
    "subtract_masks": masked(L.Subtract(), [a, b], [m1, m2]),
    "subtract_one_mask": masked(L.Subtract(), [a, b], [None, m2]),
    "add_whole": row(L.Add(), [np.array([[1, 2]], "int32"), np.array([[3, 4]], "int32")]),
    "concatenate": row(L.Concatenate(), [a, b]),
    "concatenate_steps": row(L.Concatenate(axis=1), [a, steps]),
    "concatenate_masks": masked(L.Concatenate(), [a, b], [m1, m2]),
    "concatenate_one_mask": masked(L.Concatenate(), [a, b], [m1, None]),
    "concatenate_steps_masks": masked(L.Concatenate(axis=1), [a, b], [m1, m2]),
    "concatenate_steps_one_mask": masked(L.Concatenate(axis=-2), [a, b], [None, m2]),
    "dot_rows": row(L.Dot(1), [row_only, numbers(6, (2, 4))]),
    "dot_last": row(L.Dot(-1), [a, numbers(7, (2, 5, 4))]),
    "dot_pair": row(L.Dot((2, 1)), [a, numbers(8, (2, 4, 5))]),
    "dot_row": row(L.Dot((2, 1)), [a, row_only]),
    "dot_normalize": row(L.Dot(2, normalize=True), [a, b]),
    "dot_four": row(L.Dot((1, 2)), [numbers(9, (2, 3, 2, 2)), numbers(10, (2, 2, 3))]),
}
write("layers_merge", rows)
