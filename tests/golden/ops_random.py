"""The ops of `make_ops.py` that compute random numbers from seeds alone, element by element."""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import op


def long(*values):
    return np.array(values, dtype=np.int64)


@op("random_index_shuffle", lambda x, a: tf.random_index_shuffle(x[0], x[1], x[2], rounds=a["rounds"]))
def _random_index_shuffle(v):
    def case(rounds, seed, index, most):
        numbers = [np.array(number).astype(v.dtype) for number in (index, most)]
        return {"rounds": rounds}, [numbers[0], seed, numbers[1]]

    yield "basic", *case(4, i32(1, 2, 3), np.arange(10), 9)
    if v.dtype in ("int32", "int64", "uint32", "uint64"):
        yield "one", *case(4, long(2**40 + 1, -2, 3), 5, 300)
        yield "least", *case(4, i32(1, 2, 3), 0, 0)
        yield "seeds", *case(4, i32(1, 2, 3, 4, 5, 6).reshape(2, 3), 7, 100)
        yield "ends", *case(4, i32(1, 2, 3), 1, [1, 2, 300, 70000])
        yield "each", *case(4, long(1, 2, 3, 4, 5, 6).reshape(2, 3), [7, 8], [100, 70000])
        for rounds in [6, 8, 20, 40, 80]:
            yield f"rounds_{rounds}", *case(rounds, i32(9, 8, 7), [0, 1, 2, 70000], 131072)
        yield "above", *case(4, i32(1, 2, 3), [1, 10], 9)
        yield "two_seeds", *case(4, i32(1, 2), 1, 9)
        yield "misfit", *case(4, i32(1, 2, 3), [1, 2], [9, 9, 9])
        yield "matrix", *case(4, i32(1, 2, 3), [[1, 2]], 9)
        if v.dtype[0] != "u":
            yield "below", *case(4, i32(1, 2, 3), -1, 9)
            yield "no_end", *case(4, i32(1, 2, 3), 0, -1)
        if v.dtype[-2:] == "64":
            powers = [2**40 + 1, 2**47 + 3, 2**50 + 1, 2**52 + 11, 2**52 + 12, 2**62 + 512]
            yield "far", *case(4, long(1, 2, 3), [3] * len(powers), powers)
            yield "farther", *case(12, long(1, 2, 3), [3, 2**40, 2**62], 2**62 + 2**50)
        if v.dtype == "uint64":
            yield "farthest", {"rounds": 4}, [np.array([2**64 - 1, 3], np.uint64), long(1, 2, 3), np.array(2**64 - 1, np.uint64)]
