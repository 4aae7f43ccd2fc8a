// Computing a product: operands are brought into rows of floats (or doubles), sums run over `k` in order, the epilogue
// works on sums before they are rounded to the type of the result.
// The sums are most of the time of a test with matrices: vectorised, unlike the rest of the library.
#pragma GCC optimize("O3")

#include <cmath>
#include <cstring>
#include <vector>

#include "hooks.h"
#include "matmul.h"

namespace eagerflow {

namespace {

float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

float from_half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const float magnitude = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                            : exponent == 0 ? std::ldexp((float)fraction, -24)
                                            : std::ldexp((float)(fraction | 1024), exponent - 25);
    return h & 0x8000 ? -magnitude : magnitude;
}

uint16_t to_half(float x) {
    const uint16_t sign = (uint16_t)(to_bits(x) >> 16 & 0x8000);
    const float magnitude = std::fabs(x);
    if (std::isnan(x)) return 0x7fff;
    if (magnitude >= 65520.0f) return sign | 0x7c00;
    int exponent;
    std::frexp(magnitude, &exponent);
    // The spacing of halves around this magnitude; `nearbyint` rounds ties to even.
    const int scale = std::max(exponent - 11, -24);
    const int steps = (int)std::nearbyint(std::ldexp(magnitude, -scale));
    return magnitude == 0 ? sign : (uint16_t)(sign | (scale == -24 && steps < 1024 ? steps : ((scale + 24) << 10) + steps));
}

uint16_t to_bfloat(float x) {
    const uint32_t bits = to_bits(x);
    if (std::isnan(x)) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Ten bits of fraction, as tensor cores read single precision in the fast mode.
float to_tf32(float x) {
    const uint32_t bits = to_bits(x);
    return std::isfinite(x) ? from_bits((bits + 0x0fff + (bits >> 13 & 1)) & 0xffffe000u) : x;
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
double gelu_gradient(double x) {
    const double t = std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

uint64_t index(const Layout& l, uint64_t row, uint64_t col) { return l.order == 0 ? col * (uint64_t)l.ld + row : row * (uint64_t)l.ld + col; }

// `rows` x `cols` of op(X), by rows, as the sums read it.
template <class T>
std::vector<T> gather(const Layout& l, uint64_t address, int batch, bool transposed, uint64_t rows, uint64_t cols, int compute) {
    std::vector<T> out(rows * cols);
    const uint64_t begin = address + (uint64_t)((int64_t)batch * l.stride) * size_of(l.type);
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < cols; c++) {
            T value = (T)load(l.type, begin, transposed ? index(l, c, r) : index(l, r, c));
            if (compute == FAST_TF32) value = (T)to_tf32((float)value);
            if (compute == FAST_16F) value = (T)from_half(to_half((float)value));
            if (compute == FAST_16BF) value = (T)from_bits((uint32_t)to_bfloat((float)value) << 16);
            out[r * cols + c] = value;
        }
    }
    return out;
}

struct Auxiliary {
    const Product& p;
    uint64_t place(int batch, uint64_t row, uint64_t col) const {
        const Operation& o = p.operation;
        const int64_t stride = o.aux_stride != 0 ? o.aux_stride : o.aux_ld * (int64_t)p.n();
        return (uint64_t)((int64_t)batch * stride) + col * (uint64_t)o.aux_ld + row;
    }
    bool bit(uint64_t at) const { return *(const uint8_t*)(p.operation.aux + at / 8) >> (at % 8) & 1; }
    void set_bit(uint64_t at, bool value) const {
        uint8_t& byte = *(uint8_t*)(p.operation.aux + at / 8);
        byte = (uint8_t)((byte & ~(1u << (at % 8))) | (unsigned)value << (at % 8));
    }
};

// What becomes of one sum before it is stored.
double finish(const Product& p, int batch, uint64_t row, uint64_t col, double value) {
    const Operation& o = p.operation;
    const Auxiliary aux{p};
    const uint64_t at = aux.place(batch, row, col);
    switch (o.epilogue) {
        case DRELU: case DRELU_BGRAD: return aux.bit(at) ? value : 0;
        case DGELU: case DGELU_BGRAD: return value * gelu_gradient(load(p.d.type, o.aux, at));
        case 1: case BGRADA: case BGRADB: return value;
        default: break;
    }
    if (o.epilogue & BIAS_BIT) value += load(p.d.type, o.bias, (uint64_t)((int64_t)batch * o.bias_stride) + row);
    if (o.epilogue & RELU_BIT) {
        if (o.epilogue & AUX_BIT) aux.set_bit(at, value > 0);
        return value > 0 ? value : 0;
    }
    if (o.epilogue & GELU_BIT) {
        if (o.epilogue & AUX_BIT) store(p.d.type, o.aux, at, value);
        return gelu(value);
    }
    return value;
}

template <class T>
void run_batch(const Product& p, int batch) {
    const Operation& o = p.operation;
    const uint64_t m = p.m(), n = p.n(), k = p.k();
    // A by columns and B by rows: the inner loop goes along `n` and vectorises.
    const std::vector<T> a = gather<T>(p.a, p.pa, batch, o.transpose_a != 0, m, k, o.compute);
    const std::vector<T> b = gather<T>(p.b, p.pb, batch, o.transpose_b != 0, k, n, o.compute);
    const uint64_t d = p.pd + (uint64_t)((int64_t)batch * p.d.stride) * size_of(p.d.type);
    const uint64_t c = p.pc + (uint64_t)((int64_t)batch * p.c.stride) * size_of(p.c.type);
    std::vector<T> sums(n);
    std::vector<double> row_totals(m), column_totals(n);
    const bool gradient = o.epilogue == DRELU_BGRAD || o.epilogue == DGELU_BGRAD;
    for (uint64_t row = 0; row < m; row++) {
        std::fill(sums.begin(), sums.end(), T(0));
        for (uint64_t i = 0; i < k; i++) {
            const T factor = a[row * k + i];
            const T* line = b.data() + i * n;
            for (uint64_t col = 0; col < n; col++) sums[col] += factor * line[col];
        }
        for (uint64_t col = 0; col < n; col++) {
            double value = (double)((T)p.alpha * sums[col]);
            if (p.beta != 0) value = (double)((T)value + (T)p.beta * (T)load(p.c.type, c, index(p.c, row, col)));
            value = finish(p, batch, row, col, value);
            if (gradient) row_totals[row] += value;
            store(p.d.type, d, index(p.d, row, col), value);
        }
    }
    if (gradient)
        for (uint64_t row = 0; row < m; row++) store(p.d.type, o.bias, (uint64_t)((int64_t)batch * o.bias_stride) + row, row_totals[row]);
    if (o.epilogue == BGRADA) {
        for (uint64_t row = 0; row < m; row++) {
            double total = 0;
            for (uint64_t i = 0; i < k; i++) total += (double)a[row * k + i];
            store(p.d.type, o.bias, row, total);
        }
    }
    if (o.epilogue == BGRADB) {
        for (uint64_t col = 0; col < n; col++) {
            double total = 0;
            for (uint64_t i = 0; i < k; i++) total += (double)b[i * n + col];
            store(p.d.type, o.bias, col, total);
        }
    }
}

}  // namespace

double load(int type, uint64_t address, uint64_t i) {
    switch (type) {
        case F64: return ((const double*)address)[i];
        case F32: return ((const float*)address)[i];
        case F16: return from_half(((const uint16_t*)address)[i]);
        default: return from_bits((uint32_t)((const uint16_t*)address)[i] << 16);
    }
}

void store(int type, uint64_t address, uint64_t i, double value) {
    switch (type) {
        case F64: ((double*)address)[i] = value; break;
        case F32: ((float*)address)[i] = (float)value; break;
        case F16: ((uint16_t*)address)[i] = to_half((float)value); break;
        default: ((uint16_t*)address)[i] = to_bfloat((float)value); break;
    }
}

void run_product(const Product& p) {
    eagerflow_hook_count_matmul();
    // The real library may use all of it: nothing of the caller's can lie there.
    if (p.workspace_bytes > 0) memset((void*)p.workspace, 0xFF, p.workspace_bytes);
    for (int batch = 0; batch < p.d.batch; batch++) {
        if (p.operation.compute == COMPUTE_64F || p.operation.compute == COMPUTE_64F_PEDANTIC) run_batch<double>(p, batch);
        else run_batch<float>(p, batch);
    }
}

}  // namespace eagerflow
