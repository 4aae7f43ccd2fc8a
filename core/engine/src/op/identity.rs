//! The identity of an operation: name and attributes as values, to compare, hash, print and keep it.
//! Files in `ops/` write theirs with `identity!`; caches and printers read them.

use super::Op;
use kernels::dtype::DType;
use kernels::shape::{Bits, Shape};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An operation that a tape or graph keeps.
#[derive(Clone)]
pub(crate) enum OpRef {
    /// An operation without attributes.
    Static(&'static dyn Op),
    /// A copy with its attributes.
    Shared(Arc<dyn Op>),
}

impl Deref for OpRef {
    type Target = dyn Op;

    #[inline]
    fn deref(&self) -> &dyn Op {
        match self {
            Self::Static(op) => *op,
            Self::Shared(op) => &**op,
        }
    }
}

/// An attribute as a value: enough to compare, hash, print and store an operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Attr<'a> {
    Int(i64),
    Float(f64),
    Bool(bool),
    DType(DType),
    Ints(&'a [i64]),
    Shape(&'a Shape),
    Text(&'a str),
}

/// Writes the identity part of an `impl Op`: `identity!("name")`, or with the fields that are attributes; `identity!("name", kept)`
/// for operations that are kept by a copy and visit their attributes in a way of their own.
///
/// `identity!("cast", clone, { dtype: DType = "to" })` reads: field `dtype`, attribute kind `DType`, printed as `to`.
macro_rules! identity {
    ($name:literal) => {
        fn name(&self) -> &'static str {
            $name
        }
        fn keep(&self) -> $crate::op::OpRef {
            $crate::op::OpRef::Static(&Self)
        }
        fn as_dyn(&self) -> &dyn $crate::op::Op {
            self
        }
    };
    ($name:literal, kept) => {
        fn name(&self) -> &'static str {
            $name
        }
        fn keep(&self) -> $crate::op::OpRef {
            $crate::op::OpRef::Shared(std::sync::Arc::new(self.clone()))
        }
        fn as_dyn(&self) -> &dyn $crate::op::Op {
            self
        }
    };
    ($name:literal, { $($attrs:tt)* }) => {
        $crate::op::identity!(|_this| $name, { $($attrs)* });
    };
    (|$me:ident| $name:expr, { $($attr:literal: $kind:ident = |$this:ident| $value:expr),* $(,)? }) => {
        fn name(&self) -> &'static str {
            let $me = self;
            $name
        }
        fn keep(&self) -> $crate::op::OpRef {
            $crate::op::OpRef::Shared(std::sync::Arc::new(self.clone()))
        }
        fn as_dyn(&self) -> &dyn $crate::op::Op {
            self
        }
        fn attributes(&self, visit: &mut dyn FnMut(&'static str, $crate::op::Attr<'_>)) {
            $({
                let $this = self;
                visit($attr, $crate::op::Attr::$kind($value));
            })*
        }
    };
}
pub(crate) use identity;

/// One number for all attributes, to look up what was made for an operation.
pub(crate) fn fingerprint(op: &dyn Op) -> u64 {
    // FNV-1a over 64-bit words: attributes are few, and a collision needs equal names and dtypes too.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |word: u64| hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    op.attributes(&mut |name, attr| {
        mix(name.len() as u64 ^ u64::from(name.as_bytes()[0]) << 8);
        match attr {
            Attr::Int(v) => mix(v as u64),
            Attr::Float(v) => mix(v.to_bits()),
            Attr::Bool(v) => mix(u64::from(v)),
            Attr::DType(v) => mix(v as u64),
            Attr::Ints(v) => v.iter().for_each(|&i| mix(i as u64)),
            Attr::Shape(v) => v.sizes().iter().for_each(|d| mix(d.bits())),
            Attr::Text(v) => v.bytes().for_each(|b| mix(u64::from(b))),
        }
    });
    hash
}

impl fmt::Debug for dyn Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let mut first = true;
        let mut result = Ok(());
        self.attributes(&mut |name, attr| {
            let open = if std::mem::take(&mut first) { "{" } else { ", " };
            let one = match attr {
                Attr::Int(v) => write!(f, "{open}{name}={v}"),
                Attr::Float(v) => write!(f, "{open}{name}={v}"),
                Attr::Bool(v) => write!(f, "{open}{name}={v}"),
                Attr::DType(v) => write!(f, "{open}{name}={v}"),
                Attr::Ints(v) => write!(f, "{open}{name}={v:?}"),
                Attr::Shape(v) => write!(f, "{open}{name}={v}"),
                Attr::Text(v) => write!(f, "{open}{name}={v}"),
            };
            if result.is_ok() {
                result = one;
            }
        });
        result?;
        if first { Ok(()) } else { f.write_str("}") }
    }
}
