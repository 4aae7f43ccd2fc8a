"""The section of whole training steps in the record of a processor: `docs/performance/<processor>.md`, one section for all sizes of registers
and one with AVX2 forced. `steps_peers.py` calls it behind `--record`; rows of networks that were not measured now stay."""
import re
from datetime import date

from record import FOLDER, milliseconds, processor, slug


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def line_of(row, columns, samples):
    times = [milliseconds(row["times"][column]) for column in columns]
    memory = " / ".join(f"{row['memory'][column][0]:.0f}" for column in columns)
    # Of errors only what kind they are: the rest names places of this machine.
    notes = [re.split(r"(?<=Error):", note)[0] for note in row["notes"]]
    told = "; ".join([row["best"], *filter(None, [row["how"]]), f"{samples} samples", *notes])
    return "| " + " | ".join([row["name"], *times, f"{row['of_best']:.2f}", f"{row['of_eager']:.2f}", memory, told]) + " |"


def section(title, rows, columns, options, kept):
    versions = rows[0]["versions"]
    told = ", ".join(f"{peer} {versions[peer]}" for peer in ("torch", "jax", "tensorflow"))
    lines = {cells(line)[0]: line for line in kept} | {row["name"]: line_of(row, columns, 2 * options.rounds) for row in rows}
    ratios = [float(cells(line)[len(columns) + 1]) for line in lines.values()]
    head = f"{date.today()}: eagerflow {versions['traced']} beside {told}; 2 threads each, in turns, medians in milliseconds." \
           " Then our traced time as a part of the best peer's, and of our eager time; the peak memory of each process in MiB in the same " \
           "order (libraries, weights and steps, without compiling); which peer was the best, the order of axes that PyTorch ran with, and how many samples each has."
    total = f"Traced ahead of the best peer in {sum(x < 1 for x in ratios)} of {len(ratios)}, worst {max(ratios):.2f}."
    table = ["| network, batch | " + " | ".join(columns) + " | of best | of eager | peaks | best |",
             "| --- | " + "---: | " * (len(columns) + 2) + "--- | --- |", *lines.values()]
    return "\n".join([f"## {title}", "", head, "", total, "", *table]) + "\n"


def write(rows, columns, options):
    """Writes the section, and keeps all else of the file; the file."""
    name, marks = processor()
    path = FOLDER / f"{slug(name, marks)}.md"
    title = "Whole steps, AVX2 forced" if options.avx2 else "Whole steps"
    old = path.read_text() if path.exists() else f"# {name}\n"
    parts = re.split(r"^(?=## )", old, flags=re.M)
    ours = next((part for part in parts if part.startswith(f"## {title}\n")), "")
    kept = [line for line in ours.splitlines() if re.match(r"\| \w+ \d+ \|", line)]
    fresh = section(title, rows, columns, options, kept)
    parts = [part.rstrip() + "\n" for part in parts if part is not ours and part.strip()] + [fresh]
    FOLDER.mkdir(exist_ok=True)
    new = path.with_suffix(".md.new")
    new.write_text("\n".join(parts))
    new.replace(path)
    return path
