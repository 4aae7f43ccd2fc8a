//! Which variables are still needed at each branch and loop: a walk against the flow of control, loops to a fixed point.

use super::super::ast::*;
use super::activity::mentions;
use super::jumps;
use std::collections::BTreeSet;
use syn::Expr as Syntax;

pub type Set = BTreeSet<Var>;

/// What is live where.
pub struct Liveness {
    pub ifs: Vec<Branch>,
    /// By target.
    pub loops: Vec<Around>,
}

#[derive(Clone, Default, Debug)]
pub struct Branch {
    /// Before the branches, after the condition.
    pub before: Set,
    pub then: Set,
    pub other: Set,
    pub after: Set,
}

#[derive(Clone, Default, Debug)]
pub struct Around {
    pub head: Set,
    /// Where the body begins.
    pub body: Set,
    pub after: Set,
}

pub fn liveness(function: &Function) -> Liveness {
    let mut walk = LivenessVisitor {
        vars: &function.vars,
        result: Liveness {
            ifs: vec![Branch::default(); function.ifs],
            loops: vec![Around::default(); function.targets],
        },
        ends: vec![Set::new(); function.targets],
    };
    let mut live = Set::new();
    walk.block(&function.body, &mut live);
    walk.result
}

struct LivenessVisitor<'a> {
    vars: &'a [Variable],
    result: Liveness,
    /// What is live where `return` of a body leads.
    ends: Vec<Set>,
}

impl LivenessVisitor<'_> {
    fn block(&mut self, block: &Block, live: &mut Set) {
        for stmt in block.stmts.iter().rev() {
            match stmt {
                Stmt::Expr(expr, _) => self.expr(expr, live),
                Stmt::Item(_) => {}
                Stmt::Let(node) => {
                    node.vars.clone().for_each(|var| {
                        live.remove(&var);
                    });
                    if let Some(diverge) = &node.diverge {
                        let mut leaving = Set::new();
                        self.expr(diverge, &mut leaving);
                        live.append(&mut leaving);
                    }
                    if let Some(init) = &node.init {
                        self.expr(init, live);
                    }
                }
            }
        }
    }

    fn read(&self, var: Var, live: &mut Set) {
        live.insert(var);
        // A closure needs what it has captured.
        live.extend(&self.vars[var].captures);
    }

    fn exprs(&mut self, exprs: &[Expr], live: &mut Set) {
        exprs.iter().rev().for_each(|expr| self.expr(expr, live));
    }

    fn expr(&mut self, expr: &Expr, live: &mut Set) {
        match &expr.kind {
            Kind::Leaf(_) => {}
            Kind::Var(var, _) => self.read(*var, live),
            Kind::Plain(Syntax::Assign(_), parts) => {
                self.assign(&parts[0], live);
                self.expr(&parts[1], live);
            }
            Kind::Plain(_, parts) => self.exprs(parts, live),
            Kind::Compare(node) => {
                self.expr(&node.right, live);
                self.expr(&node.left, live);
            }
            Kind::Logic(node) => {
                let mut right = live.clone();
                self.expr(&node.right, &mut right);
                live.append(&mut right);
                self.expr(&node.left, live);
            }
            Kind::Let(_, scrutinee) => self.expr(scrutinee, live),
            Kind::Block(node) => self.block(&node.block, live),
            Kind::If(node) => self.branch(node, live),
            Kind::Loop(node) => self.looped(node, live),
            Kind::Match(node) => {
                let after = std::mem::take(live);
                for arm in &node.arms {
                    let mut inside = after.clone();
                    self.expr(&arm.body, &mut inside);
                    live.append(&mut inside);
                    if let Some(guard) = &arm.guard {
                        self.expr(guard, live);
                    }
                    arm.vars.clone().for_each(|var| {
                        live.remove(&var);
                    });
                }
                self.expr(&node.scrutinee, live);
            }
            Kind::Closure(node) => {
                let captured: Set = mentions(&node.body, node.vars.start).into_iter().collect();
                // Whoever holds the closure may see what it changes.
                self.ends[node.target] = captured.clone();
                let mut inside = captured.clone();
                self.expr(&node.body, &mut inside);
                live.extend(captured);
            }
            Kind::Jump(node) => {
                *live = match node.kind {
                    JumpKind::Return => self.ends[node.target].clone(),
                    JumpKind::Break => self.result.loops[node.target].after.clone(),
                    JumpKind::Continue => self.result.loops[node.target].head.clone(),
                };
                if let Some(value) = &node.value {
                    self.expr(value, live);
                }
            }
            Kind::Macro(node) => {
                if matches!(node.kind, MacroKind::Panic { .. }) {
                    live.clear();
                }
                node.mentions.iter().for_each(|var| self.read(*var, live));
                self.exprs(&node.args, live);
            }
        }
    }

    /// The left side of `=`: a whole variable is not needed before, of others the root is.
    fn assign(&mut self, left: &Expr, live: &mut Set) {
        match (&left.kind, assigned_parts(left)) {
            (Kind::Var(var, _), _) => drop(live.remove(var)),
            (_, Some(parts)) => parts.iter().for_each(|part| self.assign(part, live)),
            _ => self.expr(left, live),
        }
    }

    fn branch(&mut self, node: &If, live: &mut Set) {
        // Nobody comes behind it: the jumps inside say what is needed.
        if jumps::is_end(node) {
            live.clear();
        }
        let after = live.clone();
        let mut other = live.clone();
        self.block(&node.then, live);
        let then = live.clone();
        if let Some(block) = &node.other {
            self.block(block, &mut other);
        }
        live.extend(&other);
        self.result.ifs[node.id] = Branch { before: live.clone(), then, other, after };
        self.expr(&node.cond, live);
    }

    fn looped(&mut self, node: &Loop, live: &mut Set) {
        let after = std::mem::take(live);
        self.result.loops[node.target].after = after.clone();
        loop {
            let head = self.result.loops[node.target].head.clone();
            let mut inside = if matches!(node.kind, LoopKind::Once) { after.clone() } else { head.clone() };
            self.block(&node.body, &mut inside);
            self.result.loops[node.target].body = inside.clone();
            match &node.kind {
                LoopKind::While(cond) | LoopKind::WhileLet(cond) => {
                    inside.extend(&after);
                    self.expr(cond, &mut inside);
                }
                LoopKind::For { .. } => inside.extend(&after),
                LoopKind::Loop | LoopKind::Once => {}
            }
            inside.retain(|var| !node.vars.contains(var));
            inside.extend(&head);
            if inside == head {
                break;
            }
            self.result.loops[node.target].head = inside;
        }
        *live = self.result.loops[node.target].head.clone();
        if let LoopKind::For { over, .. } = &node.kind {
            self.expr(over, live);
        }
    }
}
