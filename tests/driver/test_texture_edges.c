// Fetches beside an image and with odd coordinates, and the components that a format lacks, as they
// were recorded on an H200 (bench/log/2026-11-29-random-kernels-on-a-gpu.md).
#include <math.h>

#include "check.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(name, coordinate, load, half)                                                       \
    ".visible .entry " name "(.param .u64 t, .param .u64 in, .param .u64 out)\n"                   \
    "{\n"                                                                                          \
    "    .reg .b64 %t, %i, %o, %d;\n    .reg .b32 %x, %r<5>;\n    .reg .f32 %f<5>, %h;\n"          \
    "    ld.param.u64 %t, [t];\n    ld.param.u64 %i, [in];\n    ld.param.u64 %o, [out];\n"         \
    "    mov.u32 %x, %tid.x;\n"                                                                    \
    "    mul.wide.u32 %d, %x, 4;\n    add.u64 %i, %i, %d;\n"                                       \
    "    mul.wide.u32 %d, %x, 16;\n    add.u64 %o, %o, %d;\n" half "    ld.global.b32 " load       \
    ", [%i];\n"                                                                                    \
    "    tex.2d.v4.f32." coordinate ";\n"                                                          \
    "    st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\n    ret;\n}\n"
    KERNEL("positions", "f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %h}]", "%f4",
           "    mov.f32 %h, 0f3F000000;\n")
        KERNEL("numbers", "s32 {%f0, %f1, %f2, %f3}, [%t, {%r0, %r1}]", "%r0",
               "    mov.u32 %r1, 0;\n");

enum { WIDTH = 9, MAX = 16 };
static const float texels[WIDTH] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

static CUmodule module;

static CUtexObject texture(CUaddress_mode mode, CUfilter_mode filter, unsigned flags) {
    CUDA_ARRAY_DESCRIPTOR d = {WIDTH, 1, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {.addressMode = {mode, mode, mode},
                             .filterMode = filter,
                             .flags = flags,
                             .borderColor = {2.5F}};
    CUtexObject t;
    OK(cuArrayCreate(&r.res.array.hArray, &d));
    OK(cuMemcpyHtoA(r.res.array.hArray, 0, texels, sizeof texels));
    OK(cuTexObjectCreate(&t, &r, &how, NULL));
    return t;
}

// What n threads get at coordinates: the first component. The others are to be `rest`.
static void fetch(const char *kernel, CUtexObject t, const void *in, unsigned n, const float *want,
                  float rest) {
    CUdeviceptr from, to;
    CUfunction f;
    float got[MAX][4];
    OK(cuMemAlloc(&from, MAX * 4));
    OK(cuMemAlloc(&to, sizeof got));
    OK(cuMemcpyHtoD(from, in, n * 4));
    void *params[] = {&t, &from, &to};
    OK(cuModuleGetFunction(&f, module, kernel));
    OK(cuLaunchKernel(f, 1, 1, 1, n, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(got, to, sizeof got));
    for (unsigned k = 0; k < n; k++)
        CHECK(got[k][0] == want[k] && got[k][1] == rest && got[k][2] == rest && got[k][3] == rest);
    OK(cuMemFree(from));
    OK(cuMemFree(to));
}

// A texel by its number is one of the image or 0, whatever the texture says.
static void numbers(void) {
    static const int at[] = {-2, -1, 0, 8, 9, 1000};
    static const float want[] = {0, 0, 1, 256, 0, 0};
    for (unsigned mode = CU_TR_ADDRESS_MODE_WRAP; mode <= CU_TR_ADDRESS_MODE_BORDER; mode++)
        for (unsigned filter = 0; filter < 2; filter++)
            fetch("numbers", texture((CUaddress_mode)mode, (CUfilter_mode)filter, 0), at, 6, want,
                  0);
}

// No number is 0, and so is one that is too small to be normal. Where images repeat only a
// coordinate's fraction counts, which large numbers do not have.
static void positions(void) {
    const float odd[] = {NAN, -1e-39F, 1e-39F, 1e15F, -1e30F, INFINITY};
    const float first[] = {1, 1, 1, 1, 1, 1},
                mean[] = {128.5F, 128.5F, 128.5F, 128.5F, 128.5F, 128.5F};
    const float beside[] = {1, 1, 1}, half[] = {1.75F, 1.75F, 1.75F};
    const unsigned repeat = CU_TRSF_NORMALIZED_COORDINATES;
    fetch("positions", texture(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, repeat), odd, 6,
          first, 0);
    fetch("positions", texture(CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT, repeat), odd, 6,
          first, 0);
    fetch("positions", texture(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, repeat), odd, 6,
          mean, 0);
    fetch("positions", texture(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0), odd, 3,
          beside, 0);
    // Half way between the border and texel 0.
    fetch("positions", texture(CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_LINEAR, 0), odd, 3,
          half, 0);
}

int main(void) {
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&module, ptx));
    numbers();
    positions();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
