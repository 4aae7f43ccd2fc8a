"""The reductions, scans and arg-reductions of `make_ops.py`."""
import numpy as np
import tensorflow as tf

from ops_elementwise import OPS, op


def reduce_cases(v):
    yield "basic", {"axis": None, "keepdims": False}, [v.n(2, 3)]
    yield "axis", {"axis": [1], "keepdims": False}, [v.n(2, 3, 2)]
    if v.is_float:
        yield "edges", {"axis": [1], "keepdims": False}, [v.v([[np.nan, 1, 2], [np.inf, 1, -np.inf], [np.inf, 1, 2],
                                                             [-np.inf, -1, 0], [-np.inf] * 3, [-0.0, 0.0, -0.0],
                                                             [3, np.nan, 3]])]
    elif not v.is_bool and not v.is_complex:
        info = np.iinfo(v.kind)
        yield "edges", {"axis": [1], "keepdims": False}, [np.array([[info.max, info.max, 1], [info.min, info.max, 3],
                                                                     [info.min, 1, info.min]], dtype=v.kind)]
    if v.main or v.is_bool:
        yield "axis0", {"axis": [0], "keepdims": True}, [v.n(3, 4)]
        yield "outer_axes", {"axis": [0, 2], "keepdims": False}, [v.n(2, 3, 4)]
        yield "keepdims_all", {"axis": None, "keepdims": True}, [v.n(2, 1, 3)]
        yield "negative_axis", {"axis": [-1], "keepdims": True}, [v.n(4, 5)]
        yield "no_axes", {"axis": [], "keepdims": False}, [v.n(2, 2)]
        yield "scalar", {"axis": None, "keepdims": False}, [v.n()]
        yield "empty", {"axis": [0], "keepdims": False}, [v.n(0, 3)]
        yield "empty_all", {"axis": None, "keepdims": False}, [v.n(0)]
        yield "empty_result", {"axis": [1], "keepdims": False}, [v.n(0, 3)]
        yield "grid", {"axis": [1], "keepdims": False}, [v.n(4, 5, 6)]
        yield "bad_axis", {"axis": [2], "keepdims": False}, [v.n(2, 2)]
        yield "twice", {"axis": [0, 0], "keepdims": False}, [v.n(2, 2)]


for _name, _fn in {
    "reduce_sum": tf.reduce_sum, "reduce_mean": tf.reduce_mean, "reduce_prod": tf.reduce_prod,
    "reduce_max": tf.reduce_max, "reduce_min": tf.reduce_min, "reduce_any": tf.reduce_any,
    "reduce_all": tf.reduce_all, "reduce_logsumexp": tf.reduce_logsumexp,
    "reduce_variance": tf.math.reduce_variance, "reduce_std": tf.math.reduce_std,
}.items():
    OPS[_name] = (lambda x, a, f=_fn: f(x[0], axis=a["axis"], keepdims=a["keepdims"]), reduce_cases)


def arg_cases(v):
    if v.is_bool:
        ties, edges = v.v([[True, True, False], [False, False, True]]), None
    else:
        ties = v.v([[1, 3, 3], [2, 2, 2], [3, 1, 1]])
        edges = v.v([[np.nan, 1, 2], [1, np.nan, 2], [np.nan] * 3, [np.inf, -np.inf, np.inf], [-np.inf] * 3,
                     [0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]]) if v.is_float else v.edges().reshape(1, -1)
    yield "basic", {"axis": 1, "output_type": "int64"}, [v.n(2, 5)]
    yield "ties", {"axis": 1, "output_type": "int32"}, [ties]
    if edges is not None:
        yield "edges", {"axis": -1, "output_type": "int64"}, [edges]
    if v.main:
        yield "axis0", {"axis": 0, "output_type": "int64"}, [v.n(3, 4)]
        yield "middle", {"axis": 1, "output_type": "int32"}, [v.n(2, 3, 4)]
        yield "int16", {"axis": 0, "output_type": "int16"}, [v.n(5)]
        yield "uint16", {"axis": 0, "output_type": "uint16"}, [v.n(5)]
        yield "empty_result", {"axis": 1, "output_type": "int64"}, [v.n(0, 3)]
        yield "empty", {"axis": 0, "output_type": "int64"}, [v.n(0, 3)]
        yield "scalar", {"axis": 0, "output_type": "int64"}, [v.n()]


OPS["argmax"] = (lambda x, a: tf.argmax(x[0], a["axis"], a["output_type"]), arg_cases)
OPS["argmin"] = (lambda x, a: tf.argmin(x[0], a["axis"], a["output_type"]), arg_cases)


def scan_cases(v):
    plain = {"axis": 0, "exclusive": False, "reverse": False}
    yield "basic", plain, [v.n(5)]
    yield "exclusive", {"axis": 1, "exclusive": True, "reverse": False}, [v.n(2, 3)]
    yield "reverse", {"axis": -1, "exclusive": False, "reverse": True}, [v.n(2, 3)]
    if v.main:
        yield "both", {"axis": 0, "exclusive": True, "reverse": True}, [v.n(4, 2)]
        yield "middle", {"axis": 1, "exclusive": False, "reverse": False}, [v.n(2, 3, 4)]
        yield "edges", plain, [v.v([1.0, np.inf, 2.0, -np.inf, 0.0, np.nan, 1.0])]
        yield "empty", plain, [v.n(0, 2)]


OPS["cumsum"] = (lambda x, a: tf.cumsum(x[0], a["axis"], a["exclusive"], a["reverse"]), scan_cases)
OPS["cumprod"] = (lambda x, a: tf.math.cumprod(x[0], a["axis"], a["exclusive"], a["reverse"]), scan_cases)


def _softmax_cases(v):
    yield "basic", {"axis": -1}, [v.n(2, 3)]
    if v.is_float:
        yield "edges", {"axis": -1}, [v.v([[1000, 1000, 0], [-1000, 0, -1000], [np.inf, 1, 2], [-np.inf, 1, 2],
                                         [-np.inf] * 3, [np.nan, 1, 2]])]
    if v.main:
        yield "axis0", {"axis": 0}, [v.n(3, 4)]
        yield "axis1", {"axis": 1}, [v.n(2, 3, 4)]
        yield "vector", {"axis": -1}, [v.n(7)]
        yield "one", {"axis": -1}, [v.n(3, 1)]
        yield "empty", {"axis": -1}, [v.n(0, 3)]
        yield "grid", {"axis": -1}, [v.n(4, 5, 6, lo=-20.0, hi=20.0)]


OPS["softmax"] = (lambda x, a: tf.nn.softmax(x[0], axis=a["axis"]), _softmax_cases)
OPS["log_softmax"] = (lambda x, a: tf.nn.log_softmax(x[0], axis=a["axis"]), _softmax_cases)


@op("sparse_softmax_cross_entropy",
    lambda x, a: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x[0], logits=x[1]))
def _sparse_xent(v):
    yield "basic", {}, [np.array([2, 0], np.int32), v.n(2, 3)]
    if v.is_float:
        yield "edges", {}, [np.array([0, 1, 0, 2], np.int64),
                            v.v([[1000, 1000, 0], [-1000, 0, -1000], [np.inf, 1, 2], [np.nan, 1, 2]])]
    if v.main:
        yield "rank3", {}, [np.array([[2, 0], [1, 1]], np.int64), v.n(2, 2, 3)]
        yield "vector", {}, [np.array(1, np.int32), v.n(3)]
        yield "empty", {}, [np.zeros([0], np.int32), v.n(0, 3)]
        yield "out_of_range", {}, [np.array([2, 3], np.int32), v.n(2, 3)]
        yield "negative", {}, [np.array([2, -1], np.int32), v.n(2, 3)]


@op("softmax_cross_entropy",
    lambda x, a: tf.nn.softmax_cross_entropy_with_logits(labels=x[0], logits=x[1], axis=a["axis"]))
def _xent(v):
    one_hot = v.v([[0, 0, 1], [1, 0, 0]])
    yield "basic", {"axis": -1}, [one_hot, v.n(2, 3)]
    yield "soft", {"axis": -1}, [v.pos(2, 3, hi=1.0), v.n(2, 3)]
    if v.main:
        yield "edges", {"axis": -1}, [v.v([[1, 0, 0], [0, 1, 0], [1, 0, 0]]),
                                      v.v([[1000, 1000, 0], [-1000, 0, -1000], [np.nan, 1, 2]])]
        yield "axis0", {"axis": 0}, [v.pos(3, 2, hi=1.0), v.n(3, 2)]
        yield "rank3", {"axis": -1}, [v.pos(2, 2, 3, hi=1.0), v.n(2, 2, 3)]
        yield "broadcast", {"axis": -1}, [v.pos(1, 3, hi=1.0), v.n(2, 3)]
        yield "empty", {"axis": -1}, [v.n(0, 3), v.n(0, 3)]
