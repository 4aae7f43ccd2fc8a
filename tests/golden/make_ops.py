"""Writes TensorFlow's results of one family of ops, one JSON record per line: `python make_ops.py > ops.json` for the
core ones, `python make_ops.py FAMILY > ops_FAMILY.json` for those of `ops_FAMILY.py`.

Made with tensorflow-cpu 2.21.0 (`pip install tensorflow-cpu==2.21.0`) on a processor with AVX-512; rerunning gives the
same bytes there, and elsewhere floats that differ in their last bits: Eigen approximates by vectors. TensorFlow's CPU
kernels take denormals for zero in most arithmetic, so compare results below the smallest normal number as zeros.

First line: `{"tensorflow": version}`. Then for each op one record
`{"op": name, "accepted": [dtypes], "refused": [dtypes]}` - which dtypes TensorFlow's CPU kernel takes, judged by the
case `basic` - followed by its cases:
`{"op", "case", "dtype", "attrs": {..}, "inputs": [arrays], "outputs": [arrays]}`, or `"error": code` instead of
`"outputs"` where TensorFlow refuses the call (the name of the status code, or `ValueError`, `TypeError`).
An array is `{"dtype", "shape", "data": [flat, row-major]}`. Floats are the shortest number that round-trips in their
own dtype; nan and infinities are the strings "nan", "inf", "-inf"; negative zero is -0.0. Read floats with a parser
that rounds correctly. `dtype` is the one under test; other inputs (indices, conditions) carry their own.
"""
import importlib
import sys

from golden import DTYPES, Values, arrays_text, compact, np, tf
from ops_elementwise import OPS
import ops_linear
import ops_reduce
import ops_shapes


def call(fn, inputs, attrs):
    """The outputs as arrays, or the name of the error."""
    try:
        out = fn([tf.constant(x) for x in inputs], attrs)
        out = out if isinstance(out, (list, tuple)) else [out]
        return [np.asarray(o.numpy()) for o in out], None
    except tf.errors.OpError as e:
        return None, type(e).__name__.removesuffix("Error")
    except (ValueError, TypeError, AttributeError, IndexError, AssertionError) as e:
        return None, type(e).__name__


def records(name, dtypes=DTYPES, make=lambda name, dtype: Values(name, dtype, dtype in ("float32", "float64")), wanted=None):
    fn, cases = OPS[name]
    accepted, refused, lines = [], [], []
    for dtype in dtypes:
        values = make(name, dtype)
        taken, seen = None, set()
        try:
            for case, attrs, inputs in cases(values):
                assert case not in seen, (name, case)
                seen.add(case)
                outputs, error = call(fn, inputs, attrs)
                if taken is not None and wanted and not wanted(name, dtype, case):
                    continue
                if taken is None:
                    taken = error is None
                    if not taken:
                        break
                head = f'{{"op":"{name}","case":"{case}","dtype":"{dtype}","attrs":{compact(attrs)},'
                tail = f'"error":"{error}"' if error else f'"outputs":{arrays_text(outputs)}'
                lines.append(head + f'"inputs":{arrays_text(inputs)},' + tail + "}")
        except (ValueError, TypeError, OverflowError) as e:
            print(name, dtype, repr(e), file=sys.stderr)
        (accepted if taken else refused).append(dtype)
    print(compact({"op": name, "accepted": accepted, "refused": refused}))
    for line in lines:
        print(line)


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    names = list(OPS)
    for family in sys.argv[1:]:
        module = importlib.import_module(f"ops_{family}")
        if hasattr(module, "more"):
            # Its own operations first; then further dtypes of all, those of other families included.
            for name in module.OWN:
                records(name)
            for name in OPS:
                records(name, *module.more())
            names = []
            continue
        names = [name for name in OPS if name not in names]
    for name in names:
        records(name)
