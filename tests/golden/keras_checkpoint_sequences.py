"""A checkpoint of recurrent layers and of attention, as real Keras writes it, and what the layers answer: `keras_checkpoint_sequences.json`."""
import pathlib
from keras_common import numbers, tensor, write
from keras_short import short
import keras
import tensorflow as tf

L = keras.layers
x = tf.constant(numbers(1, (2, 4, 3)))
layers = {
    "lstm": L.LSTM(2),
    "gru": L.GRU(2),
    "rnn": L.RNN(L.SimpleRNNCell(3)),
    "both": L.Bidirectional(L.LSTM(2, return_sequences=True)),
    "steps": L.TimeDistributed(L.Dense(2)),
    "heads": L.MultiHeadAttention(2, 3, use_gate=True),
    "groups": L.GroupQueryAttention(3, 4, 2),
}
attends = ["heads", "groups"]
call = lambda name, layer: layer(x, x) if name in attends else layer(x)
for name, layer in layers.items():
    call(name, layer)
    for i, v in enumerate(v for v in layer.weights if "seed_generator" not in v.path):
        v.assign(numbers(100 + i, tuple(v.shape), -0.8, 0.8))
path = pathlib.Path(__file__).parent / "keras_checkpoints" / "sequences"
tf.train.Checkpoint(**layers).write(str(path))
outputs = {name: tensor(call(name, layer).numpy()) for name, layer in layers.items()}
write("checkpoint_sequences", short({"x": tensor(x.numpy()), **outputs}))
