//! What `install` answers: no compiler, switched off, several processes at once, a driver without a device. Each case is
//! a child process, because a process has one answer for life.

mod support;

use cudarc::driver::{result, sys};
use eagerflow_cuda_emulation::{Availability, install};
use std::process::{Child, Command, Stdio};

const CHILD: &str = "EAGERFLOW_INSTALL_CHILD";

/// This program again, as a child that says what it finds.
fn child(environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["the_child_says_what_it_finds", "--exact", "--nocapture"]).env(CHILD, "1");
    command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn said(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_child_says_what_it_finds() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    match install() {
        Availability::Ready(_) => match result::init() {
            Ok(()) => println!("ready: {}", result::device::get_name(result::device::get(0).unwrap()).unwrap()),
            Err(error) => println!("no device: {:?}", error.0),
        },
        Availability::RealDriver => println!("real driver"),
        // SAFETY: asks whether a library can be loaded.
        Availability::Missing(why) => println!("{why}; found anyway: {}", unsafe { sys::is_culib_present() }),
    }
}

#[test]
fn a_missing_compiler_and_a_wish_are_reasons_to_skip() {
    let Some(_device) = support::device() else { return };
    let missing = said(child(&[("CXX", "/nowhere/g++")]));
    assert!(missing.contains("CUDA emulation: /nowhere/g++ missing, skipped; found anyway: false"), "{missing}");
    let off = said(child(&[("EAGERFLOW_CUDA_EMULATION", "0")]));
    assert!(off.contains("switched off") && off.contains("found anyway: false"), "{off}");
    let none = said(child(&[("EAGERFLOW_CUDA_EMULATION_DEVICES", "0")]));
    assert!(none.contains("no device: CUDA_ERROR_NO_DEVICE"), "{none}");
}

#[test]
fn a_real_driver_is_left_alone_unless_asked_otherwise() {
    let Some(_device) = support::device() else { return };
    let folder = std::env::temp_dir().join(format!("eagerflow-driver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A library under the driver's names, without any of its functions.
    for name in ["libcuda.so.1", "libcuda.so"] {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
        let mut build = Command::new(compiler);
        build.args(["-shared", "-x", "c++", "/dev/null", "-Wl,-soname,libcuda.so.1", "-o"]).arg(folder.join(name));
        assert!(build.status().unwrap().success());
    }
    let path = ("LD_LIBRARY_PATH", folder.to_str().unwrap());
    let alone = said(child(&[path]));
    assert!(alone.contains("real driver"), "{alone}");
    let shadowed = said(child(&[path, ("EAGERFLOW_CUDA_EMULATION", "1")]));
    assert!(shadowed.contains("ready: CUDA emulation ("), "{shadowed}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn processes_that_build_at_once_find_one_build() {
    let Some(_device) = support::device() else { return };
    let folder = std::env::temp_dir().join(format!("eagerflow-install-{}", std::process::id()));
    let name = folder.to_str().unwrap();
    let children: Vec<Child> = (0..3).map(|_| child(&[("EAGERFLOW_CUDA_EMULATION_DIR", name)])).collect();
    for text in children.into_iter().map(said) {
        assert!(text.contains("ready: CUDA emulation ("), "{text}");
    }
    let built =
        std::fs::read_dir(&folder).unwrap().flatten().filter(|e| e.path().join("libcuda.so.1").exists()).count();
    assert_eq!(built, 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
