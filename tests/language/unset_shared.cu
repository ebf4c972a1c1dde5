// Shared objects of classes with constructors and destructors, which nvcc takes with a warning:
// none of them is called, and the objects are what the program makes of them.
#include <type_traits>

#include "check.h"

__device__ int made, ended;

struct counter {
    int value;
    __device__ counter() : value(1) {
        atomicAdd(&made, 1);
    }
    __device__ ~counter() {
        atomicAdd(&ended, 1);
    }
    __device__ int next() {
        return atomicAdd(&value, 1);
    }
};

template <class T> struct pair {
    T first{}, second{};
};

#pragma nv_diag_suppress static_var_with_dynamic_init

template <class T, int N> __device__ T sum(T mine) {
    __shared__ pair<T> slots[N];
    slots[threadIdx.x].first = mine;
    slots[threadIdx.x].second = mine * 2;
    __syncthreads();
    T all = 0;
    auto add = [&] {
        for (auto &slot : slots)
            all += slot.first + slot.second;
    };
    add();
    __syncthreads();
    return all;
}

__global__ void uses(int *out) {
    static_assert(sizeof(counter) == 4, "");
    __shared__ counter tickets;
    __shared__ alignas(32) counter lines[2][3];
    static __shared__ std::conditional<true, counter, int>::type other;
    if (threadIdx.x == 0) {
        tickets.value = 0;
        other.value = 100;
        for (int i = 0; i < 6; i++)
            lines[i / 3][i % 3].value = i;
    }
    __syncthreads();
    tickets.next();
    other.next();
    lines[threadIdx.x % 2][threadIdx.x % 3].next();
    __syncthreads();
    int i = sum<int, 64>((int)threadIdx.x);
    double d = sum<double, 64>(0.5);
    if (threadIdx.x == 0) {
        out[0] = tickets.value;
        out[1] = other.value;
        out[2] = lines[0][0].value + lines[1][2].value;
        out[3] = i;
        out[4] = (int)d;
        out[5] = (int)((unsigned long long)&lines % 32 + sizeof lines);
        out[6] = made + ended;
    }
}

// Several in one declaration, and by macros.
#define SHARED(type, name) __shared__ type name
#define TABLE(type, name, n)                                                                       \
    __shared__ type name[n];                                                                       \
    __shared__ int name##_size;                                                                    \
    name##_size = n
#define TICKETS __shared__ counter plain
// clang-format off
__global__ void several(int *out) {
    __shared__ counter first, second[2],
        third;
    static_assert(__LINE__ == 83, "lines stay");
    __shared__ alignas(16) pair<pair<int>> x, y[3];
    SHARED(counter, named);
    TABLE(pair<long>, table, 5);
    TICKETS;
    { SHARED(counter, named); named.value = 7; out[0] = named.value; }
    first.value = second[0].value = third.value = named.value = plain.value = 0;
    second[1].value = 4;
    x.first.first = 3;
    y[2].second.second = 5;
    table[4].first = 6;
    __syncthreads();
    first.next(), second[1].next(), third.next(), named.next(), plain.next();
    __syncthreads();
    out[1] = first.value + 100 * second[1].value + 10000 * third.value;
    out[2] = named.value + 100 * plain.value;
    out[3] = x.first.first + y[2].second.second + (int)table[4].first + table_size;
    out[4] = (int)(sizeof second + sizeof y + sizeof table);
}
// clang-format on

int main() {
    int *out;
    cudaMallocManaged(&out, 7 * sizeof *out);
    several<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 7 && out[1] == 32 + 3600 + 320000 && out[2] == 32 + 3200);
    CHECK(out[3] == 3 + 5 + 6 + 5 && out[4] == 8 + 48 + 80);
    uses<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 64);
    CHECK(out[1] == 164);
    // Threads 0, 6, ..., 60 count in the first, 5, 11, ..., 59 in the last.
    CHECK(out[2] == (0 + 11) + (5 + 10));
    CHECK(out[3] == 3 * 63 * 64 / 2);
    CHECK(out[4] == 96);
    CHECK(out[5] == 24);
    CHECK(out[6] == 0);
    return failures != 0;
}
