"""Reads with real TensorFlow and NumPy what `tests/tests/files/exchange.rs` has written into the folder that is named."""
import os
import sys

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf

folder = sys.argv[1]
expected = open(os.path.join(folder, "expected"), "rb").read().split(b"\0")
for name in ["plain", "GZIP", "ZLIB"]:
    compression = "" if name == "plain" else name
    records = [r.numpy() for r in tf.data.TFRecordDataset(os.path.join(folder, name), compression)]
    assert records == expected, name
load = lambda name: np.load(os.path.join(folder, name + ".npy"))
assert load("floats").dtype == np.float32 and load("floats").tolist() == [[1.5, 4.0], [2.0, 5.0], [3.0, 6.0]]
assert load("strings").tolist() == [b"a", b"", b"longer"]
assert load("truths").tolist() == [[True], [False]]
print("all read")
