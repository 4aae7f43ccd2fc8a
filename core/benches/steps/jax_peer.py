"""JAX's side of `steps.rs`: one process for a network and a batch, as `steps_peers.py` asks. A step is one jitted function of loss, gradients
and Optax's optimizer, to which parameters and slots are given away."""
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from networks import EPSILON, IMAGE_RATE, MOMENTUM, RATE, Given, Making, serve

AXES = ("NHWC", "HWIO", "NHWC")


class Backend:
    """What networks are written with."""

    relu, relu6, tanh, exp, mean = map(staticmethod, (jax.nn.relu, jax.nn.relu6, jnp.tanh, jnp.exp, jnp.mean))
    gelu = staticmethod(partial(jax.nn.gelu, approximate=False))

    @staticmethod
    def place(kind, *arrays):
        value = np.concatenate(arrays, -1)
        return jnp.array(value.reshape(3, 3, 1, -1) if kind == "depthwise" else value)

    @staticmethod
    def dense(x, weight, bias):
        y = x @ weight
        return y if bias is None else y + bias

    @staticmethod
    def conv(x, weight, bias, stride):
        y = lax.conv_general_dilated(x, weight, (stride, stride), "SAME", dimension_numbers=AXES)
        return y if bias is None else y + bias

    @staticmethod
    def depthwise(x, weight, stride):
        return lax.conv_general_dilated(x, weight, (stride, stride), "SAME", dimension_numbers=AXES, feature_group_count=x.shape[-1])

    @staticmethod
    def up(x, weight, bias):
        """Windows of a transposed convolution that do not overlap are a product."""
        n, h, w, _ = x.shape
        return jnp.einsum("nijc,aboc->niajbo", x, weight).reshape(n, 2 * h, 2 * w, -1) + bias

    @staticmethod
    def patches(x, weight, bias, size):
        y = lax.conv_general_dilated(x, weight, (size, size), "VALID", dimension_numbers=AXES) + bias
        return y.reshape(y.shape[0], -1, y.shape[-1])

    @staticmethod
    def max_pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    @staticmethod
    def flat(x):
        return x.reshape(x.shape[0], -1)

    @staticmethod
    def pixel_mean(x):
        return x.mean((1, 2))

    @staticmethod
    def channels_joined(*parts):
        return jnp.concatenate(parts, -1)

    @staticmethod
    def batch_norm(p, x, gamma, beta, moving):
        mean = x.mean((0, 1, 2))
        variance = jnp.square(x).mean((0, 1, 2)) - jnp.square(mean)
        if isinstance(p, Given):
            p.moved.append(tuple(0.99 * old + 0.01 * lax.stop_gradient(new) for old, new in zip(moving, (mean, variance))))
        return (x - mean) * (lax.rsqrt(variance + 1e-3) * gamma) + beta

    @staticmethod
    def layer_norm(x, gamma, beta):
        mean = x.mean(-1, keepdims=True)
        variance = jnp.square(x).mean(-1, keepdims=True) - jnp.square(mean)
        return (x - mean) * (lax.rsqrt(variance + 1e-3) * gamma) + beta

    @staticmethod
    def heads(x, heads):
        return (part.reshape(*part.shape[:-1], heads, -1) for part in jnp.split(x, 3, -1))

    @staticmethod
    def attention(q, k, v, causal):
        return jax.nn.dot_product_attention(q, k, v, is_causal=causal).reshape(*q.shape[:2], -1)

    @staticmethod
    def rows(table, x):
        return table[x]

    @staticmethod
    def gru(x, kernel, recurrent, bias):
        inputs = jnp.swapaxes(x @ kernel + bias[0], 0, 1)

        def cell(h, x):
            (xz, xr, xn), (hz, hr, hn) = jnp.split(x, 3, -1), jnp.split(h @ recurrent + bias[1], 3, -1)
            z, r = jax.nn.sigmoid(xz + hz), jax.nn.sigmoid(xr + hr)
            return z * h + (1 - z) * jnp.tanh(xn + r * hn), None
        return lax.scan(cell, jnp.zeros((x.shape[0], recurrent.shape[0])), inputs)[0]

    @staticmethod
    def last_sum(x):
        return x.sum(-1)

    @staticmethod
    def middle_mean(x):
        return x.mean(1)

    @staticmethod
    def turned(x):
        return jnp.swapaxes(x, 1, 2)

    @staticmethod
    def cross_entropy(logits, y):
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    pixel_cross_entropy = cross_entropy
    binary_cross_entropy = staticmethod(optax.sigmoid_binary_cross_entropy)


def make(loss_of, data, images, batch):
    x, y = (jnp.array(part) for part in data(batch))
    making = Making(Backend.place)
    loss_of(Backend, making, x, y)
    optimizer = optax.sgd(IMAGE_RATE, MOMENTUM) if images else optax.adam(RATE, eps=EPSILON)
    state = making.all, making.buffers, optimizer.init(making.all)

    def loss(parameters, buffers, x, y):
        given = Given(parameters, buffers)
        value = loss_of(Backend, given, x, y)
        return value, given.moved

    @partial(jax.jit, donate_argnums=0)
    def step(state, x, y):
        parameters, buffers, slots = state
        (value, buffers), gradients = jax.value_and_grad(loss, has_aux=True)(parameters, buffers, x, y)
        moves, slots = optimizer.update(gradients, slots)
        return (optax.apply_updates(parameters, moves), buffers, slots), value

    def one():
        nonlocal state
        state, value = step(state, x, y)
        return float(jax.block_until_ready((state, value))[1])

    return one, ""


if __name__ == "__main__":
    serve(make, jax.__version__)
