//! The principal square root and the principal logarithm of a matrix, computed of its Schur form, and its exponential.
//! The operations `sqrtm`, `logm` and `expm` call these. (Higham, Functions of Matrices, chapters 6, 10 and 11.)

use crate::columns::Columns;
use crate::lu::solved;
use crate::matrix::{Field, Matrix, Refused};
use crate::number::{Number, Stored};
use crate::schur::schur;
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use num_complex::Complex;

type C = Complex<f64>;

/// Writes the principal square root; NaN where a real matrix has none that is real.
///
/// # Safety
/// Both matrices are valid and square of one size, `x` is the caller's alone.
pub unsafe fn square_root(field: Field, a: &Matrix, x: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    unsafe { of_schur(field, a, x, root) }
}

/// Writes the principal logarithm of a complex matrix.
///
/// # Safety
/// Both matrices are valid and square of one size, `x` is the caller's alone.
pub unsafe fn logarithm(field: Field, a: &Matrix, x: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    unsafe { of_schur(field, a, x, logarithm_of_triangle) }
}

unsafe fn of_schur(field: Field, a: &Matrix, x: &Matrix, f: fn(&Columns<C>) -> Columns<C>) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    unsafe {
        match field {
            Field::F32 => typed::<f64, f32>(a, x, f),
            Field::F64 => typed::<f64, f64>(a, x, f),
            Field::C32 => typed::<C, f32>(a, x, f),
            Field::C64 => typed::<C, f64>(a, x, f),
        }
    }
    Ok(())
}

unsafe fn typed<T: Number, S: Stored>(a: &Matrix, x: &Matrix, f: fn(&Columns<C>) -> Columns<C>) {
    // SAFETY: by the caller's promise.
    let given = unsafe { Columns::<T>::read::<S>(a) };
    let n = given.rows;
    let mut all = Columns::<C>::zeros(n, n);
    for j in 0..n {
        (0..n).for_each(|i| all.set(i, j, C::new(given.at(i, j).re(), given.at(i, j).im())));
    }
    let mut result = Columns::<T>::zeros(n, n);
    match schur(&mut all) {
        Ok(q) => {
            let value = product(&product(&q, &f(&all), false), &q, true);
            let (mut largest, mut imaginary) = (0.0_f64, 0.0_f64);
            for j in 0..n {
                for i in 0..n {
                    let z = value.at(i, j);
                    largest = largest.max(z.norm());
                    imaginary = imaginary.max(z.im.abs());
                    result.set(i, j, T::of(z.re, z.im));
                }
            }
            if !T::COMPLEX && imaginary > 1e-6 * largest {
                result.fill(T::nan());
            }
        }
        Err(_) => result.fill(T::nan()),
    }
    // SAFETY: by the caller's promise.
    unsafe { result.write::<S>(x) };
}

/// A B, or A Bᴴ.
fn product(a: &Columns<C>, b: &Columns<C>, adjoint: bool) -> Columns<C> {
    let n = a.rows;
    let mut c = Columns::zeros(n, n);
    for j in 0..n {
        for k in 0..n {
            let x = if adjoint { b.at(j, k).conj() } else { b.at(k, j) };
            if x != C::ZERO {
                (0..n).for_each(|i| c.set(i, j, c.at(i, j) + a.at(i, k) * x));
            }
        }
    }
    c
}

/// The principal square root of an upper triangular matrix.
fn root(t: &Columns<C>) -> Columns<C> {
    let n = t.rows;
    let mut r = Columns::<C>::zeros(n, n);
    for j in 0..n {
        r.set(j, j, t.at(j, j).sqrt());
        for i in (0..j).rev() {
            let known: C = (i + 1..j).map(|k| r.at(i, k) * r.at(k, j)).sum();
            let rest = t.at(i, j) - known;
            let sum = r.at(i, i) + r.at(j, j);
            r.set(i, j, if rest == C::ZERO && sum == C::ZERO { C::ZERO } else { rest / sum });
        }
    }
    r
}

/// The places and weights of Gauss' and Legendre's rule of seven points on the interval from 0 to 1.
const RULE: [(f64, f64); 7] = [
    (0.025446043828620738, 0.06474248308443485),
    (0.12923440720030278, 0.13985269574463833),
    (0.2970774243113014, 0.19091502525255947),
    (0.5, 0.20897959183673470),
    (0.7029225756886985, 0.19091502525255947),
    (0.8707655927996972, 0.13985269574463833),
    (0.9745539561713792, 0.06474248308443485),
];

/// The principal logarithm of an upper triangular matrix: roots are taken until it is near to the identity, where the integral of
/// X (1 + t X)⁻¹ over t from 0 to 1 is that of 1 + X; that of the rule is Padé's approximant.
fn logarithm_of_triangle(t: &Columns<C>) -> Columns<C> {
    let n = t.rows;
    let mut near = Columns::<C>::zeros(n, n);
    for j in 0..n {
        (0..=j).for_each(|i| near.set(i, j, t.at(i, j)));
    }
    let distance = |m: &Columns<C>| {
        let column =
            |j: usize| (0..n).map(|i| (m.at(i, j) - if i == j { C::ONE } else { C::ZERO }).norm()).sum::<f64>();
        (0..n).map(column).fold(0.0, f64::max)
    };
    let mut scale = 1.0;
    // Sixty roots bring any number that is not zero near to 1.
    for _ in 0..60 {
        if distance(&near) < 0.1 {
            break;
        }
        near = root(&near);
        scale *= 2.0;
    }
    (0..n).for_each(|i| near.set(i, i, near.at(i, i) - C::ONE));
    let mut sum = Columns::<C>::zeros(n, n);
    for (place, weight) in RULE {
        for j in 0..n {
            // Column j of (1 + place X)⁻¹ X, from below.
            let mut column = vec![C::ZERO; n];
            for i in (0..=j).rev() {
                let known: C = (i + 1..=j).map(|k| near.at(i, k) * place * column[k]).sum();
                column[i] = (near.at(i, j) - known) / (C::ONE + near.at(i, i) * place);
            }
            (0..=j).for_each(|i| sum.set(i, j, sum.at(i, j) + column[i] * (weight * scale)));
        }
    }
    // The logarithms of the eigenvalues themselves are exact to the last digit.
    (0..n).for_each(|i| sum.set(i, i, t.at(i, i).ln()));
    sum
}

/// The coefficients of Padé's approximant of order 13 of the exponential, and the largest 1-norm for which it is exact to f64.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];
const REACH: f64 = 5.371920351148152;

/// Writes the exponential.
///
/// # Safety
/// Both matrices are valid and square of one size, `x` is the caller's alone.
pub unsafe fn exponential(field: Field, a: &Matrix, x: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    unsafe {
        match field {
            Field::F32 => exponential_of::<f64, f32>(a, x),
            Field::F64 => exponential_of::<f64, f64>(a, x),
            Field::C32 => exponential_of::<C, f32>(a, x),
            Field::C64 => exponential_of::<C, f64>(a, x),
        }
    }
    Ok(())
}

unsafe fn exponential_of<T: Number, S: Stored>(a: &Matrix, x: &Matrix) {
    // SAFETY: by the caller's promise.
    let mut a = unsafe { Columns::<T>::read::<S>(a) };
    let n = a.rows;
    let norm = (0..n).map(|j| (0..n).map(|i| a.at(i, j).modulus()).sum::<f64>()).fold(0.0, f64::max);
    let mut result = Columns::<T>::zeros(n, n);
    if !a.is_finite() {
        result.fill(T::nan());
    } else {
        let squarings = if norm > REACH { (norm / REACH).log2().ceil() as i32 } else { 0 };
        let scale = 0.5_f64.powi(squarings);
        for j in 0..n {
            (0..n).for_each(|i| a.set(i, j, a.at(i, j).times(scale)));
        }
        let times = |p: &Columns<T>, q: &Columns<T>| {
            let mut c = Columns::<T>::zeros(n, n);
            matmul(c.view_mut(), Accum::Replace, p.view(), q.view(), T::ONE, Par::Seq);
            c
        };
        let a2 = times(&a, &a);
        let a4 = times(&a2, &a2);
        let a6 = times(&a4, &a2);
        let sum = |c: [f64; 4]| {
            let mut sum = Columns::<T>::zeros(n, n);
            for j in 0..n {
                for i in 0..n {
                    let one = if i == j { T::ONE } else { T::ZERO };
                    let terms = [one, a2.at(i, j), a4.at(i, j), a6.at(i, j)];
                    sum.set(i, j, terms.iter().zip(c).fold(T::ZERO, |sum, (&x, c)| sum + x.times(c)));
                }
            }
            sum
        };
        let with = |p: Columns<T>, q: Columns<T>| {
            let mut all = p;
            for j in 0..n {
                (0..n).for_each(|i| all.set(i, j, all.at(i, j) + q.at(i, j)));
            }
            all
        };
        let odd = with(times(&a6, &sum([0.0, PADE[9], PADE[11], PADE[13]])), sum([PADE[1], PADE[3], PADE[5], PADE[7]]));
        let odd = times(&a, &odd);
        let even =
            with(times(&a6, &sum([0.0, PADE[8], PADE[10], PADE[12]])), sum([PADE[0], PADE[2], PADE[4], PADE[6]]));
        let (mut above, mut below) = (Columns::zeros(n, n), Columns::zeros(n, n));
        for j in 0..n {
            for i in 0..n {
                above.set(i, j, even.at(i, j) + odd.at(i, j));
                below.set(i, j, even.at(i, j) - odd.at(i, j));
            }
        }
        result = solved(below, &above);
        for _ in 0..squarings {
            result = times(&result, &result);
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { result.write::<S>(x) };
}
