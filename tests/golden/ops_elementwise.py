"""The elementwise and creating ops of `make_ops.py`: how each is called in TensorFlow, and its cases."""
import numpy as np
import tensorflow as tf

from golden import DTYPES, i32

OPS = {}  # name -> (call, cases): call(inputs, attrs) gives a tensor or a list; cases(values) yields the case tuples


def op(name, call):
    """Registers the generator below it as the cases of `name`; it yields (case, attrs, inputs)."""
    def wrap(cases):
        OPS[name] = (call, cases)
        return cases
    return wrap


def unary_cases(v, **attrs):
    yield "basic", attrs, [v.n(2, 3)]
    yield "edges", attrs, [v.edges()]
    if v.main:
        yield "scalar", attrs, [v.n()]
        yield "empty", attrs, [v.n(0, 3)]
        yield "grid", attrs, [v.n(4, 5, 6, lo=-8.0, hi=8.0)]


UNARY = {
    "zeros_like": tf.zeros_like, "ones_like": tf.ones_like, "identity": tf.identity,
    "neg": tf.negative, "abs": tf.abs, "sign": tf.sign, "square": tf.square, "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt, "reciprocal": tf.math.reciprocal, "exp": tf.exp, "expm1": tf.math.expm1,
    "log": tf.math.log, "log1p": tf.math.log1p, "sin": tf.sin, "cos": tf.cos, "tanh": tf.tanh, "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "sigmoid": tf.sigmoid, "relu": tf.nn.relu, "softplus": tf.math.softplus, "silu": tf.nn.silu,
    "floor": tf.floor, "ceil": tf.math.ceil, "round": tf.round, "softsign": tf.nn.softsign,
    "elu": tf.nn.elu, "selu": tf.nn.selu, "logical_not": tf.logical_not,
    "is_nan": tf.math.is_nan, "is_finite": tf.math.is_finite, "is_inf": tf.math.is_inf,
}
for _name, _fn in UNARY.items():
    OPS[_name] = (lambda x, a, f=_fn: f(x[0]), unary_cases)

for _name in ["sqrt", "rsqrt", "log", "log1p"]:
    def _positive(v):
        yield "basic", {}, [v.pos(2, 3)]
        yield "edges", {}, [v.edges()]
        if v.main:
            yield "scalar", {}, [v.pos()]
            yield "empty", {}, [v.pos(0, 3)]
            yield "grid", {}, [v.pos(4, 5, 6, lo=0.001, hi=50.0)]
    OPS[_name] = (OPS[_name][0], _positive)


@op("leaky_relu", lambda x, a: tf.nn.leaky_relu(x[0], **a))
def _leaky(v):
    yield from unary_cases(v, alpha=0.2)
    yield "alpha", {"alpha": 0.01}, [v.n(2, 3)]


@op("gelu", lambda x, a: tf.nn.gelu(x[0], **a))
def _gelu(v):
    yield from unary_cases(v, approximate=False)
    for name, attrs, inputs in unary_cases(v, approximate=True):
        yield name + "_approximate", attrs, inputs


def binary_cases(v):
    yield "basic", {}, [v.n(2, 3), v.n(2, 3)]
    yield "broadcast", {}, [v.n(2, 1, 3), v.n(2, 1)]
    few = v.few()
    yield "edges", {}, [few.reshape(-1, 1), few]
    if v.main:
        yield "scalar", {}, [v.n(), v.n()]
        yield "scalar_left", {}, [v.n(), v.n(2, 3)]
        yield "scalar_right", {}, [v.n(4, 5), v.n()]
        yield "empty", {}, [v.n(0, 3), v.n(1, 3)]
        yield "grid", {}, [v.n(4, 5, 6), v.n(4, 1, 6)]
        yield "mismatch", {}, [v.n(2, 3), v.n(4)]


BINARY = {
    "minimum": tf.minimum, "maximum": tf.maximum, "squared_difference": tf.math.squared_difference,
    "add": tf.add, "subtract": tf.subtract, "multiply": tf.multiply, "div_no_nan": tf.math.divide_no_nan,
    "equal": tf.equal, "not_equal": tf.not_equal, "less": tf.less, "less_equal": tf.less_equal,
    "greater": tf.greater, "greater_equal": tf.greater_equal,
    "logical_and": tf.logical_and, "logical_or": tf.logical_or, "logical_xor": tf.math.logical_xor,
}
for _name, _fn in BINARY.items():
    OPS[_name] = (lambda x, a, f=_fn: f(x[0], x[1]), binary_cases)


def _no_zero(v, *shape):
    x = v.n(*shape)
    return x if v.is_bool else np.where(x == 0, np.ones_like(x), x)


def _division(v):
    yield "basic", {}, [v.n(2, 3), _no_zero(v, 2, 3)]
    yield "broadcast", {}, [v.n(2, 1, 3), _no_zero(v, 2, 1)]
    few = v.few()
    yield "edges", {}, [few.reshape(-1, 1), few if v.is_float else few[few != 0]]
    if not v.is_float and not v.is_bool:
        yield "by_zero", {}, [v.v([1, 2]), v.v([1, 0])]
        yield "signs", {}, [v.v([7, 8, 9, 0] if v.unsigned else [-7, 7, -8, 8, -9, 9, 0]).reshape(-1, 1),
                            v.v([2, 3] if v.unsigned else [-3, -2, 2, 3])]
    if v.main:
        yield "signs", {}, [v.v([-7, 7, -8.5, 8.5, -0.0, 0.0]).reshape(-1, 1), v.v([-3, -2, 2, 3, 0.5])]
        yield "scalar", {}, [v.n(), v.pos()]
        yield "empty", {}, [v.n(0, 3), v.pos(1, 3)]
        yield "grid", {}, [v.n(4, 5, 6), _no_zero(v, 4, 1, 6)]


# `divide` is the kernel for equal float dtypes; `truediv` the operator, which casts integers to floats first.
OPS["divide"] = (lambda x, a: tf.raw_ops.RealDiv(x=x[0], y=x[1]), _division)
OPS["truediv"] = (lambda x, a: tf.math.truediv(x[0], x[1]), _division)
OPS["floordiv"] = (lambda x, a: tf.math.floordiv(x[0], x[1]), _division)
OPS["floormod"] = (lambda x, a: tf.math.floormod(x[0], x[1]), _division)


@op("pow", lambda x, a: tf.pow(x[0], x[1]))
def _pow(v):
    if v.is_float or v.is_bool:
        yield "basic", {}, [v.pos(2, 3), v.n(2, 3)]
        yield "edges", {}, [v.few().reshape(-1, 1), v.few()]
        yield "broadcast", {}, [v.v([-2, -1, -0.5, -0.0, 0, 0.5, 3]).reshape(-1, 1), v.v([-2, -1, -0.5, 0, 1, 2, 3])]
        if v.main:
            yield "scalar", {}, [v.pos(), v.n()]
            yield "empty", {}, [v.n(0, 3), v.n(1, 3)]
            yield "grid", {}, [v.pos(4, 5, 6), v.n(4, 1, 6)]
    else:
        yield "basic", {}, [v.n(2, 3), v.v([0, 1, 2, 3, 2, 1], (2, 3))]
        yield "wrap", {}, [v.v([3, 7, 10]).reshape(-1, 1), v.v([0, 5, 20, 70])]
        if v.signed_int:
            yield "negative_exponent", {}, [v.v([2, 3]), v.v([2, -1])]


@op("l2_normalize", lambda x, a: tf.math.l2_normalize(x[0], axis=a["axis"], epsilon=a["epsilon"]))
def _l2_normalize(v):
    yield "basic", {"axis": [-1], "epsilon": 1e-12}, [v.n(2, 3)]
    yield "epsilon", {"axis": [1], "epsilon": 0.5}, [v.v([[0, 0], [0.125, 0.25], [3, 4]])]
    if v.main:
        yield "all", {"axis": None, "epsilon": 1e-12}, [v.n(2, 3)]
        yield "axes", {"axis": [0, 2], "epsilon": 1e-12}, [v.n(2, 3, 2)]
        yield "edges", {"axis": [-1], "epsilon": 1e-12}, [v.edges()]
        yield "empty", {"axis": [0], "epsilon": 1e-12}, [v.n(0, 3)]


@op("clip_by_value", lambda x, a: tf.clip_by_value(x[0], x[1], x[2]))
def _clip(v):
    yield "basic", {}, [v.n(2, 3), v.v(1 if v.unsigned else -1), v.v(2)]
    yield "edges", {}, [v.edges(), v.v(0 if v.unsigned else -2), v.v(2)]
    if v.main:
        yield "broadcast", {}, [v.n(2, 3), v.v([-1.0, -0.5, 0.0]), v.v([[0.5], [1.5]])]
        yield "crossed", {}, [v.n(2, 3), v.v(1.0), v.v(-1.0)]
        yield "nan_bounds", {}, [v.n(3), v.v([np.nan, -1, 0]), v.v([1.0, np.nan, 1.0])]
        yield "empty", {}, [v.n(0, 3), v.v(-1), v.v(1)]


@op("clip_by_norm", lambda x, a: tf.clip_by_norm(x[0], x[1], axes=a["axes"]))
def _clip_norm(v):
    yield "basic", {"axes": None}, [v.n(2, 3), v.v(1.5)]
    yield "axes", {"axes": [1]}, [v.n(2, 3), v.v(1.5)]
    if v.main:
        yield "below", {"axes": None}, [v.n(2, 3), v.v(100.0)]
        yield "zero", {"axes": None}, [v.v([0.0, 0.0]), v.v(1.0)]
        yield "edges", {"axes": None}, [v.v([np.inf, 1.0]), v.v(1.0)]


@op("clip_by_global_norm", lambda x, a: (lambda r: list(r[0]) + [r[1]])(tf.clip_by_global_norm(x[:-1], x[-1])))
def _clip_global(v):
    """The last input is the norm; the last output is the global norm before clipping."""
    yield "basic", {}, [v.n(2, 3), v.n(4), v.v(1.5)]
    if v.main:
        yield "below", {}, [v.n(2, 3), v.n(4), v.v(100.0)]
        yield "zero", {}, [v.v([0.0, 0.0]), v.v(1.0)]
        yield "infinite", {}, [v.v([np.inf, 1.0]), v.v([2.0]), v.v(1.0)]
        yield "nan", {}, [v.v([np.nan, 1.0]), v.v([2.0]), v.v(1.0)]


@op("where", lambda x, a: tf.where(x[0], x[1], x[2]))
def _where(v):
    rng = v.rng()
    mask = lambda *s: rng.uniform(size=s) < 0.5
    yield "basic", {}, [mask(2, 3), v.n(2, 3), v.n(2, 3)]
    yield "broadcast", {}, [mask(2, 1), v.n(3), v.n(2, 3)]
    if v.main:
        yield "scalars", {}, [mask(2, 3), v.n(), v.n()]
        yield "scalar_condition", {}, [np.array(True), v.n(2, 3), v.n(2, 1)]
        yield "empty", {}, [mask(0, 3), v.n(), v.n(1, 3)]
        yield "rank", {}, [mask(4, 1, 3), v.n(2, 1), v.n()]


@op("fill", lambda x, a: tf.fill(a["dims"], x[0]))
def _fill(v):
    yield "basic", {"dims": [2, 3]}, [v.n()]
    if v.main:
        yield "scalar", {"dims": []}, [v.n()]
        yield "empty", {"dims": [0, 2]}, [v.n()]


@op("range", lambda x, a: tf.range(x[0], x[1], x[2]))
def _range(v):
    yield "basic", {}, [v.v(0), v.v(5), v.v(1)]
    yield "step", {}, [v.v(3), v.v(18), v.v(4)]
    if v.is_float:
        yield "fraction", {}, [v.v(-1.0), v.v(1.0), v.v(0.1)]
    if not v.unsigned and not v.is_bool:
        yield "down", {}, [v.v(5), v.v(-4), v.v(-3)]
        yield "wrong_way", {}, [v.v(5), v.v(0), v.v(1)]
        yield "empty", {}, [v.v(5), v.v(5), v.v(1)]
        yield "zero_step", {}, [v.v(0), v.v(5), v.v(0)]


@op("linspace", lambda x, a: tf.linspace(x[0], x[1], a["num"]))
def _linspace(v):
    yield "basic", {"num": 5}, [v.v(0), v.v(2)]
    yield "seven", {"num": 7}, [v.v(1), v.v(9)]
    if v.is_float:
        yield "one", {"num": 1}, [v.v(-1.5), v.v(2)]
        yield "two", {"num": 2}, [v.v(-1.5), v.v(2)]
    if v.main:
        yield "vectors", {"num": 4}, [v.v([0.0, 1.0]), v.v([1.0, -3.0])]


@op("eye", lambda x, a: tf.eye(a["rows"], a["columns"], a["batch_shape"], a["dtype"]))
def _eye(v):
    yield "basic", {"rows": 3, "columns": None, "batch_shape": None, "dtype": v.dtype}, []
    yield "wide", {"rows": 2, "columns": 3, "batch_shape": None, "dtype": v.dtype}, []
    if v.main:
        yield "batch", {"rows": 2, "columns": 1, "batch_shape": [2], "dtype": v.dtype}, []
        yield "empty", {"rows": 0, "columns": 2, "batch_shape": None, "dtype": v.dtype}, []


@op("one_hot", lambda x, a: tf.one_hot(x[0], a["depth"], x[1], x[2], a["axis"]))
def _one_hot(v):
    """Inputs: indices, on value, off value (their dtype is the one under test)."""
    on, off = (v.v(True), v.v(False)) if v.is_bool else (v.v(5), v.v(1))
    yield "basic", {"depth": 3, "axis": -1}, [i32(0, 2, -1, 3), on, off]
    yield "axis0", {"depth": 3, "axis": 0}, [i32(0, 2, 1).reshape(3, 1), on, off]
    if v.main:
        yield "axis1", {"depth": 4, "axis": 1}, [np.array([[0, 1], [3, 2]], np.int64), on, off]
        yield "uint8", {"depth": 3, "axis": -1}, [np.array([1, 200], np.uint8), on, off]
        yield "scalar", {"depth": 3, "axis": -1}, [np.array(1, np.int32), on, off]
        yield "depth0", {"depth": 0, "axis": -1}, [i32(0, 1), on, off]


@op("cast", lambda x, a: tf.cast(x[0], a["to"]))
def _cast(v):
    """In-range values only: what an out-of-range or nan conversion gives is the processor's choice."""
    for to in DTYPES:
        if v.is_bool:
            x = v.v([True, False])
        elif v.unsigned or to.startswith("u"):
            x = v.v([0, 1, 2, 100, 127] + ([0.5, 1.5, 2.75, 99.99] if v.is_float else []))
        else:
            x = v.v([0, 1, -1, 100, -100, 127] + ([0.5, -0.5, 1.5, -1.5, 2.75, -99.99] if v.is_float else []))
        if v.is_float and to in DTYPES[:4]:
            x = np.concatenate([x, v.v([np.inf, -np.inf, np.nan, -0.0, 1e-7, 3.14159265, 65504.0, 1.00048828125])])
            if v.dtype in ("float32", "float64", "bfloat16"):
                x = np.concatenate([x, v.v([65520.0, 1e-40, 3e38, 1.00390625, 1.01171875, 0.1, 16777217.0])])
        if not v.is_float and not v.is_bool:
            info = np.iinfo(v.kind)
            to_float = to in DTYPES[:4]
            if to_float or to == "bool" or (to.startswith(("u", "i")) and not v.is_float):
                x = np.concatenate([x, np.array([info.min, info.max, info.max // 3], dtype=v.kind)])
        yield "to_" + to, {"to": to}, [x]
