//! `serialize_tensor` and `parse_tensor`: a tensor as one string, the bytes of TensorFlow's `TensorProto`, and back.
//! All dtypes that hold elements. What is parsed is checked: dtype, shape, and every length before memory is taken.

use super::proto::{DimProto, ShapeProto, TensorProto};
use super::{string_fn, string_op};
use crate::execute::{dense, execute1};
use crate::tensor::strings::{Builder, Strings};
use crate::tensor::{Tensor, TensorType};
use crate::variable::{HostBytes, tensor_of_bytes};
use kernels::dtype::{DType, DTypes, Element, bf16, f16};
use kernels::error::{Error, Result};
use kernels::shape::{MAX_RANK, Shape};
use prost::Message;

#[derive(Clone)]
struct SerializeTensor;

string_op!(SerializeTensor, "serialize_tensor", {}, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.output(DType::String, Shape::SCALAR);
        Ok(())
    },
    run: |_this, inputs| serialized(inputs[0]).and_then(|bytes| {
        Ok(smallvec::smallvec![Tensor::of_strings(&[bytes], &Shape::SCALAR)?])
    })
);

fn serialized(x: &Tensor) -> Result<Vec<u8>> {
    let dim = |&size: &usize| DimProto { size: size as i64 };
    let shape = ShapeProto { dim: x.shape().dims().iter().map(dim).collect() };
    let mut proto = TensorProto { dtype: x.dtype() as i32, tensor_shape: Some(shape), ..TensorProto::default() };
    match x.dtype() {
        DType::String => {
            proto.string_val = Strings::of(x, "serialize_tensor")?.rows()?.into_iter().map(<[u8]>::to_vec).collect();
        }
        _ => proto.tensor_content = HostBytes::of(&dense(x)?)?.as_slice().to_vec(),
    }
    Ok(proto.encode_to_vec())
}

/// Input: the string. Attributes: what is in it.
#[derive(Clone)]
struct ParseTensor {
    dtype: DType,
    rank: usize,
}

string_op!(ParseTensor, "parse_tensor", { "dtype": DType = |this| this.dtype, "rank": Int = |this| this.rank as i64 },
    may_fail: true,
    infer: |this, cx| {
        cx.check_dtype(0, DTypes::STRING)?;
        if cx.shape(0).rank() != 0 {
            return Err(Error::invalid_argument("parse_tensor", "the input must be one string").got(cx.input(0)));
        }
        let sizes: Vec<_> = (0..this.rank).map(|_| cx.unknown_dim()).collect();
        cx.output(this.dtype, Shape::from_dims(&sizes)?);
        Ok(())
    },
    run: |this, inputs| parsed(inputs[0], this.dtype).and_then(|tensor| match tensor.rank() == this.rank {
        true => Ok(smallvec::smallvec![tensor]),
        false => Err(Error::invalid_argument("parse_tensor", "the tensor has another number of dimensions than was said")
            .got(tensor.ty())
            .expected(format!("{} dimensions", this.rank))),
    })
);

/// The tensor in a scalar string.
fn parsed(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let wrong = |what: &str| Error::invalid_argument("parse_tensor", what.to_owned());
    let [bytes] = Strings::of(x, "parse_tensor")?.rows()?[..] else {
        return Err(wrong("the input must be one string").got(x.ty()).expected("shape []"));
    };
    if x.rank() != 0 {
        return Err(wrong("the input must be one string").got(x.ty()).expected("shape []"));
    }
    let proto = TensorProto::decode(bytes).map_err(|e| wrong("the string holds no `TensorProto`").got(e))?;
    if proto.dtype != dtype as i32 {
        let known = DType::ALL.into_iter().chain([DType::String]).find(|known| *known as i32 == proto.dtype);
        let got = known.map_or_else(|| format!("number {}", proto.dtype), |dtype| dtype.to_string());
        return Err(wrong("the string holds a tensor of another dtype").got(got).expected(dtype));
    }
    let sizes = proto.tensor_shape.iter().flat_map(|shape| &shape.dim).map(|dim| usize::try_from(dim.size).ok());
    let sizes: Option<Vec<usize>> = sizes.collect();
    let shape = sizes.filter(|sizes| sizes.len() <= MAX_RANK).and_then(|sizes| Shape::new(&sizes).ok());
    let count = shape.and_then(|shape| shape.dims().iter().try_fold(1_usize, |all, &size| all.checked_mul(size)));
    let (Some(shape), Some(count)) = (shape, count) else {
        return Err(wrong("the shape of the tensor is none").got(format!("{:?}", proto.tensor_shape)));
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
        other => Err(wrong("no tensors of this dtype are parsed").got(other)),
    }
}

fn halves<T>(proto: &TensorProto, of: fn(u16) -> T) -> Vec<T> {
    proto.half_val.iter().map(|&bits| of(bits as u16)).collect()
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
        Error::invalid_argument("parse_tensor", "the lengths of the strings do not fit their bytes")
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

string_fn! {
    /// A tensor of any dtype as one string, the bytes of TensorFlow's `TensorProto`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let text = tf::io::serialize_tensor(&tf::constant([1.5, 2.5]));
    /// assert_eq!(tf::io::parse_tensor(&text, tf::float32).to_vec::<f32>(), [1.5, 2.5]);
    /// ```
    pub fn serialize_tensor, try_serialize_tensor(x) -> Tensor {
        execute1(&SerializeTensor, &[x])
    }

    /// The tensor in a string that [`serialize_tensor`] or TensorFlow wrote; `dtype` is that of the tensor in it.
    ///
    /// In a traced function the string is not known, and so neither is the number of dimensions: [`parse_tensor_of_rank`] says it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let text = tf::io::serialize_tensor(&tf::constant([["a", "b"]]));
    /// assert_eq!(tf::io::parse_tensor(&text, tf::string).shape(), [1, 2]);
    /// assert!(tf::io::try_parse_tensor(&text, tf::float32).is_err());
    /// ```
    pub fn parse_tensor, try_parse_tensor(x, dtype: DType) -> Tensor {
        if x.is_symbol() {
            return Err(Error::failed_precondition("parse_tensor", "the dimensions of the tensor are not known in a traced function")
                .got(x.ty())
                .help("say how many there are: `parse_tensor_of_rank(&text, dtype, rank)`"));
        }
        parsed(x, dtype)
    }

    /// As [`parse_tensor`] of a tensor with so many dimensions, for traced functions too.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let text = tf::io::serialize_tensor(&tf::constant([1, 2, 3]));
    /// assert_eq!(tf::io::parse_tensor_of_rank(&text, tf::int32, 1).to_vec::<i32>(), [1, 2, 3]);
    /// ```
    pub fn parse_tensor_of_rank, try_parse_tensor_of_rank(x, dtype: DType, rank: usize) -> Tensor {
        if rank > MAX_RANK || !DTypes::MOVABLE.has(dtype) {
            return Err(Error::invalid_argument("parse_tensor", "there are no such tensors")
                .got(format!("{rank} dimensions of {dtype}"))
                .expected(format!("at most {MAX_RANK} dimensions of {}", DTypes::MOVABLE)));
        }
        execute1(&ParseTensor { dtype, rank }, &[x])
    }
}
