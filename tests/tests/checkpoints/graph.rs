//! What is found by what: parts by the names of their edges, shared ones once, old names, and what a file looks like.

use super::{Directory, Net, input, trained, values};
use eagerflow as tf;
use std::collections::BTreeMap;
use std::sync::Arc;
use tf::layers::Dense;
use tf::optim::Optimizer;
use tf::train::{Checkpoint, list_variables};
use tf::{Module, Variable};

#[derive(Module)]
struct Heads {
    trunk: Arc<Dense>,
    left: (Arc<Dense>, Dense),
    right: (Arc<Dense>, Dense),
}

impl Heads {
    fn new() -> Self {
        let trunk = Arc::new(Dense::new(3));
        let heads = Self { left: (trunk.clone(), Dense::new(1)), right: (trunk.clone(), Dense::new(2)), trunk };
        let x = heads.trunk.call(input());
        heads.left.1.call(&x);
        heads.right.1.call(&x);
        heads
    }
}

fn names(path: &std::path::Path) -> Vec<String> {
    let suffix = "/.ATTRIBUTES/VARIABLE_VALUE";
    list_variables(path).unwrap().into_iter().filter_map(|(n, _)| n.strip_suffix(suffix).map(str::to_owned)).collect()
}

#[test]
fn a_shared_part_is_stored_once_and_restores_everywhere() {
    let directory = Directory::new();
    let heads = Heads::new();
    let path = Checkpoint::of(&heads).save(directory.join("ckpt")).unwrap();
    let expected = [
        "left/1/bias",
        "left/1/kernel",
        "right/1/bias",
        "right/1/kernel",
        "save_counter",
        "trunk/bias",
        "trunk/kernel",
    ];
    assert_eq!(names(&path), expected);
    let again = Heads::new();
    Checkpoint::of(&again).restore(&path).unwrap().assert_consumed();
    assert_eq!(values(&again), values(&heads));
    // The trunk alone.
    let trunk = Dense::new(3);
    trunk.build([1, 3]);
    let alone = Checkpoint::new().with("trunk", &trunk);
    let status = alone.restore(&path).unwrap();
    status.expect_partial().assert_existing_objects_matched();
    assert!(status.try_assert_consumed().is_err());
    assert_eq!(values(&trunk), values(&heads.trunk));
}

#[test]
fn parts_may_be_nested_lists_maps_and_checkpoints() {
    let directory = Directory::new();
    let make = |start: f32| {
        let list = vec![Variable::new(start), Variable::new(start + 1.0)];
        let map: BTreeMap<&str, Variable> =
            [("a/b", Variable::new(start + 2.0)), ("c.d", Variable::new(start + 3.0))].into();
        (list, map)
    };
    let (list, map) = make(1.0);
    let inner = Checkpoint::new().with("list", &list).with("map", &map);
    let path = Checkpoint::new().with("inner", inner).write(directory.join("state")).unwrap();
    assert_eq!(names(&path), ["inner/list/0", "inner/list/1", "inner/map/a.Sb", "inner/map/c..d", "save_counter"]);
    let (list2, map2) = make(10.0);
    let inner = Checkpoint::new().with("map", &map2).with("list", &list2);
    Checkpoint::new().with("inner", inner).read(&path).unwrap().assert_consumed();
    assert_eq!((values(&list2), values(&map2)), (values(&list), values(&map)));
}

#[test]
fn optimizers_are_written_as_keras_writes_them() {
    let directory = Directory::new();
    let (net, optimizer) = trained(1);
    let path =
        Checkpoint::new().with("model", &net).with("optimizer", &optimizer).save(directory.join("ckpt")).unwrap();
    let names = names(&path);
    assert!(names.contains(&"optimizer/_variables/0".to_owned()) || names.contains(&"optimizer/iterations".to_owned()));
    // Two slots for each of four variables, the rate, the steps, four variables and the counter.
    assert_eq!(names.len(), 15);
    let again = Net::new();
    let other = tf::optim::Adam::new(1.0);
    again.step(&other, &input());
    let checkpoint = Checkpoint::new().with("model", &again).with("optimizer", &other);
    checkpoint.restore(&path).unwrap().assert_consumed();
    assert_eq!((values(&again), values(&other)), (values(&net), values(&optimizer)));
    assert!((other.learning_rate().get() - 0.05).abs() < 1e-9);
}

#[test]
fn all_dtypes_and_shapes_come_back() {
    let directory = Directory::new();
    use tf::DType;
    let dtypes = [
        DType::F32,
        DType::F64,
        DType::F16,
        DType::BF16,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
    ];
    let make = |number: i32| -> Vec<Variable> {
        let of = |&dtype: &DType| Variable::with(tf::constant([[number, 2], [3, 4]]).cast(dtype), "v", false);
        let mut all: Vec<Variable> = dtypes.iter().map(of).collect();
        all.push(Variable::with(tf::constant([number > 0, false]), "b", false));
        all.push(Variable::with(tf::zeros([0, 3]), "empty", false));
        all.push(Variable::with(tf::constant(number as f32), "scalar", false));
        all
    };
    let saved = make(7);
    let path = Checkpoint::new().with("all", &saved).write(directory.join("all")).unwrap();
    let again = make(-1);
    Checkpoint::new().with("all", &again).read(&path).unwrap().assert_consumed();
    for (a, b) in saved.iter().zip(&again) {
        assert_eq!(format!("{:?}", a.value()), format!("{:?}", b.value()));
    }
}

#[test]
fn a_tensor_that_was_read_before_a_restore_keeps_its_value() {
    let directory = Directory::new();
    let v = Variable::new([1.0, 2.0, 3.0]);
    let checkpoint = Checkpoint::new().with("v", &v);
    let path = checkpoint.write(directory.join("v")).unwrap();
    v.assign(tf::constant([4.0, 5.0, 6.0]));
    let before = v.value();
    checkpoint.restore(&path).unwrap().assert_consumed();
    assert_eq!(before.to_vec::<f32>(), [4.0, 5.0, 6.0]);
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
}

#[test]
fn counters_of_the_host_are_saved_as_tensorflow_saves_counters() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let directory = Directory::new();
    let epoch = AtomicU64::new(5);
    let checkpoint = Checkpoint::new().with("epoch", &epoch);
    let path = checkpoint.save(directory.join("ckpt")).unwrap();
    assert_eq!(names(&path), ["epoch", "save_counter"]);
    epoch.store(9, Ordering::Relaxed);
    checkpoint.restore(&path).unwrap().assert_consumed();
    assert_eq!(epoch.load(Ordering::Relaxed), 5);
}
