"""The networks of `steps.rs` for its peers: each is a function of a backend `nn`, the parameters `p` and a batch, which answers the loss.
`torch_peer.py`, `jax_peer.py` and `tf_peer.py` are backends; parameters come in the order in which the Rust networks have them."""
import json
import sys
import time
from math import prod
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
from peer import labels, numbers

SEED, LOSSES = 100, 5
RATE, EPSILON, IMAGE_RATE, MOMENTUM = 1e-3, 1e-7, 0.01, 0.9
WIDTH, HEADS, TIME = 128, 4, 64


class Making:
    """Parameters as a network asks for them first: the formula's, laid out by the backend."""

    def __init__(self, place):
        self.place, self.seed, self.all, self.buffers = place, SEED, [], []

    def _keep(self, kind, *arrays):
        self.all.append(self.place(kind, *arrays))
        return self.all[-1]

    def _formula(self, shape):
        value = numbers(self.seed, shape) * np.float32((12.0 / prod(shape[:-1])) ** 0.5)
        self.seed += 1
        return value.astype(np.float32)

    def weight(self, kind, *shape):
        return self._keep(kind, self._formula(shape))

    def constant(self, value, *shape):
        self.seed += 1
        return self._keep("vector", np.full(shape, value, np.float32))

    def projections(self, width, heads):
        """Queries, keys and values as one product, as those who write attention by hand have it."""
        arrays = []
        for _ in range(3):
            arrays.append(self._formula((width, heads, width // heads)).reshape(width, width))
            self.seed += 1
        return self._keep("projections", *arrays), self._keep("vector", np.zeros(3 * width, np.float32))

    def mixed(self, width, heads):
        """The output of attention."""
        return self._keep("dense", self._formula((heads, width // heads, width)).reshape(width, width)), self.constant(0, width)

    def moving(self, channels):
        self.buffers.append((self.place("buffer", np.zeros(channels, np.float32)), self.place("buffer", np.ones(channels, np.float32))))
        return self.buffers[-1]


class Given:
    """The parameters again, for each further step."""

    def __init__(self, all, buffers):
        self.all, self.buffers, self.at, self.at_buffer, self.moved = all, buffers, 0, 0, []

    def _next(self):
        self.at += 1
        return self.all[self.at - 1]

    def weight(self, kind, *shape):
        return self._next()

    def constant(self, value, *shape):
        return self._next()

    def projections(self, width, heads):
        return self._next(), self._next()

    def mixed(self, width, heads):
        return self._next(), self._next()

    def moving(self, channels):
        self.at_buffer += 1
        return self.buffers[self.at_buffer - 1]


def dense(nn, p, x, inputs, outputs, bias=True):
    weight = p.weight("dense", inputs, outputs)
    return nn.dense(x, weight, p.constant(0, outputs) if bias else None)


def conv(nn, p, x, size, inputs, outputs, stride=1, bias=True):
    weight = p.weight("conv", size, size, inputs, outputs)
    return nn.conv(x, weight, p.constant(0, outputs) if bias else None, stride)


def pair(nn, p, x, inputs, channels):
    x = nn.relu(conv(nn, p, x, 3, inputs, channels))
    return nn.relu(conv(nn, p, x, 3, channels, channels))


def vgg(nn, p, x, y):
    inputs = 3
    for channels in (32, 64, 128):
        x, inputs = nn.max_pool(pair(nn, p, x, inputs, channels)), channels
    x = nn.relu(dense(nn, p, nn.flat(x), 4 * 4 * 128, 256))
    return nn.cross_entropy(dense(nn, p, x, 256, 10), y)


def unet(nn, p, x, y):
    inputs, beside = 3, []
    for channels in (16, 32):
        beside.append(pair(nn, p, x, inputs, channels))
        x, inputs = nn.max_pool(beside[-1]), channels
    x, inputs = pair(nn, p, x, 32, 64), 64
    for channels in (32, 16):
        x = nn.up(x, p.weight("up", 2, 2, channels, inputs), p.constant(0, channels))
        x, inputs = pair(nn, p, nn.channels_joined(beside.pop(), x), 2 * channels, channels), channels
    return nn.pixel_cross_entropy(conv(nn, p, x, 1, 16, 4), y)


def batch_norm(nn, p, x, channels):
    gamma, beta = p.constant(1, channels), p.constant(0, channels)
    return nn.batch_norm(p, x, gamma, beta, p.moving(channels))


def normed(nn, p, x, size, inputs, outputs, stride=1):
    return batch_norm(nn, p, conv(nn, p, x, size, inputs, outputs, stride, bias=False), outputs)


def resnet(nn, p, x, y):
    x, inputs = nn.relu(normed(nn, p, x, 3, 3, 32)), 32
    for channels, first_stride in ((16, 1), (32, 2), (64, 2)):
        for first in (True, False):
            stride = first_stride if first else 1
            h = nn.relu(normed(nn, p, x, 1, inputs, channels, stride))
            h = nn.relu(normed(nn, p, h, 3, channels, channels))
            h = normed(nn, p, h, 1, channels, 4 * channels)
            x = nn.relu(h + (normed(nn, p, x, 1, inputs, 4 * channels, stride) if first else x))
            inputs = 4 * channels
    return nn.cross_entropy(dense(nn, p, nn.pixel_mean(x), inputs, 10), y)


def mobilenet(nn, p, x, y):
    x = nn.relu6(normed(nn, p, x, 3, 3, 16, 2))
    for inputs, outputs, stride in ((16, 16, 1), (16, 24, 2), (24, 24, 1), (24, 32, 2), (32, 32, 1)):
        wide = 4 * inputs
        h = nn.relu6(normed(nn, p, x, 1, inputs, wide))
        h = nn.depthwise(h, p.weight("depthwise", 3, 3, wide, 1), stride)
        h = normed(nn, p, nn.relu6(batch_norm(nn, p, h, wide)), 1, wide, outputs)
        x = h + x if inputs == outputs and stride == 1 else h
    x = nn.relu6(normed(nn, p, x, 1, 32, 128))
    return nn.cross_entropy(dense(nn, p, nn.pixel_mean(x), 128, 10), y)


def layer_norm(nn, p, x):
    gamma = p.constant(1, WIDTH)
    return nn.layer_norm(x, gamma, p.constant(0, WIDTH))


def attention(nn, p, x, causal):
    weight, bias = p.projections(WIDTH, HEADS)
    q, k, v = nn.heads(nn.dense(x, weight, bias), HEADS)
    return nn.dense(nn.attention(q, k, v, causal), *p.mixed(WIDTH, HEADS))


def embedded(nn, p, x, kinds):
    return nn.rows(p.weight("table", kinds, WIDTH), x) + p.weight("table", TIME, WIDTH)


def bert(nn, p, x, y):
    x = layer_norm(nn, p, embedded(nn, p, x, 2000))
    for _ in range(2):
        x = x + attention(nn, p, x, False)
        x = layer_norm(nn, p, x)
        h = dense(nn, p, nn.gelu(dense(nn, p, x, WIDTH, 4 * WIDTH)), 4 * WIDTH, WIDTH)
        x = layer_norm(nn, p, x + h)
    x = nn.tanh(dense(nn, p, x[:, 0], WIDTH, WIDTH))
    return nn.cross_entropy(dense(nn, p, x, WIDTH, 4), y)


def decoded(nn, p, x):
    x = x + attention(nn, p, layer_norm(nn, p, x), True)
    h = layer_norm(nn, p, x)
    return x + dense(nn, p, nn.gelu(dense(nn, p, h, WIDTH, 4 * WIDTH)), 4 * WIDTH, WIDTH)


def gpt(nn, p, x, y):
    x = embedded(nn, p, x, 1000)
    for _ in range(2):
        x = decoded(nn, p, x)
    x = layer_norm(nn, p, x)
    return nn.cross_entropy(dense(nn, p, x, WIDTH, 1000, bias=False), y)


def gru(nn, p, x, y):
    kernel, recurrent = p.weight("gates", 64, 3 * 128), p.weight("gates", 128, 3 * 128)
    h = nn.gru(x, kernel, recurrent, p.constant(0, 2, 3 * 128))
    return nn.cross_entropy(dense(nn, p, h, 128, 10), y)


def vae(nn, p, x, y):
    h = nn.relu(dense(nn, p, nn.relu(dense(nn, p, x, 784, 512)), 512, 256))
    mean, log_variance = dense(nn, p, h, 256, 16), dense(nn, p, h, 256, 16)
    code = mean + nn.exp(log_variance * 0.5) * y
    h = nn.relu(dense(nn, p, nn.relu(dense(nn, p, code, 16, 256)), 256, 512))
    far = nn.last_sum(mean * mean + nn.exp(log_variance) - 1.0 - log_variance) * 0.5
    return nn.mean(nn.last_sum(nn.binary_cross_entropy(dense(nn, p, h, 512, 784), x)) + far)


def mixer(nn, p, x, y):
    weight = p.weight("conv", 4, 4, 3, WIDTH)
    x = nn.patches(x, weight, p.constant(0, WIDTH), 4)
    for _ in range(4):
        h = nn.turned(layer_norm(nn, p, x))
        x = x + nn.turned(dense(nn, p, nn.gelu(dense(nn, p, h, 64, 64)), 64, 64))
        h = layer_norm(nn, p, x)
        x = x + dense(nn, p, nn.gelu(dense(nn, p, h, WIDTH, 4 * WIDTH)), 4 * WIDTH, WIDTH)
    return nn.cross_entropy(dense(nn, p, nn.middle_mean(layer_norm(nn, p, x)), WIDTH, 10), y)


def images(batch, side):
    return numbers(1, [batch, side, side, 3]) * np.float32(2), labels(2, batch, 10)


def pixels(batch):
    return numbers(1, [batch, 64, 64, 3]) * np.float32(2), labels(2, batch * 64 * 64, 4).reshape(batch, 64, 64)


def symbols(batch, kinds, classes, each):
    y = labels(2, batch * TIME if each else batch, classes)
    return labels(1, batch * TIME, kinds).reshape(batch, TIME), y.reshape(batch, TIME) if each else y


def codes(batch):
    return numbers(1, [batch, 784]) + np.float32(0.5), numbers(2, [batch, 16]) * np.float32(3)


# The loss, the batch's data, and whether it is a network of images, which are trained with momentum; others with Adam.
NETWORKS = {
    "vgg": (vgg, lambda batch: images(batch, 32), True),
    "resnet": (resnet, lambda batch: images(batch, 32), True),
    "unet": (unet, pixels, True),
    "mobilenet": (mobilenet, lambda batch: images(batch, 49), True),
    "bert": (bert, lambda batch: symbols(batch, 2000, 4, False), False),
    "gpt": (gpt, lambda batch: symbols(batch, 1000, 1000, True), False),
    "gru": (gru, lambda batch: (numbers(1, [batch, 50, 64]) * np.float32(2), labels(2, batch, 10)), False),
    "vae": (vae, codes, False),
    "mixer": (mixer, lambda batch: images(batch, 32), False),
}


def serve(make, version):
    """Answers `steps_peers.py`: `make` gives a step, of which the loss comes, and how it runs, for the network named on the command line."""
    name, batch = sys.argv[1], int(sys.argv[2])
    print(json.dumps({"version": version}), flush=True)
    step = None
    for _ in sys.stdin:
        try:
            if step is None:
                step, how = make(*NETWORKS[name], batch)
                answer = json.dumps({"losses": [step() for _ in range(LOSSES)], "how": how})
            else:
                start = time.perf_counter()
                step()
                answer = (time.perf_counter() - start) * 1e3
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:1000]}", file=sys.stderr, flush=True)
            answer = json.dumps({"error": f"{type(error).__name__}: {str(error)[:100]}"})
        print(answer, flush=True)
