"""Rows of the layers of attention: `keras_layers_attention.json`."""
import numpy as np
from keras_common import numbers, write
from keras_layers import row
from keras_short import short
from keras.src import backend
import keras
import tensorflow as tf

L = keras.layers
q, v, k = numbers(1, (2, 3, 4)), numbers(2, (2, 5, 3)), numbers(3, (2, 5, 2))
same = numbers(4, (2, 4, 4))
q_mask = np.array([[True, True, False], [True, False, True]])
v_mask = np.array([[True, True, True, False, False], [False, True, True, True, False]])
k_mask = np.array([[True, False, True, True, True], [True, True, True, True, True]])
pairs = np.array([[[True, False, True, True, False]] * 3, [[False] * 5, [True] * 5, [False, True, False, True, True]]])


def called(masks=(None, None, None), **told):
    """A call by arguments, with masks that the tensors carry."""

    def call(layer, given):
        tensors = [tf.identity(x) for x in given]
        for x, mask in zip(tensors, masks):
            if mask is not None:
                backend.set_keras_mask(x, tf.constant(mask))
        return layer(*tensors, **{name: tf.constant(x) if isinstance(x, np.ndarray) else x for name, x in told.items()})

    return {"call": call}


plain = called()
scores = {"return_attention_scores": True}
rows = {}
for name, make in [
    ("mha", lambda **options: L.MultiHeadAttention(2, 3, **options)),
    ("gqa", lambda **options: L.GroupQueryAttention(3, 4, 2, **options)),
]:
    rows |= {
        f"{name}": row(make(), [q, v], **plain),
        f"{name}_key": row(make(), [q, v, k], **plain),
        f"{name}_bare": row(make(use_bias=False), [q, v], **plain),
        f"{name}_gate": row(make(use_gate=True), [q, v], **plain),
        f"{name}_window": row(make(sliding_window=2), [same, same], **plain),
        f"{name}_window_causal": row(make(sliding_window=2), [same, same], **called(use_causal_mask=True)),
        f"{name}_causal": row(make(), [same, same], **called(use_causal_mask=True)),
        f"{name}_causal_scores": row(make(), [same, same], **called(use_causal_mask=True, **scores)),
        f"{name}_scores": row(make(), [q, v], **called(**scores)),
        f"{name}_pairs": row(make(), [q, v], **called(attention_mask=pairs)),
        f"{name}_pairs_scores": row(make(), [q, v], **called(attention_mask=pairs, **scores)),
        f"{name}_masked": row(make(), [q, v, k], **called((q_mask, v_mask, k_mask))),
        f"{name}_masked_causal": row(make(), [q, v], **called((None, v_mask), use_causal_mask=True)),
        f"{name}_masked_all": row(make(), [q, v, k], **called((q_mask, v_mask, k_mask), attention_mask=pairs, **scores)),
        f"{name}_drops_used": row(make(dropout=0.5), [q, v], **plain),
        f"{name}_mixed": row(make(dtype="mixed_bfloat16"), [q, v], **plain),
    }
wide = numbers(5, (1, 2, 3, 4))
rows |= {
    "mha_value_dim": row(L.MultiHeadAttention(2, 3, value_dim=2), [q, v], **plain),
    "mha_output": row(L.MultiHeadAttention(2, 3, output_shape=(2, 3)), [q, v], **plain),
    "mha_wide": row(L.MultiHeadAttention(2, 3), [wide, wide], **called(**scores)),
    "mha_axis": row(L.MultiHeadAttention(2, 3, attention_axes=(2,)), [wide, wide], **plain),
    "mha_axis_first": row(L.MultiHeadAttention(2, 3, attention_axes=1), [wide, wide], **called(**scores)),
}


def listed(masks=None, **told):
    """A call by a list, as `Attention` takes it."""
    given = None if masks is None else [None if m is None else tf.constant(m) for m in masks]
    return {"call": lambda layer, x: layer(list(x), mask=given, **told)}


like = numbers(6, (2, 5, 4))
for name, make in [("dot", L.Attention), ("additive", L.AdditiveAttention)]:
    rows |= {
        f"{name}": row(make(), [q, like], **listed()),
        f"{name}_key": row(make(), [q, v, like], **listed()),
        f"{name}_scaled": row(make(use_scale=True), [q, like], **listed()),
        f"{name}_bare": row(make(use_scale=False), [q, like], **listed()),
        f"{name}_scores": row(make(), [q, like], **listed(**scores)),
        f"{name}_causal": row(make(), [same, same], **listed(use_causal_mask=True)),
        f"{name}_masked": row(make(), [q, like], **listed([q_mask, v_mask])),
        f"{name}_masked_scores": row(make(), [q, like], **listed([q_mask, v_mask], **scores)),
        f"{name}_masked_causal": row(make(), [q, like], **listed([None, k_mask], use_causal_mask=True)),
        f"{name}_drops_used": row(make(dropout=0.5), [q, like], **listed()),
    }
rows |= {
    "dot_concat": row(L.Attention(score_mode="concat"), [q, like], **listed()),
    "dot_concat_scaled": row(L.Attention(score_mode="concat", use_scale=True), [q, like], **listed([q_mask, v_mask], **scores)),
}
write("layers_attention", short(rows))
