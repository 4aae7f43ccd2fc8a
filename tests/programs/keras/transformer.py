"""A small causal language model with a block layer of its own: after the page "Text
generation with a miniature GPT" of Keras. It learns to count on by any step."""

import keras
import numpy as np
from keras import layers, ops

VOCABULARY = 17
LENGTH = 12


class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.att = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.ffn = keras.Sequential(
            [layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)]
        )
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)

    def call(self, inputs):
        attention_output = self.att(inputs, inputs, use_causal_mask=True)
        attention_output = self.dropout1(attention_output)
        out1 = self.layernorm1(inputs + attention_output)
        ffn_output = self.ffn(out1)
        ffn_output = self.dropout2(ffn_output)
        return self.layernorm2(out1 + ffn_output)


class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim, **kwargs):
        super().__init__(**kwargs)
        self.token_emb = layers.Embedding(vocab_size, embed_dim)
        self.pos_emb = layers.Embedding(maxlen, embed_dim)

    def call(self, x):
        positions = ops.arange(0, ops.shape(x)[-1], 1)
        return self.token_emb(x) + self.pos_emb(positions)


def build_model(embed_dim=32, num_heads=2, ff_dim=64):
    inputs = keras.Input((None,), dtype="int32")
    x = TokenAndPositionEmbedding(LENGTH, VOCABULARY, embed_dim)(inputs)
    x = TransformerBlock(embed_dim, num_heads, ff_dim)(x)
    x = TransformerBlock(embed_dim, num_heads, ff_dim)(x)
    outputs = layers.Dense(VOCABULARY)(x)
    return keras.Model(inputs, outputs)


def sequences(count):
    """Rows that begin anywhere and go on by a step of their own, in a ring."""
    start = np.random.randint(0, VOCABULARY, (count, 1))
    step = np.random.randint(1, VOCABULARY, (count, 1))
    return (start + step * np.arange(LENGTH + 1)) % VOCABULARY


def generate(model, prompt):
    """The prompt, and what the model takes for the most likely rest."""
    tokens = list(prompt)
    while len(tokens) < LENGTH:
        logits = model(np.array([tokens]))
        tokens.append(int(ops.argmax(logits[0, -1])))
    return tokens


def run(epochs):
    """The accuracy of the next token, the first excepted, and a row that was begun."""
    keras.utils.set_random_seed(1)
    model = build_model()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss=loss)
    data = sequences(4096)
    model.fit(data[:, :-1], data[:, 1:], epochs=epochs, batch_size=64, verbose=0)
    test = sequences(256)
    answers = np.argmax(model.predict(test[:, :-1], verbose=0), axis=-1)
    accuracy = np.mean(answers[:, 1:] == test[:, 2:])
    return accuracy, generate(model, [1, 4, 7])
