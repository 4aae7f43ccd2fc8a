//! Events as bytes: scalars by hand, since programs write millions of them, and everything else by its messages.
//! The queue and its thread call these.

use formats::events::{
    Event, EventKind, PluginData, Summary, SummaryMetadata, SummaryValue, SummaryValueKind, close_frame, open_frame,
};
use formats::messages::{DataType, Dim, Message, TensorProto, TensorShapeProto};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a scalar's value has beside its tag: a tensor `float32[]` of four bytes, which follow.
const TENSOR: [u8; 8] = [0x42, 10, 0x08, 1, 0x12, 0, 0x22, 4];
/// The plugin `scalars`.
const METADATA: [u8; 13] = [0x4a, 11, 0x0a, 9, 0x0a, 7, b's', b'c', b'a', b'l', b'a', b'r', b's'];

/// Seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// How many bytes a number takes.
fn length(number: usize) -> usize {
    (usize::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Appends the event of a scalar, whose tag has two parts.
pub fn scalar(to: &mut Vec<u8>, (scope, name): (&str, &str), wall_time: f64, step: i64, value: f32) {
    let tag = scope.len() + name.len();
    // A message leaves out an empty text.
    let field = if tag == 0 { 0 } else { 1 + length(tag) + tag };
    let body = field + TENSOR.len() + 4 + METADATA.len();
    let summary = 1 + length(body) + body;
    to.reserve(summary + 48);
    let start = open_frame(to);
    to.push(0x09);
    to.extend(wall_time.to_le_bytes());
    if step != 0 {
        to.push(0x10);
        varint(step as u64, to);
    }
    to.push(0x2a);
    varint(summary as u64, to);
    to.push(0x0a);
    varint(body as u64, to);
    if tag > 0 {
        to.push(0x0a);
        varint(tag as u64, to);
        to.extend(scope.as_bytes());
        to.extend(name.as_bytes());
    }
    to.extend(TENSOR);
    to.extend(value.to_le_bytes());
    to.extend(METADATA);
    close_frame(to, start);
}

/// Appends an event.
pub fn event(to: &mut Vec<u8>, event: &Event) {
    let start = open_frame(to);
    // Writing to a vector does not fail.
    let _ = event.encode(to);
    close_frame(to, start);
}

/// The event of one value. Metadata that say nothing are left out, as TensorFlow does it.
pub fn value(wall_time: f64, step: i64, tag: String, metadata: SummaryMetadata, tensor: TensorProto) -> Event {
    let metadata = (metadata != SummaryMetadata::default()).then_some(metadata);
    let value = SummaryValue { tag, metadata, value: Some(SummaryValueKind::Tensor(Box::new(tensor))) };
    Event { wall_time, step, what: Some(EventKind::Summary(Summary { value: vec![value] })) }
}

/// What TensorBoard has to know of a value.
pub fn metadata(plugin: &str, content: Vec<u8>, description: &str) -> SummaryMetadata {
    SummaryMetadata {
        plugin_data: Some(PluginData { plugin_name: plugin.to_owned(), content }),
        display_name: String::new(),
        summary_description: description.to_owned(),
        data_class: 0,
    }
}

/// Sizes as a message.
pub fn shape(sizes: &[usize]) -> TensorShapeProto {
    let dim = |&size: &usize| Dim { size: size as i64, name: String::new() };
    TensorShapeProto { dim: sizes.iter().map(dim).collect(), unknown_rank: false }
}

/// Strings as a tensor.
pub fn strings(strings: Vec<Vec<u8>>, sizes: &[usize]) -> TensorProto {
    let dtype = DataType::String as i32;
    TensorProto { dtype, tensor_shape: Some(shape(sizes)), string_val: strings, ..TensorProto::default() }
}

/// Numbers as a tensor, as they lie in memory.
pub fn numbers(dtype: DataType, bytes: Vec<u8>, sizes: &[usize]) -> TensorProto {
    TensorProto {
        dtype: dtype as i32,
        tensor_shape: Some(shape(sizes)),
        tensor_content: bytes,
        ..TensorProto::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::events::Events;

    #[test]
    fn scalars_by_hand_are_those_of_the_messages() {
        let long = "x".repeat(300);
        for (scope, name) in [("", ""), ("", "loss"), ("train/", "loss"), ("", &long)] {
            for step in [0, 1, 127, 128, i64::MAX, -1] {
                let mut bytes = Vec::new();
                scalar(&mut bytes, (scope, name), 1.25, step, -2.5);
                let content = numbers(DataType::Float, (-2.5f32).to_le_bytes().to_vec(), &[]);
                let right = value(1.25, step, format!("{scope}{name}"), metadata("scalars", Vec::new(), ""), content);
                let mut whole = Vec::new();
                event(&mut whole, &right);
                assert_eq!(bytes, whole, "{scope}{name} {step}");
                let read: Vec<_> = Events::new("memory", &*bytes).collect();
                assert!(matches!(&read[..], [Ok(one)] if *one == right));
            }
        }
    }
}
