//! Kernels of a traced function are compiled together: a training step asks the compiler once a thread, and the next process not at
//! all. Child processes count, since kernels that are there stay there.

use eagerflow as tf;
use eagerflow_tests::child::run_test;
use eagerflow_tests::cuda::gpu;
use std::path::Path;
use tf::layers::{Conv2D, Dense, Flatten};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

#[derive(Module)]
struct Net {
    conv: Conv2D,
    flatten: Flatten,
    hidden: Dense,
    head: Dense,
}

#[tf_function]
fn step(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let x = net.hidden.call(net.flatten.call(net.conv.call(images)));
    let loss = tf::reduce_mean(&tf::nn::sparse_softmax_cross_entropy_with_logits(labels, &net.head.call(x)), ());
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// What a child does: some steps, and a line with what they asked of the compiler and how the loss ended.
#[test]
#[ignore = "a part of the other tests"]
fn some_steps() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    tf::__testing::kernels_one_by_one(std::env::var_os("ONE_BY_ONE").is_some());
    let _there = tf::device("/gpu:0");
    tf::random::set_seed(7);
    let net = Net {
        conv: Conv2D::new(4, 3).activation("relu"),
        flatten: Flatten::new(),
        hidden: Dense::new(12).activation("relu"),
        head: Dense::new(5),
    };
    let optimizer = Adam::new(0.01);
    let images = tf::random::stateless_uniform([6, 8, 8, 1], [1, 2], 0.0, 1.0).gpu();
    let labels = Tensor::from((0..6).map(|i| i * 7 % 5).collect::<Vec<i32>>());
    // The variables are made and filled by operations of their own.
    net.head.call(net.hidden.call(net.flatten.call(net.conv.call(&images)))).to_vec::<f32>();
    let asked = || emulation.programs().0 + emulation.programs().1;
    let before = asked();
    let losses: Vec<f32> = (0..6).map(|_| step(&net, &optimizer, &images, &labels).item()).collect();
    println!("asked {} of the compiler, {before} before, loss {:?}", asked() - before, losses[5]);
}

/// How often a child asked the compiler in its steps and before, and its loss.
fn child(folder: &Path, one_by_one: bool) -> (u64, u64, String) {
    let mut settings = vec![("EAGERFLOW_CUDA_CACHE", folder.to_str().unwrap())];
    settings.extend(one_by_one.then_some(("ONE_BY_ONE", "1")));
    let said = run_test("programs::some_steps", &settings);
    let line = said.lines().find_map(|l| l.split_once("asked ")).unwrap_or_else(|| panic!("{said}")).1.to_string();
    let numbers: Vec<u64> = line.split([' ', ',']).filter_map(|w| w.parse().ok()).collect();
    (numbers[0], numbers[1], line.split("loss ").nth(1).unwrap().to_string())
}

#[test]
fn a_training_step_is_a_program_for_each_thread() {
    if gpu().is_none_or(|gpu| gpu.emulation.is_none()) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("eagerflow-programs-{}", std::process::id()));
    let (alone, together) = (folder.join("alone"), folder.join("together"));
    let (many, _, loss) = child(&alone, true);
    let (once, before, same) = child(&together, false);
    println!("{many} programs one by one, {once} together; {before} for eager operations");
    // Threads compile side by side, eight of them at most.
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8)) as u64;
    assert!(many >= 10 && (1..=threads).contains(&once), "{many} one by one, {once} together");
    assert_eq!(loss, same);
    assert_eq!(child(&together, false), (0, 0, loss.clone()));
    // What is damaged is compiled anew: kernels whose files are, and then those whose programs are.
    for end in ["kernel", "cubin"] {
        for entry in std::fs::read_dir(&together).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == end) {
                let whole = std::fs::read(&path).unwrap();
                std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
            }
        }
        assert_eq!(child(&together, false), (once, before, loss.clone()), "{end}");
        assert_eq!(child(&together, false), (0, 0, loss.clone()), "{end}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
