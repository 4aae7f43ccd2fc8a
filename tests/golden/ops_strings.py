"""Writes TensorFlow's results of the operations on strings, one JSON record per line: `python ops_strings.py > ops_strings.json`.

First line: `{"tensorflow": version}`, then `{"op", "attrs": {..}, "inputs": [arrays], "outputs": [arrays]}`, or `"error": code`
in place of the outputs. An array is `{"dtype", "shape", "data": [flat, row-major]}`; the bytes of a string are the characters
U+0000 to U+00FF of the JSON string, one for each. Floats are the shortest number that round-trips in their own dtype.
"""
import json

import numpy as np
import tensorflow as tf

S = tf.strings
RAW = [b"", b"a", b"Hello World", "h\u00e9llo \u00c9".encode(), b" \t pad\x0b\n", b"\xff\xc3\x28", b"a,b,,c", b"aaa", "\u65e5\u672c".encode()]


def array(x):
    # An array of NumPy's own strings would lose zeros at their ends.
    x = np.array(x, dtype=object) if isinstance(x, bytes) else np.asarray(x)
    if x.dtype == object:
        data = [s.decode("latin-1") for s in x.reshape(-1).tolist()]
        return {"dtype": "string", "shape": list(x.shape), "data": data}
    name = "bool" if x.dtype == bool else x.dtype.name
    special = {"nan": "nan", "inf": "inf", "-inf": "-inf"}
    data = [special.get(str(v), json.loads(str(v)) if name == "float32" and np.isfinite(v) else v.item()) for v in x.reshape(-1)]
    return {"dtype": name, "shape": list(x.shape), "data": data}


def emit(op, fn, inputs, **attrs):
    inputs = [tf.constant(x) if not isinstance(x, tf.Tensor) else x for x in inputs]
    record = {"op": op, "attrs": attrs, "inputs": [array(x.numpy()) for x in inputs]}
    try:
        out = fn(*inputs)
        out = out if isinstance(out, (list, tuple)) else [out]
        record["outputs"] = [array(o.numpy()) for o in out]
    except tf.errors.OpError as e:
        record["error"] = type(e).__name__.removesuffix("Error")
    except (ValueError, TypeError) as e:
        record["error"] = type(e).__name__
    print(json.dumps(record, separators=(",", ":")))


def main():
    print(json.dumps({"tensorflow": tf.__version__}))
    grid = np.array([["a", "bc"], ["", "def"]], dtype=object)
    rows = tf.constant(RAW)
    for unit in ("BYTE", "UTF8_CHAR"):
        emit("length", lambda x: S.length(x, unit=unit), [rows], unit=unit)
        for at, n in [(0, 1), (1, 2), (-1, 1), (-2, 5), (2, 0), (1, -1), (3, 1)]:
            emit("substr", lambda x: S.substr(x, at, n, unit=unit), [tf.constant(["abc", "h\u00e9llo", "\u65e5\u672c\u8a9e"])], unit=unit, at=at, len=n)
        for at in (4, -4):
            emit("substr", lambda x: S.substr(x, at, 1, unit=unit), ["abc"], unit=unit, at=at, len=1)
    emit("substr_each", lambda x, a, n: S.substr(x, a, n), [[["abc", "defg"], ["hi!", "xyz"]], [0, 1], [1, 2]])
    emit("substr_each", lambda x, a, n: S.substr(x, a, n), ["abcdef", [0, 1], [1, 2]])
    emit("substr_each", lambda x, a, n: S.substr(x, a, n), ["abcdef", [0, 1], 1])
    for encoding in ("", "utf-8"):
        emit("lower", lambda x: S.lower(x, encoding=encoding), [rows], encoding=encoding)
        emit("upper", lambda x: S.upper(x, encoding=encoding), [rows], encoding=encoding)
    emit("strip", S.strip, [rows])
    emit("strip", S.strip, [tf.constant([b"\x0b\x0c x\r", b"\xc2\xa0x", b"\x00 a", b"  "])])
    for pattern, rewrite in [("a*", "x"), ("l", "[\\0]"), ("(l)(o)?", "<\\2\\1>"), ("l", "\\\\"), ("", "-"), ("\\w", "W"), ("[[]", "x"),
                             (".", "D"), ("\\s+", ""), ("\\bWorld\\b", "you"), ("(?i)HELLO", "bye"), ("[^\\w ]", "?"), ("\\pL+", "L"),
                             ("a|aa", "1"), ("(", "x")]:
        for first in (False, True):
            emit("regex_replace", lambda x: S.regex_replace(x, pattern, rewrite, replace_global=not first), [rows],
                 pattern=pattern, rewrite=rewrite, first=first)
    for pattern in ["a", "a*", ".*o.*", "a|aaa", "[a-zA-Z ]+", "(?s).*", "\\pL*", "a.*c$", "("]:
        emit("regex_full_match", lambda x: S.regex_full_match(x, pattern), [rows], pattern=pattern)
    numbers = ["12", " 1.5 ", "-3", "+5", "1e3", "inf", "-inf", "Infinity", "nan", "0x10", "-0X1.8p1", ".5", "5.", "1e400", "1e-400", "-0",
               "2147483647", "2147483648", "-2147483648", "4294967295", "9223372036854775808", "18446744073709551615", "",
               "abc", "1_0", "1,5", "1 5", "1e", "0x", "- 1", "\t7\n", "0.1", "123456789.123456789"]
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64):
        for number in numbers:
            emit("to_number", lambda x: S.to_number(x, dtype), [number], to=dtype.name)
    emit("to_number", S.to_number, [[["1", "2"], ["3", "4"]]], to="float32")
    emit("to_number", lambda x: S.to_number(x, tf.float16), ["1"], to="float16")
    text = ("The quick brown fox jumps over the lazy dog. 0123456789 " * 5)
    lengths = list(range(0, 70)) + [95, 127, 128, 129, 191, 192, 193, 250]
    hashed = tf.constant([text[:n] for n in lengths] + RAW)
    for buckets in (1, 3, 1000, 2**62):
        emit("to_hash_bucket_fast", lambda x: S.to_hash_bucket_fast(x, buckets), [hashed], buckets=buckets)
        emit("to_hash_bucket", lambda x: S.to_hash_bucket(x, buckets), [hashed], buckets=buckets)
    for buckets, key in ((1000, [7, 1 << 40]), (1 << 62, [0, 0]), (0, [1, 2])):
        emit("to_hash_bucket_strong", lambda x: S.to_hash_bucket_strong(x, buckets, key), [hashed], buckets=buckets, key=key)
    emit("to_hash_bucket_fast", lambda x: S.to_hash_bucket_fast(x, 0), [hashed], buckets=0)
    for separator in ("", ",", "l", "aa"):
        for most in (-1, 1, 2):
            emit("split", lambda x: (lambda r: [r.flat_values, r.row_splits])(S.split(x, separator, maxsplit=most)), [rows],
                 separator=separator, most=most)
    for most in (-1, 1):
        emit("split_one", lambda x: S.split(x, maxsplit=most), [" a b  c "], separator="", most=most)
        emit("split_one", lambda x: S.split(x, ",", maxsplit=most), ["a,b,,c"], separator=",", most=most)
    emit("join", lambda *x: S.join(x, "-"), [["a", "b"], "x", ["c", ""]], separator="-")
    emit("join", lambda *x: S.join(x), [grid, "x"], separator="")
    emit("join", lambda *x: S.join(x, "."), ["x", "y"], separator=".")
    emit("join", lambda *x: S.join(x, "."), [], separator=".")
    emit("join", lambda *x: S.join(x, "."), [["a", "b"], ["c"]], separator=".")
    emit("join", lambda *x: S.join(x, "."), [["a", "b"], [["c", "d"]]], separator=".")
    cube = np.array([c for c in "abcdefgh"], dtype=object).reshape(2, 2, 2)
    for axes in ([0], [1], [-1], [0, 1], [1, 0], [2, 0], [0, 1, 2], [2, 1, 0], [], [0, 0], [3]):
        for keep in (False, True):
            emit("reduce_join", lambda x: S.reduce_join(x, axes, separator=".", keepdims=keep), [cube], axes=axes, separator=".", keep=keep)
    emit("reduce_join_all", lambda x: S.reduce_join(x, separator="-"), [cube], separator="-")
    emit("reduce_join_all", lambda x: S.reduce_join(x, separator="-"), ["a"], separator="-")
    emit("reduce_join", lambda x: S.reduce_join(x, [1], separator="-"), [tf.zeros([2, 0], tf.string)], axes=[1], separator="-", keep=False)
    table = [["Y", "q", "c"], ["Y", "6", "6"], ["p", "G", "a"]]
    for separator in ("", ":"):
        for data, ids, count in [
            (table, [1, 0, 1], 2), (["this", "is", "a", "test"], [1, 0, 1, 3], 5), (grid, [[0, 1], [1, 0]], 2), (cube, [[0, 1], [1, 0]], 3),
            (cube, [3, 0], 4), (["", "a", "", "b"], [0, 0, 0, 0], 1), (["", ""], [0, 1], 3), (tf.zeros([0], tf.string), tf.zeros([0], tf.int32), 3),
            (tf.zeros([0, 2], tf.string), tf.zeros([0], tf.int32), 2), (tf.zeros([2, 0], tf.string), [0, 1], 2),
            (tf.zeros([0], tf.string), tf.zeros([0], tf.int32), 0), (["a", "b"], tf.constant([0, 0], tf.int64), 1),
            (["a", "b"], [-1, 0], 1), (["a", "b"], [2, 0], 2), (tf.zeros([2, 0], tf.string), [0, 5], 2), ("a", 0, 2), (["a", "b"], [0, 1, 0], 2),
            (["a"], [[0]], 1), (["a"], [0], 0), (["a"], [0], -1), (["a"], tf.constant([0], tf.int16), 1), ([1, 2], [0, 0], 1)]:
            emit("unsorted_segment_join", lambda x, i: S.unsorted_segment_join(x, i, count, separator), [data, ids], segments=count, separator=separator)
    floats = [0.0, -0.0, 1.5, -2.25, 1e10, 1 / 3, 1e-5, 123456.789, 999999.5, 1e300, float("nan"), float("inf"), -float("inf")]
    ints = [0, 15, -3, 127]
    for options in [{}, {"precision": 0}, {"precision": 3}, {"scientific": True}, {"scientific": True, "precision": 2}, {"shortest": True},
                    {"shortest": True, "precision": 3}, {"width": 12}, {"width": 12, "fill": "0"}, {"width": 12, "fill": "-"},
                    {"width": 12, "fill": "+"}, {"fill": " "}, {"fill": "#", "precision": 0}, {"fill": "#", "shortest": True},
                    {"shortest": True, "scientific": True}, {"fill": "x"}]:
        emit("as_string", lambda x: tf.as_string(x, **options), [tf.constant(floats, tf.float64)], **options)
        emit("as_string", lambda x: tf.as_string(x, **options), [tf.constant([x for x in floats if abs(x) < 1e30], tf.float32)], **options)
        for dtype in (tf.int8, tf.int32, tf.int64, tf.bool):
            emit("as_string", lambda x: tf.as_string(x, **options), [tf.cast(tf.constant(ints), dtype)], **options)
        emit("as_string", lambda x: tf.as_string(x, **options), [tf.constant(["", "abc"])], **options)
    emit("as_string", tf.as_string, [tf.constant([2**64 - 1], tf.uint64)])
    emit("as_string", tf.as_string, [tf.constant([-2**63], tf.int64)])
    for dtype in (tf.uint8, tf.uint16, tf.uint32, tf.int16):
        emit("as_string", tf.as_string, [tf.cast(tf.constant([3, 100]), dtype)])
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool):
        # What the reader makes itself: 1 and 0 in two rows, and nothing.
        for shape in ([2, 1], [0, 3]):
            x = tf.reshape(tf.cast([1, 0], dtype), shape) if shape[0] else tf.zeros(shape, dtype)
            emit("serialize_tensor", lambda: tf.io.serialize_tensor(x), [], to=dtype.name, shape=shape)
    for x in (grid, "", ["one"], RAW):
        emit("serialize_strings", tf.io.serialize_tensor, [tf.constant(x)])
    emit("equal", tf.equal, [grid, ["", "bc"]])
    emit("not_equal", tf.not_equal, [rows, "a"])
    emit("where", tf.where, [[True, False], grid, "z"])
    emit("where", tf.where, [[[True], [False]], "y", grid])
    emit("pad", lambda x: tf.pad(x, [[1, 0], [0, 2]]), [grid])
    emit("gather", lambda x, i: tf.gather(x, i, axis=1), [grid, [1, 1, 0]])
    emit("concat", lambda *x: tf.concat(x, 0), [grid, grid])
    emit("reverse", lambda x: tf.reverse(x, [1]), [grid])
    emit("tile", lambda x: tf.tile(x, [1, 2]), [grid])
    emit("transpose", tf.transpose, [grid])
    emit("update", tf.tensor_scatter_nd_update, [grid, [[1, 0]], ["new"]])
    emit("mask", tf.boolean_mask, [grid, [[True, False], [False, True]]])
    emit("one_hot", lambda i, y, n: tf.one_hot(i, 3, y, n), [[1, 0], "yes", "no"])
    emit("zeros_like", tf.zeros_like, [grid])
    words = ["b", "a", "", "b", "", "c"]
    emit("unique", tf.unique, [words])
    emit("unique", tf.unique, [grid])
    emit("unique_with_counts", tf.unique_with_counts, [words])
    emit("repeat", lambda x, n: tf.repeat(x, n, axis=1), [grid, [2, 0]])
    emit("repeat", lambda x, n: tf.repeat(x, n, axis=1), [grid, 2])
    emit("dynamic_partition", lambda x, at: tf.dynamic_partition(x, at, 3), [words, [2, 0, 2, 0, 0, 2]])
    emit("dynamic_stitch", lambda i, j, x, y: tf.dynamic_stitch([i, j], [x, y]), [[3, 0], [1, 3], ["d", "a"], ["b", "e"]])


if __name__ == "__main__":
    main()
