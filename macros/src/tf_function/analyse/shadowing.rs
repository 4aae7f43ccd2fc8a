//! Which variables hide one that a jump in their scope hands over: the code that is made names both, so one of them needs
//! another name.

use super::super::ast::*;
use super::super::plan::ConstructPlan;
use std::collections::BTreeSet;

/// The variables to rename.
pub fn hiding(function: &Function, plan: &ConstructPlan) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    block_parts(&function.body, &mut |expr| search(expr, plan, &mut found));
    found
}

fn search(expr: &Expr, plan: &ConstructPlan, found: &mut BTreeSet<Var>) {
    if let Kind::Jump(jump) = &expr.kind
        && jump.kind != JumpKind::Return
        && let Some(looped) = &plan.loops[jump.target]
    {
        let carried = if jump.kind == JumpKind::Break { &looped.after } else { &looped.head };
        let carries = |var: Var| carried.iter().any(|place| looped.state[*place].root == var);
        found.extend(jump.hidden.iter().filter(|(hidden, _)| carries(*hidden)).map(|(_, by)| *by));
    }
    parts(expr, &mut |part| search(part, plan, found));
}
