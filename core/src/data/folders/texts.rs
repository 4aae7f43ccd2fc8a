//! `text_dataset_from_directory`: a folder per class, with a text in each file.
//! Keras's `keras.utils.text_dataset_from_directory`.

use super::files::Selection;
use super::labels::{LabeledFiles, folder_options};
use super::read::Reader;
use crate::io::host::io_fn;
use engine::Tensor;
use engine::data::Dataset;
use engine::library::options::{self, options};
use kernels::error::Result;
use std::path::Path;

const OP: &str = "text_dataset_from_directory";
const ENDINGS: [&str; 1] = ["txt"];

/// How a folder of texts is read: the options of `keras.utils.text_dataset_from_directory`.
#[derive(Clone, Debug)]
pub struct TextFolder {
    selection: Selection,
    max_length: Option<usize>,
}

impl TextFolder {
    /// Keras's defaults: batches of 32, shuffled, numbers for labels.
    pub fn new() -> Self {
        Self { selection: Selection::new(), max_length: None }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { op: OP, endings: &ENDINGS, selection: &self.selection }
    }

    #[track_caller]
    fn read(&self) -> impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static {
        let most = self.max_length;
        move |path: &Tensor| {
            let text = engine::io::try_read_file(path)?;
            match most {
                Some(most) => engine::strings::try_substr(&text, 0, most as i64),
                None => Ok(text),
            }
        }
    }
}

folder_options!(TextFolder "text_dataset_from_directory");

options! { [] TextFolder:
    /// Bytes at which texts are cut.
    pub fn max_length, try_max_length(this, bytes: usize) {
        this.max_length = Some(options::count(OP, "max_length", bytes)?);
        Ok(this)
    }
}

io_fn! {
    /// Texts and labels of a folder that has a folder for each class, with files that end in `.txt`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{TextFolder, text_dataset_from_directory};
    /// let folder = std::env::temp_dir().join(format!("eagerflow-texts-{}", std::process::id()));
    /// for (class, text) in [("neg", "bad"), ("pos", "good")] {
    ///     std::fs::create_dir_all(folder.join(class))?;
    ///     std::fs::write(folder.join(class).join("0.txt"), text)?;
    /// }
    /// let texts = text_dataset_from_directory(&folder, TextFolder::new().shuffle(false));
    /// let (text, label) = texts.dataset.iter().next().unwrap();
    /// assert_eq!((text.to_strings(), label.to_vec::<i32>()), (vec!["bad".into(), "good".into()], vec![0, 1]));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn text_dataset_from_directory, try_text_dataset_from_directory(folder: impl AsRef<Path>, options: TextFolder) -> LabeledFiles {
        options.reader().labeled(folder.as_ref(), options.read())
    }

    /// The texts of all files below a folder, without labels: Keras's `labels=None`.
    pub fn text_dataset_from_directory_unlabeled, try_text_dataset_from_directory_unlabeled(
        folder: impl AsRef<Path>,
        options: TextFolder,
    ) -> Dataset<Tensor> {
        options.reader().unlabeled(folder.as_ref(), options.read())
    }
}
