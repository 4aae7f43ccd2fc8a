//! Memory that machine code runs from: written first, made executable afterwards, never both at once.
//! A compiled program owns one block of it and gives it back with itself.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

unsafe extern "C" {
    // From the C library that `std` itself is linked to.
    fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn mprotect(at: *mut c_void, length: usize, protection: c_int) -> c_int;
    fn munmap(at: *mut c_void, length: usize) -> c_int;
}

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;
/// Private and backed by no file.
const ANONYMOUS: c_int = 0x22;
const NO_FILE: c_int = -1;
/// What `mmap` answers for "no".
const FAILED: usize = usize::MAX;

/// Code, with the constants that it reads.
pub(super) struct Executable {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the bytes never change once they are executable, and belong to this value alone.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// A copy of `bytes` that may be run, at the start of a page; `None` where the system grants no such memory, as a
    /// hardened one may.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let length = bytes.len().max(1);
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { mmap(std::ptr::null_mut(), length, READ | WRITE, ANONYMOUS, NO_FILE, 0) };
        if start.addr() == FAILED {
            return None;
        }
        let executable = Self { start: NonNull::new(start.cast())?, length };
        // SAFETY: the mapping has room for the bytes and nobody else knows it; `mprotect` gets the same mapping.
        let granted = unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), executable.start.as_ptr(), bytes.len());
            mprotect(start, length, READ | EXECUTE) == 0
        };
        granted.then_some(executable)
    }

    /// The first byte.
    pub fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and code that runs borrows this value. A refusal would leave the memory mapped,
        // which harms nobody.
        unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_from_its_own_copy() {
        // mov eax, edi; add eax, 7; ret
        let code = [0x89, 0xf8, 0x83, 0xc0, 0x07, 0xc3];
        let executable = Executable::new(&code).expect("this system lets tests run code of their own");
        // SAFETY: the bytes are a function of one number under the System V convention.
        let f = unsafe { std::mem::transmute::<*const u8, extern "sysv64" fn(u32) -> u32>(executable.start()) };
        assert_eq!(f(35), 42);
    }

    /// The protection of the mapping that an address lies in, as Linux writes it; `None` where nothing is mapped.
    fn protection(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux shows the mappings of a process");
        maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).expect("an address"));
            (start..end).contains(&address).then(|| rest[..4].to_owned())
        })
    }

    #[test]
    fn code_is_never_writable_and_goes_with_its_owner() {
        let unmapped = (0..100).any(|_| {
            let executable = Executable::new(&[0xc3; 10_000]).expect("this system lets tests run code of their own");
            let last = executable.start().addr() + 9_999;
            assert_eq!(protection(last).as_deref(), Some("r-xp"));
            drop(executable);
            // Another thread may map the same place at once, but hardly a hundred times.
            protection(last).is_none()
        });
        assert!(unmapped, "the memory of dropped code stays mapped");
    }
}
