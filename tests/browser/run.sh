#!/usr/bin/env bash
# Shows in a real browser what TensorBoard makes of `digits --logdir`: `tests/browser/run.sh [FOLDER]`. The folder gets the screenshots
# and TensorBoard's output; a temporary one unless told. It trains the example for three epochs, starts TensorBoard, compares the numbers
# that its HTTP interface answers with those that were written, and opens its pages in Chromium.
# Needs TensorBoard (`$EAGERFLOW_TENSORBOARD`, or `tensorboard` on the path), Chromium (`$EAGERFLOW_CHROMIUM`, or `chromium`), and Node.js
# with npm. Where one is missing the script says that it skips, and succeeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
tensorboard=${EAGERFLOW_TENSORBOARD:-$(command -v tensorboard || true)}
chromium=${EAGERFLOW_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
for need in "TensorBoard:$tensorboard" "Chromium:$chromium" "Node.js:$(command -v node || true)" "npm:$(command -v npm || true)"; do
    if [ -z "${need#*:}" ]; then
        echo "SKIPPED: ${need%%:*} is not there, so TensorBoard's pages were not looked at"
        exit 0
    fi
done
out=${1:-$(mktemp -d)}
mkdir -p "$out"
logs=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$logs"' EXIT
(cd tests/browser && npm install --no-audit --no-fund --silent)
cargo run --release -q -p eagerflow-examples --example digits -- --epochs 3 --logdir "$logs/digits" --picture "$out/loss.png"
for fast in true false; do
    "$tensorboard" --logdir "$logs" --host 127.0.0.1 --port 0 --load_fast "$fast" --reload_interval 1 >"$out/tensorboard-$fast.log" 2>&1 &
    server=$!
    for _ in $(seq 600); do
        address=$(grep -o 'http://[^ ]*' "$out/tensorboard-$fast.log" | head -n 1 || true)
        [ -z "$address" ] || break
        sleep 0.2
    done
    [ -n "$address" ] || { cat "$out/tensorboard-$fast.log"; echo "TensorBoard did not start"; exit 1; }
    node tests/browser/look.mjs "$address" "$chromium" "$out" "$logs/digits" "$fast"
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
done
echo "screenshots: $out"
