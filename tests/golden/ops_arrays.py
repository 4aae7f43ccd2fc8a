"""The ops of `make_ops.py` on matrices, sequences and moments that are made of other ops."""
import tensorflow as tf

from golden import i32
from ops_elementwise import op


@op("roll", lambda x, a: tf.roll(x[0], a["shift"], a["axis"]))
def _roll(v):
    yield "basic", {"shift": [1, -2], "axis": [0, 1]}, [v.n(2, 3)]
    if v.main:
        yield "turns", {"shift": [7, -9], "axis": [-1, 0]}, [v.n(4, 3)]
        yield "twice", {"shift": [1, 1], "axis": [1, 1]}, [v.n(2, 3)]
        yield "empty", {"shift": [1], "axis": [1]}, [v.n(0, 3)]
        yield "no_axis", {"shift": [1], "axis": [2]}, [v.n(2, 3)]


@op("meshgrid", lambda x, a: tf.meshgrid(*x, indexing=a["indexing"]))
def _meshgrid(v):
    yield "basic", {"indexing": "xy"}, [v.n(2), v.n(3), v.n(2)]
    if v.main:
        yield "ij", {"indexing": "ij"}, [v.n(2), v.n(3)]
        yield "one", {"indexing": "xy"}, [v.n(3)]


@op("band_part", lambda x, a: tf.linalg.band_part(x[0], a["lower"], a["upper"]))
def _band_part(v):
    yield "basic", {"lower": 0, "upper": -1}, [v.n(2, 3, 4)]
    if v.main:
        yield "band", {"lower": 1, "upper": 1}, [v.n(4, 3)]
        yield "all", {"lower": -1, "upper": -1}, [v.n(2, 2)]
        yield "empty", {"lower": 0, "upper": 0}, [v.n(0, 2)]
        yield "vector", {"lower": 0, "upper": 0}, [v.n(3)]


@op("tril", lambda x, a: tf.experimental.numpy.tril(x[0], a["k"]))
def _tril(v):
    yield "basic", {"k": 0}, [v.n(3, 3)]
    if v.main:
        yield "above", {"k": 1}, [v.n(2, 2, 4)]


@op("triu", lambda x, a: tf.experimental.numpy.triu(x[0], a["k"]))
def _triu(v):
    yield "basic", {"k": 0}, [v.n(3, 3)]
    if v.main:
        yield "below", {"k": -1}, [v.n(2, 4, 2)]


@op("diag", lambda x, a: tf.linalg.diag(x[0]))
def _diag(v):
    yield "basic", {}, [v.n(2, 3)]
    if v.main:
        yield "empty", {}, [v.n(0)]
        yield "scalar", {}, [v.n()]


@op("diag_part", lambda x, a: tf.linalg.diag_part(x[0]))
def _diag_part(v):
    yield "basic", {}, [v.n(2, 3, 3)]
    if v.main:
        yield "wide", {}, [v.n(2, 4)]
        yield "high", {}, [v.n(2, 4, 2)]
        yield "vector", {}, [v.n(3)]


@op("set_diag", lambda x, a: tf.linalg.set_diag(x[0], x[1]))
def _set_diag(v):
    yield "basic", {}, [v.n(2, 3, 3), v.n(2, 3)]
    if v.main:
        yield "wide", {}, [v.n(2, 4), v.n(2)]
        yield "high", {}, [v.n(4, 2), v.n(2)]
        yield "mismatch", {}, [v.n(3, 3), v.n(2)]


@op("trace", lambda x, a: tf.linalg.trace(x[0]))
def _trace(v):
    yield "basic", {}, [v.n(2, 3, 3)]
    if v.main:
        yield "wide", {}, [v.n(2, 4)]


@op("matvec", lambda x, a: tf.linalg.matvec(x[0], x[1]))
def _matvec(v):
    yield "basic", {}, [v.n(2, 3), v.n(3)]
    if v.main:
        yield "batch", {}, [v.n(2, 2, 3), v.n(2, 3)]
        yield "broadcast", {}, [v.n(2, 3), v.n(4, 3)]
        yield "mismatch", {}, [v.n(2, 3), v.n(2)]


@op("count_nonzero", lambda x, a: tf.math.count_nonzero(x[0], a["axes"], a["keepdims"]))
def _count_nonzero(v):
    yield "basic", {"axes": None, "keepdims": False}, [v.v([0, 1, 0, 3, -0.0])]
    if v.main:
        yield "axis", {"axes": [1], "keepdims": True}, [v.n(2, 3)]
        yield "empty", {"axes": [0], "keepdims": False}, [v.n(0, 3)]


@op("sequence_mask", lambda x, a: tf.sequence_mask(x[0], a["maxlen"]))
def _sequence_mask(v):
    if v.kind.kind not in "iu":
        # TensorFlow compares whatever it is given; lengths are integers.
        return
    yield "basic", {"maxlen": 4}, [v.v([0, 1, 3, 7])]
    if v.dtype in ("int32", "int64"):
        # Of the others TensorFlow has no greatest length, or no range.
        yield "longest", {"maxlen": None}, [v.v([[0, 2], [3, 1]])]


@op("reduce_euclidean_norm", lambda x, a: tf.math.reduce_euclidean_norm(x[0], a["axes"], a["keepdims"]))
def _reduce_euclidean_norm(v):
    yield "basic", {"axes": [1], "keepdims": False}, [v.n(2, 3)]
    if v.main:
        yield "all", {"axes": None, "keepdims": False}, [v.n(2, 3)]
        yield "kept", {"axes": [0, 2], "keepdims": True}, [v.n(2, 3, 2)]
        yield "empty", {"axes": [0], "keepdims": False}, [v.n(0, 3)]


@op("reverse_sequence", lambda x, a: tf.reverse_sequence(x[0], x[1], a["seq_axis"], a["batch_axis"]))
def _reverse_sequence(v):
    yield "basic", {"seq_axis": 1, "batch_axis": 0}, [v.n(3, 4), i32(2, 0, 4)]
    if v.main:
        yield "others", {"seq_axis": 0, "batch_axis": 2}, [v.n(3, 2, 2), i32(3, 2)]
        yield "too_long", {"seq_axis": 1, "batch_axis": 0}, [v.n(2, 3), i32(1, 4)]


@op("moments", lambda x, a: tf.nn.moments(x[0], a["axes"], keepdims=a["keepdims"]))
def _moments(v):
    yield "basic", {"axes": [0], "keepdims": False}, [v.n(4, 3)]
    if v.main:
        yield "kept", {"axes": [0, 2], "keepdims": True}, [v.n(2, 3, 2)]


@op("sigmoid_cross_entropy", lambda x, a: tf.nn.sigmoid_cross_entropy_with_logits(labels=x[0], logits=x[1]))
def _sigmoid_cross_entropy(v):
    yield "basic", {}, [v.n(2, 3, lo=0.0, hi=1.0), v.n(2, 3)]
    if v.main:
        yield "far", {}, [v.v([0, 1, 0, 1, 0, 1]), v.v([0, 0, 100, 100, -100, -100])]
        yield "mismatch", {}, [v.n(2, 3), v.n(3)]


@op("weighted_cross_entropy", lambda x, a: tf.nn.weighted_cross_entropy_with_logits(x[0], x[1], x[2]))
def _weighted_cross_entropy(v):
    yield "basic", {}, [v.n(2, 3, lo=0.0, hi=1.0), v.n(2, 3), v.n(3, lo=0.5, hi=2.0)]
    if v.main:
        yield "far", {}, [v.v([0, 1, 0, 1]), v.v([100, 100, -100, -100]), v.n(lo=0.5, hi=2.0)]


def _scatter_most(v):
    yield "basic", {}, [v.n(5), i32(1, 3, 1).reshape(3, 1), v.n(3)]
    if v.main:
        yield "rows", {}, [v.n(3, 2), i32(2, 0, 2).reshape(3, 1), v.n(3, 2)]
        yield "points", {}, [v.n(2, 3), i32(1, 2, 0, 0).reshape(2, 2), v.n(2)]
        yield "none", {}, [v.n(2, 3), i32().reshape(0, 1), v.n(0, 3)]


op("tensor_scatter_nd_max", lambda x, a: tf.tensor_scatter_nd_max(x[0], x[1], x[2]))(_scatter_most)
op("tensor_scatter_nd_min", lambda x, a: tf.tensor_scatter_nd_min(x[0], x[1], x[2]))(_scatter_most)
