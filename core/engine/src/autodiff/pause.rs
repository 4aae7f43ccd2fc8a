//! A tape that pauses, and what a tape cannot do inside of a branch or loop of the graph that it is older than.
//! The tapes' methods begin with these checks; [`StopRecording`] makes its own when it ends.

use super::active_tape::Running;
use crate::builder;
use crate::tape::tape_memory::{self, TapeData};
use crate::tensor::local::user_line;
use kernels::error::{Error, OrFail, Result};
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// Keeps a tape from recording until it is dropped.
#[must_use = "the tape pauses only while the guard is alive"]
pub struct StopRecording {
    tape: Rc<RefCell<TapeData>>,
    location: &'static Location<'static>,
}

impl StopRecording {
    #[track_caller]
    pub(super) fn of(tape: &Running) -> Self {
        let help = "pass what is not to be differentiated through `tf::stop_gradient`, or pause the tape outside of the branch \
                    or loop, around all of it";
        tape.began_here("stop_recording", "pause", help).or_fail();
        tape.0.borrow_mut().paused += 1;
        Self { tape: tape.0.clone(), location: user_line() }
    }
}

impl Drop for StopRecording {
    fn drop(&mut self) {
        self.tape.borrow_mut().paused -= 1;
        if !std::thread::panicking() && is_older(&self.tape) {
            let help = "drop the guard where the tape was paused: outside of the branch or loop";
            Err(refused("stop_recording", "go on", help).at(self.location)).or_fail()
        }
    }
}

impl Running {
    /// Checks that the tape began inside of the body that is being recorded, if there is one. One operation stands for that
    /// body, whether it runs or not and how often, and older tapes meet the operation when the body has ended.
    #[track_caller]
    pub(super) fn began_here(&self, name: &'static str, what: &str, help: &'static str) -> Result<()> {
        // A function is traced with the tapes of its caller set aside.
        let records = || tape_memory::tapes().iter().any(|tape| Rc::ptr_eq(tape, &self.0));
        if builder::is_open() && (is_older(&self.0) || !records()) {
            return Err(refused(name, what, help).at(user_line()));
        }
        Ok(())
    }
}

/// Whether the tape is older than the body that is being recorded.
fn is_older(tape: &Rc<RefCell<TapeData>>) -> bool {
    builder::opened_at(|marks| marks.knows(tape))
}

#[cold]
fn refused(name: &'static str, what: &str, help: &'static str) -> Error {
    let here = "inside of a branch, loop or traced function that it is older than";
    Error::unimplemented(name, format!("a tape cannot {what} {here}"))
        .got("a tape that began outside of it")
        .expected("a tape that began inside of it")
        .help(help)
}
