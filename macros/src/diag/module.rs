//! Texts of `#[derive(Module)]` about the options of its fields.
//! The stages that parse and check take them from here.

pub const TWICE: &str = "this option stands twice on one field\nhelp: leave one of them out";

pub const NO_PATH: &str = "a field that is skipped or a value is in no path and no checkpoint, so it has no name there\n\
                           help: leave this option out, or the `skip` or `value`";

pub const NO_VARIABLES: &str = "a field that is skipped or a value holds no variables that could be trained\n\
                                help: leave out `not_trainable`, or the `skip` or `value`";

pub const EMPTY_NAME: &str =
    "a field needs a name: paths and checkpoints find it by that\nhelp: give it one, or leave the option out";

pub const SLASH: &str = "a name has no `/`, which stands between the names of a path\n\
                         help: use `_` or `.`; a path of several names is a module in a module";

pub const GAP: &str =
    "a name on the former path is empty\nhelp: write it as `outer/inner`, from the module on that has the field";

pub const SAME_FORMER: &str = "this is the field's name now\n\
                               help: `renamed_from` takes the name that it had when a checkpoint was written; leave it out if the name is the same";

pub const FORMER_TWICE: &str = "this former name stands twice\nhelp: leave one of them out";

pub fn same_name(name: &str) -> String {
    format!("two fields are called `{name}` in paths and checkpoints\nhelp: give one of them another name")
}

pub fn former_of_another(name: &str) -> String {
    format!(
        "another field is called `{name}`, so a checkpoint would not tell which of them it means\n\
         help: leave it out, or give the other field another name"
    )
}

pub fn former_of_both(name: &str) -> String {
    format!(
        "another field was called `{name}` too, so a checkpoint would not tell which of them it means\n\
         help: leave one of them out"
    )
}
