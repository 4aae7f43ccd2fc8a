//! `random_index_shuffle`: where numbers go in a random permutation of `0..=max_index` that is never stored; no gradient flows.
//! TensorFlow's `tf.random_index_shuffle` with its very numbers: a cipher of the smallest range that has `max_index`.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::ops::AsTensor;
use crate::tensor::Tensor;
use kernels::backend::cpu::philox::index_cipher;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// Inputs: numbers, seeds of three, and the greatest numbers; each is one, or as many as others have.
#[derive(Clone)]
struct RandomIndexShuffle {
    rounds: i64,
}

const TAKEN: DTypes = DTypes::of(&[DType::I32, DType::U32, DType::I64, DType::U64]);
/// Numbers that are worth a chunk.
const CHUNK: usize = 4 * 1024;

impl Op for RandomIndexShuffle {
    identity!("random_index_shuffle", { "rounds": Int = |this| this.rounds });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        (0..3).try_for_each(|input| cx.check_dtype(input, TAKEN))?;
        cx.check_dtype(2, DTypes::of(&[cx.dtype(0)]))?;
        let (index, seed, max_index) = (*cx.shape(0), *cx.shape(1), *cx.shape(2));
        let fits = index.rank() <= 1 && max_index.rank() <= 1 && (1..=2).contains(&seed.rank());
        if !fits || !seed.dim(seed.rank() - 1).can_equal(Dim::known(3)) {
            return Err(Error::invalid_argument(cx.op(), "these are no numbers, seeds and greatest numbers")
                .got(format!("{index}, {seed} and {max_index}"))
                .expected("one or a vector of numbers, [3] or [n, 3] of seeds, one or a vector of greatest numbers"));
        }
        cx.constraints.push(seed.dim(seed.rank() - 1), Dim::known(3));
        let mut sizes = [(&index, 1), (&seed, 2), (&max_index, 1)].into_iter().filter(|(s, rank)| s.rank() == *rank);
        let Some((first, _)) = sizes.next() else {
            cx.output(cx.dtype(0), Shape::SCALAR);
            return Ok(());
        };
        let first = first.dim(0);
        for (other, _) in sizes {
            if !first.can_equal(other.dim(0)) {
                return Err(Error::invalid_argument(cx.op(), "the numbers are not as many as the others")
                    .got(format!("{index}, {seed} and {max_index}"))
                    .expected("each one, or all as many"));
            }
            cx.constraints.push(first, other.dim(0));
        }
        cx.output(cx.dtype(0), Shape::from_dims(&[first])?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(call.outputs[0].len().div_ceil(CHUNK).min(64))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        let own = part(out.len(), chunk, self.work(call).phases[0], 1);
        if own.is_empty() {
            return Ok(());
        }
        // The part of an input that belongs to the chunk, or its one entry.
        let numbers = |input: usize| {
            let view = &call.inputs[input];
            let (each, one) = if input == 1 { (3, view.rank() == 1) } else { (1, view.rank() == 0) };
            let (start, len) = if one { (0, each) } else { (own.start * each, own.len() * each) };
            // SAFETY: dense views of the inferred types.
            unsafe { view.part(start, len).integers() }
        };
        let (index, seeds, most) = (numbers(0), numbers(1), numbers(2));
        let signed = !out.dtype.is_unsigned();
        for (i, at) in own.enumerate() {
            let of = |list: &[i64]| list[i.min(list.len() - 1)];
            let (number, most) = (of(&index), of(&most));
            let negative = signed && (number < 0 || most < 0);
            if negative || number as u64 > most as u64 {
                return Err(Error::invalid_argument("random_index_shuffle", "the number is outside the permutation")
                    .got(Self::written(number, signed))
                    .expected(format!("0..={}", Self::written(most, signed))));
            }
            let seed = if seeds.len() == 3 { &seeds[..] } else { &seeds[3 * i..3 * i + 3] };
            let seed = [seed[0] as u32, seed[1] as u32, seed[2] as u32];
            let to = index_cipher(number as u64, seed, most as u64, self.rounds as usize);
            // SAFETY: chunks write disjoint numbers of a dense output.
            unsafe {
                match out.dtype.size() {
                    4 => out.ptr.cast::<u32>().add(at).write(to as u32),
                    _ => out.ptr.cast::<u64>().add(at).write(to),
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let [index, seed, max_index] = [0, 1, 2].map(|i| &call.inputs[i]);
        let out = &call.outputs[0];
        // SAFETY: dense views of the inferred types; an input with one number is read at its first place.
        unsafe {
            call.elements(&SHUFFLE, &[index.dtype, seed.dtype], out.len(), |arguments| {
                arguments.faults(call);
                arguments.views(&[index, seed, max_index, out]);
                arguments.sizes(&[index.rank(), seed.rank() - 1, max_index.rank(), self.rounds as usize]);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an integer does not change by small steps")
    }
}

impl RandomIndexShuffle {
    fn written(number: i64, signed: bool) -> String {
        if signed { number.to_string() } else { (number as u64).to_string() }
    }
}

/// The cipher of `philox::index_cipher`, in the same steps.
static SHUFFLE: Kernel = Kernel {
    name: "random_index_shuffle",
    text: &[r#"
typedef unsigned long long word_t;

__device__ inline int bits_of(word_t number) {
  const word_t bits = (word_t)__double_as_longlong((double)number);
  const int exponent = (int)(bits >> 52) - 1023;
  return exponent + ((bits & 0xfffffffffffffull) > (exponent >= 32 ? 11 : 0) ? 1 : 0);
}

__device__ inline word_t left_by(word_t x, int by, int half, word_t mask) { return (x << by | x >> (half - by)) & mask; }
__device__ inline word_t right_by(word_t x, int by, int half, word_t mask) { return (x >> by | x << (half - by)) & mask; }
__device__ inline word_t mixed(word_t x, int half, word_t mask) {
  return (left_by(x, 1, half, mask) & left_by(x, 8, half, mask)) ^ left_by(x, 2, half, mask);
}

extern "C" __global__ void random_index_shuffle(index_t count, Faults* faults, unsigned site, const T0* index, const T1* seed,
                                                const T0* max_index, T0* to, index_t many, index_t many_seeds,
                                                index_t many_most, index_t rounds) {
  ELEMENTS(i, count) {
    const T0 number = index[many ? i : 0], most = max_index[many_most ? i : 0];
    if (number < (T0)0 || most < (T0)0 || number > most) {
      fault(faults, site, PLACE_FAULT, (long long)number, (long long)most + 1);
      to[i] = (T0)0;
      continue;
    }
    word_t value = (word_t)number;
    if (most == (T0)0) {
      to[i] = (T0)0;
      continue;
    }
    int bits = bits_of((word_t)most);
    bits += bits % 2;
    const int half = (bits < 16 ? 16 : bits > 64 ? 64 : bits) / 2;
    const word_t mask = (1ull << half) - 1;
    const T1* own = seed + (many_seeds ? 3 * i : 0);
    do {
      word_t left = (value >> half) & mask, right = value & mask, constants = 0x7369f885192c0ef5ull & mask;
      word_t k0 = (word_t)(unsigned)own[0] & mask, k1 = (word_t)(unsigned)own[1] & mask, k2 = (word_t)(unsigned)own[2] & mask;
      for (index_t round = 0; round < rounds; ++round) {
        if (round % 2 == 0) left ^= mixed(right, half, mask) ^ k0;
        else right ^= mixed(left, half, mask) ^ k0;
        const word_t next = (0xfffffffcull & mask) ^ (constants & 1) ^ k0 ^ right_by(k2, 3, half, mask) ^ right_by(k2, 4, half, mask);
        k0 = k1, k1 = k2, k2 = next, constants >>= 1;
      }
      value = left << half | right;
    } while (value > (word_t)most);
    to[i] = (T0)value;
  }
}
"#],
};

public! {
    /// Where numbers (this tensor, one or a vector, each of `0..=max_index`) go in a random permutation that is never stored.
    ///
    /// `seed` are three integers, or a row of three for each number; `max_index` is of the numbers' dtype, one or as many. `rounds` of the
    /// cipher are even, and four at least: TensorFlow's default is 4. A vector without numbers gives one, which TensorFlow refuses. It is
    /// `tf.random_index_shuffle`, on which `tf.random.experimental.index_shuffle` is built:
    /// [`random::index_shuffle`](fn@crate::random::index_shuffle) puts one number through it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let order = tf::random_index_shuffle(tf::range(0, 10, 1), &tf::constant([1, 2, 3]), &tf::constant(9), 4);
    /// assert_eq!(order.to_vec::<i32>(), [2, 0, 6, 4, 8, 1, 7, 9, 5, 3]);
    /// ```
    pub fn random_index_shuffle, try_random_index_shuffle(
        index,
        seed: impl AsTensor,
        max_index: impl AsTensor,
        rounds: usize,
    ) -> Tensor {
        if rounds < 4 || !rounds.is_multiple_of(2) {
            return Err(Error::invalid_argument("random_index_shuffle", "the cipher has no such number of rounds")
                .got(rounds)
                .expected("an even number, 4 at least"));
        }
        execute1(&RandomIndexShuffle { rounds: rounds as i64 }, &[index, &seed.as_tensor(), &max_index.as_tensor()])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use tf::try_random_index_shuffle as shuffle;

    #[test]
    fn many_numbers_are_a_permutation() {
        let (seed, most) = (tf::constant([7, 8, 9]), tf::constant(29_999));
        let order = shuffle(tf::range(0, 30_000, 1), &seed, &most, 6).unwrap().to_vec::<i32>();
        assert!(order[..5] != [0, 1, 2, 3, 4]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..30_000));
        assert_eq!(shuffle(tf::constant(17), &seed, &most, 6).unwrap().item::<i32>(), order[17]);
        let many = shuffle(tf::range(0, 30_000, 1), tf::broadcast_to(&seed, [30_000, 3]), tf::fill([30_000], 29_999), 6);
        assert_eq!(many.unwrap().to_vec::<i32>(), order);
        assert_eq!(shuffle(tf::zeros([0]).cast(tf::DType::I32), &seed, &most, 4).unwrap().shape(), [0]);
    }

    #[test]
    fn refusals() {
        let (seed, most) = (tf::constant([7, 8, 9]), tf::constant(9));
        for rounds in [0, 2, 3, 5] {
            assert!(shuffle(tf::constant(1), &seed, &most, rounds).unwrap_err().to_string().contains("even"));
        }
        for number in [-1, 10] {
            let error = shuffle(tf::constant([0, number]), &seed, &most, 4).unwrap_err();
            assert!(matches!(error, tf::Error::InvalidArgument(_)) && error.to_string().contains("0..=9"), "{error}");
        }
        assert!(shuffle(tf::constant(0), &seed, tf::constant(-1), 4).is_err());
        assert!(shuffle(tf::constant(0), tf::constant([1, 2]), &most, 4).is_err());
        assert!(shuffle(tf::constant([0, 1]), &seed, tf::constant([9, 9, 9]), 4).is_err());
        assert!(shuffle(tf::constant([[0]]), &seed, &most, 4).is_err());
        assert!(shuffle(tf::constant(1.0), &seed, tf::constant(2.0), 4).is_err());
    }
}
