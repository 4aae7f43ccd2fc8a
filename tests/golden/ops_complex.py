"""Complex numbers for `make_ops.py`: the operations on them, and what every other operation of all families does with them."""
import glob
import importlib
import os

import numpy as np
import tensorflow as tf

from golden import COMPLEX, DTYPES, ComplexValues, np_dtype
from ops_elementwise import OPS, op

for _path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops_*.py"))):
    _name = os.path.basename(_path)[:-3]
    if _name != "ops_complex":
        importlib.import_module(_name)


def both(v):
    """Cases of an operation on numbers, real or complex."""
    yield "basic", {}, [v.n(2, 3)]
    yield "edges", {}, [v.edges()]


for _name, _fn in {"real": tf.math.real, "imag": tf.math.imag, "conj": tf.math.conj, "angle": tf.math.angle}.items():
    OPS[_name] = (lambda x, a, f=_fn: f(x[0]), both)


@op("complex", lambda x, a: tf.complex(*x))
def _complex(v):
    yield "basic", {}, [v.n(2, 3), v.n(2, 3)]
    yield "broadcast", {}, [v.n(2, 1), v.n(3)]
    yield "mismatch", {}, [v.n(2, 3), v.n(4)]


@op("adjoint", lambda x, a: tf.linalg.adjoint(x[0]))
def _adjoint(v):
    yield "basic", {}, [v.n(2, 3)]
    yield "batch", {}, [v.n(2, 1, 3)]


@op("matmul_adjoint", lambda x, a: tf.linalg.matmul(x[0], x[1], **a))
def _matmul_adjoint(v):
    yield "basic", {"adjoint_a": True, "adjoint_b": False}, [v.n(3, 2), v.n(3, 4)]
    yield "second", {"adjoint_a": False, "adjoint_b": True}, [v.n(2, 3), v.n(4, 3)]
    yield "both", {"adjoint_a": True, "adjoint_b": True}, [v.n(3, 2), v.n(4, 3)]


def _casts(v):
    x = v.made(np.array([0.0, 1.0, 2.5, 100.0, 0.0], v.real.kind), np.array([0.0, -1.5, 3.0, 0.0, 2.0], v.real.kind))
    for to in DTYPES + list(COMPLEX):
        yield "to_" + to, {"to": to}, [x]
    for name in DTYPES:
        yield "from_" + name, {"to": v.dtype}, [np.array([0, 1, 100, 1]).astype(np_dtype(name))]


_cast, _real_casts = OPS["cast"]
OPS["cast"] = (_cast, lambda v: _casts(v) if v.is_complex else _real_casts(v))

OWN = ["real", "imag", "conj", "angle", "complex", "adjoint", "matmul_adjoint"]


def more():
    """Dtypes, inputs, and which cases are kept beside the first: few, so that the file stays small."""
    kept = {"edges", "broadcast", "transpose_a", "transpose_b", "batch", "exclusive", "reverse", "second", "both", "mismatch", "axis"}
    return list(COMPLEX), lambda name, dtype: ComplexValues(name, dtype, False), lambda name, dtype, case: dtype == "complex64" and (case in kept or case.startswith(("to_", "from_")))
