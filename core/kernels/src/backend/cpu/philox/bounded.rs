//! Normal numbers between two bounds, as TensorFlow's parameterized sampler draws them: by rejection of normal, even or exponential ones.
//! The random operation with bounds calls [`bounded_normal`], once for each set of parameters, with one stream for all.

use super::{Philox, math};
use half::f16;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Proposals that TensorFlow refuses in a row before it gives up.
const MOST: usize = 1000;

/// Why nothing was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotDrawn {
    /// A deviation that is not positive, bounds that are not apart, or none.
    Parameters,
    /// Proposals were refused again and again.
    Refused,
}

/// A mean, a deviation and both bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<T> {
    pub mean: T,
    pub deviation: T,
    pub low: T,
    pub high: T,
}

/// A type in which the sampler computes, each step rounded to it.
pub trait Sampled:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Numbers of a group of words.
    const GROUP: usize;

    fn of(number: f32) -> Self;
    fn is_infinite(self) -> bool;
    fn is_finite(self) -> bool;
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    /// Even numbers of [0, 1).
    fn even(group: [u32; 4]) -> [Self; 4];
    fn normal(group: [u32; 4]) -> [Self; 4];
}

impl Sampled for f32 {
    const GROUP: usize = 4;

    fn of(number: f32) -> Self {
        number
    }

    fn is_infinite(self) -> bool {
        self.is_infinite()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn exp(self) -> Self {
        self.exp()
    }

    fn ln(self) -> Self {
        self.ln()
    }

    fn even(group: [u32; 4]) -> [Self; 4] {
        group.map(math::unit_f32)
    }

    fn normal(group: [u32; 4]) -> [Self; 4] {
        let [(a, b), (c, d)] = [math::normal_pair_f32(group[0], group[1]), math::normal_pair_f32(group[2], group[3])];
        [a, b, c, d]
    }
}

/// As `f32`, rounded after each step.
impl Sampled for f16 {
    const GROUP: usize = 4;

    fn of(number: f32) -> Self {
        Self::from_f32(number)
    }

    fn is_infinite(self) -> bool {
        self.is_infinite()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }

    fn sqrt(self) -> Self {
        Self::from_f32(self.to_f32().sqrt())
    }

    fn exp(self) -> Self {
        Self::from_f32(self.to_f32().exp())
    }

    fn ln(self) -> Self {
        Self::from_f32(self.to_f32().ln())
    }

    fn even(group: [u32; 4]) -> [Self; 4] {
        // The lowest ten bits of a word are its mantissa.
        group.map(|word| Self::from_f32(math::unit_f32(word << 13)))
    }

    fn normal(group: [u32; 4]) -> [Self; 4] {
        <f32 as Sampled>::normal(group).map(Self::from_f32)
    }
}

impl Sampled for f64 {
    const GROUP: usize = 2;

    fn of(number: f32) -> Self {
        // The one constant that is no short binary fraction.
        if number == 1.3 { 1.3 } else { number.into() }
    }

    fn is_infinite(self) -> bool {
        self.is_infinite()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn exp(self) -> Self {
        self.exp()
    }

    fn ln(self) -> Self {
        self.ln()
    }

    fn even(group: [u32; 4]) -> [Self; 4] {
        [math::unit_f64(group[0], group[1]), math::unit_f64(group[2], group[3]), 0.0, 0.0]
    }

    fn normal(group: [u32; 4]) -> [Self; 4] {
        let (a, b) = math::normal_pair_f64(group);
        [a, b, 0.0, 0.0]
    }
}

/// Which numbers are proposed, in deviations from the mean.
enum Way<T> {
    Normal,
    /// Of this width above the lower bound; what is taken from a square.
    Even(T, T),
    /// With this rate above the lower bound.
    Exponential(T),
}

/// Draws `count` numbers and gives each, with its place, to `put`. The stream moves on by whole groups: what is left of the last is lost,
/// as in TensorFlow.
pub fn bounded_normal<T: Sampled>(
    stream: &mut Philox,
    parameters: Bounded<T>,
    count: usize,
    mut put: impl FnMut(usize, T),
) -> Result<(), NotDrawn> {
    let Bounded { mean, mut deviation, mut low, mut high } = parameters;
    let (zero, two, four, half) = (T::of(0.0), T::of(2.0), T::of(4.0), T::of(0.5));
    if !(deviation > zero && low < high && (low.is_finite() || high.is_finite())) {
        return Err(NotDrawn::Parameters);
    }
    // Where there is one bound it becomes the lower one, and where both are on one side of the mean they become positive.
    if (low.is_infinite() && low < zero) || high < mean {
        (low, high, deviation) = (high, low, -deviation);
    }
    let (low, high) = ((low - mean) / deviation, (high - mean) / deviation);
    let root = (low * low + four).sqrt();
    let cutoff = two * (half + (low * (low - root)) / four).exp() / (low + root);
    let inside = T::of(1.3);
    let width = high - low;
    let way = if (low < -inside && high >= zero) || (high > inside && low <= zero) {
        Way::Normal
    } else if width < cutoff {
        Way::Even(width, if low < zero { zero } else { low * low })
    } else {
        Way::Exponential((low + (low * low + four).sqrt()) / two)
    };
    let mut next = || {
        let group = stream.block();
        *stream = stream.skip(1);
        group
    };
    let (mut drawn, mut refused) = (0, 0);
    while drawn < count {
        // The proposals of one step, and whether each is taken.
        let mut proposals = [(zero, false); 4];
        let found = match way {
            Way::Normal => {
                proposals = T::normal(next()).map(|z| (z, z >= low && z <= high));
                T::GROUP
            }
            Way::Even(width, square) => {
                let (places, chances) = (T::even(next()), T::even(next()));
                for ((proposal, place), chance) in proposals.iter_mut().zip(places).zip(chances) {
                    let z = place * width + low;
                    *proposal = (z, chance <= ((square - z * z) / two).exp());
                }
                T::GROUP
            }
            Way::Exponential(rate) => {
                let numbers = T::even(next());
                for (proposal, pair) in proposals.iter_mut().zip(numbers.chunks_exact(2)).take(T::GROUP / 2) {
                    let z = -pair[0].ln() / rate + low;
                    let x = if low < rate { rate - z } else { low - rate };
                    *proposal = (z, pair[1] <= (-x * x / two).exp() && z < high);
                }
                T::GROUP / 2
            }
        };
        // TensorFlow gives up at the thousandth normal number behind the first, and at the thousandth of the others.
        let most = if matches!(way, Way::Normal) { MOST + 1 } else { MOST };
        for &(z, taken) in &proposals[..found] {
            if !taken {
                refused += 1;
                if refused >= most {
                    return Err(NotDrawn::Refused);
                }
                continue;
            }
            put(drawn, z * deviation + mean);
            (drawn, refused) = (drawn + 1, 0);
            if drawn == count {
                break;
            }
        }
    }
    Ok(())
}
