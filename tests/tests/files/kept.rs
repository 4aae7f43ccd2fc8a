//! Saved data sets and caches in files: what comes back, by which types, and what happens where two would write the same file.
//! Their states are in `states`, their damage in `damage`.

use super::folder::{Folder, elements, strings};
use eagerflow::{self as tf, DType, Error, Nest, Tensor, TensorSpec, tf_function};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tf::data::{Compression, Dataset, SaveOptions};

#[derive(Nest)]
struct Example {
    point: Tensor,
    name: Tensor,
}

#[tf_function]
fn sum(set: &Dataset<(Tensor, Tensor)>) -> Tensor {
    let mut sum = tf::constant(0.0);
    for (list, _) in set {
        sum = sum + tf::reduce_sum(list, ());
    }
    sum
}

#[test]
fn elements_come_back_with_their_types_and_order() {
    let folder = Folder::new();
    let spec = [TensorSpec::new([None, Some(2)], DType::F32), TensorSpec::new([] as [usize; 0], DType::String)];
    let made = || {
        Dataset::from_generator_with(spec.clone(), || (0..7).map(|n| (tf::ones([n, 2]), tf::constant(format!("{n}")))))
    };
    for (number, options) in [
        SaveOptions::new(),
        SaveOptions::new().shards(3),
        SaveOptions::new().shards(20).compression(Compression::Zlib),
        Compression::Gzip.into(),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.join(&format!("set-{number}"));
        made().save_with(&path, options);
        let loaded: Dataset<(Tensor, Tensor)> = Dataset::load(&path);
        assert_eq!(loaded.cardinality(), 7);
        let spec: Vec<String> = loaded.element_spec().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(spec, ["float32[_,2]", "string[]"]);
        for (n, (list, name)) in loaded.iter().enumerate() {
            assert_eq!((list.shape().dims(), name.item_string()), (&[n, 2][..], n.to_string()));
        }
        assert_eq!(sum(&loaded).item::<f32>(), 42.0);
    }
}

#[test]
fn structs_maps_and_lists_are_elements() {
    let folder = Folder::new();
    let (a, b, c) = (folder.join("a"), folder.join("b"), folder.join("c"));
    let example = Example { point: tf::constant([[1.0], [2.0]]), name: tf::constant(["x", "y"]) };
    Dataset::from_tensor_slices(example).save(&a);
    let last: Example = Dataset::load(&a).iter().last().unwrap();
    assert_eq!((last.point.to_vec::<f32>(), last.name.item_string()), (vec![2.0], "y".to_owned()));
    let map = BTreeMap::from([
        ("k".to_owned(), tf::constant([true, false])),
        ("l".to_owned(), tf::Tensor::from(vec![1u8, 2])),
    ]);
    Dataset::from_tensor_slices(map.clone()).save(&b);
    let loaded = Dataset::load_like(&b, &map);
    assert_eq!(loaded.iter().map(|m| m["l"].item::<u8>()).collect::<Vec<_>>(), [1, 2]);
    let error = Dataset::<BTreeMap<String, Tensor>>::try_load(&b).unwrap_err();
    assert!(error.to_string().contains("load_like"), "{error}");
    let list = vec![tf::constant([1, 2]), tf::constant([3, 4])];
    Dataset::from_tensor_slices(list.clone()).save(&c);
    assert_eq!(Dataset::load_like(&c, &list).iter().last().unwrap()[1].item::<i32>(), 4);
    // Another number of tensors.
    for error in
        [Dataset::<Tensor>::try_load(&a).unwrap_err(), Dataset::<(Tensor, Tensor, Tensor)>::try_load(&a).unwrap_err()]
    {
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
    }
}

#[test]
fn elements_without_types_tell_them() {
    let folder = Folder::new();
    let path = folder.join("set");
    Dataset::from_generator(|| (1..4).map(|n| tf::zeros([n, 2]))).save(&path);
    assert_eq!(Dataset::<Tensor>::load(&path).element_spec().unwrap()[0].to_string(), "float32[_,2]");
    Dataset::from_generator(|| (1..4).map(|n| tf::zeros(vec![1; n]))).save(&path);
    let loaded = Dataset::<Tensor>::load(&path);
    assert!(loaded.element_spec().is_none() && loaded.iter().count() == 3);
    Dataset::range(0).save(&path);
    assert_eq!(Dataset::<Tensor>::load(&path).cardinality(), 0);
}

#[test]
fn a_folder_that_is_not_finished_is_an_error_and_a_new_set_replaces_the_old_one() {
    let folder = Folder::new();
    let path = folder.join("set");
    assert!(matches!(Dataset::<Tensor>::try_load(&path).unwrap_err(), Error::NotFound(_)));
    let fails = Dataset::range(5).try_map(|n| match n.item::<i64>() {
        3 => Err(Error::invalid_argument("three", "no")),
        _ => Ok(n),
    });
    assert!(fails.try_save(&path).is_err());
    assert!(matches!(Dataset::<Tensor>::try_load(&path).unwrap_err(), Error::NotFound(_)));
    Dataset::range(5).save(&path);
    let mut old = Dataset::<Tensor>::load(&path).iter();
    old.next();
    assert!(fails.try_save(&path).is_err());
    assert_eq!(Dataset::<Tensor>::load(&path).cardinality(), 5, "the old one stays");
    Dataset::range(2).save(&path);
    assert_eq!(Dataset::<Tensor>::load(&path).cardinality(), 2);
    if cfg!(unix) {
        assert_eq!(old.count(), 4, "who reads the old one goes on");
    }
    let names = std::fs::read_dir(&path).unwrap().count();
    assert_eq!(names, 3, "the description, a file of elements and the lock");
    let error = Dataset::counter(0, 1).try_save(&path).unwrap_err();
    assert!(matches!(error, Error::FailedPrecondition(_)) && error.to_string().contains("kept.rs"), "{error}");
}

#[test]
fn a_cache_is_filled_once() {
    let folder = Folder::new();
    let path = folder.join("cache");
    let calls = Arc::new(AtomicUsize::new(0));
    let costly = || {
        let calls = calls.clone();
        Dataset::range(4).map(move |n| {
            calls.fetch_add(1, Ordering::Relaxed);
            tf::strings::join(&[&tf::as_string(n), &tf::constant("!")], "")
        })
    };
    // One that is given up leaves nothing.
    let mut half = costly().cache_in(&path).iter();
    half.next();
    // While it is under way there is no other.
    let error = costly().cache_in(&path).try_iter().unwrap_err();
    assert!(matches!(error, Error::AlreadyExists(_)) && error.to_string().contains("cache"), "{error}");
    drop(half);
    assert!(!path.exists());
    calls.store(0, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(strings(&costly().cache_in(&path)), ["0!", "1!", "2!", "3!"]);
        assert_eq!(calls.load(Ordering::Relaxed), 4, "the second pass reads the file");
    }
    assert_eq!(folder.names(), [".cache.lock", "cache"]);
    assert_eq!(strings(&costly().cache_in(&path).repeat(3)).len(), 12);
    // Several may read it at once.
    let set = costly().cache_in(&path);
    let (mut one, mut two) = (set.iter(), set.iter());
    assert!(one.next().is_some() && two.next().is_some());
    // Another pipeline does not take it for its own.
    let (_, error) = elements(&costly().take(2).cache_in(&path));
    let error = error.unwrap();
    assert!(matches!(error, Error::FailedPrecondition(_)) && error.to_string().contains("take"), "{error}");
    let other = folder.put("other", "no cache");
    assert!(elements(&costly().cache_in(other)).1.is_some());
}

#[test]
fn what_a_killed_process_left_of_a_cache_is_removed() {
    let folder = Folder::new();
    let path = folder.join("cache");
    folder.put("cache.tmp-1-2", "half");
    folder.put("another.tmp-1-2", "not ours");
    assert_eq!(Dataset::range(3).cache_in(&path).iter().count(), 3);
    assert_eq!(folder.names(), [".cache.lock", "another.tmp-1-2", "cache"]);
}
