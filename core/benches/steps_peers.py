"""Times the training steps of `steps.rs` in turns with PyTorch (eager and compiled), JAX and TensorFlow (plain and by XLA), compares the losses
of the first steps, and prints medians, our traced time as a part of the best peer's and of our eager one, and each process's peak memory.

    cargo bench -p eagerflow --bench steps --no-run        # prints where the program lies
    python core/benches/steps_peers.py PROGRAM [--rounds 9] [--avx2] [--record] [NETWORK ..]

Each peer is a process of its own for each network and batch, on the same two processors, so that its peak is that of one training alone. `--avx2`
limits all to AVX2. `--record` writes the rows to `docs/performance/`, in the file of this processor, in place of those of the same networks."""
import argparse
import json
import math
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "steps"), str(HERE / "shapes")]
import record_steps
from networks import NETWORKS
from shapes_peers import PEERS_AVX2, THREADS, two_processors

BATCHES = {"vgg": (8, 32), "resnet": (8, 32), "unet": (2, 8), "mobilenet": (8, 32), "bert": (8, 32), "gpt": (4, 16), "gru": (16, 64),
           "vae": (128, 512), "mixer": (8, 32)}
OURS = ("eager", "traced")
PEERS = {"torch": ["torch_peer.py"], "compiled": ["torch_peer.py", "--compiled"], "jax": ["jax_peer.py"], "tensorflow": ["tf_peer.py"],
         "tf-xla": ["tf_peer.py", "--xla"]}
# The part of a loss by which a peer's may differ, in each of the first steps. Optimizers differ as much where gradients are tiny: PyTorch and
# Optax correct the root of Adam before they add epsilon, and Keras's Adam, as ours, adds the squares of an embedding's repeated rows apart.
TOLERANCE = 4e-3
# How long a sample is at most, in seconds: a peer whose step takes longer has fewer of them.
LONG = 1.0
# How long a peer may take for one answer, compiling or not, in seconds.
PATIENCE = 150


class Peer:
    """A process that trains one network with one batch."""

    def __init__(self, command, settings, errors):
        environment = {"OMP_NUM_THREADS": str(THREADS), "MKL_NUM_THREADS": str(THREADS), "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu",
                       "TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTEROP_THREADS": str(THREADS)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
                                        env=dict(os.environ, **environment, **settings))
        self.version = self.answer()["version"]
        self.before = self.memory("VmRSS")

    def answer(self):
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.process.kill()
            return {"error": f"no answer in {PATIENCE} s"}
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"`{' '.join(map(str, self.process.args))}` ended")
        return json.loads(line.replace("nan", "NaN"))

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()

    def memory(self, which):
        """Mebibytes, by the system."""
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith(which)) / 1024

    def forget_peak(self):
        """From now on the peak is that of steps, without what making and compiling took."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def differs(ours, theirs):
    """What two runs' losses differ in, if they do."""
    if any(not abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) for a, b in zip(ours, theirs)):
        return f"losses {', '.join(f'{x:.6g}' for x in theirs)}, not {', '.join(f'{x:.6g}' for x in ours)}"
    return None


def commands(program, name, batch):
    ours = {way: [program, "--serve", name, str(batch), way] for way in OURS}
    return ours | {peer: [sys.executable, str(HERE / "steps" / words[0]), name, str(batch), *words[1:]] for peer, words in PEERS.items()}


def measure(program, name, batch, options):
    """The row of a network and batch: each peer's median and peak, and what was to be told of it."""
    peers, made, notes = {}, {}, []
    errors = None if options.verbose else subprocess.DEVNULL
    for peer, command in commands(program, name, batch).items():
        settings = {} if not options.avx2 else {"EAGERFLOW_CPU": "avx2"} if peer in OURS else PEERS_AVX2
        peers[peer] = Peer(command, settings, errors)
        made[peer] = peers[peer].ask()
        if "error" in made[peer]:
            notes.append(f"{peer}: {made[peer]['error']}")
        elif why := differs(made["traced" if peer != "eager" else "eager"]["losses"], made[peer]["losses"]):
            notes.append(f"DIFFERS: {peer}: {why}")
    running = [peer for peer in peers if "error" not in made[peer]]
    for peer in running:
        peers[peer].ask(), peers[peer].forget_peak()
    samples = {peer: [] for peer in running}
    for _ in range(options.rounds):
        for peer in running:
            if len(samples[peer]) >= 3 and median(samples[peer]) > 1e3 * LONG:
                continue
            # The first step wakes the threads; some peers' spin for a while after their work, so each turn waits first.
            time.sleep(0.05)
            peers[peer].ask()
            samples[peer] += [peers[peer].ask(), peers[peer].ask()]
    times = {peer: median(samples[peer]) if peer in running else math.nan for peer in peers}
    memory = {peer: (peers[peer].memory("VmHWM"), peers[peer].before) for peer in peers}
    versions = {peer: process.version for peer, process in peers.items()}
    for process in peers.values():
        process.end()
    best = min((peer for peer in PEERS if peer in running), key=times.get)
    return {"name": f"{name} {batch}", "times": times, "memory": memory, "versions": versions, "best": best, "how": made["torch"].get("how", ""),
            "of_best": times["traced"] / times[best], "of_eager": times["traced"] / times["eager"], "notes": notes}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("networks", nargs="*", help="names of networks, all unless there are some")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--avx2", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="what the peers tell on standard error")
    options = parser.parse_intermixed_args()
    if unknown := set(options.networks) - set(NETWORKS):
        parser.error(f"no such network: {', '.join(sorted(unknown))}; there are {', '.join(NETWORKS)}")
    return options


def summary(rows):
    good = [row["of_best"] for row in rows if not row["notes"]]
    if not good:
        return "no row counts"
    mean = math.exp(sum(map(math.log, good)) / len(good))
    return f"traced ahead of the best peer in {sum(x < 1 for x in good)} of {len(good)}; geometric mean {mean:.3f}, worst {max(good):.2f}; " \
           f"traced over eager at most {max(row['of_eager'] for row in rows):.2f}"


def main():
    options = arguments()
    os.sched_setaffinity(0, two_processors())
    columns = [*OURS, *PEERS]
    print(f"{'milliseconds, medians of ' + str(2 * options.rounds):<28}" + "".join(f"{column:>12}" for column in columns)
          + f"{'of best':>9}{'of eager':>9}")
    rows = []
    for name in options.networks or NETWORKS:
        for batch in BATCHES[name]:
            row = measure(options.program, name, batch, options)
            rows.append(row)
            print(f"{row['name']:<28}" + "".join(f"{row['times'][column]:>12.3f}" for column in columns)
                  + f"{row['of_best']:>9.2f}{row['of_eager']:>9.2f}  " + "; ".join([row["best"], *filter(None, [row["how"]]), *row["notes"]]))
            print(f"{'  peak MiB (before)':<28}" + "".join(f"{f'{peak:.0f} ({before:.0f})':>12}" for peak, before in
                                                         (row["memory"][column] for column in columns)), flush=True)
            if options.record:
                path = record_steps.write(rows, columns, options)
    print(summary(rows))
    if options.record:
        print("recorded in", path)
    return any(row["notes"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
