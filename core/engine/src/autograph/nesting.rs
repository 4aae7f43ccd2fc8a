//! Traced functions that call themselves while they are recorded: a branch of the graph is recorded whether it will be taken or
//! not, so a recursion that only such a branch ends would go on until the stack is full. [`Call`](super::call::Call) asks.

use crate::function::Function;
use kernels::error::{Error, Result};
use std::cell::RefCell;
use std::panic::Location;

/// Calls within one another that nobody counts: a recursion over a structure of the host goes this deep.
const FREE: usize = 16;
/// How much of the stack a recursion may take: half of what Rust gives a thread, so that the rest is left for the passes.
const STACK: usize = 1 << 20;

thread_local! {
    /// The functions being recorded in place, the innermost last, with an address on the stack.
    static CALLS: RefCell<Vec<(*const Function, usize)>> = const { RefCell::new(Vec::new()) };
}

/// One function being recorded in place.
pub(super) struct Nesting(());

impl Nesting {
    /// Begins a call inside of a trace.
    #[cold]
    pub fn enter(function: &'static Function, location: &'static Location<'static>) -> Result<Self> {
        let mark = 0u8;
        let here = (&raw const mark).addr();
        CALLS.with_borrow_mut(|calls| {
            let same = calls.iter().filter(|(other, _)| std::ptr::eq(*other, function));
            let depth = same.clone().count();
            let taken = same.clone().next().map_or(0, |(_, first)| first.abs_diff(here));
            if depth > FREE && taken > STACK {
                return Err(endless(function, depth).at(location));
            }
            calls.push((function, here));
            Ok(Self(()))
        })
    }
}

impl Drop for Nesting {
    fn drop(&mut self) {
        CALLS.with_borrow_mut(|calls| calls.truncate(calls.len().saturating_sub(1)));
    }
}

fn endless(function: &Function, depth: usize) -> Error {
    Error::failed_precondition(
        "tf_function",
        format!("`{}` calls itself without end while it is recorded", function.name),
    )
    .got(format!("{depth} calls in one another"))
    .expected("a condition of the host that ends the recursion: both ways of one of the graph are recorded")
    .help("write a loop, `while ..`; or count down a number of Rust, `depth: usize`, and end at 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Options;

    static FUNCTION: Function = Function::new("again", Options { max_traces: None, relax_shapes: true });

    fn again(depth: usize) -> Result<usize> {
        let _nesting = Nesting::enter(&FUNCTION, Location::caller())?;
        let room = std::hint::black_box([0u8; 4096]);
        if depth == 0 { Ok(usize::from(room[0])) } else { again(depth - 1).map(|n| n + 1) }
    }

    #[test]
    fn recursion_is_bounded_by_the_stack() {
        assert_eq!(again(100).unwrap(), 100);
        let text = again(100_000).unwrap_err().to_string();
        assert!(text.contains("`again` calls itself without end"), "{text}");
        assert_eq!(again(10).unwrap(), 10);
    }
}
