//! The forward cosine transform on integers and the rounding of its results: libjpeg's `JDCT_ISLOW`.
//! The encoder makes coefficients of samples with it.

/// A sum divided by a power of two and rounded.
fn rounded(value: i32, bits: u32) -> i32 {
    (value + (1 << (bits - 1))) >> bits
}

/// The transform over one direction, by 2^13. The first pass keeps two bits more, the second gives them back.
fn pass(d: [i32; 8], is_first: bool) -> [i32; 8] {
    let bits = if is_first { 11 } else { 15 };
    let sum = |i: usize| d[i] + d[7 - i];
    let difference = |i: usize| d[i] - d[7 - i];
    let (t10, t13) = (sum(0) + sum(3), sum(0) - sum(3));
    let (t11, t12) = (sum(1) + sum(2), sum(1) - sum(2));
    let even = |value: i32| if is_first { value << 2 } else { rounded(value, 2) };
    let z1 = (t12 + t13) * 4433;

    let (t4, t5, t6, t7) = (difference(3), difference(2), difference(1), difference(0));
    let z5 = (t4 + t6 + t5 + t7) * 9633;
    let (z1_odd, z2) = ((t4 + t7) * -7373, (t5 + t6) * -20995);
    let (z3, z4) = ((t4 + t6) * -16069 + z5, (t5 + t7) * -3196 + z5);
    [
        even(t10 + t11),
        rounded(t7 * 12299 + z1_odd + z4, bits),
        rounded(z1 + t13 * 6270, bits),
        rounded(t6 * 25172 + z2 + z3, bits),
        even(t10 - t11),
        rounded(t5 * 16819 + z2 + z4, bits),
        rounded(z1 + t12 * -15137, bits),
        rounded(t4 * 2446 + z1_odd + z3, bits),
    ]
}

/// The coefficients of a block in natural order, divided by the steps of quantization.
pub(super) fn coefficients(samples: &[[u8; 8]; 8], steps: &[u16; 64]) -> [i16; 64] {
    let rows = samples.map(|row| pass(row.map(|sample| i32::from(sample) - 128), true));
    let mut out = [0; 64];
    for column in 0..8 {
        let values = pass(rows.map(|row| row[column]), false);
        for (row, value) in values.into_iter().enumerate() {
            let step = i32::from(steps[row * 8 + column]) * 8;
            let size = (value.abs() + step / 2) / step;
            out[row * 8 + column] = (if value < 0 { -size } else { size }) as i16;
        }
    }
    out
}
