//! Runs a recorded list over raw buffers of the caller: one per value, kernels and views only, as a planned graph would.
//! The skeleton test calls it to show that kernels need nothing but memory and sizes.

use super::{List, Value};
use crate::backend::cpu::tile::Tiled;
use crate::backend::cpu::{CpuCall, Isa, View};
use crate::op::Kind;
use crate::shape::{Shape, Symbol};
use crate::tensor::{Resource, TensorType};
use std::collections::HashMap;

impl List {
    /// Runs the list: one buffer per value from the caller, kernels and views only, sizes bound to `s0`, `s1`, ...
    pub fn run(&self, feeds: &[(usize, View)], sizes: &[usize], buffers: &mut Vec<Vec<u64>>) -> HashMap<usize, View> {
        let mut views: HashMap<usize, View> = feeds.iter().copied().collect();
        let bind = |s: Symbol| match s {
            Symbol::Guarded(i) => sizes.get(i as usize).copied(),
            Symbol::Unbacked(_) => None,
        };
        for node in self.nodes.borrow().iter() {
            let mut guards = Vec::new();
            let mut inputs = Vec::new();
            for input in &node.inputs {
                inputs.push(match input {
                    Value::Symbol(v) => views[v],
                    Value::Outside(t) => match t.as_object::<Resource>() {
                        Some(resource) => {
                            let value = resource.lock();
                            let view = crate::execute::view_of(&value);
                            guards.push(value);
                            view
                        }
                        None => crate::execute::view_of(t),
                    },
                });
            }
            let types: Vec<TensorType> =
                node.outputs.iter().map(|(_, ty)| TensorType::new(ty.dtype, ty.shape.bind(&bind).unwrap())).collect();
            let op = node.op.bind(&bind).unwrap();
            let outputs: Vec<View> = types
                .iter()
                .map(|ty| {
                    buffers.push(vec![0; ty.shape.num_elements().max(1)]);
                    View::dense(buffers.last_mut().unwrap().as_mut_ptr().cast(), ty.dtype, ty.shape.dims())
                })
                .collect();
            match op.kind() {
                Kind::Read => {
                    views.insert(node.outputs[0].0, {
                        // SAFETY: a buffer of the value's size.
                        unsafe { crate::backend::cpu::copy::copy(&inputs[0], &outputs[0]) };
                        outputs[0]
                    });
                    continue;
                }
                Kind::View => {
                    let from = TensorType::new(inputs[0].dtype, Shape::new(inputs[0].dims()).unwrap());
                    let layouts = match &types[..] {
                        [ty] => vec![op.view(&from, inputs[0].strides(), ty).expect("a view of dense memory")],
                        all => op.views(&from, inputs[0].strides(), all).expect("views of any memory"),
                    };
                    for ((layout, ty), (value, _)) in layouts.iter().zip(&types).zip(&node.outputs) {
                        let first = inputs[0].ptr.wrapping_offset(layout.offset * from.dtype.size() as isize);
                        views.insert(*value, View::new(first, from.dtype, ty.shape.dims(), &layout.strides));
                    }
                    continue;
                }
                Kind::Elementwise { .. } => {
                    let dtypes: Vec<_> = inputs.iter().map(|v| v.dtype).collect();
                    let program = crate::scalar::program_of(&*op, &dtypes);
                    let tiled = Tiled::new(&program, &inputs, &outputs, Isa::current()).unwrap();
                    // SAFETY: buffers of the inferred sizes.
                    assert!(unsafe { tiled.run(0..tiled.len) }.is_none());
                }
                _ => {
                    let mut dense = inputs.clone();
                    for view in dense.iter_mut().filter(|v| !op.takes_strides() && !v.is_dense()) {
                        buffers.push(vec![0; view.len()]);
                        let copy =
                            View::dense(buffers.last_mut().unwrap().as_mut_ptr().cast(), view.dtype, view.dims());
                        // SAFETY: a buffer of the view's size.
                        unsafe { crate::backend::cpu::copy::copy(view, &copy) };
                        *view = copy;
                    }
                    let mut call = CpuCall {
                        inputs: &dense,
                        outputs: &outputs,
                        scratch: std::ptr::null_mut(),
                        isa: Isa::current(),
                    };
                    let work = op.work(&call);
                    // Lines of 64 bytes, since scratch is aligned so.
                    let mut scratch = vec![0u8; work.scratch + 64];
                    let shift = scratch.as_ptr().align_offset(64);
                    call.scratch = scratch[shift..].as_mut_ptr();
                    for (phase, &chunks) in work.phases.iter().enumerate() {
                        for chunk in 0..chunks {
                            // SAFETY: buffers of the inferred sizes, each chunk once.
                            unsafe { op.cpu(&call, phase, chunk).unwrap() };
                        }
                    }
                }
            }
            for ((value, _), view) in node.outputs.iter().zip(outputs) {
                views.insert(*value, view);
            }
        }
        views
    }
}
