#!/usr/bin/env bash
# Runs the library's unit tests, those of tests/threads, of checkpoints, and those of traces that are freed under calls, under
# valgrind's memcheck on the portable CPU path: reads and writes outside of buffers, uses of uninitialised elements, double frees
# and definite leaks are errors.
# Nothing of ours is suppressed. Two test threads and a pool of three share the work. Takes a few minutes.
#
# Machine code for fused programs is made, mapped and freed here, but not run: valgrind knows no AVX-512. That code stays
# within its operands is checked where it runs, by guards behind them (`kernels/src/backend/cpu/jit/tests.rs`). That of loops over
# numbers is run by its unit tests. No GPU is touched;
# what happens without CUDA's driver is.
#
# Left out, because they loop over millions of numbers in registers and touch no memory of their own: the accuracy tests
# of `math`, the statistics of `philox`, and the property tests of symbolic shapes; and the 10,000 steps of `growth`.
# Of checkpoints, those that change a file byte by byte are left out: they read bytes, and take a thousand restores each.
# With arguments: runs only the library's unit tests whose names contain one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind > /dev/null; then
    echo "SKIPPED: valgrind is not installed (apt-get install valgrind)"
    exit 0
fi

export EAGERFLOW_CPU=portable EAGERFLOW_THREADS=3

# The path of the test binary that cargo builds for the given arguments.
binary() {
    cargo test --no-run "$@" 2>&1 | tee /dev/stderr | sed -n 's/^ *Executable .*(\(.*\))$/\1/p' | tail -1
}

check() {
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
        --show-leak-kinds=definite --num-callers=20 "$@"
}

kernels=$(binary -p eagerflow-kernels --lib)
engine=$(binary -p eagerflow-engine --lib)
core=$(binary -p eagerflow --lib)
threads=$(binary -p eagerflow-tests --test threads)
strings=$(binary -p eagerflow-tests --test strings)
lifetimes=$(binary -p eagerflow-tests --test lifetimes)
checkpoints=$(binary -p eagerflow-tests --test checkpoints)
# Copies, because some tests start their own program again, which a build in the meantime would have replaced.
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
cp "$kernels" "$own/kernels"
cp "$engine" "$own/engine"
cp "$core" "$own/core"
cp "$threads" "$own/threads"
cp "$strings" "$own/strings"
cp "$lifetimes" "$own/lifetimes"
cp "$checkpoints" "$own/checkpoints"

cd core
if [ $# -gt 0 ]; then
    check "$own/kernels" --test-threads 2 "$@"
    check "$own/engine" --test-threads 2 "$@"
    check "$own/core" --test-threads 2 "$@"
    exit
fi
check "$own/kernels" --test-threads 2 --skip backend::cpu::math --skip philox::tests --skip philox::math --skip shape::
# One test forgets a tape on purpose, which is a leak of its own.
check "$own/engine" --test-threads 2 --skip threads_have_tapes_of_their_own
check "$own/core" --test-threads 2
cd ../tests
check "$own/threads" --test-threads 2 shared::
check "$own/checkpoints" --test-threads 2 --skip damage::every_
# These tests take turns, because they count memory.
check "$own/lifetimes" --test-threads 1 fronts::
check "$own/strings" --test-threads 2
echo "memcheck: clean"
