"""JAX's side of `shapes.rs`: a process that `shapes_peers.py` asks for one sample at a time. Everything is compiled by `jax.jit`, images lie
channels last, and optimizers give their memory away to the next step."""
import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from peer import GROUPS, Spec, Work, numbers, serve


def compiled(call, operands):
    """A jitted call that waits for its results; those of one call are ready together."""
    run = jax.jit(call)
    operands = [jnp.array(x) for x in operands]

    def bound():
        return jax.block_until_ready(run(*operands))

    def single():
        return run(*operands).block_until_ready()

    several = isinstance(jax.eval_shape(call, *operands), (tuple, list))
    results = lambda: [np.asarray(x, np.float64 if x.dtype == jnp.float64 else np.float32) for x in (bound() if several else [bound()])]
    return Work(bound if several else single, results)


def convolution(spec):
    images, weights, output, stride, margin = spec.convolution()
    axes = ("NHWC", "HWIO", "NHWC")
    if spec.kind == "transposed":
        forward = lambda x, w: lax.conv_transpose(x, w, (stride, stride), "SAME", dimension_numbers=axes, transpose_kernel=True)
    else:
        groups = images[-1] if spec.kind == "depthwise" else 1
        forward = lambda x, w: lax.conv_general_dilated(
            x, w, (stride, stride), [(margin, margin)] * 2, dimension_numbers=axes, feature_group_count=groups)
    x, w = numbers(1, images), numbers(2, weights)
    if spec.kind == "depthwise":
        w = w.reshape(weights[0], weights[1], 1, images[-1])
    if spec.words[5] == "forward":
        return compiled(forward, [x, w])
    by = ["input", "filter"].index(spec.words[5])
    return compiled(lambda x, w, owed: jax.vjp(forward, x, w)[1](owed)[by], [x, w, numbers(9, output)])


def product(spec):
    *batch, rows, inner, columns = spec.sizes()
    turned, dtype = spec.words[2], {"f32": jnp.float32, "f64": jnp.float64, "bf16": jnp.bfloat16}[spec.words[3]]

    def operand(seed, shape, turned):
        return jnp.array(numbers(seed, [*batch, *(shape[::-1] if turned == "t" else shape)])).astype(dtype)

    def call(a, b):
        return jnp.matmul(a.mT if turned[0] == "t" else a, b.mT if turned[1] == "t" else b)
    return compiled(call, [operand(1, [rows, inner], turned[0]), operand(2, [inner, columns], turned[1])])


def normalised(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    variance = jnp.square(x - mean).mean(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon)


def group_norm(x, scale, offset):
    apart = x.reshape(*x.shape[:-1], GROUPS, -1)
    return normalised(apart, (1, 2, 4), 1e-3).reshape(x.shape) * scale + offset


def attention(causal, q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)


def cross_entropy(x, labels):
    right = jnp.take_along_axis(x, labels[:, None], -1)[:, 0]
    return (jax.nn.logsumexp(x, -1) - right).mean()


# Each operation, and how many of its operands have a gradient.
ROWS = {
    "softmax": (lambda x: jax.nn.softmax(x, -1), 1),
    "layer_norm": (lambda x, scale, offset: normalised(x, -1, 1e-5) * scale + offset, 3),
    "batch_norm": (lambda x, scale, offset: normalised(x, tuple(range(x.ndim - 1)), 1e-3) * scale + offset, 3),
    "group_norm": (group_norm, 3),
    "attention": (partial(attention, False), 3),
    "attention_causal": (partial(attention, True), 3),
    "cross_entropy": (cross_entropy, 1),
    "sum_0": (lambda x: x.sum(0), 1),
    "sum_1": (lambda x: x.sum(1), 1),
}


def row_operation(spec):
    forward, sources = ROWS[spec.kind]
    operands = spec.row_operands()
    if spec.kind == "cross_entropy":
        operands[1] = operands[1].astype(np.int32)
    if spec.words[2] == "forward":
        return compiled(forward, operands)
    if spec.kind == "cross_entropy":
        return compiled(jax.value_and_grad(forward), operands)

    def call(*x):
        y, back = jax.vjp(forward, *x[:-1])
        return y, *back(x[-1])[:sources]
    return compiled(call, [*operands, numbers(9, spec.sizes())])


def sgd(w, g):
    return (w - 0.1 * g,)


def momentum(w, v, g):
    v = 0.9 * v - 0.1 * g
    return w + v, v


def adam(w, m, v, step, g):
    step = step + 1
    m, v = m + (g - m) * 0.1, v + (g * g - v) * 0.001
    rate = 0.1 * jnp.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step)
    return w - rate * m / (jnp.sqrt(v) + 1e-7), m, v, step


def optimizer(spec):
    rule, slots = {"sgd": (sgd, 0), "momentum": (momentum, 1), "adam": (adam, 2)}[spec.kind]
    count = int(spec.words[1])
    state = [jnp.array(numbers(1, [count]))] + [jnp.zeros(count, jnp.float32) for _ in range(slots)]
    if spec.kind == "adam":
        state.append(jnp.float32(0))
    run, g = jax.jit(rule, donate_argnums=range(len(state))), jnp.array(numbers(2, [count]))

    def call():
        state[:] = run(*state, g)
        state[0].block_until_ready()
    return Work(call, lambda: [call(), np.asarray(state[0])][1:])


def gradient(x, y, z):
    return jax.grad(lambda x, y, z: (jnp.tanh(x * y) * z + x * x).sum(), (0, 1, 2))(x, y, z)


CHAINS = {
    "axpby": (lambda x, y: x * 1.5 + y * 0.5, 2),
    "gelu": (lambda x: x * 0.5 * (jnp.tanh((x + x * x * x * 0.044715) * 0.79788456) + 1.0), 1),
    "gate": (lambda x, y, z: x * jax.nn.sigmoid(y) + z, 3),
    "polynomial": (lambda x: ((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6, 1),
    "density": (lambda x: jnp.exp(jnp.square((x - 0.1) / 1.3) * -0.5) * 0.3, 1),
    "squared_error": (lambda x, y: jnp.square(x - y).mean(), 2),
    "choice": (lambda x, y, z: jnp.where(x > y, x * z, jnp.minimum(y, z)), 3),
    "waves": (lambda x, y: jnp.sin(x) * jnp.cos(y) + jnp.sqrt(x * x + y * y), 2),
    "cell": (lambda x, y, z: jax.nn.sigmoid(x) * jnp.tanh(y) + jax.nn.sigmoid(x + 1.0) * z, 3),
    "softplus": (lambda x: jnp.log1p(jnp.exp(x)), 1),
    "gradient": (gradient, 3),
}


MOVES = {
    "transpose": lambda x, order: x.transpose(order).reshape(-1),
    "concat": lambda x, y, axis: jnp.concatenate([x, y], axis),
    "pad": lambda x, margin: jnp.pad(x, ((0, 0), (margin, margin), (margin, margin), (0, 0))),
    "gather": lambda x, rows, _: x[rows],
    "segment_sum": lambda x, rows, sums: jax.ops.segment_sum(x, rows, sums),
    "one_hot": lambda rows, depth: jax.nn.one_hot(rows, depth, dtype=jnp.float32),
    "sort": lambda x, _: jnp.sort(x, -1),
    "argsort": lambda x, _: jnp.argsort(x, -1),
    "top_k": lambda x, k: lax.top_k(x, k)[0],
    "cumsum": lambda x, axis: jnp.cumsum(x, axis),
}


def move(spec):
    operands, told = spec.move_operands()
    return compiled(lambda *x: MOVES[spec.kind](*x, told), [x.astype(np.int32) if x.dtype == np.int64 else x for x in operands])


def make(spec: Spec):
    if spec.kind in ("conv", "depthwise", "transposed"):
        return convolution(spec)
    if spec.kind == "product":
        return product(spec)
    if spec.kind in CHAINS:
        formula, inputs = CHAINS[spec.kind]
        return compiled(formula, [numbers(seed, [int(spec.words[1])]) for seed in range(1, inputs + 1)])
    if spec.kind in MOVES:
        return move(spec)
    return optimizer(spec) if spec.words[2] == "step" else row_operation(spec)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    serve(make, {"version": jax.__version__, "threads": len(os.sched_getaffinity(0)), "path": "XLA"})
