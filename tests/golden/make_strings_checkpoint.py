"""Writes a checkpoint of variables of strings: `python make_strings_checkpoint.py`, into `checkpoints/strings`.

Made with tensorflow-cpu 2.21.0; running it again gives the same bytes.
"""
import tensorflow as tf

words = tf.Variable([["one", "two"], ["", b"\xff\x00"]], trainable=False)
name = tf.Variable("h\u00e9llo " * 40)
step = tf.Variable(7, dtype=tf.int64)
tf.train.Checkpoint(words=words, name=name, step=step).write("checkpoints/strings")
