//! Checkpoints of variables on a GPU: values go through the host, and come back to where they lay, at once or when a layer is built.
//! What is saved on one device restores on another.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::train::Checkpoint;
use tf::{GradientTape, Module, Tensor};

fn step(layer: &Dense, optimizer: &Adam, x: &Tensor) {
    let tape = GradientTape::new();
    let loss = layer.call(x).square().mean();
    let variables = layer.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
}

fn values(module: &impl Module) -> Vec<Vec<f32>> {
    let floats = module.built_variables().into_iter().map(|(_, v)| v.value()).filter(|v| v.dtype() == tf::DType::F32);
    floats.map(|v| v.cpu().to_vec::<f32>()).collect()
}

#[test]
fn a_checkpoint_goes_from_a_gpu_to_a_gpu_and_to_the_host() {
    let Some(_gpu) = gpu() else { return };
    let path = std::env::temp_dir().join(format!("eagerflow-cuda-checkpoint-{}", std::process::id()));
    let x = tf::constant([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]]);
    let make = || (Dense::new(4), Adam::new(0.1));
    let saved = {
        let _there = tf::device("/gpu:0");
        let (layer, optimizer) = make();
        step(&layer, &optimizer, &x.gpu());
        Checkpoint::new().with("layer", &layer).with("optimizer", &optimizer).write(&path).unwrap();
        // Variables that are there are written where they lie.
        let before = values(&layer);
        step(&layer, &optimizer, &x.gpu());
        assert_ne!(values(&layer), before);
        let checkpoint = Checkpoint::new().with("layer", &layer).with("optimizer", &optimizer);
        checkpoint.read(&path).unwrap().assert_consumed();
        assert_eq!(values(&layer), before);
        let kernel = layer.kernel().unwrap().value();
        assert_eq!(kernel.device().to_string(), "/device:GPU:0");
        (before, values(&optimizer))
    };
    for device in ["/gpu:0", "/cpu:0"] {
        let _there = tf::device(device);
        let (layer, optimizer) = make();
        let checkpoint = Checkpoint::new().with("layer", &layer).with("optimizer", &optimizer);
        let status = checkpoint.read(&path).unwrap();
        layer.build([1, 3]);
        assert_eq!(values(&layer), saved.0, "{device}");
        let kernel = layer.kernel().unwrap().value();
        assert_eq!(kernel.device().to_string().to_lowercase(), format!("/device:{}", &device[1..]));
        step(&layer, &optimizer, &x);
        status.assert_consumed();
        assert_eq!(values(&optimizer).len(), saved.1.len());
    }
    for ending in [".index", ".data-00000-of-00001"] {
        std::fs::remove_file(format!("{}{ending}", path.display())).unwrap();
    }
}
