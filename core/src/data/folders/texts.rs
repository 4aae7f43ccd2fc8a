//! `text_dataset_from_directory`: a folder per class, with a text in each file.
//! Keras's `keras.utils.text_dataset_from_directory`.

use super::files::{self, Selection};
use super::labels::{self, LabelMode, LabeledFiles, folder_options};
use crate::io::host::io_fn;
use engine::Tensor;
use engine::data::{Dataset, IgnoredErrors};
use engine::library::options::{self, options};
use kernels::error::Result;
use std::path::Path;

const OP: &str = "text_dataset_from_directory";
const ENDINGS: [&str; 1] = ["txt"];

/// How a folder of texts is read: the options of `keras.utils.text_dataset_from_directory`.
#[derive(Clone, Debug)]
pub struct TextFolder {
    label_mode: LabelMode,
    class_names: Option<Vec<String>>,
    selection: Selection,
    max_length: Option<usize>,
    ignored: Option<IgnoredErrors>,
}

impl TextFolder {
    /// Keras's defaults: batches of 32, shuffled, numbers for labels.
    pub fn new() -> Self {
        let selection = Selection::new();
        Self { label_mode: LabelMode::Int, class_names: None, selection, max_length: None, ignored: None }
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
        let (names, selection) = (options.class_names.as_deref(), &options.selection);
        selection.check(OP)?;
        let found = selection.part(OP, files::of_classes(OP, folder.as_ref(), &ENDINGS, names, selection)?)?;
        let (paths, file_paths) = labels::paths(&found)?;
        let labels = labels::tensor(OP, options.label_mode, &found)?;
        let read = options.read();
        let files = Dataset::try_from_tensor_slices((paths, labels))?;
        let dataset = labels::pipeline(files, selection, options.ignored.as_ref(), move |(path, label)| Ok((read(&path)?, label)));
        Ok(LabeledFiles { dataset, class_names: found.classes, file_paths })
    }

    /// The texts of all files below a folder, without labels: Keras's `labels=None`.
    pub fn text_dataset_from_directory_unlabeled, try_text_dataset_from_directory_unlabeled(
        folder: impl AsRef<Path>,
        options: TextFolder,
    ) -> Dataset<Tensor> {
        options.selection.check(OP)?;
        let found = files::of_no_class(OP, folder.as_ref(), &ENDINGS, &options.selection)?;
        let (paths, _) = labels::paths(&options.selection.part(OP, found)?)?;
        let read = options.read();
        let files = Dataset::try_from_tensor_slices(paths)?;
        Ok(labels::pipeline(files, &options.selection, options.ignored.as_ref(), move |path| read(&path)))
    }
}
