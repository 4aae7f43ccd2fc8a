//! Which variables are a `Vec` that a loop or a branch makes longer: where that is one of the graph, they become lists of the
//! graph. Only a `Vec` that this function makes, by its text, is one; the emit stage writes another type for it.

use super::super::ast::*;
use super::staging::Staging;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Expr as Syntax, Pat, Type};

/// The methods of `Vec` that change how many items there are.
const RESIZING: [&str; 16] = [
    "push",
    "extend",
    "extend_from_slice",
    "append",
    "insert",
    "clear",
    "pop",
    "remove",
    "swap_remove",
    "truncate",
    "drain",
    "split_off",
    "retain",
    "dedup",
    "resize",
    "resize_with",
];

/// Those of them that take items out, as no list of the graph lets them.
const SHORTENING: [&str; 6] = ["pop", "remove", "swap_remove", "truncate", "drain", "split_off"];

/// Those that read nothing of it, and work on a list of the graph.
const WRITING: [&str; 4] = ["push", "extend", "extend_from_slice", "clear"];

/// The functions that take a list of the graph.
const JOINING: [&str; 4] = ["stack", "try_stack", "concat", "try_concat"];

/// Lists, and which of them each loop pushes onto.
#[derive(Default)]
pub struct Lists {
    pub vars: BTreeSet<Var>,
    pub pushed: BTreeMap<Target, BTreeSet<Var>>,
}

/// The lists; `staging` says which constructs may be part of a graph.
pub fn lists(function: &Function, staging: &Staging) -> Lists {
    let mut search = ListVisitor { staging, found: Found::default(), start: None, loop_start: None, loops: Vec::new() };
    search.block(&function.body);
    let Found { made, copied, looped, resized, pushed, assigned, mut joined, hidden, mut by_loop, shortened, read } =
        search.found;
    // It may be as long after a round as before it, a plain `Vec` still: that is seen when the round is traced.
    for (target, var) in shortened {
        by_loop.get_mut(&target).map(|pushed| pushed.remove(&var));
    }
    for (copy, of) in copied.iter().rev() {
        joined.extend(joined.contains(copy).then_some(*of));
    }
    // Nobody minds what becomes of a list that is only pushed onto.
    joined.extend(pushed.iter().filter(|var| !read.contains(var)));
    // What nothing makes a tensor of has no use for being a list of the graph.
    let branched = |var: &Var| resized.contains(var) || pushed.contains(var) && assigned.contains(var);
    let changes = |var: &Var| looped.contains(var) || joined.contains(var) && branched(var);
    let is_list = |var: &Var| function.vars[*var].mutable && changes(var) && !hidden.contains(var);
    let mut vars: BTreeSet<Var> = made.into_iter().filter(is_list).collect();
    for (copy, of) in copied {
        if vars.contains(&of) && !hidden.contains(&copy) {
            vars.insert(copy);
        }
    }
    Lists { vars, pushed: by_loop }
}

/// The variable whose value, or a copy of it, an expression is: `all`, `all.clone()`.
pub fn whole(expr: &Expr) -> Option<Var> {
    match &expr.inner().kind {
        Kind::Var(var, _) => Some(*var),
        Kind::Plain(Syntax::MethodCall(node), called) if node.method == "clone" && called.len() == 1 => {
            match called[0].inner().kind {
                Kind::Var(var, _) => Some(var),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The parts of a `let` that make several variables at once, by variable.
pub fn several(node: &Let) -> Option<Vec<(Var, &Expr)>> {
    let (Pat::Tuple(pat), Kind::Plain(Syntax::Tuple(_), parts)) = (&node.syntax.pat, &node.init.as_ref()?.kind) else {
        return None;
    };
    let plain = pat.elems.iter().all(|p| matches!(p, Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none()));
    (plain && node.vars.len() == parts.len()).then(|| node.vars.clone().zip(parts).collect())
}

#[derive(Default)]
struct Found {
    /// Initialised with a new `Vec`.
    made: BTreeSet<Var>,
    /// Initialised with another variable or a copy of it, in the order of the text.
    copied: Vec<(Var, Var)>,
    /// Pushed onto in a staged loop that begins after them.
    looped: BTreeSet<Var>,
    /// Made longer or shorter in a staged loop or branch that begins after them.
    resized: BTreeSet<Var>,
    /// Pushed onto anywhere.
    pushed: BTreeSet<Var>,
    /// Given another `Vec` in a staged loop or branch.
    assigned: BTreeSet<Var>,
    /// Handed to functions that take lists of the graph.
    joined: BTreeSet<Var>,
    /// Used where the text does not tell how.
    hidden: BTreeSet<Var>,
    /// Pushed onto, by the staged loops around.
    by_loop: BTreeMap<Target, BTreeSet<Var>>,
    /// Made shorter, by the staged loops around.
    shortened: BTreeSet<(Target, Var)>,
    /// Used otherwise than by [`WRITING`] methods and by giving it another value.
    read: BTreeSet<Var>,
}

struct ListVisitor<'a> {
    staging: &'a Staging,
    found: Found,
    /// Where the variables of the innermost staged construct begin.
    start: Option<Var>,
    /// Where those of the innermost staged loop do.
    loop_start: Option<Var>,
    /// The staged loops around.
    loops: Vec<Target>,
}

impl ListVisitor<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Stmt::Let(node) = stmt {
                self.declared(node);
            }
        }
        block_parts(block, &mut |expr| self.expr(expr));
    }

    fn declared(&mut self, node: &Let) {
        match &node.syntax.pat {
            Pat::Ident(_) if node.init.as_ref().is_some_and(makes) => self.found.made.extend(node.vars.clone()),
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let of = node.init.as_ref().and_then(whole);
                self.found.copied.extend(of.map(|of| (node.vars.start, of)));
            }
            Pat::Type(typed) if matches!(&*typed.pat, Pat::Ident(_)) && is_vec(&typed.ty) && node.init.is_some() => {
                self.found.made.extend(node.vars.clone());
            }
            _ => {
                let made = several(node).into_iter().flatten().filter(|(_, init)| makes(init));
                self.found.made.extend(made.map(|(var, _)| var));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Plain(Syntax::MethodCall(node), called) => {
                if let Kind::Var(var, _) = called[0].inner().kind
                    && RESIZING.iter().any(|name| node.method == name)
                {
                    self.resized(var, ["push", "extend", "extend_from_slice"].iter().any(|name| node.method == name));
                    if WRITING.iter().any(|name| node.method == name) {
                        return called[1..].iter().for_each(|argument| self.expr(argument));
                    }
                    if SHORTENING.iter().any(|name| node.method == name) {
                        self.found.shortened.extend(self.loops.iter().map(|target| (*target, var)));
                    }
                }
            }
            Kind::Plain(Syntax::Assign(_), sides) => match sides[0].inner().kind {
                Kind::Var(var, _) => {
                    self.found.assigned.extend(self.is_outside(var).then_some(var));
                    return self.expr(&sides[1]);
                }
                _ => self.destructured(&sides[0]),
            },
            Kind::Var(var, _) => drop(self.found.read.insert(*var)),
            Kind::Plain(Syntax::Call(_), called) if is_joining(&called[0]) => {
                let lent = called[1..].iter().map(|arg| match &arg.inner().kind {
                    Kind::Plain(Syntax::Reference(_), lent) => &lent[0],
                    _ => arg,
                });
                self.found.joined.extend(lent.filter_map(whole));
            }
            // What it is lent to may take the `Vec` out.
            Kind::Plain(Syntax::Reference(node), lent) if node.mutability.is_some() => {
                if let Kind::Var(var, _) = lent[0].inner().kind {
                    self.found.hidden.insert(var);
                }
            }
            Kind::Macro(node) => {
                self.found.read.extend(&node.mentions);
                if matches!(node.kind, MacroKind::Unknown) {
                    self.found.hidden.extend(&node.mentions);
                }
            }
            Kind::Block(node) => return self.block(&node.block),
            Kind::If(node) => {
                self.expr(&node.cond);
                let before = self.start;
                if self.staging.ifs[node.id] {
                    self.start = Some(node.vars.start);
                }
                self.block(&node.then);
                node.other.iter().for_each(|block| self.block(block));
                self.start = before;
                return;
            }
            Kind::Loop(node) => {
                let before = (self.start, self.loop_start);
                let staged = self.staging.loops[node.target];
                if staged {
                    self.start = Some(node.vars.start);
                    self.loop_start = self.start;
                    self.loops.push(node.target);
                }
                match &node.kind {
                    LoopKind::While(cond) | LoopKind::WhileLet(cond) => self.expr(cond),
                    LoopKind::For { over, .. } => self.expr(over),
                    LoopKind::Loop | LoopKind::Once => {}
                }
                self.block(&node.body);
                // What an inner loop declares is pushed onto within one round of the outer one.
                (self.start, self.loop_start) = before;
                if staged {
                    self.loops.pop();
                }
                return;
            }
            _ => {}
        }
        parts(expr, &mut |part| self.expr(part));
    }

    /// Whether a variable is declared before the innermost staged construct.
    fn is_outside(&self, var: Var) -> bool {
        self.start.is_some_and(|start| var < start)
    }

    fn resized(&mut self, var: Var, pushed: bool) {
        if self.is_outside(var) {
            self.found.resized.insert(var);
        }
        if pushed {
            self.found.pushed.insert(var);
            self.found.looped.extend(self.loop_start.filter(|start| var < *start).map(|_| var));
            self.loops.iter().for_each(|target| {
                self.found.by_loop.entry(*target).or_default().insert(var);
            });
        }
    }

    /// `(all, x) = ..` gives a plain `Vec`.
    fn destructured(&mut self, left: &Expr) {
        if let Kind::Plain(Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_) | Syntax::Call(_), inner) =
            &left.kind
        {
            for part in inner {
                match part.inner().kind {
                    Kind::Var(var, _) => drop(self.found.hidden.insert(var)),
                    _ => self.destructured(part),
                }
            }
        }
    }
}

fn is_joining(function: &Expr) -> bool {
    let Kind::Leaf(Syntax::Path(path)) = &function.kind else { return false };
    path.path.segments.last().is_some_and(|last| JOINING.iter().any(|name| last.ident == name))
}

/// Whether an expression makes a new `Vec`.
fn makes(init: &Expr) -> bool {
    match &init.inner().kind {
        Kind::Macro(node) => matches!(node.kind, MacroKind::List | MacroKind::Repeat),
        Kind::Plain(Syntax::Call(_), called) => match &called[0].kind {
            Kind::Leaf(Syntax::Path(path)) => {
                let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
                matches!(&names[..], [.., ty, name] if ty == "Vec" && (name == "new" || name == "with_capacity"))
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_vec(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Vec"))
}
