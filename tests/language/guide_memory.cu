// Memory in the guide's listings: every kind that host and device share (24.1, 24.2), with a file
// behind it too, attached to streams (24.3); two addresses of one allocation (14.5), compression
// (14.3.2.1); pools by the C++ interface (15); what device code allocates (10.36); mapped memory as
// the best practices guide uses it (004: 10.1.3, 16.4.1.1).
#include <cudaTypedefs.h>

#include <cuda/atomic>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

template <typename F> static F driver(const char *name) {
    void *p = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &result));
    CHECK(result == cudaDriverEntryPointSuccess);
    return (F)p;
}

// ---- Kinds of memory (24.1.2, 24.2.1) ----------------------------------------------------------

__global__ void sum_of(const char *text, int *sum) {
    for (*sum = 0; *text; text++)
        *sum = *sum * 31 + *text;
}

__global__ void set(int *p, int value) {
    *p = value;
}

static int host_sum(const char *text) {
    unsigned sum = 0;
    for (; *text; text++)
        sum = sum * 31 + *text;
    return (int)sum;
}

static const char global_text[] = "a global one";
static char *early_text;
__managed__ int managed_variable = 5;

static void __attribute__((constructor)) make_early_text() {
    early_text = strdup("made before main");
}

static void reads(const char *text) {
    int sum = -1; // on the stack, which the device writes
    sum_of<<<1, 1>>>(text, &sum);
    CUDA(cudaDeviceSynchronize());
    CHECK(sum == host_sum(text));
}

static void check_kinds() {
    const char on_stack[] = "on the stack";
    static const char in_function[] = "a static one of a function";
    char *on_heap = strdup("on the heap"), *managed = shared_array<char>(64);
    strcpy(managed, "managed");
    for (const char *text : {on_stack, in_function, (const char *)on_heap, (const char *)managed,
                             global_text, (const char *)early_text})
        reads(text);
    free(on_heap);
    set<<<1, 1>>>(&managed_variable, 12);
    CUDA(cudaDeviceSynchronize());
    CHECK(managed_variable == 12);

    const char content[] = "from a file";
    char name[] = "/tmp/guide_memory_XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && write(fd, content, sizeof content) == (ssize_t)sizeof content);
    char *mapped = (char *)mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(mapped != MAP_FAILED);
    reads(mapped);
    CHECK(munmap(mapped, 4096) == 0);
    // A shared mapping: what the device stores is in the file.
    CHECK(ftruncate(fd, 4096) == 0);
    int *words = (int *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), word = 0;
    set<<<1, 1>>>(words + 100, 0x1234567);
    CUDA(cudaDeviceSynchronize());
    CHECK(pread(fd, &word, 4, 400) == 4 && word == 0x1234567);
    munmap(words, 4096);
    close(fd);
    unlink(name);
}

// 24.1.2.5: what an address is.
static void check_attributes() {
    int *of_host = (int *)malloc(4), *managed, *pinned, *device;
    CUDA(cudaMallocManaged(&managed, 4));
    CUDA(cudaMallocHost(&pinned, 4));
    CUDA(cudaMalloc(&device, 4));
    const struct {
        void *p;
        cudaMemoryType type;
    } cases[] = {{of_host, cudaMemoryTypeUnregistered},
                 {managed, cudaMemoryTypeManaged},
                 {pinned, cudaMemoryTypeHost},
                 {device, cudaMemoryTypeDevice},
                 {&managed_variable, cudaMemoryTypeManaged}};
    for (auto &c : cases) {
        cudaPointerAttributes a;
        CUDA(cudaPointerGetAttributes(&a, c.p));
        CHECK(a.type == c.type);
    }
    CUDA(cudaFree(device));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFree(managed));
    free(of_host);
}

// 24.2.2.4: host and device look at one word of a file's pages at the same time.
__global__ void answer(int *p) {
    cuda::atomic_ref<int, cuda::thread_scope_system> word{*p};
    while (word.load() != 1)
        ;
    word.store(2);
}

static void check_at_the_same_time() {
    FILE *file = tmpfile();
    CHECK(file && posix_fallocate(fileno(file), 0, 4096) == 0);
    int *p = (int *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
    CHECK(p != MAP_FAILED);
    answer<<<1, 1>>>(p);
    cuda::atomic_ref<int, cuda::thread_scope_system> word{*p};
    word.store(1);
    while (word.load() != 2)
        ;
    CUDA(cudaDeviceSynchronize());
    munmap(p, 4096);
    fclose(file);
}

// 24.3.2.4.5: a task with a stream and memory of its own.
__global__ void doubled(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

static void check_attached() {
    enum { N = 1000 };
    int *in = shared_array<int>(N), *out = shared_array<int>(N), *own;
    cudaStream_t stream;
    for (int i = 0; i < N; i++)
        in[i] = i;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMallocManaged((void **)&own, N * 4, cudaMemAttachHost));
    CUDA(cudaStreamAttachMemAsync(stream, own));
    CUDA(cudaStreamAttachMemAsync(stream, &managed_variable, 0, cudaMemAttachHost));
    CUDA(cudaStreamSynchronize(stream));
    for (int round = 0; round < 3; round++) {
        doubled<<<4, 64, 0, stream>>>(in, own, N);
        managed_variable = round; // is the host's alone
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < N; i++)
            own[i] += round;
        doubled<<<4, 64, 0, stream>>>(own, out, N);
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < N; i++)
            CHECK(out[i] == 4 * i + 2 * round);
    }
    CUDA(cudaStreamAttachMemAsync(stream, &managed_variable));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(own));
}

// ---- Two addresses of one allocation (14.5), compression (14.3.2.1) ----------------------------

__global__ void by_alias(char *a, const char *b, char *seen) {
    *a = 1;
    asm volatile("fence.proxy.alias;" ::: "memory");
    *seen = *b;
}

static void check_aliases() {
    auto create = driver<PFN_cuMemCreate_v10020>("cuMemCreate");
    auto granularity =
        driver<PFN_cuMemGetAllocationGranularity_v10020>("cuMemGetAllocationGranularity");
    auto reserve = driver<PFN_cuMemAddressReserve_v10020>("cuMemAddressReserve");
    auto map = driver<PFN_cuMemMap_v10020>("cuMemMap");
    auto access = driver<PFN_cuMemSetAccess_v10020>("cuMemSetAccess");
    auto properties = driver<PFN_cuMemGetAllocationPropertiesFromHandle_v10020>(
        "cuMemGetAllocationPropertiesFromHandle");
    CUmemAllocationProp prop = {}, got = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    size_t size = 0;
    CHECK(granularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS && size);
    CUmemGenericAllocationHandle handle;
    CHECK(create(&handle, size, &prop, 0) == CUDA_SUCCESS);
    CHECK(properties(&got, handle) == CUDA_SUCCESS && got.type == prop.type);
    // What was asked for and not given is told (14.3.2.1).
    auto attribute = driver<PFN_cuDeviceGetAttribute_v2000>("cuDeviceGetAttribute");
    int compresses = -1;
    CHECK(attribute(&compresses, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 0) ==
          CUDA_SUCCESS);
    CHECK(compresses == 1 || got.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_NONE);
    CUdeviceptr at[2];
    CUmemAccessDesc desc = {};
    desc.location = prop.location;
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    for (CUdeviceptr &p : at) {
        CHECK(reserve(&p, size, 0, 0, 0) == CUDA_SUCCESS);
        CHECK(map(p, size, 0, handle, 0) == CUDA_SUCCESS);
        CHECK(access(p, size, &desc, 1) == CUDA_SUCCESS);
    }
    char *a = (char *)at[0], *b = (char *)at[1], *seen = shared_array<char>(4);
    CHECK(a != b);
    by_alias<<<1, 1>>>(a, b, seen);
    CUDA(cudaDeviceSynchronize());
    CHECK(*seen == 1);
    // At the borders of operations in streams no fence is needed.
    cudaStream_t streams[2];
    cudaEvent_t event;
    int word = 0;
    CUDA(cudaEventCreate(&event));
    for (cudaStream_t &s : streams)
        CUDA(cudaStreamCreate(&s));
    CUDA(cudaMemsetAsync(b, 0, 64, streams[0]));
    set<<<1, 1, 0, streams[0]>>>((int *)a, 77);
    CUDA(cudaEventRecord(event, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], event));
    CUDA(cudaMemcpyAsync(&word, b, 4, cudaMemcpyDefault, streams[1]));
    CUDA(cudaStreamSynchronize(streams[1]));
    CHECK(word == 77);
}

// ---- Pools (15) --------------------------------------------------------------------------------

static void check_pools() {
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CUDA(cudaMemPoolCreate(&pool, &props));
    cudaStream_t streams[2];
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    for (cudaStream_t &s : streams)
        CUDA(cudaStreamCreate(&s));
    int *p, *q, word = 0;
    CUDA(cudaMallocAsync(&p, 4096, pool, streams[0])); // of a pool, by two names
    CUDA(cudaMallocFromPoolAsync(&q, 4096, pool, streams[0]));
    CHECK(p != q);
    set<<<1, 1, 0, streams[0]>>>(p, 3);
    CUDA(cudaMemcpyAsync(q, p, 4, cudaMemcpyDefault, streams[0]));
    CUDA(cudaMemcpyAsync(&word, q, 4, cudaMemcpyDefault, streams[0]));
    CUDA(cudaFreeAsync(q, streams[0]));
    // 15.9.1: what one stream freed goes to another that waits for the free.
    CUDA(cudaFreeAsync(p, streams[0]));
    CUDA(cudaEventRecord(event, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], event));
    int *again;
    CUDA(cudaMallocAsync(&again, 4096, pool, streams[1]));
    CHECK(again == p || again == q);
    CUDA(cudaFreeAsync(again, streams[1]));
    // 15.3: memory of either allocator may be freed by the other's function.
    CUDA(cudaMalloc(&p, 512));
    CUDA(cudaFreeAsync(p, streams[0]));
    CUDA(cudaMallocAsync(&q, 512, streams[1]));
    CUDA(cudaStreamSynchronize(streams[1]));
    CUDA(cudaFree(q));
    CUDA(cudaDeviceSynchronize());
    CHECK(word == 3);
    CUDA(cudaMemPoolDestroy(pool));
}

// ---- The device's heap (10.36.3) ---------------------------------------------------------------

enum { BLOCKS = 20 };
__device__ int *of_block[BLOCKS];

__global__ void allocate() {
    if (threadIdx.x == 0)
        of_block[blockIdx.x] = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (of_block[blockIdx.x])
        of_block[blockIdx.x][threadIdx.x] = 0;
}

__global__ void use() {
    if (int *p = of_block[blockIdx.x])
        p[threadIdx.x] += threadIdx.x;
}

__global__ void release(int *out) {
    int *p = of_block[blockIdx.x];
    if (p)
        out[blockIdx.x * blockDim.x + threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(p);
}

__global__ void own_memory(int *out) {
    char *p = (char *)malloc(123), *copy = (char *)malloc(123);
    memset(p, threadIdx.x + 1, 123);
    memcpy(copy, p, 123);
    int sum = 0;
    for (int i = 0; i < 123; i++)
        sum += copy[i];
    out[threadIdx.x] = sum;
    free(p);
    free(copy);
}

static void check_heap() {
    int *out = shared_array<int>(BLOCKS * 10);
    allocate<<<BLOCKS, 10>>>();
    for (int i = 0; i < 3; i++)
        use<<<BLOCKS, 10>>>();
    release<<<BLOCKS, 10>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * 10; i++)
        CHECK(out[i] == 3 * (i % 10));
    own_memory<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == 123 * (i + 1));
}

// ---- Mapped memory -----------------------------------------------------------------------------

static void check_mapped() {
    float *host, *device;
    int supported = 0, same = 0;
    CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterSupported, 0));
    CUDA(cudaDeviceGetAttribute(&same, cudaDevAttrCanUseHostPointerForRegisteredMem, 0));
    CUDA(cudaHostAlloc(&host, 4096, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&device, host, 0));
    set<<<1, 1>>>((int *)device, 21);
    CUDA(cudaDeviceSynchronize());
    CHECK(*(int *)host == 21);
    CUDA(cudaFreeHost(host));
    if (!supported)
        return;
    int *words = (int *)malloc(8192), *of_device = words;
    CUDA(cudaHostRegister(words, 8192, cudaHostRegisterDefault));
    if (!same)
        CUDA(cudaHostGetDevicePointer(&of_device, words, 0));
    set<<<1, 1>>>(of_device + 7, 22);
    CUDA(cudaDeviceSynchronize());
    CHECK(words[7] == 22);
    CUDA(cudaHostUnregister(words));
    free(words);
}

int main() {
    CUDA(cudaSetDeviceFlags(cudaDeviceMapHost));
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 * 1024 * 1024)); // before any kernel
    check_kinds();
    check_attributes();
    check_at_the_same_time();
    check_attached();
    check_aliases();
    check_pools();
    check_heap();
    check_mapped();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
