//! Reshape targets: which shape `reshape` gives, with at most one size left to be inferred.
//! The reshape op's shape rule, `flatten` and the layers that regroup axes call it.

use super::{Constraints, Dim, MAX_RANK, Shape};
use crate::error::{Error, Result};

/// The shape that `reshape` gives for a target of sizes, known or not, where `None` stands for the one to infer.
///
/// Where only numbers can tell whether the element counts agree, their equality is noted in `constraints`.
///
/// ```
/// use eagerflow::{Dim, Shape, shape::{Constraints, reshape_dims}};
/// let from = Shape::from_dims(&[Dim::symbol(0), Dim::symbol(1) * 6])?;
/// let shape = reshape_dims("Reshape", &from, &[Some(Dim::symbol(0) * 2), None], &mut Constraints::new())?;
/// assert_eq!(shape.to_string(), "[2*s0, 3*s1]");
/// # Ok::<(), eagerflow::Error>(())
/// ```
pub fn reshape_dims(op: &str, from: &Shape, target: &[Option<Dim>], constraints: &mut Constraints) -> Result<Shape> {
    let mut sizes = [Dim::ONE; MAX_RANK];
    let Some(sizes) = sizes.get_mut(..target.len()) else {
        return Err(super::too_many_axes(target).in_op(op));
    };
    let mut open = None;
    for (axis, &size) in target.iter().enumerate() {
        match size {
            Some(size) => sizes[axis] = size,
            None if open.is_none() => open = Some(axis),
            None => {
                return Err(Error::invalid_argument(op, "more than one size of the requested shape is to be inferred")
                    .got(text(target))
                    .expected("at most one -1"));
            }
        }
    }
    // With 1 in the open place, the count is what the open size multiplies.
    let (have, given) = (from.element_count(), Shape::from_dims(sizes).map_err(|e| e.in_op(op))?.element_count());
    let disagree = || {
        Error::invalid_argument(op, format!("cannot reshape {have} elements to {}", text(target)))
            .got(format!("shape {from} with {have} elements"))
    };
    if let Some(axis) = open {
        if given == Dim::ZERO {
            return Err(disagree()
                .expected("sizes other than 0 next to -1")
                .help("write the size out: any number would do for -1 beside a 0"));
        }
        sizes[axis] = match have.div_exact(given) {
            Some(size) => size,
            None if have.is_known() && given.is_known() => {
                return Err(disagree().expected(format!("a multiple of {given} elements")));
            }
            None => {
                let size = have.floor_div_dim(given);
                constraints.push(size * given, have);
                size
            }
        };
    } else if !have.can_equal(given) {
        return Err(disagree().expected(format!("{given} elements")));
    } else {
        constraints.push(have, given);
    }
    Shape::from_dims(sizes).map_err(|e| e.in_op(op))
}

fn text(target: &[Option<Dim>]) -> String {
    let sizes: Vec<_> = target.iter().map(|size| size.map_or_else(|| "-1".into(), |size| size.to_string())).collect();
    format!("[{}]", sizes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::IntoShape;

    fn target(from: &Shape, sizes: &[isize]) -> Result<Shape> {
        let sizes = sizes.into_target().map_err(|e| e.in_op("Reshape"))?;
        reshape_dims("Reshape", from, &sizes, &mut Constraints::new())
    }

    fn numbers(from: &[usize], sizes: &[isize]) -> Result<Vec<usize>> {
        Ok(target(&Shape::new(from)?, sizes)?.dims().to_vec())
    }

    #[test]
    fn numbers_follow_the_count() {
        assert_eq!(numbers(&[2, 6], &[3, -1]).expect("legal"), [3, 4]);
        assert_eq!(numbers(&[2, 6], &[-1]).expect("legal"), [12]);
        assert_eq!(numbers(&[1], &[]).expect("legal"), [0; 0]);
        assert_eq!(numbers(&[], &[1, -1, 1]).expect("legal"), [1, 1, 1]);
        assert_eq!(numbers(&[0, 3], &[3, -1]).expect("legal"), [3, 0]);
        assert_eq!(numbers(&[0, 3], &[7, 0]).expect("legal"), [7, 0]);
        for (from, target, part) in [
            (&[2, 6][..], &[5, -1][..], "multiple of 5"),
            (&[2, 6], &[5, 2], "10 elements"),
            (&[2, 6], &[-1, -1], "at most one -1"),
            (&[2, 6], &[-2, 6], "negative size -2"),
            (&[0, 3], &[0, -1], "other than 0"),
            (&[2], &[1; 9], "at most 8 axes"),
            (&[2], &[isize::MAX, 2], "more elements"),
        ] {
            let text = numbers(from, target).expect_err("illegal").to_string();
            assert!(text.contains("Reshape: ") && text.contains(part), "{text}");
        }
    }

    #[test]
    fn symbols_divide_or_leave_a_constraint() -> Result<()> {
        let (s0, s1) = (Dim::symbol(0), Dim::symbol(1));
        let mut constraints = Constraints::new();
        let from = Shape::from_dims(&[s0, Dim::known(6)])?;
        let to = reshape_dims("Reshape", &from, &[None, Some(Dim::known(3)), Some(s0)], &mut constraints)?;
        assert_eq!((to.to_string().as_str(), constraints.is_empty()), ("[2, 3, s0]", true));
        let to = reshape_dims("Reshape", &from, &[None, Some(Dim::known(4))], &mut constraints)?;
        assert_eq!(to.dim(0), (s0 * 3).floor_div(2));
        assert!(constraints.check(&|_| Some(8)).is_ok() && constraints.check(&|_| Some(7)).is_err());
        let mut constraints = Constraints::new();
        let to = reshape_dims("Reshape", &from, &[Some(s1), Some(Dim::known(2))], &mut constraints)?;
        assert_eq!(to.to_string(), "[s1, 2]");
        assert_eq!(constraints.iter().collect::<Vec<_>>(), [(s0 * 6, s1 * 2)]);
        assert!(target(&from, &[11]).is_err() && target(&from, &[30]).is_ok());
        Ok(())
    }
}
