"""Times the scalars of `summary.rs` in turns with `tf.summary`, in one run: medians in microseconds, and TensorFlow's as multiples of ours.

    cargo bench -p eagerflow --bench summary --no-run        # prints where the program lies
    python core/benches/summary_peers.py PROGRAM"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import tensorflow as tf

SCALARS = 20_000
STEPS = 2_000


def scalars():
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        start = time.perf_counter()
        for step in range(SCALARS):
            tf.summary.scalar("loss", 0.5, step=step)
        writer.flush()
        taken = time.perf_counter() - start
    writer.close()
    shutil.rmtree(folder)
    return taken / SCALARS


def steps(with_scalars):
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)
    w, step, x = tf.Variable(1.0), tf.Variable(0, dtype=tf.int64), tf.ones([32, 32])

    @tf.function
    def run():
        y = tf.reduce_sum(tf.matmul(x, x) * w)
        w.assign_add(0.001)
        if with_scalars:
            for name in "abcdefghij":
                tf.summary.scalar(name, y, step=step)
        step.assign_add(1)
        return y

    with writer.as_default():
        for _ in range(50):
            run()
        start = time.perf_counter()
        for _ in range(STEPS):
            run()
        taken = time.perf_counter() - start
    writer.close()
    shutil.rmtree(folder)
    return taken / STEPS


def main():
    program = subprocess.Popen([sys.argv[1], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(name):
        program.stdin.write(name + "\n")
        program.stdin.flush()
        return float(program.stdout.readline())

    columns = {
        ("a scalar, in the file", "eagerflow"): lambda: ask("scalars") / 1e6,
        ("a scalar, in the file", "tf.summary"): scalars,
        ("a scalar, for its caller", "eagerflow"): lambda: ask("calls") / 1e6,
        ("a traced step", "eagerflow"): lambda: ask("step"),
        ("a traced step", "tf.summary"): lambda: steps(False),
        ("a traced step with ten scalars", "eagerflow"): lambda: ask("step with scalars"),
        ("a traced step with ten scalars", "tf.summary"): lambda: steps(True),
    }
    times = {name: [] for name in columns}
    for round in range(6):
        for name, run in columns.items():
            time.sleep(0.05)
            taken = run()
            if round > 0:
                times[name].append(taken)
    print(f"TensorFlow {tf.__version__}; microseconds")
    medians = {name: median(all) * 1e6 for name, all in times.items()}
    for (what, who), micros in medians.items():
        print(f"{what:<34}{who:<12}{micros:>10.3f}")
    ours, theirs = (medians["a scalar, in the file", who] for who in ["eagerflow", "tf.summary"])
    print(f"{'scalars':<34}{'as fast':<12}{theirs / ours:>9.1f}x")
    for who in ["eagerflow", "tf.summary"]:
        more = medians["a traced step with ten scalars", who] - medians["a traced step", who]
        print(f"{'ten scalars in a traced step':<34}{who:<12}{more:>10.3f}")


if __name__ == "__main__":
    main()
