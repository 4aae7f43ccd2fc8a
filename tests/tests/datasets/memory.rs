//! Memory, threads and files of passes over many epochs: a training that goes on for days must not grow.
//! A process of its own counts, since tests beside this one allocate too.

use eagerflow::{self as tf, Tensor};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tf::data::{AUTOTUNE, Dataset, Parallel, Shuffle, Timeseries, timeseries_dataset_with_targets};

const CHILD: &str = "EAGERFLOW_EPOCHS_CHILD";

/// The bytes of this process that lie in memory.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    pages.split(' ').nth(1).expect("two numbers").parse::<usize>().expect("a number") * 4096
}

fn entries(folder: &str) -> usize {
    std::fs::read_dir(folder).expect("Linux").count()
}

/// Threads and open files of this process.
fn threads_and_files() -> [usize; 2] {
    ["/proc/self/task", "/proc/self/fd"].map(entries)
}

/// Counts until nothing has ended for a while, and there are no more than `most`: threads of passes that were given up end on their own.
fn settled(most: [usize; 2]) -> [usize; 2] {
    let (start, mut counted, mut since) = (Instant::now(), threads_and_files(), Instant::now());
    loop {
        sleep(Duration::from_millis(5));
        let now = threads_and_files();
        if now != counted {
            (counted, since) = (now, Instant::now());
        }
        let few = now[0] <= most[0] && now[1] <= most[1];
        if few && since.elapsed() > Duration::from_millis(200) {
            return now;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "threads and files: {now:?}, and {most:?} after ten epochs");
    }
}

fn image(number: Tensor) -> (Tensor, Tensor) {
    (tf::fill([32, 32, 3], number.cast(tf::float32)), number)
}

/// One pass over pipelines of all kinds; elements of 12 KB.
fn epoch(pipelines: &[Dataset<(Tensor, Tensor)>]) -> i64 {
    let mut sum = 0;
    for pipeline in pipelines {
        for (images, numbers) in pipeline {
            assert_eq!(images.dim(0), numbers.dim(0));
            sum += tf::reduce_sum(&numbers, ()).item::<i64>();
        }
        // And one that is left in the middle.
        let mut pass = pipeline.iter();
        pass.next();
    }
    sum
}

#[test]
fn fifty_epochs_take_no_more_memory_than_ten() {
    if std::env::var_os(CHILD).is_none() {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args([
                "--exact",
                "memory::fifty_epochs_take_no_more_memory_than_ten",
                "--nocapture",
                "--test-threads",
                "1",
            ])
            .env(CHILD, "1")
            .output()
            .expect("a process");
        let text = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success() && text.contains("epochs measured"), "{text}");
        return;
    }
    let numbers = Dataset::range(160);
    let augmented = |(image, n): (Tensor, Tensor)| (image + tf::random::normal([32, 32, 3], 0.0, 1.0), n);
    let series = tf::reshape(tf::range(0.0, 2048.0, 1.0), [64, 32]);
    let targets = Tensor::from((0..64_i64).collect::<Vec<_>>());
    let pipelines = [
        numbers.shuffle(64).map_with(2, image).map(augmented).batch(32).prefetch(AUTOTUNE),
        numbers.map(image).cache().shuffle(Shuffle::whole()).repeat(2).batch(16).prefetch(2),
        numbers.interleave(4, 2, |n| Dataset::from_tensors(n).repeat(2).map(image)).batch(20),
        numbers
            .map_with(Parallel::calls(2).deterministic(false), image)
            .filter(|(_, n)| tf::less(n, Tensor::from(80_i64)))
            .batch(8),
        timeseries_dataset_with_targets(&series, &targets, 8, Timeseries::new().shuffle(true)),
    ];
    let first = epoch(&pipelines);
    (1..10).for_each(|_| assert_eq!(epoch(&pipelines), first));
    let (memory, most) = (resident(), settled([usize::MAX; 2]));
    (10..50).for_each(|_| assert_eq!(epoch(&pipelines), first));
    let grown = resident().saturating_sub(memory);
    assert!(grown < 3 << 20, "{grown} bytes more after 50 epochs than after 10, where {memory} were used");
    settled(most);
    println!("epochs measured: {memory} bytes, and {grown} more");
}
