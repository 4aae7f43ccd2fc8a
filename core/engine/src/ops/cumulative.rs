//! What running sums, products and logarithms of sums have in common: their options, and the part of an operation that scans an axis.
//! `cumsum`, `cumprod` and `cumulative_logsumexp` differ in the monoid and in the gradient alone.

use kernels::backend::cpu::scan::{Running, Scan};

/// Whether a running sum or product leaves its own element out, and from which end it runs.
///
/// ```
/// use eagerflow as tf;
/// use tf::Cumulative;
/// let x = tf::constant([1, 2, 3]);
/// let before = Cumulative { exclusive: true, ..Cumulative::default() };
/// assert_eq!(tf::cumsum_with(&x, 0, before).to_vec::<i32>(), [0, 1, 3]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cumulative {
    /// Each result leaves its own element out: the first is 0 for sums, 1 for products and -inf for logarithms of sums.
    pub exclusive: bool,
    /// From the last element to the first.
    pub reverse: bool,
}

impl Cumulative {
    /// The scan of an axis that exists.
    pub(super) fn scan(self, running: Running, axis: usize) -> Scan {
        Scan { running, axis, exclusive: self.exclusive, reverse: self.reverse }
    }
}

/// The part of an `impl Op` that scans have in common, for a type around a [`Scan`].
macro_rules! scanning {
    ($name:literal) => {
        scanning!($name, DTypes::NUMBERS.and(DTypes::COMPLEX));
    };
    ($name:literal, $accepts:expr) => {
        identity!($name, {
            "axis": Int = |this| this.0.axis as i64,
            "exclusive": Bool = |this| this.0.exclusive,
            "reverse": Bool = |this| this.0.reverse,
        });

        fn kind(&self) -> Kind {
            Kind::Opaque
        }

        fn may_fail(&self) -> bool {
            false
        }

        fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
            cx.check_dtype(0, $accepts)?;
            cx.output(cx.dtype(0), *cx.shape(0));
            Ok(())
        }

        fn work(&self, call: &CpuCall<'_>) -> Work {
            self.0.work(call)
        }

        unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
            // SAFETY: the same contract.
            unsafe { self.0.run(call, chunk) };
            Ok(())
        }

        unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
            // SAFETY: the same contract.
            unsafe { cuda::scan(call, &self.0) }
        }

        fn gradient(&self) -> Gradient {
            Gradient::Rule
        }
    };
}

pub(super) use scanning;
