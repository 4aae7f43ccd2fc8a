//! The text of element-wise kernels, to the letter.
//! Run by `cargo test` of this crate.

use super::{InputRead, elementwise_kernel};
use crate::dtype::DType;
use crate::scalar::Program;

#[test]
fn operands_are_walked_as_they_lie() {
    // tanh(a * b + c) * sigmoid(a).
    let meaning = |s: &crate::scalar::Scalar, x: &[crate::scalar::Val]| {
        let tanh = s.tanh(s.add(s.mul(x[0], x[1]), x[2]));
        s.mul(tanh, s.sigmoid(x[0]))
    };
    let program = Program::of(&meaning, &[DType::F32; 3], crate::backend::cpu::vector::evaluate);
    let text = elementwise_kernel("fused", &program, &[InputRead::Dense, InputRead::Number, InputRead::Strided], false);
    let expected = "__device__ inline void element(const float m0, const float m1, const float m2, float& r0, Faults* faults, \
                    unsigned site) {\n  \
                    const float a0 = m0;\n  const float a1 = m1;\n  const float a2 = m2;\n  \
                    const float v0 = __fmul_rn(a0, a1);\n  \
                    const float v1 = __fadd_rn(v0, a2);\n  \
                    const float v2 = tanhf(v1);\n  \
                    const float v3 = sigmoid(a0);\n  \
                    const float o0 = __fmul_rn(v2, v3);\n  r0 = o0;\n}\n";
    assert!(text.starts_with(expected), "{text}");
    let kernel = "extern \"C\" __global__ void fused(index_t count, Faults* faults, unsigned site, const float* x0, \
                  const float x1, const float* x2, float* y0, Space space) {\n  ELEMENTS(i, count) {\n    \
                  index_t at[1];\n    offsets(space, i, at);\n    element(x0[i], x1, x2[at[0]], y0[i], faults, site);\n  }\n}\n";
    assert!(text.ends_with(kernel), "{text}");
}

#[test]
fn sixteen_bit_floats_are_rounded_once() {
    let program = Program::of(&|s, x| s.tanh(x[0]), &[DType::BF16], crate::backend::cpu::vector::evaluate);
    let text = elementwise_kernel("tanh_bf16", &program, &[InputRead::Dense], true);
    assert!(text.contains("const float v0 = Into<float>::of(a0);"), "{text}");
    assert!(text.contains("const bf16 o0 = Into<bf16>::of(v1);"), "{text}");
}
