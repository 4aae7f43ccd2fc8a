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
