//! Which constructs may become part of a graph: those whose condition is not surely a host value, and loops that are
//! left from inside such a construct. All others stay Rust's own.

use super::super::ast::*;
use super::{endless, host};

/// What may be staged.
#[derive(Debug, PartialEq, Eq)]
pub struct Staging {
    pub ifs: Vec<bool>,
    /// Of loops and labelled blocks, by target.
    pub loops: Vec<bool>,
}

pub fn staging(function: &Function) -> Staging {
    let mut search = StagingVisitor {
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
    /// With whether only a jump ends it.
    Loop(Target, bool),
    Closure,
}

struct StagingVisitor<'a> {
    vars: &'a [Variable],
    staging: Staging,
    around: Vec<Around>,
    changed: bool,
}

impl StagingVisitor<'_> {
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
                self.staging.ifs[node.id] = !node.matches && !node.lends() && !host::surely(&node.cond, self.vars);
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
                self.inside(Around::Loop(node.target, endless::never_ends(node, self.vars)), |this| {
                    if let LoopKind::While(cond) | LoopKind::WhileLet(cond) = &node.kind {
                        this.expr(cond);
                    }
                    this.block(&node.body);
                });
            }
            Kind::Closure(node) => self.inside(Around::Closure, |this| this.expr(&node.body)),
            Kind::Jump(node) => {
                self.jump(node);
                node.value.iter().for_each(|value| self.expr(value));
            }
            _ => parts(expr, &mut |part| self.expr(part)),
        }
    }

    fn stage(&mut self, target: Target) {
        self.changed |= !std::mem::replace(&mut self.staging.loops[target], true);
    }

    /// A loop that is left from inside of a staged construct is staged, and so is one that only such a jump ends: Rust
    /// would go round for ever.
    fn jump(&mut self, node: &Jump) {
        let mut staged = false;
        let mut found = Vec::new();
        for around in self.around.iter().rev() {
            match *around {
                Around::If(id) => staged |= self.staging.ifs[id],
                Around::Loop(target, endless) => {
                    let own = target == node.target && node.kind != JumpKind::Return;
                    if staged && (own || endless) {
                        found.push(target);
                    }
                    if own {
                        break;
                    }
                    staged |= self.staging.loops[target];
                }
                Around::Closure => break,
            }
        }
        found.into_iter().for_each(|target| self.stage(target));
    }
}
