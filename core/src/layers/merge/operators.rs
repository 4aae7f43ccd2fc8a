//! Operators between nodes of a functional model, and between nodes and numbers: `&a + &b`, `&a * 2.0`, `1.0 - &a`, `-&a`.
//! They stand for the layers `Add`, `Subtract` and `Multiply`, and for `Lambda`.

use super::{Add, LayerInputs, Multiply, Subtract};
use crate::layers::lambda::Lambda;
use crate::layers::{Call, Node};
use engine::Tensor;
use kernels::error::{OrFail, Result};
use std::ops;

/// What may stand beside a node in an operator: another node, or a number.
pub trait NodeOperand {
    #[doc(hidden)]
    fn side(self) -> Side;
}

/// One side of an operator.
#[doc(hidden)]
pub enum Side {
    /// A node.
    Node(Node),
    /// A number.
    Number(f64),
}

impl NodeOperand for Node {
    fn side(self) -> Side {
        Side::Node(self)
    }
}

impl NodeOperand for &Node {
    fn side(self) -> Side {
        Side::Node(self.clone())
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl NodeOperand for $number {
            fn side(self) -> Side {
                Side::Number(f64::from(self))
            }
        }
    )*};
}

numbers!(f64, f32, i32);

/// A layer of several inputs that takes both nodes.
#[track_caller]
fn both(call: impl FnOnce([&Node; 2]) -> Result<Node>, a: &Node, b: &Node) -> Node {
    call([a, b]).or_fail()
}

/// A node through an operation of one tensor, which leaves the steps and their mask as they are.
#[track_caller]
fn alone(kind: &'static str, a: &Node, f: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static) -> Node {
    let layer = Lambda::of_many(move |x, _| f(&x[0])).mask(|_, mask| mask.cloned()).called(kind);
    LayerInputs::through([a], &layer, &Call::inference()).or_fail()
}

#[track_caller]
fn sum(a: Side, b: Side) -> Node {
    match (a, b) {
        (Side::Node(a), Side::Node(b)) => both(|x| Add::new().try_call(x, false), &a, &b),
        (Side::Node(a), Side::Number(n)) | (Side::Number(n), Side::Node(a)) => alone("add", &a, move |x| x.try_add(n)),
        (Side::Number(_), Side::Number(_)) => unreachable!("one side is a node"),
    }
}

#[track_caller]
fn difference(a: Side, b: Side) -> Node {
    match (a, b) {
        (Side::Node(a), Side::Node(b)) => both(|x| Subtract::new().try_call(x, false), &a, &b),
        (Side::Node(a), Side::Number(n)) => alone("subtract", &a, move |x| x.try_subtract(n)),
        (Side::Number(n), Side::Node(a)) => alone("subtract", &a, move |x| engine::try_subtract(n, x)),
        (Side::Number(_), Side::Number(_)) => unreachable!("one side is a node"),
    }
}

#[track_caller]
fn product(a: Side, b: Side) -> Node {
    match (a, b) {
        (Side::Node(a), Side::Node(b)) => both(|x| Multiply::new().try_call(x, false), &a, &b),
        (Side::Node(a), Side::Number(n)) | (Side::Number(n), Side::Node(a)) => {
            alone("multiply", &a, move |x| x.try_multiply(n))
        }
        (Side::Number(_), Side::Number(_)) => unreachable!("one side is a node"),
    }
}

#[track_caller]
fn quotient(a: Side, b: Side) -> Node {
    match (a, b) {
        (Side::Node(a), Side::Node(b)) => {
            let divide = |x: &[Tensor], _: &Call| {
                let x = super::rules::aligned("divide", x)?;
                x[0].try_divide(&x[1])
            };
            let layer = Lambda::of_many(divide).mask(|_, mask| mask.cloned()).called("divide");
            both(|x| layer.try_call_all(x, &Call::inference()), &a, &b)
        }
        (Side::Node(a), Side::Number(n)) => alone("divide", &a, move |x| x.try_divide(n)),
        (Side::Number(n), Side::Node(a)) => alone("divide", &a, move |x| engine::try_divide(n, x)),
        (Side::Number(_), Side::Number(_)) => unreachable!("one side is a node"),
    }
}

macro_rules! operators {
    ($($trait:ident, $method:ident, $function:ident;)*) => {$(
        impl<B: NodeOperand> ops::$trait<B> for &Node {
            type Output = Node;

            #[track_caller]
            fn $method(self, other: B) -> Node {
                $function(self.side(), other.side())
            }
        }

        impl<B: NodeOperand> ops::$trait<B> for Node {
            type Output = Node;

            #[track_caller]
            fn $method(self, other: B) -> Node {
                $function(self.side(), other.side())
            }
        }

        operators!(@numbers $trait, $method, $function: f64, f32, i32);
    )*};
    (@numbers $trait:ident, $method:ident, $function:ident: $($number:ty),*) => {$(
        impl ops::$trait<&Node> for $number {
            type Output = Node;

            #[track_caller]
            fn $method(self, other: &Node) -> Node {
                $function(self.side(), other.side())
            }
        }

        impl ops::$trait<Node> for $number {
            type Output = Node;

            #[track_caller]
            fn $method(self, other: Node) -> Node {
                $function(self.side(), other.side())
            }
        }
    )*};
}

operators! {
    Add, add, sum;
    Sub, sub, difference;
    Mul, mul, product;
    Div, div, quotient;
}

impl ops::Neg for &Node {
    type Output = Node;

    #[track_caller]
    fn neg(self) -> Node {
        alone("negative", self, |x| x.try_neg())
    }
}

impl ops::Neg for Node {
    type Output = Node;

    #[track_caller]
    fn neg(self) -> Node {
        -&self
    }
}
