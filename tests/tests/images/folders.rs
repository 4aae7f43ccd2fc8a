//! Folders of images and texts as data sets: labels, order, parts, sizes, damaged files.
//! The files are written by each test into a folder of its own.

use eagerflow::{self as tf, Tensor};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tf::data::{
    AspectRatio, ColorMode, IgnoredErrors, ImageFolder, LabelMode, Subset, TextFolder, image_dataset_from_directory,
    text_dataset_from_directory,
};
use tf::image::ResizeMethod;

/// A folder of a test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("eagerflow-folders-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn png(height: usize, width: usize, level: u8) -> Vec<u8> {
    tf::io::encode_png(tf::fill([height, width, 3], level)).to_byte_strings().remove(0)
}

/// Three images of each of two classes, whose levels tell them apart.
fn animals() -> Folder {
    let folder = Folder::new();
    for (class, start) in [("cats", 10_u8), ("dogs", 110)] {
        for i in 0..3 {
            folder.write(&format!("{class}/{i}.png"), &png(4 + usize::from(i), 6, start + i));
        }
    }
    folder.write("cats/notes.txt", b"no image");
    folder.write(".hidden/x.png", &png(2, 2, 0));
    folder
}

fn levels(x: &Tensor) -> Vec<f32> {
    let count = x.shape()[0];
    x.reshape([count as isize, -1]).at(tf::s![.., 0]).to_vec::<f32>()
}

#[test]
fn images_come_in_order_with_their_classes() {
    let folder = animals();
    let options = || ImageFolder::new().image_size((3, 3)).shuffle(false).batch_size(4);
    let images = image_dataset_from_directory(&folder, options());
    assert_eq!(images.class_names, ["cats", "dogs"]);
    assert_eq!(images.file_paths.len(), 6);
    let batches: Vec<(Tensor, Tensor)> = images.dataset.iter().collect();
    assert_eq!(batches[0].0.shape(), [4, 3, 3, 3]);
    assert_eq!(
        (levels(&batches[0].0), batches[0].1.to_vec::<i32>()),
        (vec![10.0, 11.0, 12.0, 110.0], vec![0, 0, 0, 1])
    );
    assert_eq!(batches[1].1.to_vec::<i32>(), [1, 1]);

    let hot = image_dataset_from_directory(
        &folder,
        options().label_mode(LabelMode::Categorical).class_names(["dogs", "cats"]),
    );
    let (x, y) = hot.dataset.iter().next().unwrap();
    assert_eq!((levels(&x)[0], y.shape().dims(), &y.to_vec::<f32>()[..2]), (110.0, &[4, 2][..], &[1.0, 0.0][..]));
    let binary =
        image_dataset_from_directory(&folder, options().label_mode(LabelMode::Binary).color_mode(ColorMode::Grayscale));
    let (x, y) = binary.dataset.iter().next().unwrap();
    assert_eq!((x.shape().dims(), y.to_vec::<f32>()), (&[4, 3, 3, 1][..], vec![0.0, 0.0, 0.0, 1.0]));
    let alone = tf::data::image_dataset_from_directory_unlabeled(folder.0.join("dogs"), options().unbatched());
    assert_eq!(alone.iter().map(|x| x.at(tf::s![0, 0, 0]).item::<f32>()).collect::<Vec<_>>(), [110.0, 111.0, 112.0]);
}

#[test]
fn parts_of_shuffled_files_share_none() {
    let folder = animals();
    let part = |subset| {
        let options = ImageFolder::new().image_size((2, 2)).seed(7).validation_split(0.34).subset(subset);
        let images = image_dataset_from_directory(&folder, options);
        let mut all: Vec<f32> = images.dataset.iter().flat_map(|(x, _)| levels(&x)).collect();
        all.sort_by(f32::total_cmp);
        all
    };
    let (training, validation) = (part(Subset::Training), part(Subset::Validation));
    assert_eq!((training.len(), validation.len()), (4, 2));
    let mut all = [training.clone(), validation].concat();
    all.sort_by(f32::total_cmp);
    assert_eq!(all, [10.0, 11.0, 12.0, 110.0, 111.0, 112.0]);
    assert_eq!(training, part(Subset::Training));
    let alone = tf::data::try_image_dataset_from_directory(&folder, ImageFolder::new().validation_split(0.5));
    assert!(alone.err().unwrap().to_string().contains("belong together"));
}

#[test]
fn other_proportions_are_cut_or_get_margins() {
    let folder = Folder::new();
    let columns: Vec<u8> = (0..4 * 8 * 3).map(|i| if (2..6).contains(&(i / 3 % 8)) { 200 } else { 100 }).collect();
    let image = Tensor::from(columns).reshape([4, 8, 3]);
    folder.write("a/0.png", &tf::io::encode_png(&image).to_byte_strings()[0]);
    let first = |aspect| {
        let options = ImageFolder::new().image_size((4, 4)).aspect_ratio(aspect).shuffle(false);
        image_dataset_from_directory(&folder, options).dataset.iter().next().unwrap().0
    };
    assert_eq!(first(AspectRatio::Crop).to_vec::<f32>(), [200.0; 48]);
    let padded = first(AspectRatio::Pad);
    assert_eq!(padded.at(tf::s![0, 0, .., 0]).to_vec::<f32>(), [0.0; 4]);
    assert_eq!(padded.at(tf::s![0, 1, .., 0]).to_vec::<f32>(), [100.0, 200.0, 200.0, 100.0]);
    assert_eq!(first(AspectRatio::Stretch).at(tf::s![0, 0, .., 0]).to_vec::<f32>(), [100.0, 200.0, 200.0, 100.0]);
}

#[test]
fn images_are_resized_by_any_method() {
    let folder = Folder::new();
    let pixels: Vec<u8> = (0..6 * 5 * 3).map(|i| (i * 37 % 251) as u8).collect();
    let image = Tensor::from(pixels).reshape([6, 5, 3]);
    folder.write("a/0.png", &tf::io::encode_png(&image).to_byte_strings()[0]);
    for method in [ResizeMethod::Bilinear, ResizeMethod::Nearest, ResizeMethod::Bicubic, ResizeMethod::Lanczos3] {
        let options = ImageFolder::new().image_size((3, 7)).interpolation(method).shuffle(false);
        let (x, _) = image_dataset_from_directory(&folder, options).dataset.iter().next().unwrap();
        let want = tf::image::resize(image.cast(tf::float32), (3, 7), method).to_vec::<f32>();
        assert!(x.to_vec::<f32>().iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-3), "{method:?}");
    }
}

#[test]
fn a_damaged_file_is_named_or_left_out() {
    let folder = animals();
    folder.write("cats/1.png", b"no image at all");
    let options = || ImageFolder::new().image_size((2, 2)).shuffle(false).batch_size(6);
    let mut iterator = image_dataset_from_directory(&folder, options()).dataset.iter();
    let error = iterator.try_next().unwrap_err().to_string();
    assert!(error.contains("cats/1.png") && error.contains("no image"), "{error}");
    let ignored = IgnoredErrors::new();
    let rest = image_dataset_from_directory(&folder, options().ignore_errors(&ignored));
    let seen: Vec<f32> = rest.dataset.iter().flat_map(|(x, _)| levels(&x)).collect();
    assert_eq!((seen, ignored.count()), (vec![10.0, 12.0, 110.0, 111.0, 112.0], 1));
    let nothing =
        tf::data::try_image_dataset_from_directory(folder.0.join("none"), options()).err().unwrap().to_string();
    assert!(nothing.contains("NotFound") && nothing.contains("images/folders.rs:"), "{nothing}");
}

#[test]
fn texts_come_with_their_classes() {
    let folder = Folder::new();
    folder.write("neg/a.txt", b"bad film");
    folder.write("pos/deep/b.txt", b"good film");
    let texts = text_dataset_from_directory(&folder, TextFolder::new().shuffle(false).max_length(4));
    let (x, y) = texts.dataset.iter().next().unwrap();
    assert_eq!((x.to_strings(), y.to_vec::<i32>()), (vec!["bad ".to_owned(), "good".to_owned()], vec![0, 1]));
}
