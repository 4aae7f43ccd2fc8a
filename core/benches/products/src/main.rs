//! The matrix product of f32 beside the crates `gemm` and `matrixmultiply`, alternating in one run.
//! `cargo run --release --manifest-path core/benches/products/Cargo.toml` prints a table; `-- --json` one line per size
//! and peer.
//!
//! All use every processor they are given. Ours is the operation as users call it, with dispatch and a new output each
//! time; the crates write to the same memory over and over.

#[path = "../../support/data.rs"]
mod data;
#[path = "../../support/measure.rs"]
mod measure;

use eagerflow::Tensor;
use measure::{Bench, Peer};

/// Rows, depth and columns.
const SIZES: [[usize; 3]; 6] =
    [[64, 64, 64], [32, 784, 128], [256, 256, 256], [512, 512, 512], [1000, 1000, 1000], [2000, 2000, 2000]];

fn main() {
    let bench = Bench::new("products");
    for [m, k, n] in SIZES {
        let (a, b) = (data::uniform(111, &[m, k], -1.0, 1.0), data::uniform(112, &[k, n], -1.0, 1.0));
        let expected = a.matmul(&b);
        let (mut with_gemm, mut with_matrixmultiply) = (vec![0.0; m * n], vec![0.0; m * n]);
        by_gemm(&a, &b, &mut with_gemm);
        by_matrixmultiply(&a, &b, &mut with_matrixmultiply);
        for (name, got) in [("gemm", &with_gemm), ("matrixmultiply", &with_matrixmultiply)] {
            let far = numbers(&expected).iter().zip(got).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
            assert!(far < 1e-4 * k as f32, "{name}'s product differs by {far}");
        }
        let name = format!("product_{m}x{k}x{n}");
        bench.side_by_side(
            &name,
            &mut [
                Peer::new("eagerflow", || drop(std::hint::black_box(a.matmul(&b)))),
                Peer::new("gemm", || by_gemm(&a, &b, &mut with_gemm)),
                Peer::new("matrixmultiply", || by_matrixmultiply(&a, &b, &mut with_matrixmultiply)),
            ],
        );
    }
}

fn numbers(x: &Tensor) -> &[f32] {
    x.as_slice().expect("dense elements of f32")
}

/// Rows, depth and columns of a product.
fn sizes(a: &Tensor, b: &Tensor) -> [usize; 3] {
    let (a, b) = (a.shape().dims(), b.shape().dims());
    [a[0], a[1], b[1]]
}

fn by_gemm(a: &Tensor, b: &Tensor, c: &mut [f32]) {
    let [m, k, n] = sizes(a, b);
    assert_eq!(c.len(), m * n);
    let threads = gemm::Parallelism::Rayon(0);
    // SAFETY: the operands have the elements that the sizes and strides describe, and C is nobody else's.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            false,
            numbers(a).as_ptr(),
            1,
            k as isize,
            numbers(b).as_ptr(),
            1,
            n as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            threads,
        );
    }
}

fn by_matrixmultiply(a: &Tensor, b: &Tensor, c: &mut [f32]) {
    let [m, k, n] = sizes(a, b);
    assert_eq!(c.len(), m * n);
    let (ra, rb) = (k as isize, n as isize);
    // SAFETY: as above.
    unsafe {
        let (a, b) = (numbers(a).as_ptr(), numbers(b).as_ptr());
        matrixmultiply::sgemm(m, k, n, 1.0, a, ra, 1, b, rb, 1, 0.0, c.as_mut_ptr(), rb, 1);
    }
}
