"""Small `.npy` and `.npz` files that NumPy writes, in base64, with what they hold. Writes `numpy_files.json`, which `tests/tests/files` reads."""
import base64
import io
import json
import os

import numpy as np

ARRAYS = {}


def add(name, array, values=None):
    file = io.BytesIO()
    np.save(file, array)
    values = array.tolist() if values is None else values
    flat = np.array(values, dtype=object).reshape(-1).tolist() if array.size else []
    if array.dtype.kind == "c":
        flat = [[x.real, x.imag] for x in flat]
    if array.dtype.kind == "S":
        flat = [x.decode("latin1") for x in flat]
    ARRAYS[name] = {"file": base64.b64encode(file.getvalue()).decode(), "shape": list(array.shape), "kind": array.dtype.kind,
                    "size": array.dtype.itemsize, "values": flat}


def archive(save):
    file = io.BytesIO()
    save(file, x=np.arange(6, dtype=np.int16).reshape(2, 3), y=np.array(["a", "bc"]), z=np.zeros([40, 5]))
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    rows = np.arange(12).reshape(3, 4)
    for dtype in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
        add(dtype, (rows % 7).astype(dtype))
        if dtype[1:] != "1":
            add(f"big {dtype}", (rows * 3 - 5 if dtype[0] != "u" else rows).astype(f">{dtype}"))
    add("fortran", np.asfortranarray(rows.astype("f4")))
    add("fortran of three axes", np.asfortranarray(np.arange(24, dtype="i4").reshape(2, 3, 4)))
    add("scalar", np.float64(2.5))
    add("empty", np.zeros([0, 3], "f4"))
    add("bytes", np.array([b"a", b"", b"longer"]))
    add("text", np.array([["ä", "", "𝄞x"]]))
    add("big text", np.array(["ab", "c"]).astype(">U2"))
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "numpy_files.json"), "w") as out:
        all = {"version": np.__version__, "arrays": ARRAYS, "stored": archive(np.savez), "deflated": archive(np.savez_compressed)}
        json.dump(all, out, indent=1, ensure_ascii=True)
        out.write("\n")
