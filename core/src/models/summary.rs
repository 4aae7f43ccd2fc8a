//! `summary`: the layers of a model with their outputs' shapes and numbers of parameters, as Keras prints them.
//! `Sequential` and `Functional` have it as a method; [`summary()`] is for any module.

use super::Weights;
use engine::{Module, Variable};
use kernels::error::{OrFail, Result};
use std::collections::HashSet;
use std::fmt;
use std::panic::Location;

/// The table that Keras's `model.summary()` prints; [`Display`](fmt::Display) writes it.
#[derive(Clone, Debug)]
pub struct Summary {
    name: String,
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    trainable: Count,
    fixed: Count,
}

/// Numbers and the bytes that they take.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    numbers: usize,
    bytes: usize,
}

impl Count {
    fn add(&mut self, variable: &Variable) {
        let numbers = variable.shape().num_elements();
        self.numbers += numbers;
        self.bytes += numbers * variable.dtype().size();
    }
}

/// One row: a layer, the shape of its output, and what it is connected to.
pub(super) struct Row<'a> {
    pub name: String,
    pub layer: &'a dyn Module,
    pub shape: Option<String>,
    pub inputs: Option<String>,
}

impl Summary {
    /// The table of rows, in which parameters that are shared count for each layer, and once in the sums.
    #[track_caller]
    pub(super) fn of<'a>(name: &str, whole: &dyn Module, rows: impl IntoIterator<Item = Row<'a>>) -> Result<Self> {
        let (mut trainable, mut fixed) = (Count::default(), Count::default());
        let trained: HashSet<u64> = whole.try_trainable_variables()?.iter().map(Variable::id).collect();
        for weight in whole.try_weights()? {
            if trained.contains(&weight.id()) { trainable.add(&weight) } else { fixed.add(&weight) }
        }
        let (mut table, mut shapes, mut connected) = (Vec::new(), false, false);
        for row in rows {
            let mut count = Count::default();
            row.layer.try_weights()?.iter().for_each(|weight| count.add(weight));
            shapes |= row.shape.is_some();
            connected |= row.inputs.is_some();
            table.push((
                row.name,
                row.shape.unwrap_or_default(),
                grouped(count.numbers),
                row.inputs.unwrap_or_default(),
            ));
        }
        let mut heads = vec!["Layer (type)"];
        heads.extend(shapes.then_some("Output Shape"));
        heads.push("Param #");
        heads.extend(connected.then_some("Connected to"));
        let rows = table.into_iter().map(|(name, shape, count, inputs)| {
            let mut row = vec![name];
            row.extend(shapes.then_some(shape));
            row.push(count);
            row.extend(connected.then_some(inputs));
            row
        });
        Ok(Self { name: name.to_owned(), heads, rows: rows.collect(), trainable, fixed })
    }
}

/// The last word of a type's path, without its parameters.
pub(super) fn type_of(module: &dyn Module) -> String {
    let path = module.module_name().unwrap_or("module");
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

/// The name of a layer, with a number from the second of its kind on.
pub(super) fn numbered(kind: &str, before: usize) -> String {
    match before {
        0 => kind.to_owned(),
        number => format!("{kind}_{number}"),
    }
}

/// Sizes as Keras writes them: `(None, 10)`.
pub(super) fn shown(sizes: &[Option<usize>]) -> String {
    let words: Vec<String> = sizes.iter().map(|size| size.map_or("None".to_owned(), |size| size.to_string())).collect();
    match &words[..] {
        [one] => format!("({one},)"),
        words => format!("({})", words.join(", ")),
    }
}

/// The modules of a module with their numbers of parameters: for models that are structs. Those within a layer are not listed.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Module, layers::Dense};
/// #[derive(Module)]
/// struct Net {
///     hidden: Dense,
///     output: Dense,
/// }
/// let net = Net { hidden: Dense::new(4), output: Dense::new(1) };
/// tf::build(&net, [None, Some(3)], |net, x| net.output.call(net.hidden.call(x)));
/// let text = tf::summary(&net).to_string();
/// assert!(text.contains("hidden (Dense)") && text.contains("Total params: 21"));
/// ```
///
/// # Panics
/// While a layer is not built.
#[track_caller]
pub fn summary<M: Module>(module: &M) -> Summary {
    try_summary(module).or_fail()
}

/// [`summary`] that answers an error instead of panicking.
///
/// # Errors
/// FailedPrecondition while a layer is not built.
#[track_caller]
pub fn try_summary<M: Module>(module: &M) -> Result<Summary> {
    let here = Location::caller();
    of_module(module).map_err(|e| e.at(here))
}

fn of_module<M: Module>(module: &M) -> Result<Summary> {
    let parts = module.submodules();
    let within = |path: &str| parts.iter().any(|other| path.starts_with(&format!("{}/", other.path)));
    let named = module.try_named_variables()?;
    let rows: Vec<(String, Listed)> = parts
        .iter()
        .filter(|part| !within(&part.path) && !part.path.ends_with("seed_generator"))
        .map(|part| {
            let name = part.type_name.split('<').next().unwrap_or(part.type_name);
            let name = format!("{} ({})", part.path, name.rsplit("::").next().unwrap_or(name));
            let ids: HashSet<u64> = part.variables.iter().map(Variable::id).collect();
            let own = named.iter().filter(|(_, variable)| ids.contains(&variable.id())).cloned().collect();
            (name, Listed(own))
        })
        .collect();
    let title = type_of(module);
    let rows = rows.iter().map(|(name, listed)| Row { name: name.clone(), layer: listed, shape: None, inputs: None });
    Summary::of(&title, module, rows)
}

/// The variables of a part, under their paths in the whole.
struct Listed(Vec<(String, Variable)>);

impl Module for Listed {
    fn visit(&self, fields: &mut engine::Fields<'_>) {
        self.0.iter().for_each(|(path, variable)| fields.field(path, variable));
    }
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit that fits.
fn sized(bytes: usize) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let (mut size, mut unit) = (bytes as f64, 0);
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.2} {}", units[unit])
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = |text: &str| text.chars().count();
        let least = |head: &str| match head {
            "Layer (type)" => 36,
            "Output Shape" => 24,
            "Param #" => 13,
            _ => 24,
        };
        let widths: Vec<usize> = (0..self.heads.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| wide(&row[at]));
                cells.chain([wide(self.heads[at]), least(self.heads[at])]).max().unwrap_or(0)
            })
            .collect();
        let rule = |left: char, line: char, between: char, right: char| {
            let parts: Vec<String> = widths.iter().map(|width| line.to_string().repeat(width + 2)).collect();
            format!("{left}{}{right}", parts.join(&between.to_string()))
        };
        let number = |at: usize| self.heads[at] == "Param #";
        let line = |cells: &[&str], bar: char| {
            let parts: Vec<String> = cells
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(at, (cell, &width))| match number(at) {
                    true => format!(" {cell:>width$} "),
                    false => format!(" {cell:<width$} "),
                })
                .collect();
            format!("{bar}{}{bar}", parts.join(&bar.to_string()))
        };
        writeln!(f, "Model: \"{}\"", self.name)?;
        writeln!(f, "{}", rule('┏', '━', '┳', '┓'))?;
        writeln!(f, "{}", line(&self.heads, '┃'))?;
        writeln!(f, "{}", rule('┡', '━', '╇', '┩'))?;
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                writeln!(f, "{}", rule('├', '─', '┼', '┤'))?;
            }
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            writeln!(f, "{}", line(&cells, '│'))?;
        }
        writeln!(f, "{}", rule('└', '─', '┴', '┘'))?;
        let (trainable, fixed) = (self.trainable, self.fixed);
        let total = (trainable.numbers + fixed.numbers, trainable.bytes + fixed.bytes);
        writeln!(f, " Total params: {} ({})", grouped(total.0), sized(total.1))?;
        writeln!(f, " Trainable params: {} ({})", grouped(trainable.numbers), sized(trainable.bytes))?;
        write!(f, " Non-trainable params: {} ({})", grouped(fixed.numbers), sized(fixed.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_keras() {
        assert_eq!((grouped(7), grouped(1234), grouped(1_234_567)), ("7".into(), "1,234".into(), "1,234,567".into()));
        assert_eq!((sized(0), sized(220_200), sized(3 << 20)), ("0.00 B".into(), "215.04 KB".into(), "3.00 MB".into()));
    }
}
