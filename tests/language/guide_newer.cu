// The forms that the listings of the newer chapter on extensions of C++ have (13.x, 5.4), where it
// writes them otherwise than the guide of 12.9: symbols, launches of clusters, fences and bit casts
// of <cuda/...>, warps by <cuda/warp> and by masks, addresses of shared memory, loops, and the
// conventions of calls.
#include <cuda/atomic>
#include <cuda/memory>
#include <cuda/std/bit>
#include <cuda/warp>

#include <cstdint>

#include "check.h"

// ---- Variables and launches (5.4.1, 5.4.3) -----------------------------------------------------

__device__ float of_device = 4.0f;
extern __shared__ char dynamic[];

struct partly_mutable {
    int x;
    mutable int y;
};

__device__ __noinline__ int taken_by_reference(const partly_mutable &s) {
    return 10 * s.x + s.y;
}

__global__ void parameter(const __grid_constant__ partly_mutable s, int *out) {
    __shared__ int of_block[4];
    auto words = (int *)dynamic;
    of_block[threadIdx.x] = taken_by_reference(s) + threadIdx.x;
    words[3 - threadIdx.x] = of_block[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x];
}

__global__ void in_clusters(float factor, int other, float *out) {
    if (threadIdx.x == 0)
        out[blockIdx.x] = factor * other + blockIdx.x;
}

static void check_launches() {
    float *address, value = 0, *out = shared_array<float>(4);
    size_t bytes = 0;
    CUDA(cudaGetSymbolAddress((void **)&address, of_device));
    CUDA(cudaGetSymbolSize(&bytes, of_device));
    CUDA(cudaMemcpyFromSymbol(&value, of_device, sizeof value));
    CHECK(bytes == 4 && value == 4);
    value = 3;
    CUDA(cudaMemcpyToSymbol(of_device, &value, sizeof value));
    value = 0;
    CUDA(cudaMemcpy(&value, address, sizeof value, cudaMemcpyDefault));
    CHECK(value == 3);
    int *words = shared_array<int>(4);
    parameter<<<1, 4, 16>>>(partly_mutable{4, 5}, words);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        CHECK(words[i] == 45 + 3 - i);
    cudaLaunchConfig_t config = {0};
    config.gridDim = dim3{4};
    config.blockDim = dim3{32};
    config.dynamicSmemBytes = 1024;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    float factor = 3;
    int other = 4;
    CUDA(cudaLaunchKernelEx(&config, in_clusters, factor, other, out));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        CHECK(out[i] == 12 + i);
}

// ---- Barriers, fences, atomic operations (5.4.4, 5.4.5) ----------------------------------------

__global__ void sums_of_blocks(const int *in, int *out) {
    __shared__ int values[128];
    values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    if (blockIdx.x > 0) { // the same for all threads of the block
        __syncthreads();
        values[threadIdx.x] += 0;
    }
    int odd = __syncthreads_count(values[threadIdx.x] % 2);
    int all = __syncthreads_and(values[threadIdx.x] >= 0);
    int any = __syncthreads_or(values[threadIdx.x] > 1000);
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < blockDim.x; i++)
            sum += values[i];
        out[4 * blockIdx.x] = sum;
        out[4 * blockIdx.x + 1] = odd;
        out[4 * blockIdx.x + 2] = all;
        out[4 * blockIdx.x + 3] = any;
    }
}

__device__ int first_of_two = 1, second_of_two = 2;

__global__ void ordered(int *bad) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *(volatile int *)&first_of_two = 10;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        *(volatile int *)&second_of_two = 20;
    } else {
        int b = *(volatile int *)&second_of_two;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        int a = *(volatile int *)&first_of_two;
        if (b == 20 && a != 10)
            atomicAdd(bad, 1);
    }
}

__device__ float add_by_exchange(float *p, float value) {
    unsigned *word = reinterpret_cast<unsigned *>(p), old = *word, seen;
    do {
        seen = old;
        float sum = cuda::std::bit_cast<float>(seen) + value;
        old = atomicCAS(word, seen, cuda::std::bit_cast<unsigned>(sum));
    } while (seen != old);
    return cuda::std::bit_cast<float>(old);
}

__global__ void add_halves(float *sum) {
    add_by_exchange(sum, 0.5f);
}

static void check_barriers() {
    int *in = shared_array<int>(3 * 128), *out = shared_array<int>(12);
    for (int i = 0; i < 3 * 128; i++)
        in[i] = i * 5;
    sums_of_blocks<<<3, 128>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 3; b++) {
        int sum = 0, odd = 0, any = 0;
        for (int i = b * 128; i < b * 128 + 128; i++) {
            sum += in[i];
            odd += in[i] % 2;
            any |= in[i] > 1000;
        }
        CHECK(out[4 * b] == sum && out[4 * b + 1] == odd && out[4 * b + 2] &&
              out[4 * b + 3] == any);
    }
    int *bad = shared_array<int>(1);
    ordered<<<64, 32>>>(bad);
    float *total = shared_array<float>(1);
    add_halves<<<10, 100>>>(total);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0 && *total == 500);
}

// ---- Warps (5.4.6) -----------------------------------------------------------------------------

enum { LANES = 32 };

__global__ void halves_of_a_warp(const int *in, int *out) {
    if (threadIdx.x < warpSize) {
        __shared__ int values[LANES];
        values[threadIdx.x] = in[threadIdx.x];
        unsigned mask = threadIdx.x < 16 ? 0xFFFF : 0xFFFF0000;
        __syncwarp(mask);
        if (threadIdx.x == 0 || threadIdx.x == 16)
            out[threadIdx.x] = values[threadIdx.x + 1];
    }
}

__global__ void halves_in_branches(const int *in, int *out) {
    if (threadIdx.x < warpSize) {
        __shared__ int values[LANES];
        values[threadIdx.x] = in[threadIdx.x];
        if (threadIdx.x < 16) {
            __syncwarp(0xFFFF);
            out[threadIdx.x] = values[15 - threadIdx.x];
        } else {
            __syncwarp(0xFFFF0000);
            out[threadIdx.x] = values[31 - (threadIdx.x - 16)];
        }
    }
}

__global__ void masks(int pred, int *out) {
    if (threadIdx.x < 4)
        out[threadIdx.x] = __all_sync(0b1111, pred);
    if (threadIdx.x == 0)
        return;
    out[threadIdx.x] += 2 * __all_sync(0xFFFFFFFF, pred); // of those that have not left
}

__global__ void shuffles(int input, int *out) {
    int lane = threadIdx.x % warpSize, value = lane == 0 ? input : -1;
    out[lane] = cuda::device::warp_shuffle_idx(value, 0) == input;
    out[lane] += 10 * __shfl_sync(0xFFFFFFFF, lane, 0, 16);
    out[lane] += 1000 * __shfl_down_sync(0xFFFFFFFF, lane, 2);
    if (lane < 4)
        out[lane] += 100000 * __shfl_sync(0b1111, lane, 1);
    value = 31 - lane;
    for (int delta = 1; delta <= 4; delta *= 2) {
        int other = __shfl_up_sync(0xFFFFFFFF, value, delta, 8);
        if (lane % 8 - delta >= 0)
            value += other;
    }
    out[32 + lane] = value;
    value = 31 - lane;
    for (int i = 1; i <= 16; i *= 2)
        value += __shfl_xor_sync(0xFFFFFFFF, value, i);
    out[64 + lane] = value;
}

static void check_warps() {
    int *in = shared_array<int>(64), *out = shared_array<int>(96);
    for (int i = 0; i < 64; i++)
        in[i] = 7 * i;
    halves_of_a_warp<<<1, 64>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 7 && out[16] == 7 * 17);
    halves_in_branches<<<1, 64>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == 7 * (i < 16 ? 15 - i : 47 - i));
    memset(out, 0, 96 * sizeof *out);
    masks<<<1, 32>>>(1, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == (i < 4) + 2 * (i > 0));
    shuffles<<<1, 32>>>(1234, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        int sum = 0;
        for (int k = i / 8 * 8; k <= i; k++)
            sum += 31 - k;
        CHECK(out[i] == 1 + 10 * (i / 16 * 16) + 1000 * (i < 30 ? i + 2 : i) + 100000 * (i < 4));
        CHECK(out[32 + i] == sum && out[64 + i] == 31 * 16);
    }
}

// ---- Addresses, loops, calls (5.4.8, 5.4.9) ----------------------------------------------------

__global__ void addresses(int *out) {
    __shared__ int word;
    word = 42;
    size_t wide = __cvta_generic_to_shared(&word);
    uint32_t narrow = static_cast<uint32_t>(__cvta_generic_to_shared(&word));
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(out[0]) : "l"(wide) : "memory");
    out[1] = __cvta_shared_to_generic(static_cast<size_t>(narrow)) == &word;
}

struct four {
    static constexpr int value = 4;
};
inline constexpr int count = 4;

__global__ void loops(int *to, const int *from) {
#pragma unroll
    for (int i = 0; i < 12; ++i)
        to[i] += from[i] * 2;
#pragma unroll(count + 1)
    for (int i = 0; i < 12; ++i)
        to[i] += from[i] * 4;
#pragma unroll 1
    for (int i = 0; i < 12; ++i)
        to[i] += from[i] * 8;
#pragma unroll(four::value)
    for (int i = 0; i < 12; ++i)
        to[i] += from[i] * 16;
}

#pragma nv_abi preserve_n_data(16)
__device__ void sets(int *p);
#pragma nv_abi preserve_n_control(8)
__device__ int three();
__device__ int fourth();

struct with_member {
    __device__ int five() {
        return 5;
    }
};

__global__ void calls(int *out) {
    int a = three();
    auto *pointer = &fourth;
#pragma nv_abi preserve_n_control(8)
    int b = pointer();
    auto &reference = fourth;
#pragma nv_abi preserve_n_control(8)
    int c = reference(); // without effect on references and members
    with_member m;
    auto member = &with_member::five;
#pragma nv_abi preserve_n_control(8)
    int d = (m.*member)();
    out[0] = a * 1000 + b * 100 + c * 10 + d;
    sets(out + 1);
}

__device__ void sets(int *p) {
    *p = 6;
}
__device__ int three() {
    return 3;
}
__device__ int fourth() {
    return 4;
}

static void check_others() {
    int *out = shared_array<int>(24);
    addresses<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 42 && out[1]);
    calls<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 3445 && out[1] == 6);
    for (int i = 0; i < 12; i++)
        out[i] = 0, out[12 + i] = i;
    loops<<<1, 1>>>(out, out + 12);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; i++)
        CHECK(out[i] == 30 * i);
}

int main() {
    check_launches();
    check_barriers();
    check_warps();
    check_others();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
