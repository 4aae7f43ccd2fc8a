"""The matrix products, convolutions, pools and biases of `make_ops.py`."""
import numpy as np
import tensorflow as tf

from ops_elementwise import OPS, op


@op("matmul", lambda x, a: tf.matmul(x[0], x[1], **a))
def _matmul(v):
    def t(a=False, b=False):
        return {"transpose_a": a, "transpose_b": b}
    yield "basic", t(), [v.n(2, 3), v.n(3, 2)]
    yield "batch", t(), [v.n(2, 1, 2), v.n(2, 2, 3)]
    if v.main:
        yield "transpose_a", t(a=True), [v.n(3, 2), v.n(3, 4)]
        yield "transpose_b", t(b=True), [v.n(2, 3), v.n(4, 3)]
        yield "both", t(True, True), [v.n(3, 2), v.n(4, 3)]
        yield "batch_both", t(True, True), [v.n(2, 3, 2), v.n(2, 4, 3)]
        yield "broadcast", t(), [v.n(2, 1, 2, 3), v.n(3, 3, 2)]
        yield "broadcast_matrix", t(), [v.n(2, 2, 3), v.n(3, 2)]
        yield "larger", t(), [v.n(5, 17), v.n(17, 9)]
        yield "row", t(), [v.n(1, 4), v.n(4, 5)]
        yield "column", t(), [v.n(5, 4), v.n(4, 1)]
        yield "empty_inner", t(), [v.n(2, 0), v.n(0, 3)]
        yield "empty_rows", t(), [v.n(0, 3), v.n(3, 2)]
        yield "empty_batch", t(), [v.n(0, 2, 3), v.n(0, 3, 2)]
        yield "edges", t(), [v.v([[np.nan, 0.0], [np.inf, 0.0], [1.0, 0.0]]), v.v([[0.0, 1.0], [1.0, np.inf]])]
        yield "mismatch", t(), [v.n(2, 3), v.n(2, 3)]


@op("batch_matmul", lambda x, a: tf.matmul(x[0], x[1], **a))
def _batch_matmul(v):
    """`tf.matmul` above rank 2 is another kernel, which takes more dtypes."""
    a = {"transpose_a": False, "transpose_b": False}
    yield "basic", a, [v.n(2, 1, 2), v.n(2, 2, 3)]
    yield "broadcast", a, [v.n(2, 2, 3), v.n(3, 2)]


@op("tensordot", lambda x, a: tf.tensordot(x[0], x[1], a["axes"]))
def _tensordot(v):
    yield "basic", {"axes": 1}, [v.n(2, 3), v.n(3, 2)]
    if v.main:
        yield "two", {"axes": 2}, [v.n(2, 3, 2), v.n(3, 2, 2)]
        yield "outer", {"axes": 0}, [v.n(2), v.n(3)]
        yield "lists", {"axes": [[0, 2], [1, 0]]}, [v.n(2, 3, 4), v.n(4, 2, 2)]
        yield "single", {"axes": [[-1], [0]]}, [v.n(2, 2, 3), v.n(3, 2)]
        yield "full", {"axes": 1}, [v.n(3), v.n(3)]


@op("conv2d", lambda x, a: tf.nn.conv2d(x[0], x[1], a["strides"], a["padding"], dilations=a["dilations"]))
def _conv2d(v):
    """NHWC input, [height, width, in, out] filter."""
    def a(strides=(1, 1), padding="VALID", dilations=(1, 1)):
        return {"strides": list(strides), "padding": padding, "dilations": list(dilations)}
    yield "basic", a(), [v.n(1, 3, 4, 2), v.n(2, 2, 2, 2)]
    yield "same", a(padding="SAME"), [v.n(1, 3, 3, 1), v.n(3, 3, 1, 2)]
    yield "same_even", a(padding="SAME"), [v.n(1, 3, 3, 1), v.n(2, 2, 1, 1)]
    yield "strides", a((2, 2), "SAME"), [v.n(1, 5, 4, 1), v.n(3, 3, 1, 1)]
    if v.main:
        yield "strides_valid", a((2, 1)), [v.n(2, 5, 4, 2), v.n(3, 2, 2, 3)]
        yield "strides_even", a((2, 2), "SAME"), [v.n(1, 5, 5, 1), v.n(4, 2, 1, 2)]
        yield "dilations", a(dilations=(2, 2)), [v.n(1, 5, 6, 1), v.n(2, 3, 1, 2)]
        yield "dilations_same", a(padding="SAME", dilations=(2, 1)), [v.n(1, 5, 4, 2), v.n(3, 3, 2, 1)]
        yield "explicit", a((1, 2), [[0, 0], [1, 0], [0, 2], [0, 0]]), [v.n(1, 3, 3, 1), v.n(2, 2, 1, 1)]
        yield "one_by_one", a(), [v.n(2, 2, 3, 3), v.n(1, 1, 3, 2)]
        yield "groups", a(), [v.n(1, 3, 3, 4), v.n(2, 2, 2, 4)]
        yield "stride_over_kernel", a((3, 3), "SAME"), [v.n(1, 5, 5, 1), v.n(2, 2, 1, 1)]
        yield "empty_batch", a(), [v.n(0, 3, 3, 1), v.n(2, 2, 1, 1)]
        yield "kernel_too_large", a(), [v.n(1, 2, 2, 1), v.n(3, 3, 1, 1)]
        yield "channels_mismatch", a(), [v.n(1, 3, 3, 3), v.n(2, 2, 2, 2)]


def _pool_cases(v):
    def a(ksize=(2, 2), strides=(2, 2), padding="VALID"):
        return {"ksize": list(ksize), "strides": list(strides), "padding": padding}
    yield "basic", a(), [v.n(1, 4, 4, 1)]
    yield "same", a((2, 2), (2, 2), "SAME"), [v.n(1, 3, 3, 2)]
    if v.main:
        yield "overlap", a((3, 3), (1, 1), "SAME"), [v.n(1, 4, 3, 2)]
        yield "wide", a((1, 3), (2, 1)), [v.n(2, 3, 4, 1)]
        yield "gaps", a((1, 1), (2, 2)), [v.n(1, 4, 4, 1)]
        yield "edges", a(), [v.v([np.nan, 1, np.inf, 1, 2, 3, -np.inf, 2, 1, 2, -np.inf, -np.inf, 3, np.nan, -np.inf,
                                  -np.inf]).reshape(1, 4, 4, 1)]
        yield "empty_batch", a(), [v.n(0, 4, 4, 1)]


OPS["max_pool2d"] = (lambda x, a: tf.nn.max_pool2d(x[0], a["ksize"], a["strides"], a["padding"]), _pool_cases)
OPS["avg_pool2d"] = (lambda x, a: tf.nn.avg_pool2d(x[0], a["ksize"], a["strides"], a["padding"]), _pool_cases)


@op("bias_add", lambda x, a: tf.nn.bias_add(x[0], x[1], data_format=a["data_format"]))
def _bias_add(v):
    yield "basic", {"data_format": "NHWC"}, [v.n(2, 3), v.n(3)]
    if v.main:
        yield "rank4", {"data_format": "NHWC"}, [v.n(1, 2, 2, 3), v.n(3)]
        yield "channels_first", {"data_format": "NCHW"}, [v.n(1, 3, 2, 2), v.n(3)]
        yield "mismatch", {"data_format": "NHWC"}, [v.n(2, 3), v.n(2)]
