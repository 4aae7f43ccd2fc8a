//! `fit` on a GPU: losses, metrics and weights are those of the CPU, and each batch is moved there once.
//! The model has a convolution, normalisation with running statistics, and random numbers.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::layers::{BatchNormalization, Conv2D, Dense, Dropout, Flatten, MaxPooling2D};
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Fit, History, Trainer};
use tf::{Module, Sequential, Tensor, Weights, tf_function};

/// The examples of one epoch of training, and of the validation.
const EXAMPLES: usize = 32;
const BATCH: usize = 8;

/// A model for images, with weights that are the same each time.
fn trainer() -> Trainer<Sequential> {
    let layers = (
        Conv2D::new(4, 3).use_bias(false),
        BatchNormalization::new(),
        tf::layers::ReLU::new(),
        MaxPooling2D::new(2),
        Flatten::new(),
        Dropout::new(0.25).seed(5),
        Dense::new(3),
    );
    let model = Sequential::new(layers);
    model.build([1, 8, 8, 1]);
    for (i, v) in model.trainable_variables().iter().enumerate() {
        v.assign(tf::random::stateless_normal(v.shape(), [i as i64, 3], 0.0, 0.3));
    }
    model.compile(Adam::new(0.01), SparseCategoricalCrossentropy::new().from_logits(true)).metrics(["accuracy"])
}

/// Images of three kinds, and which kind each is of.
fn images(count: usize, seed: i64) -> (Tensor, Tensor) {
    let labels = tf::floormod(tf::range(0, count, 1), 3);
    let noise = tf::random::stateless_normal([count, 8, 8, 1], [seed, 1], 0.0, 0.5);
    (noise + labels.cast(tf::DType::F32).reshape([-1, 1, 1, 1]), labels)
}

/// Trains for some epochs, with a validation after each.
fn train(trainer: &Trainer<Sequential>, epochs: usize) -> History {
    let ((x, y), (vx, vy)) = (images(EXAMPLES, 1), images(16, 2));
    let options = Fit::new().epochs(epochs).batch_size(BATCH).shuffle(false).verbose(0);
    trainer.fit((&x, &y), options.validation_data((&vx, &vy)))
}

#[test]
fn fit_gives_the_numbers_of_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    let here = trainer();
    let want = train(&here, 3);
    let _there = tf::device("/gpu:0");
    let there = trainer();
    let got = train(&there, 3);
    for (name, curve) in want.curves() {
        for (a, b) in curve.iter().zip(&got[name]) {
            assert!((a - b).abs() <= 1e-3 * a.abs().max(1.0), "{name}: {curve:?} {:?}", &got[name]);
        }
    }
    assert!(want["loss"][2] < want["loss"][0], "{want:?}");
    for (a, b) in here.model().get_weights().iter().zip(there.model().get_weights()) {
        assert!(b.device().to_string().contains("GPU"), "{}", b.device());
        for (a, b) in a.to_vec::<f32>().iter().zip(b.to_vec::<f32>()) {
            assert!((a - b).abs() <= 2e-3 * a.abs().max(1.0), "{a} {b}");
        }
    }
    let scores = there.evaluate((&images(16, 2).0, &images(16, 2).1));
    assert!((scores["loss"] - got["val_loss"][2]).abs() < 1e-4, "{scores}");
}

#[test]
fn each_batch_is_moved_once() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let _there = tf::device("/gpu:0");
    let trainer = trainer();
    // The data lie in the host's memory.
    let (x, y) = {
        let _host = tf::device("/cpu:0");
        images(EXAMPLES, 1)
    };
    let epochs = |count: usize| {
        let options = Fit::new().epochs(count).batch_size(BATCH).shuffle(false).verbose(0);
        trainer.fit((&x, &y), options);
    };
    epochs(2);
    let bytes = |count: usize| {
        emulation.reset_counters();
        epochs(count);
        emulation.counters().host_to_device_bytes as usize
    };
    // Three epochs have two epochs' batches more than one. Beside a batch only single numbers travel, such as a rate.
    let (one, three) = (bytes(1), bytes(3));
    let (per_batch, batch) = ((three - one) / (2 * EXAMPLES / BATCH), BATCH * (64 * 4 + 4));
    assert!((batch..batch + 256).contains(&per_batch), "{per_batch} bytes for a batch of {batch}");
}

#[tf_function]
fn logs(x: &Tensor) -> Tensor {
    tf::reduce_sum(tf::log(x - 1.0) * 2.0, ())
}

#[test]
fn the_first_nan_is_found_where_kernels_are_fused() {
    let Some(_gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let (good, bad) = (tf::constant([2.0, 3.0]).gpu(), tf::constant([2.0, 0.5]).gpu());
    // Often enough that the call is one recorded graph.
    (0..5).for_each(|_| drop(logs(&good)));
    let want = logs(&good).item::<f32>();
    let caught = std::panic::catch_unwind(|| tf::debugging::with_check_numerics(|| logs(&bad)));
    let text = *caught.unwrap_err().downcast::<String>().unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.contains("log: the result, float32[2], has 1 NaN") && first.contains("training.rs"), "{text}");
    assert_eq!(tf::debugging::with_check_numerics(|| logs(&good)).item::<f32>(), want);
    assert!(logs(&bad).item::<f32>().is_nan());
}

/// Batches lie on the GPU when they are asked for, in the order of the pipeline; what a saved state held in the buffer is brought there.
#[test]
fn batches_wait_on_the_gpu() {
    let Some(_gpu) = gpu() else { return };
    let (x, y) = images(12, 3);
    let set = || tf::data::Dataset::from_tensor_slices((x.cpu(), y.cpu())).batch(4).prefetch_to_device("/gpu:0", 2);
    let there = |x: &Tensor| x.device().to_string();
    let mut seen = Vec::new();
    for (images, labels) in &set() {
        assert_eq!((there(&images), there(&labels)), ("/device:GPU:0".to_owned(), "/device:GPU:0".to_owned()));
        seen.extend(labels.to_vec::<i32>());
    }
    assert_eq!(seen, y.to_vec::<i32>());
    let words = tf::data::Dataset::from_tensors(tf::constant("on the host")).prefetch_to_device("/gpu:0", 1);
    assert_eq!(words.iter().next().unwrap().item_string(), "on the host");
    let error = set().try_prefetch_to_device("/gpu:99", 1).expect_err("an error").to_string();
    assert!(error.contains("prefetch_to_device") && error.contains("training.rs"), "{error}");
}

/// Recurrent weights are orthogonal at first, which linear algebra of the CPU makes: the same numbers, wherever the layer is built.
#[test]
fn recurrent_layers_are_built_on_a_gpu() {
    if gpu().is_none() {
        return;
    }
    let run = |device: &str| {
        let _there = tf::device(device);
        tf::random::set_seed(3);
        let layer = tf::layers::GRU::new(6);
        let x = tf::random::stateless_normal([2, 5, 4], [1, 2], 0.0, 1.0);
        let y = layer.call(&x);
        let weights = layer.trainable_variables();
        assert!(weights.iter().all(|w| w.value().device() == y.device()), "weights lie where the layer runs");
        (y.device().to_string(), y.to_vec::<f32>())
    };
    let ((_, want), (place, got)) = (run("/cpu:0"), run("/gpu:0"));
    assert!(place.contains("GPU"), "{place}");
    assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?} {want:?}");
}
