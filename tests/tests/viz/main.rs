//! Pictures as users get them: files are written by `tf::viz`, and read again by a decoder.
//! What they look like was looked at; here are sizes, colors, places and errors.

mod charts;
mod grids;
mod matrices;

use std::path::{Path, PathBuf};

/// A folder of a test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("eagerflow-viz-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder of the test");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The pixels of a PNG, with opacity.
fn read(path: &Path) -> image::RgbaImage {
    image::load_from_memory(&std::fs::read(path).expect("the picture is there")).expect("a PNG").to_rgba8()
}

/// The places of all pixels of about a color.
fn places(picture: &image::RgbaImage, color: [u8; 3]) -> Vec<(u32, u32)> {
    let near = |pixel: &image::Rgba<u8>| (0..3).all(|c| pixel.0[c].abs_diff(color[c]) < 12);
    picture.enumerate_pixels().filter(|(_, _, pixel)| near(pixel)).map(|(x, y, _)| (x, y)).collect()
}
