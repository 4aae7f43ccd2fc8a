//! How much memory the message of an object graph will take, found before it is read: a node of two bytes becomes some hundred, so that
//! a small damaged file could take all memory. `FileGraph::decode` asks.

use super::file_graph::Node;
use formats::messages::{ObjectReference, SerializedTensor, SlotVariableReference, TrackableObject};

/// What a graph may take beside the size of its checkpoint.
pub(super) const SPARE: u64 = 48 << 20;

/// The fields of a node, by their numbers.
const CHILD: u64 = 1;
const ATTRIBUTE: u64 = 2;
const SLOT: u64 = 3;

/// What each takes: as a message, as a part of the graph, which is put in order once, and for what surrounds them.
const NODE_BYTES: u64 = (size_of::<TrackableObject>() + 3 * size_of::<Node>() + 256) as u64;
const CHILD_BYTES: u64 = (2 * size_of::<ObjectReference>() + 6 * size_of::<(String, usize)>()) as u64;
const ATTRIBUTE_BYTES: u64 = 2 * size_of::<SerializedTensor>() as u64;
const SLOT_BYTES: u64 = (2 * size_of::<SlotVariableReference>() + 4 * size_of::<(usize, String, usize)>()) as u64;

/// An upper bound of the memory that a graph takes. What is no message takes none, as it is refused.
pub(super) fn of(message: &[u8]) -> u64 {
    let node = |node: &[u8]| {
        let part = |(field, bytes): (u64, &[u8])| match field {
            CHILD => CHILD_BYTES + 4 * bytes.len() as u64,
            ATTRIBUTE => ATTRIBUTE_BYTES + 4 * bytes.len() as u64,
            SLOT => SLOT_BYTES + 4 * bytes.len() as u64,
            _ => bytes.len() as u64,
        };
        NODE_BYTES + Fields(node).map(part).sum::<u64>()
    };
    Fields(message).filter(|(field, _)| *field == 1).map(|(_, bytes)| node(bytes)).sum()
}

/// The fields of a message that have a length, by number.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn skip(&mut self, length: u64) -> Option<&'a [u8]> {
        let (skipped, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(skipped)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.0.is_empty() {
            let tag = self.varint()?;
            match tag & 7 {
                0 => drop(self.varint()?),
                1 => drop(self.skip(8)?),
                2 => {
                    let length = self.varint()?;
                    return self.skip(length).map(|bytes| (tag >> 3, bytes));
                }
                5 => drop(self.skip(4)?),
                _ => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::messages::{Message, TrackableObjectGraph};

    #[test]
    fn every_part_counts() {
        let child = ObjectReference { node_id: 0, local_name: "a".into() };
        let node = TrackableObject { children: vec![child; 3], ..TrackableObject::default() };
        let graph = TrackableObjectGraph { nodes: vec![node, TrackableObject::default()] };
        let demand = of(&graph.encode_to_vec());
        let parts = 2 * NODE_BYTES + 3 * CHILD_BYTES;
        assert!((parts..parts + CHILD_BYTES).contains(&demand), "{demand}");
        assert_eq!(of(&[0x0a]) + of(&[]) + of(&[0xff; 20]) + of(&[0x0a, 0x05, 0]), 0);
        assert_eq!(of(&[0x0a, 0, 0x08, 7, 0x0a, 0]), 2 * NODE_BYTES);
    }
}
