//! Loads the built libraries under the names that `cudarc` asks for, unless a real driver is there. Called by
//! `install`.

use crate::Availability;
use crate::build::{Failure, ready_folder};
use crate::control::Emulation;
use libloading::Library;
use std::path::{Path, PathBuf};

/// The answer of `install`.
pub(crate) fn find() -> Availability {
    match look() {
        Found::Folder(folder) => Availability::Ready(load(&folder)),
        Found::RealDriver => Availability::RealDriver,
        Found::Missing(why) => Availability::Missing(why),
    }
}

/// What there is to load.
pub(crate) enum Found {
    Folder(PathBuf),
    RealDriver,
    Missing(&'static str),
}

/// Builds the libraries if need be, without loading them.
pub(crate) fn look() -> Found {
    let wish = std::env::var("EAGERFLOW_CUDA_EMULATION").ok();
    if wish.as_deref() == Some("0") {
        return Found::Missing("CUDA emulation: switched off by EAGERFLOW_CUDA_EMULATION=0, skipped");
    }
    if wish.as_deref() != Some("1") && has_real_driver() {
        return Found::RealDriver;
    }
    match ready_folder() {
        Ok(folder) => Found::Folder(folder),
        Err(Failure::NoCompiler(why)) => Found::Missing(Box::leak(why.into_boxed_str())),
        Err(Failure::Broken(what)) => panic!("{what}"),
    }
}

fn has_real_driver() -> bool {
    // SAFETY: the real driver's initialisers run when a program loads it, as CUDA programs do.
    ["libcuda.so.1", "libcuda.so"].iter().any(|name| unsafe { Library::new(*name) }.is_ok())
}

/// Once loaded by its path, a library is what `dlopen` gives for its name too.
fn load(folder: &Path) -> &'static Emulation {
    let open = |file: &str| -> &'static Library {
        // SAFETY: our own libraries, whose initialisers do nothing.
        match unsafe { Library::new(folder.join(file)) } {
            // Never unloaded: `cudarc` keeps what it finds for the life of the process.
            Ok(library) => Box::leak(Box::new(library)),
            Err(error) => panic!("CUDA emulation: {error}"),
        }
    };
    let driver = open("libcuda.so.1");
    let nvrtc = open("libnvrtc.so.13");
    open("libcublasLt.so.13");
    Box::leak(Box::new(Emulation::new(driver, nvrtc)))
}
