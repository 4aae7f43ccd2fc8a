"""Writes TensorFlow's draws of laws whose parameters are tensors, one JSON record per line: `python make_laws.py > laws.json`.

A record is `{"law", "seed", "shape", "dtype", "given": [arrays], "output": array}`; one thread draws, since TensorFlow's categorical
numbers depend on how many there are.
"""
from golden import array_text, compact, np, tf

tf.config.threading.set_intra_op_parallelism_threads(1)
REALS = ["float16", "float32", "float64"]
COUNTS = REALS + ["int32", "int64"]


def line(law, seed, shape, dtype, given, output):
    arrays = ",".join(array_text(x) for x in given)
    print(f'{{"law":"{law}","seed":{compact(seed)},"shape":{compact(shape)},"dtype":"{dtype}",'
          f'"given":[{arrays}],"output":{array_text(output)}}}')


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    for seed in [[1, 2], [-7, 2**40]]:
        key = tf.constant(seed, tf.int64)
        for dtype in REALS:
            for alphas in [[0.1, 0.5, 0.9], [1.0, 1.5, 20.0], [0.01, 300.0, 4000.0]]:
                given = [tf.constant(alphas, dtype), tf.constant([[0.5], [2.0]], dtype)]
                line("gamma", seed, [40, 2, 3], dtype, given,
                     tf.random.stateless_gamma([40, 2, 3], key, given[0], given[1], dtype))
            for out in COUNTS:
                rates = tf.constant([0.0, 0.3, 4.0, 9.9, 10.0, 25.0, 300.0, 2000.0], dtype)
                line("poisson", seed, [30, 8], out, [rates], tf.random.stateless_poisson([30, 8], key, rates, out))
                given = [tf.constant([[1.0], [12.0], [40.0], [1500.0]], dtype),
                         tf.constant([0.0, 0.02, 0.4, 0.5, 0.7, 0.99, 1.0], dtype)]
                line("binomial", seed, [10, 4, 7], out, given,
                     tf.random.stateless_binomial([10, 4, 7], key, given[0], given[1], out))
        for dtype in ["int32", "int64"]:
            rates = tf.constant([0, 3, 9, 10, 300], dtype)
            for out in COUNTS:
                line("poisson", seed, [12, 5], out, [rates], tf.random.stateless_poisson([12, 5], key, rates, out))
        for dtype in REALS + ["bfloat16"]:
            logits = tf.cast(np.random.RandomState(3).randn(5, 17) * 2, dtype)
            for out in ["int32", "int64"]:
                line("categorical", seed, [5, 41], out, [logits],
                     tf.random.stateless_categorical(logits, 41, key, out))
