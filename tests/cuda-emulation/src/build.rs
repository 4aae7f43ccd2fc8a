//! Compiles the shared objects into a folder named by the hash of sources and compiler, so that they are built once per
//! change and found by every later test process. Called by `load.rs`.

use crate::sources::SOURCES;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A shared object: the folder of its sources, its file, the first name by which `cudarc` looks for it, and what it
/// is linked with.
struct Library {
    folder: &'static str,
    file: &'static str,
    name: &'static str,
    links: &'static [&'static str],
}

const DRIVER: Library =
    Library { folder: "driver/", file: "libcuda.so.1", name: "libcuda.so", links: &["-ldl", "-lpthread"] };
const CUBLASLT: Library =
    Library { folder: "cublaslt/", file: "libcublasLt.so.13", name: "libcublasLt.so", links: &["-l:libcuda.so.1"] };
const NVRTC: Library =
    Library { folder: "nvrtc/", file: "libnvrtc.so.13", name: "libnvrtc.so", links: &["-ldl", "-lpthread"] };

const FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-O1",
    "-g1",
    "-fPIC",
    "-fvisibility=hidden",
    // Fibers leave stacks by `siglongjmp`, which the checked form takes for an error.
    "-U_FORTIFY_SOURCE",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
];

/// Why there is no folder with libraries.
pub(crate) enum Failure {
    /// No compiler to run.
    NoCompiler(String),
    /// The compiler, or the file system, failed: the text says how.
    Broken(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Broken(format!("CUDA emulation: {error}"))
    }
}

/// Whether fibers are to be switched as on processors that have no switch of their own here.
fn wants_ucontext() -> bool {
    std::env::var_os("EAGERFLOW_CUDA_EMULATION_UCONTEXT").is_some()
}

/// The compiler to run.
fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "g++".to_string())
}

/// The folder with the libraries, built if need be.
pub(crate) fn ready_folder() -> Result<PathBuf, Failure> {
    let version = Command::new(compiler())
        .arg("--version")
        .output()
        .map_err(|_| Failure::NoCompiler(format!("CUDA emulation: {} missing, skipped", compiler())))?;
    let parent = parent_folder();
    let how = format!("{}{}", include_str!("build.rs"), wants_ucontext());
    let folder = parent.join(hash_of(|_| true, &how, &version.stdout));
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&parent)?;
    let lock = File::create(parent.join("lock"))?;
    lock.lock()?;
    // Whoever held the lock before may have built it.
    if !folder.is_dir() {
        let fresh = parent.join(format!("fresh-{}", std::process::id()));
        if fresh.exists() {
            fs::remove_dir_all(&fresh)?;
        }
        build(&fresh, &hash_of(shapes_programs, "", &version.stdout))?;
        fs::rename(&fresh, &folder)?;
    }
    Ok(folder)
}

/// The hash of some of the sources, of how they are built, and of the compiler's version.
fn hash_of(takes: impl Fn(&str) -> bool, how: &str, version: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    let sources: Vec<_> = SOURCES.iter().filter(|(path, _)| takes(path)).collect();
    (sources, how, version).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Whether compiled kernels depend on a source: the others can change without compiling all kernels anew.
fn shapes_programs(path: &str) -> bool {
    ["abi.h", "kernel/", "nvrtc/compile.cpp", "nvrtc/rewrite.cpp", "driver/image.h"].iter().any(|p| path.starts_with(p))
}

/// The folder with the kernels that the emulation keeps.
pub(crate) fn programs_folder() -> Option<PathBuf> {
    let name = std::fs::read_to_string(ready_folder().ok()?.join("programs")).ok()?;
    Some(parent_folder().join(name))
}

/// `cuda-emulation` in the target folder of the running program, or where the environment says.
fn parent_folder() -> PathBuf {
    match (std::env::var_os("EAGERFLOW_CUDA_EMULATION_DIR"), target_folder()) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(target)) => target.join("cuda-emulation"),
        (None, None) => std::env::temp_dir().join("eagerflow-cuda-emulation"),
    }
}

/// The target folder that the running program lies in.
pub(crate) fn target_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf)
}

fn build(folder: &Path, programs: &str) -> Result<(), Failure> {
    let native = folder.join("native");
    for (path, text) in SOURCES {
        let file = native.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&native))?;
        fs::write(file, text)?;
    }
    let build = |library: &Library| -> Result<(), Failure> {
        // One unit for each library: most of the time would go into reading the same headers for each file.
        let unit = native.join(library.file).with_extension("all.cpp");
        let all = SOURCES.iter().filter(|(path, _)| path.starts_with(library.folder) && path.ends_with(".cpp"));
        fs::write(&unit, all.map(|(path, _)| format!("#include \"{path}\"\n")).collect::<String>())?;
        let mut compile = Command::new(compiler());
        compile.args(FLAGS).arg(format!("-DEAGERFLOW_BUILD=\"{programs}\"")).arg("-shared").arg(&unit);
        if wants_ucontext() {
            compile.arg("-DEAGERFLOW_UCONTEXT");
        }
        compile.arg(format!("-Wl,-soname,{}", library.name)).arg("-Wl,-rpath,$ORIGIN");
        compile.arg("-o").arg(folder.join(library.file)).arg("-L").arg(folder).args(library.links);
        run(&mut compile)?;
        std::os::unix::fs::symlink(library.file, folder.join(library.name))?;
        Ok(())
    };
    std::thread::scope(|scope| {
        let compiler = scope.spawn(|| build(&NVRTC));
        // cublasLt is linked with the driver.
        build(&DRIVER).and_then(|()| build(&CUBLASLT))?;
        compiler.join().unwrap_or_else(|_| Err(Failure::Broken("CUDA emulation: the build panicked".to_string())))
    })?;
    fs::write(folder.join("programs"), format!("programs-{programs}"))?;
    Ok(())
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::Broken(format!(
        "CUDA emulation: the compiler failed\n{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    )))
}
