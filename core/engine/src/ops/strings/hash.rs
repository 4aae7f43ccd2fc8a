//! `to_hash_bucket_fast`, `to_hash_bucket_strong` and `to_hash_bucket`: a number of a bucket for each string, the same on every machine.
//! TensorFlow's numbers: FarmHash's fingerprint of 64 bits, SipHash under a key, and the older hash of its core library.

use super::farm_hash::fingerprint;
use super::sip_hash::sip_hash;
use super::{numbers, same_shape, string_fn, string_op};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Which hash.
#[derive(Clone, Copy)]
enum Hash {
    Farm,
    Murmur,
    /// SipHash under a key.
    Sip([u64; 2]),
}

impl Hash {
    fn of(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Farm => fingerprint(bytes),
            Self::Murmur => murmur(bytes),
            Self::Sip(key) => sip_hash(key, bytes),
        }
    }

    /// Its number and key, as attributes.
    fn attributes(self) -> [i64; 3] {
        match self {
            Self::Farm => [0; 3],
            Self::Murmur => [1, 0, 0],
            Self::Sip([low, high]) => [2, low as i64, high as i64],
        }
    }
}

#[derive(Clone)]
struct HashBucket {
    buckets: i64,
    hash: Hash,
}

string_op!(HashBucket, "string_to_hash_bucket",
    { "buckets": Int = |this| this.buckets, "hash": Ints = |this| &this.hash.attributes() }, may_fail: false,
    infer: |_this, cx| same_shape(cx, DType::I64),
    run: |this, inputs| numbers("string_to_hash_bucket", inputs[0], |row| {
        Ok((this.hash.of(row) % this.buckets as u64) as i64)
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
fn run(x: &Tensor, buckets: i64, hash: Hash) -> Result<Tensor> {
    if buckets < 1 {
        return Err(Error::invalid_argument("to_hash_bucket", "there must be a bucket")
            .got(format!("{buckets} buckets"))
            .expected("1 or more"));
    }
    execute1(&HashBucket { buckets, hash }, &[x])
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
        run(x, buckets, Hash::Farm)
    }

    /// As [`to_hash_bucket_fast`], by SipHash under a key of two numbers: who does not know the key cannot make strings of one bucket.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let ids = tf::strings::to_hash_bucket_strong(&tf::constant(["Hello", "TF"]), 3, [1, 2]);
    /// assert_eq!(ids.to_vec::<i64>(), [2, 0]);
    /// ```
    pub fn to_hash_bucket_strong, try_to_hash_bucket_strong(x, buckets: i64, key: [u64; 2]) -> Tensor {
        run(x, buckets, Hash::Sip(key))
    }

    /// As [`to_hash_bucket_fast`] by TensorFlow's older hash, for models that were trained with it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let ids = tf::strings::to_hash_bucket(&tf::constant(["Hello", "TensorFlow", "2.x"]), 3);
    /// assert_eq!(ids.to_vec::<i64>(), [2, 0, 1]);
    /// ```
    pub fn to_hash_bucket, try_to_hash_bucket(x, buckets: i64) -> Tensor {
        run(x, buckets, Hash::Murmur)
    }
}
