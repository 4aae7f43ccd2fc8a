//! Factorizations of one dense matrix, given by raw pointers: Cholesky, LU, QR, singular values, eigenvalues and functions of matrices.
//! The engine's operations call these for each matrix of a batch; each algorithm is compiled once per type of numbers.

mod banded;
mod cholesky;
mod columns;
mod eigen;
mod functions;
mod lu;
mod matrix;
mod number;
mod orthogonal;
mod panels;
mod schur;
mod small;
mod together;
mod triangular;
mod tridiagonal;

pub use banded::{banded_solve, bands_of, of_bands};
pub use cholesky::cholesky;
pub use eigen::{eig, eigh};
pub use functions::{exponential, logarithm, square_root};
pub use lu::{determinant, factor, inverse, solve};
pub use matrix::{Field, Matrix, Refused};
pub use orthogonal::{qr, svd};
pub use together::Together;
pub use triangular::{Triangle, triangular_solve};
pub use tridiagonal::tridiagonal_solve;
