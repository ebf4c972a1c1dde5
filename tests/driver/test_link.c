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
    OK(cuMemsetD32(out, 0, 1));
    void *params[] = {&out};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(&value, out, 4));
    OK(cuModuleUnload(m));
    OK(cuMemFree(out));
    return value;
}

static int registers_of(void *image, unsigned n, CUjit_option *options, void **values) {
    CUmodule m;
    CUfunction f;
    int registers = 0;
    if (!OK(cuModuleLoadDataEx(&m, image, n, options, values)))
        return 0;
    OK(cuModuleGetFunction(&f, m, "main_kernel"));
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    OK(cuModuleUnload(m));
    return registers;
}

// Linked with a limit of registers, which the image keeps.
static int linked_registers(unsigned n, CUjit_option *options, void **values) {
    CUlinkState state;
    void *image = NULL;
    OK(cuLinkCreate(n, options, values, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
    OK(cuLinkComplete(state, &image, NULL));
    int registers = image ? registers_of(image, 0, NULL, NULL) : 0;
    CHECK(run(image) == 42);
    OK(cuLinkDestroy(state));
    return registers;
}

static void register_limits(void) {
    int all = linked_registers(0, NULL, NULL);
    CHECK(all > 2);
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = (void *)(uintptr_t)(all - 1);
    CHECK(linked_registers(1, &option, &value) == all - 1);
    static char alone[] = PTX_HEAD ".visible .entry main_kernel()\n{\n    ret;\n}\n";
    int before = registers_of(alone, 0, NULL, NULL);
    value = (void *)(uintptr_t)1;
    CHECK(before >= 1);
    CHECK(registers_of(alone, 1, &option, &value) == 1);
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

// A kernel launches one of another module by the device runtime; its module declares a function.
static char parent[] = PTX_HEAD ".extern .func child(.param .b64 out);\n"
                                ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f,\n"
                                "    .param .b64 params, .param .align 4 .b8 grid[12],\n"
                                "    .param .align 4 .b8 block[12], .param .b32 shared,\n"
                                "    .param .b64 stream);\n"
                                ".extern .func (.param .b64 r) cudaGetParameterBuffer(\n"
                                "    .param .b64 alignment, .param .b64 size);\n"
                                ".visible .entry main_kernel(.param .u64 out)\n"
                                "{\n"
                                "    .reg .b32 %r<2>;\n"
                                "    .reg .b64 %rd<4>;\n"
                                "    ld.param.u64 %rd1, [out];\n"
                                "    {\n"
                                "    .param .b64 alignment;\n"
                                "    st.param.b64 [alignment], 8;\n"
                                "    .param .b64 size;\n"
                                "    st.param.b64 [size], 8;\n"
                                "    .param .b64 r;\n"
                                "    call.uni (r), cudaGetParameterBuffer, (alignment, size);\n"
                                "    ld.param.b64 %rd2, [r];\n"
                                "    }\n"
                                "    st.u64 [%rd2], %rd1;\n"
                                "    mov.u64 %rd3, child;\n"
                                "    {\n"
                                "    .param .b64 f;\n"
                                "    st.param.b64 [f], %rd3;\n"
                                "    .param .b64 params;\n"
                                "    st.param.b64 [params], %rd2;\n"
                                "    .param .align 4 .b8 grid[12];\n"
                                "    st.param.b32 [grid], 3;\n"
                                "    st.param.b32 [grid+4], 1;\n"
                                "    st.param.b32 [grid+8], 1;\n"
                                "    .param .align 4 .b8 block[12];\n"
                                "    st.param.b32 [block], 5;\n"
                                "    st.param.b32 [block+4], 1;\n"
                                "    st.param.b32 [block+8], 1;\n"
                                "    .param .b32 shared;\n"
                                "    st.param.b32 [shared], 0;\n"
                                "    .param .b64 stream;\n"
                                "    st.param.b64 [stream], 0;\n"
                                "    .param .b32 r;\n"
                                "    call.uni (r), cudaLaunchDevice,\n"
                                "        (f, params, grid, block, shared, stream);\n"
                                "    ld.param.b32 %r1, [r];\n"
                                "    }\n"
                                "    ret;\n"
                                "}\n";
static char child[] = PTX_HEAD ".visible .entry child(.param .u64 out)\n"
                               "{\n"
                               "    .reg .b32 %r<2>;\n"
                               "    .reg .b64 %rd<2>;\n"
                               "    ld.param.u64 %rd1, [out];\n"
                               "    atom.global.add.u32 %r1, [%rd1], 1;\n"
                               "    ret;\n"
                               "}\n";

static void kernel_of_another_module(void) {
    char *orders[2][2] = {{parent, child}, {child, parent}};
    for (int i = 0; i < 2; i++) {
        CUlinkState state;
        void *image = NULL;
        size_t size = 0;
        OK(cuLinkCreate(0, NULL, NULL, &state));
        for (int k = 0; k < 2; k++)
            OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, orders[i][k], strlen(orders[i][k]) + 1, NULL,
                             0, NULL, NULL));
        if (OK(cuLinkComplete(state, &image, &size)))
            CHECK(run(image) == 15);
        OK(cuLinkDestroy(state));
    }
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
    char junk[64] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
    EXPECT(cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkCreate(0, NULL, NULL, &state));
    EXPECT(cuLinkComplete(state, &image, &size), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkComplete(NULL, &image, &size), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, junk, sizeof junk, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_IMAGE);
    junk[18] = (char)190; // a GPU's machine code
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, junk, sizeof junk, NULL, 0, NULL, NULL),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, junk, 16, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, "!<arch>\nmember", 14, NULL, 0, NULL, NULL),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuLinkAddData(state, (CUjitInputType)77, junk, sizeof junk, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 5, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
    // PTX is looked at when it is added.
    static char text[] = PTX_HEAD "nonsense;\n", newer[] = ".version 99.9\n.target sm_80\n";
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_PTX, text, sizeof text, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_PTX);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_PTX, newer, sizeof newer, NULL, 0, NULL, NULL),
           CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, text, sizeof text, NULL, 0, NULL, NULL),
           CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "no such file", 0, NULL, NULL),
           CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkDestroy(state));
}

int main(void) {
    CUcontext ctx = check_context();
    two_texts();
    register_limits();
    kernel_of_another_module();
    unresolved();
    errors();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
