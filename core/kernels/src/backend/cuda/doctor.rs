//! What CUDA finds or misses on this machine, step by step: the driver, devices, the compiler of kernels, the library for
//! matrix products, and a first kernel. `tf::config::cuda_findings` gives it to users.

use super::driver;
use super::gpu::{count, gpu};
use crate::device::{Device, DeviceId};
use crate::error::Result;

/// One thing that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was looked for, such as `driver`.
    pub subject: &'static str,
    /// Whether all is well with it.
    pub good: bool,
    /// What was found, in a sentence.
    pub text: String,
    /// What to do about it, where something is missing.
    pub advice: Option<&'static str>,
}

fn good(subject: &'static str, text: impl Into<String>) -> Finding {
    Finding { subject, good: true, text: text.into(), advice: None }
}

fn bad(subject: &'static str, text: impl Into<String>, advice: &'static str) -> Finding {
    Finding { subject, good: false, text: text.into(), advice: Some(advice) }
}

/// Looks for everything that a GPU needs, in order; what depends on something missing is left out. Each device is asked to run
/// a first kernel, by whoever knows operations.
pub fn findings(first_kernel: &dyn Fn(&Device) -> Result<()>) -> Vec<Finding> {
    let mut all = Vec::new();
    if cfg!(not(feature = "cuda")) {
        all.push(bad(
            "build",
            "this program was built without the feature `cuda`",
            "build it with the default features, or with `features = [\"cuda\"]`",
        ));
        return all;
    }
    all.push(good("build", "the feature `cuda` is on"));
    if let Err(why) = driver::present() {
        all.push(bad("driver", why, "install NVIDIA's driver; nothing else of CUDA brings libcuda.so.1"));
        return all;
    }
    let there = match count() {
        Ok(there) => *there,
        Err(why) => {
            // What the toolkit brings for linking is found before the driver.
            let advice = match why.contains("STUB_LIBRARY") {
                true => "take the toolkit's folder `stubs` out of LD_LIBRARY_PATH: its libcuda.so.1 is no driver",
                false => "see whether `nvidia-smi` lists a device, and whether containers are given it",
            };
            all.push(bad("driver", why.clone(), advice));
            return all;
        }
    };
    let known = driver::driver_version().unwrap_or((0, 0));
    all.push(good("driver", format!("libcuda.so.1 knows CUDA {}.{} and {there} device(s)", known.0, known.1)));
    compiler(&mut all, known);
    all.push(match driver::products_present() {
        Ok(()) => good("matrix products", "libcublasLt.so was found"),
        Err(why) => bad(
            "matrix products",
            format!("{why}; the library's own kernels take its place"),
            "for full speed install nvidia-cublas (pip) or the CUDA toolkit, and put its folder into LD_LIBRARY_PATH",
        ),
    });
    for index in 0..there {
        device(&mut all, index, first_kernel);
    }
    all
}

fn compiler(all: &mut Vec<Finding>, known: (i32, i32)) {
    const ADVICE: &str = "install nvidia-cuda-nvrtc (pip) of the driver's CUDA version or the CUDA toolkit, and put the folder of \
                          libnvrtc.so into LD_LIBRARY_PATH";
    match driver::compiler_present().and_then(|()| driver::compiler_version().map_err(|e| e.to_string())) {
        Err(why) => all.push(bad("compiler", why, ADVICE)),
        // Within a major version drivers load what newer compilers made.
        Ok(version) if version.0 > known.0 => all.push(bad(
            "compiler",
            format!("libnvrtc.so is of CUDA {}.{}, newer than the driver", version.0, version.1),
            "install nvidia-cuda-nvrtc of the driver's CUDA version, or a newer driver",
        )),
        Ok(version) => all.push(good("compiler", format!("libnvrtc.so of CUDA {}.{}", version.0, version.1))),
    }
    all.push(match super::disk_cache::folder() {
        Some(folder) => good("cache", format!("compiled kernels are kept in {}", folder.display())),
        None => bad(
            "cache",
            "compiled kernels are not kept",
            "set HOME, XDG_CACHE_HOME or EAGERFLOW_CUDA_CACHE so that the next run need not compile them again",
        ),
    });
}

/// Opens a device and lets it compute something.
fn device(all: &mut Vec<Finding>, index: usize, first_kernel: &dyn Fn(&Device) -> Result<()>) {
    let device = DeviceId::gpu(index).device();
    let tried = gpu(index).and_then(|gpu| {
        let (free, total) = gpu.memory_info()?;
        let (major, minor) = gpu.opened.capability;
        first_kernel(&device)?;
        let gib = |bytes: usize| bytes as f64 / (1u64 << 30) as f64;
        Ok(format!(
            "{device} is {}, compute capability {major}.{minor}, {} multiprocessors, {:.1} of {:.1} GiB free; a first kernel ran",
            gpu.name(),
            gpu.multiprocessors(),
            gib(free),
            gib(total)
        ))
    });
    all.push(match tried {
        Ok(text) => good("device", text),
        Err(error) => bad("device", format!("{device} does not work: {error}"), "see the error above"),
    });
}
