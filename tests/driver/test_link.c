// cuLink*: several PTX texts into one image.
#include "check.h"
#include "kernels.h"

static char caller[] = PTX_HEAD ".extern .func (.param .b32 result) twice(.param .b32 x);\n"
                                ".visible .entry main_kernel(.param .u64 out)\n"
                                "{\n"
                                "    .reg .b32 %r<3>;\n"
                                "    .reg .b64 %rd<2>;\n"
                                "    ld.param.u64 %rd1, [out];\n"
                                "    mov.u32 %r1, 21;\n"
                                "    {\n"
                                "    .param .b32 x;\n"
                                "    st.param.b32 [x], %r1;\n"
                                "    .param .b32 result;\n"
                                "    call.uni (result), twice, (x);\n"
                                "    ld.param.b32 %r2, [result];\n"
                                "    }\n"
                                "    st.global.u32 [%rd1], %r2;\n"
                                "    ret;\n"
                                "}\n";
static char callee[] = PTX_HEAD ".visible .func (.param .b32 result) twice(.param .b32 x)\n"
                                "{\n"
                                "    .reg .b32 %r<3>;\n"
                                "    ld.param.b32 %r1, [x];\n"
                                "    add.s32 %r2, %r1, %r1;\n"
                                "    st.param.b32 [result], %r2;\n"
                                "    ret;\n"
                                "}\n";

static unsigned run(void *image) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr out;
    unsigned value = 0;
    if (!OK(cuModuleLoadData(&m, image)))
        return 0;
    OK(cuModuleGetFunction(&f, m, "main_kernel"));
    OK(cuMemAlloc(&out, 4));
    void *params[] = {&out};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(&value, out, 4));
    OK(cuModuleUnload(m));
    OK(cuMemFree(out));
    return value;
}

static void two_texts(void) {
    CUlinkState state;
    void *image = NULL;
    size_t size = 0;
    OK(cuLinkCreate(0, NULL, NULL, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
    // The device runtime's library: an archive without members.
    OK(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, "!<arch>\n", 8, "libcudadevrt.a", 0, NULL, NULL));
    OK(cuLinkComplete(state, &image, &size));
    CHECK(image && size > 0);
    CHECK(run(image) == 42);
    EXPECT(cuLinkComplete(state, &image, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkDestroy(state));
    EXPECT(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
}

static void unresolved(void) {
    CUlinkState state;
    void *image;
    size_t size;
    CUmodule m;
    OK(cuLinkCreate(0, NULL, NULL, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, NULL, 0, NULL, NULL));
    CUresult linked = cuLinkComplete(state, &image, &size);
    CHECK(linked != CUDA_SUCCESS || cuModuleLoadData(&m, image) != CUDA_SUCCESS);
    OK(cuLinkDestroy(state));
}

static void errors(void) {
    CUlinkState state;
    void *image;
    size_t size;
    char junk[16] = "\x7f"
                    "ELF";
    EXPECT(cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkCreate(0, NULL, NULL, &state));
    EXPECT(cuLinkComplete(state, &image, &size), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkComplete(NULL, &image, &size), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, junk, sizeof junk, NULL, 0, NULL, NULL),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, "!<arch>\nmember", 14, NULL, 0, NULL, NULL),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuLinkAddData(state, (CUjitInputType)77, junk, sizeof junk, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 5, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "no such file", 0, NULL, NULL),
           CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkDestroy(state));
}

int main(void) {
    CUcontext ctx = check_context();
    two_texts();
    unresolved();
    errors();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
