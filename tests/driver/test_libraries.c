// Libraries and kernels: code that belongs to no context.
#include "check.h"
#include "kernels.h"

static const char ptx[] = PTX_HEAD PTX_FILL PTX_SHARED PTX_VARIABLES;

// Launches `fill` with a CUkernel in place of a function.
static int fill_works(CUkernel kernel) {
    CUdeviceptr out;
    unsigned a = 10, b = 2, back[64];
    OK(cuMemAlloc(&out, sizeof back));
    void *params[] = {&out, &a, &b};
    OK(cuLaunchKernel((CUfunction)kernel, 2, 1, 1, 32, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    OK(cuMemFree(out));
    return back[0] == 10 && back[63] == 10 + 2 * 63;
}

static void kernels(CUlibrary lib) {
    CUkernel k, all[8] = {0};
    CUlibrary owner;
    CUfunction f;
    unsigned n;
    const char *name;
    size_t offset, size;
    OK(cuLibraryGetKernel(&k, lib, "fill"));
    OK(cuLibraryGetKernelCount(&n, lib));
    CHECK(n == 3);
    OK(cuLibraryEnumerateKernels(all, 2, lib));
    CHECK(all[0] && all[1] && !all[2]);
    OK(cuKernelGetLibrary(&owner, k));
    CHECK(owner == lib);
    OK(cuKernelGetName(&name, k));
    CHECK(!strcmp(name, "fill"));
    OK(cuKernelGetFunction(&f, k));
    OK(cuFuncGetName(&name, f));
    CHECK(!strcmp(name, "fill"));
    EXPECT(cuKernelGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuFuncGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuKernelGetParamInfo(k, 2, &offset, &size));
    CHECK(offset == 12 && size == 4);
    EXPECT(cuKernelGetParamInfo(k, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    CHECK(fill_works(k));
    EXPECT(cuLibraryGetKernel(&k, lib, "no_such"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuLibraryGetKernel(&k, NULL, "fill"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuKernelGetFunction(&f, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void variables(CUlibrary lib) {
    CUdeviceptr p;
    size_t size;
    unsigned table[4];
    CUmodule m;
    void *fn;
    OK(cuLibraryGetGlobal(&p, &size, lib, "table"));
    OK(cuMemcpyDtoH(table, p, size));
    CHECK(size == 16 && table[1] == 2);
    EXPECT(cuLibraryGetManaged(&p, &size, lib, "table"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuLibraryGetGlobal(&p, &size, lib, "no_such"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuLibraryGetUnifiedFunction(&fn, lib, "fill"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetModule(&m, lib));
    EXPECT(cuModuleUnload(m), CUDA_ERROR_NOT_PERMITTED);
}

// A managed variable: the host's address is the device's, and nobody frees it.
static void managed_variable(void) {
    static const char text[] =
        PTX_HEAD ".visible .global .attribute(.managed) .align 4 .u32 m = 7;\n"
                 ".visible .global .align 4 .u32 plain = 3;\n";
    CUlibrary lib;
    CUdeviceptr p = 0;
    size_t size = 0;
    NEED(cuLibraryLoadData(&lib, text, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetManaged(&p, &size, lib, "m"));
    CHECK(size == 4 && p && *(unsigned *)(size_t)p == 7);
    EXPECT(cuLibraryGetManaged(&p, &size, lib, "plain"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD32(p, 9, 1));
    CHECK(*(unsigned *)(size_t)p == 9);
    OK(cuLibraryUnload(lib));
}

// Each context has its own variables; attributes of kernels hold in later contexts too.
static void two_contexts(CUlibrary lib, CUcontext first) {
    CUcontext second;
    CUkernel fill, shared;
    CUdeviceptr p, q;
    int value;
    OK(cuLibraryGetKernel(&fill, lib, "fill"));
    OK(cuLibraryGetKernel(&shared, lib, "shared"));
    OK(cuLibraryGetGlobal(&p, NULL, lib, "table"));
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, shared, 0));
    NEED(cuCtxCreate(&second, 0, 0));
    OK(cuLibraryGetGlobal(&q, NULL, lib, "table"));
    CHECK(p != q);
    CHECK(fill_works(fill));
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared, 0));
    CHECK(value == 100000);
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared, 0));
    CHECK(value == 16384);
    EXPECT(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared, 7),
           CUDA_ERROR_INVALID_DEVICE);
    OK(cuKernelSetCacheConfig(shared, CU_FUNC_CACHE_PREFER_SHARED, 0));
    OK(cuCtxDestroy(second));
    OK(cuCtxSetCurrent(first));
    CHECK(fill_works(fill));
}

static void errors(void) {
    CUlibrary lib;
    CUlibraryOption unknown = (CUlibraryOption)9;
    EXPECT(cuLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLibraryLoadData(&lib, NULL, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    // What is wrong about code is told by what uses it.
    OK(cuLibraryLoadData(&lib, PTX_HEAD "junk", NULL, NULL, 0, NULL, NULL, 0));
    CUkernel k;
    CUmodule m;
    CUdeviceptr p;
    size_t size;
    unsigned count = 9;
    OK(cuLibraryGetKernelCount(&count, lib));
    CHECK(count == 0);
    EXPECT(cuLibraryGetKernel(&k, lib, "k"), CUDA_ERROR_INVALID_PTX);
    EXPECT(cuLibraryGetModule(&m, lib), CUDA_ERROR_INVALID_PTX);
    EXPECT(cuLibraryGetGlobal(&p, &size, lib, "v"), CUDA_ERROR_INVALID_PTX);
    OK(cuLibraryUnload(lib));
    EXPECT(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, &unknown, NULL, 1),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLibraryLoadFromFile(&lib, "no such file", NULL, NULL, 0, NULL, NULL, 0),
           CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(cuLibraryUnload(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void unloading(CUlibrary lib) {
    CUkernel k;
    OK(cuLibraryGetKernel(&k, lib, "fill"));
    OK(cuLibraryUnload(lib));
    EXPECT(cuLibraryUnload(lib), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL),
           CUDA_ERROR_INVALID_HANDLE);
}

// A library can be loaded where no context is current.
static void without_context(void) {
    CUlibrary lib;
    CUcontext ctx;
    CUkernel k;
    OK(cuCtxPopCurrent(&ctx));
    OK(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&k, lib, "fill"));
    OK(cuCtxPushCurrent(ctx));
    CHECK(fill_works(k));
    OK(cuLibraryUnload(lib));
}

int main(void) {
    CUcontext ctx = check_context();
    CUlibrary lib;
    char *image = strdup(ptx);
    NEED(cuLibraryLoadData(&lib, image, NULL, NULL, 0, NULL, NULL, 0));
    memset(image, 'x', strlen(image)); // the library has a copy
    kernels(lib);
    variables(lib);
    managed_variable();
    two_contexts(lib, ctx);
    errors();
    unloading(lib);
    without_context();
    free(image);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
