//! Parsers of TensorFlow's records of named values: `parse_example` and its like.
//! Users find them under `tf::io`; the records themselves are `tf::train::Example` and `tf::train::SequenceExample`.

mod columns;
mod parsed;
mod spec;
mod values;

pub use parsed::{FeatureValue, ParsedFeatures, RaggedFeatureValue, SparseFeatureValue};
pub use spec::{FeatureDefault, FeatureSpec, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature};

use super::host::{Work, bytes_of, io_fn, one_string, within};
use columns::{Level, batch_of_steps, flat, steps, types, wrong};
use engine::{AsTensor, Tensor, TensorType};
use formats::examples::{Example, Feature, FeatureLists, Features, SequenceExample};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use values::Values;

type Specs = Vec<(String, FeatureSpec)>;

/// Specifications as they were given, checked.
fn owned(op: &str, features: &[(&str, FeatureSpec)], is_example: bool) -> Result<Specs> {
    for (number, (name, spec)) in features.iter().enumerate() {
        if !matches!(spec.dtype(), DType::F32 | DType::I64 | DType::String) {
            return Err(wrong(op, None, name, "records hold no such dtype")
                .got(spec.dtype())
                .expected("float32, int64 or string"));
        }
        if features[..number].iter().any(|(other, _)| other == name) {
            return Err(wrong(op, None, name, "it is specified twice"));
        }
        if matches!(spec, FeatureSpec::FixedLenSequence(spec) if is_example && !spec.allow_missing) {
            return Err(
                wrong(op, None, name, "a sequence in an `Example` may be missing").help("set `allow_missing(true)`")
            );
        }
        if matches!(spec, FeatureSpec::FixedLen(_)) && !is_example {
            return Err(wrong(op, None, name, "a list has any number of steps").help("use `FixedLenSequenceFeature`"));
        }
    }
    if is_example && features.is_empty() {
        return Err(Error::invalid_argument(op, "no feature is specified"));
    }
    Ok(features.iter().map(|(name, spec)| ((*name).to_owned(), spec.clone())).collect())
}

/// A feature's values, `None` if the record has none.
fn values(
    op: &str,
    record: Option<usize>,
    name: &str,
    feature: Option<Feature>,
    dtype: DType,
) -> Result<Option<Values>> {
    let kind = |kind| wrong(op, record, name, "it holds values of another kind").got(kind).expected(dtype);
    feature.map_or(Ok(None), |feature| Values::of(feature, dtype).map_err(kind))
}

/// The values of all specified features of records that are read one after the other.
fn rows(op: &str, specs: &Specs, records: Vec<Features>, is_one: bool) -> Result<Vec<Vec<Option<Values>>>> {
    let mut rows: Vec<Vec<Option<Values>>> = specs.iter().map(|_| Vec::with_capacity(records.len())).collect();
    for (number, record) in records.into_iter().enumerate() {
        for ((name, spec), rows) in specs.iter().zip(&mut rows) {
            let feature = record.feature.get(spec.key(name)).cloned();
            rows.push(values(op, (!is_one).then_some(number), name, feature, spec.dtype())?);
        }
    }
    Ok(rows)
}

fn all_types(specs: &Specs, level: Level, unknown: &mut dyn FnMut() -> Dim, to: &mut Vec<TensorType>) -> Result<()> {
    for (_, spec) in specs {
        to.extend(types(spec, level, unknown)?);
    }
    Ok(())
}

/// An error unless the records are one string, or a vector of them.
fn check_records(op: &str, ty: &TensorType, is_one: bool) -> Result<()> {
    match is_one {
        true => one_string(op, ty),
        false if ty.dtype == DType::String && ty.shape.rank() == 1 => Ok(()),
        false => Err(Error::invalid_argument(op, "the records must be a vector of strings").got(ty)),
    }
}

/// The bytes of all records.
fn records_of(op: &str, x: &Tensor, is_one: bool) -> Result<Vec<Vec<u8>>> {
    match is_one {
        true => Ok(vec![bytes_of(op, x)?]),
        false => x.try_to_byte_strings().map_err(|e| e.in_op(op)),
    }
}

/// What is read of records, by the features' names.
type Wanted<'a> = &'a [(&'a str, FeatureSpec)];

/// The error of bytes that are no record.
fn in_record(op: &str, number: usize, is_one: bool, error: Error) -> Error {
    match is_one {
        true => error,
        false => within(op, &format!("record {number}"), &error),
    }
}

#[track_caller]
fn parse(
    op: &'static str,
    serialized: &Tensor,
    features: &[(&str, FeatureSpec)],
    is_one: bool,
) -> Result<ParsedFeatures> {
    let specs = owned(op, features, true)?;
    let level = if is_one { Level::One } else { Level::Batch };
    let (for_types, settings) = (specs.clone(), format!("{specs:?}"));
    let types = move |inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim| {
        check_records(op, inputs[0], is_one)?;
        let mut all = Vec::new();
        all_types(&for_types, level, unknown, &mut all).map(|()| all)
    };
    let own = specs.clone();
    let run = move |inputs: &[&Tensor]| {
        let mut records = Vec::new();
        for (number, bytes) in records_of(op, inputs[0], is_one)?.iter().enumerate() {
            let example = Example::parse(bytes).map_err(|e| in_record(op, number, is_one, e))?;
            records.push(example.features.unwrap_or_default());
        }
        let mut tensors = Vec::new();
        for ((name, spec), rows) in own.iter().zip(rows(op, &own, records, is_one)?) {
            tensors.extend(flat(op, name, spec, rows, level)?);
        }
        Ok(tensors)
    };
    let tensors = Work::new(op, settings, types, run).call(&[serialized])?;
    Ok(ParsedFeatures::take(&specs, level, &mut tensors.into_iter()).0)
}

/// What a record with lists is parsed to: what holds once, the lists, and of a batch how many steps each dense list has.
type Sequence = (ParsedFeatures, ParsedFeatures, ParsedFeatures);

#[track_caller]
fn parse_sequence(
    op: &'static str,
    serialized: &Tensor,
    (context, lists): (Wanted<'_>, Wanted<'_>),
    is_one: bool,
) -> Result<Sequence> {
    let context = if context.is_empty() { Specs::new() } else { owned(op, context, true)? };
    let lists = owned(op, lists, false)?;
    let (level, list_level) = if is_one { (Level::One, Level::Steps) } else { (Level::Batch, Level::BatchOfSteps) };
    let settings = format!("{context:?} {lists:?}");
    let specs = (context.clone(), lists.clone());
    let types = move |inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim| {
        check_records(op, inputs[0], is_one)?;
        let mut all = Vec::new();
        all_types(&specs.0, level, unknown, &mut all)?;
        all_types(&specs.1, list_level, unknown, &mut all).map(|()| all)
    };
    let specs = (context.clone(), lists.clone());
    let run = move |inputs: &[&Tensor]| {
        let (mut contexts, mut all_lists) = (Vec::new(), Vec::new());
        for (number, bytes) in records_of(op, inputs[0], is_one)?.iter().enumerate() {
            let example = SequenceExample::parse(bytes).map_err(|e| in_record(op, number, is_one, e))?;
            contexts.push(example.context.unwrap_or_default());
            all_lists.push(example.feature_lists.unwrap_or_default());
        }
        let mut tensors = Vec::new();
        for ((name, spec), rows) in specs.0.iter().zip(rows(op, &specs.0, contexts, is_one)?) {
            tensors.extend(flat(op, name, spec, rows, level)?);
        }
        for (name, spec) in &specs.1 {
            let read = |(number, lists)| list(op, (!is_one).then_some(number), name, spec, lists);
            let mut read = all_lists.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
            tensors.extend(match is_one {
                true => steps(op, name, spec, read.pop().flatten())?,
                false => batch_of_steps(op, name, spec, read)?,
            });
        }
        Ok(tensors)
    };
    let mut tensors = Work::new(op, settings, types, run).call(&[serialized])?.into_iter();
    let (context, _) = ParsedFeatures::take(&context, level, &mut tensors);
    let (lists, lengths) = ParsedFeatures::take(&lists, list_level, &mut tensors);
    Ok((context, lists, lengths))
}

/// The values of each step of a list.
fn list(
    op: &str,
    record: Option<usize>,
    name: &str,
    spec: &FeatureSpec,
    lists: &FeatureLists,
) -> Result<Option<Vec<Values>>> {
    let Some(list) = lists.feature_list.get(spec.key(name)) else { return Ok(None) };
    let step = |feature: &Feature| {
        let values = values(op, record, name, Some(feature.clone()), spec.dtype())?;
        Ok(values.unwrap_or(Values::none(spec.dtype())))
    };
    list.feature.iter().map(step).collect::<Result<Vec<_>>>().map(Some)
}

io_fn! {
    /// The features of a vector of serialised `Example` records: TensorFlow's `tf.io.parse_example`.
    ///
    /// A feature of fixed length is a tensor with the records in front, one of any length a sparse matrix or rows, and a sequence is filled up to the longest.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::io::{FixedLenFeature, VarLenFeature};
    /// use tf::train::{Example, Feature};
    /// let one = Example::of([("x", Feature::float_list([1.0, 2.0])), ("tags", Feature::bytes_list(["a", "b"]))]);
    /// let two = Example::of([("x", Feature::float_list([3.0, 4.0]))]);
    /// let records = tf::Tensor::try_from_byte_strings(&[one.serialize(), two.serialize()], [2])?;
    /// let spec = [("x", FixedLenFeature::new(&[2], tf::float32).into()), ("tags", VarLenFeature::new(tf::string).into())];
    /// let parsed = tf::io::parse_example(&records, &spec);
    /// assert_eq!(parsed.dense("x").to_vec::<f32>(), [1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(parsed.sparse("tags").dense_shape.to_vec::<i64>(), [2, 2]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn parse_example, try_parse_example(serialized: impl AsTensor, features: &[(&str, FeatureSpec)]) -> ParsedFeatures {
        parse("parse_example", &serialized.as_tensor(), features, false)
    }

    /// The features of one serialised `Example`: TensorFlow's `tf.io.parse_single_example`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::io::FixedLenFeature;
    /// use tf::train::{Example, Feature};
    /// let record = Example::of([("label", Feature::int64_list([3]))]).serialize();
    /// let record = tf::Tensor::try_from_byte_strings(&[record], ())?;
    /// let parsed = tf::io::parse_single_example(&record, &[("label", FixedLenFeature::new(&[], tf::int64).into())]);
    /// assert_eq!(parsed.dense("label").item::<i64>(), 3);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn parse_single_example, try_parse_single_example(serialized: impl AsTensor, features: &[(&str, FeatureSpec)]) -> ParsedFeatures {
        parse("parse_single_example", &serialized.as_tensor(), features, true)
    }

    /// A vector of serialised `SequenceExample` records: what holds once, the lists, and how many steps each dense list has. TensorFlow's
    /// `tf.io.parse_sequence_example`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::io::FixedLenSequenceFeature;
    /// use tf::train::{Feature, SequenceExample};
    /// let of = |steps: &[i64]| {
    ///     let list = steps.iter().map(|&n| Feature::int64_list([n])).collect();
    ///     SequenceExample::of([("id", Feature::int64_list([7]))], [("n", list)]).serialize()
    /// };
    /// let records = tf::Tensor::try_from_byte_strings(&[of(&[1, 2]), of(&[3])], [2])?;
    /// let spec = [("n", FixedLenSequenceFeature::new(&[], tf::int64).into())];
    /// let (_, lists, lengths) = tf::io::parse_sequence_example(&records, &[], &spec);
    /// assert_eq!(lists.dense("n").to_vec::<i64>(), [1, 2, 3, 0]);
    /// assert_eq!(lengths.dense("n").to_vec::<i64>(), [2, 1]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn parse_sequence_example, try_parse_sequence_example(
        serialized: impl AsTensor,
        context_features: &[(&str, FeatureSpec)],
        sequence_features: &[(&str, FeatureSpec)],
    ) -> (ParsedFeatures, ParsedFeatures, ParsedFeatures) {
        parse_sequence("parse_sequence_example", &serialized.as_tensor(), (context_features, sequence_features), false)
    }

    /// One serialised `SequenceExample`: what holds once, and the lists. TensorFlow's `tf.io.parse_single_sequence_example`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::io::RaggedFeature;
    /// use tf::train::{Feature, SequenceExample};
    /// let steps = vec![Feature::bytes_list(["a", "b"]), Feature::bytes_list(["c"])];
    /// let record = SequenceExample::of::<&str, _>([], [("words", steps)]).serialize();
    /// let record = tf::Tensor::try_from_byte_strings(&[record], ())?;
    /// let (_, lists) = tf::io::parse_single_sequence_example(&record, &[], &[("words", RaggedFeature::new(tf::string).into())]);
    /// assert_eq!(lists.ragged("words").row_splits[0].to_vec::<i64>(), [0, 2, 3]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn parse_single_sequence_example, try_parse_single_sequence_example(
        serialized: impl AsTensor,
        context_features: &[(&str, FeatureSpec)],
        sequence_features: &[(&str, FeatureSpec)],
    ) -> (ParsedFeatures, ParsedFeatures) {
        let op = "parse_single_sequence_example";
        let (context, lists, _) = parse_sequence(op, &serialized.as_tensor(), (context_features, sequence_features), true)?;
        Ok((context, lists))
    }
}
