//! Nothing public of layers, activations, initializers, regularizers and constraints is without a row of Keras.
//! What is public is read from the sources, what has rows from the scripts and tests beside this file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The text of all files below a folder whose path passes.
fn texts(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> String {
    let mut all = String::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all += &texts(&path, wanted);
        } else if wanted(&path.to_string_lossy()) {
            all += &read(&path);
        }
    }
    all
}

/// Names that `pub use` statements of a text export as types, and the module that each comes from.
fn exported(text: &str) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for statement in text.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let (module, names) = statement.split_once("::").expect("a path");
        for name in names.trim_matches(|c| c == '{' || c == '}').split(',') {
            let name = name.trim().trim_matches(|c: char| c == '{' || c == '}').trim();
            let name = name.rsplit(" as ").next().unwrap_or(name);
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                list.push((module.to_owned(), name.to_owned()));
            }
        }
    }
    list
}

/// Whether a text has a word, with no letter of a longer one around it.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// What is declared as something that is no object: a trait, a list of choices, a name for a type, or a tuple or list of numbers.
fn is_no_object(sources: &str, name: &str) -> bool {
    // Second names are made by a macro, of which each line is `Second = First;`.
    ["pub trait ", "pub enum ", "pub type "].iter().any(|what| has_word(sources, &format!("{what}{name}")))
        || sources.contains(&format!("pub struct {name}("))
        || sources.contains(&format!("    {name} = "))
        || name == "Margins"
}

#[test]
fn every_layer_has_rows() {
    let (core, tests) = (root().join("core/src/layers"), root().join("tests"));
    let sources = texts(&core, &|path| path.ends_with(".rs"));
    let scripts = texts(&tests.join("golden"), &|path| path.contains("keras_") && path.ends_with(".py"));
    let rust = texts(&tests.join("tests/keras"), &|path| path.contains("layers_") && path.ends_with(".rs"));
    let mut missing = BTreeSet::new();
    let mut seen = 0;
    for (module, name) in exported(&read(&core.join("mod.rs"))) {
        // What all layers stand on, and the nodes of models.
        if module == "base" || module == "node" || is_no_object(&sources, &name) {
            continue;
        }
        // What attention is called on, what recurrent layers have in common, and what a cell has begun.
        if ["Attend", "Begun", "Recurrence"].contains(&name.as_str()) {
            continue;
        }
        seen += 1;
        // Keras has two names for poolings.
        let names = [name.clone(), name.replace("Pool", "Pooling")];
        let asked = |name: &String| ["L", "layers"].iter().any(|of| has_word(&scripts, &format!("{of}.{name}")));
        if !names.iter().any(asked) {
            missing.insert(format!("{name}: no script asks Keras for it"));
        }
        if !has_word(&rust, &format!("{name}::new")) {
            missing.insert(format!("{name}: no test compares it"));
        }
    }
    assert!(seen > 30, "only {seen} layers were found");
    assert!(missing.is_empty(), "{} layers without rows:\n{}", missing.len(), Vec::from_iter(missing).join("\n"));
}

#[test]
fn every_object_has_rows() {
    let core = root().join("core/src");
    let rows = crate::numbers::file("objects");
    let keys: Vec<&String> = rows.as_object().expect("rows").keys().collect();
    let mut missing = Vec::new();
    for (module, least) in [("activations", 28), ("initializers", 14), ("regularizers", 4), ("constraints", 4)] {
        let (folder, single) = (core.join(module), core.join(format!("{module}.rs")));
        let (sources, names): (String, Vec<String>) = match single.exists() {
            true => {
                let text = read(&single);
                let structs = text.split("pub struct ").skip(1);
                let names = structs.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric()).collect());
                (text.clone(), names.collect())
            }
            false => {
                let names = exported(&read(&folder.join("mod.rs"))).into_iter().map(|(_, name)| name).collect();
                (texts(&folder, &|path| path.ends_with(".rs")), names)
            }
        };
        let objects: Vec<&String> = names.iter().filter(|name| !is_no_object(&sources, name)).collect();
        assert!(objects.len() >= least, "{module}: only {objects:?} were found");
        for name in objects {
            let own = format!("{module}.{name}");
            if !keys.iter().any(|key| **key == own || key.starts_with(&format!("{own}."))) {
                missing.push(own);
            }
        }
    }
    assert!(missing.is_empty(), "objects without a row of Keras: {missing:?}");
}

#[test]
fn words_and_exports_are_found() {
    let text = "pub use a::B;\npub use c::{\n    D, e, F as G,\n};\n";
    let right = [("a", "B"), ("c", "D"), ("c", "G")].map(|(m, n)| (m.to_owned(), n.to_owned()));
    assert_eq!(exported(text), right);
    assert!(has_word("x Add::new()", "Add::new") && !has_word("TimeAdd::newer", "Add::new"));
    assert!(is_no_object("pub enum Fan {", "Fan") && !is_no_object("pub enum Fancy {", "Fan"));
}
