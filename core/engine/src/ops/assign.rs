//! Reads and writes of variables: `read_variable`, `assign`, `assign_add`, `assign_sub`.
//! A read's cotangent is the variable's; no gradient flows through a write, which is TensorFlow's rule.

use kernels::backend::cpu::tile::{Tiled, fault_error};
use kernels::backend::cpu::{CpuCall, Isa, View, Work, copy, part, vector};
use kernels::backend::cuda::{self, CudaCall, Owner};
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay, Result};
use crate::execute::{execute, execute1, execute_read, set_strings};
use crate::op::{Access, Gradient, Infer, Kind, Op, Outputs, identity};
use crate::meaning::program_of;
use kernels::scalar::Code;
use crate::tensor::Tensor;
use std::mem::MaybeUninit;

/// Input: a variable's handle. Output: its present value.
#[derive(Clone)]
pub(crate) struct ReadVariable;

impl Op for ReadVariable {
    identity!("read_variable");

    fn kind(&self) -> Kind {
        Kind::Read
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let (ty, _) = cx.resource(0)?;
        cx.output(ty.dtype, ty.shape);
        Ok(())
    }

    /// The cotangent of the value is the variable's, which the driver knows of every read.
    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// How a write changes the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Set,
    Add,
    Sub,
}

/// Inputs: a variable's handle, and a value of its dtype and shape. No output.
#[derive(Clone)]
pub(crate) struct Assign {
    pub change: Change,
}

impl Assign {
    fn label(&self) -> &'static str {
        match self.change {
            Change::Set => "assign",
            Change::Add => "assign_add",
            Change::Sub => "assign_sub",
        }
    }

    /// The element-wise operation between the old value and the input.
    fn operation(&self) -> Option<&'static dyn Op> {
        match self.change {
            Change::Set => None,
            Change::Add => Some(&super::add::Add),
            Change::Sub => Some(&super::subtract::Subtract),
        }
    }
}

/// A small result on its way into the variable: a loop may not write what it reads.
#[repr(align(64))]
struct Tile(MaybeUninit<[u8; 1024]>);

impl Assign {
    /// Adds or subtracts at once where both sides fit into a tile, as scalars and biases do; answers whether it did.
    ///
    /// # Safety
    /// Views of one dtype and shape, the variable's dense and seen by nobody else.
    unsafe fn change_small(&self, value: &View, given: &View, isa: Isa) -> bool {
        let code = if self.change == Change::Sub { Code::Sub } else { Code::Add };
        let bytes = value.len() * value.dtype.size();
        let Some(run) = vector::lookup(code, value.dtype, value.dtype, isa) else { return false };
        if bytes > size_of::<Tile>() || !given.is_dense() {
            return false;
        }
        let mut tile = Tile(MaybeUninit::uninit());
        let tile = tile.0.as_mut_ptr().cast::<u8>();
        // SAFETY: dense operands, and room for the result in the tile.
        unsafe {
            run(value.len(), tile, value.ptr, given.ptr, std::ptr::null());
            std::ptr::copy_nonoverlapping(tile, value.ptr, bytes);
        }
        true
    }
}

/// Elements one chunk works on.
const CHUNK: usize = 32 * 1024;

impl Op for Assign {
    fn name(&self) -> &'static str {
        self.label()
    }

    fn keep(&self) -> crate::op::OpRef {
        crate::op::OpRef::Static(match self.change {
            Change::Set => &Assign { change: Change::Set },
            Change::Add => &Assign { change: Change::Add },
            Change::Sub => &Assign { change: Change::Sub },
        })
    }

    fn as_dyn(&self) -> &dyn Op {
        self
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let (ty, _) = cx.resource(0)?;
        let given = cx.input(1);
        if self.change != Change::Set && !DTypes::NUMBERS.and(DTypes::COMPLEX).has(ty.dtype) {
            return Err(Error::invalid_argument(self.label(), "only numbers can be added").got(ty).expected("numbers"));
        }
        if given.dtype != ty.dtype || (given.shape.is_known() && ty.shape.is_known() && given.shape != ty.shape) {
            return Err(Error::invalid_argument(self.label(), "the value has not the variable's type")
                .got(given)
                .expected(ty)
                .help("a variable keeps its dtype and shape; `cast` or `reshape` the value"));
        }
        Ok(())
    }

    /// A sum of complex numbers is made of its parts and then set: programs change one real number at a time.
    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let Some(op) = self.operation() else { return Ok(None) };
        let &[handle, given] = inputs else { return Ok(None) };
        let sum = execute1(op, &[&read_variable(handle)?, given]).map_err(|e| e.named(self.label()))?;
        execute(&Self { change: Change::Set }, &[handle, &sum]).map(Some)
    }

    fn access(&self, _: usize) -> Access {
        if self.change == Change::Set { Access::Overwrite } else { Access::Update }
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        match self.change {
            Change::Set => Work::SERIAL,
            _ => Work::chunks(call.inputs[0].len().div_ceil(CHUNK)),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[1]);
        let Some(op) = self.operation() else {
            // SAFETY: the variable's memory is dense and seen by nobody else.
            unsafe { copy::copy_shared(given, value) };
            return Ok(());
        };
        // SAFETY: the variable's memory is dense and seen by nobody else.
        if unsafe { self.change_small(value, given, call.isa) } {
            return Ok(());
        }
        let program = program_of(op, &[value.dtype, given.dtype]);
        let tiled = Tiled::new(&program, &[*value, *given], &[*value], call.isa)?;
        let range = part(tiled.len, chunk, tiled.len.div_ceil(CHUNK).max(1), tiled.grain());
        // SAFETY: chunks are disjoint parts of the variable's memory, which nobody else sees.
        match unsafe { tiled.run(range) } {
            None => Ok(()),
            Some(step) => Err(fault_error(self.label(), step)),
        }
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(set_strings(self.label(), inputs[0], inputs[1]).map(|()| Outputs::new()))
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[1]);
        let Some(op) = self.operation() else {
            // SAFETY: the variable's memory is dense and seen by nobody else.
            return unsafe { cuda::copy(call, given, value) };
        };
        let program = program_of(op, &[value.dtype, given.dtype]);
        let owner = Owner { name: self.label(), attributes: 0 };
        // SAFETY: as above; each element is written by the thread that reads it.
        unsafe { cuda::run_program(call, owner, &program, &[*value, *given], &[], &[*value]) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}

/// The present value behind a handle.
#[track_caller]
pub(crate) fn read_variable(handle: &Tensor) -> Result<Tensor> {
    execute_read(&ReadVariable, handle)
}

/// Changes the value behind a handle.
#[track_caller]
pub(crate) fn assign(handle: &Tensor, value: &Tensor, change: Change) -> Result<()> {
    execute(&Assign { change }, &[handle, value]).map(drop)
}
