"""The metrics of Keras 3 over several batches: after each, with weights and without; every option changed at least once.

Writes `keras_metrics.json`, which `tests/tests/keras/metrics.rs` compares with.
"""
import keras_common as common
import numpy as np

import keras
import tensorflow as tf
from keras import metrics

tensor, numbers = common.tensor, common.numbers


def classes(seed, shape, count, low=0):
    return np.random.RandomState(seed).randint(low, count, size=shape).astype("int32")


def bits(seed, shape):
    return classes(seed, shape, 2).astype("float32")


def hot(seed, rows, count):
    return np.eye(count, dtype="float32")[classes(seed, (rows,), count)]


SIZES = [4, 3, 5]


def batches(make):
    return [make(10 * i, n) for i, n in enumerate(SIZES)]


REG = batches(lambda s, n: (numbers(s, (n, 3)), numbers(s + 1, (n, 3))))
POS = batches(lambda s, n: (numbers(s, (n, 3), 0.1, 2), numbers(s + 1, (n, 3), 0.1, 2)))
VECTOR = batches(lambda s, n: (numbers(s, (n,)), numbers(s + 1, (n, 1))))
INTS = batches(lambda s, n: (classes(s, (n, 2), 3), classes(s + 1, (n, 2), 3)))
YES = batches(lambda s, n: (bits(s, (n, 3)), numbers(s + 1, (n, 3), 0, 1)))
YES_FLAT = batches(lambda s, n: (bits(s, (n,)), numbers(s + 1, (n,), 0, 1)))
YES_COLUMN = batches(lambda s, n: (bits(s, (n,)), numbers(s + 1, (n, 1), 0, 1)))
YES_LOGITS = batches(lambda s, n: (bits(s, (n, 3)), numbers(s + 1, (n, 3), -3, 3)))
HOT = batches(lambda s, n: (hot(s, n, 7), numbers(s + 1, (n, 7), 0.05, 1)))
HOT_LOGITS = batches(lambda s, n: (hot(s, n, 7), numbers(s + 1, (n, 7), -3, 3)))
SPARSE = batches(lambda s, n: (classes(s, (n,), 7), numbers(s + 1, (n, 7), 0.05, 1)))
SPARSE_COLUMN = [(t[:, None], p) for t, p in SPARSE]
SPARSE_DEEP = batches(lambda s, n: (classes(s, (n, 2), 7), numbers(s + 1, (n, 2, 7), 0.05, 1)))
SPARSE_LOGITS = batches(lambda s, n: (classes(s, (n,), 7), numbers(s + 1, (n, 7), -3, 3)))
IGNORED = batches(lambda s, n: (classes(s, (n,), 7, -1), numbers(s + 1, (n, 7), 0.05, 1)))
IDS = batches(lambda s, n: (classes(s, (n,), 9), np.array([np.random.RandomState(s + i).permutation(9)[:6] for i in range(n)], "int32")))
HOT_AXIS = batches(lambda s, n: (np.moveaxis(np.eye(3, dtype="float32")[classes(s, (n, 4), 3)], -1, 1), numbers(s + 1, (n, 3, 4), 0.05, 1)))
TIES = batches(lambda s, n: (bits(s, (n, 3)), np.round(numbers(s + 1, (n, 3), 0, 1) * 4) / 4))
ONES = batches(lambda s, n: (np.ones((n,), "float32"), numbers(s + 1, (n,), 0, 1)))
NONE = batches(lambda s, n: (np.zeros((n,), "float32"), numbers(s + 1, (n,), 0, 1)))
LABELS = batches(lambda s, n: (classes(s, (n, 2), 4), classes(s + 1, (n, 2), 4)))
OUTSIDE = batches(lambda s, n: (classes(s, (n,), 5, -1), classes(s + 1, (n,), 5)))
SCORES = batches(lambda s, n: (classes(s, (n,), 4), numbers(s + 1, (n, 4))))
HOT4 = batches(lambda s, n: (hot(s, n, 4), numbers(s + 1, (n, 4))))
HOT4_AXIS = batches(lambda s, n: (hot(s, n, 4).T, numbers(s + 1, (4, n))))
HOT4_SPARSE = batches(lambda s, n: (hot(s, n, 4), classes(s + 1, (n,), 4)))
SOFT_LABELS = batches(lambda s, n: (hot(s, n, 4), classes(s + 1, (n,), 4)))
CONSTANT = batches(lambda s, n: (np.ones((n, 3), "float32"), numbers(s + 1, (n, 3))))

ROWS = "one weight per example"
EACH = "one weight per number"
WHOLE = "whole weights per example"
SCALAR = "a scalar weight"

# Class, arguments and options, batches, and the weights that are tried beside none.
CASES = [
    ("MeanSquaredError", {}, REG, [ROWS]), ("MeanSquaredError", {"name": "own"}, VECTOR, [EACH]),
    ("MeanAbsoluteError", {}, REG, [ROWS, SCALAR]), ("MeanAbsolutePercentageError", {}, POS, [ROWS]),
    ("MeanSquaredLogarithmicError", {}, POS, [ROWS]), ("LogCoshError", {}, REG, [ROWS]),
    ("RootMeanSquaredError", {}, REG, [ROWS, EACH]), ("RootMeanSquaredError", {}, VECTOR, [ROWS]),
    ("CosineSimilarity", {}, REG, [ROWS]), ("CosineSimilarity", {"axis": 0}, REG, []),
    ("PearsonCorrelation", {}, REG, [ROWS]), ("PearsonCorrelation", {"axis": 0}, REG, []),
    ("PearsonCorrelation", {}, CONSTANT, []),
    ("ConcordanceCorrelation", {}, REG, [ROWS]), ("ConcordanceCorrelation", {"axis": 0}, REG, []),
    ("ConcordanceCorrelation", {}, CONSTANT, []),
    ("R2Score", {}, REG, [ROWS, EACH]), ("R2Score", {"class_aggregation": "variance_weighted_average"}, REG, [ROWS]),
    ("R2Score", {"class_aggregation": None}, REG, [ROWS]), ("R2Score", {"num_regressors": 2}, REG, [ROWS]),
    ("R2Score", {"num_regressors": 11}, REG, []), ("R2Score", {"num_regressors": 50}, REG, []),
    ("R2Score", {}, CONSTANT, []),
    ("KLDivergence", {}, POS, [ROWS]), ("Poisson", {}, POS, [ROWS]),
    ("BinaryCrossentropy", {}, YES, [ROWS]), ("BinaryCrossentropy", {"from_logits": True}, YES_LOGITS, []),
    ("BinaryCrossentropy", {"label_smoothing": 0.1}, YES, []),
    ("CategoricalCrossentropy", {}, HOT, [ROWS]), ("CategoricalCrossentropy", {"from_logits": True}, HOT_LOGITS, []),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, HOT, []), ("CategoricalCrossentropy", {"axis": 1}, HOT_AXIS, []),
    ("SparseCategoricalCrossentropy", {}, SPARSE, [ROWS]),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, SPARSE_LOGITS, [ROWS]),
    ("SparseCategoricalCrossentropy", {"ignore_class": -1}, IGNORED, [ROWS]),
    ("SparseCategoricalCrossentropy", {"axis": -1}, SPARSE_DEEP, [EACH]),
    ("Hinge", {}, YES_LOGITS, [ROWS]), ("SquaredHinge", {}, YES_LOGITS, [ROWS]), ("CategoricalHinge", {}, HOT, [ROWS]),
    ("Accuracy", {}, INTS, [ROWS, EACH]), ("BinaryAccuracy", {}, YES, [ROWS]), ("BinaryAccuracy", {}, YES_COLUMN, [ROWS]),
    ("BinaryAccuracy", {"threshold": 0.8}, YES, [EACH]), ("CategoricalAccuracy", {}, HOT, [ROWS]),
    ("SparseCategoricalAccuracy", {}, SPARSE, [ROWS]), ("SparseCategoricalAccuracy", {}, SPARSE_COLUMN, [ROWS]),
    ("SparseCategoricalAccuracy", {}, SPARSE_DEEP, [EACH]),
    ("TopKCategoricalAccuracy", {}, HOT, [ROWS]), ("TopKCategoricalAccuracy", {"k": 2}, HOT, []),
    ("SparseTopKCategoricalAccuracy", {}, SPARSE, [ROWS]), ("SparseTopKCategoricalAccuracy", {"k": 2}, SPARSE, []),
    ("SparseTopKCategoricalAccuracy", {"k": 3}, SPARSE_DEEP, [EACH]),
    ("SparseTopKCategoricalAccuracy", {"k": 3, "from_sorted_ids": True}, IDS, [ROWS]),
    ("F1Score", {}, HOT, [ROWS]), ("F1Score", {"average": "micro"}, HOT, [ROWS]), ("F1Score", {"average": "macro"}, HOT, []),
    ("F1Score", {"average": "weighted"}, HOT, [ROWS]), ("F1Score", {"threshold": 0.4}, YES, [ROWS]),
    ("FBetaScore", {"beta": 2.0}, HOT, [ROWS]), ("FBetaScore", {"beta": 0.5, "threshold": 0.5, "average": "weighted"}, YES, [ROWS]),
    ("IoU", {"num_classes": 4, "target_class_ids": [0, 2]}, LABELS, [EACH]),
    ("IoU", {"num_classes": 4, "target_class_ids": [1], "ignore_class": 3}, OUTSIDE, [WHOLE]),
    ("IoU", {"num_classes": 4, "target_class_ids": [1, 3], "sparse_y_pred": False}, SCORES, [WHOLE]),
    ("IoU", {"num_classes": 4, "target_class_ids": [1, 3], "sparse_y_true": False}, SOFT_LABELS, [WHOLE]),
    ("IoU", {"num_classes": 4, "target_class_ids": [0, 1], "sparse_y_true": False, "sparse_y_pred": False, "axis": 0}, HOT4_AXIS, []),
    ("MeanIoU", {"num_classes": 4}, LABELS, [EACH]), ("MeanIoU", {"num_classes": 6, "ignore_class": 0}, LABELS, []),
    ("MeanIoU", {"num_classes": 4, "sparse_y_true": False, "sparse_y_pred": False}, HOT4, [WHOLE]),
    ("MeanIoU", {"num_classes": 4, "sparse_y_true": False, "sparse_y_pred": False, "axis": 0}, HOT4_AXIS, []),
    ("BinaryIoU", {}, YES, [EACH]), ("BinaryIoU", {"threshold": 0.3}, YES, []), ("BinaryIoU", {"target_class_ids": [1]}, YES, []),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [0, 3]}, HOT4, [WHOLE]),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [1], "ignore_class": 2}, HOT4, []),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [1, 2], "sparse_y_pred": True}, HOT4_SPARSE, []),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [1, 2], "axis": 0}, HOT4_AXIS, []),
    ("OneHotMeanIoU", {"num_classes": 4}, HOT4, [WHOLE]), ("OneHotMeanIoU", {"num_classes": 4, "ignore_class": 1}, HOT4, []),
    ("OneHotMeanIoU", {"num_classes": 4, "sparse_y_pred": True}, HOT4_SPARSE, []),
    ("OneHotMeanIoU", {"num_classes": 4, "axis": 0}, HOT4_AXIS, []),
]
for counted in ["TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives"]:
    CASES += [
        (counted, {}, YES_FLAT, [ROWS]), (counted, {}, YES_COLUMN, [ROWS]), (counted, {}, YES, [ROWS, EACH, SCALAR]),
        (counted, {"thresholds": 0.3}, YES, []), (counted, {"thresholds": [0.7, 0.2, 0.45]}, YES, [ROWS]),
        (counted, {"thresholds": [0.0, 0.25, 0.5, 0.75, 1.0]}, TIES, [ROWS]),
        (counted, {"thresholds": [0.25, 0.5]}, TIES, []),
    ]
for shared in ["Precision", "Recall"]:
    CASES += [
        (shared, {}, YES, [ROWS, EACH]), (shared, {"thresholds": [0.2, 0.6]}, YES, [ROWS]), (shared, {"top_k": 2}, HOT, [ROWS]),
        (shared, {"top_k": 1, "thresholds": 0.5}, YES, []), (shared, {"class_id": 1}, YES, [ROWS]),
        (shared, {"class_id": 2, "top_k": 2}, YES, [ROWS]), (shared, {}, ONES, []), (shared, {}, NONE, []),
    ]
for best, kept in [("PrecisionAtRecall", "recall"), ("RecallAtPrecision", "precision"), ("SensitivityAtSpecificity", "specificity"), ("SpecificityAtSensitivity", "sensitivity")]:
    CASES += [
        (best, {kept: 0.5}, YES, [ROWS]), (best, {kept: 0.8, "num_thresholds": 11}, YES, []), (best, {kept: 0.3, "num_thresholds": 1}, YES, []),
        (best, {kept: 0.5, "class_id": 1}, YES, [ROWS]), (best, {kept: 0.5}, ONES, []), (best, {kept: 1.0}, TIES, []),
    ]
for curve in ["ROC", "PR", "PRGAIN"]:
    for method in ["interpolation", "minoring", "majoring"]:
        CASES.append(("AUC", {"curve": curve, "summation_method": method}, YES, [ROWS]))
CASES += [
    ("AUC", {}, YES_FLAT, [ROWS]), ("AUC", {"num_thresholds": 5}, TIES, [EACH]), ("AUC", {"thresholds": [0.3, 0.1, 0.65]}, YES, [ROWS]),
    ("AUC", {"thresholds": [0.25, 0.5, 0.75], "curve": "PR"}, TIES, []), ("AUC", {"from_logits": True}, YES_LOGITS, [ROWS]),
    ("AUC", {"multi_label": True}, YES, [ROWS]), ("AUC", {"multi_label": True, "num_labels": 3, "curve": "PR"}, YES, [ROWS]),
    ("AUC", {"multi_label": True, "label_weights": [0.5, 2.0, 1.0]}, YES, [ROWS]), ("AUC", {"label_weights": [0.5, 2.0, 1.0]}, YES, [ROWS]),
    ("AUC", {"multi_label": True, "label_weights": [0.5, 2.0, 1.0], "curve": "PR"}, YES, []),
    ("AUC", {"multi_label": True, "thresholds": [0.2, 0.7]}, YES, []), ("AUC", {}, ONES, []), ("AUC", {"curve": "PR"}, NONE, []),
    ("AUC", {"num_thresholds": 2}, YES, []),
]


def weight_of(kind, seed, y_pred, y_true):
    n = len(y_pred)
    if kind == ROWS:
        return numbers(seed, (n,), 0, 2)
    if kind == WHOLE:
        return classes(seed, (n,), 4)
    if kind == SCALAR:
        return np.float32(0.5)
    # Class numbers are weighed as they are.
    if y_true.dtype == np.int32:
        return classes(seed, y_true.shape, 4) if y_pred.shape == y_true.shape and y_pred.dtype == np.int32 else numbers(seed, y_true.shape, 0, 2)
    return classes(seed, y_true.shape, 4).astype("float32")


def row(kind, options, data, weights):
    metric = getattr(metrics, kind)(**options)
    out = {"class": kind, "options": options, "batches": []}
    for i, (y_true, y_pred) in enumerate(data):
        metric.update_state(y_true, y_pred)
        out["batches"].append({"y_true": tensor(y_true), "y_pred": tensor(y_pred), "result": tensor(metric.result(), "float32")})
    out["weighted"] = {}
    for w in weights:
        metric.reset_state()
        steps = []
        for i, (y_true, y_pred) in enumerate(data):
            weight = weight_of(w, 90 + i, y_pred, y_true)
            metric.update_state(y_true, y_pred, sample_weight=weight)
            steps.append({"weight": tensor(weight), "result": tensor(metric.result(), "float32")})
        out["weighted"][w] = steps
    return out


rows = {f"{i:03} {kind} {options}": row(kind, options, data, weights) for i, (kind, options, data, weights) in enumerate(CASES)}

# Means and sums of values of any shape, by weights of any rank that Keras takes.
values = {
    "flat": [numbers(1, (4,)), numbers(2, (3,))], "deep": [numbers(1, (4, 3)), numbers(2, (2, 5))],
    "deeper": [numbers(1, (4, 3, 2)), numbers(2, (2, 3, 2))], "scalars": [np.float32(1.5), np.float32(-4.0)],
    "integers": [classes(1, (4,), 9), classes(2, (3,), 9)], "empty": [np.zeros((0,), "float32"), numbers(2, (3,))],
}
for kind in ["Mean", "Sum"]:
    for name, list_ in values.items():
        for w in ["none", "scalar", "rows", "column", "each"]:
            if w in ("rows", "column") and name == "scalars" or w == "column" and name == "integers":
                continue
            metric = getattr(metrics, kind)()
            steps = []
            for i, x in enumerate(list_):
                shape = np.shape(x)
                weight = {
                    "none": lambda: None, "scalar": lambda: np.float32(0.25), "rows": lambda: numbers(i, shape[:1], 0, 2),
                    "column": lambda: numbers(i, shape[:1] + (1,) * max(len(shape) - 1, 1), 0, 2), "each": lambda: numbers(i, shape, 0, 2),
                }[w]()
                metric.update_state(x, sample_weight=weight)
                step = {"values": tensor(x), "result": tensor(metric.result())}
                if weight is not None:
                    step["weight"] = tensor(weight)
                steps.append(step)
            rows[f"values {kind} {name} {w}"] = {"values_of": kind, "steps": steps}
common.write("metrics", rows)
