"""What pipelines of real `tf.data` give: for each case its elements, its cardinality, and the error it ends with.

Writes `tf_data.json`, which `tests/tests/datasets` reads: every source and step has a case, eager and in a traced loop."""
import json

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def n(*args):
    return D.range(*args)


def ragged(*lengths):
    return D.from_generator(lambda: (np.ones([k], np.float32) * k for k in lengths),
                            output_signature=tf.TensorSpec([None], tf.float32))


# Sources.
@case
def from_tensors(): return D.from_tensors((tf.constant([1, 2]), tf.constant([[3.0], [4.0]])))
@case
def from_tensor_slices(): return D.from_tensor_slices((tf.constant([[1, 2], [3, 4], [5, 6]]), tf.constant([7.0, 8.0, 9.0])))
@case
def from_generator(): return D.from_generator(lambda: iter(range(4)), output_signature=tf.TensorSpec([], tf.int32))
@case
def range_stop(): return n(5)
@case
def range_start(): return n(2, 5)
@case
def range_step(): return n(1, 10, 3)
@case
def range_down(): return n(10, 1, -4)
@case
def range_empty(): return n(5, 1)
@case
def counter(): return D.counter(start=3, step=2).take(4)
@case
def counter_whole(): return D.counter()
@case
def strings(): return D.from_tensor_slices(["a", "bc", ""])


# Selection.
@case
def take(): return n(5).take(2)
@case
def take_more(): return n(3).take(9)
@case
def take_endless(): return n(3).repeat().take(7)
@case
def skip(): return n(5).skip(2)
@case
def skip_more(): return n(3).skip(9)
@case
def repeat(): return n(3).repeat(2)
@case
def repeat_none(): return n(3).repeat(0)
@case
def repeat_endless(): return n(3).repeat()
@case
def repeat_empty_endless(): return n(0).repeat()
@case
def shard(): return n(10).shard(3, 0)
@case
def shard_last(): return n(10).shard(3, 2)
@case
def shard_few(): return n(2).shard(5, 3)
@case
def enumerate_from(): return D.from_tensor_slices([7, 8, 9]).enumerate(start=5)
@case
def cache(): return n(4).cache().repeat(2)
@case
def prefetch(): return n(4).prefetch(2)
@case
def prefetch_tuned(): return n(4).prefetch(tf.data.AUTOTUNE)
@case
def unique(): return D.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()
@case
def unique_strings(): return D.from_tensor_slices(["a", "b", "a"]).unique()
@case
def shuffle_cardinality(): return n(0).shuffle(3)


# Batches.
@case
def batch(): return n(7).batch(3)
@case
def batch_exact(): return n(7).batch(3, drop_remainder=True)
@case
def batch_of_batches(): return n(8).batch(2).batch(2)
@case
def batch_endless(): return n(2).repeat().batch(3).take(2)
@case
def padded_batch(): return ragged(1, 3, 2).padded_batch(2)
@case
def padded_batch_exact(): return ragged(1, 3, 2).padded_batch(2, drop_remainder=True)
@case
def padded_batch_shape(): return ragged(1, 3, 2).padded_batch(2, padded_shapes=[4])
@case
def padded_batch_value(): return ragged(1, 3).padded_batch(2, padding_values=-1.0)
@case
def padded_batch_pairs():
    return n(1, 4).map(lambda k: (tf.fill([k], k), tf.fill([2, k], 1.5))).padded_batch(3)
@case
def padded_batch_too_large(): return ragged(1, 3).padded_batch(2, padded_shapes=[2])
@case
def batch_of_different_shapes(): return ragged(1, 3).batch(2)
@case
def unbatch(): return n(7).batch(3).unbatch()
@case
def unbatch_exact(): return n(7).batch(3, drop_remainder=True).unbatch()
@case
def unbatch_pairs(): return D.from_tensors((tf.constant([1, 2]), tf.constant([[3.0], [4.0]]))).unbatch()
@case
def rebatch(): return n(8).batch(4).rebatch(3)
@case
def rebatch_exact(): return n(8).batch(4).rebatch(3, drop_remainder=True)
@case
def rebatch_several(): return n(8).batch(4).rebatch([2, 1, 1])
@case
def window(): return n(7).window(3).flat_map(lambda w: w.batch(3))
@case
def window_shift(): return n(7).window(3, shift=2).flat_map(lambda w: w.batch(3))
@case
def window_stride(): return n(9).window(3, shift=1, stride=2).flat_map(lambda w: w.batch(3))
@case
def window_exact(): return n(7).window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3))
@case
def window_far_apart(): return n(9).window(2, shift=4).flat_map(lambda w: w.batch(2))
@case
def window_cardinality(): return n(7).window(3, shift=2)
@case
def window_exact_cardinality(): return n(7).window(3, shift=2, stride=2, drop_remainder=True)


# Functions.
@case
def map(): return n(4).map(lambda x: x * x)
@case
def map_to_pairs(): return n(3).map(lambda x: (x, tf.cast(x, tf.float32) / 2))
@case
def map_parallel(): return n(20).map(lambda x: x * 2, num_parallel_calls=3)
@case
def map_fails(): return n(4).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(2 - x, tf.float32), "x"))
@case
def filter(): return n(10).filter(lambda x: x % 3 == 1)
@case
def filter_none(): return n(3).filter(lambda x: x > 5)
@case
def take_while(): return n(10).take_while(lambda x: x < 4)
@case
def take_while_none(): return n(5, 10).take_while(lambda x: x < 4)
@case
def scan(): return n(6).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * 10 + x))
@case
def flat_map(): return n(4).flat_map(lambda x: D.range(x))
@case
def flat_map_known(): return n(3).flat_map(lambda x: D.from_tensors(x).repeat(2))
@case
def interleave(): return n(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2, block_length=1)
@case
def interleave_blocks(): return n(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x + 1), cycle_length=3, block_length=2)
@case
def interleave_more_than_there_are(): return n(1, 4).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=8, block_length=1)
@case
def interleave_empty(): return n(5).interleave(lambda x: D.range(x % 2), cycle_length=2, block_length=1)
@case
def interleave_parallel():
    return n(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=3, block_length=4, num_parallel_calls=2)
@case
def group_by_window():
    return n(10).group_by_window(key_func=lambda x: x % 2, reduce_func=lambda k, w: w.batch(3), window_size=3)
@case
def group_by_window_sizes():
    return n(12).group_by_window(key_func=lambda x: x % 3, reduce_func=lambda k, w: w.batch(4),
                                 window_size_func=lambda k: k + 1)
@case
def bucket_by_sequence_length():
    return ragged(1, 5, 2, 6, 3, 3, 9).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 3, 1])
@case
def ignore_errors():
    return n(5).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "x")).ignore_errors()
@case
def apply(): return n(5).apply(lambda d: d.skip(1).batch(2))


# Several data sets.
@case
def zip(): return D.zip(n(3), n(10, 15))
@case
def zip_three(): return D.zip((n(3), n(10, 15), n(2).batch(1)))
@case
def zip_endless(): return D.zip(n(2).repeat(), n(3))
@case
def zip_unknown(): return D.zip(n(2).filter(lambda x: x >= 0), n(3))
@case
def concatenate(): return n(3).concatenate(n(10, 12))
@case
def concatenate_endless(): return n(3).concatenate(n(2).repeat())
@case
def choose():
    sets = [D.from_tensors(w).repeat() for w in ["foo", "bar", "baz"]]
    return D.choose_from_datasets(sets, n(3).repeat(3))
@case
def choose_to_the_first_end():
    return D.choose_from_datasets([n(2), n(10, 20)], D.from_tensor_slices(tf.constant([0, 1, 0, 1, 0, 1], tf.int64)))
@case
def choose_to_the_end():
    return D.choose_from_datasets([n(2), n(10, 13)], D.from_tensor_slices(tf.constant([0, 1, 0, 1, 0, 1, 1], tf.int64)),
                                  stop_on_empty_dataset=False)
@case
def sample_one(): return D.sample_from_datasets([n(3), n(10, 13)], weights=[1.0, 0.0])


def tensor(t):
    a = t.numpy()
    values = a.reshape(-1).tolist() if isinstance(a, np.ndarray) else [a.item() if hasattr(a, "item") else a]
    values = [v.decode() if isinstance(v, bytes) else v for v in values]
    return {"dtype": t.dtype.name, "shape": list(t.shape), "values": values}


def recorded(dataset):
    out = {"cardinality": int(dataset.cardinality())}
    if isinstance(dataset.element_spec, tf.data.DatasetSpec) or out["cardinality"] == -1:
        return out
    elements = out["elements"] = []
    try:
        for element in dataset:
            elements.append([tensor(t) for t in tf.nest.flatten(element)])
    except tf.errors.OpError as error:
        out["error"] = type(error).__name__
    return out


if __name__ == "__main__":
    with open("tf_data.json", "w") as f:
        json.dump({"tensorflow": tf.__version__, "cases": {name: recorded(make()) for name, make in CASES.items()}}, f,
                  separators=(",", ":"))
        f.write("\n")
