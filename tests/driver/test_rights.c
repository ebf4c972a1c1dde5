// Access rights of single devices: mappings and pools (guide 14.7, 15.12). A kernel on a device
// without access faults, one on a device with access does not, whatever order they come in. Exits
// with 77 where the processor has no protection keys.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PAGE = 2 << 20 };

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry rd(.param .u64 at, .param .u64 out)\n{\n"
                          "    .reg .b64 %a, %o;\n    .reg .b32 %r;\n"
                          "    ld.param.u64 %a, [at];\n    ld.param.u64 %o, [out];\n"
                          "    ld.global.b32 %r, [%a];\n    st.global.b32 [%o], %r;\n    ret;\n}\n"
                          ".visible .entry wr(.param .u64 at, .param .u64 out)\n{\n"
                          "    .reg .b64 %a;\n    ld.param.u64 %a, [at];\n"
                          "    st.global.b32 [%a], 77;\n    ret;\n}\n";

static CUcontext context[2];
static CUfunction kernel[2][2]; // of each device, to read and to write
static CUdeviceptr out[2];

static void use(int device) {
    NEED(cuCtxSetCurrent(context[device]));
}

static void open_devices(void) {
    CUmodule m;
    NEED(cuInit(0));
    for (int d = 0; d < 2; d++) {
        NEED(cuCtxCreate(&context[d], 0, d));
        NEED(cuModuleLoadData(&m, ptx));
        NEED(cuModuleGetFunction(&kernel[d][0], m, "rd"));
        NEED(cuModuleGetFunction(&kernel[d][1], m, "wr"));
        NEED(cuMemAlloc(&out[d], 4));
    }
}

static CUresult run(int device, bool write, CUdeviceptr at) {
    void *params[] = {&at, &out[device]};
    use(device);
    OK(cuLaunchKernel(kernel[device][write], 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    return cuCtxSynchronize();
}

static uint32_t got(int device) {
    uint32_t v = 0;
    use(device);
    OK(cuMemcpyDtoH(&v, out[device], 4));
    return v;
}

static CUdeviceptr mapping(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemAddressReserve(&p, PAGE, 0, 0, 0));
    NEED(cuMemMap(p, PAGE, 0, h, 0));
    OK(cuMemRelease(h));
    return p;
}

static void set(CUdeviceptr p, CUmemLocationType type, int device, CUmemAccess_flags flags) {
    OK(cuMemSetAccess(p, PAGE, &(CUmemAccessDesc){{type, device}, flags}, 1));
}

static const CUmemAccess_flags NONE = CU_MEM_ACCESS_FLAGS_PROT_NONE,
                               READ = CU_MEM_ACCESS_FLAGS_PROT_READ,
                               BOTH = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

// In a process of its own each: a fault stays.
static void mapped(bool write, CUmemAccess_flags second, CUresult want) {
    CUdeviceptr p = mapping();
    uint32_t v = 5, back = 0;
    set(p, CU_MEM_LOCATION_TYPE_DEVICE, 0, BOTH);
    use(0);
    OK(cuMemcpyHtoD(p, &v, 4));
    // Before the second device has other rights than the first, kernels run.
    OK(run(0, true, p));
    set(p, CU_MEM_LOCATION_TYPE_DEVICE, 1, second);
    OK(run(0, true, p));
    OK(run(0, false, p));
    CHECK(got(0) == 77);
    EXPECT(run(1, write, p), want);
    if (want != CUDA_SUCCESS)
        EXPECT(cuMemcpyDtoH(&back, out[1], 4), want); // it stays
    else if (!write)
        CHECK(got(1) == 77);
    // The first device goes on.
    OK(run(0, true, p));
    OK(run(0, false, p));
    use(0);
    OK(cuMemcpyDtoH(&back, p, 4));
    CHECK(back == 77 && got(0) == 77);
}

static void only_read(void) {
    mapped(false, NONE, CUDA_ERROR_ILLEGAL_ADDRESS);
}
static void only_write(void) {
    mapped(true, READ, CUDA_ERROR_ILLEGAL_ADDRESS);
}
static void may_read(void) {
    mapped(false, READ, CUDA_SUCCESS);
}
static void may_write(void) {
    mapped(true, BOTH, CUDA_SUCCESS);
}

// Rights that are given and taken, again and again; then the second device has none.
static void changes(void) {
    CUdeviceptr p = mapping();
    set(p, CU_MEM_LOCATION_TYPE_DEVICE, 0, BOTH);
    for (int k = 0; k < 40; k++) {
        set(p, CU_MEM_LOCATION_TYPE_DEVICE, 1, k % 2 ? BOTH : READ);
        set(p, CU_MEM_LOCATION_TYPE_DEVICE, 0, k % 3 ? BOTH : READ);
        OK(run(1, k % 2, p));
        OK(run(0, k % 3, p));
    }
    set(p, CU_MEM_LOCATION_TYPE_DEVICE, 1, NONE);
    set(p, CU_MEM_LOCATION_TYPE_DEVICE, 0, BOTH);
    OK(run(0, true, p));
    EXPECT(run(1, false, p), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuMemUnmap(p, PAGE));
    OK(cuMemAddressFree(p, PAGE));
}

// The host alone has access: it touches the memory, threads that come later do too, and no kernel.
static void host_alone(void) {
    CUdeviceptr p = mapping();
    set(p, CU_MEM_LOCATION_TYPE_HOST, 0, BOTH);
    *(volatile uint32_t *)(uintptr_t)p = 9;
    CHECK(*(volatile uint32_t *)(uintptr_t)p == 9);
    EXPECT(run(0, false, p), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(*(volatile uint32_t *)(uintptr_t)p == 9);
}

// A pool is its device's; others have what cuMemPoolSetAccess gives, for all of its memory.
static void pools(bool of_default) {
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemoryPool pool;
    CUdeviceptr p, q;
    uint32_t v = 3, back = 0;
    use(0);
    if (of_default)
        NEED(cuDeviceGetDefaultMemPool(&pool, 0));
    else
        NEED(cuMemPoolCreate(&pool, &props));
    NEED(cuMemAllocFromPoolAsync(&p, 4096, pool, 0));
    OK(cuStreamSynchronize(0));
    OK(run(0, true, p));
    CUmemAccessDesc second = {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, BOTH};
    OK(cuMemPoolSetAccess(pool, &second, 1));
    OK(run(1, false, p));
    CHECK(got(1) == 77);
    OK(run(1, true, p));
    use(0);
    NEED(cuMemAllocFromPoolAsync(&q, 8 << 20, pool, 0)); // more memory
    OK(cuMemsetD32Async(q, 6, 1000, 0));
    OK(cuStreamSynchronize(0));
    OK(run(1, false, q));
    CHECK(got(1) == 6);
    second.flags = NONE;
    OK(cuMemPoolSetAccess(pool, &second, 1));
    // Copies go on, by threads of both devices.
    OK(cuMemcpyHtoD(p, &v, 4));
    use(1);
    OK(cuMemcpyDtoD(out[1], p, 4));
    CHECK(got(1) == 3);
    OK(run(0, false, q));
    CHECK(got(0) == 6);
    EXPECT(run(1, false, q), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(run(0, true, q));
    use(0);
    OK(cuMemcpyDtoH(&back, q, 4));
    CHECK(back == 77);
    OK(cuMemFreeAsync(p, 0));
    OK(cuMemFreeAsync(q, 0));
    OK(cuStreamSynchronize(0));
    OK(cuMemPoolTrimTo(pool, 0));
}

static void own_pool(void) {
    pools(false);
}
static void default_pool(void) {
    pools(true);
}

int main(void) {
    static void (*const cases[])(void) = {only_read, only_write, may_read, may_write,
                                          changes,   host_alone, own_pool, default_pool};
#if defined(__x86_64__)
    int key = pkey_alloc(0, 0);
    if (key < 0)
        return 77;
    pkey_free(key);
#else
    return 77;
#endif
    setenv("KUDZU_DEVICES", "2", 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            open_devices();
            cases[k]();
            exit(check_result());
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        if (status)
            fprintf(stderr, "case %zu: status %#x\n", k, (unsigned)status);
        CHECK(status == 0);
    }
    return check_result();
}
