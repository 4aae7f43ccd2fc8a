//! Two processes that save into one directory at once: both finish, and what each said it saved holds its own values.

use super::model::{Folder, Model, restored};
use eagerflow as tf;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tf::train::{Checkpoint, CheckpointManager, latest_checkpoint};

const FOLDER: &str = "CRASHES_SHARED_FOLDER";
const FIRST: &str = "CRASHES_FIRST_STEP";
const MANAGED: &str = "CRASHES_MANAGED";
const SIZES: [usize; 3] = [4, 5_000, 1];
const SAVES: u64 = 25;

#[test]
#[ignore = "run by the other tests, in processes of their own"]
fn a_process_that_saves_some_times() {
    println!();
    let told = |name| std::env::var(name).expect("a setting");
    let (folder, first): (PathBuf, u64) = (told(FOLDER).into(), told(FIRST).parse().unwrap());
    let model = Model::new(&SIZES);
    let checkpoint = Checkpoint::new().with("model", &model);
    let manager = CheckpointManager::new(&checkpoint, &folder, None).unwrap();
    for step in first..first + SAVES {
        model.set(step);
        let path = match told(MANAGED).as_str() {
            "yes" => manager.save().unwrap(),
            _ if step % 3 == 0 => checkpoint.save_async(folder.join("ckpt")).unwrap().wait().unwrap(),
            _ => checkpoint.save(folder.join("ckpt")).unwrap(),
        };
        println!("saved {step} {}", path.display());
    }
}

fn two_processes(managed: &str) {
    let folder = Folder::new();
    let firsts = [1000, 2000];
    let children = firsts.map(|first| {
        let mut command = Command::new(std::env::current_exe().expect("this test's own path"));
        command.args(["together::a_process_that_saves_some_times", "--exact", "--ignored", "--nocapture"]);
        command.env(FOLDER, &folder.0).env(FIRST, first.to_string()).env(MANAGED, managed);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the test's own binary runs")
    });
    let mut saved: Vec<(u64, PathBuf)> = Vec::new();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{text}\n{errors}");
        saved.extend(text.lines().filter_map(|line| {
            let (step, path) = line.strip_prefix("saved ")?.split_once(' ')?;
            Some((step.parse().expect("a step"), path.into()))
        }));
    }
    assert_eq!(saved.len() as u64, 2 * SAVES);
    for (step, path) in &saved {
        assert_eq!(restored(path, &SIZES, &path.display().to_string()), *step, "{}", path.display());
    }
    let newest = latest_checkpoint(&folder).unwrap().expect("a newest checkpoint");
    assert!(saved.iter().any(|(_, path)| *path == newest), "{}", newest.display());
}

#[test]
fn each_path_that_one_of_two_processes_reports_has_its_values() {
    two_processes("no");
}

#[test]
fn so_it_is_with_managers() {
    two_processes("yes");
}
