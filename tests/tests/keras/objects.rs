//! Activations, initializers, regularizers and constraints against Keras: values and gradients, or the law of random numbers.
//! Each row of `keras_objects.json` is used once; its key names the type and the option.

use crate::numbers::{file, near, number};
use eagerflow as tf;
use serde_json::{Map, Value};
use tf::activations;
use tf::constraints;
use tf::initializers::{self, Initializer};
use tf::regularizers;
use tf::shared::{IntoShared, Shared};
use tf::{DType, GradientTape, Shape, Tensor, TensorType};

/// The rows of a module that are left, by what follows its name.
struct Rows {
    module: &'static str,
    left: Map<String, Value>,
}

impl Rows {
    fn of(module: &'static str) -> Self {
        let all = file("objects");
        let own = all.as_object().expect("rows").iter();
        let own =
            own.filter_map(|(key, row)| Some((key.strip_prefix(module)?.strip_prefix('.')?.to_owned(), row.clone())));
        Self { module, left: own.collect() }
    }

    fn take(&mut self, name: &str) -> Value {
        self.left.remove(name).unwrap_or_else(|| panic!("there is no row {}.{name}, or it was used", self.module))
    }

    fn all_used(self) {
        let left: Vec<&String> = self.left.keys().collect();
        assert!(left.is_empty(), "rows of {} without a test: {left:?}", self.module);
    }
}

/// Value and gradient of a function.
fn check(row: &Value, what: &str, tolerance: f64, function: impl Fn(&Tensor) -> Tensor) {
    let x = crate::numbers::tensor(&row["input"]);
    let factors = crate::numbers::tensor(&row["factors"]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = function(&x);
    let loss = tf::reduce_sum(&y * &factors, ());
    near(&format!("{what}: value"), &y, &row["output"], tolerance);
    near(&format!("{what}: gradient"), &tape.gradient(&loss, &x), &row["gradient"], tolerance);
}

#[test]
fn activations_are_those_of_keras() {
    let mut rows = Rows::of("activations");
    macro_rules! all {
        ($($name:literal => $activation:expr;)*) => {$(
            let activation = $activation;
            check(&rows.take($name), $name, 4e-6, |x| activation.call(x));
        )*};
    }
    use activations::*;
    all! {
        "Celu" => Celu::new();
        "Celu.alpha" => Celu::new().alpha(1.7);
        "Elu" => Elu::new();
        "Elu.alpha" => Elu::new().alpha(1.7);
        "Exponential" => Exponential::new();
        "Gelu" => Gelu::new();
        "Gelu.approximate" => Gelu::new().approximate(true);
        "Glu" => Glu::new();
        "Glu.axis" => Glu::new().axis(0);
        "HardShrink" => HardShrink::new();
        "HardShrink.threshold" => HardShrink::new().threshold(0.9);
        "HardSigmoid" => HardSigmoid::new();
        "HardSilu" => HardSilu::new();
        "HardTanh" => HardTanh::new();
        "LeakyRelu" => LeakyRelu::new();
        "LeakyRelu.negative_slope" => LeakyRelu::new().negative_slope(0.6);
        "Linear" => Linear::new();
        "LogSigmoid" => LogSigmoid::new();
        "LogSoftmax" => LogSoftmax::new();
        "LogSoftmax.axis" => LogSoftmax::new().axis(0);
        "Mish" => Mish::new();
        "Relu" => Relu::new();
        "Relu.negative_slope" => Relu::new().negative_slope(0.3);
        "Relu.max_value" => Relu::new().max_value(Some(1.5));
        "Relu.threshold" => Relu::new().threshold(0.7);
        "Relu6" => Relu6::new();
        "Selu" => Selu::new();
        "Sigmoid" => Sigmoid::new();
        "Silu" => Silu::new();
        "SoftShrink" => SoftShrink::new();
        "SoftShrink.threshold" => SoftShrink::new().threshold(0.9);
        "Softmax" => Softmax::new();
        "Softmax.axis" => Softmax::new().axis(0);
        "Softplus" => Softplus::new();
        "Softsign" => Softsign::new();
        "SparsePlus" => SparsePlus::new();
        "SparseSigmoid" => SparseSigmoid::new();
        "Sparsemax" => Sparsemax::new();
        "Sparsemax.axis" => Sparsemax::new().axis(0);
        "Squareplus" => Squareplus::new();
        "Squareplus.b" => Squareplus::new().b(2.0);
        "Tanh" => Tanh::new();
        "TanhShrink" => TanhShrink::new();
        "Threshold" => Threshold::new();
        "Threshold.threshold" => Threshold::new().threshold(0.7);
        "Threshold.default_value" => Threshold::new().default_value(-0.5);
    }
    rows.all_used();
}

/// Where more than one value is left, Keras 3.15 is wrong; ours is the nearest distribution, which is found here by bisection.
#[test]
fn sparsemax_is_the_nearest_distribution() {
    let x = [0.3f64, 0.1, -0.2, 0.05];
    let (mut low, mut high) = (-2.0, 2.0);
    for _ in 0..200 {
        let middle: f64 = (low + high) / 2.0;
        let sum: f64 = x.iter().map(|v| (v - middle).max(0.0)).sum();
        if sum > 1.0 { low = middle } else { high = middle }
    }
    use activations::Activation;
    let y = activations::Sparsemax::new().call(&Tensor::from(x)).to_vec::<f64>();
    assert!(x.iter().zip(&y).all(|(x, y)| ((x - low).max(0.0) - y).abs() < 1e-9), "{y:?}");
}

fn drawn(initializer: &Shared<dyn Initializer>, shape: &Value) -> Tensor {
    let sizes: Vec<usize> =
        shape.as_array().expect("a shape").iter().map(|n| n.as_u64().expect("a size") as usize).collect();
    initializer.make(&TensorType::new(DType::F32, Shape::new(&sizes).unwrap())).unwrap()
}

/// The law of random numbers, with a seed and without: mean, deviation, and the ends where there are some.
fn check_law(row: &Value, what: &str, initializer: Shared<dyn Initializer>) {
    let x = drawn(&initializer, &row["shape"]).cast(DType::F64);
    let (mean, variance) = tf::moments(&x, ());
    let (mean, deviation) = (mean.item::<f64>(), variance.item::<f64>().sqrt());
    let (right_mean, right) = (number(&row["mean"]), number(&row["deviation"]));
    assert!((mean - right_mean).abs() < 0.03 * right, "{what}: the mean is {mean}, Keras has {right_mean}");
    assert!((deviation / right - 1.0).abs() < 0.02, "{what}: the deviation is {deviation}, Keras has {right}");
    if let Some(ends) = row["ends"].as_array() {
        let ours = [tf::reduce_min(&x, ()).item::<f64>(), tf::reduce_max(&x, ()).item::<f64>()];
        for (ours, keras) in ours.iter().zip(ends) {
            let keras = number(keras);
            assert!((ours - keras).abs() < 0.02 * right, "{what}: an end is {ours}, Keras has {keras}");
        }
    }
}

#[test]
fn initializers_have_the_laws_of_keras() {
    let mut rows = Rows::of("initializers");
    use initializers::*;
    for (name, initializer) in [
        ("Zeros", Zeros.into_shared()),
        ("Ones", Ones.into_shared()),
        ("Constant", Constant::new(0.3).into_shared()),
        ("Identity", Identity::new().into_shared()),
        ("Identity.gain", Identity::new().gain(2.5).into_shared()),
    ] {
        let row = rows.take(name);
        near(name, &drawn(&initializer.unwrap(), &row["shape"]), &row["output"], 0.0);
    }
    macro_rules! laws {
        ($($name:literal => $initializer:expr;)*) => {$(
            let row = rows.take($name);
            check_law(&row, $name, $initializer.into_shared().unwrap());
            // With a seed: the same law, the same numbers at each call, others for another seed.
            let seeded = |seed: i64| $initializer.seed(seed).into_shared().unwrap();
            check_law(&row, concat!($name, ", seeded"), seeded(11));
            let numbers = |seed: i64| drawn(&seeded(seed), &row["shape"]).to_vec::<f32>();
            assert_eq!(numbers(11), numbers(11), $name);
            assert_ne!(numbers(11), numbers(12), $name);
        )*};
    }
    laws! {
        "RandomNormal" => RandomNormal::new();
        "RandomNormal.mean" => RandomNormal::new().mean(0.5);
        "RandomNormal.stddev" => RandomNormal::new().stddev(0.3);
        "TruncatedNormal" => TruncatedNormal::new();
        "TruncatedNormal.mean" => TruncatedNormal::new().mean(0.5);
        "TruncatedNormal.stddev" => TruncatedNormal::new().stddev(0.3);
        "RandomUniform" => RandomUniform::new();
        "RandomUniform.minval" => RandomUniform::new().minval(-0.3);
        "RandomUniform.maxval" => RandomUniform::new().maxval(0.7);
        "VarianceScaling" => VarianceScaling::new();
        "VarianceScaling.scale" => VarianceScaling::new().scale(3.0);
        "VarianceScaling.mode.out" => VarianceScaling::new().mode(Fan::Out);
        "VarianceScaling.mode.average" => VarianceScaling::new().mode(Fan::Average);
        "VarianceScaling.distribution.normal" => VarianceScaling::new().distribution(Distribution::UntruncatedNormal);
        "VarianceScaling.distribution.uniform" => VarianceScaling::new().distribution(Distribution::Uniform);
        "VarianceScaling.axes" => VarianceScaling::new().input_axes([1, 2]).output_axes([0]);
        "GlorotUniform" => GlorotUniform::new();
        "GlorotUniform.axes" => GlorotUniform::new().input_axes([0]).output_axes([1, 2]);
        "GlorotUniform.window" => GlorotUniform::new();
        "GlorotNormal" => GlorotNormal::new();
        "HeNormal" => HeNormal::new();
        "HeUniform" => HeUniform::new();
        "LecunNormal" => LecunNormal::new();
        "LecunUniform" => LecunUniform::new();
        "Orthogonal" => Orthogonal::new();
        "Orthogonal.gain" => Orthogonal::new().gain(2.0);
    }
    rows.all_used();
}

#[test]
fn orthogonal_matrices_are_orthogonal() {
    for (rows, columns) in [(5, 3), (3, 5), (4, 4)] {
        let q = initializers::Orthogonal::new().gain(2.0).seed(3).call([rows, columns], DType::F64);
        let q = if rows < columns { q.transpose([]) } else { q };
        let product = tf::matmul(q.transpose([]), &q);
        let off = tf::reduce_max((product - tf::eye(rows.min(columns)).cast(DType::F64) * 4.0).abs(), ());
        assert!(off.item::<f64>() < 1e-9, "{rows} by {columns}: {off}");
    }
}

#[test]
fn regularizers_are_those_of_keras() {
    let mut rows = Rows::of("regularizers");
    macro_rules! all {
        ($($name:literal => $regularizer:expr;)*) => {$(
            let regularizer = $regularizer;
            check(&rows.take($name), $name, 2e-6, |x| regularizer.call(x));
        )*};
    }
    use regularizers::*;
    all! {
        "L1" => L1::new(0.2);
        "L2" => L2::new(0.2);
        "L1L2.l1" => L1L2::new(0.2, 0.0);
        "L1L2.l2" => L1L2::new(0.0, 0.3);
        "L1L2.both" => L1L2::new(0.2, 0.3);
        "Orthogonal" => Orthogonal::new();
        "Orthogonal.factor" => Orthogonal::new().factor(0.5);
        "Orthogonal.mode" => Orthogonal::new().factor(0.5).mode(OrthogonalMode::Columns);
    }
    rows.all_used();
    assert!(L1::new(-1.0).check().unwrap_err().to_string().contains("l1"));
}

#[test]
fn constraints_are_those_of_keras() {
    let mut rows = Rows::of("constraints");
    macro_rules! all {
        ($($name:literal => $constraint:expr;)*) => {$(
            let constraint = $constraint;
            check(&rows.take($name), $name, 2e-6, |x| constraint.call(x));
        )*};
    }
    use constraints::*;
    all! {
        "NonNeg" => NonNeg;
        "MaxNorm" => MaxNorm::new(2.0);
        "MaxNorm.max_value" => MaxNorm::new(0.6);
        "MaxNorm.axis" => MaxNorm::new(0.6).axis(1);
        "UnitNorm" => UnitNorm::new();
        "UnitNorm.axis" => UnitNorm::new().axis([0, 1]);
        "MinMaxNorm" => MinMaxNorm::new();
        "MinMaxNorm.min_value" => MinMaxNorm::new().min_value(0.9);
        "MinMaxNorm.max_value" => MinMaxNorm::new().max_value(0.6);
        "MinMaxNorm.rate" => MinMaxNorm::new().max_value(0.6).rate(0.25);
        "MinMaxNorm.axis" => MinMaxNorm::new().max_value(0.6).axis(1);
    }
    rows.all_used();
    assert!(MinMaxNorm::new().min_value(2.0).check().unwrap_err().to_string().contains("min_value 2"));
}
