"""The losses of Keras 3: per example, reduced, weighted, masked, and their gradients; every option changed at least once.

Writes `keras_losses.json`, which `tests/tests/keras/losses.rs` compares with.
"""
import keras_common as common
import numpy as np

import keras
import tensorflow as tf
from keras import losses

tensor, numbers = common.tensor, common.numbers


def shares(seed, shape):
    x = numbers(seed, shape, 0.05, 1.0).astype("float64")
    return np.round(x / x.sum(-1, keepdims=True), 3).astype("float32")


def classes(seed, shape, count):
    return np.random.RandomState(seed).randint(0, count, size=shape).astype("int32")


def bits(seed, shape):
    return classes(seed, shape, 2).astype("float32")


def one_hot(seed, rows, count):
    return np.eye(count, dtype="float32")[classes(seed, (rows,), count)]


REG = (numbers(1, (4, 3)), numbers(2, (4, 3)))
POS = (numbers(3, (4, 3), 0.1, 2.0), numbers(4, (4, 3), 0.1, 2.0))
DEEP = (numbers(5, (2, 3, 4)), numbers(6, (2, 3, 4)))
YES = (bits(7, (4, 3)), numbers(8, (4, 3), 0.05, 0.95))
YES_LOGITS = (bits(7, (4, 3)), numbers(9, (4, 3), -3, 3))
HOT = (one_hot(10, 4, 5), shares(11, (4, 5)))
HOT_LOGITS = (one_hot(10, 4, 5), numbers(12, (4, 5), -3, 3))
HOT_AXIS = (np.moveaxis(np.eye(3, dtype="float32")[classes(13, (2, 4), 3)], -1, 1), numbers(14, (2, 3, 4), 0.05, 1.0))
SPARSE = (classes(15, (4,), 5), shares(16, (4, 5)))
SPARSE_LOGITS = (classes(15, (4,), 5), numbers(17, (4, 5), -3, 3))
SPARSE_DEEP = (classes(18, (2, 3), 4), numbers(19, (2, 3, 4), -3, 3))
SEGMENTS = (bits(20, (2, 4, 4, 1)), numbers(21, (2, 4, 4, 1), 0.05, 0.95))


def unit(seed, shape):
    x = numbers(seed, shape).astype("float64")
    return np.round(x / np.linalg.norm(x, axis=-1, keepdims=True), 3).astype("float32")


EMBEDDED = (np.array([0, 1, 0, 2, 1], "int32"), unit(22, (5, 3)))
SPELLED = (np.array([[1, 2, 2], [3, 1, 0]], "int32"), numbers(23, (2, 7, 4), -2, 2))
IGNORED = (np.array([1, -1, 0, 3], "int32"), numbers(24, (4, 5), -3, 3))
IGNORED_DEEP = (np.array([[1, 255, 0], [255, 2, 1]], "int32"), shares(25, (2, 3, 4)))
AXIS_SPARSE = (classes(26, (2, 4), 3), np.moveaxis(numbers(27, (2, 4, 3), -3, 3), -1, 1))

# Class, options that differ from the defaults, labels and predictions.
CASES = [
    ("MeanSquaredError", {}, REG), ("MeanSquaredError", {}, DEEP),
    ("MeanSquaredError", {"name": "own", "reduction": "sum"}, REG),
    ("MeanSquaredError", {"dtype": "float64"}, REG),
    ("MeanSquaredError", {}, (numbers(1, (4,)), numbers(2, (4, 1)))),
    ("MeanSquaredError", {}, (numbers(1, (4, 1)), numbers(2, (4,)))),
    ("MeanSquaredError", {}, (numbers(1, (2, 3)), numbers(2, (2, 3, 1)))),
    ("MeanSquaredError", {}, (np.array([[0, 1], [2, 3]], "int32"), numbers(2, (2, 2)))),
    ("MeanSquaredError", {}, (REG[0], np.where(REG[1] > 0.5, np.nan, REG[1]).astype("float32"))),
    ("MeanAbsoluteError", {}, REG), ("MeanAbsoluteError", {"reduction": "mean_with_sample_weight"}, DEEP),
    ("MeanAbsolutePercentageError", {}, REG),
    ("MeanAbsolutePercentageError", {"reduction": "mean"}, (np.array([[0.0, 1.0]], "float32"), np.array([[1e-8, 0.5]], "float32"))),
    ("MeanSquaredLogarithmicError", {}, POS), ("MeanSquaredLogarithmicError", {"reduction": "sum"}, REG),
    ("CosineSimilarity", {}, REG), ("CosineSimilarity", {"axis": 0}, REG), ("CosineSimilarity", {"axis": 1}, DEEP),
    ("Huber", {}, (REG[0] * 3, REG[1] * 3)), ("Huber", {"delta": 0.3}, REG),
    ("LogCosh", {}, REG), ("LogCosh", {}, (REG[0] * 100, REG[1] * 100)),
    ("KLDivergence", {}, (shares(28, (4, 3)), shares(29, (4, 3)))),
    ("KLDivergence", {}, (np.array([[0.0, 1.0]], "float32"), np.array([[1.0, 0.0]], "float32"))),
    ("Poisson", {}, POS), ("Poisson", {}, (np.array([[0, 3]], "int32"), np.array([[0.0, 2.0]], "float32"))),
    ("BinaryCrossentropy", {}, YES), ("BinaryCrossentropy", {"from_logits": True}, YES_LOGITS),
    ("BinaryCrossentropy", {"label_smoothing": 0.2}, YES),
    ("BinaryCrossentropy", {"label_smoothing": 0.2, "from_logits": True}, YES_LOGITS),
    ("BinaryCrossentropy", {"axis": 0}, YES),
    ("BinaryCrossentropy", {}, (np.ones((3, 2), "float32"), np.array([[0, 1], [0.5, 1], [1, 1]], "float32"))),
    ("BinaryFocalCrossentropy", {}, YES), ("BinaryFocalCrossentropy", {"from_logits": True}, YES_LOGITS),
    ("BinaryFocalCrossentropy", {"apply_class_balancing": True}, YES),
    ("BinaryFocalCrossentropy", {"apply_class_balancing": True, "alpha": 0.7}, YES),
    ("BinaryFocalCrossentropy", {"gamma": 3.5}, YES), ("BinaryFocalCrossentropy", {"gamma": 0.0}, YES),
    ("BinaryFocalCrossentropy", {"label_smoothing": 0.1}, YES), ("BinaryFocalCrossentropy", {"axis": 0}, YES),
    ("CategoricalCrossentropy", {}, HOT), ("CategoricalCrossentropy", {"from_logits": True}, HOT_LOGITS),
    ("CategoricalCrossentropy", {"label_smoothing": 0.3}, HOT),
    ("CategoricalCrossentropy", {"label_smoothing": 0.3, "from_logits": True}, HOT_LOGITS),
    ("CategoricalCrossentropy", {"axis": 1}, HOT_AXIS),
    ("CategoricalCrossentropy", {"axis": 1, "label_smoothing": 0.1}, HOT_AXIS),
    ("CategoricalCrossentropy", {"axis": 1, "from_logits": True}, HOT_AXIS),
    ("CategoricalCrossentropy", {}, (np.eye(2, dtype="float32"), np.array([[0, 1], [0, 1]], "float32"))),
    ("CategoricalFocalCrossentropy", {}, HOT), ("CategoricalFocalCrossentropy", {"from_logits": True}, HOT_LOGITS),
    ("CategoricalFocalCrossentropy", {"alpha": 0.6}, HOT), ("CategoricalFocalCrossentropy", {"gamma": 1.5}, HOT),
    ("CategoricalFocalCrossentropy", {"label_smoothing": 0.2}, HOT),
    ("CategoricalFocalCrossentropy", {"axis": 1}, HOT_AXIS),
    ("SparseCategoricalCrossentropy", {}, SPARSE),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, SPARSE_LOGITS),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, SPARSE_DEEP),
    ("SparseCategoricalCrossentropy", {}, (SPARSE[0][:, None], SPARSE[1])),
    ("SparseCategoricalCrossentropy", {}, (SPARSE[0].astype("float32"), SPARSE[1])),
    ("SparseCategoricalCrossentropy", {"ignore_class": -1, "from_logits": True}, IGNORED),
    ("SparseCategoricalCrossentropy", {"ignore_class": 255}, IGNORED_DEEP),
    ("SparseCategoricalCrossentropy", {"ignore_class": 255, "reduction": "sum"}, IGNORED_DEEP),
    ("SparseCategoricalCrossentropy", {"ignore_class": 0}, (np.zeros(4, "int32"), SPARSE[1])),
    ("SparseCategoricalCrossentropy", {"axis": 1, "from_logits": True}, AXIS_SPARSE),
    ("Hinge", {}, (bits(30, (4, 3)), REG[1] * 2)), ("Hinge", {}, (bits(30, (4, 3)) * 2 - 1, REG[1] * 2)),
    ("Hinge", {}, (np.ones((4, 3), "float32"), REG[1])), ("Hinge", {}, (REG[0], REG[1])),
    ("SquaredHinge", {}, (bits(30, (4, 3)), REG[1] * 2)), ("SquaredHinge", {}, (bits(30, (4, 3)) * 2 - 1, REG[1] * 2)),
    ("CategoricalHinge", {}, HOT), ("CategoricalHinge", {}, HOT_LOGITS),
    ("CTC", {}, SPELLED), ("CTC", {"reduction": "sum"}, SPELLED),
    ("Dice", {}, SEGMENTS), ("Dice", {"axis": (1, 2, 3)}, SEGMENTS), ("Dice", {"axis": -1}, YES),
    ("Dice", {}, (np.zeros((2, 3), "float32"), np.zeros((2, 3), "float32"))),
    ("Tversky", {}, SEGMENTS), ("Tversky", {"axis": (1, 2, 3)}, SEGMENTS), ("Tversky", {"alpha": 0.2}, YES),
    ("Tversky", {"beta": 0.9, "alpha": 0.1}, SEGMENTS),
    ("Circle", {}, EMBEDDED), ("Circle", {"gamma": 10.0}, EMBEDDED), ("Circle", {"margin": 0.1}, EMBEDDED),
    ("Circle", {"remove_diagonal": False}, EMBEDDED),
    ("Circle", {"gamma": 4.0}, (EMBEDDED[0][:, None], EMBEDDED[1])),
    ("CategoricalGeneralizedCrossEntropy", {}, SPARSE),
    ("CategoricalGeneralizedCrossEntropy", {"q": 0.8}, SPARSE),
    ("CategoricalGeneralizedCrossEntropy", {"q": 0.3, "reduction": None}, SPARSE),
]

FUNCTIONS = [
    ("mean_squared_error", {}, REG), ("mean_absolute_error", {}, REG), ("mean_absolute_percentage_error", {}, REG),
    ("mean_squared_logarithmic_error", {}, POS), ("cosine_similarity", {"axis": 0}, REG),
    ("huber", {"delta": 0.4}, REG), ("log_cosh", {}, REG), ("kl_divergence", {}, (shares(28, (4, 3)), shares(29, (4, 3)))),
    ("poisson", {}, POS), ("binary_crossentropy", {}, YES), ("binary_crossentropy", {"from_logits": True}, YES_LOGITS),
    ("binary_focal_crossentropy", {}, YES), ("binary_focal_crossentropy", {"from_logits": True}, YES_LOGITS),
    ("categorical_crossentropy", {}, HOT), ("categorical_crossentropy", {"from_logits": True}, HOT_LOGITS),
    ("categorical_focal_crossentropy", {}, HOT), ("categorical_focal_crossentropy", {"from_logits": True}, HOT_LOGITS),
    ("sparse_categorical_crossentropy", {}, SPARSE),
    ("sparse_categorical_crossentropy", {"from_logits": True}, SPARSE_LOGITS),
    ("hinge", {}, (bits(30, (4, 3)), REG[1] * 2)), ("squared_hinge", {}, (bits(30, (4, 3)), REG[1] * 2)),
    ("categorical_hinge", {}, HOT), ("ctc", {}, SPELLED), ("dice", {}, SEGMENTS),
    ("tversky", {"alpha": 0.3, "beta": 0.6}, SEGMENTS), ("circle", {}, EMBEDDED),
    ("categorical_generalized_cross_entropy", {"q": 0.4}, SPARSE),
]


def sequences(loss, options, case):
    """TensorFlow's backend takes the classes on the last axis alone; elsewhere `axis` means this."""
    y_true, y_pred = case
    if loss == "SparseCategoricalCrossentropy" and options.get("axis", -1) != -1:
        return {k: v for k, v in options.items() if k != "axis"}, (y_true, y_pred), lambda x: tf.experimental.numpy.moveaxis(x, options["axis"], -1)
    return options, case, lambda x: x


def row(loss, options, case):
    made, (y_true, y_pred), turn = sequences(loss, options, case)
    kind = getattr(losses, loss)
    x = tf.constant(y_pred)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        each = kind(**{**made, "reduction": None})(y_true, turn(x))
        reduced = kind(**made)(y_true, turn(x))
    out = {
        "class": loss,
        "options": {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()},
        "y_true": tensor(y_true),
        "y_pred": tensor(y_pred),
        "each": tensor(each),
        "loss": tensor(reduced),
        "slope": tensor(tape.gradient(reduced, x)),
    }
    if each.shape.rank > 0:
        weight = numbers(31, each.shape, 0.0, 2.0)
        mask = np.arange(int(np.prod(each.shape))).reshape(each.shape) % 3 != 1
        out["weight"], out["mask"] = tensor(weight), tensor(mask)
        out["weighted"] = tensor(kind(**made)(y_true, turn(x), sample_weight=weight))
        # Weights that stretch: one per row.
        if each.shape.rank > 1:
            narrow = numbers(32, (each.shape[0],) + (1,) * (each.shape.rank - 1), 0.0, 2.0)
            out["narrow"] = tensor(narrow)
            out["narrowly"] = tensor(kind(**made)(y_true, turn(x), sample_weight=narrow))
        for name, w in [("masked", None), ("both", weight)]:
            masked = turn(tf.identity(x))
            keras.src.backend.set_keras_mask(masked, tf.constant(mask))
            out[name] = tensor(kind(**made)(y_true, masked, sample_weight=w))
    return out


rows = {}
for i, (loss, options, case) in enumerate(CASES):
    rows[f"{i:03} {loss} {options}"] = row(loss, options, case)
for i, (name, options, (y_true, y_pred)) in enumerate(FUNCTIONS):
    value = getattr(losses, name)(y_true, tf.constant(y_pred), **options)
    rows[f"f{i:02} {name} {options}"] = {
        "function": name, "options": options, "y_true": tensor(y_true), "y_pred": tensor(y_pred), "each": tensor(value),
    }
# All reductions with weights, mask, both and neither, on the losses [4] and [2, 3] of one kind.
for reduction in ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", None]:
    for which, case in [("flat", REG), ("deep", DEEP)]:
        rows[f"r {reduction} {which}"] = row("MeanSquaredError", {"reduction": reduction}, case)
# References of the circle loss that are not the batch.
references = (np.array([0, 1, 2], "int32"), unit(33, (3, 3)))
for remove in [True, False]:
    value = losses.circle(EMBEDDED[0], EMBEDDED[1], ref_labels=references[0], ref_embeddings=references[1], remove_diagonal=remove)
    rows[f"references {remove}"] = {
        "remove_diagonal": remove, "y_true": tensor(EMBEDDED[0]), "y_pred": tensor(EMBEDDED[1]),
        "ref_labels": tensor(references[0]), "ref_embeddings": tensor(references[1]), "each": tensor(value),
    }
common.write("losses", rows)
