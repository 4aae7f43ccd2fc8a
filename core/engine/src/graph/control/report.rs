//! What a call without a plan of the whole ran: the plans of its segments, and the operations that run one by one between them.
//! `FunctionInfo::plan` prints it.

use super::segment::part;
use crate::ir::Graph;
use crate::ir::Node;
use crate::op::Flow;
use std::fmt::Write;

/// The segments of a graph, in the order in which they run.
pub(super) fn segments(graph: &Graph) -> String {
    let mut text = format!("plan of {} in segments, because sizes depend on values\n", graph.name);
    lines(&mut text, graph, 0);
    text
}

fn lines(text: &mut String, graph: &Graph, depth: usize) {
    let indent = "  ".repeat(depth);
    for node in &graph.nodes {
        let own = match part(&*node.op) {
            Some(part) => part.planned().map(|plan| plan.report()),
            None => None,
        };
        if let Some(report) = own {
            let report = report.split_once('\n').map_or(&*report, |(_, rest)| rest);
            let _ = writeln!(text, "{indent}segment at {}", node.location);
            for line in report.lines() {
                let _ = writeln!(text, "{indent}  {line}");
            }
            continue;
        }
        let _ = writeln!(text, "{indent}{}  {}", described(node), node.location);
        for (title, body) in titles(node).iter().zip(node.op.bodies()) {
            let _ = writeln!(text, "{indent}{title}");
            lines(text, body, depth + 1);
        }
    }
}

/// What a node does that runs by itself.
fn described(node: &Node) -> String {
    match (node.op.flow(), part(&*node.op)) {
        (Some(Flow::Branch), _) => "branch".to_owned(),
        (Some(Flow::Loop { .. }), _) => "loop".to_owned(),
        (_, Some(part)) => format!("segment of {} operations, not planned in the last call", part.graph.node_count()),
        _ => format!("{}, by itself", node.op.name()),
    }
}

fn titles(node: &Node) -> &'static [&'static str] {
    match node.op.flow() {
        Some(Flow::Branch) => &["then", "else"],
        Some(Flow::Loop { .. }) => &["while", "do"],
        _ => &[],
    }
}
