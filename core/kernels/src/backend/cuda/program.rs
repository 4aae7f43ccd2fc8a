//! From CUDA text to kernels ready to launch: compiled once, several together where they are known, kept in memory per device
//! and on disk per machine. Operations declare their text as [`Kernel`]; the generators of fused and reduced programs bring
//! text of their own.

use super::disk_cache::{self, Key};
use super::driver::{self, Function, Opened};
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::parallel_compile::{cut, side_by_side, threads};
use super::progress;
use super::scalar_text::{storage, value};
use super::source_bundle::joined;
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
pub struct Kernel {
    /// The name of the `extern "C"` function.
    pub name: &'static str,
    /// The text, in parts: what several kernels have in common lies in its own.
    pub text: &'static [&'static str],
}

/// What a kernel in memory is found by: whose text, and for which types and forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form {
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

/// The kernels of one device.
pub(super) struct Programs {
    /// What binaries are for: the architecture, known with the first, and the device in words.
    architecture: OnceLock<String>,
    device: String,
    ready: RwLock<HashMap<Form, Function>>,
    /// The loaded programs of the disk. Held while compiling, so that two threads do not do the same work.
    loaded: Mutex<HashMap<Key, usize>>,
}

impl Programs {
    pub fn new(opened: &Opened) -> Self {
        Self {
            architecture: OnceLock::new(),
            device: opened.name.clone(),
            ready: RwLock::default(),
            loaded: Mutex::default(),
        }
    }
}

/// The architecture that the compiler is asked for: the device's own, or, for a compiler that is older than the device, the newest
/// virtual one that it knows, from which the driver goes on. `known` are those of the compiler, as 90.
fn architecture((major, minor): (u32, u32), known: &[i32]) -> String {
    let own = (major * 10 + minor) as i32;
    let older = known.iter().filter(|&&one| one < own).max();
    match older {
        Some(older) if !known.contains(&own) => format!("compute_{older}"),
        _ => format!("sm_{own}"),
    }
}

/// What texts call their types: `T0` is what lies in memory, `A0` what is computed with.
pub(super) fn named(types: &[DType]) -> String {
    let mut text = String::new();
    for (i, dtype) in types.iter().enumerate() {
        text += &format!("typedef {} T{i};\ntypedef {} A{i};\n", storage(*dtype), value(dtype.compute()));
    }
    text
}

/// The text of a kernel for types: types, kernel.
fn typed(kernel: &Kernel, types: &[DType]) -> String {
    named(types) + &alone(&kernel.text.concat(), kernel.name)
}

/// How a kernel begins in the texts beside operations; it ends with the first line that is a closing brace alone.
const BEGINS: &str = "extern \"C\" __global__ void ";

/// A text with the kernels left out that it has beside the one of this name: compiling them would take as long again.
pub(super) fn alone(text: &str, name: &str) -> String {
    let (mut kept, mut skips) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        // Launch bounds may stand before the name.
        let named = |rest: &str| rest.split(' ').any(|word| word.split_once('(').is_some_and(|(word, _)| word == name));
        let begins = line.strip_prefix(BEGINS).is_some_and(|rest| !named(rest));
        skips |= begins && !line.trim_end().ends_with('}');
        if !skips && !begins {
            kept.push_str(line);
        }
        skips &= line.trim_end() != "}";
    }
    kept
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
        if kernel_warm_up::collecting() {
            return Ok(kernel_warm_up::note(self.id, wanted));
        }
        self.provide(vec![wanted])?;
        self.ready(&form).ok_or_else(|| Error::internal(name, "a kernel that was compiled is not there"))
    }

    fn ready(&self, form: &Form) -> Option<Function> {
        self.programs.ready.read().unwrap_or_else(PoisonError::into_inner).get(form).copied()
    }

    fn architecture(&self) -> &str {
        let known = || driver::architectures().unwrap_or_default();
        self.programs.architecture.get_or_init(|| architecture(self.opened.capability, &known()))
    }

    /// Makes kernels ready: from the disk if they were compiled before, and the others together.
    pub(super) fn provide(&self, wanted: Vec<Wanted>) -> Result<()> {
        let mut loaded = self.programs.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: Vec<Wanted> = wanted.into_iter().filter(|w| self.ready(&w.form).is_none()).collect();
        let Some(first) = wanted.first() else { return Ok(()) };
        self.bind()?;
        let version = driver::compiler_version().map_err(|e| self.failed(&first.name, &e))?;
        let options = options(self.architecture());
        let about = [&*self.programs.device, &*options.join(" "), &*format!("{version:?}")].join("\n");
        let (mut missing, mut keys) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let key = disk_cache::key(&[&about, &wanted.name, PRELUDE, &wanted.text]);
            show(&wanted);
            match self.kept_function(key, &mut loaded) {
                Some(function) => self.enter(wanted.form, function),
                None => {
                    missing.push(wanted);
                    keys.push(key);
                }
            }
        }
        let (mut programs, mut from) = (Vec::new(), 0);
        for count in cut(&missing, threads()) {
            programs.push(from..from + count);
            from += count;
        }
        progress::over(missing.len(), &self.opened.name, |progress| {
            let start = Instant::now();
            let compiled = |i: usize| {
                let (text, names) = joined(&missing[programs[i].clone()]);
                (driver::compile(&text, &options), text, names)
            };
            let all = side_by_side(programs.len(), threads(), compiled, |i, (answer, text, names)| {
                let (kernels, keys) = (&missing[programs[i].clone()], &keys[programs[i].clone()]);
                COMPILED.fetch_add(kernels.len(), Ordering::Relaxed);
                let binary = answer.map_err(|failure| self.refused(of_all(kernels), version, &failure))?;
                self.load(kernels, &binary, &names, version)?;
                if let Some(folder) = disk_cache::folder() {
                    let named = keys.iter().copied().zip(names.iter().map(String::as_str));
                    // A disk that is full or not writable only costs the next process the compilation.
                    let _ = disk_cache::keep(folder, disk_cache::key(&[&about, &text]), &binary, named);
                }
                progress.done(kernels.len());
                Ok(())
            });
            COMPILING.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            all
        })
    }

    /// Makes the kernels of a compiled program ready.
    fn load(&self, kernels: &[Wanted], binary: &[u8], names: &[String], version: (i32, i32)) -> Result<()> {
        let module = self
            .with_room(|| driver::load(binary))
            .map_err(|e| misfit(self.failed(of_all(kernels), &e), self.architecture(), version))?;
        for (kernel, own) in kernels.iter().zip(names) {
            let function =
                self.with_room(|| driver::function(module, own)).map_err(|e| self.failed(&kernel.name, &e))?;
            self.enter(kernel.form, function);
        }
        Ok(())
    }

    /// The kernel of a key, if the disk has the program that it lies in; what does not load is compiled anew.
    fn kept_function(&self, key: Key, loaded: &mut HashMap<Key, usize>) -> Option<Function> {
        let folder = disk_cache::folder()?;
        let place = disk_cache::find(folder, key)?;
        let module = match loaded.get(&place.program) {
            Some(module) => *module,
            None => {
                let binary = disk_cache::binary(folder, place.program)?;
                let module = self.with_room(|| driver::load(&binary)).ok()?;
                loaded.insert(place.program, module);
                module
            }
        };
        self.with_room(|| driver::function(module, &place.name)).ok()
    }

    fn enter(&self, form: Form, function: Function) {
        self.programs.ready.write().unwrap_or_else(PoisonError::into_inner).insert(form, function);
    }

    fn refused(&self, name: &str, version: (i32, i32), failure: &driver::Failure) -> Error {
        let error = Error::internal(name, format!("the kernel does not compile: {failure}"));
        misfit(error, self.architecture(), version)
    }
}

/// What an error calls a program of these kernels.
fn of_all(kernels: &[Wanted]) -> &str {
    if let [only] = kernels { &only.name } else { "kernels" }
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

static COMPILED: AtomicUsize = AtomicUsize::new(0);
static COMPILING: AtomicU64 = AtomicU64::new(0);

/// How many kernels this process has compiled, and how long it waited for that.
pub fn compiled() -> (usize, Duration) {
    (COMPILED.load(Ordering::Relaxed), Duration::from_nanos(COMPILING.load(Ordering::Relaxed)))
}

/// Writes a text into the folder that `EAGERFLOW_CUDA_TEXT` names, for those who want to read or check it.
fn show(kernel: &Wanted) {
    if let Some(folder) = std::env::var_os("EAGERFLOW_CUDA_TEXT").map(PathBuf::from) {
        let text = format!("{PRELUDE}{}", kernel.text);
        let place = folder.join(format!("{}-{:016x}.cu", kernel.name, disk_cache::key(&[&text]) as u64));
        if let Err(error) = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&place, text)) {
            eprintln!("eagerflow: {} could not be written: {error}", place.display());
        }
    }
}

/// The options of the compiler. No contraction: sums and products are rounded as on the CPU.
fn options(architecture: &str) -> Vec<String> {
    vec![format!("--gpu-architecture={architecture}"), "--fmad=false".into(), "--std=c++17".into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_older_than_the_device_leaves_the_rest_to_the_driver() {
        assert_eq!(architecture((9, 0), &[75, 80, 90, 120]), "sm_90");
        assert_eq!(architecture((12, 0), &[75, 80, 90]), "compute_90");
        // A device that the compiler has forgotten, and a compiler that says nothing: its own words will tell.
        assert_eq!(architecture((7, 0), &[75, 80]), "sm_70");
        assert_eq!(architecture((9, 0), &[]), "sm_90");
    }

    #[test]
    fn other_kernels_of_a_text_are_not_compiled() {
        let text = "// Both.\nint f() {\n}\nextern \"C\" __global__ void ab(int n,\n  int m) {\n  if (n) {\n  }\n}\n\
                    extern \"C\" __global__ void a(int n) {\n  f();\n}\nextern \"C\" __global__ void c() {}\nint g();\n";
        assert_eq!(
            alone(text, "a"),
            "// Both.\nint f() {\n}\nextern \"C\" __global__ void a(int n) {\n  f();\n}\nint g();\n"
        );
        let bound = "extern \"C\" __global__ void __launch_bounds__(B, 1) d(int n) {\n}\n";
        assert_eq!((alone(bound, "d").as_str(), alone(bound, "e").as_str()), (bound, ""));
        assert!(alone(text, "ab").contains("ab(int n,\n  int m) {\n  if (n) {\n  }\n}\nint g();"));
    }
}
