//! Tensors of a feature of all records of a batch: dense, sparse or in rows.
//! `parse_example` and `parse_sequence_example` hand over what they found, record by record.

use super::spec::{FeatureSpec, FixedLenFeature, FixedLenSequenceFeature};
use super::values::Values;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What records are: one, several, or several with a list of values for each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    One,
    Batch,
    /// One record's list: its steps are the rows.
    Steps,
    /// The lists of several records.
    BatchOfSteps,
}

/// The error of a feature.
#[cold]
pub(super) fn wrong(op: &str, record: Option<usize>, name: &str, what: &str) -> Error {
    let record = record.map_or(String::new(), |record| format!("record {record}, "));
    Error::invalid_argument(op, format!("{record}feature `{name}`: {what}"))
}

/// The types of the tensors of a feature.
pub(super) fn types(spec: &FeatureSpec, level: Level, unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
    let ty = |dtype, dims: &[Dim]| Shape::from_dims(dims).map(|shape| TensorType::new(dtype, shape));
    let rank = if level == Level::BatchOfSteps {
        3
    } else if level == Level::One {
        1
    } else {
        2
    };
    let inner = |shape: &[usize]| shape.iter().map(|&n| Dim::from(n)).collect::<Vec<_>>();
    Ok(match spec {
        FeatureSpec::FixedLen(spec) => {
            let mut dims = if level == Level::One { Vec::new() } else { vec![unknown()] };
            dims.extend(inner(&spec.shape));
            vec![ty(spec.dtype, &dims)?]
        }
        FeatureSpec::FixedLenSequence(spec) => {
            let mut dims = vec![unknown()];
            if matches!(level, Level::Batch | Level::BatchOfSteps) {
                dims.push(unknown());
            }
            dims.extend(inner(&spec.shape));
            let mut all = vec![ty(spec.dtype, &dims)?];
            if level == Level::BatchOfSteps {
                all.push(ty(DType::I64, &[unknown()])?);
            }
            all
        }
        FeatureSpec::VarLen(spec) => {
            let count = unknown();
            vec![
                ty(DType::I64, &[count, Dim::from(rank)])?,
                ty(spec.dtype, &[count])?,
                ty(DType::I64, &[Dim::from(rank)])?,
            ]
        }
        FeatureSpec::Ragged(spec) => {
            let mut all = vec![ty(spec.dtype, &[unknown()])?];
            for _ in 1..rank {
                all.push(ty(DType::I64, &[unknown()])?);
            }
            all
        }
    })
}

/// The tensors of a feature of one record or of several, `None` where a record has none.
pub(super) fn flat(
    op: &str,
    name: &str,
    spec: &FeatureSpec,
    rows: Vec<Option<Values>>,
    level: Level,
) -> Result<Vec<Tensor>> {
    match spec {
        FeatureSpec::FixedLen(spec) => fixed(op, name, spec, rows, level).map(|tensor| vec![tensor]),
        FeatureSpec::FixedLenSequence(spec) => sequence(op, name, spec, rows, level).map(|tensor| vec![tensor]),
        FeatureSpec::VarLen(spec) => sparse(spec.dtype, vec![rows], level),
        FeatureSpec::Ragged(spec) => {
            let (mut all, mut ends) = (Values::none(spec.dtype), vec![0_i64]);
            for row in rows.into_iter().map(|row| row.unwrap_or(Values::none(spec.dtype))) {
                all.append(row)?;
                ends.push(all.len() as i64);
            }
            let (count, rows) = (all.len(), ends.len());
            let mut tensors = vec![all.into_tensor(&[count])?];
            if level != Level::One {
                tensors.push(Tensor::try_from_vec(ends, [rows])?);
            }
            Ok(tensors)
        }
    }
}

fn fixed(op: &str, name: &str, spec: &FixedLenFeature, rows: Vec<Option<Values>>, level: Level) -> Result<Tensor> {
    let (size, records) = (spec.shape.iter().product::<usize>(), rows.len());
    let mut all = Values::none(spec.dtype);
    for (record, row) in rows.into_iter().enumerate() {
        let record = (level != Level::One).then_some(record);
        let row = row.or_else(|| spec.default.clone());
        let row = row.ok_or_else(|| {
            wrong(op, record, name, "it is required, but the record has none").help("give it a `default_value`")
        })?;
        if row.len() != size {
            return Err(wrong(op, record, name, "it has another number of values").got(row.len()).expected(size));
        }
        all.append(row)?;
    }
    let mut shape = if level == Level::One { Vec::new() } else { vec![records] };
    shape.extend_from_slice(&spec.shape);
    all.into_tensor(&shape)
}

fn sequence(
    op: &str,
    name: &str,
    spec: &FixedLenSequenceFeature,
    rows: Vec<Option<Values>>,
    level: Level,
) -> Result<Tensor> {
    let (size, records) = (spec.shape.iter().product::<usize>().max(1), rows.len());
    let rows: Vec<Values> = rows.into_iter().map(|row| row.unwrap_or(Values::none(spec.dtype))).collect();
    let longest = rows.iter().map(Values::len).max().unwrap_or(0);
    let filler = spec.default.clone().unwrap_or(Values::zeros(spec.dtype, 1));
    let mut all = Values::none(spec.dtype);
    for (record, row) in rows.into_iter().enumerate() {
        if !row.len().is_multiple_of(size) {
            let record = (level != Level::One).then_some(record);
            return Err(wrong(op, record, name, "its values are no whole number of steps")
                .got(row.len())
                .expected(format!("a multiple of {size}")));
        }
        let missing = longest - row.len();
        all.append(row)?;
        all.append(filler.repeated(missing))?;
    }
    let mut shape = vec![longest / size];
    if level != Level::One {
        shape.insert(0, records);
    }
    shape.extend_from_slice(&spec.shape);
    all.into_tensor(&shape)
}

/// A sparse tensor of rows of rows: indices, values, and the dense shape.
fn sparse(dtype: DType, records: Vec<Vec<Option<Values>>>, level: Level) -> Result<Vec<Tensor>> {
    let (mut indices, mut all) = (Vec::new(), Values::none(dtype));
    let (outer, mut steps, mut longest) = (records.len(), 0, 0);
    for (record, rows) in records.into_iter().enumerate() {
        steps = steps.max(rows.len());
        for (step, row) in rows.into_iter().enumerate() {
            let row = row.unwrap_or(Values::none(dtype));
            longest = longest.max(row.len());
            for place in 0..row.len() as i64 {
                match level {
                    Level::One => indices.push(place),
                    Level::BatchOfSteps => indices.extend([record as i64, step as i64, place]),
                    _ => indices.extend([step as i64, place]),
                }
            }
            all.append(row)?;
        }
    }
    let sizes = [outer as i64, steps as i64, longest as i64];
    let shape = match level {
        Level::One => &sizes[2..],
        Level::BatchOfSteps => &sizes[..],
        _ => &sizes[1..],
    };
    let (count, rank) = (all.len(), shape.len());
    Ok(vec![
        Tensor::try_from_vec(indices, [count, rank])?,
        all.into_tensor(&[count])?,
        Tensor::try_from_vec(shape.to_vec(), [rank])?,
    ])
}

/// The tensors of a list of one record, `None` if it has no such list.
pub(super) fn steps(op: &str, name: &str, spec: &FeatureSpec, list: Option<Vec<Values>>) -> Result<Vec<Tensor>> {
    let FeatureSpec::FixedLenSequence(spec) = spec else {
        let rows = list.unwrap_or_default().into_iter().map(Some).collect();
        return flat(op, name, spec, rows, Level::Steps);
    };
    let (list, all) = one_list(op, name, spec, list, None)?;
    let mut shape = vec![list];
    shape.extend_from_slice(&spec.shape);
    Ok(vec![all.into_tensor(&shape)?])
}

/// The steps of a list and their values, checked.
fn one_list(
    op: &str,
    name: &str,
    spec: &FixedLenSequenceFeature,
    list: Option<Vec<Values>>,
    record: Option<usize>,
) -> Result<(usize, Values)> {
    if list.is_none() && !spec.allow_missing {
        return Err(wrong(op, record, name, "the list is required, but the record has none")
            .help("`allow_missing` takes it for empty"));
    }
    let (list, size) = (list.unwrap_or_default(), spec.shape.iter().product::<usize>());
    let (steps, mut all) = (list.len(), Values::none(spec.dtype));
    for (step, values) in list.into_iter().enumerate() {
        if values.len() != size {
            let what = format!("step {step} has another number of values");
            return Err(wrong(op, record, name, &what).got(values.len()).expected(size));
        }
        all.append(values)?;
    }
    Ok((steps, all))
}

/// The tensors of a list of several records.
pub(super) fn batch_of_steps(
    op: &str,
    name: &str,
    spec: &FeatureSpec,
    lists: Vec<Option<Vec<Values>>>,
) -> Result<Vec<Tensor>> {
    let records = lists.len();
    match spec {
        FeatureSpec::FixedLenSequence(spec) => {
            let size = spec.shape.iter().product::<usize>();
            let read = |(record, list)| one_list(op, name, spec, list, Some(record));
            let lists = lists.into_iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
            let lengths: Vec<i64> = lists.iter().map(|(steps, _)| *steps as i64).collect();
            let longest = lists.iter().map(|(steps, _)| *steps).max().unwrap_or(0);
            let filler = spec.default.clone().unwrap_or(Values::zeros(spec.dtype, 1));
            let mut all = Values::none(spec.dtype);
            for (steps, values) in lists {
                all.append(values)?;
                all.append(filler.repeated((longest - steps) * size))?;
            }
            let mut shape = vec![records, longest];
            shape.extend_from_slice(&spec.shape);
            Ok(vec![all.into_tensor(&shape)?, Tensor::try_from_vec(lengths, [records])?])
        }
        FeatureSpec::VarLen(spec) => {
            let lists = lists.into_iter().map(|list| list.unwrap_or_default().into_iter().map(Some).collect());
            sparse(spec.dtype, lists.collect(), Level::BatchOfSteps)
        }
        _ => {
            let (mut ends, mut rows) = (vec![0_i64], Vec::new());
            for list in lists {
                rows.extend(list.unwrap_or_default().into_iter().map(Some));
                ends.push(rows.len() as i64);
            }
            let mut tensors = flat(op, name, spec, rows, Level::Steps)?;
            let count = ends.len();
            tensors.insert(1, Tensor::try_from_vec(ends, [count])?);
            Ok(tensors)
        }
    }
}
