//! From CUDA text to kernels ready to launch: compiled once, kept in memory per device and on disk per machine.
//! Operations declare their text as [`Kernel`]; the generators of fused and reduced programs bring text of their own.

use super::driver::{self, Function, Opened};
use super::gpu::Gpu;
use super::text::{storage, value};
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Types, conversions and helpers that every kernel may use.
pub(super) const PRELUDE: &str = include_str!("prelude.cuh");

/// A kernel's text beside its operation. It may use the types `T0`, `T1`, ... of the call, as they lie in memory, and
/// `A0`, `A1`, ..., in which they are computed with.
pub(crate) struct Kernel {
    /// The name of the `extern "C"` function.
    pub name: &'static str,
    pub text: &'static str,
}

/// What a kernel in memory is found by: whose text, and for which types and forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// The address of the text or of the operation's name.
    pub of: usize,
    /// Attributes of the operation.
    pub attributes: u64,
    pub types: u64,
    /// Layouts, or whatever else the text depends on.
    pub layout: u64,
}

/// The kernels of one device.
pub(super) struct Programs {
    /// What binaries are for: the architecture, and the device in words.
    architecture: String,
    device: String,
    ready: RwLock<HashMap<Form, Function>>,
    /// Held while compiling, so that two threads do not do the same work.
    compiling: Mutex<()>,
}

impl Programs {
    pub fn new(opened: &Opened) -> Self {
        let (major, minor) = opened.capability;
        Self {
            architecture: format!("sm_{major}{minor}"),
            device: opened.name.clone(),
            ready: RwLock::default(),
            compiling: Mutex::new(()),
        }
    }
}

/// The text of a kernel for types: prelude, types, kernel.
pub(super) fn full_text(kernel: &Kernel, types: &[DType]) -> String {
    let mut text = String::from(PRELUDE);
    for (i, dtype) in types.iter().enumerate() {
        text += &format!("typedef {} T{i};\ntypedef {} A{i};\n", storage(*dtype), value(dtype.compute()));
    }
    text + kernel.text
}

/// Types as one word.
pub(super) fn packed(types: &[DType]) -> u64 {
    types.iter().fold(1, |all, d| all << 6 | *d as u64 & 63)
}

impl Gpu {
    /// The kernel for these types, compiled at its first use.
    pub(super) fn kernel(&self, kernel: &'static Kernel, types: &[DType]) -> Result<Function> {
        let form = Form {
            of: kernel.text.as_ptr().addr(),
            attributes: 0,
            types: packed(types),
            layout: kernel.name.as_ptr().addr() as u64,
        };
        self.generated(form, kernel.name, || full_text(kernel, types))
    }

    /// The kernel `name` of a generated text, which is made only if the form is not known.
    pub(super) fn generated(&self, form: Form, name: &str, text: impl FnOnce() -> String) -> Result<Function> {
        let programs = &self.programs;
        if let Some(&function) = programs.ready.read().unwrap_or_else(PoisonError::into_inner).get(&form) {
            return Ok(function);
        }
        let _alone = programs.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&function) = programs.ready.read().unwrap_or_else(PoisonError::into_inner).get(&form) {
            return Ok(function);
        }
        self.bind()?;
        let binary = self.binary(name, &text())?;
        let module = driver::load(&binary).map_err(|e| self.failed(name, &e))?;
        let function = driver::function(module, name).map_err(|e| self.failed(name, &e))?;
        programs.ready.write().unwrap_or_else(PoisonError::into_inner).insert(form, function);
        Ok(function)
    }

    /// The binary of a text, from the disk if it was compiled before.
    fn binary(&self, name: &str, text: &str) -> Result<Vec<u8>> {
        let options = options(&self.programs.architecture);
        let version = driver::compiler_version().map_err(|e| self.failed(name, &e))?;
        let key = [&*self.programs.device, &*options.join(" "), &*format!("{version:?}"), text];
        let place = cache_folder().map(|folder| folder.join(format!("{:032x}.cubin", hash(&key))));
        show(name, text);
        if let Some(kept) = place.as_ref().and_then(read) {
            return Ok(kept);
        }
        let start = Instant::now();
        let answer = driver::compile(text, &options);
        COMPILED.fetch_add(1, Ordering::Relaxed);
        COMPILING.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let binary = answer.map_err(|failure| self.refused(name, version, &failure))?;
        if let Some(place) = place {
            // A disk that is full or not writable only costs the next process the compilation.
            let _ = write(&place, &binary);
        }
        Ok(binary)
    }

    fn refused(&self, name: &str, version: (i32, i32), failure: &driver::Failure) -> Error {
        let known = driver::driver_version().unwrap_or((0, 0));
        let mut error = Error::internal(name, format!("the kernel does not compile: {failure}"));
        if version > known {
            error = error.help(format!(
                "the compiler is of CUDA {}.{}, the driver knows {}.{} only: install nvidia-cuda-nvrtc of the driver's version",
                version.0, version.1, known.0, known.1
            ));
        }
        error
    }
}

static COMPILED: AtomicUsize = AtomicUsize::new(0);
static COMPILING: AtomicU64 = AtomicU64::new(0);

/// How many texts this process has compiled, and how long that took.
pub(crate) fn compiled() -> (usize, Duration) {
    (COMPILED.load(Ordering::Relaxed), Duration::from_nanos(COMPILING.load(Ordering::Relaxed)))
}

/// Writes a text into the folder that `EAGERFLOW_CUDA_TEXT` names, for those who want to read or check it.
fn show(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("EAGERFLOW_CUDA_TEXT").map(PathBuf::from) {
        let place = folder.join(format!("{name}-{:016x}.cu", hash(&[text]) as u64));
        if let Err(error) = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&place, text)) {
            eprintln!("eagerflow: {} could not be written: {error}", place.display());
        }
    }
}

/// The options of the compiler. No contraction: sums and products are rounded as on the CPU.
pub(super) fn options(architecture: &str) -> Vec<String> {
    vec![format!("--gpu-architecture={architecture}"), "--fmad=false".into(), "--std=c++17".into()]
}

/// Where binaries are kept: `EAGERFLOW_CUDA_CACHE` (`off` for nowhere), else the user's folder for caches.
pub(super) fn cache_folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            if let Some(asked) = std::env::var_os("EAGERFLOW_CUDA_CACHE") {
                return (asked != "off").then(|| PathBuf::from(asked));
            }
            let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let base = base.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
            Some(base.join("eagerflow").join("cuda"))
        })
        .as_ref()
}

/// 128 bits of FNV-1a: keys are whole texts, and a collision would load another kernel.
fn hash(parts: &[&str]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in parts.iter().flat_map(|p| p.bytes().chain([0xff])) {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}

const MAGIC: &[u8; 8] = b"EFCUBIN1";

/// A kept binary, unless the file is damaged.
fn read(place: &PathBuf) -> Option<Vec<u8>> {
    let bytes = std::fs::read(place).ok()?;
    let body = bytes.strip_prefix(MAGIC)?;
    let (check, body) = body.split_at_checked(16)?;
    (check == check_of(body)).then(|| body.to_vec())
}

/// Written beside its place and then renamed, so that nobody reads half a file.
fn write(place: &PathBuf, binary: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = place.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&beside, [MAGIC, &check_of(binary)[..], binary].concat())?;
    std::fs::rename(&beside, place)
}

fn check_of(body: &[u8]) -> [u8; 16] {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for &byte in body {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_not_read() {
        let folder = std::env::temp_dir().join(format!("eagerflow-cubin-{}", std::process::id()));
        let place = folder.join("a.cubin");
        write(&place, b"binary").unwrap();
        assert_eq!(read(&place).as_deref(), Some(&b"binary"[..]));
        let whole = std::fs::read(&place).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&place, &whole[..cut]).unwrap();
            assert_eq!(read(&place), None, "{cut}");
            let mut changed = whole.clone();
            changed[cut] ^= 1;
            std::fs::write(&place, &changed).unwrap();
            assert_eq!(read(&place), None, "{cut}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
