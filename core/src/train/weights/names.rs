//! From names in a file to paths in a model: patterns with placeholders, such as `layer.{i}.weight`, and how alike names are.
//! `WeightsLoader` asks it for every tensor of a file; errors ask for the nearest name.

use kernels::error::{Error, Result};
use std::collections::HashMap;

/// A rule: what a name looks like, and the path that it stands for.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    from: Vec<Part>,
    to: Vec<Part>,
    /// The order in which the file's axes are the variable's.
    pub axes: Option<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    /// Anything but a separator.
    Any(String),
}

impl Rule {
    /// # Errors
    /// InvalidArgument for a brace without its partner, a placeholder without a name, and one of `to` that `from` does not have.
    pub fn new(from: &str, to: &str, axes: Option<Vec<usize>>) -> Result<Self> {
        let rule = Self { from: parts(from)?, to: parts(to)?, axes };
        for part in &rule.to {
            if let Part::Any(name) = part
                && !rule.from.contains(part)
            {
                return Err(Error::invalid_argument("load_weights", "a placeholder stands for nothing")
                    .got(format!("`{{{name}}}` in `{to}`"))
                    .expected(format!("a placeholder of `{from}`")));
            }
        }
        Ok(rule)
    }

    /// The path for a name; none where it does not look so.
    pub fn path(&self, name: &str) -> Option<String> {
        let mut found = HashMap::new();
        matched(&self.from, name, &mut found).then(|| {
            let text = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Any(name) => found.get(name.as_str()).copied().unwrap_or_default().to_owned(),
            };
            self.to.iter().map(text).collect()
        })
    }
}

fn parts(pattern: &str) -> Result<Vec<Part>> {
    let wrong = |what: &str| {
        Err(Error::invalid_argument("load_weights", what).got(format!("`{pattern}`")).expected(
            "text with placeholders such as `{i}`, each of which stands for anything without a point or slash",
        ))
    };
    let (mut parts, mut rest) = (Vec::new(), pattern);
    while let Some(open) = rest.find(['{', '}']) {
        let (text, from) = rest.split_at(open);
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        let Some((name, after)) = from.strip_prefix('{').and_then(|inside| inside.split_once('}')) else {
            return wrong("a brace has no partner");
        };
        if name.is_empty() || name.contains('{') {
            return wrong("a placeholder has no name");
        }
        parts.push(Part::Any(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    match parts.is_empty() {
        true => wrong("a rule has an empty side"),
        false => Ok(parts),
    }
}

/// Whether a name looks like the parts, and what the placeholders stand for; one that comes twice stands for the same twice.
fn matched<'p, 'n>(parts: &'p [Part], name: &'n str, found: &mut HashMap<&'p str, &'n str>) -> bool {
    match parts {
        [] => name.is_empty(),
        [Part::Text(text), rest @ ..] => {
            name.strip_prefix(text.as_str()).is_some_and(|name| matched(rest, name, found))
        }
        [Part::Any(any), rest @ ..] => {
            if let Some(known) = found.get(any.as_str()).copied() {
                return name.strip_prefix(known).is_some_and(|name| matched(rest, name, found));
            }
            let most = name.find(['.', '/']).unwrap_or(name.len());
            for (end, _) in name.char_indices().chain([(name.len(), ' ')]).skip(1).take_while(|(end, _)| *end <= most) {
                found.insert(any, &name[..end]);
                if matched(rest, &name[end..], found) {
                    return true;
                }
            }
            found.remove(any.as_str());
            false
        }
    }
}

/// The name of a list that is nearest to one, if any is near: by the words that both have.
pub(in crate::train) fn nearest<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let words = |name: &str| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let own = words(name);
    let common = |other: &str| {
        let other = words(other);
        let shared = own.iter().filter(|word| other.contains(word)).count();
        (shared * 1000).checked_div(own.len() + other.len() - shared).unwrap_or(0)
    };
    others
        .map(|other| (common(other), other))
        .filter(|(common, _)| *common >= 200)
        .max_by_key(|(common, _)| *common)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(from: &str, to: &str, name: &str) -> Option<String> {
        Rule::new(from, to, None).unwrap().path(name)
    }

    #[test]
    fn placeholders_stand_for_anything_within_a_part() {
        let (from, to) = ("encoder.layer.{i}.attention.{what}.weight", "blocks/{i}/{what}/kernel");
        assert_eq!(path(from, to, "encoder.layer.11.attention.query.weight").unwrap(), "blocks/11/query/kernel");
        assert_eq!(path(from, to, "encoder.layer.1.1.attention.query.weight"), None);
        assert_eq!(path(from, to, "encoder.layer..attention.query.weight"), None);
        assert_eq!(path("h{i}_{j}.w", "{j}/{i}", "h1_2.w").unwrap(), "2/1");
        assert_eq!(path("{a}.{a}", "{a}", "x.x").unwrap(), "x");
        assert_eq!(path("{a}.{a}", "{a}", "x.y"), None);
        assert_eq!(path("b", "c", "b").unwrap(), "c");
    }

    #[test]
    fn rules_that_say_nothing_are_refused() {
        for (from, to, word) in [
            ("a{", "b", "no partner"),
            ("a}", "b", "no partner"),
            ("a{}", "b", "no name"),
            ("", "b", "empty side"),
            ("a{i}", "b{j}", "`{j}`"),
        ] {
            let text = Rule::new(from, to, None).unwrap_err().to_string();
            assert!(text.contains(word), "{text}");
        }
    }

    #[test]
    fn near_names_share_words() {
        let others = ["encoder/0/query/kernel", "head/bias"];
        assert_eq!(nearest("encoder.0.query.weight", others.into_iter()), Some(others[0]));
        assert_eq!(nearest("pooler", others.into_iter()), None);
    }
}
