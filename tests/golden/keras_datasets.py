"""Small files of the forms that Keras's data sets have, and what Keras reads from them: the folder `keras_datasets` and `keras_datasets.json`.

The batches of CIFAR-10 are pickled as Python 2 did, whose strings have instructions of their own; every other file is NumPy's.
"""
import io
import json
import os
import pickle
import tarfile

import keras.src.datasets.imdb as imdb
import keras.src.datasets.mnist as mnist
import numpy as np
from keras.src.datasets.cifar import load_batch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keras_datasets")


class Python2(pickle._Pickler):
    """Writes `bytes` as the strings of Python 2."""
    dispatch = dict(pickle._Pickler.dispatch)

    def save_string(self, value):
        head = b"U" + bytes([len(value)]) if len(value) < 256 else b"T" + len(value).to_bytes(4, "little")
        self.write(head + value)
        self.memoize(value)

    dispatch[bytes] = save_string


def batch(number):
    line = np.arange(3072, dtype=np.uint8) // 3 * (number + 1)
    return {b"batch_label": b"training batch", b"labels": [number, 9 - number], b"data": np.stack([line, line[::-1]]),
            b"filenames": [b"a.png", b"b.png"]}


def pickled(value):
    file = io.BytesIO()
    Python2(file, 2).dump(value)
    return file.getvalue().replace(b"cnumpy._core.multiarray", b"cnumpy.core.multiarray")


def cifar(name, names):
    path = os.path.join(FOLDER, name)
    recorded = []
    with tarfile.open(path, "w:gz") as archive:
        for number, own in enumerate(names):
            content = pickled(batch(number))
            info = tarfile.TarInfo("cifar-10-batches-py/" + own)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
            with open("/tmp/batch", "wb") as file:
                file.write(content)
            images, labels = load_batch("/tmp/batch")
            recorded.append({"images": images.transpose(0, 2, 3, 1)[:, ::31, ::7].tolist(), "labels": labels})
    return recorded


def from_file(module, name, **options):
    """What `load_data` answers when the file is there."""
    module.get_file = lambda **_: os.path.join(FOLDER, name)
    (x, y), (x_test, y_test) = module.load_data(**options)
    return [[list(row) if isinstance(row, list) else row.tolist() for row in part] for part in (x, y, x_test, y_test)]


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    random = np.random.default_rng(0)
    digits = lambda count: (np.arange(count * 784).reshape(count, 28, 28) // 5).astype("u1")
    np.savez_compressed(os.path.join(FOLDER, "mnist.npz"), x_train=digits(3), y_train=np.array([5, 0, 4], "u1"),
                        x_test=digits(2), y_test=np.array([7, 2], "u1"))
    reviews = lambda count: np.array([random.integers(1, 300 if n % 3 else 30, random.integers(1, 12)).tolist()
                                      for n in range(count)], dtype=object)
    np.savez(os.path.join(FOLDER, "imdb.npz"), x_train=reviews(9), y_train=np.arange(9) % 2, x_test=reviews(7), y_test=np.arange(7) % 3 % 2)
    batches = [f"data_batch_{n}" for n in range(1, 6)] + ["test_batch"]
    record = {
        "mnist": from_file(mnist, "mnist.npz"),
        "cifar10": cifar("cifar-10-python.tar.gz", batches),
        "imdb": {
            "": from_file(imdb, "imdb.npz"),
            "words": from_file(imdb, "imdb.npz", num_words=100, skip_top=9),
            "short": from_file(imdb, "imdb.npz", maxlen=6, seed=7),
            "bare": from_file(imdb, "imdb.npz", num_words=200, start_char=None, oov_char=None, index_from=0),
        },
    }
    with open(os.path.join(os.path.dirname(FOLDER), "keras_datasets.json"), "w") as file:
        json.dump(record, file)
        file.write("\n")
