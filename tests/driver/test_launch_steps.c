// Launches of the first versions: cuFuncSetBlockShape, cuParamSet*, cuLaunchGrid; and one
// cooperative launch on several devices.
#include "check.h"
#include "kernels.h"

static CUfunction load(void) {
    CUmodule m;
    CUfunction f;
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_FILL));
    NEED(cuModuleGetFunction(&f, m, "fill"));
    return f;
}

static int filled(CUdeviceptr p, unsigned n, unsigned a, unsigned b) {
    unsigned got[256];
    OK(cuMemcpyDtoH(got, p, n * 4));
    for (unsigned i = 0; i < n; i++)
        if (got[i] != a + b * i)
            return 0;
    return 1;
}

static void steps(CUfunction f) {
    CUdeviceptr out;
    CUstream s;
    OK(cuMemAlloc(&out, 1024));
    OK(cuStreamCreate(&s, 0));
    OK(cuFuncSetBlockShape(f, 32, 1, 1));
    OK(cuFuncSetSharedSize(f, 64));
    OK(cuParamSetv(f, 0, &out, 8));
    OK(cuParamSeti(f, 8, 5));
    OK(cuParamSeti(f, 12, 2));
    EXPECT(cuLaunch(f), CUDA_ERROR_INVALID_VALUE); // the parameters' size is not set
    OK(cuParamSetSize(f, 16));
    OK(cuLaunch(f));
    CHECK(filled(out, 32, 5, 2));
    OK(cuParamSeti(f, 8, 7));
    OK(cuLaunchGrid(f, 4, 1));
    CHECK(filled(out, 128, 7, 2));
    OK(cuParamSeti(f, 12, 3));
    OK(cuLaunchGridAsync(f, 8, 1, s));
    OK(cuStreamSynchronize(s));
    CHECK(filled(out, 256, 7, 3));
    OK(cuParamSetf(f, 8, 1.0f)); // 0x3F800000
    OK(cuParamSeti(f, 12, 0));
    OK(cuLaunch(f));
    CHECK(filled(out, 32, 0x3F800000, 0));
    EXPECT(cuLaunchGridAsync(f, 1, 1, (CUstream)f), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(s));
    OK(cuMemFree(out));
}

static void step_errors(CUfunction f) {
    EXPECT(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncSetBlockShape(f, 1024, 2, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncSetBlockShape(f, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuParamSetv(f, 0, NULL, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuParamSetv(f, -1, &f, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuParamSetv(f, 4092, &f, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuParamSetSize(f, 4097), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchGrid(f, 1, -1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncSetBlockShape(NULL, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLaunch((CUfunction)0x5555), CUDA_ERROR_INVALID_HANDLE);
}

static void several_devices(void) {
    enum { N = 2 };
    CUcontext ctx[N];
    CUDA_LAUNCH_PARAMS p[N];
    CUdeviceptr out[N];
    unsigned a[N] = {1, 100}, b = 1;
    void *params[N][3];
    memset(p, 0, sizeof p);
    for (int i = 0; i < N; i++) {
        OK(cuCtxCreate(&ctx[i], 0, i));
        OK(cuMemAlloc(&out[i], 1024));
        params[i][0] = &out[i];
        params[i][1] = &a[i];
        params[i][2] = &b;
        p[i] = (CUDA_LAUNCH_PARAMS){load(), 1, 1, 1, 64, 1, 1, 0, NULL, params[i]};
        OK(cuStreamCreate(&p[i].hStream, CU_STREAM_NON_BLOCKING));
    }
    OK(cuLaunchCooperativeKernelMultiDevice(p, N, 0));
    for (int i = 0; i < N; i++) {
        OK(cuCtxSetCurrent(ctx[i]));
        OK(cuStreamSynchronize(p[i].hStream));
        CHECK(filled(out[i], 64, a[i], 1));
    }
    OK(cuLaunchCooperativeKernelMultiDevice(p, N, 3));
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, N, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, 3, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchCooperativeKernelMultiDevice(NULL, 2, 0), CUDA_ERROR_INVALID_VALUE);
    p[1].blockDimX = 32;
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, N, 0), CUDA_ERROR_INVALID_VALUE);
    p[1] = p[0];
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, N, 0), CUDA_ERROR_INVALID_DEVICE);
    p[1].hStream = 0;
    EXPECT(cuLaunchCooperativeKernelMultiDevice(p, N, 0), CUDA_ERROR_INVALID_HANDLE);
    for (int i = 0; i < N; i++)
        OK(cuCtxDestroy(ctx[i]));
}

int main(void) {
    setenv("KUDZU_DEVICES", "2", 1);
    CUcontext ctx = check_context();
    CUfunction f = load();
    steps(f);
    step_errors(f);
    several_devices();
    OK(cuCtxDestroy(ctx));
    EXPECT(cuLaunch(f), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    return check_result();
}
