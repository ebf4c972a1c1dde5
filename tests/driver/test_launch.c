// Launches: both ways of passing parameters, the documented limits, attributes.
#include "check.h"
#include "kernels.h"

static const char ptx[] = PTX_HEAD PTX_FILL PTX_NOTHING PTX_BOUNDED PTX_SHARED;
static CUfunction fill, nothing, bounded, shared;

static int filled(CUdeviceptr out, unsigned n, unsigned a, unsigned b) {
    unsigned *back = malloc(n * sizeof *back);
    int good = 1;
    OK(cuMemcpyDtoH(back, out, n * sizeof *back));
    for (unsigned i = 0; i < n; i++)
        good &= back[i] == a + b * i;
    free(back);
    return good;
}

static void by_pointers(CUstream s) {
    CUdeviceptr out;
    unsigned a = 5, b = 3;
    void *params[] = {&out, &a, &b};
    OK(cuMemAlloc(&out, 1000 * 4));
    OK(cuMemsetD8(out, 0xFF, 1000 * 4));
    OK(cuLaunchKernel(fill, 10, 1, 1, 100, 1, 1, 0, s, params, NULL));
    OK(cuStreamSynchronize(s));
    CHECK(filled(out, 1000, 5, 3));
    params[1] = NULL;
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, params, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(out));
}

static void by_buffer(CUstream s) {
    struct {
        CUdeviceptr out;
        unsigned a, b;
    } buffer = {0, 7, 11};
    size_t size = sizeof buffer;
    OK(cuMemAlloc(&buffer.out, 256 * 4));
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(fill, 2, 1, 1, 128, 1, 1, 0, s, NULL, extra));
    OK(cuStreamSynchronize(s));
    CHECK(filled(buffer.out, 256, 7, 11));
    size = 8;
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    size = sizeof buffer;
    void *both[] = {&buffer.out, &buffer.a, &buffer.b};
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, both, extra), CUDA_ERROR_INVALID_VALUE);
    extra[2] = (void *)0x55;
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    void *empty[] = {CU_LAUNCH_PARAM_END};
    EXPECT(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, s, NULL, empty), CUDA_ERROR_INVALID_VALUE);
    OK(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, s, NULL, empty));
    OK(cuMemFree(buffer.out));
}

static CUresult shape(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                      unsigned bz, unsigned bytes) {
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, bytes, 0, NULL, NULL);
}

static void limits(void) {
    OK(shape(nothing, 1, 1, 1, 1024, 1, 1, 0));
    OK(shape(nothing, 1, 1, 1, 1, 1024, 1, 0));
    OK(shape(nothing, 1, 1, 1, 16, 1, 64, 0));
    OK(shape(nothing, 100, 3, 2, 8, 8, 8, 0));
    EXPECT(shape(nothing, 1, 1, 1, 1025, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 1, 1, 1, 1, 65, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 1, 1, 32, 33, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 1, 1, 65536, 65536, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 0, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 1, 1, 1, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 0x80000000u, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 65536, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(shape(nothing, 1, 1, 65536, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(shape(bounded, 1, 1, 1, 64, 1, 1, 0));
    EXPECT(shape(bounded, 1, 1, 1, 65, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(shape(nothing, 1, 1, 1, 32, 1, 1, 48 * 1024));
    EXPECT(shape(nothing, 1, 1, 1, 32, 1, 1, 48 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024));
    OK(shape(nothing, 1, 1, 1, 32, 1, 1, 227 * 1024));
    EXPECT(shape(nothing, 1, 1, 1, 32, 1, 1, 227 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
}

static void handles(CUstream s) {
    EXPECT(shape(NULL, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(shape((CUfunction)s, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(shape((CUfunction)0x10, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, (CUstream)0x5550, NULL, NULL),
           CUDA_ERROR_INVALID_HANDLE);
    CUcontext other, popped;
    NEED(cuCtxCreate(&other, 0, 0));
    EXPECT(shape(nothing, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxPopCurrent(&popped));
    OK(cuCtxDestroy(other));
}

static void static_shared(void) {
    CUdeviceptr out;
    unsigned back = 0;
    OK(cuMemAlloc(&out, 4));
    void *params[] = {&out};
    OK(cuLaunchKernel(shared, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(&back, out, 4));
    CHECK(back == 7);
    OK(cuMemFree(out));
}

static void extended(CUstream s) {
    CUdeviceptr out;
    CUevent done;
    unsigned a = 1, b = 1;
    void *params[] = {&out, &a, &b};
    CUlaunchAttribute attrs[3];
    memset(attrs, 0, sizeof attrs);
    attrs[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attrs[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attrs[1].value.clusterDim.x = attrs[1].value.clusterDim.y = attrs[1].value.clusterDim.z = 1;
    attrs[2].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    OK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
    attrs[2].value.launchCompletionEvent.event = done;
    CUlaunchConfig config = {4, 1, 1, 16, 1, 1, 0, s, attrs, 3};
    OK(cuMemAlloc(&out, 64 * 4));
    OK(cuLaunchKernelEx(&config, fill, params, NULL));
    OK(cuEventSynchronize(done));
    CHECK(filled(out, 64, 1, 1));
    attrs[1].value.clusterDim.x = 2;
    OK(cuLaunchKernelEx(&config, fill, params, NULL));
    OK(cuStreamSynchronize(s));
    CHECK(filled(out, 64, 1, 1));
    attrs[1].value.clusterDim.x = 3; // no divisor of the grid
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attrs[1].value.clusterDim.x = 0;
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    config.gridDimX = 16;
    attrs[1].value.clusterDim.x = 16; // more than 8 only when the kernel says so
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attrs[1].value.clusterDim.x = 2;
    attrs[0].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
    attrs[0].value.clusterDim.y = attrs[0].value.clusterDim.z = 1;
    attrs[0].value.clusterDim.x = 4;
    config.gridDimX = 4;
    OK(cuLaunchKernelEx(&config, fill, params, NULL));
    OK(cuStreamSynchronize(s));
    attrs[0].value.clusterDim.x = 3; // no multiple of 2
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attrs[0].value.clusterDim.x = 8; // no divisor of the grid
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CUevent timed; // which the events of launches must not be
    OK(cuEventCreate(&timed, CU_EVENT_DEFAULT));
    attrs[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
    memset(&attrs[0].value, 0, sizeof attrs[0].value);
    attrs[0].value.programmaticEvent.event = timed;
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_VALUE);
    attrs[0].value.programmaticEvent.event = NULL;
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    attrs[0].value.programmaticEvent.event = done;
    attrs[2].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
    OK(cuLaunchKernelEx(&config, fill, params, NULL));
    OK(cuEventSynchronize(done));
    CHECK(filled(out, 64, 1, 1));
    OK(cuEventDestroy(timed));
    attrs[1].id = (CUlaunchAttributeID)99;
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_VALUE);
    config.attrs = NULL;
    EXPECT(cuLaunchKernelEx(&config, fill, params, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernelEx(NULL, fill, params, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuEventDestroy(done));
    OK(cuMemFree(out));
}

static void cooperative(CUstream s) {
    CUdeviceptr out;
    unsigned a = 2, b = 2;
    void *params[] = {&out, &a, &b};
    OK(cuMemAlloc(&out, 32 * 4));
    OK(cuLaunchCooperativeKernel(fill, 1, 1, 1, 32, 1, 1, 0, s, params));
    OK(cuStreamSynchronize(s));
    CHECK(filled(out, 32, 2, 2));
    EXPECT(cuLaunchCooperativeKernel(fill, 10000000, 1, 1, 32, 1, 1, 0, s, params),
           CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuMemFree(out));
}

int main(void) {
    CUcontext ctx = check_context();
    CUmodule m;
    CUstream s;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&fill, m, "fill"));
    NEED(cuModuleGetFunction(&nothing, m, "nothing"));
    NEED(cuModuleGetFunction(&bounded, m, "bounded"));
    NEED(cuModuleGetFunction(&shared, m, "shared"));
    by_pointers(s);
    by_pointers(0);
    by_pointers(CU_STREAM_PER_THREAD);
    by_buffer(s);
    limits();
    handles(s);
    static_shared();
    extended(s);
    cooperative(s);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
