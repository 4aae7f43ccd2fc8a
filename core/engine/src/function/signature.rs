//! What tells calls of a traced function apart: the types of tensors, exactly or with open sizes, and everything else by value.
//! Calls are matched against the [`Pattern`] of each trace; where none fits, a wider one is made of the nearest.

use super::arguments::{Arguments, Given};
use crate::module::differ_in_training;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::shape::{Dim, Shape, Symbol, as_symbol};
use smallvec::SmallVec;

/// One tensor among the arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// The user's name for it, such as `state.h`.
    pub name: String,
    pub ty: TensorType,
}

/// The signatures that a trace serves.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub leaves: Vec<Leaf>,
    /// Structure, host values and identities of variables, word by word.
    pub words: Vec<u64>,
}

/// Numbers for the open sizes of a pattern.
pub(crate) type Sizes = SmallVec<[(Symbol, usize); 4]>;

/// A type, or a tensor of one: what patterns are compared with.
pub(crate) trait Typed {
    fn its_type(&self) -> &TensorType;
}

impl Typed for TensorType {
    fn its_type(&self) -> &TensorType {
        self
    }
}

impl Typed for Given {
    #[inline]
    fn its_type(&self) -> &TensorType {
        self.ty()
    }
}

impl Pattern {
    /// Whether a call has just these types and words. A pattern with open sizes is none of a call's.
    #[inline]
    pub fn is<T: Typed>(&self, words: &[u64], leaves: &[T]) -> bool {
        // Few words: a call of `memcmp` takes longer than the loop.
        self.leaves.len() == leaves.len()
            && self.words.len() == words.len()
            && self.words.iter().zip(words).all(|(a, b)| a == b)
            && self.leaves.iter().zip(leaves).all(|(leaf, own)| leaf.ty == *own.its_type())
    }

    /// The numbers that the open sizes have in a call, if the pattern fits it.
    pub fn fits<T: Typed>(&self, words: &[u64], leaves: &[T]) -> Option<Sizes> {
        if self.leaves.len() != leaves.len() || self.words.len() != words.len() {
            return None;
        }
        // Few words: a call of `memcmp` takes longer than the loop.
        if !self.words.iter().zip(words).all(|(a, b)| a == b) {
            return None;
        }
        let mut sizes = Sizes::new();
        for (leaf, ty) in self.leaves.iter().zip(leaves.iter().map(Typed::its_type)) {
            if leaf.ty == *ty {
                continue;
            }
            if leaf.ty.dtype != ty.dtype || leaf.ty.shape.rank() != ty.shape.rank() {
                return None;
            }
            for (pattern, size) in leaf.ty.shape.iter().zip(ty.shape.iter()) {
                if pattern == size {
                    continue;
                }
                let (symbol, size) = (as_symbol(pattern)?, size.known_value()?);
                match sizes.iter().find(|(s, _)| *s == symbol) {
                    Some((_, known)) if *known != size => return None,
                    Some(_) => {}
                    // Sizes 0 and 1 have traces of their own: what is true of other sizes may not be of them.
                    None if size < 2 && matches!(symbol, Symbol::Guarded(_)) => return None,
                    None => sizes.push((symbol, size)),
                }
            }
        }
        Some(sizes)
    }

    /// How far a call is away, if nothing but sizes differs: how many sizes keep a trace of their own, being 0 or 1 in the call, and
    /// how many would have to be opened.
    pub fn distance(&self, words: &[u64], types: &[TensorType]) -> Option<(usize, usize)> {
        let alike = self.words == words
            && self.leaves.len() == types.len()
            && self
                .leaves
                .iter()
                .zip(types)
                .all(|(leaf, ty)| leaf.ty.dtype == ty.dtype && leaf.ty.shape.rank() == ty.shape.rank());
        let differ = || {
            let pairs = self.leaves.iter().zip(types).flat_map(|(l, t)| l.ty.shape.iter().zip(t.shape.iter()));
            pairs.filter(|(a, b)| a != b)
        };
        let distance = || {
            let apart = differ().filter(|(_, b)| is_small(*b)).count();
            (apart, differ().filter(|(a, b)| a.is_known() && !is_small(*b)).count())
        };
        alike.then(distance)
    }

    /// The types of a wider pattern, for this one's calls and another call. Sizes that were equal in both become one symbol.
    ///
    /// The second size of an axis opens it, whichever the first one was: a first size of 1 keeps the trace that it has, as do 0
    /// and 1 in the call, because they broadcast and what is true of other sizes may not be of them.
    pub fn widened(&self, types: &[TensorType]) -> Vec<TensorType> {
        let mut pairs: Vec<(Dim, Dim)> = Vec::new();
        let mut widen = |a: Dim, b: Dim| {
            if a == b || is_small(b) {
                return b;
            }
            let at = pairs.iter().position(|p| *p == (a, b)).unwrap_or_else(|| {
                pairs.push((a, b));
                pairs.len() - 1
            });
            Dim::symbol(at as u32)
        };
        let each = self.leaves.iter().zip(types).map(|(leaf, ty)| {
            let sizes: SmallVec<[Dim; 8]> =
                leaf.ty.shape.iter().zip(ty.shape.iter()).map(|(a, b)| widen(a, b)).collect();
            Shape::from_dims(&sizes).map_or(*ty, |shape| TensorType::new(ty.dtype, shape))
        });
        each.collect()
    }

    /// Why a call does not fit, in the user's words.
    pub fn difference(&self, arguments: &Arguments) -> String {
        let names = arguments.leaves();
        let changed = self.leaves.iter().zip(&names).find(|(a, b)| {
            a.ty.dtype != b.ty.dtype
                || a.ty.shape.rank() != b.ty.shape.rank()
                || a.ty.shape.iter().zip(b.ty.shape.iter()).any(|(x, y)| x != y && (x.is_known() || is_small(y)))
        });
        if self.leaves.len() == names.len()
            && let Some((old, new)) = changed
        {
            return format!("`{}` changed from {} to {}", new.name, short(&old.ty), short(&new.ty));
        }
        let Some(word) = self.words.iter().zip(&arguments.words).position(|(a, b)| a != b) else {
            return "the structure of the arguments changed".to_owned();
        };
        if arguments.owners.get(word) == Some(&super::training::OWNER) {
            return "the model around the call is trained, or is used, where it was the other way round".to_owned();
        }
        let name = arguments.owners.get(word).and_then(|&argument| arguments.names.get(argument));
        let name = name.copied().unwrap_or("an argument");
        match arguments.lines.iter().find(|(at, _)| *at == word) {
            Some((_, line)) => format!("`{name}` is another closure, made at {line}"),
            None if differ_in_training(self.words[word], arguments.words[word]) => {
                format!("variables of `{name}` were frozen, or are trained again")
            }
            None => format!("the host value, structure or variables of `{name}` changed"),
        }
    }
}

/// Whether a size has a trace of its own.
fn is_small(size: Dim) -> bool {
    size.known_value().is_some_and(|size| size < 2)
}

/// A type as `f32[32,28]`.
pub(crate) fn short(ty: &TensorType) -> String {
    let sizes: Vec<String> = ty.shape.iter().map(|d| d.to_string()).collect();
    format!("{}[{}]", dtype_word(ty.dtype), sizes.join(","))
}

/// Rust's name of a dtype, such as `f32`.
pub(crate) const fn dtype_word(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::C64 => "Complex<f32>",
        DType::C128 => "Complex<f64>",
        DType::U32 => "u32",
        DType::U64 => "u64",
        other => other.name(),
    }
}
