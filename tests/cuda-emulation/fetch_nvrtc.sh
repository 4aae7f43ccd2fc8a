#!/usr/bin/env bash
# Fetches NVIDIA's NVRTC (a compiler that needs no GPU) from PyPI into a folder outside of git, for the test that shows
# every kernel text to it. The wheel is proprietary: it is downloaded by who wants it, and never kept in the repository.
#
#   tests/cuda-emulation/fetch_nvrtc.sh [FOLDER]        FOLDER is target/nvrtc unless given
set -euo pipefail
version=13.0.88
folder=$(realpath -m "${1:-$(dirname "$0")/../../target/nvrtc}")

case $(uname -m) in
x86_64)
    wheel=nvidia_cuda_nvrtc-$version-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl
    sum=ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575
    ;;
*)
    echo "fetch_nvrtc: no wheel is pinned for $(uname -m)" >&2
    exit 1
    ;;
esac

if [ -f "$folder/libnvrtc.so.13" ]; then
    echo "fetch_nvrtc: already in $folder"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip download --quiet --no-deps --dest "$work" "nvidia-cuda-nvrtc==$version"
else
    curl --fail --location --silent --show-error --output "$work/$wheel" \
        "https://files.pythonhosted.org/packages/py3/n/nvidia-cuda-nvrtc/$wheel"
fi
echo "$sum  $work/$wheel" | sha256sum --check --quiet

python3 - "$work/$wheel" "$work/out" <<'PYTHON' || unzip -q -j "$work/$wheel" 'nvidia/cu13/lib/*' -d "$work/out"
import pathlib, sys, zipfile
out = pathlib.Path(sys.argv[2])
out.mkdir()
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if name.startswith("nvidia/cu13/lib/"):
            (out / pathlib.PurePath(name).name).write_bytes(wheel.read(name))
PYTHON

mkdir -p "$folder"
cp "$work"/out/libnvrtc.so.13 "$work"/out/libnvrtc-builtins.so.13.0 "$folder/"
echo "fetch_nvrtc: NVRTC $version is in $folder; tests find it there or by EAGERFLOW_NVRTC=$folder"
