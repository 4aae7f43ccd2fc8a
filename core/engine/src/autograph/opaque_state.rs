//! Errors for state of which a trace cannot see what changes in it: types that show no tensors, iterators, references that are
//! exchanged. Branches and loops of the graph ask here where they begin and end.

use super::mismatch::short;
use crate::autodiff::{GradientTape, PersistentTape};
use crate::structure::{Kind, Place, type_id};
use kernels::error::{Error, Result};
use std::any::TypeId;
use std::panic::Location;

/// An error for a variable that a branch or loop of the graph may change while nobody can tell how.
pub(super) fn none_hidden(op: &'static str, places: &[Place<'_>], location: &'static Location<'static>) -> Result<()> {
    no_hidden_lending(op, places, location)?;
    let hides = |place: &&Place<'_>| matches!(place.kind(), Kind::Opaque | Kind::Cloned) && !is_tape(place.type_id());
    places.iter().find(hides).map_or(Ok(()), |place| Err(shows_nothing(op, place, location)))
}

/// Whether a type is that of a tape, which records what the graph does.
pub(super) fn is_tape(ty: TypeId) -> bool {
    [type_id::<GradientTape>(), type_id::<PersistentTape>()].contains(&ty)
}

/// The places but for iterators: what a `while let` asks for its next item is the same on all ways of its body.
pub(super) fn advanced<'a>(places: &'a mut [Place<'_>]) -> Vec<Place<'a>> {
    let iterates = |place: &Place<'_>| place.type_name().contains("Iter<") || place.type_name().contains("::iter::");
    places.iter_mut().filter(|place| !iterates(place)).map(Place::reborrow).collect()
}

/// An error for a variable that lends by `&mut` what neither text nor type tells: slices of no structures, and iterators, which
/// hold what is left of a list.
pub(super) fn no_hidden_lending(
    op: &'static str,
    places: &[Place<'_>],
    location: &'static Location<'static>,
) -> Result<()> {
    let known = |ty: String| is_slice(&ty) || ty.contains("IterMut<") || ty.contains("ChunksMut<");
    let lends = |place: &&Place<'_>| match place.kind() {
        Kind::Lending => true,
        Kind::Opaque | Kind::HandedOn => known(place.type_name()),
        Kind::Nest | Kind::Compared | Kind::Cloned | Kind::References => false,
    };
    match places.iter().find(lends) {
        None => Ok(()),
        Some(place) if place.kind() == Kind::Lending => Err(unseen_items(location)),
        Some(place) => Err(unseen_list(op, place, location)),
    }
}

#[cold]
fn shows_nothing(op: &'static str, place: &Place<'_>, location: &'static Location<'static>) -> Error {
    let (name, ty, whole) = (place.name.trim_start_matches('*'), short(&place.type_name()), place.type_name());
    if name.contains(' ') {
        return value_shows_nothing(op, name, &ty, location);
    }
    let construct = if op == "if" { "branch" } else { "loop" };
    let unless = match name.contains('.') {
        true => format!("if nothing changes there, put `let it = &{name};` in front of the `{op}`, and use that"),
        false => format!("if nothing changes there, put `let {name} = &{name};` in front of the `{op}`"),
    };
    let help = match whole.contains("{{closure}}") || whole.contains("dyn ") {
        true => format!("pass what it changes to it as an argument, and take the new value from its result; {unless}"),
        false => format!("derive `Nest` for `{ty}`, if it is a structure of tensors; {unless}"),
    };
    Error::failed_precondition(op, format!("a {construct} of the graph may change `{name}`, or what it leads to, which its type does not show"))
        .got(format!("`{ty}`"))
        .expected("a structure of tensors, or a host value that can be compared: what happens there is known only when the graph runs")
        .help(help)
        .variable(name)
        .at(location)
}

#[cold]
fn value_shows_nothing(op: &'static str, name: &str, ty: &str, location: &'static Location<'static>) -> Error {
    Error::failed_precondition(op, format!("{name} is of a type of which the graph cannot choose a value"))
        .got(format!("`{ty}`"))
        .expected("a structure of tensors, or a host value that can be compared and is the same on all ways")
        .help(format!(
            "derive `Nest` for `{ty}`, if it is a structure of tensors; or choose by a condition of the host"
        ))
        .at(location)
}

#[cold]
fn unseen_items(location: &'static Location<'static>) -> Error {
    let what = "a branch of the graph ends a pass of this `for`, whose body may change what its items lead to";
    Error::failed_precondition("for", what)
        .expected("elements that are changed by the name of their list: whether that happens is known only when the graph runs")
        .help("go by index, `for k in 0..list.len()`, and write `list[k] = ..`; or put the change into the branch")
        .at(location)
}

#[cold]
fn unseen_list(op: &'static str, place: &Place<'_>, location: &'static Location<'static>) -> Error {
    let (name, ty) = (place.name.trim_start_matches('*'), short(&place.type_name()));
    let (what, got) = match is_slice(&place.type_name()) {
        true => ("slice", format!("`&mut {ty}`")),
        false => ("iterator", format!("`{ty}`")),
    };
    Error::failed_precondition(op, format!("a branch or loop of the graph may change what the {what} `{name}` lends"))
        .got(got)
        .expected("changes by the name of the list itself: whether they happen is known only when the graph runs")
        .help(
            "make the iterator there, `for element in list.iter_mut()`, or write `list[i] = ..`; a slice that is only read is \
             lent as `&*slice`",
        )
        .variable(name)
        .at(location)
}

/// An error for a variable that leads elsewhere after a branch, or a round of a loop, than before it.
#[cold]
pub(super) fn leads_elsewhere(op: &'static str, name: &str, ty: &str, location: &'static Location<'static>) -> Error {
    let construct = if op == "if" { "branch" } else { "loop" };
    Error::invalid_argument(op, format!("a {construct} of the graph changes which places `{name}` leads to"))
        .got(format!("`{}`, with other references in it, or in another order", short(ty)))
        .expected("the same references on all ways, since a condition or the number of rounds is known only when the graph runs")
        .help("exchange the tensors that they lead to, such as `std::mem::swap(&mut *list[0], &mut *list[1])`")
        .variable(name)
        .at(location)
}

fn is_slice(type_name: &str) -> bool {
    type_name.starts_with('[') && !type_name.contains("; ") && type_name.contains("::")
}
