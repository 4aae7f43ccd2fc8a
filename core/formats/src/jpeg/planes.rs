//! The samples of each component while scans are read, for the part of the picture that is wanted.
//! `jpeg::decode` makes them from the frame header, hands them every scan, and takes the pixels from them.

use super::frame::Frame;
use super::inverse::Inverse;
use super::markers::Markers;
use super::{Decoding, MOST_BYTES, Picture, Rectangle, bad, colour};
use kernels::error::{Error, Result};
use std::ops::Range;

/// One component.
pub(super) struct Plane {
    /// Rows of samples of the wanted units.
    pub samples: Vec<u8>,
    /// From one row to the next.
    pub stride: usize,
    /// The first row and column that are there.
    pub first: (usize, usize),
    /// Rows and columns of the whole component.
    pub height: usize,
    pub width: usize,
    /// Rows and columns of the picture that a sample stands for.
    pub tall: usize,
    pub wide: usize,
    /// Samples of a block along a side.
    pub block: usize,
    /// Coefficients of all blocks, of progressive pictures.
    pub coefficients: Vec<[i16; 64]>,
    /// What makes samples of coefficients, from the first scan on.
    pub inverse: Option<Inverse>,
    /// Whether a scan had it.
    pub is_seen: bool,
}

/// All components.
pub(super) struct Planes {
    pub frame: Frame,
    pub how: Decoding,
    pub planes: Vec<Plane>,
    /// The wanted units, from above and from the left.
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// The wanted pixels of the scaled picture.
    wanted: Rectangle,
    /// Samples of a block of the most finely sampled component.
    least: usize,
    /// Whether memory for samples is there.
    is_made: bool,
}

fn smooth_margin(length: usize, most: usize, start: usize, size: usize, unit: usize) -> Range<usize> {
    (start.saturating_sub(most)) / unit..(start + size + most).min(length).div_ceil(unit)
}

impl Planes {
    pub fn new(frame: Frame, how: &Decoding) -> Result<Self> {
        if !matches!(how.ratio, 1 | 2 | 4 | 8) || !matches!(how.channels, 0 | 1 | 3) {
            return Err(bad("the options contradict each other").got(format!("{how:?}")));
        }
        let least = 8 / how.ratio;
        let (height, width) = (frame.height.div_ceil(how.ratio), frame.width.div_ceil(how.ratio));
        let wanted = how.crop.unwrap_or(Rectangle { y: 0, x: 0, height, width });
        let fits =
            |start: usize, size: usize, whole| size > 0 && start.checked_add(size).is_some_and(|end| end <= whole);
        if !fits(wanted.y, wanted.height, height) || !fits(wanted.x, wanted.width, width) {
            return Err(bad("the crop window does not lie in the picture")
                .got(format!("{} rows from {}, {} columns from {}", wanted.height, wanted.y, wanted.width, wanted.x))
                .expected(format!("a part of {height} rows and {width} columns")));
        }
        if (wanted.height * wanted.width * 4) as u64 >= MOST_BYTES {
            return Err(bad("the picture is too large").got(format!("{height} rows, {width} columns")));
        }
        let (h, v) = frame.most();
        let rows = smooth_margin(height, v, wanted.y, wanted.height, v * least);
        let columns = smooth_margin(width, h, wanted.x, wanted.width, h * least);
        let mut planes = Vec::new();
        for c in &frame.components {
            let mut block = least;
            // As libjpeg: a component at a lower resolution is made smaller by less, if that is all it needs.
            while block < 8
                && (h * least).is_multiple_of(c.h * block * 2)
                && (v * least).is_multiple_of(c.v * block * 2)
            {
                block *= 2;
            }
            let (across, down) = (c.h * block, c.v * block);
            if !(h * least).is_multiple_of(across) || !(v * least).is_multiple_of(down) {
                return Err(bad("the sampling of a component is no whole fraction of another's"));
            }
            planes.push(Plane {
                samples: Vec::new(),
                stride: columns.len() * across,
                first: (rows.start * down, columns.start * across),
                height: (frame.height * down).div_ceil(v * 8),
                width: (frame.width * across).div_ceil(h * 8),
                tall: v * least / down,
                wide: h * least / across,
                block,
                coefficients: Vec::new(),
                inverse: None,
                is_seen: false,
            });
        }
        Ok(Self { frame, how: *how, planes, rows, columns, wanted, least, is_made: false })
    }

    /// Takes memory, when a scan begins that has so many bytes. A block takes a bit at least, so a header that says more than
    /// the data can hold takes none.
    pub fn make(&mut self, markers: &Markers<'_>, bytes: usize) -> Result<()> {
        if self.is_made {
            return Ok(());
        }
        let (across, down) = self.frame.units();
        let blocks: usize = self.frame.components.iter().map(|c| c.h * c.v).sum();
        let (needed, bytes) = match self.frame.is_progressive {
            true => (across * down * blocks, markers.bytes.len()),
            false => (across * self.rows.end.min(down), bytes),
        };
        if needed / 8 > bytes && !self.how.recover_truncated {
            return Err(bad("the data end before the picture does")
                .got(format!("{bytes} bytes"))
                .expected(format!("{} by {} pixels", self.frame.height, self.frame.width)));
        }
        self.is_made = true;
        for (plane, c) in self.planes.iter_mut().zip(&self.frame.components) {
            plane.samples = vec![128; plane.stride * self.rows.len() * c.v * plane.block];
            if self.frame.is_progressive {
                plane.coefficients = vec![[0; 64]; across * c.h * down * c.v];
            }
        }
        let colours = colour::Colours::of(&self.frame, markers);
        // A progressive scan must know all that earlier ones have sent, to be read.
        if self.how.channels == 1 && colours.has_luma() && !self.frame.is_progressive {
            self.planes.truncate(1);
        }
        Ok(())
    }

    /// Whether the samples of baseline pictures are all there.
    pub fn is_complete(&self) -> bool {
        !self.frame.is_progressive && self.planes.iter().all(|plane| plane.is_seen)
    }

    /// Makes pixels of what was read.
    pub fn finish(mut self, markers: &Markers<'_>) -> Result<Picture> {
        if !self.is_made || self.planes.iter().any(|plane| !plane.is_seen) && !self.how.recover_truncated {
            return Err(bad("the data end before the picture does").help("the file may be truncated"));
        }
        if self.frame.is_progressive {
            self.transform();
        }
        let colours = colour::Colours::of(&self.frame, markers);
        let channels = match self.how.channels {
            0 => self.frame.components.len().min(3),
            given => given,
        };
        let origin = (self.wanted.y, self.wanted.x - self.columns.start * self.frame.most().0 * self.least);
        colour::pixels(&self, colours, channels, &self.wanted, origin)
    }

    /// Makes samples of the coefficients that all scans have sent.
    fn transform(&mut self) {
        let (across, _) = self.frame.units();
        for (plane, c) in self.planes.iter_mut().zip(&self.frame.components) {
            let Some(inverse) = plane.inverse.take() else { continue };
            let (wide, size) = (across * c.h, plane.block);
            for y in self.rows.start * c.v..self.rows.end * c.v {
                for x in self.columns.start * c.h..self.columns.end * c.h {
                    let coefficients = &plane.coefficients[y * wide + x];
                    let only_dc = coefficients[1..].iter().all(|&value| value == 0);
                    let at = (y * size - plane.first.0) * plane.stride + x * size - plane.first.1;
                    inverse.block(coefficients, only_dc, &mut plane.samples[at..], plane.stride);
                }
            }
        }
    }

    /// Units of all components, over the whole picture.
    pub fn frame_units(&self) -> (usize, usize) {
        self.frame.units()
    }
}

/// The error of data that end too early.
#[cold]
pub(super) fn truncated(row: usize, of: usize) -> Error {
    bad("the data end before the picture does")
        .got(format!("{row} rows of blocks"))
        .expected(of)
        .help("the file may be truncated; `try_recover_truncated` fills up with gray")
}
