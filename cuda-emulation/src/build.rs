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

const LIBRARIES: &[Library] = &[
    Library { folder: "driver/", file: "libcuda.so.1", name: "libcuda.so", links: &["-ldl", "-lpthread"] },
    Library { folder: "cublaslt/", file: "libcublasLt.so.13", name: "libcublasLt.so", links: &["-l:libcuda.so.1"] },
    Library { folder: "nvrtc/", file: "libnvrtc.so.13", name: "libnvrtc.so", links: &["-ldl"] },
];

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
    let mut hasher = DefaultHasher::new();
    (SOURCES, FLAGS, version.stdout).hash(&mut hasher);
    let parent = parent_folder();
    let name = format!("{:016x}", hasher.finish());
    let folder = parent.join(&name);
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
        build(&fresh, &name)?;
        fs::rename(&fresh, &folder)?;
    }
    Ok(folder)
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

fn build(folder: &Path, name: &str) -> Result<(), Failure> {
    let native = folder.join("native");
    for (path, text) in SOURCES {
        let file = native.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&native))?;
        fs::write(file, text)?;
    }
    let objects = folder.join("objects");
    fs::create_dir_all(&objects)?;
    let units: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).filter(|path| path.ends_with(".cpp")).collect();
    compile_all(&units, &native, &objects, name)?;
    for library in LIBRARIES {
        let mut link = Command::new(compiler());
        link.arg("-shared").arg(format!("-Wl,-soname,{}", library.name)).arg("-Wl,-rpath,$ORIGIN");
        link.args(
            units.iter().filter(|path| path.starts_with(library.folder)).map(|path| objects.join(object_name(path))),
        );
        link.arg("-o").arg(folder.join(library.file)).arg("-L").arg(folder).args(library.links);
        run(&mut link)?;
        std::os::unix::fs::symlink(library.file, folder.join(library.name))?;
    }
    fs::remove_dir_all(&objects)?;
    Ok(())
}

fn object_name(source: &str) -> String {
    source.replace('/', "-").replace(".cpp", ".o")
}

/// Compiles the sources, as many at a time as there are processors.
fn compile_all(units: &[&str], native: &Path, objects: &Path, name: &str) -> Result<(), Failure> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let worker = || -> Result<(), Failure> {
        loop {
            let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(unit) = units.get(i) else { return Ok(()) };
            let mut compile = Command::new(compiler());
            compile
                .args(FLAGS)
                .arg(format!("-DEAGERFLOW_BUILD=\"{name}\""))
                .arg("-c")
                .arg(native.join(unit))
                .arg("-o")
                .arg(objects.join(object_name(unit)));
            run(&mut compile)?;
        }
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|w| match w.join() {
            Ok(result) => result,
            Err(_) => Err(Failure::Broken("CUDA emulation: a thread of the build panicked".to_string())),
        })
    })
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
