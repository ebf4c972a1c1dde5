// The C++ forms of the API reach the C functions with the right arguments.
#include "kudzu/runtime_templates.h"

extern "C" {
#include "check.h"
#include "images.h"
#include "stand_in.h"
}
#include "cuComplex.h"
#include "nvtx3/nvToolsExt.h"

static void kernel(int *, unsigned) {
}

static stand_in *driver;

static void launches() {
    dim3 grid(3), block(4, 2);
    int *p = nullptr;
    unsigned v = 1;
    void *args[] = {&p, &v};
    CHECK_OK(cudaLaunchKernel(kernel, grid, block, args));
    CHECK(driver->grid[0] == 3 && driver->block[1] == 2 && driver->shared == 0);
    CHECK_OK(cudaLaunchKernel((void *)kernel, grid, block, args, 24, 0));
    CHECK(driver->shared == 24);
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    // The arguments need conversion.
    CHECK_OK(cudaLaunchKernelEx(&config, kernel, nullptr, 7));
    CHECK(driver->grid[0] == 3);
    cudaKernel_t handle;
    CHECK_OK(cudaGetKernel(&handle, kernel));
    CHECK_OK(cudaLaunchKernelEx(&config, handle, p, v));
    CHECK_OK(cudaLaunchKernel((const void *)handle, grid, block, args, 0, 0));
    cudaKernel_t stale = (cudaKernel_t)&handle;
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaLaunchKernelEx(&config, stale, p, v));
}

static void symbols() {
    int(&table)[4] = *(int(*)[4])table_shadow;
    int words[4] = {1, 2, 3, 4};
    size_t size = 0;
    void *address = nullptr;
    CHECK_OK(cudaGetSymbolSize(&size, table));
    CHECK(size == 16);
    CHECK_OK(cudaGetSymbolAddress(&address, table));
    CHECK_OK(cudaMemcpyToSymbol(table, words, sizeof words));
    CHECK(memcmp(address, words, 16) == 0);
    CHECK_OK(cudaGetSymbolSize(&size, counter_shadow));
    CHECK(size == 4);
}

static void memory() {
    float *p = nullptr;
    CHECK_OK(cudaMalloc(&p, 16));
    CHECK(p != nullptr);
    CHECK_OK(cudaFree(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc((float **)nullptr, 16));
}

static void channels() {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
    CHECK(d.x == 8 && d.w == 8 && d.f == cudaChannelFormatKindUnsigned);
    d = cudaCreateChannelDesc<float>();
    CHECK(d.x == 32 && d.y == 0 && d.f == cudaChannelFormatKindFloat);
    d = cudaCreateChannelDesc<double>();
    CHECK(d.x == 0 && d.f == cudaChannelFormatKindNone);
    d = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindSigned);
    CHECK(d.y == 16 && d.f == cudaChannelFormatKindSigned);
}

static void complex_numbers() {
    cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, -4));
    CHECK(cuCreal(z) == 11 && cuCimag(z) == 2);
    z = cuCdiv(make_cuDoubleComplex(1e300, 1e300), make_cuDoubleComplex(1e300, 1e300));
    CHECK(fabs(z.x - 1) < 1e-15 && fabs(z.y) < 1e-15);
    CHECK(cuCabsf(make_cuFloatComplex(3e30f, 4e30f)) == 5e30f);
    cuComplex f = cuCfmaf(make_cuComplex(1, 2), make_cuComplex(3, 4), make_cuComplex(5, 6));
    CHECK(f.x == 0 && f.y == 16);
}

static void ranges() {
    CHECK(nvtxRangePop() < 0);
    CHECK(nvtxRangePush("outer") == 0);
    CHECK(nvtxRangePush("inner") == 1);
    CHECK(nvtxRangePop() == 1);
    CHECK(nvtxRangePop() == 0);
}

int main() {
    driver = stand_in_state();
    if (!driver)
        return 2;
    register_test_image();
    register_kernel(test_handle, (const char *)kernel, "fill");
    launches();
    symbols();
    memory();
    channels();
    complex_numbers();
    ranges();
    CHECK(driver->undocumented == 0);
    return finish();
}
