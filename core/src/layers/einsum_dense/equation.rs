//! The equation of an `EinsumDense`: which letters input, kernel and output have, and what shapes follow for kernel and bias.
//! The layer parses it when it is made, and asks for shapes when the first input comes.

use engine::TensorType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Where dimensions are left out by `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Elided {
    Nowhere,
    Left,
    Right,
}

/// The letters of an equation such as `...x,xy->...y`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Equation {
    input: Vec<char>,
    kernel: Vec<char>,
    output: Vec<char>,
    elided: Elided,
}

/// What follows for an input: the kernel's shape, its axes of inputs and of outputs, and the bias' shape.
pub(super) struct Shapes {
    pub kernel: Vec<usize>,
    pub input_axes: Vec<usize>,
    pub output_axes: Vec<usize>,
    pub bias: Vec<usize>,
}

impl Equation {
    /// The letters of a text.
    pub fn parse(text: &str) -> Result<Self> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let parsed = || {
            let (operands, output) = compact.split_once("->")?;
            let (input, kernel) = operands.split_once(',')?;
            let (elided, input, output) = match (input.strip_prefix("..."), input.strip_suffix("...")) {
                (Some(input), _) => (Elided::Left, input, output.strip_prefix("...")?),
                (_, Some(input)) => (Elided::Right, input, output.strip_suffix("...")?),
                _ => (Elided::Nowhere, input, output),
            };
            let letters = |part: &str| -> Option<Vec<char>> {
                let all: Vec<char> = part.chars().collect();
                (!all.is_empty() && all.iter().all(char::is_ascii_alphabetic)).then_some(all)
            };
            Some(Self { input: letters(input)?, kernel: letters(kernel)?, output: letters(output)?, elided })
        };
        let error = |what: String| Error::invalid_argument("EinsumDense", what).got(format!("\"{text}\""));
        let equation = parsed().ok_or_else(|| {
            let expected = "letters in the form \"ab,bc->ac\", \"...ab,bc->...ac\" or \"ab...,bc->ac...\"";
            error("the equation has another form".to_owned()).expected(expected)
        })?;
        let known = |letter: &&char| equation.input.contains(letter) || equation.kernel.contains(letter);
        if let Some(letter) = equation.output.iter().find(|letter| !known(letter)) {
            return Err(error(format!("the output has '{letter}', which neither input nor kernel has")));
        }
        let told = |letter: &&char| equation.input.contains(letter) || equation.output.contains(letter);
        if let Some(letter) = equation.kernel.iter().find(|letter| !told(letter)) {
            return Err(error(format!("the kernel has '{letter}', whose size neither input nor output tell")));
        }
        Ok(equation)
    }

    /// An error unless all letters of the bias are the output's.
    pub fn check_bias(&self, bias_axes: &str) -> Result<()> {
        match bias_axes.chars().find(|letter| !self.output.contains(letter)) {
            None if bias_axes.is_empty() => Err(Error::invalid_argument("EinsumDense", "`bias_axes` has no letter")
                .help("leave the option out for a layer without bias")),
            None => Ok(()),
            Some(letter) => Err(Error::invalid_argument("EinsumDense", format!("the output has no axis '{letter}'"))
                .got(format!("bias_axes \"{bias_axes}\""))
                .expected(format!("letters of \"{}\"", self.output.iter().collect::<String>()))),
        }
    }

    /// How many dimensions of the input `...` stands for.
    fn left_out(&self, layer: &str, x: &TensorType) -> Result<usize> {
        let (rank, letters) = (x.shape.rank(), self.input.len());
        match self.elided {
            Elided::Nowhere if rank == letters => Ok(0),
            Elided::Left | Elided::Right if rank >= letters => Ok(rank - letters),
            _ => Err(Error::invalid_argument(layer, "the input has another number of dimensions than the equation")
                .got(x)
                .expected(format!("{letters} dimensions, as in \"{}\"", self.input.iter().collect::<String>()))),
        }
    }

    /// The shapes for an input and what the user says of the output without its batch.
    pub fn shapes(
        &self,
        layer: &str,
        x: &TensorType,
        output_shape: &[Option<usize>],
        bias_axes: Option<&str>,
    ) -> Result<Shapes> {
        let left_out = self.left_out(layer, x)?;
        let skipped = if self.elided == Elided::Left { left_out } else { 0 };
        let of_input = |letter: char| -> Option<Dim> {
            self.input.iter().position(|&other| other == letter).map(|at| x.shape.dim(skipped + at))
        };
        // What is told begins behind the batch, which is the first letter unless it is among those left out.
        let told_from = usize::from(skipped == 0);
        if output_shape.len() + told_from != self.output.len() {
            return Err(Error::invalid_argument(layer, "`output_shape` has another number of sizes than the equation")
                .got(format!("{output_shape:?}"))
                .expected(format!("{} sizes, without the batch", self.output.len() - told_from)));
        }
        let size = |letter: char| -> Result<Option<usize>> {
            let at = self.output.iter().position(|&other| other == letter);
            let told = at.and_then(|at| at.checked_sub(told_from)).and_then(|at| output_shape[at]);
            let own = of_input(letter).and_then(|dim| dim.known_value());
            match (told, own) {
                (Some(told), Some(own)) if told != own => Err(Error::invalid_argument(
                    layer,
                    format!("input and output have different sizes along '{letter}'"),
                )
                .got(format!("{own} in {x}, {told} in the output shape"))),
                (told, own) => Ok(told.or(own)),
            }
        };
        for &letter in &self.output {
            size(letter)?;
        }
        let mut shapes =
            Shapes { kernel: Vec::new(), input_axes: Vec::new(), output_axes: Vec::new(), bias: Vec::new() };
        for (axis, &letter) in self.kernel.iter().enumerate() {
            let known = size(letter)?.filter(|&n| n > 0).ok_or_else(|| {
                Error::invalid_argument(
                    layer,
                    format!("the layer cannot be built: the size of '{letter}' must be known"),
                )
                .got(x)
                .expected("a size of at least 1 in the input, or in `output_shape`")
            })?;
            shapes.kernel.push(known);
            let axes = if self.output.contains(&letter) { &mut shapes.output_axes } else { &mut shapes.input_axes };
            axes.push(axis);
        }
        if let Some(bias_axes) = bias_axes {
            let first = self.output.iter().position(|letter| bias_axes.contains(*letter)).unwrap_or(0);
            for &letter in &self.output[first..] {
                shapes.bias.push(match bias_axes.contains(letter) {
                    false => 1,
                    true => size(letter)?.ok_or_else(|| {
                        Error::invalid_argument(layer, format!("the size of '{letter}' must be known for the bias"))
                            .got(x)
                    })?,
                });
            }
            if self.elided == Elided::Right {
                shapes.bias.extend(std::iter::repeat_n(1, left_out));
            }
        }
        Ok(shapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_equations() {
        for good in ["ab,bc->ac", "...x,xy->...y", "abc...,cd->abd...", " ab , bc -> ac "] {
            assert!(Equation::parse(good).is_ok(), "{good}");
        }
        for bad in ["ab,bc", "ab->ac", "...ab,bc->ac", "ab,...bc->ac", "ab,bc->ad", "ab,bcz->ac", "a1,bc->ac", ",b->b"]
        {
            assert!(Equation::parse(bad).is_err(), "{bad}");
        }
    }
}
