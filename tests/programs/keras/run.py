"""Runs the Keras programs and prints what came out and how long it took: python run.py [NAME ..]"""

import importlib
import os
import sys
import tempfile
import time

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

ARGUMENTS = {
    "vae": [10],
    "transformer": [8],
    "lstm": [10],
    "reinforce": [30],
    "ode_fit": [150],
    "dcgan": [20],
    "images": [10],
}


def run(name):
    program = importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = [os.path.join(folder, "best.weights.h5")]
        begin = time.perf_counter()
        result = program.run(
            *ARGUMENTS[name], *(checkpoint if name == "images" else [])
        )
        return result, time.perf_counter() - begin


for name in sys.argv[1:] or ARGUMENTS:
    result, seconds = run(name)
    # Pictures are too long to print.
    numbers = [value for value in result if getattr(value, "ndim", 0) < 3]
    print(f"{name}: {', '.join(map(str, numbers))} ({seconds:.1f} s)")
