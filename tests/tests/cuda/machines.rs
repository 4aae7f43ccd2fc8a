//! Machines on which something of CUDA is missing or older than the rest: child processes, since each finds its libraries once.

use eagerflow as tf;
use eagerflow_tests::child::{run_test, said_by};
use eagerflow_tests::cuda::{gpu, shares_segments};
use tf::{Tensor, tf_function};

#[test]
#[ignore = "a part of the next test"]
fn works_on_the_cpu() {
    assert_eq!(tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).len(), 1);
    let y = tf::constant([1.0, 2.0]) * 2.0;
    assert_eq!((y.device().to_string(), y.to_vec::<f32>()), ("/device:CPU:0".to_string(), vec![2.0, 4.0]));
    let error = tf::try_device("/gpu:0").and_then(|_there| tf::try_zeros([2], tf::DType::F32)).unwrap_err().to_string();
    assert!(error.contains("libnvrtc.so"), "{error}");
    tf::config::set_soft_device_placement(true);
    let _there = tf::device("/gpu:0");
    assert_eq!(tf::ones([2]).device().kind(), tf::DeviceKind::Cpu);
}

/// As on any desktop: the driver is there, and nothing of the toolkit.
#[test]
fn a_driver_without_a_compiler_leaves_operations_on_the_cpu() {
    if gpu().is_none_or(|gpu| gpu.emulation.is_none()) {
        return;
    }
    let Ok(Some(all)) = eagerflow_cuda_emulation::folder() else { return };
    let only = std::env::temp_dir().join(format!("eagerflow-driver-alone-{}", std::process::id()));
    std::fs::create_dir_all(&only).unwrap();
    for entry in std::fs::read_dir(&all).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("libcuda.so") {
            std::fs::copy(entry.path(), only.join(entry.file_name())).unwrap();
        }
    }
    let (_, said) = said_by("machines::works_on_the_cpu", &[("LD_LIBRARY_PATH", only.to_str().unwrap())]);
    std::fs::remove_dir_all(&only).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("eagerflow: ")).collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(
        lines[0].contains("there is a GPU, but operations run on the CPU") && lines[0].contains("libnvrtc"),
        "{said}"
    );
}

/// A compiler that does not know the device's architecture gives what the driver compiles further.
#[test]
fn a_compiler_may_be_older_than_the_device() {
    if gpu().is_none_or(|gpu| gpu.emulation.is_none()) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("eagerflow-old-compiler-{}", std::process::id()));
    let settings = [("EAGERFLOW_CUDA_EMULATION_OLD_COMPILER", "1"), ("EAGERFLOW_CUDA_CACHE", folder.to_str().unwrap())];
    // The second finds them on the disk.
    for _ in 0..2 {
        run_test("traced::a_formula_is_few_kernels", &settings);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_cpu_stands_for_a_device_that_is_not_there_only_where_it_is_wished() {
    let Some(_gpu) = gpu() else { return };
    let kinds =
        || ["/gpu:0", "/gpu:7"].map(|name| tf::try_device(name).map(|_there| tf::ones([2]).device().kind()).ok());
    let (cpu, gpu) = (Some(tf::DeviceKind::Cpu), Some(tf::DeviceKind::Gpu));
    assert_eq!(kinds(), [gpu, None]);
    tf::config::set_soft_device_placement(true);
    let soft = (kinds(), tf::config::get_soft_device_placement());
    tf::config::set_soft_device_placement(false);
    assert_eq!(soft, ([gpu, cpu], true));
    assert!(tf::try_device("/gpu:7").map(drop).unwrap_err().to_string().contains("there is no GPU 7"));
}

#[tf_function]
fn asked_by_nobody_else(x: &Tensor) -> Tensor {
    (x * 3.125 + 1.375).tanh() * x
}

/// What the driver cannot do for want of memory it is asked once more, when what nobody uses has gone back.
#[test]
fn memory_that_nobody_uses_goes_back_to_a_driver_that_needs_some() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    if !shares_segments() {
        // Nothing is held that nobody uses.
        return;
    }
    const OUT_OF_MEMORY: i32 = 2;
    let x = tf::constant([1.0, 2.0, 3.0]).gpu();
    let held = || tf::config::memory_info("/gpu:0").unwrap().reserved;
    for call in ["cuLaunchKernel", "cuModuleLoadData"] {
        drop(tf::zeros([8 << 20]).gpu());
        let before = held();
        emulation.plant_failure(call, 1, OUT_OF_MEMORY);
        let y = if call == "cuLaunchKernel" { &x * 3.0 } else { asked_by_nobody_else(&x) };
        assert_eq!(y.shape(), [3]);
        assert!(held() < before, "{call}");
    }
}
