//! Variants of public enums are not named like the types that the compiler's messages speak of: a second public item of a name makes rustc write
//! `eagerflow::Tensor` for `Tensor` in every error that a user of the library sees.

use super::library;
use std::collections::BTreeSet;
use std::path::Path;

/// Names that errors speak of, and that have to stay the only ones.
const SPOKEN_OF: [&str; 4] = ["Tensor", "Variable", "Dataset", "Default"];

/// The names of public enums, from the list of public names.
fn public_enums() -> BTreeSet<String> {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("public_names.txt");
    let list = std::fs::read_to_string(list).expect("the list of public names");
    let names = list.lines().filter_map(|line| line.strip_prefix("enum "));
    names.filter_map(|name| name.rsplit("::").next()).map(str::to_owned).collect()
}

fn taken(item: &syn::ItemEnum) -> Option<String> {
    item.variants.iter().map(|variant| variant.ident.to_string()).find(|name| SPOKEN_OF.contains(&&**name))
}

#[test]
fn variants_leave_the_names_of_types_alone() {
    let (public, library) = (public_enums(), library());
    let (mut seen, mut faults) = (0, Vec::new());
    for module in library.crates.iter().flat_map(|krate| &krate.modules) {
        for item in &module.items {
            let syn::Item::Enum(item) = item else { continue };
            if matches!(item.vis, syn::Visibility::Public(_)) && public.contains(&item.ident.to_string()) {
                seen += 1;
                faults.extend(taken(item).map(|name| format!("{}::{name} in {}", item.ident, module.name())));
            }
        }
    }
    assert!(seen > 40, "public enums are found: {seen}");
    assert!(faults.is_empty(), "name these variants otherwise: {}", faults.join(", "));
}

#[test]
fn a_variant_that_takes_a_name_is_found() {
    let item = |text: &str| syn::parse_str::<syn::ItemEnum>(text).expect("an enum");
    assert_eq!(taken(&item("pub enum Kind { Scalars, Tensor(f32) }")).as_deref(), Some("Tensor"));
    assert_eq!(taken(&item("pub enum Kind { Scalars, Tensors }")), None);
}
