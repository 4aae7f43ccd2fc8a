//! What is restored before it exists: variables of layers that were not called, slots of optimizers that took no step,
//! operation by operation and in traced functions.

use super::{Directory, Net, bits, input, trained, values};
use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::train::Checkpoint;

#[test]
fn a_model_that_was_never_called_takes_its_values_with_the_first_call() {
    let directory = Directory::new();
    let (net, optimizer) = trained(3);
    let path =
        Checkpoint::new().with("model", &net).with("optimizer", &optimizer).save(directory.join("ckpt")).unwrap();

    let (again, other) = (Net::new(), Adam::new(0.5));
    let checkpoint = Checkpoint::new().with("model", &again).with("optimizer", &other);
    let status = checkpoint.restore(&path).unwrap();
    let early = status.try_assert_consumed().unwrap_err().to_string();
    assert!(early.contains("model/hidden/kernel") && early.contains("were not called"), "{early}");
    status.assert_existing_objects_matched();
    assert_eq!(other.iterations().value().item::<i64>(), 3);
    assert_eq!(bits([again.call(&input())]), bits([net.call(&input())]));
    // The slots are made by the next step, with their values: both go on alike.
    again.step(&other, &input());
    net.step(&optimizer, &input());
    assert_eq!(values(&again), values(&net));
    assert_eq!(values(&other), values(&optimizer));
    status.assert_consumed().assert_nontrivial_match();
}

#[test]
fn a_traced_functions_first_call_reads_the_restored_values() {
    let directory = Directory::new();
    let layer = Dense::new(2);
    let y = layer.call(input());
    let path = Checkpoint::new().with("layer", &layer).save(directory.join("ckpt")).unwrap();

    #[tf::tf_function]
    fn call(layer: &Dense, x: &tf::Tensor) -> tf::Tensor {
        layer.call(x)
    }
    let again = Dense::new(2);
    let checkpoint = Checkpoint::new().with("layer", &again);
    let status = checkpoint.restore(&path).unwrap();
    assert_eq!(bits([call(&again, &input())]), bits([y]));
    status.assert_consumed();
}

#[test]
fn the_newest_restore_counts_also_for_what_waits() {
    let directory = Directory::new();
    let save = |number: f32, name: &str| {
        let layer = Dense::new(1).kernel_initializer(tf::initializers::Constant::new(f64::from(number)));
        layer.build([1, 1]);
        Checkpoint::new().with("layer", &layer).write(directory.join(name)).unwrap()
    };
    let (old, new) = (save(1.0, "old"), save(2.0, "new"));
    let layer = Dense::new(1);
    let checkpoint = Checkpoint::new().with("layer", &layer);
    checkpoint.restore(&old).unwrap().expect_partial();
    checkpoint.restore(&new).unwrap().expect_partial();
    assert_eq!(layer.call(tf::ones([1, 1])).item::<f32>(), 2.0);
    checkpoint.restore(&old).unwrap().assert_consumed();
    assert_eq!(layer.call(tf::ones([1, 1])).item::<f32>(), 1.0);
}

#[test]
fn a_value_of_another_shape_is_an_error_of_the_call_that_makes_the_variable() {
    let directory = Directory::new();
    let layer = Dense::new(2);
    layer.build([1, 3]);
    let path = Checkpoint::new().with("layer", &layer).save(directory.join("ckpt")).unwrap();
    let other = Dense::new(2).name("narrow");
    let checkpoint = Checkpoint::new().with("layer", &other);
    checkpoint.restore(&path).unwrap().expect_partial();
    let text = other.try_call(tf::ones([1, 4]), false).unwrap_err().to_string();
    assert!(text.contains("float32[3, 2]") && text.contains("float32[4, 2]") && text.contains("narrow"), "{text}");
    assert!(text.contains("deferred.rs"), "{text}");
}

#[test]
fn slots_are_found_by_their_variables_whatever_the_order() {
    let directory = Directory::new();
    let step = |optimizer: &Adam, variables: &[tf::Variable]| {
        let gradients = variables.iter().map(|v| v.value() * 0.5 + 1.0).collect();
        optimizer.apply_gradients(&gradients, variables);
    };
    let make = || [1.0, 2.0, 3.0].map(tf::Variable::new);
    let ([a, b, c], optimizer) = (make(), Adam::new(0.1));
    step(&optimizer, &[a.clone(), b.clone(), c.clone()]);
    let whole = Checkpoint::new().with("a", &a).with("b", &b).with("c", &c).with("optimizer", &optimizer);
    let path = whole.save(directory.join("ckpt")).unwrap();
    step(&optimizer, &[a.clone(), b.clone(), c.clone()]);

    // The second program steps in another order, and over one more variable, before it restores or after.
    for before in [false, true] {
        let ([a2, b2, c2], d, other) = (make(), tf::Variable::new(9.0), Adam::new(0.1));
        let order = [d.clone(), c2.clone(), a2.clone(), b2.clone()];
        if before {
            step(&other, &order);
        }
        let checkpoint = Checkpoint::new().with("a", &a2).with("b", &b2).with("c", &c2).with("optimizer", &other);
        let status = checkpoint.restore(&path).unwrap();
        step(&other, &order);
        let all = |v: [&tf::Variable; 3]| bits(v.map(tf::Variable::value));
        assert_eq!(all([&a2, &b2, &c2]), all([&a, &b, &c]), "a step before: {before}");
        status.expect_partial();
    }
}

#[test]
fn what_was_not_made_yet_is_saved_again() {
    let directory = Directory::new();
    let (net, optimizer) = trained(3);
    let first = Checkpoint::new().with("model", &net).with("optimizer", &optimizer);
    let path = first.save(directory.join("ckpt")).unwrap();
    // Twice resumed, and saved each time before anything was called; the files before are gone.
    let mut path = path;
    for _ in 0..2 {
        let (again, other) = (Net::new(), Adam::new(0.5));
        let checkpoint = Checkpoint::new().with("model", &again).with("optimizer", &other);
        let manager = tf::train::CheckpointManager::new(&checkpoint, &directory, 1).unwrap();
        checkpoint.restore(&path).unwrap().expect_partial();
        for end in [".index", ".data-00000-of-00001"] {
            std::fs::remove_file(format!("{}{end}", path.display())).unwrap();
        }
        path = manager.save().unwrap();
        path = manager.save_async().and_then(|saving| saving.wait()).unwrap_or(path);
    }
    // A program of which a part was made meanwhile.
    let (again, other) = (Net::new(), Adam::new(0.5));
    let checkpoint = Checkpoint::new().with("model", &again).with("optimizer", &other);
    checkpoint.restore(&path).unwrap().expect_partial();
    again.hidden.call(input());
    path = checkpoint.save(directory.join("part")).unwrap();

    let (again, other) = (Net::new(), Adam::new(0.5));
    let checkpoint = Checkpoint::new().with("model", &again).with("optimizer", &other);
    let status = checkpoint.restore(&path).unwrap();
    again.step(&other, &input());
    net.step(&optimizer, &input());
    assert_eq!((values(&again), values(&other)), (values(&net), values(&optimizer)));
    status.assert_consumed();
}
