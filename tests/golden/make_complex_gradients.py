"""Writes TensorFlow's gradients of complex numbers (`complex128`): `python make_complex_gradients.py > gradients_complex.json`.

The records are those of `make_gradients.py`; upstream gradients are complex where outputs are.
"""
from golden import ComplexValues, Values, arrays_text, compact, np, tf
import ops_complex
from ops_elementwise import OPS


def record(op, inputs, attrs=None, case="complex"):
    attrs = attrs or {}
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        out = OPS[op][0](tensors, attrs)
    name = op + case + ":upstream"
    kind = ComplexValues(name, "complex128", False) if out.dtype.is_complex else Values(name, "float64", False)
    upstream = kind.n(*out.shape)
    grads = tape.gradient(out, tensors, output_gradients=tf.constant(upstream))
    grads = [np.asarray(tf.convert_to_tensor(g)) for g in grads]
    print(f'{{"op":"{op}","case":"{case}","attrs":{compact(attrs)},"inputs":{arrays_text(inputs)},'
          f'"upstream":{arrays_text([upstream])},"outputs":{arrays_text([out.numpy()])},"gradients":{arrays_text(grads)}}}')


if __name__ == "__main__":
    print(compact({"tensorflow": tf.__version__}))
    v = ComplexValues("complex gradients", "complex128", False)
    for op in ["neg", "square", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tanh", "sigmoid", "abs",
               "sign", "angle", "conj", "real", "imag"]:
        record(op, [v.pos(2, 3)])
    record("abs", [np.array([0j, 3 + 4j, -2j])], case="zero")
    for op in ["add", "subtract", "multiply", "divide", "pow", "div_no_nan"]:
        record(op, [v.pos(2, 3), v.pos(2, 1)])
    record("complex", [Values("re", "float64", False).n(2, 3), Values("im", "float64", False).n(3)])
    record("cast", [v.n(2, 3)], {"to": "float64"})
    for op in ["reduce_sum", "reduce_mean", "reduce_prod"]:
        record(op, [v.pos(2, 3, 2)], {"axis": [1], "keepdims": False})
    record("cumsum", [v.n(2, 3)], {"axis": 1, "exclusive": False, "reverse": False})
    for a, b in [(False, False), (True, False), (False, True), (True, True)]:
        x, y = v.n(*((3, 2) if a else (2, 3))), v.n(*((4, 3) if b else (3, 4)))
        record("matmul_adjoint", [x, y], {"adjoint_a": a, "adjoint_b": b}, case=f"adjoint_{int(a)}{int(b)}")
    x = Values("spectra", "float64", False)
    for of, length in [("fft", None), ("ifft", None), ("fft2d", None), ("ifft2d", None), ("fft3d", None), ("ifft3d", None),
                       ("irfft", None), ("irfft", [7]), ("irfft", [8]), ("irfft2d", None), ("irfft2d", [3, 7])]:
        case = of + ("" if length is None else "_to_" + "x".join(map(str, length)))
        record("transform_of_parts", [x.n(2, 3, 4), x.n(2, 3, 4)], {"transform": of, "fft_length": length}, case=case)
    for size in [6, 7]:
        record("rfft", [x.n(2, size)], {"fft_length": None}, case=f"of_{size}")
        record("rfft2d", [x.n(2, 3, size)], {"fft_length": None}, case=f"of_{size}")
    record("rfft", [x.n(2, 5)], {"fft_length": [8]}, case="filled_up")
    record("stft", [x.n(2, 11)], {"frame_length": 4, "frame_step": 2, "fft_length": None, "window": "hann", "pad_end": True})
    record("inverse_stft", [x.n(3, 3), x.n(3, 3)],
           {"frame_length": 4, "frame_step": 2, "fft_length": None, "window": "hamming", "undone": True})
    for kind in [2, 3, 4]:
        record("dct", [x.n(2, 5)], {"type": kind, "n": 7, "norm": "ortho"}, case=f"type_{kind}")
    record("mdct", [x.n(19)], {"frame_length": 8, "window": "vorbis", "pad_end": True, "norm": None})
