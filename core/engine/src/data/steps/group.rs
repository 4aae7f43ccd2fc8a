//! The stage that collects elements by a key: `group_by_window`, whose windows a function turns into data sets.
//! `bucket_by_sequence_length` is made of it.

use super::flatten::LateTypes;
use super::one_input;
use super::window::Taken;
use crate::constant::try_constant_of;
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::pipeline::Pipeline;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, save_elements, saved_elements};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

pub(in crate::data) struct Group {
    pub before: Arc<dyn Stage>,
    /// Of an element: its key, an integer.
    pub key: StepFunction,
    /// Of a key and a window: a data set.
    pub reduce: StepFunction,
    /// Of a key: how many elements make a window.
    pub size: StepFunction,
    /// Of the elements of the data sets, where they are known.
    pub types: LateTypes,
}

impl Stage for Group {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let (keys, reduce) = (self.key.calls(from.as_deref_mut())?, self.reduce.calls(from.as_deref_mut())?);
        let sizes = self.size.calls(from.as_deref_mut())?;
        let location = self.key.location;
        let types = self.before.types();
        let mut pass =
            Grouping { before: None, keys, reduce, sizes, groups: BTreeMap::new(), given: None, types, location };
        let mut running = true;
        if let Some(from) = from.as_deref_mut() {
            for _ in 0..from.count()? {
                let key = from.signed()?;
                pass.groups.insert(key, saved_elements(from)?);
            }
            if from.flag()? {
                let (number, key, elements) = (from.number()?, from.signed()?, saved_elements(from)?);
                pass.given = Some(pass.reduced(number, key, elements, Some(from))?);
            }
            running = from.flag()?;
        }
        pass.before = running.then(|| Values::begin(&self.before, from)).transpose()?;
        Ok(Box::new(pass))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let given = vec![TensorType::scalar(DType::I64), TensorType::scalar(DType::Variant)];
        (self.types)(&self.reduce.function, Some(given))
    }

    one_input!();

    fn describe(&self) -> String {
        "group_by_window(function)".to_owned()
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.key.order, &self.reduce.order, &self.size.order]
    }
}

/// A window whose data set is gone over.
struct Given {
    number: u64,
    key: i64,
    elements: Vec<Outputs>,
    pass: Values,
}

struct Grouping {
    /// Nothing once the end was seen.
    before: Option<Values>,
    keys: Calls,
    reduce: Calls,
    sizes: Calls,
    groups: BTreeMap<i64, Vec<Outputs>>,
    given: Option<Given>,
    types: Option<Vec<TensorType>>,
    location: &'static Location<'static>,
}

impl Grouping {
    fn reduced(&self, number: u64, key: i64, elements: Vec<Outputs>, from: Option<&mut Saved<'_>>) -> Result<Given> {
        let items = elements.iter().cloned().map(Item::Values).collect();
        let window = Taken { items, source: None, types: self.types.clone() }.into_handle();
        let made = self.reduce.call_for(number, smallvec![try_constant_of(key, DType::I64)?, window])?;
        let [handle] = &made[..] else {
            return Err(Error::internal("group_by_window", "the function gives something else than one data set"));
        };
        let pass = Values::begin(&Pipeline::of(handle, "group_by_window")?.stages, from)?;
        Ok(Given { number, key, elements, pass })
    }

    fn flush(&mut self, key: i64) -> Result<()> {
        let elements = self.groups.remove(&key).unwrap_or_default();
        let number = self.reduce.number();
        self.given = Some(self.reduced(number, key, elements, None)?);
        Ok(())
    }

    /// The integer that a function gives for an element or a key.
    fn integer(&self, what: &str, given: &Outputs) -> Result<i64> {
        match &given[..] {
            [value] if value.rank() == 0 && matches!(value.dtype(), DType::I64 | DType::I32) => {
                value.try_cast(DType::I64)?.try_item::<i64>()
            }
            _ => {
                let got: Vec<String> = given.iter().map(|t: &Tensor| t.ty().to_string()).collect();
                Err(Error::invalid_argument("group_by_window", format!("the function gives no {what}"))
                    .got(got.join(", "))
                    .expected("int64[]")
                    .at(self.location))
            }
        }
    }

    fn size_of(&mut self, key: i64) -> Result<usize> {
        let given = self.sizes.call(smallvec![try_constant_of(key, DType::I64)?])?;
        let size = self.integer("size of a window", &given)?;
        usize::try_from(size).ok().filter(|size| *size > 0).ok_or_else(|| {
            Error::invalid_argument("group_by_window", format!("the window of key {key} has no elements"))
                .got(size)
                .expected("a size of at least 1")
                .at(self.location)
        })
    }
}

impl Pass for Grouping {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(given) = &mut self.given {
                if let Some(values) = given.pass.next()? {
                    return Ok(Some(Item::Values(values)));
                }
                self.given = None;
            }
            let Some(before) = &mut self.before else {
                // What is left, in the order of the keys.
                let Some(key) = self.groups.keys().next().copied() else { return Ok(None) };
                self.flush(key)?;
                continue;
            };
            let Some(element) = before.next()? else {
                self.before = None;
                continue;
            };
            let given = self.keys.call(element.clone())?;
            let key = self.integer("key", &given)?;
            let group = self.groups.entry(key).or_default();
            group.push(element);
            let count = group.len();
            if count >= self.size_of(key)? {
                self.flush(key)?;
            }
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.keys.save(to);
        self.reduce.save(to);
        self.sizes.save(to);
        to.number(self.groups.len() as u64);
        for (key, elements) in &self.groups {
            to.signed(*key);
            save_elements(elements, to)?;
        }
        to.flag(self.given.is_some());
        if let Some(Given { number, key, elements, pass }) = &self.given {
            to.number(*number);
            to.signed(*key);
            save_elements(elements, to)?;
            pass.save(to)?;
        }
        to.flag(self.before.is_some());
        self.before.as_ref().map_or(Ok(()), |before| before.save(to))
    }
}
