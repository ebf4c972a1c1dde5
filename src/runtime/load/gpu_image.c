#define _GNU_SOURCE
#include "runtime/load/gpu_image.h"

#include <stdint.h>
#include <string.h>

// The layout is that of src/image/container.c; what the program itself carries is whole.
enum { PTX = 1, DEVICE_RUNTIME = 0x6B64, PADDED = 8, ARCH = 28, PLAIN = 56 };
static const uint32_t container_magic = 0xba55ed50;

struct entry {
    uint16_t kind;
    uint32_t arch;
    const char *data;
    uint64_t size;  // padding included
    uint64_t plain; // of the library, without it
};

struct walk {
    const char *at, *end;
};

static uint64_t field(const char *p, size_t bytes) {
    uint64_t value = 0;
    memcpy(&value, p, bytes);
    return value;
}

static struct walk walk_container(const void *container) {
    if (field(container, 4) != container_magic)
        return (struct walk){0};
    const char *first = (const char *)container + field((const char *)container + 6, 2);
    return (struct walk){first, first + field((const char *)container + 8, 8)};
}

static bool next(struct walk *w, struct entry *e) {
    if (w->at >= w->end)
        return false;
    e->kind = (uint16_t)field(w->at, 2);
    e->arch = (uint32_t)field(w->at + ARCH, 4);
    e->data = w->at + field(w->at + 4, 4);
    e->size = field(w->at + PADDED, 8);
    e->plain = field(w->at + PLAIN, 8);
    w->at = e->data + e->size;
    return true;
}

static bool calls(const struct entry *ptx, const char *name) {
    return memmem(ptx->data, ptx->size, name, strlen(name)) != NULL;
}

bool gpu_image_calls_device_runtime(const void *container) {
    struct walk w = walk_container(container);
    for (struct entry e; next(&w, &e);)
        if (e.kind == PTX && (calls(&e, "__cudaCDP2") || calls(&e, "cudaLaunchDevice")))
            return true;
    return false;
}

// The PTX for the highest architecture that the device has, and the library.
static void choose(const void *container, uint32_t arch, struct entry *ptx, struct entry *library) {
    struct walk w = walk_container(container);
    for (struct entry e; next(&w, &e);) {
        if (e.kind == PTX && e.arch <= arch && (!ptx->data || e.arch > ptx->arch))
            *ptx = e;
        if (e.kind == DEVICE_RUNTIME)
            *library = e;
    }
}

static CUresult device_architecture(uint32_t *arch) {
    CUdevice device;
    int major = 0, minor = 0;
    CUresult result = RT_CALL(cuCtxGetDevice, &device);
    if (!result)
        result = RT_CALL(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                         device);
    if (!result)
        result = RT_CALL(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                         device);
    *arch = (uint32_t)(10 * major + minor);
    return result;
}

// PTX ends with a NUL, which belongs to what the linker is given; an entry is padded behind it.
static CUresult link_and_load(CUlinkState link, const struct entry *ptx,
                              const struct entry *archive, CUlibrary *library) {
    void *code;
    size_t size;
    CUresult result = RT_CALL(cuLinkAddData, link, CU_JIT_INPUT_PTX, (void *)ptx->data,
                              strnlen(ptx->data, ptx->size) + 1, "program", 0, NULL, NULL);
    if (!result)
        result = RT_CALL(cuLinkAddData, link, CU_JIT_INPUT_LIBRARY, (void *)archive->data,
                         archive->plain, "libcudadevrt.a", 0, NULL, NULL);
    if (!result)
        result = RT_CALL(cuLinkComplete, link, &code, &size);
    return result ? result
                  : RT_CALL(cuLibraryLoadData, library, code, NULL, NULL, 0, NULL, NULL, 0);
}

cudaError_t gpu_image_link(const char *function, const void *container, CUlibrary *library) {
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    struct entry ptx = {0}, archive = {0};
    CUlinkState link;
    uint32_t arch;
    RT_TRY(rt_enter());
    RT_TRY(rt_result(device_architecture(&arch)));
    choose(container, arch, &ptx, &archive);
    if (!archive.data)
        return rt_fail(function, cudaErrorNotSupported,
                       "this program's device code calls the device runtime (guide 13): a GPU "
                       "needs NVIDIA's libcudadevrt.a for that, which is no part of the driver. "
                       "Link the program with -L<its folder> or CUDA_HOME set; KUDZU_DEVICE=cpu "
                       "runs it on the CPU as it is");
    if (!ptx.data)
        return rt_fail(function, cudaErrorNoKernelImageForDevice,
                       "the device image has no PTX for compute capability %u.%u", arch / 10,
                       arch % 10);
    RT_TRY(rt_result(RT_CALL(cuLinkCreate, 2, options, values, &link)));
    CUresult result = link_and_load(link, &ptx, &archive, library);
    RT_CALL(cuLinkDestroy, link);
    if (result)
        return rt_fail(function, cudaErrorNotSupported,
                       "the driver does not link this program's device code with libcudadevrt.a "
                       "(error %d): %s",
                       (int)result, log);
    return cudaSuccess;
}
