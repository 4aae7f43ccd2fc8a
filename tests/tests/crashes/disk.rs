//! Saves that the system itself refuses: a file that may not grow, a path below a file, a directory that is gone between two saves.
//! The error names the path, the counter has not moved, and the checkpoint before is intact.

use super::model::{Folder, Model, files, newest, restored};
use eagerflow as tf;
use std::path::{Path, PathBuf};
use tf::Error;
use tf::train::{Checkpoint, CheckpointManager};

const FOLDER: &str = "CRASHES_SMALL_FOLDER";
const SIZES: [usize; 3] = [3, 200_000, 1];

fn count(checkpoint: &Checkpoint<'_>) -> i64 {
    checkpoint.save_counter().value().item::<i64>()
}

#[test]
#[ignore = "run by another test, in a process whose files may not grow"]
fn a_process_whose_files_may_not_grow() {
    let folder = PathBuf::from(std::env::var(FOLDER).expect("a folder"));
    let model = Model::new(&SIZES);
    let checkpoint = Checkpoint::new().with("model", &model);
    let manager = CheckpointManager::new(&checkpoint, &folder, 1).unwrap();
    manager.restore_or_initialize().unwrap();
    assert_eq!(model.step("restored"), 1);
    model.set(2);
    let ways: [(&str, &dyn Fn() -> tf::Result<PathBuf>); 5] = [
        ("manager", &|| manager.save()),
        ("manager in the background", &|| manager.save_async()?.wait()),
        ("save", &|| checkpoint.save(folder.join("ckpt"))),
        ("save in the background", &|| checkpoint.save_async(folder.join("ckpt"))?.wait()),
        ("write", &|| checkpoint.write(folder.join("ckpt-1"))),
    ];
    for (way, save) in ways {
        let error = save().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::ResourceExhausted(_)) && text.contains(".data-00000-of-00001"), "{way}: {text}");
        assert!(text.contains(folder.to_str().unwrap()), "{way}: {text}");
        assert_eq!(count(&checkpoint), 1, "{way}");
        assert_eq!(newest(&folder, &SIZES, way), 1);
        assert_eq!(files(&folder), ["checkpoint", "ckpt-1.data-00000-of-00001", "ckpt-1.index"], "{way}");
        assert_eq!(model.step("in memory"), 2);
    }
    // What is small enough is saved.
    let small = tf::Variable::new(5.0);
    Checkpoint::new().with("small", &small).save(folder.join("small")).unwrap();
    println!("all were refused");
}

#[test]
#[cfg(unix)]
fn a_file_that_may_not_grow_leaves_the_checkpoint_before() {
    let folder = Folder::new();
    let model = Model::new(&SIZES);
    model.set(1);
    let checkpoint = Checkpoint::new().with("model", &model);
    CheckpointManager::new(&checkpoint, &folder, 1).unwrap().save().unwrap();
    // Blocks of 512 or 1024 bytes, as the shell counts; the signal is ignored, as a program does that wants the error.
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).arg(std::env::current_exe().expect("this test's own path"));
    command.args(["disk::a_process_whose_files_may_not_grow", "--exact", "--ignored", "--nocapture"]);
    let output = command.env(FOLDER, folder.as_ref() as &Path).output().expect("a shell");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("all were refused"), "{text}\n{errors}");
}

#[test]
fn a_path_below_a_file() {
    let folder = Folder::new();
    std::fs::write(folder.join("file"), "mine").unwrap();
    let model = Model::new(&SIZES[..1]);
    let checkpoint = Checkpoint::new().with("model", &model);
    let below = folder.join("file").join("checkpoints");
    let ways: [&dyn Fn() -> tf::Result<PathBuf>; 4] = [
        &|| CheckpointManager::new(&checkpoint, &below, 1)?.save(),
        &|| checkpoint.save(below.join("ckpt")),
        &|| checkpoint.save_async(folder.join("file/ckpt"))?.wait(),
        &|| checkpoint.write(folder.join("file/ckpt")),
    ];
    for save in ways {
        let error = save().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::FailedPrecondition(_) | Error::AlreadyExists(_)), "{text}");
        assert!(text.contains(folder.join("file").to_str().unwrap()) && text.contains("disk.rs"), "{text}");
        assert_eq!(count(&checkpoint), 0);
    }
    assert_eq!(files(folder.as_ref()), ["file"]);
}

#[test]
fn a_directory_that_is_gone_between_two_saves_is_made_again() {
    let folder = Folder::new();
    let inner = folder.join("checkpoints");
    let model = Model::new(&SIZES[..1]);
    let checkpoint = Checkpoint::new().with("model", &model);
    let manager = CheckpointManager::new(&checkpoint, &inner, 3).unwrap();
    for step in 1..=2 {
        model.set(step);
        manager.save().unwrap();
    }
    std::fs::remove_dir_all(&inner).unwrap();
    model.set(3);
    let path = manager.save().unwrap();
    assert_eq!(restored(&path, &SIZES[..1], "saved again"), 3);
    assert_eq!(newest(&inner, &SIZES[..1], "saved again"), 3);
    // Others see only what is there.
    let again = CheckpointManager::new(&checkpoint, &inner, 3).unwrap();
    assert_eq!(again.checkpoints(), [path]);
}

#[test]
fn leftovers_of_checkpoints_are_removed_and_files_of_others_stay() {
    let folder = Folder::new();
    let others = ["weights.safetensors.tmp-1-7", "notes.tmp", "a.index"];
    let leftovers = ["ckpt-9.index.tmp-1-7", "ckpt-9.data-00000-of-00001.tmp-1-8", "checkpoint.tmp-1-9"];
    others.iter().chain(&leftovers).for_each(|name| std::fs::write(folder.join(name), "some").unwrap());
    let model = Model::new(&SIZES[..1]);
    Checkpoint::new().with("model", &model).save(folder.join("ckpt")).unwrap();
    let files = files(folder.as_ref());
    assert!(others.iter().all(|name| files.iter().any(|file| file == name)), "{files:?}");
    assert!(!leftovers.iter().any(|name| files.iter().any(|file| file == name)), "{files:?}");
}
