//! Generators and the global random state as modules. A generator is a variable under TensorFlow's name for it; the global state has
//! many streams, which come and go, and is saved as bytes.

use super::state_bytes::{StateReader, StateWriter};
use super::{Fields, Module, Prepared, SavedState, StateValue};
use crate::ops::Law;
use crate::random::{Generator, GlobalState, SeedGenerator, Snapshot, Words};
use crate::tensor::Tensor;
use kernels::backend::cpu::philox::OpSeeds;
use kernels::error::Result;

/// A checkpoint holds its state as TensorFlow's does: three words of `int64`.
impl Module for Generator {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("_state_var", &self.as_variable());
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

/// A variable to lists and traces. To a checkpoint it is an object of the host: TensorFlow's files have none for Keras's generator of
/// seeds, and look for each variable that a file names.
impl Module for SeedGenerator {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(&self.0.as_variable());
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl Module for GlobalState {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

const SEEDS: &str = "seed generator";

impl SavedState for SeedGenerator {
    fn kind(&self) -> &'static str {
        SEEDS
    }

    fn id(&self) -> u64 {
        // Clones share the state, and so the number.
        self.0.as_variable().id()
    }

    fn save(&self) -> Result<StateValue> {
        let mut to = StateWriter::new(SEEDS);
        let words = self.0.as_variable().value().try_to_vec::<i64>()?;
        to.number(words.len() as u64);
        words.into_iter().for_each(|word| to.signed(word));
        Ok(StateValue::Bytes(to.finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let mut from = StateReader::new(value.bytes(SEEDS)?, SEEDS)?;
        let words = read_list(&mut from, StateReader::signed)?;
        let variable = self.0.as_variable();
        if variable.shape() != [words.len()] {
            return Err(from.damaged("the state has another length"));
        }
        from.finish()?;
        // A value of the variable's own type is always taken.
        Ok(Prepared::new(move || drop(variable.try_assign(Tensor::from(words)))))
    }

    fn commit(&self, prepared: Prepared) {
        prepared.exchange();
    }
}

const KIND: &str = "global random state";

impl SavedState for GlobalState {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn id(&self) -> u64 {
        // There is one, and nothing else counts so far.
        u64::MAX
    }

    fn save(&self) -> Result<StateValue> {
        Ok(StateValue::Bytes(write(&Snapshot::take()?)))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let snapshot = read(value.bytes(KIND)?)?;
        Ok(Prepared::new(|| snapshot.put_back()))
    }

    fn commit(&self, prepared: Prepared) {
        prepared.exchange();
    }
}

fn write_words(words: &Words, to: &mut StateWriter) {
    words.iter().for_each(|&word| to.signed(word));
}

fn write_optional<T>(value: Option<&T>, to: &mut StateWriter, write: impl FnOnce(&T, &mut StateWriter)) {
    to.flag(value.is_some());
    if let Some(value) = value {
        write(value, to);
    }
}

fn write(snapshot: &Snapshot) -> Vec<u8> {
    let mut to = StateWriter::new(KIND);
    write_optional(snapshot.seed.as_ref(), &mut to, |seed, to| to.signed(*seed));
    write_optional(snapshot.seeds.as_ref(), &mut to, |seeds, to| {
        to.signed(seeds.global());
        let words = seeds.words();
        to.number(words.len() as u64);
        words.iter().for_each(|&word| to.number(word.into()));
    });
    to.number(snapshot.streams.len() as u64);
    for ((law, dtype, seed), words) in &snapshot.streams {
        to.text(law);
        to.dtype(*dtype);
        to.signed(*seed);
        write_words(words, &mut to);
    }
    write_optional(snapshot.unseeded.as_ref(), &mut to, write_words);
    to.number(snapshot.traced.len() as u64);
    for (key, streams) in &snapshot.traced {
        to.text(key);
        to.number(streams.len() as u64);
        streams.iter().for_each(|words| write_words(words, &mut to));
    }
    write_words(&snapshot.generator, &mut to);
    to.finish()
}

fn read_words(from: &mut StateReader<'_>) -> Result<Words> {
    Ok([from.signed()?, from.signed()?, from.signed()?])
}

fn read_optional<'a, T>(
    from: &mut StateReader<'a>,
    read: impl FnOnce(&mut StateReader<'a>) -> Result<T>,
) -> Result<Option<T>> {
    from.flag()?.then(|| read(from)).transpose()
}

fn read_list<'a, T>(
    from: &mut StateReader<'a>,
    mut read: impl FnMut(&mut StateReader<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..from.count()?).map(|_| read(from)).collect()
}

fn read_seeds(from: &mut StateReader<'_>) -> Result<OpSeeds> {
    let global = from.signed()?;
    let words = read_list(from, |from| from.at_most(u32::MAX as usize).map(|word| word as u32))?;
    OpSeeds::from_words(global, &words).ok_or_else(|| from.damaged("the sequence of seeds has another length"))
}

fn read(bytes: &[u8]) -> Result<Snapshot> {
    let mut from = StateReader::new(bytes, KIND)?;
    let snapshot = Snapshot {
        seed: read_optional(&mut from, StateReader::signed)?,
        seeds: read_optional(&mut from, read_seeds)?,
        streams: read_list(&mut from, |from| {
            let name = from.text()?;
            let law = Law::LABELS.into_iter().find(|label| *label == name);
            let law = law.ok_or_else(|| from.damaged("a distribution is not known"))?;
            Ok(((law, from.dtype()?, from.signed()?), read_words(from)?))
        })?,
        unseeded: read_optional(&mut from, read_words)?,
        traced: read_list(&mut from, |from| Ok((from.text()?.to_owned(), read_list(from, read_words)?)))?,
        generator: read_words(&mut from)?,
    };
    from.finish()?;
    Ok(snapshot)
}
