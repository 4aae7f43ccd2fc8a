//! A host that reads device memory dies with a message: that is how a hidden fall-back to the processor is found. The
//! test runs itself again as a child process, which does the forbidden thing.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each block calls the driver with handles and addresses of this test, or with wrong ones on purpose"
)]

mod support;

use cudarc::driver::{DevicePtr, result};
use std::process::Command;

const CHILD: &str = "EAGERFLOW_HOST_READ_CHILD";

#[test]
fn a_read_of_device_memory_by_the_host_ends_the_process() {
    let Some(d) = support::device() else { return };
    if let Ok(what) = std::env::var(CHILD) {
        let x = d.stream.clone_htod(&[3.0f32; 16]).unwrap();
        d.stream.synchronize().unwrap();
        let address = x.device_ptr(&d.stream).0 as usize as *mut f32;
        // SAFETY: there is none: this is the bug that must be found.
        unsafe {
            match what.as_str() {
                "read" => assert_eq!(address.read_volatile(), 3.0),
                "write" => address.write_volatile(4.0),
                _ => {
                    // Pinned memory is the host's, and stays so.
                    let pinned = result::malloc_host(64, 0).unwrap().cast::<f32>();
                    pinned.write_volatile(1.0);
                    assert_eq!(pinned.read_volatile(), 1.0);
                }
            }
        }
        println!("the child survived");
        return;
    }
    let child = |what: &str| {
        let program = std::env::current_exe().unwrap();
        let name = "a_read_of_device_memory_by_the_host_ends_the_process";
        let output = Command::new(program).args([name, "--exact", "--nocapture"]).env(CHILD, what).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    for what in ["read", "write"] {
        let (success, out, err) = child(what);
        assert!(!success && !out.contains("survived"), "{what}: the host touched device memory");
        assert!(err.contains("the host touched device memory") && err.contains("64 bytes"), "{err}");
    }
    let (success, out, err) = child("pinned");
    assert!(success && out.contains("survived"), "{err}");
}
