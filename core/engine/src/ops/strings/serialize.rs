//! `serialize_tensor` and `parse_tensor`: a tensor as one string, the bytes of TensorFlow's `TensorProto`, and back.
//! All dtypes that hold elements; `proto.rs` makes messages of tensors and tensors of messages.

use super::proto::{message_of, tensor_of_message};
use super::{string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use crate::tensor::strings::Strings;
use formats::messages::{Message, TensorProto};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{MAX_RANK, Shape};

#[derive(Clone)]
struct SerializeTensor;

string_op!(SerializeTensor, "serialize_tensor", {}, may_fail: false,
    infer: |_this, cx| {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.output(DType::String, Shape::SCALAR);
        Ok(())
    },
    run: |_this, inputs| message_of(inputs[0]).and_then(|proto| {
        Ok(smallvec::smallvec![Tensor::of_strings(&[proto.encode_to_vec()], &Shape::SCALAR)?])
    })
);

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
    tensor_of_message(proto, dtype)
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
