"""Times the workloads of `nn.rs` in turns with PyTorch's, in one run: medians, and the first as a part of the second.

    cargo bench -p eagerflow --bench nn --no-run        # prints where the program lies
    python core/benches/beside_torch.py PROGRAM [THREADS]
"""
import subprocess
import sys
import time
from statistics import median

import torch
import torch.nn.functional as F

torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 2)


def attention(shape, causal, gradient):
    q, k, v = (torch.randn(shape, requires_grad=gradient) for _ in range(3))
    owed = torch.ones(shape)

    def step():
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        if gradient:
            torch.autograd.grad(y, (q, k, v), owed)
    return step


def norm(kind, gradient):
    x = torch.randn(4096, 768, requires_grad=gradient)
    scale, offset = torch.ones(768, requires_grad=gradient), torch.zeros(768, requires_grad=gradient)
    owed = torch.ones(4096, 768)

    def step():
        if kind == "layer_norm":
            y, sources = F.layer_norm(x, (768,), scale, offset), (x, scale, offset)
        else:
            y, sources = F.rms_norm(x, (768,), scale, 1e-6), (x, scale)
        if gradient:
            torch.autograd.grad(y, sources, owed)
    return step


WORKLOADS = {}
for shape in [(4, 8, 512, 64), (1, 8, 4096, 64)]:
    for causal in [False, True]:
        for gradient in [False, True]:
            WORKLOADS[f"attention {shape[2]} {int(causal)} {int(gradient)}"] = attention(shape, causal, gradient)
for kind in ["layer_norm", "rms_norm"]:
    for gradient in [False, True]:
        WORKLOADS[f"{kind} {int(gradient)}"] = norm(kind, gradient)

ours = subprocess.Popen([sys.argv[1], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def our_time(name):
    ours.stdin.write(name + "\n")
    ours.stdin.flush()
    return float(ours.stdout.readline())


def torch_time(step):
    start = time.perf_counter()
    step()
    return (time.perf_counter() - start) * 1e3


print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads; milliseconds")
for name, step in WORKLOADS.items():
    rounds = 9 if "4096" in name else 15
    for _ in range(2):
        our_time(name), step()
    samples = [(our_time(name), torch_time(step)) for _ in range(rounds)]
    a, b = (median(column) for column in zip(*samples))
    print(f"{name:<24} {a:>10.2f} {b:>10.2f} {a / b:>8.2f}", flush=True)
