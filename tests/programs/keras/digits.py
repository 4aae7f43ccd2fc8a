"""The handwritten digits of `examples/data/digits`, as `keras.datasets` would give them.

The programs beside this file import it; it is not counted."""

import gzip
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[3] / "examples" / "data" / "digits"


def images():
    """Training images `[count, 8, 8, 1]` between 0 and 1."""
    with gzip.open(FOLDER / "train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16)
    return pixels.reshape(-1, 8, 8, 1).astype("float32") / 16
