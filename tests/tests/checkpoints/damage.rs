//! Damage of a small checkpoint, byte by byte: each is an error that names the file, and the value where one is damaged, and no variable
//! has changed; or it was of a byte that carries nothing, and what is restored is what was saved.

use super::Directory;
use eagerflow as tf;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use tf::data::Dataset;
use tf::train::{Checkpoint, latest_checkpoint};
use tf::{Error, Module, Tensor, Variable};

const DATA: &str = "ckpt-1.data-00000-of-00001";
const INDEX: &str = "ckpt-1.index";
const STATE: &str = "checkpoint";

/// A program with a value of each kind.
#[derive(Module)]
struct Program {
    weights: Variable,
    flags: Variable,
    step: AtomicU64,
    data: Dataset,
}

impl Program {
    fn new(start: f32) -> Self {
        let data = Dataset::from_tensor_slices(tf::constant([1, 2, 3])).shuffle(tf::data::Shuffle::whole().seed(1));
        // The number of passes is the state of a data set.
        (0..start as usize).for_each(|_| drop(data.iter()));
        let weights = Variable::new([start, start + 0.5, -start]);
        let flags = Variable::with(Tensor::from([start > 5.0, true]), "flags", false);
        Self { weights, flags, step: AtomicU64::new(start as u64), data }
    }

    /// All that a restore may change, as the bytes of a checkpoint.
    fn all(&self) -> Vec<u8> {
        let folder = Directory::new();
        let path = Checkpoint::new().with("program", self).durable(false).write(folder.join("all")).unwrap();
        std::fs::read(format!("{}.data-00000-of-00001", path.display())).unwrap()
    }
}

/// A directory with a checkpoint, and its files as they were.
struct Saved {
    directory: Directory,
    files: Vec<(&'static str, Vec<u8>)>,
    /// What a program holds before it is restored, and after.
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Saved {
    fn new() -> Self {
        let directory = Directory::new();
        let program = Program::new(7.0);
        Checkpoint::new().with("program", &program).save(directory.join("ckpt")).unwrap();
        let files = [DATA, INDEX, STATE].map(|name| (name, std::fs::read(directory.join(name)).unwrap()));
        Self { directory, files: files.into(), before: Program::new(2.0).all(), after: program.all() }
    }

    fn bytes(&self, name: &str) -> &[u8] {
        &self.files.iter().find(|(other, _)| *other == name).unwrap().1
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.directory.join(name), bytes).unwrap();
    }

    /// Restores the newest checkpoint, as programs do. Where that fails, nothing has changed; where it does not, all is as it was saved.
    fn restore(&self, when: &str) -> Option<Error> {
        let program = Program::new(2.0);
        let checkpoint = Checkpoint::new().with("program", &program);
        let counter = checkpoint.save_counter().clone();
        let newest = latest_checkpoint(&self.directory);
        let restored = newest.and_then(|path| {
            let path = path.unwrap_or_else(|| panic!("{when}: the state file is there, and tells of nothing"));
            checkpoint.restore(path).map(|_| ())
        });
        let (expected, count) = if restored.is_ok() { (&self.after, 1) } else { (&self.before, 0) };
        assert!(program.all() == *expected, "{when}: {restored:?}");
        assert_eq!(counter.value().item::<i64>(), count, "{when}");
        restored.err()
    }

    /// Restores with some bytes in place of a file, which is whole again afterwards.
    fn with(&self, name: &str, bytes: &[u8], when: &str) -> Option<Error> {
        self.put(name, bytes);
        let error = self.restore(&format!("{name}, {when}"));
        self.put(name, self.bytes(name));
        error
    }
}

/// Of damage, the error names the file that has it.
fn names(error: &Error, name: &str, when: &str) {
    let text = error.to_string();
    assert!(text.contains(name) && text.contains("damage.rs"), "{name}, {when}: {text}");
}

/// Each byte changed in two ways.
fn flipped(bytes: &[u8]) -> impl Iterator<Item = (Vec<u8>, String)> {
    (0..bytes.len()).flat_map(move |at| {
        [0x01, 0xff].map(|mask| {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= mask;
            (flipped, format!("byte {at} of {} changed by {mask:#x}", bytes.len()))
        })
    })
}

#[test]
fn every_byte_of_the_values_is_watched_over() {
    let saved = Saved::new();
    let data = saved.bytes(DATA).to_vec();
    let place = |bytes: &[u8]| {
        let found = data.windows(bytes.len()).position(|window| window == bytes);
        let at = found.expect("the bytes of a value");
        at..at + bytes.len()
    };
    let floats: Vec<u8> = [7.0f32, 7.5, -7.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = [(place(&floats), "program/weights"), (place(&7u64.to_le_bytes()), "program/step")];
    for (bytes, when) in flipped(&data) {
        let at = bytes.iter().zip(&data).position(|(a, b)| a != b).unwrap();
        let error = saved.with(DATA, &bytes, &when).unwrap_or_else(|| panic!("{when} is not noticed"));
        assert!(matches!(error, Error::DataLoss(_)), "{when}: {error}");
        names(&error, DATA, &when);
        let value = values.iter().find(|(range, _)| range.contains(&at)).map_or("", |(_, name)| name);
        assert!(error.to_string().contains(value), "{when}, of {value}: {error}");
    }
}

#[test]
fn every_byte_of_the_index_is_watched_over() {
    let saved = Saved::new();
    let mut of_nothing = 0;
    for (bytes, when) in flipped(saved.bytes(INDEX)) {
        match saved.with(INDEX, &bytes, &when) {
            Some(error) => names(&error, INDEX, &when),
            // Padding of the footer, and the checksum of a block that is empty.
            None => of_nothing += 1,
        }
    }
    assert!(of_nothing < 2 * 60, "{of_nothing} changes were of no consequence");
}

#[test]
fn every_byte_of_the_state_file_is_watched_over() {
    let saved = Saved::new();
    let mut noticed = 0;
    for (bytes, when) in flipped(saved.bytes(STATE)) {
        if let Some(error) = saved.with(STATE, &bytes, &when) {
            names(&error, STATE, &when);
            noticed += 1;
        }
    }
    // Each byte of the first line's name and value.
    assert!(noticed > 2 * "model_checkpoint_path: \"ckpt-1\"".len() / 2, "{noticed}");
}

#[test]
fn every_length_of_every_file_but_its_own_is_an_error() {
    let saved = Saved::new();
    for name in [DATA, INDEX, STATE] {
        let whole = saved.bytes(name).to_vec();
        for length in 0..whole.len() {
            let when = format!("cut to {length} of {}", whole.len());
            let error = saved.with(name, &whole[..length], &when);
            match error {
                Some(error) => names(&error, name, &when),
                // The first value tells all.
                None => assert!(name == STATE && length >= "model_checkpoint_path: \"ckpt-1\"".len(), "{name}, {when}"),
            }
        }
        for more in [1, 4, 48, 1000] {
            let when = format!("{more} more bytes");
            let mut longer = whole.clone();
            longer.resize(whole.len() + more, 0x55);
            match saved.with(name, &longer, &when) {
                Some(error) => names(&error, name, &when),
                // Data files are read at the places that the index tells.
                None => assert_eq!(name, DATA, "{when}"),
            }
        }
    }
}

#[test]
fn files_that_are_missing_or_of_another_checkpoint() {
    let saved = Saved::new();
    for name in [DATA, INDEX] {
        std::fs::remove_file(saved.directory.join(name)).unwrap();
        let error = saved.restore("a file is missing").unwrap();
        assert!(matches!(error, Error::NotFound(_)), "{error}");
        names(&error, name, "missing");
        saved.put(name, saved.bytes(name));
    }
    // One in place of the other.
    let (data, index) = (saved.bytes(DATA).to_vec(), saved.bytes(INDEX).to_vec());
    saved.put(DATA, &index);
    saved.put(INDEX, &data);
    names(&saved.restore("swapped").unwrap(), INDEX, "swapped");
    saved.put(DATA, &data);
    saved.put(INDEX, &index);
    // The files of another checkpoint of the same program.
    let other = Program::new(9.0);
    let path = Checkpoint::new().with("program", &other).write(saved.directory.join("other")).unwrap();
    let read = |end: &str| std::fs::read(PathBuf::from(format!("{}{end}", path.display()))).unwrap();
    let error = saved.with(INDEX, &read(".index"), "of another").unwrap();
    assert!(matches!(error, Error::DataLoss(_)), "{error}");
    names(&error, DATA, "an index of another checkpoint");
    names(&saved.with(DATA, &read(".data-00000-of-00001"), "of another").unwrap(), DATA, "data of another checkpoint");
    assert!(saved.restore("all is whole again").is_none());
}

#[test]
fn a_newest_checkpoint_that_is_gone_is_told() {
    let saved = Saved::new();
    for name in [DATA, INDEX] {
        std::fs::remove_file(saved.directory.join(name)).unwrap();
    }
    let error = latest_checkpoint(&saved.directory).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("ckpt-1"), "{error}");
    let program = Program::new(1.0);
    let checkpoint = Checkpoint::new().with("program", &program);
    let error = tf::train::CheckpointManager::new(&checkpoint, &saved.directory, 2).unwrap_err();
    names(&error, STATE, "gone");
    // As the message says.
    std::fs::remove_file(saved.directory.join(STATE)).unwrap();
    assert_eq!(latest_checkpoint(&saved.directory).unwrap(), None);
}
