//! Panics that tests ask for, with their place and message, and nothing printed. One hook serves all tests of this binary,
//! each on its own thread; every message that passes here is searched for lines of the library itself.

use eagerflow_tests::sources::line_of_the_library;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic as the user sees it: the place in its header, and its message.
pub struct Caught {
    pub file: String,
    pub line: u32,
    pub text: String,
}

thread_local! {
    static QUIET: RefCell<bool> = const { RefCell::new(false) };
    static LAST: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// Runs a call whose panics are not printed; answers what it gives, or its panic.
pub fn quietly<R>(call: impl FnOnce() -> R) -> Result<R, Caught> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.with_borrow(|quiet| *quiet) {
                return usual(info);
            }
            let (file, line) = info.location().map_or_else(Default::default, |at| (at.file().to_string(), at.line()));
            LAST.set(Some(Caught { file, line, text: info.payload_as_str().unwrap_or("").to_string() }));
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    result.map_err(|_| LAST.take().expect("the hook ran"))
}

/// The panic of a call, whose header and message name no line of the library itself.
pub fn panic_of<R>(call: impl FnOnce() -> R) -> Caught {
    let Err(caught) = quietly(call) else { panic!("the call must panic") };
    assert!(!names_the_library(&caught.file), "the header names {}: {}", caught.file, caught.text);
    assert!(!names_the_library(&caught.text), "{}", caught.text);
    caught
}

/// Whether a message sends the user into the library.
pub fn names_the_library(text: &str) -> bool {
    line_of_the_library(text).is_some()
}
