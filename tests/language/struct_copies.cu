// Copies of structures of many sizes and alignments between all memories, also of kernel
// parameters, and of overlapping bytes.
#include <cstring>

#include "check.h"

template <int Size, int Align> struct alignas(Align) object {
    unsigned char bytes[Size];
};
constexpr int threads = 32;

__host__ __device__ unsigned char expected(int thread, int i) {
    return (unsigned char)(thread * 37 + i * 11 + i / 256);
}

// Global to shared, there to another thread's place, to local memory (where `at` keeps it), to
// global memory.
template <class T> __global__ void copies(T *out, const T *in, int at, unsigned char *seen) {
    __shared__ T shared[threads];
    int t = threadIdx.x;
    shared[t] = in[t];
    __syncthreads();
    T local[2];
    local[at] = shared[threads - 1 - t];
    local[1 - at] = in[t];
    seen[t] = local[t % 2].bytes[sizeof(T) - 1 - t % sizeof(T)];
    out[t] = local[at];
}

template <class T> __global__ void parameter(T object, T *out, int at) {
    T copy = object;
    copy.bytes[at] += threadIdx.x;
    out[threadIdx.x] = copy;
}

template <int Size, int Align> void check_object() {
    typedef object<Size, Align> T;
    T *in = shared_array<T>(threads), *out = shared_array<T>(threads), one;
    unsigned char *seen = shared_array<unsigned char>(threads);
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < Size; i++)
            in[t].bytes[i] = expected(t, i);
    copies<<<1, threads>>>(out, in, 1, seen);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++) {
        int last = sizeof(T) - 1 - t % sizeof(T);
        for (int i = 0; i < Size; i++)
            CHECK(out[t].bytes[i] == expected(threads - 1 - t, i));
        if (last < Size)
            CHECK(seen[t] == expected(t % 2 ? threads - 1 - t : t, last));
    }
    for (int i = 0; i < Size; i++)
        one.bytes[i] = expected(3, i);
    parameter<<<1, threads>>>(one, out, Size / 2);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < Size; i++)
            CHECK(out[t].bytes[i] == (unsigned char)(expected(3, i) + (i == Size / 2 ? t : 0)));
}

// Bytes that overlap, to either side.
template <int Bytes> __global__ void moves(unsigned char *rows, int by) {
    unsigned char *row = rows + threadIdx.x * 200 + 40;
    __builtin_memmove(row + by, row, Bytes);
}

template <int Bytes> void check_moves() {
    unsigned char *rows = shared_array<unsigned char>(threads * 200);
    static const int ways[] = {-33, -5, -1, 1, 5, 33};
    for (int by : ways) {
        unsigned char want[200];
        for (int i = 0; i < threads * 200; i++)
            rows[i] = expected(i / 200, i % 200);
        moves<Bytes><<<1, threads>>>(rows, by);
        CUDA(cudaDeviceSynchronize());
        for (int t = 0; t < threads; t++) {
            for (int i = 0; i < 200; i++)
                want[i] = expected(t, i);
            memmove(want + 40 + by, want + 40, Bytes);
            CHECK(memcmp(want, rows + t * 200, 200) == 0);
        }
    }
}

int main() {
    check_object<33, 1>();
    check_object<129, 1>();
    check_object<66, 2>();
    check_object<126, 4>();
    check_object<1000, 4>();
    check_object<40, 8>();
    check_object<80, 16>();
    check_moves<3>();
    check_moves<32>();
    check_moves<60>();
    return failures != 0;
}
