//! Writes the state as protocol buffers' text form, byte by byte as TensorFlow's Python does.
//! [`CheckpointState::text`] calls it.

use super::CheckpointState;
use super::number::python;
use std::fmt::Write;

pub(super) fn text(state: &CheckpointState) -> String {
    let mut text = String::new();
    let strings = [("all_model_checkpoint_paths", &state.all_model_checkpoint_paths)];
    if !state.model_checkpoint_path.is_empty() {
        string(&mut text, "model_checkpoint_path", &state.model_checkpoint_path);
    }
    for (name, values) in strings {
        values.iter().for_each(|value| string(&mut text, name, value));
    }
    for time in &state.all_model_checkpoint_timestamps {
        number(&mut text, "all_model_checkpoint_timestamps", *time);
    }
    // A field of its value by default is not written.
    if let Some(time) = state.last_preserved_timestamp.filter(|time| time.to_bits() != 0) {
        number(&mut text, "last_preserved_timestamp", time);
    }
    text
}

fn number(text: &mut String, name: &str, value: f64) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{name}: {}", python(value));
}

fn string(text: &mut String, name: &str, value: &str) {
    let _ = write!(text, "{name}: \"");
    for c in value.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' => text.push_str("\\\""),
            '\'' => text.push_str("\\'"),
            '\\' => text.push_str("\\\\"),
            '\0'..' ' | '\x7f' => {
                let _ = write!(text, "\\{:03o}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push_str("\"\n");
}
