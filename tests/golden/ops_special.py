"""The element-wise functions of `make_ops.py` beyond the core: trigonometric, hyperbolic and special functions, bitwise
operations, and the activations that Keras adds."""
import keras
import numpy as np
import tensorflow as tf

from ops_elementwise import OPS, _division, binary_cases, op

NAN, INF = float("nan"), float("inf")


def unary(name, fn, basic, grid, edges):
    """Cases of a function of one number: ordinary values between two bounds, a wide grid, and the ends of its domain."""
    @op(name, lambda x, a: fn(x[0]))
    def _cases(v):
        yield "basic", {}, [v.n(2, 3, lo=basic[0], hi=basic[1])]
        # Complex numbers that are not finite have no agreed result.
        yield "edges", {}, [v.edges() if v.kind.kind == "c" else v.v([0.0, -0.0, 1.0, -1.0, 0.5, NAN, INF, -INF] + edges)]
        if v.main:
            yield "empty", {}, [v.n(0, 3)]
            yield "grid", {}, [v.n(5, 6, lo=grid[0], hi=grid[1])]


unary("tan", tf.tan, (-3, 3), (-30, 30), [1e-5, 100.0])
unary("asin", tf.asin, (-1, 1), (-1, 1), [1e-5, 2.0, 0.999])
unary("acos", tf.acos, (-1, 1), (-1, 1), [1e-5, 2.0, 0.999])
unary("atan", tf.atan, (-3, 3), (-30, 30), [1e-5, 1e4])
unary("sinh", tf.sinh, (-3, 3), (-10, 10), [1e-3, 100.0])
unary("cosh", tf.cosh, (-3, 3), (-10, 10), [1e-3, 100.0])
unary("asinh", tf.asinh, (-3, 3), (-30, 30), [1e-3, -1e-3, 1e4])
unary("acosh", tf.acosh, (1, 4), (1, 30), [1.001, 1e4, 0.999])
unary("atanh", tf.atanh, (-1, 1), (-1, 1), [1e-3, 2.0, 0.999])
unary("lgamma", tf.math.lgamma, (0.1, 4), (-10, 30), [2.0, -2.0, -0.5, 1e4, 1e-3])
unary("digamma", tf.math.digamma, (0.1, 4), (-10, 30), [2.0, -2.0, -0.5, 1e4, 1e-3])
unary("erfinv", tf.math.erfinv, (-1, 1), (-1, 1), [2.0, -2.0, 0.999, 0.25])
unary("erfcinv", tf.math.erfcinv, (0.1, 1.9), (0.01, 1.99), [2.0, 3.0, 0.001, 0.25])
unary("ndtri", tf.math.ndtri, (0.1, 0.9), (0.001, 0.999), [2.0, 0.999, 0.25])
unary("bessel_i0", tf.math.bessel_i0, (-3, 3), (-30, 30), [8.0, 1e-3])
unary("bessel_i0e", tf.math.bessel_i0e, (-3, 3), (-30, 30), [8.0, 1e-3, 1e4])
unary("bessel_i1", tf.math.bessel_i1, (-3, 3), (-30, 30), [8.0, 1e-3])
unary("bessel_i1e", tf.math.bessel_i1e, (-3, 3), (-30, 30), [8.0, 1e-3, 1e4])
unary("rint", tf.math.rint, (-3, 3), (-30, 30), [1.5, 2.5, -0.5, -1.5])
unary("log_sigmoid", tf.math.log_sigmoid, (-3, 3), (-30, 30), [100.0, -100.0])
unary("relu6", tf.nn.relu6, (-3, 9), (-3, 9), [6.0, 5.5, 7.0])
unary("hard_sigmoid", keras.activations.hard_sigmoid, (-3, 3), (-5, 5), [3.0, -3.0, 4.0])
unary("hard_swish", keras.activations.hard_silu, (-3, 3), (-5, 5), [3.0, -3.0, 4.0])
unary("mish", keras.activations.mish, (-3, 3), (-30, 30), [50.0, -50.0])


def binary(name, fn, first, second, pairs, whole=False):
    """Cases of a function of two numbers: ordinary values between bounds, whole first ones if told, broadcast, and pairs."""
    @op(name, lambda x, a: fn(x[0], x[1]))
    def _cases(v):
        for case, attrs, (a, b) in _pairs(v):
            yield case, attrs, [np.round(a) if whole and case != "edges" else a, b]

    def _pairs(v):
        yield "basic", {}, [v.n(2, 3, lo=first[0], hi=first[1]), v.n(2, 3, lo=second[0], hi=second[1])]
        yield "broadcast", {}, [v.n(2, 1, 3, lo=first[0], hi=first[1]), v.n(2, 1, lo=second[0], hi=second[1])]
        # Complex numbers that are not finite have no agreed result.
        chosen = [p for p in pairs if v.kind.kind != "c" or np.isfinite(p).all()]
        yield "edges", {}, [v.v([p[0] for p in chosen]), v.v([p[1] for p in chosen])]
        if v.main:
            yield "scalar", {}, [v.n(lo=first[0], hi=first[1]), v.n(3, lo=second[0], hi=second[1])]
            yield "empty", {}, [v.n(0, 3), v.n(1, 3)]
            yield "grid", {}, [v.n(5, 1, lo=first[0], hi=4 * first[1]), v.n(6, lo=second[0], hi=4 * second[1])]
            yield "mismatch", {}, [v.n(2, 3), v.n(4)]


ZEROS = [(0.0, 0.0), (0.0, -0.0), (0.0, NAN), (0.0, INF), (0.0, -1.0), (1.0, 0.0), (2.0, 1.0), (NAN, 1.0), (NAN, 0.0),
         (INF, 2.0), (INF, 0.0), (2.0, INF), (-2.0, 3.0), (2.0, -3.0), (0.5, 0.5)]
binary("atan2", tf.atan2, (-3, 3), (-3, 3),
       [(0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (0.0, 1.0), (0.0, -1.0), (-0.0, -1.0), (1.0, 0.0),
        (-1.0, 0.0), (INF, INF), (INF, -INF), (-INF, INF), (-INF, -INF), (1.0, INF), (1.0, -INF), (-1.0, -INF),
        (INF, 1.0), (NAN, 1.0), (1.0, NAN)])
binary("xlogy", tf.math.xlogy, (-3, 3), (0.1, 4), ZEROS)
binary("xlog1py", tf.math.xlog1py, (-3, 3), (-0.9, 4), ZEROS)
binary("xdivy", tf.math.xdivy, (-3, 3), (0.1, 4), ZEROS)
binary("multiply_no_nan", tf.math.multiply_no_nan, (-3, 3), (-3, 3), ZEROS)
binary("nextafter", tf.math.nextafter, (-3, 3), (-3, 3),
       [(0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 2.0), (1.0, 1.0), (NAN, 1.0), (1.0, NAN),
        (INF, 0.0), (-INF, 0.0), (1.0, INF)])
binary("zeta", tf.math.zeta, (1.1, 4), (0.1, 4),
       [(2.0, -1.0), (3.0, -1.0), (2.0, -0.5), (3.0, -0.5), (2.5, -0.5), (1.0, 2.0), (0.5, 2.0), (2.0, 0.0), (3.0, 0.0),
        (INF, 2.0), (2.0, INF), (NAN, 1.0), (2.0, NAN), (2.5, 0.0), (4.0, -7.25)])
binary("polygamma", tf.math.polygamma, (0.6, 4), (0.1, 4),
       [(1.0, 0.0), (2.0, 0.0), (1.0, -1.0), (2.0, -1.0), (-1.0, 2.0), (0.0, 2.0), (1.0, -0.5), (2.0, -0.5), (1.0, INF),
        (1.0, -INF), (NAN, 1.0), (1.0, NAN), (3.0, 0.5), (0.0, 0.5)], whole=True)
GAMMA = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, INF), (-1.0, 1.0), (1.0, -1.0), (INF, 1.0), (NAN, 1.0), (1.0, NAN),
         (0.5, 20.0), (20.0, 0.5), (25.0, 25.0), (40.0, 30.0), (30.0, 45.0)]
binary("igamma", tf.math.igamma, (0.1, 5), (0.1, 5), GAMMA)
binary("igammac", tf.math.igammac, (0.1, 5), (0.1, 5), GAMMA)


@op("betainc", lambda x, a: tf.math.betainc(x[0], x[1], x[2]))
def _betainc(v):
    yield "basic", {}, [v.n(2, 3, lo=0.1, hi=5), v.n(2, 3, lo=0.1, hi=5), v.n(2, 3, lo=0, hi=1)]
    points = [(0, 1, .5), (1, 0, .5), (1, 1, 0), (1, 1, 1), (1, 1, 1.5), (1, 1, -.5), (INF, 1, .5), (1, INF, .5),
              (NAN, 1, .5), (1, 1, NAN), (-1, 1, .5), (0.5, 0.5, 0.25), (20, 30, 0.375), (30, 20, 0.375), (1, 40, 0.25)]
    yield "edges", {}, [v.v([p[i] for p in points]) for i in range(3)]
    if v.main:
        yield "scalars", {}, [v.v(2.0), v.v(3.0), v.n(3, lo=0, hi=1)]
        yield "grid", {}, [v.n(5, 6, lo=0.1, hi=30), v.n(5, 6, lo=0.1, hi=30), v.n(5, 6, lo=0, hi=1)]


@op("lbeta", lambda x, a: tf.math.lbeta(x[0]))
def _lbeta(v):
    yield "basic", {}, [v.n(2, 3, lo=0.1, hi=4)]
    yield "one", {}, [v.v([2.0])]
    if v.main:
        yield "rank3", {}, [v.n(2, 2, 3, lo=0.1, hi=20)]
        yield "empty", {}, [v.n(2, 0)]
        yield "scalar", {}, [v.v(2.0)]


BITWISE = {"bitwise_and": tf.bitwise.bitwise_and, "bitwise_or": tf.bitwise.bitwise_or,
           "bitwise_xor": tf.bitwise.bitwise_xor}
for _name, _fn in BITWISE.items():
    OPS[_name] = (lambda x, a, f=_fn: f(x[0], x[1]), binary_cases)
OPS["invert"] = (lambda x, a: tf.bitwise.invert(x[0]),
                 lambda v: iter([("basic", {}, [v.n(2, 3)]), ("edges", {}, [v.edges()])]))
OPS["population_count"] = (lambda x, a: tf.raw_ops.PopulationCount(x=x[0]),
                           lambda v: iter([("basic", {}, [v.n(2, 3)]), ("edges", {}, [v.edges()])]))


def _shift(v):
    count = v.v([0, 1, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100])
    yield "basic", {}, [v.n(2, 3), v.pos(2, 3)]
    yield "edges", {}, [v.edges().reshape(-1, 1), count]
    if v.signed_int:
        yield "negative", {}, [v.n(3), v.v([-1, -5, -100])]


OPS["left_shift"] = (lambda x, a: tf.bitwise.left_shift(x[0], x[1]), _shift)
OPS["right_shift"] = (lambda x, a: tf.bitwise.right_shift(x[0], x[1]), _shift)


OPS["truncatediv"] = (lambda x, a: tf.truncatediv(x[0], x[1]), _division)


@op("saturate_cast", lambda x, a: tf.saturate_cast(x[0], a["to"]))
def _saturate_cast(v):
    """The greatest values of 64-bit integers are left out from floats: TensorFlow's bounds are rounded beyond them."""
    for to in ["float32", "float16", "int32", "uint8", "int8", "int64"]:
        x = v.v([0, 1, 2, 100, 127] if v.unsigned else [0, 1, -1, 100, -100, 127])
        if v.is_float:
            x = np.concatenate([x, v.v([0.5, -0.5, 2.75, -99.99])])
            if to != "int64":
                x = np.concatenate([x, v.v([INF, -INF, 3e4, -3e4])])
            if v.main and to != "int64":
                x = np.concatenate([x, v.v([1e10, -1e10, 3e38])])
        elif not v.is_bool:
            info = np.iinfo(v.kind)
            x = np.concatenate([x, np.array([info.min, info.max, info.max // 3], dtype=v.kind)])
        yield "basic" if to == "float32" else "to_" + to, {"to": to}, [x]


@op("bitcast", lambda x, a: tf.bitcast(x[0], a["to"]))
def _bitcast(v):
    size = v.kind.itemsize
    same = {1: "int8", 2: "int16", 4: "int32", 8: "int64", 16: "complex128"}[size]
    yield "basic", {"to": same}, [v.n(2, 3)]
    if v.is_bool:
        return
    yield "bytes", {"to": "uint8"}, [v.n(2, 3)]
    yield "scalar", {"to": "uint8"}, [v.n()]
    if size < 8:
        wide = {1: "uint16", 2: "float32", 4: "float64"}[size]
        yield "wider", {"to": wide}, [v.v([0, 1, 2, 3, 4, 5, 6, 7]).reshape(2, 2, 2)]
        yield "wrong_last", {"to": wide}, [v.n(2, 3)]
        yield "no_last", {"to": wide}, [v.n()]
    yield "empty", {"to": "uint8"}, [v.n(0, 3)]


@op("crelu", lambda x, a: tf.nn.crelu(x[0], axis=a["axis"]))
def _crelu(v):
    yield "basic", {"axis": -1}, [v.n(2, 3)]
    yield "axis", {"axis": 0}, [v.n(2, 3)]


@op("glu", lambda x, a: keras.activations.glu(x[0], axis=a["axis"]))
def _glu(v):
    yield "basic", {"axis": -1}, [v.n(2, 4)]
    yield "axis", {"axis": 0}, [v.n(2, 3)]


@op("l2_loss", lambda x, a: tf.nn.l2_loss(x[0]))
def _l2_loss(v):
    yield "basic", {}, [v.n(2, 3)]
    if v.main:
        yield "scalar", {}, [v.n()]
        yield "empty", {}, [v.n(0, 3)]
        yield "nan", {}, [v.v([1.0, NAN])]


GRADIENTS = ["tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "lgamma", "digamma", "erfinv",
             "erfcinv", "ndtri", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "rint", "log_sigmoid", "relu6",
             "hard_sigmoid", "hard_swish", "mish", "atan2", "xlogy", "xlog1py", "xdivy", "multiply_no_nan", "nextafter",
             "zeta", "polygamma", "igamma", "igammac", "betainc", "lbeta", "crelu", "glu", "l2_loss"]
