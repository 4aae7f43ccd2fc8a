"""Runs the Keras programs and prints what came out and how long it took.

python run.py [NAME ..]
"""

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


def main(names):
    for name in names or ARGUMENTS:
        arguments = list(ARGUMENTS[name])
        with tempfile.TemporaryDirectory() as folder:
            if name == "images":
                arguments.append(os.path.join(folder, "best.weights.h5"))
            program = importlib.import_module(name)
            begin = time.perf_counter()
            result = program.run(*arguments)
            seconds = time.perf_counter() - begin
        print(f"{name}{arguments}: {seconds:.1f} s")
        for value in result:
            print(
                "   ",
                (
                    getattr(value, "shape", None)
                    if getattr(value, "size", 0) > 9
                    else value
                ),
            )


if __name__ == "__main__":
    main(sys.argv[1:])
