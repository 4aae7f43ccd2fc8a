//! Elements as text: floats with the fewest digits that tell them apart, at most 8 in arrays, all to one width.
//! The rules, down to when exponents appear, are NumPy's; `text` passes bits in and gets cells back.

use kernels::backend::cpu::vector;
use kernels::dtype::{DType, bf16, f16};

/// The most digits after the point in arrays.
const DIGITS: usize = 8;

/// One element on its own, as `str` of a NumPy scalar.
pub(super) fn scalar(dtype: DType, bits: u64, digits: Option<usize>) -> String {
    if !dtype.is_floating() {
        return plain(dtype, bits);
    }
    let x = Float { dtype, value: vector::to_f64(dtype, bits) };
    match (x.special(), digits) {
        (Some(text), _) => text.into(),
        (None, Some(digits)) => format!("{:.digits$}", x.value),
        (None, None) => x.alone(),
    }
}

/// One complex number on its own: `(1+2j)`, and `2j` where the real part is 0.
pub(super) fn complex_scalar(dtype: DType, re: u64, im: u64, digits: Option<usize>) -> String {
    let part = |bits: u64| {
        let text = scalar(dtype.real_dtype(), bits, digits);
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    let (first, second) = (part(re), part(im));
    if vector::to_f64(dtype.real_dtype(), re) == 0.0 {
        return format!("{second}j");
    }
    let plus = if second.starts_with('-') { "" } else { "+" };
    format!("({first}{plus}{second}j)")
}

/// Complex elements of an array, all of one width.
pub(super) fn complex_cells(dtype: DType, re: &[u64], im: &[u64], digits: Option<usize>) -> Vec<String> {
    let first = cells(dtype.real_dtype(), re, digits);
    let second = float_cells(dtype.real_dtype(), im, digits, true);
    let joined = |(first, second): (String, String)| {
        let digits = second.trim_end();
        format!("{first}{digits}j{}", &second[digits.len()..])
    };
    first.into_iter().zip(second).map(joined).collect()
}

/// Elements of an array, all of one width.
pub(super) fn cells(dtype: DType, bits: &[u64], digits: Option<usize>) -> Vec<String> {
    if !dtype.is_floating() {
        let texts: Vec<String> = bits.iter().map(|&b| plain(dtype, b)).collect();
        // A lone `True` still leaves room for `False`.
        let least = if dtype == DType::Bool { 5 } else { 0 };
        let width = texts.iter().map(String::len).max().unwrap_or(0).max(least);
        return texts.into_iter().map(|t| format!("{t:>width$}")).collect();
    }
    float_cells(dtype, bits, digits, false)
}

/// Floats of an array, all of one width; `plus` writes the sign of those that are not negative.
fn float_cells(dtype: DType, bits: &[u64], digits: Option<usize>, plus: bool) -> Vec<String> {
    let numbers: Vec<Float> = bits.iter().map(|&b| Float { dtype, value: vector::to_f64(dtype, b) }).collect();
    let parts: Vec<Option<Parts>> = match digits {
        Some(digits) => texts(&numbers, |x| Parts::of(&format!("{:.digits$}", x.value))),
        None if takes_exponents(&numbers) => {
            // As many digits as the longest needs: those of the number itself, not zeros.
            let most = texts(&numbers, Float::scientific).iter().flatten().map(|p| p.fraction.len()).max().unwrap_or(0);
            texts(&numbers, |x| match x.scientific() {
                parts if parts.fraction.len() == most => parts,
                _ => Parts::of(&format!("{:.most$e}", x.value)),
            })
        }
        None => texts(&numbers, Float::positional),
    };
    let signed = |(x, parts): (&Float, Option<Parts>)| match parts {
        Some(parts) if plus && !x.value.is_sign_negative() => {
            Some(Parts { whole: format!("+{}", parts.whole), ..parts })
        }
        parts => parts,
    };
    let parts: Vec<Option<Parts>> = numbers.iter().zip(parts).map(signed).collect();
    align(&numbers, &parts, plus)
}

fn texts(numbers: &[Float], text: impl Fn(&Float) -> Parts) -> Vec<Option<Parts>> {
    numbers.iter().map(|x| x.value.is_finite().then(|| text(x))).collect()
}

/// Integers and truth values.
fn plain(dtype: DType, bits: u64) -> String {
    match dtype {
        DType::Bool => String::from(if bits == 0 { "False" } else { "True" }),
        _ => vector::decode(dtype, bits),
    }
}

/// A number, exactly, and the dtype that decides how many digits it needs.
struct Float {
    dtype: DType,
    value: f64,
}

/// A number in pieces: what stands before and after the point, and the exponent if one is written.
struct Parts {
    whole: String,
    fraction: String,
    exponent: Option<i32>,
}

impl Parts {
    /// From Rust's text of a number, with or without exponent.
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()),
            None => (text, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Self { whole: whole.into(), fraction: fraction.into(), exponent }
    }

    fn without_zeros(mut self) -> Self {
        self.fraction.truncate(self.fraction.trim_end_matches('0').len());
        self
    }
}

impl Float {
    fn special(&self) -> Option<&'static str> {
        match self.value {
            x if x.is_nan() => Some("nan"),
            f64::INFINITY => Some("inf"),
            f64::NEG_INFINITY => Some("-inf"),
            _ => None,
        }
    }

    /// The fewest digits that read back as this number in its dtype, in scientific notation.
    fn shortest(&self) -> String {
        let reads_back = |text: &str| {
            let Ok(x) = text.parse::<f32>() else { return true };
            let back = if self.dtype == DType::F16 { f16::from_f32(x).to_f64() } else { bf16::from_f32(x).to_f64() };
            back == self.value
        };
        match self.dtype {
            DType::F64 => format!("{:e}", self.value),
            DType::F32 => format!("{:e}", self.value as f32),
            // Five digits tell all 16-bit floats apart; the last candidate is taken unseen.
            _ => {
                let mut candidates = (0..4).map(|digits| format!("{:.digits$e}", self.value));
                candidates.find(|t| reads_back(t)).unwrap_or_else(|| format!("{:.4e}", self.value))
            }
        }
    }

    /// The shortest digits without exponent.
    fn shortest_positional(&self) -> String {
        // Nine digits at most (for f32): f64 holds them as they are.
        self.shortest().parse::<f64>().unwrap_or(self.value).to_string()
    }

    fn positional(&self) -> Parts {
        let parts = Parts::of(&self.shortest_positional());
        if parts.fraction.len() <= DIGITS {
            return parts;
        }
        Parts::of(&format!("{:.DIGITS$}", self.value)).without_zeros()
    }

    fn scientific(&self) -> Parts {
        let parts = Parts::of(&self.shortest());
        if parts.fraction.len() <= DIGITS {
            return parts.without_zeros();
        }
        Parts::of(&format!("{:.DIGITS$e}", self.value)).without_zeros()
    }

    /// As a NumPy scalar prints: all its digits, and an exponent only far from one.
    fn alone(&self) -> String {
        let size = self.value.abs();
        if size == 0.0 || (1e-4..Self::largest_alone(self.dtype)).contains(&size) {
            let text = self.shortest_positional();
            return if text.contains('.') { text } else { text + ".0" };
        }
        let parts = Parts::of(&self.shortest()).without_zeros();
        let point = if parts.fraction.is_empty() { "" } else { "." };
        format!("{}{point}{}{}", parts.whole, parts.fraction, exponent(parts.exponent.unwrap_or(0), 2))
    }

    /// From here on a scalar is written with an exponent: it has more digits than its dtype tells apart.
    fn largest_alone(dtype: DType) -> f64 {
        match dtype {
            DType::F64 => 1e16,
            DType::F16 => 1e3,
            _ => 1e6,
        }
    }
}

/// `e+05`, `e-120`.
fn exponent(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:0digits$}", exponent.unsigned_abs())
}

/// Whether an array's numbers are so large, so small or so far apart that columns of digits would say little.
fn takes_exponents(numbers: &[Float]) -> bool {
    let sizes = || numbers.iter().map(|x| x.value.abs()).filter(|x| x.is_finite() && *x != 0.0);
    let (Some(dtype), Some(most)) = (numbers.first().map(|x| x.dtype), sizes().reduce(f64::max)) else { return false };
    let least = sizes().fold(most, f64::min);
    // Small numbers and ratios are judged in the array's own precision.
    let (small, ratio, large) = match dtype {
        DType::F64 => (1e-4, most / least, 1e8),
        DType::F16 => (f16::from_f64(1e-4).to_f64(), f16::from_f64(most / least).to_f64(), 1e3),
        _ => (f64::from(1e-4_f32), f64::from(most as f32 / least as f32), 1e6),
    };
    most >= large || least < small || ratio > 1000.0
}

/// Brings points under points, exponents to one length, and `nan` and `inf` to the right.
fn align(numbers: &[Float], parts: &[Option<Parts>], plus: bool) -> Vec<String> {
    let longest = |len: &dyn Fn(&Parts) -> usize| parts.iter().flatten().map(len).max().unwrap_or(0);
    let fraction = longest(&|p| p.fraction.len());
    let exponent_digits = longest(&|p| p.exponent.map_or(0, |e| e.unsigned_abs().to_string().len().max(2)));
    let right = fraction + if exponent_digits > 0 { exponent_digits + 2 } else { 0 };
    let special = |x: &Float| {
        let text = x.special().unwrap_or_default();
        if plus && !text.starts_with('-') { format!("+{text}") } else { text.to_owned() }
    };
    // The sign of what is no number takes no room, as in NumPy.
    let width = |x: &Float| if x.value.is_nan() { 3 } else { special(x).len() };
    let specials = numbers.iter().filter(|x| x.special().is_some()).map(|x| width(x).saturating_sub(right + 1));
    let left = specials.max().unwrap_or(0).max(longest(&|p| p.whole.len()));
    let cell = |(x, parts): (&Float, &Option<Parts>)| match parts {
        None => format!("{:>1$}", special(x), left + 1 + right),
        Some(Parts { whole, fraction: f, exponent: Some(e) }) => {
            format!("{whole:>left$}.{f:0<fraction$}{}", exponent(*e, exponent_digits))
        }
        Some(Parts { whole, fraction: f, exponent: None }) => format!("{whole:>left$}.{f:<fraction$}"),
    };
    numbers.iter().zip(parts).map(cell).collect()
}
