//! Tests of the caching allocator as a whole: classes, reuse, threads, the cap and the counts.
//! Those that compare counts run in a process of their own, because the other tests of the crate use the pool too.

use std::collections::HashSet;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::mpsc;

use super::class::Class;
use super::*;

/// Runs the test alone: the first time round starts this program again for just this test, which then runs the body.
fn alone(name: &str, body: fn()) {
    const MARK: &str = "EAGERFLOW_POOL_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return body();
    }
    let path = module_path!().split_once("::").expect("a crate and its module").1;
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([&format!("{path}::{name}"), "--exact", "--test-threads=1"])
        .env(MARK, "1")
        .env_remove("EAGERFLOW_CACHE_LIMIT")
        .output()
        .expect("to run it again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

struct Block(NonNull<u8>, usize, Class);

// SAFETY: a block is plain memory with one owner.
unsafe impl Send for Block {}

fn get(bytes: usize) -> Block {
    let (block, capacity, class) = acquire(bytes).expect("memory");
    assert!(capacity >= bytes && (block.as_ptr() as usize).is_multiple_of(64));
    // SAFETY: the block has this capacity and is ours.
    unsafe { block.as_ptr().write_bytes(0xab, capacity) };
    Block(block, capacity, class)
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: acquired by `get`, and this is its last use.
        unsafe { release(self.0, self.2) };
    }
}

#[test]
fn classes_hold_what_was_asked_with_a_quarter_to_spare() {
    let mut sizes: Vec<usize> = (0..5000).collect();
    sizes.extend((12..62).flat_map(|b| [(1 << b) - 1, 1 << b, (1 << b) + 1, (1 << b) + (1 << (b - 2))]));
    for bytes in sizes {
        let size = Class::holding(bytes).expect("a sane size").size();
        assert!(size >= bytes && size.is_multiple_of(64));
        assert!(size <= 64 || size - bytes <= 63 + bytes / 4, "{bytes} in {size}");
    }
    for index in 0..Class::COUNT {
        assert_eq!(Class::holding(Class::at(index).size().min(isize::MAX as usize / 2)), Some(Class::at(index)));
    }
    assert!(acquire(usize::MAX).is_none());
    assert!(acquire(isize::MAX as usize).is_none());
    assert!(acquire(isize::MAX as usize / 2).is_none());
    assert_eq!(Class::LARGEST_OWN.size(), 1 << 20);
}

#[test]
fn a_block_returned_is_the_next_one_given() {
    alone("a_block_returned_is_the_next_one_given", || {
        for bytes in [1, 64, 1000, 1 << 20, 3 << 20] {
            let first = get(bytes).0;
            let before = stats();
            let second = get(bytes).0;
            assert_eq!(first, second);
            let after = stats();
            assert_eq!((after.from_system, after.acquired), (before.from_system, before.acquired + 1));
        }
    });
}

#[test]
fn counts_add_up() {
    alone("counts_add_up", || {
        let before = stats();
        let blocks = [get(100), get(70_000), get(5 << 20)];
        let bytes: usize = blocks.iter().map(|b| b.1).sum();
        assert_eq!(stats().in_use, before.in_use + bytes);
        assert!(stats().peak >= before.in_use + bytes);
        drop(blocks);
        assert_eq!((stats().in_use, stats().cached), (before.in_use, before.cached + bytes));
        trim();
        assert_eq!((stats().in_use, stats().cached), (before.in_use, before.cached));
    });
}

#[test]
fn the_cap_holds_and_old_classes_go_first() {
    alone("the_cap_holds_and_old_classes_go_first", || {
        let others = stats().cached;
        set_cache_limit(others + (64 << 20));
        drop(get(30 << 20));
        let mut recent = Vec::new();
        for _ in 0..12 {
            recent.push(get(4 << 20));
        }
        drop(recent);
        assert!(stats().cached <= others + (64 << 20));
        let before = stats().from_system;
        let _hit = get(4 << 20);
        assert_eq!(stats().from_system, before);
        let _miss = get(30 << 20);
        assert_eq!(stats().from_system, before + 1);
        set_cache_limit(0);
        drop(get(100));
        drop(get(4 << 20));
        assert_eq!(stats().cached, others);
    });
}

#[test]
fn blocks_cross_threads_and_outlive_them() {
    alone("blocks_cross_threads_and_outlive_them", || {
        let before = stats();
        std::thread::scope(|s| {
            let (send, receive) = mpsc::channel::<Block>();
            let sender = s.spawn(move || {
                for i in 0..20_000_usize {
                    send.send(get(i * 37 % 3000)).expect("a receiver");
                }
            });
            let receiver = s.spawn(move || {
                for (i, block) in receive.into_iter().enumerate() {
                    // SAFETY: the block is ours and at least 64 bytes large.
                    assert_eq!(unsafe { block.0.as_ptr().add(i % 64).read() }, 0xab);
                }
            });
            // The scope alone waits for the closures, but not until the threads have told their counts on the way out.
            sender.join().expect("a sender that ended well");
            receiver.join().expect("a receiver that ended well");
        });
        let after = stats();
        assert_eq!((after.in_use, after.acquired), (before.in_use, before.acquired + 20_000));
    });
}

#[test]
fn blocks_in_use_never_overlap() {
    std::thread::scope(|s| {
        for seed in 1..5_u64 {
            s.spawn(move || {
                let mut state = seed;
                let mut live: Vec<(Block, u8)> = Vec::new();
                for _ in 0..20_000 {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let roll = (state >> 33) as usize;
                    if live.len() > 50 || (roll.is_multiple_of(3) && !live.is_empty()) {
                        let (block, mark) = live.swap_remove(roll % live.len());
                        // SAFETY: the block is ours and was filled to its capacity.
                        let bytes = unsafe { std::slice::from_raw_parts(block.0.as_ptr(), block.1) };
                        assert!(bytes.iter().step_by(61).chain(bytes.last()).all(|&b| b == mark));
                    } else {
                        let block = get(roll % (64 << (roll % 9)));
                        // SAFETY: as above.
                        unsafe { block.0.as_ptr().write_bytes(state as u8, block.1) };
                        live.push((block, state as u8));
                    }
                }
                let distinct: HashSet<_> = live.iter().map(|(b, _)| b.0).collect();
                assert_eq!(distinct.len(), live.len());
            });
        }
    });
}

#[test]
fn a_destructor_at_the_end_of_a_thread_may_still_use_the_pool() {
    alone("a_destructor_at_the_end_of_a_thread_may_still_use_the_pool", || {
        struct Late(Vec<Block>);
        impl Drop for Late {
            fn drop(&mut self) {
                self.0.clear();
                drop(get(200));
                drop(get(3 << 20));
            }
        }
        thread_local! {
            static BEFORE: std::cell::RefCell<Late> = const { std::cell::RefCell::new(Late(Vec::new())) };
            static AFTER: std::cell::RefCell<Late> = const { std::cell::RefCell::new(Late(Vec::new())) };
        }
        let before = stats();
        std::thread::spawn(|| {
            // Destructors run in the order of first use or its reverse: have one on either side of the pool's own.
            BEFORE.with(|l| l.borrow_mut().0.push(Block(NonNull::dangling(), 0, Class::at(0))));
            BEFORE.with(|l| std::mem::forget(l.borrow_mut().0.pop()));
            let block = get(100);
            AFTER.with(|l| l.borrow_mut().0.push(get(300)));
            BEFORE.with(|l| l.borrow_mut().0.push(block));
        })
        .join()
        .expect("no panic");
        let after = stats();
        assert_eq!((after.in_use, after.acquired), (before.in_use, before.acquired + 6));
    });
}
