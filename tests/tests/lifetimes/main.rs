//! What traced functions and work on the host hold, and for how long: memory over thousands of calls, what freeing a trace gives back, what
//! the gradient of a loop keeps, and calls from eight threads. One test at a time, because all of them count the process' memory.

mod calls;
mod counted;
mod failing;
mod freed;
mod fronts;
mod host;
mod loops;
mod recomputed;
mod threads;
