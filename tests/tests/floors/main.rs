//! The floors of the five crates, kept: every path that their code writes leads to its own floor or to one below.
//! The floors are those of the table in `docs/architecture.md`. There is no list of exceptions.

mod dead;
mod lines;
mod page;
mod variants;

use eagerflow_tests::code::modules::Crate;
use eagerflow_tests::code::paths;
use eagerflow_tests::code::scope::{At, ELSEWHERE, Names};
use page::{Floor, floor_of, floors};
use std::path::{Path, PathBuf};

/// The folder of the project.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the project").to_owned()
}

/// The library's crates, with the names by which code writes them.
fn library() -> Names {
    let read = |name: &str, root: &str| Crate::read(name, &top().join(root));
    let crates = vec![
        read("eagerflow-kernels", "core/kernels/src/lib.rs"),
        read("eagerflow-formats", "core/formats/src/lib.rs"),
        read("eagerflow-linalg", "core/linalg/src/lib.rs"),
        read("eagerflow-engine", "core/engine/src/lib.rs"),
        read("eagerflow", "core/src/lib.rs"),
    ];
    Names::new(crates, &[("kernels", 0), ("formats", 1), ("linalg", 2), ("engine", 3)])
}

/// A path that leads somewhere else than the module that writes it.
struct Arrow {
    from: At,
    to: At,
    place: String,
    path: String,
}

/// All arrows between modules, and the paths that lead nowhere although they must lead into these crates.
fn arrows(names: &Names) -> (Vec<Arrow>, Vec<String>) {
    let (mut arrows, mut lost) = (Vec::new(), Vec::new());
    for (c, krate) in names.crates.iter().enumerate() {
        for (m, module) in krate.modules.iter().enumerate() {
            for found in paths::of(module) {
                let from = (c, m);
                let place =
                    format!("{}:{}", module.file.strip_prefix(top()).unwrap_or(&module.file).display(), found.line);
                let path = found.path.join("::");
                let to = match found.macro_name {
                    true => names.macro_named(from, &path).into_iter().collect(),
                    false => names.resolve(from, &found.path),
                };
                if to.is_empty() && !found.macro_name && !found.in_tokens && names.is_ours(&found.path) {
                    lost.push(format!("{place}: {path}"));
                }
                arrows.extend(to.into_iter().filter(|to| *to != from && *to != ELSEWHERE).map(|to| Arrow {
                    from,
                    to,
                    place: place.clone(),
                    path: path.clone(),
                }));
            }
        }
    }
    (arrows, lost)
}

/// What is wrong with the floors of a table for these crates.
fn faults(names: &Names, floors: &[Floor]) -> Vec<String> {
    let mut faults = Vec::new();
    let name = |at: At| (names.crates[at.0].name.clone(), names.crates[at.0].modules[at.1].name());
    let floor = |at: At| {
        let (krate, module) = name(at);
        floor_of(floors, &krate, &module)
    };
    for (c, krate) in names.crates.iter().enumerate() {
        for (m, module) in krate.modules.iter().enumerate() {
            if floor((c, m)).is_none() {
                faults.push(format!("no floor has the module `{}` of {}", module.name(), krate.name));
            }
        }
    }
    for row in floors {
        for module in &row.modules {
            let there = |krate: &Crate| krate.name == row.krate && krate.modules.iter().any(|m| m.name() == *module);
            if !names.crates.iter().any(there) {
                faults.push(format!(
                    "the floor `{}` of {} names a module `{module}` that is not there",
                    row.name, row.krate
                ));
            }
        }
    }
    let (arrows, lost) = arrows(names);
    faults.extend(lost.into_iter().map(|path| format!("{path}: leads nowhere")));
    for Arrow { from, to, place, path } in arrows {
        if let (Some(below), Some(above)) = (floor(from), floor(to))
            && above > below
        {
            faults.push(format!("{place}: `{path}` points up, from {} to {}", name(from).1, name(to).1));
        }
    }
    faults.sort();
    faults.dedup();
    faults
}

#[test]
fn no_path_points_up() {
    let page = std::fs::read_to_string(top().join("docs/architecture.md")).expect("the page is there");
    let names = library();
    assert!(arrows(&names).0.len() > 5000, "the paths of the library are found");
    let faults = faults(&names, &floors(&page));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A small crate with one arrow of every kind.
#[test]
fn every_kind_of_arrow_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/floors/fixture");
    let below = Crate::read("ground", &folder.join("ground/lib.rs"));
    let above = Crate::read("house", &folder.join("house/lib.rs"));
    let names = Names::new(vec![below, above], &[("ground", 0)]);
    let page = std::fs::read_to_string(folder.join("page.md")).expect("the page is there");
    let found: Vec<String> = faults(&names, &floors(&page))
        .into_iter()
        .map(|fault| fault.rsplit_once("fixture/").map_or(fault.clone(), |(_, rest)| rest.to_owned()))
        .collect();
    let marked = |file: &str| {
        let text = std::fs::read_to_string(folder.join(file)).expect("the file is there");
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains("// up"));
        lines.map(|(at, _)| format!("{file}:{}: ", at + 1)).collect::<Vec<_>>()
    };
    let mut wanted = [marked("ground/low.rs"), marked("house/low.rs"), marked("house/low/inner.rs")].concat();
    wanted.sort();
    let mut lines: Vec<String> = found
        .iter()
        .filter(|f| f.contains("points up"))
        .map(|f| f[..f.find(": ").expect("a line") + 2].to_owned())
        .collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines, wanted, "{found:#?}");
    assert!(wanted.len() >= 12, "{wanted:?}");
    for other in [
        "names a module `cellar` that is not there",
        "no floor has the module `attic`",
        "crate::nowhere::Thing: leads nowhere",
    ] {
        assert!(found.iter().any(|fault| fault.contains(other)), "{other}: {found:#?}");
    }
}
