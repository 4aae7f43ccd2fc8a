"""Writes the names of TensorFlow's public functions, one per line: `python make_names.py > names.txt`.

Made with tensorflow-cpu 2.21.0. Of each function the first of its names counts, in the order of the modules below; the first line has
TensorFlow's version. `docs/from-tensorflow.md` says of each what it is here, and a test holds the two together.
"""
import inspect
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf

MODULES = ["", "math", "linalg", "nn", "random", "bitwise", "strings", "image", "signal"]

print("tensorflow", tf.__version__)
for module in MODULES:
    owner = getattr(tf, module) if module else tf
    for name in sorted(dir(owner)):
        value = getattr(owner, name)
        if not name.startswith("_") and callable(value) and not inspect.isclass(value):
            print(f"tf.{module}.{name}" if module else f"tf.{name}")
