//! Elements moved without being looked at: fills, copies between any two layouts, frames of constants or mirror images.
//! Operations that move elements call it; a unit is an element, or as many neighbours as make up to 16 bytes.

use super::call::CudaCall;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::collapse;
use crate::dtype::DType;
use crate::error::Result;
use smallvec::SmallVec;

/// The unsigned integer of as many bytes as an element, for kernels to which its value does not matter.
pub fn bits_of(bytes: usize) -> DType {
    match bytes {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        16 => DType::C128,
        _ => DType::U64,
    }
}

/// A kernel over units: for those that are elements of `T0`, and for those of 16 bytes.
pub struct Moving {
    pub plain: Kernel,
    pub wide: Kernel,
}

/// The text of `divided`, the quotient of two indices with what is left.
pub const DIVIDED: &str = include_str!("divided.cuh");

/// The two kernels of a text that calls its units `unit_t`; it may use what `strided_copy.cuh` declares.
#[doc(hidden)]
#[macro_export]
macro_rules! __moving {
    ($name:literal, $($text:expr),+ $(,)?) => {
        $crate::backend::cuda::Moving {
            plain: $crate::backend::cuda::Kernel { name: $name, text: &["typedef T0 unit_t;\n", $($text),+] },
            wide: $crate::backend::cuda::Kernel {
                name: $name,
                text: &["typedef Pack<unsigned long long, 2> unit_t;\n", $($text),+],
            },
        }
    };
}
pub use crate::__moving as moving;

impl Moving {
    /// The kernel for units of so many bytes, and what stands for `T0`.
    pub fn of(&'static self, unit: usize) -> (&'static Kernel, DType) {
        if unit == 16 { (&self.wide, DType::U64) } else { (&self.plain, bits_of(unit)) }
    }
}

/// The largest unit, in bytes, of which all these numbers of bytes and addresses are multiples.
pub fn unit_of(all: impl IntoIterator<Item = usize>) -> usize {
    1 << all.into_iter().fold(16, |unit, n| unit | n).trailing_zeros()
}

static FILL: Kernel = Kernel {
    name: "fill",
    text: &[r#"
extern "C" __global__ void fill(index_t count, T0 value, T0* to) {
  const int each = 16 / sizeof(T0);
  Pack<T0, each> all;
  for (int k = 0; k < each; ++k) all.of[k] = value;
  const index_t packs = ((unsigned long long)to & 15) == 0 ? count / each : 0;
  ELEMENTS(p, packs) ((Pack<T0, each>*)to)[p] = all;
  ELEMENTS(i, count - packs * each) to[packs * each + i] = value;
}
"#],
};

/// Fills a dense view with one element, by its bits; one of 16 bytes is a complex number with that real part.
///
/// # Safety
/// The view is valid on the call's device in the order of its stream.
pub unsafe fn fill(call: &CudaCall<'_>, to: &View, bits: u64) -> Result<()> {
    let (count, size) = (to.len(), to.dtype.size());
    if count == 0 {
        return Ok(());
    }
    let bytes = &u128::from(bits).to_le_bytes()[..size];
    // SAFETY: by the caller's promise.
    unsafe {
        if bytes.iter().all(|b| *b == bytes[0]) {
            return call.gpu.set_bytes(to.ptr.addr() as u64, bytes[0], count * size);
        }
        call.elements(&FILL, &[bits_of(size)], count, |arguments| {
            match size {
                16 => arguments.value([bits, 0]),
                _ => arguments.value(bits),
            }
            arguments.view(to);
        })
    }
}

static MOVE: Moving = moving!("move", DIVIDED, include_str!("strided_copy.cuh"));
static FRAME: Moving = moving!("frame", DIVIDED, include_str!("strided_copy.cuh"));

/// Dimensions that a walk may have.
const WALK: usize = 16;

/// One dimension of a walk: its size, and the strides on both sides, in elements.
#[derive(Clone, Copy)]
pub struct Along {
    pub size: usize,
    pub from: isize,
    pub to: isize,
}

/// Copies elements between two layouts of up to 16 dimensions; `from` may repeat elements, `to` may not.
///
/// # Safety
/// The layouts stay inside memory that is valid on the call's device in the order of its stream; elements have `size` bytes.
pub unsafe fn walk(call: &CudaCall<'_>, size: usize, from: *mut u8, to: *mut u8, along: &[Along]) -> Result<()> {
    let count: usize = along.iter().map(|a| a.size).product();
    let dims: SmallVec<[usize; WALK]> = along.iter().map(|a| a.size).collect();
    let space = collapse(&dims, 2, |o, axis| if o == 0 { along[axis].from } else { along[axis].to }, |_, _| true);
    let last = space.dims.len() - 1;
    let strides = |axis: usize| [space.stride(axis, 0), space.stride(axis, 1)];
    let unit = match strides(last) {
        // Whole runs: their length, and every other step, must be a number of units.
        [1, 1] => {
            let steps = (0..last).flat_map(strides).map(|s| s.unsigned_abs() * size);
            unit_of(steps.chain([space.dims[last] * size, from.addr(), to.addr()]))
        }
        _ => size,
    };
    let each = (unit / size).max(1);
    let mut words = [0i64; 1 + 3 * WALK];
    words[0] = space.dims.len() as i64;
    for axis in 0..space.dims.len() {
        let inner = axis == last;
        words[1 + axis] = (space.dims[axis] / if inner { each } else { 1 }) as i64;
        for (side, stride) in strides(axis).into_iter().enumerate() {
            words[1 + (1 + side) * WALK + axis] = if inner { stride } else { stride / each as isize } as i64;
        }
    }
    let (kernel, ty) = MOVE.of(unit.max(size));
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(kernel, &[ty], count / each, |arguments| {
            arguments.address(from.addr() as u64);
            arguments.address(to.addr() as u64);
            arguments.words(&words);
        })
    }
}

/// Copies elements from one view to another of the same shape and dtype, whatever their strides.
///
/// # Safety
/// As [`walk`]; the target shows no element twice.
pub unsafe fn copy_to(call: &CudaCall<'_>, from: &View, to: &View) -> Result<()> {
    let strides = from.strides().iter().zip(to.strides());
    let along: SmallVec<[Along; WALK]> =
        from.dims().iter().zip(strides).map(|(&size, (&from, &to))| Along { size, from, to }).collect();
    // SAFETY: by the caller's promise.
    unsafe { walk(call, from.dtype.size(), from.ptr, to.ptr, &along) }
}

/// What lies around a framed tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// The element with these bits.
    Constant(u64),
    /// The element at this address of the device.
    Element(*const u8),
    /// The tensor mirrored at its outermost elements, which are not repeated.
    Reflected,
    /// The tensor mirrored at its borders.
    Mirrored,
}

impl Around {
    fn mirrors(self) -> bool {
        matches!(self, Self::Reflected | Self::Mirrored)
    }
}

/// One axis of a frame: sizes of result and source, how many indices come before the source's, and the source's stride.
#[derive(Clone, Copy)]
struct Side {
    whole: usize,
    before: usize,
    size: usize,
    stride: isize,
}

/// Writes the dense `to`: the tensor `from`, with as many indices before each axis as told, and around it something else.
///
/// # Safety
/// As [`copy_to`]; the tensor and what comes before it fit into the target.
pub unsafe fn frame(
    call: &CudaCall<'_>,
    from: &View,
    to: &View,
    before: impl Fn(usize) -> usize,
    around: Around,
) -> Result<()> {
    let bytes = from.dtype.size();
    let mut sides: SmallVec<[Side; 8]> = SmallVec::new();
    for axis in 0..from.rank() {
        let (whole, size) = (to.dims()[axis], from.dims()[axis]);
        if (whole, size) == (1, 1) {
            continue;
        }
        push_side(&mut sides, Side { whole, before: before(axis), size, stride: from.strides()[axis] }, around);
    }
    if sides.is_empty() {
        sides.push(Side { whole: 1, before: 0, size: 1, stride: 1 });
    }
    let last = sides.len() - 1;
    let inner = sides[last];
    let whole_runs = inner.stride == 1 && (!around.mirrors() || inner.whole == inner.size);
    let unit = match whole_runs {
        true => {
            let steps = sides[..last].iter().map(|s| s.stride.unsigned_abs());
            let lengths = steps.chain([inner.whole, inner.before, inner.size]).map(|n| n * bytes);
            unit_of(lengths.chain([from.ptr.addr(), to.ptr.addr()]))
        }
        false => bytes,
    };
    let each = unit.max(bytes) / bytes;
    let mut words = [0i64; 2 + 4 * 8];
    words[0] = sides.len() as i64;
    words[1] = match around {
        Around::Constant(_) | Around::Element(_) => 0,
        Around::Reflected => 1,
        Around::Mirrored => 2,
    };
    for (axis, side) in sides.iter().enumerate() {
        let (of_sizes, of_strides) = if axis == last { (each, 1) } else { (1, each) };
        let all = [side.whole / of_sizes, side.before / of_sizes, side.size / of_sizes];
        all.into_iter().enumerate().for_each(|(i, n)| words[2 + 8 * i + axis] = n as i64);
        words[2 + 8 * 3 + axis] = (side.stride / of_strides as isize) as i64;
    }
    let value = match around {
        Around::Constant(bits) => (0..8 / bytes).fold(0, |all, i| all | bits << (8 * bytes * i)),
        _ => 0,
    };
    let place = if let Around::Element(place) = around { place.addr() as u64 } else { 0 };
    let (kernel, ty) = FRAME.of(unit.max(bytes));
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(kernel, &[ty], to.len() / each, |arguments| {
            arguments.view(from);
            arguments.view(to);
            arguments.words(&words);
            arguments.value([value; 2]);
            arguments.address(place);
            arguments.size(bytes);
        })
    }
}

/// Appends an axis, merged with the one before it where a step through both is a step through one: if it is whole, and
/// nothing is mirrored along the other.
fn push_side(sides: &mut SmallVec<[Side; 8]>, side: Side, around: Around) {
    if let Some(outer) = sides.last_mut() {
        let plain = side.whole == side.size && side.size > 0;
        let mirrors = around.mirrors() && outer.whole != outer.size;
        if plain && !mirrors && outer.stride == side.stride * side.size as isize {
            *outer = Side {
                whole: outer.whole * side.size,
                before: outer.before * side.size,
                size: outer.size * side.size,
                stride: side.stride,
            };
            return;
        }
    }
    sides.push(side);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_divide_all_lengths() {
        assert_eq!(unit_of([32, 48]), 16);
        assert_eq!(unit_of([32, 40]), 8);
        assert_eq!(unit_of([6, 4]), 2);
        assert_eq!(unit_of([7, 16]), 1);
        assert_eq!(unit_of([0, 4]), 4);
    }
}
