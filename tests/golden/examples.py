"""Records what TensorFlow makes of records, raw bytes, CSV lines and WAV files: `examples.json`, which `tests/tests/images` compares with.

    python tests/golden/examples.py"""
import json
import os
import pathlib

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf

T, F = tf.train, tf.io
F32, I64, STR = tf.float32, tf.int64, tf.string
out = {}


def feature(values):
    if isinstance(values[0], bytes):
        return T.Feature(bytes_list=T.BytesList(value=values))
    if isinstance(values[0], float):
        return T.Feature(float_list=T.FloatList(value=values))
    return T.Feature(int64_list=T.Int64List(value=values))


def example(**features):
    return T.Example(features=T.Features(feature={k: feature(v) for k, v in features.items()}))


def written(x):
    if isinstance(x, tf.SparseTensor):
        return {"indices": written(x.indices), "values": written(x.values), "dense_shape": written(x.dense_shape)}
    if isinstance(x, tf.RaggedTensor):
        return {"values": written(x.flat_values), "row_splits": [s.numpy().tolist() for s in x.nested_row_splits]}
    values = x.numpy().reshape(-1).tolist()
    return {"shape": list(x.shape), "values": [v.decode("latin1") if isinstance(v, bytes) else v for v in values]}


def all_of(parsed):
    return {k: written(v) for k, v in parsed.items()}


examples = [example(a=[1.0, 2.0], n=[7], tags=[b"x", b"yz"], steps=[1, 2, 3, 4], more=[b"p", b"q"]),
            example(a=[3.0, 4.5], tags=[b"\xff"], steps=[5, 6], more=[b"r"]), example(a=[-1.0, 0.25], n=[-9])]
spec = {"a": F.FixedLenFeature([2], F32), "n": F.FixedLenFeature([], I64, default_value=3), "tags": F.VarLenFeature(STR),
        "rows": F.RaggedFeature(STR, value_key="more", row_splits_dtype=I64),
        "steps": F.FixedLenSequenceFeature([2], I64, allow_missing=True, default_value=-1)}
records = [e.SerializeToString(deterministic=True) for e in examples]
out["examples"] = [r.hex() for r in records]
out["parse_example"] = all_of(F.parse_example(tf.constant(records), spec))
out["parse_single_example"] = [all_of(F.parse_single_example(r, spec)) for r in records]


def lists(**features):
    return T.FeatureLists(feature_list={k: T.FeatureList(feature=[feature(v) for v in steps]) for k, steps in features.items()})


sequences = [T.SequenceExample(context=example(id=[1]).features, feature_lists=lists(x=[[1.0, 2.0], [3.0, 4.0]], words=[[b"a"], [b"b", b"c"], [b"d"]])),
             T.SequenceExample(context=example(id=[2], more=[0.5]).features, feature_lists=lists(x=[[5.0, 6.0]], words=[[b"e", b"f", b"g"]]))]
records = [s.SerializeToString(deterministic=True) for s in sequences]
context = {"id": F.FixedLenFeature([], I64), "more": F.VarLenFeature(F32)}
steps = {"x": F.FixedLenSequenceFeature([2], F32), "words": F.VarLenFeature(STR)}
ragged = {"words": F.RaggedFeature(STR, row_splits_dtype=I64)}
out["sequences"] = [r.hex() for r in records]
out["single_sequence"] = [[all_of(part) for part in F.parse_single_sequence_example(r, context, steps)] for r in records]
out["sequence"] = [all_of(part) for part in F.parse_sequence_example(tf.constant(records), context, steps)]
out["ragged_sequence"] = all_of(F.parse_sequence_example(tf.constant(records), {}, ragged)[1])

raw = bytes(range(3, 19))
out["raw"] = {}
for dtype in ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "float32", "float64", "complex64"):
    for little in (True, False):
        x = F.decode_raw(tf.constant([raw, raw[::-1]]), tf.as_dtype(dtype), little_endian=little)
        out["raw"][f"{dtype} {little}"] = x.numpy().tobytes().hex()

csv = {}
for name, lines, defaults, options in (
        ("plain", ["1,2.5,a", "-3,,b c", ",1e3,"], [[0], [9.0], ["none"]], {}),
        ("quotes", ['1,"a,b"', '2,"say ""so"""', '3,"line\nbreak"', "4,"], [[0], ["x"]], {}),
        ("tabs", ["1\t2", "3\t4"], [[0], [0]], {"field_delim": "\t"}),
        ("missing", ["NA,1", "2,NA"], [[7], [8]], {"na_value": "NA"}),
        ("chosen", ["1,2,3,4", "5,6,7,8"], [[0], [0]], {"select_cols": [1, 3]}),
        ("last", ["1,2,", "3,4,5"], [[0], [0], [6]], {}),
        ("no quotes", ['1,"a', '2,b"c'], [[0], ["x"]], {"use_quote_delim": False}),
        ("required", ["1,"], [[0], tf.constant([], tf.int32)], {}),
        ("too few", ["1"], [[0], [0]], {}),
        ("too many", ["1,2,3"], [[0], [0]], {}),
        ("no number", ["x"], [[0]], {}),
        ("quote inside", ['1,a"b'], [[0], ["x"]], {}),
        ("open quote", ['1,"ab'], [[0], ["x"]], {}),
        ("quote not doubled", ['1,"a"b"'], [[0], ["x"]], {})):
    try:
        csv[name] = {"lines": lines, "columns": [written(c) for c in F.decode_csv(lines, defaults, **options)]}
    except tf.errors.OpError:
        csv[name] = {"lines": lines, "error": True}
out["csv"] = csv

audio = np.array([[0.5, -0.25], [1.5, -2.0], [0.1, 0.99999], [-1.0, 1e-5]], "f")
wav = tf.audio.encode_wav(audio, 16000).numpy()
out["wav"] = {"file": wav.hex()}
for channels in (-1, 1, 3):
    for samples in (-1, 2, 6):
        x, rate = tf.audio.decode_wav(wav, channels, samples)
        out["wav"][f"{channels} {samples}"] = written(x) | {"rate": int(rate)}

images = np.arange(2 * 3 * 5 * 2, dtype="f").reshape(2, 3, 5, 2) ** 1.5
out["resize"] = {f"{h} {w} {m}": written(tf.image.resize(images, [h, w], m)) for h, w in ((6, 10), (2, 3), (3, 5), (7, 4)) for m in ("bilinear", "nearest")}
pathlib.Path(__file__).with_name("examples.json").write_text(json.dumps(out, separators=(",", ":"), allow_nan=False).replace('},"', '},\n"') + "\n")
