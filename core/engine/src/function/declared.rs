//! What `input_signature` declares of a function's tensors: TensorFlow's `tf.TensorSpec`s, one list for each argument.
//! A call that does not fit is refused; traces for calls that do leave the declared sizes open, 0 and 1 among them.

use super::arguments::Arguments;
use super::signature::{dtype_word, short};
use crate::ir::fresh_sizes;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;
use std::fmt;

/// What is declared of the tensors of one argument, in order.
#[derive(Debug)]
pub struct Declared {
    /// The number of the argument, the receiver included.
    pub argument: usize,
    /// Its tensors.
    pub tensors: &'static [Spec],
}

/// One tensor: its dtype, its number of axes, and their sizes as far as they are fixed.
#[derive(Debug)]
pub struct Spec {
    /// The dtype.
    pub dtype: DType,
    /// The sizes.
    pub sizes: &'static [Size],
}

/// One declared size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// `784`
    Known(usize),
    /// `_`
    Any,
    /// `n`: any size, the same one wherever the name stands.
    Named(&'static str),
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", dtype_word(self.dtype))?;
        for (i, size) in self.sizes.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            match size {
                Size::Known(size) => write!(f, "{size}")?,
                Size::Any => f.write_str("_")?,
                Size::Named(name) => f.write_str(name)?,
            }
        }
        f.write_str("]")
    }
}

/// The sizes that names stand for in one call, with the tensor that had them first.
type Named = SmallVec<[(&'static str, Dim, String); 4]>;

/// An error if the arguments of a call are not what is declared.
pub(crate) fn check(declared: &[Declared], function: &str, arguments: &Arguments) -> Result<()> {
    let mut named = Named::new();
    for one in declared {
        let tensors = arguments.tensors_of(one.argument);
        if tensors.len() != one.tensors.len() {
            let name = arguments.names.get(one.argument).copied().unwrap_or("an argument");
            return Err(refusal(function, name)
                .got(counted(tensors.len()))
                .expected(format!("{}, as the input signature lists", counted(one.tensors.len())))
                .help("list the tensors of a structure in order, `(f32[_], i32[])`; write `_` for what has none"));
        }
        for (i, spec) in tensors.zip(one.tensors) {
            fits(spec, arguments.tensors[i].ty(), &mut named, &arguments.leaf_name(i), function)?;
        }
    }
    Ok(())
}

fn fits(spec: &Spec, ty: &TensorType, named: &mut Named, name: &str, function: &str) -> Result<()> {
    let misfit = || refusal(function, name).got(short(ty)).expected(spec.to_string());
    if spec.dtype != ty.dtype {
        let to = dtype_word(spec.dtype);
        return Err(
            misfit().help(format!("cast it before the call, `cast(DType::{})`, or make it `{to}`", to.to_uppercase()))
        );
    }
    if spec.sizes.len() != ty.shape.rank() {
        return Err(misfit().help("the number of axes is fixed: reshape it before the call"));
    }
    for (size, own) in spec.sizes.iter().zip(ty.shape.iter()) {
        match size {
            Size::Any => {}
            Size::Known(known) if own.can_equal(Dim::known(*known)) => {}
            Size::Known(_) => return Err(misfit().help("write `_` in the signature where a size may vary")),
            Size::Named(n) => match named.iter().find(|(other, ..)| other == n) {
                None => named.push((n, own, name.to_owned())),
                Some((_, known, _)) if known.can_equal(own) => {}
                Some((_, known, first)) => {
                    return Err(misfit().help(format!("the size `{n}` is {known} in `{first}`: both must be equal")));
                }
            },
        }
    }
    Ok(())
}

fn refusal(function: &str, name: &str) -> Error {
    Error::invalid_argument("tf_function", format!("`{name}` does not fit the input signature of `{function}`"))
        .variable(name)
}

fn counted(tensors: usize) -> String {
    if tensors == 1 { "1 tensor".to_owned() } else { format!("{tensors} tensors") }
}

/// The types with which a call is traced: open where the declaration leaves them so, whatever the call has.
pub(crate) fn open(declared: &[Declared], arguments: &Arguments, types: &mut [TensorType]) {
    let mut named = SmallVec::<[(&'static str, Dim); 4]>::new();
    // Not a guarded size, which is 2 or more: one trace serves all.
    let fresh = || Dim::unbacked(fresh_sizes(1));
    for one in declared {
        for (i, spec) in arguments.tensors_of(one.argument).zip(one.tensors) {
            let size = |size: &Size| match size {
                Size::Known(size) => Dim::known(*size),
                Size::Any => fresh(),
                Size::Named(name) => match named.iter().find(|(n, _)| n == name) {
                    Some((_, size)) => *size,
                    None => {
                        named.push((name, fresh()));
                        named[named.len() - 1].1
                    }
                },
            };
            let sizes: SmallVec<[Dim; 8]> = spec.sizes.iter().map(size).collect();
            if let Ok(shape) = Shape::from_dims(&sizes) {
                types[i] = TensorType::new(spec.dtype, shape);
            }
        }
    }
}
