"""Writes text.json: how real TensorFlow prints tensors (`str` of the value), to check `core/src/tensor/text.rs` against.

Run it with a Python that has TensorFlow: `python tests/golden/make_text.py > tests/golden/text.json`.
Line 1 names the versions; each further line is {"case","value":{"dtype","shape","data"},"text"}. bfloat16 is left out:
TensorFlow prints it unaligned with six digits, and this library prints it as it prints the other floats.
"""
import json
import sys

from golden import array_text, np, np_dtype, tf

INF, NAN = float("inf"), float("nan")
CASES = [
    # Scalars: each dtype, and where exponents begin.
    *[(f"scalar {v}", dtype, v) for dtype in ("float16", "float32", "float64")
      for v in (0.0, -0.0, 1.0, 0.1, -2.5, 1 / 3, 999.0, 1000.0, 999999.0, 1e6, 1234567.0, 1e15, 1e16, 3e38, 1e-3, 2e-4,
                1e-4, 1e-5, 6e-8, 1e-40, NAN, INF, -INF)],
    *[("scalar integer", dtype, v) for dtype in ("int8", "int16", "int32", "int64") for v in (-100, 7)],
    *[("scalar integer", dtype, 200) for dtype in ("uint8", "uint16", "uint32", "uint64")],
    ("largest integer", "uint64", 2**64 - 1),
    ("scalar truth", "bool", True),
    ("scalar truth", "bool", False),
    # Vectors of floats.
    *[(name, dtype, v) for dtype in ("float16", "float32", "float64") for name, v in [
        ("whole", [1.0, 2.0, 3.0]),
        ("fractions", [0.5, 10.25, -3.125]),
        ("thirds", [1 / 3, 2 / 3, 1.0]),
        ("signs", [-1.0, 1.0, -0.0]),
        ("zeros", [0.0, 0.0]),
        ("one", [5.0]),
        ("nan", [NAN, 1.0, 2.5]),
        ("infinities", [INF, -INF, 100.0]),
        ("specials only", [NAN, INF]),
        ("specials and minus", [NAN, -INF, NAN]),
        ("specials and exponents", [NAN, -INF, 1e-6]),
        ("ratio 1000", [1.0, 1000.0]),
        ("ratio just below", [1.0, 999.5]),
        ("ratio above", [1.0, 1001.0, 0.0]),
        ("small", [1e-4, 2e-4]),
        ("smaller", [9e-5, 2e-4]),
        ("large", [900000.0, 999999.0]),
        ("larger", [1e6, 2e6]),
        ("eight digits", [12345678.0, 1e8]),
        ("mixed exponents", [1.5e-7, 3e4, -2.25e-3]),
        ("long digits", [0.1234567891234, 12.5]),
        ("rounding", [0.999999999, 0.123456785, 0.5]),
        ("rounding with exponent", [9.9999999999e9, 1.23456789123e-9]),
        ("tiny", [6e-8, 0.0]),
    ]],
    ("three digits of exponent", "float64", [1e-300, 1.0, -2.5e120]),
    ("subnormal", "float32", [1e-45, 1.0]),
    ("extremes", "float32", [3.4028235e38, -3.4028235e38, 1.1754944e-38]),
    ("extremes", "float64", [1.7976931348623157e308, 5e-324]),
    ("extremes", "float16", [65504.0, 6.1e-5]),
    # Other dtypes.
    ("integers", "int32", [1, -20, 300]),
    ("extremes", "int64", [-(2**63), 2**63 - 1, 0]),
    ("extremes", "uint64", [2**64 - 1, 0]),
    ("bytes", "uint8", [[0, 128, 255], [1, 2, 3]]),
    ("bytes", "int8", [[-128, 127], [0, 1]]),
    ("truths", "bool", [True, False, True]),
    ("truths", "bool", [True, True]),
    ("truths", "bool", [[True, False], [False, False]]),
    # Ranks.
    ("rank 2", "float32", [[1.0, 2.0], [3.0, 4.0]]),
    ("rank 2 aligned", "float32", [[1.0, -20.5], [300.25, 4.0]]),
    ("rank 3", "int32", np.arange(12).reshape(2, 2, 3)),
    ("rank 4", "float64", np.arange(16).reshape(2, 2, 2, 2) / 4),
    ("rank 5", "int32", np.arange(8).reshape(1, 2, 2, 1, 2)),
    ("rank 8", "int16", np.arange(2).reshape(1, 1, 1, 1, 1, 1, 1, 2)),
    ("ones", "float32", [[[[1.0]]]]),
    # Sizes of zero.
    ("empty", "float32", np.zeros((0,))),
    ("empty", "int32", np.zeros((0, 3))),
    ("empty", "float32", np.zeros((2, 0))),
    ("empty", "bool", np.zeros((2, 0, 3))),
    # Rows longer than a line.
    ("wrapped", "int32", np.arange(50)),
    ("wrapped", "float32", np.arange(30) / 7),
    ("wrapped", "float32", np.arange(60).reshape(2, 30) / 8),
    ("wrapped", "float64", np.arange(96).reshape(2, 2, 24) * 1e9),
    ("wrapped", "bool", np.arange(20) % 3 == 0),
    ("just one line", "int32", np.arange(10, 34)),
    ("just more than one line", "int32", np.arange(10, 36)),
    # Long ones.
    ("1000 are whole", "int32", np.arange(1000)),
    ("1001 are not", "int32", np.arange(1001)),
    ("long", "float32", np.arange(2000) / 16),
    ("long, rank 2", "float32", np.arange(1200).reshape(40, 30)),
    ("long, narrow", "int32", np.arange(1500).reshape(500, 3)),
    ("long, wide", "int32", np.arange(1500).reshape(3, 500)),
    ("long, rank 3", "int64", np.arange(1080).reshape(10, 12, 9)),
    ("long, one part", "float32", np.arange(1400).reshape(1, 7, 200) / 2),
    ("long, digits only where shown", "float32", [1.0] * 600 + [0.0625, NAN] + [2.0] * 600),
    ("long, empty middle", "float32", [[1.0] * 7] * 200),
]


def main():
    print(json.dumps({"tensorflow": tf.__version__, "numpy": np.__version__}, separators=(",", ":")))
    for name, dtype, value in CASES:
        value = tf.constant(np.asarray(value).astype(np_dtype(dtype)))
        text = str(value.numpy())
        whole = f"tf.Tensor({chr(10) if chr(10) in text else ''}{text}, shape={value.shape}, dtype={dtype})"
        assert str(value) == whole, (str(value), whole)
        print(f'{{"case":{json.dumps(name)},"value":{array_text(value)},"text":{json.dumps(text)}}}')


if __name__ == "__main__":
    sys.exit(main())
