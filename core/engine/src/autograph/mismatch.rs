//! Messages where two ways through a function disagree in what is no tensor: a host value, or the structure of a variable.
//! Branches, loops and returns compare their states and say which two ways they are.

use crate::structure::Place;
use kernels::error::Error;
use std::fmt;
use std::panic::Location;

/// A form that a part of a value had, by its path.
pub(super) type Form = (String, String);

/// What to write in place of a host value that only the graph knows.
fn as_tensor(name: &str, type_name: &str) -> String {
    let number = match type_name.trim_start_matches('&') {
        "str" | "alloc::string::String" => {
            return "the graph has no text: give back a number or truth value, and choose the text outside".to_owned();
        }
        _ if type_name.starts_with('&') => {
            return "the graph chooses between tensors, not between references: clone what they lead to".to_owned();
        }
        other if other.starts_with("alloc::collections::") || other.starts_with("std::collections::") => {
            return "branches and loops of the graph see the tensors of a `Vec`, of arrays, tuples and options: keep them in one"
                .to_owned();
        }
        _ if type_name.contains("::") => {
            let zero = if name.contains(' ') {
                "tf::constant(0)".to_owned()
            } else {
                format!("let mut {name} = tf::constant(0)")
            };
            return format!(
                "derive `Nest` for `{}` if it holds tensors, so that branches and loops see them; else say it by a number: \
                 `{zero}`",
                short(type_name)
            );
        }
        "f32" => "0.0",
        "f64" => "0f64",
        "bool" => "false",
        _ => "0",
    };
    match name.contains([' ', '*', '.']) {
        true => format!("make it a tensor on each way, such as `tf::constant({number})`"),
        false => format!("make it a tensor from the start, such as `let mut {name} = tf::constant({number})`"),
    }
}

/// Where two ways through a function disagree, for messages.
pub(super) struct Disagreement {
    pub op: &'static str,
    /// The two ways, such as "after the first branch of this `if`" and "after the other one".
    pub ways: [Way; 2],
    /// Variables that a value carries behind the user's own.
    pub yields: &'static [&'static str],
    pub location: &'static Location<'static>,
}

/// One of the ways.
pub(super) enum Way {
    Said(&'static str),
    /// The `return` in this line.
    Return(&'static Location<'static>),
    /// The `break`, or `continue`, in this line.
    Jump(&'static str, &'static Location<'static>),
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(text) => f.write_str(text),
            Self::Return(at) => write!(f, "where {}:{}:{} returns", at.file(), at.line(), at.column()),
            Self::Jump(what, at) => write!(f, "at the `{what}` in {}:{}:{}", at.file(), at.line(), at.column()),
        }
    }
}

impl Disagreement {
    /// What the user calls a part of a place.
    fn subject(&self, place: &Place<'_>, path: &str) -> String {
        let name = place.name;
        if !name.contains(' ') {
            let field = if path.is_empty() { String::new() } else { format!(".{}", path.replace('/', ".")) };
            return format!("`{name}{field}`");
        }
        let (own, rest) = path.split_once('/').unwrap_or((path, ""));
        let yielded = own.parse::<usize>().ok().filter(|_| !self.yields.is_empty());
        let (whole, path) = match yielded.map(|own| own.checked_sub(1).and_then(|own| self.yields.get(own))) {
            Some(Some(variable)) => (format!("`{variable}`"), rest),
            Some(None) => (name.to_owned(), rest),
            None => (name.to_owned(), path),
        };
        match path {
            "" => whole,
            path => format!("`.{}` of {whole}", path.replace('/', ".")),
        }
    }

    pub fn host_value(&self, place: &Place<'_>, path: Option<&str>) -> Error {
        let subject = self.subject(place, path.unwrap_or_default());
        let [a, b] = &self.ways;
        let what = match subject.starts_with('`') {
            true => format!("the host value {subject} is not the same {a} and {b}"),
            false => format!("{subject}, a host value, is not the same {a} and {b}"),
        };
        // The type of a value with others behind it is none that the user has written.
        let ty = match self.yields.is_empty() {
            true => format!("a `{}`", short(&place.type_name())),
            false => "a value of Rust".to_owned(),
        };
        let error = Error::invalid_argument(self.op, what)
            .got(format!("{ty}, which is part of the program and not of the graph"))
            .expected(
                "one value on all ways, since a condition or the number of rounds is known only when the graph runs",
            )
            .help(match path {
                Some(part) if !part.is_empty() => format!("make {subject} a tensor, on all ways"),
                _ => as_tensor(place.name, &place.type_name()),
            });
        self.named(error, place)
    }

    /// The structure differs: `tensors` says how many there are on each way, `forms` what a part of it is, if that is known.
    pub fn structure(&self, place: &Place<'_>, tensors: [usize; 2], forms: Option<(&Form, &Form)>) -> Error {
        let [one, other] = &self.ways;
        let differing = forms.filter(|(a, b)| a.0 == b.0);
        let what = match differing {
            Some(((path, a), (_, b))) => format!("{} is {a} {one}, and {b} {other}", self.subject(place, path)),
            None => {
                let [a, b] = tensors;
                format!("{} has {a} tensors {one}, and {b} {other}", self.subject(place, ""))
            }
        };
        let name = place.name.rsplit('.').next().unwrap_or(place.name);
        let whole = short(&place.type_name());
        let is_vec = whole.starts_with("Vec<");
        let is = |text: &str| differing.is_some_and(|((_, a), (_, b))| a.contains(text) || b.contains(text));
        let error = Error::invalid_argument(self.op, what)
            .got(format!("`{whole}`"))
            .expected("the same structure on all ways, of which one is taken when the graph runs; tensors in it may differ")
            .help(match (is("a list of "), place.name.contains(' ')) {
                (true, false) if !is_vec => {
                    format!("give `{name}` the same entries on all ways: what only some of them have is there from the start, \
                             such as `tf::zeros(..)`")
                }
                (true, false) if self.op == "tf_function" => format!(
                    "put what changes the length of `{name}` into a branch, `if .. {{ {name}.push(..) }}`, in place of a `return` in front of it"
                ),
                (true, _) if !holds_tensors(&whole) => format!(
                    "the graph makes longer what holds tensors alone: count in one, `let mut count = tf::constant(0)`, and \
                     make `{name}` of it after the call"
                ),
                (true, _) => format!(
                    "`push` tensors onto a variable of its own, declared as `let mut {} = Vec::new()` in this function; \
                     or use a `TensorArray`",
                    if place.name.contains([' ', '*']) { "all" } else { name }
                ),
                (false, true) => "give a truth value beside a tensor that is always there: `(found, value)`, with \
                                  `(tf::constant(false), tf::zeros(..))` where there is none"
                    .to_owned(),
                (false, false) if !(is("None") || is("Some(..)")) => {
                    format!("let a tensor say which one it is, such as `let mut {name} = tf::constant(0)`, and compare it")
                }
                (false, false) => {
                    format!("give `{name}` its final structure before, such as `Some(tf::zeros(..))` instead of `None`")
                }
            });
        self.named(error, place)
    }

    fn named(&self, error: Error, place: &Place<'_>) -> Error {
        let error = if place.name.contains(' ') { error } else { error.variable(place.name) };
        error.at(self.location)
    }
}

/// Whether a list's type may have tensors in it: one of numbers or texts has none.
fn holds_tensors(type_name: &str) -> bool {
    const HOST: [&str; 6] = ["bool", "char", "&str", "String", "usize", "isize"];
    let item = type_name.split_once('<').map_or(type_name, |(_, rest)| rest.trim_end_matches('>'));
    let is_number = item.starts_with(['i', 'u', 'f']) && item[1..].parse::<u8>().is_ok();
    !is_number && !HOST.contains(&item)
}

/// The name of a type without the modules in front of it.
pub(super) fn short(type_name: &str) -> String {
    let mut text = String::new();
    let mut word = 0;
    for c in type_name.chars() {
        match c {
            ':' => text.truncate(word),
            c => {
                text.push(c);
                if !c.is_alphanumeric() && c != '_' {
                    word = text.len();
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{holds_tensors, short};

    #[test]
    fn lists_of_numbers_and_texts() {
        let holds = [std::any::type_name::<Vec<crate::Tensor>>(), std::any::type_name::<Vec<(f32, crate::Tensor)>>()];
        assert!(holds.into_iter().all(|name| holds_tensors(&short(name))));
        let host = [std::any::type_name::<Vec<f32>>(), std::any::type_name::<Vec<String>>()];
        assert!(!host.into_iter().any(|name| holds_tensors(&short(name))));
    }

    #[test]
    fn types_as_users_write_them() {
        let name = std::any::type_name::<Option<(crate::Tensor, Vec<[crate::Variable; 2]>)>>();
        assert_eq!(short(name), "Option<(Tensor, Vec<[Variable; 2]>)>");
        assert_eq!(short("&str"), "&str");
    }
}
