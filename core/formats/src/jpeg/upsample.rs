//! Rows of a component that is stored at a lower resolution, at the resolution of the picture: interpolated or repeated.
//! The maker of pixels asks for one row after the other; the results are libjpeg's to the bit.

use super::planes::Plane;

/// What rows are computed in.
#[derive(Default)]
pub(super) struct Buffer {
    sums: Vec<u16>,
    row: Vec<u8>,
}

/// The samples of a plane for row `y` of the picture, from the first column that is there, at the picture's resolution.
pub(super) fn row<'a>(plane: &'a Plane, y: usize, is_fancy: bool, buffer: &'a mut Buffer) -> &'a [u8] {
    let near = y / plane.tall;
    let columns = plane.stride.min(plane.width - plane.first.1);
    let line = |row: usize| &plane.samples[(row - plane.first.0) * plane.stride..][..columns];
    let other = |above: bool| if above { near.saturating_sub(1) } else { (near + 1).min(plane.height - 1) };
    // libjpeg interpolates no component that is made smaller to single samples.
    let is_fancy = is_fancy && plane.block > 1;
    match (plane.wide, plane.tall) {
        (1, 1) => line(near),
        (2, 1) if is_fancy && plane.width > 2 => {
            buffer.row.resize(columns * 2, 0);
            twice_as_wide(line(near), &mut buffer.row);
            &buffer.row
        }
        (2, 2) if is_fancy && plane.width > 2 => {
            let far = line(other(y.is_multiple_of(2)));
            buffer.sums.clear();
            buffer.sums.extend(line(near).iter().zip(far).map(|(&near, &far)| u16::from(near) * 3 + u16::from(far)));
            buffer.row.resize(columns * 2, 0);
            twice_in_both(&buffer.sums, &mut buffer.row);
            &buffer.row
        }
        (1, 2) if is_fancy => {
            let (far, bias) = (line(other(y.is_multiple_of(2))), if y.is_multiple_of(2) { 1 } else { 2 });
            let weigh = |(&near, &far): (&u8, &u8)| ((u16::from(near) * 3 + u16::from(far) + bias) >> 2) as u8;
            buffer.row.clear();
            buffer.row.extend(line(near).iter().zip(far).map(weigh));
            &buffer.row
        }
        (wide, _) => {
            buffer.row.clear();
            buffer.row.extend(line(near).iter().flat_map(|&sample| std::iter::repeat_n(sample, wide)));
            &buffer.row
        }
    }
}

/// Weights 3/4 and 1/4, rounded to either side in turns.
fn twice_as_wide(samples: &[u8], out: &mut [u8]) {
    let weigh = |near: u8, far: u8, bias: u16| ((u16::from(near) * 3 + u16::from(far) + bias) >> 2) as u8;
    let ([first, .., last], count) = (samples, samples.len()) else { return out.fill(samples[0]) };
    out[0] = *first;
    out[1] = weigh(*first, samples[1], 2);
    for (three, out) in samples.windows(3).zip(out[2..].chunks_exact_mut(2)) {
        out[0] = weigh(three[1], three[0], 1);
        out[1] = weigh(three[1], three[2], 2);
    }
    out[count * 2 - 2] = weigh(*last, samples[count - 2], 1);
    out[count * 2 - 1] = *last;
}

/// The same of sums of two rows, which have the weights 3 and 1.
fn twice_in_both(sums: &[u16], out: &mut [u8]) {
    let weigh = |near: u16, far: u16, bias: u16| ((near * 3 + far + bias) >> 4) as u8;
    let alone = |sum: u16, bias: u16| ((sum * 4 + bias) >> 4) as u8;
    let ([first, .., last], count) = (sums, sums.len()) else { return out.fill(alone(sums[0], 8)) };
    out[0] = alone(*first, 8);
    out[1] = weigh(*first, sums[1], 7);
    for (three, out) in sums.windows(3).zip(out[2..].chunks_exact_mut(2)) {
        out[0] = weigh(three[1], three[0], 8);
        out[1] = weigh(three[1], three[2], 7);
    }
    out[count * 2 - 2] = weigh(*last, sums[count - 2], 8);
    out[count * 2 - 1] = alone(*last, 7);
}
