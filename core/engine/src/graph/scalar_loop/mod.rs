//! Loops over numbers run in registers: a `while` whose values are scalars, and lists of scalars, is compiled to a flat
//! program that runs a round in nanoseconds, as machine code where there is a generator for the processor. `While` and the planned executor ask [`ScalarLoop`] before they run one
//! operation by operation; results are the same to the last bit.

mod code;
mod emit;
mod emit_flow;
mod emit_lists;
mod flow;
mod forms;
mod fuse;
mod lines;
mod machine;
mod native;
mod program;
mod scope;
mod table;

use crate::graph::switches;
use crate::ir::Graph;
use crate::lists::List;
use crate::lists::layout::{Form, Layout, Parts};
use crate::op::Operands;
use crate::tensor::Tensor;
use kernels::error::Result;
use program::Program;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

/// A loop compiled to registers.
///
/// What comes in decides nothing but the structure of lists: a program is made per structure, usually one.
pub(crate) struct ScalarLoop {
    test: Arc<Graph>,
    body: Arc<Graph>,
    carried: usize,
    programs: Mutex<Vec<(Key, Option<Arc<Program>>)>>,
}

/// Of each input: its layout if it is a list in rows, and whether it is a list without a beginning, or missing.
type Key = SmallVec<[(Option<Arc<Layout>>, bool); 8]>;

/// Structures of one loop that are kept.
const MOST_PROGRAMS: usize = 8;

impl ScalarLoop {
    /// Compiles the loop `while test { body }`; both graphs have the same parameters, of which the first `carried` get the
    /// body's results. `None` if some value is not a number or a list of numbers, or an operation is not one on them.
    pub fn compile(test: &Arc<Graph>, body: &Arc<Graph>, carried: usize) -> Option<Self> {
        let program = Program::compile(test, body, carried, &vec![None; body.params.len()])?;
        let nothing = body.params.iter().map(|_| (None, false)).collect();
        let programs = Mutex::new(vec![(nothing, Some(Arc::new(program)))]);
        Some(Self { test: test.clone(), body: body.clone(), carried, programs })
    }

    /// Runs the loop; gives the operands back if they are lists of another structure than the loop's.
    ///
    /// # Errors
    /// Those of its operations, which name the user's line.
    pub fn run(&self, inputs: Operands) -> Result<Ran> {
        if !switches::loops_in_registers() {
            return Ok(Ran::Not(inputs));
        }
        match self.program(&inputs).filter(|program| program.takes(&inputs)) {
            Some(program) => {
                switches::note_loop();
                program.run(inputs).map(Ran::Done)
            }
            None => Ok(Ran::Not(inputs)),
        }
    }

    fn program(&self, inputs: &[Tensor]) -> Option<Arc<Program>> {
        let key: Key = inputs
            .iter()
            .map(|input| match input.as_object::<List>() {
                Some(List::Compact(rows)) => ((rows.len > 0).then(|| rows.layout.clone()), rows.open),
                Some(List::Last(_)) => (None, true),
                _ => (None, false),
            })
            .collect();
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = programs.iter().find(|(known, _)| *known == key) {
            return program.clone();
        }
        let seed = |(layout, open): &(Option<Arc<Layout>>, bool)| match (layout, open) {
            (None, false) => None,
            _ => Some(Form::Variant(Parts { list: layout.clone(), packs: Vec::new(), optional: *open })),
        };
        let seeds: Vec<Option<Form>> = key.iter().map(seed).collect();
        let program = Program::compile(&self.test, &self.body, self.carried, &seeds).map(Arc::new);
        if programs.len() == MOST_PROGRAMS {
            programs.remove(1);
        }
        programs.push((key, program.clone()));
        program
    }
}

/// What became of a loop's operands.
pub(crate) enum Ran {
    Done(Operands),
    /// The loop did not run.
    Not(Operands),
}
