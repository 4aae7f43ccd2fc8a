//! The one error type of the library: TensorFlow's status codes, each with a report that says what went wrong, where,
//! what was got and expected, and what to do. Every fallible function returns it, and the panicking forms print it.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The result of everything that can fail in this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an operation, a file or a device refused, under TensorFlow's status code of the same name.
///
/// Every variant holds a [`Report`] with the operation, the user's source line, what was got against what was
/// expected, and a way out.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::constant([1.0, 2.0]);
/// let b = tf::constant([1.0, 2.0, 3.0]);
/// let error = a.try_add(&b).unwrap_err();
/// assert!(matches!(error, tf::Error::InvalidArgument(_)));
/// assert!(error.to_string().contains("[2]") && error.to_string().contains("[3]"));
/// ```
///
/// `{:?}` prints what `{}` does, so that `unwrap` and `fn main() -> tf::Result<()>` show the message too:
///
/// ```
/// use eagerflow as tf;
/// let error = tf::ones(2).try_add(tf::ones(3)).unwrap_err();
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument that no state of the program could make right: a wrong shape, dtype, axis or format.
    #[error("InvalidArgument: {0}")]
    InvalidArgument(Box<Report>),
    /// An index, a position or the end of a sequence was passed.
    #[error("OutOfRange: {0}")]
    OutOfRange(Box<Report>),
    /// The argument is right but the state is not: an unbuilt layer, an uninitialised variable.
    #[error("FailedPrecondition: {0}")]
    FailedPrecondition(Box<Report>),
    /// A file, device or name does not exist.
    #[error("NotFound: {0}")]
    NotFound(Box<Report>),
    /// Something with this name exists already.
    #[error("AlreadyExists: {0}")]
    AlreadyExists(Box<Report>),
    /// Bytes that were read are cut off or damaged.
    #[error("DataLoss: {0}")]
    DataLoss(Box<Report>),
    /// The request is sound but this build or device has no implementation for it.
    #[error("Unimplemented: {0}")]
    Unimplemented(Box<Report>),
    /// Memory or another resource is used up.
    #[error("ResourceExhausted: {0}")]
    ResourceExhausted(Box<Report>),
    /// The operating system refused an access.
    #[error("PermissionDenied: {0}")]
    PermissionDenied(Box<Report>),
    /// A rule of the library itself was broken: please report it.
    #[error("Internal: {0}")]
    Internal(Box<Report>),
}

/// The parts of an error message, in the order in which they are printed.
#[derive(Clone, Default)]
pub struct Report {
    op: String,
    what: String,
    got: Option<String>,
    expected: Option<String>,
    variable: Option<String>,
    location: Option<&'static Location<'static>>,
    help: Option<String>,
    /// See [`OnTheWay::returned`].
    returned: bool,
    /// Whether a panic with this message was caught, which has been printed.
    caught: bool,
    /// Whether `variable` is a path of layers, see [`OnTheWay::within`].
    in_layer: bool,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $variant:ident;)*) => {$(
        $(#[$doc])*
        #[cold]
        pub fn $name(op: impl Into<String>, what: impl Into<String>) -> Self {
            Self::$variant(Box::new(Report { op: op.into(), what: what.into(), ..Report::default() }))
        }
    )*};
}

impl Error {
    constructors! {
        /// An [`Error::InvalidArgument`] of the operation `op` that says `what` is wrong.
        invalid_argument => InvalidArgument;
        /// An [`Error::OutOfRange`] of the operation `op` that says `what` is wrong.
        out_of_range => OutOfRange;
        /// An [`Error::FailedPrecondition`] of the operation `op` that says `what` is wrong.
        failed_precondition => FailedPrecondition;
        /// An [`Error::NotFound`] of the operation `op` that says `what` is missing.
        not_found => NotFound;
        /// An [`Error::AlreadyExists`] of the operation `op` that says `what` is there already.
        already_exists => AlreadyExists;
        /// An [`Error::DataLoss`] of the operation `op` that says `what` is damaged.
        data_loss => DataLoss;
        /// An [`Error::Unimplemented`] of the operation `op` that says `what` is missing.
        unimplemented => Unimplemented;
        /// An [`Error::ResourceExhausted`] of the operation `op` that says `what` is used up.
        resource_exhausted => ResourceExhausted;
        /// An [`Error::PermissionDenied`] of the operation `op` that says `what` was refused.
        permission_denied => PermissionDenied;
        /// An [`Error::Internal`] of the operation `op` that says which rule of the library was broken.
        internal => Internal;
    }

    /// The parts of the message.
    pub fn report(&self) -> &Report {
        match self {
            Self::InvalidArgument(r)
            | Self::OutOfRange(r)
            | Self::FailedPrecondition(r)
            | Self::NotFound(r)
            | Self::AlreadyExists(r)
            | Self::DataLoss(r)
            | Self::Unimplemented(r)
            | Self::ResourceExhausted(r)
            | Self::PermissionDenied(r)
            | Self::Internal(r) => r,
        }
    }

    fn edit(mut self, change: impl FnOnce(&mut Report)) -> Self {
        match &mut self {
            Self::InvalidArgument(r)
            | Self::OutOfRange(r)
            | Self::FailedPrecondition(r)
            | Self::NotFound(r)
            | Self::AlreadyExists(r)
            | Self::DataLoss(r)
            | Self::Unimplemented(r)
            | Self::ResourceExhausted(r)
            | Self::PermissionDenied(r)
            | Self::Internal(r) => change(r),
        }
        self
    }

    /// Adds what was got.
    pub fn got(self, got: impl fmt::Display) -> Self {
        self.edit(|r| r.got = Some(got.to_string()))
    }

    /// Adds what would have been right.
    pub fn expected(self, expected: impl fmt::Display) -> Self {
        self.edit(|r| r.expected = Some(expected.to_string()))
    }

    /// Adds what the user can do about it.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.edit(|r| r.help = Some(help.into()))
    }

    /// Adds the user's name for the value that is wrong.
    pub fn variable(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.edit(|r| r.variable = Some(name).filter(|name| !name.is_empty()))
    }

    /// Adds the user's source line, unless a call closer to the fault has set one already. A line of the library itself is none.
    pub fn at(self, location: &'static Location<'static>) -> Self {
        if is_ours(location) {
            return self;
        }
        self.edit(|r| {
            r.location.get_or_insert(location);
        })
    }

    /// Puts the operation's name where none was known yet, as the caller of a shared helper does.
    pub fn in_op(self, op: &str) -> Self {
        self.edit(|r| {
            if r.op.is_empty() {
                r.op = op.into();
            }
        })
    }
}

impl Report {
    /// The operation, layer or file that refused.
    pub fn op(&self) -> &str {
        &self.op
    }

    /// The user's name for the value that is wrong, where it is known.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// The user's source line, where it is known.
    pub fn location(&self) -> Option<&'static Location<'static>> {
        self.location
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.op.is_empty() {
            write!(f, "{}: ", self.op)?;
        }
        write!(f, "{}", self.what)?;
        let parts = [("got", &self.got), ("expected", &self.expected), ("variable", &self.variable)];
        for (label, text) in parts {
            if let Some(text) = text {
                write!(f, "\n  {label}: {text}")?;
            }
        }
        if let Some(at) = self.location {
            write!(f, "\n  at: {}:{}:{}", at.file(), at.line(), at.column())?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

/// What the engine does with errors on their way to the user.
#[doc(hidden)]
pub trait OnTheWay: Sized {
    /// Puts the name by which the user called: what he wrote is made of other operations.
    fn named(self, op: &str) -> Self;
    /// Marks the error as one that a traced function gives back by `Err(..)`, where others end the call by a panic.
    fn returned(self) -> Self;
    /// Whether a traced function has to give it back.
    fn is_returned(&self) -> bool;
    /// The error as the user is given it back, who may do with it as with any other.
    fn given_back(self) -> Self;
    /// Puts a layer in front of the path of layers in which it happened, such as `sequential/hidden`.
    fn within(self, layer: &str) -> Self;
}

impl OnTheWay for Error {
    fn named(self, op: &str) -> Self {
        self.edit(|r| r.op = op.into())
    }

    fn returned(self) -> Self {
        self.edit(|r| r.returned = true)
    }

    fn is_returned(&self) -> bool {
        self.report().returned
    }

    fn given_back(self) -> Self {
        self.edit(|r| r.returned = false)
    }

    fn within(self, layer: &str) -> Self {
        self.edit(|r| {
            let path = r.variable.take().filter(|_| r.in_layer);
            r.variable = Some(match path {
                // Whoever runs a layer may say its name after the layer has done so itself.
                Some(path) if path.split('/').next() == Some(layer) => path,
                Some(path) => format!("{layer}/{path}"),
                None => layer.to_owned(),
            });
            r.in_layer = true;
        })
    }
}

/// Has the loader call [`take_all_lines_for_the_users`] before a program of unit tests starts; stands once in a crate of the library.
#[doc(hidden)]
#[macro_export]
macro_rules! unit_tests_are_users {
    () => {
        const _: () = {
            extern "C" fn lines_are_the_users() {
                $crate::error::take_all_lines_for_the_users();
            }

            // SAFETY: the section lists functions of this type that run before `main`; this one stores to an atomic and needs
            // nothing else.
            #[used]
            #[cfg_attr(all(unix, not(target_vendor = "apple")), unsafe(link_section = ".init_array"))]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs"))]
            #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
            static FIRST: extern "C" fn() = lines_are_the_users;
        };
    };
}

/// Turns a failed operation into a panic whose message is the error and whose place is the user's line.
///
/// The panicking twins of all `try_` functions end here, so that the message is written once.
#[track_caller]
#[cold]
#[inline(never)]
pub fn fail(error: Error) -> ! {
    let here = Location::caller();
    let error = if is_rusts_own(here) { error } else { error.at(here) };
    let text = error.to_string();
    if error.report().caught {
        // The hook has printed it once.
        std::panic::resume_unwind(Box::new(text));
    }
    FAILED.set(Some(error));
    panic!("{text}")
}

thread_local! {
    /// The error with which this thread panicked last, for [`caught`].
    static FAILED: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// The error behind a panic that was caught: that of an operation as it was, any other with the panic's message.
#[doc(hidden)]
pub fn caught(step: &str, payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    let own = FAILED.take().filter(|error| Some(error.to_string().as_str()) == text);
    let error = own.unwrap_or_else(|| {
        Error::invalid_argument(step, "a function of the program panicked")
            .got(text.unwrap_or("a panic without a message"))
    });
    error.edit(|r| r.caught = true)
}

/// Whether a line is one of this library, where it calls itself. Its unit tests, which lie beside the code, are users.
fn is_ours(line: &Location<'_>) -> bool {
    static OURS: LazyLock<Vec<String>> = LazyLock::new(|| folders(file!()));
    let file = line.file().replace('\\', "/");
    !LINES_ARE_THE_USERS.load(Ordering::Relaxed) && OURS.iter().any(|folder| file.starts_with(folder.as_str()))
}

/// The folders with the sources of all crates of the library, of which this file is one: in a working tree, where they lie in
/// each other, or as packages beside each other.
fn folders(this_file: &str) -> Vec<String> {
    let this_file = this_file.replace('\\', "/");
    let package = concat!("kernels-", env!("CARGO_PKG_VERSION"), "/src/error.rs");
    if let Some(before) = this_file.strip_suffix(package) {
        return ["", "engine-", "formats-", "kernels-"]
            .map(|name| format!("{before}{name}{}/src/", env!("CARGO_PKG_VERSION")))
            .into();
    }
    let core = this_file.strip_suffix("kernels/src/error.rs").unwrap_or(&this_file);
    ["", "engine/", "formats/", "kernels/"].map(|name| format!("{core}{name}src/")).into()
}

static LINES_ARE_THE_USERS: AtomicBool = AtomicBool::new(cfg!(test));

/// From now on, lines of the library are taken for the user's: its unit tests lie beside the code.
#[doc(hidden)]
pub fn take_all_lines_for_the_users() {
    LINES_ARE_THE_USERS.store(true, Ordering::Relaxed);
}

/// Whether a line is one of Rust's own library, which calls on the user's behalf: comparisons of references, closures of
/// iterators. Such lines tell nobody anything.
#[cold]
pub fn is_rusts_own(line: &Location<'_>) -> bool {
    // Where the toolchain has its sources, the compiler names their place on this machine.
    let file = line.file().replace('\\', "/");
    file.starts_with("/rustc/") || ["core", "alloc", "std"].iter().any(|c| file.contains(&format!("/library/{c}/src/")))
}

/// `Result::unwrap` with the library's message form; see [`fail`].
#[doc(hidden)]
pub trait OrFail<T> {
    fn or_fail(self) -> T;
}

impl<T> OrFail<T> for Result<T> {
    #[track_caller]
    #[inline(always)]
    fn or_fail(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => fail(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_of_all_crates_are_the_librarys() {
        let tree = ["core/src/", "core/engine/src/", "core/formats/src/", "core/kernels/src/"];
        assert_eq!(folders("core/kernels/src/error.rs"), tree);
        let version = env!("CARGO_PKG_VERSION");
        let registry = |name: &str| format!("/home/me/.cargo/registry/src/index/eagerflow-{name}{version}/src/");
        assert_eq!(
            folders(&(registry("kernels-") + "error.rs")),
            [registry(""), registry("engine-"), registry("formats-"), registry("kernels-")]
        );
        assert!(folders(r"C:\work\core\kernels\src\error.rs").contains(&"C:/work/core/src/".to_string()));
    }
}
