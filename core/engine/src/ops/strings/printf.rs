//! Numbers as C's `printf` writes them: `%f`, `%e`, `%g` and `%d`, with flags, width and precision.
//! `as_string` writes numbers so, as TensorFlow does.

/// How a number is set.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// `+`, ` `, `0`, `-` or `#`, or none.
    pub flag: Option<char>,
    pub width: usize,
    pub precision: Option<usize>,
}

/// How a float is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notation {
    /// `%f`
    Plain,
    /// `%e`
    Scientific,
    /// `%g`
    Shortest,
}

impl Format {
    /// Text with its sign apart, filled up to the width; zeros go between them if `zeros` may.
    fn set(&self, negative: bool, text: &str, zeros: bool) -> String {
        let sign = match (negative, self.flag) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let missing = self.width.saturating_sub(sign.len() + text.len());
        match self.flag {
            Some('-') => format!("{sign}{text}{}", " ".repeat(missing)),
            Some('0') if zeros => format!("{sign}{}{text}", "0".repeat(missing)),
            _ => format!("{}{sign}{text}", " ".repeat(missing)),
        }
    }

    pub fn integer(&self, value: i128) -> String {
        self.set(value < 0, &value.unsigned_abs().to_string(), true)
    }

    pub fn float(&self, value: f64, notation: Notation) -> String {
        if !value.is_finite() {
            return self.set(value.is_sign_negative(), if value.is_nan() { "nan" } else { "inf" }, false);
        }
        let (size, precision) = (value.abs(), self.precision.unwrap_or(6));
        let text = match notation {
            Notation::Plain => with_point(format!("{size:.precision$}"), self.flag),
            Notation::Scientific => scientific(size, precision, self.flag),
            Notation::Shortest => shortest(size, precision.max(1), self.flag),
        };
        self.set(value.is_sign_negative(), &text, true)
    }

    pub fn text(&self, text: &[u8]) -> Vec<u8> {
        let missing = vec![b' '; self.width.saturating_sub(text.len())];
        match self.flag {
            Some('-') => [text, &missing].concat(),
            _ => [&missing, text].concat(),
        }
    }
}

/// The flag `#` wants a point where there would be none.
fn with_point(text: String, flag: Option<char>) -> String {
    if flag == Some('#') && !text.contains('.') { text + "." } else { text }
}

/// Digits and exponent of a number that is rounded to `precision` digits after the first.
fn parts(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn exponent_text(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

fn scientific(size: f64, precision: usize, flag: Option<char>) -> String {
    let (digits, exponent) = parts(size, precision);
    with_point(digits, flag) + &exponent_text(exponent)
}

/// `precision` digits in all, without zeros at the end unless the flag `#` wants them.
fn shortest(size: f64, precision: usize, flag: Option<char>) -> String {
    let (digits, exponent) = parts(size, precision - 1);
    let ended = |text: String| match flag {
        Some('#') => with_point(text, flag),
        _ if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text,
    };
    if exponent < -4 || exponent >= precision as i32 {
        return ended(digits) + &exponent_text(exponent);
    }
    let after = (precision as i32 - 1 - exponent).max(0) as usize;
    ended(format!("{size:.after$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_printf() {
        let plain = Format { flag: None, width: 0, precision: None };
        for (value, f, e, g) in [
            (0.0, "0.000000", "0.000000e+00", "0"),
            (-0.0, "-0.000000", "-0.000000e+00", "-0"),
            (1e10, "10000000000.000000", "1.000000e+10", "1e+10"),
            (100000.0, "100000.000000", "1.000000e+05", "100000"),
            (999999.5, "999999.500000", "9.999995e+05", "1e+06"),
            (0.0001, "0.000100", "1.000000e-04", "0.0001"),
            (0.00001234, "0.000012", "1.234000e-05", "1.234e-05"),
            (1e300 * 1e10, "inf", "inf", "inf"),
        ] {
            assert_eq!(plain.float(value, Notation::Plain), f);
            assert_eq!(plain.float(value, Notation::Scientific), e);
            assert_eq!(plain.float(value, Notation::Shortest), g);
        }
        let zeros = Format { flag: Some('0'), width: 8, precision: Some(2) };
        assert_eq!(zeros.float(-1.5, Notation::Plain), "-0001.50");
        assert_eq!(zeros.float(f64::INFINITY, Notation::Plain), "     inf");
        assert_eq!(Format { flag: Some('#'), width: 0, precision: Some(0) }.float(2.0, Notation::Plain), "2.");
    }
}
