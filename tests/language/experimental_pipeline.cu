// nvcuda::experimental::pipeline of <cuda_pipeline.h>: batches, waits, and a barrier that waits for
// copies.
#include "check.h"
#include <cuda_pipeline.h>

using nvcuda::experimental::pipeline;

struct odd {
    char bytes[3];
};

// Each thread copies two elements in two batches, its neighbour looks at them after a barrier that
// waited.
template <typename T> __global__ void through_barrier(const T *in, T *out) {
    __shared__ T room[2][64];
    __shared__ __mbarrier_t bar;
    unsigned int i = threadIdx.x, n = blockDim.x;
    if (i == 0)
        __mbarrier_init(&bar, n);
    __syncthreads();
    pipeline pipe;
    memcpy_async(room[0][i], in[i], pipe);
    memcpy_async(room[1][i], in[n + i], pipe);
    pipe.arrive_on(bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {
    }
    unsigned int other = (i + 1) % n;
    out[i] = room[0][other];
    out[n + i] = room[1][other];
}

// Batches are numbered from 0; arrays are filled up with zeros.
__global__ void in_batches(const int4 *in, int4 *out, size_t *numbers) {
    __shared__ int4 room[32], whole[32][32];
    unsigned int i = threadIdx.x;
    pipeline pipe;
    memcpy_async(room[i], in[i], pipe);
    size_t first = pipe.commit();
    int4 part[2] = {in[i], in[i + 1]}, three[3];
    memcpy_async(three, part, pipe);
    memcpy_async(whole[i], *(const int4(*)[32])in, pipe);
    size_t second = pipe.commit();
    pipe.wait(first);
    out[i] = room[i];
    pipe.wait_prior<0>();
    out[32 + i] = whole[i][31 - i];
    out[64 + i] = three[1];
    out[96 + i] = three[2];
    memcpy_async(room[i], in[31 - i], pipe);
    pipe.commit_and_wait();
    out[128 + i] = room[i];
    numbers[i] = first * 10 + second;
}

template <typename T> static void check_barrier(int threads) {
    T *in = shared_array<T>(128), *out = shared_array<T>(128);
    unsigned char *bytes = (unsigned char *)in, *got = (unsigned char *)out;
    for (size_t i = 0; i < 128 * sizeof(T); i++)
        bytes[i] = (unsigned char)(i * 37 + i / 251);
    through_barrier<<<1, threads>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    bool right = true;
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < threads; i++)
            for (size_t k = 0; k < sizeof(T); k++)
                right &= got[(half * threads + i) * sizeof(T) + k] ==
                         bytes[(half * threads + (i + 1) % threads) * sizeof(T) + k];
    CHECK(right);
}

int main() {
    const int sizes[] = {1, 32, 64};
    for (int threads : sizes) {
        check_barrier<char>(threads);
        check_barrier<odd>(threads);
        check_barrier<int2>(threads);
        check_barrier<int4>(threads);
    }
    int4 *in = shared_array<int4>(33), *out = shared_array<int4>(160);
    size_t *numbers = shared_array<size_t>(32);
    for (int i = 0; i < 33; i++)
        in[i] = make_int4(i, i + 100, i + 200, i + 300);
    in_batches<<<1, 32>>>(in, out, numbers);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        CHECK(out[i].x == i && out[i].w == i + 300 && out[32 + i].y == 31 - i + 100);
        CHECK(out[64 + i].z == i + 1 + 200 && out[96 + i].x == 0 && out[96 + i].w == 0);
        CHECK(out[128 + i].x == 31 - i && out[128 + i].w == 31 - i + 300 && numbers[i] == 1);
    }
    return failures != 0;
}
