//! The bytes of variables and tensors as files hold them: little-endian, row by row.
//! Checkpoints read and write whole models through it, in the variables' own memory.

use super::Variable;
use crate::execute::{bring_beside, dense, on_host};
use crate::tensor::{Guard, Resource, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// The elements of a tensor in the host's memory. While it lives, whoever changes the variable that the tensor was read from works on
/// a copy.
pub struct HostBytes(Kept);

enum Kept {
    Tensor(Tensor),
    /// Truth values as 0 and 1, which the kernels do not promise.
    Truths(Vec<u8>),
}

impl HostBytes {
    /// The elements of a tensor.
    ///
    /// # Errors
    /// FailedPrecondition for a value of a graph, and what fails on the GPU that computes the tensor.
    #[track_caller]
    pub fn of(tensor: &Tensor) -> Result<Self> {
        let tensor = dense(&on_host(tensor.numbers("save")?)?)?;
        let bytes = Self(Kept::Tensor(tensor));
        Ok(match bytes.dtype() {
            Some(DType::Bool) => Self(Kept::Truths(bytes.as_slice().iter().map(|&byte| u8::from(byte != 0)).collect())),
            _ => bytes,
        })
    }

    fn dtype(&self) -> Option<DType> {
        match &self.0 {
            Kept::Tensor(tensor) => Some(tensor.dtype()),
            Kept::Truths(_) => None,
        }
    }

    /// The bytes, which are little-endian on every machine that this library runs on (see the assertion below).
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            // SAFETY: dense elements on the host that live as long as the handle, and are not written while it exists.
            Kept::Tensor(tensor) => unsafe { std::slice::from_raw_parts(tensor.data().cast(), bytes(tensor.ty())) },
            Kept::Truths(bytes) => bytes,
        }
    }
}

// Files are little-endian; on another machine bytes would have to be turned here.
const _: () = assert!(cfg!(target_endian = "little"), "files are read and written as the memory lies");

/// The present value of a variable, of which tapes hear nothing.
pub fn value_of(variable: &Variable) -> Tensor {
    variable.resource().read()
}

fn bytes(ty: &TensorType) -> usize {
    ty.shape.num_elements() * ty.dtype.size()
}

/// A tensor of this type whose bytes `fill` writes; it gets zeros.
///
/// # Errors
/// ResourceExhausted without memory, and what `fill` answers.
#[track_caller]
pub fn tensor_of_bytes(ty: &TensorType, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Tensor> {
    holds_bytes(ty)?;
    let mut fresh = zeroed(ty)?;
    fill(memory(&mut fresh))?;
    Ok(fresh)
}

/// An error for strings, whose bytes lie elsewhere.
fn holds_bytes(ty: &TensorType) -> Result<()> {
    match ty.dtype {
        DType::String => Err(Error::internal("memory", "strings have no bytes of their tensor").got(ty)),
        _ => Ok(()),
    }
}

fn zeroed(ty: &TensorType) -> Result<Tensor> {
    let fresh = Tensor::uninit(ty)?;
    // SAFETY: fresh memory for so many bytes, which nobody else knows.
    unsafe { std::ptr::write_bytes(fresh.data().cast::<u8>(), 0, bytes(ty)) };
    Ok(fresh)
}

/// The memory of a tensor that is dense, on the host, and held by nobody else.
fn memory(tensor: &mut Tensor) -> &mut [u8] {
    // SAFETY: the callers have seen to it that the memory is dense and that this handle is the only one.
    unsafe { std::slice::from_raw_parts_mut(tensor.data().cast(), bytes(tensor.ty())) }
}

/// Has `fill` write new values of variables, all at once: nobody reads or writes any of them meanwhile. Values that nobody else holds are
/// written in place, others into new memory, so that a tensor that was read before does not change; those of a GPU are brought there.
///
/// `fill` gets the bytes of each variable in the order of the list, holding old values or zeros. Where it fails, variables that
/// were written in place keep what was written.
///
/// # Errors
/// Internal where a variable is given twice; ResourceExhausted without memory; what `fill` answers.
#[track_caller]
pub fn overwrite(variables: &[Variable], fill: impl FnOnce(&mut [&mut [u8]]) -> Result<()>) -> Result<()> {
    let mut order: Vec<(usize, &Resource)> = variables.iter().map(Variable::resource).enumerate().collect();
    // The order in which calls lock their variables.
    order.sort_unstable_by_key(|(_, resource)| std::ptr::from_ref(*resource).addr());
    if order.windows(2).any(|pair| std::ptr::eq(pair[0].1, pair[1].1)) {
        return Err(Error::internal("restore", "a variable is to be written twice at once"));
    }
    let mut locked: Vec<(usize, Guard<'_>)> = order.into_iter().map(|(at, resource)| (at, resource.lock())).collect();
    locked.sort_unstable_by_key(|(at, _)| *at);
    let mut fresh: Vec<Option<Tensor>> = Vec::with_capacity(locked.len());
    for (_, value) in &locked {
        holds_bytes(value.ty())?;
        let in_place = !value.is_away() && value.is_contiguous() && value.is_unique();
        fresh.push(if in_place { None } else { Some(zeroed(value.ty())?) });
    }
    let own = locked.iter_mut().zip(&mut fresh).map(|((_, value), fresh)| match fresh {
        Some(fresh) => memory(fresh),
        None => memory(value),
    });
    fill(&mut own.collect::<Vec<_>>())?;
    for ((_, value), fresh) in locked.iter_mut().zip(fresh) {
        if let Some(fresh) = fresh {
            **value = bring_beside(fresh, value)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    /// Numbers as they lie in memory.
    fn lying(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn values_that_nobody_holds_are_written_in_place_and_others_beside() {
        let (own, held, view) =
            (Variable::new([1.0, 2.0]), Variable::new([3.0]), Variable::new([[1.0, 2.0], [3.0, 4.0]]));
        view.assign(tf::constant([[1.0, 3.0], [2.0, 4.0]]).transpose([1, 0]));
        let (before, address) = (held.value(), own.resource().read().data());
        let variables = [held.clone(), own.clone(), view.clone()];
        overwrite(&variables, |memory| {
            assert_eq!(memory.iter().map(|bytes| bytes.len()).collect::<Vec<_>>(), [4, 8, 16]);
            memory[0].copy_from_slice(&lying(&[30.0]));
            memory[1].copy_from_slice(&lying(&[10.0, 20.0]));
            memory[2].copy_from_slice(&lying(&[5.0, 6.0, 7.0, 8.0]));
            Ok(())
        })
        .unwrap();
        assert_eq!(own.value().to_vec::<f32>(), [10.0, 20.0]);
        assert_eq!(own.resource().read().data(), address);
        assert_eq!((held.value().item::<f32>(), before.item::<f32>()), (30.0, 3.0));
        assert_eq!(view.value().to_vec::<f32>(), [5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let v = Variable::new([1.0, 2.0]);
        let (held, same) = (v.value(), v.clone());
        assert!(overwrite(&[v.clone(), same], |_| Ok(())).is_err());
        let failed = overwrite(std::slice::from_ref(&v), |memory| {
            memory[0].fill(0xff);
            Err(Error::internal("fill", "as it is"))
        });
        // Its value is held by another, so that only new memory was written.
        assert!(failed.is_err() && v.value().to_vec::<f32>() == held.to_vec::<f32>());
        assert!(tensor_of_bytes(held.ty(), |_| Err(Error::internal("fill", "as it is"))).is_err());
    }

    #[test]
    fn bytes_are_those_of_the_elements() {
        let turned = tf::constant([[1.0, 2.0], [3.0, 4.0]]).transpose([1, 0]);
        assert_eq!(HostBytes::of(&turned).unwrap().as_slice(), lying(&[1.0, 3.0, 2.0, 4.0]));
        assert_eq!(HostBytes::of(&tf::constant([true, false])).unwrap().as_slice(), [1, 0]);
        assert!(HostBytes::of(&tf::zeros([0, 3])).unwrap().as_slice().is_empty());
        let ty = *tf::zeros([3]).ty();
        let filled = tensor_of_bytes(&ty, |bytes| {
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes[..4].copy_from_slice(&lying(&[9.0]));
            Ok(())
        });
        assert_eq!(filled.unwrap().to_vec::<f32>(), [9.0, 0.0, 0.0]);
    }
}
