"""Times the workloads of `shapes.rs` in turns with PyTorch and JAX, compares their results once, and prints medians, our time as a part of the
best peer's, and for each family the geometric mean and the worst shape.

    cargo bench -p eagerflow --bench shapes --no-run        # prints where the program lies
    python core/benches/shapes_peers.py PROGRAM [--rounds 9] [--avx2] [--record] [FAMILY or beginning of a line of the grid ..]

Each peer is a process of its own on the same two processors; a line on its input asks for one sample. Where samples are far apart, all peers
are asked again. `--avx2` limits all to AVX2. `--record` writes what was measured to `docs/performance/`, in the file of this processor, in
place of what stands there for the same instruction set."""
import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles

HERE = Path(__file__).resolve().parent / "shapes"
sys.path.insert(0, str(HERE))
import record

THREADS = 2
PEERS = {"torch": "torch_peer.py", "jax": "jax_peer.py"}
OURS_AVX2 = {"EAGERFLOW_CPU": "avx2"}
# YNNPACK follows no limit, so XLA does without: its products go to oneDNN. With reductions by it, attention is products with AVX-512 again.
PEERS_AVX2 = {
    "ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "XLA_FLAGS": "--xla_cpu_max_isa=AVX2 --xla_cpu_experimental_ynn_fusion_type=",
}
# Parts of a result's norm by which two of them may differ.
TOLERANCE, COARSE = 1e-3, 1e-2
# Samples whose quartiles lie further apart, as a part of the median, were disturbed: all peers are asked again, as often as twice.
STEADY, AGAIN = 0.15, 2


def grid():
    """The lines of each family."""
    families = {}
    for line in (HERE / "grid.txt").read_text().splitlines():
        line = line.strip()
        if line.startswith("["):
            lines = families.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return families


def two_processors():
    """As many processors as threads, on cores of their own."""
    cores = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.setdefault(siblings.read_text() if siblings.exists() else cpu, cpu)
    return list(cores.values())[:THREADS]


class Peer:
    def __init__(self, command, settings):
        environment = {"OMP_NUM_THREADS": str(THREADS), "MKL_NUM_THREADS": str(THREADS), "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **environment, **settings))

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"the process that was asked to `{line}` ended")
        return json.loads(answer.replace("nan", "NaN"))

    def sample(self):
        """One sample; some peers' threads spin for a while after their work, so each turn waits first."""
        time.sleep(0.03)
        return self.ask("time")


def differs(ours, theirs, name):
    """What two workloads' results differ in, if they do."""
    if len(ours) != len(theirs):
        return f"{len(ours)} results and {len(theirs)}"
    part = COARSE if "bf16" in name else TOLERANCE
    for i, (a, b) in enumerate(zip(ours, theirs)):
        limit = part * max(abs(a[0]), abs(b[0]))
        if not all(abs(x - y) <= limit for x, y in zip(a, b)):
            return f"result {i}: norm {a[0]:.6g} and {b[0]:.6g}, probe {a[1]:.6g} and {b[1]:.6g}"
    return None


def steady(samples):
    """Whether the middle half of the samples lies close together; of few samples nobody can tell, and slow ones are not worth the time."""
    middle = median(samples)
    if len(samples) < 4 or middle > 150:
        return True
    low, _, high = quantiles(samples, n=4)
    return high - low <= STEADY * middle


def measure(peers, name, rounds):
    """The row of a workload: each peer's median, or nan where it failed or computes something else, and what was to be told of it."""
    made, notes = {peer: process.ask(f"make {name}") for peer, process in peers.items()}, []
    for peer, answer in made.items():
        if "error" in answer:
            notes.append(f"{peer}: {answer['error']}")
        elif peer != "eagerflow" and "error" not in made["eagerflow"]:
            why = differs(made["eagerflow"]["checks"], answer["checks"], name)
            notes += [f"DIFFERS from {peer}: {why}"] if why else []
    running = [peer for peer, answer in made.items() if "error" not in answer]
    samples = {peer: [] for peer in running}
    for _ in range(1 + AGAIN):
        for _ in range(rounds):
            for peer in running:
                samples[peer].append(peers[peer].sample())
        if all(steady(taken) for taken in samples.values()):
            break
    times = {peer: median(samples[peer]) if peer in samples else math.nan for peer in peers}
    others = [times[peer] for peer in PEERS if not math.isnan(times[peer])]
    ratio = times["eagerflow"] / min(others) if others else math.nan
    ours = made["eagerflow"]
    rate = f"{ours['amount'] / (times['eagerflow'] * 1e-3):.2f} {ours['unit']}/s" if "amount" in ours else ""
    how = made["torch"].get("how", "")
    return {"name": name, "times": times, "ratio": ratio, "rate": rate, "how": how, "notes": notes}


def digits(milliseconds):
    return f"{milliseconds:.5f}" if milliseconds < 1 else f"{milliseconds:.3f}"


def summary(rows):
    """The geometric mean of the ratios and the worst row, of those that were measured and agree."""
    good = [row for row in rows if not math.isnan(row["ratio"]) and not row["notes"]]
    if not good:
        return None
    worst = max(good, key=lambda row: row["ratio"])
    mean = math.exp(sum(math.log(row["ratio"]) for row in good) / len(good))
    return {"count": len(good), "mean": mean, "worst": worst["ratio"], "name": worst["name"]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("words", nargs="*", help="families, or beginnings of lines of the grid")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--avx2", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_intermixed_args()
    if options.record and options.words:
        parser.error("a record is of the whole grid: leave the families and lines out")
    return options


def main():
    options = arguments()
    os.sched_setaffinity(0, two_processors())
    peers = {"eagerflow": Peer([options.program, "--serve"], OURS_AVX2 if options.avx2 else {})}
    peers |= {name: Peer([sys.executable, str(HERE / file)], PEERS_AVX2 if options.avx2 else {}) for name, file in PEERS.items()}
    about = {peer: process.ask("about") for peer, process in peers.items()}
    print(", ".join(f"{peer} {told['version']} ({told['path']}, {told['threads']} threads)" for peer, told in about.items()))
    print(f"{'milliseconds, medians of ' + str(options.rounds):<46}" + "".join(f"{peer:>12}" for peer in peers) + f"{'ratio':>8}")
    families = {}
    for family, lines in grid().items():
        wanted = [line for line in lines if not options.words or any(family == w or line.startswith(w) for w in options.words)]
        for name in wanted:
            row = measure(peers, name, options.rounds)
            families.setdefault(family, []).append(row)
            print(f"{name:<46}" + "".join(f"{digits(time):>12}" for time in row["times"].values()) + f"{row['ratio']:>8.2f}  "
                  + "; ".join([f"{row['rate']:>16}", *filter(None, [row["how"]]), *row["notes"]]), flush=True)
    summaries = {family: summary(rows) for family, rows in families.items()}
    for family, found in summaries.items():
        if found:
            print(f"{family}: geometric mean {found['mean']:.3f} of {found['count']}; worst {found['worst']:.2f}, {found['name']}")
    for row in (row for rows in families.values() for row in rows if row["notes"]):
        print(f"NOT COUNTED: {row['name']}: {'; '.join(row['notes'])}")
    if options.record:
        print("recorded in", record.write(about, families, summaries, options.rounds))
    return any(row["notes"] for rows in families.values() for row in rows)


if __name__ == "__main__":
    sys.exit(main())
