//! Kernels that are missing, cut into programs that threads compile side by side: the compiler works on one thread, and takes a tenth
//! of a second for each kernel. `program.rs` loads what they make, in the thread that asked.

use super::program::Wanted;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The most kernels of one program: compiling more at once saves little, and the user waits without a word.
const MOST: usize = 64;
/// The most threads that compile: each holds a compiler's memory.
const THREADS: usize = 8;

/// How many programs are compiled at a time.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(THREADS))
}

/// How many kernels from each place on are one program, as many as keep all threads busy. A function that the driver has to bring when it
/// loads a program is asked for by a program alone: should it refuse, the other kernels are not its business.
pub(super) fn cut(kernels: &[Wanted], threads: usize) -> Vec<usize> {
    let most = kernels.len().div_ceil(threads.max(1)).min(MOST);
    let alone = |kernel: &Wanted| kernel.text.contains("cudaGraphSetConditional");
    let (mut counts, mut rest) = (Vec::new(), kernels);
    while !rest.is_empty() {
        let count = rest.iter().take(most).take_while(|kernel| !alone(kernel)).count().max(1);
        counts.push(count);
        rest = &rest[count..];
    }
    counts
}

/// Does `work` for each number below `count` in some threads, and `then` with what it gave in this one, as it comes.
///
/// # Errors
/// The first of `then`; what is not begun yet is left out.
pub(super) fn side_by_side<T: Send, E>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut then: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    if count < 2 || threads < 2 {
        return (0..count).try_for_each(|i| then(i, work(i)));
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(count) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count) {
                    // Nobody listens any more after an error.
                    if sender.send((i, work(i))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        receiver.into_iter().try_for_each(|(i, done)| then(i, done))
    })
}

#[cfg(test)]
mod tests {
    use super::super::program::Form;
    use super::*;

    fn wanted(text: &str) -> Wanted {
        let form = Form { of: 0, attributes: 0, types: 0, layout: 0 };
        Wanted { form, name: "kernel".into(), text: text.into() }
    }

    #[test]
    fn kernels_that_ask_something_of_the_driver_are_compiled_alone() {
        let kernels = ["a", "b", "cudaGraphSetConditional(1)", "c", "d"].map(wanted);
        assert_eq!(cut(&kernels, 1), [2, 1, 2]);
        assert_eq!(cut(&kernels[2..], 1), [1, 2]);
        assert_eq!(cut(&kernels, 8), [1; 5]);
        assert_eq!(cut(&[], 4), [0usize; 0]);
    }

    #[test]
    fn kernels_are_shared_among_threads_and_programs_have_a_most() {
        let kernels: Vec<Wanted> = (0..300).map(|_| wanted("a")).collect();
        assert_eq!(cut(&kernels[..30], 8), [4, 4, 4, 4, 4, 4, 4, 2]);
        assert_eq!(cut(&kernels, 2), [64, 64, 64, 64, 44]);
    }

    #[test]
    fn all_is_done_once_and_an_error_ends_it() {
        for threads in [1, 4] {
            let mut seen = [0; 50];
            let all: Result<(), ()> = side_by_side(
                50,
                threads,
                |i| i * 2,
                |i, twice| {
                    assert_eq!(twice, i * 2);
                    seen[i] += 1;
                    Ok(())
                },
            );
            assert!(all.is_ok() && seen == [1; 50]);
            let begun = AtomicUsize::new(0);
            let work = |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_millis(1));
            };
            assert_eq!(side_by_side(10_000, threads, work, |_, ()| Err("no")), Err("no"));
            assert!(begun.into_inner() < 5_000);
        }
    }
}
