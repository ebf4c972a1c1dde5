// Shared (static, dynamic, in templates and device functions), constant, device variables.
// CHECK: .shared
// CHECK: .extern .shared
// CHECK: .const
// CHECK: .visible .global
#include <cstring>
__constant__ float coefficients[16] = {1, 2, 3};
__device__ int counter = 7;
__device__ float table[4][4];
__device__ int *pointer_to_counter = &counter;
static __device__ int file_local;
struct state {
    int a;
    float b;
};
__constant__ state setup;
__device__ const int primes[] = {2, 3, 5, 7};
constexpr int width = 32;

template <typename T> struct shared_array {
    __device__ operator T *() {
        extern __shared__ int bytes[];
        return (T *)bytes;
    }
};
__device__ int block_sum(int v) {
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, v);
    __syncthreads();
    return total;
}
template <typename T, int N> __global__ void templated(T *out) {
    __shared__ T tile[N][N + 1];
    shared_array<T> dynamic;
    T *d = dynamic;
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    out[threadIdx.x] = d[N - 1];
}
__global__ void spaces(float *out, int n) {
    extern __shared__ float dynamic[];
    __shared__ double tile[width][width];
    tile[threadIdx.x][0] = primes[n & 3];
    dynamic[threadIdx.x] = coefficients[n] + setup.b;
    table[0][n] = dynamic[n];
    file_local += *pointer_to_counter;
    out[n] = tile[0][n] + block_sum(n) + counter;
    float local[8];
    memset(local, 0, sizeof local);
    local[n & 7] = 1;
    memcpy(out, local, sizeof local);
}
void host(float *p) {
    templated<float, 16><<<1, dim3(16, 16), 64>>>(p);
    templated<double, 8><<<1, dim3(8, 8), 64>>>((double *)p);
    spaces<<<1, 32, 128, 0>>>(p, 1);
    cudaMemcpyToSymbol(coefficients, p, sizeof coefficients);
    cudaMemcpyFromSymbol(p, file_local, sizeof file_local);
    void *address;
    cudaGetSymbolAddress(&address, counter);
    cudaMemcpyToSymbol(setup, p, sizeof setup, 0, cudaMemcpyHostToDevice);
}
