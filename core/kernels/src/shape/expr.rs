//! Symbolic size expressions: polynomials over symbols in one canonical form, and the global table that interns them.
//! Only the cold paths of `dim.rs` and `broadcast.rs` come here; a known size never does.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::dim::Symbol;

/// What a polynomial takes as an indivisible factor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    Symbol(Symbol),
    /// Quotient rounded down. A constant divisor is above 1 and the dividend's coefficients lie in `0..divisor`.
    FloorDiv(Arc<Poly>, Arc<Poly>),
    Max(Vec<Poly>),
    Min(Vec<Poly>),
    /// The one size to which all operands broadcast; sorted, without duplicates or constants.
    Broadcast(Vec<Poly>),
}

/// A product of atoms, sorted; the empty product is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Monomial(pub(super) Vec<Atom>);

impl Ord for Monomial {
    // Higher degrees first, then by the factors: a monomial order, which exact division needs, and one that puts
    // the constant last, as people write it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.len().cmp(&self.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Monomial {
    fn times(&self, other: &Self) -> Self {
        let mut factors = [self.0.as_slice(), &other.0].concat();
        factors.sort();
        Self(factors)
    }

    /// The monomial that gives `self` when multiplied with `other`.
    fn over(&self, other: &Self) -> Option<Self> {
        let mut factors = self.0.clone();
        for atom in &other.0 {
            factors.remove(factors.iter().position(|f| f == atom)?);
        }
        Some(Self(factors))
    }
}

/// A sum of monomials with integer coefficients: sorted, no coefficient zero, so equal polynomials are equal values.
///
/// Arithmetic returns `None` on overflow and on division by zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Poly(pub(super) Vec<(Monomial, i64)>);

impl Poly {
    pub(super) fn constant(value: i64) -> Self {
        Self(if value == 0 { Vec::new() } else { vec![(Monomial::default(), value)] })
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Self(vec![(Monomial(vec![atom]), 1)])
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match self.0.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.0.is_empty() => Some(*value),
            _ => None,
        }
    }

    pub(super) fn as_atom(&self) -> Option<&Atom> {
        match self.0.as_slice() {
            [(monomial, 1)] if monomial.0.len() == 1 => monomial.0.first(),
            _ => None,
        }
    }

    /// Terms, factors and coefficients that are not 1: of two equal sizes, a result is written in the lighter one.
    pub(super) fn weight(&self) -> (usize, usize, usize) {
        let factors = self.0.iter().map(|(m, _)| m.0.len()).sum();
        (self.0.len(), factors, self.0.iter().filter(|(_, c)| *c != 1).count())
    }

    fn from_map(terms: BTreeMap<Monomial, i64>) -> Self {
        Self(terms.into_iter().filter(|(_, c)| *c != 0).collect())
    }

    /// `self + factor * other`.
    pub(super) fn add_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut terms: BTreeMap<_, _> = self.0.iter().cloned().collect();
        for (monomial, c) in &other.0 {
            let slot = terms.entry(monomial.clone()).or_insert(0);
            *slot = slot.checked_add(c.checked_mul(factor)?)?;
        }
        Some(Self::from_map(terms))
    }

    pub(super) fn mul(&self, other: &Self) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for (m, c) in &self.0 {
            for (n, d) in &other.0 {
                let slot = terms.entry(m.times(n)).or_insert(0_i64);
                *slot = slot.checked_add(c.checked_mul(*d)?)?;
            }
        }
        Some(Self::from_map(terms))
    }

    /// The polynomial that gives `self` when multiplied with `divisor`, by long division from the leading term.
    pub(super) fn div_exact(&self, divisor: &Self) -> Option<Self> {
        let (lead, lead_c) = divisor.0.first()?;
        let (mut rest, mut quotient) = (self.clone(), Self::default());
        while let Some((m, c)) = rest.0.first() {
            if c.checked_rem(*lead_c)? != 0 {
                return None;
            }
            let term = Self(vec![(m.over(lead)?, c.checked_div(*lead_c)?)]);
            rest = rest.add_scaled(&divisor.mul(&term)?, -1)?;
            quotient = quotient.add_scaled(&term, 1)?;
        }
        Some(quotient)
    }

    /// `self / divisor` rounded down; whole multiples of a constant divisor leave the atom, so that
    /// `(s0-2)/2 + 1` and `s0/2` are the same.
    pub(super) fn floor_div(&self, divisor: &Self) -> Option<Self> {
        let k = divisor.as_constant();
        if k.is_some_and(|k| k <= 0) {
            return None;
        }
        if let Some(quotient) = self.div_exact(divisor) {
            return Some(quotient);
        }
        let Some(k) = k else {
            return Some(Self::atom(Atom::FloorDiv(Arc::new(self.clone()), Arc::new(divisor.clone()))));
        };
        let part = |f: &dyn Fn(i64) -> i64| {
            Self(self.0.iter().map(|(m, c)| (m.clone(), f(*c))).filter(|(_, c)| *c != 0).collect())
        };
        let (whole, mut rest) = (part(&|c| c.div_euclid(k)), part(&|c| c.rem_euclid(k)));
        // floor((g*r + c) / (g*k)) = floor((r + floor(c/g)) / k).
        let common = rest.0.iter().filter(|(m, _)| !m.0.is_empty()).fold(k, |g, (_, c)| gcd(g, *c));
        rest.0.iter_mut().for_each(|(_, c)| *c = c.div_euclid(common));
        rest.0.retain(|(_, c)| *c != 0);
        let k = k / common;
        if k == 1 {
            return whole.add_scaled(&rest, 1);
        }
        if rest.as_constant().is_some() {
            return Some(whole);
        }
        // floor((floor(a/m) + b) / k) = floor((a + m*b) / (m*k)): chains of strided layers collapse to one division.
        let inner = match rest.lone_quotient() {
            Some((at, dividend, m)) => {
                let mut others = rest.clone();
                others.0.remove(at);
                dividend.add_scaled(&others, m)?.floor_div(&Self::constant(m.checked_mul(k)?))?
            }
            None => Self::atom(Atom::FloorDiv(Arc::new(rest), Arc::new(Self::constant(k)))),
        };
        whole.add_scaled(&inner, 1)
    }

    /// Place, dividend and constant divisor of the term `1 * (a/m)`, if exactly one term is a quotient.
    pub(super) fn lone_quotient(&self) -> Option<(usize, &Poly, i64)> {
        let mut found = None;
        for (at, (monomial, c)) in self.0.iter().enumerate() {
            if let [Atom::FloorDiv(dividend, divisor)] = monomial.0.as_slice() {
                if found.is_some() || *c != 1 {
                    return None;
                }
                found = Some((at, &**dividend, divisor.as_constant()?));
            }
        }
        found
    }

    /// The largest (or smallest) of the operands; those that another one bounds are dropped.
    pub(super) fn extremum(operands: &[Poly], largest: bool) -> Self {
        let mut kept: Vec<Poly> = Vec::new();
        let flat = operands.iter().flat_map(|p| match p.as_atom() {
            Some(Atom::Max(inner)) if largest => inner.clone(),
            Some(Atom::Min(inner)) if !largest => inner.clone(),
            _ => vec![p.clone()],
        });
        let wins = |a: &Poly, b: &Poly| {
            let (high, low) = if largest { (a, b) } else { (b, a) };
            high.add_scaled(low, -1).and_then(|d| d.bounds().0).is_some_and(|lo| lo >= 0)
        };
        for p in flat {
            if !kept.iter().any(|k| wins(k, &p)) {
                kept.retain(|k| !wins(&p, k));
                kept.push(p);
            }
        }
        kept.sort();
        match kept.as_slice() {
            [one] => one.clone(),
            _ if largest => Self::atom(Atom::Max(kept)),
            _ => Self::atom(Atom::Min(kept)),
        }
    }

    /// The common broadcast size of the operands; `None` if two constants differ and neither is 1.
    pub(super) fn broadcast(operands: &[Poly]) -> Option<Self> {
        let (mut constant, mut open) = (1, Vec::new());
        for p in operands {
            match (p.as_constant(), p.as_atom()) {
                (Some(1), _) => {}
                (Some(value), _) if constant == 1 || constant == value => constant = value,
                (Some(_), _) => return None,
                (None, Some(Atom::Broadcast(inner))) => open.extend_from_slice(inner),
                (None, _) => open.push(p.clone()),
            }
        }
        open.sort();
        open.dedup();
        Some(match open.as_slice() {
            // Whatever the others are, 1 or this size, the result is this size.
            _ if constant != 1 => Self::constant(constant),
            [] => Self::constant(1),
            [one] => one.clone(),
            _ => Self::atom(Atom::Broadcast(open)),
        })
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All expressions of the process. Graphs name their symbols `s0`, `s1`, ... each, so that it stays small.
#[derive(Default)]
struct Table {
    expressions: Vec<Arc<Poly>>,
    places: HashMap<Arc<Poly>, usize>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

/// The index of an expression, the same for equal ones.
pub(super) fn intern(poly: Poly) -> usize {
    if let Some(&place) = TABLE.read().unwrap_or_else(PoisonError::into_inner).places.get(&poly) {
        return place;
    }
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have come first between the two locks.
    if let Some(&place) = table.places.get(&poly) {
        return place;
    }
    let (place, poly) = (table.expressions.len(), Arc::new(poly));
    table.expressions.push(poly.clone());
    table.places.insert(poly, place);
    place
}

/// The expression at an index that [`intern`] gave.
pub(super) fn lookup(place: usize) -> Option<Arc<Poly>> {
    TABLE.read().unwrap_or_else(PoisonError::into_inner).expressions.get(place).cloned()
}
