"""Rows of layers that look terms up: inputs, outputs, and the vocabulary that `adapt` finds: `keras_layers_lookup.json`."""
from keras_common import tensor, write
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
WORDS = [["red", "blue", "red"], ["green", "", "blue"], ["red", "pink", "pink"]]
NUMBERS = [[12, 36, 12], [-5, 7, 36], [0, 12, 1138]]
TEXTS = ["The quick, brown fox!", "jumps over  the lazy dog.", "", "The Dog-house; it's über 3.14 THE"]


def plain(x):
    x = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    if x.dtype.kind in "OSU":
        return {"dtype": "string", "shape": list(x.shape), "data": [v.decode() if isinstance(v, bytes) else str(v) for v in x.reshape(-1)]}
    return tensor(x)


def of(layer, x, adapt=None):
    x = tf.constant(x) if not isinstance(x, tf.Tensor) else x
    row = {"input": plain(x)}
    if adapt is not None:
        layer.adapt(adapt)
    if hasattr(layer, "get_vocabulary"):
        row["vocabulary"] = [str(v) for v in layer.get_vocabulary()]
        row["terms"] = [str(v) for v in layer.get_vocabulary(include_special_tokens=False)]
    try:
        row["output"] = plain(layer(x))
    except Exception as e:
        row["error"] = type(e).__name__
    return row


def long(x):
    return tf.constant(x, "int64")


rows = {}
for mode in ["int", "one_hot", "multi_hot", "count", "tf_idf"]:
    rows[f"string_{mode}"] = of(L.StringLookup(output_mode=mode), WORDS, np.array(WORDS))
    rows[f"string_mask_{mode}"] = of(L.StringLookup(output_mode=mode, mask_token="", num_oov_indices=2, max_tokens=6), [["red", "", "x"], ["y", "zebra", "blue"]], np.array(WORDS))
    rows[f"integer_{mode}"] = of(L.IntegerLookup(output_mode=mode), long(NUMBERS), np.array(NUMBERS))
    rows[f"integer_mask_{mode}"] = of(L.IntegerLookup(output_mode=mode, mask_token=0, num_oov_indices=3), long([[0, 99, -7], [12, 5, 36]]), np.array(NUMBERS))
    if mode != "one_hot":
        rows[f"text_{mode}"] = of(L.TextVectorization(output_mode=mode), TEXTS, TEXTS)
        rows[f"text_column_{mode}"] = of(L.TextVectorization(output_mode=mode, max_tokens=5, ngrams=2), [[t] for t in TEXTS], TEXTS)
    if mode != "int":
        rows[f"string_padded_{mode}"] = of(L.StringLookup(output_mode=mode, max_tokens=9, pad_to_max_tokens=True), WORDS, np.array(WORDS))
        rows[f"string_row_{mode}"] = of(L.StringLookup(output_mode=mode), ["red", "blue", "red", "x"], np.array(WORDS))
        rows[f"string_scalar_{mode}"] = of(L.StringLookup(output_mode=mode), "blue", np.array(WORDS))
    if mode in ("one_hot", "multi_hot", "count"):
        rows[f"hashing_{mode}"] = of(L.Hashing(5, output_mode=mode), WORDS)
        rows[f"hashing_column_{mode}"] = of(L.Hashing(5, output_mode=mode), [["a"], ["b"]])
rows["string_one_hot_column"] = of(L.StringLookup(output_mode="one_hot", vocabulary=["a", "b"]), [["a"], ["b"], ["c"]])
rows["string_scalar"] = of(L.StringLookup(vocabulary=["a", "b"]), "b")
rows["string_told"] = of(L.StringLookup(vocabulary=["a", "b", "c"]), [["c", "z"], ["a", "b"]])
rows["string_told_special"] = of(L.StringLookup(vocabulary=["", "[UNK]", "a", "b"], mask_token=""), ["b", "", "q"])
rows["string_none_outside"] = of(L.StringLookup(vocabulary=["a", "b"], num_oov_indices=0), ["b", "q"])
rows["string_salt"] = of(L.StringLookup(vocabulary=["a", "b"], num_oov_indices=7, salt=[3, 9]), ["a", "q", "r", "s", "t"])
rows["string_inverse"] = of(L.StringLookup(vocabulary=["a", "b"], invert=True, mask_token="<m>"), long([[0, 1, 2, 3], [4, -1, 2, 0]]))
rows["string_idf"] = of(L.StringLookup(vocabulary=["a", "b"], idf_weights=[0.5, 2.0], output_mode="tf_idf"), [["a", "a", "b"], ["c", "a", "c"]])
rows["string_idf_padded"] = of(L.StringLookup(vocabulary=["[UNK]", "a", "b"], idf_weights=[0.25, 0.5, 2.0], output_mode="tf_idf", max_tokens=5, pad_to_max_tokens=True), [["a", "a", "b"], ["c", "a", "c"]])
rows["string_batches"] = of(L.StringLookup(), ["a"], tf.data.Dataset.from_tensor_slices(["b", "a", "b", "c", "c", "a", "b"]).batch(3))
rows["string_batches_tf_idf"] = of(L.StringLookup(output_mode="tf_idf"), ["a", "b"], tf.data.Dataset.from_tensor_slices(["b", "a", "b", "c", "c", "a", "b"]).batch(3))
rows["integer_inverse"] = of(L.IntegerLookup(vocabulary=[12, 36], invert=True), long([0, 1, 2, 3]))
rows["integer_hash"] = of(L.IntegerLookup(vocabulary=[12, 36], num_oov_indices=5, oov_method="farmhash"), long([12, 1, 2, 3, -4]))
rows["integer_salt"] = of(L.IntegerLookup(vocabulary=[12, 36], num_oov_indices=5, oov_method="farmhash", salt=11), long([12, 1, 2, 3, -4]))
rows["integer_small"] = of(L.IntegerLookup(vocabulary=[12, 36]), tf.constant([12, 1], "int32"))
for name, standardize in [("none", None), ("lower", "lower"), ("strip", "strip_punctuation")]:
    rows[f"text_{name}"] = of(L.TextVectorization(standardize=standardize), TEXTS, TEXTS)
rows["text_characters"] = of(L.TextVectorization(split="character"), TEXTS, TEXTS)
rows["text_whole"] = of(L.TextVectorization(split=None), TEXTS, TEXTS)
rows["text_whole_count"] = of(L.TextVectorization(split=None, output_mode="count"), [["a", "B"], ["b", "a"]], tf.data.Dataset.from_tensors([["a", "b"], ["b", "b"]]))
rows["text_tokens"] = of(L.TextVectorization(split=None, output_sequence_length=3), [["a", "B"], ["b", "x"]], tf.data.Dataset.from_tensors([["a", "b"], ["b", "b"]]))
rows["text_long"] = of(L.TextVectorization(output_sequence_length=7), TEXTS, TEXTS)
rows["text_short"] = of(L.TextVectorization(output_sequence_length=2), TEXTS, TEXTS)
rows["text_ngrams"] = of(L.TextVectorization(ngrams=(3, 1)), TEXTS, TEXTS)
rows["text_scalar"] = of(L.TextVectorization(), "the dog", TEXTS)
rows["text_functions"] = of(L.TextVectorization(standardize=lambda x: tf.strings.regex_replace(x, "[aeiou]", ""), split=lambda x: tf.strings.split(x, ",")), ["ab,cd,ab", "e,cd"], ["ab,cd,ab", "e,cd"])
rows["text_told"] = of(L.TextVectorization(vocabulary=["a", "b"], output_mode="tf_idf", idf_weights=[1.0, 3.0]), ["a b b c", "c"])
rows["hashing"] = of(L.Hashing(3), [["A"], ["B"], ["C"], ["D"], ["E"]])
rows["hashing_mask"] = of(L.Hashing(3, mask_value=""), [["A"], ["B"], [""], ["C"], ["D"]])
rows["hashing_salt"] = of(L.Hashing(3, salt=[133, 137]), [["A"], ["B"], ["C"], ["D"], ["E"]])
rows["hashing_integers"] = of(L.Hashing(11, mask_value=7), long(NUMBERS))
rows["hashing_floats"] = of(L.Hashing(11), tf.constant([1.9, -2.5, 3.0]))
rows["hashing_one_bin"] = of(L.Hashing(1, mask_value=7), long([7, 8]))
write("layers_lookup", rows)
