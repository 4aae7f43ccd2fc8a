//! From the analyses to one plan for each construct that may be staged: its state, what it must put back, and where it
//! may leave to. Decides everything; `emit` only writes it down.

use super::analyse::lists::{Lists, lists};
use super::analyse::liveness::{Liveness, Set, liveness};
use super::analyse::place::{Place, Step};
use super::analyse::staging::{Staging, staging};
use super::analyse::{activity, aliasing, deferred, endless, jumps, moves};
use super::ast::*;
use super::plan::{Branch, ConstructPlan, Looped};
use std::collections::BTreeSet;

pub fn plan(function: &Function) -> ConstructPlan {
    let mut planner = Planner {
        vars: &function.vars,
        staging: staging(function),
        liveness: liveness(function),
        deferred: deferred::deferred(function),
        moved: moves::moves(&function.body, function.vars.len(), &function.vars),
        plan: ConstructPlan {
            ifs: (0..function.ifs).map(|_| None).collect(),
            loops: (0..function.targets).map(|_| None).collect(),
            put_back: BTreeSet::new(),
            bodies: vec![false; function.targets],
            left: vec![Vec::new(); function.targets],
            lists: Lists::default(),
        },
        body: BODY,
        fixed: 0,
        captured: 0,
    };
    block_parts(&function.body, &mut |expr| planner.expr(expr));
    let mut plan = planner.plan;
    plan.lists = lists(function, &planner.staging);
    plan
}

struct Planner<'a> {
    vars: &'a [Variable],
    staging: Staging,
    liveness: Liveness,
    deferred: deferred::Deferred,
    /// Variables that the function moves anywhere: they may be without a value.
    moved: BTreeSet<Var>,
    plan: ConstructPlan,
    body: Target,
    /// The first variable of its own that the fixed closure around has.
    fixed: Var,
    /// Where the variables of the closure around begin.
    captured: Var,
}

impl Planner<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::If(node) if self.staging.ifs[node.id] => {
                let branch = self.branch(node);
                self.plan.put_back.extend(branch.keep_then.iter().chain(&branch.keep_other).map(|place| place.root));
                self.plan.ifs[node.id] = Some(branch);
                self.plan.bodies[self.body] = true;
            }
            Kind::Loop(node) if self.staging.loops[node.target] => {
                let looped = self.looped(node);
                self.plan.put_back.extend(looped.keep.iter().map(|place| place.root));
                self.plan.loops[node.target] = Some(looped);
                self.plan.bodies[self.body] = true;
            }
            Kind::Macro(node) if matches!(node.kind, MacroKind::Panic { .. }) => {}
            _ => {}
        }
        let around = (self.body, self.captured, self.fixed);
        if let Kind::Closure(node) = &expr.kind {
            (self.body, self.captured) = (node.target, node.vars.start);
            if node.fixed {
                self.fixed = node.vars.start;
            }
        }
        parts(expr, &mut |part| self.expr(part));
        if let Kind::Closure(node) = &expr.kind
            && self.plan.bodies[node.target]
            && !jumps::expr_escapes(&node.body).is_empty()
        {
            self.plan.left[node.target] = self.left(node);
        }
        (self.body, self.captured, self.fixed) = around;
    }

    /// What `*w` leads to is found by the type of `w` where some block may move `w`.
    fn by_types<'b>(&self, written: &mut BTreeSet<Place>, blocks: impl Iterator<Item = &'b Block>) {
        let moved: BTreeSet<Var> = blocks.flat_map(|block| moves::moves(block, self.vars.len(), self.vars)).collect();
        let lent: Vec<Place> = written.iter().filter(|p| p.is_lent() && moved.contains(&p.root)).cloned().collect();
        written.retain(|place| !lent.iter().any(|lent| place != lent && place.contains(lent)));
    }

    /// What a closure may have changed when a jump leaves it.
    fn left(&self, node: &Closure) -> Vec<Place> {
        let below = node.vars.start + node.params;
        let mut written = activity::writes([&node.body], below, self.fixed, self.vars);
        written.extend(aliasing::handed_on([&node.body], None, below, self.fixed, self.vars));
        written.retain(|place| place.root < node.vars.start || place.through_reference(self.vars));
        outermost(written.into_iter().collect())
    }

    fn branch(&self, node: &If) -> Branch {
        let live = &self.liveness.ifs[node.id];
        let blocks = || std::iter::once(&node.then).chain(&node.other);
        let mut written = activity::block_writes(blocks(), node.vars.start, self.fixed, self.vars);
        let yields: Vec<Var> = self.yields(node, &written, &live.before, &live.after);
        let hidden = |place: &Place| yields.contains(&place.root) || self.is_unset(place.root, node);
        let lent = aliasing::handed_on(None, blocks(), node.vars.start, self.fixed, self.vars).into_iter();
        written.extend(lent);
        let is_there = |place: &Place| self.has_value(place, &live.before) && !self.is_unset(place.root, node);
        written.retain(|place| !place.is_lent() || is_there(place));
        self.by_types(&mut written, blocks());
        let state = self.needed(written.into_iter().filter(|place| !hidden(place)), &live.after);
        let moved_then = moves::moves(&node.then, node.vars.start, self.vars);
        let mut lost = moved_then.clone();
        // What is no state, because nobody needs it afterwards, the other branch may still read as it was.
        let written_then = activity::block_writes([&node.then], node.vars.start, self.fixed, self.vars);
        // A variable that is not `mut` does not change itself, only what it leads to.
        let shows = |place: &Place| !place.is_lent() || !self.vars[place.root].mutable;
        let in_state = |root: Var| state.iter().any(|place| place.root == root && shows(place));
        let own = written_then.iter().filter(|place| !place.is_lent() && !in_state(place.root));
        let (whole, fields): (Vec<&Place>, Vec<&Place>) = own.partition(|place| place.path.is_empty());
        lost.extend(whole.iter().map(|place| place.root));
        let live_before = &live.before;
        let has_value =
            |var: &Var, live: &Set| (live.contains(var) || live_before.contains(var)) && !self.is_unset(*var, node);
        let leaves_then = !jumps::escapes(&node.then).is_empty();
        let leaves_other = node.other.as_ref().is_some_and(|block| !jumps::escapes(block).is_empty());
        let mut keep_other = Vec::new();
        if let (Some(block), true) = (&node.other, leaves_other) {
            let moved = moves::moves(block, node.vars.start, self.vars);
            // Whether or not the branch reads it first: where it leaves, what follows goes on with the value from before.
            keep_other = moved.into_iter().filter(|v| has_value(v, &live.other) && live.after.contains(v)).collect();
        }
        let mut needed: Set = live.other.iter().chain(&keep_other).copied().collect();
        if leaves_other {
            // The run time looks at the state where the branch leaves, whether it has given it a value by then or not.
            needed.extend(state.iter().filter(|place| !place.is_lent()).map(|place| place.root));
        }
        let keep_then: Vec<Var> = lost.into_iter().filter(|v| has_value(v, &live.then) && needed.contains(v)).collect();
        let changed = activity::block_writes(blocks(), node.vars.start, self.fixed, self.vars);
        let (copy_then, keep_then) = self.copied(keep_then, &changed);
        let (copy_other, keep_other) = self.copied(keep_other, &changed);
        let needed = |var: Var| has_value(&var, &live.then) && needed.contains(&var);
        let mut keep_then = self.with_parts(keep_then, &node.then, node.vars.start, &needed);
        let own = |place: &&&Place| !place.path.contains(&Step::Deref) && needed(place.root);
        keep_then.extend(fields.iter().filter(own).map(|place| (*place).clone()));
        let keep_then = outermost(keep_then.into_iter().collect::<BTreeSet<_>>().into_iter().collect());
        let needed = |var: Var| has_value(&var, &live.other) && live.after.contains(&var);
        let keep_other = match &node.other {
            Some(block) if leaves_other => self.with_parts(keep_other, block, node.vars.start, &needed),
            _ => self.with_parts(keep_other, &node.then, 0, &needed),
        };
        let set: Vec<bool> = state.iter().map(|place| self.has_value(place, &live.before)).collect();
        let kept = |var: Var| keep_then.iter().any(|place| place.root == var && place.path.is_empty());
        let lost = |place: &Place| !place.is_lent() && moved_then.contains(&place.root) && !kept(place.root);
        let set_left = state.iter().zip(&set).map(|(place, set)| *set && !lost(place)).collect();
        let parts = moves::parts(&node.then, node.vars.start, self.vars);
        let is_moved =
            |place: &Place| moved_then.contains(&place.root) || parts.iter().any(|part| place.contains(part));
        let changed_then = keep_then.iter().filter(|place| !is_moved(place)).cloned().collect();
        let is_end = jumps::is_end(node);
        Branch {
            state,
            hides: activity::hides(None, blocks(), self.fixed, self.vars),
            set,
            set_left,
            yields,
            keep_then,
            changed_then,
            keep_other,
            copy_then,
            copy_other,
            leaves_then,
            leaves_other,
            is_end,
        }
    }

    /// Variables to keep, and the fields that a block moves out of others that are needed.
    fn with_parts(&self, keep: Vec<Var>, block: &Block, below: Var, needed: &dyn Fn(Var) -> bool) -> Vec<Place> {
        let parts = moves::parts(block, below, self.vars).into_iter();
        let parts = parts.filter(|part| part.root >= self.captured && needed(part.root) && !keep.contains(&part.root));
        let whole = keep.iter().map(|var| Place { root: *var, path: Vec::new() });
        outermost(whole.chain(parts).collect())
    }

    /// Of the variables that a block moves, those that a closure has captured and does not change, and the others.
    fn copied(&self, moved: Vec<Var>, changed: &BTreeSet<Place>) -> (Vec<Var>, Vec<Var>) {
        let is_copied = |var: &Var| *var < self.captured && changed.iter().all(|place| place.root != *var);
        moved.into_iter().partition(is_copied)
    }

    /// A place whose root is not needed before may have been moved away; one that is never moved has a value.
    fn has_value(&self, place: &Place, before: &Set) -> bool {
        before.contains(&place.root) || !self.moved.contains(&place.root)
    }

    /// A variable of `let x;` that the `if` cannot see as state.
    fn is_unset(&self, var: Var, node: &If) -> bool {
        self.vars[var].deferred && self.deferred.ifs[node.id].contains(&var)
    }

    /// Whole variables that the branches give a value, where there may be none before.
    fn yields(&self, node: &If, written: &BTreeSet<Place>, before: &Set, after: &Set) -> Vec<Var> {
        let whole = written.iter().filter(|place| place.path.is_empty()).map(|place| place.root);
        let new = whole.filter(|var| after.contains(var) && !before.contains(var));
        new.filter(|var| self.is_unset(*var, node) || (!self.vars[*var].deferred && self.moved.contains(var))).collect()
    }

    /// The places that somebody needs, without those that are parts of others.
    fn needed(&self, written: impl Iterator<Item = Place>, live: &Set) -> Vec<Place> {
        let needed: Vec<Place> =
            written.filter(|place| live.contains(&place.root) || place.through_reference(self.vars)).collect();
        outermost(needed)
    }

    /// Whether a loop's body may change something through the variables of its pattern.
    fn changes_items(&self, node: &Loop) -> bool {
        let (body, end) = ([&node.body], node.vars.end);
        let mut changed = activity::block_writes(body, end, 0, self.vars);
        changed.retain(|place| place.through_reference(self.vars));
        changed.extend(aliasing::handed_on(None, body, end, 0, self.vars));
        changed.iter().any(|place| node.bound.contains(&place.root))
    }

    fn looped(&self, node: &Loop) -> Looped {
        let live = &self.liveness.loops[node.target];
        let cond = match &node.kind {
            LoopKind::While(cond) | LoopKind::WhileLet(cond) => Some(cond),
            _ => None,
        };
        let mut written = activity::writes(cond, node.vars.start, self.fixed, self.vars);
        written.extend(activity::block_writes([&node.body], node.vars.start, self.fixed, self.vars));
        let changed = written.clone();
        let lent = aliasing::handed_on(cond, [&node.body], node.vars.start, self.fixed, self.vars).into_iter();
        written.extend(lent);
        let is_there = |place: &Place| self.has_value(place, &live.head) && !self.vars[place.root].deferred;
        written.retain(|place| !place.is_lent() || is_there(place));
        self.by_types(&mut written, std::iter::once(&node.body));
        let (mut head, after) =
            (self.needed(written.iter().cloned(), &live.head), self.needed(written.into_iter(), &live.after));
        if matches!(node.kind, LoopKind::Once) {
            head.clear();
        }
        let state = outermost(head.iter().chain(&after).cloned().collect::<BTreeSet<_>>().into_iter().collect());
        let at = |places: &[Place]| -> Vec<usize> {
            (0..state.len()).filter(|i| places.iter().any(|place| state[*i].contains(place))).collect()
        };
        let (has_break, has_value) = jumps::breaks(&node.body, node.target);
        let escapes = jumps::escapes(&node.body);
        let once = matches!(node.kind, LoopKind::Once);
        let while_let = matches!(node.kind, LoopKind::WhileLet(_));
        let body_leaves = !escapes.is_empty() || once || while_let;
        // Where a jump leads out of the body, the run time looks at the state of the next pass, too: what was moved has to be
        // there, even if the body gave it a value of its own before.
        let needed = |var: Var| body_leaves && (live.body.contains(&var) || head.iter().any(|place| place.root == var));
        let moved = moves::moves(&node.body, node.vars.start, self.vars);
        let moved: Vec<Var> = moved.into_iter().filter(|var| needed(*var)).collect();
        let (copy, keep) = self.copied(moved, &changed);
        let keep = self.with_parts(keep, &node.body, node.vars.start, &needed);
        let changes_items = body_leaves && self.changes_items(node);
        Looped {
            never_ends: endless::never_ends(node, self.vars),
            changes_items,
            head: at(&head),
            after: at(&after),
            state,
            hides: activity::hides(cond, [&node.body], self.fixed, self.vars),
            keep,
            copy,
            has_break: has_break || once || while_let,
            has_value: has_value || once,
            body_leaves,
            leaves: escapes.iter().any(|target| *target != node.target),
        }
    }
}

fn outermost(places: Vec<Place>) -> Vec<Place> {
    places.iter().filter(|p| !places.iter().any(|other| other != *p && other.contains(p))).cloned().collect()
}
