//! A = Q T Qᴴ with T upper triangular: Schur's form of a complex matrix, by Householder's reflections and shifted QR steps.
//! Functions of matrices are computed of T.

use crate::columns::Columns;
use crate::matrix::Refused;
use num_complex::Complex;

type C = Complex<f64>;

/// Steps that may pass until one more eigenvalue is found.
const PATIENCE: usize = 60;

/// T in place of the matrix, and Q.
pub(crate) fn schur(a: &mut Columns<C>) -> Result<Columns<C>, Refused> {
    let n = a.rows;
    let mut q = Columns::<C>::identity(n, n);
    if !a.is_finite() {
        return Err(Refused::Diverged);
    }
    hessenberg(a, &mut q);
    let (mut high, mut steps) = (n, 0);
    while high > 1 {
        // The last row of the part that is not triangular yet, and the first of the block that hangs together with it.
        let mut low = high - 1;
        while low > 0 {
            let scale = a.at(low - 1, low - 1).norm() + a.at(low, low).norm();
            let scale = if scale == 0.0 { norm(a) } else { scale };
            if a.at(low, low - 1).norm() <= f64::EPSILON * scale {
                a.set(low, low - 1, C::ZERO);
                break;
            }
            low -= 1;
        }
        if low == high - 1 {
            (high, steps) = (high - 1, 0);
            continue;
        }
        steps += 1;
        if steps > PATIENCE {
            return Err(Refused::Diverged);
        }
        let shift = match steps % 10 {
            0 => a.at(high - 1, high - 1) + C::new(a.at(high - 1, high - 2).norm(), 0.0),
            _ => wilkinson(a, high),
        };
        sweep(a, &mut q, low, high, shift);
    }
    Ok(q)
}

fn norm(a: &Columns<C>) -> f64 {
    (0..a.cols).flat_map(|j| (0..a.rows).map(move |i| (i, j))).map(|(i, j)| a.at(i, j).norm()).fold(0.0, f64::max)
}

/// The eigenvalue of the last two rows and columns below `high` that is nearer to the last number.
fn wilkinson(a: &Columns<C>, high: usize) -> C {
    let [p, q, r, s] = [(2, 2), (2, 1), (1, 2), (1, 1)].map(|(i, j)| a.at(high - i, high - j));
    let half = (p - s) / 2.0;
    let root = (half * half + q * r).sqrt();
    let (x, y) = (s + half + root, s + half - root);
    if (x - s).norm() < (y - s).norm() { x } else { y }
}

/// Zeros below the first subdiagonal.
fn hessenberg(a: &mut Columns<C>, q: &mut Columns<C>) {
    let n = a.rows;
    for k in 0..n.saturating_sub(2) {
        let length = (k + 1..n).map(|i| a.at(i, k).norm_sqr()).sum::<f64>().sqrt();
        let head = a.at(k + 1, k);
        if length == 0.0 || (k + 2..n).all(|i| a.at(i, k) == C::ZERO) {
            continue;
        }
        let phase = if head == C::ZERO { C::ONE } else { head / head.norm() };
        let mut v: Vec<C> = (k + 1..n).map(|i| a.at(i, k)).collect();
        v[0] += phase * length;
        let size = v.iter().map(|x| x.norm_sqr()).sum::<f64>();
        for j in 0..n {
            let dot: C = v.iter().enumerate().map(|(i, x)| x.conj() * a.at(k + 1 + i, j)).sum();
            let dot = dot * (2.0 / size);
            v.iter().enumerate().for_each(|(i, x)| a.set(k + 1 + i, j, a.at(k + 1 + i, j) - x * dot));
        }
        for m in [&mut *a, &mut *q] {
            for i in 0..n {
                let dot: C = v.iter().enumerate().map(|(j, x)| m.at(i, k + 1 + j) * x).sum();
                let dot = dot * (2.0 / size);
                v.iter().enumerate().for_each(|(j, x)| m.set(i, k + 1 + j, m.at(i, k + 1 + j) - dot * x.conj()));
            }
        }
        (k + 2..n).for_each(|i| a.set(i, k, C::ZERO));
    }
}

/// One QR step with a shift on rows and columns `low..high`, by rotations that chase the bulge down.
fn sweep(a: &mut Columns<C>, q: &mut Columns<C>, low: usize, high: usize, shift: C) {
    let n = a.rows;
    let (mut x, mut y) = (a.at(low, low) - shift, a.at(low + 1, low));
    for k in low..high - 1 {
        let length = (x.norm_sqr() + y.norm_sqr()).sqrt();
        let (c, s) = if length == 0.0 { (C::ONE, C::ZERO) } else { (x / length, y / length) };
        for j in k.saturating_sub(1)..n {
            let (p, r) = (a.at(k, j), a.at(k + 1, j));
            a.set(k, j, c.conj() * p + s.conj() * r);
            a.set(k + 1, j, c * r - s * p);
        }
        for i in 0..(k + 3).min(high) {
            let (p, r) = (a.at(i, k), a.at(i, k + 1));
            a.set(i, k, p * c + r * s);
            a.set(i, k + 1, r * c.conj() - p * s.conj());
        }
        for i in 0..n {
            let (p, r) = (q.at(i, k), q.at(i, k + 1));
            q.set(i, k, p * c + r * s);
            q.set(i, k + 1, r * c.conj() - p * s.conj());
        }
        if k > low {
            a.set(k + 1, k - 1, C::ZERO);
        }
        if k + 2 < high {
            (x, y) = (a.at(k + 1, k), a.at(k + 2, k));
        }
    }
}
