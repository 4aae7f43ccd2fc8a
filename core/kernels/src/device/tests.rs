//! Names of devices.
//! Run by `cargo test` of this crate.

use super::*;

#[test]
fn names_of_devices() {
    let same = ["/cpu:0", "cpu", "CPU:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"];
    for name in same {
        assert_eq!(Device::parse(name).unwrap(), DeviceId::CPU.device(), "{name}");
    }
    let gpu = Device::parse("/GPU:12").unwrap();
    assert_eq!((gpu.kind(), gpu.index(), gpu.to_string()), (DeviceKind::Gpu, 12, "/device:GPU:12".into()));
    for name in ["", "/", "tpu:0", "cpu:", "cpu:x", "cpu:-1", "cpu:+1", "cpu:0:0", "gpu:99999999999999999999"] {
        let error = Device::parse(name).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::InvalidArgument(_)), "{text}");
        assert!(text.contains(&format!("`{name}`")) && text.contains("device/tests.rs"), "{text}");
    }
}
