//! Several kernels as one text: the prelude once, then each text in a namespace of its own, where its types, functions and
//! macros clash with nobody's. `program.rs` compiles it; a kernel's name gets the namespace's as an ending.

use super::program::{PRELUDE, Wanted};
use std::fmt::Write;

/// How every kernel of every text begins, and what may stand before its name.
const HEAD: &str = "extern \"C\" __global__ void ";
const BOUNDS: &str = "__launch_bounds__(";

/// The text with all kernels, and the name of each in it. A kernel alone keeps its name.
pub(super) fn joined(kernels: &[Wanted]) -> (String, Vec<String>) {
    if let [only] = kernels {
        return (format!("{PRELUDE}{}", only.text), vec![only.name.clone()]);
    }
    let mut all = format!(
        "{PRELUDE}#define JOINED(name, space) name##_##space\n#define NAMED(name, space) JOINED(name, space)\n"
    );
    let (mut texts, mut names): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for kernel in kernels {
        // A text may hold several kernels that are wanted.
        let space = texts.iter().position(|t| *t == kernel.text).unwrap_or_else(|| {
            texts.push(&kernel.text);
            texts.len() - 1
        });
        names.push(format!("{}_k{space}", kernel.name));
    }
    for (i, text) in texts.iter().enumerate() {
        let _ = writeln!(all, "namespace k{i} {{\n{}\n}}", renamed(text, &format!("k{i}")));
        for name in defined(text) {
            let _ = writeln!(all, "#undef {name}");
        }
    }
    // Whoever lists the kernels behind the text finds them without their namespaces.
    for i in 0..texts.len() {
        let _ = writeln!(all, "using namespace k{i};");
    }
    (all, names)
}

/// The text with new names of its kernels. It is `NAMED(name, space)` in the body of a macro, whose parameter the name may be, and
/// where the name itself is a macro.
fn renamed(text: &str, space: &str) -> String {
    let (mut all, mut in_macro) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        in_macro |= line.starts_with('#');
        let mut parts = line.split(HEAD);
        all.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let bounds =
                part.strip_prefix(BOUNDS).and_then(|rest| rest.find(") ")).map_or(0, |end| BOUNDS.len() + end + 2);
            let (bounds, part) = part.split_at(bounds);
            let (name, rest) = part.split_once('(').unwrap_or((part, ""));
            let _ = match in_macro || defined(text).any(|other| other == name) {
                true => write!(all, "{HEAD}{bounds}NAMED({name}, {space})({rest}"),
                false => write!(all, "{HEAD}{bounds}{name}_{space}({rest}"),
            };
        }
        in_macro &= line.trim_end().ends_with('\\');
    }
    all
}

/// The macros that a text defines.
fn defined(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("#define ")).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::program::Form;

    fn wanted(name: &str, text: &str) -> Wanted {
        let form = Form { of: 0, attributes: 0, types: 0, layout: 0 };
        Wanted { form, name: name.into(), text: text.into() }
    }

    #[test]
    fn kernels_share_a_text_and_clash_with_nobody() {
        let add = "#define STEP 1\ntypedef float T0;\nextern \"C\" __global__ void __launch_bounds__(STEP, 1) add(T0* x) { *x += STEP; }\n";
        let pair = "#define TWICE(name) \\\n  extern \"C\" __global__ void name(int* x) { *x *= 2; }\nTWICE(one)\nTWICE(two)\n";
        let (text, names) = joined(&[wanted("add", add), wanted("two", pair), wanted("one", pair)]);
        assert_eq!(names, ["add_k0", "two_k1", "one_k1"]);
        let own = text.strip_prefix(PRELUDE).unwrap();
        let expected = [
            "#define JOINED(name, space) name##_##space",
            "#define NAMED(name, space) JOINED(name, space)",
            "namespace k0 {",
            "#define STEP 1",
            "typedef float T0;",
            "extern \"C\" __global__ void __launch_bounds__(STEP, 1) add_k0(T0* x) { *x += STEP; }",
            "",
            "}",
            "#undef STEP",
            "namespace k1 {",
            "#define TWICE(name) \\",
            "  extern \"C\" __global__ void NAMED(name, k1)(int* x) { *x *= 2; }",
            "TWICE(one)",
            "TWICE(two)",
            "",
            "}",
            "#undef TWICE",
            "using namespace k0;",
            "using namespace k1;",
        ];
        assert_eq!(own.lines().collect::<Vec<_>>(), expected);
        assert_eq!(joined(&[wanted("add", add)]), (format!("{PRELUDE}{add}"), vec!["add".to_string()]));
    }
}
