//! Managers: what is kept, what is deleted, intervals, resuming, saves in the background, and other processes' files.

use super::{Directory, input, trained};
use eagerflow as tf;
use tf::Variable;
use tf::train::{Checkpoint, CheckpointManager, get_checkpoint_state, latest_checkpoint};

#[test]
fn the_newest_are_kept_and_a_second_manager_takes_over() {
    let directory = Directory::new();
    let v = Variable::new(0.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    let manager = CheckpointManager::new(&checkpoint, &directory, 2).unwrap();
    for number in 1..=4 {
        v.assign(number as f32);
        assert!(manager.save().unwrap().ends_with(format!("ckpt-{number}")));
    }
    let kept =
        ["checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index", "ckpt-4.data-00000-of-00001", "ckpt-4.index"];
    assert_eq!(directory.files(), kept);
    let state = get_checkpoint_state(&directory).unwrap().unwrap();
    assert_eq!(state.all_model_checkpoint_paths, ["ckpt-3", "ckpt-4"]);
    assert_eq!(state.all_model_checkpoint_timestamps.len(), 2);

    let w = Variable::new(0.0);
    let checkpoint = Checkpoint::new().with("v", &w);
    let manager = CheckpointManager::new(&checkpoint, &directory, 2).unwrap();
    assert_eq!(manager.checkpoints().len(), 2);
    assert_eq!(manager.restore_or_initialize().unwrap(), latest_checkpoint(&directory).unwrap());
    assert_eq!(w.value().item::<f32>(), 4.0);
    // Its numbers go on, and it deletes what the first one made.
    assert!(manager.save().unwrap().ends_with("ckpt-5"));
    assert!(!directory.files().contains(&"ckpt-3.index".to_owned()));
}

#[test]
fn what_the_manager_did_not_make_is_not_deleted() {
    let directory = Directory::new();
    let v = Variable::new(0.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    checkpoint.save(directory.join("other")).unwrap();
    std::fs::write(directory.join("ckpt-notes.index"), "mine").unwrap();
    let manager = CheckpointManager::new(&checkpoint, &directory, 1).unwrap();
    (0..3).for_each(|_| drop(manager.save().unwrap()));
    let files = directory.files();
    assert!(files.contains(&"other-1.index".to_owned()) && files.contains(&"ckpt-notes.index".to_owned()), "{files:?}");
    assert!(files.contains(&"ckpt-4.index".to_owned()) && !files.contains(&"ckpt-3.index".to_owned()), "{files:?}");
}

#[test]
fn intervals_count_steps_since_the_last_save() {
    let directory = Directory::new();
    let steps = Variable::with(tf::Tensor::from(0i64), "steps", false);
    let checkpoint = Checkpoint::new().with("steps", &steps);
    let manager = CheckpointManager::new(&checkpoint, &directory, None).unwrap().checkpoint_interval(&steps, 3);
    let mut saved = Vec::new();
    for step in 0..8i64 {
        steps.assign(tf::Tensor::from(step));
        if manager.save_at_interval().unwrap().is_some() {
            saved.push(step);
        }
    }
    assert_eq!(saved, [0, 3, 6]);
}

#[test]
fn init_fn_is_called_where_there_is_nothing_to_restore() {
    let directory = Directory::new();
    let v = Variable::new(0.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    let manager = CheckpointManager::new(&checkpoint, &directory, 1).unwrap().init_fn(|| v.assign(7.0));
    assert_eq!(manager.restore_or_initialize().unwrap(), None);
    assert_eq!(v.value().item::<f32>(), 7.0);
    manager.save().unwrap();
    v.assign(1.0);
    assert!(manager.restore_or_initialize().unwrap().is_some());
    assert_eq!(v.value().item::<f32>(), 7.0);
}

#[test]
fn a_save_in_the_background_has_the_values_of_its_moment() {
    let directory = Directory::new();
    let (net, optimizer) = trained(1);
    let checkpoint = Checkpoint::new().with("model", &net).with("optimizer", &optimizer);
    let then = super::values(&net);
    let first = checkpoint.save_async(directory.join("ckpt")).unwrap();
    net.step(&optimizer, &input());
    let second = checkpoint.save_async(directory.join("ckpt")).unwrap();
    let now = super::values(&net);
    let (first, second) = (first.wait().unwrap(), second.wait().unwrap());
    assert!(first.ends_with("ckpt-1") && second.ends_with("ckpt-2"));
    checkpoint.restore(&first).unwrap().assert_consumed();
    assert_eq!(super::values(&net), then);
    checkpoint.restore(&second).unwrap().assert_consumed();
    assert_eq!(super::values(&net), now);
    assert_eq!(latest_checkpoint(&directory).unwrap(), Some(second));
}

#[test]
fn two_checkpoints_that_save_into_one_directory_leave_each_others_files() {
    let directory = Directory::new();
    let parts = [Variable::new(1.0), Variable::new(2.0)];
    let checkpoints = parts.each_ref().map(|v| Checkpoint::new().with("v", v));
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.extend(checkpoints.iter().map(|c| c.save(directory.join("ckpt")).unwrap()));
    }
    let mut unique = paths.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 6, "{paths:?}");
    for (i, path) in paths.iter().enumerate() {
        let v = Variable::new(0.0);
        Checkpoint::new().with("v", &v).restore(path).unwrap().assert_consumed();
        assert_eq!(v.value().item::<f32>(), (i % 2 + 1) as f32);
    }
}

#[test]
fn one_checkpoint_of_every_so_many_hours_stays() {
    let directory = Directory::new();
    let v = Variable::new(1.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    // A hundredth of a second.
    let hours = 0.01 / 3600.0;
    let manager = CheckpointManager::new(&checkpoint, &directory, 1).unwrap().keep_checkpoint_every_n_hours(hours);
    for _ in 0..4 {
        manager.save().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(12));
    }
    assert_eq!(manager.checkpoints().len(), 1);
    let files = directory.files();
    // The first begins the time, the second and third are later by more than that.
    assert!(!files.contains(&"ckpt-1.index".to_owned()), "{files:?}");
    assert!(files.contains(&"ckpt-2.index".to_owned()) && files.contains(&"ckpt-3.index".to_owned()), "{files:?}");
}
