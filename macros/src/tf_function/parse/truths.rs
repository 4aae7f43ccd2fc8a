//! Which variables hold truth values, and which of those are flags, that begin with a literal: rustc infers from what a flag is given
//! whether it is a `bool` or a tensor. The parser calls it for `let`, for what is assigned, and at the end.

use super::super::analyse::truth::{is_literal, is_truth, joins};
use super::super::analyse::{host, lists};
use super::super::ast::*;
use super::Parser;
use syn::{Expr as Syntax, Pat};

impl Parser {
    /// Notes which variables hold truth values, or functions that give them.
    pub fn truths(&mut self, node: &Let) {
        if let Some(parts) = lists::several(node) {
            let said = |part: &Expr| (is_truth(part, &self.vars), is_literal(part));
            let said: Vec<_> = parts.iter().map(|(var, part)| (*var, said(part))).collect();
            for (var, (truth, literal)) in said {
                self.vars[var].truth.is = truth;
                if literal {
                    self.flag(var);
                }
            }
            return;
        }
        let (Some(init), [_]) = (&node.init, &self.vars[node.vars.clone()]) else { return };
        let gives = matches!(&init.inner().kind, Kind::Closure(closure) if is_truth(&closure.body, &self.vars));
        if is_literal(init) && matches!(node.syntax.pat, Pat::Ident(_)) {
            return self.flag(node.vars.start);
        }
        let is = is_truth(init, &self.vars);
        let variable = &mut self.vars[node.vars.start];
        if variable.plain {
            (variable.truth.is, variable.truth.gives) = (is && variable.hint != Hint::Host, gives);
        }
    }

    /// Notes that a variable is given a truth value.
    pub fn truth_assigned(&mut self, syntax: &Syntax, parts: &[Expr]) {
        match syntax {
            Syntax::Assign(_) => self.assigned(&parts[0], &parts[1], true),
            Syntax::Binary(node) if host::assigns(&node.op) && joins(&node.op) => {
                self.assigned(&parts[0], &parts[1], false);
            }
            _ => {}
        }
    }

    /// Of what is assigned as a `whole`, or joined with what is there.
    fn assigned(&mut self, left: &Expr, right: &Expr, whole: bool) {
        match (&left.inner().kind, &right.inner().kind) {
            (Kind::Plain(Syntax::Tuple(_), left), Kind::Plain(Syntax::Tuple(_), right))
                if left.len() == right.len() =>
            {
                left.iter().zip(right).for_each(|(left, right)| self.assigned(left, right, whole));
            }
            (Kind::Plain(Syntax::Tuple(_), left), _) => left.iter().for_each(|left| self.assigned(left, right, whole)),
            (Kind::Var(var, _), _) => {
                let truth = is_truth(right, &self.vars);
                let variable = &mut self.vars[*var];
                variable.truth.is |= truth && variable.plain && variable.hint != Hint::Host;
                if variable.truth.flag {
                    self.given(*var, right, whole);
                }
            }
            _ => {}
        }
    }

    /// A variable that begins with a literal is a flag if one of its name is given more than literals; which is known at the end.
    pub fn flag(&mut self, var: Var) {
        let variable = &mut self.vars[var];
        if variable.mutable && self.flags.contains(&variable.name) {
            (variable.truth.flag, variable.truth.is, variable.hint) = (true, true, Hint::Unknown);
        }
    }

    /// Notes what a variable is given, as a `whole` or joined with what it is.
    pub fn given(&mut self, var: Var, value: &Expr, whole: bool) {
        let mut flags = Vec::new();
        let told = self.tells(value, &mut flags);
        self.vars[var].truth.told |= told;
        self.vars[var].truth.alone |= told && whole && flags.is_empty();
        self.vars[var].truth.given.extend(flags);
    }

    /// Whether a truth value tells its type whatever the flags are of which it is made.
    fn tells(&self, expr: &Expr, flags: &mut Vec<Var>) -> bool {
        match &expr.inner().kind {
            Kind::Var(var, _) if self.vars[*var].truth.flag => {
                flags.push(*var);
                false
            }
            Kind::Logic(node) => self.tells(&node.left, flags) | self.tells(&node.right, flags),
            Kind::Plain(Syntax::Unary(_) | Syntax::Binary(_), parts) => {
                parts.iter().fold(false, |told, part| self.tells(part, flags) | told)
            }
            _ => !is_literal(expr),
        }
    }

    /// Flags of which none that they are tied to is told by a comparison are values of Rust.
    pub fn end_flags(&mut self) {
        let flags: Vec<Var> = (0..self.vars.len()).filter(|var| self.vars[*var].truth.flag).collect();
        for _ in &flags {
            for var in &flags {
                let tied = std::mem::take(&mut self.vars[*var].truth.given);
                let told = self.vars[*var].truth.told || tied.iter().any(|other| self.vars[*other].truth.told);
                tied.iter().chain([var]).for_each(|var| self.vars[*var].truth.told |= told);
                self.vars[*var].truth.given = tied;
            }
        }
        for var in flags {
            let variable = &mut self.vars[var];
            if variable.truth.told {
                continue;
            }
            (variable.truth.flag, variable.truth.is, variable.hint) = (false, false, Hint::Host);
        }
    }
}
