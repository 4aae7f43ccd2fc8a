//! NVRTC through `cudarc`: whether it is there, what it knows, and programs from text to what the driver loads.
//! `program.rs` calls it; every function asks for the library before its first call, because a missing one would panic.

use super::{Answer, Failure};
use cudarc::nvrtc;
use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

fn compiler<T>(call: &'static str, answer: Result<T, nvrtc::result::NvrtcError>) -> Answer<T> {
    answer.map_err(|e| Failure { call, said: format!("{:?}", e.0) })
}

/// Whether the library that compiles kernels is there, else why it is not.
pub fn compiler_present() -> Result<(), String> {
    static THERE: OnceLock<bool> = OnceLock::new();
    // SAFETY: as above.
    if *THERE.get_or_init(|| unsafe {
        nvrtc::sys::is_culib_present() && {
            nvrtc::sys::culib();
            true
        }
    }) {
        return Ok(());
    }
    Err("the compiler's library (libnvrtc.so) was not found; it comes with the CUDA toolkit and with the Python \
         package nvidia-cuda-nvrtc, and its folder must be in LD_LIBRARY_PATH"
        .into())
}

/// The version of the library that compiles kernels, as (13, 0).
pub fn compiler_version() -> Answer<(i32, i32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: two numbers to write to.
    compiler("nvrtcVersion", unsafe { nvrtc::sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result())?;
    Ok((major, minor))
}

/// The architectures that the compiler knows, as 90.
pub fn architectures() -> Answer<Vec<i32>> {
    let mut count = 0;
    // SAFETY: a number to write to, then as many as it says.
    unsafe {
        compiler("nvrtcGetNumSupportedArchs", nvrtc::sys::nvrtcGetNumSupportedArchs(&raw mut count).result())?;
        let mut all = vec![0; count.max(0) as usize];
        compiler("nvrtcGetSupportedArchs", nvrtc::sys::nvrtcGetSupportedArchs(all.as_mut_ptr()).result())?;
        Ok(all)
    }
}

/// Compiles a program for the architecture that the options name, to a binary of a real one, and to what the driver compiles further
/// of a virtual one; what the compiler says of errors is in the failure.
pub fn compile(source: &str, options: &[String]) -> Answer<Vec<u8>> {
    let source = CString::new(source).map_err(|e| Failure { call: "nvrtcCreateProgram", said: e.to_string() })?;
    let program = compiler("nvrtcCreateProgram", nvrtc::result::create_program(&source, Some(c"eagerflow.cu")))?;
    // SAFETY: the program lives until it is destroyed below, and the source outlives it.
    unsafe {
        let answer = nvrtc::result::compile_program(program, options);
        let log = nvrtc::result::get_program_log(program).unwrap_or_default();
        let log = CStr::from_bytes_until_nul(std::slice::from_raw_parts(log.as_ptr().cast(), log.len()))
            .map(|text| text.to_string_lossy().into_owned())
            .unwrap_or_default();
        let binary = compiler("nvrtcCompileProgram", answer)
            .map_err(|mut e| {
                e.said = format!("{}\n{log}", e.said);
                e
            })
            .and_then(|()| match options.iter().any(|option| option.contains("compute_")) {
                true => made(program, nvrtc::sys::nvrtcGetPTXSize, nvrtc::sys::nvrtcGetPTX),
                false => made(program, nvrtc::sys::nvrtcGetCUBINSize, nvrtc::sys::nvrtcGetCUBIN),
            });
        let _ = nvrtc::result::destroy_program(program);
        binary
    }
}

/// What the compiler made: `size` says how many bytes it has, a zero at the end of texts included, and `bytes` writes them.
///
/// # Safety
/// The program was compiled, and the functions are the two of one kind of result.
unsafe fn made(
    program: nvrtc::sys::nvrtcProgram,
    size: unsafe fn(nvrtc::sys::nvrtcProgram, *mut usize) -> nvrtc::sys::nvrtcResult,
    bytes: unsafe fn(nvrtc::sys::nvrtcProgram, *mut c_char) -> nvrtc::sys::nvrtcResult,
) -> Answer<Vec<u8>> {
    let mut count = 0usize;
    // SAFETY: by the caller's promise; the buffer has the size that the library asked for.
    unsafe {
        compiler("nvrtcGetCUBINSize or nvrtcGetPTXSize", size(program, &raw mut count).result())?;
        let mut all = vec![0u8; count];
        compiler("nvrtcGetCUBIN or nvrtcGetPTX", bytes(program, all.as_mut_ptr().cast()).result())?;
        Ok(all)
    }
}
