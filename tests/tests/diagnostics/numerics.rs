//! `enable_check_numerics`: the first operation that makes NaN or an infinity, at once, on the way back, and in graphs.
//! `cargo test -p eagerflow-tests --test diagnostics` runs it.

use eagerflow::{self as tf, GradientTape, Module, Tensor, Variable, tf_function};
use tf::debugging::{check_numerics_enabled, disable_check_numerics, enable_check_numerics, with_check_numerics};
use tf::layers::{BatchNormalization, Conv2D, Dense, Dropout, Flatten, LSTM, Lambda};
use tf::optim::{Adam, Optimizer};
use tf::training::{Compile, Fit};

/// The message of the panic of `body`, which runs under the mode.
#[track_caller]
fn caught<R>(body: impl FnOnce() -> R) -> String {
    let run = || with_check_numerics(body);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).err().expect("it is refused");
    assert!(!check_numerics_enabled(), "the mode ends with its scope");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

/// Whether the first line says all this, and the line of the user in this file.
#[track_caller]
fn first_line(text: &str, words: &[&str], line: u32) {
    let first = text.lines().next().unwrap_or_default();
    for word in words {
        assert!(first.contains(word), "`{word}` is not in the first line of: {text}");
    }
    assert!(first.contains(&format!("numerics.rs:{line}")), "not line {line}: {text}");
}

#[test]
fn an_operation_that_runs_at_once() {
    let x = tf::constant([[4.0, 0.0], [-1.0, 2.0]]);
    let line = line!() + 1;
    let text = caught(|| tf::log(&x));
    first_line(&text, &["log: ", "float32[2, 2]", "1 NaN, 0 +Inf and 1 -Inf among 4 elements"], line);
    assert!(text.contains("operand 0, float32[2, 2], from -1.0 to 4.0"), "{text}");
    let line = line!() + 1;
    let text = caught(|| Tensor::from(vec![1.0f64, -2.0]) / Tensor::from(vec![0.0f64, 0.0]));
    first_line(&text, &["float64[2]", "0 NaN, 1 +Inf and 1 -Inf among 2 elements"], line);
    // Half precision ends early; integers have neither.
    let text = caught(|| tf::constant(300.0).cast(tf::DType::F16) * 300.0);
    assert!(text.contains("1 +Inf"), "{text}");
    with_check_numerics(|| tf::constant([1, 2]) * 3);
}

#[test]
fn tapes_on_the_way_forth_and_back() {
    let v = Variable::with([0.0, 4.0], "v", true);
    let text = caught(|| {
        let tape = GradientTape::new();
        let y = tf::reduce_sum(tf::sqrt(&v.value()), ());
        tape.gradient(&y, &v)
    });
    first_line(&text, &["gradient of sqrt: ", "float32[2]", "1 +Inf"], line!() - 3);
    let text = caught(|| {
        let tape = GradientTape::new();
        let y = tf::log(&v.value() - 5.0);
        tape.gradient(&y, &v)
    });
    first_line(&text, &["log: ", "2 NaN"], line!() - 3);
    // A rule that is no derivative of an element.
    let text = caught(|| {
        let tape = GradientTape::new();
        let y = tf::norm(&v.value() * 0.0, 2.0, ());
        tape.gradient(&y, &v)
    });
    assert!(text.lines().next().unwrap().contains("gradient of "), "{text}");
}

#[tf_function]
fn chain(x: &Tensor) -> Tensor {
    let shifted = x - 1.0;
    let logs = tf::log(&shifted);
    tf::reduce_sum(tf::exp(logs * 0.5) + 1.0, ())
}

#[test]
fn a_traced_function_whose_operations_are_fused() {
    let (good, bad) = (tf::constant([2.0, 3.0]), tf::constant([2.0, 0.5]));
    let sum = chain(&good).item::<f32>();
    let text = caught(|| chain(&bad));
    first_line(&text, &["log: ", "float32[2]", "1 NaN"], line!() - 9);
    assert_eq!(with_check_numerics(|| chain(&good)).item::<f32>(), sum);
    // The mode has a trace of no call, and ordinary calls go on as they were.
    assert!(chain(&bad).item::<f32>().is_nan());
    assert_eq!(tf::function(chain).trace_count(), 1);
    assert!(tf::function(chain).plan().unwrap_or_default().contains("fused"));
    // Traced first under the mode, it has its plan afterwards.
    let text = caught(|| rooted(&tf::constant(-1.0)));
    assert!(text.lines().next().unwrap().contains("sqrt"), "{text}");
    assert_eq!(rooted(&tf::constant(4.0)).item::<f32>(), 3.0);
    assert_eq!(tf::function(rooted).trace_count(), 1);
}

#[tf_function]
fn rooted(x: &Tensor) -> Tensor {
    tf::sqrt(x) + 1.0
}

#[tf_function]
fn divided(x: &Tensor) -> Tensor {
    let (mut x, mut y) = (x.clone(), tf::constant(0.0));
    while x > -2.5 {
        if x > 0.5 {
            y = &y + 1.0 / &x;
        } else {
            y = 1.0 / &x;
        }
        x = x - 1.0;
    }
    y
}

#[test]
fn loops_and_branches_of_the_graph() {
    let text = caught(|| divided(&tf::constant(3.0)));
    first_line(&text, &["0 NaN, 1 +Inf and 0 -Inf among 1 element"], line!() - 10);
    assert!(divided(&tf::constant(3.0)).item::<f32>().is_finite());
}

#[tf_function]
fn slope(v: &Variable) -> Tensor {
    let tape = GradientTape::new();
    let y = tf::reduce_sum(tf::sqrt(&v.value()) * 2.0, ());
    tape.gradient(&y, v)
}

#[test]
fn gradients_within_and_around_traced_functions() {
    let v = Variable::new([0.0, 1.0]);
    let text = caught(|| slope(&v));
    first_line(&text, &["gradient of sqrt: ", "1 +Inf"], line!() - 8);
    let mut outer = None;
    let text = caught(|| {
        let x = tf::constant([1.0, 4.0]);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        outer = Some(chain(&x));
        tape.gradient(outer.as_ref().unwrap(), &x)
    });
    // log(0) comes first.
    assert!(text.starts_with("InvalidArgument: log: "), "{text}");
    let text = caught(|| {
        let x = tf::constant([0.0, 4.0]);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = rooted_sum(&x);
        tape.gradient(&y, &x)
    });
    first_line(&text, &["gradient of sqrt: "], line!() + 5);
}

#[tf_function]
fn rooted_sum(x: &Tensor) -> Tensor {
    tf::reduce_sum(tf::sqrt(x) * 3.0, ())
}

#[test]
fn what_came_in_is_not_blamed_on_the_operation() {
    let data = tf::constant([1.0, f32::NAN]);
    let text = caught(|| &data * 2.0);
    assert!(text.contains("has 1 NaN, 0 +Inf and 0 -Inf among 2 elements already") && text.contains("data"), "{text}");
    // A mask of infinities goes through what only passes numbers on, as in TensorFlow.
    let mask = tf::constant([true, false]);
    let shown = with_check_numerics(|| {
        let masked = tf::where_(&mask, tf::ones([2]), f32::NEG_INFINITY);
        tf::maximum(masked.reshape([2, 1]), 0.0)
    });
    assert_eq!(shown.to_vec::<f32>(), [1.0, 0.0]);
    // A variable that is given such a value is named.
    let rate = Variable::with(1.0, "rate", true);
    let text = caught(|| rate.assign(tf::constant(f32::INFINITY)));
    assert!(text.contains("variable 'rate', now float32[]") && text.contains("1 +Inf"), "{text}");
}

#[test]
fn the_mode_is_the_thread_s() {
    enable_check_numerics();
    enable_check_numerics();
    let other = std::thread::spawn(|| (check_numerics_enabled(), tf::log(tf::constant(0.0)).item::<f32>()));
    assert_eq!(other.join().unwrap(), (false, f32::NEG_INFINITY));
    assert!(tf::try_log(tf::constant(0.0)).is_err());
    disable_check_numerics();
    assert!(tf::try_log(tf::constant(0.0)).is_ok());
    // Within the scope of one that is on, the scope of another changes nothing.
    with_check_numerics(|| {
        with_check_numerics(|| ());
        assert!(check_numerics_enabled());
    });
}

#[test]
fn fit_names_the_operation_of_the_model() {
    let line = line!() + 1;
    let logs = Lambda::new(|x: &Tensor| tf::log(x));
    let model = tf::Sequential::new((Dense::new(4).kernel_initializer("ones"), logs, Dense::new(1)));
    let trainer = model.compile(Adam::new(0.01), "mse");
    let (x, y) = (tf::constant([[1.0], [-1.0]]), tf::ones([2, 1]));
    let error = with_check_numerics(|| trainer.try_fit((&x, &y), Fit::new().verbose(0))).unwrap_err().to_string();
    first_line(&error, &["log: ", "float32[2, 4]", "4 NaN, 0 +Inf and 0 -Inf among 8 elements"], line);
}

#[test]
fn sound_training_is_not_stopped_and_gives_the_same_numbers() {
    let train = |checked: bool| {
        let layers = (
            Conv2D::new(2, 3).activation("relu"),
            BatchNormalization::new(),
            tf::layers::MaxPooling2D::new(2),
            tf::layers::Reshape::new([4, 2]),
            LSTM::new(3),
            Dropout::new(0.2).seed(3),
            Flatten::new(),
            Dense::new(3).activation("softmax"),
        );
        let model = tf::Sequential::new(layers);
        model.build([1, 6, 6, 1]);
        for (i, v) in model.trainable_variables().iter().enumerate() {
            v.assign(tf::random::stateless_normal(v.shape(), [i as i64, 5], 0.0, 0.3));
        }
        let x = tf::random::stateless_normal([16, 6, 6, 1], [1, 2], 0.0, 1.0);
        let y = tf::floormod(tf::range(0, 16, 1), 3);
        let trainer = model.compile(Adam::new(0.01), "sparse_categorical_crossentropy").metrics(["accuracy"]);
        let fit = || {
            let how = Fit::new().epochs(2).batch_size(8).shuffle(false).validation_split(0.5).verbose(0);
            trainer.fit((&x, &y), how)["loss"].to_vec()
        };
        let losses = if checked { with_check_numerics(fit) } else { fit() };
        assert!(trainer.model().trainable_variables().len() > 6);
        losses
    };
    let (plain, checked) = (train(false), train(true));
    assert!(plain.iter().zip(&checked).all(|(a, b)| (a - b).abs() < 1e-4), "{plain:?} {checked:?}");
}

#[test]
fn optimizers_are_looked_at_too() {
    let w = vec![Variable::with([1e38f32], "w", true)];
    let optimizer = tf::optim::SGD::new(10.0);
    let gradients = tf::Gradients::from_iter([tf::constant([1e38f32])]);
    let text = caught(|| optimizer.apply_gradients(&gradients, &w));
    assert!(text.contains("variable 'w'") && text.contains("1 -Inf"), "{text}");
}

#[tf_function]
fn looked_at(x: &Tensor) -> Tensor {
    tf::sqrt(tf::debugging::check_numerics(x, "what came in"))
}

#[test]
fn one_tensor_is_checked_and_so_is_its_gradient() {
    let (good, bad) = (tf::constant([1.0, 4.0]), tf::constant([1.0, f32::NAN]));
    let slope = |x: &Tensor, f: &dyn Fn(&Tensor) -> Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(x);
        tape.try_gradient(&y, x)
    };
    assert_eq!(looked_at(&good).to_vec::<f32>(), [1.0, 2.0]);
    assert_eq!(slope(&good, &looked_at).unwrap().to_vec::<f32>(), [0.5, 0.25]);
    let line = line!() + 1;
    let text = tf::debugging::try_check_numerics(&bad, "the data").unwrap_err().to_string();
    assert!(text.contains("check_numerics: the data") && text.contains("x[1] = nan"), "{text}");
    assert!(text.contains(&format!("numerics.rs:{line}:")), "{text}");
    let panic = std::panic::catch_unwind(|| looked_at(&bad)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("check_numerics: what came in"));
    // The gradient of the square root at 0.
    let text = slope(&tf::constant([0.0, 4.0]), &looked_at).unwrap_err().to_string();
    assert!(text.contains("in the gradient: what came in") && text.contains("x[0] = inf"), "{text}");
    assert!(tf::debugging::try_check_numerics(tf::constant([1, 2]), "").is_err());
}
