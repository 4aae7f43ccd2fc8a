//! Gradients against real TensorFlow's in `golden/gradients.json`: kinks, ties, infinities, and `None`.
//! One test walks over all records.

use crate::program::Program;
use crate::report;
use eagerflow::Tensor;
use eagerflow_tests::compare::{Bound, differences, magnitude, show};
use eagerflow_tests::golden::{self, Array, GradientCase};
use eagerflow_tests::rows;
use eagerflow_tests::suite::on_a_gpu;

/// TensorFlow's kernels add up in another order, and take other forms of the same derivative.
const BOUND: Bound = Bound::sums(64.0, 16.0);

/// Records in which we differ on purpose: operation, case, why. One that does not differ is an error.
const EXCEPT: &[(&str, &str, &str)] = &[
    ("reshape", "infer_zero", "beside a 0 any number would do for -1, so we ask for it"),
    (
        "max_pool2d",
        "edges",
        "a nan shows in the result, and a window of -inf is -inf; TensorFlow's CPU kernel skips both",
    ),
    ("erf", "edges", "TensorFlow's float64 kernel answers nan for infinities"),
    ("gelu", "basic", "TensorFlow rounds its constants to float32 first"),
    ("gelu", "basic_approximate", "TensorFlow rounds its constants to float32 first"),
    ("erfinv", "edges", "TensorFlow's result has lost digits near 1, and the slope follows from it"),
    ("bessel_i0", "edges", "TensorFlow multiplies infinity by zero and answers nan; the limit is infinite"),
    ("bessel_i1", "edges", "as 'bessel_i0'"),
    ("hard_swish", "edges", "TensorFlow multiplies infinity by a slope of zero; ours are the limits, dy and 0"),
    ("mish", "edges", "as 'hard_swish'"),
    ("cumprod", "inclusive_zeros", "TensorFlow divides by the zero and answers 0; ours is the derivative"),
    ("cumprod", "inclusive_reverse_zeros", "as above"),
    ("cumprod", "exclusive_zeros", "as above"),
    ("cumprod", "exclusive_reverse_zeros", "as above"),
    ("max_pool2d", "nan", "as 'edges'"),
    ("max_pool2d", "all_minus_infinity", "as 'edges'"),
];

#[test]
fn gradients_are_tensorflows() {
    let mut complaints = Vec::new();
    for case in golden::gradients() {
        let name = format!("{} {}", case.op, case.case);
        let Some(program) = Program::named(&case.op, case.attrs.clone()) else {
            complaints.push(format!("{name}: no row and no program"));
            continue;
        };
        let excuse = EXCEPT.iter().find(|(op, c, _)| *op == case.op && *c == case.case);
        let is_for_the_cpu = on_a_gpu() && rows::runs_on_the_cpu_alone(&case.op);
        match (check(&program, &case), excuse) {
            (Err(found), _) if is_for_the_cpu && found.contains("`x.cpu()`") => {}
            (Err(found), None) => complaints.push(format!("{name}: {found}")),
            (Ok(()), Some((.., why))) => complaints.push(format!("{name}: does not differ ({why})")),
            _ => {}
        }
    }
    report(complaints);
}

fn check(program: &Program, case: &GradientCase) -> Result<(), String> {
    let x: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
    let upstream: Vec<Tensor> = case.upstream.iter().map(Array::tensor).collect();
    let (outputs, gradients) = program.gradients(&x, &upstream).map_err(|e| e.to_string())?;
    let scale = magnitude(case.inputs.iter().chain(&case.upstream).chain(case.gradients.iter().flatten()));
    for (got, want) in outputs.iter().zip(&case.outputs) {
        let got = Array::of(got);
        let places = differences(&got, want, BOUND, scale)?;
        if !places.is_empty() {
            return Err(format!("output: {}", show(&got, want, &places)));
        }
    }
    for (i, (got, want)) in gradients.iter().zip(&case.gradients).enumerate() {
        match (got.as_ref().map(Array::of), want) {
            (None, None) => {}
            (Some(got), Some(want)) => {
                let places = differences(&got, want, BOUND, scale)?;
                if !places.is_empty() {
                    return Err(format!("input {i}: {}", show(&got, want, &places)));
                }
            }
            (Some(got), None) => {
                return Err(format!("input {i}: TensorFlow has no gradient, ours is {:?}", got.to_f64()));
            }
            (None, Some(want)) => return Err(format!("input {i}: no gradient, TensorFlow's is {:?}", want.to_f64())),
        }
    }
    Ok(())
}
