//! Format texts taken apart: `"x = {x:.3}"` is a text and a value. Printing shows each value on its own, so that a
//! tensor of a graph is formatted when the graph runs.

/// A part of a format text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Text(String),
    /// `{argument:spec}`; an empty argument is the next one.
    Value {
        argument: String,
        spec: String,
    },
}

pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                rest.push(c);
            }
            '{' => {
                if !rest.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut rest)));
                }
                let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let (argument, spec) = inside.split_once(':').unwrap_or((&inside, ""));
                pieces.push(Piece::Value { argument: argument.trim().to_owned(), spec: spec.trim_end().to_owned() });
            }
            c => rest.push(c),
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// A format text with other names in it, if there are any.
pub fn renamed(text: &str, new: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut changed = false;
    let mut other = |name: &str| {
        let new = new(name);
        changed |= new.is_some();
        new.unwrap_or_else(|| name.to_owned())
    };
    let piece = |piece| match piece {
        Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        Piece::Value { argument, spec } => {
            let names: Vec<String> = names_in(&spec).map(str::to_owned).collect();
            let spec =
                names.iter().fold(spec, |spec, name| spec.replace(&format!("{name}$"), &format!("{}$", other(name))));
            let argument = other(&argument);
            if spec.is_empty() { format!("{{{argument}}}") } else { format!("{{{argument}:{spec}}}") }
        }
    };
    let text = pieces(text).into_iter().map(piece).collect();
    changed.then_some(text)
}

/// The arguments that a spec takes for width and precision: `w` and `p` of `>w$.p$`.
pub fn names_in(spec: &str) -> impl Iterator<Item = &str> {
    let mut parts: Vec<&str> = spec.split('$').collect();
    // What follows the last `$` is no name.
    parts.pop();
    parts.into_iter().map(|part| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = part.char_indices().rev().take_while(|(_, c)| word(*c)).last().map_or(part.len(), |(i, _)| i);
        let name = &part[start..];
        // A zero before a name is a flag: `{:0w$}`.
        if name.len() > 1 { name.trim_start_matches('0') } else { name }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let text = |t: &str| Piece::Text(t.to_owned());
        let value = |a: &str, s: &str| Piece::Value { argument: a.to_owned(), spec: s.to_owned() };
        assert_eq!(
            pieces("x = {x:.3}, {{}} {} {0:?}"),
            [text("x = "), value("x", ".3"), text(", {} "), value("", ""), text(" "), value("0", "?")]
        );
        assert!(pieces("").is_empty());
    }

    #[test]
    fn names_are_replaced() {
        let new = |name: &str| (name == "y" || name == "w").then(|| format!("{name}_inner"));
        assert_eq!(renamed("{{y}} {y:>w$.3} {x} {}", &new).as_deref(), Some("{{y}} {y_inner:>w_inner$.3} {x} {}"));
        assert_eq!(renamed("{x} {{y}}", &new), None);
    }

    #[test]
    fn widths_are_names() {
        assert_eq!(names_in(">w$.p$").collect::<Vec<_>>(), ["w", "p"]);
        assert_eq!(names_in("04").count(), 0);
        assert_eq!(names_in("0w$").collect::<Vec<_>>(), ["w"]);
    }
}
