//! Numbers as Python prints them, which is how they stand in TensorFlow's file, and as it reads them.
//! The two directions of the state's text ask here.

/// The shortest digits that give the number back, with an exponent from 1e16 on and below 1e-4.
pub(super) fn python(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() {
            "nan".into()
        } else if number > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        exponent @ (..-4 | 16..) if number != 0.0 => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => {
            let plain = format!("{number}");
            if plain.contains('.') { plain } else { plain + ".0" }
        }
    }
}

/// A number of the text form.
pub(super) fn parse(word: &str) -> Option<f64> {
    let (negative, word) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let lower = word.to_ascii_lowercase();
    let number = match &*lower {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            digits.trim_end_matches('f').parse().ok()?
        }
        _ => return None,
    };
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_pythons() {
        let numbers =
            [1e16, 1e-5, 123456789.125, 0.0001, 1e300, 5e-324, 9999999999999998.0, 0.0, -1.5, -0.0, 1.25e17, 1.7e9];
        let wanted =
            "1e+16 1e-05 123456789.125 0.0001 1e+300 5e-324 9999999999999998.0 0.0 -1.5 -0.0 1.25e+17 1700000000.0";
        assert_eq!(numbers.map(python).join(" "), wanted);
        for number in numbers {
            assert_eq!(parse(&python(number)).map(f64::to_bits), Some(number.to_bits()));
        }
        assert_eq!([f64::INFINITY, -f64::INFINITY, f64::NAN].map(python), ["inf", "-inf", "nan"]);
        assert_eq!((parse("-inf"), parse("1.5f"), parse("7")), (Some(-f64::INFINITY), Some(1.5), Some(7.0)));
        assert_eq!((parse(""), parse("-"), parse("e5"), parse("1.2.3"), parse("+1")), (None, None, None, None, None));
    }
}
