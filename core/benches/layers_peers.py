"""Times the training steps of `layers.rs` in turns with Keras's on its three backends and with PyTorch's modules, in one run: medians and,
behind them, the fastest samples; then ours as a part of the best of Keras and of PyTorch.

    cargo bench -p eagerflow --bench layers --no-run        # prints where the program lies
    python core/benches/layers_peers.py PROGRAM [WORKLOAD ..]

Each peer is a process of its own, which `python layers_peers.py --serve PEER` is; a line on its input asks for one sample."""
import os
import subprocess
import sys
import time
from statistics import median

THREADS = 2
SEQUENCE = (32, 64, 128)
SHAPES = {
    "attention": (SEQUENCE, SEQUENCE),
    "block": (SEQUENCE, SEQUENCE),
    "layer_norm": ((512, 512), (512, 512)),
    "batch_norm": ((512, 512), (512, 512)),
    "conv_batch_norm": ((32, 28, 28, 8), (32, 10)),
    "lstm": ((32, 50, 128), (32, 50, 128)),
    "gru": ((32, 50, 128), (32, 50, 128)),
}
KERAS = ["keras-tensorflow", "keras-jax", "keras-torch"]
TORCH = ["torch", "torch-compiled"]


def keras_steps():
    """Keras's `train_on_batch` without metrics, on tensors of the backend."""
    import keras
    from keras import layers, ops

    def attention():
        x = keras.Input(SEQUENCE[1:])
        return keras.Model(x, layers.MultiHeadAttention(4, 32)(x, x))

    def block():
        x = keras.Input(SEQUENCE[1:])
        y = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 32)(x, x))
        z = layers.Dense(128)(layers.Dense(512, activation="relu")(y))
        return keras.Model(x, layers.LayerNormalization()(y + z))

    def normed(norm):
        return keras.Sequential([layers.Dense(512), norm(), layers.Activation("relu"), layers.Dense(512), norm()])

    def conv():
        part = lambda: [layers.Conv2D(32, 3, padding="same"), layers.BatchNormalization(), layers.Activation("relu")]
        return keras.Sequential(part() + part() + [layers.GlobalAveragePooling2D(), layers.Dense(10)])

    models = {
        "attention": attention,
        "block": block,
        "layer_norm": lambda: normed(layers.LayerNormalization),
        "batch_norm": lambda: normed(layers.BatchNormalization),
        "conv_batch_norm": conv,
        "lstm": lambda: keras.Sequential([layers.LSTM(128, return_sequences=True)]),
        "gru": lambda: keras.Sequential([layers.GRU(128, return_sequences=True)]),
    }

    def step(name):
        model = models[name]()
        model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
        x, y = (ops.convert_to_tensor(keras.random.normal(shape, seed=i)) for i, shape in enumerate(SHAPES[name]))
        return lambda: float(model.train_on_batch(x, y))

    return step


def torch_steps(compiled):
    """The same models of PyTorch's modules, by a loop as its users write it; convolutions in the format that is faster on CPUs."""
    import torch
    from torch import nn

    torch.set_num_threads(THREADS)

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(128, 4, batch_first=True)

        def forward(self, x):
            return self.attention(x, x, x, need_weights=False)[0]

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention()
            self.first, self.second = nn.LayerNorm(128), nn.LayerNorm(128)
            self.feed = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))

        def forward(self, x):
            x = self.first(x + self.attention(x))
            return self.second(x + self.feed(x))

    class Recurrent(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.inner = kind(128, 128, batch_first=True)

        def forward(self, x):
            return self.inner(x)[0]

    def normed(norm):
        return nn.Sequential(nn.Linear(512, 512), norm(512), nn.ReLU(), nn.Linear(512, 512), norm(512))

    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            part = lambda i: [nn.Conv2d(i, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()]
            self.body = nn.Sequential(*part(8), *part(32)).to(memory_format=torch.channels_last)
            self.head = nn.Linear(32, 10)

        def forward(self, x):
            return self.head(self.body(x).mean((2, 3)))

    models = {
        "attention": Attention, "block": Block, "layer_norm": lambda: normed(nn.LayerNorm),
        "batch_norm": lambda: normed(nn.BatchNorm1d), "conv_batch_norm": Conv,
        "lstm": lambda: Recurrent(nn.LSTM), "gru": lambda: Recurrent(nn.GRU),
    }

    def step(name):
        model = models[name]()
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
        x, y = (torch.randn(shape) for shape in SHAPES[name])
        if name == "conv_batch_norm":
            x = x.permute(0, 3, 1, 2)
        run = torch.compile(model) if compiled else model

        def one():
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(run(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()

        return one

    return step


def serve(peer):
    if peer.startswith("keras"):
        os.environ["KERAS_BACKEND"] = peer.split("-")[1]
    if peer == "keras-tensorflow":
        import tensorflow as tf
        tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    if peer == "keras-torch":
        import torch
        torch.set_num_threads(THREADS)
    make = keras_steps() if peer.startswith("keras") else torch_steps(peer.endswith("compiled"))
    steps = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in steps:
                steps[name] = make(name)
                for _ in range(3):
                    steps[name]()
            start = time.perf_counter()
            steps[name]()
            print((time.perf_counter() - start) * 1e3, flush=True)
        except Exception as error:
            print(f"{peer} {name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr, flush=True)
            print("nan", flush=True)


def start(command):
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def ask(process, name):
    process.stdin.write(name + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def turn(process, name):
    """Two samples behind one that wakes the threads; some peers' spin for a while after their work, so each turn waits first."""
    time.sleep(0.05)
    ask(process, name)
    return [ask(process, name), ask(process, name)]


def main():
    peers = KERAS + TORCH
    processes = {"eagerflow": start([sys.argv[1], "--serve"])}
    processes |= {peer: start([sys.executable, __file__, "--serve", peer]) for peer in peers}
    print(f"{'milliseconds':<16}" + "".join(f"{name:>24}" for name in ["eagerflow", "by hand", *peers])
          + f"{'of Keras':>10}{'of PyTorch':>12}")
    for name in SHAPES:
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        columns = {"eagerflow": ("eagerflow", name), "by hand": ("eagerflow", name + " by hand")}
        columns |= {peer: (peer, name) for peer in peers}
        samples = {column: [] for column in columns}
        for _ in range(9):
            for column, (peer, workload) in columns.items():
                samples[column] += turn(processes[peer], workload)
        of = {column: (median(times), min(times)) for column, times in samples.items()}
        ratio = lambda others: of["eagerflow"][0] / min((of[o][0] for o in others if of[o][0] == of[o][0]), default=float("nan"))
        print(f"{name:<16}" + "".join(f"{m:>15.3f} ({f:>6.3f})" for m, f in of.values())
              + f"{ratio(KERAS):>10.2f}{ratio(TORCH):>12.2f}", flush=True)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "--serve" else main()
