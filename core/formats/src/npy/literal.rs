//! Just enough of Python's notation for the headers of `.npy` files: a dictionary of texts, truth values and tuples of sizes.
//! `Header::parse` calls it.

/// A value of the dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
    Numbers(Vec<usize>),
    /// A list, whose contents say nothing here.
    List,
}

/// The entries of a dictionary; none if the text is no such.
pub(super) fn parse(text: &str) -> Option<Vec<(String, Value)>> {
    let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (key, behind) = quoted(rest)?;
        let (value, behind) = value(behind.trim_start().strip_prefix(':')?.trim_start())?;
        entries.push((key, value));
        let behind = behind.trim_start();
        rest = match behind.strip_prefix(',') {
            Some(behind) => behind.trim_start(),
            None if behind.is_empty() => behind,
            None => return None,
        };
    }
    Some(entries)
}

/// A text in quotes, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (own, rest) = text[1..].split_once(quote)?;
    (!own.contains('\\')).then(|| (own.to_owned(), rest))
}

fn value(text: &str) -> Option<(Value, &str)> {
    match text.chars().next()? {
        '\'' | '"' => quoted(text).map(|(own, rest)| (Value::Text(own), rest)),
        '(' => {
            let (own, rest) = text[1..].split_once(')')?;
            let parts: Vec<&str> = own.trim().trim_end_matches(',').split(',').map(str::trim).collect();
            // Python 2 wrote `3L`.
            let number = |part: &&str| part.strip_suffix('L').unwrap_or(part).parse().ok();
            let numbers = match &parts[..] {
                [""] => Vec::new(),
                parts => parts.iter().map(number).collect::<Option<_>>()?,
            };
            Some((Value::Numbers(numbers), rest))
        }
        '[' => {
            let mut depth = 0_usize;
            for (at, c) in text.char_indices() {
                match c {
                    '[' => depth += 1,
                    ']' if depth == 1 => return Some((Value::List, &text[at + 1..])),
                    ']' => depth -= 1,
                    _ => {}
                }
            }
            None
        }
        _ => match (text.strip_prefix("True"), text.strip_prefix("False")) {
            (Some(rest), _) => Some((Value::Flag(true), rest)),
            (_, Some(rest)) => Some((Value::Flag(false), rest)),
            _ => None,
        },
    }
}
