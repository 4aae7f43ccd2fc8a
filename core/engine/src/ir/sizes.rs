//! The numbers that stand for symbolic sizes while a graph runs.
//! The executors fill it from the operands of each body; operations with sizes among their attributes are bound with it.

use crate::op::{Lookup, OpRef};
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::{Shape, Symbol, as_symbol};
use smallvec::SmallVec;
use std::cell::RefCell;

/// Symbols with numbers.
pub(crate) type Known = SmallVec<[(Symbol, usize); 2]>;

/// Symbols and their numbers, with those of the enclosing body behind them.
#[derive(Default)]
pub(crate) struct Sizes<'a> {
    outer: Option<&'a Sizes<'a>>,
    own: RefCell<Known>,
}

impl<'a> Sizes<'a> {
    /// Sizes that are known beforehand.
    pub fn of(known: &Known) -> Self {
        Self { outer: None, own: RefCell::new(known.clone()) }
    }

    /// The numbers that are known here.
    pub fn into_known(self) -> Known {
        self.own.into_inner()
    }

    /// The sizes of a body within another.
    pub fn within(outer: &'a Sizes<'a>) -> Self {
        Self { outer: Some(outer), own: RefCell::default() }
    }

    pub fn get(&self, symbol: Symbol) -> Option<usize> {
        let own = self.own.borrow().iter().rev().find(|(s, _)| *s == symbol).map(|(_, n)| *n);
        own.or_else(|| self.outer?.get(symbol))
    }

    /// Whether any size has a number here.
    pub fn any(&self) -> bool {
        !self.own.borrow().is_empty() || self.outer.is_some_and(Sizes::any)
    }

    pub fn set(&self, symbol: Symbol, size: usize) {
        let mut own = self.own.borrow_mut();
        match own.iter_mut().find(|(s, _)| *s == symbol) {
            Some((_, n)) => *n = size,
            None => own.push((symbol, size)),
        }
    }

    /// Learns from a tensor: a size of its type that is a symbol alone has the tensor's number.
    pub fn learn(&self, ty: &TensorType, shape: &Shape) {
        if ty.shape.is_known() || ty.shape.rank() != shape.rank() {
            return;
        }
        let Some(numbers) = shape.known_dims() else { return };
        for (size, &number) in ty.shape.iter().zip(numbers) {
            if !size.is_known()
                && let Some(symbol) = as_symbol(size)
            {
                self.set(symbol, number);
            }
        }
    }

    /// An operation with numbers in place of symbols.
    pub fn bind(&self, op: &OpRef) -> Result<OpRef> {
        let lookup: &Lookup<'_> = &|symbol| self.get(symbol);
        op.bind(lookup)
    }
}
