//! What holds for all element-wise operations at once: derivatives of first and second order against finite
//! differences, values and slopes at kinks and far out, and derivatives that are one short program each.

use crate as tf;
use crate::meaning::{derivatives, program_of};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::{GradientTape, Variable};
use kernels::dtype::DType;

type Function = (&'static str, fn(&Tensor) -> Tensor);

/// Operations with a slope everywhere, or away from the points used here; binary ones in one and in both operands.
const SMOOTH: &[Function] = &[
    ("neg", |x| -x),
    ("abs", Tensor::abs),
    ("square", Tensor::square),
    ("reciprocal", Tensor::reciprocal),
    ("exp", Tensor::exp),
    ("expm1", Tensor::expm1),
    ("sin", Tensor::sin),
    ("cos", Tensor::cos),
    ("tanh", Tensor::tanh),
    ("erf", Tensor::erf),
    ("erfc", Tensor::erfc),
    ("sigmoid", Tensor::sigmoid),
    ("relu", Tensor::relu),
    ("leaky_relu", |x| tf::leaky_relu(x, 0.2)),
    ("gelu", |x| tf::gelu(x, false)),
    ("gelu approximate", |x| tf::gelu(x, true)),
    ("softplus", Tensor::softplus),
    ("silu", Tensor::silu),
    ("elu", Tensor::elu),
    ("selu", Tensor::selu),
    ("identity", Tensor::identity),
    ("maximum", |x| tf::maximum(x, 0.5)),
    ("minimum", |x| tf::minimum(0.5, x)),
    ("squared_difference", |x| tf::squared_difference(x * 2.0, x + 0.4)),
    ("divide by", |x| tf::divide(1.5, x)),
    ("divide", |x| tf::divide(x + 3.0, x.exp())),
    ("div_no_nan", |x| tf::div_no_nan(x + 3.0, x.exp())),
    ("truediv", |x| tf::truediv(x, 3.0)),
    ("floormod", |x| tf::floormod(x * 3.0, x.square() + 1.3)),
    ("truncatemod", |x| tf::truncatemod(x * 3.0, x.square() + 1.3)),
    ("pow of negative numbers", |x| tf::pow(x, 3.0)),
    ("select", |x| tf::select(tf::greater(x, 0.0), x.sin(), x.exp())),
    ("clip_by_value", |x| tf::clip_by_value(x.square() * x, -2.5, x + 0.1)),
    ("clip_by_norm", |x| tf::clip_by_norm(x, 1.5, ())),
    ("clip_by_global_norm", |x| tf::clip_by_global_norm([x, &x.sin()], 1.5).0.remove(1)),
];

/// Those that need positive operands.
const POSITIVE: &[Function] = &[
    ("sqrt", Tensor::sqrt),
    ("rsqrt", Tensor::rsqrt),
    ("log", Tensor::log),
    ("log1p", Tensor::log1p),
    ("pow", |x| tf::pow(x, x * 1.5)),
    ("pow of a number", |x| tf::pow(1.7, x)),
];

/// The square makes the cotangent depend on x, so that second order goes through it as well.
fn objective(f: fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    tf::reduce_sum(f(x).square(), ())
}

fn gradient(f: fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    tape.gradient(&objective(f, x), x)
}

/// Central differences of a function that works on one number after another or mixes them.
fn difference(x: &[f64], of: impl Fn(&Tensor) -> f64) -> Vec<f64> {
    let step = 1e-5;
    let moved = |i: usize, by: f64| {
        let mut x = x.to_vec();
        x[i] += by;
        of(&Tensor::from(x))
    };
    (0..x.len()).map(|i| (moved(i, step) - moved(i, -step)) / (2.0 * step)).collect()
}

fn close(name: &str, order: &str, got: &Tensor, expected: &[f64]) {
    for (got, expected) in got.to_vec::<f64>().iter().zip(expected) {
        let error = (got - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1e-6, "{order} derivative of {name}: {got} but differences give {expected}");
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let points = [-2.3, -1.1, -0.6, 0.45, 0.83, 1.9];
    for &(name, f) in SMOOTH.iter().chain(POSITIVE) {
        let positive = POSITIVE.iter().any(|(n, _)| *n == name);
        let values: Vec<f64> = if positive { points[3..].to_vec() } else { points.to_vec() };
        let x = Tensor::from(values.clone());
        close(name, "first", &gradient(f, &x), &difference(&values, |x| objective(f, x).item::<f64>()));
        let mut outer = GradientTape::new();
        outer.watch(&x);
        let second = outer.gradient(&tf::reduce_sum(gradient(f, &x), ()), &x);
        close(name, "second", &second, &difference(&values, |x| tf::reduce_sum(gradient(f, x), ()).item::<f64>()));
    }
}

/// The slopes at some points, for a cotangent of ones.
fn slopes<const N: usize>(f: impl Fn(&Tensor) -> Tensor, at: [f32; N]) -> Vec<f32> {
    let x = Variable::new(at);
    let tape = GradientTape::new();
    let y = f(&x.value());
    tape.gradient(&y, &x).to_vec::<f32>()
}

#[test]
fn values_and_slopes_far_out() {
    let far = [-f32::MAX, -1e4, -200.0, 200.0, 1e4, f32::MAX];
    let x = tf::constant(far);
    assert_eq!(tf::softplus(&x).to_vec::<f32>(), [0.0, 0.0, 0.0, 200.0, 1e4, f32::MAX]);
    assert_eq!(slopes(|x| tf::softplus(x), far), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(slopes(|x| tf::silu(x), far), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(slopes(|x| tf::gelu(x, false), far), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(slopes(|x| tf::gelu(x, true), [-1e4, -200.0, 200.0, 1e4]), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(slopes(|x| tf::elu(x), far), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(slopes(|x| tf::sigmoid(x), far), [0.0; 6]);
    let ends = [f32::NEG_INFINITY, f32::INFINITY];
    assert_eq!(tf::softplus(tf::constant(ends)).to_vec::<f32>(), [0.0, f32::INFINITY]);
    assert_eq!(slopes(|x| tf::softplus(x), ends), [0.0, 1.0]);
    // Sine of huge angles: the loops must not take the short reduction.
    let huge = tf::sin(tf::constant([1e22, 3.0])).to_vec::<f32>();
    assert!((f64::from(huge[0]) - f64::from(1e22f32).sin()).abs() < 1e-6, "{huge:?}");
}

#[test]
fn kinks_are_where_tensorflow_has_them() {
    let nan = f32::NAN;
    assert_eq!(slopes(|x| tf::relu(x), [-1.0, 0.0, nan, 1.0]), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(slopes(|x| tf::abs(x), [-2.0, 0.0, 2.0]), [-1.0, 0.0, 1.0]);
    assert_eq!(slopes(|x| tf::maximum(x, 0.0), [0.0]), [1.0]);
    assert_eq!(slopes(|x| tf::minimum(0.0, x), [0.0]), [0.0]);
    assert_eq!(slopes(|x| tf::clip_by_value(x, -1.0, 1.0), [-1.0, 1.0, 1.5, nan]), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(slopes(|x| tf::sign(x), [-1.0, 0.0]), [0.0, 0.0]);
    assert_eq!(slopes(|x| tf::sqrt(x), [0.0, 4.0]), [f32::INFINITY, 0.25]);
    let guarded = |x: &Tensor| tf::select(tf::greater(x, 0.0), tf::sqrt(x), 0.0);
    assert_eq!(slopes(guarded, [-1.0, 0.0, 4.0]), [0.0, 0.0, 0.25]);
    assert_eq!(slopes(|x| tf::div_no_nan(x, tf::constant([0.0, 2.0])), [1.0, 1.0]), [0.0, 0.5]);
    assert_eq!(slopes(|x| tf::div_no_nan(1.0, x), [0.0, 2.0]), [0.0, -0.25]);
}

#[test]
fn faults_are_errors_at_the_callers_line() {
    let x = tf::constant([7, -7]);
    let errors = [
        (tf::try_floordiv(&x, 0), line!()),
        (tf::try_floormod(&x, 0), line!()),
        (tf::try_truncatemod(&x, tf::constant([1, 0])), line!()),
        (tf::try_pow(&x, -1), line!()),
        (tf::try_sqrt(&x), line!()),
        (tf::try_clip_by_norm(&x, 1.0, ()), line!()),
        (tf::try_clip_by_norm(tf::constant([1.0, 2.0]), tf::constant([1.0; 3]), ()), line!()),
        (tf::try_clip_by_value(tf::constant(1.0), tf::constant([0.0; 3]), 2.0), line!()),
        (tf::try_select(&x, 1, 2), line!()),
        (tf::try_select(tf::constant([true]), tf::constant(1), tf::constant(2.0)), line!()),
        (tf::try_clip_by_global_norm([&x], 1.0).map(|(_, norm)| norm), line!()),
        (tf::try_global_norm([tf::constant(1.0), tf::constant(1.0).cast(DType::F64)]), line!()),
        (tf::try_global_norm::<[Tensor; 0]>([]), line!()),
    ];
    for (result, line) in errors {
        let error = result.unwrap_err();
        assert!(matches!(error, crate::Error::InvalidArgument(_)), "{error}");
        let at = error.report().location().unwrap();
        assert_eq!((at.file().ends_with("elementwise_tests.rs"), at.line()), (true, line), "{error}");
    }
    let panic = std::panic::catch_unwind(|| tf::constant([7, -7]) / 0).unwrap_err();
    let text = panic.downcast::<String>().unwrap();
    assert!(text.contains("division by zero") && text.contains(&format!("tests.rs:{}:", line!() - 2)), "{text}");
}

/// The program of the derivative by the first input, in `float32`.
fn derivative_text(op: &dyn Op) -> String {
    let all = derivatives(op, [DType::F32].into_iter(), |_| true);
    let info = all.by[0].as_ref().unwrap();
    program_of(&*info.op, &[DType::F32; 2][..=info.uses.len()]).to_string()
}

#[test]
fn derivatives_are_one_short_program() {
    let exact = derivative_text(&super::gelu::Gelu { approximate: false });
    assert_eq!((exact.matches("erf").count(), exact.matches("exp").count()), (1, 1), "{exact}");
    assert!(exact.lines().count() <= 14, "{exact}");
    let approximate = derivative_text(&super::gelu::Gelu { approximate: true });
    assert_eq!(approximate.matches("tanh").count(), 1, "{approximate}");
    let softplus = "t0 = sigmoid.float32(x0)\ny0 = mul.float32(x1, t0)\n";
    assert_eq!(derivative_text(&super::softplus::Softplus), softplus);
    // From the saved result alone.
    let relu = "t0 = lt.bool(0.0, x0)\ny0 = select.float32(t0, x1, 0.0)\n";
    assert_eq!(derivative_text(&super::relu::Relu), relu);
}
