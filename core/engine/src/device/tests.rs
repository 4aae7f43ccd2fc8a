//! Guards, the list of devices, and what is said of a GPU that is not there.
//! Run by `cargo test` of this crate.

use super::*;
use crate as tf;
use kernels::device::DeviceKind;
use kernels::error::Error;

#[test]
fn a_device_that_is_not_there_is_one_clear_error() {
    let x = tf::constant(1.0);
    let errors = [tf::try_device("/gpu:0").map(|_| ()).unwrap_err(), x.to_device("/gpu:0").unwrap_err()];
    for error in errors {
        assert!(matches!(error, Error::NotFound(_)));
        let text = error.to_string();
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("NotFound: device: there is no GPU 0: "), "{first}");
        assert!(text.contains("expected: /device:CPU:0") && text.contains("device/tests.rs"), "{text}");
    }
    let text = tf::try_device("/cpu:1").map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("one CPU device") && text.contains("got: /device:CPU:1"), "{text}");
    // Nothing is left in force by a guard that was refused.
    assert!(!LOCAL.with(|local| local.has(mode::DEVICE)));
}

#[test]
fn guards_nest_and_end() {
    let on = || LOCAL.with(|local| local.has(mode::DEVICE));
    {
        let _outer = tf::device("/cpu:0");
        {
            let _inner = tf::device("cpu");
            assert_eq!(tf::ones([3]).device(), DeviceId::CPU.device());
        }
        assert!(on());
        assert_eq!((tf::ones([2]) + 1.0).to_vec::<f32>(), [2.0, 2.0]);
    }
    assert!(!on());
    let panicked = std::panic::catch_unwind(|| {
        let _guard = tf::device("/cpu:0");
        panic!("inside");
    });
    assert!(panicked.is_err() && !on());
}

#[test]
fn the_list_holds_the_cpu() {
    assert_eq!(tf::list_physical_devices(Some(DeviceKind::Cpu)), [DeviceId::CPU.device()]);
    assert!(tf::list_physical_devices(None).contains(&DeviceId::CPU.device()));
    let x = tf::constant([1, 2]);
    assert_eq!((x.cpu().id(), x.to_device("/cpu:0").unwrap().id()), (x.id(), x.id()));
}
