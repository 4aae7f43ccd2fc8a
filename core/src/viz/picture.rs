//! Pictures in memory: their pixels, pictures within pictures, and PNG files that get their name when they are whole.
//! Whatever `tf::viz` draws ends here.

use super::pen::Color;
use crate::io::encode_png_bytes;
use formats::files::{self, Options};
use kernels::error::{Error, Result};
use std::path::Path;

/// The most pixels of a picture: about 400 MB in memory.
const MOST_PIXELS: u64 = 1 << 27;

/// Rows of pixels from above, each with red, green and blue, and opacity where there are four channels.
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub channels: usize,
    pub bytes: Vec<u8>,
}

/// The sides of a picture, if it is not too large to be made.
///
/// # Errors
/// InvalidArgument for more than 2^27 pixels.
pub fn checked_size(op: &str, width: u64, height: u64, help: &str) -> Result<(u32, u32)> {
    match (u32::try_from(width), u32::try_from(height), width.checked_mul(height)) {
        (Ok(w), Ok(h), Some(pixels)) if pixels <= MOST_PIXELS => Ok((w, h)),
        _ => Err(Error::invalid_argument(op, "the picture would be too large")
            .got(format!("{width} by {height} pixels"))
            .expected(format!("at most {MOST_PIXELS} pixels"))
            .help(help)),
    }
}

impl Picture {
    /// A picture of one color, opaque.
    pub fn blank((width, height): (u32, u32), channels: usize, color: Color) -> Self {
        let [r, g, b] = color;
        let bytes = [r, g, b, 255][..channels].repeat(width as usize * height as usize);
        Self { width, height, channels, bytes }
    }

    /// Puts another picture with as many channels into this one, its upper left corner at `x` and `y`. What would lie outside is cut.
    pub fn paste(&mut self, (x, y): (u32, u32), other: &Self) {
        let columns = other.width.min(self.width.saturating_sub(x)) as usize * self.channels;
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = row as usize * other.width as usize * self.channels;
            let to = ((y + row) as usize * self.width as usize + x as usize) * self.channels;
            self.bytes[to..to + columns].copy_from_slice(&other.bytes[from..from + columns]);
        }
    }

    /// Writes the picture as a PNG, in place of a file that may be there.
    ///
    /// # Errors
    /// What the file system refuses, with the path: then a file that was there is as it was.
    pub fn save(&self, path: &Path) -> Result<()> {
        let size = (self.height as usize, self.width as usize, self.channels);
        let file = encode_png_bytes("viz", &self.bytes, size)?;
        files::replace(path, &file, &Options::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_within_a_picture_is_cut_at_its_edges() {
        let mut ground = Picture::blank((3, 2), 3, [0, 0, 0]);
        ground.paste((2, 1), &Picture::blank((5, 5), 3, [9, 8, 7]));
        ground.paste((7, 7), &Picture::blank((1, 1), 3, [1, 1, 1]));
        let mut right = [0u8; 18];
        right[15..].copy_from_slice(&[9, 8, 7]);
        assert_eq!(ground.bytes, right);
    }

    #[test]
    fn sizes_that_no_memory_holds_are_refused() {
        assert_eq!(checked_size("viz", 40, 30, "").unwrap(), (40, 30));
        for (width, height) in [(1 << 20, 1 << 10), (u64::MAX, 2), (1 << 33, 0)] {
            assert!(checked_size("viz", width, height, "make it smaller").is_err());
        }
    }
}
