"""The record of a processor: `docs/performance/<processor>.md`, with a section for each instruction set that was measured on it.
`shapes_peers.py` calls it behind `--record`."""
import math
import os
import re
from datetime import date
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "performance"


def processor():
    """The name of the processor and its other marks, from the system."""
    marks = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        marks.setdefault(key.strip(), value.strip())
    return marks.get("model name", "unknown processor"), {key: marks.get(key, "?") for key in ("vendor_id", "cpu family", "model", "stepping")}


def caches():
    """Each cache of the first processor: level, kind, size, and which processors share it."""
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size, shared = ((folder / name).read_text().strip() for name in ("level", "type", "size", "shared_cpu_list"))
        found.append(f"L{level} {kind.lower()} {size} (processors {shared})")
    return found


def slug(name, marks):
    """Virtual machines hide the model behind a short name, so its numbers are part of the file's."""
    name = re.sub(r"\((r|tm)\)|@.*|\bcpu\b", " ", name.lower())
    numbers = "-".join(marks[key] for key in ("cpu family", "model", "stepping"))
    return re.sub(r"[^a-z0-9]+", "-", f"{name} {numbers}").strip("-")


def milliseconds(time):
    return "-" if math.isnan(time) else f"{time:.4g}"


def section(about, families, summaries, rounds):
    ours, peers = about["eagerflow"], [peer for peer in about if peer != "eagerflow"]
    versions = ", ".join(f"{peer} {about[peer]['version']}" for peer in peers)
    lines = [f"## {ours['path']}", "", f"{date.today()}: eagerflow {ours['version']} beside {versions}; {ours['threads']} threads each, in turns, "
             f"medians of {rounds} samples of about 20 ms (up to three times as many where they lie far apart) in milliseconds; the last columns are our time as a part of the best peer's, what we compute or move per "
             f"second, and how PyTorch ran. The load of the machine at the end was {os.getloadavg()[0]:.1f}.", ""]
    lines += ["| family | workloads | geometric mean | worst | |", "| --- | ---: | ---: | ---: | --- |"]
    lines += [f"| {family} | {s['count']} | {s['mean']:.3f} | {s['worst']:.2f} | {s['name']} |" for family, s in summaries.items() if s]
    for family, rows in families.items():
        lines += ["", f"### {family.capitalize()}", "", "| workload | eagerflow | " + " | ".join(peers) + " | ratio | ours | PyTorch |",
                  "| --- | " + "---: | " * (len(peers) + 3) + "--- |"]
        for row in rows:
            times = " | ".join(milliseconds(time) for time in row["times"].values())
            told = "; ".join(filter(None, [row["how"], *row["notes"]]))
            lines.append(f"| {row['name']} | {times} | {row['ratio']:.2f} | {row['rate']} | {told} |")
    return "\n".join(lines) + "\n"


def write(about, families, summaries, rounds):
    """Writes the section of the instruction set in use, and keeps those of others; the file."""
    name, marks = processor()
    path = FOLDER / f"{slug(name, marks)}.md"
    told = ", ".join(f"{key.replace('_id', '')} {value}" for key, value in marks.items())
    head = f"# {name}\n\n{told}; {os.cpu_count()} processors. Caches: {', '.join(caches())}.\n\n" \
           "Written by `python core/benches/shapes_peers.py PROGRAM --record`.\n"
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", path.read_text(), re.M | re.S)) if path.exists() else {}
    sections = {key: f"## {key}\n{text.rstrip()}\n" for key, text in sections.items()}
    sections[about["eagerflow"]["path"]] = section(about, families, summaries, rounds)
    FOLDER.mkdir(exist_ok=True)
    fresh = path.with_suffix(".md.new")
    fresh.write_text("\n".join([head, *(sections[key] for key in sorted(sections, reverse=True))]))
    fresh.replace(path)
    return path
