//! The equation of `einsum`: one list of labels per operand and one for the result, with a label for each axis of an ellipsis.
//! `einsum` parses it with the ranks of its operands.

use kernels::error::{Error, Result};

/// Names an axis: a letter, or an axis under the ellipsis, counted from the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Letter(char),
    Under(usize),
}

/// The labels of the axes of each operand and of the result.
#[derive(Debug)]
pub struct Equation {
    pub operands: Vec<Vec<Label>>,
    pub result: Vec<Label>,
}

fn refused(equation: &str, what: String) -> Error {
    Error::invalid_argument("einsum", what).got(format!("\"{equation}\""))
}

/// The letters of one operand, with `None` for the ellipsis.
fn letters(equation: &str, text: &str) -> Result<Vec<Option<char>>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if found.contains(&None) {
                return Err(refused(equation, format!("`{text}` has two ellipses")));
            }
            found.push(None);
            rest = after;
        } else if first.is_ascii_alphabetic() {
            found.push(Some(first));
            rest = &rest[1..];
        } else {
            let error = refused(equation, format!("`{first}` is no label"));
            return Err(error.expected("letters, `...`, commas between operands, and `->` before the result"));
        }
    }
    Ok(found)
}

/// The labels with those under the ellipsis written out.
fn spread(letters: &[Option<char>], under: usize) -> Vec<Label> {
    letters
        .iter()
        .flat_map(|letter| match letter {
            Some(letter) => vec![Label::Letter(*letter)],
            None => (0..under).rev().map(Label::Under).collect(),
        })
        .collect()
}

impl Equation {
    /// The equation for operands of these ranks.
    pub fn parse(equation: &str, ranks: &[usize]) -> Result<Self> {
        let text: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text.as_str(), None),
        };
        let inputs: Vec<Vec<Option<char>>> = inputs.split(',').map(|t| letters(equation, t)).collect::<Result<_>>()?;
        if inputs.len() != ranks.len() {
            return Err(refused(equation, "the equation is about another number of operands".to_owned())
                .got(format!("\"{equation}\" for {} operands", ranks.len()))
                .expected(format!("{} operands", inputs.len())));
        }
        let (mut operands, mut under) = (Vec::new(), 0);
        for (i, (input, &rank)) in inputs.iter().zip(ranks).enumerate() {
            let named = input.iter().flatten().count();
            let spare = rank.checked_sub(named).filter(|&spare| spare == 0 || input.contains(&None));
            let Some(spare) = spare else {
                return Err(refused(equation, format!("operand {i} has another rank than its labels"))
                    .got(format!("rank {rank} for \"{}\"", text.split([',', '-']).nth(i).unwrap_or_default()))
                    .expected(format!("rank {named}{}", if input.contains(&None) { " or more" } else { "" })));
            };
            under = under.max(spare);
            operands.push(spread(input, spare));
        }
        let result = match output {
            Some(output) => written(equation, &letters(equation, output)?, &inputs, under)?,
            None => implied(&inputs, under),
        };
        Ok(Self { operands, result })
    }
}

/// The result that is written behind the arrow.
fn written(equation: &str, output: &[Option<char>], inputs: &[Vec<Option<char>>], under: usize) -> Result<Vec<Label>> {
    for (i, letter) in output.iter().enumerate() {
        let Some(letter) = letter else { continue };
        if output[..i].contains(&Some(*letter)) {
            return Err(refused(equation, format!("the result has the label `{letter}` twice")));
        }
        if !inputs.iter().any(|input| input.contains(&Some(*letter))) {
            return Err(refused(equation, format!("the label `{letter}` of the result is in no operand")));
        }
    }
    if under > 0 && !output.contains(&None) {
        return Err(refused(equation, "the result leaves out the axes under the ellipsis".to_owned())
            .expected("`...` in the result too")
            .help("name the axes that are to be summed"));
    }
    Ok(spread(output, under))
}

/// The result of an equation without an arrow: the ellipsis, then the letters that stand once, in their order.
fn implied(inputs: &[Vec<Option<char>>], under: usize) -> Vec<Label> {
    let all: Vec<char> = inputs.iter().flatten().flatten().copied().collect();
    let mut once: Vec<char> = all.iter().copied().filter(|c| all.iter().filter(|other| *other == c).count() == 1).collect();
    once.sort_unstable();
    let ellipsis = inputs.iter().any(|input| input.contains(&None)).then_some(None);
    spread(&ellipsis.into_iter().chain(once.into_iter().map(Some)).collect::<Vec<_>>(), under)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(labels: &[Label]) -> String {
        labels.iter().map(|label| match label {
            Label::Letter(letter) => letter.to_string(),
            Label::Under(i) => i.to_string(),
        }).collect()
    }

    #[test]
    fn labels_and_results() {
        let parsed = |equation, ranks: &[usize]| {
            let parsed = Equation::parse(equation, ranks).unwrap();
            let operands: Vec<String> = parsed.operands.iter().map(|labels| text(labels)).collect();
            (operands.join(","), text(&parsed.result))
        };
        let same = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(parsed("ij, jk -> ik", &[2, 2]), same("ij,jk", "ik"));
        assert_eq!(parsed("ba", &[2]), same("ba", "ab"));
        assert_eq!(parsed("aB", &[2]), same("aB", "Ba"));
        assert_eq!(parsed("ij,jk", &[2, 2]), same("ij,jk", "ik"));
        assert_eq!(parsed("...ij,...jk->...ik", &[4, 3]), same("10ij,0jk", "10ik"));
        assert_eq!(parsed("i...", &[3]), same("i10", "10i"));
        assert_eq!(parsed("", &[0]), same("", ""));
        assert_eq!(parsed(",i->", &[0, 1]), same(",i", ""));
    }

    #[test]
    fn mistakes() {
        for (equation, ranks, part) in [
            ("i1", &[2][..], "`1` is no label"),
            ("i..j", &[2], "`.` is no label"),
            ("...i...->i", &[2], "two ellipses"),
            ("ij,jk->ik", &[2], "another number of operands"),
            ("ij", &[1], "another rank"),
            ("i->ii", &[1], "twice"),
            ("i->k", &[1], "`k` of the result is in no operand"),
            ("...i->i", &[2], "leaves out the axes"),
        ] {
            let error = Equation::parse(equation, ranks).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(equation), "{error}");
        }
    }
}
