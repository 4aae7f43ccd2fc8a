// Descriptions of matrix products as the emulated cublasLt keeps them. Filled by `api.cpp`, checked by `check.cpp`,
// computed by `product.cpp`.
#pragma once
#include <cstddef>
#include <cstdint>

namespace eagerflow {

// The numbers of `cublasStatus_t`, `cudaDataType`, `cublasComputeType_t` and `cublasLtEpilogue_t`.
enum Status : int { OK = 0, NOT_READY_LIBRARY = 1, ALLOCATION_FAILED = 3, INVALID = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };
enum Type : int { F32 = 0, F64 = 1, F16 = 2, BF16 = 14 };
enum Compute : int { COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_64F = 70, COMPUTE_64F_PEDANTIC = 71, FAST_16F = 74, FAST_16BF = 75, FAST_TF32 = 77 };
enum Epilogue : int { RELU_BIT = 2, BIAS_BIT = 4, GELU_BIT = 32, AUX_BIT = 128, DRELU = 136, DRELU_BGRAD = 152, DGELU = 192, DGELU_BGRAD = 208, BGRADA = 256, BGRADB = 512 };

struct Layout {
    int type = F32;
    int order = 0;  // 0 columns lie together, 1 rows do
    uint64_t rows = 0, cols = 0;
    int64_t ld = 0;
    int32_t batch = 1;
    int64_t stride = 0;
};

struct Operation {
    int compute = 0, scale = 0;
    int pointer_mode = 0;
    int transpose_a = 0, transpose_b = 0, transpose_c = 0;
    int epilogue = 1;
    uint64_t bias = 0;
    int64_t bias_stride = 0;
    int bias_type = -1;
    uint64_t aux = 0;
    int64_t aux_ld = 0, aux_stride = 0;
    int aux_type = -1;
};

struct Preference {
    uint64_t workspace = 0;
    uint32_t alignment[4] = {256, 256, 256, 256};
};

// What a heuristic gives as an algorithm: what it may assume.
struct Algorithm {
    uint64_t mark;
    uint64_t workspace;
    uint32_t alignment[4];
    uint64_t rest[4];
};
constexpr uint64_t ALGORITHM_MARK = 0x6561676572666c6f;

struct Product {
    Operation operation;
    Layout a, b, c, d;
    uint64_t pa, pb, pc, pd;
    double alpha, beta;
    uint64_t workspace, workspace_bytes;
    uint64_t m() const { return d.rows; }
    uint64_t n() const { return d.cols; }
    uint64_t k() const { return operation.transpose_a != 0 ? a.rows : a.cols; }
};

size_t size_of(int type);
double load(int type, uint64_t address, uint64_t index);
void store(int type, uint64_t address, uint64_t index, double value);

// Whether shapes, types and epilogue fit together and are ones that the library computes.
int check_shapes(const Operation& operation, const Layout& a, const Layout& b, const Layout& c, const Layout& d);
// Whether the addresses lie in device memory with room for everything.
int check_memory(const Product& product);
void run_product(const Product& product);

}  // namespace eagerflow
