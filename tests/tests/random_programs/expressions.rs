//! Expressions at random: small ones, over the variables and the items of the loops around.
//! The generator of statements calls it.

use super::generate::{Around, Item, Make};
use super::program::*;

impl Make<'_> {
    /// A loop around that suits.
    pub fn label(&mut self, suits: impl Fn(&Around) -> bool) -> Option<Label> {
        let labels: Vec<Label> = self.around.iter().filter(|a| suits(a)).map(|a| a.label).collect();
        (!labels.is_empty()).then(|| *self.random.pick(&labels))
    }

    pub fn returned(&mut self) -> Returned {
        (self.scalar(2), self.vector(1), self.integer(1))
    }

    fn unary(&mut self) -> Unary {
        *self.random.pick(&[Unary::Tanh, Unary::Sin, Unary::Half, Unary::Negative, Unary::Square, Unary::Custom])
    }

    pub fn scalar(&mut self, depth: usize) -> Scalar {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(if self.closure { 20 } else { 16 }) {
                0..=5 => Scalar::Var(self.random.below(3)),
                6 => Scalar::Item(self.random.below(2)),
                7 => Scalar::Pair(self.random.below(2)),
                8 => self.label(|a| a.item == Some(Item::Scalar)).map_or(Scalar::X, Scalar::Row),
                9 => Scalar::Const(self.random.between(-6, 6) as f32 * 0.25),
                10 => Scalar::W,
                11 => Scalar::Read(Box::new(self.integer(0))),
                12 => Scalar::Stacked,
                13 => Scalar::X,
                14 => Scalar::Listed,
                15 => Scalar::Joined,
                _ => Scalar::Arg,
            };
        }
        match self.random.below(10) {
            0..=2 => Scalar::Unary(self.unary(), Box::new(self.scalar(depth - 1))),
            3..=6 => {
                let op = *self.random.pick(&[Binary::Add, Binary::Subtract, Binary::Multiply]);
                Scalar::Binary(op, Box::new(self.scalar(depth - 1)), Box::new(self.scalar(depth - 1)))
            }
            7 => Scalar::Mean(Box::new(self.vector(depth - 1))),
            8 => Scalar::Element(Box::new(self.vector(depth - 1)), Box::new(self.integer(depth - 1))),
            _ => Scalar::Cast(Box::new(self.integer(depth - 1))),
        }
    }

    pub fn vector(&mut self, depth: usize) -> Vector {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(8) {
                0 | 1 => Vector::Y,
                2 | 3 => {
                    let row = self.label(|a| a.item == Some(Item::Vector));
                    row.map_or(Vector::Var(3), Vector::Row)
                }
                other => Vector::Var(3 + other % 2),
            };
        }
        if self.grows && self.random.one_in(6) {
            return Vector::Ranged(Box::new(self.integer(depth - 1)));
        }
        if self.grows && self.random.one_in(8) {
            return Vector::Listed;
        }
        let inner = Box::new(self.vector(depth - 1));
        match self.random.below(8) {
            0 | 1 => Vector::Unary(self.unary(), inner),
            2 | 3 => Vector::Scaled(inner, Box::new(self.scalar(depth - 1))),
            4 if self.grows && self.random.one_in(2) => Vector::Grown(inner),
            4 if self.grows => Vector::Chosen(inner),
            5 | 6 => Vector::Updated(inner, Box::new(self.integer(depth - 1)), Box::new(self.scalar(depth - 1))),
            4 => Vector::Added(inner, Box::new(self.vector(depth - 1))),
            _ => Vector::Reversed(inner),
        }
    }

    pub fn integer(&mut self, depth: usize) -> Integer {
        if depth == 0 || self.random.one_in(3) {
            return match self.random.below(8) {
                0..=2 => Integer::Var(5 + self.random.below(2)),
                3 => Integer::J,
                4 => self.label(|a| a.counter).map_or(Integer::J, Integer::Count),
                5 => self.label(|a| a.item == Some(Item::Integer)).map_or(Integer::J, Integer::Step),
                6 if depth > 0 => Integer::Size(Box::new(self.vector(depth - 1))),
                _ => Integer::Const(self.random.between(-2, 4) as i32),
            };
        }
        let inner = Box::new(self.integer(depth - 1));
        match self.random.below(3) {
            0 => Integer::Add(inner, Box::new(self.integer(depth - 1))),
            1 => Integer::Subtract(inner, Box::new(self.integer(depth - 1))),
            _ => Integer::Modulo(inner, self.random.between(2, 5) as i32),
        }
    }

    pub fn truth(&mut self, depth: usize) -> Truth {
        let order = *self.random.pick(&[Order::Less, Order::Greater, Order::GreaterEqual, Order::Equal]);
        match self.random.below(7) {
            0 => Truth::Var(7 + self.random.below(2)),
            1..=3 => Truth::Scalars(order, self.scalar(1), self.scalar(0)),
            6 if depth > 0 => Truth::Not(Box::new(self.truth(depth - 1))),
            _ => Truth::Integers(order, self.integer(1), self.integer(0)),
        }
    }

    pub fn cond(&mut self, depth: usize) -> Cond {
        match self.random.below(10) {
            0 => Cond::Host(self.host()),
            1 | 2 if depth > 0 => {
                let (x, y) = (Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1)));
                if self.random.one_in(2) { Cond::And(x, y) } else { Cond::Or(x, y) }
            }
            3 if self.random.one_in(2) => Cond::Logged(self.scalar(0), Box::new(self.cond(depth.saturating_sub(1)))),
            _ => Cond::Tensor(self.truth(1)),
        }
    }

    fn host(&mut self) -> Host {
        match self.random.below(3) {
            0 => Host::Training,
            1 => Host::Many,
            _ => self.label(|a| a.host).map_or(Host::Training, Host::Even),
        }
    }
}
