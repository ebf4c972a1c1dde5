// Compiled with -std=c++03: what NVIDIA's headers offer before C++11. Collectives of groups
// (reduce, scan), the classes of small floats and <cuda/...> ask for C++11.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline_primitives.h>
#include <curand_kernel.h>
#include <mma.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

#if __cplusplus >= 201103L
#error "compiled with -std=c++03"
#endif

namespace cg = cooperative_groups;
using namespace nvcuda;

template <typename T> struct pair {
    T first, second;
};
typedef pair<int> int_pair;

__managed__ int total;
__constant__ int offsets[4] = {1, 2, 3, 4};

template <typename T> __global__ void groups(T *out, const T *in) {
    extern __shared__ __align__(16) unsigned char memory[];
    T *shared = reinterpret_cast<T *>(memory);
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    shared[block.thread_rank()] = in[block.thread_rank()];
    block.sync();
    T sum = shared[block.size() - 1 - block.thread_rank()];
    for (unsigned int d = tile.size() / 2; d; d /= 2)
        sum += tile.shfl_xor(sum, d);
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
        atomicAdd(&total, (int)active.size());
    out[block.thread_rank()] = sum + (T)offsets[block.thread_rank() % 4];
    assert(sum == sum);
}

__global__ void halves(float *out, const float *in) {
    __half h = __float2half(in[threadIdx.x]);
    __nv_bfloat16 b = __float2bfloat16(in[threadIdx.x]);
    __half2 both = __halves2half2(h, __hadd(h, h));
    out[4 * threadIdx.x] = __half2float(h * h);
    out[4 * threadIdx.x + 1] = __bfloat162float(b);
    out[4 * threadIdx.x + 2] = __high2float(__hmul2(both, both));
    __nv_fp8_storage_t small = __nv_cvt_float_to_fp8(in[threadIdx.x], __NV_SATFINITE, __NV_E4M3);
    __half_raw raw = __nv_cvt_fp8_to_halfraw(small, __NV_E4M3);
    out[4 * threadIdx.x + 3] = __half2float(raw);
}

__global__ void product(float *d, const __half *a, const __half *b) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

__global__ void random(unsigned int *out) {
    curandStatePhilox4_32_10_t philox;
    curandStateMRG32k3a_t mrg;
    curand_init(7, 0, 0, &philox);
    curand_init(7, 0, 0, &mrg);
    out[0] = curand(&philox);
    out[1] = curand_uniform(&mrg) > 0 ? 1 : 0;
}

// References, which C++03 is of an age with.
texture<float, 1> reference;

__global__ void fetches(float *out, cudaTextureObject_t object) {
    *out = tex1Dfetch(reference, 1) + tex1Dfetch<float>(object, 2);
}

static void check_textures() {
    float *texels, *out;
    cudaMallocManaged(&texels, 4 * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    for (int i = 0; i < 4; i++)
        texels[i] = 1.25f * i;
    CUDA(cudaBindTexture(NULL, reference, texels, 4 * sizeof(float)));
    cudaResourceDesc resource;
    cudaTextureDesc description;
    memset(&resource, 0, sizeof resource);
    memset(&description, 0, sizeof description);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = texels;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 4 * sizeof(float);
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &resource, &description, NULL));
    fetches<<<1, 1>>>(out, object);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && *out == 3.75f);
}

static void check_groups() {
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        in[i] = i * i;
    groups<<<1, 64, 64 * sizeof(int)>>>(out, in);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(total == 64);
    for (int i = 0; i < 64; i++) {
        int sum = 1 + i % 4;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++)
            sum += (63 - k) * (63 - k);
        CHECK(out[i] == sum);
    }
}

static void check_halves() {
    float *in, *out;
    cudaMallocManaged(&in, 4 * sizeof(float));
    cudaMallocManaged(&out, 16 * sizeof(float));
    for (int i = 0; i < 4; i++)
        in[i] = 1.5f * i;
    halves<<<1, 4>>>(out, in);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 4; i++) {
        CHECK(out[4 * i] == in[i] * in[i] && out[4 * i + 1] == in[i]);
        CHECK(out[4 * i + 2] == 4 * in[i] * in[i] && out[4 * i + 3] == in[i]);
    }
}

static void check_product() {
    __half *a, *b;
    float *d;
    cudaMallocManaged(&a, 256 * sizeof(__half));
    cudaMallocManaged(&b, 256 * sizeof(__half));
    cudaMallocManaged(&d, 256 * sizeof(float));
    for (int i = 0; i < 256; i++) {
        a[i] = __float2half((float)(i % 7));
        b[i] = __float2half((float)(i % 5));
    }
    product<<<1, 32>>>(d, a, b);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++) {
            int sum = 0;
            for (int n = 0; n < 16; n++)
                sum += (i * 16 + n) % 7 * ((k * 16 + n) % 5);
            CHECK(d[i * 16 + k] == (float)sum);
        }
}

int main() {
    check_groups();
    check_halves();
    check_product();
    check_textures();
    std::vector<int_pair> pairs(3);
    unsigned int *words;
    cudaMallocManaged(&words, 2 * sizeof(unsigned int));
    random<<<1, 1>>>(words);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && words[1] == 1 && pairs.size() == 3);
    return failures != 0;
}
