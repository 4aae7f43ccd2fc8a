//! What the operating system refused, as the library's error, with the file's path.
//! Everything that touches files ends here when it fails.

use kernels::error::Error;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The error for what happened to a file; `what` says what was asked, as in "cannot be opened".
pub fn error(path: &Path, what: &str, error: io::Error) -> Error {
    let name = path.display().to_string();
    let what = format!("{what}: {error}");
    match error.kind() {
        ErrorKind::NotFound => Error::not_found(name, what),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::permission_denied(name, what),
        ErrorKind::AlreadyExists => Error::already_exists(name, what),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Error::resource_exhausted(name, what).help("free some space, or write to another disk")
        }
        ErrorKind::FileTooLarge | ErrorKind::OutOfMemory => Error::resource_exhausted(name, what),
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => Error::data_loss(name, what),
        ErrorKind::InvalidInput | ErrorKind::InvalidFilename => Error::invalid_argument(name, what),
        ErrorKind::Unsupported => Error::unimplemented(name, what),
        _ => by_number(error.raw_os_error(), name, what),
    }
}

/// Those for which Rust has no kind: too many open files, and a device that cannot read what it has written.
fn by_number(number: Option<i32>, name: String, what: String) -> Error {
    const EIO: i32 = 5;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    match number {
        Some(ENFILE | EMFILE) if cfg!(unix) => {
            Error::resource_exhausted(name, what).help("close files, or raise `ulimit -n`")
        }
        Some(EIO) if cfg!(unix) => Error::data_loss(name, what),
        // Something else stands in the way: a directory where a file should be, a file where a directory should be.
        _ => Error::failed_precondition(name, what),
    }
}
