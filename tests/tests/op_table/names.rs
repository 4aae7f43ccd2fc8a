//! `docs/from-tensorflow.md` against TensorFlow's list of functions and the crate's public names, so that the page cannot go stale.
//! The list is `golden/names.txt`, made from the installed TensorFlow; the public names are those of `public_names.txt`.

use super::report;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../docs/from-tensorflow.md");
const LISTED: &str = include_str!("../../golden/names.txt");
const PUBLIC: &str = include_str!("../../public_names.txt");

/// The rows of the page: the function in TensorFlow, what it is here, and where.
fn rows() -> Vec<[&'static str; 3]> {
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.splitn(3, " | ").map(str::trim).collect();
        let [name, state, place] = cells[..] else { return None };
        Some([name.strip_prefix("`tf.")?.strip_suffix('`')?, state, place])
    };
    PAGE.lines().filter_map(row).collect()
}

/// The words between back quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn public() -> BTreeSet<&'static str> {
    PUBLIC.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect()
}

#[test]
fn each_function_of_tensorflow_is_on_the_page_once() {
    let mut complaints = Vec::new();
    let listed: Vec<&str> = LISTED.lines().skip(1).filter_map(|line| line.strip_prefix("tf.")).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    rows().iter().for_each(|[name, ..]| *seen.entry(*name).or_default() += 1);
    for name in &listed {
        if seen.remove(name) != Some(1) {
            complaints.push(format!("`tf.{name}` is not on the page once"));
        }
    }
    complaints.extend(seen.keys().map(|name| format!("`tf.{name}` is none of TensorFlow's functions")));
    report(complaints);
}

#[test]
fn the_page_says_what_is_there() {
    let public = public();
    let mut complaints = Vec::new();
    for [name, state, place] in rows() {
        let own = name.replace('.', "::");
        let is_there = [own.clone(), format!("{own}_")].iter().any(|own| public.contains(own.as_str()));
        let fault = match state {
            "there" if quoted(place).any(|here| public.contains(here)) => None,
            "there" => Some("is said to be there, but has no public name"),
            "another form" if quoted(place).any(|here| public.contains(here)) => None,
            "another form" => Some("is said to have another form, but no word of that is a public name"),
            "later" if is_there => Some("is said to come later, but is there"),
            "later" if place.is_empty() => None,
            "left out" if !place.is_empty() && !is_there => None,
            _ => Some("has a state that is none, or is left out without a reason"),
        };
        complaints.extend(fault.map(|fault| format!("`tf.{name}` {fault}")));
    }
    report(complaints);
}

#[test]
fn the_page_counts_its_rows() {
    let rows = rows();
    let count = |state| rows.iter().filter(|row| row[1] == state).count();
    let (there, other, later, out) = (count("there"), count("another form"), count("later"), count("left out"));
    let text =
        format!("{} functions: {there} there, {other} in another form, {later} later, {out} left out.", rows.len());
    assert!(PAGE.lines().any(|line| line == text), "the page should say: {text}");
}
