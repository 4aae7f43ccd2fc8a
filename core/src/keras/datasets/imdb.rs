//! `keras.datasets.imdb`: 50,000 reviews of films as numbers of words, good or bad.
//! Reviews have different lengths, so they are lists; `padded_batch` of a data set makes tensors of them.

use super::npy::Npz;
use super::{absent, first, read};
use crate::keras::shuffle::RandomState;
use engine::Tensor;
use engine::library::OrFail;
use kernels::error::{Error, Result};
use std::collections::BTreeMap;
use std::panic::Location;
use std::path::Path;

/// How reviews are read: the options of `keras.datasets.imdb.load_data`, with its defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imdb {
    /// Words are kept whose number is below this; `None` for all.
    pub num_words: Option<i64>,
    /// The most frequent words that are left out.
    pub skip_top: i64,
    /// Reviews of so many words and more are left out.
    pub maxlen: Option<usize>,
    /// The seed of the order, which is Keras's.
    pub seed: u32,
    /// What each review begins with.
    pub start_char: Option<i64>,
    /// What stands for words that are left out; `None` for nothing.
    pub oov_char: Option<i64>,
    /// What is added to the numbers of words.
    pub index_from: i64,
}

impl Default for Imdb {
    fn default() -> Self {
        Self {
            num_words: None,
            skip_top: 0,
            maxlen: None,
            seed: 113,
            start_char: Some(1),
            oov_char: Some(2),
            index_from: 3,
        }
    }
}

/// Reviews, and labels `[n]` of `int64`: 1 for good ones.
pub type Reviews = (Vec<Vec<i64>>, Tensor);

/// Reviews of training and of testing: Keras's `keras.datasets.imdb.load_data`, from `imdb.npz`, as Keras keeps it in `~/.keras/datasets`.
///
/// ```
/// use eagerflow as tf;
/// use tf::keras::datasets::imdb::{Imdb, try_load_data};
/// let options = Imdb { num_words: Some(10_000), ..Imdb::default() };
/// assert!(try_load_data("/no/such/folder", options).unwrap_err().to_string().contains("imdb.npz"));
/// ```
///
/// # Panics
/// As [`try_load_data`] fails, at the caller's line.
#[track_caller]
pub fn load_data(folder: impl AsRef<Path>, options: Imdb) -> (Reviews, Reviews) {
    try_load_data(folder, options).or_fail()
}

/// [`load_data`] that answers an error instead of panicking.
///
/// # Errors
/// NotFound for a folder without the file, DataLoss for a damaged one, and InvalidArgument if `maxlen` or `num_words` leaves nothing.
#[track_caller]
pub fn try_load_data(folder: impl AsRef<Path>, options: Imdb) -> Result<(Reviews, Reviews)> {
    let here = Location::caller();
    load(folder.as_ref(), options).map_err(|e| e.at(here))
}

/// The numbers of words, before [`Imdb::index_from`] is added: Keras's `get_word_index`, from `imdb_word_index.json`.
///
/// # Errors
/// NotFound for a folder without the file, and DataLoss for a damaged one.
#[track_caller]
pub fn try_get_word_index(folder: impl AsRef<Path>) -> Result<BTreeMap<String, i64>> {
    let (folder, here) = (folder.as_ref(), Location::caller());
    let from = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb_word_index.json";
    let path = first(folder, &["imdb_word_index.json"]);
    let path = path.ok_or_else(|| absent("get_word_index", folder, "imdb_word_index.json", from).at(here))?;
    let bytes = read("get_word_index", &path).map_err(|e| e.at(here))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| Error::data_loss("get_word_index", format!("`{}`: {e}", path.display())).at(here))
}

fn load(folder: &Path, options: Imdb) -> Result<(Reviews, Reviews)> {
    if let Some(most) = options.num_words.filter(|&most| most <= options.skip_top.max(0)) {
        return Err(Error::invalid_argument("load_data", "`num_words` leaves no word")
            .got(most)
            .expected(format!("more than `skip_top`, {}", options.skip_top)));
    }
    let from = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz";
    let path = first(folder, &["imdb.npz"]).ok_or_else(|| absent("load_data", folder, "imdb.npz", from))?;
    let (mut file, mut random) = (Npz::read(&path)?, RandomState::new(options.seed));
    let mut part = |x: &str, y: &str| -> Result<(Vec<Vec<i64>>, Vec<i64>)> {
        let (reviews, labels) =
            (file.lists(x)?, engine::library::cast_to(&file.tensor(y)?, kernels::dtype::DType::I64)?);
        let labels = labels.try_to_vec::<i64>()?;
        if reviews.len() != labels.len() {
            return Err(Error::data_loss("load_data", "reviews and labels do not belong together").got(format!(
                "{} and {}",
                reviews.len(),
                labels.len()
            )));
        }
        let order = random.permutation(reviews.len());
        let words = |review: &Vec<i64>| {
            options
                .start_char
                .into_iter()
                .chain(review.iter().map(|word| word.saturating_add(options.index_from)))
                .collect()
        };
        let pairs = order.iter().map(|&at| (words(&reviews[at]), labels[at]));
        let fits = |(review, _): &(Vec<i64>, i64)| options.maxlen.is_none_or(|most| review.len() < most);
        Ok(pairs.filter(fits).unzip())
    };
    let (train, test) = (part("x_train", "y_train")?, part("x_test", "y_test")?);
    if train.0.is_empty() || test.0.is_empty() {
        return Err(
            Error::invalid_argument("load_data", "`maxlen` leaves no review").got(format!("{:?}", options.maxlen))
        );
    }
    let most = train.0.iter().chain(&test.0).flatten().max().copied().unwrap_or(0);
    let range = options.skip_top..options.num_words.unwrap_or(most);
    let kept = |(reviews, labels): (Vec<Vec<i64>>, Vec<i64>)| -> Result<Reviews> {
        let keep = |word: i64| if range.contains(&word) { Some(word) } else { options.oov_char };
        let reviews = reviews.into_iter().map(|review| review.into_iter().filter_map(keep).collect()).collect();
        let count = labels.len();
        Ok((reviews, Tensor::try_from_vec(labels, [count])?))
    };
    Ok((kept(train)?, kept(test)?))
}
