"""What the scripts that ask real Keras 3 have in common: tensors as JSON, fixed numbers, one file per family.

Each `keras_<family>.py` imports it and calls `write(family, rows)`. Run them with Keras 3 on TensorFlow, on the CPU.
"""
import json
import math
import os
import pathlib

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np


def value(x):
    """One number as JSON: nan and infinities as texts, which Rust's parser reads."""
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    x = x.item() if hasattr(x, "item") else x
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else ("inf" if x > 0 else "-inf")
    return x


def tensor(x, dtype=None):
    """A tensor as `{"dtype", "shape", "data"}`; float32 numbers are written in full as float64."""
    x = np.asarray(x, dtype=dtype)
    name = str(x.dtype)
    flat = x.astype("float64") if x.dtype.kind == "f" or name == "bfloat16" else x
    return {"dtype": name, "shape": list(x.shape), "data": [value(v) for v in flat.reshape(-1)]}


def numbers(seed, shape, low=-1.0, high=1.0, dtype="float32"):
    """The same numbers in every run, three digits each, so that files stay small."""
    drawn = np.random.RandomState(seed).uniform(low, high, size=shape)
    return np.round(drawn, 3).astype(dtype)


def write(family, rows):
    """Writes the rows, a dictionary of names, beside the scripts."""
    path = pathlib.Path(__file__).parent / f"keras_{family}.json"
    path.write_text(json.dumps(rows, separators=(",", ":"), sort_keys=True).replace("},\"", "},\n\"") + "\n")
    print(path.name, len(rows), "rows", path.stat().st_size, "bytes")
