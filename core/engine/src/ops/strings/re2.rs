//! Patterns and rewrites of RE2, which TensorFlow uses, for the crate `regex`: what the two write differently is translated.
//! In RE2 `\w`, `\d`, `\s` and `\b` are of ASCII, `[` and `&` are plain in classes, and a rewrite names groups by `\1`.

use kernels::error::{Error, Result};
use regex::bytes::{Captures, Regex};

/// A compiled pattern.
pub(super) fn compiled(op: &str, pattern: &str) -> Result<Regex> {
    let translated = translated(pattern);
    // Programs of the size that RE2 allows.
    regex::bytes::RegexBuilder::new(&translated).size_limit(64 << 20).build().map_err(|e| {
        Error::invalid_argument(op, "the pattern is no regular expression").got(format!("`{pattern}`: {e}")).help(
            "look-around and references in patterns are no regular expressions, as in RE2; write a plain `{` as `\\{`",
        )
    })
}

/// A pattern of RE2 as `regex` takes it.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    // Where a class is open, how many characters of it there were.
    let mut class: Option<usize> = None;
    while let Some(c) = chars.next() {
        match (c, class) {
            ('\\', _) => {
                let Some(escaped) = chars.next() else {
                    out.push('\\');
                    break;
                };
                let (open, close) = if class.is_some() { ("", "") } else { ("[", "]") };
                match escaped {
                    'd' => out.extend([open, "0-9", close]),
                    'w' => out.extend([open, "0-9A-Za-z_", close]),
                    's' => out.extend([open, r"\t\n\f\r ", close]),
                    'D' => out.push_str("[^0-9]"),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    'S' => out.push_str(r"[^\t\n\f\r ]"),
                    'b' if class.is_none() => out.push_str(r"(?-u:\b)"),
                    'B' if class.is_none() => out.push_str(r"(?-u:\B)"),
                    'C' if class.is_none() => out.push_str("(?s-u:.)"),
                    'Q' if class.is_none() => {
                        let mut literal = String::new();
                        for c in chars.by_ref() {
                            literal.push(c);
                            if literal.ends_with("\\E") {
                                literal.truncate(literal.len() - 2);
                                break;
                            }
                        }
                        out.push_str(&regex::escape(&literal));
                    }
                    other => out.extend(['\\', other]),
                }
                class = class.map(|n| n + 1);
            }
            ('[', None) => {
                out.push('[');
                class = Some(0);
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            // The first of a class is plain.
            (']', Some(0)) => {
                out.push_str("\\]");
                class = Some(1);
            }
            (']', Some(_)) => {
                out.push(']');
                class = None;
            }
            ('[', Some(n)) if chars.peek() == Some(&':') => {
                // A named class, up to its end.
                out.push('[');
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
                class = Some(n + 1);
            }
            ('[' | '&' | '~', Some(n)) => {
                out.extend(['\\', c]);
                class = Some(n + 1);
            }
            (other, _) => {
                out.push(other);
                class = class.map(|n| n + 1);
            }
        }
    }
    out
}

/// A part of a rewrite.
#[derive(Clone)]
enum Piece {
    Bytes(Vec<u8>),
    Group(usize),
}

/// What a match is replaced with.
#[derive(Clone)]
pub(super) struct Rewrite(Vec<Piece>);

impl Rewrite {
    /// A rewrite of RE2: `\0` to `\9` are groups, `\\` is a backslash.
    pub fn new(op: &str, rewrite: &str, pattern: &Regex) -> Result<Self> {
        let wrong = |what: &str| {
            Err(Error::invalid_argument(op, what.to_owned())
                .got(format!("`{rewrite}` for `{}`", pattern.as_str()))
                .expected("`\\0` for the match, `\\1` to `\\9` for groups of the pattern, `\\\\` for a backslash"))
        };
        let mut pieces = Vec::new();
        let mut plain = Vec::new();
        let mut bytes = rewrite.bytes();
        while let Some(byte) = bytes.next() {
            if byte != b'\\' {
                plain.push(byte);
                continue;
            }
            match bytes.next() {
                Some(b'\\') => plain.push(b'\\'),
                Some(digit @ b'0'..=b'9') => {
                    let group = usize::from(digit - b'0');
                    if group >= pattern.captures_len() {
                        return wrong("the rewrite names a group that the pattern has not");
                    }
                    pieces.push(Piece::Bytes(std::mem::take(&mut plain)));
                    pieces.push(Piece::Group(group));
                }
                _ => return wrong("a backslash in the rewrite is followed by neither a digit nor a backslash"),
            }
        }
        pieces.push(Piece::Bytes(plain));
        Ok(Self(pieces))
    }

    /// Appends what replaces a match.
    pub fn append(&self, captures: &Captures<'_>, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::Group(group) => {
                    if let Some(matched) = captures.get(*group) {
                        out.extend_from_slice(matched.as_bytes());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn what_the_two_write_differently() {
        for (re2, ours) in [
            (r"\w+", "[0-9A-Za-z_]+"),
            (r"[\w.]", "[0-9A-Za-z_.]"),
            (r"[^\D]", "[^[^0-9]]"),
            (r"a\b", r"a(?-u:\b)"),
            ("[[]", r"[\[]"),
            ("[]a]", r"[\]a]"),
            ("[^]a]", r"[^\]a]"),
            ("[[:alpha:]&&]", r"[[:alpha:]\&\&]"),
            (r"\Qa.b\Ec", r"a\.bc"),
            (r"\.\\", r"\.\\"),
        ] {
            assert_eq!(translated(re2), ours, "{re2}");
        }
    }
}
