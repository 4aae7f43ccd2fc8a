//! Which variables a part of the function may move away: uses by value. Only a trace runs both branches, so only there
//! what one branch moves has to be put back for the other one.

use super::super::ast::*;
use super::place::{Place, Step};
use std::collections::BTreeSet;
use syn::{Expr as Syntax, UnOp};

/// Methods that take what they are called on by value.
const CONSUMERS: [&str; 36] = [
    "unwrap",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "expect",
    "ok",
    "err",
    "ok_or",
    "ok_or_else",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "or",
    "xor",
    "is_some_and",
    "is_none_or",
    "is_ok_and",
    "filter",
    "rev",
    "enumerate",
    // Of `TensorArray`.
    "write",
    "unstack",
    "scatter",
    "split",
    "and_then",
    "or_else",
    "flatten",
    "collect",
    "zip",
    "chain",
    "fold",
    "join",
    "sum",
    "product",
    "for_each",
];

/// The variables declared before `below` that a block may move.
pub fn moves(block: &Block, below: Var, vars: &[Variable]) -> BTreeSet<Var> {
    let mut search = MoveVisitor::of(vars);
    search.block(block);
    // Numbers, truth values and references are copied; mutable references are lent, not moved.
    let moves = |var: &Var| matches!(vars[*var].hint, Hint::Unknown | Hint::Owned) && !vars[*var].truth.is;
    search.found.retain(|var| *var < below && moves(var));
    search.found
}

/// The fields that a block may move out of such variables, as far as these are surely no references.
pub fn parts(block: &Block, below: Var, vars: &[Variable]) -> BTreeSet<Place> {
    let mut search = MoveVisitor::of(vars);
    search.block(block);
    search.parts.retain(|part| part.root < below && vars[part.root].hint == Hint::Owned);
    search.parts
}

struct MoveVisitor<'a> {
    vars: &'a [Variable],
    found: BTreeSet<Var>,
    parts: BTreeSet<Place>,
}

impl<'a> MoveVisitor<'a> {
    fn of(vars: &'a [Variable]) -> Self {
        Self { vars, found: BTreeSet::new(), parts: BTreeSet::new() }
    }

    fn block(&mut self, block: &Block) {
        block_parts(block, &mut |expr| self.expr(expr, true));
    }

    /// An expression whose value is used, or only its place.
    fn expr(&mut self, expr: &Expr, by_value: bool) {
        match &expr.kind {
            Kind::Leaf(_) => {}
            Kind::Var(var, _) => {
                if by_value {
                    self.found.insert(*var);
                }
            }
            Kind::Plain(syntax, parts) => {
                if let (Syntax::Field(_), true) = (syntax, by_value)
                    && let Some(part) = Place::of(expr)
                    && part.path.iter().all(|step| *step != Step::Deref)
                    && !part.path.is_empty()
                {
                    self.parts.insert(part);
                }
                self.plain(syntax, parts, by_value);
            }
            Kind::Compare(node) => [&node.left, &node.right].into_iter().for_each(|side| self.expr(side, false)),
            Kind::Logic(node) => [&node.left, &node.right].into_iter().for_each(|side| self.expr(side, false)),
            Kind::Let(_, scrutinee) => self.expr(scrutinee, true),
            Kind::Block(node) => self.block(&node.block),
            Kind::If(node) => {
                self.expr(&node.cond, false);
                self.block(&node.then);
                node.other.iter().for_each(|block| self.block(block));
            }
            Kind::Loop(node) => {
                match &node.kind {
                    LoopKind::While(cond) | LoopKind::WhileLet(cond) => self.expr(cond, false),
                    LoopKind::For { over, .. } => self.expr(over, true),
                    LoopKind::Loop | LoopKind::Once => {}
                }
                self.block(&node.body);
            }
            Kind::Match(node) => {
                self.expr(&node.scrutinee, node.arms.iter().any(|arm| !arm.vars.is_empty()));
                for arm in &node.arms {
                    arm.guard.iter().for_each(|guard| self.expr(guard, false));
                    self.expr(&arm.body, true);
                }
            }
            Kind::Closure(node) => {
                if node.syntax.capture.is_some() {
                    self.found.extend(super::activity::mentions(&node.body, node.vars.start));
                } else {
                    self.expr(&node.body, true);
                }
            }
            Kind::Jump(node) => node.value.iter().for_each(|value| self.expr(value, true)),
            Kind::Macro(node) => {
                let by_value = matches!(node.kind, MacroKind::List | MacroKind::Repeat | MacroKind::Dbg);
                node.args.iter().for_each(|arg| self.expr(arg, by_value));
            }
        }
    }

    fn plain(&mut self, syntax: &Syntax, parts: &[Expr], by_value: bool) {
        match syntax {
            Syntax::Paren(_) | Syntax::Group(_) => self.expr(&parts[0], by_value),
            Syntax::Field(_) => self.expr(&parts[0], false),
            Syntax::Reference(_) | Syntax::RawAddr(_) | Syntax::Cast(_) => self.expr(&parts[0], false),
            Syntax::Unary(node) => self.expr(&parts[0], !matches!(node.op, UnOp::Deref(_))),
            Syntax::Index(_) => {
                self.expr(&parts[0], false);
                self.expr(&parts[1], true);
            }
            Syntax::MethodCall(node) => {
                let name = node.method.to_string();
                // What the user calls so may as well borrow.
                let own = matches!(parts[0].inner().kind, Kind::Var(var, _) if self.vars[var].own);
                let consumes = (CONSUMERS.contains(&name.as_str()) && !own) || name.starts_with("into_");
                self.expr(&parts[0], consumes);
                parts[1..].iter().for_each(|part| self.expr(part, true));
            }
            Syntax::Call(_) => {
                self.expr(&parts[0], false);
                parts[1..].iter().for_each(|part| self.expr(part, true));
            }
            Syntax::Assign(_) => {
                self.expr(&parts[0], false);
                self.expr(&parts[1], true);
            }
            Syntax::Binary(node) => {
                self.expr(&parts[0], !super::host::assigns(&node.op));
                self.expr(&parts[1], true);
            }
            _ => parts.iter().for_each(|part| self.expr(part, true)),
        }
    }
}
