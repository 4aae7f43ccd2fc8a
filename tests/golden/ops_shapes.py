"""The ops of `make_ops.py` that move elements: shapes, joins, slices, gathers and scatters."""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import OPS, op


@op("reshape", lambda x, a: tf.reshape(x[0], a["shape"]))
def _reshape(v):
    yield "basic", {"shape": [3, 2]}, [v.n(2, 3)]
    if v.main:
        yield "infer", {"shape": [-1, 4]}, [v.n(2, 3, 2)]
        yield "scalar", {"shape": []}, [v.n(1, 1)]
        yield "empty", {"shape": [0, 7]}, [v.n(2, 0)]
        yield "wrong", {"shape": [4]}, [v.n(2, 3)]
        yield "infer_zero", {"shape": [-1, 0]}, [v.n(0, 2)]


@op("transpose", lambda x, a: tf.transpose(x[0], a["perm"]))
def _transpose(v):
    yield "basic", {"perm": None}, [v.n(2, 3)]
    yield "perm", {"perm": [2, 0, 1]}, [v.n(2, 3, 2)]
    if v.main:
        yield "rank4", {"perm": [0, 3, 1, 2]}, [v.n(2, 2, 3, 2)]
        yield "scalar", {"perm": None}, [v.n()]
        yield "empty", {"perm": [1, 0]}, [v.n(0, 3)]
        yield "negative", {"perm": [-1, 0, 1]}, [v.n(2, 3, 2)]
        yield "repeated", {"perm": [0, 0]}, [v.n(2, 3)]


@op("expand_dims", lambda x, a: tf.expand_dims(x[0], a["axis"]))
def _expand(v):
    yield "basic", {"axis": 0}, [v.n(2, 3)]
    if v.main:
        yield "last", {"axis": -1}, [v.n(2, 3)]
        yield "middle", {"axis": 1}, [v.n(2, 3)]
        yield "too_far", {"axis": 3}, [v.n(2, 3)]


@op("squeeze", lambda x, a: tf.squeeze(x[0], a["axis"]))
def _squeeze(v):
    yield "basic", {"axis": None}, [v.n(1, 3, 1)]
    if v.main:
        yield "axis", {"axis": [-1]}, [v.n(1, 3, 1)]
        yield "not_one", {"axis": [1]}, [v.n(1, 3, 1)]


@op("concat", lambda x, a: tf.concat(x, a["axis"]))
def _concat(v):
    yield "basic", {"axis": 1}, [v.n(2, 3), v.n(2, 1)]
    if v.main:
        yield "axis0", {"axis": 0}, [v.n(1, 3), v.n(2, 3), v.n(0, 3)]
        yield "negative", {"axis": -1}, [v.n(2, 2, 1), v.n(2, 2, 2)]
        yield "mismatch", {"axis": 0}, [v.n(2, 3), v.n(2, 2)]


@op("stack", lambda x, a: tf.stack(x, a["axis"]))
def _stack(v):
    yield "basic", {"axis": 0}, [v.n(2), v.n(2), v.n(2)]
    if v.main:
        yield "axis1", {"axis": 1}, [v.n(2, 3), v.n(2, 3)]
        yield "last", {"axis": -1}, [v.n(2, 3), v.n(2, 3)]
        yield "scalars", {"axis": 0}, [v.n(), v.n()]
        yield "mismatch", {"axis": 0}, [v.n(2), v.n(3)]


@op("unstack", lambda x, a: tf.unstack(x[0], axis=a["axis"]))
def _unstack(v):
    yield "basic", {"axis": 0}, [v.n(2, 3)]
    if v.main:
        yield "last", {"axis": -1}, [v.n(2, 3)]
        yield "middle", {"axis": 1}, [v.n(2, 2, 3)]


@op("split", lambda x, a: tf.split(x[0], a["num_or_size_splits"], a["axis"]))
def _split(v):
    yield "basic", {"num_or_size_splits": 2, "axis": 0}, [v.n(4, 2)]
    yield "sizes", {"num_or_size_splits": [1, 2], "axis": 1}, [v.n(2, 3)]
    if v.main:
        yield "infer", {"num_or_size_splits": [1, -1, 2], "axis": -1}, [v.n(2, 5)]
        yield "zero", {"num_or_size_splits": [0, 3], "axis": 0}, [v.n(3)]
        yield "uneven", {"num_or_size_splits": 2, "axis": 0}, [v.n(3)]


@op("tile", lambda x, a: tf.tile(x[0], a["multiples"]))
def _tile(v):
    yield "basic", {"multiples": [2, 2]}, [v.n(1, 3)]
    if v.main:
        yield "rank3", {"multiples": [1, 2, 3]}, [v.n(2, 1, 2)]
        yield "zero", {"multiples": [0, 2]}, [v.n(2, 2)]


@op("pad", lambda x, a: tf.pad(x[0], a["paddings"], a["mode"], a["constant_values"]))
def _pad(v):
    zero = False if v.is_bool else 0
    yield "basic", {"paddings": [[1, 0], [0, 2]], "mode": "CONSTANT", "constant_values": zero}, [v.n(2, 3)]
    yield "reflect", {"paddings": [[1, 1], [2, 1]], "mode": "REFLECT", "constant_values": zero}, [v.n(2, 3)]
    yield "symmetric", {"paddings": [[1, 2], [0, 3]], "mode": "SYMMETRIC", "constant_values": zero}, [v.n(2, 3)]
    if v.main:
        yield "value", {"paddings": [[1, 1]], "mode": "CONSTANT", "constant_values": 7}, [v.n(3)]
        yield "reflect_too_far", {"paddings": [[2, 0]], "mode": "REFLECT", "constant_values": 0}, [v.n(2)]
        yield "symmetric_too_far", {"paddings": [[3, 0]], "mode": "SYMMETRIC", "constant_values": 0}, [v.n(2)]
        yield "empty", {"paddings": [[1, 1], [0, 0]], "mode": "CONSTANT", "constant_values": 0}, [v.n(0, 2)]


@op("reverse", lambda x, a: tf.reverse(x[0], a["axis"]))
def _reverse(v):
    yield "basic", {"axis": [1]}, [v.n(2, 3)]
    if v.main:
        yield "two", {"axis": [0, -1]}, [v.n(2, 2, 3)]
        yield "none", {"axis": []}, [v.n(2, 2)]


@op("broadcast_to", lambda x, a: tf.broadcast_to(x[0], a["shape"]))
def _broadcast_to(v):
    yield "basic", {"shape": [2, 3]}, [v.n(3)]
    if v.main:
        yield "inner", {"shape": [2, 2, 3]}, [v.n(2, 1)]
        yield "scalar", {"shape": [2, 2]}, [v.n()]
        yield "empty", {"shape": [0, 3]}, [v.n(1, 3)]
        yield "wrong", {"shape": [4]}, [v.n(3)]


@op("gather", lambda x, a: tf.gather(x[0], x[1], axis=a["axis"], batch_dims=a["batch_dims"]))
def _gather(v):
    yield "basic", {"axis": 0, "batch_dims": 0}, [v.n(4, 2), i32(3, 0, 3)]
    yield "axis", {"axis": 1, "batch_dims": 0}, [v.n(2, 3), i32(2, 0, 1, 2).reshape(2, 2)]
    if v.main:
        yield "last", {"axis": -1, "batch_dims": 0}, [v.n(2, 2, 3), np.array([1, 1], np.int64)]
        yield "scalar_index", {"axis": 0, "batch_dims": 0}, [v.n(3, 2), np.array(1, np.int32)]
        yield "batch", {"axis": 1, "batch_dims": 1}, [v.n(2, 3, 2), i32(2, 0, 1, 1).reshape(2, 2)]
        yield "batch_axis2", {"axis": 2, "batch_dims": 1}, [v.n(2, 2, 3), i32(2, 0, 1, 1).reshape(2, 2)]
        yield "empty_indices", {"axis": 0, "batch_dims": 0}, [v.n(3, 2), np.zeros([0], np.int32)]
        yield "out_of_range", {"axis": 0, "batch_dims": 0}, [v.n(3, 2), i32(0, 3)]
        yield "negative_index", {"axis": 0, "batch_dims": 0}, [v.n(3, 2), i32(0, -1)]


@op("gather_nd", lambda x, a: tf.gather_nd(x[0], x[1], batch_dims=a["batch_dims"]))
def _gather_nd(v):
    yield "basic", {"batch_dims": 0}, [v.n(2, 3), i32(1, 2, 0, 0).reshape(2, 2)]
    if v.main:
        yield "rows", {"batch_dims": 0}, [v.n(3, 2), i32(2, 0, 2).reshape(3, 1)]
        yield "batch", {"batch_dims": 1}, [v.n(2, 3, 2), i32(1, 2).reshape(2, 1)]
        yield "batch_points", {"batch_dims": 1}, [v.n(2, 3, 2), i32(1, 1, 0, 1, 2, 0, 2, 1).reshape(2, 2, 2)]
        yield "batch_two", {"batch_dims": 2}, [v.n(2, 2, 3), i32(2, 0, 1, 1).reshape(2, 2, 1)]
        yield "batch_out_of_range", {"batch_dims": 1}, [v.n(2, 3), i32(0, 3).reshape(2, 1)]
        yield "whole", {"batch_dims": 0}, [v.n(2, 2), np.zeros([1, 0], np.int32)]
        yield "out_of_range", {"batch_dims": 0}, [v.n(2, 3), i32(1, 3).reshape(1, 2)]


@op("scatter_nd", lambda x, a: tf.scatter_nd(x[0], x[1], a["shape"]))
def _scatter_nd(v):
    yield "basic", {"shape": [5]}, [i32(1, 3, 1).reshape(3, 1), v.n(3)]
    if v.main:
        yield "rows", {"shape": [3, 2]}, [i32(2, 0, 2).reshape(3, 1), v.n(3, 2)]
        yield "points", {"shape": [2, 3]}, [i32(1, 2, 0, 0).reshape(2, 2), v.n(2)]
        yield "out_of_range", {"shape": [2]}, [i32(2).reshape(1, 1), v.n(1)]


@op("tensor_scatter_nd_update", lambda x, a: tf.tensor_scatter_nd_update(x[0], x[1], x[2]))
def _scatter_update(v):
    yield "basic", {}, [v.n(5), i32(1, 3, 1).reshape(3, 1), v.n(3)]
    if v.main:
        yield "rows", {}, [v.n(3, 2), i32(2, 0).reshape(2, 1), v.n(2, 2)]
        yield "points", {}, [v.n(2, 3), i32(1, 2, 0, 0).reshape(2, 2), v.n(2)]
        yield "out_of_range", {}, [v.n(2), i32(2).reshape(1, 1), v.n(1)]


@op("slice", lambda x, a: tf.slice(x[0], a["begin"], a["size"]))
def _slice(v):
    yield "basic", {"begin": [0, 1], "size": [2, 2]}, [v.n(2, 3)]
    if v.main:
        yield "rest", {"begin": [1, 0], "size": [-1, 2]}, [v.n(3, 3)]
        yield "empty", {"begin": [1, 3], "size": [1, 0]}, [v.n(3, 3)]
        yield "too_long", {"begin": [1, 0], "size": [3, 1]}, [v.n(3, 3)]


def _strided(x, a):
    masks = {k: a[k] for k in a if k.endswith("_mask")}
    return tf.strided_slice(x[0], a["begin"], a["end"], a["strides"], **masks)


def _mask(begin=0, end=0, ellipsis=0, new_axis=0, shrink=0):
    return {"begin_mask": begin, "end_mask": end, "ellipsis_mask": ellipsis, "new_axis_mask": new_axis,
            "shrink_axis_mask": shrink}


@op("strided_slice", _strided)
def _strided_cases(v):
    yield "basic", {"begin": [0, 2], "end": [2, -4], "strides": [1, -1], **_mask()}, [v.n(2, 3)]
    if v.main:
        # x[::-1, 1]
        yield "reverse_pick", {"begin": [0, 1], "end": [0, 2], "strides": [-1, 1], **_mask(1, 1, shrink=2)}, [v.n(3, 3)]
        # x[..., ::2]
        yield "ellipsis", {"begin": [0, 0], "end": [0, 0], "strides": [1, 2], **_mask(2, 2, 1)}, [v.n(2, 2, 5)]
        # x[tf.newaxis, 1:, ..., -1]
        yield "new_axis", {"begin": [0, 1, 0, -1], "end": [0, 0, 0, 0], "strides": [1, 1, 1, 1],
                           **_mask(0, 2, 4, 1, 8)}, [v.n(3, 2, 2)]
        yield "clamped", {"begin": [-9], "end": [9], "strides": [2], **_mask()}, [v.n(5)]
        yield "step_back", {"begin": [9], "end": [-9], "strides": [-2], **_mask()}, [v.n(6)]
        yield "empty", {"begin": [3], "end": [1], "strides": [1], **_mask()}, [v.n(5)]
        yield "pick_negative", {"begin": [-1], "end": [0], "strides": [1], **_mask(shrink=1)}, [v.n(3, 2)]
        yield "pick_out_of_range", {"begin": [3], "end": [4], "strides": [1], **_mask(shrink=1)}, [v.n(3, 2)]
        yield "zero_stride", {"begin": [0], "end": [2], "strides": [0], **_mask()}, [v.n(3)]
        yield "grid", {"begin": [1, 4, 0], "end": [4, 0, 6], "strides": [2, -2, 3], **_mask()}, [v.n(4, 5, 6)]


@op("embedding_lookup", lambda x, a: tf.nn.embedding_lookup(x[0], x[1]))
def _embedding(v):
    yield "basic", {}, [v.n(4, 2), i32(3, 0, 3, 1).reshape(2, 2)]
    if v.main:
        yield "out_of_range", {}, [v.n(4, 2), i32(4)]


@op("boolean_mask", lambda x, a: tf.boolean_mask(x[0], x[1], axis=a["axis"]))
def _boolean_mask(v):
    yield "basic", {"axis": None}, [v.n(3, 2), np.array([True, False, True])]
    if v.main:
        yield "matrix", {"axis": None}, [v.n(2, 3), np.array([[True, False, True], [False, False, True]])]
        yield "axis", {"axis": 1}, [v.n(2, 3), np.array([True, False, True])]
        yield "none", {"axis": None}, [v.n(2), np.array([False, False])]
