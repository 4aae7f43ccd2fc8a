//! Confusion matrices: cells by their share of a row, names along both sides, and what is refused.

use super::{Folder, read};
use eagerflow as tf;
use tf::Tensor;
use tf::viz::{confusion, try_confusion};

/// The grounds of all cells, row by row: the most frequent colors of their pixels.
fn grounds(picture: &image::RgbaImage, classes: u32, cell: u32) -> Vec<u32> {
    let (left, top) = (picture.width() - 20 - classes * cell, picture.height() - 20 - classes * cell);
    let corner = |at: u32| picture.get_pixel(left + at % classes * cell + 3, top + at / classes * cell + 3).0;
    (0..classes * classes).map(|at| corner(at)[..3].iter().map(|&c| u32::from(c)).sum()).collect()
}

#[test]
fn the_share_of_a_row_darkens_a_cell() {
    let folder = Folder::new("confusion");
    let path = folder.file("matrix.png");
    let matrix = tf::constant([[90, 10, 0], [0, 0, 0], [1, 1, 2]]);
    confusion(&matrix, &["a", "b", "c"], &path);
    assert_eq!(folder.names(), ["matrix.png"]);
    let dark = grounds(&read(&path), 3, 40);
    let white = dark[2];
    assert!(dark[0] < dark[8] && dark[8] < dark[6] && dark[6] < dark[1] && dark[1] < white, "{dark:?}");
    assert_eq!(dark[3..6], [white; 3], "a label without examples");
    assert_eq!(dark[6], dark[7]);
    // The counts of floats may be shares.
    confusion(Tensor::from([[0.25f64, 0.75], [f64::MAX, f64::MAX]]), &["a".to_owned(), "b".to_owned()], &path);
}

#[test]
fn long_names_are_read_from_below() {
    let folder = Folder::new("names");
    let path = folder.file("matrix.png");
    let matrix = tf::linalg::eye(2) * 7.0;
    confusion(&matrix, &["a", "b"], &path);
    let short = read(&path);
    confusion(&matrix, &["a rather long name", "b"], &path);
    let long = read(&path);
    // The name takes as much room above the cells as beside them.
    let (wider, higher) = (long.width() - short.width(), long.height() - short.height());
    assert!(wider > 80 && higher > 80 && wider.abs_diff(higher) < 16, "{wider} by {higher}");
    assert_eq!(grounds(&long, 2, 40), grounds(&short, 2, 40));
    confusion(&matrix, &["endless ".repeat(100), String::new()], &path);
    assert!(read(&path).width() < 400);
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("mistakes-of-matrices");
    let path = folder.file("none.png");
    let refused = |matrix: Tensor, names: &[&str], words: &[&str]| {
        let text = try_confusion(&matrix, names, &path).unwrap_err().to_string();
        assert!(words.iter().all(|word| text.contains(word)) && text.contains("matrices.rs"), "{text}");
    };
    refused(tf::ones([4]), &["a"], &["confusion: ", "wrong rank", "[4]", "[classes, classes]"]);
    refused(tf::ones([2, 3]), &["a", "b"], &["not square", "[2, 3]"]);
    refused(tf::ones([0, 0]), &[], &["no classes", "[0, 0]"]);
    refused(tf::ones([2, 2]), &["a"], &["as many names", "1 names for a matrix of [2, 2]", "2 names"]);
    refused(tf::constant([[1, 2], [-3, 4]]), &["a", "b"], &["out of range", "-3 at [1, 0]"]);
    refused(tf::constant([[1.0, f32::NAN], [3.0, 4.0]]), &["a", "b"], &["out of range", "NaN at [0, 1]"]);
    refused(tf::constant([[true]]), &["a"], &["no real numbers", "bool"]);
    assert_eq!(folder.names(), [""; 0]);
}
