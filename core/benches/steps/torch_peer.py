"""PyTorch's side of `steps.rs`: one process for a network and a batch, eager or with `--compiled` by `torch.compile`, as `steps_peers.py` asks.
Networks of images run in the order of axes that is faster, found by timing both eagerly."""
import os
import sys
import time

import torch
import torch._inductor.config
import torch.nn.functional as F
from networks import EPSILON, IMAGE_RATE, MOMENTUM, RATE, Given, Making, serve

THREADS = 2
if os.environ.get("ATEN_CPU_CAPABILITY") == "avx2":
    # As in `shapes/torch_peer.py`.
    torch._inductor.config.cpp.simdlen = 256
ORDERS = {"NCHW": torch.contiguous_format, "channels_last": torch.channels_last}


class Backend:
    """What networks are written with."""

    relu, relu6, tanh, exp, gelu = map(staticmethod, (F.relu, F.relu6, torch.tanh, torch.exp, F.gelu))
    dense, mean = staticmethod(F.linear), staticmethod(torch.mean)

    def __init__(self, order):
        self.order = order

    def place(self, kind, *arrays):
        value = torch.cat([torch.from_numpy(x) for x in arrays], -1)
        turns = {"conv": (3, 2, 0, 1), "depthwise": (2, 3, 0, 1), "up": (3, 2, 0, 1), "dense": (1, 0), "projections": (1, 0)}
        if kind in turns:
            value = value.permute(*turns[kind]).contiguous()
        if kind == "gates":
            z, r, h = value.T.chunk(3)
            value = torch.cat([r, z, h])
        if value.dim() == 4:
            value = value.contiguous(memory_format=self.order)
        return value.clone() if kind == "buffer" else torch.nn.Parameter(value)

    def image(self, x):
        return x.permute(0, 3, 1, 2).contiguous(memory_format=self.order)

    @staticmethod
    def conv(x, weight, bias, stride):
        return F.conv2d(x, weight, bias, stride, weight.shape[2] // 2)

    @staticmethod
    def depthwise(x, weight, stride):
        return F.conv2d(x, weight, None, stride, 1, 1, x.shape[1])

    @staticmethod
    def up(x, weight, bias):
        return F.conv_transpose2d(x, weight, bias, 2)

    @staticmethod
    def patches(x, weight, bias, size):
        return F.conv2d(x, weight, bias, size).flatten(2).transpose(1, 2)

    @staticmethod
    def max_pool(x):
        return F.max_pool2d(x, 2)

    @staticmethod
    def flat(x):
        return x.permute(0, 2, 3, 1).flatten(1)

    @staticmethod
    def pixel_mean(x):
        return x.mean((2, 3))

    @staticmethod
    def channels_joined(*parts):
        return torch.cat(parts, 1)

    @staticmethod
    def batch_norm(p, x, gamma, beta, moving):
        return F.batch_norm(x, *moving, gamma, beta, True, 0.01, 1e-3)

    @staticmethod
    def layer_norm(x, gamma, beta):
        return F.layer_norm(x, gamma.shape, gamma, beta, 1e-3)

    @staticmethod
    def heads(x, heads):
        return (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in x.chunk(3, -1))

    @staticmethod
    def attention(q, k, v, causal):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2)

    @staticmethod
    def rows(table, x):
        return F.embedding(x, table)

    @staticmethod
    def gru(x, kernel, recurrent, bias):
        state = x.new_zeros(1, x.shape[0], recurrent.shape[1])
        return torch._VF.gru(x, state, [kernel, recurrent, bias[0], bias[1]], True, 1, 0.0, True, False, True)[1][0]

    @staticmethod
    def last_sum(x):
        return x.sum(-1)

    @staticmethod
    def middle_mean(x):
        return x.mean(1)

    @staticmethod
    def turned(x):
        return x.transpose(1, 2)

    @staticmethod
    def cross_entropy(logits, y):
        return F.cross_entropy(logits.flatten(0, -2), y.flatten())

    @staticmethod
    def pixel_cross_entropy(logits, y):
        return F.cross_entropy(logits, y)

    @staticmethod
    def binary_cross_entropy(logits, y):
        return F.binary_cross_entropy_with_logits(logits, y, reduction="none")


def step_of(loss_of, data, images, batch, order, compiled):
    nn = Backend(order)
    x, y = (torch.from_numpy(part) for part in data(batch))
    if x.dim() == 4:
        x = nn.image(x)
    making = Making(nn.place)
    loss_of(nn, making, x, y)
    parameters, buffers = making.all, [tuple(nn.place("buffer", m) for m in pair) for pair in fresh(making.buffers)]
    optimizer = torch.optim.SGD(parameters, IMAGE_RATE, MOMENTUM, fused=True) if images else \
        torch.optim.Adam(parameters, RATE, eps=EPSILON, fused=True)

    def loss(x, y):
        return loss_of(nn, Given(parameters, buffers), x, y)

    run = torch.compile(loss, dynamic=False) if compiled else loss

    def step():
        optimizer.zero_grad(set_to_none=True)
        value = run(x, y)
        value.backward()
        optimizer.step()
        return value.item()

    return step


def fresh(buffers):
    """The moving means before the first call."""
    import numpy as np
    return [(np.zeros(len(mean), np.float32), np.ones(len(mean), np.float32)) for mean, _ in buffers]


def seconds(step):
    def one():
        start = time.perf_counter()
        step()
        return time.perf_counter() - start
    return min(one() for _ in range(5))


def make(loss_of, data, images, batch):
    bound = lambda name, compiled: step_of(loss_of, data, images, batch, ORDERS[name], compiled)
    best = "NCHW"
    if data(1)[0].ndim == 4:
        best = min(ORDERS, key=lambda name: seconds(bound(name, False)))
    return bound(best, "--compiled" in sys.argv), best if data(1)[0].ndim == 4 else ""


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    serve(make, torch.__version__)
