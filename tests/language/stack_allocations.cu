// alloca (10.17): memory of the caller's stack frame, at a multiple of 16 whatever its size, which
// is given back when the caller returns, inlined or not.
#include "check.h"

__device__ __noinline__ int misplaced(const void *p) {
    return (size_t)p % 16 != 0;
}

template <class T> __device__ int of_a_size(int n, int *sum) {
    char odd = (char)n;
    T *a = (T *)alloca(n * sizeof(T)), *b = (T *)alloca(3), *c = (T *)alloca(n);
    int bad =
        misplaced(a) + misplaced(b) + misplaced(c) + (a == b) + (b == c) + misplaced(&odd) * 0;
    for (int i = 0; i < n; i++)
        a[i] = (T)(i + odd);
    b[0] = c[0] = 1;
    for (int i = 0; i < n; i++)
        *sum += a[i] == (T)(i + odd);
    return bad;
}
__device__ __noinline__ int kept_apart(int n, int *sum) {
    return of_a_size<short>(n, sum) + of_a_size<double>(n, sum);
}

__global__ void allocations(int *result) {
    int bad = 0, sum = 0;
    for (int round = 0; round < 100; round++) // a stack of 1 KB would not hold all of them
        bad += of_a_size<char>(1 + (int)(threadIdx.x + round) % 40, &sum) +
               kept_apart(1 + (int)threadIdx.x % 7, &sum);
    result[2 * threadIdx.x] = bad;
    result[2 * threadIdx.x + 1] = sum;
}

int main() {
    int *result = shared_array<int>(2 * 70);
    allocations<<<1, 70>>>(result);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 70; t++) {
        int sum = 0;
        for (int round = 0; round < 100; round++)
            sum += 1 + (t + round) % 40 + 2 * (1 + t % 7);
        CHECK(result[2 * t] == 0 && result[2 * t + 1] == sum);
    }
    return failures != 0;
}
