//! Normal numbers between bounds against `golden/truncated.json`, TensorFlow's draws and gradients, and against the law itself.
//! A draw that hangs on the last bit of an exponential may differ, and with it those behind, but not one in a thousand.

use eagerflow as tf;
use eagerflow_tests::golden::{Array, records};
use serde_json::Value;
use tf::{DType, GradientTape, Tensor, random};

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().expect("numbers").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

fn arrays(value: &Value) -> Vec<Tensor> {
    value.as_array().expect("arrays").iter().map(|a| Array::parse(a).tensor()).collect()
}

/// The numbers of a record, drawn here.
fn drawn(record: &Value, given: &[Tensor]) -> tf::Result<Tensor> {
    let seed = numbers(&record["seed"]);
    let shape: Vec<usize> = numbers(&record["shape"]).iter().map(|&n| n as usize).collect();
    let [mean, deviation, low, high] = given else { panic!("four parameters") };
    random::try_stateless_parameterized_truncated_normal(shape, [seed[0], seed[1]], mean, deviation, low, high)
}

/// Units in the last place of a dtype near a number.
fn ulp(dtype: DType, x: f64) -> f64 {
    let digits = match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::F32 => 2f64.powi(-23),
        _ => 2f64.powi(-52),
    };
    digits * x.abs().max(1e-3)
}

#[test]
fn draws_and_refusals_are_tensorflows() {
    let (mut all, mut equal, mut wrong, mut refused) = (0, 0, Vec::new(), 0);
    for record in records("truncated.json") {
        let got = drawn(&record, &arrays(&record["given"]));
        if let Some(code) = record["error"].as_str() {
            let error = got.expect_err("TensorFlow refuses it");
            let same = match code {
                "Internal" => matches!(error, tf::Error::Internal(_)),
                _ => matches!(error, tf::Error::InvalidArgument(_)),
            };
            assert!(same && error.to_string().contains("stateless_parameterized_truncated_normal"), "{code}: {error}");
            refused += 1;
            continue;
        }
        let (got, right) = (got.expect("numbers"), Array::parse(&record["output"]).tensor());
        assert_eq!((got.dtype(), got.shape()), (right.dtype(), right.shape()));
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
    let first = wrong.first().map(|w| &w[..w.len().min(300)]);
    assert!(all > 4000 && refused > 40, "only {all} draws and {refused} refusals");
    assert!(equal * 1000 >= all * 999, "{equal} of {all} are equal; {first:?}");
}

#[test]
fn gradients_are_tensorflows() {
    let mut seen = 0;
    for record in records("truncated.json").iter().filter(|r| r.get("gradients").is_some()) {
        let given = arrays(&record["given"]);
        let mut tape = GradientTape::unwatched();
        tape.watch(&given);
        let y = drawn(record, &given).unwrap();
        let count = y.shape().num_elements();
        let weights = tf::range(1, count as i32 + 1, 1).cast(DType::F64) / 8.0;
        let target = (&y * weights.reshape(y.shape())).sum();
        let got = tape.gradient(&target, &given);
        let got: Vec<Tensor> = got.into_iter().map(|g| g.expect("a gradient")).collect();
        for ((got, right), of) in got.iter().zip(arrays(&record["gradients"])).zip(["mean", "deviation", "low", "high"])
        {
            assert_eq!(got.shape(), right.shape());
            for (got, right) in got.to_vec::<f64>().into_iter().zip(right.to_vec::<f64>()) {
                let near = got == right
                    || (got - right).abs() <= 1e-9 * right.abs().max(1.0)
                    || got.is_nan() && right.is_nan();
                assert!(near, "{of}: {got} for {right}, given {}", record["given"]);
                seen += 1;
            }
        }
    }
    assert!(seen > 50);
}

/// The derivative by a bound: what moves a number that keeps its place between both.
#[test]
fn bounds_move_their_numbers() {
    let draw = |low: &Tensor| random::stateless_parameterized_truncated_normal([40], [3, 4], 0.5, 1.5, low, 2.0);
    let slope = |low: f64| {
        let low = Tensor::from(low);
        let mut tape = GradientTape::unwatched();
        tape.watch(&low);
        let y = draw(&low);
        (y.to_vec::<f64>(), tape.gradient(&y, &low).item::<f64>())
    };
    let below = |x: f64| 0.5 * (1.0 + tf::erf(Tensor::from((x - 0.5) / 1.5 / 2f64.sqrt())).item::<f64>());
    let density = |x: f64| (-((x - 0.5) / 1.5).powi(2) / 2.0).exp();
    let (numbers, got) = slope(-0.25);
    let (lowest, highest) = (below(-0.25), below(2.0));
    let want: f64 =
        numbers.iter().map(|&x| density(-0.25) / density(x) * (highest - below(x)) / (highest - lowest)).sum();
    assert!((got - want).abs() < 1e-9 * want, "{got} for {want}");
}

#[test]
fn large_samples_lie_where_the_law_says() {
    const COUNT: usize = 40_000;
    for (low, high) in [(-2.0, 2.0), (-0.5, 0.25), (0.1, 9.0), (3.0, 4.0), (-9.0, -2.5)] {
        let x = random::stateless_parameterized_truncated_normal([COUNT], [5, 6], 0.0, 1.0, low, high).to_vec::<f32>();
        assert!(x.iter().all(|&x| (low..=high).contains(&f64::from(x))), "{low} {high}");
        // Shares in slices of the range, by the density.
        let steps = 2000;
        let at = |i: usize| low + (high - low) * (i as f64 + 0.5) / steps as f64;
        let weights: Vec<f64> = (0..steps).map(|i| (-at(i) * at(i) / 2.0).exp()).collect();
        let total: f64 = weights.iter().sum();
        for tenth in 1..10 {
            let end = low + (high - low) * tenth as f64 / 10.0;
            let share = x.iter().filter(|&&x| f64::from(x) < end).count() as f64 / COUNT as f64;
            let want = weights[..steps * tenth / 10].iter().sum::<f64>() / total;
            assert!((share - want).abs() < 0.013, "{low} {high} {tenth}: {share} for {want}");
        }
    }
}

#[test]
fn traces_draw_the_same_and_shapes_are_checked() {
    #[tf::tf_function]
    fn traced(means: &Tensor) -> Tensor {
        random::stateless_parameterized_truncated_normal([500, 2], [8, 9], means, 1.0, -1.0, 4.0)
    }
    let means = tf::constant([0.7, 3.0]);
    let eager = random::stateless_parameterized_truncated_normal([500, 2], [8, 9], &means, 1.0, -1.0, 4.0);
    assert_eq!(traced(&means).to_vec::<f32>(), eager.to_vec::<f32>());
    let tried = |shape: &[usize], low: &Tensor| {
        random::try_stateless_parameterized_truncated_normal(shape, [1, 2], &means, 1.0, low, 4.0)
    };
    assert_eq!(tried(&[0, 2], &tf::constant(9.0)).unwrap().shape(), [0, 2]);
    assert!(tried(&[2], &tf::constant(-1.0)).is_ok() && tried(&[2, 3], &tf::constant(-1.0)).is_err());
    assert!(tried(&[], &tf::constant(-1.0)).is_err() && tried(&[2], &tf::constant([1.0, 2.0, 3.0])).is_err());
    assert!(tried(&[2], &tf::constant(1)).is_err());
    let seeds =
        random::try_stateless_parameterized_truncated_normal([2], &tf::constant([1, 2, 3]), 0.0, 1.0, -1.0, 1.0);
    assert!(seeds.is_err());
}
