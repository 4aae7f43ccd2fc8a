//! Scalar programs on a device: the kernel for a program and the layouts of its operands, found or generated, and queued.
//! `execute` calls it for element-wise operations, optimizers for their steps.

use super::call::{Arguments, CudaCall};
use super::copies::in_order;
use super::program::Form;
use super::text::{InputRead, elements_each, elementwise_kernel};
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::{Collapsed, collapse};
use crate::error::Result;
use crate::scalar::Program;
use crate::shape::MAX_RANK;
use smallvec::SmallVec;

/// Whose program it is: an operation's name and its attributes.
#[derive(Clone, Copy)]
pub struct Owner {
    pub name: &'static str,
    pub attributes: u64,
}

/// Runs a program for operands that are broadcast to the shape of the dense outputs, which may lie over operands of
/// the same layout. Operands whose flag in `numbers` is set are scalars in the host's memory.
///
/// # Safety
/// The views are valid on the call's device in the order of its stream, but for those scalars.
pub unsafe fn run(
    call: &CudaCall<'_>,
    owner: Owner,
    program: &Program,
    inputs: &[View],
    numbers: &[bool],
    outputs: &[View],
) -> Result<()> {
    let dims = outputs[0].dims();
    let count: usize = dims.iter().product();
    // SAFETY: by the caller's promise.
    let ordered = unsafe { in_order(call, inputs, numbers)? };
    let inputs = ordered.as_ref().map_or(inputs, |(views, _)| views);
    let walked = walk_operands(dims, inputs, numbers);
    let each = elements_each(program);
    let (walked, packed) = walked.packed(inputs, outputs, each);
    let form = form(owner, program, &walked, packed);
    let function = call
        .gpu
        .generated(form, "elementwise", || elementwise_kernel("elementwise", program, &walked.walks, packed))?;
    // SAFETY: by the caller's promise; the arguments are in the order of the text's parameters.
    unsafe {
        call.elements_of(function, count, if packed { each } else { 2 }, |arguments| {
            arguments.faults(call);
            walked.push(arguments, inputs);
            outputs.iter().for_each(|view| arguments.view(view));
            walked.push_space(arguments);
        })
    }
}

/// How a kernel walks its operands.
pub(super) struct Walked {
    pub walks: SmallVec<[InputRead; 8]>,
    /// The operands that are walked by strides.
    strided: SmallVec<[usize; 8]>,
    space: Collapsed,
}

/// The walks of operands that are broadcast to dense results of shape `dims`; those whose flag is set are numbers.
pub(super) fn walk_operands(dims: &[usize], inputs: &[View], numbers: &[bool]) -> Walked {
    let space = space_of(dims, inputs);
    let walks: SmallVec<[InputRead; 8]> = (0..inputs.len())
        .map(|i| match () {
            () if numbers.get(i) == Some(&true) => InputRead::Number,
            () if space.is_dense(i) => InputRead::Dense,
            () if (0..space.dims.len()).all(|axis| space.stride(axis, i) == 0) => InputRead::Scalar,
            () => InputRead::Strided,
        })
        .collect();
    let strided = (0..inputs.len()).filter(|i| walks[*i] == InputRead::Strided).collect();
    Walked { walks, strided, space }
}

impl Walked {
    /// The walks where each thread takes `each` neighbours at once, and whether operands and results allow it.
    pub fn packed(mut self, inputs: &[View], outputs: &[View], each: usize) -> (Self, bool) {
        let fits = |view: &View| view.ptr.addr().is_multiple_of((each * view.dtype.size()).min(16));
        let dense = inputs.iter().zip(&self.walks).filter(|(_, w)| **w == InputRead::Dense).map(|(v, _)| v);
        let last = self.space.dims.len() - 1;
        let whole = self.strided.is_empty() || self.space.dims[last].is_multiple_of(each);
        if each < 2 || !whole || !dense.chain(outputs).all(fits) {
            return (self, false);
        }
        for &o in &self.strided {
            let steps = |axis: usize| self.space.stride(axis, o).unsigned_abs().is_multiple_of(each);
            self.walks[o] = match self.space.stride(last, o) {
                0 => InputRead::StridedOne,
                1 if fits(&inputs[o]) && (0..last).all(steps) => InputRead::StridedRun,
                _ => InputRead::Strided,
            };
        }
        (self, true)
    }

    /// A number that tells layouts apart for which texts differ, and what else a text depends on.
    pub fn layout_key(&self, more: &[bool]) -> u64 {
        let walks = self.walks.iter().map(|w| *w as u64);
        walks.chain(more.iter().map(|&m| u64::from(m))).fold(self.walks.len() as u64, mixed)
    }

    /// The operands as arguments.
    ///
    /// # Safety
    /// Numbers are valid views of the host's memory.
    pub unsafe fn push(&self, arguments: &mut Arguments, inputs: &[View]) {
        for (view, walk) in inputs.iter().zip(&self.walks) {
            match walk {
                // SAFETY: by the caller's promise.
                InputRead::Number => unsafe { arguments.number(view) },
                _ => arguments.view(view),
            }
        }
    }

    /// `Space`, as the text declares it: rank, sizes, and the strides of each strided operand.
    pub fn push_space(&self, arguments: &mut Arguments) {
        if self.strided.is_empty() {
            return;
        }
        let rank = self.space.dims.len();
        let mut words: SmallVec<[i64; 40]> = SmallVec::new();
        words.push(rank as i64);
        words.extend((0..MAX_RANK).map(|axis| self.space.dims.get(axis).map_or(1, |&d| d as i64)));
        for &operand in &self.strided {
            words.extend(
                (0..MAX_RANK).map(|axis| if axis < rank { self.space.stride(axis, operand) as i64 } else { 0 }),
            );
        }
        arguments.words(&words);
    }
}

/// The merged dimensions of all operands; one operand more than there are inputs, dense, keeps merges honest.
pub(super) fn space_of(dims: &[usize], inputs: &[View]) -> Collapsed {
    let mut dense = [0; MAX_RANK];
    crate::shape::contiguous_strides(dims, &mut dense);
    let n = inputs.len();
    let stride =
        |i: usize, axis: usize| match axis.checked_sub(dims.len() - inputs.get(i).map_or(dims.len(), View::rank)) {
            _ if i == n => dense[axis],
            Some(own) if inputs[i].dims()[own] != 1 => inputs[i].strides()[own],
            _ => 0,
        };
    collapse(dims, n + 1, stride, |_, _| true)
}

/// A further number in a key: FNV's multiplication, turned so that upper bits count too.
fn mixed(all: u64, next: u64) -> u64 {
    (all ^ next).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(7)
}

fn form(owner: Owner, program: &Program, walked: &Walked, packed: bool) -> Form {
    let count = program.inputs.len() as u64;
    let types = program.inputs.iter().chain(&program.outputs).fold(count, |all, d| mixed(all, *d as u64));
    let layout = walked.layout_key(&[packed]);
    Form { of: owner.name.as_ptr().addr(), attributes: owner.attributes, types, layout }
}
