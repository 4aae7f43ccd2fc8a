//! Samples of complex numbers: each operation as a function of the real and the imaginary parts of its inputs, so that differences go
//! along both. `samples` lists them among all others.

use super::{Between, Input, Sample, with};
use serde_json::{Value, json};

/// Away from the cuts and the zeros of all functions here.
const RE: Input = Between(&[2, 3], 0.3, 1.5);
const IM: Input = Between(&[2, 3], 0.2, 1.2);
const COLUMN: Input = Between(&[2, 1], 0.4, 1.4);
const CUBE: Input = Between(&[2, 3, 2], 0.3, 1.4);
const MATRIX: Input = Between(&[3, 4], -1.0, 1.0);

const UNARY: [&str; 29] = [
    "tan",
    "sinh",
    "cosh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "neg",
    "square",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "silu",
    "sign",
    "abs",
    "angle",
    "conj",
    "real",
    "imag",
];
const BINARY: [&str; 12] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "truediv",
    "div_no_nan",
    "pow",
    "squared_difference",
    "xlogy",
    "xlog1py",
    "xdivy",
    "multiply_no_nan",
];

fn of(op: &'static str, attrs: Value, inputs: Vec<Input>) -> Sample {
    let mut attrs = attrs;
    attrs["of"] = json!(op);
    with("of_complex", attrs, inputs)
}

pub(super) fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    all.extend(UNARY.map(|name| of(name, json!({}), vec![RE, IM])));
    all.extend(BINARY.map(|name| of(name, json!({}), vec![RE, IM, COLUMN, COLUMN])));
    for op in ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_variance"] {
        all.push(of(op, json!({"axis": [0, 2], "keepdims": false}), vec![CUBE, CUBE]));
    }
    for op in ["cumsum", "cumprod"] {
        all.push(of(op, json!({"axis": 1, "exclusive": false, "reverse": false}), vec![CUBE, CUBE]));
        all.push(of(op, json!({"axis": 1, "exclusive": true, "reverse": true}), vec![CUBE, CUBE]));
    }
    all.push(of("matmul_adjoint", json!({"adjoint_a": false, "adjoint_b": false}), vec![RE, IM, MATRIX, MATRIX]));
    all.push(of("matmul_adjoint", json!({"adjoint_a": true, "adjoint_b": false}), vec![RE, IM, RE, IM]));
    all.push(of("einsum", json!({"equation": "ij,jk->ki"}), vec![RE, IM, MATRIX, MATRIX]));
    all.push(of("adjoint", json!({}), vec![RE, IM]));
    all.push(of("transpose", json!({"perm": [1, 0]}), vec![RE, IM]));
    all.push(of("cast", json!({"to": "complex128"}), vec![RE, IM]));
    all.push(of("cast", json!({"to": "float64"}), vec![RE, IM]));
    all
}
