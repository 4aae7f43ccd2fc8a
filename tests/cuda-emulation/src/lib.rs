//! CUDA's libraries, emulated: a program that uses the driver, NVRTC and cublasLt through `cudarc` runs, with the same
//! kernel text, on any Linux machine with `g++`. For tests only.
//!
//! [`install`] builds three shared objects into the target folder (seconds, once per change of this crate) and loads
//! them under the names that `cudarc` asks for; it must be called before the first call into `cudarc`. What it returns
//! says whether they are there:
//!
//! ```no_run
//! use eagerflow_cuda_emulation::{Availability, Order, install, skipped};
//! match install() {
//!     Availability::Ready(emulation) => {
//!         emulation.set_order(Order::Shuffled(7));
//!         // ... work on the device through cudarc ...
//!         assert_eq!(emulation.counters().device_to_host, 1);
//!     }
//!     // A real driver is there and was not shadowed: the test runs on the real device.
//!     Availability::RealDriver => {}
//!     // "CUDA emulation: g++ missing, skipped"
//!     Availability::Missing(why) => {
//!         skipped(why);
//!     }
//! }
//! ```
//!
//! **What is emulated.** One device of compute capability 9.0 named "CUDA emulation (build)", with a driver of
//! version 13.0. Streams are lazy: work runs only
//! when somebody waits, so that a missing wait shows; arguments of launches, and sources of copies from pageable memory,
//! are taken at the call, pinned memory is touched when the stream comes to it. Allocations are filled with NaN, end at
//! an inaccessible page, and are never reused at once; copies are checked against their bounds; double frees are
//! refused. Between launches nobody can touch device memory: a hidden read by the host ends the process with a
//! message. Threads of a block are fibers with barriers, shuffles, votes and atomics; shared memory and local arrays
//! are poisoned before every block. A divergent barrier, a thread that ends before a barrier of the others, a shuffle
//! from an absent lane, a misaligned vector access and an index outside of an array end the launch with a message that
//! names kernel, block, thread and line; the context is then lost, as on a device, until [`Emulation::recover`].
//!
//! Captured graphs refuse what the driver refuses: memory, modules and waits while a stream records; in bodies of conditional
//! nodes all but kernels, copies, fills and further such nodes; handles of another graph, without a node, with two, or read
//! before a kernel has set them. [`Emulation::set_version`] takes away what older drivers lack.
//!
//! **What it does not show.** Code generation by NVRTC and ptxas, real limits of registers, races between blocks,
//! memory order, fast-math rounding and speed. It is no GPU test.
//!
//! **Rules for kernels.** Inline PTX and tensor core instructions only outside of `#ifdef EAGERFLOW_EMULATED`;
//! functions `extern "C"`; no reliance on lanes in lockstep without a `__syncwarp`. NVRTC has no headers: a kernel that
//! calls `cudaGraphSetConditional` declares it, `extern "C" __device__`, outside of that `#ifdef`.
//!
//! **The real compiler.** [`RealCompiler`] loads NVIDIA's own NVRTC, which needs no GPU, from `EAGERFLOW_NVRTC` or
//! `target/nvrtc`, where `tests/cuda-emulation/fetch_nvrtc.sh` puts it. [`kept_programs`] lists every kernel text that the
//! emulation has compiled, so that the texts of a whole test run can be shown to it.
//!
//! | variable | means |
//! | --- | --- |
//! | `EAGERFLOW_CUDA_EMULATION` | `1`: shadow a real driver; `0`: do not emulate |
//! | `EAGERFLOW_CUDA_EMULATION_DIR` | where the shared objects and compiled kernels are kept, in place of the target folder |
//! | `EAGERFLOW_CUDA_EMULATION_ORDER` | `forward`, `reverse`, `shuffled` or `shuffled:SEED`: the order of threads and blocks |
//! | `EAGERFLOW_CUDA_EMULATION_MEMORY` | bytes of the device |
//! | `EAGERFLOW_CUDA_EMULATION_DEVICES` | `0`: a driver without a device |
//! | `EAGERFLOW_CUDA_EMULATION_PROTECT` | `0`: let the host touch device memory |
//! | `EAGERFLOW_CUDA_EMULATION_UCONTEXT` | set: switch threads as on processors other than x86-64 |
//! | `EAGERFLOW_NVRTC` | the folder with NVIDIA's `libnvrtc.so.13` and `libnvrtc-builtins.so.13.0` |
//! | `EAGERFLOW_NVRTC_PROGRAMS` | how many texts one run of the test shows to it that it has not seen yet (100) |
//! | `CXX` | the compiler, in place of `g++` |

#[cfg(target_os = "linux")]
mod build;
#[cfg(target_os = "linux")]
mod compiler;
mod control;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod sources;

#[cfg(target_os = "linux")]
pub use compiler::{Compiled, RealCompiler, kept_programs};
pub use control::{Counters, Emulation, Order};
use std::path::PathBuf;

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`install`] found.
#[derive(Clone, Copy, Debug)]
pub enum Availability {
    /// The emulation is loaded; `cudarc` finds it from now on.
    Ready(&'static Emulation),
    /// The machine has a real CUDA driver, which was left alone.
    RealDriver,
    /// There is no emulation here; the text says why and that tests are skipped.
    Missing(&'static str),
}

impl Availability {
    /// The switches and counters, where the emulation is loaded.
    pub fn emulation(self) -> Option<&'static Emulation> {
        match self {
            Self::Ready(emulation) => Some(emulation),
            _ => None,
        }
    }
}

/// The folder with the emulated libraries, for the `LD_LIBRARY_PATH` of a child process that knows nothing of this crate.
/// Nothing is loaded into this process. `None` where there is a real driver.
///
/// # Errors
///
/// Why there is no emulation here, in a line that says that tests are skipped.
///
/// # Panics
///
/// As [`install`].
pub fn folder() -> Result<Option<PathBuf>, &'static str> {
    find_folder()
}

#[cfg(target_os = "linux")]
fn find_folder() -> Result<Option<PathBuf>, &'static str> {
    match load::look() {
        load::Found::Folder(folder) => Ok(Some(folder)),
        load::Found::RealDriver => Ok(None),
        load::Found::Missing(why) => Err(why),
    }
}

#[cfg(not(target_os = "linux"))]
fn find_folder() -> Result<Option<PathBuf>, &'static str> {
    Err("CUDA emulation: runs on Linux only, skipped")
}

/// Builds the emulation if it is not up to date and loads it, once per process; later calls give the same answer.
///
/// Processes that come at the same time wait for the one that builds.
///
/// # Panics
///
/// If `g++` is there but cannot compile this crate's own sources: that is an error of the crate and must not be
/// mistaken for a missing compiler.
pub fn install() -> Availability {
    static ANSWER: OnceLock<Availability> = OnceLock::new();
    *ANSWER.get_or_init(find)
}

/// Says on standard error, past the test harness that swallows the output of passing tests, that the calling test was
/// skipped and why; gives how many were in this process.
///
/// ```
/// assert_eq!(eagerflow_cuda_emulation::skipped("CUDA emulation: g++ missing, skipped"), 1);
/// ```
pub fn skipped(why: &str) -> usize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // A closed standard error must not fail a test.
    let _ = writeln!(std::io::stderr(), "{test}: {why} ({count} in this process)");
    count
}

#[cfg(target_os = "linux")]
fn find() -> Availability {
    load::find()
}

#[cfg(not(target_os = "linux"))]
fn find() -> Availability {
    Availability::Missing("CUDA emulation: runs on Linux only, skipped")
}
