//! The modules of a crate as its files declare them, read with `syn`: inline ones, those in files, and those that a macro declares.
//! `scope` looks names up in them, `paths` collects what they write.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item};

/// A crate's sources.
pub struct Crate {
    /// The name that other crates write.
    pub name: String,
    /// The root first.
    pub modules: Vec<Module>,
}

/// A module.
pub struct Module {
    /// Empty for the root.
    pub path: Vec<String>,
    /// The file that holds it.
    pub file: PathBuf,
    /// The number of the module around it.
    pub parent: Option<usize>,
    /// Without those that are compiled for tests alone.
    pub items: Vec<Item>,
}

impl Module {
    /// `a::b`, or `lib` for the root.
    pub fn name(&self) -> String {
        if self.path.is_empty() { "lib".into() } else { self.path.join("::") }
    }
}

impl Crate {
    /// Reads a crate from its root file.
    ///
    /// # Panics
    /// If a file is missing or is not Rust.
    pub fn read(name: &str, root: &Path) -> Self {
        let mut read = Self { name: name.into(), modules: Vec::new() };
        let folder = root.parent().expect("a file lies in a folder").to_owned();
        read.file(root.to_owned(), folder, Vec::new(), None);
        read
    }

    /// The module with this path.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|module| module.path == path)
    }

    /// The child of a module with this name.
    pub fn child(&self, of: usize, name: &str) -> Option<usize> {
        self.modules.iter().position(|m| m.parent == Some(of) && m.path.last().is_some_and(|last| last == name))
    }

    fn file(&mut self, file: PathBuf, folder: PathBuf, path: Vec<String>, parent: Option<usize>) {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.module_of(parsed.items, file, folder, path, parent);
    }

    fn module_of(
        &mut self,
        items: Vec<Item>,
        file: PathBuf,
        folder: PathBuf,
        path: Vec<String>,
        parent: Option<usize>,
    ) {
        let items: Vec<Item> = items.into_iter().filter(|item| !only_in_tests(attributes(item))).collect();
        let at = self.modules.len();
        self.modules.push(Module { path: path.clone(), file: file.clone(), parent, items: Vec::new() });
        let mut known = HashSet::new();
        for item in &items {
            if let Item::Mod(item) = item {
                let name = item.ident.to_string();
                known.insert(name.clone());
                let below = [&path[..], std::slice::from_ref(&name)].concat();
                match (&item.content, path_attribute(&item.attrs)) {
                    (Some((_, inner)), _) => {
                        self.module_of(inner.clone(), file.clone(), folder.join(&name), below, Some(at));
                    }
                    (None, Some(other)) => {
                        let there = file.parent().expect("a file lies in a folder").join(other);
                        let folder = there.parent().expect("a file lies in a folder").to_owned();
                        self.file(there, folder, below, Some(at));
                    }
                    (None, None) => self.file(find(&folder, &name), folder.join(&name), below, Some(at)),
                }
            }
        }
        // A macro that declares modules is given their names.
        for item in &items {
            let Item::Macro(call) = item else { continue };
            if call.ident.is_some() {
                continue;
            }
            for token in call.mac.tokens.clone() {
                let proc_macro2::TokenTree::Ident(name) = token else { continue };
                let name = name.to_string();
                if exists(&folder, &name) && known.insert(name.clone()) {
                    let below = [&path[..], std::slice::from_ref(&name)].concat();
                    self.file(find(&folder, &name), folder.join(&name), below, Some(at));
                }
            }
        }
        self.modules[at].items = items;
    }
}

fn exists(folder: &Path, name: &str) -> bool {
    folder.join(format!("{name}.rs")).is_file() || folder.join(name).join("mod.rs").is_file()
}

fn find(folder: &Path, name: &str) -> PathBuf {
    let flat = folder.join(format!("{name}.rs"));
    if flat.is_file() { flat } else { folder.join(name).join("mod.rs") }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether something is compiled for tests alone: they may know every floor.
pub fn only_in_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let text: String = list.tokens.to_string().split_whitespace().collect();
        list.path.is_ident("cfg")
            && ["test", "doctest", "feature=\"testing\"", "any(test,feature=\"testing\")"].contains(&&*text)
    })
}

/// The attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
