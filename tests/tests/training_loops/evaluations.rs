//! `evaluate` and `predict` with options, over arrays and data sets, and what their callbacks are called for.
//! A model of known weights stands behind all of them.

use eagerflow as tf;
use std::cell::RefCell;
use tf::callbacks::SwapEMAWeights;
use tf::data::Dataset;
use tf::layers::Dense;
use tf::training::{Callback, Compile, Evaluate, Fit, Logs, Predict, Progress, Trainer};
use tf::{Functional, Module, Result, Sequential, Tensor};

/// Twice the input.
fn doubling() -> Trainer<Sequential> {
    let dense = Dense::new(1).use_bias(false).kernel_initializer(tf::initializers::Constant::new(2.0));
    Sequential::new((dense,)).compile((), "mse").metrics(["mae"])
}

/// The numbers from 0 to below `count`, one an example.
fn numbers(count: usize) -> Tensor {
    tf::reshape(tf::cast(tf::range(0, count, 1), tf::DType::F32), [count, 1])
}

#[test]
fn predictions_of_a_data_set_are_those_of_its_arrays() {
    let (trainer, x) = (doubling(), numbers(10));
    let expected: Vec<f32> = (0..10).map(|i| 2.0 * i as f32).collect();
    let batches = Dataset::from_tensor_slices(x.clone()).batch(3);
    assert_eq!(trainer.predict(&batches).to_vec::<f32>(), expected);
    assert_eq!(trainer.predict(batches).to_vec::<f32>(), expected);
    let labelled = Dataset::from_tensor_slices((x.clone(), x.clone())).batch(4);
    assert_eq!(trainer.predict(&labelled).to_vec::<f32>(), expected);
    let weighted = Dataset::from_tensor_slices((x.clone(), x.clone(), tf::ones([10]))).batch(4);
    assert_eq!(trainer.predict(weighted).to_vec::<f32>(), expected);
    let few = trainer.predict_with(&labelled, Predict::new().steps(2));
    assert_eq!(few.to_vec::<f32>(), expected[..8]);
    let endless = labelled.repeat(None);
    assert_eq!(trainer.predict_with(&endless, Predict::new().steps(4)).shape(), [14, 1]);
    assert_eq!(trainer.predict_with(&x, Predict::new().batch_size(7).steps(1)).to_vec::<f32>(), expected[..7]);
}

#[test]
fn a_model_of_several_inputs_predicts_from_a_data_set() {
    let (a, b) = (tf::input([1]).name("a"), tf::input([1]).name("b"));
    let model = Functional::new((&a, &b), &tf::layers::Subtract::new().call([&a, &b]));
    let trainer = model.compile((), "mse");
    let (x, y) = (numbers(5) * 3.0, numbers(5));
    let expected = [0.0, 2.0, 4.0, 6.0, 8.0];
    assert_eq!(trainer.predict((&x, &y)).to_vec::<f32>(), expected);
    let alone = Dataset::from_tensor_slices(((x.clone(), y.clone()),)).batch(2);
    assert_eq!(trainer.predict(&alone).to_vec::<f32>(), expected);
    let labelled = Dataset::from_tensor_slices(((x.clone(), y.clone()), y.clone())).batch(2);
    assert_eq!(trainer.predict(&labelled).to_vec::<f32>(), expected);
    assert_eq!(trainer.evaluate(&labelled)["loss"], 6.0);
}

#[test]
fn an_evaluation_takes_so_many_batches() {
    let (trainer, x) = (doubling(), numbers(10));
    let scores = trainer.evaluate_with((&x, &x), Evaluate::new().batch_size(2).steps(2));
    // The predictions are off by 0, 1, 2 and 3.
    assert_eq!((scores["loss"], scores["mae"]), (3.5, 1.5));
    let batches = Dataset::from_tensor_slices((x.clone(), x.clone())).batch(2).repeat(None);
    assert_eq!(trainer.evaluate_with(&batches, Evaluate::new().steps(2)), scores);
    // Each evaluation begins anew.
    assert_eq!(trainer.evaluate_with(&batches, Evaluate::new().steps(2)), scores);
}

#[test]
fn too_few_batches_are_an_error() {
    let (trainer, x) = (doubling(), numbers(10));
    let refused = |error: tf::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)) && text.contains("evaluations.rs"), "{text}");
    };
    let steps = Evaluate::new().batch_size(5).steps(3);
    refused(trainer.try_evaluate((&x, &x), steps).unwrap_err(), &["evaluate", "`steps`", "at most 2"]);
    let steps = Predict::new().batch_size(5).steps(3);
    refused(trainer.try_predict(&x, steps).unwrap_err(), &["predict", "`steps`", "at most 2"]);
    // A filter leaves nobody to know how many there will be.
    let unknown = Dataset::from_tensor_slices(x.clone()).filter(|x| tf::reduce_all(tf::less(x, 4.0), ())).batch(2);
    assert_eq!(trainer.predict(&unknown).shape(), [4, 1]);
    refused(trainer.try_predict(&unknown, Predict::new().steps(3)).unwrap_err(), &["predict", "2 batches", "3, as"]);
    let endless = unknown.repeat(None);
    refused(trainer.try_predict(&endless, Predict::new()).unwrap_err(), &["predict", "no end", "`steps`"]);
    assert!(Evaluate::new().try_steps(0).is_err() && Predict::new().try_batch_size(0).is_err());
    assert!(Predict::new().try_verbose(3).unwrap_err().to_string().contains("predict"));
}

/// Notes what it is called for.
#[derive(Default)]
struct Noted(RefCell<Vec<String>>);

impl Noted {
    fn note(&self, text: impl Into<String>) -> Result<()> {
        self.0.borrow_mut().push(text.into());
        Ok(())
    }

    fn take(&self) -> String {
        self.0.take().join(" ")
    }
}

impl Callback for &Noted {
    fn on_train_batch_begin(&mut self, batch: usize, _: &Progress<'_>) -> Result<()> {
        self.note(format!("train{batch}"))
    }
    fn on_test_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        self.note(format!("test({:?})", progress.steps))
    }
    fn on_test_batch_begin(&mut self, batch: usize, _: &Progress<'_>) -> Result<()> {
        self.note(format!("begin{batch}"))
    }
    fn on_test_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        self.note(format!("end{batch}:{}", progress.running()?["mae"]))
    }
    fn on_test_end(&mut self, logs: &Logs, _: &Progress<'_>) -> Result<()> {
        self.note(format!("over:{}", logs["mae"]))
    }
    fn on_predict_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        self.note(format!("predict({:?})", progress.steps))
    }
    fn on_predict_batch_begin(&mut self, batch: usize, _: &Progress<'_>) -> Result<()> {
        self.note(format!("begin{batch}"))
    }
    fn on_predict_batch_end(&mut self, batch: usize, outputs: &[Tensor], _: &Progress<'_>) -> Result<()> {
        self.note(format!("end{batch}:{:?}", outputs[0].to_vec::<f32>()))
    }
    fn on_predict_end(&mut self, _: &Progress<'_>) -> Result<()> {
        self.note("over")
    }
}

#[test]
fn callbacks_see_each_batch() {
    let (trainer, x, noted) = (doubling(), numbers(3), Noted::default());
    trainer.evaluate_with((&x, &x), Evaluate::new().batch_size(2).callback(&noted));
    assert_eq!(noted.take(), "test(Some(2)) begin0 end0:0.5 begin1 end1:1 over:1");
    trainer.predict_with(&x, Predict::new().batch_size(2).callback(&noted));
    assert_eq!(noted.take(), "predict(Some(2)) begin0 end0:[0.0, 2.0] begin1 end1:[4.0] over");
    trainer.predict_with(&x, Predict::new().batch_size(2).steps(1).callback(&noted));
    assert_eq!(noted.take(), "predict(Some(1)) begin0 end0:[0.0, 2.0] over");
    // Of a pass that has no known length no batch begins that never is.
    let unknown = Dataset::from_tensor_slices((x.clone(), x.clone())).filter(|_| tf::constant(true)).batch(2);
    trainer.evaluate_with(&unknown, Evaluate::new().callback(&noted));
    assert_eq!(noted.take(), "test(None) begin0 end0:0.5 begin1 end1:1 over:1");
    let dense = Dense::new(1).use_bias(false).kernel_initializer(tf::initializers::Constant::new(2.0));
    let trainer = Sequential::new((dense,)).compile(tf::optim::SGD::new(0.0), "mse").metrics(["mae"]);
    trainer.fit(&unknown, Fit::new().validation_data((&x, &x)).callback(&noted).verbose(0));
    assert_eq!(noted.take(), "train0 train1 test(None) begin0 end0:1 over:1");
    assert_eq!(trainer.model().trainable_variables().len(), 1);
}

#[test]
fn averages_of_the_weights_are_there_for_an_evaluation() {
    let dense = Dense::new(1).use_bias(false).kernel_initializer(tf::initializers::Constant::new(2.0));
    let optimizer = tf::optim::SGD::new(0.1).use_ema(true).ema_momentum(0.5);
    let trainer = Sequential::new((dense,)).compile(optimizer, "mse").metrics(["mae"]);
    let (x, y) = (tf::ones([1, 1]), tf::zeros([1, 1]));
    trainer.fit((&x, &y), Fit::new().epochs(2).verbose(0));
    // Weights 2, 1.6, 1.28; the average begins with the first step's.
    let (own, average) = (1.28, 0.5 * 1.6 + 0.5 * 1.28);
    let near = |got: f32, right: f32| assert!((got - right).abs() < 1e-6, "{got} {right}");
    near(trainer.predict(&x).item::<f32>(), own);
    near(trainer.predict_with(&x, Predict::new().callback(SwapEMAWeights::new())).item::<f32>(), average);
    let scores = trainer.evaluate_with((&x, &y), Evaluate::new().callback(SwapEMAWeights::new()));
    near(scores["mae"] as f32, average);
    near(trainer.predict(&x).item::<f32>(), own);
}
