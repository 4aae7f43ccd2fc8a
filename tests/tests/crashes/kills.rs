//! A process that saves without end is killed at random moments, again and again: what its directory names as the newest checkpoint is
//! whole every time, and no older than the last save of which it said that it was done.

use super::model::{Folder, Model, newest, saves_as_before};
use eagerflow as tf;
use eagerflow_tests::random::Random;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tf::train::{Checkpoint, CheckpointManager};

const FOLDER: &str = "CRASHES_FOLDER";
const ASYNC: &str = "CRASHES_ASYNC";
/// How many kills, for longer runs than the usual one.
const KILLS: &str = "EAGERFLOW_KILLS";

/// Some hundred kilobytes, so that a save takes some milliseconds.
const SIZES: [usize; 5] = [1, 30_000, 7, 100_000, 1_000];

#[test]
#[ignore = "run by the other tests, in processes of their own, and killed"]
fn a_process_that_saves_without_end() {
    println!();
    let folder = std::env::var(FOLDER).expect("a folder");
    let asynchronous = std::env::var_os(ASYNC).is_some();
    let model = Model::new(&SIZES);
    let checkpoint = Checkpoint::new().with("model", &model);
    let manager = CheckpointManager::new(&checkpoint, folder, 3).unwrap();
    manager.restore_or_initialize().unwrap();
    let first = model.step("restored") + 1;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // What a training would do meanwhile.
        scope.spawn(|| {
            let x = tf::ones([64, 64]);
            while !stop.load(Ordering::Relaxed) {
                std::hint::black_box(tf::matmul(&x, &x));
            }
        });
        for step in first.. {
            model.set(step);
            if asynchronous {
                let saving = manager.save_async().unwrap();
                // The next step begins while the files are written.
                model.set(step + 1);
                saving.wait().unwrap();
            } else {
                manager.save().unwrap();
            }
            let mut out = std::io::stdout();
            writeln!(out, "saved {step}").unwrap();
            out.flush().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
}

fn start(folder: &Path, asynchronous: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test's own path"));
    command.args(["kills::a_process_that_saves_without_end", "--exact", "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    if asynchronous {
        command.env(ASYNC, "yes");
    }
    command.spawn().expect("the test's own binary runs")
}

/// Starts the process and kills it at a random moment; answers the last step that it said was saved.
fn killed(folder: &Path, asynchronous: bool, random: &mut Random) -> Option<u64> {
    let mut child = start(folder, asynchronous);
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut last = None;
    let mut heed = |line: String| last = line.strip_prefix("saved ").map(|step| step.parse().expect("a step")).or(last);
    // Some are killed while they start and restore, the others some saves later.
    if random.below(8) == 0 {
        std::thread::sleep(Duration::from_micros(random.below(60_000) as u64));
    } else {
        for line in lines.by_ref() {
            let line = line.expect("a line");
            let saved = line.starts_with("saved ");
            heed(line);
            if saved {
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(random.below(40_000) as u64));
    }
    child.kill().expect("the process is killed");
    lines.for_each(|line| heed(line.expect("a line")));
    let output = child.wait_with_output().expect("the process has ended");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_none(), "it was killed, and did not end by itself: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    last
}

fn kill_many(asynchronous: bool, seed: u64) {
    let kills = std::env::var(KILLS).map_or(20, |kills| kills.parse().expect("a number"));
    let folder = Folder::new();
    let mut random = Random::new(seed);
    let (mut reported, mut moved) = (0, 0);
    for kill in 0..kills {
        let last = killed(folder.as_ref(), asynchronous, &mut random);
        reported = last.unwrap_or(reported);
        let when = format!("kill {kill} after step {reported}");
        let found = newest(folder.as_ref(), &SIZES, &when);
        // What was not reported yet may be there already; the next process goes on with it.
        assert!(found >= reported, "{when}: the newest is of step {found}");
        moved += u64::from(found > reported);
        reported = found;
    }
    println!("{kills} kills, {reported} steps saved; {moved} times a save had not been reported yet");
    assert!(reported > kills / 2, "only {reported} saves: the test shows nothing");
    saves_as_before(folder.as_ref(), &SIZES, "after all kills");
}

#[test]
fn what_is_named_is_whole_whenever_a_process_is_killed() {
    kill_many(false, 1);
}

#[test]
fn what_is_named_is_whole_whenever_a_process_is_killed_that_saves_in_the_background() {
    kill_many(true, 2);
}
