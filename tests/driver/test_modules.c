// Modules: PTX text, files, containers, options and logs, kernels and variables by name.
#include "check.h"
#include "kernels.h"

#include <unistd.h>

static const char ptx[] = PTX_HEAD PTX_FILL PTX_NOTHING PTX_VARIABLES;

static unsigned run_read(CUmodule m) {
    CUfunction f;
    CUdeviceptr out;
    unsigned value = 0;
    OK(cuModuleGetFunction(&f, m, "read"));
    OK(cuMemAlloc(&out, 4));
    void *params[] = {&out};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(&value, out, 4));
    OK(cuMemFree(out));
    return value;
}

static void variables(CUmodule m) {
    CUdeviceptr p;
    size_t size;
    unsigned table[4], thirty = 30;
    OK(cuModuleGetGlobal(&p, &size, m, "table"));
    CHECK(size == 16);
    OK(cuMemcpyDtoH(table, p, 16));
    CHECK(table[0] == 1 && table[3] == 4);
    CHECK(run_read(m) == 3);
    OK(cuMemcpyHtoD(p + 8, &thirty, 4));
    CHECK(run_read(m) == 30);
    EXPECT(cuMemcpyHtoD(p + 8, table, 12), CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleGetGlobal(&p, NULL, m, "scale"));
    OK(cuModuleGetGlobal(NULL, &size, m, "scale"));
    CHECK(size == 8);
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleGetGlobal(&p, &size, m, "no_such"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleGetGlobal(&p, &size, m, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void functions(CUmodule m) {
    CUfunction f, again, all[8] = {0};
    unsigned n = 0;
    OK(cuModuleGetFunction(&f, m, "fill"));
    OK(cuModuleGetFunction(&again, m, "fill"));
    CHECK(f == again);
    OK(cuModuleGetFunctionCount(&n, m));
    CHECK(n == 3);
    OK(cuModuleEnumerateFunctions(all, 8, m));
    CHECK(all[0] && all[1] && all[2] && !all[3]);
    CHECK(all[0] == f || all[1] == f || all[2] == f);
    EXPECT(cuModuleGetFunction(&f, m, "no_such"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleGetFunction(&f, m, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleGetFunction(NULL, m, "fill"), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleGetFunction(&f, NULL, "fill"), CUDA_ERROR_INVALID_HANDLE);
}

static void unloading(void) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "nothing"));
    OK(cuModuleGetGlobal(&p, NULL, m, "table"));
    OK(cuModuleUnload(m));
    EXPECT(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuModuleGetFunction(&f, m, "nothing"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    char byte;
    EXPECT(cuMemcpyDtoH(&byte, p, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleUnload(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void files(void) {
    char name[] = "driver_module_XXXXXX";
    CUmodule m;
    int fd = mkstemp(name);
    CHECK(write(fd, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1); // without the NUL
    close(fd);
    OK(cuModuleLoad(&m, name));
    CHECK(run_read(m) == 3);
    OK(cuModuleUnload(m));
    CHECK(truncate(name, 0) == 0);
    EXPECT(cuModuleLoad(&m, name), CUDA_ERROR_INVALID_IMAGE);
    unlink(name);
    EXPECT(cuModuleLoad(&m, name), CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(cuModuleLoad(&m, "/"), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuModuleLoad(&m, ""), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleLoad(&m, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void bad_images(void) {
    CUmodule m;
    static const unsigned char truncated[64] = {0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0, 0xFF, 0xFF};
    static const unsigned char elf[64] = {0x7F, 'E', 'L', 'F', 2, 1, 1},
                               gpu[64] = {0x7F, 'E', 'L', 'F', 2, 1, 1, [18] = 190};
    EXPECT(cuModuleLoadFatBinary(&m, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleLoadFatBinary(NULL, ptx), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleLoadFatBinary(&m, truncated) != CUDA_SUCCESS);
    OK(cuModuleLoadFatBinary(&m, ptx));
    CHECK(run_read(m) == 3);
    OK(cuModuleUnload(m));
    EXPECT(cuModuleLoadData(&m, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleLoadData(NULL, ptx), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleLoadData(&m, ""), CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&m, "hello"), CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&m, ".version 99.9\n.target sm_80\n.address_size 64\n"),
           CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    EXPECT(cuModuleLoadData(&m, PTX_HEAD ".visible .entry f( {"), CUDA_ERROR_INVALID_PTX);
    EXPECT(cuModuleLoadData(&m, PTX_HEAD ".visible .entry f( {"), CUDA_ERROR_INVALID_PTX);
    CHECK(cuModuleLoadData(&m, truncated) != CUDA_SUCCESS);
    EXPECT(cuModuleLoadData(&m, elf), CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&m, gpu), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static void options(void) {
    CUmodule m;
    char error[512], info[512];
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER,   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER,    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT,
                            CU_JIT_WALL_TIME};
    void *values[7];
#define SET()                                                                                      \
    do {                                                                                           \
        values[0] = error;                                                                         \
        values[1] = (void *)sizeof error;                                                          \
        values[2] = info;                                                                          \
        values[3] = (void *)sizeof info;                                                           \
        values[4] = (void *)3;                                                                     \
        values[5] = values[6] = NULL;                                                              \
    } while (0)
    SET();
    OK(cuModuleLoadDataEx(&m, ptx, 7, names, values));
    CHECK(error[0] == '\0' && values[1] == NULL);
    float ms;
    memcpy(&ms, &values[6], sizeof ms);
    CHECK(ms > 0 && ms < 60000);
    OK(cuModuleUnload(m));
    SET();
    EXPECT(cuModuleLoadDataEx(&m, PTX_HEAD "\n.visible .entry f()\n{\n    bogus.u32 %r1;\n}\n", 7,
                              names, values),
           CUDA_ERROR_INVALID_PTX);
    // The place of the error: three lines of head, an empty one, and then the fourth.
    CHECK(strlen(error) > 0 && (size_t)values[1] == strlen(error));
    CHECK(strstr(error, "7") != NULL);
    CUjit_option unknown = (CUjit_option)999;
    EXPECT(cuModuleLoadDataEx(&m, ptx, 1, &unknown, values), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuModuleLoadDataEx(&m, ptx, 1, NULL, values), CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleLoadDataEx(&m, ptx, 0, NULL, NULL));
    OK(cuModuleUnload(m));
}

int main(void) {
    CUcontext ctx = check_context();
    CUmodule m;
    CUmoduleLoadingMode mode;
    NEED(cuModuleLoadData(&m, ptx));
    functions(m);
    variables(m);
    OK(cuModuleUnload(m));
    unloading();
    files();
    bad_images();
    options();
    OK(cuModuleGetLoadingMode(&mode));
    CHECK(mode == CU_MODULE_LAZY_LOADING || mode == CU_MODULE_EAGER_LOADING);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
