#!/usr/bin/env bash
# Finds tests that need others to have run, or not to have: each test by itself, then all of a program in shuffled orders, while
# other processes keep the machine busy. `tests/shuffled.sh [-n ORDERS] [-1] [-b BUSY] [PROGRAM ...]`: so many orders (10), `-1`
# leaves out the single runs, so many busy processes (one a core); programs are those of `cargo test`, such as `traced` or
# `eagerflow` (all of them). A failure names the seed: `-Z unstable-options --shuffle-seed SEED` under `RUSTC_BOOTSTRAP=1` repeats it.
set -uo pipefail
cd "$(dirname "$0")/.."
orders=10
alone=yes
busy=$(nproc)
while getopts "n:1b:" option; do
    case $option in
        n) orders=$OPTARG ;;
        1) alone=no ;;
        b) busy=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# Tests of a procedural macro need the compiler's libraries, as cargo sets them.
LD_LIBRARY_PATH=$(rustc --print target-libdir)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
list=$(mktemp)
output=$(mktemp)
burners=()
trap 'kill "${burners[@]}" 2>/dev/null; rm -f "$list" "$output"' EXIT

# The programs of tests, with the folder in which cargo runs them; those that only build programs have nothing to shuffle.
cargo test --workspace --no-run --message-format=json |
    sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml".*"test":true}.*"executable":"\([^"]*\)".*|\1 \2|p' |
    grep -v '^[^ ]*/ui-tests ' >"$list"
[ -s "$list" ] || { echo "nothing was built" >&2; exit 1; }

for _ in $(seq "$busy"); do
    (while :; do :; done) &
    burners+=($!)
done

failed=0
# Runs one program with arguments, in its package's folder; says what failed.
check() {
    local folder=$1 program=$2
    shift 2
    # What the harness calls unstable is the shuffling alone. The variable is not set for builds, which it would change.
    if ! (cd "$folder" && RUSTC_BOOTSTRAP=1 CARGO_MANIFEST_DIR=$folder "$program" "$@") \
        >"$output" 2>&1 </dev/null; then
        failed=$((failed + 1))
        echo "FAILED: $(basename "$program") $*"
        grep -E "^test .*FAILED|panicked at" -A 2 "$output" | head -20
    fi
}

while read -r folder program; do
    name=$(basename "$program")
    name=${name%-*}
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    start=$SECONDS
    mapfile -t tests < <(cd "$folder" && "$program" --list 2>/dev/null | sed -n 's/: test$//p')
    if [ $alone = yes ]; then
        for test in "${tests[@]}"; do
            check "$folder" "$program" --exact "$test"
        done
    fi
    for seed in $(seq "$orders"); do
        check "$folder" "$program" -Z unstable-options --shuffle-seed "$seed"
    done
    echo "$name: ${#tests[@]} tests, $orders orders, $((SECONDS - start)) s"
done <"$list"
[ "$failed" -eq 0 ] && echo "all well, in any order" || { echo "$failed runs failed"; exit 1; }
