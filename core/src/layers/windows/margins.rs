//! How many rows lie before and behind along each spatial axis, in the forms that Keras takes.
//! `ZeroPadding` adds them and `Cropping` takes them away.

use kernels::error::{Error, Result};

/// Numbers of rows before and behind along each of `AXES` spatial axes: one number for all, `[before, behind]` for sequences, one number
/// for each axis of images and volumes, or a pair for each axis.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Margins, ZeroPadding1D, ZeroPadding2D};
/// assert_eq!(ZeroPadding1D::new([1, 2]).call(tf::ones([1, 4, 3])).shape(), [1, 7, 3]);
/// assert_eq!(ZeroPadding2D::new([[1, 2], [0, 3]]).call(tf::ones([1, 4, 4, 3])).shape(), [1, 7, 7, 3]);
/// assert_eq!(Margins::<2>::from([1, 2]), Margins::from([[1, 1], [2, 2]]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Margins<const AXES: usize>([[i64; 2]; AXES]);

impl<const AXES: usize> Margins<AXES> {
    /// The numbers, if none is negative or too large.
    pub(super) fn checked(self, layer: &str, option: &str) -> Result<Self> {
        match self.0.as_flattened().iter().all(|n| (0..=i64::from(i32::MAX)).contains(n)) {
            true => Ok(self),
            false => Err(Error::invalid_argument(layer, format!("`{option}` is out of range"))
                .got(format!("{:?}", self.0))
                .expected("numbers of at least 0")),
        }
    }

    /// Before and behind along each axis.
    pub(super) fn each(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.0.iter().map(|pair| pair.map(|n| n as usize))
    }
}

macro_rules! margins {
    ($($t:ty)*) => {$(
        impl<const AXES: usize> From<$t> for Margins<AXES> {
            fn from(all: $t) -> Self {
                Self([[number(all); 2]; AXES])
            }
        }

        impl<const AXES: usize> From<[[$t; 2]; AXES]> for Margins<AXES> {
            fn from(pairs: [[$t; 2]; AXES]) -> Self {
                Self(pairs.map(|pair| pair.map(number)))
            }
        }

        impl From<[$t; 2]> for Margins<1> {
            fn from(pair: [$t; 2]) -> Self {
                Self([pair.map(number)])
            }
        }

        impl From<($t, $t)> for Margins<1> {
            fn from((before, behind): ($t, $t)) -> Self {
                Self::from([before, behind])
            }
        }

        margins!(@ $t, [$t; 2], 2);
        margins!(@ $t, [$t; 3], 3);

        impl From<($t, $t)> for Margins<2> {
            fn from((rows, columns): ($t, $t)) -> Self {
                Self::from([rows, columns])
            }
        }

        impl From<($t, $t, $t)> for Margins<3> {
            fn from((planes, rows, columns): ($t, $t, $t)) -> Self {
                Self::from([planes, rows, columns])
            }
        }

        impl From<(($t, $t), ($t, $t))> for Margins<2> {
            fn from((rows, columns): (($t, $t), ($t, $t))) -> Self {
                Self([rows, columns].map(|(before, behind)| [number(before), number(behind)]))
            }
        }

        impl From<(($t, $t), ($t, $t), ($t, $t))> for Margins<3> {
            fn from((planes, rows, columns): (($t, $t), ($t, $t), ($t, $t))) -> Self {
                Self([planes, rows, columns].map(|(before, behind)| [number(before), number(behind)]))
            }
        }
    )*};
    (@ $t:ty, $list:ty, $axes:literal) => {
        impl From<$list> for Margins<$axes> {
            fn from(each: $list) -> Self {
                Self(each.map(|n| [number(n); 2]))
            }
        }
    };
}

margins!(i32 i64 usize);

/// What does not fit is no number of rows either way; the check names it.
fn number<N: TryInto<i64>>(n: N) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}
