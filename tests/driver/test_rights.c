// Access rights of single devices: mappings, pools, imported ones (guide 14.7, 15.12, 15.13). A
// kernel on a device without access faults, one on a device with access does not, whatever order
// they come in. Exits with 77 where the processor has no protection keys: then it has looked at
// what is imported, and copies, alone.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "processes.h"

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
static bool keys; // of the processor: kernels fault

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

// Copies and sets by a device without access, as cuda.core's tests (test_memory_peer_access.py)
// have seen them.
static void refused(int device, CUdeviceptr p) {
    uint32_t v = 0;
    use(device);
    EXPECT(cuMemcpyAsync(out[device], p, 4, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyAsync(p, out[device], 4, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(&v, p, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD32Async(p, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
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
    OK(cuMemcpyHtoD(p, &v, 4)); // the second device's copies go on as long as it has access
    use(1);
    OK(cuMemcpyDtoD(out[1], p, 4));
    CHECK(got(1) == 3);
    second.flags = NONE;
    OK(cuMemPoolSetAccess(pool, &second, 1));
    refused(1, p);
    use(1);
    OK(cuMemcpyPeer(out[1], context[1], p, context[0], 4)); // each side by its own device
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

static CUmemAccess_flags access_of(CUmemoryPool pool, int device) {
    CUmemAccess_flags flags = NONE;
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    OK(cuMemPoolGetAccess(&flags, pool, &location));
    return flags;
}

static CUmemoryPool shareable_pool(int device, int *fd) {
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
    CUmemoryPool pool;
    NEED(cuMemPoolCreate(&pool, &props));
    NEED(cuMemPoolExportToShareableHandle(fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    return pool;
}

// What is imported belongs to the device that it was made for. Rights are not imported, and can be
// given.
static void imported_pool(void) {
    int fd;
    CUmemoryPool pool = shareable_pool(1, &fd), import;
    CUmemAccessDesc first = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, BOTH};
    CUmemPoolPtrExportData data;
    CUdeviceptr p, q;
    int device = -1;
    OK(cuMemPoolSetAccess(pool, &first, 1));
    NEED(cuMemPoolImportFromShareableHandle(&import, (void *)(intptr_t)fd,
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK(access_of(import, 0) == NONE && access_of(import, 1) == BOTH);
    use(1);
    NEED(cuMemAllocFromPoolAsync(&p, 4096, pool, 0));
    OK(cuMemsetD32Async(p, 5, 1024, 0));
    OK(cuStreamSynchronize(0));
    NEED(cuMemPoolExportPointer(&data, p));
    NEED(cuMemPoolImportPointer(&q, import, &data));
    OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, q));
    CHECK(device == 1);
    OK(run(1, false, q));
    CHECK(got(1) == 5);
    refused(0, q);
    OK(cuMemPoolSetAccess(import, &first, 1));
    CHECK(access_of(import, 0) == BOTH);
    OK(run(0, true, q));
    use(0);
    OK(cuMemcpyDtoD(out[0], q, 4));
    CHECK(got(0) == 77);
    first.flags = NONE;
    OK(cuMemPoolSetAccess(import, &first, 1));
    refused(0, q);
    OK(run(1, false, q));
    if (keys)
        EXPECT(run(0, false, q), CUDA_ERROR_ILLEGAL_ADDRESS);
    use(1);
    OK(cuMemFree(q));
    OK(cuMemPoolDestroy(import));
    OK(cuMemFreeAsync(p, 0));
    OK(cuMemPoolDestroy(pool));
    close(fd);
}

// A pool that ends before what was imported from it.
static void imported_longer(void) {
    int fd;
    CUmemoryPool pool = shareable_pool(0, &fd), import;
    CUmemPoolPtrExportData data;
    CUdeviceptr p, q[3];
    NEED(cuMemPoolImportFromShareableHandle(&import, (void *)(intptr_t)fd,
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    use(0);
    NEED(cuMemAllocFromPoolAsync(&p, 4096, pool, 0));
    OK(cuMemsetD32Async(p, 6, 1024, 0));
    OK(cuStreamSynchronize(0));
    NEED(cuMemPoolExportPointer(&data, p));
    for (int k = 0; k < 3; k++)
        NEED(cuMemPoolImportPointer(&q[k], import, &data));
    OK(cuMemFree(q[1]));
    OK(cuMemPoolDestroy(import));
    OK(run(0, false, q[0]));
    CHECK(got(0) == 6);
    OK(cuMemFree(q[2]));
    OK(cuMemFree(q[0]));
    EXPECT(cuMemFree(q[0]), CUDA_ERROR_INVALID_VALUE);
    close(fd);
}

static void imported_memory(void) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
    CUmemGenericAllocationHandle h, import;
    int fd;
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    NEED(cuMemImportFromShareableHandle(&import, (void *)(intptr_t)fd,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    memset(&prop, 0, sizeof prop);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, import));
    CHECK(prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE && prop.location.id == 1);
    OK(cuMemRelease(import));
    OK(cuMemRelease(h));
    close(fd);
}

// Another process, which sees the first device alone.
static int sees_first(int fd) {
    CUmemoryPool pool;
    CUmemGenericAllocationHandle h;
    int files[2], status;
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    files[0] = receive_message(fd, &status, sizeof status);
    files[1] = receive_message(fd, &status, sizeof status);
    NEED(cuInit(0));
    EXPECT(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)files[0],
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemImportFromShareableHandle(&h, (void *)(intptr_t)files[1],
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_DEVICE);
    return check_result();
}

static void hidden_device(void) {
    pid_t pid;
    int to = start_process(sees_first, &pid), files[2], zero = 0;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
    CUmemGenericAllocationHandle h;
    open_devices();
    shareable_pool(1, &files[0]);
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemExportToShareableHandle(&files[1], h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    for (int k = 0; k < 2; k++)
        send_message(to, &zero, sizeof zero, files[k]);
    CHECK(end_of_process(pid) == 0);
}

static void own_pool(void) {
    pools(false);
}
static void default_pool(void) {
    pools(true);
}

static void run_case(void (*body)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (body != hidden_device)
            open_devices();
        body();
        exit(check_result());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

int main(void) {
    static void (*const faults[])(void) = {only_read, only_write, may_read, may_write,
                                           changes,   host_alone, own_pool, default_pool};
    static void (*const imports[])(void) = {imported_pool, imported_longer, imported_memory,
                                            hidden_device};
#if defined(__x86_64__)
    int key = pkey_alloc(0, 0);
    keys = key >= 0;
    if (keys)
        pkey_free(key);
#endif
    setenv("KUDZU_DEVICES", "2", 1);
    for (size_t k = 0; k < sizeof imports / sizeof *imports; k++)
        run_case(imports[k]);
    for (size_t k = 0; keys && k < sizeof faults / sizeof *faults; k++)
        run_case(faults[k]);
    return keys || check_result() ? check_result() : 77;
}
