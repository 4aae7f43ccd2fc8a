//! Writers: guards, threads, bounded queues, ends; folders that cannot be written, full disks, and processes that are killed.
//! The killed process is this test's own program, started again.

use super::{Folder, files, scalars, written};
use eagerflow as tf;
use std::process::Command;
use std::time::{Duration, Instant};
use tf::summary::{self, FileWriter, create_file_writer, read_events, try_read_events};

#[test]
fn guards_bring_back_the_writer_before() {
    let (a, b) = (Folder::new("guard-a"), Folder::new("guard-b"));
    let (first, second) = (create_file_writer(&a.0), create_file_writer(&b.0));
    first.set_as_default();
    {
        let _second = second.as_default();
        summary::scalar("second", 2.0, 2);
    }
    summary::scalar("first", 1.0, 1);
    summary::flush();
    second.flush();
    assert_eq!(scalars(&written(&a.0)), [("first", 1, 1.0)]);
    assert_eq!(scalars(&written(&b.0)), [("second", 2, 2.0)]);
    first.close();
    assert!(summary::try_scalar("late", 1.0, 2).unwrap_err().to_string().contains("closed"));
    first.close();
    first.flush();
    summary::create_noop_writer().set_as_default();
}

#[test]
fn the_last_handle_writes_what_waits_and_ends_the_thread() {
    let folder = Folder::new("dropped");
    let writer = FileWriter::new(&folder.0).flush_millis(3_600_000).create();
    let other = writer.clone();
    {
        let _default = writer.as_default();
        summary::scalar("a", 1.0, 1);
    }
    drop(writer);
    {
        let _default = other.as_default();
        summary::scalar("b", 2.0, 2);
    }
    drop(other);
    assert_eq!(scalars(&written(&folder.0)), [("a", 1, 1.0), ("b", 2, 2.0)]);
}

#[test]
fn eight_threads_write_into_one_file() {
    let folder = Folder::new("threads");
    let writer = FileWriter::new(&folder.0).max_queue(16).create();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let writer = writer.clone();
            scope.spawn(move || {
                let _default = writer.as_default();
                for step in 0..500 {
                    summary::scalar(&format!("thread {thread}"), step, step);
                    if step % 100 == 0 {
                        summary::histogram("numbers", tf::ones([10]), step);
                    }
                }
            });
        }
    });
    writer.close();
    let all = written(&folder.0);
    assert_eq!(all.len(), 8 * 505);
    for thread in 0..8 {
        let name = format!("thread {thread}");
        let steps: Vec<i64> = all.iter().filter(|event| event.tag == name).map(|event| event.step).collect();
        assert_eq!(steps, (0..500).collect::<Vec<i64>>());
    }
}

#[test]
fn what_was_given_is_in_the_file_soon_without_a_flush() {
    let folder = Folder::new("soon");
    let writer = FileWriter::new(&folder.0).flush_millis(20).create();
    let _default = writer.as_default();
    summary::scalar("a", 1.0, 1);
    let start = Instant::now();
    while written(&folder.0).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_at_the_users_line() {
    let folder = Folder::new("no-folder");
    std::fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("file");
    std::fs::write(&file, "x").unwrap();
    let error = summary::try_create_file_writer(file.join("logs")).unwrap_err().to_string();
    assert!(error.contains("file/logs") && error.contains("writers.rs"), "{error}");
}

/// A file whose size is limited is as a disk that is full: the limit holds for a process, so another one is started.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_of_the_flush() {
    let folder = Folder::new("full");
    // SIGXFSZ is ignored, so that the write fails.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact writers::child_on_a_full_disk --ignored --nocapture";
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).arg(std::env::current_exe().unwrap()).env("SUMMARIES_CHILD", &folder.0);
    let output = command.output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("warning: summaries are not written").count(), 1, "{text}");
}

#[test]
#[ignore = "the other process of a_full_disk_is_an_error_of_the_flush"]
fn child_on_a_full_disk() {
    let folder = std::env::var_os("SUMMARIES_CHILD").expect("the parent says where");
    let writer = create_file_writer(&folder);
    let _default = writer.as_default();
    summary::scalar("a", 1.0, 1);
    writer.flush();
    for _ in 0..2 {
        (0..1000).for_each(|step| summary::scalar("many", 1.0, step));
        let error = writer.try_flush().unwrap_err().to_string();
        assert!(error.contains("tfevents") && error.contains("missing from the file: 1000"), "{error}");
    }
    // What fits goes on, behind whole records.
    summary::scalar("b", 2.0, 2);
    writer.flush();
    assert_eq!(scalars(&read_events(writer.path().unwrap())[1..]), [("a", 1, 1.0), ("b", 2, 2.0)]);
}

#[test]
fn a_killed_process_leaves_what_it_has_flushed() {
    let folder = Folder::new("killed");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "writers::child_that_is_killed", "--ignored"]).env("SUMMARIES_CHILD", &folder.0);
    let output = command.output().expect("a process");
    assert!(!output.status.success());
    let all = files(&folder.0);
    let (events, error) = try_read_events(&all[0]);
    assert!(error.is_none(), "{error:?}");
    let steps: Vec<i64> = events[1..].iter().map(|event| event.step).collect();
    assert_eq!(steps, (0..1000).collect::<Vec<i64>>());
}

#[test]
#[ignore = "the other process of a_killed_process_leaves_what_it_has_flushed"]
fn child_that_is_killed() {
    let folder = std::env::var_os("SUMMARIES_CHILD").expect("the parent says where");
    let writer = FileWriter::new(&folder).flush_millis(3_600_000).create();
    let _default = writer.as_default();
    (0..1000).for_each(|step| summary::scalar("a", step, step));
    writer.flush();
    (1000..1100).for_each(|step| summary::scalar("a", step, step));
    std::process::abort();
}

/// Images of a megabyte are encoded more slowly than they are made: whoever makes them waits.
#[test]
fn a_full_queue_makes_its_callers_wait() {
    let folder = Folder::new("bounded");
    let writer = FileWriter::new(&folder.0).max_queue(2).create();
    let _default = writer.as_default();
    let image = tf::random::uniform([1, 256, 256, 3], 0.0, 1.0);
    for step in 0..20 {
        summary::image("noise", &image, step);
        // Two wait, and at most two are with the thread.
        let written = std::fs::metadata(writer.path().expect("a file")).unwrap().len() / 190_000;
        assert!(written + 4 >= step as u64, "{written} of {step}");
    }
    writer.close();
    assert_eq!(written(&folder.0).len(), 20);
}
