//! Expressions of a program as Rust: variables are cloned where they are values, lent where they are operands.
//! The writer of sources calls it for every statement.

use super::program::*;

pub fn returned(value: &Returned) -> String {
    format!("vec![{}, {}, {}]", scalar(&value.0), vector(&value.1), integer(&value.2))
}

fn unary(op: Unary, x: &str) -> String {
    match op {
        Unary::Tanh => format!("tf::tanh({x})"),
        Unary::Sin => format!("tf::sin({x})"),
        Unary::Half => format!("({x} * 0.5)"),
        Unary::Negative => format!("(-{x})"),
        Unary::Square => format!("tf::square(tf::tanh({x}))"),
        Unary::Custom => format!("custom(&{x})"),
    }
}

/// An operand: variables by reference.
pub fn lent(expr: &Scalar) -> String {
    match expr {
        Scalar::Var(var) | Scalar::Moved(var) => format!("&{}", NAMES[*var]),
        Scalar::X => "x".to_owned(),
        Scalar::Arg => "&t".to_owned(),
        _ => scalar(expr),
    }
}

pub fn scalar(expr: &Scalar) -> String {
    match expr {
        Scalar::Var(var) => format!("{}.clone()", NAMES[*var]),
        Scalar::Moved(var) => NAMES[*var].to_owned(),
        Scalar::Item(index) => format!("list[{index}].clone()"),
        Scalar::Pair(index) => format!("pair.{index}.clone()"),
        Scalar::Row(label) => format!("r{label}.clone()"),
        Scalar::Read(index) => format!("array.read(&tf::floormod({}, {ITEMS}))", integer(index)),
        Scalar::Stacked => "tf::reduce_mean(array.stack(), ())".to_owned(),
        Scalar::Listed => "tf::reduce_mean(tf::stack(&all, 0), ())".to_owned(),
        Scalar::Joined => "tf::reduce_mean(tf::concat(&parts, 0), ())".to_owned(),
        Scalar::Arg => "t.clone()".to_owned(),
        Scalar::Const(number) => format!("tf::constant({number:?}f32)"),
        Scalar::X => "x.clone()".to_owned(),
        Scalar::W => "w.value()".to_owned(),
        Scalar::Unary(op, x) => unary(*op, &lent(x)),
        Scalar::Binary(Binary::Add, x, y) => format!("({} + {})", lent(x), lent(y)),
        Scalar::Binary(Binary::Subtract, x, y) => format!("({} - {})", lent(x), lent(y)),
        Scalar::Binary(Binary::Multiply, x, y) => format!("(tf::tanh({}) * {})", lent(x), lent(y)),
        Scalar::Element(x, index) => format!("element({}, {})", vector(x), integer(index)),
        Scalar::Mean(x) => format!("tf::reduce_mean({}, ())", vector(x)),
        Scalar::Cast(x) => format!("(tf::cast({}, tf::DType::F32) * 0.125)", integer(x)),
        Scalar::Root(x) => format!("tf::sqrt({})", lent(x)),
    }
}

pub fn vector(expr: &Vector) -> String {
    match expr {
        Vector::Var(var) => format!("{}.clone()", NAMES[*var]),
        Vector::Y => "y.clone()".to_owned(),
        Vector::Unary(op, x) => unary(*op, &vector(x)),
        Vector::Scaled(x, y) => format!("({} * {})", vector(x), scalar(y)),
        Vector::Added(x, y) => format!("({} + {})", vector(x), vector(y)),
        Vector::Updated(x, index, y) => format!("updated({}, {}, {})", vector(x), integer(index), scalar(y)),
        Vector::Reversed(x) => format!("tf::reverse({}, 0)", vector(x)),
        Vector::Grown(x) => format!("grown({})", vector(x)),
        Vector::Chosen(x) => format!("chosen({})", vector(x)),
        Vector::Ranged(x) => format!("ranged({})", integer(x)),
        Vector::Row(label) => format!("r{label}.clone()"),
        Vector::Listed => "first(tf::stack(&all, 0))".to_owned(),
    }
}

pub fn integer(expr: &Integer) -> String {
    match expr {
        Integer::Var(var) => format!("{}.clone()", NAMES[*var]),
        Integer::J => "j.clone()".to_owned(),
        Integer::Const(number) => format!("tf::constant({number})"),
        Integer::Add(x, y) => format!("({} + {})", integer(x), integer(y)),
        Integer::Subtract(x, y) => format!("({} - {})", integer(x), integer(y)),
        Integer::Modulo(x, by) => format!("tf::floormod({}, {by})", integer(x)),
        Integer::Count(label) => format!("c{label}.clone()"),
        Integer::Step(label) => format!("r{label}.clone()"),
        Integer::Size(x) => format!("tf::shape(&{}).at(0)", vector(x)),
    }
}

pub fn truth(expr: &Truth) -> String {
    let order = |order: &Order| match order {
        Order::Less => "<",
        Order::Greater => ">",
        Order::GreaterEqual => ">=",
        Order::Equal => "==",
    };
    match expr {
        // As a `bool` is written: the attribute copies it.
        Truth::Var(var) => NAMES[*var].to_owned(),
        Truth::Scalars(o, x, y) => format!("({} {} {})", lent(x), order(o), lent(y)),
        Truth::Integers(o, x, y) => format!("({} {} {})", integer(x), order(o), integer(y)),
        Truth::Not(x) => format!("!{}", truth(x)),
    }
}

pub fn cond(expr: &Cond) -> String {
    match expr {
        Cond::Tensor(x) => truth(x),
        Cond::Host(Host::Training) => "training".to_owned(),
        Cond::Host(Host::Many) => "n > 2".to_owned(),
        Cond::Host(Host::Even(label)) => format!("i{label} % 2 == 0"),
        Cond::And(x, y) => format!("{} && {}", operand(x), operand(y)),
        Cond::Or(x, y) => format!("{} || {}", operand(x), operand(y)),
        Cond::Logged(x, inner) => {
            format!("{{ log.assign(log.value() * 0.75 + {}); {} }}", scalar(x), cond(inner))
        }
    }
}

pub fn operand(expr: &Cond) -> String {
    match expr {
        Cond::And(..) | Cond::Or(..) | Cond::Logged(..) => format!("({})", cond(expr)),
        _ => cond(expr),
    }
}
