//! Files whose paths match a pattern, as TensorFlow's file systems match them: `*`, `?`, `[a-z]`, `[!a]` and `\` in front of a character.
//! None of these stands for a `/`, and a name that begins with a dot is a name like others.

use super::error;
use kernels::error::Result;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The paths of files and folders that match a pattern, in the order of their bytes. A pattern without wildcards is the path of what may
/// be there.
///
/// # Errors
/// What the file system refuses, such as a folder that may not be read.
pub fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let text = pattern.to_string_lossy();
    if !text.contains(['*', '?', '[', '\\']) {
        return Ok(if fs::symlink_metadata(pattern).is_ok() { vec![pattern.to_owned()] } else { Vec::new() });
    }
    let parts: Vec<&str> = text.split('/').collect();
    let mut found = vec![String::new()];
    for (number, part) in parts.iter().enumerate() {
        let last = number + 1 == parts.len();
        let mut next = Vec::new();
        for folder in found {
            if number == 0 && part.is_empty() {
                next.push("/".to_owned());
            } else if !part.contains(['*', '?', '[', '\\']) {
                let path = format!("{folder}{part}");
                if part.is_empty() || exists(&path, last) {
                    next.push(if last { path } else { format!("{path}/") });
                }
            } else {
                names(&folder, part, last, &mut next)?;
            }
        }
        found = next;
    }
    found.sort_unstable();
    Ok(found.into_iter().map(PathBuf::from).collect())
}

/// Whether something is there, and a folder if something follows it in the pattern.
fn exists(path: &str, last: bool) -> bool {
    if last { fs::symlink_metadata(path).is_ok() } else { fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) }
}

/// The paths of what matches in a folder, whose path is empty or ends with a `/`.
fn names(folder: &str, pattern: &str, last: bool, into: &mut Vec<String>) -> Result<()> {
    let directory = Path::new(if folder.is_empty() { "." } else { folder });
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(e) => return Err(error(directory, "the folder cannot be read", e)),
    };
    let pattern: Vec<char> = pattern.chars().collect();
    for entry in entries {
        let entry = entry.map_err(|e| error(directory, "the folder cannot be read", e))?;
        // A name that is not UTF-8 cannot be written in a pattern either.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{folder}{name}");
        if matches(&pattern, &name.chars().collect::<Vec<_>>()) && (last || exists(&path, false)) {
            into.push(if last { path } else { format!("{path}/") });
        }
    }
    Ok(())
}

/// Whether a name matches a pattern. A `*` that was too short is made longer; an earlier one never has to be.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    loop {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
            continue;
        }
        if p == pattern.len() && n == name.len() {
            return true;
        }
        if let (true, Some(&c)) = (p < pattern.len(), name.get(n))
            && let Some(used) = one(&pattern[p..], c)
        {
            (p, n) = (p + used, n + 1);
            continue;
        }
        match star {
            Some((at, from)) if from < name.len() => {
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
            _ => return false,
        }
    }
}

/// How much of the pattern stands for this character, if its beginning does.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', escaped, ..] => (*escaped == c).then_some(2),
        ['[', rest @ ..] => match set(rest, c) {
            Some((within, used)) => within.then_some(used + 1),
            None => (c == '[').then_some(1),
        },
        [own, ..] => (*own == c).then_some(1),
        [] => None,
    }
}

/// Whether a character is in the set behind a `[`, and how long that is; none if it has no end.
fn set(pattern: &[char], c: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let first = usize::from(negated);
    let (mut at, mut within) = (first, false);
    loop {
        match pattern.get(at..)? {
            [']', ..] if at > first => return Some((within != negated, at + 1)),
            [low, '-', high, ..] if *high != ']' => {
                within |= (*low..=*high).contains(&c);
                at += 3;
            }
            [own, ..] => {
                within |= *own == c;
                at += 1;
            }
            [] => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn names_match_as_in_a_shell() {
        let fits = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        let yes = [
            ("*", ""),
            ("*", "abc"),
            ("a*c", "abbc"),
            ("a*b*c", "aXbYbZc"),
            ("?é?", "aéb"),
            ("[a-c]x", "bx"),
            ("[!a]", "b"),
            ("[^a-c]", "d"),
            ("[]]", "]"),
            ("[a", "[a"),
            ("a\\*", "a*"),
            ("**", "a"),
            ("[a-]", "-"),
            ("*.txt", ".txt"),
        ];
        let no = [
            ("", "a"),
            ("a", ""),
            ("?", ""),
            ("a*c", "ab"),
            ("[a-c]", "d"),
            ("[!a]", "a"),
            ("a\\*", "ab"),
            ("{a,b}", "a"),
            ("[a]", "[a]"),
            ("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ];
        for (pattern, name) in yes {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in no {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn paths_are_found_in_folders_and_in_order() {
        let folder = Folder::new();
        for name in ["d/b.txt", "d/a.txt", "d/e/c.txt", "d/.h.txt", "d/f/[x].txt", "d/a*.txt"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let paths = matching(&folder.join(pattern)).unwrap();
            paths.iter().map(|p| p.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned()).collect()
        };
        // What TensorFlow 2.21 finds.
        assert_eq!(found("d/*.txt"), ["d/.h.txt", "d/a*.txt", "d/a.txt", "d/b.txt"]);
        assert_eq!(found("d/*"), ["d/.h.txt", "d/a*.txt", "d/a.txt", "d/b.txt", "d/e", "d/f"]);
        assert_eq!(found("d/*/*.txt"), ["d/e/c.txt", "d/f/[x].txt"]);
        assert_eq!(found("d/**/*.txt"), ["d/e/c.txt", "d/f/[x].txt"]);
        assert_eq!(found("d/a\\*.txt"), ["d/a*.txt"]);
        assert_eq!(found("d/[^a].txt"), ["d/b.txt"]);
        assert_eq!((found("d/e"), found("d/{a,b}.txt"), found("none/*")), (vec!["d/e".to_owned()], vec![], vec![]));
        assert_eq!(found("*/?.txt"), ["d/a.txt", "d/b.txt"]);
        assert_eq!(found("d/a.txt/*"), Vec::<String>::new());
    }
}
