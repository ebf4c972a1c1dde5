// Conversions to integers of numbers that are too large for them, known when the kernel is
// compiled: the nearest integer there is (10.7, table of type casting intrinsics), not anything at
// all, and what is stored behind an index made of one is still stored.
#include <climits>

#include "check.h"

template <class T> __device__ void note(unsigned long long *r, int &n, T x) {
    r[n++] = (unsigned long long)x;
}

__global__ void convert(unsigned long long *r, int *seen) {
    const float large = 1e30f, below = -1e30f;
    const double larger = 1e300, lower = -1e300;
    int n = 0;
    note(r, n, __float2int_rz(large)), note(r, n, __float2int_rz(below));
    note(r, n, __float2uint_rz(large)), note(r, n, __float2uint_rz(below));
    note(r, n, __float2ll_rz(large)), note(r, n, __float2ll_rz(below));
    note(r, n, __float2ull_rz(large)), note(r, n, __float2ull_rz(below));
    note(r, n, __double2int_rz(larger)), note(r, n, __double2int_rz(lower));
    note(r, n, __double2uint_rz(larger)), note(r, n, __double2uint_rz(lower));
    note(r, n, __double2ll_rz(larger)), note(r, n, __double2ll_rz(lower));
    note(r, n, __double2ull_rz(larger)), note(r, n, __double2ull_rz(lower));
    int places[8];
    for (int i = 0; i < 8; i++)
        places[i] = (int)threadIdx.x + i;
    if (threadIdx.x % 2) {
        for (int fuel = 60; --fuel >= 0;)
            if (seen[fuel % 4] > (int)threadIdx.x)
                break;
    }
    seen[4 + threadIdx.x] =
        places[__float2ll_rz((float)larger) & 7] + places[__double2uint_rz(larger) & 7];
}

int main() {
    unsigned long long *r = shared_array<unsigned long long>(16);
    int *seen = shared_array<int>(4 + 32);
    convert<<<1, 32>>>(r, seen);
    CUDA(cudaDeviceSynchronize());
    const unsigned long long expected[16] = {INT_MAX,    (unsigned long long)(long long)INT_MIN,
                                             UINT_MAX,   0,
                                             LLONG_MAX,  1ull << 63,
                                             ULLONG_MAX, 0,
                                             INT_MAX,    (unsigned long long)(long long)INT_MIN,
                                             UINT_MAX,   0,
                                             LLONG_MAX,  1ull << 63,
                                             ULLONG_MAX, 0};
    for (int i = 0; i < 16; i++)
        CHECK(r[i] == expected[i]);
    for (int t = 0; t < 32; t++)
        CHECK(seen[4 + t] == 2 * (t + 7));
    return failures != 0;
}
