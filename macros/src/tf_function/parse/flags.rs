//! The names of flags: variables that may begin with `true` or `false` and are given what comparing tensors gives.
//! The parser asks for them before it begins, because it needs them where they are declared.

use super::super::analyse::{host, truth};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr as Syntax, FnArg, Pat, UnOp};

/// The names of variables that are given what something of tensors is a part of.
pub fn flags(item: &syn::ItemFn) -> BTreeSet<String> {
    let mut search = FlagVisitor { tensors: BTreeSet::new(), found: BTreeSet::new(), tied: Vec::new() };
    for input in &item.sig.inputs {
        match input {
            FnArg::Receiver(_) => drop(search.tensors.insert("self".to_owned())),
            FnArg::Typed(input) => search.bound(&input.pat),
        }
    }
    // What a loop gives a variable, an earlier line of it may use.
    for _ in 0..2 {
        search.visit_block(&item.block);
    }
    let FlagVisitor { mut found, tied, .. } = search;
    for _ in 0..tied.len() {
        let next = tied.iter().find_map(|(a, b)| match (found.contains(a), found.contains(b)) {
            (true, false) => Some(b.clone()),
            (false, true) => Some(a.clone()),
            _ => None,
        });
        match next {
            Some(name) => found.insert(name),
            None => break,
        };
    }
    found
}

/// The variables that are operands of a truth value.
fn flags_of(expr: &Syntax, found: &mut Vec<String>) {
    match expr {
        Syntax::Paren(node) => flags_of(&node.expr, found),
        Syntax::Path(path) => found.extend(path.path.get_ident().map(|name| name.to_string())),
        Syntax::Unary(node) if matches!(node.op, UnOp::Not(_)) => flags_of(&node.expr, found),
        Syntax::Binary(node) if truth::joins(&node.op) || matches!(node.op, BinOp::And(_) | BinOp::Or(_)) => {
            flags_of(&node.left, found);
            flags_of(&node.right, found);
        }
        _ => {}
    }
}

struct FlagVisitor {
    /// Variables that a tensor may be a part of.
    tensors: BTreeSet<String>,
    found: BTreeSet<String>,
    /// Pairs of variables of one type.
    tied: Vec<(String, String)>,
}

impl FlagVisitor {
    fn bound(&mut self, pat: &Pat) {
        struct Names<'a>(&'a mut BTreeSet<String>);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                self.0.insert(pat.ident.to_string());
                visit::visit_pat_ident(self, pat);
            }
        }
        Names(&mut self.tensors).visit_pat(pat);
    }

    /// Whether an expression names such a variable.
    fn mentions(&self, expr: &Syntax) -> bool {
        struct Words<'a>(&'a BTreeSet<String>, bool);
        impl<'ast> Visit<'ast> for Words<'_> {
            fn visit_path(&mut self, path: &'ast syn::Path) {
                self.1 |= path.get_ident().is_some_and(|name| self.0.contains(&name.to_string()));
            }
            // What a function of the library gives may be a tensor: `tf::zeros(..)`, `Tensor::from(..)`.
            fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
                self.1 |= matches!(&*node.func, Syntax::Path(path) if path.path.segments.len() > 1);
                visit::visit_expr_call(self, node);
            }
            fn visit_macro(&mut self, mac: &'ast syn::Macro) {
                self.1 |= names(mac.tokens.clone(), self.0);
            }
        }
        let mut words = Words(&self.tensors, false);
        words.visit_expr(expr);
        words.1
    }
}

impl<'ast> Visit<'ast> for FlagVisitor {
    fn visit_local(&mut self, node: &'ast syn::Local) {
        visit::visit_local(self, node);
        if node.init.as_ref().is_some_and(|init| self.mentions(&init.expr)) {
            self.bound(&node.pat);
        }
    }

    fn visit_expr_for_loop(&mut self, node: &'ast syn::ExprForLoop) {
        if self.mentions(&node.expr) {
            self.bound(&node.pat);
        }
        visit::visit_expr_for_loop(self, node);
    }

    fn visit_expr_let(&mut self, node: &'ast syn::ExprLet) {
        if self.mentions(&node.expr) {
            self.bound(&node.pat);
        }
        visit::visit_expr_let(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        if self.mentions(&node.expr) {
            node.arms.iter().for_each(|arm| self.bound(&arm.pat));
        }
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        node.inputs.iter().for_each(|input| self.bound(input));
        visit::visit_expr_closure(self, node);
    }

    fn visit_expr_assign(&mut self, node: &'ast syn::ExprAssign) {
        self.given(&node.left, &node.right);
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if truth::joins(&node.op) && host::assigns(&node.op) {
            self.given(&node.left, &node.right);
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl FlagVisitor {
    fn given(&mut self, left: &Syntax, right: &Syntax) {
        match (left, right) {
            (Syntax::Tuple(left), Syntax::Tuple(right)) if left.elems.len() == right.elems.len() => {
                left.elems.iter().zip(&right.elems).for_each(|(left, right)| self.given(left, right));
            }
            (Syntax::Tuple(left), right) => left.elems.iter().for_each(|left| self.given(left, right)),
            (Syntax::Path(path), right) => {
                let Some(name) = path.path.get_ident().map(|name| name.to_string()) else { return };
                if self.mentions(right) {
                    self.found.insert(name.clone());
                    self.tensors.insert(name.clone());
                }
                // What is of the type of a flag is one itself.
                let mut others = Vec::new();
                flags_of(right, &mut others);
                self.tied.extend(others.into_iter().map(|other| (name.clone(), other)));
            }
            _ => {}
        }
    }
}

/// Whether the text of a macro names one of the variables.
fn names(tokens: TokenStream, variables: &BTreeSet<String>) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => variables.contains(&ident.to_string()),
        TokenTree::Group(group) => names(group.stream(), variables),
        _ => false,
    })
}
