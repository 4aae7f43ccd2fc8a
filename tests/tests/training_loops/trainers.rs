//! `compile`, `fit`, `evaluate` and `predict`: what they take, what they answer, and how often they trace.
//! Steps of a model's own, weights, validation and callbacks are here, too.

use eagerflow as tf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tf::callbacks::{EarlyStopping, LearningRateScheduler};
use tf::data::Dataset;
use tf::layers::{Call, Dense, Dropout, Embedding, LSTM, Lambda};
use tf::losses::{MeanSquaredError, SparseCategoricalCrossentropy};
use tf::optim::{Adam, Optimizer, SGD};
use tf::training::{Batch, Callback, Compile, Compiled, Fit, Logs, Progress};
use tf::{Functional, GradientTape, Module, Sequential, Tensor};

/// Points of three classes, around three centres.
fn points(count: usize) -> (Tensor, Tensor) {
    let labels = tf::floormod(tf::range(0, count, 1), 3);
    let centres = tf::constant([[0.0, 3.0], [3.0, -1.0], [-3.0, -1.0]]);
    let noise = tf::random::stateless_normal([count, 2], [7, count as i64], 0.0, 0.5);
    (tf::gather(&centres, &labels, 0) + noise, labels)
}

#[test]
fn a_sequential_model_learns() {
    let (x, y) = points(300);
    let model = Sequential::new((Dense::new(16).activation("relu"), Dropout::new(0.1), Dense::new(3)));
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = model.compile(Adam::new(0.02), loss).metrics(["accuracy"]);
    let fit = Fit::new().epochs(15).validation_split(0.2).verbose(0);
    let history = trainer.fit((&x, &y), fit);
    assert_eq!(history.epochs().len(), 15);
    let names: Vec<&str> = history.curves().map(|(name, _)| name).collect();
    assert_eq!(names, ["loss", "accuracy", "val_loss", "val_accuracy"]);
    assert!(history["val_accuracy"][14] > 0.95, "{history:?}");
    let scores = trainer.evaluate((&x, &y));
    assert!(scores["accuracy"] > 0.95, "{scores}");
    let predicted = trainer.predict(&x);
    assert_eq!(predicted.shape(), [300, 3]);
    // 240 examples are 7 batches of 32 and one of 16: two traces for the step, whatever the number of epochs.
    assert_eq!(trainer.optimizer().iterations().value().item::<i64>(), 15 * 8);
}

#[test]
fn a_step_by_fit_is_the_step_by_hand() {
    let (x, y) = (tf::random::stateless_normal([8, 3], [1, 2], 0.0, 1.0), tf::ones([8, 1]));
    let model = || Sequential::new((Dense::new(1).kernel_initializer("ones"),));
    let (own, by_fit) = (model(), model());
    let optimizer = SGD::new(0.1);
    for _ in 0..3 {
        let tape = GradientTape::new();
        let loss = MeanSquaredError::new().call(&y, own.call_training(&x, true));
        let variables = own.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    }
    let trainer = by_fit.compile(SGD::new(0.1), "mse");
    trainer.fit((&x, &y), Fit::new().epochs(3).batch_size(8).shuffle(false).verbose(0));
    let weights = |m: &dyn Module| m.variables().iter().flat_map(|v| v.value().to_vec::<f32>()).collect::<Vec<_>>();
    assert_eq!(weights(&own), weights(trainer.model()));
}

#[test]
fn weights_of_examples_and_classes_count() {
    let (x, y) = (tf::constant([[1.0], [1.0]]), tf::constant([[0.0], [2.0]]));
    let model = || Sequential::new((Dense::new(1).use_bias(false).kernel_initializer("ones"),));
    let loss = |data: (&Tensor, &Tensor, &Tensor)| {
        model().compile(SGD::new(0.0), "mse").fit(data, Fit::new().verbose(0)).last()["loss"]
    };
    assert_eq!(loss((&x, &y, &tf::constant([1.0, 1.0]))), 1.0);
    assert_eq!(loss((&x, &y, &tf::constant([4.0, 0.0]))), 2.0);
    let labels = tf::constant([0, 1]);
    let net = Sequential::new((Dense::new(2).kernel_initializer("zeros"),));
    let trainer = net.compile(SGD::new(0.0), SparseCategoricalCrossentropy::new().from_logits(true));
    let fit = Fit::new().class_weight([(0, 3.0)]).verbose(0);
    let weighted = trainer.fit((&x, &labels), fit).last()["loss"];
    assert!((weighted - 2.0 * std::f64::consts::LN_2).abs() < 1e-6, "{weighted}");
}

#[test]
fn several_inputs_and_outputs() {
    let (a, b) = (tf::input([2]).name("a"), tf::input([2]).name("b"));
    let sum = tf::layers::Concatenate::new().call([&a, &b]);
    let (one, two) = (Dense::new(1).name("one").call(&sum), Dense::new(1).name("two").call(&sum));
    let model = Functional::new((&a, &b), (&one, &two));
    let (x, y) = (tf::random::stateless_normal([32, 2], [1, 1], 0.0, 1.0), tf::ones([32, 2]));
    let targets = (tf::reduce_sum(&x, tf::keep_dims(1)), tf::zeros([32, 1]));
    let trainer = model.compile(Adam::new(0.05), ("mse", "mae")).metrics_of(1, ["mae"]).loss_weights([1.0, 0.5]);
    let history = trainer.fit(((&x, &y), (&targets.0, &targets.1)), Fit::new().epochs(20).verbose(0));
    let last = history.last();
    assert_eq!(last.names(), ["loss", "one_loss", "two_loss", "two_mae"]);
    assert!((last["loss"] - last["one_loss"] - 0.5 * last["two_loss"]).abs() < 1e-5, "{last}");
    assert!(history["loss"][19] < 0.5 * history["loss"][0]);
    let (p, q) = trainer.predict((&x, &y));
    assert_eq!((p.shape().dims().to_vec(), q.shape().dims().to_vec()), (vec![32, 1], vec![32, 1]));
    let error = trainer.try_fit(((&x, &y), &targets.0), Fit::new().verbose(0)).unwrap_err().to_string();
    assert!(error.contains("1 targets, 2 outputs") && error.contains("trainers.rs"), "{error}");
}

#[test]
fn data_sets_and_steps_per_epoch() {
    let (x, y) = points(96);
    let batches = Dataset::from_tensor_slices((x, y)).batch(16);
    let model = Sequential::new((Dense::new(3),));
    let trainer = model.compile(Adam::new(0.02), SparseCategoricalCrossentropy::new().from_logits(true));
    trainer.fit(&batches, Fit::new().epochs(2).verbose(0));
    assert_eq!(trainer.optimizer().iterations().value().item::<i64>(), 12);
    // An endless data set goes on where the epoch ended.
    trainer.fit(&batches.repeat(None), Fit::new().epochs(3).steps_per_epoch(4).validation_data(&batches).verbose(0));
    assert_eq!(trainer.optimizer().iterations().value().item::<i64>(), 24);
    // Given whole, and split.
    trainer.fit(batches.skip(2), Fit::new().epochs(1).validation_data(batches.take(2)).verbose(0));
    assert_eq!(trainer.optimizer().iterations().value().item::<i64>(), 28);
    let error = trainer.try_fit(&batches.repeat(None), Fit::new().verbose(0)).unwrap_err().to_string();
    assert!(error.contains("steps_per_epoch"), "{error}");
    let error = trainer.try_fit(&batches, Fit::new().batch_size(3).verbose(0)).unwrap_err().to_string();
    assert!(error.contains("`batch_size` is for arrays"), "{error}");
}

#[test]
fn several_steps_in_one_call() {
    let (x, y) = (tf::random::stateless_normal([40, 3], [1, 2], 0.0, 1.0), tf::ones([40, 1]));
    let run = |steps: usize| {
        let model = Sequential::new((Dense::new(1).kernel_initializer("ones"),));
        let trainer = model.compile(Adam::new(0.1), "mse").steps_per_execution(steps);
        trainer.fit((&x, &y), Fit::new().epochs(2).batch_size(8).shuffle(false).verbose(0));
        trainer.model().variables()[0].value().to_vec::<f32>()
    };
    assert_eq!(run(1), run(3));
}

/// An adversarial step: two optimizers, and numbers of its own.
#[derive(Module)]
struct Pair {
    left: Dense,
    right: Dense,
    other: SGD,
}

#[tf::model]
impl Pair {
    fn call(&self, x: &Tensor) -> Tensor {
        self.left.call(x) + self.right.call(x)
    }

    fn train_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        let tape = GradientTape::persistent();
        let loss = (self.call_with(&batch.x, &Call::training()) - batch.target()?).square().mean();
        let (left, right) = (self.left.trainable_variables(), self.right.trainable_variables());
        with.apply_gradients(&tape.gradient(&loss, &left), &left)?;
        self.other.try_apply_gradients(&tape.gradient(&loss, &right), &right)?;
        with.log("own_loss", &loss)?;
        with.log("twice", &loss * 2.0)
    }

    fn test_step(&self, with: &Compiled, batch: &Batch<Tensor>) -> tf::Result<()> {
        with.log("own_loss", (self.call(&batch.x) - batch.target()?).square().mean())
    }
}

#[test]
fn a_model_has_a_step_of_its_own() {
    let net = Pair { left: Dense::new(1), right: Dense::new(1), other: SGD::new(0.05) };
    let x = tf::random::stateless_normal([64, 2], [3, 4], 0.0, 1.0);
    let y = tf::reduce_sum(&x, tf::keep_dims(1));
    let trainer = net.compile(SGD::new(0.05), ());
    let history = trainer.fit((&x, &y), Fit::new().epochs(10).validation_data((&x, &y)).verbose(0));
    let last = history.last();
    // What a step does not report has no number, as in Keras.
    assert_eq!(last.names(), ["own_loss", "twice", "val_own_loss"]);
    assert!((last["twice"] - 2.0 * last["own_loss"]).abs() < 1e-6);
    assert!(history["own_loss"][9] < 0.2 * history["own_loss"][0]);
    assert_eq!(trainer.model().other.iterations().value().item::<i64>(), 20);
}

/// Notes what is called.
#[derive(Default)]
struct Notes(Vec<String>);

impl Callback for Notes {
    fn on_train_begin(&mut self, progress: &Progress<'_>) -> tf::Result<()> {
        self.0.push(format!("begin {:?}", progress.steps));
        Ok(())
    }
    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> tf::Result<()> {
        self.0.push(format!("batch {batch} {}", progress.running()?.names().join(",")));
        Ok(())
    }
    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> tf::Result<()> {
        logs.set("mine", epoch as f64);
        self.0.push(format!("epoch {epoch}"));
        if epoch == 1 {
            progress.stop_training();
        }
        Ok(())
    }
}

#[test]
fn callbacks_see_and_stop() {
    let (x, y) = (tf::ones([4, 2]), tf::ones([4, 1]));
    let mut notes = Notes::default();
    let trainer = Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
    let history = trainer.fit((&x, &y), Fit::new().epochs(9).batch_size(2).callback(&mut notes).verbose(0));
    let right = ["begin Some(2)", "batch 0 loss", "batch 1 loss", "epoch 0", "batch 0 loss", "batch 1 loss", "epoch 1"];
    assert_eq!(notes.0, right);
    assert_eq!(history["mine"], [0.0, 1.0]);
}

#[test]
fn epochs_without_a_validation_are_passed_over() {
    let (x, y) = (tf::ones([8, 2]), tf::ones([8, 1]));
    let trainer = Sequential::new((Dense::new(1),)).compile(SGD::new(0.0), "mse");
    let stop = || EarlyStopping::new("val_loss").patience(1);
    let fit = Fit::new().epochs(9).validation_split(0.5).validation_freq(2).callback(stop()).verbose(0);
    assert_eq!(trainer.fit((&x, &y), fit).epochs().len(), 4);
    let fit = Fit::new().epochs(2).callback(stop()).verbose(0);
    let error = trainer.try_fit((&x, &y), fit).unwrap_err().to_string();
    assert!(error.contains("\"val_loss\"") && error.contains("validation_split"), "{error}");
}

/// The examples of the page, and the rate that Keras's defaults have.
#[test]
fn optimizers_have_names() {
    let optimizer = tf::optim::get("adam");
    assert_eq!((optimizer.name(), optimizer.learning_rate().get() as f32), ("adam", 0.001));
    assert_eq!(tf::optim::get("SGD").learning_rate().get() as f32, 0.01);
    assert_eq!(tf::optim::get("schedulefreeadamw").learning_rate().get() as f32, 0.0025);
    assert!(tf::optim::try_get("adem").err().unwrap().to_string().contains("`adam`"));
}

/// The layer's function runs only where a graph is recorded.
#[test]
fn rates_epochs_and_masks_change_no_graph() {
    let recorded = Arc::new(AtomicUsize::new(0));
    let count = recorded.clone();
    let counted = Lambda::new(move |x| {
        count.fetch_add(1, Ordering::Relaxed);
        x * 1.0
    });
    let model = Sequential::new((Embedding::new(5, 4).mask_zero(true), LSTM::new(3), counted, Dense::new(1)));
    let trainer = model.compile(SGD::new(0.1), "mse");
    let y = tf::ones([6, 1]);
    trainer.fit((&tf::constant([[1, 2, 0]; 6]), &y), Fit::new().epochs(1).verbose(0));
    let first = recorded.load(Ordering::Relaxed);
    for tokens in [[1, 0, 0], [0, 0, 0], [4, 3, 2]] {
        let tokens = tf::constant([tokens; 6]);
        let rates = LearningRateScheduler::new(|epoch, _| 0.1 / (1.0 + epoch as f64));
        trainer.fit((&tokens, &y), Fit::new().epochs(4).callback(rates).verbose(0));
    }
    assert!(first > 0);
    assert_eq!(recorded.load(Ordering::Relaxed), first);
}

#[test]
fn mistakes_are_named() {
    let x = tf::ones([4, 2]);
    let trainer = Sequential::new((Dense::new(1).name("head"),)).compile(SGD::new(0.1), "mse");
    let quiet = || Fit::new().verbose(0);
    let text = |data: (&Tensor, &Tensor)| trainer.try_fit(data, quiet()).unwrap_err().to_string();
    assert!(text((&x, &tf::ones([3, 1]))).contains("different numbers of examples"));
    assert!(text((&tf::ones([0, 2]), &tf::ones([0, 1]))).contains("no examples"));
    assert!(text((&tf::constant(1.0), &tf::ones(1))).contains("scalar"));
    let shapes = text((&x, &tf::ones([4, 3])));
    assert!(shapes.contains("[4, 3]") && shapes.contains("[4, 1]"), "{shapes}");
    trainer.model().set_trainable(false);
    assert!(text((&x, &tf::ones([4, 1]))).contains("no variables that are trained"));
    trainer.model().set_trainable(true);
    let error = trainer.try_fit((&x, &tf::ones([4, 1])), quiet().initial_epoch(1)).unwrap_err().to_string();
    assert!(error.contains("initial_epoch 1, epochs 1"), "{error}");
    let misspelt = Sequential::new((Dense::new(1),)).try_compile(SGD::new(0.1), "mean_square_error").unwrap_err();
    assert!(misspelt.to_string().contains("mean_squared_error"), "{misspelt}");
    let misspelt = Sequential::new((Dense::new(1),)).try_compile("adem", "mse").unwrap_err();
    assert!(misspelt.to_string().contains("`adam`"), "{misspelt}");
    let none = Sequential::new((Dense::new(1),)).compile((), "mse");
    assert!(none.evaluate((&x, &tf::ones([4, 1])))["loss"] > 0.0);
    let without = none.try_fit((&x, &tf::ones([4, 1])), quiet()).unwrap_err().to_string();
    assert!(without.contains("without an optimizer"), "{without}");
    let empty = Sequential::empty().compile(SGD::new(0.1), "mse");
    assert!(empty.try_fit((&x, &tf::ones([4, 1])), quiet()).unwrap_err().to_string().contains("no layers"));
}
