"""The ops of `make_ops.py` that fold rows by the segment that each names."""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import op


def i64(*values):
    return np.array(values, dtype=np.int64)


def i16(*values):
    return np.array(values, dtype=np.int16)


def _sorted(v):
    yield "basic", {}, [v.n(5, 3), i32(0, 0, 1, 2, 2)]
    yield "gaps", {}, [v.n(4, 2), i64(1, 1, 4, 4)]
    if v.main:
        yield "vector", {}, [v.n(6), i32(0, 0, 0, 1, 1, 3)]
        yield "deep", {}, [v.n(4, 2, 3), i32(0, 1, 1, 3)]
        yield "no_rows", {}, [v.n(0, 2), i32()]
        yield "no_columns", {}, [v.n(2, 0), i32(0, 1)]
        yield "infinite", {}, [v.v([np.inf, 1.0, -np.inf, -np.inf, 2.0, np.inf, 0.0, -0.0]), i32(0, 0, 1, 1, 2, 2, 3, 3)]
        yield "falling", {}, [v.n(3, 2), i32(0, 2, 1)]
        yield "negative", {}, [v.n(3, 2), i32(-1, 0, 1)]
        yield "all_negative", {}, [v.n(2, 2), i32(-3, -2)]
        yield "too_few", {}, [v.n(3, 2), i32(0, 1)]
        yield "matrix_of_ids", {}, [v.n(2, 2), i32(0, 1).reshape(2, 1)]
        yield "scalar", {}, [v.n(), i32(0)]
        yield "float_ids", {}, [v.n(2), np.float32([0, 1])]


def _unsorted(v):
    yield "basic", {"num": 4}, [v.n(5, 3), i32(2, 0, 2, -1, 0)]
    yield "gaps", {"num": 6}, [v.n(4), i64(4, 1, 1, 4)]
    if v.main:
        yield "short", {"num": 3}, [v.n(3, 2), i16(2, 0, 2)]
        yield "prefix", {"num": 3}, [v.n(2, 3, 2), i32(2, 0, 2, 1, -5, 2).reshape(2, 3)]
        yield "elements", {"num": 3}, [v.n(2, 3), i32(2, 0, 2, 0, -5, 2).reshape(2, 3)]
        yield "scalar_id", {"num": 3}, [v.n(2), i32(1).reshape(())]
        yield "scalar", {"num": 2}, [v.n(), i32(1).reshape(())]
        yield "no_rows", {"num": 2}, [v.n(0, 2), i32()]
        yield "no_columns", {"num": 2}, [v.n(2, 0), i32(0, 1)]
        yield "no_segments", {"num": 0}, [v.n(2, 3), i32(-1, -1)]
        yield "infinite", {"num": 4}, [v.v([2.0, np.inf, 1.0, -np.inf, -np.inf, np.inf, 0.0, -0.0]), i32(2, 0, 0, 1, 1, 2, 3, 3)]
        yield "too_great", {"num": 3}, [v.n(2, 2), i32(0, 3)]
        yield "negative_num", {"num": -1}, [v.n(2, 2), i32(0, 0)]
        yield "no_prefix", {"num": 3}, [v.n(3, 2), i32(0, 1)]
        yield "too_deep", {"num": 3}, [v.n(2), i32(0, 1).reshape(2, 1)]
        yield "float_ids", {"num": 3}, [v.n(2), np.float32([0, 1])]


for _how in ["sum", "mean", "prod", "max", "min"]:
    _name = f"segment_{_how}"
    op(_name, lambda x, a, f=getattr(tf.math, _name): f(x[0], x[1]))(_sorted)
for _how in ["sum", "mean", "prod", "max", "min", "sqrt_n"]:
    _name = f"unsorted_segment_{_how}"
    op(_name, lambda x, a, f=getattr(tf.math, _name): f(x[0], x[1], a["num"]))(_unsorted)
