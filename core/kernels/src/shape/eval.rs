//! What is known of symbolic expressions: bounds that hold for every binding, the symbols in them, and their values.
//! `dim.rs` calls it when a graph runs with the numbers of a call, `broadcast.rs` to learn whether a size can be 1.

use super::dim::Symbol;
use super::expr::{Atom, Poly};

/// Looks a symbol's number up; `None` leaves the symbol in place.
pub(super) type Lookup<'a> = &'a dyn Fn(Symbol) -> Option<usize>;

/// A lower and an upper bound, `None` where there is none.
pub(super) type Bounds = (Option<i64>, Option<i64>);

/// Why an expression has no value.
pub(super) enum Fault {
    /// Some symbols have no number, so there is no value yet.
    Unbound,
    /// The arithmetic left `i64`, or divided by zero.
    Arithmetic,
    /// A symbol traced as "2 or more" was given this smaller number.
    Guard(Symbol, usize),
    /// These sizes do not broadcast.
    Broadcast(i64, i64),
}

impl Poly {
    /// Bounds that hold whatever numbers the symbols get: 2 and more for guarded ones, 0 and more for unbacked ones.
    pub(super) fn bounds(&self) -> Bounds {
        let (mut lo, mut hi) = (Some(0_i64), Some(0_i64));
        for (monomial, c) in &self.0 {
            let (mut low, mut high) = match monomial.0.split_first() {
                None => (Some(1), Some(1)),
                Some((first, others)) => others.iter().fold(first.bounds(), |(al, ah), atom| {
                    let (bl, bh) = atom.bounds();
                    // Only factors that cannot be negative keep the order of their bounds in a product.
                    if al.is_none_or(|l| l < 0) || bl.is_none_or(|l| l < 0) {
                        return (None, None);
                    }
                    (product(al, bl), product(ah, bh))
                }),
            };
            if *c < 0 {
                (low, high) = (high, low);
            }
            lo = sum(lo, product(low, Some(*c)));
            hi = sum(hi, product(high, Some(*c)));
        }
        (lo, hi)
    }

    /// Calls `f` for each symbol, in the order of the text form and with repetitions.
    pub(super) fn visit(&self, f: &mut dyn FnMut(Symbol)) {
        for atom in self.0.iter().flat_map(|(monomial, _)| &monomial.0) {
            match atom {
                Atom::Symbol(symbol) => f(*symbol),
                Atom::FloorDiv(a, b) => {
                    a.visit(f);
                    b.visit(f);
                }
                Atom::Max(p) | Atom::Min(p) | Atom::Broadcast(p) => p.iter().for_each(|p| p.visit(f)),
            }
        }
    }

    /// The value with every symbol bound; allocates nothing.
    pub(super) fn evaluate(&self, lookup: Lookup<'_>) -> Result<i64, Fault> {
        let mut total = 0_i64;
        for (monomial, c) in &self.0 {
            let mut value = *c;
            for atom in &monomial.0 {
                value = value.checked_mul(atom.evaluate(lookup)?).ok_or(Fault::Arithmetic)?;
            }
            total = total.checked_add(value).ok_or(Fault::Arithmetic)?;
        }
        Ok(total)
    }

    /// The expression with those symbols replaced that have a number.
    pub(super) fn substitute(&self, lookup: Lookup<'_>) -> Result<Poly, Fault> {
        let mut total = Poly::default();
        for (monomial, c) in &self.0 {
            let mut value = Poly::constant(*c);
            for atom in &monomial.0 {
                value = value.mul(&atom.substitute(lookup)?).ok_or(Fault::Arithmetic)?;
            }
            total = total.add_scaled(&value, 1).ok_or(Fault::Arithmetic)?;
        }
        Ok(total)
    }
}

impl Atom {
    fn bounds(&self) -> Bounds {
        match self {
            Atom::Symbol(Symbol::Guarded(_)) => (Some(2), None),
            Atom::Symbol(Symbol::Unbacked(_)) => (Some(0), None),
            Atom::FloorDiv(a, b) => match (a.bounds(), b.as_constant()) {
                ((lo, hi), Some(k)) => (lo.map(|l| l.div_euclid(k)), hi.map(|h| h.div_euclid(k))),
                // A divisor that can be evaluated at all is positive, so the quotient keeps the sign.
                ((lo, _), None) => (lo.filter(|l| *l >= 0).map(|_| 0), None),
            },
            Atom::Max(p) => (p.iter().filter_map(|p| p.bounds().0).max(), all(p, |p| p.bounds().1, i64::max)),
            Atom::Min(p) => (all(p, |p| p.bounds().0, i64::min), p.iter().filter_map(|p| p.bounds().1).min()),
            // An operand that cannot be 1 is the result; otherwise only 0 is certain.
            Atom::Broadcast(p) => {
                (Some(p.iter().filter_map(|p| p.bounds().0).max().filter(|l| *l > 1).unwrap_or(0)), None)
            }
        }
    }

    fn evaluate(&self, lookup: Lookup<'_>) -> Result<i64, Fault> {
        let values = |p: &[Poly], f: &dyn Fn(i64, i64) -> Result<i64, Fault>| {
            let mut rest = p.iter();
            let first = rest.next().ok_or(Fault::Arithmetic)?.evaluate(lookup)?;
            rest.try_fold(first, |a, p| f(a, p.evaluate(lookup)?))
        };
        match self {
            Atom::Symbol(symbol) => number(*symbol, lookup)?.ok_or(Fault::Unbound),
            Atom::FloorDiv(a, b) => match (a.evaluate(lookup)?, b.evaluate(lookup)?) {
                (a, b) if b > 0 => Ok(a.div_euclid(b)),
                _ => Err(Fault::Arithmetic),
            },
            Atom::Max(p) => values(p, &|a, b| Ok(a.max(b))),
            Atom::Min(p) => values(p, &|a, b| Ok(a.min(b))),
            Atom::Broadcast(p) => values(p, &|a, b| match (a, b) {
                (a, b) if a == b || b == 1 => Ok(a),
                (1, b) => Ok(b),
                (a, b) => Err(Fault::Broadcast(a, b)),
            }),
        }
    }

    fn substitute(&self, lookup: Lookup<'_>) -> Result<Poly, Fault> {
        let all = |p: &[Poly]| p.iter().map(|p| p.substitute(lookup)).collect::<Result<Vec<_>, _>>();
        match self {
            Atom::Symbol(symbol) => {
                Ok(number(*symbol, lookup)?.map_or_else(|| Poly::atom(self.clone()), Poly::constant))
            }
            Atom::FloorDiv(a, b) => a.substitute(lookup)?.floor_div(&b.substitute(lookup)?).ok_or(Fault::Arithmetic),
            Atom::Max(p) => Ok(Poly::extremum(&all(p)?, true)),
            Atom::Min(p) => Ok(Poly::extremum(&all(p)?, false)),
            Atom::Broadcast(p) => {
                let p = all(p)?;
                Poly::broadcast(&p).ok_or_else(|| {
                    let mut sizes = p.iter().filter_map(Poly::as_constant).filter(|&c| c != 1);
                    let first = sizes.next().unwrap_or(1);
                    Fault::Broadcast(first, sizes.find(|&c| c != first).unwrap_or(1))
                })
            }
        }
    }
}

fn number(symbol: Symbol, lookup: Lookup<'_>) -> Result<Option<i64>, Fault> {
    match lookup(symbol) {
        None => Ok(None),
        Some(value) if value < 2 && matches!(symbol, Symbol::Guarded(_)) => Err(Fault::Guard(symbol, value)),
        Some(value) => i64::try_from(value).map(Some).map_err(|_| Fault::Arithmetic),
    }
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}

fn product(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_mul(b?)
}

/// Joins a bound that counts only if every operand has it.
fn all(p: &[Poly], bound: fn(&Poly) -> Option<i64>, join: fn(i64, i64) -> i64) -> Option<i64> {
    let mut bounds = p.iter().map(bound);
    let first = bounds.next()??;
    bounds.try_fold(first, |a, b| b.map(|b| join(a, b)))
}

#[cfg(test)]
mod tests {
    use super::super::Dim;

    #[test]
    fn bounds_follow_the_guards() {
        let (s0, s1, u0) = (Dim::symbol(0), Dim::symbol(1), Dim::unbacked(0));
        assert!((s0 * s1).at_least(4) && !(s0 * s1).at_least(5));
        assert!((s0 - 2).at_least(0) && !(s0 - 3).at_least(0));
        assert!((u0 + 1).at_least(1) && !u0.at_least(1));
        assert!(s0.floor_div(2).at_least(1) && (s0 * u0 + 7).at_least(7));
        assert!(!(Dim::known(5) - s0).at_least(0) && !(Dim::known(5) - s0).can_equal(Dim::known(4)));
        assert!(!s0.can_equal(s0 + 1) && s0.can_equal(s1) && !s0.can_equal(Dim::ONE));
        assert!(u0.max(s0).at_least(2) && !u0.min(s0).at_least(1));
    }
}
