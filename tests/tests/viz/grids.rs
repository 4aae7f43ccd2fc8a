//! Batches of images: every pixel of a small grid, the options, and what is refused.

use super::{Folder, read};
use eagerflow as tf;
use tf::Tensor;
use tf::viz::{Grid, grid, try_grid};

/// The pixels of a picture, row by row.
fn rows(images: &Tensor, options: &Grid, name: &str) -> Vec<Vec<[u8; 4]>> {
    let folder = Folder::new(name);
    let path = folder.file("grid.png");
    options.save(images, &path);
    assert_eq!(folder.names(), ["grid.png"]);
    let picture = read(&path);
    (0..picture.height()).map(|y| (0..picture.width()).map(|x| picture.get_pixel(x, y).0).collect()).collect()
}

const WHITE: [u8; 4] = [255; 4];

fn gray(value: u8) -> [u8; 4] {
    [value, value, value, 255]
}

#[test]
fn every_pixel_of_three_images() {
    let images = tf::constant([[[0.0, 0.2]], [[0.4, 0.6]], [[0.8, 2.0]]]);
    let options = Grid::new().columns(2).padding(1).zoom(2);
    let got = rows(&images, &options, "three");
    let line = |a: u8, b: u8, c: u8, d: u8| {
        let pixels = [WHITE, gray(a), gray(a), gray(b), gray(b), WHITE, gray(c), gray(c), gray(d), gray(d), WHITE];
        pixels.to_vec()
    };
    let last = |a: u8, b: u8| [vec![WHITE, gray(a), gray(a), gray(b), gray(b)], vec![WHITE; 6]].concat();
    let blank = vec![WHITE; 11];
    let right = [
        blank.clone(),
        line(0, 51, 102, 153),
        line(0, 51, 102, 153),
        blank.clone(),
        last(204, 255),
        last(204, 255),
        blank,
    ];
    assert_eq!(got, right);
}

#[test]
fn ranges_and_dtypes() {
    let plain = Grid::new().padding(0).zoom(1);
    let bytes = Tensor::from([[[0u8, 7, 255]]]);
    assert_eq!(rows(&bytes, &plain, "bytes"), [[gray(0), gray(7), gray(255)]]);
    let signed = tf::constant([[[-1.0, 0.0, 1.0, -9.0]]]);
    assert_eq!(rows(&signed, &plain.clone().range(-1.0, 1.0), "signed"), [[gray(0), gray(128), gray(255), gray(0)]]);
    let sixteen = tf::constant([[[0, 8, 16]]]);
    assert_eq!(rows(&sixteen, &plain.clone().range(0.0, 16.0), "ints"), [[gray(0), gray(128), gray(255)]]);
    let halves = tf::constant([[[0.0, 1.0]]]).cast(tf::float16);
    assert_eq!(rows(&halves, &plain, "halves"), [[gray(0), gray(255)]]);
    let odd = tf::constant([[[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]]]);
    assert_eq!(rows(&odd, &plain, "odd"), [[[255, 0, 255, 255], gray(255), gray(0)]]);
}

#[test]
fn colors_and_opacity() {
    let plain = Grid::new().padding(0).zoom(1);
    let rgb = tf::constant([[[[1.0, 0.0, 0.2]]]]);
    assert_eq!(rows(&rgb, &plain, "rgb"), [[[255, 0, 51, 255]]]);
    let rgba = Tensor::from([[[[0u8, 9, 200, 40]]], [[[1, 2, 3, 255]]]]);
    assert_eq!(rows(&rgba, &plain.columns(1).padding(1), "rgba")[1], [WHITE, [0, 9, 200, 40], WHITE]);
}

#[test]
fn small_images_are_enlarged_and_lie_in_a_square() {
    let folder = Folder::new("square");
    let path = folder.file("digits.png");
    grid(tf::zeros([10, 8, 8, 1]), &path);
    assert_eq!(read(&path).dimensions(), (4 * 48 + 5 * 2, 3 * 48 + 4 * 2));
    // A file that is there is replaced.
    grid(tf::zeros([2, 100, 50]), &path);
    assert_eq!(read(&path).dimensions(), (2 * 50 + 3 * 2, 104));
    Grid::new().columns(100).save(tf::zeros([3, 64, 64]), &path);
    assert_eq!(read(&path).dimensions(), (3 * 64 + 4 * 2, 68));
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("mistakes");
    let path = folder.file("none.png");
    let refused = |images: Tensor, words: &[&str]| {
        let text = try_grid(&images, &path).unwrap_err().to_string();
        assert!(words.iter().all(|word| text.contains(word)) && text.contains("grids.rs"), "{text}");
    };
    refused(tf::ones([8, 8]), &["grid: ", "wrong rank", "[8, 8]", "[n, height, width]", "expand_dims"]);
    refused(tf::ones([1, 2, 8, 8, 3]), &["wrong rank", "[1, 2, 8, 8, 3]"]);
    refused(tf::ones([4, 8, 8, 2]), &["number of channels", "[4, 8, 8, 2]", "1 for gray"]);
    refused(tf::ones([0, 8, 8, 1]), &["nothing to draw", "[0, 8, 8, 1]"]);
    refused(tf::ones([3, 0, 8]), &["nothing to draw", "[3, 0, 8]"]);
    refused(tf::constant([[[true]]]), &["no real numbers", "bool"]);
    refused(tf::constant([[["a"]]]), &["no real numbers", "string"]);
    let large = Grid::new().zoom(1000).try_save(tf::ones([100, 90, 90]), &path).unwrap_err().to_string();
    assert!(large.contains("too large") && large.contains("smaller `zoom`"), "{large}");
    let options = [
        Grid::new().try_columns(0).map(|_| ()),
        Grid::new().try_zoom(0).map(|_| ()),
        Grid::new().try_zoom(1001).map(|_| ()),
        Grid::new().try_padding(usize::MAX).map(|_| ()),
        Grid::new().try_range(1.0, 1.0).map(|_| ()),
        Grid::new().try_range(0.0, f64::NAN).map(|_| ()),
    ];
    for (at, option) in options.into_iter().enumerate() {
        let text = option.unwrap_err().to_string();
        assert!(text.contains("out of range") && text.contains("grids.rs"), "{at}: {text}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_nothing_is_left() {
    let folder = Folder::new("unwritable");
    let missing = folder.file("no/such/grid.png");
    let error = try_grid(tf::ones([1, 2, 2]), &missing).unwrap_err();
    assert!(matches!(error, tf::Error::NotFound(_)) && error.to_string().contains("grid.png"), "{error}");
    std::fs::create_dir_all(folder.file("taken/below")).unwrap();
    let error = try_grid(tf::ones([1, 2, 2]), folder.file("taken")).unwrap_err().to_string();
    assert!(error.contains("taken") && error.contains("grids.rs"), "{error}");
    assert_eq!(folder.names(), ["taken"]);
}

#[tf::tf_function]
fn drawn_while_traced(images: &Tensor, path: String) -> tf::Result<Tensor> {
    try_grid(images, &path)?;
    Ok(images + 1.0)
}

#[test]
fn a_graph_has_no_pixels_yet() {
    let error = drawn_while_traced(&tf::ones([1, 2, 2]), "never.png".to_owned()).unwrap_err().to_string();
    assert!(error.contains("grids.rs"), "{error}");
    assert!(!std::path::Path::new("never.png").exists());
}
