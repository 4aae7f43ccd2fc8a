"""The ops of `make_ops.py` that slide windows along one, two or three axes: convolutions, transposed ones, poolings.

TensorFlow's CPU kernels take channels last only; with `"first"` in an attribute the case is the same with the channels moved.
"""
import tensorflow as tf

from ops_elementwise import op


def last(x):
    return tf.transpose(x, [0, *range(2, len(x.shape)), 1])


def first(x):
    return tf.transpose(x, [0, len(x.shape) - 1, *range(1, len(x.shape) - 1)])


def formatted(call):
    """`call` of the input with channels last, and its result back in the format of the case."""
    def run(x, a):
        if not a.get("first"):
            return call(x, a)
        return first(call([last(x[0]), *x[1:]], a))
    return run


def sliding(strides=1, padding="VALID", dilations=1, **more):
    return {"strides": strides, "padding": padding, "dilations": dilations, **more}


@op("conv1d", formatted(lambda x, a: tf.nn.conv1d(x[0], x[1], a["strides"], a["padding"], dilations=a["dilations"])))
def _conv1d(v):
    yield "basic", sliding(), [v.n(2, 5, 2), v.n(3, 2, 2)]
    if v.main:
        yield "same", sliding(2, "SAME"), [v.n(1, 6, 1), v.n(3, 1, 2)]
        yield "dilated", sliding(1, "SAME", 2), [v.n(1, 6, 2), v.n(3, 2, 1)]
        yield "first", sliding(2, first=True), [v.n(1, 2, 5), v.n(2, 2, 3)]
        yield "groups", sliding(), [v.n(1, 4, 4), v.n(2, 2, 2)]
        yield "batches", sliding(), [v.n(2, 1, 4, 1), v.n(2, 1, 2)]
        yield "empty", sliding(), [v.n(0, 4, 1), v.n(2, 1, 1)]
        yield "rank", sliding(), [v.n(4, 1), v.n(2, 1, 1)]
        yield "channels", sliding(), [v.n(1, 4, 3), v.n(2, 2, 1)]


@op("conv2d_with", formatted(lambda x, a: tf.nn.conv2d(x[0], x[1], a["strides"], a["padding"], dilations=a["dilations"])))
def _conv2d_with(v):
    yield "basic", sliding([1, 2], "SAME", first=True), [v.n(1, 2, 3, 4), v.n(2, 2, 2, 2)]
    if v.main:
        around = [[0, 0], [1, 0], [0, 2], [0, 0]]
        yield "explicit", sliding(2, around), [v.n(1, 4, 4, 1), v.n(2, 3, 1, 2)]
        yield "explicit_dilated", sliding(1, around, 2), [v.n(1, 4, 4, 1), v.n(2, 2, 1, 1)]
        yield "dilated", sliding(1, "VALID", [2, 1]), [v.n(1, 5, 3, 2), v.n(2, 2, 2, 1)]
        yield "batches", sliding(), [v.n(2, 1, 3, 3, 1), v.n(2, 2, 1, 1)]


@op("conv3d", formatted(lambda x, a: tf.nn.conv3d(x[0], x[1], [1, *a["strides"], 1], a["padding"], dilations=[1, *a["dilations"], 1])))
def _conv3d(v):
    def a(strides=(1, 1, 1), padding="VALID", dilations=(1, 1, 1), **more):
        return sliding(list(strides), padding, list(dilations), **more)
    yield "basic", a(), [v.n(1, 3, 3, 2, 2), v.n(2, 2, 1, 2, 2)]
    if v.main:
        yield "same", a((1, 2, 1), "SAME"), [v.n(2, 3, 4, 3, 1), v.n(3, 3, 2, 1, 2)]
        yield "strides", a((2, 1, 2), "SAME"), [v.n(1, 4, 3, 3, 1), v.n(2, 2, 3, 1, 1)]
        yield "first", a((1, 1, 2), first=True), [v.n(1, 2, 3, 2, 3), v.n(2, 2, 2, 2, 1)]
        yield "one_plane", a(padding="SAME"), [v.n(1, 1, 2, 2, 1), v.n(3, 2, 2, 1, 1)]
        yield "empty", a(), [v.n(0, 2, 2, 2, 1), v.n(2, 1, 1, 1, 1)]


@op("conv1d_transpose", formatted(lambda x, a: tf.nn.conv1d_transpose(x[0], x[1], a["to"], a["strides"], a["padding"])))
def _conv1d_transpose(v):
    yield "basic", sliding(2, "SAME", to=[1, 8, 2]), [v.n(1, 4, 3), v.n(3, 2, 3)]
    if v.main:
        yield "odd", sliding(2, "SAME", to=[2, 7, 1]), [v.n(2, 4, 1), v.n(4, 1, 1)]
        yield "valid", sliding(2, "VALID", to=[1, 8, 2]), [v.n(1, 3, 1), v.n(3, 2, 1)]
        yield "wrong", sliding(2, "SAME", to=[1, 9, 2]), [v.n(1, 4, 3), v.n(3, 2, 3)]


@op("conv2d_transpose", formatted(lambda x, a: tf.nn.conv2d_transpose(x[0], x[1], a["to"], a["strides"], a["padding"])))
def _conv2d_transpose(v):
    yield "basic", sliding([2, 1], "SAME", to=[1, 4, 3, 2]), [v.n(1, 2, 3, 2), v.n(3, 2, 2, 2)]
    if v.main:
        yield "valid", sliding([2, 2], "VALID", to=[1, 5, 6, 1]), [v.n(1, 2, 2, 2), v.n(3, 3, 1, 2)]
        yield "gaps", sliding([3, 3], "VALID", to=[1, 5, 6, 1]), [v.n(1, 2, 2, 1), v.n(2, 2, 1, 1)]
        around = [[0, 0], [1, 0], [0, 2], [0, 0]]
        yield "explicit", sliding([1, 2], around, to=[1, 4, 5, 1]), [v.n(1, 4, 3, 1), v.n(2, 3, 1, 1)]
        yield "batch", sliding([2, 2], "SAME", to=[2, 4, 4, 2]), [v.n(1, 2, 2, 1), v.n(3, 3, 2, 1)]
        yield "channels", sliding([2, 2], "SAME", to=[1, 4, 4, 3]), [v.n(1, 2, 2, 1), v.n(3, 3, 2, 1)]


@op("conv3d_transpose", formatted(lambda x, a: tf.nn.conv3d_transpose(x[0], x[1], a["to"], a["strides"], a["padding"])))
def _conv3d_transpose(v):
    yield "basic", sliding([2, 1, 2], "SAME", to=[1, 4, 2, 2, 1]), [v.n(1, 2, 2, 1, 2), v.n(3, 2, 2, 1, 2)]
    if v.main:
        yield "valid", sliding([2, 2, 1], "VALID", to=[1, 5, 4, 3, 1]), [v.n(1, 2, 2, 2, 1), v.n(3, 2, 2, 1, 1)]
        yield "odd", sliding([2, 2, 2], "SAME", to=[1, 3, 4, 3, 1]), [v.n(1, 2, 2, 2, 1), v.n(3, 3, 3, 1, 1)]


@op("convolution", formatted(lambda x, a: tf.nn.convolution(x[0], x[1], a["strides"], a["padding"], dilations=a["dilations"])))
def _convolution(v):
    yield "basic", sliding([1], "VALID", [1]), [v.n(1, 4, 2), v.n(2, 2, 2)]
    if v.main:
        yield "images", sliding([1, 1], "SAME", [2, 1]), [v.n(1, 4, 3, 1), v.n(2, 2, 1, 2)]
        yield "volumes", sliding([1, 1, 1], "VALID", [1, 1, 1]), [v.n(1, 2, 3, 2, 1), v.n(2, 2, 2, 1, 1)]


@op("conv_transpose", formatted(lambda x, a: tf.nn.conv_transpose(x[0], x[1], a["to"], a["strides"], a["padding"])))
def _conv_transpose(v):
    yield "basic", sliding([2], "SAME", to=[1, 5, 2]), [v.n(1, 3, 1), v.n(3, 2, 1)]
    if v.main:
        yield "images", sliding([2, 2], "SAME", to=[1, 4, 4, 1]), [v.n(1, 2, 2, 2), v.n(3, 3, 1, 2)]


@op("atrous_conv2d", lambda x, a: tf.nn.atrous_conv2d(x[0], x[1], a["rate"], a["padding"]))
def _atrous_conv2d(v):
    yield "basic", {"rate": 2, "padding": "SAME"}, [v.n(1, 4, 5, 1), v.n(2, 3, 1, 2)]
    if v.main:
        yield "valid", {"rate": 2, "padding": "VALID"}, [v.n(1, 5, 5, 1), v.n(2, 3, 1, 1)]


@op("atrous_conv2d_transpose", lambda x, a: tf.nn.atrous_conv2d_transpose(x[0], x[1], a["to"], a["rate"], a["padding"]))
def _atrous_conv2d_transpose(v):
    yield "basic", {"rate": 2, "padding": "SAME", "to": [1, 4, 5, 1]}, [v.n(1, 4, 5, 1), v.n(2, 3, 1, 1)]
    if v.main:
        yield "valid", {"rate": 2, "padding": "VALID", "to": [1, 5, 6, 1]}, [v.n(1, 3, 2, 1), v.n(2, 3, 1, 1)]


def depthwise(x, a):
    return tf.nn.depthwise_conv2d(x[0], x[1], [1, *a["strides"], 1], a["padding"], dilations=a["dilations"])


@op("depthwise_conv2d", formatted(depthwise))
def _depthwise_conv2d(v):
    def a(strides=(1, 1), padding="VALID", dilations=(1, 1), **more):
        return sliding(list(strides), padding, list(dilations), **more)
    yield "basic", a(), [v.n(1, 3, 3, 2), v.n(2, 2, 2, 2)]
    if v.main:
        yield "same", a(padding="SAME"), [v.n(2, 3, 4, 3), v.n(3, 3, 3, 1)]
        yield "strides", a((2, 2), "SAME"), [v.n(1, 5, 4, 2), v.n(3, 2, 2, 1)]
        yield "dilated", a((1, 1), "VALID", (2, 2)), [v.n(1, 5, 4, 2), v.n(2, 2, 2, 3)]
        yield "first", a((1, 1), "SAME", first=True), [v.n(1, 2, 3, 3), v.n(2, 2, 2, 1)]
        yield "explicit", a((1, 1), [[0, 0], [1, 0], [0, 2], [0, 0]]), [v.n(1, 3, 3, 2), v.n(2, 2, 2, 1)]
        yield "one_channel", a(), [v.n(1, 3, 3, 1), v.n(2, 2, 1, 3)]
        yield "channels", a(), [v.n(1, 3, 3, 2), v.n(2, 2, 3, 1)]


@op("separable_conv2d", formatted(lambda x, a: tf.nn.separable_conv2d(
    x[0], x[1], x[2], [1, *a["strides"], 1], a["padding"], dilations=a["dilations"])))
def _separable_conv2d(v):
    a = sliding([1, 1], "SAME", [1, 1])
    yield "basic", a, [v.n(1, 3, 3, 2), v.n(2, 2, 2, 1), v.n(1, 1, 2, 3)]
    if v.main:
        yield "dilated", sliding([1, 1], "VALID", [2, 1]), [v.n(1, 4, 3, 1), v.n(2, 2, 1, 2), v.n(1, 1, 2, 1)]
        yield "pixels", a, [v.n(1, 3, 3, 2), v.n(2, 2, 2, 1), v.n(1, 2, 2, 3)]


def _pools(n):
    def cases(v):
        def a(ksize, strides, padding):
            return {"ksize": ksize, "strides": strides, "padding": padding}
        sizes = [5, 4, 3][:n]
        yield "basic", a([2] * n, [2] * n, "SAME"), [v.n(1, *sizes, 2)]
        if v.main:
            yield "valid", a([3, 2, 2][:n], [1, 2, 1][:n], "VALID"), [v.n(2, *sizes, 1)]
            yield "same", a([3, 3, 2][:n], [2, 1, 1][:n], "SAME"), [v.n(1, *sizes, 1)]
            yield "first", {**a([2] * n, [1] * n, "VALID"), "first": True}, [v.n(1, 2, *sizes)]
    return cases


for name, n in (("avg_pool", 2), ("avg_pool1d", 1), ("avg_pool3d", 3), ("max_pool", 2), ("max_pool1d", 1), ("max_pool3d", 3)):
    def pooling(x, a, call=getattr(tf.nn, name)):
        return call(x[0], a["ksize"], a["strides"], a["padding"])
    op(name, formatted(pooling))(_pools(n))


@op("pool", formatted(lambda x, a: tf.nn.pool(x[0], a["window_shape"], a["type"], a["strides"], a["padding"], dilations=a["dilations"])))
def _pool(v):
    def a(window, kind, strides, padding="VALID", dilations=1, **more):
        n = len(window)
        return sliding([strides] * n, padding, [dilations] * n, window_shape=window, type=kind, **more)
    yield "basic", a([2, 2], "MAX", 1), [v.n(1, 3, 4, 1)]
    if v.main:
        yield "average", a([2], "AVG", 2, "SAME"), [v.n(1, 5, 2)]
        for kind in ("MAX", "AVG"):
            yield f"dilated_{kind.lower()}", a([2, 3], kind, 1, "VALID", 2), [v.n(1, 5, 7, 1)]
        yield "dilated_sequence", a([2], "MAX", 1, "VALID", 3), [v.n(1, 5, 1)]
        yield "dilated_first", a([2, 1], "AVG", 1, "VALID", 2, first=True), [v.n(1, 2, 3, 4)]
        yield "dilated_same", a([2], "MAX", 1, "SAME", 2), [v.n(1, 5, 1)]
        yield "dilated_strides", a([2], "MAX", 2, "VALID", 2), [v.n(1, 5, 1)]


@op("max_pool_with_argmax", lambda x, a: list(tf.nn.max_pool_with_argmax(
    x[0], a["ksize"], a["strides"], a["padding"], output_dtype=a["output_dtype"], include_batch_in_index=a["batch"])))
def _max_pool_with_argmax(v):
    def a(ksize, strides, padding="VALID", output_dtype="int64", batch=False):
        return {"ksize": ksize, "strides": strides, "padding": padding, "output_dtype": output_dtype, "batch": batch}
    yield "basic", a([2, 2], [2, 2]), [v.n(2, 4, 3, 2)]
    if v.main:
        yield "same", a([3, 2], [2, 1], "SAME"), [v.n(1, 4, 3, 1)]
        yield "batch", a([2, 2], [1, 1], batch=True), [v.n(2, 3, 3, 1)]
        yield "int32", a([2, 2], [2, 2], "SAME", "int32"), [v.n(2, 3, 3, 2)]
