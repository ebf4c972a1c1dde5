// nvcc's device pass does not look into templates that are never used: one that only that pass sees
// may name what is not declared anywhere.
#include "check.h"

#ifdef __CUDA_ARCH__
template <class T, int N> struct numbers {
    static __device__ int sum(const T *values) {
        int sum = 0;
        for (int i = 0; i < N; i++)
            sum += values[i];
        return sum;
    }
    static __device__ int product(const T *values) {
        product_so_far = values[0];
        for (int i = 1; i < size; i++)
            product_so_far *= values[i];
        return fold<size>(product_so_far);
    }
};

template <class T> __device__ int longest(T a, T b) {
    return umax(a, size_of_b);
}
#else
template <class T, int N> struct numbers {
    static __device__ int sum(const T *values);
};
#endif

__global__ void add(const int *values, int *out) {
    *out = numbers<int, 4>::sum(values);
}

int main() {
    int *m = shared_array<int>(5);
    for (int i = 0; i < 4; i++)
        m[i] = 3 * i + 1;
    add<<<1, 1>>>(m, m + 4);
    CUDA(cudaDeviceSynchronize());
    CHECK(m[4] == 22);
    return failures != 0;
}
