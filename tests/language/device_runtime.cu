// The device runtime (guide 13): the memory that children see, the configuration that they inherit,
// what device code may ask, and the errors of its functions.
#include "check.h"

static const int WIDTH = 8;

static void finish() {
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

// ---- Memory (13.2.2, 13.3.1.6) ------------------------------------------------------------------

__constant__ int table[4];
__device__ int variable = 7;
__managed__ int managed = 3;

__global__ void read_table(int *out, const int *by_address) {
    *out = table[1] * 1000 + by_address[2];
}
__global__ void launch_readers(int *out, int *host) {
    read_table<<<1, 1>>>(out, table);
    variable++, managed++, host[1] = host[0] + 1;
    read_table<<<1, 1, 0, cudaStreamFireAndForget>>>(host + 2, &table[0]);
}

__global__ void fetch(cudaTextureObject_t t, int *out) {
    int x = (int)threadIdx.x % WIDTH, y = (int)threadIdx.x / WIDTH;
    out[threadIdx.x] = (int)tex2D<float>(t, (float)x + 0.5f, (float)y + 0.5f);
}
__global__ void draw(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x % WIDTH, y = (int)threadIdx.x / WIDTH;
    surf2Dwrite((float)(threadIdx.x * 2), s, x * 4, y);
}
// Textures are coherent where a child begins and ends.
__global__ void fetch_and_draw(cudaTextureObject_t t, cudaSurfaceObject_t s, int *out) {
    fetch<<<1, 32>>>(t, out);
    draw<<<1, 32>>>(s);
    fetch<<<1, 32>>>(t, out + 32);
    fetch<<<1, 32, 0, cudaStreamTailLaunch>>>(t, out + 64);
}

static void check_memory() {
    int values[] = {1, 20, 3, 4}, *host, *out = shared_array<int>(96), now;
    CUDA(cudaMemcpyToSymbol(table, values, sizeof values));
    CUDA(cudaHostAlloc(&host, 64, cudaHostAllocMapped));
    host[0] = 5;
    launch_readers<<<1, 1>>>(out, host);
    finish();
    CUDA(cudaMemcpyFromSymbol(&now, variable, sizeof now));
    CHECK(out[0] == 20003 && host[1] == 6 && host[2] == 20003 && managed == 4 && now == 8);
    CUDA(cudaFreeHost(host));

    float pixels[32];
    for (int i = 0; i < 32; i++)
        pixels[i] = (float)i + 100;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, WIDTH, 4, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, pixels, 32, 32, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateTextureObject(&t, &resource, &description, nullptr));
    CUDA(cudaCreateSurfaceObject(&s, &resource));
    fetch_and_draw<<<1, 1>>>(t, s, out);
    finish();
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == i + 100 && out[32 + i] == 2 * i && out[64 + i] == 2 * i);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(out));
}

// ---- Configuration (13.3.1.1.2)
// -------------------------------------------------------------------

__global__ void fill_window(int *out, int n) {
    extern __shared__ int window[];
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        window[i] = i;
    __syncthreads();
    out[0] = window[n - 1];
}
__global__ void launch_with(int *out, int bytes) {
    fill_window<<<1, 64, bytes>>>(out, bytes / 4);
    out[1] = cudaGetLastError();
}
__global__ void __cluster_dims__(2) in_clusters(int *out) {
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    out[blockIdx.x] = (int)blocks;
}
__global__ void in_any_clusters(int *out) {
    uint3 blocks;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks.x));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(blocks.y));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(blocks.z));
    atomicAdd(out, 1);
    out[1] = (int)(blocks.x + 100 * blocks.y + 10000 * blocks.z);
}
__global__ void launch_any_clusters(int *out, dim3 grid) {
    in_any_clusters<<<grid, 32>>>(out);
    out[2] = cudaGetLastError();
    cudaFuncAttributes a;
    out[3] = cudaFuncGetAttributes(&a, in_any_clusters);
    out[4] = a.requiredClusterWidth + 100 * a.requiredClusterHeight +
             10000 * a.requiredClusterDepth + 1000000 * a.nonPortableClusterSizeAllowed;
}
__global__ void launch_clusters(int *out) {
    in_clusters<<<4, 32>>>(out);
    out[4] = cudaGetLastError();
    in_clusters<<<3, 32>>>(out);
    out[5] = cudaGetLastError();
}

static void check_configuration() {
    int *out = shared_array<int>(8);
    launch_with<<<1, 1>>>(out, 48 << 10);
    finish();
    CHECK(out[0] == 12287 && out[1] == cudaSuccess);
    out[0] = -1;
    launch_with<<<1, 1>>>(out, 64 << 10);
    finish();
    CHECK(out[0] == -1 && out[1] == cudaErrorInvalidValue);
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    CUDA(cudaFuncSetAttribute(fill_window, most, 100 << 10)); // the child inherits this
    launch_with<<<1, 1>>>(out, 64 << 10);
    finish();
    CHECK(out[0] == 16383 && out[1] == cudaSuccess);
    launch_clusters<<<1, 1>>>(out);
    finish();
    CHECK(out[0] == 2 && out[3] == 2 && out[4] == cudaSuccess);
    CHECK(out[5] == cudaErrorInvalidClusterSize);
    CUDA(cudaFree(out));
}

// Of kernels that were compiled without a shape the host's attributes count.
static void check_set_clusters() {
    int *out = shared_array<int>(8);
    auto launch = [&](dim3 grid) {
        memset(out, 0, 8 * sizeof *out);
        launch_any_clusters<<<1, 1>>>(out, grid);
        finish();
    };
    launch(3);
    CHECK(out[0] == 3 * 32 && out[1] == 10101 && out[2] == 0 && out[3] == 0 && out[4] == 0);
    CUDA(cudaFuncSetAttribute(in_any_clusters, cudaFuncAttributeRequiredClusterHeight, 3));
    CUDA(cudaFuncSetAttribute(in_any_clusters, cudaFuncAttributeRequiredClusterWidth, 2));
    launch(dim3(4, 3));
    CHECK(out[0] == 12 * 32 && out[1] == 10302 && out[2] == 0 && out[4] == 10302);
    launch(dim3(3, 3));
    CHECK(out[0] == 0 && out[2] == cudaErrorInvalidClusterSize);
    // Twelve blocks are more than any device of this capability need have.
    CUDA(cudaFuncSetAttribute(in_any_clusters, cudaFuncAttributeRequiredClusterDepth, 2));
    launch(dim3(4, 3, 2));
    CHECK(out[0] == 0 && out[2] == cudaErrorInvalidClusterSize);
    CUDA(cudaFuncSetAttribute(in_any_clusters, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    launch(dim3(4, 3, 2));
    CHECK(out[0] == 24 * 32 && out[1] == 20302 && out[2] == 0 && out[4] == 1020302);
    CUDA(cudaFree(out));
}

// ---- Questions (13.3.1.8): answered as on the host ----------------------------------------------

struct shared_of {
    __host__ __device__ size_t operator()(int threads) const {
        return (size_t)threads * 4;
    }
};

struct answers {
    int error[24], blocks[5], grids[3], sizes[3], cache;
    size_t limits[6];
    cudaFuncAttributes attributes;
};

static const cudaLimit limits[] = {
    cudaLimitStackSize,      cudaLimitPrintfFifoSize,        cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMallocHeapSize, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize};

#define OF_BOTH(kernel, a)                                                                         \
    do {                                                                                           \
        int i = 0;                                                                                 \
        size_t limit;                                                                              \
        (a)->error[i++] =                                                                          \
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&(a)->blocks[0], kernel, 256, 1000);     \
        (a)->error[i++] =                                                                          \
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&(a)->blocks[1], kernel, 0, 0);          \
        (a)->error[i++] = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(                  \
            &(a)->blocks[2], kernel, 512, 0, cudaOccupancyDefault);                                \
        (a)->error[i++] =                                                                          \
            cudaOccupancyMaxPotentialBlockSize(&(a)->grids[0], &(a)->sizes[0], kernel, 5000, 0);   \
        (a)->error[i++] =                                                                          \
            cudaOccupancyMaxPotentialBlockSize(&(a)->grids[1], &(a)->sizes[1], kernel);            \
        (a)->error[i++] = cudaOccupancyMaxPotentialBlockSizeVariableSMem(                          \
            &(a)->grids[2], &(a)->sizes[2], kernel, shared_of(), 512);                             \
        (a)->error[i++] = cudaFuncGetAttributes(&(a)->attributes, kernel);                         \
        (a)->error[i++] = cudaDeviceGetLimit(&limit, (cudaLimit)77);                               \
        (a)->error[i++] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);                \
        (a)->error[i++] = cudaDeviceGetLimit(nullptr, cudaLimitStackSize);                         \
        (a)->error[i++] = cudaDeviceGetAttribute(&(a)->blocks[3], (cudaDeviceAttr)9999, 0);        \
        (a)->error[i++] = cudaDeviceGetAttribute(&(a)->blocks[3], cudaDevAttrWarpSize, -1);        \
        (a)->error[i++] =                                                                          \
            cudaDeviceGetAttribute(&(a)->blocks[4], cudaDevAttrMultiProcessorCount, 0);            \
        cudaFuncCache cache;                                                                       \
        (a)->error[i++] = cudaDeviceGetCacheConfig(&cache);                                        \
        (a)->cache = cache;                                                                        \
    } while (0)

__global__ void ask(answers *a, const cudaLimit *which) {
    OF_BOTH(fill_window, a);
    for (int i = 0; i < 6; i++)
        a->error[14 + i] = cudaDeviceGetLimit(&a->limits[i], which[i]);
}

static bool same(const cudaFuncAttributes &a, const cudaFuncAttributes &b) {
    return a.sharedSizeBytes == b.sharedSizeBytes && a.constSizeBytes == b.constSizeBytes &&
           a.localSizeBytes == b.localSizeBytes && a.maxThreadsPerBlock == b.maxThreadsPerBlock &&
           a.numRegs == b.numRegs && a.ptxVersion == b.ptxVersion &&
           a.binaryVersion == b.binaryVersion &&
           a.maxDynamicSharedSizeBytes == b.maxDynamicSharedSizeBytes;
}

static void check_questions() {
    answers *device = shared_array<answers>(1), host = {};
    cudaLimit *which = shared_array<cudaLimit>(6);
    memcpy(which, limits, sizeof limits);
    CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3) == cudaErrorUnsupportedLimit);
    cudaGetLastError();
    ask<<<1, 1>>>(device, which);
    finish();
    OF_BOTH(fill_window, &host);
    for (int i = 0; i < 6; i++)
        host.error[14 + i] = cudaDeviceGetLimit(&host.limits[i], limits[i]);
    cudaGetLastError();
    for (int i = 0; i < 24; i++)
        CHECK(device->error[i] == host.error[i]);
    for (int i = 0; i < 5; i++)
        CHECK(device->blocks[i] == host.blocks[i]);
    for (int i = 0; i < 3; i++)
        CHECK(device->grids[i] == host.grids[i] && device->sizes[i] == host.sizes[i]);
    for (int i = 0; i < 6; i++)
        CHECK(device->limits[i] == host.limits[i]);
    CHECK(host.limits[1] == 2 << 20 && host.limits[4] == 128 && host.blocks[4] > 0);
    CHECK(host.error[7] == cudaErrorInvalidValue && host.error[8] == cudaErrorUnsupportedLimit);
    CHECK(device->cache == cudaFuncCachePreferL1 && device->cache == host.cache);
    CHECK(same(device->attributes, host.attributes) && host.attributes.constSizeBytes == 16);
    CUDA(cudaFree(device));
    CUDA(cudaFree(which));
}

// ---- Errors
// ---------------------------------------------------------------------------------------

__global__ void nothing() {
}

__global__ void copies_and_heap(int *e, char *a, char *b, void *of_host, void **of_device) {
    int i = 0;
    void *p = nullptr;
    cudaPitchedPtr narrow = {a, 4, 4, 2};
    e[i++] = cudaMemcpy2DAsync(a, 5, b, 100, 10, 2, cudaMemcpyDeviceToDevice);
    e[i++] = cudaMemset2DAsync(a, 5, 0, 10, 2);
    e[i++] = cudaMemset3DAsync(narrow, 0, cudaExtent{5, 1, 2});
    e[i++] = cudaMemcpy2DAsync(a, 5, b, 5, 10, 1, cudaMemcpyDeviceToDevice); // one row: no pitch
    e[i++] = cudaMemcpyAsync(a, b, 0, cudaMemcpyDeviceToDevice);
    e[i++] = cudaMemcpyAsync(a, b, 10, cudaMemcpyDeviceToHost);
    e[i++] = cudaMemcpyAsync(a, b, 10, cudaMemcpyHostToHost);
    e[i++] = cudaMemcpyAsync(a, b, 10, (cudaMemcpyKind)9);
    e[i++] = cudaMemsetAsync(a, 1, 10, cudaStreamTailLaunch);
    e[i++] = cudaMemcpyAsync(a, b, 10, cudaMemcpyDeviceToDevice, cudaStreamFireAndForget);
    e[i++] = cudaFree(of_host);
    e[i++] = cudaFree((void *)16);
    e[i++] = cudaMalloc(&p, 100);
    e[i++] = cudaMemcpyAsync(a, p, 100, cudaMemcpyDeviceToDevice); // the heap is global memory
    e[i++] = cudaMalloc(of_device, 64);
    e[i++] = cudaMalloc((void **)nullptr, 64);
    e[i++] = cudaGetLastError();
    e[i++] = cudaGetLastError();
}

static void check_copies() {
    static const cudaError_t expected[] = {cudaErrorInvalidPitchValue,
                                           cudaErrorInvalidPitchValue,
                                           cudaErrorInvalidPitchValue,
                                           cudaSuccess,
                                           cudaSuccess,
                                           cudaErrorInvalidMemcpyDirection,
                                           cudaErrorInvalidMemcpyDirection,
                                           cudaErrorInvalidMemcpyDirection,
                                           cudaSuccess,
                                           cudaSuccess,
                                           cudaErrorInvalidValue,
                                           cudaErrorInvalidValue,
                                           cudaSuccess,
                                           cudaSuccess,
                                           cudaSuccess,
                                           cudaErrorInvalidValue,
                                           cudaErrorInvalidValue,
                                           cudaSuccess};
    int *e = shared_array<int>(18);
    char *a, *b;
    void *of_host, **of_device = shared_array<void *>(1);
    CUDA(cudaMalloc(&a, 1000));
    CUDA(cudaMalloc(&b, 1000));
    CUDA(cudaMalloc(&of_host, 100));
    copies_and_heap<<<1, 1>>>(e, a, b, of_host, of_device);
    finish();
    for (int i = 0; i < 18; i++)
        CHECK(e[i] == expected[i]);
    CHECK(cudaFree(*of_device) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaFree(of_host)); // it was not freed
}

__global__ void streams_and_events(int *e) {
    cudaStream_t s;
    cudaEvent_t v;
    int i = 0;
    e[i++] = cudaStreamCreateWithFlags(nullptr, cudaStreamNonBlocking);
    e[i++] = cudaEventCreateWithFlags(nullptr, cudaEventDisableTiming);
    e[i++] = cudaEventCreateWithFlags(&v, cudaEventDisableTiming | cudaEventInterprocess);
    e[i++] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    e[i++] = cudaEventCreateWithFlags(&v, cudaEventDisableTiming);
    e[i++] = cudaStreamWaitEvent(s, v); // not recorded: nothing to wait for
    e[i++] = cudaStreamWaitEvent(s, v, 1);
    e[i++] = cudaEventRecord(v, cudaStreamFireAndForget);
    e[i++] = cudaStreamWaitEvent(cudaStreamTailLaunch, v, 0);
    e[i++] = cudaEventRecord(v, s);
    e[i++] = cudaEventRecordWithFlags(v, s, cudaEventRecordDefault);
    e[i++] = cudaEventRecordWithFlags(v, s, cudaEventRecordExternal);
    e[i++] = cudaStreamWaitEvent(s, (cudaEvent_t)0x999, 0);
    e[i++] = cudaStreamDestroy(s);
    e[i++] = cudaEventRecord(v, s);
    nothing<<<1, 1, 0, s>>>();
    e[i++] = cudaGetLastError();
    e[i++] = cudaStreamDestroy(s);
    e[i++] = cudaStreamDestroy(cudaStreamTailLaunch);
    e[i++] = cudaEventDestroy(v);
    e[i++] = cudaEventDestroy(v);
    e[i++] = cudaPeekAtLastError();
    e[i++] = cudaGetLastError();
    e[i++] = cudaPeekAtLastError();
}

static void check_streams() {
    const cudaError_t ok = cudaSuccess, value = cudaErrorInvalidValue,
                      handle = cudaErrorInvalidResourceHandle;
    const cudaError_t expected[] = {value,  value,  value, ok,     ok,     ok,     value,  value,
                                    value,  ok,     ok,    value,  handle, ok,     handle, handle,
                                    handle, handle, ok,    handle, handle, handle, ok};
    int *e = shared_array<int>(23);
    streams_and_events<<<1, 1>>>(e);
    finish();
    for (int i = 0; i < 23; i++)
        CHECK(e[i] == expected[i]);
    CUDA(cudaFree(e));
}

__global__ void shapes(int *e) {
    int i = 0;
    const dim3 grids[] = {dim3(0),        dim3(1, 0),        dim3(1, 1, 0),
                          dim3(1, 65536), dim3(1, 1, 65536), dim3(0x80000000u)};
    const dim3 blocks[] = {dim3(1, 1, 0), dim3(1, 1, 65), dim3(1, 2048), dim3(32, 33)};
    for (dim3 grid : grids) {
        nothing<<<grid, 1>>>();
        e[i++] = cudaGetLastError();
    }
    for (dim3 block : blocks) {
        nothing<<<1, block>>>();
        e[i++] = cudaGetLastError();
    }
    nothing<<<1, 1, (size_t)1 << 33>>>();
    e[i++] = cudaGetLastError();
    nothing<<<65536, dim3(16, 64)>>>();
    e[i++] = cudaGetLastError();
}

static void check_shapes() {
    int *e = shared_array<int>(12);
    shapes<<<1, 1>>>(e);
    finish();
    for (int i = 0; i < 10; i++)
        CHECK(e[i] == cudaErrorInvalidConfiguration);
    CHECK(e[10] == cudaErrorInvalidValue && e[11] == cudaSuccess);
    CUDA(cudaFree(e));
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime
                   // library
    check_memory();
    check_configuration();
    check_set_clusters();
    check_questions();
    check_copies();
    check_streams();
    check_shapes();
    return failures != 0;
}
