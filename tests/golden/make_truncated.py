"""Writes TensorFlow's normal numbers between bounds, one JSON record per line: `python make_truncated.py > truncated.json`.

A record is `{"seed", "shape", "dtype", "given": [means, deviations, lower and upper bounds], "output": array}`, with
`"gradients": [by each of them]` where the cotangent is `1, 2, 3 .. / 8`; or `"error": code` for `"output"`. One thread draws, since
TensorFlow's numbers depend on how many there are.
"""
from golden import array_text, compact, np, tf

tf.config.threading.set_intra_op_parallelism_threads(1)
INF = np.inf
# Means, deviations and bounds: wide ones, narrow ones, tails on both sides, one bound alone, and several together.
PARAMETERS = [
    (0.0, 1.0, -2.0, 2.0), (0.0, 1.0, -0.5, 0.5), (1.0, 2.0, 1.5, 2.5), (0.0, 1.0, 3.0, 10.0), (0.0, 1.0, 3.0, INF),
    (0.0, 1.0, -INF, -3.0), (5.0, 1.0, -INF, 1.0), (5.0, 0.5, 4.9, INF), (-2.0, 3.0, -8.0, -7.5), (0.0, 1.0, 1.0, 1.25),
    ([0.0, 10.0, -4.0], [[0.5], [2.0]], -3.0, [[[4.0]], [[12.0]]]),
    ([0.0, 1.0, 2.0, 3.0], 1.0, [-1.0, 0.9, 2.5, 6.0], [1.0, 1.1, INF, 6.5]),
]
WRONG = [(0.0, 0.0, -1.0, 1.0), (0.0, -1.0, -1.0, 1.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 2.0, 1.0), (0.0, 1.0, -INF, INF),
         (0.0, 1.0, np.nan, 1.0), (np.nan, 1.0, -1.0, 1.0)]


def line(seed, shape, dtype, parameters, gradients):
    given = [tf.constant(p, dtype) for p in parameters]
    head = f'{{"seed":{compact(seed)},"shape":{compact(shape)},"dtype":"{dtype}","given":[{",".join(map(array_text, given))}],'
    try:
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = tf.random.stateless_parameterized_truncated_normal(shape, tf.constant(seed, tf.int64), *given)
            target = tf.reduce_sum(y * tf.reshape(tf.cast(tf.range(1, tf.size(y) + 1), dtype) / 8, tf.shape(y)))
        tail = f'"output":{array_text(y)}'
        if gradients:
            tail += f',"gradients":[{",".join(array_text(g) for g in tape.gradient(target, given))}]'
    except tf.errors.OpError as e:
        tail = f'"error":"{type(e).__name__.removesuffix("Error")}"'
    print(head + tail + "}")


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    for seed in [[1, 2], [-7, 2**40]]:
        for dtype in ["float16", "float32", "float64"]:
            for parameters in PARAMETERS:
                shape = list(np.broadcast_shapes(*[np.shape(p) for p in parameters]))
                line(seed, [33] + shape, dtype, parameters, dtype == "float64" and seed[0] == 1)
            line(seed, [], dtype, PARAMETERS[0], False)
            for parameters in WRONG:
                line(seed, [3], dtype, parameters, False)
    line([1, 2], [3], "float32", ([0.0, 1.0], 1.0, -1.0, 1.0), False)
    line([1, 2], [0, 2], "float32", ([0.0, 1.0], 0.0, -1.0, 1.0), False)
