"""Times the epochs of `data.rs` in turns with `tf.data` and PyTorch's `DataLoader`, in one run: medians in thousands of images a second, and
ours as a multiple of the best peer.

    cargo bench -p eagerflow --bench data --no-run        # prints where the program lies
    python core/benches/data_peers.py PROGRAM"""
import os
import subprocess
import sys
import time
from statistics import median

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf
import torch

IMAGES = 60_000
AUTO = tf.data.AUTOTUNE
PIXELS = ((np.arange(IMAGES * 28 * 28, dtype=np.int64) * 31) % 251).astype(np.uint8).reshape(IMAGES, 28, 28)


def scaled(x):
    return tf.cast(x, tf.float32) / 255.0


def shuffled():
    return tf.data.Dataset.from_tensor_slices(PIXELS).shuffle(1000)


class Images(torch.utils.data.Dataset):
    """Images one by one, or whole batches where it is asked for a list."""

    def __init__(self):
        self.pixels = torch.from_numpy(PIXELS)

    def __len__(self):
        return IMAGES

    def __getitem__(self, index):
        return self.pixels[index].float() / 255.0


def loader(workers, batched):
    if not batched:
        return torch.utils.data.DataLoader(Images(), batch_size=32, shuffle=True, num_workers=workers)
    images = Images()
    order = torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(images), 32, False)
    return torch.utils.data.DataLoader(images, sampler=order, batch_size=None, num_workers=workers)


PEERS = {
    "each image": {
        "tf.data": shuffled().map(scaled).batch(32).prefetch(AUTO),
        "tf.data, parallel": shuffled().map(scaled, num_parallel_calls=AUTO).batch(32).prefetch(AUTO),
        "DataLoader": loader(0, False),
        "DataLoader, 2 workers": loader(2, False),
    },
    "batch before map": {
        "tf.data": shuffled().batch(32).map(scaled).prefetch(AUTO),
        "tf.data, parallel": shuffled().batch(32).map(scaled, num_parallel_calls=AUTO).prefetch(AUTO),
        "DataLoader": loader(0, True),
        "DataLoader, 2 workers": loader(2, True),
    },
}
OURS = {"each image": ["each image", "each image, in parallel"], "batch before map": ["batch before map"]}


def epoch(data):
    start = time.perf_counter()
    assert sum(batch.shape[0] for batch in data) == IMAGES
    return time.perf_counter() - start


def main():
    torch.set_num_threads(2)
    program = subprocess.Popen([sys.argv[1], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(name):
        program.stdin.write(name + "\n")
        program.stdin.flush()
        return float(program.stdout.readline())

    print(f"TensorFlow {tf.__version__}, PyTorch {torch.__version__}; thousands of images a second")
    for family, peers in PEERS.items():
        columns = {f"eagerflow, {name}": (lambda name=name: ask(name)) for name in OURS[family]}
        columns |= {name: (lambda data=data: epoch(data)) for name, data in peers.items()}
        times = {name: [] for name in columns}
        for round in range(4):
            for name, run in columns.items():
                time.sleep(0.05)
                taken = run()
                if round > 0:
                    times[name].append(taken)
        rates = {name: IMAGES / median(all) / 1e3 for name, all in times.items()}
        for name, rate in rates.items():
            print(f"{family:<18}{name:<38}{rate:>10.1f}")
        best = max(rate for name, rate in rates.items() if not name.startswith("eagerflow"))
        ours = max(rate for name, rate in rates.items() if name.startswith("eagerflow"))
        print(f"{family:<18}{'ours, of the best peer':<38}{ours / best:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
