//! A program's instructions as machine code, where the processor and the system have it. `Program` makes it before its
//! first run; what the code leaves to the bytecode machine comes back here, one instruction at a time.

use super::code::{Instr, Opcode, Role};
use super::lines::{line, rows_of};
use super::machine::Machine;
use kernels::backend::cpu::jit::scalar::{Context, Line, LoopCode, Request, WORDS_OF_LIST};
use kernels::backend::cpu::{Isa, vector};

/// Machine code, and what it has of the program's lists.
pub(super) struct Native {
    code: LoopCode,
    /// Of each list that it pushes and pops, the bytes of a row.
    rows: Vec<Option<u32>>,
    /// Of each instruction, such lists among its operands.
    touched: Vec<[Option<u16>; 2]>,
    registers: usize,
}

/// What the code hands back with each step.
#[repr(C)]
struct Steps<'m, 'a> {
    context: Context,
    native: &'m Native,
    machine: &'m mut Machine<'a>,
    code: &'m [Instr],
}

impl Native {
    /// The machine code of a program; `None` where there is none.
    pub fn new(
        code: &[Instr],
        registers: usize,
        lists: usize,
        results: &[u16],
        loops: &[vector::Loop],
    ) -> Option<Self> {
        let rows = rows_of(code, lists);
        let lines: Vec<Line> = code.iter().map(|i| line(i, &rows, loops)).collect();
        let walked = |role: Role, list: u16| (role == Role::List && rows[list as usize].is_some()).then_some(list);
        let touched = code.iter().map(|i| {
            let shape = i.op.shape();
            [walked(shape.to, i.to), walked(shape.a, i.a)]
        });
        let touched = touched.collect();
        let walked: Vec<bool> = rows.iter().map(Option::is_some).collect();
        let code = LoopCode::new(&Request { lines: &lines, registers, lists: &walked, results }, Isa::current())?;
        Some(Self { code, rows, touched, registers })
    }

    /// The words that it runs on: the registers, and where lists are.
    pub fn words(&self) -> usize {
        self.registers + WORDS_OF_LIST * self.rows.len()
    }

    /// Runs the code on the machine's registers, which are [`Self::words`], and lists.
    ///
    /// # Errors
    /// The number of the instruction that faulted.
    ///
    /// # Safety
    /// As [`Machine::run`], for the instructions that it was made of.
    pub unsafe fn run(&self, machine: &mut Machine<'_>, code: &[Instr]) -> Result<(), usize> {
        let all = || (0..self.rows.len()).filter(|&list| self.rows[list].is_some());
        all().for_each(|list| self.show(machine, list));
        let words = machine.registers.as_mut_ptr();
        let mut steps = Steps { context: Context { step }, native: self, machine, code };
        // SAFETY: by the caller's promise; the words say where the lists are, and `step` keeps them so. The context is the
        // first field of what `step` takes it for.
        let end = unsafe { self.code.run(words, (&raw mut steps).cast()) };
        if end.is_ok() {
            all().for_each(|list| self.take_back(steps.machine, list));
        }
        end
    }

    /// Writes where a list is into its words.
    fn show(&self, machine: &mut Machine<'_>, list: usize) {
        let rows = &mut machine.lists[list];
        let start = rows.bytes.as_mut_ptr().expose_provenance() as u64;
        let end = if self.rows[list] == Some(0) { rows.len as u64 } else { start + rows.bytes.len() as u64 };
        // A missing row with lists in it is more than zeros.
        let missing = rows.open && rows.layout.lists == 0;
        let words = [end, start + rows.bytes.capacity() as u64, start, u64::from(missing)];
        let at = self.registers + WORDS_OF_LIST * list;
        machine.registers[at..at + WORDS_OF_LIST].copy_from_slice(&words);
    }

    /// Lets a list know what the code has pushed and popped.
    fn take_back(&self, machine: &mut Machine<'_>, list: usize) {
        let at = self.registers + WORDS_OF_LIST * list;
        let rows = &mut machine.lists[list];
        let Some(bytes) = self.rows[list].filter(|&bytes| bytes > 0) else {
            rows.len = machine.registers[at] as usize;
            return;
        };
        let length = (machine.registers[at] - machine.registers[at + 2]) as usize;
        debug_assert!(length <= rows.bytes.capacity());
        // SAFETY: the code pushes no row beyond the list's memory, and stores every byte of those it pushes.
        unsafe { rows.bytes.set_len(length) };
        rows.len = length / bytes as usize;
    }
}

/// One instruction by the bytecode machine; whether it faulted.
///
/// # Safety
/// The context is that of `Steps`, and the line one of its instructions, all of whose operands are in their homes.
unsafe extern "C" fn step(context: *mut Context, line: u64) -> bool {
    // SAFETY: by the promise above; the code holds no reference to it.
    let steps = unsafe { &mut *context.cast::<Steps<'_, '_>>() };
    let one = steps.code[line as usize];
    let lists = || steps.native.touched[line as usize].into_iter().flatten().map(usize::from);
    lists().for_each(|list| steps.native.take_back(steps.machine, list));
    let halt = Instr { op: Opcode::Halt, to: 0, a: 0, b: 0, c: 0, imm: 0 };
    // SAFETY: the instruction is one of the program's, and no jump.
    let end = unsafe { steps.machine.run(&[one, halt]) };
    lists().for_each(|list| steps.native.show(steps.machine, list));
    end.is_err()
}
