// Dense tensors one after another along an axis: rows of `whole` units, in which each tensor has its own columns.
// Each block copies a part of one tensor; `concat.rs` launches it for as many tensors as parameters hold.

struct Part { const unit_t* from; index_t width; index_t at; index_t count; index_t block; };
struct Parts { Part of[PARTS]; };

extern "C" __global__ void concat(unit_t* to, index_t whole, index_t parts, Parts all) {
  // The tensor whose blocks this one is among.
  int low = 0, high = (int)parts - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (all.of[middle].block <= (index_t)blockIdx.x) low = middle;
    else high = middle - 1;
  }
  const Part part = all.of[low];
  const index_t first = ((index_t)blockIdx.x - part.block) * EACH;
  const index_t end = first + EACH < part.count ? first + EACH : part.count;
  for (index_t i = first + threadIdx.x; i < end; i += blockDim.x) {
    index_t column, row = divided(i, part.width, column);
    to[row * whole + part.at + column] = part.from[i];
  }
}
