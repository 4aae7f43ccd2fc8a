"""Shared parts of the golden scripts: the dtypes, deterministic inputs, and the compact JSON of arrays.

`make_ops.py`, `make_gradients.py` and `make_random.py` import it; it must be imported before TensorFlow.
"""
import json
import os
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # plain Eigen kernels: the same numbers on every x86-64 CPU class

import ml_dtypes
import numpy as np
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

np.seterr(all="ignore")
DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64",
          "uint8", "uint16", "uint32", "uint64", "bool"]
FLOATS = DTYPES[:4]
# Complex numbers are written as their parts, one after the other: twice as many numbers as elements.
COMPLEX = {"complex64": "float32", "complex128": "float64"}


def np_dtype(name):
    """The NumPy type of a TensorFlow dtype name."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def float_text(x, dtype):
    """The shortest JSON number that comes back as `x` when read as float64 and rounded to `dtype`."""
    wide = float(x)
    if wide != wide:
        return '"nan"'
    if wide in (float("inf"), float("-inf")):
        return '"inf"' if wide > 0 else '"-inf"'
    if wide == 0:
        return "-0.0" if np.signbit(wide) else "0"
    if dtype == "float64":
        text = repr(wide)
    else:
        kind = np_dtype(dtype)
        for digits in range(1, 18):
            text = f"{wide:.{digits}g}"
            # Read both directly and through float32, so that no reader's way of rounding changes the number.
            if kind.type(np.float32(float(text))) == x and np.array(float(text)).astype(kind) == x:
                break
        text = repr(float(text))
    return text[:-2] if text.endswith(".0") else text.replace("e-0", "e-").replace("e+", "e")


def array_text(x):
    """One array or tensor as `{"dtype":..,"shape":..,"data":[..]}`."""
    # A tensor's own conversion to an array fails for a bfloat16 scalar.
    x = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    name = x.dtype.name
    if name in COMPLEX:
        parts = np.stack([x.real, x.imag], -1).reshape(-1)
        data = ",".join(float_text(v, COMPLEX[name]) for v in parts)
    elif name in FLOATS:
        data = ",".join(float_text(v, name) for v in x.reshape(-1))
    elif name == "bool":
        data = ",".join("true" if v else "false" for v in x.reshape(-1))
    else:
        data = ",".join(str(int(v)) for v in x.reshape(-1))
    shape = ",".join(str(d) for d in x.shape)
    return f'{{"dtype":"{name}","shape":[{shape}],"data":[{data}]}}'


def arrays_text(xs):
    """A list of arrays; `None` (no gradient) becomes `null`."""
    return "[" + ",".join("null" if x is None else array_text(x) for x in xs) + "]"


def compact(x):
    """Attributes as JSON without blanks."""
    return json.dumps(x, separators=(",", ":"))


class Values:
    """Deterministic inputs of one dtype; `main` asks an op for all of its cases rather than for the short list."""

    def __init__(self, op, dtype, main):
        self.op, self.dtype, self.main, self.count = op, dtype, main, 0
        self.kind = np_dtype(dtype)
        self.is_float = dtype in FLOATS
        self.is_bool = dtype == "bool"
        self.is_complex = dtype in COMPLEX
        self.unsigned = dtype.startswith("u")
        self.signed_int = dtype.startswith("int")

    def rng(self):
        self.count += 1
        return np.random.RandomState(zlib.crc32(f"{self.op}:{self.count}".encode()))

    def n(self, *shape, lo=-3.0, hi=3.0):
        """Ordinary values: three decimals in floats, -9..9 in integers (0..9 unsigned)."""
        rng = self.rng()
        if self.is_float:
            return np.round(rng.uniform(lo, hi, shape), 3).astype(self.kind)
        if self.is_bool:
            return rng.uniform(size=shape) < 0.5
        return rng.randint(0 if self.unsigned else -9, 10, shape).astype(self.kind)

    def pos(self, *shape, lo=0.1, hi=4.0):
        """Ordinary values above zero."""
        x = self.n(*shape, lo=lo, hi=hi)
        if self.is_float or self.is_bool:
            return x
        one = np.ones_like(x)
        return np.maximum(np.abs(x) if self.signed_int else x, one)

    def v(self, values, shape=None):
        """The given values."""
        x = np.array(values).astype(self.kind)
        return x if shape is None else x.reshape(shape)

    def edges(self):
        """Special values: nan, infinities, zeros, denormals, extremes and halves, or the integer extremes."""
        if self.is_bool:
            return np.array([False, True])
        if self.is_float:
            info = ml_dtypes.finfo(self.kind)
            tiny, least, most = float(info.smallest_normal), float(info.smallest_subnormal), float(info.max)
            return self.v([np.nan, np.inf, -np.inf, 0.0, -0.0, least, -least, tiny, -tiny, most, -most,
                           0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1.0, -1.0, 20.0, -20.0, 1e-3, -1e-3])
        info = np.iinfo(self.kind)
        return np.array([info.min, info.max, 0, 1, 2, info.min + 1, info.max - 1], dtype=self.kind)

    def few(self):
        """A short list of special values, for outer products."""
        if self.is_bool:
            return np.array([False, True])
        if self.is_float:
            return self.v([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, float(ml_dtypes.finfo(self.kind).max)])
        info = np.iinfo(self.kind)
        if self.unsigned:
            return np.array([0, 1, 2, info.max], dtype=self.kind)
        return np.array([info.min, -2, -1, 0, 1, info.max], dtype=self.kind)


class ComplexValues(Values):
    """Inputs of a complex dtype: two real ones each."""

    def __init__(self, op, dtype, main):
        super().__init__(op, dtype, main)
        self.real = Values(op, COMPLEX[dtype], main)

    def n(self, *shape, lo=-3.0, hi=3.0):
        return self.made(self.real.n(*shape, lo=lo, hi=hi), self.real.n(*shape, lo=lo, hi=hi))

    def pos(self, *shape, lo=0.1, hi=4.0):
        return self.made(self.real.pos(*shape, lo=lo, hi=hi), self.real.n(*shape))

    def made(self, re, im):
        out = np.empty(np.shape(re), self.kind)
        out.real, out.imag = re, im
        return out

    def edges(self):
        """Zeros, both axes with the zeros of either sign, and a few sizes: what is not finite has no agreed result."""
        parts = np.array([0.0, -0.0, 0.5, -0.5, 2.0, -20.0, 1e-3, -1e-3], self.real.kind)
        re, im = np.meshgrid(parts, parts)
        return self.made(re.reshape(-1), im.reshape(-1))

    def few(self):
        return self.made(np.array([0.0, 1.0, -2.5, 0.0, 3.0], self.real.kind), np.array([0.0, 0.0, 0.5, 2.0, -4.0], self.real.kind))


def i32(*values):
    """An int32 vector (shape [n])."""
    return np.array(values, dtype=np.int32)
