//! Rules on the tree: they depend on what may be staged, and on which variables a construct changes.

use super::super::analyse::place::Place;
use super::super::analyse::{activity, deferred, host};
use super::super::ast::*;
use super::super::plan::ConstructPlan;
use crate::diag::Faults;
use crate::diag::tf_function as text;
use std::collections::BTreeMap;
use syn::Expr as Syntax;

pub fn tree(function: &Function, plan: &ConstructPlan) -> syn::Result<()> {
    let mut faults = Faults::new();
    let deferred = deferred::deferred(function);
    let closures = changing_closures(function);
    let mut search = TreeVisitor {
        function,
        plan,
        deferred,
        closures,
        staged: 0,
        start: Vec::new(),
        lenders: Vec::new(),
        loops: Vec::new(),
        faults: &mut faults,
    };
    block_parts(&function.body, &mut |expr| search.expr(expr));
    faults.check()
}

/// The closure that a value is or holds: `|x| ..`, `&mut |x| ..`, `Box::new(|x| ..)`.
fn held(value: &Expr) -> Option<&Closure> {
    match &value.inner().kind {
        Kind::Closure(closure) => Some(closure),
        Kind::Plain(Syntax::Reference(_) | Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_), parts) => {
            parts.iter().find_map(held)
        }
        Kind::Plain(Syntax::Call(_), parts) if host::makes(&parts[0]) => parts[1..].iter().find_map(held),
        Kind::Macro(node) if matches!(node.kind, MacroKind::List) => node.args.iter().find_map(held),
        _ => None,
    }
}

/// The closures that are bound to a name and change what they capture, with the first of these variables.
fn changing_closures(function: &Function) -> BTreeMap<Var, Var> {
    fn stmts(block: &Block, function: &Function, found: &mut BTreeMap<Var, Var>) {
        for stmt in &block.stmts {
            if let Stmt::Let(node) = stmt
                && let Some(init) = &node.init
                && let Some(closure) = held(init)
                && function.vars[node.vars.start].plain
            {
                let captured = if closure.fixed { closure.vars.start } else { 0 };
                let changed = activity::writes([&closure.body], closure.vars.start, captured, &function.vars);
                let mentioned = activity::mentions(&closure.body, closure.vars.start);
                let of_another = || mentioned.iter().find_map(|var| found.get(var).copied());
                if let Some(root) = changed.first().map(|place| place.root).or_else(of_another) {
                    found.insert(node.vars.start, root);
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

struct TreeVisitor<'a> {
    function: &'a Function,
    plan: &'a ConstructPlan,
    deferred: deferred::Deferred,
    closures: BTreeMap<Var, Var>,
    /// How many staged constructs are around.
    staged: usize,
    /// Where the variables of these constructs begin.
    start: Vec<Var>,
    /// The `for` loops around, and what they go over.
    lenders: Vec<Lender>,
    /// The loops around, with the first of the lenders that lie inside of each.
    loops: Vec<(Target, usize)>,
    faults: &'a mut Faults,
}

/// A `for` loop whose iterator borrows a variable as long as it goes on.
struct Lender {
    target: Target,
    var: Var,
    exclusive: bool,
}

/// The variables that an iterator borrows.
fn borrowed(over: &Expr, found: &mut Vec<(Var, bool)>) {
    const SHARED: [&str; 6] = ["iter", "chunks", "windows", "keys", "values", "chars"];
    const EXCLUSIVE: [&str; 5] = ["iter_mut", "values_mut", "chunks_mut", "chunks_exact_mut", "drain"];
    match &over.kind {
        Kind::Plain(Syntax::Reference(node), of) => {
            found.extend(Place::of(&of[0]).map(|place| (place.root, node.mutability.is_some())));
        }
        Kind::Plain(Syntax::MethodCall(node), of) => {
            let is = |names: &[&str]| names.iter().any(|name| node.method == name);
            match Place::of(&of[0]) {
                Some(place) if is(&EXCLUSIVE) => found.push((place.root, true)),
                Some(place) if is(&SHARED) => found.push((place.root, false)),
                Some(_) => {}
                None => borrowed(&of[0], found),
            }
            of[1..].iter().for_each(|argument| borrowed(argument, found));
        }
        Kind::Plain(Syntax::Paren(_) | Syntax::Group(_), of) => borrowed(&of[0], found),
        _ => {}
    }
}

impl TreeVisitor<'_> {
    /// A jump out of a `for` goes on, in the graph, with the rest of that `for`: its iterator must not borrow what the
    /// jump hands over.
    fn lent(&mut self, jump: &Jump) {
        let Some(plan) = &self.plan.loops[jump.target] else { return };
        let carried = if jump.kind == JumpKind::Break { &plan.after } else { &plan.head };
        let carries = |var: Var| carried.iter().any(|place| plan.state[*place].root == var);
        let Some((_, first)) = self.loops.iter().rev().find(|(target, _)| *target == jump.target) else { return };
        if let Some(lender) = self.lenders[*first..].iter().find(|lender| carries(lender.var)) {
            let word = if jump.kind == JumpKind::Break { "break" } else { "continue" };
            let name = &self.function.vars[lender.var].name;
            self.faults.add(&jump.syntax, text::jump_out_of_a_borrow(word, name));
        }
    }

    /// A pass that a branch of the graph may leave puts the state back together at its end; elements that the iterator has
    /// lent belong to none.
    fn elements(&mut self, node: &Loop, over: &Expr) {
        let lent = self.lenders.iter().filter(|lender| lender.target == node.target && lender.exclusive);
        let Some(var) = lent.map(|lender| lender.var).next() else { return };
        let mut exprs = Vec::new();
        block_parts(&node.body, &mut |expr| exprs.push(expr));
        let changed = activity::writes(exprs, node.vars.end, 0, &self.function.vars);
        if changed.iter().any(|place| node.vars.contains(&place.root) && place.through_reference(&self.function.vars)) {
            let name = &self.function.vars[var].name;
            self.faults.add_at(over.span, text::elements_of_a_borrow(name));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let Kind::Loop(node) = &expr.kind else { return self.construct(expr) };
        let before = self.lenders.len();
        if let LoopKind::For { over, .. } = &node.kind {
            let mut found = Vec::new();
            borrowed(over, &mut found);
            let lenders = found.into_iter().map(|(var, exclusive)| Lender { target: node.target, var, exclusive });
            self.lenders.extend(lenders);
            if self.plan.loops[node.target].as_ref().is_some_and(|plan| plan.body_leaves) {
                self.elements(node, over);
            }
        }
        self.loops.push((node.target, self.lenders.len()));
        self.construct(expr);
        self.loops.pop();
        self.lenders.truncate(before);
    }

    fn construct(&mut self, expr: &Expr) {
        if let Kind::Jump(node) = &expr.kind {
            self.lent(node);
        }
        match &expr.kind {
            Kind::Loop(node) if self.plan.loops[node.target].is_some() => {
                for var in &self.deferred.loops[node.target] {
                    let variable = &self.function.vars[*var];
                    self.faults.add(&variable.ident, text::deferred_in_loop(&variable.name));
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
            Kind::Var(var, _) => {
                if let Some(start) = self.start.first()
                    && let Some(changed) = self.closures.get(var).filter(|_| var < start)
                {
                    let (closure, changed) = (&self.function.vars[*var].name, &self.function.vars[*changed].name);
                    self.faults.add_at(expr.span, text::closure_changes(closure, changed));
                }
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
