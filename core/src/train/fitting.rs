//! Whether saved values fit the variables that are to take them, and what is said where some do not.
//! A restore asks before it changes anything.

use engine::TensorType;
use formats::bundle::Stored;
use formats::messages::DataType;
use kernels::error::{Error, Result};

const HELP: &str = "build the model with the options that it was saved with, or restore only the parts that fit";

/// Checks a value of the checkpoint `file` for a variable of a type.
pub(super) fn fits(file: &str, stored: &Stored, ty: &TensorType) -> Result<()> {
    let dims = ty.shape.dims();
    let same = stored.shape().len() == dims.len() && stored.shape().iter().zip(dims).all(|(&a, &b)| a == b as u64);
    if same && stored.dtype() == DataType::from(ty.dtype) {
        return Ok(());
    }
    Err(Error::invalid_argument(file, "a saved value does not fit its variable")
        .got(format!("{} in the checkpoint, as `{}`", type_text(stored), stored.key()))
        .expected(ty)
        .help(HELP))
}

/// Checks all values of a restore, each for the variable of a path: those that do not fit are told in one error.
pub(super) fn all_fit<'a>(file: &str, values: impl Iterator<Item = (&'a str, &'a Stored, TensorType)>) -> Result<()> {
    let faults = values.filter_map(|(path, stored, ty)| Some((path, fits(file, stored, &ty).err()?, stored, ty)));
    let mut faults: Vec<_> = faults.collect();
    if let [_] = faults[..]
        && let Some((path, error, ..)) = faults.pop()
    {
        return Err(error.variable(path));
    }
    if faults.is_empty() {
        return Ok(());
    }
    let all = faults.len();
    let text = |(path, _, stored, ty): &(&str, Error, &Stored, TensorType)| {
        format!("`{path}` is {ty}, in the checkpoint {}", type_text(stored))
    };
    let texts: Vec<String> = faults.iter().take(SHOWN).map(text).collect();
    Err(Error::invalid_argument(file, format!("{all} saved values do not fit their variables"))
        .got(listed(&texts, all))
        .expected("the dtypes and shapes of the program's variables")
        .help(HELP))
}

fn type_text(stored: &Stored) -> String {
    let dtype = stored.dtype().dtype().map_or_else(|| format!("{:?}", stored.dtype()), |dtype| dtype.to_string());
    format!("{dtype}{:?}", stored.shape())
}

/// How many paths a message names.
pub(super) const SHOWN: usize = 10;

/// Some of `all` names.
pub(super) fn listed(names: &[String], all: usize) -> String {
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    match all.saturating_sub(names.len().min(SHOWN)) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
