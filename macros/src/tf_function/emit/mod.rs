//! From the planned tree to tokens: a plain walk that cannot fail. Expressions keep the user's text and spans; what the
//! macro adds calls the run time and carries spans of its own.

mod branch;
mod closures;
mod conditions;
mod flags;
mod function;
mod jumps;
mod lists;
mod loops;
mod print;
mod state;

use super::analyse::host;
use super::analyse::place::Place;
use super::ast::*;
use super::plan::ConstructPlan;
use crate::names::{hidden, hidden_at, shown_at};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::cell::RefCell;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr as Syntax, Lifetime, Stmt as SyntaxStmt, Type};

use flags::joins_value;
use lists::by_value;

pub use function::{exclusive, function};

/// What emission knows on its way down.
pub struct Emit<'a> {
    pub function: &'a Function,
    pub plan: &'a ConstructPlan,
    /// The hidden module.
    pub rt: TokenStream,
    /// Blocks that a jump in the graph leads to the end of, the innermost last.
    out: RefCell<Vec<Lifetime>>,
    /// The labels of loops, by target.
    labels: RefCell<Vec<Option<Lifetime>>>,
    /// The bodies around, the innermost last.
    bodies: RefCell<Vec<Target>>,
    /// What `continue` hands over, by target.
    heads: RefCell<Vec<Option<TokenStream>>>,
}

/// What a block's value is for.
#[derive(Clone, Default)]
pub struct Wanted {
    /// A statement: the value is `()`.
    pub unit: bool,
    /// The type, where the user wrote one.
    pub ty: Option<Type>,
    /// A truth value, of which a literal may be a part.
    pub truth: bool,
    /// One of the type of a flag, which may be inferred from it.
    pub flag: bool,
}

/// A label that the user cannot name.
fn label(name: &str, number: usize) -> Lifetime {
    Lifetime::new(&format!("'{name}{number}"), Span::mixed_site())
}

/// A variable that the user cannot name.
fn local(name: &str, number: usize) -> Ident {
    hidden(&format!("{name}{number}"))
}

/// `let x;` as `let mut x;`, `let (x, y);` as `let (mut x, y);`, for these variables of the pattern.
struct MakeMutable<'a>(Vec<&'a Ident>);

impl VisitMut for MakeMutable<'_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if self.0.contains(&&pat.ident) {
            pat.mutability.get_or_insert_default();
        }
    }
}

/// Writes `S { all }` as `S { all: all }` for the fields of which something else is written than their names.
fn spell_out(syntax: &mut Syntax, parts: &[Expr], differs: impl Fn(&Expr) -> bool) {
    let Syntax::Struct(node) = syntax else { return };
    for (field, _) in node.fields.iter_mut().zip(parts).filter(|(_, part)| differs(part)) {
        field.colon_token.get_or_insert_default();
    }
}

impl Emit<'_> {
    /// The hidden module, for calls that report a place of the user's code.
    fn rt_at(&self, place: Span) -> TokenStream {
        self.function.options.runtime.autograph_at(place)
    }

    fn out(&self) -> Lifetime {
        let out = self.out.borrow();
        out.last().cloned().unwrap_or_else(|| label("body", BODY))
    }

    /// Emits with one more block to jump to the end of.
    fn within<T>(&self, block: Lifetime, emit: impl FnOnce() -> T) -> T {
        self.out.borrow_mut().push(block);
        let result = emit();
        self.out.borrow_mut().pop();
        result
    }

    fn body(&self) -> Target {
        self.bodies.borrow().last().copied().unwrap_or(BODY)
    }

    /// The run time's object for the body around.
    fn fun(&self) -> Ident {
        local("f", self.body())
    }

    /// The statements of a block.
    fn stmts(&self, block: &Block, wanted: &Wanted) -> TokenStream {
        let last = block.stmts.len().checked_sub(1);
        let stmts = block.stmts.iter().enumerate().map(|(i, stmt)| self.stmt(stmt, Some(i) == last, wanted));
        stmts.collect()
    }

    /// A block in the user's braces.
    pub fn block(&self, block: &Block, wanted: &Wanted) -> TokenStream {
        let stmts = self.stmts(block, wanted);
        quote_spanned!(block.brace.span.join()=> { #stmts })
    }

    fn stmt(&self, stmt: &Stmt, last: bool, wanted: &Wanted) -> TokenStream {
        match stmt {
            Stmt::Item(item) => item.to_token_stream(),
            Stmt::Let(node) => self.let_(node),
            Stmt::Expr(expr, semi) => {
                let is_value = last && semi.is_none();
                let wanted =
                    if is_value { wanted.clone() } else { Wanted { unit: semi.is_none(), ..Wanted::default() } };
                let value = if is_value { self.value_for(expr, &wanted) } else { self.expr_for(expr, &wanted) };
                // A jump stands for its statement; `;` after it would be one too many.
                let tokens = quote!(#value #semi);
                match (&expr.kind, semi) {
                    (Kind::Macro(node), None)
                        if !is_value && !matches!(node.mac.delimiter, syn::MacroDelimiter::Brace(_)) =>
                    {
                        quote!(#tokens;)
                    }
                    _ => tokens,
                }
            }
        }
    }

    fn let_(&self, node: &Let) -> TokenStream {
        if let Some(list) = self.let_list(node) {
            return list;
        }
        let mut syntax = node.syntax.clone();
        if let Some(part) = &mut syntax.init {
            let ty = match &syntax.pat {
                syn::Pat::Type(typed) => Some((*typed.ty).clone()),
                _ => None,
            };
            if let Some(init) = self.let_flags(node) {
                *part.expr = Syntax::Verbatim(init);
            } else if let Some(init) = &node.init {
                let truth = matches!(&self.function.vars[node.vars.clone()], [variable] if variable.truth.is);
                *part.expr = Syntax::Verbatim(self.begun(init, &Wanted { ty, truth, ..Wanted::default() }));
            }
            if let (Some((_, expr)), Some(diverge)) = (&mut part.diverge, &node.diverge) {
                // Written as a block again: syn puts braces around anything else.
                if let (Syntax::Block(block), Kind::Block(node)) = (&mut **expr, &diverge.kind) {
                    let stmts = Syntax::Verbatim(self.stmts(&node.block, &Wanted::default()));
                    block.block.stmts = vec![SyntaxStmt::Expr(stmts, None)];
                }
            }
        }
        let vars = &self.function.vars;
        let again = node.vars.clone().filter(|var| vars[*var].deferred && self.plan.put_back.contains(var));
        MakeMutable(again.map(|var| &vars[var].ident).collect()).visit_pat_mut(&mut syntax.pat);
        let rebound = self.rebound(node.vars.clone());
        let stmt = SyntaxStmt::Local(syntax);
        quote!(#stmt #rebound)
    }

    /// Makes variables `mut` that are put back after a branch has moved them.
    fn rebound(&self, vars: impl IntoIterator<Item = Var>) -> TokenStream {
        let vars = vars.into_iter().filter(|var| self.plan.put_back.contains(var) && !self.function.vars[*var].mutable);
        let bind = vars.filter(|var| !self.function.vars[*var].deferred).map(|var| {
            let ident = &self.function.vars[var].ident;
            quote_spanned!(Span::mixed_site()=> let mut #ident = #ident;)
        });
        bind.collect()
    }

    pub fn expr(&self, expr: &Expr) -> TokenStream {
        self.expr_for(expr, &Wanted::default())
    }

    fn expr_for(&self, expr: &Expr, wanted: &Wanted) -> TokenStream {
        match &expr.kind {
            Kind::Leaf(syntax) | Kind::Var(_, syntax) => syntax.to_token_stream(),
            Kind::Plain(syntax, parts) => self.plain(syntax, parts, wanted),
            Kind::Compare(node) => self.compare(node),
            Kind::Logic(node) => self.logic(node, wanted),
            Kind::Let(syntax, scrutinee) => {
                let mut syntax = syntax.clone();
                *syntax.expr = Syntax::Verbatim(self.expr(scrutinee));
                syntax.to_token_stream()
            }
            Kind::Block(node) => {
                let (attrs, block) = (&node.attrs, self.block(&node.block, wanted));
                let word = node.is_unsafe.then(|| quote!(unsafe));
                quote!(#(#attrs)* #word #block)
            }
            Kind::If(node) => match &self.plan.ifs[node.id] {
                Some(plan) => self.branch(node, plan, wanted),
                None => self.host_if(node, wanted),
            },
            Kind::Loop(node) => match &self.plan.loops[node.target] {
                Some(plan) => self.looped(node, plan, wanted),
                None => self.host_loop(node, wanted),
            },
            Kind::Match(node) => self.choice(node, wanted),
            Kind::Closure(node) => self.closure(node),
            Kind::Jump(node) => self.jump(node, expr.span),
            Kind::Macro(node) => self.macro_(node, expr.span),
        }
    }

    /// Puts the parts of an expression back.
    fn plain(&self, syntax: &Syntax, parts: &[Expr], wanted: &Wanted) -> TokenStream {
        let inherits = matches!(syntax, Syntax::Paren(_) | Syntax::Group(_));
        // Where a block would end the expression or change what an operator binds to.
        let tight = !matches!(
            syntax,
            Syntax::Paren(_) | Syntax::Array(_) | Syntax::Tuple(_) | Syntax::Struct(_) | Syntax::Repeat(_)
        );
        let call = matches!(syntax, Syntax::Call(_) | Syntax::MethodCall(_));
        if let Some(tokens) = self.of_flag(syntax, parts, wanted) {
            return tokens;
        }
        let mut filled = syntax.clone();
        // `S { all }` where `all` is written as something else.
        spell_out(&mut filled, parts, |part| self.list(part).is_some() || self.is_copied(part));
        if let (Syntax::Assign(_), Some(name)) = (syntax, parts.first().and_then(|left| self.list(left))) {
            let (left, rt) = (self.expr(&parts[0]), &self.rt);
            if self.is_whole_list(&parts[1]) {
                let right = self.expr(&parts[1]);
                return quote!(#left = #rt::List::renamed(#right, #name));
            }
            let right = self.value_for(&parts[1], wanted);
            return quote!(#left = #rt::List::of(#name, #right));
        }
        let given = matches!(syntax, Syntax::Assign(_)).then(|| self.given(&parts[0])).filter(|given| given.truth);
        let mut parts = parts.iter().enumerate();
        super::parse::syntax_parts(&mut filled, &mut |hole| {
            let Some((i, part)) = parts.next() else { return };
            let tokens = match &given {
                _ if inherits => self.expr_for(part, wanted),
                _ if joins_value(syntax, i) => self.copied(part, &Wanted::default()),
                _ if i == 0 && matches!(syntax, Syntax::Assign(_)) => self.assignee(part),
                Some(given) => self.copied(part, given),
                _ if by_value(syntax, i) => self.value_for(part, &Wanted::default()),
                _ => self.expr(part),
            };
            let free = call && i > 0;
            let parenthesised = tight && !free && self.is_block(part);
            let tokens = if parenthesised { quote!((#tokens)) } else { tokens };
            *hole = Syntax::Verbatim(match syntax {
                Syntax::Try(node) if self.plan.bodies[self.body()] => self.tried(&tokens, node.question_token.span),
                _ => tokens,
            });
        });
        filled.to_token_stream()
    }

    /// What is assigned to: the variables of a pattern are places there, and no values.
    fn assignee(&self, expr: &Expr) -> TokenStream {
        let (Kind::Plain(syntax, parts), Some(_)) = (&expr.kind, assigned_parts(expr)) else {
            return self.expr(expr);
        };
        let mut filled = syntax.clone();
        spell_out(&mut filled, parts, |part| self.list(part).is_some());
        let mut parts = parts.iter();
        super::parse::syntax_parts(&mut filled, &mut |hole| {
            if let Some(part) = parts.next() {
                *hole = Syntax::Verbatim(self.assignee(part));
            }
        });
        filled.to_token_stream()
    }

    /// Whether an expression is written with braces or as a jump.
    fn is_block(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Block(_) | Kind::If(_) | Kind::Loop(_) | Kind::Match(_) | Kind::Jump(_) | Kind::Closure(_) => true,
            Kind::Logic(_) | Kind::Compare(_) | Kind::Let(..) => true,
            Kind::Macro(node) => !matches!(node.kind, MacroKind::Unknown),
            _ => false,
        }
    }
}
