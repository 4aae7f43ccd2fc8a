"""TensorFlow's side of `steps.rs`: one process for a network and a batch, as `steps_peers.py` asks. A step is one `tf.function` of loss,
gradients and the fused kernels of its optimizers; with `--xla` it is compiled by XLA."""
import sys

import numpy as np
import tensorflow as tf
from networks import EPSILON, IMAGE_RATE, MOMENTUM, RATE, Given, Making, serve

THREADS = 2


class Backend:
    """What networks are written with."""

    relu, relu6, tanh, exp, gelu = map(staticmethod, (tf.nn.relu, tf.nn.relu6, tf.tanh, tf.exp, tf.nn.gelu))
    mean = staticmethod(tf.reduce_mean)

    @staticmethod
    def place(kind, *arrays):
        return tf.Variable(np.concatenate(arrays, -1))

    @staticmethod
    def dense(x, weight, bias):
        y = tf.matmul(tf.reshape(x, [-1, x.shape[-1]]), weight)
        y = y if bias is None else tf.nn.bias_add(y, bias)
        return tf.reshape(y, [*x.shape[:-1], y.shape[-1]])

    @staticmethod
    def conv(x, weight, bias, stride):
        y = tf.nn.conv2d(x, weight, stride, "SAME")
        return y if bias is None else tf.nn.bias_add(y, bias)

    @staticmethod
    def depthwise(x, weight, stride):
        return tf.nn.depthwise_conv2d(x, weight, [1, stride, stride, 1], "SAME")

    @staticmethod
    def up(x, weight, bias):
        n, h, w, _ = x.shape
        return tf.nn.bias_add(tf.nn.conv2d_transpose(x, weight, [n, 2 * h, 2 * w, weight.shape[2]], 2), bias)

    @staticmethod
    def patches(x, weight, bias, size):
        y = tf.nn.bias_add(tf.nn.conv2d(x, weight, size, "VALID"), bias)
        return tf.reshape(y, [y.shape[0], -1, y.shape[-1]])

    @staticmethod
    def max_pool(x):
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    @staticmethod
    def flat(x):
        return tf.reshape(x, [x.shape[0], -1])

    @staticmethod
    def pixel_mean(x):
        return tf.reduce_mean(x, [1, 2])

    @staticmethod
    def channels_joined(*parts):
        return tf.concat(parts, -1)

    @staticmethod
    def batch_norm(p, x, gamma, beta, moving):
        y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=gamma, offset=beta, mean=np.zeros(0, np.float32), variance=np.zeros(0, np.float32), epsilon=1e-3, is_training=True)
        if isinstance(p, Given):
            for old, new in zip(moving, (mean, variance)):
                old.assign_sub((old - new) * 0.01)
        return y

    @staticmethod
    def layer_norm(x, gamma, beta):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)

    @staticmethod
    def heads(x, heads):
        shape = [*x.shape[:-1], heads, x.shape[-1] // 3 // heads]
        return (tf.transpose(tf.reshape(part, shape), [0, 2, 1, 3]) for part in tf.split(x, 3, -1))

    @staticmethod
    def attention(q, k, v, causal):
        scores = tf.matmul(q * q.shape[-1] ** -0.5, k, transpose_b=True)
        if causal:
            scores += np.where(np.tri(scores.shape[-1], dtype=bool), np.float32(0), np.float32(-1e9))
        y = tf.transpose(tf.matmul(tf.nn.softmax(scores), v), [0, 2, 1, 3])
        return tf.reshape(y, [*y.shape[:2], -1])

    @staticmethod
    def rows(table, x):
        return tf.gather(table, x)

    @staticmethod
    def gru(x, kernel, recurrent, bias):
        """The steps one behind the other, without a loop."""
        units = recurrent.shape[0]
        inputs = tf.unstack(Backend.dense(x, kernel, bias[0]), axis=1)
        h = tf.zeros([x.shape[0], units])
        for now in inputs:
            past = tf.nn.bias_add(tf.matmul(h, recurrent), bias[1])
            gates = tf.sigmoid(now[:, :2 * units] + past[:, :2 * units])
            z, r = gates[:, :units], gates[:, units:]
            h = z * h + (1 - z) * tf.tanh(now[:, 2 * units:] + r * past[:, 2 * units:])
        return h

    @staticmethod
    def last_sum(x):
        return tf.reduce_sum(x, -1)

    @staticmethod
    def middle_mean(x):
        return tf.reduce_mean(x, 1)

    @staticmethod
    def turned(x):
        return tf.transpose(x, [0, 2, 1])

    @staticmethod
    def cross_entropy(logits, y):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    pixel_cross_entropy = cross_entropy

    @staticmethod
    def binary_cross_entropy(logits, y):
        return tf.nn.sigmoid_cross_entropy_with_logits(y, logits)


def adam(parameters):
    slots = [tuple(tf.Variable(tf.zeros_like(v)) for _ in range(2)) for v in parameters]
    powers = [tf.Variable(0.9), tf.Variable(0.999)]

    def update(gradients):
        for v, (m, s), g in zip(parameters, slots, gradients):
            tf.raw_ops.ResourceApplyAdam(
                var=v.handle, m=m.handle, v=s.handle, beta1_power=powers[0], beta2_power=powers[1], lr=RATE, beta1=0.9, beta2=0.999,
                epsilon=EPSILON, grad=tf.convert_to_tensor(g))
        powers[0].assign(powers[0] * 0.9)
        powers[1].assign(powers[1] * 0.999)
    return update


def momentum(parameters):
    slots = [tf.Variable(tf.zeros_like(v)) for v in parameters]

    def update(gradients):
        for v, m, g in zip(parameters, slots, gradients):
            tf.raw_ops.ResourceApplyKerasMomentum(var=v.handle, accum=m.handle, lr=IMAGE_RATE, grad=g, momentum=MOMENTUM)
    return update


def make(loss_of, data, images, batch):
    x, y = (tf.constant(part) for part in data(batch))
    making = Making(Backend.place)
    loss_of(Backend, making, x, y)
    parameters = making.all
    update = (momentum if images else adam)(parameters)

    @tf.function(jit_compile="--xla" in sys.argv)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(Backend, Given(parameters, making.buffers), x, y)
        update(tape.gradient(loss, parameters))
        return loss

    return lambda: float(step(x, y)), ""


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    serve(make, tf.__version__)
