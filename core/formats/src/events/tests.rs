//! Event files that are written come back; cut or damaged ones give what is whole, then an error that says where.

use super::*;
use prost::Message;
use std::path::PathBuf;

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("eagerflow-events-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn scalar(step: i64) -> Event {
    let value = SummaryValueKind::SimpleValue(step as f32 / 2.0);
    let value = SummaryValue { tag: "loss".to_owned(), metadata: None, value: Some(value) };
    Event { wall_time: 1.5, step, what: Some(EventKind::Summary(Summary { value: vec![value] })) }
}

fn framed(events: impl IntoIterator<Item = Event>) -> Vec<u8> {
    let mut bytes = Vec::new();
    events.into_iter().for_each(|event| append_frame(&event.encode_to_vec(), &mut bytes));
    bytes
}

#[test]
fn what_is_written_comes_back() {
    let folder = Folder::new("back");
    let mut file = EventFile::create(&folder.0, ".v2").unwrap();
    let other = EventFile::create(&folder.0, ".v2").unwrap();
    assert_ne!(file.path(), other.path());
    let name = file.path().file_name().unwrap().to_str().unwrap().to_owned();
    let rest = name.strip_prefix("events.out.tfevents.").unwrap();
    assert!(rest.len() > 10 && rest[..10].bytes().all(|b| b.is_ascii_digit()) && rest.ends_with(".v2"), "{name}");
    for steps in [0..1, 1..4] {
        file.append(&framed(steps.clone().map(scalar))).unwrap();
        let read: Vec<Event> = read_events(file.path()).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(read[0].what, Some(EventKind::FileVersion("brain.Event:2".to_owned())));
        assert_eq!(read[1..], (0..steps.end).map(scalar).collect::<Vec<_>>());
    }
}

/// Tensorflow's own frame of `brain.Event:2` at second 1,700,000,000.
#[test]
fn frames_are_tensorflows() {
    let version = EventKind::FileVersion("brain.Event:2".to_owned());
    let bytes = framed([Event { wall_time: 1.7e9, step: 0, what: Some(version) }]);
    let right: [u8; 40] = [
        0x18, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22, 0x09, 0, 0, 0, 0x40, 0xfc, 0x54, 0xd9, 0x41, 0x1a, 0x0d,
        b'b', b'r', b'a', b'i', b'n', b'.', b'E', b'v', b'e', b'n', b't', b':', b'2', 0xec, 0xed, 0x8f, 0x9d,
    ];
    assert_eq!(bytes, right);
}

#[test]
fn a_file_that_is_cut_off_gives_what_is_whole() {
    let whole = framed((1..4).map(scalar));
    let one = whole.len() / 3;
    for length in 0..=whole.len() {
        let read: Vec<_> = Events::new("cut", &whole[..length]).collect();
        let right = length / one;
        assert_eq!(read.iter().filter(|r| r.is_ok()).count(), right, "{length}");
        assert_eq!(read.len(), right + usize::from(length % one != 0), "{length}");
        if let Some(Err(error)) = read.last() {
            let text = error.to_string();
            assert!(text.contains("cut") && text.contains(&format!("record {right}")), "{text}");
        }
    }
}

#[test]
fn any_byte_that_changed_is_found() {
    let whole = framed((1..3).map(scalar));
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        let read: Vec<_> = Events::new("damaged", &*damaged).collect();
        let first = at / (whole.len() / 2);
        assert!(read.len() == first + 1 && read[first].is_err(), "{at}");
    }
}

#[test]
fn a_length_that_lies_takes_no_memory() {
    let mut bytes = u64::MAX.to_le_bytes().to_vec();
    bytes.extend(crate::checksum::mask(crate::checksum::of(&bytes)).to_le_bytes());
    bytes.extend([7; 100]);
    let read: Vec<_> = Events::new("lies", &*bytes).collect();
    assert!(read.len() == 1 && read[0].as_ref().unwrap_err().to_string().contains("ends within the record"));
}
