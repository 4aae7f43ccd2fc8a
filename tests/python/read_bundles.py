"""Reads with real TensorFlow what core/formats writes. Run by hand:

    cargo run -p eagerflow-formats --example write_bundle -- <folder>
    python tests/python/read_bundles.py <folder>
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf
from safetensors.torch import load_file

folder = sys.argv[1]

assert tf.train.latest_checkpoint(folder) == os.path.join(folder, "ck-1")
state = tf.train.get_checkpoint_state(folder)
assert list(state.all_model_checkpoint_timestamps) == [1700000000.5] and state.last_preserved_timestamp == 1.0

reader = tf.train.load_checkpoint(folder)
dtypes = reader.get_variable_to_dtype_map()
types = [key for key in dtypes if key.startswith("types/")]
assert len(types) == 13, types
for key in types:
    value = reader.get_tensor(key)
    dtype = tf.as_dtype(key.removeprefix("types/"))
    assert dtypes[key] == dtype and value.shape == (2, 3), key
    wanted = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(value, wanted % 2 == 1 if dtype == tf.bool else wanted.astype(dtype.as_numpy_dtype), key)
assert reader.get_tensor("strings").tolist() == [[b"", "\u00fc".encode()], [b"x" * 300, b"\x00\xff"]]
assert reader.get_tensor("empty").shape == (0, 3)
np.testing.assert_array_equal(reader.get_tensor("large"), np.tile(np.arange(65535, dtype=np.float32), (100, 1)))
many = [key for key in dtypes if key.startswith("many/")]
assert len(many) == 7000
for key in many:
    assert reader.get_tensor(key) == int(key.split("/")[2]), key
assert len(dtypes) == 13 + 3 + 7000

# A bundle of ours goes through TensorFlow's own merge and comes back.
tf.raw_ops.MergeV2Checkpoints(
    checkpoint_prefixes=[os.path.join(folder, "ck-1")], destination_prefix=os.path.join(folder, "merged"), delete_old_dirs=False)
assert tf.train.load_checkpoint(os.path.join(folder, "merged")).get_tensor("strings").shape == (2, 2)

tensors = load_file(os.path.join(folder, "model.safetensors"))
assert len(tensors) == 13
for key, value in tensors.items():
    assert str(value.dtype) == "torch." + key.removeprefix("types/"), (key, value.dtype)
    wanted = np.arange(6).reshape(2, 3)
    assert value.double().tolist() == (wanted % 2 if "bool" in key else wanted).tolist(), key
print("all that was written is read")
