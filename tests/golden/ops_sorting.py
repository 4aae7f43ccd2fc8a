"""The ops of `make_ops.py` that sort, search and count."""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import op


def i64(*values):
    return np.array(values, dtype=np.int64)


@op("sort", lambda x, a: tf.sort(x[0], a["axis"], a["direction"]))
def _sort(v):
    yield "basic", {"axis": -1, "direction": "ASCENDING"}, [v.n(3, 5)]
    yield "down", {"axis": 0, "direction": "DESCENDING"}, [v.n(4, 3)]
    if v.main:
        yield "middle", {"axis": 1, "direction": "ASCENDING"}, [v.n(2, 4, 2)]
        yield "zeros", {"axis": 0, "direction": "ASCENDING"}, [v.v([0.0, -1.0, -0.0, 0.0, 3.0])]
        yield "zeros_down", {"axis": 0, "direction": "DESCENDING"}, [v.v([0.0, -1.0, -0.0, 0.0, 3.0])]
        yield "infinite", {"axis": 0, "direction": "ASCENDING"}, [v.v([1.0, np.inf, -np.inf, 5e-39, -2.0])]
        yield "empty", {"axis": 1, "direction": "ASCENDING"}, [v.n(0, 3)]
        yield "nothing", {"axis": 1, "direction": "ASCENDING"}, [v.n(3, 0)]
        yield "long", {"axis": -1, "direction": "ASCENDING"}, [v.n(600)]
        yield "scalar", {"axis": 0, "direction": "ASCENDING"}, [v.n()]
        yield "no_axis", {"axis": 2, "direction": "ASCENDING"}, [v.n(2, 3)]


@op("argsort", lambda x, a: tf.argsort(x[0], a["axis"], a["direction"]))
def _argsort(v):
    yield "basic", {"axis": -1, "direction": "ASCENDING"}, [v.n(3, 5)]
    yield "ties", {"axis": 0, "direction": "DESCENDING"}, [v.v([1, 0, 1, 2, 0, 1])]
    if v.main:
        yield "middle", {"axis": 1, "direction": "DESCENDING"}, [v.n(2, 4, 2)]
        yield "zeros", {"axis": 0, "direction": "ASCENDING"}, [v.v([0.0, -1.0, -0.0, 0.0, 3.0])]
        yield "scalar", {"axis": 0, "direction": "ASCENDING"}, [v.n()]


@op("top_k", lambda x, a: list(tf.math.top_k(x[0], a["k"], index_type=a["index_type"])))
def _top_k(v):
    yield "basic", {"k": 2, "index_type": "int32"}, [v.n(3, 5)]
    yield "ties", {"k": 3, "index_type": "int32"}, [v.v([1, 0, 1, 1, 0, 1])]
    if v.main:
        yield "one", {"k": 1, "index_type": "int64"}, [v.n(2, 2, 4)]
        yield "short", {"k": 2, "index_type": "int16"}, [v.n(4)]
        yield "all", {"k": 4, "index_type": "int32"}, [v.n(4)]
        yield "none", {"k": 0, "index_type": "int32"}, [v.n(2, 4)]
        yield "empty", {"k": 2, "index_type": "int32"}, [v.n(0, 4)]
        yield "few_of_many", {"k": 5, "index_type": "int32"}, [v.n(2, 100)]
        yield "too_many", {"k": 5, "index_type": "int32"}, [v.n(4)]
        yield "negative", {"k": -1, "index_type": "int32"}, [v.n(4)]
        yield "scalar", {"k": 1, "index_type": "int32"}, [v.n()]


@op("in_top_k", lambda x, a: tf.math.in_top_k(x[1], x[0], a["k"]))
def _in_top_k(v):
    yield "basic", {"k": 2}, [v.n(4, 5), i32(0, 4, 2, 1)]
    if v.dtype == "float32":
        yield "ties", {"k": 1}, [v.v([[2, 2, 2], [3, 2, 1]]), i64(1, 2)]
        yield "odd", {"k": 3}, [v.v([[np.inf, 1, 2], [np.nan, 2, 1], [3, 2, 1], [3, 2, 1]]), i32(1, 1, 9, -1)]
        yield "none", {"k": 0}, [v.n(2, 3), i32(0, 1)]
        yield "mismatch", {"k": 1}, [v.n(2, 3), i32(0, 1, 2)]


@op("searchsorted", lambda x, a: tf.searchsorted(x[0], x[1], a["side"], a["out_type"]))
def _searchsorted(v):
    rows = v.v([[0, 1, 1, 3, 7], [1, 2, 2, 2, 9]])
    if v.is_bool:
        rows = v.v([[0, 1], [0, 0]])
    yield "basic", {"side": "left", "out_type": "int32"}, [rows, v.v([[1, 0, 8], [2, 0, 9]])]
    yield "right", {"side": "right", "out_type": "int64"}, [rows, v.v([[1, 0, 8], [2, 0, 9]])]
    if v.main:
        yield "vector", {"side": "left", "out_type": "int32"}, [v.v([-1, 3, 5, 10]), v.v([0, 4, 10, 11])]
        yield "nan", {"side": "left", "out_type": "int32"}, [v.v([1, 2, np.nan]), v.v([np.nan, 1.5, 3])]
        yield "nan_right", {"side": "right", "out_type": "int32"}, [v.v([1, 2, np.nan]), v.v([np.nan, 1.5, 3])]
        yield "nothing", {"side": "left", "out_type": "int32"}, [v.n(0), v.n(2)]
        yield "deep", {"side": "left", "out_type": "int32"}, [v.v([[[1, 3]], [[2, 5]]]), v.v([[2], [5]])]
        yield "mismatch", {"side": "left", "out_type": "int32"}, [rows, v.n(3, 2)]
        yield "scalar", {"side": "left", "out_type": "int32"}, [v.n(3), v.n()]


@op("unique", lambda x, a: list(tf.unique(x[0], tf.dtypes.as_dtype(a["out_idx"]))))
def _unique(v):
    yield "basic", {"out_idx": "int32"}, [v.v([1, 1, 2, 4, 4, 4, 7, 8, 8, 0, 1])]
    if v.main:
        yield "nan", {"out_idx": "int64"}, [v.v([np.nan, 1, np.nan, 0.0, -0.0])]
        yield "empty", {"out_idx": "int32"}, [v.n(0)]
        yield "matrix", {"out_idx": "int32"}, [v.n(1, 2)]


@op("unique_with_counts", lambda x, a: list(tf.unique_with_counts(x[0], tf.dtypes.as_dtype(a["out_idx"]))))
def _unique_with_counts(v):
    yield "basic", {"out_idx": "int32"}, [v.v([1, 1, 2, 4, 4, 4, 7, 8, 8, 0, 1])]
    if v.main:
        yield "wide", {"out_idx": "int64"}, [v.v([np.nan, 1, np.nan, 0.0, -0.0])]
        yield "scalar", {"out_idx": "int32"}, [v.n()]


@op("repeat", lambda x, a: tf.repeat(x[0], x[1], a["axis"]))
def _repeat(v):
    yield "basic", {"axis": 1}, [v.n(2, 3), i32(2, 0, 1)]
    if v.main:
        yield "alike", {"axis": 0}, [v.n(2, 3), np.int32(2)]
        yield "one", {"axis": -1}, [v.n(2, 3), i32(3)]
        yield "flat", {"axis": None}, [v.n(2, 2), i32(1, 2, 0, 1)]
        yield "flat_alike", {"axis": None}, [v.n(2, 2), np.int64(2)]
        yield "scalar", {"axis": 0}, [v.n(), np.int32(3)]
        yield "negative", {"axis": 0}, [v.n(3), i32(-1, 2, 1)]
        yield "none", {"axis": 0}, [v.n(3), np.int32(0)]
        yield "negative_alike", {"axis": 0}, [v.n(3), np.int32(-1)]
        yield "mismatch", {"axis": 0}, [v.n(2), i32(1, 2, 3)]


def _bins(x, a):
    return tf.math.bincount(x[0], weights=x[1] if len(x) > 1 else None, minlength=a["minlength"], maxlength=a["maxlength"],
                            dtype=tf.dtypes.as_dtype(a["dtype"]), axis=a["axis"], binary_output=a["binary"])


def _how(**attrs):
    return {"minlength": None, "maxlength": None, "dtype": "int32", "axis": 0, "binary": False, **attrs}


@op("bincount", _bins)
def _bincount(v):
    yield "basic", _how(), [v.v([1, 0, 1, 3, 0, 1])]
    if v.dtype in ("int32", "int64"):
        rows = v.v([[0, 2, 2], [1, 1, 0]])
        yield "least", _how(minlength=6), [v.v([1, 2])]
        yield "most", _how(minlength=2, maxlength=3), [v.v([0, 2, 5, 2])]
        yield "all", _how(dtype="int64"), [rows]
        yield "rows", _how(axis=-1, dtype="float32"), [rows]
        yield "binary", _how(binary=True, dtype="float64"), [rows]
        yield "binary_rows", _how(axis=-1, binary=True), [rows]
        yield "weights", _how(), [v.v([1, 0, 1]), np.float32([0.5, 1.25, 2])]
        yield "weights_of_rows", _how(axis=-1), [rows, np.arange(6, dtype=np.int64).reshape(2, 3)]
        yield "scalar", _how(), [v.v(3)]
        yield "empty", _how(), [v.v([])]
        yield "negative", _how(), [v.v([-1, 2])]
        yield "negative_most", _how(maxlength=-3), [v.v([0])]
        yield "wrong_weights", _how(), [v.v([1, 0, 1]), np.float32([0.5])]
        yield "both", _how(binary=True), [v.v([1]), np.float32([0.5])]
        yield "deep", _how(axis=-1), [v.v([[[1]]])]
        yield "wrong_dtype", _how(dtype="float16"), [v.v([1])]


@op("histogram_fixed_width", lambda x, a: tf.histogram_fixed_width(x[0], x[1], a["nbins"], tf.dtypes.as_dtype(a["dtype"])))
def _histogram_fixed_width(v):
    yield "basic", {"nbins": 5, "dtype": "int32"}, [v.v([-1, 0, 1.5, 2, 5, 15]), v.v([0, 5])]
    if v.main:
        yield "fine", {"nbins": 7, "dtype": "int64"}, [v.n(20, 2), v.v([-2, 1])]
        yield "nan", {"nbins": 5, "dtype": "int32"}, [v.v([np.nan, 1]), v.v([0, 5])]
        yield "infinite", {"nbins": 5, "dtype": "int32"}, [v.v([np.inf, -np.inf, 1]), v.v([0, 5])]
        yield "down", {"nbins": 5, "dtype": "int32"}, [v.v([1]), v.v([5, 0])]
        yield "no_bins", {"nbins": 0, "dtype": "int32"}, [v.v([1]), v.v([0, 5])]
        yield "empty", {"nbins": 3, "dtype": "int32"}, [v.n(0), v.v([0, 5])]


@op("histogram_fixed_width_bins", lambda x, a: tf.histogram_fixed_width_bins(x[0], x[1], a["nbins"]))
def _histogram_fixed_width_bins(v):
    yield "basic", {"nbins": 5}, [v.v([-1, 0, 1.5, 2, 5, 15]), v.v([0, 5])]
    if v.main:
        yield "fine", {"nbins": 7}, [v.n(20, 2), v.v([-2, 1])]
        yield "infinite", {"nbins": 5}, [v.v([np.inf, -np.inf, 1]), v.v([0, 5])]
        yield "no_bins", {"nbins": 0}, [v.v([1]), v.v([0, 5])]


def _confusion(x, a):
    weights = x[2] if len(x) > 2 else None
    return tf.math.confusion_matrix(x[0], x[1], a["num_classes"], weights, tf.dtypes.as_dtype(a["dtype"]))


@op("confusion_matrix", _confusion)
def _confusion_matrix(v):
    yield "basic", {"num_classes": None, "dtype": "int32"}, [v.v([1, 0, 1, 0]), v.v([1, 1, 1, 0])]
    if v.dtype in ("int32", "int64"):
        yield "classes", {"num_classes": 4, "dtype": "float32"}, [v.v([1, 2]), v.v([0, 2])]
        yield "weights", {"num_classes": None, "dtype": "float64"}, [v.v([1, 1, 1]), v.v([0, 1, 1]), np.float32([0.5, 1.5, 2])]
        yield "cut_weights", {"num_classes": None, "dtype": "int32"}, [v.v([1, 1]), v.v([0, 1]), np.float32([0.5, 1.5])]
        yield "column", {"num_classes": None, "dtype": "int32"}, [v.v([[1], [1]]), v.v([0, 1])]
        yield "negative", {"num_classes": None, "dtype": "int32"}, [v.v([-1]), v.v([0])]
        yield "too_large", {"num_classes": 2, "dtype": "int32"}, [v.v([0]), v.v([3])]
        yield "mismatch", {"num_classes": None, "dtype": "int32"}, [v.v([0, 1]), v.v([1])]


@op("dynamic_partition", lambda x, a: tf.dynamic_partition(x[0], x[1], a["num"]))
def _dynamic_partition(v):
    yield "basic", {"num": 3}, [v.n(4, 2), i32(2, 0, 2, 0)]
    if v.main:
        yield "deep", {"num": 2}, [v.n(2, 2, 2), np.int32([[0, 1], [1, 0]])]
        yield "scalar", {"num": 2}, [v.n(2, 3), np.int32(1)]
        yield "empty", {"num": 2}, [v.n(0, 3), np.zeros(0, np.int32)]
        yield "too_large", {"num": 2}, [v.n(2), i32(0, 2)]
        yield "negative", {"num": 2}, [v.n(2), i32(0, -1)]
        yield "mismatch", {"num": 2}, [v.n(2), i32(0)]
        yield "none", {"num": 0}, [v.n(2), i32(0, 0)]


@op("dynamic_stitch", lambda x, a: tf.dynamic_stitch(x[:len(x) // 2], x[len(x) // 2:]))
def _dynamic_stitch(v):
    yield "basic", {}, [np.int32(6), i32(4, 1), np.int32([[5, 2], [0, 3]]), v.n(2), v.n(2, 2), v.n(2, 2, 2)]
    if v.main:
        yield "twice", {}, [i32(0, 1, 1), i32(0), v.n(3), v.n(1)]
        yield "empty", {}, [np.zeros(0, np.int32), v.n(0, 2)]
        yield "negative", {}, [i32(-1, 1), v.n(2)]
        yield "mismatch", {}, [i32(0, 1), i32(2), v.n(2, 1), v.n(1)]


@op("invert_permutation", lambda x, a: tf.math.invert_permutation(x[0]))
def _invert_permutation(v):
    yield "basic", {}, [v.v([1, 0])]
    if v.dtype in ("int32", "int64"):
        yield "longer", {}, [v.v([3, 4, 0, 2, 1])]
        yield "empty", {}, [v.v([])]
        yield "twice", {}, [v.v([0, 0])]
        yield "too_large", {}, [v.v([0, 2])]
        yield "matrix", {}, [v.v([[0, 1]])]


@op("unravel_index", lambda x, a: tf.unravel_index(x[0], x[1]))
def _unravel_index(v):
    yield "basic", {}, [v.v([22, 41, 37]), v.v([7, 6])]
    if v.dtype in ("int32", "int64"):
        yield "deep", {}, [v.v([1, 23]), v.v([2, 3, 4])]
        yield "scalar", {}, [v.v(22), v.v([7, 6])]
        yield "too_large", {}, [v.v([42]), v.v([7, 6])]
        yield "matrix", {}, [v.v([[1]]), v.v([7, 6])]
        yield "zero", {}, [v.v([1]), v.v([7, 0])]
        yield "no_dims", {}, [v.v([0]), v.v(7)]


@op("cumulative_logsumexp", lambda x, a: tf.math.cumulative_logsumexp(x[0], a["axis"], a["exclusive"], a["reverse"]))
def _cumulative_logsumexp(v):
    yield "basic", {"axis": 0, "exclusive": False, "reverse": False}, [v.n(5)]
    if v.main:
        yield "exclusive", {"axis": 1, "exclusive": True, "reverse": False}, [v.n(2, 4)]
        yield "reverse", {"axis": 0, "exclusive": False, "reverse": True}, [v.n(3, 2)]
        yield "both", {"axis": -1, "exclusive": True, "reverse": True}, [v.n(2, 3)]
        yield "far", {"axis": 0, "exclusive": False, "reverse": False}, [v.v([1, 2, -np.inf, 1000, -1000, np.inf, 3])]
        yield "nothing", {"axis": 1, "exclusive": False, "reverse": False}, [v.n(2, 0)]
        yield "no_axis", {"axis": 1, "exclusive": False, "reverse": False}, [v.n(2)]


@op("broadcast_dynamic_shape", lambda x, a: tf.broadcast_dynamic_shape(x[0], x[1]))
def _broadcast_dynamic_shape(v):
    yield "basic", {}, [v.v([2, 1, 3]), v.v([5, 1])]
    if v.dtype in ("int32", "int64"):
        yield "nothing", {}, [v.v([]), v.v([3])]
        yield "zero", {}, [v.v([0]), v.v([1])]
        yield "mismatch", {}, [v.v([2, 2, 3]), v.v([5, 1])]


@op("is_non_decreasing", lambda x, a: tf.math.is_non_decreasing(x[0]))
def _is_non_decreasing(v):
    yield "basic", {}, [v.v([0, 1, 1, 3])]
    if v.main:
        yield "matrix", {}, [v.v([[1, 2], [2, 1]])]
        yield "nan", {}, [v.v([1, np.nan])]
        yield "scalar", {}, [v.n()]


@op("is_strictly_increasing", lambda x, a: tf.math.is_strictly_increasing(x[0]))
def _is_strictly_increasing(v):
    yield "basic", {}, [v.v([0, 1, 1, 3])]
    if v.main:
        yield "matrix", {}, [v.v([[1, 2], [3, 4]])]
        yield "empty", {}, [v.n(0)]


@op("zero_fraction", lambda x, a: tf.math.zero_fraction(x[0]))
def _zero_fraction(v):
    yield "basic", {}, [v.v([[0, 1, 0], [3, -0.0, 1]]) if not v.unsigned else v.v([[0, 1, 0], [3, 0, 1]])]
    if v.main:
        yield "nan", {}, [v.v([0, np.nan, 1])]
        yield "empty", {}, [v.n(0)]


@op("polyval", lambda x, a: tf.math.polyval(x[:-1], x[-1]))
def _polyval(v):
    yield "basic", {}, [v.n(), v.n(), v.n(), v.n(3)]
    if v.main:
        yield "broadcast", {}, [v.n(2, 1), v.n(3), v.n(2, 3)]
        yield "none", {}, [v.n(3)]


@op("tensor_diag", lambda x, a: tf.linalg.tensor_diag(x[0]))
def _tensor_diag(v):
    yield "basic", {}, [v.n(3)]
    if v.main:
        yield "matrix", {}, [v.n(2, 3)]
        yield "empty", {}, [v.n(0)]
        yield "scalar", {}, [v.n()]


@op("tensor_diag_part", lambda x, a: tf.linalg.tensor_diag_part(x[0]))
def _tensor_diag_part(v):
    yield "basic", {}, [v.n(3, 3)]
    if v.main:
        yield "matrix", {}, [v.n(2, 3, 2, 3)]
        yield "odd", {}, [v.n(2, 2, 2)]
        yield "mismatch", {}, [v.n(2, 3)]
