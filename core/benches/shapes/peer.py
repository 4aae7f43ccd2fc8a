"""What the peers of `shapes.rs` share: the operands' formula, the two numbers by which results are compared, and the loop that answers the
driver. `torch_peer.py` and `jax_peer.py` call it; `inputs.rs` and `work.rs` are the same in Rust."""
import json
import sys
import time
from math import prod

import numpy as np

SAMPLE_S, WAKE_S = 20e-3, 3e-3
PROBE = 99
GROUPS = 32


def hashes(seed, first, count):
    z = np.arange(first, first + count, dtype=np.uint32)
    z += np.uint32(seed * 0x9E3779B1 & 0xFFFFFFFF)
    for shift, factor in [(16, 0x7FEB352D), (15, 0x846CA68B)]:
        z ^= z >> np.uint32(shift)
        z *= np.uint32(factor)
    z ^= z >> np.uint32(16)
    return z


def at(seed, first, count):
    return (hashes(seed, first, count) >> np.uint32(8)).astype(np.float32) / np.float32(2 ** 24) - np.float32(0.5)


def numbers(seed, shape):
    return at(seed, 0, prod(shape)).reshape(shape)


def labels(seed, count, below):
    return (hashes(seed, 0, count) % np.uint32(below)).astype(np.int64)


def probe(x):
    """The norm of the elements, and their sum weighed with numbers of the formula, in pieces that fit the caches."""
    x, piece = np.ascontiguousarray(x).ravel(), 1 << 20
    squares = weighed = 0.0
    for first in range(0, x.size, piece):
        part = x[first:first + piece].astype(np.float64)
        squares += float(part @ part)
        weighed += float(part @ at(PROBE, first, part.size).astype(np.float64))
    return [squares ** 0.5, weighed]


class Spec:
    """A line of the grid."""

    def __init__(self, name):
        self.name, self.words = name, name.split()
        self.kind = self.words[0]

    def sizes(self):
        return [int(size) for size in self.words[1].split("x")]

    def convolution(self):
        """Images, filters in the library's order, output, stride and margin."""
        batch, rows, columns, channels = self.sizes()
        kernel, filters, stride = (int(self.words[i].lstrip("/")) for i in (2, 3, 4))
        margin = kernel // 2
        down = lambda size: (size + 2 * margin - kernel) // stride + 1
        output = [batch, down(rows), down(columns), filters]
        weights = [kernel, kernel, channels, filters]
        if self.kind == "depthwise":
            weights = [kernel, kernel, channels, 1]
        if self.kind == "transposed":
            weights, output = [kernel, kernel, filters, channels], [batch, stride * rows, stride * columns, filters]
            margin = (kernel - stride) // 2
        return [batch, rows, columns, channels], weights, output, stride, margin

    def row_operands(self):
        shape = self.sizes()
        if self.kind.startswith("attention"):
            return [numbers(seed, shape) for seed in (1, 2, 3)]
        if self.kind == "cross_entropy":
            return [numbers(1, shape), labels(2, *shape)]
        if "norm" in self.kind:
            return [numbers(1, shape), numbers(2, shape[-1:]), numbers(3, shape[-1:])]
        return [numbers(1, shape)]


    def move_operands(self):
        """The tensor of an operation that moves elements, and the second operand of those that have one; then what the third word says."""
        shape, word = self.sizes(), self.words[2]
        if self.kind == "one_hot":
            return [labels(1, *shape)], shape[1]
        x = numbers(1, shape)
        second = {"concat": lambda: [numbers(2, shape)], "gather": lambda: [labels(2, int(word), shape[0])],
                  "segment_sum": lambda: [labels(2, shape[0], int(word))]}.get(self.kind, lambda: [])()
        return [x, *second], [int(digit) for digit in word] if self.kind == "transpose" else int(word)


class Work:
    """A call that gives nothing back for timing, and one that gives all results as arrays in the library's order of axes."""

    def __init__(self, call, results):
        self.call = call
        self.checks = [probe(x) for x in results()]
        self.run_for(SAMPLE_S, 2)

    def run_for(self, seconds, least):
        start, times = time.perf_counter(), 0
        while True:
            self.call()
            times += 1
            passed = time.perf_counter() - start
            if passed >= seconds and times >= least:
                return times, passed

    def sample(self):
        """The milliseconds of a call, by the mean of some 20 ms of them, behind others that wake the threads and tell how many that are."""
        call, (times, seconds) = self.call, self.run_for(WAKE_S, 1)
        calls = max(1, round(SAMPLE_S * times / seconds))
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) * 1e3 / calls


def fastest(makes):
    """Makes all, and keeps the one whose fastest of three samples is the shortest."""
    return min([make() for make in makes], key=lambda work: min(work.sample() for _ in range(3)))


def serve(make, about):
    current = None
    for line in sys.stdin:
        word, _, name = line.strip().partition(" ")
        answer = "nan"
        try:
            if word == "make":
                current = None
                current = make(Spec(name))
                answer = json.dumps({"checks": current.checks, "how": getattr(current, "how", "")})
            elif word == "time" and current:
                answer = current.sample()
            elif word == "about":
                answer = json.dumps(about)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:400]}", file=sys.stderr, flush=True)
            answer = json.dumps({"error": f"{type(error).__name__}: {str(error)[:100]}"})
        print(answer, flush=True)
