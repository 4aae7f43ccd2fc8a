//! What tests read from the emulated device and what they can set: counters, the order of threads, the size of memory,
//! planted failures. Functions of the emulated driver, called by name.

use std::ffi::{CString, c_char};

/// In which order threads of a block, and blocks, run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By number.
    Forward,
    /// The last first.
    Reverse,
    /// Shuffled anew for every block, from this seed.
    Shuffled(u64),
}

/// What happened on the emulated device since the process began, or since [`Emulation::reset_counters`].
///
/// Copies and launches count when they run, inside graphs too; a copy between buffers of the host counts nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counters {
    /// Kernels that ran.
    pub launches: u64,
    /// Graphs that ran.
    pub graph_launches: u64,
    /// Copies from the host to the device.
    pub host_to_device: u64,
    /// Their bytes.
    pub host_to_device_bytes: u64,
    /// Copies from the device to the host.
    pub device_to_host: u64,
    /// Their bytes.
    pub device_to_host_bytes: u64,
    /// Copies on the device.
    pub device_to_device: u64,
    /// Their bytes.
    pub device_to_device_bytes: u64,
    /// Fills (`cuMemset*`).
    pub memsets: u64,
    /// Allocations of device memory.
    pub allocations: u64,
    /// Frees of device memory.
    pub frees: u64,
    /// Allocations that are not freed.
    pub live_allocations: u64,
    /// Their bytes.
    pub bytes_in_use: u64,
    /// The most bytes at one time.
    pub peak_bytes: u64,
    /// Waits of the host: for a stream, an event or the context, and copies that end at once.
    pub synchronizations: u64,
    /// Modules loaded.
    pub module_loads: u64,
    /// Matrix products of cublasLt.
    pub matmuls: u64,
    /// Allocations of pinned memory.
    pub host_allocations: u64,
    /// Calls of the driver, of any kind.
    pub calls: u64,
    /// Threads of all kernels that ran.
    pub threads: u64,
}

/// The functions behind the methods of [`Emulation`].
#[derive(Debug)]
struct Functions {
    counters: unsafe extern "C" fn(*mut Counters),
    reset_counters: unsafe extern "C" fn(),
    set_order: unsafe extern "C" fn(i32, u64),
    set_memory: unsafe extern "C" fn(u64),
    set_devices: unsafe extern "C" fn(i32),
    set_version: unsafe extern "C" fn(i32),
    set_protect: unsafe extern "C" fn(i32),
    set_quiet: unsafe extern "C" fn(i32),
    plant: unsafe extern "C" fn(*const c_char, u64, i32),
    failure: unsafe extern "C" fn(*mut c_char, u64) -> u64,
    kernels: unsafe extern "C" fn(*mut c_char, u64) -> u64,
    recover: unsafe extern "C" fn(),
    pending_work: unsafe extern "C" fn() -> u64,
    programs: unsafe extern "C" fn(*mut u64, *mut u64),
}

/// The loaded emulation: counters and switches. All are of the process; tests that use them in one process must not
/// run side by side.
#[derive(Debug)]
pub struct Emulation {
    functions: Functions,
}

#[cfg(target_os = "linux")]
impl Emulation {
    pub(crate) fn new(driver: &libloading::Library, nvrtc: &libloading::Library) -> Self {
        /// A function of one of the libraries, by name.
        ///
        /// # Safety
        ///
        /// `T` must be its type.
        unsafe fn get<T: Copy>(library: &libloading::Library, name: &str) -> T {
            // SAFETY: the caller names the right type.
            match unsafe { library.get::<T>(name.as_bytes()) } {
                Ok(function) => *function,
                Err(error) => panic!("CUDA emulation: {error}"),
            }
        }
        // SAFETY: the types are those of the definitions in `native/driver/driver.cpp` and `native/nvrtc/compile.cpp`.
        let functions = unsafe {
            Functions {
                counters: get(driver, "eagerflow_emulation_counters"),
                reset_counters: get(driver, "eagerflow_emulation_reset_counters"),
                set_order: get(driver, "eagerflow_emulation_set_order"),
                set_memory: get(driver, "eagerflow_emulation_set_memory"),
                set_devices: get(driver, "eagerflow_emulation_set_devices"),
                set_version: get(driver, "eagerflow_emulation_set_version"),
                set_protect: get(driver, "eagerflow_emulation_set_protect"),
                set_quiet: get(driver, "eagerflow_emulation_set_quiet"),
                plant: get(driver, "eagerflow_emulation_plant"),
                failure: get(driver, "eagerflow_emulation_failure"),
                kernels: get(driver, "eagerflow_emulation_kernels"),
                recover: get(driver, "eagerflow_emulation_recover"),
                pending_work: get(driver, "eagerflow_emulation_pending_work"),
                programs: get(nvrtc, "eagerflow_emulation_programs"),
            }
        };
        Self { functions }
    }
}

impl Emulation {
    /// What happened so far.
    pub fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        // SAFETY: the function fills the struct, whose layout is that of `Counters` in `native/driver/driver.h`.
        unsafe { (self.functions.counters)(&mut counters) };
        counters
    }

    /// Counts from zero again; what is allocated stays counted as such.
    pub fn reset_counters(&self) {
        // SAFETY: takes nothing.
        unsafe { (self.functions.reset_counters)() };
    }

    /// The order of threads and blocks of all launches from now on. Forward at the start.
    pub fn set_order(&self, order: Order) {
        let (kind, seed) = match order {
            Order::Forward => (0, 0),
            Order::Reverse => (1, 0),
            Order::Shuffled(seed) => (2, seed),
        };
        // SAFETY: takes numbers.
        unsafe { (self.functions.set_order)(kind, seed) };
    }

    /// The size of the device's memory: allocations beyond it are out of memory. 8 GiB at the start.
    pub fn set_memory(&self, bytes: u64) {
        // SAFETY: takes a number.
        unsafe { (self.functions.set_memory)(bytes) };
    }

    /// Whether the driver has a device. Must be called before `cuInit`; after it, the driver has to be initialised anew.
    pub fn set_device_present(&self, present: bool) {
        // SAFETY: takes a number.
        unsafe { (self.functions.set_devices)(present.into()) };
    }

    /// The version of CUDA that the driver knows: what came later is not there. (13, 0) at the start.
    pub fn set_version(&self, (major, minor): (i32, i32)) {
        // SAFETY: takes a number.
        unsafe { (self.functions.set_version)(major * 1000 + minor * 10) };
    }

    /// Whether device memory is out of the host's reach while no kernel runs. It is, at the start.
    pub fn set_protection(&self, protect: bool) {
        // SAFETY: takes a number.
        unsafe { (self.functions.set_protect)(protect.into()) };
    }

    /// Whether failures of kernels are kept from standard error; [`last_failure`](Self::last_failure) has them anyway.
    pub fn set_quiet(&self, quiet: bool) {
        // SAFETY: takes a number.
        unsafe { (self.functions.set_quiet)(quiet.into()) };
    }

    /// Lets the `nth` call from now (1: the next) of a function of the driver (`"cuMemAlloc_v2"`) or of a product of cublasLt
    /// (`"cublasLtMatmul"`) fail with `code`, a number of `CUresult` or `cublasStatus_t`. 0 takes the plan back.
    pub fn plant_failure(&self, function: &str, nth: u64, code: i32) {
        let name = CString::new(function).unwrap_or_default();
        // SAFETY: the function copies the name.
        unsafe { (self.functions.plant)(name.as_ptr(), nth, code) };
    }

    /// What went wrong on the device, if the context is lost.
    pub fn last_failure(&self) -> Option<String> {
        Some(text_of(self.functions.failure)).filter(|text| !text.is_empty())
    }

    /// The kernels that ran, and how often each did, sorted by name.
    pub fn launches_by_kernel(&self) -> Vec<(String, u64)> {
        let text = text_of(self.functions.kernels);
        let lines = text.lines().filter_map(|line| line.rsplit_once(' '));
        lines.map(|(name, count)| (name.to_string(), count.parse().unwrap_or(0))).collect()
    }

    /// Makes a lost context usable again: pending work is dropped, memory stays. A real device cannot do this.
    pub fn recover(&self) {
        // SAFETY: takes nothing.
        unsafe { (self.functions.recover)() };
    }

    /// How many pieces of work lie in streams and wait for somebody to wait.
    pub fn pending_work(&self) -> u64 {
        // SAFETY: takes nothing.
        unsafe { (self.functions.pending_work)() }
    }

    /// How many programs this process compiled, and how many it found on the disk.
    pub fn programs(&self) -> (u64, u64) {
        let (mut compiled, mut cached) = (0, 0);
        // SAFETY: the function writes two numbers.
        unsafe { (self.functions.programs)(&mut compiled, &mut cached) };
        (compiled, cached)
    }
}

/// The text that a function of the driver copies out: it gives the length, and is asked again with room for all.
fn text_of(function: unsafe extern "C" fn(*mut c_char, u64) -> u64) -> String {
    let mut text: Vec<u8> = Vec::new();
    loop {
        // SAFETY: the function writes at most as many bytes as it is told, and ends them with a zero.
        let length = unsafe { function(text.as_mut_ptr().cast::<c_char>(), text.len() as u64) } as usize;
        if length < text.len() {
            text.truncate(length);
            return String::from_utf8_lossy(&text).into_owned();
        }
        text = vec![0u8; length + 1];
    }
}
