//! What a list of variables refuses: layers that are not built, cells that somebody changes, two variables of one path.
//! The lists of [`Named`](super::fields::Named) ask before they answer.

use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::collections::HashSet;

/// Refuses two variables with one path, by which nobody could tell them apart: keys of a map that are displayed alike.
pub(super) fn one_path_each(list: &str, built: &[(String, Variable)]) -> Result<()> {
    let mut seen = HashSet::with_capacity(built.len());
    match built.iter().find(|(path, _)| !seen.insert(path.as_str())) {
        None => Ok(()),
        Some((path, _)) => Err(two_of_a_path(list, path)),
    }
}

#[cold]
pub(super) fn is_borrowed(list: &str, path: &str) -> Error {
    Error::failed_precondition(
        list,
        format!("the field `{path}` is mutably borrowed, so its variables cannot be listed"),
    )
    .got("a `RefCell` that somebody is changing")
    .expected("a module of which nobody holds a `RefMut` while its variables are listed")
    .help("drop what `borrow_mut()` gave before")
}

#[cold]
fn two_of_a_path(list: &str, path: &str) -> Error {
    Error::invalid_argument(list, format!("two variables of the module are called `{path}`"))
        .got("keys of a map that are displayed alike, or two fields that a `visit` gives one name")
        .expected("a path of its own for each variable, by which checkpoints find it")
        .help("use keys whose texts differ, and no `/` in them, which stands between the names of a path")
}

/// How many missing variables a message names.
const NAMED: usize = 4;

#[cold]
pub(super) fn not_built(list: &str, missing: &[String]) -> Error {
    let layer = |path: &String| path.rsplit_once('/').map(|(layer, _)| layer.to_owned());
    let what = match layer(&missing[0]) {
        Some(layer) => format!("the layer `{layer}` is not built yet"),
        None => "the layer is not built yet".to_owned(),
    };
    let names: Vec<String> = missing.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = missing.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Error::failed_precondition(list, what)
        .got(match missing[0].is_empty() {
            true => "a variable that is not made yet".to_owned(),
            false => format!("no variable yet for {}{more}", names.join(", ")),
        })
        .expected("a module whose layers are all built, so that no variable is missing in the list")
        .help(
            "call the model once on an input, or the layer's `build(input_shape)`, and ask then; `built_variables()` lists what is \
             there so far",
        )
}
