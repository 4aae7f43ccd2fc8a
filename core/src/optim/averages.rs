//! Averages of variables: moved behind each step, written over the variables when it is time, swapped in and out.
//! `Common` keeps them as slots, for the options `use_ema`, `ema_momentum` and `ema_overwrite_frequency`.

use super::common::{Common, branch};
use super::rules::Averaged;
use super::slots::{AVERAGE, ZEROS};
use engine::library::{Named, apply_rule};
use engine::{Tensor, Variable, try_cast, try_equal, try_not_equal};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::sync::Arc;

impl Common {
    /// Moves the averages of variables, and overwrites these with them when it is time.
    #[track_caller]
    pub fn average(&self, variables: &[Variable], iterations: &Tensor) -> Result<()> {
        let [averages] = self.slots.of([(AVERAGE, ZEROS)], variables)?;
        let values: Vec<Tensor> = variables.iter().map(Variable::value).collect();
        let begun = try_cast(try_not_equal(iterations, 0i64)?, DType::F32)?;
        apply_rule(&(Arc::new(Averaged(self.ema_momentum)) as _), &[&begun], &averages, &[], &[&values])?;
        drop(values);
        match self.ema_overwrite_frequency {
            None => Ok(()),
            Some(every) => {
                let due = try_equal((iterations + 1i64) % every as i64, 0i64)?;
                branch(&due, || overwrite(variables, &averages), || Ok(()))
            }
        }
    }

    /// Variables with their averages.
    fn averages_of(&self, what: &str, variables: &[Variable]) -> Result<Vec<Variable>> {
        let found = self.slots.existing(AVERAGE, variables).into_iter().zip(variables);
        let one = |(average, variable): (Option<Variable>, &Variable)| {
            average.ok_or_else(|| {
                Error::failed_precondition(self.kind, format!("{what} a variable that has no average"))
                    .got(variable.wording())
                    .expected("variables that this optimizer has moved with `use_ema(true)`")
                    .variable(variable.label())
            })
        };
        found.map(one).collect()
    }

    /// Gives variables their averages for good, where there are averages.
    #[track_caller]
    pub fn finalize(&self, variables: &[Variable]) -> Result<()> {
        match self.use_ema {
            false => Ok(()),
            true => overwrite(variables, &self.averages_of("finalize_variable_values:", variables)?),
        }
    }

    /// Exchanges variables and their averages.
    #[track_caller]
    pub fn swap(&self, variables: &[Variable]) -> Result<()> {
        if !self.use_ema {
            return Err(Error::failed_precondition(self.kind, "there are no averages to swap in")
                .help("make the optimizer with `use_ema(true)`"));
        }
        let averages = self.averages_of("swap_averages:", variables)?;
        for (variable, average) in variables.iter().zip(&averages) {
            let (value, mean) = (variable.value(), average.value());
            variable.try_assign(mean)?;
            average.try_assign(value)?;
        }
        Ok(())
    }
}

#[track_caller]
fn overwrite(variables: &[Variable], averages: &[Variable]) -> Result<()> {
    for (variable, average) in variables.iter().zip(averages) {
        variable.try_assign(average.value())?;
    }
    Ok(())
}
