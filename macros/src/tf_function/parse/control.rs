//! Branches, loops, `match` and closures of the user's text: what they declare, and what can be left by a jump inside.
//! The parser calls it wherever it meets one.

use super::super::analyse::aliasing;
use super::super::analyse::pattern_references::{self, Reference};
use super::super::ast::*;
use super::text::{changes, has_let, take, type_hint};
use super::{Around, Parser, What};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, Pat};

impl Parser {
    pub fn branch(&mut self, node: syn::ExprIf) -> Kind {
        let id = self.ifs;
        self.ifs += 1;
        let start = self.vars.len();
        // Variables that the condition's patterns bind are seen in the first block alone.
        self.scopes.open();
        let matches = has_let(&node.cond);
        let around = std::mem::take(&mut self.bound);
        let cond = self.expr(*node.cond);
        let bound = std::mem::replace(&mut self.bound, around);
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
        Kind::If(Box::new(If { id, token: node.if_token, cond, then, other, matches, lazy: None, bound, vars }))
    }

    pub fn while_loop(&mut self, node: syn::ExprWhile) -> Kind {
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

    pub fn for_loop(&mut self, node: syn::ExprForLoop) -> Kind {
        let span = node.for_token.span;
        // What it goes over is evaluated outside: a jump there is not this loop's.
        let over = self.expr(*node.expr);
        let (items, lends) = (pattern_references::items(&over, &self.vars), aliasing::may_lend(&over, &self.vars));
        self.looped(node.label, span, node.body, move |parser| {
            let mut pat = node.pat;
            let vars = parser.pattern(&mut pat, false);
            parser.lends(vars.clone(), lends);
            parser.lent(&pat, vars.clone(), &items);
            parser.bound.extend(vars);
            LoopKind::For { pat, over }
        })
    }

    pub fn looped(
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
        let outside = std::mem::take(&mut self.bound);
        let kind = head(self);
        let bound = std::mem::replace(&mut self.bound, outside);
        if matches!(kind, LoopKind::Once)
            && let Some(around) = self.around.last_mut()
        {
            around.what = What::Block;
        }
        let body = self.block(body);
        self.around.pop();
        self.scopes.close();
        let vars = start..self.vars.len();
        Kind::Loop(Box::new(Loop { target, label, kind, bound, body, vars, span }))
    }

    pub fn choice(&mut self, mut node: syn::ExprMatch) -> Kind {
        let scrutinee = self.expr(take(&mut node.expr));
        let lent = (pattern_references::value(&scrutinee, &self.vars), aliasing::may_lend(&scrutinee, &self.vars));
        let arms = std::mem::take(&mut node.arms).into_iter().map(|arm| self.arm(arm, &lent)).collect();
        Kind::Match(Box::new(Match { syntax: node, scrutinee, arms }))
    }

    fn arm(&mut self, mut arm: syn::Arm, (lent, lends): &(Reference, bool)) -> Arm {
        self.scopes.open();
        let start = self.vars.len();
        let bound = self.pattern(&mut arm.pat, true);
        self.lends(bound.clone(), *lends);
        self.lent(&arm.pat, bound.clone(), lent);
        let guard = match &mut arm.pat {
            Pat::Guard(guarded) => Some(self.expr(take(&mut guarded.guard))),
            _ => None,
        };
        let body = self.expr(take(&mut arm.body));
        self.scopes.close();
        Arm { syntax: arm, guard, body, bound, vars: start..self.vars.len() }
    }

    pub fn closure(&mut self, mut node: syn::ExprClosure) -> Kind {
        let target = self.new_target();
        let start = self.vars.len();
        self.scopes.open();
        let mut untyped = Vec::new();
        for input in &mut node.inputs {
            let vars = self.pattern(input, false);
            if !matches!(input, Pat::Type(_)) {
                untyped.extend(vars.clone());
            }
            if let Pat::Type(typed) = input
                && vars.len() == 1
            {
                self.vars[vars.start].hint = type_hint(&typed.ty);
                self.lends(vars, aliasing::type_lends(&typed.ty));
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
            untyped,
            vars: start..self.vars.len(),
            fixed: false,
        }))
    }

    pub fn new_target(&mut self) -> Target {
        self.targets += 1;
        self.targets - 1
    }

    /// What `return` leaves here.
    pub fn body(&self) -> Target {
        self.around.iter().rev().find(|a| a.what == What::Body).map_or(BODY, |a| a.target)
    }

    /// What a `break` or `continue` leaves; rustc has refused those that leave nothing.
    pub fn target(&self, label: Option<&syn::Lifetime>, _is_break: bool) -> Target {
        let inside = self.around.iter().rev().take_while(|a| a.what != What::Body);
        let found = match label {
            Some(label) => inside.into_iter().find(|a| a.label.as_ref() == Some(&label.ident)),
            None => inside.into_iter().find(|a| a.what == What::Loop),
        };
        found.map_or(BODY, |a| a.target)
    }
}
