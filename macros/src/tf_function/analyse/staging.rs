//! Which constructs may become part of a graph: those whose condition is not surely a host value, and loops that are
//! left from inside such a construct. All others stay Rust's own.

use super::super::ast::*;
use super::host;

/// What may be staged.
#[derive(Debug, PartialEq, Eq)]
pub struct Staging {
    pub ifs: Vec<bool>,
    /// Of loops and labelled blocks, by target.
    pub loops: Vec<bool>,
}

pub fn staging(function: &Function) -> Staging {
    let mut search = Search {
        vars: &function.vars,
        staging: Staging { ifs: vec![false; function.ifs], loops: vec![false; function.targets] },
        around: Vec::new(),
        changed: true,
    };
    // A loop that becomes staged may make one around it staged, too.
    while std::mem::take(&mut search.changed) {
        search.block(&function.body);
    }
    search.staging
}

/// A construct around the place of the search.
#[derive(Clone, Copy)]
enum Around {
    If(IfId),
    Loop(Target),
    Closure,
}

struct Search<'a> {
    vars: &'a [Variable],
    staging: Staging,
    around: Vec<Around>,
    changed: bool,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        block_parts(block, &mut |expr| self.expr(expr));
    }

    fn inside(&mut self, around: Around, visit: impl FnOnce(&mut Self)) {
        self.around.push(around);
        visit(self);
        self.around.pop();
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::If(node) => {
                self.staging.ifs[node.id] = !node.matches && !host::surely(&node.cond, self.vars);
                self.expr(&node.cond);
                self.inside(Around::If(node.id), |this| {
                    this.block(&node.then);
                    node.other.iter().for_each(|block| this.block(block));
                });
            }
            Kind::Loop(node) => {
                let staged = match &node.kind {
                    LoopKind::While(cond) => !host::surely(cond, self.vars),
                    LoopKind::For { over, .. } => !host::iterates(over),
                    LoopKind::WhileLet(_) | LoopKind::Loop | LoopKind::Once => false,
                };
                if staged {
                    self.stage(node.target);
                }
                if let LoopKind::For { over, .. } = &node.kind {
                    self.expr(over);
                }
                self.inside(Around::Loop(node.target), |this| {
                    if let LoopKind::While(cond) | LoopKind::WhileLet(cond) = &node.kind {
                        this.expr(cond);
                    }
                    this.block(&node.body);
                });
            }
            Kind::Closure(node) => self.inside(Around::Closure, |this| this.expr(&node.body)),
            Kind::Jump(node) => {
                if node.kind != JumpKind::Return && self.is_staged_within(node.target) {
                    self.stage(node.target);
                }
                node.value.iter().for_each(|value| self.expr(value));
            }
            _ => parts(expr, &mut |part| self.expr(part)),
        }
    }

    fn stage(&mut self, target: Target) {
        self.changed |= !std::mem::replace(&mut self.staging.loops[target], true);
    }

    /// Whether something between here and a loop around may be staged.
    fn is_staged_within(&self, target: Target) -> bool {
        let between = self.around.iter().rev().take_while(|a| !matches!(a, Around::Loop(t) if *t == target));
        between.into_iter().any(|around| match around {
            Around::If(id) => self.staging.ifs[*id],
            Around::Loop(inner) => self.staging.loops[*inner],
            Around::Closure => false,
        })
    }
}
