// What the emulated cublasLt refuses, so that a plan that passes here is one that the real library takes.
#include "matmul.h"

#include "hooks.h"

namespace eagerflow {

size_t size_of(int type) { return type == F64 ? 8 : type == F32 ? 4 : 2; }

namespace {

bool is_layout(const Layout& l) {
    const uint64_t least = l.order == 0 ? l.rows : l.cols;
    return l.rows > 0 && l.cols > 0 && l.batch > 0 && l.ld > 0 && (uint64_t)l.ld >= least && (l.order == 0 || l.order == 1);
}

// Elements from the first to the last of one matrix.
uint64_t span(const Layout& l) { return l.order == 0 ? (l.cols - 1) * (uint64_t)l.ld + l.rows : (l.rows - 1) * (uint64_t)l.ld + l.cols; }

uint64_t bytes_of(const Layout& l) { return ((uint64_t)(l.batch - 1) * (uint64_t)l.stride + span(l)) * size_of(l.type); }

bool types_fit(const Operation& o, int a, int b, int c, int d) {
    if (a != b || c != d) return false;
    switch (o.compute) {
        case COMPUTE_64F: case COMPUTE_64F_PEDANTIC: return o.scale == F64 && a == F64 && d == F64;
        case COMPUTE_32F: case COMPUTE_32F_PEDANTIC:
            if (o.scale != F32) return false;
            return a == F32 ? d == F32 : (a == F16 || a == BF16) && (d == a || d == F32);
        case FAST_TF32: case FAST_16F: case FAST_16BF: return o.scale == F32 && a == F32 && d == F32;
        default: return false;
    }
}

}  // namespace

int check_shapes(const Operation& o, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
    if (!is_layout(a) || !is_layout(b) || !is_layout(c) || !is_layout(d)) return INVALID;
    if (o.transpose_a < 0 || o.transpose_a > 2 || o.transpose_b < 0 || o.transpose_b > 2 || o.transpose_c != 0) return INVALID;
    const uint64_t m = o.transpose_a ? a.cols : a.rows, k = o.transpose_a ? a.rows : a.cols;
    const uint64_t inner = o.transpose_b ? b.cols : b.rows, n = o.transpose_b ? b.rows : b.cols;
    if (k != inner || d.rows != m || d.cols != n || c.rows != m || c.cols != n) return INVALID;
    if (c.order != d.order) return INVALID;
    if (a.batch != b.batch || a.batch != d.batch || c.batch != d.batch) return INVALID;
    // Some versions count batches along a side of the grid that ends here.
    if (d.batch > 65535) return UNSUPPORTED;
    // The results of a batch must not lie over each other.
    if (d.batch > 1 && (uint64_t)d.stride < span(d) && d.stride >= 0) return INVALID;
    if (o.pointer_mode != 0) return UNSUPPORTED;
    if (!types_fit(o, a.type, b.type, c.type, d.type)) return UNSUPPORTED;
    switch (o.epilogue) {
        case 1: case RELU_BIT: case BIAS_BIT: case RELU_BIT | BIAS_BIT: case RELU_BIT | AUX_BIT: case RELU_BIT | BIAS_BIT | AUX_BIT:
        case GELU_BIT: case GELU_BIT | BIAS_BIT: case GELU_BIT | AUX_BIT: case GELU_BIT | BIAS_BIT | AUX_BIT:
        case DRELU: case DRELU_BGRAD: case DGELU: case DGELU_BGRAD: case BGRADA: case BGRADB: break;
        default: return INVALID;
    }
    // Epilogues go along the columns of results that lie by columns.
    if (o.epilogue != 1 && d.order != 0) return UNSUPPORTED;
    if (o.epilogue != 1 && d.type == F64) return UNSUPPORTED;
    if (o.bias_type != -1 && o.bias_type != d.type) return UNSUPPORTED;
    if (o.epilogue & AUX_BIT) {
        const bool mask = o.epilogue & (RELU_BIT | 8);
        if (o.aux_ld < (int64_t)m || o.aux_ld % (mask ? 128 : 8) != 0) return INVALID;
        if (o.aux_type != -1 && o.aux_type != d.type) return UNSUPPORTED;
    }
    return OK;
}

int check_memory(const Product& p) {
    const Operation& o = p.operation;
    const uint64_t columns = p.n() * (uint64_t)p.d.batch;
    if (!hook_owns(p.pa, bytes_of(p.a)) || !hook_owns(p.pb, bytes_of(p.b)) || !hook_owns(p.pd, bytes_of(p.d))) return INVALID;
    if (p.beta != 0 && !hook_owns(p.pc, bytes_of(p.c))) return INVALID;
    if (p.workspace_bytes > 0 && !hook_owns(p.workspace, p.workspace_bytes)) return INVALID;
    const bool reads_bias = o.epilogue < 128 ? (o.epilogue & BIAS_BIT) != 0 : o.epilogue == (RELU_BIT | BIAS_BIT | AUX_BIT) || o.epilogue == (GELU_BIT | BIAS_BIT | AUX_BIT);
    const bool writes_bias = o.epilogue == DRELU_BGRAD || o.epilogue == DGELU_BGRAD || o.epilogue == BGRADA || o.epilogue == BGRADB;
    const uint64_t bias = o.epilogue == BGRADB ? p.n() : p.m();
    if ((reads_bias || writes_bias) && (o.bias == 0 || !hook_owns(o.bias, bias * size_of(p.d.type)))) return INVALID;
    if (o.epilogue & AUX_BIT) {
        const bool mask = (o.epilogue & (RELU_BIT | 8)) != 0;
        const uint64_t bytes = mask ? (uint64_t)o.aux_ld * columns / 8 : (uint64_t)o.aux_ld * columns * size_of(p.d.type);
        if (o.aux == 0 || !hook_owns(o.aux, bytes)) return INVALID;
    }
    return OK;
}

}  // namespace eagerflow
