"""The ops of `make_ops.py` that turn cells into entries of the batch or into channels, and back."""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import OPS, op


@op("space_to_batch", lambda x, a: tf.space_to_batch(x[0], a["block"], a["around"]))
def _space_to_batch(v):
    yield "basic", {"block": [2, 2], "around": [[0, 0], [1, 1]]}, [v.n(1, 4, 2, 3)]
    if v.main:
        yield "sequence", {"block": [3], "around": [[2, 1]]}, [v.n(2, 3)]
        yield "uneven", {"block": [2, 3], "around": [[1, 0], [0, 2]]}, [v.n(2, 3, 4, 2)]
        yield "three", {"block": [2, 1, 2], "around": [[0, 0], [0, 0], [1, 1]]}, [v.n(2, 2, 3, 2, 2)]
        yield "four", {"block": [2, 2, 2, 2], "around": [[0, 0], [1, 1], [0, 0], [0, 0]]}, [v.n(1, 2, 2, 4, 2)]
        yield "ones", {"block": [1, 1], "around": [[0, 0], [1, 2]]}, [v.n(1, 2, 2, 1)]
        yield "empty", {"block": [2], "around": [[0, 0]]}, [v.n(0, 4)]
        yield "no_multiple", {"block": [2], "around": [[0, 0]]}, [v.n(1, 3)]
        yield "no_cells", {"block": [0], "around": [[0, 0]]}, [v.n(1, 3)]
        yield "negative_margin", {"block": [2], "around": [[-1, 0]]}, [v.n(1, 3)]
        yield "flat", {"block": [2, 2], "around": [[0, 0], [0, 0]]}, [v.n(2, 2)]


@op("batch_to_space", lambda x, a: tf.batch_to_space(x[0], a["block"], a["around"]))
def _batch_to_space(v):
    yield "basic", {"block": [2, 2], "around": [[0, 0], [1, 0]]}, [v.n(4, 2, 1, 3)]
    if v.main:
        yield "sequence", {"block": [3], "around": [[2, 1]]}, [v.n(6, 3)]
        yield "uneven", {"block": [2, 3], "around": [[1, 0], [0, 2]]}, [v.n(12, 2, 2, 2)]
        yield "three", {"block": [2, 1, 2], "around": [[0, 0], [0, 0], [1, 1]]}, [v.n(4, 1, 3, 2, 2)]
        yield "four", {"block": [2, 2, 2, 2], "around": [[0, 0], [1, 1], [0, 0], [0, 0]]}, [v.n(16, 1, 2, 1, 1)]
        yield "all_cropped", {"block": [2], "around": [[2, 2]]}, [v.n(2, 2)]
        yield "empty", {"block": [2], "around": [[0, 0]]}, [v.n(0, 4)]
        yield "no_multiple", {"block": [2], "around": [[0, 0]]}, [v.n(3, 3)]
        yield "too_much", {"block": [2], "around": [[3, 2]]}, [v.n(2, 2)]


def _required(x, a):
    return list(tf.required_space_to_batch_paddings(x[0], x[1], x[2] if len(x) > 2 else None))


@op("required_space_to_batch_paddings", _required)
def _required_paddings(v):
    yield "basic", {}, [v.v([5, 4]), v.v([2, 3])]
    if v.dtype == "int32":
        yield "base", {}, [v.v([5, 4, 6]), v.v([2, 3, 2]), np.int32([[1, 0], [2, 3], [0, 0]])]
        yield "none", {}, [v.v([]), v.v([])]
        yield "mismatch", {}, [v.v([5, 4]), v.v([2, 3]), np.int32([[1, 0]])]


def _channels_first(fn):
    """TensorFlow's CPU has channels last alone."""
    def run(x, a):
        if a["data_format"] == "NHWC":
            return fn(x[0], a["block"])
        return tf.transpose(fn(tf.transpose(x[0], [0, 2, 3, 1]), a["block"]), [0, 3, 1, 2])
    return run


@op("space_to_depth", _channels_first(tf.nn.space_to_depth))
def _space_to_depth(v):
    yield "basic", {"block": 2, "data_format": "NHWC"}, [v.n(1, 4, 2, 2)]
    if v.main:
        yield "three", {"block": 3, "data_format": "NHWC"}, [v.n(2, 3, 6, 1)]
        yield "first", {"block": 2, "data_format": "NCHW"}, [v.n(2, 3, 4, 2)]
        yield "empty", {"block": 2, "data_format": "NHWC"}, [v.n(0, 4, 2, 2)]
        yield "no_multiple", {"block": 2, "data_format": "NHWC"}, [v.n(1, 3, 2, 2)]
        yield "one", {"block": 1, "data_format": "NHWC"}, [v.n(1, 3, 2, 2)]
        yield "flat", {"block": 2, "data_format": "NHWC"}, [v.n(4, 2, 2)]


@op("depth_to_space", _channels_first(tf.nn.depth_to_space))
def _depth_to_space(v):
    yield "basic", {"block": 2, "data_format": "NHWC"}, [v.n(1, 2, 1, 8)]
    if v.main:
        yield "three", {"block": 3, "data_format": "NHWC"}, [v.n(2, 1, 2, 9)]
        yield "first", {"block": 2, "data_format": "NCHW"}, [v.n(2, 12, 2, 1)]
        yield "empty", {"block": 2, "data_format": "NHWC"}, [v.n(0, 1, 2, 4)]
        yield "no_multiple", {"block": 2, "data_format": "NHWC"}, [v.n(1, 1, 2, 6)]


@op("local_response_normalization",
    lambda x, a: tf.nn.local_response_normalization(x[0], a["radius"], a["bias"], a["alpha"], a["beta"]))
def _lrn(v):
    yield "basic", {"radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, [v.n(1, 2, 2, 7)]
    if v.dtype in ("float32", "float16"):
        yield "narrow", {"radius": 1, "bias": 2.0, "alpha": 0.25, "beta": 0.75}, [v.n(2, 1, 3, 5)]
        yield "itself", {"radius": 0, "bias": 0.5, "alpha": 1.0, "beta": 1.0}, [v.n(1, 2, 2, 3)]
        yield "negative_base", {"radius": 1, "bias": -10.0, "alpha": 0.01, "beta": 0.5}, [v.n(1, 1, 1, 3)]
        yield "empty", {"radius": 2, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, [v.n(0, 2, 2, 3)]
        yield "no_channels", {"radius": 2, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, [v.n(1, 2, 2, 0)]
        yield "negative_radius", {"radius": -1, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, [v.n(1, 2, 2, 3)]
        yield "flat", {"radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, [v.n(2, 3)]


def _around(numbers):
    return [1, *numbers, 1]


@op("extract_patches", lambda x, a: tf.image.extract_patches(
    x[0], _around(a["sizes"]), _around(a["strides"]), _around(a["rates"]), a["padding"]))
def _extract_patches(v):
    yield "basic", {"sizes": [2, 3], "strides": [1, 2], "rates": [1, 1], "padding": "SAME"}, [v.n(1, 3, 4, 2)]
    if v.main:
        for padding in ["SAME", "VALID"]:
            yield f"rates_{padding}", {"sizes": [2, 2], "strides": [1, 2], "rates": [2, 3], "padding": padding}, [v.n(2, 5, 6, 1)]
            yield f"gaps_{padding}", {"sizes": [1, 2], "strides": [3, 3], "rates": [1, 1], "padding": padding}, [v.n(1, 5, 7, 2)]
            yield f"empty_{padding}", {"sizes": [2, 2], "strides": [1, 1], "rates": [1, 1], "padding": padding}, [v.n(0, 3, 3, 2)]
            yield f"larger_{padding}", {"sizes": [3, 3], "strides": [2, 2], "rates": [1, 1], "padding": padding}, [v.n(1, 2, 2, 1)]
        yield "too_large", {"sizes": [4, 4], "strides": [1, 1], "rates": [1, 1], "padding": "VALID"}, [v.n(1, 2, 2, 1)]
        yield "flat", {"sizes": [1, 1], "strides": [1, 1], "rates": [1, 1], "padding": "VALID"}, [v.n(2, 2, 1)]


@op("extract_volume_patches",
    lambda x, a: tf.extract_volume_patches(x[0], _around(a["sizes"]), _around(a["strides"]), a["padding"]))
def _extract_volume_patches(v):
    yield "basic", {"sizes": [2, 1, 2], "strides": [1, 2, 1], "padding": "SAME"}, [v.n(1, 2, 3, 2, 1)]
    if v.main:
        for padding in ["SAME", "VALID"]:
            yield f"cubes_{padding}", {"sizes": [2, 2, 3], "strides": [2, 1, 2], "padding": padding}, [v.n(2, 3, 3, 4, 2)]
        yield "empty", {"sizes": [2, 2, 2], "strides": [1, 1, 1], "padding": "VALID"}, [v.n(0, 3, 3, 3, 2)]
        yield "too_large", {"sizes": [4, 4, 4], "strides": [1, 1, 1], "padding": "VALID"}, [v.n(1, 2, 2, 2, 1)]


def _morphology(fn):
    return lambda x, a: fn(x[0], x[1], _around(a["strides"]), a["padding"], "NHWC", _around(a["rates"]))


def _morphology_cases(v):
    yield "basic", {"strides": [1, 2], "rates": [1, 1], "padding": "SAME"}, [v.n(1, 3, 4, 2), v.n(2, 3, 2)]
    if v.main:
        for padding in ["SAME", "VALID"]:
            yield f"rates_{padding}", {"strides": [2, 1], "rates": [2, 3], "padding": padding}, [v.n(2, 5, 6, 1), v.n(2, 2, 1)]
            yield f"larger_{padding}", {"strides": [2, 2], "rates": [1, 1], "padding": padding}, [v.n(1, 2, 2, 1), v.n(3, 3, 1)]
        yield "empty", {"strides": [1, 1], "rates": [1, 1], "padding": "SAME"}, [v.n(0, 3, 3, 2), v.n(2, 2, 2)]
        yield "too_large", {"strides": [1, 1], "rates": [1, 1], "padding": "VALID"}, [v.n(1, 2, 2, 1), v.n(4, 4, 1)]
        yield "mismatch", {"strides": [1, 1], "rates": [1, 1], "padding": "SAME"}, [v.n(1, 2, 2, 1), v.n(1, 1, 2)]


OPS["dilation2d"] = (_morphology(tf.nn.dilation2d), _morphology_cases)
OPS["erosion2d"] = (_morphology(tf.nn.erosion2d), _morphology_cases)
