//! `decode_raw`: the bytes of strings as numbers.
//! TensorFlow's `tf.io.decode_raw`, and `tf.io.decode_raw` with `fixed_length`.

use super::host::{Work, io_fn};
use engine::library::tensor_of_bytes;
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

const OP: &str = "decode_raw";

/// Strings of equal length as numbers, one row each.
fn decoded(strings: &Tensor, dtype: DType, little_endian: bool, fixed: Option<usize>) -> Result<Tensor> {
    let rows = strings.try_to_byte_strings().map_err(|e| e.in_op(OP))?;
    let length = fixed.unwrap_or_else(|| rows.first().map_or(0, Vec::len));
    if let Some((number, row)) =
        (fixed.is_none()).then(|| rows.iter().enumerate().find(|(_, row)| row.len() != length)).flatten()
    {
        return Err(Error::invalid_argument(OP, "the strings have different lengths")
            .got(format!("{} bytes in string {number}", row.len()))
            .expected(format!("{length} bytes as in the first"))
            .help("`decode_raw_padded` cuts and fills up to one length"));
    }
    let size = dtype.size();
    if !length.is_multiple_of(size) {
        return Err(
            Error::invalid_argument(OP, "the strings end within a number").got(format!("{length} bytes of {dtype}"))
        );
    }
    let mut dims = strings.shape().dims().to_vec();
    dims.push(length / size);
    // Complex numbers are two, each in its own order.
    let part = if dtype.is_complex() { size / 2 } else { size };
    tensor_of_bytes(&TensorType::new(dtype, Shape::new(&dims)?), |out| {
        for (row, out) in rows.iter().zip(out.chunks_exact_mut(length.max(1))) {
            let count = row.len().min(length);
            out[..count].copy_from_slice(&row[..count]);
            if little_endian != cfg!(target_endian = "little") {
                out.chunks_exact_mut(part).for_each(<[u8]>::reverse);
            }
        }
        Ok(())
    })
}

#[track_caller]
fn raw(x: &Tensor, dtype: DType, little_endian: bool, fixed: Option<usize>) -> Result<Tensor> {
    if dtype == DType::String || dtype.size() == 0 {
        return Err(Error::invalid_argument(OP, "the dtype must be one of numbers or truth values").got(dtype));
    }
    let types = move |inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim| {
        if inputs[0].dtype != DType::String {
            return Err(Error::invalid_argument(OP, "strings are needed").got(inputs[0]));
        }
        let mut dims: Vec<Dim> = inputs[0].shape.iter().collect();
        dims.push(fixed.map_or_else(unknown, |length| Dim::from(length / dtype.size())));
        super::host::typed(dtype, &dims).map(|ty| vec![ty])
    };
    let settings = format!("{dtype} {little_endian} {fixed:?}");
    let run = move |inputs: &[&Tensor]| Ok(vec![decoded(inputs[0], dtype, little_endian, fixed)?]);
    Work::new(OP, settings, types, run).call1(&[x])
}

io_fn! {
    /// The bytes of strings of equal length as numbers of a dtype: a string becomes a vector, strings of shape `s` a tensor `[s, length]`.
    ///
    /// `little_endian` says in which order the bytes of a number come; TensorFlow's default is true.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::Tensor::try_from_byte_strings(&[[1, 0], [2, 1]], [2])?;
    /// assert_eq!(tf::io::decode_raw(&x, tf::uint16, true).to_vec::<u16>(), [1, 258]);
    /// assert_eq!(tf::io::decode_raw(&x, tf::uint16, false).to_vec::<u16>(), [256, 513]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    pub fn decode_raw, try_decode_raw(input_bytes: impl AsTensor, out_type: DType, little_endian: bool) -> Tensor {
        raw(&input_bytes.as_tensor(), out_type, little_endian, None)
    }

    /// [`decode_raw`](fn@decode_raw) of strings of any length, which are cut or filled up with zeros to `fixed_length` bytes: TensorFlow's argument of that
    /// name.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant(["ab", "c"]);
    /// assert_eq!(tf::io::decode_raw_padded(&x, tf::uint8, true, 2).to_vec::<u8>(), [97, 98, 99, 0]);
    /// ```
    pub fn decode_raw_padded, try_decode_raw_padded(
        input_bytes: impl AsTensor,
        out_type: DType,
        little_endian: bool,
        fixed_length: usize,
    ) -> Tensor {
        if fixed_length == 0 || out_type.size() > 0 && !fixed_length.is_multiple_of(out_type.size()) {
            return Err(Error::invalid_argument(OP, "`fixed_length` must be a multiple of the dtype's size")
                .got(fixed_length)
                .expected(format!("a multiple of {}", out_type.size())));
        }
        raw(&input_bytes.as_tensor(), out_type, little_endian, Some(fixed_length))
    }
}
