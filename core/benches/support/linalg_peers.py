"""What NumPy with SciPy and PyTorch take for a round of `benches/linalg.rs`: a line "function batch n" comes in, a line with the
microseconds per call of both goes out. Batches that a library has no function for go matrix by matrix."""
import sys
import time

import numpy as np
import scipy.linalg
import torch


def each(f):
    return lambda a, b: [f(x, y) for x, y in zip(a, b)] if a.ndim == 3 else f(a, b)


NUMPY = {
    "cholesky": lambda a, b: np.linalg.cholesky(a),
    "solve": lambda a, b: np.linalg.solve(a, b),
    "inv": lambda a, b: np.linalg.inv(a),
    "det": lambda a, b: np.linalg.det(a),
    "lu": each(lambda a, b: scipy.linalg.lu_factor(a)),
    "qr": lambda a, b: np.linalg.qr(a),
    "svd": lambda a, b: np.linalg.svd(a, full_matrices=False),
    "eigh": lambda a, b: np.linalg.eigh(a),
    "eig": lambda a, b: np.linalg.eig(a),
    "lstsq": each(lambda a, b: np.linalg.lstsq(a, b, rcond=None)),
}
TORCH = {
    "cholesky": lambda a, b: torch.linalg.cholesky(a),
    "solve": lambda a, b: torch.linalg.solve(a, b),
    "inv": lambda a, b: torch.linalg.inv(a),
    "det": lambda a, b: torch.linalg.det(a),
    "lu": lambda a, b: torch.linalg.lu_factor(a),
    "qr": lambda a, b: torch.linalg.qr(a),
    "svd": lambda a, b: torch.linalg.svd(a, full_matrices=False),
    "eigh": lambda a, b: torch.linalg.eigh(a),
    "eig": lambda a, b: torch.linalg.eig(a),
    "lstsq": lambda a, b: torch.linalg.lstsq(a, b),
}


def matrices(batch, n):
    shape = (n, n) if batch == 1 else (batch, n, n)
    rng = np.random.default_rng(1)
    x = rng.uniform(size=shape)
    return x + np.swapaxes(x, -1, -2) + 2.0 * n * np.eye(n), rng.uniform(size=shape[:-1] + (1,))


def round_of(f, a, b):
    start, calls = time.perf_counter(), 0
    while calls == 0 or time.perf_counter() - start < 0.03:
        f(a, b)
        calls += 1
    return (time.perf_counter() - start) * 1e6 / calls


made = {}
for line in sys.stdin:
    name, batch, n = line.split()
    key = int(batch), int(n)
    if key not in made:
        made[key] = matrices(*key)
    a, b = made[key]
    with_numpy = round_of(NUMPY[name], a, b)
    with_torch = round_of(TORCH[name], torch.from_numpy(a), torch.from_numpy(b))
    print(with_numpy, with_torch, flush=True)
