"""Sequences of different lengths, padded and masked: an LSTM that tags each step, and one
that says something of the whole. Padding changes neither."""

import keras
import numpy as np
from keras import layers

LONGEST = 20
WORDS = 10


def sequences(count):
    """Rows of words from 1, with zeros behind their ends; which steps follow a word that is
    greater, and whether there are more great words than small ones."""
    rows = np.random.randint(1, WORDS, (count, LONGEST))
    lengths = np.random.randint(5, LONGEST + 1, count)
    rows[np.arange(LONGEST) >= lengths[:, None]] = 0
    falls = np.zeros((count, LONGEST), "int32")
    falls[:, 1:] = rows[:, 1:] < rows[:, :-1]
    great = np.sum(rows >= 5, axis=1, keepdims=True)
    return rows, falls, (great > lengths[:, None] / 2).astype("float32")


def build_model():
    words = keras.Input((None,), dtype="int32")
    x = layers.Embedding(WORDS, 16, mask_zero=True)(words)
    x = layers.LSTM(24, return_sequences=True)(x)
    falls = layers.Dense(2, name="falls")(x)
    last = layers.LSTM(24)(x)
    great = layers.Dense(1, activation="sigmoid", name="great")(last)
    return keras.Model(words, [falls, great])


def run(epochs):
    """Both accuracies over new sequences, and how far padding moves an answer."""
    keras.utils.set_random_seed(1)
    model = build_model()
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss=[
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            keras.losses.BinaryCrossentropy(),
        ],
        metrics=[["accuracy"], ["accuracy"]],
    )
    rows, falls, great = sequences(2000)
    model.fit(
        rows,
        [falls, great],
        epochs=epochs,
        batch_size=64,
        validation_split=0.1,
        verbose=0,
    )
    rows, falls, great = sequences(500)
    scores = model.evaluate(rows, [falls, great], verbose=0, return_dict=True)
    _, short = model(np.array([[3, 9, 2, 7, 8]]))
    _, padded = model(np.array([[3, 9, 2, 7, 8, 0, 0, 0]]))
    moved = float(abs(short - padded)[0, 0])
    return scores["falls_accuracy"], scores["great_accuracy"], moved
