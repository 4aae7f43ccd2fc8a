//! The text form of sizes and their expressions: `2*s0`, `(s0-2)/2`, `max(s0, s1)`.
//! Shapes in error messages, graph listings and retrace reasons are printed through it.

use std::fmt;

use super::dim::Dim;
use super::expr::{Atom, Monomial, Poly};

impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((dividend, divisor)) = self.as_one_fraction() {
            return write_quotient(f, &dividend, &Poly::constant(divisor));
        }
        if self.0.is_empty() {
            return f.write_str("0");
        }
        let (plus, minus): (Vec<_>, Vec<_>) = self.0.iter().partition(|(_, c)| *c > 0);
        for (i, (monomial, c)) in plus.into_iter().chain(minus).enumerate() {
            f.write_str(if *c < 0 {
                "-"
            } else if i > 0 {
                "+"
            } else {
                ""
            })?;
            match (c.unsigned_abs(), monomial.0.is_empty()) {
                (n, true) => write!(f, "{n}")?,
                (1, false) => {}
                (n, false) => write!(f, "{n}*")?,
            }
            let alone = monomial.0.len() == 1 && c.unsigned_abs() == 1;
            for (j, atom) in monomial.0.iter().enumerate() {
                f.write_str(if j > 0 { "*" } else { "" })?;
                match atom {
                    Atom::Symbol(symbol) => write!(f, "{symbol}")?,
                    Atom::FloorDiv(a, b) if alone => write_quotient(f, a, b)?,
                    Atom::FloorDiv(a, b) => {
                        f.write_str("(")?;
                        write_quotient(f, a, b)?;
                        f.write_str(")")?;
                    }
                    Atom::Max(p) => write_call(f, "max", p)?,
                    Atom::Min(p) => write_call(f, "min", p)?,
                    Atom::Broadcast(p) => write_call(f, "broadcast", p)?,
                }
            }
        }
        Ok(())
    }
}

impl Poly {
    /// `s0/2 - 1` as the dividend `s0-2` over 2, as layers write their sizes, if all terms fit into the dividend.
    fn as_one_fraction(&self) -> Option<(Poly, i64)> {
        let (at, dividend, k) = self.lone_quotient()?;
        let mut others = self.clone();
        others.0.remove(at);
        let fits = |m: &Monomial| m.0.is_empty() || dividend.0.iter().any(|(n, _)| n == m);
        if !others.0.iter().all(|(m, _)| fits(m)) {
            return None;
        }
        Some((dividend.add_scaled(&others, k)?, k))
    }
}

fn write_quotient(f: &mut fmt::Formatter<'_>, dividend: &Poly, divisor: &Poly) -> fmt::Result {
    match dividend.0.len() {
        1 => write!(f, "{dividend}/")?,
        _ => write!(f, "({dividend})/")?,
    }
    match divisor.as_constant().is_some() || matches!(divisor.as_atom(), Some(Atom::Symbol(_))) {
        true => write!(f, "{divisor}"),
        false => write!(f, "({divisor})"),
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, name: &str, operands: &[Poly]) -> fmt::Result {
    let texts: Vec<_> = operands.iter().map(Poly::to_string).collect();
    write!(f, "{name}({})", texts.join(", "))
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.known_value(), self.poly()) {
            (Some(size), _) => fmt::Display::fmt(&size, f),
            (None, Some(poly)) => f.pad(&poly.to_string()),
            (None, None) => f.pad("invalid"),
        }
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
