//! From rustc's tokens to the macro's own tree: names become variables, jumps know their targets, every other expression
//! keeps the user's text with its parts taken out. Makes no tokens and refuses nothing.

mod control;
mod flags;
mod lazy;
mod operands;
mod patterns;
mod text;
mod truths;

use super::analyse::aliasing;
use super::analyse::pattern_references::{self, Reference};
use super::args::Options;
use super::ast::*;
use super::macros;
use super::receiver::{self, Taken};
use super::rename::Renames;
use super::scope::Scopes;
use proc_macro2::Ident;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, FnArg, Pat};
use text::{hole, is_map_type, is_own_type, map_type, own_type, take, type_hint};

pub use text::syntax_parts;

/// What parsing knows while it goes down.
pub struct Parser {
    pub vars: Vec<Variable>,
    pub scopes: Scopes,
    /// Variables that go by other names.
    pub renames: Renames,
    ifs: usize,
    targets: usize,
    /// What can be left by a jump, the innermost last.
    pub around: Vec<Around>,
    /// The variables of the patterns of the condition or head that is being parsed.
    bound: Vec<Var>,
    /// See [`flags`].
    flags: BTreeSet<String>,
}

/// Something that can be left.
pub struct Around {
    target: Target,
    label: Option<Ident>,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Body,
    Loop,
    Block,
}

pub fn parse(options: Options, item: syn::ItemFn, renames: Renames) -> Function {
    let mut parser = Parser {
        vars: Vec::new(),
        scopes: Scopes::new(),
        renames,
        ifs: 0,
        targets: 1,
        around: Vec::new(),
        bound: Vec::new(),
        flags: flags::flags(&item),
    };
    parser.around.push(Around { target: BODY, label: None, what: What::Body });
    let mut params = Vec::new();
    for input in &item.sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let ident = receiver::ident(receiver.self_token.span);
                let var = parser.declare(&ident, receiver.mutability.is_some(), true);
                parser.vars[var].hint = match receiver::taken(receiver) {
                    Taken::Exclusive => Hint::Exclusive,
                    Taken::Shared => Hint::Shared,
                    Taken::Value => Hint::Unknown,
                };
            }
            FnArg::Typed(input) => params.push(parser.param(input)),
        }
    }
    let body = parser.block((*item.block).clone());
    parser.end_flags();
    let (ifs, targets) = (parser.ifs, parser.targets);
    Function { item, options, params, body, vars: parser.vars, ifs, targets }
}

impl Parser {
    pub fn block(&mut self, block: syn::Block) -> Block {
        self.scopes.open();
        let stmts = block.stmts.into_iter().map(|stmt| self.stmt(stmt)).collect();
        self.scopes.close();
        Block { brace: block.brace_token, stmts }
    }

    fn stmt(&mut self, stmt: syn::Stmt) -> Stmt {
        match stmt {
            syn::Stmt::Local(local) => Stmt::Let(self.local(local)),
            syn::Stmt::Item(mut item) => {
                // The text of a macro sees the variables around it.
                if let syn::Item::Macro(item) = &mut item {
                    self.renames.words(&mut item.mac, &self.scopes);
                }
                Stmt::Item(item)
            }
            syn::Stmt::Expr(expr, semi) => Stmt::Expr(self.expr(expr), semi),
            syn::Stmt::Macro(stmt) => {
                let expr = syn::ExprMacro { attrs: stmt.attrs, mac: stmt.mac };
                // `name! {..}` without a semicolon is a statement.
                Stmt::Expr(self.expr(Syntax::Macro(expr)), stmt.semi_token)
            }
        }
    }

    fn local(&mut self, mut local: syn::Local) -> Let {
        let (mut init, mut diverge) = (None, None);
        let mut hint = Hint::Unknown;
        let (mut captures, mut own, mut map, mut lent) = (Vec::new(), false, false, Reference::Unknown);
        let (mut items, mut list) = (None, false);
        if let Some(part) = &mut local.init {
            let mut expr = self.expr(take(&mut part.expr));
            if let (Kind::Closure(closure), Pat::Ident(name)) = (&mut expr.kind, &local.pat) {
                closure.fixed = name.mutability.is_none();
            }
            hint = super::analyse::host::hint(&expr, &self.vars);
            let made = super::analyse::host::type_made(&expr);
            own = made.as_deref().is_some_and(is_own_type);
            map = made.as_deref().is_some_and(is_map_type);
            lent = pattern_references::value(&expr, &self.vars);
            list = pattern_references::is_list(&expr);
            let iterates = !list && super::analyse::host::iterates(&expr);
            items = iterates.then(|| pattern_references::items(&expr, &self.vars));
            if let Kind::Closure(closure) = &expr.inner().kind {
                captures = super::analyse::activity::mentions(&closure.body, closure.vars.start);
                closure.untyped.iter().for_each(|var| self.vars[*var].open = true);
            }
            init = Some(expr);
            diverge = part.diverge.as_ref().map(|(_, expr)| self.expr((**expr).clone()));
        }
        let vars = self.pattern(&mut local.pat, diverge.is_some());
        self.lent(&local.pat, vars.clone(), &lent);
        if let Some(init) = &init {
            let lends = aliasing::may_lend(init, &self.vars);
            self.lends(vars.clone(), lends);
        }
        if let Pat::Type(typed) = &local.pat {
            hint = type_hint(&typed.ty);
            (own, map) = (own_type(&typed.ty), map_type(&typed.ty));
            // A type of the user's own may stand for a reference, or hold one.
            let may_hold = own && self.vars[vars.clone()].iter().any(|variable| variable.lends);
            self.lends(vars.clone(), may_hold || aliasing::type_lends(&typed.ty));
        }
        if let [variable] = &mut self.vars[vars.clone()]
            && variable.plain
        {
            if hint != Hint::Unknown || variable.hint != Hint::Exclusive {
                variable.hint = hint;
            }
            variable.captures = captures;
            (variable.own, variable.map, variable.list, variable.items) = (own, map, list, items);
        }
        if local.init.is_none() {
            vars.clone().for_each(|var| self.vars[var].deferred = true);
        }
        let node = Let { syntax: local, vars, init, diverge };
        self.truths(&node);
        node
    }

    pub fn expr(&mut self, expr: Syntax) -> Expr {
        let span = expr.span();
        let kind = self.kind(expr);
        Expr { kind, span }
    }

    fn kind(&mut self, expr: Syntax) -> Kind {
        match expr {
            Syntax::Path(mut path) => {
                match path.path.get_ident().and_then(|ident| self.scopes.find(&ident.to_string())) {
                    Some(var) => {
                        let word = &mut path.path.segments[0].ident;
                        *word = self.renames.ident(var, word);
                        Kind::Var(var, Syntax::Path(path))
                    }
                    None => Kind::Leaf(Syntax::Path(path)),
                }
            }
            Syntax::If(node) => self.branch(node),
            Syntax::While(node) => self.while_loop(node),
            Syntax::Loop(node) => {
                let span = node.loop_token.span;
                self.looped(node.label, span, node.body, |_| LoopKind::Loop)
            }
            Syntax::ForLoop(node) => self.for_loop(node),
            Syntax::Block(node) if node.label.is_some() => {
                let span = node.block.brace_token.span.join();
                self.looped(node.label, span, node.block, |_| LoopKind::Once)
            }
            Syntax::Block(node) => {
                Kind::Block(Box::new(Braced { attrs: node.attrs, is_unsafe: false, block: self.block(node.block) }))
            }
            Syntax::Unsafe(node) => {
                Kind::Block(Box::new(Braced { attrs: node.attrs, is_unsafe: true, block: self.block(node.block) }))
            }
            Syntax::Match(node) => self.choice(node),
            Syntax::Closure(node) => self.closure(node),
            Syntax::Break(mut node) => {
                let value = node.expr.take().map(|e| self.expr(*e));
                let target = self.target(node.label.as_ref(), true);
                self.jump(JumpKind::Break, target, Syntax::Break(node), value)
            }
            Syntax::Continue(node) => {
                let target = self.target(node.label.as_ref(), false);
                self.jump(JumpKind::Continue, target, Syntax::Continue(node), None)
            }
            Syntax::Return(mut node) => {
                let value = node.expr.take().map(|e| self.expr(*e));
                let target = self.body();
                self.jump(JumpKind::Return, target, Syntax::Return(node), value)
            }
            Syntax::Let(mut node) => {
                let scrutinee = self.expr(take(&mut node.expr));
                let vars = self.pattern(&mut node.pat, true);
                self.lends(vars.clone(), aliasing::may_lend(&scrutinee, &self.vars));
                self.lent(&node.pat, vars.clone(), &pattern_references::value(&scrutinee, &self.vars));
                self.bound.extend(vars);
                Kind::Let(node, Box::new(scrutinee))
            }
            Syntax::Binary(node) => match node.op {
                syn::BinOp::And(_) | syn::BinOp::Or(_) => self.lazy(node),
                _ => self.binary(node),
            },
            Syntax::Macro(node) => {
                let target = self.body();
                Kind::Macro(Box::new(macros::parse(self, node.mac, target)))
            }
            mut expr => {
                if let Syntax::Struct(node) = &mut expr {
                    self.renames.fields(node, &self.scopes);
                }
                let mut taken = Vec::new();
                syntax_parts(&mut expr, &mut |part| taken.push(std::mem::replace(part, hole())));
                if taken.is_empty() {
                    return Kind::Leaf(expr);
                }
                let parts: Vec<Expr> = taken.into_iter().map(|part| self.expr(part)).collect();
                if let Syntax::MethodCall(node) = &expr {
                    self.handed_items(&node.method, &parts);
                }
                self.given_to(&expr, &parts);
                self.operation(expr, parts)
            }
        }
    }

    /// Closures that are called with the items of an iterator.
    fn handed_items(&mut self, method: &Ident, parts: &[Expr]) {
        let [called, Expr { kind: Kind::Closure(closure), .. }] = parts else { return };
        if let Some(first) = closure.syntax.inputs.first() {
            let lent = pattern_references::taken(method, called, &self.vars);
            self.lent(first, closure.vars.start..closure.vars.start + closure.params, &lent);
        }
    }

    fn jump(&self, kind: JumpKind, target: Target, syntax: Syntax, value: Option<Expr>) -> Kind {
        Kind::Jump(Box::new(Jump { kind, target, syntax, value, hidden: self.scopes.hidden() }))
    }

    fn binary(&mut self, mut node: syn::ExprBinary) -> Kind {
        use syn::BinOp::*;
        let (left, right) = (self.expr(take(&mut node.left)), self.expr(take(&mut node.right)));
        match node.op {
            Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => {
                Kind::Compare(Box::new(Compare { op: node.op, left, right }))
            }
            _ => self.operation(Syntax::Binary(node), vec![left, right]),
        }
    }
}
