//! Samples of operations on matrices: matrices far from singular, with eigenvalues and singular values apart.
//! `samples` lists them among all others.

use super::{Between, Given, Input, Sample, plain, with};
use serde_json::{Value, json};

const FAR: Input = Given(&[3, 3], &[4.1, 0.3, -0.7, 0.6, 3.2, 0.9, -0.5, 0.8, 4.9]);
const SKEW: Input = Given(&[3, 3], &[0.2, -0.9, 0.4, 0.7, -0.3, 1.1, -0.6, 0.5, 0.1]);
const DEEP: Input = Given(&[4, 3], &[1.4, 0.3, -0.7, 0.6, -2.2, 0.9, -0.4, 0.8, 3.3, 0.5, -0.6, 0.7]);
const WIDE: Input = Given(&[2, 4], &[1.4, 0.3, -0.7, 0.6, 0.5, -2.2, 0.9, -0.4]);
const OTHER_DEEP: Input = Given(&[4, 3], &[0.2, 0.4, 0.3, -0.5, 0.6, 0.1, 0.7, -0.2, 0.3, 0.6, 0.2, -0.4]);
const RIGHT: Input = Between(&[3, 2], -1.0, 1.0);

pub(super) fn samples() -> Vec<Sample> {
    let turned = |of: &str, adjoint: bool| json!({"of": of, "adjoint": adjoint, "lower": true});
    let thin = |of: &str| json!({"of": of, "full_matrices": false});
    let none = |of: &str| -> Value { json!({ "of": of }) };
    let mut all = vec![
        plain("cholesky_of_gram", vec![SKEW]),
        plain("complex_cholesky_of_gram", vec![SKEW, FAR]),
        plain("cholesky_solve", vec![FAR, RIGHT]),
        plain("det", vec![FAR]),
        plain("slogdet", vec![FAR]),
        plain("qr_signs", vec![FAR]),
        plain("qr_signs", vec![DEEP]),
        plain("qr_signs", vec![WIDE]),
        with("qr", json!({"full_matrices": true}), vec![WIDE]),
        plain("svdvals", vec![DEEP]),
        plain("eigvalsh", vec![FAR]),
        plain("eigh", vec![FAR]),
        plain("expm", vec![SKEW]),
        plain("sqrtm", vec![FAR]),
        plain("pinv", vec![DEEP]),
        plain("cross", vec![Between(&[2, 3], -1.0, 1.0), Between(&[2, 3], -1.0, 1.0)]),
        plain("matrix_transpose", vec![Between(&[2, 3], -1.0, 1.0)]),
        with("tridiagonal_matmul", json!({"format": "compact"}), vec![SKEW, RIGHT]),
        with(
            "eigh_tridiagonal",
            json!({"select": "a", "range": null}),
            vec![Given(&[3], &[0.3, 1.7, -1.1]), Given(&[2], &[0.4, -0.6])],
        ),
        with("in_parts", none("eig"), vec![SKEW]),
        with("in_parts", none("eigvals"), vec![SKEW]),
        with("of_complex", none("det"), vec![FAR, SKEW]),
        with("of_complex", none("eigh"), vec![FAR, SKEW]),
        with("of_complex", none("eigvals"), vec![FAR, SKEW]),
        with("of_complex", none("eig"), vec![FAR, SKEW]),
        with("of_complex", none("logm"), vec![FAR, SKEW]),
        with("of_complex", none("sqrtm"), vec![FAR, SKEW]),
        with("of_complex", none("expm"), vec![SKEW, SKEW]),
        with("of_complex", none("qr_signs"), vec![DEEP, OTHER_DEEP]),
        with("of_complex", thin("svd"), vec![DEEP, OTHER_DEEP]),
    ];
    for full in [false, true] {
        all.push(with("svd", json!({"full_matrices": full}), vec![DEEP]));
        all.push(with("svd", json!({"full_matrices": full}), vec![FAR]));
    }
    all.push(with("svd", json!({"full_matrices": false}), vec![WIDE]));
    for adjoint in [false, true] {
        all.push(with("solve", json!({"adjoint": adjoint}), vec![FAR, RIGHT]));
        all.push(with("inv", json!({"adjoint": adjoint}), vec![FAR]));
        all.push(with("of_complex", turned("solve", adjoint), vec![FAR, SKEW, RIGHT, RIGHT]));
        all.push(with("of_complex", turned("inv", adjoint), vec![FAR, SKEW]));
        all.push(with("of_complex", turned("triangular_solve", adjoint), vec![FAR, SKEW, RIGHT, RIGHT]));
        for lower in [false, true] {
            let attrs = json!({"lower": lower, "adjoint": adjoint});
            all.push(with("triangular_solve", attrs.clone(), vec![FAR, RIGHT]));
            all.push(with("banded_triangular_solve", attrs, vec![Between(&[2, 3], 1.0, 2.0), RIGHT]));
        }
        let attrs = json!({"format": "compact", "pivoting": adjoint});
        all.push(with(
            "tridiagonal_solve",
            attrs,
            vec![Given(&[3, 3], &[0.3, -0.4, 0.2, 2.3, -1.9, 2.7, 0.5, 0.6, -0.7]), RIGHT],
        ));
    }
    for (fast, l2_regularizer) in [(true, 0.0), (true, 0.5), (false, 0.0)] {
        let attrs = json!({"fast": fast, "l2_regularizer": l2_regularizer});
        all.push(with("lstsq", attrs, vec![DEEP, Between(&[4, 2], -1.0, 1.0)]));
    }
    all
}
