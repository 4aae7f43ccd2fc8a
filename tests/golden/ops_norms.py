"""The ops of `make_ops.py` that normalise, attend and lose: those of TensorFlow by TensorFlow, and attention, layer, group and RMS normalisation,
which `tf.nn` has not, by PyTorch in float64 (`pip install torch`), rounded to the dtype under test.
"""
import math

import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F

from golden import i32, np_dtype
from ops_elementwise import op

FLOAT = ("float16", "bfloat16", "float32", "float64")


def by_torch(f, x, a):
    """What a function of torch tensors gives for inputs of one floating dtype, computed in float64 and rounded once."""
    dtype = x[0].dtype
    if dtype.name not in FLOAT:
        raise TypeError("PyTorch's functions are called with floats alone")
    wide = [torch.tensor(np.asarray(t).astype(np.float64) if t.dtype.is_floating else np.asarray(t)) for t in x]
    return tf.constant(f(wide, a).numpy().astype(np_dtype(dtype.name)))


def attend(x, a):
    mask = x[3] if len(x) > 3 else None
    return F.scaled_dot_product_attention(*x[:3], attn_mask=mask, is_causal=a["causal"], scale=a["scale"], enable_gqa=a["grouped"])


@op("attention", lambda x, a: by_torch(attend, x, a))
def _attention(v):
    plain = {"causal": False, "scale": None, "grouped": False}
    yield "basic", plain, [v.n(2, 3, 4, lo=-1.0), v.n(2, 5, 4, lo=-1.0), v.n(2, 5, 3)]
    if v.main:
        yield "causal", {**plain, "causal": True, "scale": 0.3}, [v.n(6, 2), v.n(4, 2), v.n(4, 2)]
        mask = np.array([[True, False, True], [False, False, False]])
        yield "masked", plain, [v.n(2, 2), v.n(3, 2), v.n(3, 2), mask]
        yield "biased", plain, [v.n(1, 2, 2), v.n(1, 3, 2), v.n(1, 3, 2), v.n(2, 3)]
        yield "grouped", {**plain, "grouped": True}, [v.n(1, 4, 2, 3), v.n(1, 2, 3, 3), v.n(1, 2, 3, 2)]


@op("layer_normalization", lambda x, a: by_torch(lambda x, a: F.layer_norm(x[0], x[0].shape[-a["axes"]:], *x[1:], a["epsilon"]), x, a))
def _layer(v):
    yield "basic", {"axes": 1, "epsilon": 1e-3}, [v.n(3, 4), v.n(4), v.n(4)]
    if v.main:
        yield "two_axes", {"axes": 2, "epsilon": 1e-5}, [v.n(2, 3, 4), v.n(3, 4), v.n(3, 4)]


@op("rms_norm", lambda x, a: by_torch(lambda x, a: F.rms_norm(x[0], x[0].shape[-1:], x[1], a["epsilon"]), x, a))
def _rms(v):
    yield "basic", {"epsilon": 1e-3}, [v.n(3, 4), v.n(4)]


@op("group_normalization", lambda x, a: by_torch(lambda x, a: F.group_norm(x[0], a["groups"], x[1], x[2], a["epsilon"]), x, a))
def _group(v):
    yield "basic", {"groups": 2, "epsilon": 1e-3}, [v.n(2, 4, 3), v.n(4), v.n(4)]


@op("batch_normalization", lambda x, a: tf.nn.batch_normalization(x[0], x[1], x[2], x[3], x[4], a["epsilon"]))
def _batch(v):
    yield "basic", {"epsilon": 1e-3}, [v.n(4, 3), v.n(3), v.pos(3), v.n(3), v.n(3)]


def fused(x, a):
    first = a["format"] == "NCHW"
    y = tf.transpose(x[0], [0, 2, 3, 1]) if first else x[0]
    kept = {} if len(x) == 3 else {"mean": x[3], "variance": x[4]}
    # TensorFlow's CPU kernels take channels last alone.
    y, mean, variance = tf.compat.v1.nn.fused_batch_norm(
        y, x[1], x[2], epsilon=a["epsilon"], is_training=a["training"], exponential_avg_factor=a["factor"], **kept)
    return [tf.transpose(y, [0, 3, 1, 2]) if first else y, mean, variance]


@op("fused_batch_norm", fused)
def _fused(v):
    f32 = lambda low, *values: np.array(values, "float32") if v.dtype != "float64" else np.array(values)
    plain = {"epsilon": 1e-3, "format": "NHWC", "training": True, "factor": 1.0}
    channels = [f32(0, 0.5, 2.0), f32(0, 1.0, -1.0)]
    yield "basic", plain, [v.n(2, 2, 3, 2)] + channels
    if v.main:
        moments = [f32(0, 0.3, -0.2), f32(0, 1.5, 2.5)]
        yield "running", {**plain, "factor": 0.25}, [v.n(2, 2, 3, 2)] + channels + moments
        yield "inference", {**plain, "training": False}, [v.n(2, 2, 3, 2)] + channels + moments
        yield "first", {**plain, "format": "NCHW"}, [v.n(2, 2, 3, 2)] + channels


@op("weighted_moments", lambda x, a: tf.nn.weighted_moments(x[0], a["axes"], x[1], keepdims=a["keepdims"]))
def _weighted_moments(v):
    yield "basic", {"axes": [0], "keepdims": False}, [v.n(4, 3), v.pos(4, 1)]
    if v.main:
        yield "kept", {"axes": [0, 2], "keepdims": True}, [v.n(2, 3, 2), v.pos(2, 3, 2)]
        yield "none", {"axes": [1], "keepdims": False}, [v.n(2, 3), v.v([0, 0, 0])]


@op("sufficient_statistics", lambda x, a: list(tf.nn.sufficient_statistics(x[0], a["axes"], x[1] if len(x) > 1 else None))[:3])
def _sufficient_statistics(v):
    if v.dtype not in FLOAT:
        # TensorFlow adds up integers, too, of which no moments can be made.
        return
    yield "basic", {"axes": [0]}, [v.n(4, 3)]
    if v.main:
        yield "shifted", {"axes": [0, 1]}, [v.n(4, 3), v.n(3)]


@op("normalize_moments", lambda x, a: list(tf.nn.normalize_moments(x[0], x[1], x[2], x[3] if len(x) > 3 else None)))
def _normalize_moments(v):
    yield "basic", {}, [v.v(4), v.n(3), v.pos(3, lo=4.0, hi=9.0)]
    if v.main:
        yield "shifted", {}, [v.v(4), v.n(3), v.pos(3, lo=4.0, hi=9.0), v.n(3)]


@op("log_poisson_loss", lambda x, a: tf.nn.log_poisson_loss(x[0], x[1], a["full"]))
def _log_poisson_loss(v):
    yield "basic", {"full": False}, [v.pos(2, 3), v.n(2, 3)]
    if v.main:
        yield "full", {"full": True}, [v.v([0, 0.5, 1, 1.5, 7, -1]), v.n(6)]
        yield "mismatch", {"full": False}, [v.n(2), v.n(3)]


def ctc_loss(x, a):
    # TensorFlow's own computes float64 with float32 numbers beside it, which it refuses: those are computed in float32.
    y = tf.cast(x[0], tf.float32) if x[0].dtype == tf.float64 else x[0]
    loss = tf.nn.ctc_loss(x[1], y, x[2], x[3], logits_time_major=a["time_major"], blank_index=a["blank"])
    return tf.cast(loss, x[0].dtype)


@op("ctc_loss", ctc_loss)
def _ctc_loss(v):
    if v.dtype not in FLOAT:
        # It computes with integers until it meets an error.
        return
    yield "basic", {"time_major": True, "blank": 0}, [v.n(5, 2, 4), i32([1, 1, 2], [3, 1, 0]), i32(3, 2), i32(5, 4)]
    if v.main:
        yield "batch_first", {"time_major": False, "blank": -1}, [v.n(2, 5, 4), i32([1, 1, 2], [0, 1, 0]), i32(3, 2), i32(5, 4)]


def sparse_rows(sparse, frames):
    return tf.sparse.to_dense(tf.sparse.reset_shape(sparse, [sparse.dense_shape[0], frames]), -1)


def greedy(x, a):
    decoded, sums = tf.nn.ctc_greedy_decoder(x[0], x[1], a["merge"], a["blank"])
    rows = sparse_rows(decoded[0], x[0].shape[0])
    return [rows, tf.reduce_sum(tf.cast(rows >= 0, tf.int64), 1), sums]


@op("ctc_greedy_decoder", greedy)
def _ctc_greedy_decoder(v):
    yield "basic", {"merge": True, "blank": None}, [v.n(6, 2, 3), i32(6, 4)]
    if v.main:
        yield "apart", {"merge": False, "blank": 0}, [v.n(6, 2, 3), i32(6, 4)]


def beams(x, a):
    decoded, scores = tf.nn.ctc_beam_search_decoder(x[0], x[1], a["width"], a["paths"])
    rows = tf.stack([sparse_rows(d, x[0].shape[0]) for d in decoded], 1)
    return [rows, tf.reduce_sum(tf.cast(rows >= 0, tf.int64), 2), scores]


@op("ctc_beam_search_decoder", beams)
def _ctc_beam_search_decoder(v):
    yield "basic", {"width": 20, "paths": 2}, [v.n(5, 2, 3), i32(5, 4)]


@op("ctc_unique_labels", lambda x, a: list(tf.nn.ctc_unique_labels(x[0])))
def _ctc_unique_labels(v):
    if v.dtype in ("int32", "int64"):
        yield "basic", {}, [v.v([[3, 4, 4, 3], [1, 0, 1, 2]])]


def collapse(x, a):
    rows, lengths = tf.nn.collapse_repeated(x[0], x[1])
    return [tf.pad(rows, [[0, 0], [0, x[0].shape[1] - rows.shape[1]]]), lengths]


@op("collapse_repeated", collapse)
def _collapse_repeated(v):
    if v.dtype in ("int32", "int64"):
        yield "basic", {}, [v.v([[1, 1, 2, 2, 1], [0, 0, 3, 3, 3]]), i32(5, 3)]


SAMPLED = (np.array([4, 1, 0]), np.array([[0.5], [0.25]], "float32"), np.array([0.3, 0.6, 0.9], "float32"))


def sampled(loss, x, a):
    values = [x[4], tf.cast(x[5], x[3].dtype), tf.cast(x[6], x[3].dtype)]
    return loss(x[0], x[1], x[2], x[3], 3, 6, sampled_values=values, remove_accidental_hits=a["hits"])


for name, loss in [("sampled_softmax_loss", tf.nn.sampled_softmax_loss), ("nce_loss", tf.nn.nce_loss)]:
    @op(name, lambda x, a, loss=loss: sampled(loss, x, a))
    def _sampled_loss(v):
        if v.dtype not in FLOAT:
            return
        yield "basic", {"hits": False}, [v.n(6, 3), v.n(6), np.array([[1], [5]]), v.n(2, 3), *SAMPLED]
        if v.main:
            yield "hits", {"hits": True}, [v.n(6, 3), v.n(6), np.array([[1], [5]]), v.n(2, 3), *SAMPLED]


def accidental(x, a):
    rows, places, weights = tf.nn.compute_accidental_hits(x[0], x[1], x[0].shape[1])
    return [rows, places, weights]


@op("compute_accidental_hits", accidental)
def _compute_accidental_hits(v):
    if v.dtype == "int64":
        yield "basic", {}, [v.v([[3, 4], [7, 9]]), v.v([9, 3, 5, 4])]
