//! From rustc's tokens to the macro's own tree: names become variables, jumps know their targets, every other expression
//! keeps the user's text with its parts taken out. Makes no tokens and refuses nothing.

use super::args::Options;
use super::ast::*;
use super::macros;
use super::receiver::{self, Taken};
use super::rename::Renames;
use super::scope::Scopes;
use crate::names::written;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr as Syntax, FnArg, Pat, Type};

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
    let mut parser =
        Parser { vars: Vec::new(), scopes: Scopes::new(), renames, ifs: 0, targets: 1, around: Vec::new() };
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
    let (ifs, targets) = (parser.ifs, parser.targets);
    Function { item, options, params, body, vars: parser.vars, ifs, targets }
}

impl Parser {
    pub fn declare(&mut self, ident: &Ident, mutable: bool, plain: bool) -> Var {
        let var = self.vars.len();
        self.scopes.add(ident.to_string(), var);
        self.vars.push(Variable {
            ident: self.renames.ident(var, ident),
            name: written(ident),
            mutable,
            hint: Hint::Unknown,
            deferred: false,
            plain,
            captures: Vec::new(),
            open: false,
        });
        var
    }

    fn param(&mut self, input: &syn::PatType) -> Param {
        let mut pat = (*input.pat).clone();
        let vars = self.pattern(&mut pat);
        let var = matches!(&*input.pat, Pat::Ident(p) if p.subpat.is_none() && p.by_ref.is_none());
        let var = var.then_some(vars.start);
        let hint = type_hint(&input.ty);
        // A pattern over a reference binds references to the parts.
        let parts = matches!(hint, Hint::Exclusive | Hint::Shared) && !matches!(&*input.pat, Pat::Reference(_));
        if var.is_some() || parts {
            vars.clone().for_each(|var| self.vars[var].hint = hint);
        }
        Param { pat, vars, var }
    }

    /// Declares the variables of a pattern.
    fn pattern(&mut self, pat: &mut Pat) -> std::ops::Range<Var> {
        struct Names(Vec<(Ident, bool)>);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                // A word in capitals without `mut`, `ref` or `@` is a constant or a variant.
                let constant = pat.ident.to_string().chars().next().is_some_and(char::is_uppercase);
                if !constant || pat.mutability.is_some() || pat.by_ref.is_some() || pat.subpat.is_some() {
                    // `a | a` in alternatives is one variable.
                    if self.0.iter().all(|(ident, _)| *ident != pat.ident) {
                        self.0.push((pat.ident.clone(), pat.mutability.is_some()));
                    }
                }
                syn::visit::visit_pat_ident(self, pat);
            }
            fn visit_expr(&mut self, _: &'ast Syntax) {}
        }
        let mut names = Names(Vec::new());
        names.visit_pat(pat);
        let plain = matches!(unwrapped(pat), Pat::Ident(_));
        let start = self.vars.len();
        for (ident, mutable) in names.0 {
            self.declare(&ident, mutable, plain);
        }
        let vars = start..self.vars.len();
        self.renames.pattern(pat, vars.clone(), &self.vars);
        vars
    }

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
        let mut captures = Vec::new();
        if let Some(part) = &mut local.init {
            let mut expr = self.expr(take(&mut part.expr));
            if let (Kind::Closure(closure), Pat::Ident(name)) = (&mut expr.kind, &local.pat) {
                closure.fixed = name.mutability.is_none();
            }
            hint = super::analyse::host::hint(&expr, &self.vars);
            if let Kind::Closure(closure) = &expr.inner().kind {
                captures = super::analyse::activity::mentions(&closure.body, closure.vars.start);
                let typed = |pat: &Pat| matches!(pat, Pat::Type(_));
                let untyped = closure.syntax.inputs.iter().any(|input| !typed(input));
                let params = closure.vars.clone().take(closure.params);
                params.for_each(|var| self.vars[var].open = untyped);
            }
            init = Some(expr);
            diverge = part.diverge.as_ref().map(|(_, expr)| self.expr((**expr).clone()));
        }
        let vars = self.pattern(&mut local.pat);
        if let Pat::Type(typed) = &local.pat {
            hint = type_hint(&typed.ty);
        }
        if let [variable] = &mut self.vars[vars.clone()]
            && variable.plain
        {
            variable.hint = hint;
            variable.captures = captures;
        }
        if local.init.is_none() {
            vars.clone().for_each(|var| self.vars[var].deferred = true);
        }
        Let { syntax: local, vars, init, diverge }
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
                self.pattern(&mut node.pat);
                Kind::Let(node, Box::new(scrutinee))
            }
            Syntax::Binary(node) => self.binary(node),
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
                Kind::Plain(expr, taken.into_iter().map(|part| self.expr(part)).collect())
            }
        }
    }

    fn jump(&self, kind: JumpKind, target: Target, syntax: Syntax, value: Option<Expr>) -> Kind {
        Kind::Jump(Box::new(Jump { kind, target, syntax, value, hidden: self.scopes.hidden() }))
    }

    fn binary(&mut self, mut node: syn::ExprBinary) -> Kind {
        use syn::BinOp::*;
        let (left, right) = (self.expr(take(&mut node.left)), self.expr(take(&mut node.right)));
        match node.op {
            And(_) | Or(_) => Kind::Logic(Box::new(Logic { op: node.op, left, right })),
            Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => {
                Kind::Compare(Box::new(Compare { op: node.op, left, right }))
            }
            _ => Kind::Plain(Syntax::Binary(node), vec![left, right]),
        }
    }

    fn branch(&mut self, node: syn::ExprIf) -> Kind {
        let id = self.ifs;
        self.ifs += 1;
        let start = self.vars.len();
        // Variables that the condition's patterns bind are seen in the first block alone.
        self.scopes.open();
        let matches = has_let(&node.cond);
        let cond = self.expr(*node.cond);
        let then = self.block(node.then_branch);
        self.scopes.close();
        let other = node.else_branch.map(|(_, other)| match *other {
            Syntax::Block(block) if block.label.is_none() => self.block(block.block),
            other => {
                let brace = syn::token::Brace(other.span());
                Block { brace, stmts: vec![Stmt::Expr(self.expr(other), None)] }
            }
        });
        let vars = start..self.vars.len();
        Kind::If(Box::new(If { id, token: node.if_token, cond, then, other, matches, vars }))
    }

    fn while_loop(&mut self, node: syn::ExprWhile) -> Kind {
        let span = node.while_token.span;
        let matches = has_let(&node.cond);
        if !matches && changes(&node.cond) {
            // A graph's condition changes nothing and leaves nothing, so it becomes part of the body.
            let (cond, body) = (node.cond, node.body);
            let body = syn::parse_quote_spanned!(span=> { if #cond #body else { break } });
            return self.looped(node.label, span, body, |_| LoopKind::Loop);
        }
        self.looped(node.label, span, node.body, move |parser| {
            let cond = parser.expr(*node.cond);
            if matches { LoopKind::WhileLet(cond) } else { LoopKind::While(cond) }
        })
    }

    fn for_loop(&mut self, node: syn::ExprForLoop) -> Kind {
        let span = node.for_token.span;
        // What it goes over is evaluated outside: a jump there is not this loop's.
        let over = self.expr(*node.expr);
        let hint = super::analyse::host::item_hint(&over);
        self.looped(node.label, span, node.body, move |parser| {
            let mut pat = node.pat;
            for var in parser.pattern(&mut pat) {
                parser.vars[var].hint = hint;
            }
            LoopKind::For { pat, over }
        })
    }

    fn looped(
        &mut self,
        label: Option<syn::Label>,
        span: Span,
        body: syn::Block,
        head: impl FnOnce(&mut Self) -> LoopKind,
    ) -> Kind {
        let target = self.new_target();
        let start = self.vars.len();
        self.scopes.open();
        let name = label.as_ref().map(|l| l.name.ident.clone());
        self.around.push(Around { target, label: name, what: What::Loop });
        let kind = head(self);
        if matches!(kind, LoopKind::Once)
            && let Some(around) = self.around.last_mut()
        {
            around.what = What::Block;
        }
        let body = self.block(body);
        self.around.pop();
        self.scopes.close();
        let vars = start..self.vars.len();
        Kind::Loop(Box::new(Loop { target, label, kind, body, vars, span }))
    }

    fn choice(&mut self, mut node: syn::ExprMatch) -> Kind {
        let scrutinee = self.expr(take(&mut node.expr));
        let arms = std::mem::take(&mut node.arms).into_iter().map(|arm| self.arm(arm)).collect();
        Kind::Match(Box::new(Match { syntax: node, scrutinee, arms }))
    }

    fn arm(&mut self, mut arm: syn::Arm) -> Arm {
        self.scopes.open();
        let start = self.vars.len();
        self.pattern(&mut arm.pat);
        let guard = match &mut arm.pat {
            Pat::Guard(guarded) => Some(self.expr(take(&mut guarded.guard))),
            _ => None,
        };
        let body = self.expr(take(&mut arm.body));
        self.scopes.close();
        Arm { syntax: arm, guard, body, vars: start..self.vars.len() }
    }

    fn closure(&mut self, mut node: syn::ExprClosure) -> Kind {
        let target = self.new_target();
        let start = self.vars.len();
        self.scopes.open();
        for input in &mut node.inputs {
            let vars = self.pattern(input);
            if let Pat::Type(typed) = input
                && vars.len() == 1
            {
                self.vars[vars.start].hint = type_hint(&typed.ty);
            }
        }
        let params = self.vars.len() - start;
        self.around.push(Around { target, label: None, what: What::Body });
        let body = self.expr(take(&mut node.body));
        self.around.pop();
        self.scopes.close();
        Kind::Closure(Box::new(Closure {
            target,
            syntax: node,
            body,
            params,
            vars: start..self.vars.len(),
            fixed: false,
        }))
    }

    fn new_target(&mut self) -> Target {
        self.targets += 1;
        self.targets - 1
    }

    /// What `return` leaves here.
    fn body(&self) -> Target {
        self.around.iter().rev().find(|a| a.what == What::Body).map_or(BODY, |a| a.target)
    }

    /// What a `break` or `continue` leaves; rustc has refused those that leave nothing.
    fn target(&self, label: Option<&syn::Lifetime>, _is_break: bool) -> Target {
        let inside = self.around.iter().rev().take_while(|a| a.what != What::Body);
        let found = match label {
            Some(label) => inside.into_iter().find(|a| a.label.as_ref() == Some(&label.ident)),
            None => inside.into_iter().find(|a| a.what == What::Loop),
        };
        found.map_or(BODY, |a| a.target)
    }
}

/// Takes an expression out of the user's text.
fn take(expr: &mut Box<Syntax>) -> Syntax {
    std::mem::replace(&mut **expr, hole())
}

fn hole() -> Syntax {
    Syntax::Verbatim(proc_macro2::TokenStream::new())
}

fn unwrapped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => unwrapped(&typed.pat),
        Pat::Paren(inner) => unwrapped(&inner.pat),
        pat => pat,
    }
}

/// Whether a condition changes variables by its text, or jumps.
fn changes(cond: &Syntax) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expr(&mut self, expr: &'ast Syntax) {
            self.0 |= match expr {
                Syntax::Assign(_) | Syntax::Return(_) | Syntax::Break(_) | Syntax::Continue(_) => true,
                Syntax::Binary(node) => super::analyse::host::assigns(&node.op),
                Syntax::Reference(node) => node.mutability.is_some(),
                _ => false,
            };
            syn::visit::visit_expr(self, expr);
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut search = Search(false);
    search.visit_expr(cond);
    search.0
}

/// Whether a condition matches patterns.
fn has_let(cond: &Syntax) -> bool {
    match cond {
        Syntax::Let(_) => true,
        Syntax::Binary(node) => has_let(&node.left) || has_let(&node.right),
        Syntax::Paren(node) => has_let(&node.expr),
        Syntax::Group(node) => has_let(&node.expr),
        _ => false,
    }
}

/// What a written type says.
fn type_hint(ty: &Type) -> Hint {
    const HOST: [&str; 16] = [
        "bool", "char", "str", "f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
        "isize",
    ];
    match ty {
        Type::Path(path) if HOST.iter().any(|name| path.path.is_ident(name)) => Hint::Host,
        Type::Reference(reference) if reference.mutability.is_some() => Hint::Exclusive,
        Type::Reference(reference) if type_hint(&reference.elem) == Hint::Host => Hint::Host,
        Type::Reference(_) => Hint::Shared,
        // A type of one letter may stand for a reference.
        Type::Path(path) if path.path.get_ident().is_none_or(|name| name.to_string().len() > 1) => Hint::Owned,
        Type::Tuple(_) | Type::Array(_) => Hint::Owned,
        Type::Paren(inner) => type_hint(&inner.elem),
        Type::Group(inner) => type_hint(&inner.elem),
        _ => Hint::Unknown,
    }
}

/// The parts of an expression that does nothing but evaluate them, in the order of the text.
pub fn syntax_parts(expr: &mut Syntax, visit: &mut dyn FnMut(&mut Syntax)) {
    match expr {
        Syntax::Array(e) => e.elems.iter_mut().for_each(visit),
        Syntax::Assign(e) => [&mut *e.left, &mut *e.right].into_iter().for_each(visit),
        Syntax::Await(e) => visit(&mut e.base),
        Syntax::Binary(e) => [&mut *e.left, &mut *e.right].into_iter().for_each(visit),
        Syntax::Call(e) => {
            visit(&mut e.func);
            e.args.iter_mut().for_each(visit);
        }
        Syntax::Cast(e) => visit(&mut e.expr),
        Syntax::Field(e) => visit(&mut e.base),
        Syntax::Group(e) => visit(&mut e.expr),
        Syntax::Index(e) => [&mut *e.expr, &mut *e.index].into_iter().for_each(visit),
        Syntax::MethodCall(e) => {
            visit(&mut e.receiver);
            e.args.iter_mut().for_each(visit);
        }
        Syntax::Paren(e) => visit(&mut e.expr),
        Syntax::Range(e) => e.start.iter_mut().chain(&mut e.end).for_each(|part| visit(part)),
        Syntax::RawAddr(e) => visit(&mut e.expr),
        Syntax::Reference(e) => visit(&mut e.expr),
        Syntax::Repeat(e) => visit(&mut e.expr),
        Syntax::Struct(e) => {
            e.fields.iter_mut().for_each(|field| visit(&mut field.expr));
            e.rest.iter_mut().for_each(|part| visit(part));
        }
        Syntax::Try(e) => visit(&mut e.expr),
        Syntax::Tuple(e) => e.elems.iter_mut().for_each(visit),
        Syntax::Unary(e) => visit(&mut e.expr),
        _ => {}
    }
}
