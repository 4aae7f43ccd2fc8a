//! A tensor as TensorFlow's `TensorProto`, and back. `serialize_tensor` and `parse_tensor` have these messages as strings, and event files
//! hold them; what is read is checked: dtype, shape, and every length before memory is taken.

use crate::execute::dense;
use crate::tensor::strings::{Builder, Strings};
use crate::tensor::{Tensor, TensorType};
use crate::variable::{HostBytes, tensor_of_bytes};
use formats::messages::{Dim, TensorProto, TensorShapeProto};
use kernels::dtype::{Complex, DType, Element, bf16, f16};
use kernels::error::{Error, Result};
use kernels::shape::{MAX_RANK, Shape};

/// The message of a tensor, as TensorFlow writes it: strings as a list, all else as bytes.
///
/// # Errors
/// What reading the tensor on the host answers; InvalidArgument for one that holds no elements.
pub fn message_of(x: &Tensor) -> Result<TensorProto> {
    let dim = |&size: &usize| Dim { size: size as i64, name: String::new() };
    let shape = TensorShapeProto { dim: x.shape().dims().iter().map(dim).collect(), unknown_rank: false };
    let mut proto = TensorProto { dtype: x.dtype() as i32, tensor_shape: Some(shape), ..TensorProto::default() };
    match x.dtype() {
        DType::String => {
            proto.string_val = Strings::of(x, "serialize_tensor")?.rows()?.into_iter().map(<[u8]>::to_vec).collect();
        }
        _ => proto.tensor_content = HostBytes::of(&dense(x)?)?.as_slice().to_vec(),
    }
    Ok(proto)
}

fn wrong(what: &str) -> Error {
    Error::invalid_argument("parse_tensor", what.to_owned())
}

/// The tensor of a message, which is to be of this dtype.
///
/// # Errors
/// InvalidArgument for another dtype, a shape that is none, and elements that do not fit it.
pub fn tensor_of_message(proto: TensorProto, dtype: DType) -> Result<Tensor> {
    if proto.dtype != dtype as i32 {
        let known = DType::ALL.into_iter().chain([DType::String]).find(|known| *known as i32 == proto.dtype);
        let got = known.map_or_else(|| format!("number {}", proto.dtype), |dtype| dtype.to_string());
        return Err(wrong("the string holds a tensor of another dtype").got(got).expected(dtype));
    }
    let sizes: Vec<i64> = proto.tensor_shape.iter().flat_map(|shape| &shape.dim).map(|dim| dim.size).collect();
    let known: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
    let shape = known.filter(|sizes| sizes.len() <= MAX_RANK).and_then(|sizes| Shape::new(&sizes).ok());
    let count = shape.and_then(|shape| shape.dims().iter().try_fold(1_usize, |all, &size| all.checked_mul(size)));
    let (Some(shape), Some(count)) = (shape, count) else {
        return Err(wrong("the shape of the tensor is none").got(format!("{sizes:?}")));
    };
    match dtype {
        DType::String => strings(proto, &shape, count),
        _ if !proto.tensor_content.is_empty() => {
            let ty = TensorType::new(dtype, shape);
            let content = &proto.tensor_content;
            if count.checked_mul(dtype.size()) != Some(content.len()) {
                return Err(wrong("the elements have another number of bytes than the shape says")
                    .got(format!("{} bytes", content.len()))
                    .expected(format!("{count} elements of {dtype}")));
            }
            tensor_of_bytes(&ty, |memory| {
                memory.copy_from_slice(content);
                Ok(())
            })
        }
        DType::F32 => listed(proto.float_val, &shape, count),
        DType::F64 => listed(proto.double_val, &shape, count),
        DType::I64 => listed(proto.int64_val, &shape, count),
        DType::U32 => listed(proto.uint32_val, &shape, count),
        DType::U64 => listed(proto.uint64_val, &shape, count),
        DType::Bool => listed(proto.bool_val, &shape, count),
        DType::F16 => listed(halves(&proto, f16::from_bits), &shape, count),
        DType::BF16 => listed(halves(&proto, bf16::from_bits), &shape, count),
        DType::I32 => listed(proto.int_val, &shape, count),
        DType::I16 => listed(proto.int_val.iter().map(|&value| value as i16).collect(), &shape, count),
        DType::I8 => listed(proto.int_val.iter().map(|&value| value as i8).collect(), &shape, count),
        DType::U16 => listed(proto.int_val.iter().map(|&value| value as u16).collect(), &shape, count),
        DType::U8 => listed(proto.int_val.iter().map(|&value| value as u8).collect(), &shape, count),
        DType::C64 => listed(pairs(&proto.scomplex_val), &shape, count),
        DType::C128 => listed(pairs(&proto.dcomplex_val), &shape, count),
        other => Err(wrong("no tensors of this dtype are parsed").got(other)),
    }
}

fn halves<T>(proto: &TensorProto, of: fn(u16) -> T) -> Vec<T> {
    proto.half_val.iter().map(|&bits| of(bits as u16)).collect()
}

/// Complex numbers of their parts.
fn pairs<T: Copy>(parts: &[T]) -> Vec<Complex<T>> {
    parts.as_chunks::<2>().0.iter().map(|&[re, im]| Complex { re, im }).collect()
}

/// Elements of a list: the last one stands for those that follow, zeros for all where there are none, and what is too much is
/// left out, as TensorFlow reads it.
fn listed<T: Element>(mut values: Vec<T>, shape: &Shape, count: usize) -> Result<Tensor> {
    values.truncate(count);
    if count > 0 && values.len() <= 1 {
        // One number, however many elements: no memory for all.
        let one = Tensor::try_from_vec(vec![values.first().copied().unwrap_or_default()], Shape::SCALAR)?;
        return crate::ops::broadcast_to_shape(&one, shape);
    }
    lengthen(&mut values, count)?;
    Tensor::try_from_vec(values, *shape)
}

/// Repeats the last value up to `count`.
fn lengthen<T: Clone>(values: &mut Vec<T>, count: usize) -> Result<()> {
    if let Some(last) = values.last().cloned() {
        values.try_reserve_exact(count - values.len()).map_err(|_| {
            Error::resource_exhausted("parse_tensor", "no memory for the tensor").got(format!("{count} elements"))
        })?;
        values.resize(count, last);
    }
    Ok(())
}

fn strings(proto: TensorProto, shape: &Shape, count: usize) -> Result<Tensor> {
    let mut values = match proto.tensor_content.is_empty() {
        true => proto.string_val,
        false => string_list(&proto.tensor_content, count)?,
    };
    values.truncate(count);
    if count > 0 && values.len() <= 1 {
        let one = Tensor::of_strings(&[values.pop().unwrap_or_default()], &Shape::SCALAR)?;
        return crate::ops::broadcast_to_shape(&one, shape);
    }
    lengthen(&mut values, count)?;
    let mut out = Builder::with_capacity(count, 0);
    values.iter().try_for_each(|value| out.push(value))?;
    out.finish(shape)
}

/// Strings as `tensor_content` holds them: all lengths, then all bytes.
fn string_list(content: &[u8], count: usize) -> Result<Vec<Vec<u8>>> {
    let wrong = || {
        wrong("the lengths of the strings do not fit their bytes")
            .got(format!("{} bytes", content.len()))
            .expected(format!("{count} strings"))
    };
    // Each length takes a byte at least.
    if count > content.len() {
        return Err(wrong());
    }
    let mut rest = content;
    let lengths = (0..count).map(|_| prost::encoding::decode_varint(&mut rest).ok()).collect::<Option<Vec<u64>>>();
    let mut values = Vec::with_capacity(count);
    for length in lengths.ok_or_else(wrong)? {
        let (value, left) = usize::try_from(length).ok().and_then(|n| rest.split_at_checked(n)).ok_or_else(wrong)?;
        values.push(value.to_vec());
        rest = left;
    }
    if rest.is_empty() { Ok(values) } else { Err(wrong()) }
}
