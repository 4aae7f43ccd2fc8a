// Elements moved without being looked at: a unit is an element, or as many neighbours as make up to 16 bytes.
// `strided_copy.rs` says what `unit_t` is; the kernels of operations that move whole rows stand behind this.

// Sizes and strides of up to 16 dimensions, and the strides of what is written.
struct Walk { index_t rank; index_t dims[16]; index_t from[16]; index_t to[16]; };

// Element `i` of a walk, wherever it lies on both sides.
__device__ inline void walked(const Walk& walk, index_t i, index_t& from, index_t& to) {
  from = 0, to = 0;
  for (int axis = (int)walk.rank - 1; axis > 0; --axis) {
    index_t at;
    i = divided(i, walk.dims[axis], at);
    from += at * walk.from[axis];
    to += at * walk.to[axis];
  }
  from += i * walk.from[0];
  to += i * walk.to[0];
}

extern "C" __global__ void move(index_t count, const unit_t* __restrict__ from, unit_t* __restrict__ to, Walk walk) {
  ELEMENTS(i, count) {
    index_t source, target;
    walked(walk, i, source, target);
    to[target] = from[source];
  }
}

// A frame around a tensor. The source's index lies `before` behind the target's; outside of 0..size it is a constant
// (mode 0), or mirrored at the outermost element (1) or at the border (2).
struct Frame { index_t rank; index_t mode; index_t dims[8]; index_t before[8]; index_t size[8]; index_t stride[8]; };

extern "C" __global__ void frame(index_t count, const unit_t* from, unit_t* to, Frame frame, Pack<unsigned long long, 2> value,
                                 const unsigned char* place, index_t bytes) {
  // The constant may lie on the device: as many bytes as an element has, which a unit repeats.
  if (place)
    for (int k = 0; k < 16; ++k) ((unsigned char*)&value)[k] = place[k % bytes];
  const unit_t constant = *(const unit_t*)&value;
  const index_t skip = frame.mode == 1 ? 1 : 0;
  ELEMENTS(i, count) {
    index_t rest = i, source = 0;
    bool shown = true;
    for (int axis = (int)frame.rank - 1; axis >= 0; --axis) {
      index_t at;
      rest = divided(rest, frame.dims[axis], at);
      const index_t size = frame.size[axis];
      at -= frame.before[axis];
      if (at < 0 || at >= size) {
        if (frame.mode == 0) shown = false;
        else at = at < 0 ? skip - 1 - at : 2 * size - 1 - skip - at;
      }
      source += at * frame.stride[axis];
    }
    to[i] = shown ? from[source] : constant;
  }
}
