//! Rules on the tree: they depend on what may be staged, and on which variables a construct changes.

use super::super::analyse::{activity, deferred};
use super::super::ast::*;
use super::super::lower::Plan;
use crate::diag::Faults;
use crate::diag::tf_function as text;
use std::collections::BTreeMap;
use syn::Expr as Syntax;

pub fn tree(function: &Function, plan: &Plan) -> syn::Result<()> {
    let mut faults = Faults::new();
    let deferred = deferred::deferred(function);
    let closures = changing_closures(function);
    let mut search = Search { function, plan, deferred, closures, staged: 0, start: Vec::new(), faults: &mut faults };
    block_parts(&function.body, &mut |expr| search.expr(expr));
    faults.check()
}

/// The closures that are bound to a name and change what they capture, with the first of these variables.
fn changing_closures(function: &Function) -> BTreeMap<Var, Var> {
    fn stmts(block: &Block, function: &Function, found: &mut BTreeMap<Var, Var>) {
        for stmt in &block.stmts {
            if let Stmt::Let(node) = stmt
                && let Some(init) = &node.init
                && let Kind::Closure(closure) = &init.inner().kind
                && function.vars[node.vars.start].plain
            {
                let captured = if closure.fixed { closure.vars.start } else { 0 };
                let changed = activity::writes([&closure.body], closure.vars.start, captured, &function.vars);
                if let Some(place) = changed.first() {
                    found.insert(node.vars.start, place.root);
                }
            }
        }
    }
    fn walk(expr: &Expr, function: &Function, found: &mut BTreeMap<Var, Var>) {
        match &expr.kind {
            Kind::Block(node) => stmts(&node.block, function, found),
            Kind::If(node) => {
                stmts(&node.then, function, found);
                node.other.iter().for_each(|block| stmts(block, function, found));
            }
            Kind::Loop(node) => stmts(&node.body, function, found),
            _ => {}
        }
        parts(expr, &mut |part| walk(part, function, found));
    }
    let mut found = BTreeMap::new();
    stmts(&function.body, function, &mut found);
    block_parts(&function.body, &mut |expr| walk(expr, function, &mut found));
    found
}

struct Search<'a> {
    function: &'a Function,
    plan: &'a Plan,
    deferred: deferred::Deferred,
    closures: BTreeMap<Var, Var>,
    /// How many staged constructs are around.
    staged: usize,
    /// Where the variables of these constructs begin.
    start: Vec<Var>,
    faults: &'a mut Faults,
}

impl Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Loop(node) if self.plan.loops[node.target].is_some() => {
                for var in &self.deferred.loops[node.target] {
                    let ident = &self.function.vars[*var].ident;
                    self.faults.add(ident, text::deferred_in_loop(&ident.to_string()));
                }
                self.inside(node.vars.start, |this| parts(expr, &mut |part| this.expr(part)));
            }
            Kind::If(node) if self.plan.ifs[node.id].is_some() => {
                self.expr(&node.cond);
                self.inside(node.vars.start, |this| {
                    block_parts(&node.then, &mut |part| this.expr(part));
                    node.other.iter().for_each(|block| block_parts(block, &mut |part| this.expr(part)));
                });
            }
            Kind::Jump(node) if node.kind != JumpKind::Return && self.is_body(node.target) => {
                self.faults.add(&node.syntax, text::JUMP_OUTSIDE);
            }
            Kind::Plain(Syntax::Call(_), called) => {
                if let (Kind::Var(var, _), Some(start)) = (&called[0].kind, self.start.first())
                    && let Some(changed) = self.closures.get(var).filter(|_| var < start)
                {
                    let (closure, changed) = (&self.function.vars[*var].ident, &self.function.vars[*changed].ident);
                    self.faults
                        .add_at(called[0].span, text::closure_changes(&closure.to_string(), &changed.to_string()));
                }
                called.iter().for_each(|part| self.expr(part));
            }
            _ => parts(expr, &mut |part| self.expr(part)),
        }
    }

    /// A jump that found no loop to leave.
    fn is_body(&self, target: Target) -> bool {
        target == BODY
    }

    fn inside(&mut self, start: Var, visit: impl FnOnce(&mut Self)) {
        self.staged += 1;
        self.start.push(start);
        visit(self);
        self.start.pop();
        self.staged -= 1;
    }
}
