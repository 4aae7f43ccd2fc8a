"""Writes TensorFlow's random numbers, one JSON record per line: `python make_random.py > random.json`.

First line: `{"tensorflow": version}`. Then records of five kinds, told apart by "op":
- `key_counter`: `{"op", "seed": [2], "key": u64, "counter": [2 u64]}`, `tf.random`'s scrambling of a stateless seed.
- `stateless_uniform`, `stateless_uniform_full_int`, `stateless_normal`, `stateless_truncated_normal`:
  `{"op", "seed": [2], "attrs": {..}, "output": array}`, attrs as in `tf.random.stateless_*`; `tail` records hold only
  the last elements of a longer output: `"attrs": {"size": n, "first": index of the first one stored}`.
- `shuffle`, `index_shuffle`, `split`, `fold_in`: `{"op", "seed", "attrs", "output"}`.
- `generator`: `{"op", "case", "steps": [{"call", "attrs", "state": [3 i64] after it, "output": array or null}]}`.
- `set_seed`: `{"op", "seed", "steps": [{"call", "attrs", "output"}]}`, the global functions after
  `tf.random.set_seed`; a "seed" in attrs is the operation's own, whose stream goes on from call to call.
The array form is that of `make_ops.py`.
"""
from golden import array_text, compact, np, tf

SEEDS = [[0, 0], [1, 2], [-1, 5], [2**40 + 7, -2**62], [123456789, 987654321]]
REALS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int32", "int64"]
FULL = ["int32", "int64", "uint32", "uint64"]


def line(op, seed, attrs, output):
    print(f'{{"op":"{op}","seed":{compact(seed)},"attrs":{compact(attrs)},"output":{array_text(output)}}}')


def long_seed(seed):
    return tf.constant(seed, tf.int64)


def stateless():
    for seed in SEEDS:
        key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=long_seed(seed))
        print(compact({"op": "key_counter", "seed": seed, "key": int(key[0].numpy()),
                       "counter": [int(c) for c in counter.numpy()]}))
    for number, seed in enumerate(SEEDS):
        for dtype in REALS:
            for shape in [[], [1], [3], [2, 3], [17]] if number < 2 else [[7]]:
                base = {"shape": shape, "dtype": dtype}
                ends = {"minval": -1.5, "maxval": 2.25}
                moments = {"mean": 0.5, "stddev": 2.0}
                line("stateless_uniform", seed, base, tf.random.stateless_uniform(shape, long_seed(seed), dtype=dtype))
                line("stateless_uniform", seed, {**base, **ends},
                     tf.random.stateless_uniform(shape, long_seed(seed), dtype=dtype, **ends))
                for op, fn in [("stateless_normal", tf.random.stateless_normal),
                               ("stateless_truncated_normal", tf.random.stateless_truncated_normal)]:
                    line(op, seed, base, fn(shape, long_seed(seed), dtype=dtype))
                    line(op, seed, {**base, **moments}, fn(shape, long_seed(seed), dtype=dtype, **moments))
        for dtype in INTS:
            info = np.iinfo(dtype)
            for low, high in [(0, 10), (-5, 6), (0, 1), (int(info.min), int(info.max)), (-7, int(info.max)), (0, 256)]:
                attrs = {"shape": [7], "dtype": dtype, "minval": low, "maxval": high}
                line("stateless_uniform", seed, attrs, tf.random.stateless_uniform(
                    [7], long_seed(seed), dtype=dtype, minval=tf.constant(low, dtype), maxval=tf.constant(high, dtype)))
        for dtype in FULL:
            line("stateless_uniform_full_int", seed, {"shape": [7], "dtype": dtype}, tf.random.stateless_uniform(
                [7], long_seed(seed), dtype=dtype, minval=None, maxval=None))
    # An int32 seed is widened with its sign.
    line("stateless_uniform", [-3, 4], {"shape": [3], "dtype": "float32"},
         tf.random.stateless_uniform([3], tf.constant([-3, 4], tf.int32)))
    for dtype in REALS:
        for op, fn in [("stateless_uniform", tf.random.stateless_uniform),
                       ("stateless_normal", tf.random.stateless_normal),
                       ("stateless_truncated_normal", tf.random.stateless_truncated_normal)]:
            size = 100_003
            out = fn([size], [3, 4], dtype=dtype).numpy()
            first = size - 9
            line(op, [3, 4], {"shape": [size], "dtype": dtype, "size": size, "first": first}, out[first:])


def orders():
    for seed in SEEDS:
        for size in [0, 1, 2, 5, 10, 33]:
            values = tf.range(size)
            line("shuffle", seed, {"size": size}, tf.random.experimental.stateless_shuffle(values, long_seed(seed)))
        for top in [0, 1, 9, 300, 70_000, 2**33, 2**62]:
            indices = sorted({i for i in [0, 1, 2, 5, 9, 17, top // 3, top - 1, top] if 0 <= i <= top})
            low = [seed[0] % 2**31, seed[1] % 2**31]
            out = [tf.random.experimental.index_shuffle(
                tf.constant(i, tf.int64), tf.constant(low, tf.int64), tf.constant(top, tf.int64)).numpy() for i in indices]
            line("index_shuffle", low, {"max_index": top, "indices": indices}, np.array(out, np.int64))
        line("split", seed, {"num": 3}, tf.random.split(long_seed(seed), 3))
        line("fold_in", seed, {"data": 7}, tf.random.fold_in(long_seed(seed), tf.constant(7, tf.int64)))


def generator(case, made, steps):
    texts = []
    for call, attrs in steps:
        if call == "make":
            out = None
        elif call == "skip":
            made.skip(attrs["delta"])
            out = None
        elif call == "split":
            out = np.stack([g.state.numpy() for g in made.split(attrs["count"])])
        elif call == "make_seeds":
            out = made.make_seeds(attrs["count"])
        else:
            out = getattr(made, call)(**attrs)
        state = [int(s) for s in made.state.numpy()]
        texts.append(f'{{"call":"{call}","attrs":{compact(attrs)},"state":{compact(state)},'
                     f'"output":{"null" if out is None else array_text(out)}}}')
    print(f'{{"op":"generator","case":"{case}","steps":[{",".join(texts)}]}}')


def generators():
    steps = [("make", {})]
    for dtype in REALS:
        steps += [("uniform", {"shape": [5], "dtype": dtype}), ("normal", {"shape": [2, 3], "dtype": dtype}),
                  ("truncated_normal", {"shape": [3], "dtype": dtype}),
                  ("normal", {"shape": [], "dtype": dtype, "mean": 1.0, "stddev": 0.5})]
    steps += [("skip", {"delta": 10}), ("uniform", {"shape": [3], "minval": -4, "maxval": 9, "dtype": "int32"}),
              ("uniform", {"shape": [3], "minval": 0, "maxval": 2**40, "dtype": "int64"}),
              ("uniform", {"shape": [0], "dtype": "float32"})]
    steps += [("uniform_full_int", {"shape": [3], "dtype": dtype}) for dtype in ["uint32", "uint64"]]
    steps += [("make_seeds", {"count": 2}), ("split", {"count": 2}), ("uniform", {"shape": [2], "dtype": "float32"})]
    for seed in [0, 1, 1234, -3, 2**63 + 5, 2**100 + 2**64 * 3 + 9]:
        generator(f"seed {seed}", tf.random.Generator.from_seed(seed), steps)
    generator("state at the carry", tf.random.Generator.from_state([-1, 2**63 - 1, 77], "philox"), steps[:3])
    generator("seed [1,2,3]", tf.random.Generator.from_seed([1, 2, 3]), steps[:2])
    generator("key 5, counter [1,2]", tf.random.Generator.from_key_counter(5, [1, 2], "philox"), steps[:2])


def set_seeds():
    """Random ops without and with a seed of their own, after `tf.random.set_seed`."""
    calls = {"uniform": tf.random.uniform, "normal": tf.random.normal, "truncated_normal": tf.random.truncated_normal}
    steps = [("uniform", {"shape": [5], "dtype": "float32"}), ("normal", {"shape": [3], "dtype": "float64"}),
             ("uniform", {"shape": [4], "minval": -3, "maxval": 20, "dtype": "int32"}), ("shuffle", {"size": 9}),
             ("truncated_normal", {"shape": [6], "dtype": "float16", "mean": 1.0, "stddev": 2.0}),
             ("uniform", {"shape": [3], "dtype": "float32", "seed": 7}),
             ("uniform", {"shape": [5], "dtype": "float32", "seed": 7}),
             ("normal", {"shape": [5], "dtype": "float32", "seed": 7}),
             ("uniform", {"shape": [2], "dtype": "float64", "seed": 7}),
             ("uniform", {"shape": [2], "dtype": "float32", "seed": 7}),
             ("uniform", {"shape": [2], "dtype": "float32", "seed": 0}), ("uniform", {"shape": [2], "dtype": "float32"})]
    for seed in [0, 42, 1234, -5, 2**31 - 1, 2**40 + 3]:
        tf.random.set_seed(seed)
        texts = []
        for call, attrs in steps:
            out = tf.random.shuffle(tf.range(attrs["size"])) if call == "shuffle" else calls[call](**attrs)
            texts.append(f'{{"call":"{call}","attrs":{compact(attrs)},"output":{array_text(out)}}}')
        print(f'{{"op":"set_seed","seed":{seed},"steps":[{",".join(texts)}]}}')


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    stateless()
    orders()
    generators()
    set_seeds()
