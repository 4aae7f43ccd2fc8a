//! Which forms the generated programs contain, and how often: printed by the tests, so that nobody has to guess.

use super::program::*;
use std::collections::BTreeMap;
use std::fmt;

/// The number of programs that contain each form.
#[derive(Default)]
pub struct Histogram(BTreeMap<&'static str, usize>);

impl Histogram {
    pub fn add(&mut self, program: &Program) {
        let mut found = Vec::new();
        for body in &program.bodies {
            forms(&body.block, &mut Vec::new(), &mut found);
        }
        found.sort_unstable();
        found.dedup();
        for form in found {
            *self.0.entry(form).or_default() += 1;
        }
    }

    /// How many forms there are.
    pub fn forms(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(form, count)| writeln!(f, "{count:6}  {form}"))
    }
}

/// What is around a statement.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Branch,
    Tape,
    Loop(Label),
}

fn forms(block: &Block, around: &mut Vec<Around>, found: &mut Vec<&'static str>) {
    for stmt in block {
        found.push(form(stmt));
        let in_branch = around.last() == Some(&Around::Branch);
        let innermost = around.iter().rev().find_map(|a| if let Around::Loop(l) = a { Some(*l) } else { None });
        match stmt {
            Stmt::Break(to, _) | Stmt::Continue(to) if Some(*to) != innermost => found.push("jump to an outer loop"),
            Stmt::Return(_) if innermost.is_some() => found.push("return out of a loop"),
            Stmt::Loop(_) | Stmt::If(_) if around.last() == Some(&Around::Tape) => {
                found.push("control flow under a tape")
            }
            Stmt::Loop(_) if in_branch => found.push("loop in a branch"),
            Stmt::Loop(_) if innermost.is_some() => found.push("loop in a loop"),
            Stmt::If(_) if in_branch => found.push("branch in a branch"),
            Stmt::If(node) if matches!(node.cond, Cond::Host(_)) => found.push("if on the host"),
            Stmt::If(node) if matches!(node.cond, Cond::And(..) | Cond::Or(..)) => found.push("&& and ||"),
            _ => {}
        }
        let cond = match stmt {
            Stmt::If(node) => Some(&node.cond),
            Stmt::Loop(Loop { kind: LoopKind::While { also, .. }, .. }) => also.as_ref(),
            _ => None,
        };
        if cond.is_some_and(logs) {
            found.push("effect in a condition");
        }
        around.push(match stmt {
            Stmt::Loop(node) => Around::Loop(node.label),
            Stmt::Taped(_) => Around::Tape,
            _ => Around::Branch,
        });
        stmt.blocks().into_iter().for_each(|inner| forms(inner, around, found));
        around.pop();
    }
}

fn logs(cond: &Cond) -> bool {
    match cond {
        Cond::Logged(..) => true,
        Cond::And(x, y) | Cond::Or(x, y) => logs(x) || logs(y),
        Cond::Tensor(_) | Cond::Host(_) => false,
    }
}

fn form(stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::SetScalar(..) | Stmt::SetVector(..) | Stmt::SetInteger(..) | Stmt::SetTruth(..) => "assignment",
        Stmt::SetItem(..) => "list write",
        Stmt::SetPair(..) => "tuple write",
        Stmt::Count(_) | Stmt::HostCount(_) => "counter",
        Stmt::If(If { value: Some(_), .. }) => "if with a value",
        Stmt::If(If { other: Some(_), .. }) => "if with else",
        Stmt::If(_) => "if without else",
        Stmt::Loop(node) => match (&node.kind, node.target) {
            (LoopKind::While { also: None, .. }, _) => "while",
            (LoopKind::While { .. }, _) => "while with &&",
            (LoopKind::HostWhile { .. }, _) => "while on the host",
            (LoopKind::For { .. }, _) => "for over a host range",
            (LoopKind::Rows(_), _) => "for over a tensor",
            (LoopKind::Endless, None) => "loop",
            (LoopKind::Endless, Some(_)) => "loop with a value",
        },
        Stmt::Break(_, None) => "break",
        Stmt::Break(_, Some(_)) => "break with a value",
        Stmt::Continue(_) => "continue",
        Stmt::Return(_) => "return",
        Stmt::AddToVariable(_) => "assign_add",
        Stmt::Log(_) => "ordered effect",
        Stmt::Assert(_) => "assert",
        Stmt::Draw(_) => "random draw",
        Stmt::Taped(Taped { source: Some(_), .. }) => "tape inside",
        Stmt::Taped(_) => "tape inside, by a variable",
        Stmt::Call(..) => "call of a traced function",
    }
}
