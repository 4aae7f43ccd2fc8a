//! Variables declared by `let x;` whose first value comes from a branch: they are no state, the branch yields them.

use super::super::ast::*;
use std::collections::BTreeSet;
use syn::Expr as Syntax;

/// What each construct gives its first value, by `if` and by loop.
pub struct Deferred {
    pub ifs: Vec<BTreeSet<Var>>,
    pub loops: Vec<BTreeSet<Var>>,
}

pub fn deferred(function: &Function) -> Deferred {
    let mut walk = DeferredVisitor {
        vars: &function.vars,
        result: Deferred { ifs: vec![BTreeSet::new(); function.ifs], loops: vec![BTreeSet::new(); function.targets] },
    };
    walk.block(&function.body, &mut BTreeSet::new());
    walk.result
}

struct DeferredVisitor<'a> {
    vars: &'a [Variable],
    result: Deferred,
}

/// The deferred variables that surely have a value.
type Assigned = BTreeSet<Var>;

impl DeferredVisitor<'_> {
    fn block(&mut self, block: &Block, assigned: &mut Assigned) {
        block_parts(block, &mut |expr| self.expr(expr, assigned));
    }

    fn expr(&mut self, expr: &Expr, assigned: &mut Assigned) {
        match &expr.kind {
            Kind::Plain(Syntax::Assign(_), parts) => {
                self.expr(&parts[1], assigned);
                self.assign(&parts[0], assigned);
            }
            Kind::If(node) => {
                self.expr(&node.cond, assigned);
                let before = assigned.clone();
                let mut other = assigned.clone();
                self.block(&node.then, assigned);
                node.other.iter().for_each(|block| self.block(block, &mut other));
                let new = assigned.union(&other).copied().filter(|var| !before.contains(var));
                self.result.ifs[node.id] = new.filter(|var| !node.vars.contains(var)).collect();
                // rustc has checked that a variable has a value where it is used: a branch that gives none has left.
                assigned.append(&mut other);
            }
            Kind::Loop(node) => {
                let before = assigned.clone();
                parts(expr, &mut |part| self.expr(part, assigned));
                let new = assigned.difference(&before).copied().filter(|var| !node.vars.contains(var));
                self.result.loops[node.target] = new.collect();
            }
            Kind::Match(node) => {
                self.expr(&node.scrutinee, assigned);
                let before = assigned.clone();
                for arm in &node.arms {
                    let mut inside = before.clone();
                    arm.guard.iter().for_each(|guard| self.expr(guard, &mut inside));
                    self.expr(&arm.body, &mut inside);
                    assigned.append(&mut inside);
                }
            }
            _ => parts(expr, &mut |part| self.expr(part, assigned)),
        }
    }

    fn assign(&mut self, left: &Expr, assigned: &mut Assigned) {
        match (&left.kind, assigned_parts(left)) {
            (Kind::Var(var, _), _) if self.vars[*var].deferred => drop(assigned.insert(*var)),
            (_, Some(parts)) => parts.iter().for_each(|part| self.assign(part, assigned)),
            _ => self.expr(left, assigned),
        }
    }
}
