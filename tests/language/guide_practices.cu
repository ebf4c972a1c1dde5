// Programs of the best practices guide (004): events that time (9.1.2), copies beside kernels in
// parts (10.1.2), copies with offsets and strides (10.2.1), windows of the L2 cache (10.2.2),
// products by tiles (10.2.3), copies to shared memory with and without registers (10.2.3.4),
// kernels of two streams (11.5), contexts of a library (11.6).
#include <cudaTypedefs.h>
#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "check.h"

enum { TILE = 32 };

// ---- Events and streams (9.1.2, 10.1.2, 11.5) --------------------------------------------------

__global__ void increment(float *p) {
    p[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void check_streams() {
    enum { N = 1 << 16, THREADS = 256, STREAMS = 4 };
    float *host, *device, *other = shared_array<float>(N), time = -1;
    cudaEvent_t start, stop;
    cudaStream_t streams[STREAMS];
    CUDA(cudaMallocHost(&host, N * sizeof(float)));
    CUDA(cudaMalloc(&device, N * sizeof(float)));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    for (int i = 0; i < N; i++)
        host[i] = i;
    CUDA(cudaEventRecord(start, 0));
    CUDA(cudaMemcpyAsync(device, host, N * sizeof(float), cudaMemcpyHostToDevice, 0));
    increment<<<N / THREADS, THREADS>>>(device);
    CUDA(cudaEventRecord(stop, 0));
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&time, start, stop));
    CHECK(time > 0 && time < 60000);
    for (cudaStream_t &s : streams)
        CUDA(cudaStreamCreate(&s));
    for (int i = 0; i < STREAMS; i++) { // each stream has its part, behind what came before
        int offset = i * N / STREAMS;
        size_t size = N * sizeof(float) / STREAMS;
        CUDA(cudaMemcpyAsync(device + offset, host + offset, size, cudaMemcpyHostToDevice,
                             streams[i]));
        increment<<<N / (THREADS * STREAMS), THREADS, 0, streams[i]>>>(device + offset);
        CUDA(cudaMemcpyAsync(host + offset, device + offset, size, cudaMemcpyDeviceToHost,
                             streams[i]));
    }
    increment<<<N / THREADS, THREADS, 0, streams[0]>>>(other);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(host[i] == i + 1 && other[i] == 1);
    for (cudaStream_t s : streams)
        CUDA(cudaStreamDestroy(s));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    CUDA(cudaFreeHost(host));
    CUDA(cudaFree(device));
}

// ---- Patterns of accesses (10.2.1, 10.2.2) -----------------------------------------------------

__global__ void copy_from(float *to, const float *from, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    to[i] = from[i];
}

__global__ void copy_every(float *to, const float *from, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    to[i] = from[i];
}

__global__ void often_and_once(int *often, int *once, int often_size, int once_size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&often[i % often_size], 2);
    once[i % once_size] = 2 * once[i % once_size];
}

static void check_accesses() {
    enum { N = 1024 };
    float *from = shared_array<float>(40 * N), *to = shared_array<float>(40 * N);
    for (int i = 0; i < 40 * N; i++)
        from[i] = i + 1;
    for (int k = 0; k <= 32; k++) {
        copy_from<<<N / 128, 128>>>(to, from, k);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N + 40; i++)
            CHECK(to[i] == (i >= k && i < N + k ? i + 1 : 0));
        memset(to, 0, 40 * N * sizeof *to);
        if (k == 0)
            continue;
        copy_every<<<N / 128, 128>>>(to, from, k);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N * k; i++)
            CHECK(to[i] == (i % k ? 0 : i + 1));
        memset(to, 0, 40 * N * sizeof *to);
    }
    cudaDeviceProp prop;
    cudaStream_t stream;
    cudaStreamAttrValue window = {};
    int *often = shared_array<int>(64), *once = shared_array<int>(4096);
    for (int i = 0; i < 4096; i++)
        once[i] = i;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    CUDA(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, prop.persistingL2CacheMaxSize));
    CUDA(cudaStreamCreate(&stream));
    for (float ratio : {1.0f, 0.25f}) {
        window.accessPolicyWindow.base_ptr = often;
        window.accessPolicyWindow.num_bytes = 64 * sizeof(int);
        window.accessPolicyWindow.hitRatio = ratio;
        window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
        window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
        CUDA(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window));
        often_and_once<<<16, 256, 0, stream>>>(often, once, 64, 4096);
    }
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < 4096; i++)
        CHECK(once[i] == 4 * i && often[i % 64] == 2 * 2 * 4096 / 64);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaCtxResetPersistingL2Cache());
}

// ---- Products (10.2.3) -------------------------------------------------------------------------

enum how { PLAIN, ONE_TILE, TWO_TILES };

// c = a * b, a has the width of a tile.
template <how How> __global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (How != PLAIN)
        of_a[threadIdx.y][threadIdx.x] = a[row * TILE + threadIdx.x];
    if (How == TWO_TILES) {
        of_b[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + col];
        __syncthreads();
    } else {
        __syncwarp(); // a row of the tile is its warp's
    }
    for (int i = 0; i < TILE; i++) {
        float x = How == PLAIN ? a[row * TILE + i] : of_a[threadIdx.y][i];
        sum += x * (How == TWO_TILES ? of_b[i][threadIdx.x] : b[i * n + col]);
    }
    c[row * n + col] = sum;
}

// c = a * a transposed, with rows of the second tile that are `Pad` longer.
template <int Pad> __global__ void product_with_itself(const float *a, float *c, int m) {
    __shared__ float of_a[TILE][TILE], transposed[TILE][TILE + Pad];
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    of_a[threadIdx.y][threadIdx.x] = a[row * TILE + threadIdx.x];
    transposed[threadIdx.x][threadIdx.y] =
        a[(blockIdx.x * blockDim.x + threadIdx.y) * TILE + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
        sum += of_a[threadIdx.y][i] * transposed[i][threadIdx.x];
    c[row * m + col] = sum;
}

static void check_products() {
    enum { M = 96, N = 64 };
    float *a = shared_array<float>(M * TILE), *b = shared_array<float>(TILE * N),
          *c = shared_array<float>(M * M);
    for (int i = 0; i < M * TILE; i++)
        a[i] = i * 7 % 13 - 6;
    for (int i = 0; i < TILE * N; i++)
        b[i] = i * 5 % 11 - 5;
    dim3 block(TILE, TILE), grid(N / TILE, M / TILE);
    for (auto kernel : {product<PLAIN>, product<ONE_TILE>, product<TWO_TILES>}) {
        memset(c, 0, M * N * sizeof *c);
        kernel<<<grid, block>>>(a, b, c, N);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float sum = 0;
                for (int k = 0; k < TILE; k++)
                    sum += a[i * TILE + k] * b[k * N + j];
                CHECK(c[i * N + j] == sum);
            }
    }
    for (auto kernel : {product_with_itself<0>, product_with_itself<1>}) {
        memset(c, 0, M * M * sizeof *c);
        kernel<<<dim3(M / TILE, M / TILE), block>>>(a, c, M);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) {
                float sum = 0;
                for (int k = 0; k < TILE; k++)
                    sum += a[i * TILE + k] * a[j * TILE + k];
                CHECK(c[i * M + j] == sum);
            }
    }
}

// ---- Copies to shared memory (10.2.3.4) --------------------------------------------------------

template <typename T, bool Async>
__global__ void stage(const T *in, T *out, uint64_t *clock, size_t copies) {
    extern __shared__ char s[];
    T *shared = reinterpret_cast<T *>(s);
    uint64_t begin = clock64();
    for (size_t i = 0; i < copies; i++) {
        size_t at = blockDim.x * i + threadIdx.x;
        if (Async)
            __pipeline_memcpy_async(&shared[at], &in[at], sizeof(T));
        else
            shared[at] = in[at];
    }
    if (Async) {
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    uint64_t end = clock64();
    atomicAdd(reinterpret_cast<unsigned long long *>(clock), end - begin);
    for (size_t i = 0; i < copies; i++)
        out[blockDim.x * i + threadIdx.x] = shared[blockDim.x * i + threadIdx.x];
}

template <typename T> static void check_stages() {
    enum { THREADS = 64, COPIES = 5, N = THREADS * COPIES };
    T *in = shared_array<T>(N), *out = shared_array<T>(N);
    uint64_t *clock = shared_array<uint64_t>(1);
    for (size_t i = 0; i < N * sizeof(T) / 4; i++)
        ((int *)in)[i] = (int)i * 3 + 1;
    for (auto kernel : {stage<T, false>, stage<T, true>}) {
        memset((void *)out, 0, N * sizeof(T));
        kernel<<<1, THREADS, N * sizeof(T)>>>(in, out, clock, COPIES);
        CUDA(cudaDeviceSynchronize());
        CHECK(!memcmp(in, out, N * sizeof(T)) && *clock > 0 && *clock < 1ull << 50);
        *clock = 0;
    }
}

// ---- Contexts (11.6) ---------------------------------------------------------------------------

template <typename F> static F driver(const char *name) {
    void *p = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &result));
    CHECK(result == cudaDriverEntryPointSuccess);
    return (F)p;
}

static void check_contexts() {
    CUcontext context, popped = nullptr;
    CHECK(driver<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, 0) ==
          CUDA_SUCCESS);
    CHECK(driver<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent")(context) == CUDA_SUCCESS);
    float *p = shared_array<float>(64);
    increment<<<1, 64>>>(p);
    CHECK(driver<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent")(&popped) == CUDA_SUCCESS);
    CHECK(popped == context);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[63] == 1);
    CHECK(driver<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease")(0) ==
          CUDA_SUCCESS);
}

int main() {
    check_streams();
    check_accesses();
    check_products();
    check_stages<int>();
    check_stages<int2>();
    check_stages<int4>();
    check_contexts();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
