//! The only stage that refuses: unions, and faults that parsing found in attributes.
//! Whether a field's type is a module is rustc's question, answered at the field.

use super::parse::Module;
use crate::diag::Faults;
use crate::diag::MODULE;

pub fn check(module: &Module) -> syn::Result<()> {
    let mut faults = Faults::new();
    if module.is_union {
        faults.add(&module.name, MODULE.union);
    }
    for fault in &module.faults {
        faults.push(fault.clone());
    }
    faults.check()
}
