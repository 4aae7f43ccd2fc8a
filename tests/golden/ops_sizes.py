"""The ops of `make_ops.py` that are about sizes."""
import tensorflow as tf

from ops_elementwise import op


@op("ensure_shape", lambda x, a: tf.ensure_shape(x[0], [None if s < 0 else s for s in a["shape"]]))
def _ensure_shape(v):
    yield "basic", {"shape": [2, 3]}, [v.n(2, 3)]
    if v.main:
        yield "open", {"shape": [-1, 3]}, [v.n(2, 3)]
        yield "scalar", {"shape": []}, [v.n()]
        yield "empty", {"shape": [0, -1]}, [v.n(0, 3)]
        yield "wrong_size", {"shape": [2, 4]}, [v.n(2, 3)]
        yield "wrong_rank", {"shape": [2, 3, 1]}, [v.n(2, 3)]
