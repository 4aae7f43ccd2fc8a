//! What is wrong with the gradients of a step: which variables have none and which operation cut the path, which are zero or NaN.
//! Users call [`report`] where a model does not learn.

use engine::library::{Census, Cotangent, Named, OrFail, census, gradient_at, is_recorded};
use engine::{Gradients, Shape, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::fmt;
use std::panic::Location;

/// What is wrong with the gradient of a variable.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum GradientFault {
    /// There is none, for this reason: the operation that cut the path with its line, a variable that was not read, and so on.
    Missing(String),
    /// All its elements are 0.
    Zero,
    /// Some elements are NaN or infinite.
    NotFinite {
        /// How many are NaN.
        nan: usize,
        /// How many are infinite.
        infinite: usize,
        /// Of how many.
        of: usize,
    },
}

impl fmt::Display for GradientFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(why) => write!(f, "no gradient: {why}"),
            Self::Zero => write!(
                f,
                "all zeros: a loss that is flat here, as behind a saturated or dead activation, a mask, or a factor of 0"
            ),
            Self::NotFinite { nan, infinite, of } => write!(
                f,
                "{nan} NaN and {infinite} infinite of {of}: `tf::debugging::enable_check_numerics()` names the operation that made \
                 the first"
            ),
        }
    }
}

/// A variable that these gradients do not train, or spoil.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct GradientEntry {
    /// Its place in the list of variables.
    pub index: usize,
    /// Its name, its path in a module, or the line that made it.
    pub variable: String,
    /// The dtype of its value.
    pub dtype: DType,
    /// The shape of its value.
    pub shape: Shape,
    /// What is wrong.
    pub fault: GradientFault,
}

/// What [`report`] found; `{}` prints it as a table.
#[derive(Clone, PartialEq, Debug)]
pub struct GradientReport {
    entries: Vec<GradientEntry>,
    variables: usize,
    traced: bool,
}

impl GradientReport {
    /// Whether every variable has a gradient that is finite and not zero everywhere. Within a traced function: whether every
    /// variable has one.
    pub fn is_clean(&self) -> bool {
        self.entries.is_empty()
    }

    /// The variables whose gradients are missing, zero or not finite, in the order of the list.
    pub fn entries(&self) -> &[GradientEntry] {
        &self.entries
    }

    /// How many variables were looked at.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Whether some gradients are values of a graph that is being recorded, so that zeros and NaN are not known.
    pub fn is_traced(&self) -> bool {
        self.traced
    }
}

impl fmt::Display for GradientReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (faults, all) = (self.entries.len(), self.variables);
        let plural = if all == 1 { "variable" } else { "variables" };
        match faults {
            0 => write!(f, "all {all} {plural} have a gradient")?,
            _ => write!(f, "{faults} of {all} {plural} would not be trained, or be spoiled")?,
        }
        if self.traced {
            write!(f, "; values are known only when the graph runs, so that zeros and NaN were not looked for")?;
        }
        if faults == 0 {
            return Ok(());
        }
        let types: Vec<String> = self.entries.iter().map(|e| format!("{}{}", e.dtype, e.shape)).collect();
        let widest = |texts: &mut dyn Iterator<Item = usize>, title: &str| texts.max().unwrap_or(0).max(title.len());
        let name = widest(&mut self.entries.iter().map(|e| e.variable.chars().count()), "variable");
        let ty = widest(&mut types.iter().map(String::len), "value");
        write!(f, "\n  {:name$}  {:ty$}  fault", "variable", "value")?;
        for (entry, own) in self.entries.iter().zip(&types) {
            write!(f, "\n  {:name$}  {own:ty$}  {}", entry.variable, entry.fault)?;
        }
        Ok(())
    }
}

/// Which of these variables the gradients would not train, and why.
///
/// TensorFlow warns that "gradients do not exist for variables"; this says which operation of the program cut the path, at which line:
/// a cast to integers, `argmax`, a comparison, [`stop_gradient`](crate::stop_gradient), a read on the host such as
/// [`to_vec`](crate::Tensor::to_vec); or that the variable was never read while the tape recorded, was read before, or is not
/// watched because it is frozen. Gradients that are all zeros, and those with NaN or infinities, are told too, which reads their values.
/// In a traced function it runs while the function is recorded: it tells which gradients are missing, and nothing of values.
///
/// `fit` and `apply_gradients` print the same reason once for each variable without a gradient.
///
/// ```
/// use eagerflow as tf;
/// use tf::{GradientTape, Variable};
/// let (used, cut) = (Variable::with(2.0, "used", true), Variable::with(3.0, "cut", true));
/// let tape = GradientTape::new();
/// let loss = &used * tf::stop_gradient(cut.value());
/// let variables = vec![used, cut];
/// let gradients = tape.gradient(&loss, &variables);
/// let report = tf::train::report(&gradients, &variables);
/// assert!(!report.is_clean());
/// assert_eq!(report.entries()[0].variable, "cut");
/// let text = report.to_string();
/// assert!(text.contains("1 of 2 variables") && text.contains("`stop_gradient` at"), "{text}");
/// ```
///
/// # Panics
/// As [`try_report`] fails.
#[track_caller]
pub fn report(gradients: &Gradients, variables: &[Variable]) -> GradientReport {
    try_report(gradients, variables).or_fail()
}

/// [`report`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument where there are not as many gradients as variables; what failed on the device that computes a gradient.
#[track_caller]
pub fn try_report(gradients: &Gradients, variables: &[Variable]) -> Result<GradientReport> {
    let here = Location::caller();
    if gradients.len() != variables.len() {
        return Err(Error::invalid_argument("report", "there are not as many gradients as variables")
            .got(format!("{} gradients, {} variables", gradients.len(), variables.len()))
            .expected("the gradients by these variables, in their order")
            .help("pass the list of variables that the gradient was taken by")
            .at(here));
    }
    let mut found = GradientReport { entries: Vec::new(), variables: variables.len(), traced: false };
    for (index, variable) in variables.iter().enumerate() {
        let fault = match gradient_at(gradients, index) {
            None => Some(GradientFault::Missing(why(gradients, index).to_owned())),
            Some(gradient) => {
                let values = match gradient {
                    Cotangent::Dense(tensor) => tensor,
                    Cotangent::Rows(rows) => &rows.values,
                };
                found.traced |= is_recorded(values);
                census(values).map_err(|e| e.at(here))?.and_then(|census| fault_of(&census))
            }
        };
        if let Some(fault) = fault {
            let (dtype, shape) = (variable.dtype(), variable.shape());
            found.entries.push(GradientEntry { index, variable: variable.label(), dtype, shape, fault });
        }
    }
    Ok(found)
}

/// Why a gradient is missing.
pub(crate) fn why(gradients: &Gradients, index: usize) -> &str {
    gradients.reason(index).unwrap_or("the loss was not computed from it while the tape recorded")
}

/// What is wrong with values.
fn fault_of(census: &Census) -> Option<GradientFault> {
    match census {
        _ if !census.is_finite() => {
            let infinite = census.plus + census.minus;
            Some(GradientFault::NotFinite { nan: census.nan, infinite, of: census.of })
        }
        // The rows of an embedding that nobody looked up are no fault.
        _ if census.of > 0 && census.zero == census.of => Some(GradientFault::Zero),
        _ => None,
    }
}
