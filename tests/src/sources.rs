//! Reads the library's own source files: which public functions and which operations each file of `ops/` declares, and where
//! all of them lie. The tables check with it that nothing is without a row, and messages that they name no line of the library.

use std::path::{Path, PathBuf};

/// One file of `ops/`, with those in the folder of its name.
pub struct Source {
    /// The name in the library's list.
    pub file: &'static str,
    /// The text.
    pub text: String,
}

/// The sources of all operations, in the order of the library's list.
pub fn operations() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/engine/src/ops");
    let source = |&file: &&'static str| Source { file, text: text_of(&folder, file) };
    eagerflow::__testing::operations().iter().map(source).collect()
}

fn text_of(folder: &Path, file: &str) -> String {
    let mut paths = vec![folder.join(format!("{file}.rs"))];
    if let Ok(inside) = std::fs::read_dir(folder.join(file)) {
        paths.extend(inside.filter_map(|entry| Some(entry.ok()?.path())));
    }
    let texts: Vec<String> = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    assert!(!texts.is_empty(), "the operation `{file}` has no source file");
    texts.join("\n")
}

/// The text of all rows.
pub fn rows() -> String {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rows");
    let files = std::fs::read_dir(folder).expect("the folder of the rows");
    files.map(|f| std::fs::read_to_string(f.expect("a file").path()).expect("a text")).collect()
}

/// The leading part of a text that can be a name.
fn name(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

impl Source {
    /// The public functions: those of the declaring macros, and free ones; `try_` twins left out.
    pub fn functions(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for line in self.text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("pub fn ") else { continue };
            let name = name(rest);
            let declared = rest[name.len()..].starts_with(", try_");
            let free = line.starts_with("pub fn ") && !name.starts_with("try_");
            if (declared || free) && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The operations that are differentiated by a rule.
    pub fn rules(&self) -> Vec<&str> {
        let blocks = self.text.split("impl Op for ").skip(1);
        let with_rule = blocks.filter(|block| block.contains("Gradient::Rule"));
        let named = with_rule.filter_map(|block| block.split_once("identity!(\"").map(|(_, rest)| name(rest)));
        // Operations on matrices share one `impl Op`; they have a rule unless they say otherwise.
        let on_matrices =
            self.text.split("impl OnMatrices for ").skip(1).filter(|block| block.contains("fn backward("));
        let shared =
            on_matrices.filter_map(|block| block.split_once("NAME: &'static str = \"").map(|(_, rest)| name(rest)));
        named.chain(shared).collect()
    }
}

/// Where the library's crates have their sources, as rustc names them.
const LIBRARY: [&str; 5] =
    ["core/src/", "core/engine/src/", "core/formats/src/", "core/kernels/src/", "core/linalg/src/"];

/// The first line of a text that names a line of the library itself; Rust's own library also has a `core`.
pub fn line_of_the_library(text: &str) -> Option<&str> {
    let names = |line: &str, folder: &str| {
        line.match_indices(folder)
            .any(|(at, _)| !line[..at].ends_with("library/") && !line[..at].ends_with("library\\"))
    };
    text.lines().find(|line| LIBRARY.iter().any(|folder| names(line, folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folders named `src` below one, as paths from it.
    fn sources(below: &Path, name: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(below).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = format!("{name}{}/", entry.file_name().to_string_lossy());
            if entry.file_name() == "src" {
                found.push(name);
            } else if entry.path().is_dir() && entry.file_name() != "benches" && entry.file_name() != "target" {
                sources(&entry.path(), &name, found);
            }
        }
    }

    #[test]
    fn the_folders_of_all_crates_are_known() {
        let mut found = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../core"), "core/", &mut found);
        found.sort();
        let mut known = LIBRARY.to_vec();
        known.sort();
        assert_eq!(found, known);
    }

    #[test]
    fn lines_of_the_library_are_found() {
        assert_eq!(line_of_the_library("a\n  at: core/src/lib.rs:1:2"), Some("  at: core/src/lib.rs:1:2"));
        assert!(line_of_the_library("core/kernels/src/error.rs").is_some());
        assert!(line_of_the_library("/rustc/1/library/core/src/cmp.rs:1:2\ntests/src/rows.rs").is_none());
    }
}
