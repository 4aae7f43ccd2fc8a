"""Times the workloads of `nn.rs` in turns with PyTorch's, two samples a turn, in one run: medians, the fastest samples, which say more where
the machine is not alone, and the first of each pair as a part of the second.

    cargo bench -p eagerflow --bench nn --no-run        # prints where the program lies
    python core/benches/beside_torch.py PROGRAM [THREADS [WORKLOAD ..]]
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


def windows(call, *shapes):
    """The call on random operands in PyTorch's own order of axes, as a workload without and with gradients."""
    def workload(gradient):
        operands = [torch.randn(shape, requires_grad=gradient) for shape in shapes]
        owed = torch.ones_like(call(*operands))

        def step():
            y = call(*operands)
            if gradient:
                torch.autograd.grad(y, operands, owed)
        return step
    return workload


WINDOWS = {
    "conv1d": windows(lambda x, w: F.conv1d(x, w, padding=1), (16, 64, 1024), (64, 64, 3)),
    "conv2d": windows(lambda x, w: F.conv2d(x, w, padding=1), (16, 64, 32, 32), (64, 64, 3, 3)),
    "conv2d_1x1": windows(lambda x, w: F.conv2d(x, w), (16, 128, 32, 32), (128, 128, 1, 1)),
    "conv2d_stride": windows(lambda x, w: F.conv2d(x, w, stride=2), (16, 32, 65, 65), (64, 32, 3, 3)),
    "conv2d_dilated": windows(lambda x, w: F.conv2d(x, w, padding=2, dilation=2), (16, 64, 32, 32), (64, 64, 3, 3)),
    "conv2d_groups": windows(lambda x, w: F.conv2d(x, w, padding=1, groups=4), (16, 64, 32, 32), (64, 16, 3, 3)),
    "depthwise_conv2d": windows(lambda x, w: F.conv2d(x, w, padding=1, groups=64), (16, 64, 64, 64), (64, 1, 3, 3)),
    "separable_conv2d": windows(lambda x, w, v: F.conv2d(F.conv2d(x, w, padding=1, groups=64), v),
                                (16, 64, 32, 32), (64, 1, 3, 3), (64, 64, 1, 1)),
    "conv2d_transpose": windows(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), (16, 64, 16, 16), (64, 32, 4, 4)),
    "conv3d": windows(lambda x, w: F.conv3d(x, w, padding=1), (2, 16, 16, 32, 32), (32, 16, 3, 3, 3)),
    "max_pool2d": windows(lambda x: F.max_pool2d(x, 2), (16, 64, 64, 64)),
    "avg_pool2d": windows(lambda x: F.avg_pool2d(x, 2), (16, 64, 64, 64)),
    "max_pool3d": windows(lambda x: F.max_pool3d(x, 2), (4, 32, 16, 32, 32)),
}

WORKLOADS = {}
for shape in [(4, 8, 512, 64), (1, 8, 4096, 64)]:
    for causal in [False, True]:
        for gradient in [False, True]:
            WORKLOADS[f"attention {shape[2]} {int(causal)} {int(gradient)}"] = attention(shape, causal, gradient)
for kind in ["layer_norm", "rms_norm"]:
    for gradient in [False, True]:
        WORKLOADS[f"{kind} {int(gradient)}"] = norm(kind, gradient)
for kind, workload in WINDOWS.items():
    for gradient in [False, True]:
        WORKLOADS[f"{kind} {int(gradient)}"] = workload(gradient)

ours = subprocess.Popen([sys.argv[1], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def our_time(name):
    ours.stdin.write(name + "\n")
    ours.stdin.flush()
    return float(ours.stdout.readline())


def torch_time(step):
    start = time.perf_counter()
    step()
    return (time.perf_counter() - start) * 1e3


def turn(sample):
    """Two samples behind one that wakes the threads; those of PyTorch spin for a while after their work, so each turn waits first."""
    time.sleep(0.02)
    sample()
    return [sample(), sample()]


print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads; milliseconds")
for name, step in WORKLOADS.items():
    if sys.argv[3:] and not any(name.startswith(start) for start in sys.argv[3:]):
        continue
    rounds = 5 if "4096" in name else 9
    samples = [(turn(lambda: our_time(name)), turn(lambda: torch_time(step))) for _ in range(rounds)]
    ours_all, torch_all = (sum(column, []) for column in zip(*samples))
    pairs = [(median(ours_all), median(torch_all)), (min(ours_all), min(torch_all))]
    print(f"{name:<24}" + "".join(f" {a:>10.2f} {b:>10.2f} {a / b:>8.2f}" for a, b in pairs), flush=True)
