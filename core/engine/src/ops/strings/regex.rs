//! `regex_replace` and `regex_full_match`: matches replaced, and whether a pattern matches whole strings.
//! TensorFlow's names and RE2's syntax (see `re2.rs`); the engine is the crate `regex`, whose matches are RE2's: leftmost, first.

use super::bytes::begins;
use super::re2::{Rewrite, compiled};
use super::{map, numbers, same_shape, string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::Result;
use regex::bytes::Regex;
use std::sync::Arc;

#[derive(Clone)]
struct RegexReplace {
    pattern: Arc<str>,
    rewrite: Arc<str>,
    /// Whether all matches are replaced, not the first alone.
    all: bool,
    made: Arc<(Regex, Rewrite)>,
}

string_op!(RegexReplace, "regex_replace", {
        "pattern": Text = |this| &this.pattern,
        "rewrite": Text = |this| &this.rewrite,
        "all": Bool = |this| this.all,
    }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::String),
    run: |this, inputs| map("regex_replace", inputs[0], |row, out| {
        let (pattern, rewrite) = &*this.made;
        let mut done = 0;
        for captures in pattern.captures_iter(row) {
            let Some(whole) = captures.get(0) else { break };
            if whole.is_empty() && parts_a_character(row, whole.start()) {
                continue;
            }
            out.extend_from_slice(&row[done..whole.start()]);
            rewrite.append(&captures, out);
            done = whole.end();
            if !this.all {
                break;
            }
        }
        out.extend_from_slice(&row[done..]);
        Ok(())
    })
);

#[derive(Clone)]
struct RegexFullMatch {
    pattern: Arc<str>,
    made: Arc<Regex>,
}

string_op!(RegexFullMatch, "regex_full_match", { "pattern": Text = |this| &this.pattern }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::Bool),
    run: |this, inputs| numbers("regex_full_match", inputs[0], |row| Ok(this.made.is_match(row)))
);

/// Whether a place lies inside of a character of UTF-8, where RE2 finds no empty match.
fn parts_a_character(row: &[u8], at: usize) -> bool {
    if row.get(at).is_none_or(|&byte| begins(byte)) {
        return false;
    }
    let lead = (at.saturating_sub(3)..at).rev().find(|&i| begins(row[i]));
    let length = |lead: usize| row[lead].leading_ones() as usize;
    lead.is_some_and(|lead| {
        let character = row.get(lead..lead + length(lead));
        lead + length(lead) > at && character.is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
    })
}

#[track_caller]
fn replaced(x: &Tensor, pattern: &str, rewrite: &str, all: bool) -> Result<Tensor> {
    let regex = compiled("regex_replace", pattern)?;
    let made = Arc::new((regex.clone(), Rewrite::new("regex_replace", rewrite, &regex)?));
    execute1(&RegexReplace { pattern: pattern.into(), rewrite: rewrite.into(), all, made }, &[x])
}

string_fn! {
    /// Each string with every match of a pattern replaced; in the rewrite `\0` is the match, `\1` its first group.
    ///
    /// The syntax is RE2's. A rewrite that is wrong is an error here, where TensorFlow leaves the match out or as it is.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(["Text with tags.<br /><b>contains html</b>"]);
    /// assert_eq!(tf::strings::regex_replace(&x, "<[^>]+>", " ").to_strings(), ["Text with tags.  contains html "]);
    /// assert_eq!(tf::strings::regex_replace("john smith", r"(\w+) (\w+)", r"\2, \1").item_string(), "smith, john");
    /// ```
    pub fn regex_replace, try_regex_replace(x, pattern: &str, rewrite: &str) -> Tensor {
        replaced(x, pattern, rewrite, true)
    }

    /// As [`regex_replace`], of the first match of each string alone: TensorFlow's `replace_global=False`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::strings::regex_replace_first("aaa", "a", "b").item_string(), "baa");
    /// ```
    pub fn regex_replace_first, try_regex_replace_first(x, pattern: &str, rewrite: &str) -> Tensor {
        replaced(x, pattern, rewrite, false)
    }

    /// Whether a pattern matches each string as a whole.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(["TF lib", "lib TF"]);
    /// assert_eq!(tf::strings::regex_full_match(&x, ".*lib$").to_vec::<bool>(), [true, false]);
    /// ```
    pub fn regex_full_match, try_regex_full_match(x, pattern: &str) -> Tensor {
        compiled("regex_full_match", pattern)?;
        let whole = Arc::new(compiled("regex_full_match", &format!(r"\A(?:{pattern})\z"))?);
        execute1(&RegexFullMatch { pattern: pattern.into(), made: whole }, &[x])
    }
}
