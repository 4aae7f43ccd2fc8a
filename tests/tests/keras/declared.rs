//! What the library declares, read from its sources: a name without a row fails.
//! The coverage tests of losses and metrics ask.

use std::collections::BTreeSet;

/// The names that a module of the library exports, as its `mod.rs` lists them.
pub fn public(module: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let path = format!("{}/../core/src/{module}/mod.rs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut found = BTreeSet::new();
    for part in text.split("\npub use ").skip(1) {
        let list = &part[..part.find(';').expect("an end")];
        // Second names are of what has a row under the first.
        let names = list.rsplit("::").next().unwrap_or(list).split(['{', '}', ',']).map(str::trim);
        found.extend(names.filter(|name| !name.is_empty() && !name.contains(' ') && wanted(name)).map(str::to_owned));
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The structs that a macro declares in a module of the library, with their options.
pub fn declared(module: &str, macro_: &str) -> Vec<(String, Vec<String>)> {
    let folder = format!("{}/../core/src/{module}", env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for file in std::fs::read_dir(&folder).expect("the folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        for part in text.split(&format!("\n{macro_}")).skip(1) {
            let Some(at) = part.find("pub struct ") else { continue };
            let rest = &part[at + "pub struct ".len()..];
            let name = rest[..rest.find('(').expect("a name")].to_owned();
            let options = &rest[rest.find('{').expect("options") + 1..rest.find('}').expect("an end")];
            let options = options.split(',').filter_map(|option| Some(option.split_once(':')?.0.trim().to_owned()));
            found.push((name, options.collect()));
        }
    }
    assert!(!found.is_empty());
    found
}
