//! How a function is written once for both compilers: in the part of Rust that is C++ but for `let`.
//! The files of this folder use the macros; only f64 values, `if (..) { }`, `while (..) { }`, `return ..;` and calls may stand in bodies.

/// Writes functions of f64 numbers, and `text()`, the same functions in CUDA C++.
///
/// Polynomials and Chebyshev series stand in front: tables of numbers, lowest degree first, whose text has the same digits.
macro_rules! special {
    (
        $(tables { $($(#[$table_doc:meta])* $kind:ident $table:ident: [$($number:expr),* $(,)?];)* })?
        $($(#[$doc:meta])* fn $name:ident($($p:ident),*) $body:block)*
    ) => {
        $($($(#[$table_doc])*
        #[allow(clippy::excessive_precision, clippy::unreadable_literal, reason = "the digits of the source")]
        fn $table(x: f64) -> f64 {
            $crate::backend::special::macros::$kind(&[$($number),*], x)
        })*)?

        $($(#[$doc])*
        #[allow(
            unused_parens,
            unused_assignments,
            clippy::approx_constant,
            clippy::assign_op_pattern,
            clippy::collapsible_else_if,
            clippy::eq_op,
            clippy::excessive_precision,
            clippy::manual_range_contains,
            clippy::many_single_char_names,
            clippy::needless_return,
            reason = "the text is C++ too"
        )]
        pub fn $name($($p: f64),*) -> f64 $body)*

        /// These functions in CUDA C++.
        pub(super) fn text() -> String {
            let mut text = String::new();
            $($(text += &$crate::backend::special::macros::table_text(
                stringify!($table), stringify!($kind), &[$($number),*]);)*)?
            $(text += &$crate::backend::special::macros::function_text(
                stringify!($name), &[$(stringify!($p)),*], stringify!($body));)*
            text
        }
    };
}
pub(super) use special;

/// c0 + x (c1 + x (c2 + ...)).
pub(super) fn polynomial(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The sum of c_k T_k(x) for x in [-1, 1], by Clenshaw's recurrence.
pub(super) fn chebyshev(c: &[f64], x: f64) -> f64 {
    let (mut next, mut after) = (0.0, 0.0);
    for c in c[1..].iter().rev() {
        (next, after) = (2.0 * x * next - after + c, next);
    }
    x * next - after + c[0]
}

/// A table's function in C++.
pub(super) fn table_text(name: &str, kind: &str, numbers: &[f64]) -> String {
    let count = numbers.len();
    let list = numbers.iter().map(|c| format!("{c:e}")).collect::<Vec<_>>().join(", ");
    let body = match kind {
        "polynomial" => {
            format!("double sum = 0.0;\n  for (int i = {count} - 1; i >= 0; --i) sum = sum * x + c[i];\n  return sum;")
        }
        _ => format!(
            "double next = 0.0, after = 0.0;\n  for (int i = {count} - 1; i > 0; --i) {{\n    \
             const double here = 2.0 * x * next - after + c[i];\n    after = next;\n    next = here;\n  }}\n  \
             return x * next - after + c[0];"
        ),
    };
    format!(
        "__device__ __noinline__ double {name}(double x) {{\n  const double c[{count}] = {{{list}}};\n  {body}\n}}\n"
    )
}

/// A function in C++: its tokens, with `double` for `let`.
pub(super) fn function_text(name: &str, parameters: &[&str], body: &str) -> String {
    let parameters = parameters.iter().map(|p| format!("double {p}")).collect::<Vec<_>>().join(", ");
    // Lines are broken anywhere, also behind `let`.
    let words = body.split_whitespace().filter(|word| *word != "mut");
    let body = words.map(|word| if word == "let" { "double" } else { word }).collect::<Vec<_>>().join(" ");
    format!("__device__ __noinline__ double {name}({parameters}) {body}\n")
}
