//! Every path that a module writes, with its line: imports, types, expressions, patterns, and what macros are given or become.
//! The test `floors` resolves each of them. What is compiled for tests alone is left out.

use super::macros::{self, Written};
use super::modules::{Module, only_in_tests};
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// A path, whether it stands in a `use` of the module, and the line.
pub struct Found {
    /// The segments.
    pub path: Vec<String>,
    /// Counted from 1.
    pub line: usize,
    /// Written among tokens of a macro, where a name may be anything.
    pub in_tokens: bool,
    /// The name of a macro that is called without a path.
    pub macro_name: bool,
}

/// All paths of a module, without those of modules below it.
pub fn of(module: &Module) -> Vec<Found> {
    let mut all = Paths::default();
    for item in &module.items {
        if !matches!(item, Item::Mod(_)) {
            all.visit_item(item);
        }
    }
    all.0
}

#[derive(Default)]
struct Paths(Vec<Found>);

impl Paths {
    fn push(&mut self, path: Vec<String>, line: usize, in_tokens: bool) {
        self.0.push(Found { path, line, in_tokens, macro_name: false });
    }

    fn tokens(&mut self, tokens: &proc_macro2::TokenStream) {
        for Written { path, line } in macros::paths(tokens) {
            self.push(path, line, true);
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &[String]) {
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &[before, &[path.ident.to_string()]].concat()),
            UseTree::Name(name) if name.ident == "self" => {
                self.push(before.to_vec(), name.ident.span().start().line, false);
            }
            UseTree::Name(name) => {
                let line = name.ident.span().start().line;
                self.push([before, &[name.ident.to_string()]].concat(), line, false);
            }
            UseTree::Rename(rename) => {
                let mut path = before.to_vec();
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                self.push(path, rename.ident.span().start().line, false);
            }
            UseTree::Glob(glob) => self.push(before.to_vec(), glob.star_token.spans[0].start().line, false),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if !only_in_tests(super::modules::attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !only_in_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if !only_in_tests(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_expr_block(&mut self, block: &'ast syn::ExprBlock) {
        if !only_in_tests(&block.attrs) {
            visit::visit_expr_block(self, block);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if !only_in_tests(&call.attrs) {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.push(names, path.segments[0].ident.span().start().line, false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let segments: Vec<String> = call.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = call.path.segments[0].ident.span().start().line;
        if segments.len() == 1 {
            self.0.push(Found { path: segments, line, in_tokens: false, macro_name: true });
        } else {
            self.push(segments, line, false);
        }
        self.tokens(&call.tokens);
    }
}
