// The products of cublas_v2.h: a tile of A and a tile of B in shared memory, sums in float.
#include "cublas_v2.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct cublasContext {
    cudaStream_t stream;
};

namespace {

const int TILE = 32, ROWS = 8;

// One operand: a matrix a batch apart by a stride in elements, or by a table of pointers in device
// memory.
struct Operand {
    const void *base;
    const void *const *table;
    cudaDataType type;
    bool transposed;
    long leading, stride;
};

struct Product {
    Operand a, b, c;
    int m, n, k;
    float alpha, beta;
};

template <typename T> __device__ const T *matrix(const Operand &o) {
    return o.table ? (const T *)o.table[blockIdx.z] : (const T *)o.base + o.stride * blockIdx.z;
}

// Element (row, column) of the operand as a float, 0 outside rows and columns.
template <typename T>
__device__ float element(const Operand &o, int row, int column, int rows, int columns) {
    if (row >= rows || column >= columns)
        return 0.0f;
    return (float)matrix<T>(o)[o.transposed ? column + row * o.leading : row + column * o.leading];
}

template <typename A, typename B, typename C> __global__ void multiply(Product p) {
    __shared__ float a[TILE][TILE + 1], b[TILE][TILE + 1];
    int row = blockIdx.x * TILE, column = blockIdx.y * TILE;
    float sum[TILE / ROWS] = {};
    for (int k = 0; k < p.k; k += TILE) {
        for (int j = threadIdx.y; j < TILE; j += ROWS) {
            int i = threadIdx.x; // neighbours in memory are read by neighbours in the warp
            if (p.a.transposed)
                a[i][j] = element<A>(p.a, row + j, k + i, p.m, p.k);
            else
                a[j][i] = element<A>(p.a, row + i, k + j, p.m, p.k);
            if (p.b.transposed)
                b[j][i] = element<B>(p.b, k + j, column + i, p.k, p.n);
            else
                b[i][j] = element<B>(p.b, k + i, column + j, p.k, p.n);
        }
        __syncthreads();
        for (int l = 0; l < TILE; l++)
            for (int j = 0; j < TILE / ROWS; j++)
                sum[j] += a[l][threadIdx.x] * b[l][threadIdx.y + ROWS * j];
        __syncthreads();
    }
    C *c = (C *)matrix<C>(p.c);
    for (int j = 0; j < TILE / ROWS; j++) {
        int y = column + threadIdx.y + ROWS * j, x = row + threadIdx.x;
        if (x >= p.m || y >= p.n)
            continue;
        C &to = c[x + y * p.c.leading];
        to = (C)(p.alpha * sum[j] + (p.beta != 0.0f ? p.beta * (float)to : 0.0f));
    }
}

cublasStatus_t ended() {
    return cudaGetLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                             : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <typename A, typename C>
cublasStatus_t launch(cublasHandle_t handle, const Product &p, int count) {
    dim3 grid((p.m + TILE - 1) / TILE, (p.n + TILE - 1) / TILE, count);
    multiply<A, A, C><<<grid, dim3(TILE, ROWS), 0, handle->stream>>>(p);
    return ended();
}

cublasStatus_t run(cublasHandle_t handle, const Product &p, int count) {
    if (p.m < 0 || p.n < 0 || p.k < 0 || count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!p.m || !p.n || !count)
        return CUBLAS_STATUS_SUCCESS;
    if (p.a.type != p.b.type || (p.c.type != p.a.type && p.c.type != CUDA_R_32F))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    bool same = p.c.type == p.a.type;
    if (p.a.type == CUDA_R_32F)
        return launch<float, float>(handle, p, count);
    if (p.a.type == CUDA_R_16F)
        return same ? launch<__half, __half>(handle, p, count)
                    : launch<__half, float>(handle, p, count);
    if (p.a.type == CUDA_R_16BF)
        return same ? launch<__nv_bfloat16, __nv_bfloat16>(handle, p, count)
                    : launch<__nv_bfloat16, float>(handle, p, count);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

float scalar(const void *p, cublasComputeType_t compute) {
    return compute == CUBLAS_COMPUTE_16F ? (float)*(const __half *)p : *(const float *)p;
}

// Solves x A = alpha b for one row x of B a thread, columns from the left.
__global__ void solve(int m, int n, float alpha, const float *const *A, int lda, float *const *B,
                      int ldb) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m)
        return;
    const float *a = A[blockIdx.y];
    float *b = B[blockIdx.y];
    for (int j = 0; j < n; j++) {
        float x = alpha * b[row + (long)j * ldb];
        for (int i = 0; i < j; i++)
            x -= b[row + (long)i * ldb] * a[i + (long)j * lda];
        b[row + (long)j * ldb] = x / a[j + (long)j * lda];
    }
}

} // namespace

extern "C" {

const char *cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "a product failed";
}

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
    *handle = new cublasContext{};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *A, cudaDataType typeA, int lda, long long strideA, const void *B,
    cudaDataType typeB, int ldb, long long strideB, const void *beta, void *C, cudaDataType typeC,
    int ldc, long long strideC, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Product p = {{A, nullptr, typeA, transa != CUBLAS_OP_N, lda, (long)strideA},
                 {B, nullptr, typeB, transb != CUBLAS_OP_N, ldb, (long)strideB},
                 {C, nullptr, typeC, false, ldc, (long)strideC},
                 m,
                 n,
                 k,
                 scalar(alpha, compute),
                 scalar(beta, compute)};
    return run(handle, p, count);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const A[], cudaDataType typeA, int lda,
                                   const void *const B[], cudaDataType typeB, int ldb,
                                   const void *beta, void *const C[], cudaDataType typeC, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Product p = {{nullptr, A, typeA, transa != CUBLAS_OP_N, lda, 0},
                 {nullptr, B, typeB, transb != CUBLAS_OP_N, ldb, 0},
                 {nullptr, C, typeC, false, ldc, 0},
                 m,
                 n,
                 k,
                 scalar(alpha, compute),
                 scalar(beta, compute)};
    return run(handle, p, count);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta, void *C,
                            cudaDataType typeC, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo) {
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, typeA, lda, 0, B,
                                      typeB, ldb, 0, beta, C, typeC, ldc, 0, 1, compute, algo);
}

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const float *alpha,
                           const float *A, int lda, const float *B, int ldb, const float *beta,
                           float *C, int ldc) {
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_32F, lda, B, CUDA_R_32F,
                        ldb, beta, C, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k, const float *alpha,
                                  const float *const A[], int lda, const float *const B[], int ldb,
                                  const float *beta, float *const C[], int ldc, int count) {
    return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, (const void *const *)A,
                               CUDA_R_32F, lda, (const void *const *)B, CUDA_R_32F, ldb, beta,
                               (void *const *)C, CUDA_R_32F, ldc, count, CUBLAS_COMPUTE_32F,
                               CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float *alpha, const float *A, int lda,
                                         long long strideA, const float *B, int ldb,
                                         long long strideB, const float *beta, float *C, int ldc,
                                         long long strideC, int count) {
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_32F, lda,
                                      strideA, B, CUDA_R_32F, ldb, strideB, beta, C, CUDA_R_32F,
                                      ldc, strideC, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasStrsmBatched(cublasHandle_t handle, cublasSideMode_t side,
                                  cublasFillMode_t fill, cublasOperation_t trans,
                                  cublasDiagType_t diag, int m, int n, const float *alpha,
                                  const float *const A[], int lda, float *const B[], int ldb,
                                  int count) {
    if (side != CUBLAS_SIDE_RIGHT || fill != CUBLAS_FILL_MODE_UPPER || trans != CUBLAS_OP_N ||
        diag != CUBLAS_DIAG_NON_UNIT)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!m || !n || !count)
        return CUBLAS_STATUS_SUCCESS;
    solve<<<dim3((m + 63) / 64, count), 64, 0, handle->stream>>>(m, n, *alpha, A, lda, B, ldb);
    return ended();
}

} // extern "C"
