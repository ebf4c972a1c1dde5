// Dynamic shared memory that is declared as a pointer (5.4.1.2.1 of the guide's edition 13).
#include "check.h"

extern __shared__ char *bytes;
extern __shared__ __align__(16) float4 *const fours, *more;

__global__ void reverse(int *out) {
    auto own = (int *)bytes;
    own[threadIdx.x] = threadIdx.x + 10;
    __syncthreads();
    out[threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
}

__global__ void share(float *out) {
    fours[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
    __syncthreads();
    out[threadIdx.x] = more[threadIdx.x ^ 1].x + ((float *)bytes)[4 * threadIdx.x + 3];
}

template <typename T> __device__ T sum_of(const T *values, int n) {
    T sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

template <typename T> __global__ void sum(T *out, int n) {
    extern __shared__ unsigned char *__restrict__ raw;
    T *values = reinterpret_cast<T *>(raw);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] = T(i);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum_of(values, n);
}

__global__ void pointers(int **out) {
    extern __shared__ int **places;
    places[threadIdx.x] = (int *)out + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = places[(threadIdx.x + 1) % blockDim.x];
}

int main() {
    int *words;
    float *floats;
    double *total;
    int **addresses;
    CUDA(cudaMallocManaged(&words, 64 * sizeof *words));
    CUDA(cudaMallocManaged(&floats, 64 * sizeof *floats));
    CUDA(cudaMallocManaged(&total, sizeof *total));
    CUDA(cudaMallocManaged(&addresses, 64 * sizeof *addresses));
    reverse<<<1, 64, 64 * sizeof(int)>>>(words);
    share<<<1, 64, 64 * sizeof(float4)>>>(floats);
    sum<<<1, 32, 100 * sizeof(double)>>>(total, 100);
    pointers<<<1, 64, 64 * sizeof(int *)>>>(addresses);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        CHECK(words[i] == 63 - i + 10);
        CHECK(floats[i] == (float)(i ^ 1) + 3);
        CHECK(addresses[i] == (int *)addresses + (i + 1) % 64);
    }
    CHECK(*total == 99 * 100 / 2);
    return failures != 0;
}
