//! Public items of the lower crates that nothing names. Since the crates were split, rustc's lint no longer sees them.
//! Names are compared as text, so an item is dead only if its name stands nowhere but where it is defined.

use super::{library, top};
use eagerflow_tests::code::macros::idents;
use eagerflow_tests::code::modules::{attributes, only_in_tests};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::{ImplItem, Item, Visibility};

/// What users see of the engine by another way than a name of `core/src`: methods of these are for them.
fn users_see(visible: &HashSet<String>, item: &syn::ItemImpl) -> bool {
    let syn::Type::Path(ty) = &*item.self_ty else { return true };
    ty.path.segments.last().is_none_or(|last| visible.contains(&last.ident.to_string()))
}

#[test]
fn no_public_item_of_the_lower_crates_is_dead() {
    let names = library();
    let mut uses: HashMap<String, usize> = HashMap::new();
    let mut count = |list: Vec<String>| list.into_iter().for_each(|name| *uses.entry(name).or_default() += 1);
    for krate in &names.crates {
        for module in &krate.modules {
            for item in module.items.iter().filter(|item| !matches!(item, Item::Mod(_))) {
                count(idents(&without_tests(item).to_token_stream()));
            }
        }
    }
    for file in rust_files(&top().join("macros/src")) {
        let text = std::fs::read_to_string(&file).expect("a file of the macros");
        count(idents(&text.parse().expect("Rust")));
    }
    let library = names.crates.iter().find(|krate| krate.name == "eagerflow").expect("the library");
    let visible: HashSet<String> =
        library.modules.iter().flat_map(|m| &m.items).flat_map(|item| idents(&item.to_token_stream())).collect();
    let mut defined: HashMap<String, Vec<String>> = HashMap::new();
    for krate in names.crates.iter().filter(|krate| krate.name != "eagerflow") {
        for module in &krate.modules {
            let for_users = module.path.first().is_some_and(|first| {
                let is = |item: &Item| matches!(item, Item::Mod(m) if m.ident == first && users_may(&m.vis));
                visible.contains(first) && krate.modules[0].items.iter().any(is)
            });
            for item in &module.items {
                for name in public(item, &visible, for_users) {
                    let at = format!("{}::{}", krate.name, module.name());
                    defined.entry(name).or_default().push(at);
                }
            }
        }
    }
    assert!(defined.len() > 1000, "the public items are found");
    let mut dead: Vec<String> = defined
        .into_iter()
        .filter(|(name, places)| uses.get(name).copied().unwrap_or(0) <= places.len())
        .map(|(name, places)| format!("{} {name}", places.join(", ")))
        .collect();
    dead.sort();
    assert!(dead.is_empty(), "{} items are named nowhere:\n{}", dead.len(), dead.join("\n"));
}

/// An item without what is compiled for tests alone.
pub(super) fn without_tests(item: &Item) -> Item {
    let mut item = item.clone();
    if let Item::Impl(block) = &mut item {
        block.items.retain(|item| match item {
            ImplItem::Fn(item) => !only_in_tests(&item.attrs),
            ImplItem::Const(item) => !only_in_tests(&item.attrs),
            _ => true,
        });
    }
    item
}

fn users_may(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

/// The public names that an item defines; in a module `for_users`, those that are public to the crates alone.
fn public(item: &Item, visible: &HashSet<String>, for_users: bool) -> Vec<String> {
    let is_public = |vis: &Visibility| !(matches!(vis, Visibility::Inherited) || for_users && users_may(vis));
    let (vis, name) = match item {
        Item::Const(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        Item::Fn(item) => (&item.vis, &item.sig.ident),
        Item::Static(item) => (&item.vis, &item.ident),
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        Item::Impl(block) if block.trait_.is_none() && !users_see(visible, block) => {
            let methods = block.items.iter().filter_map(|item| match item {
                ImplItem::Fn(item) if is_public(&item.vis) && !only_in_tests(&item.attrs) => {
                    Some(item.sig.ident.to_string())
                }
                _ => None,
            });
            return methods.collect();
        }
        _ => return Vec::new(),
    };
    let hook = attributes(item).iter().any(only_marked);
    if is_public(vis) && !hook { vec![name.to_string()] } else { Vec::new() }
}

/// Whether an attribute makes an item a hook for another crate or for C.
fn only_marked(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("macro_export") || attribute.path().is_ident("no_mangle")
}

fn rust_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files
}
