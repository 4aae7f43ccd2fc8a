//! What a name means in a module: an item of it, a module below it, or what a `use` brings from elsewhere.
//! `floors` resolves paths with it, through re-exports and globs, to the module that defines what they name.

use super::macros::{Macros, exported};
use super::modules::Crate;
use std::collections::{HashMap, HashSet};
use syn::{Item, UseTree};

/// A module: the crate and the number in it.
pub type At = (usize, usize);

/// Stands for all that other crates define.
pub const ELSEWHERE: At = (usize::MAX, 0);

/// What a name stands for in a module.
#[derive(Clone, Debug)]
enum Name {
    Module(At),
    /// An item that the module itself defines.
    Item,
    Import(Vec<String>),
}

/// All names of several crates.
pub struct Names {
    /// In the order in which paths may lead down.
    pub crates: Vec<Crate>,
    /// The names by which code writes each crate.
    outside: HashMap<String, usize>,
    names: HashMap<At, HashMap<String, Vec<Name>>>,
    globs: HashMap<At, Vec<Vec<String>>>,
    macros: Macros,
}

impl Names {
    /// The names of `crates`; `outside` says which of them a first segment of a path means.
    pub fn new(crates: Vec<Crate>, outside: &[(&str, usize)]) -> Self {
        let macros = Macros::of(&crates);
        let mut all = Self {
            outside: outside.iter().map(|&(name, index)| (name.to_owned(), index)).collect(),
            names: HashMap::new(),
            globs: HashMap::new(),
            crates: Vec::new(),
            macros,
        };
        for (c, read) in crates.iter().enumerate() {
            for (m, module) in read.modules.iter().enumerate() {
                all.names.entry((c, m)).or_default();
                if let Some(parent) = module.parent {
                    all.add((c, parent), module.path.last().expect("a name"), Name::Module((c, m)));
                }
                for item in &module.items {
                    all.item((c, m), &module.path, item);
                }
            }
        }
        all.crates = crates;
        all
    }

    fn add(&mut self, at: At, name: &str, means: Name) {
        self.names.entry(at).or_default().entry(name.to_owned()).or_default().push(means);
    }

    fn item(&mut self, at: At, path: &[String], item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Use(item) => return self.tree(at, &item.tree, &mut Vec::new()),
            Item::Macro(item) => match &item.ident {
                Some(name) => name,
                // What a macro makes: names that it is given, which may become items here.
                None => {
                    let call = item.mac.path.segments.last().map(|last| last.ident.to_string());
                    let given = super::macros::idents(&item.mac.tokens);
                    // A macro may be given the name of another one, which it calls.
                    let called = given.iter().chain(&call);
                    let made: Vec<String> = called.flat_map(|name| self.macros.items(at.0, name).to_vec()).collect();
                    for name in given.iter().chain(&made) {
                        self.add(at, name, Name::Item);
                    }
                    return;
                }
            },
            _ => return,
        };
        let name = name.to_string();
        self.add(at, &name, Name::Item);
        if let Item::Macro(item) = item
            && exported(item)
        {
            self.add(
                (at.0, 0),
                &name,
                Name::Import([&["crate".to_owned()], path, std::slice::from_ref(&name)].concat()),
            );
        }
    }

    /// Notes what a `use` brings.
    pub fn tree(&mut self, at: At, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(at, &path.tree, before);
                before.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                self.add(at, &last, Name::Import(before.clone()));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.add(at, &name, Name::Import([&before[..], std::slice::from_ref(&name)].concat()));
            }
            UseTree::Rename(rename) => {
                let mut path = before.clone();
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                self.add(at, &rename.rename.to_string(), Name::Import(path));
            }
            UseTree::Glob(_) => self.globs.entry(at).or_default().push(before.clone()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(at, tree, before)),
        }
    }

    /// The modules that define what a path names, as it is written in a module; none for what lies outside of these crates.
    pub fn resolve(&self, from: At, path: &[String]) -> HashSet<At> {
        self.follow(from, path, &mut HashSet::new())
    }

    /// Whether a path says by its first segment that it leads into these crates.
    pub fn is_ours(&self, path: &[String]) -> bool {
        matches!(&*path[0], "crate" | "$crate" | "super" | "self") || self.outside.contains_key(&path[0])
    }

    /// The module that defines a macro, for a call by its name alone: its own module or one around it. One that a `use` brings has
    /// its arrow there.
    pub fn macro_named(&self, from: At, name: &str) -> Option<At> {
        let path = |at: At| &self.crates[at.0].modules[at.1].path;
        let around = self.macros.find(from.0, name).iter().filter(|&&at| path(from).starts_with(path(at)));
        around.max_by_key(|&&at| path(at).len()).copied()
    }

    fn follow(&self, from: At, path: &[String], seen: &mut HashSet<(At, Vec<String>)>) -> HashSet<At> {
        if !seen.insert((from, path.to_vec())) {
            return HashSet::new();
        }
        let mut at = from;
        let mut rest = path;
        let mut own_name = true;
        while let Some(first) = rest.first() {
            match &**first {
                "crate" | "$crate" => at = (at.0, 0),
                "self" => {}
                "super" => match self.crates[at.0].modules[at.1].parent {
                    Some(parent) => at = (at.0, parent),
                    None => return HashSet::new(),
                },
                name if own_name => match self.outside.get(name) {
                    Some(&other) if !self.names[&at].contains_key(name) => at = (other, 0),
                    _ => break,
                },
                _ => break,
            }
            own_name = false;
            rest = &rest[1..];
        }
        match rest {
            // A module by `self` or `super` alone.
            [] => HashSet::from([at]),
            _ => self.within(at, rest, seen),
        }
    }

    /// As [`Self::resolve`] for the rest of a path, by names of a module.
    fn within(&self, at: At, rest: &[String], seen: &mut HashSet<(At, Vec<String>)>) -> HashSet<At> {
        let (first, below) = rest.split_first().expect("a segment");
        let mut found = HashSet::new();
        // Modules may bring each other's names by globs.
        if !seen.insert((at, [&["in".to_owned()], rest].concat())) {
            return found;
        }
        let named = self.names[&at].get(first).map_or(&[][..], Vec::as_slice);
        for name in named {
            match name {
                // `use dense::dense`: the first segment is the module, or a crate from elsewhere, and never this import.
                Name::Import(path) if path[0] == *first => {
                    let modules = named.iter().filter_map(|name| match name {
                        Name::Module(module) => Some(*module),
                        _ => None,
                    });
                    for module in modules.chain(self.outside.get(first).map(|&krate| (krate, 0))) {
                        found.extend(self.within(module, &[&path[1..], below].concat(), seen));
                    }
                }
                Name::Module(module) if below.is_empty() => {
                    found.insert(*module);
                }
                Name::Module(module) => found.extend(self.within(*module, below, seen)),
                Name::Item => {
                    found.insert(at);
                }
                Name::Import(path) => {
                    let there = self.follow(at, &[&path[..], below].concat(), seen);
                    if there.is_empty() && !self.is_ours(path) {
                        found.insert(ELSEWHERE);
                    }
                    found.extend(there);
                }
            }
        }
        // A module that a macro makes of the names it is given brings what their modules have.
        if found.is_empty() && self.macros.makes_module(at, first) {
            let children = self.names[&at].values().flatten().filter_map(|name| match name {
                Name::Module(module) => Some(*module),
                _ => None,
            });
            for child in children.collect::<HashSet<At>>() {
                match below {
                    [] => drop(found.insert(child)),
                    _ => found.extend(self.within(child, below, seen)),
                }
            }
        }
        if found.is_empty() {
            for glob in self.globs.get(&at).into_iter().flatten() {
                // The glob's own path first: a path that led through it again would have no end.
                for module in
                    self.follow(at, glob, seen).into_iter().filter(|module| *module != at && *module != ELSEWHERE)
                {
                    found.extend(self.within(module, rest, seen));
                }
            }
        }
        found
    }
}
