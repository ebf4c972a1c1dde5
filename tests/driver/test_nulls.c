// Every function of the table with zeroes for all arguments: an error that exists, or success, and
// never a crash; before cuInit, without a context, with one, and with one that has a fault.
#include "check.h"
#include "kernels.h"

#include <dlfcn.h>

static const char *const symbols[] = {
#define API_ENTRY(name, version, per_thread, function) #function,
#include "api/driver_table.inc"
};

// Twelve zeroes are more than any function reads in registers; the others find them on the stack.
typedef CUresult (*any_function)(void *, void *, void *, void *, void *, void *, void *, void *,
                                 void *, void *, void *, void *, void *, void *, void *, void *);

static void call_all(void *library, CUcontext current, const char *state) {
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        any_function f = (any_function)dlsym(library, symbols[i]);
        const char *name = NULL;
        if (!strcmp(symbols[i], "cuInit"))
            continue;
        if (current)
            OK(cuCtxSetCurrent(current));
        CUresult r = f(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (cuGetErrorName(r, &name) != CUDA_SUCCESS) {
            fprintf(stderr, "%s: %s: %d is no error\n", state, symbols[i], (int)r);
            check_failures++;
        }
    }
}

int main(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    CUcontext ctx, top;
    CUmodule m;
    CUfunction f;
    CHECK(library != NULL);
    call_all(library, NULL, "before cuInit");
    NEED(cuInit(0));
    call_all(library, NULL, "without a context");
    ctx = check_context();
    call_all(library, ctx, "with a context");
    OK(cuCtxSetCurrent(ctx));
    CUgraph captured; // the per-thread default stream's capture, which began
    EXPECT(cuStreamEndCapture(CU_STREAM_PER_THREAD, &captured),
           CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuCtxSynchronize());
    NEED(cuModuleLoadData(&m, PTX_HEAD PTX_TRAP));
    NEED(cuModuleGetFunction(&f, m, "trap_now"));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    call_all(library, ctx, "with a fault");
    OK(cuCtxDestroy(ctx));
    while (cuCtxPopCurrent(&top) == CUDA_SUCCESS)
        ;
    ctx = check_context();
    OK(cuCtxSynchronize());
    OK(cuCtxDestroy(ctx));
    return check_result();
}
