"""Times the passes of `records.rs` in turns with `tf.data` in one run: medians of wall time, and of the processor time of all threads, which
other work on the machine does not change.

    cargo bench -p eagerflow --bench records --no-run        # prints where the program lies
    python core/benches/records_peers.py PROGRAM"""
import os
import subprocess
import sys
import tempfile
import time
from statistics import median

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import tensorflow as tf

FILES = {"large": (4096, 64 << 10), "small": (1_000_000, 100)}
TICK = os.sysconf("SC_CLK_TCK")


def processor_time(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def write(folder):
    for name, (count, size) in FILES.items():
        record = bytes(i * 31 % 251 for i in range(size))
        with tf.io.TFRecordWriter(os.path.join(folder, name)) as writer:
            for _ in range(count):
                writer.write(record)


def tensorflow(folder, name, batched):
    data = tf.data.TFRecordDataset(os.path.join(folder, name))
    data = data.batch(128) if batched else data
    steps = -(-FILES[name][0] // 128) if batched else FILES[name][0]
    start, before = time.perf_counter(), processor_time(os.getpid())
    # Python sees one element, since a loop of its own over all would take far longer. A source that is asked to skip does not read what it
    # skips; behind a step that counts, all elements are made.
    counted = data.apply(tf.data.experimental.assert_cardinality(steps))
    assert sum(1 for _ in counted.skip(steps - 1)) == 1
    return time.perf_counter() - start, processor_time(os.getpid()) - before


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        program = subprocess.Popen([sys.argv[1], "--serve", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def ours(workload):
            before = processor_time(program.pid)
            program.stdin.write(workload + "\n")
            program.stdin.flush()
            return float(program.stdout.readline()), processor_time(program.pid) - before

        for name, (count, size) in FILES.items():
            for batched in [False, True]:
                runs = {"eagerflow": [], "tf.data": []}
                for _ in range(7):
                    runs["eagerflow"].append(ours(f"{name}, {'batches' if batched else 'each'}"))
                    runs["tf.data"].append(tensorflow(folder, name, batched))
                for who, times in runs.items():
                    wall, busy = median(t[0] for t in times), median(t[1] for t in times)
                    shown = "batches of 128" if batched else "each"
                    rates = [f"{count / t / 1e6:.2f} M records/s, {count * size / t / 1e9:.2f} GB/s" for t in (wall, busy)]
                    print(f"{name}, {shown}: {who}: {rates[0]} by the clock; {rates[1]} by processor time")


if __name__ == "__main__":
    main()
