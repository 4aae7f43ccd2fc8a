"""Makes 2,000 JPEG files of 256 by 256 and times the epochs of `images.rs` over them in turns with `tf.data` and torchvision, in one run:
medians in images a second, and ours as a multiple of the best peer.

    cargo bench -p eagerflow --bench images --no-run      # prints where the program lies
    python core/benches/images_peers.py PROGRAM [FOLDER]

torchvision and TensorFlow do not load into one process everywhere, so torchvision runs in a process of its own, as ours does."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from statistics import median

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
COUNT, SIDE, CROP = 2000, 256, 224
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def make(folder):
    import numpy as np
    import tensorflow as tf

    y, x = np.mgrid[0:SIDE, 0:SIDE]
    for i in range(COUNT):
        rng = np.random.default_rng(i)
        image = tf.image.resize(rng.random((1, 9, 9, 3), "f") * 255, [SIDE, SIDE], "bicubic").numpy()[0]
        image += 25 * np.sin(x / (2 + rng.random() * 9))[..., None] + rng.normal(0, 6, (SIDE, SIDE, 3))
        data = tf.io.encode_jpeg(np.clip(image, 0, 255).astype("u1"), quality=90).numpy()
        (folder / f"{i:04}.jpg").write_bytes(data)


def torch_server(folder):
    import torch
    import torchvision
    from torchvision.transforms import v2

    class Images(torch.utils.data.Dataset):
        def __init__(self):
            self.paths = sorted(str(path) for path in folder.iterdir())
            self.steps = v2.Compose([v2.RandomCrop(CROP), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True),
                                     v2.Normalize(MEAN, STD)])

        def __len__(self):
            return len(self.paths)

        def __getitem__(self, index):
            return self.steps(torchvision.io.decode_jpeg(torchvision.io.read_file(self.paths[index])))

    torch.set_num_threads(2)
    images = Images()
    loaders = {f"torchvision, {workers} workers": torch.utils.data.DataLoader(
        images, 32, num_workers=workers, persistent_workers=workers > 0) for workers in (0, 1, 2)}
    print(f"PyTorch {torch.__version__}, torchvision {torchvision.__version__}|" + "|".join(loaders), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        assert sum(batch.shape[0] for batch in loaders[line.strip()]) == COUNT
        print(time.perf_counter() - start, flush=True)


def tensorflow_epochs(folder):
    import tensorflow as tf

    auto, files = tf.data.AUTOTUNE, tf.data.Dataset.from_tensor_slices(sorted(str(path) for path in folder.iterdir()))

    def finished(image):
        image = tf.image.random_flip_left_right(image)
        return (tf.cast(image, tf.float32) / 255.0 - MEAN) / STD

    def whole(path):
        return finished(tf.image.random_crop(tf.io.decode_jpeg(tf.io.read_file(path), 3), [CROP, CROP, 3]))

    def window(path):
        corner = tf.random.uniform([2], 0, SIDE - CROP + 1, tf.int32)
        return finished(tf.io.decode_and_crop_jpeg(tf.io.read_file(path), tf.concat([corner, [CROP, CROP]], 0), 3))

    def epoch(data):
        start = time.perf_counter()
        assert sum(batch.shape[0] for batch in data) == COUNT
        return time.perf_counter() - start

    all = {}
    for name, step in (("decoded whole", whole), ("only the window", window)):
        data = files.map(step, num_parallel_calls=auto).batch(32).prefetch(auto)
        all[f"tf.data, {name}"] = lambda data=data: epoch(data)
    return all


def server(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(program, name):
    program.stdin.write(name + "\n")
    program.stdin.flush()
    return float(program.stdout.readline())


def main(program, folder):
    if not any(folder.iterdir()):
        make(folder)
    ours = server([program, "--serve", str(folder)])
    torch = server([sys.executable, __file__, "--torch", str(folder)])
    version, *loaders = torch.stdout.readline().strip().split("|")
    import tensorflow as tf

    columns = {f"eagerflow, {name}": (lambda name=name: ask(ours, name)) for name in ("decoded whole", "only the window")}
    columns |= tensorflow_epochs(folder)
    columns |= {name: (lambda name=name: ask(torch, name)) for name in loaders}
    print(f"TensorFlow {tf.__version__}, {version}; images a second")
    times = {name: [] for name in columns}
    for round in range(6):
        for name, run in columns.items():
            time.sleep(0.05)
            taken = run()
            if round > 0:
                times[name].append(taken)
    rates = {name: COUNT / median(all) for name, all in times.items()}
    for name, rate in rates.items():
        print(f"{name:<32}{rate:>10.0f}")
    best = max(rate for name, rate in rates.items() if not name.startswith("eagerflow"))
    for name, rate in rates.items():
        if name.startswith("eagerflow"):
            print(f"{name + ', of the best peer':<50}{rate / best:>6.2f}")


if __name__ == "__main__":
    if sys.argv[1] == "--torch":
        torch_server(pathlib.Path(sys.argv[2]))
    elif len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
        main(sys.argv[1], pathlib.Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(sys.argv[1], pathlib.Path(folder))
