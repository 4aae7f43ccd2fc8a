//! Rows put in order on a device: by digits of keys, then by the rows themselves, so that equal elements keep their order.
//! `sort`, `argsort` and `top_k` run here; `unique` and `dynamic_partition` go on from the order.

use super::buffers::Buffer;
use super::call::CudaCall;
use super::driver::Address;
use super::program::Kernel;
use super::scatter::{digit_words, sort};
use crate::backend::cpu::View;
use crate::dtype::DType;
use crate::error::Result;

static ORDER_KEYS: Kernel = Kernel { name: "order_keys", text: &[include_str!("order.cuh")] };
static ROWS_IN_ORDER: Kernel = Kernel {
    name: "rows_in_order",
    text: &[r#"
// The rows of elements in an order: keys of the last pass, behind which rows lie side by side.
extern "C" __global__ void rows_in_order(index_t count, const index_t* order, unsigned long long* keys, index_t length) {
  ELEMENTS(i, count) keys[i] = (unsigned long long)(order[i] / length);
}
"#],
};
static WRITE_IN_ORDER: Kernel = Kernel {
    name: "write_in_order",
    text: &[r#"
// The first `kept` elements of each row, and their places in it; what is not wanted has no address.
extern "C" __global__ void write_in_order(index_t count, const T0* x, const index_t* order, T0* values, T1* places,
                                          index_t length, index_t kept) {
  ELEMENTS(i, count) {
    const index_t row = i / kept, from = order[row * length + (i - row * kept)];
    if (values) values[i] = x[from];
    if (places) places[i] = (T1)(from - row * length);
  }
}
"#],
};

/// Elements in order: the keys and where each element lay, as words on the device. The memory is held as long as this is.
pub struct Ordered {
    pub keys: Address,
    pub order: Address,
    _memory: Buffer,
}

/// Bits of an element's key.
fn key_bits(dtype: DType) -> u32 {
    // 16-bit floats are widened.
    8 * dtype.compute().size() as u32
}

/// Room for two lists of keys, two of places, and the counts of digits.
fn lists(call: &CudaCall<'_>, count: usize) -> Result<(Buffer, [Address; 5])> {
    let memory = call.scratch((4 * count + digit_words(count)) * 8)?;
    let list = |i: usize| memory.address() + (i * count * 8) as u64;
    let all = [list(0), list(1), list(2), list(3), list(4)];
    Ok((memory, all))
}

/// The elements of rows of `length` in order, row after row.
///
/// # Safety
/// A dense view of numbers or truth values, not empty, valid on the call's device in the order of its stream.
pub unsafe fn order_rows(call: &CudaCall<'_>, x: &View, length: usize, descending: bool) -> Result<Ordered> {
    let (count, bits) = (x.len(), key_bits(x.dtype));
    let (memory, [a, b, c, d, counts]) = lists(call, count)?;
    // SAFETY: by the caller's promise; the lists have room for a word per element.
    unsafe {
        call.elements(&ORDER_KEYS, &[x.dtype], count, |arguments| {
            arguments.view(x);
            arguments.address(a);
            arguments.value(i32::from(descending));
            arguments.value(u64::MAX >> (64 - bits));
        })?;
        let mut sorted = sort(call, count, bits, false, [a, b], [c, d], counts)?;
        let rows = count / length;
        if rows > 1 {
            let other = |one, first, second| if one == first { second } else { first };
            call.elements(&ROWS_IN_ORDER, &[], count, |arguments| {
                [sorted.order, sorted.keys].into_iter().for_each(|address| arguments.address(address));
                arguments.size(length);
            })?;
            let (keys, order) = (sorted.keys, sorted.order);
            let bits = usize::BITS - (rows - 1).leading_zeros();
            sorted = sort(call, count, bits, true, [keys, other(keys, a, b)], [order, other(order, c, d)], counts)?;
        }
        Ok(Ordered { keys: sorted.keys, order: sorted.order, _memory: memory })
    }
}

/// Keys of so many bits in order, which `fill` writes to the address that it is given.
///
/// # Safety
/// `fill` queues what writes `count` words.
pub unsafe fn order_keys(
    call: &CudaCall<'_>,
    count: usize,
    bits: u32,
    fill: impl FnOnce(Address) -> Result<()>,
) -> Result<Ordered> {
    let (memory, [a, b, c, d, counts]) = lists(call, count)?;
    fill(a)?;
    // SAFETY: by the caller's promise.
    let sorted = unsafe { sort(call, count, bits.max(1), false, [a, b], [c, d], counts)? };
    Ok(Ordered { keys: sorted.keys, order: sorted.order, _memory: memory })
}

/// Writes the first `kept` elements of each row in order, and their places in the row.
///
/// # Safety
/// The order is that of the view's rows; outputs are dense and have `kept` elements for each row.
pub unsafe fn write_in_order(
    call: &CudaCall<'_>,
    x: &View,
    ordered: &Ordered,
    length: usize,
    kept: usize,
    values: Option<&View>,
    places: Option<&View>,
) -> Result<()> {
    let types = [x.dtype, places.map_or(DType::I32, |view| view.dtype)];
    let address = |view: Option<&View>| view.map_or(0, |view| view.ptr.addr() as u64);
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(&WRITE_IN_ORDER, &types, x.len() / length * kept, |arguments| {
            arguments.view(x);
            [ordered.order, address(values), address(places)].into_iter().for_each(|a| arguments.address(a));
            arguments.sizes(&[length, kept]);
        })
    }
}
