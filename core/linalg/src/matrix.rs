//! What an algorithm is given: the type of numbers, and matrices by raw pointers to their parts, with strides.
//! The engine makes one [`Matrix`] per operand from a batch's views.

/// The numbers of a call; complex ones lie as two arrays of real numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// Pairs of `f32`.
    C32,
    /// Pairs of `f64`.
    C64,
}

/// A matrix of real or complex numbers somewhere in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// The first real part.
    pub re: *mut u8,
    /// The first imaginary part; null for a real matrix.
    pub im: *mut u8,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// From row to row, in real numbers: of the real and of the imaginary parts.
    pub row_stride: [isize; 2],
    /// From column to column.
    pub col_stride: [isize; 2],
}

/// Why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// A pivot is zero.
    Singular,
    /// No convergence, as for numbers that are not finite.
    Diverged,
    /// An algorithm's memory was not granted.
    NoMemory,
}

/// Runs an expression for the type of numbers of a field: `T` computes, `S` is how the parts are stored.
///
/// Pairs of `f32` are computed with as pairs of `f64`, and rounded once: a fourth copy of every algorithm would cost more to compile than
/// it is worth.
macro_rules! for_field {
    ($field:expr, $T:ident, $S:ident => $call:expr) => {
        match $field {
            $crate::matrix::Field::F32 => {
                type $T = f32;
                type $S = f32;
                $call
            }
            $crate::matrix::Field::F64 => {
                type $T = f64;
                type $S = f64;
                $call
            }
            $crate::matrix::Field::C32 => {
                type $T = num_complex::Complex<f64>;
                type $S = f32;
                $call
            }
            $crate::matrix::Field::C64 => {
                type $T = num_complex::Complex<f64>;
                type $S = f64;
                $call
            }
        }
    };
}
pub(crate) use for_field;
