"""Rows of the recurrent layers and their cells: `keras_layers_recurrent.json`."""
import numpy as np
from keras_common import numbers, tensor, write
from keras_layers import row
from keras_short import short
import keras
import tensorflow as tf

L = keras.layers
x = numbers(1, (2, 4, 3))
mask = np.array([[True, True, False, True], [False, True, True, False]])
states = [numbers(2, (2, 2)), numbers(3, (2, 2))]
rows = {}


def masked(mask):
    return {"call": lambda layer, x: layer(x, mask=tf.constant(mask))}


def with_states(layer, given):
    return layer(given[0], initial_state=given[1:])


for name, make, count in [("simple_rnn", L.SimpleRNN, 1), ("lstm", L.LSTM, 2), ("gru", L.GRU, 1)]:
    given = states[:count]
    all_outputs = {"return_sequences": True, "return_state": True}
    rows |= {
        f"{name}": row(make(2), [x]),
        f"{name}_all": row(make(2, **all_outputs), [x]),
        f"{name}_relu": row(make(2, activation="relu"), [x]),
        f"{name}_bare": row(make(2, use_bias=False), [x]),
        f"{name}_backwards": row(make(2, go_backwards=True, **all_outputs), [x]),
        f"{name}_unrolled": row(make(2, unroll=True, return_sequences=True), [x]),
        f"{name}_masked": row(make(2, **all_outputs), [x], **masked(mask)),
        f"{name}_masked_last": row(make(2, return_state=True), [x], **masked(mask)),
        f"{name}_masked_unrolled": row(make(2, unroll=True, **all_outputs), [x], **masked(mask)),
        f"{name}_masked_backwards": row(make(2, go_backwards=True, return_sequences=True), [x], **masked(mask)),
        f"{name}_masked_zeros": row(make(2, zero_output_for_mask=True, **all_outputs), [x], **masked(mask)),
        f"{name}_masked_zeros_last": row(make(2, zero_output_for_mask=True), [x], **masked(mask)),
        f"{name}_from": row(make(2, **all_outputs), [x, *given], call=with_states),
        f"{name}_drops_used": row(make(2, dropout=0.5, recurrent_dropout=0.5), [x]),
        f"{name}_mixed": row(make(2, dtype="mixed_bfloat16"), [x]),
    }
for name, make in [("lstm", L.LSTM), ("gru", L.GRU)]:
    rows[f"{name}_hard"] = row(make(2, recurrent_activation="hard_sigmoid"), [x])
rows["gru_before"] = row(L.GRU(2, reset_after=False, return_sequences=True), [x])
rows["gru_before_bare"] = row(L.GRU(2, reset_after=False, use_bias=False), [x])
rows["gru_before_drops_used"] = row(L.GRU(2, reset_after=False, recurrent_dropout=0.5), [x])

# Cells by themselves, and one after the other.
step = x[:, 0]
cell = lambda layer, given: (lambda y, s: [y, *s])(*layer(given[0], given[1:]))
rows["simple_rnn_cell"] = row(L.SimpleRNNCell(2), [step, states[0]], call=cell)
rows["lstm_cell"] = row(L.LSTMCell(2), [step, *states], call=cell)
rows["gru_cell"] = row(L.GRUCell(2), [step, states[0]], call=cell)
rows["gru_cell_before"] = row(L.GRUCell(2, reset_after=False), [step, states[0]], call=cell)


def flat(layer, given):
    return tf.nest.flatten(layer(given))


stacked = lambda: [L.LSTMCell(3), L.GRUCell(2)]
rows["rnn"] = row(L.RNN(L.LSTMCell(2), return_sequences=True), [x])
rows["rnn_stacked"] = row(L.RNN(L.StackedRNNCells(stacked()), return_sequences=True, return_state=True), [x], call=flat)
rows["rnn_stacked_masked"] = row(L.RNN(stacked()), [x], **masked(mask))

# Both directions.
for mode in ["concat", "sum", "mul", "ave", None]:
    rows[f"bidirectional_{mode}"] = row(L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode=mode), [x])
rows["bidirectional_last"] = row(L.Bidirectional(L.GRU(2)), [x])
rows["bidirectional_masked"] = row(L.Bidirectional(L.LSTM(2, return_sequences=True)), [x], **masked(mask))
rows["bidirectional_masked_last"] = row(L.Bidirectional(L.LSTM(2)), [x], **masked(mask))
rows["bidirectional_states"] = row(
    L.Bidirectional(L.LSTM(2, return_state=True)), [x, *states, *states[::-1]], call=with_states
)
rows["bidirectional_other"] = row(
    L.Bidirectional(L.LSTM(2), backward_layer=L.GRU(2, activation="relu", go_backwards=True), merge_mode="sum"), [x]
)

# Each step alike.
video = numbers(4, (2, 3, 5, 4, 2))
rows["time_distributed"] = row(L.TimeDistributed(L.Dense(2, activation="tanh")), [x])
rows["time_distributed_conv"] = row(L.TimeDistributed(L.Conv2D(2, 2, strides=2)), [video])
texts = numbers(5, (2, 3, 4, 2))
words = np.array([[[True, False, True, True]] * 3, [[True, True, True, False]] * 3])
rows["time_distributed_lstm"] = row(L.TimeDistributed(L.LSTM(2)), [texts], **masked(words))

# Convolutions in place of products.
sound = numbers(6, (2, 3, 5, 2))
image = numbers(7, (2, 3, 4, 5, 2))
volume = numbers(8, (1, 2, 3, 3, 4, 1))
every = {"return_sequences": True, "return_state": True}
conv_mask = np.array([[True, False, True], [False, True, True]])
rows |= {
    "conv_lstm1d": row(L.ConvLSTM1D(2, 3, **every), [sound]),
    "conv_lstm1d_dilated": row(L.ConvLSTM1D(2, 2, dilation_rate=2), [sound]),
    "conv_lstm2d": row(L.ConvLSTM2D(2, 2), [image]),
    "conv_lstm2d_all": row(L.ConvLSTM2D(2, (2, 3), padding="same", **every), [image]),
    "conv_lstm2d_strided": row(L.ConvLSTM2D(2, 2, strides=(2, 1), activation="relu", recurrent_activation="hard_sigmoid"), [image]),
    "conv_lstm2d_bare": row(L.ConvLSTM2D(2, 2, use_bias=False, go_backwards=True), [image]),
    "conv_lstm2d_first": row(
        L.ConvLSTM2D(2, 2, data_format="channels_first", padding="same", **every), [np.moveaxis(image, -1, 2).copy()]
    ),
    "conv_lstm2d_masked": row(L.ConvLSTM2D(2, 2, **every), [image], **masked(conv_mask)),
    "conv_lstm2d_from": row(
        L.ConvLSTM2D(2, 2, padding="same"), [image, numbers(9, (2, 4, 5, 2)), numbers(10, (2, 4, 5, 2))], call=with_states
    ),
    "conv_lstm2d_drops_used": row(L.ConvLSTM2D(2, 2, dropout=0.5, recurrent_dropout=0.5), [image]),
    "conv_lstm3d": row(L.ConvLSTM3D(2, 2, padding="same"), [volume]),
}


def stateful(make, count):
    """Two calls one after the other, one behind a reset, and the states after each."""
    layer = make(2, stateful=True, return_sequences=True)
    layer(x)
    layer.set_weights([numbers(100 + i, w.shape, -0.8, 0.8) if w.dtype == "float32" else w for i, w in enumerate(layer.get_weights())])
    layer.reset_state()
    weights = [tensor(v.value.numpy()) for v in layer.weights if "seed_generator" not in v.path]
    outputs, kept = [], []
    for reset in [False, False, True]:
        if reset:
            layer.reset_state()
        outputs.append(tensor(layer(x).numpy()))
        kept.append([tensor(s.numpy()) for s in layer.states])
    return {"weights": weights, "inputs": [tensor(x)], "outputs": outputs, "states": kept}


rows["stateful_lstm"] = stateful(L.LSTM, 2)
rows["stateful_gru"] = stateful(L.GRU, 1)
write("layers_recurrent", short(rows))
