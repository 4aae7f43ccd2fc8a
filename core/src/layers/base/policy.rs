//! In which dtypes a layer computes and keeps its variables: Keras's dtype policies, for mixed precision.
//! A layer takes the global policy when it is made, or is given one by its option `dtype`.

use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::{PoisonError, RwLock};

/// The dtype of a layer's computations and that of its variables.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Dense, Policy};
/// let layer = Dense::new(4).dtype("mixed_bfloat16");
/// let y = layer.call(tf::ones([2, 3]));
/// assert_eq!((y.dtype(), layer.kernel().unwrap().dtype()), (tf::DType::BF16, tf::DType::F32));
/// assert_eq!(Policy::from(tf::DType::F64).compute_dtype(), tf::DType::F64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Policy {
    compute: DType,
    variable: DType,
}

impl Policy {
    /// Computes in `bfloat16`, keeps variables in `float32`.
    pub const MIXED_BFLOAT16: Self = Self { compute: DType::BF16, variable: DType::F32 };
    /// Computes in `float16`, keeps variables in `float32`; the loss must be scaled, see `optim::LossScaleOptimizer`.
    pub const MIXED_FLOAT16: Self = Self { compute: DType::F16, variable: DType::F32 };

    /// The dtype of the computations and the outputs.
    pub fn compute_dtype(self) -> DType {
        self.compute
    }

    /// The dtype of the variables.
    pub fn variable_dtype(self) -> DType {
        self.variable
    }

    /// Keras's name: that of the dtype, or `mixed_bfloat16` and `mixed_float16`.
    pub fn name(self) -> String {
        match self.compute == self.variable {
            true => self.compute.to_string(),
            false => format!("mixed_{}", self.compute),
        }
    }

    /// Whether inputs are cast: all floats are, as in Keras.
    pub(super) fn casts_inputs(self) -> bool {
        self.compute.is_floating()
    }

    /// An error unless variables of the layer can have gradients.
    pub(crate) fn checked(self, layer: &str) -> Result<Self> {
        match self.variable.is_floating() && self.compute.is_floating() {
            true => Ok(self),
            false => Err(Error::invalid_argument(layer, "a layer's variables must be floating-point")
                .got(self.variable)
                .expected("float16, bfloat16, float32 or float64")),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::from(DType::F32)
    }
}

impl From<DType> for Policy {
    fn from(dtype: DType) -> Self {
        Self { compute: dtype, variable: dtype }
    }
}

/// What may be given as a policy: a dtype, a [`Policy`], or its name.
pub trait IntoPolicy {
    /// The policy.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_policy(self) -> Result<Policy>;
}

impl IntoPolicy for Policy {
    fn into_policy(self) -> Result<Policy> {
        Ok(self)
    }
}

impl IntoPolicy for DType {
    fn into_policy(self) -> Result<Policy> {
        Ok(Policy::from(self))
    }
}

impl IntoPolicy for &str {
    fn into_policy(self) -> Result<Policy> {
        let floats = [DType::F32, DType::F64, DType::F16, DType::BF16];
        match self {
            "mixed_bfloat16" => Ok(Policy::MIXED_BFLOAT16),
            "mixed_float16" => Ok(Policy::MIXED_FLOAT16),
            name => floats.into_iter().find(|dtype| dtype.to_string() == name).map(Policy::from).ok_or_else(|| {
                let names = ["float32", "float64", "float16", "bfloat16", "mixed_bfloat16", "mixed_float16"];
                crate::shared::unknown("dtype policy", name, &names)
            }),
        }
    }
}

static GLOBAL: RwLock<Policy> = RwLock::new(Policy { compute: DType::F32, variable: DType::F32 });

/// The policy of layers that are made from now on: Keras's `mixed_precision.dtype_policy()`, `float32` unless set.
pub fn global_policy() -> Policy {
    *GLOBAL.read().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the policy of layers that are made from now on: Keras's `mixed_precision.set_dtype_policy`. Those that are there keep theirs.
///
/// # Panics
/// As [`try_set_global_policy`] fails, at the caller's line.
#[track_caller]
pub fn set_global_policy(policy: impl IntoPolicy) {
    try_set_global_policy(policy).or_fail();
}

/// Sets the policy of layers that are made from now on.
///
/// # Errors
/// InvalidArgument for a name that is none, or a dtype that is not floating.
#[track_caller]
pub fn try_set_global_policy(policy: impl IntoPolicy) -> Result<()> {
    let here = Location::caller();
    let policy = policy.into_policy().and_then(|policy| policy.checked("set_global_policy")).map_err(|e| e.at(here))?;
    *GLOBAL.write().unwrap_or_else(PoisonError::into_inner) = policy;
    Ok(())
}
