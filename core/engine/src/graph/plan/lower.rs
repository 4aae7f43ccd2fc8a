//! From a cluster of element-wise nodes and reductions to one fused loop: its expression, its operands, its results.
//! The compiler gives the places of what comes from outside and asks for those of the results.

use super::Base;
use super::Step;
use super::compile::Compiler;
use super::fused_loop::{FoldSpec, FusedLoop, Operands};
use super::scope::{Scope, ValueLocation};
use crate::graph::passes::fuse::walk_of;
use crate::ir::{Graph, Node, Value};
use crate::meaning::apply;
use kernels::backend::cpu::copy::worth_transposing;
use kernels::backend::cpu::reduce::InOrder;
use kernels::backend::cpu::vector::{self, load_bits};
use kernels::backend::cpu::{Isa, View};
use kernels::dtype::DType;
use kernels::scalar::{Root, Scalar, Sequence, Val};
use std::collections::HashMap;
use std::panic::Location;

/// Bytes from which a result takes the memory of an operand that is read for the last time.
const OVERLAY: usize = 256 * 1024;

/// Nodes that run as one.
pub(super) struct Cluster<'g> {
    pub graph: &'g Graph,
    pub nodes: &'g [Node],
    /// The values that are wanted outside.
    pub results: &'g [Value],
    pub op: &'static str,
    pub location: &'static Location<'static>,
}

/// A cluster as a program over operands.
struct Lowered {
    sequence: Sequence,
    inputs: Vec<(Value, ValueLocation)>,
    dims: Vec<usize>,
    stored: Vec<(Value, DType)>,
    folded: Vec<(Value, FoldSpec)>,
    walk: Option<InOrder>,
}

impl Cluster<'_> {
    /// The program, given where values from outside lie.
    fn lower(&self, place: &dyn Fn(Value) -> Option<ValueLocation>) -> Option<Lowered> {
        let s = Scalar::new(kernels::backend::cpu::vector::evaluate);
        let mut values: HashMap<Value, Val> = HashMap::new();
        let mut low = Lowered {
            sequence: Sequence::default(),
            inputs: Vec::new(),
            dims: Vec::new(),
            stored: Vec::new(),
            folded: Vec::new(),
            walk: None,
        };
        let mut roots = Vec::new();
        for node in self.nodes {
            let mut operands = Vec::new();
            for &v in &node.inputs {
                let value = match values.get(&v) {
                    Some(&value) => value,
                    None => {
                        let place = place(v)?;
                        let value = match repeated(&place) {
                            Some(bits) => s.bits(place.ty.dtype, bits),
                            None => {
                                low.inputs.push((v, place.clone()));
                                s.operand(low.inputs.len() - 1, place.ty.dtype)
                            }
                        };
                        values.insert(v, value);
                        value
                    }
                };
                operands.push(value);
            }
            let output = node.outputs[0];
            if let Some((monoid, _, mean)) = node.op.reduction() {
                let ty = self.graph.ty(node.inputs[0]);
                low.dims = ty.shape.known_dims()?.to_vec();
                low.walk = walk_of(ty, &*node.op);
                low.walk?;
                if self.results.contains(&output) {
                    roots.push((operands[0], Root::Fold(low.folded.len() as u16)));
                    low.folded.push((output, FoldSpec { monoid, dtype: ty.dtype, mean }));
                }
                continue;
            }
            low.dims = self.graph.ty(output).shape.known_dims()?.to_vec();
            let value = apply(&s, &*node.op, &operands);
            values.insert(output, value);
            if self.results.contains(&output) {
                roots.push((value, Root::Store(low.stored.len() as u16)));
                low.stored.push((output, self.graph.ty(output).dtype));
            }
        }
        low.sequence = Sequence::new(&s, &roots, &|first, second, swapped| {
            vector::pair(first, second, swapped, Isa::current()).is_some()
        });
        Some(low)
    }
}

/// The bits of the one number that a constant repeats.
fn repeated(place: &ValueLocation) -> Option<u64> {
    let Base::Fixed(address) = place.base else { return None };
    let dims = place.ty.shape.known_dims()?;
    let one = dims.iter().zip(place.strides).all(|(&d, stride)| d == 1 || stride == 0);
    let from = std::ptr::with_exposed_provenance::<u8>(address).wrapping_offset(place.offset);
    // SAFETY: the constant's first element; the plan holds its tensor.
    (one && !dims.contains(&0)).then(|| unsafe { load_bits(place.ty.dtype.size(), from) })
}

impl Compiler {
    /// Emits a cluster as one fused loop; `None` if it is too large for one or has no loop.
    pub(super) fn emit_pass(
        &mut self,
        scope: &mut Scope<'_>,
        cluster: &Cluster<'_>,
        outer: &[(Value, Value)],
        at: usize,
    ) -> Option<()> {
        let outside = |v: Value| outer.iter().find(|(inner, _)| *inner == v).map_or(v, |(_, outer)| *outer);
        let mut low = {
            let scope = &*scope;
            let this = &*self;
            cluster.lower(&|v| match outer.iter().find(|(inner, _)| *inner == v) {
                Some((_, outer)) => scope.place(*outer),
                None => match cluster.graph.constant(v) {
                    Some(tensor) => this.constant_place(tensor),
                    None => scope.place(v),
                },
            })?
        };
        // Transposed operands are copied first: a loop over them would touch a line of the cache for each element.
        let turned = |place: &ValueLocation| worth_transposing(&place.view());
        let dense = |place: &ValueLocation| ValueLocation::dense(place.base, place.ty);
        let inputs: Vec<View> = (low.inputs.iter())
            .map(|(_, place)| if turned(place) { dense(place).view() } else { place.view() })
            .collect();
        let outputs: Vec<DType> = low.stored.iter().map(|(_, d)| *d).collect();
        let folds: Vec<FoldSpec> = low.folded.iter().map(|(_, f)| *f).collect();
        let walk = low.walk.filter(|_| !folds.is_empty());
        let operands = Operands { inputs: &inputs, dims: &low.dims, outputs: &outputs, folds: &folds, in_order: walk };
        let fused = FusedLoop::new(&low.sequence, &operands, Isa::current())?;
        for (v, place) in &low.inputs {
            if let (Some(tensor), true) = (cluster.graph.constant(*v), matches!(place.base, Base::Fixed(_))) {
                self.hold(tensor);
            }
            self.touch(place);
        }
        for (_, place) in low.inputs.iter_mut().filter(|(_, place)| turned(place)) {
            *place = self.dense_place(place.clone());
        }
        let mut places: Vec<ValueLocation> = low.inputs.iter().map(|(_, place)| place.clone()).collect();
        for (n, (v, _)) in low.stored.iter().enumerate() {
            let outer = outside(*v);
            let bytes = scope.ty(outer).bytes();
            // The buffers of operands that are read here for the last time and may be written over.
            let mut under: Vec<u32> = Vec::new();
            for (i, (input, place)) in low.inputs.iter().enumerate() {
                let Base::Arena(buffer) = place.base else { continue };
                let others = low.inputs.iter().filter(|(_, p)| p.base == place.base).count();
                let whole = place.is_dense() && place.offset == 0 && place.ty.bytes() == bytes;
                let last = scope.last_use(outside(*input)) == at;
                if others == 1 && whole && last && low.sequence.may_overlay(n as u16, i as u16) {
                    under.push(buffer);
                }
            }
            let place = self.place_output(scope, outer, at, &under, cluster.location)?;
            let over = under.first().map(|&buffer| buffer as usize);
            if let (Base::Arena(new), Some(over)) = (place.base, over)
                && bytes >= OVERLAY
                && self.arena.buffers[new as usize].start == self.at
            {
                self.arena.buffers[new as usize].over = Some(over);
            }
            places.push(place);
        }
        for (v, _) in &low.folded {
            let place = self.place_output(scope, outside(*v), at, &[], cluster.location)?;
            places.push(place);
        }
        let scratch = self.scratch(fused.work.scratch);
        let operands = self.pointers(&places);
        self.note(&fused.work.phases);
        self.push(Step::FusedLoop {
            fused: Box::new(fused),
            operands,
            scratch,
            op: cluster.op,
            location: cluster.location,
        });
        Some(())
    }
}
