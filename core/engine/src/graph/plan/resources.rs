//! The variables of a call: those that it changes are locked while it runs and changed in place, those that it reads are
//! held as they are at the start.

use super::Plan;
use super::frame::Frame;
use crate::execute::{dense, view_of};
use crate::op::Operands;
use crate::tensor::{Guard, Resource, Tensor};
use kernels::backend::cpu::copy;
use kernels::error::Result;

/// Locks and points at all variables; answers whether they are what the plan was made for.
///
/// Two parameters that are the same variable, one of which the plan changes, are not.
pub(super) fn lock(plan: &Plan, frame: &mut Frame, inputs: &Operands) -> Result<bool> {
    for (i, param) in plan.params.iter().enumerate().filter(|(_, p)| p.resource.is_some()) {
        let resource = Resource::of(&inputs[i], &plan.name)?;
        frame.order.push((std::ptr::from_ref(resource).addr(), i as u32));
        let _ = param;
    }
    // One global order, so that two calls cannot wait for each other.
    frame.order.sort_unstable();
    let written = |i: u32| plan.params[i as usize].resource.is_some_and(|r| r.written);
    if frame.order.windows(2).any(|w| w[0].0 == w[1].0 && (written(w[0].1) || written(w[1].1))) {
        return Ok(false);
    }
    for at in 0..frame.order.len() {
        let i = frame.order[at].1 as usize;
        let Some(using) = plan.params[i].resource else { continue };
        let resource = Resource::of(&inputs[i], &plan.name)?;
        if !using.written {
            let value = resource.read();
            if *value.ty() != using.ty {
                return Ok(false);
            }
            let value = if value.is_contiguous() { value } else { dense(&value)? };
            frame.set(plan, using.slot, value);
            continue;
        }
        let guard = resource.lock();
        if *guard.ty() != using.ty {
            return Ok(false);
        }
        // SAFETY: only the lifetime changes. The resource lives as long as its handle, which the frame holds in a
        // slot until it has let go of the locks: `Frame::clear` drops them first.
        let mut guard: Guard<'static> = unsafe { std::mem::transmute(guard) };
        own(&mut guard)?;
        frame.point(plan, using.slot, guard.data());
        frame.locked.push(guard);
    }
    Ok(true)
}

/// Makes a value dense and seen by nobody else, so that it can be changed in place.
fn own(value: &mut Tensor) -> Result<()> {
    if value.is_contiguous() && value.is_unique() {
        return Ok(());
    }
    let fresh = Tensor::uninit(value.ty())?;
    // SAFETY: a fresh target of the same type.
    unsafe { copy::copy_shared(&view_of(value), &view_of(&fresh)) };
    *value = fresh;
    Ok(())
}
