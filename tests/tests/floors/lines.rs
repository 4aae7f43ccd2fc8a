//! The user's line is asked for outside of closures: `#[track_caller]` does not reach into one, whose caller is a line of the library or of `core`.
//! What public functions say of errors stands on it.

use super::dead::without_tests;
use super::library;
use syn::visit::{self, Visit};

/// Closures that ask for their caller, by the line of each question.
#[derive(Default)]
struct Questions {
    within: usize,
    found: Vec<String>,
}

impl<'a> Visit<'a> for Questions {
    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.within += 1;
        visit::visit_expr_closure(self, closure);
        self.within -= 1;
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func {
            let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let [.., ty, function] = &names[..] else { return visit::visit_expr_call(self, call) };
            if self.within > 0 && ty == "Location" && function == "caller" {
                self.found.push(names.join("::"));
            }
        }
        visit::visit_expr_call(self, call);
    }
}

#[test]
fn no_closure_asks_for_the_users_line() {
    let (names, mut faults, mut items) = (library(), Vec::new(), 0);
    for krate in &names.crates {
        for module in &krate.modules {
            let mut questions = Questions::default();
            for item in module.items.iter().filter(|item| !matches!(item, syn::Item::Mod(_))) {
                items += 1;
                questions.visit_item(&without_tests(item));
            }
            if !questions.found.is_empty() {
                let times = questions.found.len();
                faults.push(format!(
                    "{} {}: {times} times; ask before, `let here = Location::caller();`",
                    krate.name,
                    module.name()
                ));
            }
        }
    }
    assert!(items > 3000, "the items of the library are found: {items}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_question_in_a_closure_is_found() {
    let item =
        syn::parse_str("fn f() { g().map_err(|e| e.at(Location::caller())); Location::caller(); }").expect("Rust");
    let mut questions = Questions::default();
    questions.visit_item(&item);
    assert_eq!(questions.found, ["Location::caller"]);
}
