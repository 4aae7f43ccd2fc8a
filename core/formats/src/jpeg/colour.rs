//! Pixels of the samples of components: which colours these are, and the conversions that libjpeg and TensorFlow make.
//! The planes call it when all scans are read.

use super::frame::Frame;
use super::lanes::Lanes;
use super::markers::Markers;
use super::planes::Planes;
use super::upsample::{self, Buffer};
use super::{Picture, Rectangle, bad};
use kernels::error::Result;

/// What the components of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    Gray,
    YCbCr,
    Rgb,
    /// Black and three colours; `is_inverted` as Adobe stores them.
    Cmyk {
        is_ycck: bool,
        is_inverted: bool,
    },
}

impl Colours {
    /// What they are by the markers of the file, or else by their names, as libjpeg decides.
    pub fn of(frame: &Frame, markers: &Markers<'_>) -> Self {
        let ids: Vec<u8> = frame.components.iter().map(|c| c.id).collect();
        match (ids.len(), markers.adobe) {
            (1, _) => Self::Gray,
            (3, _) if markers.jfif => Self::YCbCr,
            (3, Some(0)) => Self::Rgb,
            (3, None) if ids == *b"RGB" => Self::Rgb,
            (3, _) => Self::YCbCr,
            (_, adobe) => Self::Cmyk { is_ycck: adobe == Some(2), is_inverted: adobe.is_some() },
        }
    }

    /// Whether the first component is the gray picture.
    pub fn has_luma(self) -> bool {
        matches!(self, Self::Gray | Self::YCbCr)
    }
}

/// The pixels of a rectangle, whose first row and column are `origin`, counted from the picture's and from the planes' first.
pub(super) fn pixels(
    planes: &Planes,
    colours: Colours,
    channels: usize,
    wanted: &Rectangle,
    origin: (usize, usize),
) -> Result<Picture> {
    let &Rectangle { height, width, .. } = wanted;
    let mut pixels = vec![0; height * width * channels];
    let mut buffers: [Buffer; 4] = Default::default();
    for (y, out) in pixels.chunks_exact_mut(width * channels).enumerate() {
        let mut rows: [&[u8]; 4] = [&[]; 4];
        for ((plane, buffer), row) in planes.planes.iter().zip(&mut buffers).zip(&mut rows) {
            let samples = upsample::row(plane, origin.0 + y, planes.how.fancy_upscaling, buffer);
            *row = &samples[origin.1..][..width];
        }
        convert(rows, colours, channels, out)?;
    }
    Ok(Picture { height, width, channels, pixels })
}

fn convert([a, b, c, d]: [&[u8]; 4], colours: Colours, channels: usize, out: &mut [u8]) -> Result<()> {
    match (colours, channels) {
        (Colours::Gray | Colours::YCbCr, 1) => out.copy_from_slice(a),
        (Colours::Gray, _) => out.chunks_exact_mut(3).zip(a).for_each(|(pixel, &gray)| pixel.fill(gray)),
        (Colours::YCbCr, _) => ycbcr(a, b, c, out),
        (Colours::Rgb, 1) => (0..a.len()).for_each(|i| out[i] = luma(a[i], b[i], c[i])),
        (Colours::Rgb, _) => {
            for (i, pixel) in out.chunks_exact_mut(3).enumerate() {
                pixel.copy_from_slice(&[a[i], b[i], c[i]]);
            }
        }
        (Colours::Cmyk { .. }, 1) => {
            return Err(bad("a picture of CMYK colours does not become gray")
                .got("channels 1")
                .expected("channels 0 or 3"));
        }
        (Colours::Cmyk { is_ycck, is_inverted }, _) => {
            if is_ycck {
                ycbcr(a, b, c, out);
                out.iter_mut().for_each(|value| *value = 255 - *value);
            } else {
                for (i, pixel) in out.chunks_exact_mut(3).enumerate() {
                    pixel.copy_from_slice(&[a[i], b[i], c[i]]);
                }
            }
            for (pixel, &black) in out.chunks_exact_mut(3).zip(d) {
                let mix = |colour: u8, black: u8| (u16::from(colour) * u16::from(black) / 255) as u8;
                for value in pixel {
                    *value = if is_inverted { mix(*value, black) } else { mix(255 - *value, 255 - black) };
                }
            }
        }
    }
    Ok(())
}

/// Gray of red, green and blue.
fn luma(r: u8, g: u8, b: u8) -> u8 {
    ((u32::from(r) * 19595 + u32::from(g) * 38470 + u32::from(b) * 7471 + (1 << 15)) >> 16) as u8
}

/// Red, green and blue of brightness and two differences of colours, eight pixels at a time.
fn ycbcr(luma: &[u8], blue: &[u8], red: &[u8], out: &mut [u8]) {
    let ((y8, y), (b8, b), (r8, r)) = (luma.as_chunks::<8>(), blue.as_chunks::<8>(), red.as_chunks::<8>());
    let (out8, rest) = out.as_chunks_mut::<24>();
    for (((y, b), r), out) in y8.iter().zip(b8).zip(r8).zip(out8) {
        *out = eight(y, b, r);
    }
    if !rest.is_empty() {
        let whole = |part: &[u8]| {
            let mut whole = [0; 8];
            whole[..part.len()].copy_from_slice(part);
            whole
        };
        rest.copy_from_slice(&eight(&whole(y), &whole(b), &whole(r))[..rest.len()]);
    }
}

#[inline(always)]
fn eight(luma: &[u8; 8], blue: &[u8; 8], red: &[u8; 8]) -> [u8; 24] {
    let (y, middle, one) = (Lanes::of_bytes(luma), Lanes::splat(128), Lanes::splat(1));
    let (b, r) = (Lanes::of_bytes(blue).minus(middle), Lanes::of_bytes(red).minus(middle));
    // 1.402, 1.772, 0.34414 and 0.71414 by 2^16, less the whole numbers next to them.
    let half = |x: Lanes, factor: i16| x.left::<1>().high_times(factor).plus(one).right::<1>();
    let to_red = half(r, 26345).plus(r);
    let to_blue = half(b, -14942).plus(b).plus(b);
    let to_green = b.weighed(-22554, r, 18734).minus(r);
    Lanes::pixels(y.plus(to_red), y.plus(to_green), y.plus(to_blue))
}
