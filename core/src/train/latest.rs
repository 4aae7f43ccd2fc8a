//! The newest checkpoint of a directory, as the text file `checkpoint` in it tells.
//! Programs that resume ask for it; managers and `save` write the file.

use formats::bundle::{self, Bundle};
pub use formats::state::CheckpointState;
pub(super) use formats::state::STATE_FILE;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::path::{Component, Path, PathBuf};

/// What a directory's file `checkpoint` says, TensorFlow's `tf.train.get_checkpoint_state`; none where there is no such file.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::train::get_checkpoint_state("no/such/directory")?.is_none());
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// DataLoss where the file is damaged, PermissionDenied as the system reports it.
#[track_caller]
pub fn get_checkpoint_state(directory: impl AsRef<Path>) -> Result<Option<CheckpointState>> {
    let here = Location::caller();
    state_of(directory.as_ref()).map_err(|e| e.at(here))
}

pub(super) fn state_of(directory: &Path) -> Result<Option<CheckpointState>> {
    match CheckpointState::read(&directory.join(STATE_FILE)) {
        Ok(state) => Ok(Some(state)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path of a directory's newest checkpoint, TensorFlow's `tf.train.latest_checkpoint`; none where nothing was saved there.
///
/// ```
/// use eagerflow as tf;
/// # let directory = std::env::temp_dir().join(format!("eagerflow-doc-latest-{}", std::process::id()));
/// let v = tf::Variable::new(1.0);
/// let checkpoint = tf::train::Checkpoint::new().with("v", &v);
/// assert_eq!(tf::train::latest_checkpoint(&directory)?, None);
/// let path = checkpoint.save(directory.join("ckpt"))?;
/// assert_eq!(tf::train::latest_checkpoint(&directory)?, Some(path));
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// As [`get_checkpoint_state`]. InvalidArgument where the file names a checkpoint outside of its directory; NotFound where it names one
/// that is not there, so that no training begins anew unasked.
#[track_caller]
pub fn latest_checkpoint(directory: impl AsRef<Path>) -> Result<Option<PathBuf>> {
    let (here, directory) = (Location::caller(), directory.as_ref());
    let latest = || {
        let Some(state) = state_of(directory)? else { return Ok(None) };
        newest(directory, &state).map(Some)
    };
    latest().map_err(|e: Error| e.at(here))
}

/// The newest checkpoint that a directory's file tells of.
pub(super) fn newest(directory: &Path, state: &CheckpointState) -> Result<PathBuf> {
    let path = inside(directory, &state.model_checkpoint_path)?;
    if bundle::exists(&path) {
        return Ok(path);
    }
    let (file, what) = (directory.join(STATE_FILE), "the file names a newest checkpoint that is not there");
    Err(Error::not_found(file.display().to_string(), what)
        .got(format!("`{}`", state.model_checkpoint_path))
        .expected(format!("a file `{}.index`", path.display()))
        .help("restore another checkpoint by its own path; to begin anew, delete the file"))
}

/// A path of the file `checkpoint`, which must not lead out of the directory.
pub(super) fn inside(directory: &Path, path: &str) -> Result<PathBuf> {
    let given = Path::new(path);
    // TensorFlow writes absolute paths where it is asked to.
    let below = given.strip_prefix(directory).unwrap_or(given);
    let named = below.components().count() > 0 && below.components().all(|part| matches!(part, Component::Normal(_)));
    match named {
        true => Ok(directory.join(below)),
        false => Err(Error::invalid_argument(
            directory.join(STATE_FILE).display().to_string(),
            "the file names a checkpoint outside of its directory",
        )
        .got(format!("`{path}`"))
        .expected(format!("a path below `{}`", directory.display()))
        .help("restore it by its own path where that is meant")),
    }
}

/// Opens the checkpoint of a path. Where there is none, the error tells what the path is instead.
pub(super) fn open(path: &Path) -> Result<Bundle> {
    Bundle::open(path).map_err(|error| match (error, other_kind(path)) {
        (error @ Error::NotFound(_), Some(help)) => error.help(help),
        (error, _) => error,
    })
}

/// What somebody meant who gave this path for a checkpoint.
fn other_kind(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let ending = name.strip_suffix(".index").or_else(|| name.split_once(".data-").map(|(name, _)| name));
    Some(match ending {
        Some(name) => format!("a checkpoint is named without the endings of its files: `{}`", path.with_file_name(name).display()),
        None if path.is_dir() => {
            "the path is a directory: `tf::train::latest_checkpoint` gives the path of its newest checkpoint".to_owned()
        }
        None if path.is_file() => {
            "the path is a file: `tf::train::load_weights` loads weights in safetensors; a checkpoint is named without the endings of \
             its files, such as `ckpt-1`"
                .to_owned()
        }
        None => return beside(path),
    })
}

/// How many checkpoints a message lists.
const LISTED: usize = 3;

/// The checkpoints in the directory of a path of which there are no files; those of its name first.
fn beside(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(directory).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".index").map(str::to_owned));
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut there: Vec<(bool, usize, String)> =
        names.map(|other| (!other.starts_with(stem), other.len(), other)).collect();
    there.sort();
    let list: Vec<String> = there.iter().take(LISTED).map(|(.., other)| format!("`{other}`")).collect();
    Some(match there.len() {
        0 => format!("there is no checkpoint in `{}`", directory.display()),
        count => {
            let more = if count > LISTED { format!(" and {} others", count - LISTED) } else { String::new() };
            format!("the directory has {}{more}; `tf::train::latest_checkpoint` gives the newest", list.join(", "))
        }
    })
}
