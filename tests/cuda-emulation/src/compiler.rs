//! NVIDIA's own NVRTC, loaded beside the emulation where it is found: it shows that a kernel text is CUDA, and how many
//! registers it takes. Called by tests that compile kernels for real architectures.

use crate::build;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// The functions of NVRTC that are needed, and what keeps them loaded.
#[derive(Debug)]
pub struct RealCompiler {
    create: unsafe extern "C" fn(
        *mut *mut c_void,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> c_int,
    log_size: unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int,
    log: unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    version: (i32, i32),
    _library: Library,
}

/// What the real compiler made of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The kernel's name.
    pub kernel: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of registers that are stored to memory and loaded again.
    pub spilled: u32,
    /// Bytes of local memory of a thread.
    pub stack: u32,
    /// Bytes of static shared memory.
    pub shared: u32,
}

impl RealCompiler {
    /// Loads it from the folder that `EAGERFLOW_NVRTC` names, else from `target/nvrtc`.
    ///
    /// # Errors
    ///
    /// Why it is not there, with the words that a skipped test should print.
    pub fn find() -> Result<Self, String> {
        let named = std::env::var_os("EAGERFLOW_NVRTC").map(PathBuf::from);
        let folder = named
            .or_else(|| build::target_folder().map(|target| target.join("nvrtc")))
            .ok_or_else(|| "real NVRTC: EAGERFLOW_NVRTC is not set, skipped".to_string())?;
        if !folder.join("libnvrtc.so.13").is_file() {
            return Err(format!(
                "real NVRTC: no libnvrtc.so.13 in {} (tests/cuda-emulation/fetch_nvrtc.sh puts it there), skipped",
                folder.display()
            ));
        }
        Self::load(&folder).map_err(|error| format!("real NVRTC: {error}, skipped"))
    }

    fn load(folder: &Path) -> Result<Self, libloading::Error> {
        // The compiler opens its builtins by name, and finds them if they are loaded already.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("libnvrtc-builtins.so") {
                // SAFETY: NVIDIA's library, whose initialisers are those of a compiler.
                std::mem::forget(unsafe { Library::new(entry.path()) }?);
            }
        }
        // SAFETY: as above; the functions have the types that NVRTC documents.
        unsafe {
            let library = Library::new(folder.join("libnvrtc.so.13"))?;
            let get_version = library.get::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>("nvrtcVersion")?;
            let (mut major, mut minor) = (0, 0);
            get_version(&mut major, &mut minor);
            Ok(Self {
                create: *library.get("nvrtcCreateProgram")?,
                compile: *library.get("nvrtcCompileProgram")?,
                log_size: *library.get("nvrtcGetProgramLogSize")?,
                log: *library.get("nvrtcGetProgramLog")?,
                destroy: *library.get("nvrtcDestroyProgram")?,
                version: (major, minor),
                _library: library,
            })
        }
    }

    /// The version of NVRTC, as `(13, 0)`.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Compiles a program for an architecture (`"sm_90"`) down to machine code, and reads what its kernels take.
    ///
    /// # Errors
    ///
    /// The compiler's log, if it refuses the text.
    pub fn compile(&self, source: &str, architecture: &str, options: &[&str]) -> Result<Vec<Compiled>, String> {
        let source = CString::new(source).map_err(|error| error.to_string())?;
        let architecture = format!("--gpu-architecture={architecture}");
        let all = [&[&*architecture, "--ptxas-options=-v"], options].concat();
        let all: Vec<CString> = all.iter().map(|option| CString::new(*option).unwrap_or_default()).collect();
        let pointers: Vec<*const c_char> = all.iter().map(|option| option.as_ptr()).collect();
        let mut program = std::ptr::null_mut();
        // SAFETY: the texts outlive the calls, the log has the size that was asked for.
        unsafe {
            let name = c"program.cu".as_ptr();
            (self.create)(&mut program, source.as_ptr(), name, 0, std::ptr::null(), std::ptr::null());
            let code = (self.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let mut size = 0;
            (self.log_size)(program, &mut size);
            let mut log = vec![0u8; size.max(1)];
            (self.log)(program, log.as_mut_ptr().cast());
            (self.destroy)(&mut program);
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned();
            if code == 0 { Ok(read_log(&log)) } else { Err(log) }
        }
    }
}

/// The number before `words` in a line.
fn number_before(line: &str, words: &str) -> u32 {
    let before = line.find(words).map_or("", |at| line[..at].trim_end());
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Three lines of the assembler for each kernel: its name, its memory, its registers.
fn read_log(log: &str) -> Vec<Compiled> {
    let mut kernels: Vec<Compiled> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_string();
            kernels.push(Compiled { kernel, registers: 0, spilled: 0, stack: 0, shared: 0 });
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            kernel.stack = number_before(line, "bytes stack frame");
            kernel.spilled = number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
        }
        if line.contains("Used ") && line.contains(" registers") {
            kernel.registers = number_before(line, " registers");
            kernel.shared = number_before(line, " bytes smem");
        }
    }
    kernels
}

/// Every kernel text that the emulation of this build has compiled so far, in any process, sorted by file name.
pub fn kept_programs() -> Vec<(PathBuf, String)> {
    let Some(folder) = build::programs_folder() else { return Vec::new() };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assemblers_log_is_read() {
        let log = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'rows' for 'sm_90'\n\
            ptxas info    : Function properties for rows\n    \
            16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
            ptxas info    : Used 19 registers, used 1 barriers, 128 bytes smem\n";
        let want = Compiled { kernel: "rows".into(), registers: 19, spilled: 12, stack: 16, shared: 128 };
        assert_eq!(read_log(log), [want]);
    }
}
