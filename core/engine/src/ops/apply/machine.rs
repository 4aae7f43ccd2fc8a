//! A rule's formula as machine code, which goes over variable, slots and gradient once. `Apply` asks here before it runs the formula as a
//! program: a step of that takes a tile at a time and waits for memory at the start of each.

use super::{Apply, MOST_PROGRAMS, ProgramKey};
use crate::op::{Op, fingerprint};
use kernels::backend::cpu::jit::{Input, Machine, Operands};
use kernels::backend::cpu::{Isa, View};
use kernels::dtype::DType;
use kernels::scalar::{Root, Sequence};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Code by rule, its attributes' hash, the dtypes of its operands and the instruction set; nothing where none could be made.
type Machines = HashMap<(ProgramKey, u8), Option<Rc<Machine>>>;

thread_local! {
    static MACHINES: RefCell<Machines> = RefCell::new(HashMap::new());
}

/// Elements from which code is worth being looked for.
const FEW: usize = 256;

impl Apply {
    /// One range of a variable by machine code, where there is some for the formula and these operands; the bits are those of the program.
    /// Answers whether it ran.
    ///
    /// # Safety
    /// The views are those of one variable, valid, and nobody else uses this range of them; so are the factors, one `float32` each.
    pub(super) unsafe fn by_machine(&self, group: &[View], range: Range<usize>, factors: &[View], isa: Isa) -> bool {
        if range.len() < FEW || !self.fits(group) {
            return false;
        }
        let Some(machine) = self.machine(isa) else { return false };
        let (size, resources) = (DType::F32.size(), self.resources());
        let place = |view: &View| match view.rank() {
            0 => view.ptr,
            _ => view.ptr.wrapping_add(range.start * size),
        };
        let results = group[..resources].iter();
        let operands: SmallVec<[*mut u8; 16]> = group.iter().chain(factors).chain(results).map(place).collect();
        // SAFETY: the operands are those of the code, of so many elements; results lie over operands, or apart from them.
        unsafe { machine.run(operands.as_ptr(), range.len(), std::ptr::null_mut()) };
        true
    }

    /// Whether all is `float32` and dense, and what is given lies exactly over a variable or a slot, or apart from them.
    fn fits(&self, group: &[View]) -> bool {
        let (resources, given) = group.split_at(self.resources());
        let bytes = group[0].len() * DType::F32.size();
        let apart = |a: &View, b: &View| !(1..bytes).contains(&a.ptr.addr().abs_diff(b.ptr.addr()));
        group[0].rank() > 0
            && group.iter().all(|view| view.dtype == DType::F32 && view.is_dense())
            && given.iter().all(|given| resources.iter().all(|changed| apart(given, changed)))
    }

    fn machine(&self, isa: Isa) -> Option<Rc<Machine>> {
        MACHINES.with_borrow_mut(|machines| {
            let key = ((self.name(), fingerprint(self), SmallVec::from_slice(&[DType::F32])), isa as u8);
            if machines.len() >= MOST_PROGRAMS && !machines.contains_key(&key) {
                machines.clear();
            }
            machines.entry(key).or_insert_with(|| self.compile(isa).map(Rc::new)).clone()
        })
    }

    fn compile(&self, isa: Isa) -> Option<Machine> {
        let (s, dtypes, results) = self.values(DType::F32);
        let roots: Vec<_> = results.iter().enumerate().map(|(n, &value)| (value, Root::Store(n as u16))).collect();
        let sequence = Sequence::new(&s, &roots, &|_, _, _| false);
        let inputs: Vec<Input> = (dtypes.iter().enumerate())
            .map(|(i, &dtype)| Input { dtype, scalar: i >= self.group() || self.is_one(i) })
            .collect();
        let outputs = vec![DType::F32; self.resources()];
        Machine::new(&sequence, &Operands { inputs: &inputs, outputs: &outputs, folds: &[], lanes: false }, isa)
    }
}
