//! `trace_on`, `trace_export` and `trace_off`: what the steps of traced functions cost, one by one, as a timeline for Chrome's viewer.
//! Programs call them around a few steps of a training.

use engine::library::{OrFail, Span, take_spans, trace_spans};
use formats::files::{self, Options};
use kernels::error::{Error, Result};
use std::fmt::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When the trace began, while one is made.
static BEGAN: Mutex<Option<(Instant, engine::library::Profiling)>> = Mutex::new(None);

/// Notes from now on when each step of each traced function runs, on all threads, until [`trace_export`] or [`trace_off`]; at most a
/// million. It slows short steps down. Operations outside of traced functions are not noted.
///
/// ```
/// use eagerflow as tf;
/// #[tf::tf_function]
/// fn norm(x: &tf::Tensor) -> tf::Tensor {
///     tf::sqrt(tf::reduce_sum(x * x, ()))
/// }
/// # let folder = std::env::temp_dir().join(format!("eagerflow-trace-page-{}", std::process::id()));
/// norm(&tf::ones([1000]));
/// tf::summary::trace_on();
/// norm(&tf::ones([1000]));
/// let file = tf::summary::trace_export("norm", 1, &folder);
/// assert!(std::fs::read_to_string(file).unwrap().contains("traceEvents"));
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
pub fn trace_on() {
    let mut began = BEGAN.lock().unwrap_or_else(PoisonError::into_inner);
    drop(take_spans());
    trace_spans(true);
    *began = Some((Instant::now(), engine::library::Profiling::start()));
}

/// Ends a trace and drops what was noted.
pub fn trace_off() {
    let mut began = BEGAN.lock().unwrap_or_else(PoisonError::into_inner);
    trace_spans(false);
    drop(take_spans());
    *began = None;
}

/// Ends a trace and writes it to `<folder>/plugins/profile/<name>-<step>/trace.json`, in the format that `chrome://tracing` and Perfetto
/// show; answers the file. TensorFlow's `tf.summary.trace_export` with a profiler's folder.
///
/// # Panics
/// As [`try_trace_export`] fails, at the caller's line.
#[track_caller]
pub fn trace_export(name: &str, step: i64, folder: impl AsRef<Path>) -> PathBuf {
    try_trace_export(name, step, folder).or_fail()
}

/// Ends a trace and writes it.
///
/// # Errors
/// FailedPrecondition if none was begun by [`trace_on`]; InvalidArgument for a name that is no name of a folder; what the file system
/// refuses, with the path.
#[track_caller]
pub fn try_trace_export(name: &str, step: i64, folder: impl AsRef<Path>) -> Result<PathBuf> {
    let here = Location::caller();
    export(name, step, folder.as_ref()).map_err(|e| e.at(here))
}

fn export(name: &str, step: i64, folder: &Path) -> Result<PathBuf> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        return Err(Error::invalid_argument("trace_export", "the name is no name of a folder").got(format!("{name:?}")));
    }
    let mut began = BEGAN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((start, profiling)) = began.take() else {
        return Err(Error::failed_precondition("trace_export", "no trace was begun")
            .help("call `tf::summary::trace_on()` before what is to be traced"));
    };
    trace_spans(false);
    drop(profiling);
    let text = chrome(&take_spans(), start);
    let folder = folder.join("plugins").join("profile").join(format!("{name}-{step}"));
    std::fs::create_dir_all(&folder).map_err(|e| files::error(&folder, "the folder cannot be made", e))?;
    let path = folder.join("trace.json");
    files::replace(&path, text.as_bytes(), &Options { sync: false, ..Options::default() })?;
    Ok(path)
}

/// Chrome's format: an event for each span, times in microseconds.
fn chrome(spans: &[Span], start: Instant) -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    text.push_str("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"eagerflow\"}}");
    for span in spans {
        let began = span.start.saturating_duration_since(start).as_secs_f64() * 1e6;
        let line = span.location.map_or_else(String::new, ToString::to_string);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{began:.3},\"dur\":{:.3},\"cat\":{},\"name\":{},\"args\":{{\"line\":{}}}}}",
            span.thread,
            span.time.as_secs_f64() * 1e6,
            quoted(&span.function),
            quoted(&span.what),
            quoted(&line)
        );
    }
    text.push_str("\n]}\n");
    text
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => _ = write!(out, "\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
