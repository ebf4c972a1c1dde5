// Cooperative groups (guide 11.7.2): memcpy_async in bytes and elements, with layouts of all kinds,
// by groups of all kinds; what wait and wait_prior promise.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 128, BUFFER = 512, SLOT = 512, SLOTS = 24 };

struct seven {
    char c[7];
};

// What the block finds in its buffer when the copy has been waited for; -1 where nothing was
// copied.
struct slots {
    int *out, *buffer, next;
    __device__ void clear() {
        for (int i = (int)threadIdx.x; i < BUFFER; i += THREADS)
            buffer[i] = -1;
        __syncthreads();
    }
    __device__ void take() {
        cg::wait(cg::this_thread_block());
        for (int i = (int)threadIdx.x; i < SLOT; i += THREADS)
            out[next * SLOT + i] = buffer[i];
        next++;
        __syncthreads();
        clear();
    }
};

__global__ void by_the_block(const int *in, int *out) {
    __shared__ alignas(16) int buffer[BUFFER];
    auto b = cg::this_thread_block();
    slots s = {out, buffer, 0};
    s.clear();
    cg::memcpy_async(b, buffer, in, 100 * sizeof(int)); // bytes
    s.take();
    cg::memcpy_async(b, buffer, in + 1, cuda::aligned_size_t<4>(100 * sizeof(int)));
    s.take();
    cg::memcpy_async(b, buffer, in, cuda::aligned_size_t<16>(64 * sizeof(int)));
    s.take();
    cg::memcpy_async(b, buffer, in, (unsigned short)8);
    s.take();
    cg::memcpy_async(b, buffer, in, 0);
    s.take();
    cg::memcpy_async(b, (void *)buffer, (const void *)(in + 2), 200);
    s.take();
    cg::memcpy_async(b, buffer, 50, in, 70); // elements
    s.take();
    cg::memcpy_async(b, buffer, (size_t)70, in + 3, 50u);
    s.take();
    cg::memcpy_async(b, (char *)buffer, cuda::aligned_size_t<16>(64), (const char *)in,
                     cuda::aligned_size_t<16>(128));
    s.take();
    cg::thread_group any = b;
    cg::memcpy_async(any, buffer, in, 400);
    s.take();
}

__global__ void by_parts(const int *in, int *out) {
    __shared__ alignas(16) int buffer[BUFFER];
    auto b = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(b);
    auto four = cg::tiled_partition<4>(warp);
    int t = (int)threadIdx.x, w = t / 32 * 40;
    slots s = {out, buffer, 0};
    s.clear();
    cg::memcpy_async(warp, buffer + w, in + w, 40 * sizeof(int));
    cg::wait(warp);
    s.take();
    cg::memcpy_async(cg::this_thread(), buffer + t, in + t, sizeof(int));
    cg::wait(cg::this_thread());
    s.take();
    cg::memcpy_async(four, buffer + t / 4 * 3, in + t / 4 * 3, 3 * sizeof(int));
    s.take();
    if (t % 32 >= 20) {
        auto active = cg::coalesced_threads();
        cg::memcpy_async(active, buffer + w, in + w, 40 * sizeof(int));
        cg::wait(active);
    }
    s.take();
    auto large = cg::tiled_partition<64>(b);
    cg::memcpy_async(large, buffer + t / 64 * 80, 80, in + t / 64 * 80, 100);
    cg::wait(large);
    s.take();
}

__global__ void in_stages(const int *in, int *out) {
    __shared__ alignas(16) int buffer[BUFFER];
    auto b = cg::this_thread_block();
    for (int i = 0; i < 4; i++)
        cg::memcpy_async(b, buffer + i * 100, in + i * 100, 400);
    cg::wait_prior<3>(b);
    out[threadIdx.x] = buffer[99 - threadIdx.x % 100];
    cg::wait_prior<1>(b);
    out[THREADS + threadIdx.x] = buffer[299 - threadIdx.x];
    cg::wait_prior<0>(b);
    out[2 * THREADS + threadIdx.x] = buffer[399 - threadIdx.x];
}

// Bytes at odd places, structures of odd sizes, from shared memory to global memory.
__global__ void odd_bytes(const char *in, char *out) {
    __shared__ alignas(16) char buffer[256];
    auto b = cg::this_thread_block();
    cg::memcpy_async(b, buffer + 1, in + 3, 77);
    cg::wait(b);
    if (threadIdx.x < 77)
        out[threadIdx.x] = buffer[77 - threadIdx.x];
    b.sync();
    cg::memcpy_async(b, (seven *)buffer, 9, (const seven *)in, 11);
    cg::wait(b);
    cg::memcpy_async(b, out + 100, buffer, 63);
    cg::wait(b);
}

static void expect(const int *slot, const int *in, int from, int n) {
    for (int i = 0; i < SLOT; i++)
        CHECK(slot[i] == (i < n ? in[from + i] : -1));
}

int main() {
    int *in = shared_array<int>(1024), *out = shared_array<int>(SLOT * SLOTS);
    char *bytes = shared_array<char>(512), *copied = shared_array<char>(512);
    for (int i = 0; i < 1024; i++)
        in[i] = i * 7 + 1;
    for (int i = 0; i < 512; i++)
        bytes[i] = (char)(i * 3 + 1);
    static const int whole[][2] = {{0, 100}, {1, 100}, {0, 64}, {0, 2},  {0, 0},
                                   {2, 50},  {0, 50},  {3, 50}, {0, 16}, {0, 100}};
    by_the_block<<<1, THREADS>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 10; i++)
        expect(out + i * SLOT, in, whole[i][0], whole[i][1]);
    static const int parts[] = {160, 128, 96, 160, 160};
    by_parts<<<1, THREADS>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 5; i++)
        expect(out + i * SLOT, in, 0, parts[i]);
    in_stages<<<1, THREADS>>>(in, out);
    odd_bytes<<<1, THREADS>>>(bytes, copied);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++)
        CHECK(out[t] == in[99 - t % 100] && out[THREADS + t] == in[299 - t] &&
              out[2 * THREADS + t] == in[399 - t]);
    for (int i = 0; i < 77; i++)
        CHECK(copied[i] == bytes[3 + 76 - i]);
    for (int i = 0; i < 64; i++)
        CHECK(copied[100 + i] == (i < 63 ? bytes[i] : 0));
    return failures != 0;
}
