// Contexts, their stack, primary contexts, limits. Run with KUDZU_DEVICES=2.
#include "check.h"

#include <pthread.h>

static void stack(void) {
    CUcontext a, b, top;
    CUdevice device;
    OK(cuCtxGetCurrent(&top));
    CHECK(top == NULL);
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxPopCurrent(&top), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    NEED(cuCtxCreate(&a, CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST, 0));
    NEED(cuCtxCreate(&b, 0, 1));
    OK(cuCtxGetCurrent(&top));
    CHECK(top == b);
    OK(cuCtxGetDevice(&device));
    CHECK(device == 1);
    OK(cuCtxPopCurrent(&top));
    CHECK(top == b);
    OK(cuCtxGetCurrent(&top));
    CHECK(top == a);
    OK(cuCtxPushCurrent(b));
    OK(cuCtxSetCurrent(a));
    OK(cuCtxPopCurrent(NULL));
    OK(cuCtxPopCurrent(&top));
    CHECK(top == a);
    OK(cuCtxSetCurrent(b));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxGetCurrent(&top));
    CHECK(top == NULL);
    OK(cuCtxSetCurrent(a));
    OK(cuCtxDestroy(a)); // current: popped
    OK(cuCtxGetCurrent(&top));
    CHECK(top == NULL);
    OK(cuCtxSetCurrent(b));
    OK(cuCtxPushCurrent(b));
    OK(cuCtxDestroy(b));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED); // the second entry stays
    OK(cuCtxSetCurrent(NULL));
    EXPECT(cuCtxSetCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxPushCurrent(a), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxDestroy(NULL), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxDestroy((CUcontext)0x1234567), CUDA_ERROR_INVALID_CONTEXT);
}

static void creation(void) {
    CUcontext ctx;
    EXPECT(cuCtxCreate(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxCreate(&ctx, 0, 2), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuCtxCreate(&ctx, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxCreate(&ctx, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0), CUDA_ERROR_INVALID_VALUE);
    CUexecAffinityParam affinity = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{1}}};
    EXPECT(cuCtxCreate_v3(&ctx, &affinity, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    NEED(cuCtxCreate_v3(&ctx, NULL, 0, 0, 0));
    OK(cuCtxDestroy(ctx));
}

static void settings(void) {
    CUcontext ctx, other;
    unsigned flags, version;
    size_t value;
    unsigned long long id, id2;
    int least, greatest;
    NEED(cuCtxCreate(&other, 0, 0));
    NEED(cuCtxCreate(&ctx, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    OK(cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cuCtxGetApiVersion(ctx, &version));
    EXPECT(cuCtxGetApiVersion((CUcontext)48, &version), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxGetId(NULL, &id));
    OK(cuCtxGetId(other, &id2));
    CHECK(id != id2);
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    CHECK(value >= 4096);
    OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
    OK(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
    CHECK(value >= 2 << 20);
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    CHECK(value >= 16 << 20);
    EXPECT(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4), CUDA_ERROR_UNSUPPORTED_LIMIT);
    int largest = 0;
    OK(cuDeviceGetAttribute(&largest, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0));
    OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 65536));
    OK(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    CHECK(value == (largest < 65536 ? (size_t)largest : 65536));
    OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40)); // cut to what there is
    OK(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    CHECK(value == (size_t)largest);
    OK(cuCtxResetPersistingL2Cache());
    OK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128));
    OK(cuCtxGetLimit(&value, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
    CHECK(value == 128);
    EXPECT(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4096));
    OK(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    CHECK(value == 4096);
    EXPECT(cuCtxSetLimit((CUlimit)99, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxGetLimit(&value, (CUlimit)99), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    CUfunc_cache cache;
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(cuCtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_L1);
    EXPECT(cuCtxSetCacheConfig((CUfunc_cache)9), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest == -5);
    OK(cuCtxGetStreamPriorityRange(NULL, NULL));
    OK(cuCtxDestroy(ctx));
    OK(cuCtxDestroy(other));
}

// What an H200's driver (580) does without a current context: streams, modules, functions and
// memory know theirs.
static void none_is_current(const char *ptx) {
    CUcontext c;
    CUdeviceptr ptr, managed, g;
    CUstream s;
    CUmodule m;
    CUfunction f;
    void *host;
    size_t bytes;
    unsigned count;
    int n = 7;
    NEED(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    OK(cuMemAlloc(&ptr, 64));
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAllocHost(&host, 64));
    OK(cuStreamCreate(&s, 0));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuCtxSetCurrent(NULL));
    EXPECT(cuMemcpyDtoH(&n, ptr, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuMemcpyDtoHAsync(host, ptr, 4, NULL), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuMemsetD8Async(ptr, 1, 4, NULL), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuModuleLoadData(&m, ptx), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemsetD32Async(ptr, 0x01020304, 4, s));
    OK(cuMemcpyDtoHAsync(host, ptr, 16, s));
    OK(cuStreamSynchronize(s));
    CHECK(((int *)host)[3] == 0x01020304);
    OK(cuModuleGetFunctionCount(&count, m));
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuModuleGetGlobal(&g, &bytes, m, "g"));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(count == 1 && bytes == 4 && n == 1024);
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    EXPECT(cuMemHostUnregister(&n), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemFree(managed));
    OK(cuModuleUnload(m));
    OK(cuStreamDestroy(s));
    OK(cuCtxSetCurrent(c));
    OK(cuMemFree(ptr));
    OK(cuMemFreeHost(host));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
}

// What an H200's driver (580) answers: a primary context stays current behind its last release, can
// be made current while it is not active, and works again when it is retained.
static void released_primary(void) {
    CUcontext c, again, top;
    CUdevice device = -5;
    CUdeviceptr ptr;
    CUstream s;
    CUevent e;
    unsigned flags = 99, version;
    OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    NEED(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&e, 0));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxGetCurrent(&top));
    OK(cuCtxGetDevice(&device));
    OK(cuCtxGetFlags(&flags));
    CHECK(top == c && device == 0 && flags == CU_CTX_SCHED_YIELD);
    EXPECT(cuCtxGetApiVersion(c, &version), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxGetApiVersion(NULL, &version), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuMemAlloc(&ptr, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuStreamQuery(s), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuEventRecord(e, NULL), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxSetCurrent(c));
    OK(cuCtxPushCurrent(c));
    OK(cuCtxPopCurrent(&top));
    CHECK(top == c);
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    NEED(cuDevicePrimaryCtxRetain(&again, 0));
    CHECK(again == c);
    OK(cuMemAlloc(&ptr, 64));
    OK(cuMemFree(ptr));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
}

static void primary(void) {
    CUcontext a, b;
    unsigned flags;
    int active = 1;
    CUdeviceptr ptr;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active);
    EXPECT(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    EXPECT(cuDevicePrimaryCtxSetFlags(0, 3), CUDA_ERROR_INVALID_VALUE);
    NEED(cuDevicePrimaryCtxRetain(&a, 0));
    NEED(cuDevicePrimaryCtxRetain(&b, 0));
    CHECK(a == b);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active && flags == CU_CTX_SCHED_SPIN);
    OK(cuCtxSetCurrent(a));
    EXPECT(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemAlloc(&ptr, 64));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuMemFree(ptr));
    OK(cuDevicePrimaryCtxReset(0));
    EXPECT(cuMemAlloc(&ptr, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    NEED(cuDevicePrimaryCtxRetain(&b, 0));
    CHECK(a == b);
    OK(cuMemAlloc(&ptr, 64));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRelease(0));
    EXPECT(cuMemFree(ptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active);
    OK(cuCtxSetCurrent(NULL));
    released_primary();
    none_is_current(".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 g;\n"
                    ".visible .entry k()\n{\n\tret;\n}\n");
    EXPECT(cuDevicePrimaryCtxRetain(&a, 2), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDevicePrimaryCtxRetain(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

// Flags may change; banks of shared memory do not, and no context has a part of the device.
static void later_settings(void) {
    CUcontext ctx;
    CUsharedconfig banks = CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    CUexecAffinityParam affinity;
    unsigned flags = 0;
    NEED(cuCtxCreate(&ctx, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    EXPECT(cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    EXPECT(cuCtxSetSharedMemConfig((CUsharedconfig)3), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxGetSharedMemConfig(&banks));
    CHECK(banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    EXPECT(cuCtxGetSharedMemConfig(NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
           CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    EXPECT(cuCtxGetExecAffinity(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(ctx));
}

// What belongs to a context ends with it; its handles are known to be stale.
static void ends_with_context(void) {
    CUcontext ctx;
    CUstream stream;
    CUevent event;
    CUdeviceptr ptr;
    NEED(cuCtxCreate(&ctx, 0, 0));
    OK(cuStreamCreate(&stream, 0));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc(&ptr, 1000));
    OK(cuCtxDestroy(ctx));
    NEED(cuCtxCreate(&ctx, 0, 0));
    EXPECT(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuEventQuery(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(ctx));
}

static void *other_thread(void *arg) {
    CUcontext top = (CUcontext)1;
    OK(cuCtxGetCurrent(&top));
    CHECK(top == NULL); // each thread has its own stack
    OK(cuCtxSetCurrent(arg));
    OK(cuCtxSynchronize());
    return NULL;
}

static void threads(void) {
    CUcontext ctx, top;
    pthread_t t;
    NEED(cuCtxCreate(&ctx, 0, 0));
    pthread_create(&t, NULL, other_thread, ctx);
    pthread_join(t, NULL);
    OK(cuCtxGetCurrent(&top));
    CHECK(top == ctx);
    OK(cuCtxAttach(&top, 0));
    OK(cuCtxDetach(ctx));
    OK(cuCtxSynchronize());
    OK(cuCtxDetach(ctx)); // the last reference
    EXPECT(cuCtxSetCurrent(ctx), CUDA_ERROR_INVALID_CONTEXT);
}

int main(void) {
    setenv("KUDZU_DEVICES", "2", 1);
    NEED(cuInit(0));
    stack();
    creation();
    settings();
    later_settings();
    primary();
    ends_with_context();
    threads();
    return check_result();
}
