// Virtual memory management: reservations, allocations, mappings, access rights, file descriptors.
#define _GNU_SOURCE
#include "check.h"

#include "kernels.h"
#include "processes.h"

enum { PAGE = 2 << 20 };

static CUmemAllocationProp on_device(void) {
    CUmemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

static const CUmemAccessDesc read_write = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                           CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc read_only = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                          CU_MEM_ACCESS_FLAGS_PROT_READ};

static void creation(void) {
    CUmemAllocationProp prop = on_device(), got;
    CUmemGenericAllocationHandle h;
    size_t granularity = 0, before, after, total;
    OK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(granularity == PAGE);
    OK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    CHECK(granularity % PAGE == 0);
    EXPECT(cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemGetAllocationGranularity(&granularity, &prop, (CUmemAllocationGranularity_flags)7),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(NULL, PAGE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&h, PAGE, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&h, 0, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&h, PAGE + 4096, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&h, PAGE, &prop, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&h, (size_t)PAGE << 35, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
    prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    EXPECT(cuMemCreate(&h, PAGE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    prop = on_device();
    prop.location.id = 99;
    EXPECT(cuMemCreate(&h, PAGE, &prop, 0), CUDA_ERROR_INVALID_DEVICE);
    prop = on_device();
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    EXPECT(cuMemCreate(&h, PAGE, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
    prop.requestedHandleTypes = (CUmemAllocationHandleType)64;
    EXPECT(cuMemCreate(&h, PAGE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    prop = on_device();
    OK(cuMemGetInfo(&before, &total));
    NEED(cuMemCreate(&h, 4 * PAGE, &prop, 0));
    OK(cuMemGetInfo(&after, &total));
    CHECK(before - after == 4 * PAGE);
    OK(cuMemGetAllocationPropertiesFromHandle(&got, h));
    CHECK(got.type == prop.type && got.location.type == prop.location.type && got.location.id == 0);
    EXPECT(cuMemGetAllocationPropertiesFromHandle(NULL, h), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(h));
    OK(cuMemGetInfo(&after, &total));
    CHECK(before == after);
    EXPECT(cuMemRelease(h), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemRelease(0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemGetAllocationPropertiesFromHandle(&got, h), CUDA_ERROR_INVALID_VALUE);
    // The node that is nearest to the device (guide 26.1.2).
    int node = -1;
    OK(cuDeviceGetAttribute(&node, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0));
    CHECK(node >= 0);
    prop.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    prop.location.id = node;
    OK(cuMemCreate(&h, PAGE, &prop, 0));
    OK(cuMemRelease(h));
}

static void reservations(void) {
    CUdeviceptr a, b, c;
    NEED(cuMemAddressReserve(&a, 8 * PAGE, 0, 0, 0));
    CHECK(a % PAGE == 0);
    OK(cuMemAddressReserve(&b, 2 * PAGE, (size_t)64 << 20, 0, 0));
    CHECK(b % ((size_t)64 << 20) == 0);
    OK(cuMemAddressFree(b, 2 * PAGE));
    OK(cuMemAddressReserve(&c, 2 * PAGE, 0, b, 0)); // where it is free now
    CHECK(c == b);
    OK(cuMemAddressFree(c, 2 * PAGE));
    OK(cuMemAddressReserve(&c, PAGE, 0, a, 0)); // not free: elsewhere
    CHECK(c != a);
    OK(cuMemAddressFree(c, PAGE));
    EXPECT(cuMemAddressReserve(NULL, PAGE, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&c, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&c, PAGE + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&c, PAGE, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&c, PAGE, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&c, (size_t)1 << 62, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemAddressFree(a, PAGE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressFree(a + PAGE, 8 * PAGE), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(a, 8 * PAGE));
    EXPECT(cuMemAddressFree(a, 8 * PAGE), CUDA_ERROR_INVALID_VALUE);
}

static void mappings(void) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h[2], again;
    CUdeviceptr r, base;
    size_t size;
    unsigned long long flags = 9;
    unsigned char bytes[2] = {0};
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    NEED(cuMemAddressReserve(&r, 8 * PAGE, 0, 0, 0));
    NEED(cuMemCreate(&h[0], PAGE, &prop, 0));
    NEED(cuMemCreate(&h[1], 2 * PAGE, &prop, 0));
    EXPECT(cuMemMap(r + 7 * PAGE, 2 * PAGE, 0, h[1], 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemMap(r, 2 * PAGE, 0, h[0], 0), CUDA_ERROR_INVALID_VALUE); // more than there is
    EXPECT(cuMemMap(r, PAGE, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemMap(r, PAGE, 0, h[0], 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemMap(r, PAGE, PAGE, h[1], 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemMap(r + 4096, PAGE, 0, h[0], 0), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemMap(r, PAGE, 0, h[0], 0));
    NEED(cuMemMap(r + PAGE, 2 * PAGE, 0, h[1], 0));
    EXPECT(cuMemMap(r + 2 * PAGE, PAGE, 0, h[0], 0), CUDA_ERROR_INVALID_VALUE); // taken
    EXPECT(cuMemAddressFree(r, 8 * PAGE), CUDA_ERROR_INVALID_VALUE);
    // Nobody may touch it yet.
    OK(cuMemGetAccess(&flags, &here, r));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT(cuMemsetD8(r, 1, 16), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemSetAccess(r, 2 * PAGE, &read_write, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemSetAccess(r, 4 * PAGE, &read_write, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemSetAccess(r, PAGE, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemSetAccess(r, PAGE, &read_write, 0), CUDA_ERROR_INVALID_VALUE);
    CUmemAccessDesc bad = read_write;
    bad.location.id = 77;
    EXPECT(cuMemSetAccess(r, PAGE, &bad, 1), CUDA_ERROR_INVALID_DEVICE);
    bad = read_write;
    bad.flags = (CUmemAccess_flags)2;
    EXPECT(cuMemSetAccess(r, PAGE, &bad, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(r, 3 * PAGE, &read_write, 1));
    OK(cuMemGetAccess(&flags, &here, r + 3 * PAGE - 1));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT(cuMemGetAccess(&flags, &here, r + 3 * PAGE), CUDA_ERROR_INVALID_VALUE);
    // A set and a copy go across neighbouring mappings, not beyond them.
    OK(cuMemsetD8(r + 100, 5, 3 * PAGE - 100));
    OK(cuMemcpyDtoH(bytes, r + PAGE - 1, 2));
    CHECK(bytes[0] == 5 && bytes[1] == 5);
    EXPECT(cuMemsetD8(r + 100, 5, 3 * PAGE), CUDA_ERROR_INVALID_VALUE);
    // What is known of an address.
    OK(cuMemGetAddressRange(&base, &size, r + 2 * PAGE));
    CHECK(base == r + PAGE && size == 2 * PAGE);
    OK(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, r + 2 * PAGE));
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, r + 2 * PAGE));
    CHECK(base == r && size == 8 * PAGE);
    int ordinal = 9;
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, r));
    CHECK(ordinal == 0);
    EXPECT(cuMemFree(r), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeAsync(r, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRetainAllocationHandle(&again, (void *)(r + 5)));
    CHECK(again == h[0]);
    EXPECT(cuMemRetainAllocationHandle(&again, (void *)(r + 3 * PAGE)), CUDA_ERROR_INVALID_VALUE);
    // The handles may go; the memory stays while it is mapped.
    OK(cuMemRelease(h[0]));
    OK(cuMemRelease(h[0]));
    EXPECT(cuMemRelease(h[0]), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoH(bytes, r + PAGE - 1, 1));
    CHECK(bytes[0] == 5);
    OK(cuMemRetainAllocationHandle(&again, (void *)r));
    OK(cuMemRelease(again));
    EXPECT(cuMemUnmap(r, 2 * PAGE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemUnmap(r + 3 * PAGE, PAGE), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(r, 3 * PAGE));
    EXPECT(cuMemUnmap(r, PAGE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD8(r, 1, 16), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(h[1]));
    OK(cuMemAddressFree(r, 8 * PAGE));
}

// One allocation at two addresses.
static void aliases(void) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h;
    CUdeviceptr r;
    unsigned value = 0;
    NEED(cuMemAddressReserve(&r, 2 * PAGE, 0, 0, 0));
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemMap(r, PAGE, 0, h, 0));
    NEED(cuMemMap(r + PAGE, PAGE, 0, h, 0));
    OK(cuMemRelease(h));
    OK(cuMemSetAccess(r, PAGE, &read_write, 1));
    OK(cuMemSetAccess(r + PAGE, PAGE, &read_only, 1));
    OK(cuMemsetD32(r + 64, 0xABCD, 1));
    OK(cuMemcpyDtoH(&value, r + PAGE + 64, 4));
    CHECK(value == 0xABCD);
    EXPECT(cuMemsetD32(r + PAGE, 1, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(r, 2 * PAGE));
    OK(cuMemAddressFree(r, 2 * PAGE));
}

// A kernel that writes where it may only read ends with a fault.
static void protection(CUdevice device) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h;
    CUdeviceptr r;
    CUcontext ctx;
    CUmodule module;
    CUfunction store;
    NEED(cuMemAddressReserve(&r, PAGE, 0, 0, 0));
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemMap(r, PAGE, 0, h, 0));
    for (int writable = 1; writable >= 0; writable--) {
        void *args[] = {&r};
        OK(cuMemSetAccess(r, PAGE, writable ? &read_write : &read_only, 1));
        NEED(cuCtxCreate(&ctx, 0, device));
        NEED(cuModuleLoadData(&module, PTX_HEAD PTX_STORE));
        NEED(cuModuleGetFunction(&store, module, "store"));
        OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL));
        EXPECT(cuCtxSynchronize(), writable ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS);
        OK(cuCtxDestroy(ctx));
    }
    OK(cuMemUnmap(r, PAGE));
    OK(cuMemRelease(h));
    OK(cuMemAddressFree(r, PAGE));
}

// Rights are asked for when the operation is submitted: nothing may meet pages that it must not
// touch.
static void protection_of_words(CUdevice device) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h;
    CUdeviceptr r;
    CUcontext ctx;
    NEED(cuCtxCreate(&ctx, 0, device));
    NEED(cuMemAddressReserve(&r, PAGE, 0, 0, 0));
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    EXPECT(cuStreamWriteValue32(0, r, 1, 0), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemMap(r, PAGE, 0, h, 0));
    EXPECT(cuStreamWriteValue32(0, r, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue64(0, r, 0, CU_STREAM_WAIT_VALUE_EQ), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(r, PAGE, &read_only, 1));
    EXPECT(cuStreamWriteValue32(0, r + 8, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamWaitValue32(0, r + 8, 0, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuMemSetAccess(r, PAGE, &read_write, 1));
    OK(cuStreamWriteValue32(0, r + 8, 5, 0));
    OK(cuStreamWaitValue32(0, r + 8, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuCtxSynchronize());
    OK(cuMemUnmap(r, PAGE));
    OK(cuMemRelease(h));
    OK(cuMemAddressFree(r, PAGE));
    OK(cuCtxDestroy(ctx));
}

static int importer(int socket) {
    CUmemGenericAllocationHandle h;
    CUmemAllocationProp prop;
    CUdeviceptr r;
    unsigned value = 0;
    CUcontext ctx = check_context();
    int fd = receive_message(socket, &value, 4);
    EXPECT(cuMemImportFromShareableHandle(&h, (void *)(size_t)socket,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemImportFromShareableHandle(&h, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_WIN32),
           CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuMemImportFromShareableHandle(&h, (void *)-1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_VALUE);
    int other = foreign_file(2 * PAGE);
    EXPECT(cuMemImportFromShareableHandle(&h, (void *)(size_t)other,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_VALUE);
    close(other);
    NEED(cuMemImportFromShareableHandle(&h, (void *)(size_t)fd,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, h));
    CHECK(prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    NEED(cuMemAddressReserve(&r, 2 * PAGE, 0, 0, 0));
    NEED(cuMemMap(r, 2 * PAGE, 0, h, 0));
    NEED(cuMemSetAccess(r, 2 * PAGE, &read_write, 1));
    OK(cuMemcpyDtoH(&value, r + PAGE, 4));
    CHECK(value == 77);
    OK(cuMemsetD32(r + PAGE, 78, 1));
    OK(cuCtxSynchronize());
    OK(cuMemUnmap(r, 2 * PAGE));
    OK(cuMemRelease(h));
    OK(cuMemAddressFree(r, 2 * PAGE));
    OK(cuCtxDestroy(ctx));
    return check_result();
}

static void exporter(int socket, pid_t pid) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h, plain;
    CUdeviceptr r;
    unsigned value = 0;
    int fd = -1;
    NEED(cuMemCreate(&plain, PAGE, &prop, 0));
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    NEED(cuMemCreate(&h, 2 * PAGE, &prop, 0));
    NEED(cuMemAddressReserve(&r, 2 * PAGE, 0, 0, 0));
    NEED(cuMemMap(r, 2 * PAGE, 0, h, 0));
    NEED(cuMemSetAccess(r, 2 * PAGE, &read_write, 1));
    unsigned long long types = 0;
    OK(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, r));
    CHECK(types == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    OK(cuMemsetD32(r + PAGE, 77, 1));
    OK(cuCtxSynchronize());
    EXPECT(cuMemExportToShareableHandle(&fd, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_NONE, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemExportToShareableHandle(NULL, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1),
           CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    send_message(socket, &value, 4, fd);
    close(fd);
    CHECK(end_of_process(pid) == 0);
    OK(cuMemcpyDtoH(&value, r + PAGE, 4));
    CHECK(value == 78);
    OK(cuMemUnmap(r, 2 * PAGE));
    OK(cuMemAddressFree(r, 2 * PAGE));
    OK(cuMemRelease(h));
    OK(cuMemRelease(plain));
}

// Maps memory of a fabric handle; finds what the other process has written, and writes.
static int fabric_importer(int socket) {
    CUmemFabricHandle fabric, wrong;
    CUmemGenericAllocationHandle h;
    CUmemAllocationProp prop;
    CUdeviceptr r;
    unsigned value = 0;
    receive_message(socket, &fabric, sizeof fabric);
    CUcontext ctx = check_context();
    for (size_t i = 0; i < 48; i += 5) { // a handle of which a byte is another one
        wrong = fabric;
        wrong.data[i] ^= 1;
        EXPECT(cuMemImportFromShareableHandle(&h, &wrong, CU_MEM_HANDLE_TYPE_FABRIC),
               CUDA_ERROR_INVALID_VALUE);
    }
    EXPECT(cuMemImportFromShareableHandle(&h, NULL, CU_MEM_HANDLE_TYPE_FABRIC),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemImportFromShareableHandle(NULL, &fabric, CU_MEM_HANDLE_TYPE_FABRIC),
           CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemImportFromShareableHandle(&h, &fabric, CU_MEM_HANDLE_TYPE_FABRIC));
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, h));
    CHECK(prop.requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC);
    NEED(cuMemAddressReserve(&r, 2 * PAGE, 0, 0, 0));
    NEED(cuMemMap(r, 2 * PAGE, 0, h, 0));
    NEED(cuMemSetAccess(r, 2 * PAGE, &read_write, 1));
    OK(cuMemcpyDtoH(&value, r + PAGE, 4));
    CHECK(value == 177);
    OK(cuMemsetD32(r + PAGE, 178, 1));
    OK(cuCtxSynchronize());
    tell(socket);
    await(socket); // the other process has nothing of it any more
    OK(cuMemcpyDtoH(&value, r + PAGE, 4));
    CHECK(value == 178);
    CUmemGenericAllocationHandle late;
    EXPECT(cuMemImportFromShareableHandle(&late, &fabric, CU_MEM_HANDLE_TYPE_FABRIC),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(r, 2 * PAGE));
    OK(cuMemAddressFree(r, 2 * PAGE));
    OK(cuMemRelease(h));
    OK(cuCtxDestroy(ctx));
    return check_result();
}

static void fabric_exporter(int socket, pid_t pid) {
    CUmemAllocationProp prop = on_device();
    CUmemGenericAllocationHandle h;
    CUmemFabricHandle fabric;
    CUdeviceptr r;
    unsigned value = 0;
    int supported = 0, fd;
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0));
    CHECK(supported == 1);
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    NEED(cuMemCreate(&h, 2 * PAGE, &prop, 0));
    EXPECT(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemAddressReserve(&r, 2 * PAGE, 0, 0, 0));
    NEED(cuMemMap(r, 2 * PAGE, 0, h, 0));
    NEED(cuMemSetAccess(r, 2 * PAGE, &read_write, 1));
    OK(cuMemsetD32(r + PAGE, 177, 1));
    OK(cuCtxSynchronize());
    NEED(cuMemExportToShareableHandle(&fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    send_message(socket, &fabric, sizeof fabric, -1);
    await(socket);
    OK(cuMemcpyDtoH(&value, r + PAGE, 4));
    CHECK(value == 178);
    OK(cuMemUnmap(r, 2 * PAGE));
    OK(cuMemAddressFree(r, 2 * PAGE));
    OK(cuMemRelease(h));
    tell(socket);
    CHECK(end_of_process(pid) == 0);
    prop.requestedHandleTypes =
        (CUmemAllocationHandleType)(CU_MEM_HANDLE_TYPE_FABRIC |
                                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    OK(cuMemExportToShareableHandle(&fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    OK(cuMemRelease(h));
}

int main(void) {
    pid_t pid, fabric_pid;
    int socket = start_process(importer, &pid);
    int fabric_socket = start_process(fabric_importer, &fabric_pid);
    CUmemGenericAllocationHandle h;
    CUmemAllocationProp prop = on_device();
    EXPECT(cuMemCreate(&h, PAGE, &prop, 0), CUDA_ERROR_NOT_INITIALIZED);
    CUcontext ctx = check_context();
    creation();
    reservations();
    mappings();
    aliases();
    exporter(socket, pid);
    fabric_exporter(fabric_socket, fabric_pid);
    OK(cuCtxDestroy(ctx));
    protection(0);
    protection_of_words(0);
    return check_result();
}
