//! Spells statements of a program so that they change a variable through a mutable reference, of which the text tells more or
//! less: by a function's result, a slice, a field. The writer of sources asks for every branch and loop.

use super::source::jumps_out;

/// How a reference is made, written and handed on: the declaration, the place, and what a function takes.
const FORMS: [[&str; 3]; 6] = [
    ["let LENT = lend(&mut VAR);", "*LENT", "LENT"],
    ["let LENT = std::slice::from_mut(&mut VAR);", "LENT[0]", "&mut LENT[0]"],
    ["let LENT = Held { tensor: &mut VAR };", "*LENT.tensor", "LENT.tensor"],
    ["let LENT = (lend(&mut VAR), 1);", "*LENT.0", "LENT.0"],
    ["let mut LENT = lend(&mut VAR);", "*LENT", "LENT"],
    ["let LENT = &mut VAR;", "*LENT", "LENT"],
];

/// What the sources call.
pub const HELPERS: &str = "struct Held<'a> { tensor: &'a mut Tensor }
fn lend(tensor: &mut Tensor) -> &mut Tensor { tensor }
fn set(tensor: &mut Tensor, value: Tensor) { *tensor = value; }
";

/// The statement, or a block in which it changes one of its variables through a reference.
pub fn borrowed(text: String, depth: usize) -> String {
    let hash =
        text.bytes().fold(0xcbf29ce484222325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3));
    if !hash.is_multiple_of(3) || jumps_out(&text) {
        return text;
    }
    let fitting: Vec<&str> = ["a", "b", "c", "u", "v", "k", "m"].into_iter().filter(|var| fits(&text, var)).collect();
    let Some(var) = fitting.get((hash >> 8) as usize % fitting.len().max(1)) else { return text };
    let [declare, place, handed] = FORMS[(hash >> 16) as usize % FORMS.len()];
    let (name, indent) = (format!("lent{depth}"), "    ".repeat(depth));
    let [declare, place, handed] = [declare, place, handed].map(|form| form.replace("LENT", &name).replace("VAR", var));
    let mut inside = String::new();
    for line in text.lines() {
        let value = line.trim_start().strip_prefix(&format!("{var} = ")).and_then(|rest| rest.strip_suffix(';'));
        match value.filter(|value| value.len() % 2 == 0) {
            // Not every block that begins with an assignment ends in its line.
            Some(value) => {
                let value = renamed(value, var, &place);
                inside += &format!("{indent}{{ let value = {value}; set({handed}, value); }}\n");
            }
            None => inside += &format!("{}\n", renamed(line, var, &place)),
        }
    }
    format!("{indent}{{\n{indent}{declare}\n{inside}{indent}}}\n")
}

/// Where a name stands as a whole word.
fn places<'t>(text: &'t str, var: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\'');
    text.match_indices(var)
        .map(|(at, _)| at)
        .filter(move |at| !is_word(text[..*at].chars().next_back()) && !is_word(text[at + var.len()..].chars().next()))
}

/// Whether a variable is read, so that it has a value before, then assigned, and nowhere moved.
fn fits(text: &str, var: &str) -> bool {
    let (mut read, mut assigned) = (false, false);
    places(text, var).all(|at| {
        let (before, after) = (&text[..at], &text[at + var.len()..]);
        let line = before.trim_end_matches(' ');
        let is_assigned = after.starts_with(" = ") && (line.is_empty() || line.ends_with('\n'));
        assigned |= is_assigned;
        read |= !is_assigned;
        read && is_assigned || before.ends_with('&') || before.ends_with("&mut ") || after.starts_with(".clone()")
    }) && assigned
}

fn renamed(line: &str, var: &str, place: &str) -> String {
    let (mut text, mut from) = (String::new(), 0);
    for at in places(line, var) {
        text += &line[from..at];
        let is_called = line[at + var.len()..].starts_with('.');
        text += &if is_called { format!("({place})") } else { place.to_owned() };
        from = at + var.len();
    }
    text + &line[from..]
}
