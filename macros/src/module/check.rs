//! The only stage that refuses: unions, faults that parsing found in attributes, and options that do not go together.
//! Whether a field's type is a module is rustc's question, answered at the field.

use super::parse::{Field, How, Module};
use crate::diag::module as text;
use crate::diag::{Faults, MODULE};
use syn::LitStr;

pub fn check(module: &Module) -> syn::Result<()> {
    let mut faults = Faults::new();
    if module.is_union {
        faults.add(&module.name, MODULE.union);
    }
    for fault in &module.faults {
        faults.push(fault.clone());
    }
    for variant in &module.variants {
        let mut before: Vec<&Field> = Vec::new();
        for field in &variant.fields {
            options(field, &mut faults);
            if field.how == How::Visit {
                names(field, &before, &variant.fields, &mut faults);
                before.push(field);
            }
        }
    }
    faults.check()
}

/// Whether each option of a field means something for it.
fn options(field: &Field, faults: &mut Faults) {
    let names = || field.rename.iter().chain(&field.former);
    if field.how != How::Visit {
        names().for_each(|name| faults.add(name, text::NO_PATH));
        field.not_trainable.iter().for_each(|word| faults.add(word, text::NO_VARIABLES));
    }
    for name in names().filter(|name| name.value().trim().is_empty()) {
        faults.add(name, text::EMPTY_NAME);
    }
    for name in field.rename.iter().filter(|name| name.value().contains('/')) {
        faults.add(name, text::SLASH);
    }
    // A field may have been a part of a part; then its former name is a path.
    let has_gap = |path: &str| path.contains('/') && path.split('/').any(|name| name.trim().is_empty());
    for name in field.former.iter().filter(|name| has_gap(&name.value())) {
        faults.add(name, text::GAP);
    }
}

/// Whether the names of a field, now and before, are its own.
fn names(field: &Field, before: &[&Field], all: &[Field], faults: &mut Faults) {
    let own = field.path_name();
    if let Some(other) = before.iter().find(|other| other.path_name() == own) {
        // One of the two has the option, as fields of one name are rustc's to refuse.
        let at = field.rename.as_ref().or(other.rename.as_ref());
        at.into_iter().for_each(|at| faults.add(at, text::same_name(&own)));
    }
    for (i, former) in field.former.iter().enumerate() {
        let name = former.value();
        let is = |other: &&LitStr| other.value() == name;
        let others = || all.iter().filter(|other| other.how == How::Visit && other.member != field.member);
        if name == own {
            faults.add(former, text::SAME_FORMER);
        } else if field.former[..i].iter().any(|other| is(&other)) {
            faults.add(former, text::FORMER_TWICE);
        } else if others().any(|other| other.path_name() == name) {
            faults.add(former, text::former_of_another(&name));
        } else if before.iter().flat_map(|other| &other.former).any(|other| is(&other)) {
            faults.add(former, text::former_of_both(&name));
        }
    }
}
