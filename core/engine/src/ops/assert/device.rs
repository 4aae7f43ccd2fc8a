//! Assertions on a GPU: kernels look at the condition and write the word of faults, whose error comes out at the next read of
//! elements. `Assert` calls [`queue`]; nothing waits.

use super::{Assert, SHOWN as PLACES_NAMED};
use kernels::backend::cpu::View;
use kernels::backend::cuda::{CudaCall, KEPT, Kernel, PLACES, SHOWN, Strided, THREADS, Word, grid};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use crate::op::fingerprint;
use kernels::shape::Shape;
use crate::tensor::{Tensor, TensorType};
use crate::elements::text;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

static COUNT: Kernel = Kernel { name: "count_wrong", text: &[include_str!("assert.cuh")] };
static TELL: Kernel = Kernel { name: "tell_wrong", text: &[include_str!("assert.cuh")] };

const _: () = assert!(PLACES == PLACES_NAMED);

/// Tensors of a message that the word has room for.
const MESSAGE: usize = 4;

/// Queues the kernels of an assertion whose first input is the condition.
///
/// # Safety
/// As `Op::cuda`; the tensors that are shown broadcast to the condition.
pub(super) unsafe fn queue(assert: &Assert, call: &CudaCall<'_>) -> Result<()> {
    let condition = &call.inputs[0];
    if condition.is_empty() {
        return Ok(());
    }
    let shown = assert.shown(call.inputs.len());
    let (shown, message) = call.inputs[1..].split_at(shown);
    let kept = kept(message.iter().map(|view| (view.len(), view.dtype)));
    let wrong = call.scratch(8)?;
    let site = number(assert, call, shown, message);
    // SAFETY: by the caller's promise; the count is a word of scratch memory, which is given out again behind both kernels.
    unsafe {
        call.gpu.set_bytes(wrong.address(), 0, 8)?;
        call.elements(&COUNT, &[DType::Bool], condition.len(), |arguments| {
            arguments.view(condition);
            arguments.strided(condition);
            arguments.address(wrong.address());
        })?;
        call.launch(&TELL, &[DType::Bool], grid(1, THREADS), |arguments| {
            arguments.faults_of(call, site);
            arguments.view(condition);
            arguments.strided(condition);
            arguments.size(condition.len());
            arguments.address(wrong.address());
            let mut told = [Elements::NONE; SHOWN + MESSAGE];
            for (to, view) in told.iter_mut().zip(shown) {
                *to = Elements::spread(view, condition);
            }
            let message = message.iter().zip(&kept).filter(|(_, kept)| **kept);
            for (to, (view, _)) in told[SHOWN..].iter_mut().zip(message) {
                *to = Elements::of(view, Strided::of(view), view.len());
            }
            arguments.value(told);
        })?;
    }
    call.asserted();
    Ok(())
}

/// Elements as the kernel takes them (`struct Elements` of its text).
#[repr(C)]
#[derive(Clone, Copy)]
struct Elements {
    at: u64,
    size: i64,
    count: i64,
    layout: Strided,
}

impl Elements {
    const NONE: Self = Self { at: 0, size: 0, count: 0, layout: Strided::SCALAR };

    fn of(view: &View, layout: Strided, count: usize) -> Self {
        Self { at: view.ptr.addr() as u64, size: view.dtype.size() as i64, count: count as i64, layout }
    }

    /// A view as it broadcasts to another's shape.
    fn spread(view: &View, to: &View) -> Self {
        let lead = to.rank() - view.rank();
        let stride = |axis: usize| match axis.checked_sub(lead) {
            Some(own) if view.dims()[own] != 1 => view.strides()[own],
            _ => 0,
        };
        let strides: Vec<isize> = (0..to.rank()).map(stride).collect();
        Self::of(view, Strided::new(to.dims(), &strides), to.len())
    }
}

/// Which tensors of a message the word takes: from the first on, as long as there is room.
fn kept(message: impl Iterator<Item = (usize, DType)>) -> Vec<bool> {
    let (mut tensors, mut elements) = (0, 0);
    message
        .map(|(count, dtype)| {
            let fits = tensors < MESSAGE && elements + count <= KEPT && dtype.size() > 0;
            (tensors, elements) = (tensors + usize::from(fits), elements + if fits { count } else { 0 });
            fits
        })
        .collect()
}

/// The number by which the word names this assertion on operands of these types.
fn number(assert: &Assert, call: &CudaCall<'_>, shown: &[View], message: &[View]) -> u32 {
    let mut which = DefaultHasher::new();
    fingerprint(assert).hash(&mut which);
    call.inputs.iter().for_each(|view| (view.dtype as u8, view.dims()).hash(&mut which));
    call.site().number_of(which.finish(), || {
        let dims = call.inputs[0].dims().to_vec();
        let shown: Vec<DType> = shown.iter().map(|view| view.dtype).collect();
        let ty = |view: &View| Shape::new(view.dims()).ok().map(|shape| TensorType::new(view.dtype, shape));
        let message: Vec<Option<TensorType>> = message.iter().map(ty).collect();
        let assert = assert.clone();
        Arc::new(move |word: &Word| told(&assert, word, &dims, &shown, &message))
    })
}

/// The error that a word stands for.
fn told(assert: &Assert, word: &Word, dims: &[usize], shown: &[DType], message: &[Option<TensorType>]) -> Error {
    let element = |dtype: DType, bits: u64| {
        let bytes = bits.to_le_bytes();
        let view = View::new(bytes.as_ptr().cast_mut(), dtype, &[], &[]);
        // SAFETY: one element, at most eight bytes, which nobody writes.
        unsafe { text::elements(&view, None) }
    };
    let places = word.places.iter().zip(&word.shown).take_while(|(flat, _)| **flat >= 0);
    let places: Vec<String> = places
        .map(|(&flat, bits)| {
            let values: Vec<String> = shown.iter().zip(bits).map(|(&dtype, &bits)| element(dtype, bits)).collect();
            super::place(dims, flat as usize, &values)
        })
        .collect();
    let kept = kept(message.iter().map(|ty| ty.map_or((KEPT + 1, DType::Bool), |ty| (ty.shape.num_elements(), ty.dtype))));
    let mut bits = word.message.iter().copied();
    let values: Vec<Option<Tensor>> = message
        .iter()
        .zip(&kept)
        .map(|(ty, kept)| ty.as_ref().filter(|_| *kept).and_then(|ty| copied(ty, &mut bits)))
        .collect();
    let mut values = values.iter().zip(message);
    let said = assert.message.said(|format| match values.next() {
        Some((Some(tensor), _)) => format(tensor),
        Some((None, Some(ty))) => format!("<{ty}, too large to be kept by the GPU>"),
        _ => String::new(),
    });
    assert.complaint(&said, &places, word.value as usize, word.limit as usize)
}

/// A tensor of the bits that come next.
fn copied(ty: &TensorType, bits: &mut impl Iterator<Item = u64>) -> Option<Tensor> {
    let tensor = Tensor::uninit(ty).ok()?;
    let size = ty.dtype.size();
    for (i, bits) in bits.take(ty.shape.num_elements()).enumerate() {
        // SAFETY: the next element of a fresh tensor, of at most eight bytes.
        unsafe { std::ptr::copy_nonoverlapping(bits.to_le_bytes().as_ptr(), tensor.data().add(i * size), size) };
    }
    Some(tensor)
}
