//! What the examples share: the handwritten digits and the text that come along with the source, options, and where pictures go.
//! Each example lies in a folder of its own beside this one.

pub mod command_line;
pub mod digits;
pub mod text;

use std::path::PathBuf;

/// The folder for pictures: the program's first argument, or `pictures`. It is made if it is not there.
///
/// # Errors
/// What the system answers, with the folder.
pub fn picture_folder() -> eagerflow::Result<PathBuf> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "pictures".into()));
    std::fs::create_dir_all(&folder).map_err(|error| {
        eagerflow::Error::failed_precondition("pictures", "the folder cannot be made")
            .got(format!("{}: {error}", folder.display()))
    })?;
    Ok(folder)
}
