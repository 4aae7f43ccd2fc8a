//! Gamma, Poisson, binomial and categorical numbers against `golden/laws.json`, TensorFlow's draws, and against the laws themselves.
//! A draw that hangs on the last bit of a logarithm may differ, but not one in a thousand.

use eagerflow as tf;
use eagerflow_tests::golden::{Array, records};
use serde_json::Value;
use tf::{DType, GradientTape, Tensor, random};

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().expect("numbers").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

/// The numbers of a record, drawn here.
fn drawn(record: &Value) -> Tensor {
    let seed = numbers(&record["seed"]);
    let seed = [seed[0], seed[1]];
    let shape: Vec<usize> = numbers(&record["shape"]).iter().map(|&n| n as usize).collect();
    let dtype = DType::from_name(record["dtype"].as_str().expect("a name")).expect("a dtype");
    let given: Vec<Tensor> =
        record["given"].as_array().expect("arrays").iter().map(|a| Array::parse(a).tensor()).collect();
    match record["law"].as_str().expect("a law") {
        "gamma" => random::stateless_gamma(shape, seed, &given[0], &given[1]),
        "poisson" => random::stateless_poisson(shape, seed, &given[0], dtype),
        "binomial" => random::stateless_binomial(shape, seed, &given[0], &given[1], dtype),
        _ => random::stateless_categorical(&given[0], shape[1], seed, dtype),
    }
}

/// Units in the last place of a dtype near a number.
fn ulp(dtype: DType, x: f64) -> f64 {
    let digits = match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::F32 => 2f64.powi(-23),
        DType::F64 => 2f64.powi(-52),
        _ => 0.0,
    };
    digits * x.abs().max(1e-300)
}

#[test]
fn draws_are_tensorflows() {
    for law in ["gamma", "poisson", "binomial", "categorical"] {
        let (mut all, mut equal, mut wrong) = (0, 0, Vec::new());
        for record in records("laws.json").iter().filter(|r| r["law"] == law) {
            let got = drawn(record);
            let right = Array::parse(&record["output"]).tensor();
            assert_eq!((got.dtype(), got.shape()), (right.dtype(), right.shape()), "{law}");
            let dtype = got.dtype();
            let [got, right] = [got, right].map(|t| t.cast(DType::F64).to_vec::<f64>());
            for (got, right) in got.into_iter().zip(right) {
                all += 1;
                match (got - right).abs() <= 4.0 * ulp(dtype, right) {
                    true => equal += 1,
                    false => wrong.push(format!("{dtype} {got} for {right}, given {}", record["given"])),
                }
            }
        }
        assert!(all > 1000, "only {all} draws of {law}");
        let first = wrong.first().map(|w| &w[..w.len().min(300)]);
        assert!(equal * 1000 >= all * 999, "{law}: {equal} of {all} are equal; {first:?}");
    }
}

/// Mean and variance of many numbers.
fn moments(x: &Tensor) -> (f64, f64) {
    let x = x.cast(DType::F64).to_vec::<f64>();
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / x.len() as f64)
}

#[test]
fn large_samples_have_the_moments_of_their_laws() {
    const COUNT: usize = 60_000;
    let near = |what: &str, x: &Tensor, mean: f64, variance: f64| {
        let (got, spread) = moments(x);
        assert!((got - mean).abs() < 5.0 * (variance / COUNT as f64).sqrt(), "{what}: mean {got} for {mean}");
        assert!((spread / variance - 1.0).abs() < 0.1, "{what}: variance {spread} for {variance}");
    };
    for alpha in [0.3, 1.0, 2.5, 70.0] {
        let x = random::stateless_gamma([COUNT], [5, 6], &Tensor::from(alpha), &Tensor::from(2.0));
        near("gamma", &x, alpha / 2.0, alpha / 4.0);
    }
    for rate in [0.5, 9.0, 11.0, 5000.0] {
        let x = random::stateless_poisson([COUNT], [5, 6], &Tensor::from(rate), DType::I64);
        near("poisson", &x, rate, rate);
    }
    for (count, prob) in [(10.0, 0.3), (10.0, 0.9), (400.0, 0.2), (400.0, 0.8)] {
        let x = random::stateless_binomial([COUNT], [5, 6], &Tensor::from(count), &Tensor::from(prob), DType::I32);
        near("binomial", &x, count * prob, count * prob * (1.0 - prob));
    }
    let chances = [0.1f64, 0.6, 0.3];
    let logits = Tensor::from([chances.map(f64::ln)]);
    let classes = random::stateless_categorical(&logits, COUNT, [5, 6], DType::I32).to_vec::<i32>();
    for (class, chance) in chances.iter().enumerate() {
        let share = classes.iter().filter(|&&k| k as usize == class).count() as f64 / COUNT as f64;
        assert!((share - chance).abs() < 0.01, "{class}: {share}");
    }
}

#[test]
fn edges_are_those_of_the_laws() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let poisson = |rate: f32| random::stateless_poisson([2], [1, 2], &tf::constant(rate), DType::F32).to_vec::<f32>();
    assert!(poisson(nan).iter().all(|x| x.is_nan()));
    assert_eq!((poisson(0.0), poisson(-1.0), poisson(inf)), (vec![0.0; 2], vec![0.0; 2], vec![inf; 2]));
    let gamma =
        |alpha: f32| random::stateless_gamma([2], [1, 2], &tf::constant(alpha), &tf::constant(1.0)).to_vec::<f32>();
    assert!(gamma(nan).iter().chain(&gamma(-1.0)).all(|x| x.is_nan()));
    assert_eq!((gamma(0.0), gamma(inf)), (vec![f32::MIN_POSITIVE; 2], vec![inf; 2]));
    let binomial = |prob: f32, dtype| {
        random::stateless_binomial([2], [1, 2], &tf::constant(10.0), &tf::constant(prob), dtype)
            .cast(DType::F32)
            .to_vec::<f32>()
    };
    assert!(binomial(nan, DType::F32).iter().all(|x| x.is_nan()));
    assert_eq!((binomial(nan, DType::I32), binomial(2.0, DType::I32)), (vec![0.0; 2], vec![10.0; 2]));
    let class =
        |logits: [f32; 2]| random::stateless_categorical(Tensor::from([logits]), 2, [1, 2], DType::I32).to_vec::<i32>();
    assert_eq!((class([-inf, -inf]), class([nan, 1.0]), class([inf, 1.0])), (vec![2; 2], vec![1; 2], vec![1; 2]));
    assert_eq!(random::stateless_gamma([0, 2], [1, 2], &tf::zeros([2]), &tf::constant(1.0)).shape(), [0, 2]);
    assert_eq!(random::stateless_categorical(tf::zeros([2, 3]), 0, [1, 2], DType::I64).shape(), [2, 0]);
    assert!(random::try_stateless_gamma([3], [1, 2], &tf::ones([2]), &tf::constant(1.0)).is_err());
    assert!(random::try_stateless_gamma([3], [1, 2], &tf::constant(1), &tf::constant(1)).is_err());
    assert!(random::try_stateless_poisson([3], [1, 2], &tf::constant(1.0), DType::U8).is_err());
    assert!(random::try_stateless_categorical(tf::zeros([2]), 1, [1, 2], DType::I64).is_err());
    assert!(random::try_stateless_categorical(tf::zeros([2, 0]), 1, [1, 2], DType::I64).is_err());
}

/// d x / d alpha by finite differences of the quantile: what P(alpha, x) keeps fixed; and by beta plainly.
#[test]
fn gradients_of_gamma_numbers() {
    let alpha = Tensor::from([0.4, 1.0, 3.5, 40.0]);
    let beta = Tensor::from([[0.5], [2.0]]);
    let by = |target: &Tensor| {
        let mut tape = GradientTape::unwatched();
        tape.watch(target);
        let x = random::stateless_gamma([7, 2, 4], [3, 4], &alpha, &beta);
        (tape.gradient(&x, target), x)
    };
    let ((by_alpha, x), (by_beta, _)) = (by(&alpha), by(&beta));
    assert_eq!((by_alpha.shape(), by_beta.shape()), (alpha.shape(), beta.shape()));
    let (values, a, b) = (x.to_vec::<f64>(), alpha.to_vec::<f64>(), beta.to_vec::<f64>());
    let p = |a: f64, x: f64| tf::igamma(&Tensor::from(a), &Tensor::from(x)).item::<f64>();
    let (mut want_alpha, mut want_beta) = ([0.0; 4], [0.0; 2]);
    for (i, value) in values.iter().enumerate() {
        let (k, j) = (i % 4, i / 4 % 2);
        let plain = value * b[j];
        let step = 1e-5 * plain.min(1.0);
        let slope = (p(a[k] + 1e-5, plain) - p(a[k] - 1e-5, plain)) / 2e-5;
        let density = (p(a[k], plain + step) - p(a[k], plain - step)) / (2.0 * step);
        want_alpha[k] -= slope / density / b[j];
        want_beta[j] -= value / b[j];
    }
    let near = |got: Vec<f64>, want: &[f64]| {
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 1e-5 * want.abs(), "{got} for {want}");
        }
    };
    near(by_alpha.to_vec(), &want_alpha);
    near(by_beta.to_vec(), &want_beta);
}

#[test]
fn threads_and_traces_draw_the_same() {
    #[tf::tf_function]
    fn traced(alpha: &Tensor) -> Tensor {
        random::stateless_gamma([5000, 2], [8, 9], alpha, &tf::constant(1.0))
    }
    let alpha = tf::constant([0.7, 3.0]);
    let eager = random::stateless_gamma([5000, 2], [8, 9], &alpha, &tf::constant(1.0)).to_vec::<f32>();
    assert_eq!(traced(&alpha).to_vec::<f32>(), eager);
}
