//! Which variables are a `Vec` that a loop pushes onto: where the loop is one of the graph, they become lists of the graph.
//! Only a `Vec` that this function makes, by its text, is one; the emit stage writes another type for it.

use super::super::ast::*;
use std::collections::BTreeSet;
use syn::{Expr as Syntax, Pat, Type};

/// The variables; `staged` says which loops may be part of a graph.
pub fn lists(function: &Function, staged: &dyn Fn(Target) -> bool) -> BTreeSet<Var> {
    let mut search =
        Search { staged, made: BTreeSet::new(), pushed: BTreeSet::new(), hidden: BTreeSet::new(), start: None };
    search.block(&function.body);
    let Search { made, pushed, hidden, .. } = search;
    made.into_iter()
        .filter(|var| function.vars[*var].mutable && pushed.contains(var) && !hidden.contains(var))
        .collect()
}

/// The parts of a `let` that make several variables at once, by variable.
pub fn several(node: &Let) -> Option<Vec<(Var, &Expr)>> {
    let (Pat::Tuple(pat), Kind::Plain(Syntax::Tuple(_), parts)) = (&node.syntax.pat, &node.init.as_ref()?.kind) else {
        return None;
    };
    let plain = pat.elems.iter().all(|p| matches!(p, Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none()));
    (plain && node.vars.len() == parts.len()).then(|| node.vars.clone().zip(parts).collect())
}

struct Search<'a> {
    staged: &'a dyn Fn(Target) -> bool,
    /// Initialised with a new `Vec`.
    made: BTreeSet<Var>,
    /// Pushed onto in a loop that begins after them.
    pushed: BTreeSet<Var>,
    /// Used where the text does not tell how.
    hidden: BTreeSet<Var>,
    /// Where the variables of the outermost staged loop begin, and so on inwards.
    start: Option<Var>,
}

impl Search<'_> {
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
            Pat::Ident(_) if node.init.as_ref().is_some_and(makes) => self.made.extend(node.vars.clone()),
            Pat::Type(typed) if matches!(&*typed.pat, Pat::Ident(_)) && is_vec(&typed.ty) && node.init.is_some() => {
                self.made.extend(node.vars.clone());
            }
            _ => {
                let made = several(node).into_iter().flatten().filter(|(_, init)| makes(init));
                self.made.extend(made.map(|(var, _)| var));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Plain(Syntax::MethodCall(node), called) if node.method == "push" || node.method == "extend" => {
                if let Kind::Var(var, _) = called[0].inner().kind
                    && self.start.is_some_and(|start| var < start)
                {
                    self.pushed.insert(var);
                }
            }
            Kind::Plain(Syntax::Assign(_), sides) if !matches!(sides[0].inner().kind, Kind::Var(..)) => {
                self.destructured(&sides[0]);
            }
            // What it is lent to may take the `Vec` out.
            Kind::Plain(Syntax::Reference(node), lent) if node.mutability.is_some() => {
                if let Kind::Var(var, _) = lent[0].inner().kind {
                    self.hidden.insert(var);
                }
            }
            Kind::Macro(node) => {
                if matches!(node.kind, MacroKind::Unknown) {
                    self.hidden.extend(&node.mentions);
                }
            }
            Kind::Block(node) => return self.block(&node.block),
            Kind::If(node) => {
                self.expr(&node.cond);
                self.block(&node.then);
                node.other.iter().for_each(|block| self.block(block));
                return;
            }
            Kind::Loop(node) => {
                let before = self.start;
                if (self.staged)(node.target) {
                    self.start = Some(node.vars.start);
                }
                match &node.kind {
                    LoopKind::While(cond) | LoopKind::WhileLet(cond) => self.expr(cond),
                    LoopKind::For { over, .. } => self.expr(over),
                    LoopKind::Loop | LoopKind::Once => {}
                }
                self.block(&node.body);
                // What an inner loop declares is pushed onto within one round of the outer one.
                self.start = before;
                return;
            }
            _ => {}
        }
        parts(expr, &mut |part| self.expr(part));
    }

    /// `(all, x) = ..` gives a plain `Vec`.
    fn destructured(&mut self, left: &Expr) {
        if let Kind::Plain(Syntax::Tuple(_) | Syntax::Array(_) | Syntax::Struct(_) | Syntax::Call(_), inner) =
            &left.kind
        {
            for part in inner {
                match part.inner().kind {
                    Kind::Var(var, _) => drop(self.hidden.insert(var)),
                    _ => self.destructured(part),
                }
            }
        }
    }
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
