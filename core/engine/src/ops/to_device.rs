//! Where a tensor lies, and copies of it on other devices.
//! Users call these methods; a copy is an operation, so tapes and traced functions see it.

use crate::device::try_device;
use crate::tensor::Tensor;
use kernels::device::Device;
use kernels::devices::id_of;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

impl Tensor {
    /// The device that holds the elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant(1).device().to_string(), "/device:CPU:0");
    /// ```
    pub fn device(&self) -> Device {
        self.device_id().device()
    }

    /// This tensor on the CPU; the same handle if it is there already.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(1);
    /// assert_eq!(x.cpu().id(), x.id());
    /// ```
    ///
    /// # Panics
    /// If an operation that this tensor's elements come from failed on its device.
    #[track_caller]
    pub fn cpu(&self) -> Tensor {
        self.to_device("/cpu:0").or_fail()
    }

    /// This tensor on the first GPU; the same handle if it is there already.
    ///
    /// ```no_run
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant([1.0, 2.0]).gpu().device().to_string(), "/device:GPU:0");
    /// ```
    ///
    /// # Panics
    /// If there is no GPU, or no memory left on it.
    #[track_caller]
    pub fn gpu(&self) -> Tensor {
        self.to_device("/gpu:0").or_fail()
    }

    /// This tensor on the named device; the same handle if it is there already.
    ///
    /// A copy to a GPU does not wait; one from a GPU waits until the elements are computed.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(1).to_device("/cpu:0")?;
    /// assert_eq!(x.device().kind(), tf::DeviceKind::Cpu);
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_device`](crate::device::try_device), and whatever failed on the GPU that the elements come from.
    #[track_caller]
    pub fn to_device(&self, name: &str) -> Result<Tensor> {
        let here = Location::caller();
        let id = Device::parse(name).and_then(id_of).map_err(|e| e.at(here))?;
        // Where a value of a graph will lie is not known yet.
        if self.device_id() == id && !self.is_symbol() {
            return Ok(self.clone());
        }
        if self.dtype() == DType::String && id.gpu_index().is_some() {
            return Err(Error::invalid_argument("to_device", "strings lie in the host's memory only")
                .got(self.ty())
                .help("leave them there: operations on strings run on the host wherever others do")
                .at(here));
        }
        let _there = try_device(name)?;
        crate::execute::execute1(&crate::ops::Identity, &[self]).map_err(|e| e.at(here))
    }
}
