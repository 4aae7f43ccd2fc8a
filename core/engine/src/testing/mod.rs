//! Hidden hooks for the suite: the list of operations, gradient rules that can be made wrong, ways that can be turned off.
//! They are there with the hidden feature `testing` alone, which the packages of tests switch on and benchmarks do not.

mod open_sizes;

pub use open_sizes::{Naming, Open, record_open};

use kernels::error::Result;

#[cfg(feature = "testing")]
pub use crate::autodiff::driver::inspect::{flip_rule, rules_seen};
pub use crate::graph::switches::{
    kernels_one_by_one, loops_run_as_code, loops_run_in_registers, set_loops_as_code as loops_as_code,
    set_loops_in_registers as loops_in_registers, without_plans,
};
pub use kernels::moved::{Moved, moved};

/// The files of `ops/`, from the one list that names them.
pub fn operations() -> &'static [&'static str] {
    crate::ops::FILES
}

/// The instruction set that the CPU kernels of this process use: `portable`, `avx2` or `avx512`.
pub fn cpu_path() -> &'static str {
    use kernels::backend::cpu::Isa;
    match Isa::current() {
        Isa::Portable => "portable",
        Isa::Avx2 => "avx2",
        Isa::Avx512 => "avx512",
    }
}

/// As [`without_plans`], and loops over numbers run operation by operation too: graphs as they were recorded.
pub fn as_recorded<R>(body: impl FnOnce() -> R) -> R {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            loops_in_registers(true);
        }
    }
    loops_in_registers(false);
    let _back = Back;
    without_plans(body)
}

/// Runs `body` and gives what it printed on this thread: `println!` and its kin in traced functions, and `tf::print`.
pub fn captured<R>(body: impl FnOnce() -> R) -> (R, String) {
    crate::ops::capture(body)
}

/// Compiles the kernels of the operations that `work` calls on a GPU, together; nothing is computed, and elements cannot be read.
/// Tensors that it makes must not outlive it.
pub fn compile_kernels_of(work: impl FnOnce()) -> Result<()> {
    kernels::backend::cuda::collect(work)
}
