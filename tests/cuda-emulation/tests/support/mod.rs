//! What the tests of this crate share: the device, or the reason why there is none, and compiling a kernel text.

#![allow(dead_code, reason = "each test program uses its part")]

use cudarc::driver::{CudaContext, CudaFunction, CudaStream};
use cudarc::nvrtc;
use eagerflow_cuda_emulation::{Availability, Emulation, install, skipped};
use std::sync::{Arc, Mutex, MutexGuard};

/// A test's hold on the device: switches and counters are of the process, so tests take turns.
pub struct Device {
    pub emulation: &'static Emulation,
    pub context: Arc<CudaContext>,
    pub stream: Arc<CudaStream>,
    _turn: MutexGuard<'static, ()>,
}

/// The emulated device, or `None` where it cannot be; says so.
pub fn device() -> Option<Device> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let emulation = match install() {
        Availability::Ready(emulation) => emulation,
        Availability::RealDriver => {
            skipped("CUDA emulation: a real driver is present, skipped (EAGERFLOW_CUDA_EMULATION=1 shadows it)");
            return None;
        }
        Availability::Missing(why) => {
            skipped(why);
            return None;
        }
    };
    let context = CudaContext::new(0).expect("the emulated device");
    // SAFETY: these tests use one stream, or order streams by events of their own.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().expect("a stream");
    emulation.reset_counters();
    Some(Device { emulation, context, stream, _turn: turn })
}

/// A compiled program as the device takes it.
pub fn compile(source: &str) -> Result<nvrtc::Ptx, String> {
    let options = nvrtc::CompileOptions { options: vec!["--gpu-architecture=sm_90".into()], ..Default::default() };
    nvrtc::compile_ptx_with_opts(source, options).map_err(|error| format!("{error:?}"))
}

impl Device {
    /// The kernel `name` of a program.
    pub fn kernel(&self, source: &str, name: &str) -> CudaFunction {
        let program = compile(source).expect("a program that compiles");
        self.context.load_module(program).expect("a module").load_function(name).expect("a kernel")
    }
}
