//! `to_hash_bucket_fast` and `to_hash_bucket`: a number of a bucket for each string, the same in every program and on every machine.
//! TensorFlow's numbers: FarmHash's fingerprint of 64 bits, and the older hash of its core library.

use super::farm_hash::fingerprint;
use super::{numbers, same_shape, string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};

#[derive(Clone)]
struct HashBucket {
    buckets: i64,
    fast: bool,
}

string_op!(HashBucket, "string_to_hash_bucket",
    { "buckets": Int = |this| this.buckets, "fast": Bool = |this| this.fast }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::I64),
    run: |this, inputs| numbers("string_to_hash_bucket", inputs[0], |row| {
        let hash = if this.fast { fingerprint(row) } else { murmur(row) };
        Ok((hash % this.buckets as u64) as i64)
    })
);

/// MurmurHash64A with the seed of TensorFlow's core library.
fn murmur(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mut hash = 0x00de_cafc_affe ^ (bytes.len() as u64).wrapping_mul(M);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        let mut k = u64::from_le_bytes(*chunk).wrapping_mul(M);
        k ^= k >> 47;
        hash = (hash ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0, |tail, &byte| tail << 8 | u64::from(byte));
        hash = (hash ^ tail).wrapping_mul(M);
    }
    hash ^= hash >> 47;
    hash = hash.wrapping_mul(M);
    hash ^ hash >> 47
}

#[track_caller]
fn run(x: &Tensor, buckets: i64, fast: bool) -> Result<Tensor> {
    if buckets < 1 {
        return Err(Error::invalid_argument("to_hash_bucket", "there must be a bucket")
            .got(format!("{buckets} buckets"))
            .expected("1 or more"));
    }
    execute1(&HashBucket { buckets, fast }, &[x])
}

string_fn! {
    /// A number below `buckets` for each string, `int64`: the same for equal strings. FarmHash; not for strings of adversaries.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let ids = tf::strings::to_hash_bucket_fast(&tf::constant(["Hello", "TensorFlow", "2.x"]), 3);
    /// assert_eq!(ids.to_vec::<i64>(), [0, 2, 2]);
    /// ```
    pub fn to_hash_bucket_fast, try_to_hash_bucket_fast(x, buckets: i64) -> Tensor {
        run(x, buckets, true)
    }

    /// As [`to_hash_bucket_fast`] by TensorFlow's older hash, for models that were trained with it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let ids = tf::strings::to_hash_bucket(&tf::constant(["Hello", "TensorFlow", "2.x"]), 3);
    /// assert_eq!(ids.to_vec::<i64>(), [2, 0, 1]);
    /// ```
    pub fn to_hash_bucket, try_to_hash_bucket(x, buckets: i64) -> Tensor {
        run(x, buckets, false)
    }
}
