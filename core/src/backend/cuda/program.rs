//! From CUDA text to kernels ready to launch: compiled once, several together where they are known, kept in memory per device
//! and on disk per machine. Operations declare their text as [`Kernel`]; the generators of fused and reduced programs bring
//! text of their own.

use super::ahead;
use super::driver::{self, Function, Opened};
use super::gpu::Gpu;
use super::joined::joined;
use super::kept::{self, Key};
use super::progress;
use super::text::{storage, value};
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
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

/// A kernel that is asked for: what it will be found by, its name in its text, and the text behind the prelude.
pub(super) struct Wanted {
    pub form: Form,
    pub name: String,
    pub text: String,
}

/// The most kernels of one program: compiling more at once saves little, and the user waits without a word.
const MOST: usize = 64;

/// The kernels of one device.
pub(super) struct Programs {
    /// What binaries are for: the architecture, and the device in words.
    architecture: String,
    device: String,
    ready: RwLock<HashMap<Form, Function>>,
    /// The loaded programs of the disk. Held while compiling, so that two threads do not do the same work.
    loaded: Mutex<HashMap<Key, usize>>,
}

impl Programs {
    pub fn new(opened: &Opened) -> Self {
        let (major, minor) = opened.capability;
        Self {
            architecture: format!("sm_{major}{minor}"),
            device: opened.name.clone(),
            ready: RwLock::default(),
            loaded: Mutex::default(),
        }
    }
}

/// The text of a kernel for types: types, kernel.
fn typed(kernel: &Kernel, types: &[DType]) -> String {
    let mut text = String::new();
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
        self.generated(form, kernel.name, || typed(kernel, types))
    }

    /// The kernel `name` of a generated text, which stands behind the prelude and is made only if the form is not known.
    pub(super) fn generated(&self, form: Form, name: &str, text: impl FnOnce() -> String) -> Result<Function> {
        if let Some(function) = self.ready(&form) {
            return Ok(function);
        }
        let wanted = Wanted { form, name: name.to_string(), text: text() };
        if ahead::collecting() {
            return Ok(ahead::note(self.id, wanted));
        }
        self.provide(vec![wanted])?;
        self.ready(&form).ok_or_else(|| Error::internal(name, "a kernel that was compiled is not there"))
    }

    fn ready(&self, form: &Form) -> Option<Function> {
        self.programs.ready.read().unwrap_or_else(PoisonError::into_inner).get(form).copied()
    }

    /// Makes kernels ready: from the disk if they were compiled before, and the others together.
    pub(super) fn provide(&self, wanted: Vec<Wanted>) -> Result<()> {
        let mut loaded = self.programs.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: Vec<Wanted> = wanted.into_iter().filter(|w| self.ready(&w.form).is_none()).collect();
        let Some(first) = wanted.first() else { return Ok(()) };
        self.bind()?;
        let version = driver::compiler_version().map_err(|e| self.failed(&first.name, &e))?;
        let options = options(&self.programs.architecture);
        let about = [&*self.programs.device, &*options.join(" "), &*format!("{version:?}")].join("\n");
        let (mut missing, mut keys) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let key = kept::key(&[&about, &wanted.name, PRELUDE, &wanted.text]);
            show(&wanted);
            match from_disk(key, &mut loaded) {
                Some(function) => self.enter(wanted.form, function),
                None => {
                    missing.push(wanted);
                    keys.push(key);
                }
            }
        }
        progress::over(missing.len(), &self.opened.name, |progress| {
            for (kernels, keys) in missing.chunks(MOST).zip(keys.chunks(MOST)) {
                self.compile(kernels, keys, &options, version, &about)?;
                progress.done(kernels.len());
            }
            Ok(())
        })
    }

    /// Compiles kernels as one program, which is kept.
    fn compile(
        &self,
        kernels: &[Wanted],
        keys: &[Key],
        options: &[String],
        version: (i32, i32),
        about: &str,
    ) -> Result<()> {
        let name = if let [only] = kernels { &only.name } else { "kernels" };
        let (text, names) = joined(kernels);
        let start = Instant::now();
        let answer = driver::compile(&text, options);
        COMPILED.fetch_add(kernels.len(), Ordering::Relaxed);
        COMPILING.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let binary = answer.map_err(|failure| self.refused(name, version, &failure))?;
        let module =
            driver::load(&binary).map_err(|e| misfit(self.failed(name, &e), &self.programs.architecture, version))?;
        for (kernel, own) in kernels.iter().zip(&names) {
            let function = driver::function(module, own).map_err(|e| self.failed(&kernel.name, &e))?;
            self.enter(kernel.form, function);
        }
        if let Some(folder) = kept::folder() {
            let names = names.iter().map(String::as_str);
            // A disk that is full or not writable only costs the next process the compilation.
            let _ = kept::keep(folder, kept::key(&[about, &text]), &binary, keys.iter().copied().zip(names));
        }
        Ok(())
    }

    fn enter(&self, form: Form, function: Function) {
        self.programs.ready.write().unwrap_or_else(PoisonError::into_inner).insert(form, function);
    }

    fn refused(&self, name: &str, version: (i32, i32), failure: &driver::Failure) -> Error {
        let error = Error::internal(name, format!("the kernel does not compile: {failure}"));
        misfit(error, &self.programs.architecture, version)
    }
}

/// With what to do where a driver and a compiler of this version may not fit.
fn misfit(error: Error, architecture: &str, version: (i32, i32)) -> Error {
    let known = driver::driver_version().unwrap_or(version);
    let advice = "install nvidia-cuda-nvrtc of the driver's version";
    let is = format!("the compiler is of CUDA {}.{}, the driver of {}.{}", version.0, version.1, known.0, known.1);
    // Within a major version drivers load what newer compilers made.
    match version.cmp(&known) {
        std::cmp::Ordering::Equal => error,
        std::cmp::Ordering::Less => error.help(format!("{is}: it may not know {architecture}; {advice}")),
        std::cmp::Ordering::Greater => error.help(format!("{is}: {advice}")),
    }
}

/// The kernel of a key, if the disk has the program that it lies in; what does not load is compiled anew.
fn from_disk(key: Key, loaded: &mut HashMap<Key, usize>) -> Option<Function> {
    let folder = kept::folder()?;
    let place = kept::find(folder, key)?;
    let module = match loaded.get(&place.program) {
        Some(module) => *module,
        None => {
            let module = driver::load(&kept::binary(folder, place.program)?).ok()?;
            loaded.insert(place.program, module);
            module
        }
    };
    driver::function(module, &place.name).ok()
}

static COMPILED: AtomicUsize = AtomicUsize::new(0);
static COMPILING: AtomicU64 = AtomicU64::new(0);

/// How many kernels this process has compiled, and how long that took.
pub(crate) fn compiled() -> (usize, Duration) {
    (COMPILED.load(Ordering::Relaxed), Duration::from_nanos(COMPILING.load(Ordering::Relaxed)))
}

/// Writes a text into the folder that `EAGERFLOW_CUDA_TEXT` names, for those who want to read or check it.
fn show(kernel: &Wanted) {
    if let Some(folder) = std::env::var_os("EAGERFLOW_CUDA_TEXT").map(PathBuf::from) {
        let text = format!("{PRELUDE}{}", kernel.text);
        let place = folder.join(format!("{}-{:016x}.cu", kernel.name, kept::key(&[&text]) as u64));
        if let Err(error) = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&place, text)) {
            eprintln!("eagerflow: {} could not be written: {error}", place.display());
        }
    }
}

/// The options of the compiler. No contraction: sums and products are rounded as on the CPU.
fn options(architecture: &str) -> Vec<String> {
    vec![format!("--gpu-architecture={architecture}"), "--fmad=false".into(), "--std=c++17".into()]
}
