"""Writes TensorFlow's gradients in float64, one JSON record per line: `python make_gradients.py > gradients.json` for the
core operations, `python make_gradients.py FAMILY > gradients_FAMILY.json` for those of `ops_FAMILY.py`.

First line: `{"tensorflow": version}`. Then records
`{"op", "case", "attrs", "inputs": [arrays], "upstream": [arrays], "outputs": [arrays], "gradients": [arrays or null]}`:
one upstream gradient per output, one gradient per input; `null` where TensorFlow answers `None` (not connected, or an
integer input). The calls and the array form are those of `make_ops.py`; `norm` is `tf.norm`, `sum_of_where_log` and
its like are small programs described at their call below. Sparse gradients (`IndexedSlices`) are stored dense.
"""
import importlib
import sys

from golden import Values, arrays_text, compact, i32, np, tf
from ops_elementwise import OPS
import ops_linear
import ops_reduce
import ops_shapes

NAN, INF = float("nan"), float("inf")
D = lambda x: np.array(x, dtype=np.float64)



def conv2d(x, a):
    """TensorFlow's CPU has no gradient kernel for dilated or grouped convolutions: here they are put together from
    plain ones, by writing the zeros of a dilated filter out and by convolving each group on its own."""
    image, kernel = x
    height, width, depth, count = kernel.shape
    dh, dw = a["dilations"]
    if dh > 1 or dw > 1:
        where = np.array([[i * dh, j * dw] for i in range(height) for j in range(width)])
        flat = tf.reshape(kernel, [height * width, depth, count])
        kernel = tf.scatter_nd(where, flat, [(height - 1) * dh + 1, (width - 1) * dw + 1, depth, count])
    groups = image.shape[-1] // depth
    parts = zip(tf.split(image, groups, -1), tf.split(kernel, groups, -1))
    return tf.concat([tf.nn.conv2d(i, k, a["strides"], a["padding"]) for i, k in parts], -1)


EXTRA = {
    "conv2d": conv2d,
    "norm": lambda x, a: tf.norm(x[0], axis=a["axis"]),
    # where(x > 0, log(x), 0): the branch that is not taken has an infinite or nan gradient, and poisons the result.
    "where_log": lambda x, a: tf.where(x[0] > 0, tf.math.log(x[0]), tf.zeros_like(x[0])),
    # The safe form: log of where(x > 0, x, 1).
    "where_log_safe": lambda x, a: tf.math.log(tf.where(x[0] > 0, x[0], tf.ones_like(x[0]))),
    "where_sqrt": lambda x, a: tf.where(x[0] > 0, tf.sqrt(x[0]), tf.zeros_like(x[0])),
    "square_sum_sqrt": lambda x, a: tf.sqrt(tf.reduce_sum(tf.square(x[0]))),
    "x_times_x": lambda x, a: x[0] * x[0],
    "stop_gradient": lambda x, a: x[0] * tf.stop_gradient(x[0]),
}


def record(op, case, inputs, attrs=None):
    attrs = attrs or {}
    fn = EXTRA.get(op) or OPS[op][0]
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape(persistent=True) as tape:
        for t in tensors:
            if t.dtype.is_floating:
                tape.watch(t)
        out = fn(tensors, attrs)
        out = list(out) if isinstance(out, (list, tuple)) else [out]
    rng = Values(op + case + ":upstream", "float64", False)
    upstream = [rng.n(*o.shape) for o in out]
    grads = tape.gradient(out, tensors, output_gradients=[tf.constant(u) for u in upstream])
    grads = [None if g is None or not t.dtype.is_floating else np.asarray(tf.convert_to_tensor(g))
             for g, t in zip(grads, tensors)]
    print(f'{{"op":"{op}","case":"{case}","attrs":{compact(attrs)},"inputs":{arrays_text(inputs)},'
          f'"upstream":{arrays_text(upstream)},"outputs":{arrays_text([o.numpy() for o in out])},'
          f'"gradients":{arrays_text(grads)}}}')


KINKS = {  # unary op -> the points at which its gradient is worth knowing
    "abs": [0.0, -0.0, -1, 2, NAN, -INF], "sign": [0.0, -0.0, -1, 2, NAN], "relu": [0.0, -0.0, -1, 2, NAN, INF, -INF],
    "leaky_relu": [0.0, -0.0, -1, 2, NAN], "elu": [0.0, -0.0, -1, 2, -50, NAN], "selu": [0.0, -0.0, -1, 2, -50, NAN],
    "softsign": [0.0, -0.0, -1, 2, INF], "sqrt": [0.0, -0.0, -1, 4, INF], "rsqrt": [0.0, -0.0, -1, 4, INF],
    "log": [0.0, -0.0, -1, 4, INF], "log1p": [-1.0, 0, -2, 4, INF], "reciprocal": [0.0, -0.0, 4, INF],
    "exp": [0.0, 800, -800, INF, -INF, NAN], "expm1": [0.0, 800, -800, -INF], "square": [0.0, INF, -3],
    "tanh": [0.0, 30, -30, INF, NAN], "sigmoid": [0.0, 800, -800, INF, -INF, NAN], "erf": [0.0, 8, -8, INF],
    "erfc": [0.0, 5, 8, -8, INF],
    "softplus": [0.0, 800, -800, INF, -INF, NAN], "silu": [0.0, 800, -800, INF, -INF, NAN],
    "gelu": [0.0, 40, -40, INF, -INF, NAN], "floor": [0.0, 1.5, -1.5], "ceil": [0.0, 1.5], "round": [0.5, 1.5, 2.2],
    "sin": [0.0, 1, INF], "cos": [0.0, 1, INF], "neg": [0.0, NAN], "identity": [1.0], "zeros_like": [1.0],
    "ones_like": [1.0],
}
PAIRS = {  # binary op -> pairs with ties and edges
    "maximum": [(1, 1), (0.0, -0.0), (2, 3), (3, 2), (NAN, 1), (1, NAN), (INF, INF)],
    "minimum": [(1, 1), (0.0, -0.0), (2, 3), (3, 2), (NAN, 1), (1, NAN), (INF, INF)],
    "squared_difference": [(1, 1), (2, -3), (INF, 1)], "add": [(1, 2)], "subtract": [(1, 2)],
    "multiply": [(0, INF), (2, 3), (NAN, 0)], "divide": [(1, 0), (0, 0), (1, 2), (1, INF), (-3, -0.0)],
    "div_no_nan": [(1, 0), (0, 0), (1, 2), (1, INF)],
    "floordiv": [(7, 2), (-7, 2), (1, 0)], "floormod": [(7, 2), (-7, 2), (7, -2), (6, 3), (1, 0)],
    "pow": [(0, 0), (0, 1), (0, 2), (0, 0.5), (0, -1), (0, 3), (-2, 2), (-2, 3), (-2, 0), (2, 0), (2, 0.5), (1, INF),
            (-0.0, 3), (-1.5, 0.5), (INF, 2), (2, -INF), (NAN, 0), (2, NAN)],
}


def elementwise():
    for op, points in KINKS.items():
        for attrs, tag in ([({"approximate": False}, ""), ({"approximate": True}, "_approximate")] if op == "gelu"
                           else [({"alpha": 0.2}, "")] if op == "leaky_relu" else [({}, "")]):
            v = Values(op, "float64", True)
            x = v.pos(2, 3) if op in ("sqrt", "rsqrt", "log") else v.n(2, 3)
            record(op, "basic" + tag, [x], attrs)
            record(op, "edges" + tag, [D(points)], attrs)
    for op, points in PAIRS.items():
        v = Values(op, "float64", True)
        record(op, "basic", [v.pos(2, 3), v.n(2, 3)])
        record(op, "broadcast", [v.pos(2, 1, 3), v.n(2, 1)])
        record(op, "scalar", [v.pos(2, 2), v.n()])
        record(op, "edges", [D([p[0] for p in points]), D([p[1] for p in points])])
    v = Values("three", "float64", True)
    record("maximum", "tie_broadcast", [D([[1, 2, 1], [1, 1, 3]]), D(1)])
    record("minimum", "tie_broadcast", [D([[1, 2, 1], [1, 1, 3]]), D([1, 2, 3])])
    record("clip_by_value", "basic", [v.n(2, 3), D(-1), D(1)])
    record("clip_by_value", "bounds", [D([-1, 1, -1.5, 1.5, 0, NAN]), D(-1), D(1)])
    record("clip_by_value", "broadcast", [v.n(2, 3), D([-1, -0.5, 0]), D([[0.5], [1.5]])])
    record("clip_by_value", "crossed", [v.n(2, 3), D(1), D(-1)])
    for case, x, c, axes in [("basic", v.n(2, 3), 1.5, None), ("axes", v.n(2, 3), 1.5, [1]), ("zero", D([0, 0]), 1.0, None),
                             ("below", D([0.3, 0.4]), 1.0, None), ("tie", D([3, 4]), 5.0, None)]:
        record("clip_by_norm", case, [x, D(c)], {"axes": axes})
    w = Values("l2_normalize", "float64", True)
    for case, x, axis, epsilon in [("basic", w.n(2, 3), [1], 1e-12), ("all", w.n(2, 3), None, 1e-12),
                                   ("below", D([[0, 0], [0.125, 0.25]]), [1], 0.5)]:
        record("l2_normalize", case, [x], {"axis": axis, "epsilon": epsilon})
    for case, xs in [("basic", [v.n(2, 3), v.n(4), D(1.5)]), ("zero", [D([0, 0]), D(1)]), ("below", [D([0.3]), D(1)])]:
        record("clip_by_global_norm", case, xs)
    mask = np.array([[True, False, True], [False, False, True]])
    record("where", "basic", [mask, v.n(2, 3), v.n(2, 3)])
    record("where", "broadcast", [mask, v.n(3), v.n(2, 1)])
    record("where", "scalars", [mask, v.n(), v.n()])
    record("where", "nan_values", [mask, D([[1, NAN, 1]] * 2), D([[NAN, 1, INF]] * 2)])
    for op in ["where_log", "where_log_safe", "where_sqrt"]:
        record(op, "edges", [D([-1, 0, 1, 2])])
    record("cast", "to_float64", [D([1, 2])], {"to": "float64"})
    record("x_times_x", "basic", [v.n(3)])
    record("stop_gradient", "basic", [v.n(3)])


def reductions():
    for op in ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min", "reduce_logsumexp",
               "reduce_variance", "reduce_std"]:
        v = Values(op, "float64", True)
        for case, axis, keepdims in [("all", None, False), ("axis0", [0], True), ("outer", [0, 2], False), ("last", [-1], False)]:
            record(op, case, [v.n(2, 3, 2)], {"axis": axis, "keepdims": keepdims})
        rows = {"axis": [1], "keepdims": False}
        record(op, "ties", [D([[1, 3, 3], [2, 2, 2], [-0.0, 0, -0.0], [1, 1, 2]])], rows)
        record(op, "zeros", [D([[0, 2, 3], [0, 0, 3], [0, 0, 0], [1, 2, 3]])], rows)
        record(op, "nan", [D([[NAN, 2, 3], [1, 2, NAN]])], rows)
        record(op, "infinite", [D([[INF, 2, 3], [-INF, -INF, -INF], [INF, INF, 1]])], rows)
        record(op, "empty", [np.zeros([0, 2])], {"axis": [0], "keepdims": False})
        record(op, "scalar", [v.n()], {"axis": None, "keepdims": False})
    for op in ["cumsum", "cumprod"]:
        v = Values(op, "float64", True)
        for exclusive in [False, True]:
            for reverse in [False, True]:
                a = {"axis": 1, "exclusive": exclusive, "reverse": reverse}
                tag = f"{'exclusive' if exclusive else 'inclusive'}{'_reverse' if reverse else ''}"
                record(op, tag, [v.n(2, 4)], a)
                record(op, tag + "_zeros", [D([[2, 0, 3, 4], [0, 1, 0, 2], [1, 2, 3, 0]])], a)
    for op in ["softmax", "log_softmax"]:
        v = Values(op, "float64", True)
        record(op, "basic", [v.n(2, 3)], {"axis": -1})
        record(op, "axis0", [v.n(3, 2)], {"axis": 0})
        record(op, "edges", [D([[1000, 1000, 0], [-1000, 0, -1000], [-INF, 1, 2], [NAN, 1, 2]])], {"axis": -1})
    v = Values("xent", "float64", True)
    sparse, dense = "sparse_softmax_cross_entropy", "softmax_cross_entropy"
    record(sparse, "basic", [i32(2, 0), v.n(2, 3)])
    record(sparse, "rank3", [i32(2, 0, 1, 1).reshape(2, 2), v.n(2, 2, 3)])
    record(sparse, "extreme", [i32(0, 1), D([[1000, 0, 0], [-1000, 0, 0]])])
    record(dense, "one_hot", [D([[0, 0, 1], [1, 0, 0]]), v.n(2, 3)], {"axis": -1})
    record(dense, "soft", [D([[0.2, 0.3, 0.5], [1, 0, 0]]), v.n(2, 3)], {"axis": -1})
    record(dense, "not_a_distribution", [v.pos(2, 3), v.n(2, 3)], {"axis": -1})
    record(dense, "axis0", [v.pos(3, 2), v.n(3, 2)], {"axis": 0})
    record(dense, "extreme", [D([[1, 0, 0], [0, 1, 0]]), D([[1000, 0, 0], [1000, 0, -1000]])], {"axis": -1})
    for case, x, axis in [("basic", v.n(2, 3), None), ("rows", v.n(2, 3), 1), ("zero", D([0, 0]), None),
                          ("zero_row", D([[0, 0], [3, 4]]), 1)]:
        record("norm", case, [x], {"axis": axis})
    record("square_sum_sqrt", "zero", [D([0, 0])])


def moves():
    """Every case of the moving and linear ops that TensorFlow accepts; their gradients have no other fine points."""
    for op in ["reshape", "transpose", "expand_dims", "squeeze", "concat", "stack", "unstack", "split", "tile", "pad",
               "reverse", "broadcast_to", "gather", "gather_nd", "scatter_nd", "tensor_scatter_nd_update", "slice",
               "strided_slice", "embedding_lookup", "boolean_mask", "matmul", "batch_matmul", "tensordot", "conv2d",
               "max_pool2d", "avg_pool2d", "bias_add", "fill", "linspace"]:
        for case, attrs, inputs in OPS[op][1](Values(op, "float64", True)):
            if case in ("kernel_too_large", "channels_mismatch"):
                continue
            try:
                record(op, case, inputs, attrs)
            except (tf.errors.InvalidArgumentError, ValueError, LookupError) as e:
                print(op, case, type(e).__name__, file=sys.stderr)
    a = {"ksize": [2, 2], "strides": [2, 2], "padding": "VALID"}
    over = {"ksize": [2, 2], "strides": [1, 1], "padding": "VALID"}
    record("max_pool2d", "ties", [D([1, 1, 2, 2, 1, 1, 2, 2, 0, 3, 3, 0, 3, 0, 0, 3]).reshape(1, 4, 4, 1)], a)
    record("max_pool2d", "ties_overlap", [np.ones([1, 3, 3, 1])], over)
    record("max_pool2d", "nan", [D([NAN, 1, 2, NAN]).reshape(1, 2, 2, 1)], a)
    record("max_pool2d", "all_minus_infinity", [np.full([1, 2, 2, 1], -INF)], a)
    record("gather", "repeated", [D([1, 2, 3]), i32(1, 1, 1, 0)], {"axis": 0, "batch_dims": 0})


def family(name):
    """The ordinary values and the edges of the operations that `ops_NAME.py` lists as `GRADIENTS`."""
    for op in importlib.import_module(f"ops_{name}").GRADIENTS:
        for case, attrs, inputs in OPS[op][1](Values(op, "float64", True)):
            if case in ("basic", "edges", "broadcast"):
                record(op, case, inputs, attrs)


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    for name in sys.argv[1:]:
        family(name)
    if not sys.argv[1:]:
        elementwise()
        reductions()
        moves()
