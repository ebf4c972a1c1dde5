// Launches of the first versions: the block's shape, the shared memory and the parameters are set
// one by one and stay with the function.
#define _GNU_SOURCE // recursive mutexes
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

enum { PARAM_BYTES = 4096 };

struct drv_launch_steps {
    unsigned block[3], shared;
    size_t param_size;
    _Alignas(16) uint8_t params[PARAM_BYTES];
};

void drv_launch_steps_free(struct drv_launch_steps *steps) {
    free(steps);
}

// Locked until the call ends.
static CUresult steps_of(CUfunction handle, struct drv_launch_steps **out) {
    static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    TRY(drv_call_lock(&lock));
    struct drv_context *ctx;
    struct drv_function *f;
    TRY(drv_context_usable(&ctx));
    TRY(drv_function_find(handle, ctx, &f));
    if (!f->steps && (f->steps = calloc(1, sizeof *f->steps)))
        f->steps->block[0] = f->steps->block[1] = f->steps->block[2] = 1;
    REQUIRE(f->steps, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a launch");
    *out = f->steps;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
    ENTER();
    struct drv_launch_steps *s;
    TRY(steps_of(hfunc, &s));
    REQUIRE(x > 0 && y > 0 && z > 0 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
            CUDA_ERROR_INVALID_VALUE, "a block of (%d, %d, %d) threads is not possible", x, y, z);
    s->block[0] = (unsigned)x;
    s->block[1] = (unsigned)y;
    s->block[2] = (unsigned)z;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
    ENTER();
    struct drv_launch_steps *s;
    TRY(steps_of(hfunc, &s));
    s->shared = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
    ENTER();
    struct drv_launch_steps *s;
    TRY(steps_of(hfunc, &s));
    REQUIRE(numbytes <= PARAM_BYTES, CUDA_ERROR_INVALID_VALUE,
            "%u bytes of parameters; this way 4096 are possible", numbytes);
    s->param_size = numbytes;
    return CUDA_SUCCESS;
}

static CUresult set(CUfunction hfunc, int offset, const void *from, size_t n) {
    struct drv_launch_steps *s;
    TRY(steps_of(hfunc, &s));
    REQUIRE(from || !n, CUDA_ERROR_INVALID_VALUE, "ptr cannot be NULL");
    REQUIRE(offset >= 0 && offset <= PARAM_BYTES && n <= PARAM_BYTES - (size_t)offset,
            CUDA_ERROR_INVALID_VALUE, "%zu bytes at %d are not among 4096 bytes of parameters", n,
            offset);
    if (n)
        memcpy(s->params + offset, from, n);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
    ENTER();
    return set(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
    ENTER();
    return set(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
    ENTER();
    return set(hfunc, offset, ptr, numbytes);
}

static CUresult launch(CUfunction f, int width, int height, CUstream stream) {
    struct drv_launch_steps *s;
    TRY(steps_of(f, &s));
    REQUIRE(width > 0 && height > 0, CUDA_ERROR_INVALID_VALUE,
            "a grid of (%d, %d) blocks is not possible", width, height);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, s->params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &s->param_size, CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, s->block[0], s->block[1],
                          s->block[2], s->shared, stream, NULL, extra);
}

CUresult cuLaunch(CUfunction f) {
    ENTER();
    return launch(f, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
    ENTER();
    return launch(f, grid_width, grid_height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
    ENTER();
    return launch(f, grid_width, grid_height, hStream);
}
