//! Accumulation: a sum of which one side is a product of matrices becomes one operation, so that a sum over the rounds of a
//! loop, such as the gradient of a weight, is not read and written once more. Runs once sizes are known, before fusion.

use super::matmul_add::MatMulAdd;
use super::rewrite::{Rewriter, with_bodies};
use crate::ir::{Graph, Node, Value};
use crate::op::{Kind, OpRef};
use crate::ops;
use kernels::backend::cpu::Isa;
use kernels::backend::cpu::gemm::{MatMul, can_add};
use kernels::error::Result;
use kernels::scalar::Code;
use smallvec::smallvec;
use std::collections::{HashMap, HashSet};

pub(super) fn accumulate(graph: &Graph) -> Result<Graph> {
    let made: HashMap<Value, usize> =
        graph.nodes.iter().enumerate().flat_map(|(i, node)| node.outputs.iter().map(move |&v| (v, i))).collect();
    let mut uses: HashMap<Value, usize> = HashMap::new();
    let used = graph.nodes.iter().flat_map(|node| &node.inputs).chain(&graph.results);
    used.for_each(|&v| *uses.entry(v).or_default() += 1);
    // By the sum's node: its product's node, and the addend.
    let mut sums: HashMap<usize, (usize, Value)> = HashMap::new();
    let mut gone: HashSet<usize> = HashSet::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        for [product, addend] in operands(node) {
            let Some(&from) = made.get(&product) else { continue };
            // The addend must be there before the product runs in the sum's place, and the product be nobody else's.
            if uses[&product] == 1
                && !gone.contains(&from)
                && graph.nodes[from].device == node.device
                && is_product(graph, &graph.nodes[from])
                && is_worth_it(graph, &made, &sums, addend)
            {
                sums.insert(at, (from, addend));
                gone.insert(from);
                break;
            }
        }
    }
    let mut new = Rewriter::new(graph);
    for (at, node) in graph.nodes.iter().enumerate() {
        if gone.contains(&at) {
            continue;
        }
        match sums.get(&at) {
            Some((product, addend)) => {
                let product = &graph.nodes[*product];
                let inputs = smallvec![new.value(*addend), new.value(product.inputs[0]), new.value(product.inputs[1])];
                let ty = *graph.ty(node.outputs[0]);
                let sum = new.emit(OpRef::Static(&MatMulAdd), inputs, &[ty], product.at());
                new.set(node.outputs[0], sum[0]);
            }
            None => {
                let op = with_bodies(node, accumulate)?;
                new.copy(node, op);
            }
        }
    }
    Ok(new.finish())
}

/// The operands of an addition of equal shapes, either of which may be the product.
fn operands(node: &Node) -> Vec<[Value; 2]> {
    match (node.op.kind(), &node.inputs[..]) {
        (Kind::Elementwise { direct: Some(Code::Add), .. }, &[x, y]) if x != y => vec![[y, x], [x, y]],
        _ => Vec::new(),
    }
}

fn is_product(graph: &Graph, node: &Node) -> bool {
    if !node.op.is::<ops::MatMul>() {
        return false;
    }
    let dims = |v: Value| graph.ty(v).shape.known_dims();
    let (Some(&[m, k]), Some(&[_, n])) = (dims(node.inputs[0]), dims(node.inputs[1])) else { return false };
    // Strides are not known yet; those of dense operands and of transposed ones take the same way from these sizes on.
    let dense = MatMul {
        m,
        n,
        k,
        a_rs: k as isize,
        a_cs: 1,
        b_rs: n as isize,
        b_cs: 1,
        c_rs: n as isize,
        batch: 1,
        a_bs: 0,
        b_bs: 0,
        c_bs: (m * n) as isize,
    };
    let turned = MatMul { a_rs: 1, a_cs: m as isize, b_rs: 1, b_cs: k as isize, ..dense };
    let dtype = graph.ty(node.outputs[0]).dtype;
    m > 16 && n > 16 && [dense, turned].iter().all(|product| can_add(product, dtype, Isa::current()))
}

/// Whether the addend is in memory anyway: something from outside the body, another product, or such a sum itself. What is computed
/// element by element is better computed together with the sum.
fn is_worth_it(
    graph: &Graph,
    made: &HashMap<Value, usize>,
    sums: &HashMap<usize, (usize, Value)>,
    addend: Value,
) -> bool {
    match made.get(&addend) {
        Some(at) => {
            let op = &graph.nodes[*at].op;
            op.is::<ops::MatMul>() || op.is::<MatMulAdd>() || sums.contains_key(at)
        }
        None => graph.constant(addend).is_none(),
    }
}
