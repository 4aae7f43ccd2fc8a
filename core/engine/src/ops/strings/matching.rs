//! `matching_files`: the paths of files that match patterns, found when a graph comes to it.
//! TensorFlow's `tf.io.matching_files`, on files of this machine.

use super::{string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use crate::tensor::strings::Strings;
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::path::PathBuf;

/// Input: the patterns.
#[derive(Clone)]
struct MatchingFiles;

string_op!(MatchingFiles, "matching_files", {}, may_fail: true,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::STRING)?;
        let found = cx.unknown_dim();
        cx.output(cx.dtype(0), Shape::from_dims(&[found])?);
        Ok(())
    },
    run: |_this, inputs| find(inputs[0]).map(|found| smallvec::smallvec![found])
);

fn find(patterns: &Tensor) -> Result<Tensor> {
    let mut found: Vec<PathBuf> = Vec::new();
    for pattern in Strings::of(patterns, "matching_files")?.rows()? {
        let pattern = std::str::from_utf8(pattern).map_err(|_| {
            Error::invalid_argument("matching_files", "a pattern is not UTF-8").got(format!("{pattern:?}"))
        })?;
        found.extend(formats::files::matching(pattern.as_ref())?);
    }
    found.sort_unstable();
    let names: Vec<&[u8]> = found.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
    Tensor::of_strings(&names, &Shape::new(&[names.len()])?)
}

string_fn! {
    /// The paths of the files and folders that match a pattern, or one of several, in the order of their bytes; none is no error.
    ///
    /// `*` stands for any part of a name, `?` for a character, `[a-c]` for one of a set and `[!a-c]` for one of the others; none of them
    /// for a `/`, and a `\` takes the meaning of what follows it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let folder = std::env::temp_dir().join(format!("eagerflow-matching-{}", std::process::id()));
    /// let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    /// for name in ["b.txt", "a.txt", "c.bin"] {
    ///     tf::io::write_file(path(name), "");
    /// }
    /// assert_eq!(tf::io::matching_files(path("*.txt")).to_strings(), [path("a.txt"), path("b.txt")]);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    pub fn matching_files, try_matching_files(pattern) -> Tensor {
        execute1(&MatchingFiles, &[pattern])
    }
}
