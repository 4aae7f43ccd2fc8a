//! [`WeightsLoader`]: reads a safetensors file into a model, under the names of others, turned and converted where that is asked for.
//! `load_weights` is one without rules.

use super::names::Rule;
use super::report::LoadReport;
use super::value::{Target, Value, WaitingWeight, type_of};
use engine::library::{DeferredValue, End, ObjectGraph, defer, overwrite};
use engine::{Module, TensorType, Variable};
use formats::safetensors::Safetensors;
use kernels::error::{Error, OrFail, Result};
use std::collections::HashMap;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// Loads a safetensors file into a module whose paths are the file's names, whole or not at all: Keras's `load_weights`.
///
/// Points in names count as slashes. Variables of layers that are not built yet take their values when they are made.
///
/// # Errors
/// FailedPrecondition where the file and the module do not have the same names, dtypes and shapes, with those that differ and the nearest
/// ones; [`WeightsLoader`] can be told otherwise. NotFound where there is no such file, DataLoss where it is damaged.
#[track_caller]
pub fn load_weights(model: &impl Module, path: impl AsRef<Path>) -> Result<LoadReport> {
    WeightsLoader::new().load(model, path)
}

/// How a file of weights is loaded into a model: by which names, and how strictly.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// use tf::train::{WeightsLoader, save_weights};
/// # let path = std::env::temp_dir().join(format!("eagerflow-doc-loader-{}.safetensors", std::process::id()));
/// let theirs = vec![tf::Variable::new([[1.0, 2.0, 3.0]])];
/// save_weights(&theirs, &path)?;
/// let model = (Dense::new(1).use_bias(false),);
/// model.0.build([1, 3]);
/// // PyTorch's matrices are `[out, in]`, Keras's kernels `[in, out]`.
/// let report = WeightsLoader::new().map_transposed("{i}", "{i}/kernel", [1, 0]).load(&model, &path)?;
/// assert_eq!(report.loaded, [("0".to_owned(), "0/kernel".to_owned())]);
/// assert_eq!(model.0.kernel().unwrap().value().to_vec::<f32>(), [1.0, 2.0, 3.0]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WeightsLoader {
    rules: Vec<Rule>,
    strict: bool,
    cast: bool,
}

impl WeightsLoader {
    /// One without rules, which asks for all names to be there.
    pub fn new() -> Self {
        Self { rules: Vec::new(), strict: true, cast: false }
    }

    /// Names that look like `from` are those of the variables at `to`. A placeholder such as `{i}` stands for anything without a point or
    /// slash: `map("encoder.layer.{i}.attention.q.weight", "blocks/{i}/query/kernel")`. The first rule that fits a name counts.
    ///
    /// # Panics
    /// As [`try_map`](Self::try_map) fails.
    #[track_caller]
    pub fn map(self, from: &str, to: &str) -> Self {
        self.try_map(from, to, None).or_fail()
    }

    /// As [`map`](Self::map), where axis `i` of the variable is axis `axes[i]` of the file: `[1, 0]` for the matrices of PyTorch's
    /// linear layers, `[2, 3, 1, 0]` for its convolutions.
    ///
    /// # Panics
    /// As [`try_map`](Self::try_map) fails.
    #[track_caller]
    pub fn map_transposed(self, from: &str, to: &str, axes: impl Into<Vec<usize>>) -> Self {
        self.try_map(from, to, Some(axes.into())).or_fail()
    }

    /// A rule that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a pattern that is none, and axes that are no order of all axes.
    #[track_caller]
    pub fn try_map(mut self, from: &str, to: &str, axes: Option<Vec<usize>>) -> Result<Self> {
        let here = Location::caller();
        let mut sorted = axes.clone().unwrap_or_default();
        sorted.sort_unstable();
        if sorted.iter().enumerate().any(|(i, &axis)| i != axis) {
            return Err(Error::invalid_argument("load_weights", "the axes are not all axes in some order")
                .got(format!("{:?}", axes.unwrap_or_default()))
                .expected("each of 0, 1, .. once")
                .at(here));
        }
        self.rules.push(Rule::new(from, to, axes).map_err(|e| e.at(here))?);
        Ok(self)
    }

    /// Whether the file and the model must have the same names and shapes, which they must unless this says otherwise. If not, what fits is
    /// loaded, and the report tells the rest.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether floating-point values are converted to the dtype of their variable, such as `bfloat16` of a file to `float32`; if not,
    /// and unless this is called, another dtype is as wrong as another shape.
    pub fn cast(mut self, cast: bool) -> Self {
        self.cast = cast;
        self
    }

    /// Loads a file into a module.
    ///
    /// # Errors
    /// As [`load_weights`]; InvalidArgument where two names of the file are for one variable.
    #[track_caller]
    pub fn load(&self, model: &impl Module, path: impl AsRef<Path>) -> Result<LoadReport> {
        let here = Location::caller();
        self.load_into(model, path.as_ref()).map_err(|e| e.at(here))
    }

    fn load_into(&self, model: &dyn Module, path: &Path) -> Result<LoadReport> {
        let file = Arc::new(Safetensors::open(path).map_err(|error| other_kind(path, error))?);
        let (report, found) = self.compare(model, &file, path)?;
        if self.strict && !report.is_complete() {
            return Err(Error::failed_precondition("load_weights", "the weights and the model are not the same")
                .got(format!("{report}, in `{}`", path.display()))
                .expected("a value of the same dtype and shape for each variable, and a variable for each value")
                .help("map names with `WeightsLoader::map`; `strict(false)` loads what fits, `cast(true)` converts dtypes"));
        }
        take(&file, found)?;
        Ok(report)
    }

    /// What the file has for what.
    fn compare(&self, model: &dyn Module, file: &Safetensors, path: &Path) -> Result<(LoadReport, Vec<Found>)> {
        let objects = ObjectGraph::of(model).objects;
        let mut targets: HashMap<String, (Target, Option<String>)> = HashMap::new();
        let mut order = Vec::new();
        for object in objects {
            let target = match object.end {
                End::Variable(variable) => Target::Variable(variable),
                End::Place(place) => Target::Place(place),
                _ => continue,
            };
            order.push(object.path.clone());
            targets.insert(object.path, (target, None));
        }
        let (mut report, mut found) = (LoadReport::default(), Vec::new());
        for stored in file.tensors() {
            let name = stored.name();
            let (to, axes) = self.place(name, &targets);
            let Some((target, from)) = targets.get_mut(&to) else {
                report.unexpected.push(name.to_owned());
                continue;
            };
            if let Some(first) = from {
                return Err(Error::invalid_argument("load_weights", "two values of the file are for one variable")
                    .got(format!("`{first}` and `{name}` for `{to}`, in `{}`", path.display())));
            }
            *from = Some(name.to_owned());
            let (ty, cast) = (type_of(stored, name, path)?, self.cast);
            let value = Value { name: name.to_owned(), ty, axes, cast };
            match value.misfit(target) {
                Some(wanted) => {
                    let text = format!("`{name}` is {} for `{to}`, which is {wanted}", value.turned_text());
                    report.misshapen.push((name.to_owned(), text));
                }
                None => {
                    report.loaded.push((name.to_owned(), to));
                    found.push(Found { target: target.clone(), value });
                }
            }
        }
        report.missing = order.into_iter().filter(|path| targets[path].1.is_none()).collect();
        Ok((report, found))
    }

    /// The path for a name of the file: by the first rule, else the name itself, with slashes for its points.
    fn place(&self, name: &str, targets: &HashMap<String, (Target, Option<String>)>) -> (String, Option<Vec<usize>>) {
        let by_rule = self.rules.iter().find_map(|rule| Some((rule.path(name)?, rule.axes.clone())));
        by_rule.unwrap_or_else(|| match targets.contains_key(name) {
            true => (name.to_owned(), None),
            false => (name.replace('.', "/"), None),
        })
    }
}

impl Default for WeightsLoader {
    fn default() -> Self {
        Self::new()
    }
}

/// The error of a file that cannot be read, with what somebody meant who gave a checkpoint.
fn other_kind(path: &Path, error: Error) -> Error {
    let name = path.display().to_string();
    let prefix = name.strip_suffix(".index").unwrap_or(&name);
    match formats::bundle::exists(Path::new(prefix)) {
        true => error.help(format!("`{prefix}` is a checkpoint: restore it with `tf::train::Checkpoint`")),
        false => error,
    }
}

struct Found {
    target: Target,
    value: Value,
}

/// Puts the values where they go: those that need work are made ready first, then the others are read in place.
fn take(file: &Arc<Safetensors>, found: Vec<Found>) -> Result<()> {
    let (mut plain, mut made, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
    for Found { target, value } in found {
        match target {
            Target::Variable(variable) if value.is_plain(&variable) => plain.push((variable, value.name)),
            Target::Variable(variable) => {
                let ty = TensorType::new(variable.dtype(), variable.shape());
                made.push((value.read(file, &ty)?, variable));
            }
            Target::Place(place) => waiting.push((place, value)),
        }
    }
    let variables: Vec<Variable> = plain.iter().map(|(variable, _)| variable.clone()).collect();
    overwrite(&variables, |memory| {
        let names = plain.iter().map(|(_, name)| name.as_str());
        let mut targets: Vec<(&str, &mut [u8])> = names.zip(memory.iter_mut().map(|bytes| &mut **bytes)).collect();
        file.read_into(&mut targets, 0)
    })?;
    for (value, variable) in made {
        variable.try_assign(value)?;
    }
    for (place, value) in waiting {
        let waiting = Arc::new(WaitingWeight { file: file.clone(), value });
        if let Some(variable) = defer(&place, waiting.clone()) {
            let ty = TensorType::new(variable.dtype(), variable.shape());
            variable.try_assign(waiting.value(variable.name(), &ty)?)?;
        }
    }
    Ok(())
}
