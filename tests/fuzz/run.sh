#!/usr/bin/env bash
# Fuzzes the readers of files under coverage: `tests/fuzz/run.sh [SECONDS [READER ...]]`, ten minutes for each reader unless told.
# Needs a nightly compiler and `cargo install cargo-fuzz`. What is found stays in the target folder, beside a growing corpus; the small
# corpus of this folder only seeds it. A crash is an input in `artifacts/`; put it into `corpus/READER`, where `cargo test` reads it.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-600}
shift || true
readers=("$@")
[ ${#readers[@]} -gt 0 ] || readers=(index bundle object_graph safetensors idx state events image example records csv npy)
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo +nightly fuzz build --fuzz-dir . --sanitizer none -O --target-dir "$target"
for reader in "${readers[@]}"; do
    mkdir -p "$target/grown/$reader" "artifacts/$reader"
    "$target"/*/release/"$reader" "$target/grown/$reader" "corpus/$reader" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="artifacts/$reader/" -print_final_stats=1
done
