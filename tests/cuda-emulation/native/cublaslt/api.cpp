// The entry points of the emulated cublasLt.
#include <cstring>
#include <set>

#include "hooks.h"
#include "matmul.h"

using namespace eagerflow;

#define EXPORT extern "C" __attribute__((visibility("default"))) int

namespace {

// An attribute has one size; the library refuses others.
template <class T>
int set(T& field, const void* from, size_t size) {
    if (from == nullptr || size != sizeof(T)) return INVALID;
    memcpy(&field, from, sizeof(T));
    return OK;
}
template <class T>
int get(const T& field, void* to, size_t size, size_t* written) {
    if (written != nullptr) *written = sizeof(T);
    if (size == 0) return OK;
    if (to == nullptr || size < sizeof(T)) return INVALID;
    memcpy(to, &field, sizeof(T));
    return OK;
}

// One table for reading and writing; `f` is called with the field.
template <class F>
int operation_field(Operation& o, int attribute, F f) {
    static int ignored;
    switch (attribute) {
        case 0: return f(o.compute);
        case 1: return f(o.scale);
        case 2: return f(o.pointer_mode);
        case 3: return f(o.transpose_a);
        case 4: return f(o.transpose_b);
        case 5: return f(o.transpose_c);
        case 7: return f(o.epilogue);
        case 8: return f(o.bias);
        case 10: return f(o.bias_stride);
        case 11: return f(o.aux);
        case 12: return f(o.aux_ld);
        case 13: return f(o.aux_stride);
        case 15: return f(ignored);  // number of processors to aim at
        case 22: return f(o.aux_type);
        case 26: return f(o.bias_type);
        default: return UNSUPPORTED;
    }
}
template <class F>
int layout_field(Layout& l, int attribute, F f) {
    switch (attribute) {
        case 0: return f(l.type);
        case 1: return f(l.order);
        case 2: return f(l.rows);
        case 3: return f(l.cols);
        case 4: return f(l.ld);
        case 5: return f(l.batch);
        case 6: return f(l.stride);
        default: return UNSUPPORTED;
    }
}

std::set<const void*>& handles() {
    static auto* all = new std::set<const void*>;
    return *all;
}

double scalar(int type, const void* from) {
    if (type == F64) return *(const double*)from;
    return *(const float*)from;
}

}  // namespace

EXPORT cublasLtCreate(void** out) {
    if (out == nullptr) return INVALID;
    if (eagerflow_hook_ready() == 0) return NOT_READY_LIBRARY;
    *out = new int;
    handles().insert(*out);
    return OK;
}
EXPORT cublasLtDestroy(void* handle) {
    if (handles().erase(handle) == 0) return INVALID;
    delete (int*)handle;
    return OK;
}
extern "C" __attribute__((visibility("default"))) size_t cublasLtGetVersion() { return 130000; }
extern "C" __attribute__((visibility("default"))) size_t cublasLtGetCudartVersion() { return 13000; }
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusName(int status) {
    switch (status) {
        case OK: return "CUBLAS_STATUS_SUCCESS";
        case NOT_READY_LIBRARY: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case ALLOCATION_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case INVALID: return "CUBLAS_STATUS_INVALID_VALUE";
        case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case UNSUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        default: return "CUBLAS_STATUS_UNKNOWN";
    }
}
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusString(int status) { return cublasLtGetStatusName(status); }

EXPORT cublasLtMatrixLayoutCreate(void** out, int type, uint64_t rows, uint64_t cols, int64_t ld) {
    if (out == nullptr) return INVALID;
    auto* layout = new Layout;
    layout->type = type;
    layout->rows = rows, layout->cols = cols, layout->ld = ld;
    *out = layout;
    return OK;
}
EXPORT cublasLtMatrixLayoutDestroy(void* layout) {
    delete (Layout*)layout;
    return OK;
}
EXPORT cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* from, size_t size) {
    if (layout == nullptr) return INVALID;
    return layout_field(*(Layout*)layout, attribute, [&](auto& field) { return set(field, from, size); });
}
EXPORT cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* to, size_t size, size_t* written) {
    if (layout == nullptr) return INVALID;
    return layout_field(*(Layout*)layout, attribute, [&](auto& field) { return get(field, to, size, written); });
}

EXPORT cublasLtMatmulDescCreate(void** out, int compute, int scale) {
    if (out == nullptr) return INVALID;
    auto* operation = new Operation;
    operation->compute = compute, operation->scale = scale;
    *out = operation;
    return OK;
}
EXPORT cublasLtMatmulDescDestroy(void* operation) {
    delete (Operation*)operation;
    return OK;
}
EXPORT cublasLtMatmulDescSetAttribute(void* operation, int attribute, const void* from, size_t size) {
    if (operation == nullptr) return INVALID;
    return operation_field(*(Operation*)operation, attribute, [&](auto& field) { return set(field, from, size); });
}
EXPORT cublasLtMatmulDescGetAttribute(void* operation, int attribute, void* to, size_t size, size_t* written) {
    if (operation == nullptr) return INVALID;
    return operation_field(*(Operation*)operation, attribute, [&](auto& field) { return get(field, to, size, written); });
}

EXPORT cublasLtMatmulPreferenceCreate(void** out) {
    if (out == nullptr) return INVALID;
    *out = new Preference;
    return OK;
}
EXPORT cublasLtMatmulPreferenceDestroy(void* preference) {
    delete (Preference*)preference;
    return OK;
}
EXPORT cublasLtMatmulPreferenceSetAttribute(void* handle, int attribute, const void* from, size_t size) {
    if (handle == nullptr) return INVALID;
    auto& preference = *(Preference*)handle;
    static uint32_t ignored;
    if (attribute == 1) return set(preference.workspace, from, size);
    if (attribute >= 5 && attribute <= 8) return set(preference.alignment[attribute - 5], from, size);
    return attribute >= 0 && attribute <= 13 ? set(ignored, from, size) : INVALID;
}

struct Heuristic {
    Algorithm algorithm;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(Algorithm) == 64, "the library's algorithms have eight words");

EXPORT cublasLtMatmulAlgoGetHeuristic(void* handle, void* operation, void* a, void* b, void* c, void* d, void* preference, int wanted, Heuristic* out, int* count) {
    if (handles().count(handle) == 0 || operation == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr || wanted < 1 || out == nullptr || count == nullptr)
        return INVALID;
    *count = 0;
    if (const int code = eagerflow_hook_planted("cublasLtMatmulAlgoGetHeuristic")) return code;
    if (const int status = check_shapes(*(Operation*)operation, *(Layout*)a, *(Layout*)b, *(Layout*)c, *(Layout*)d)) return status;
    const Preference wish = preference != nullptr ? *(Preference*)preference : Preference{};
    // A first algorithm that wants memory, where it may have some, and one that wants none.
    for (int i = 0; i < wanted && i < 2; i++) {
        const uint64_t workspace = i == 0 && wish.workspace >= 4096 ? 4096 : 0;
        if (i == 1 && out[0].workspace == 0) break;
        out[i] = Heuristic{};
        out[i].algorithm.mark = ALGORITHM_MARK;
        out[i].algorithm.workspace = out[i].workspace = workspace;
        memcpy(out[i].algorithm.alignment, wish.alignment, sizeof wish.alignment);
        out[i].waves = 1;
        ++*count;
    }
    return OK;
}

EXPORT cublasLtMatmul(void* handle, void* operation, const void* alpha, const void* pa, void* a, const void* pb, void* b, const void* beta, const void* pc,
                      void* c, void* pd, void* d, const Algorithm* algorithm, void* workspace, size_t workspace_bytes, void* stream) {
    if (handles().count(handle) == 0 || operation == nullptr || alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr)
        return INVALID;
    if (const int code = eagerflow_hook_planted("cublasLtMatmul")) return code;
    auto* p = new Product{*(Operation*)operation, *(Layout*)a, *(Layout*)b, *(Layout*)c, *(Layout*)d, (uint64_t)pa, (uint64_t)pb, (uint64_t)pc, (uint64_t)pd,
                          0, 0, (uint64_t)workspace, 0};
    auto refuse = [&](int status) {
        delete p;
        return status;
    };
    if (const int status = check_shapes(p->operation, p->a, p->b, p->c, p->d)) return refuse(status);
    p->alpha = scalar(p->operation.scale, alpha), p->beta = scalar(p->operation.scale, beta);
    const uint64_t pointers[4] = {p->pa, p->pb, p->beta != 0 ? p->pc : 0, p->pd};
    const Layout* layouts[4] = {&p->a, &p->b, &p->c, &p->d};
    for (int i = 0; i < 4; i++) {
        if (pointers[i] % size_of(layouts[i]->type) != 0) return refuse(INVALID);
        // An algorithm was chosen for an alignment: with less, the device would fault.
        if (algorithm != nullptr && pointers[i] % algorithm->alignment[i] != 0) return refuse(INVALID);
    }
    if (algorithm != nullptr) {
        if (algorithm->mark != ALGORITHM_MARK || workspace_bytes < algorithm->workspace) return refuse(INVALID);
        p->workspace_bytes = algorithm->workspace;
    }
    if (const int status = check_memory(*p)) return refuse(status);
    const int code = eagerflow_hook_submit(
        stream,
        [](void* data) {
            run_product(*(Product*)data);
            return 0;
        },
        p, [](void* data) { delete (Product*)data; });
    return code == 0 ? OK : EXECUTION_FAILED;
}
