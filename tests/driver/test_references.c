// Texture and surface references: cuTexRef*, cuSurfRef*.
#include "check.h"
#include "kernels.h"

#define FETCH(name, access)                                                                        \
    ".visible .entry " name "(.param .u64 out)\n"                                                  \
    "{\n"                                                                                          \
    "    .reg .b32 %r<4>;\n"                                                                       \
    "    .reg .f32 %f<5>;\n"                                                                       \
    "    .reg .b64 %rd<5>;\n"                                                                      \
    "    ld.param.u64 %rd1, [out];\n"                                                              \
    "    mov.u32 %r1, %tid.x;\n"                                                                   \
    "    shl.b32 %r2, %r1, 2;\n"                                                                   \
    "    mov.u32 %r3, 1;\n"                                                                        \
    "    cvt.u64.u32 %rd3, %r2;\n"                                                                 \
    "    add.s64 %rd4, %rd1, %rd3;\n" access "    st.global.f32 [%rd4], %f1;\n"                    \
    "    ret;\n"                                                                                   \
    "}\n"

// Texel tid.x of a line; texel (tid.x, 1) of an image,
// also by normalized coordinates; word tid.x of row 1 of a surface.
static const char ptx[] =
    PTX_HEAD ".visible .global .u64 tex;\n.visible .global .u64 surf;\n"
             ".visible .global .u32 number;\n" FETCH(
                 "line", "    ld.global.u64 %rd2, [tex];\n"
                         "    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];\n")
                 FETCH("image", "    ld.global.u64 %rd2, [tex];\n"
                                "    tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r3}];\n")
                     FETCH("normalized",
                           "    ld.global.u64 %rd2, [tex];\n"
                           "    cvt.rn.f32.u32 %f2, %r1;\n"
                           "    fma.rn.f32 %f2, %f2, 0f3e000000, 0f3d800000;\n" // (x + 0.5) / 8
                           "    mov.f32 %f3, 0f3f400000;\n"
                           "    tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f2, %f3}];\n")
                         FETCH("surface", "    ld.global.u64 %rd2, [surf];\n"
                                          "    suld.b.2d.b32.trap %r2, [%rd2, {%r2, %r3}];\n"
                                          "    mov.b32 %f1, %r2;\n");

static CUmodule module;
static CUdeviceptr out;

static int fetched(const char *kernel, const float *want) {
    CUfunction f;
    float got[8];
    void *params[] = {&out};
    OK(cuModuleGetFunction(&f, module, kernel));
    OK(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(got, out, sizeof got));
    return !memcmp(got, want, sizeof got);
}

static void linear(CUtexref t) {
    CUdeviceptr a, b, back;
    size_t offset = 99;
    CUarray array;
    float x[136], y[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    for (int i = 0; i < 136; i++)
        x[i] = (float)i * 0.5f;
    OK(cuMemAlloc(&a, sizeof x));
    OK(cuMemAlloc(&b, sizeof y));
    OK(cuMemcpyHtoD(a, x, sizeof x));
    OK(cuMemcpyHtoD(b, y, sizeof y));
    OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
    OK(cuTexRefSetAddress(&offset, t, a, 32));
    CHECK(offset == 0 && fetched("line", x));
    OK(cuTexRefSetAddress(&offset, t, b, 32));
    CHECK(fetched("line", y));
    OK(cuTexRefGetAddress(&back, t));
    CHECK(back == b);
    OK(cuTexRefSetAddress(&offset, t, a + 16, 32)); // the kernel would add the offset
    CHECK(offset == 16 && fetched("line", x));
    EXPECT(cuTexRefSetAddress(NULL, t, a + 16, 32), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefGetArray(&array, t), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuTexRefSetFlags(t, 0)); // what was bound is gone
    EXPECT(cuTexRefGetAddress(&back, t), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER));
}

static void of_arrays(CUtexref t, CUsurfref s) {
    CUarray a, back;
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 2, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray_format format;
    int channels;
    float x[16];
    for (int i = 0; i < 16; i++)
        x[i] = (float)i - 3;
    OK(cuArray3DCreate(&a, &d));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = x,
                          .srcPitch = 32,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = a,
                          .WidthInBytes = 32,
                          .Height = 2};
    OK(cuMemcpy2D(&copy));
    OK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    CHECK(fetched("image", x + 8));
    OK(cuTexRefGetArray(&back, t));
    CHECK(back == a);
    OK(cuTexRefGetFormat(&format, &channels, t));
    CHECK(format == CU_AD_FORMAT_FLOAT && channels == 1);
    OK(cuSurfRefSetArray(s, a, 0));
    CHECK(fetched("surface", x + 8));
    OK(cuSurfRefGetArray(&back, s));
    CHECK(back == a);
    EXPECT(cuTexRefSetArray(t, NULL, CU_TRSA_OVERRIDE_FORMAT), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuTexRefSetArray(t, a, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuSurfRefSetArray(s, a, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuSurfRefSetArray((CUsurfref)t, a, 0), CUDA_ERROR_INVALID_HANDLE);
    CHECK(fetched("image", x + 8)); // what failed changed nothing
}

// Rows with gaps, and the levels of a mipmapped array; both tell what they are.
static void rows_and_levels(CUtexref t) {
    enum { PITCH = 64 };
    CUdeviceptr rows, back;
    CUDA_ARRAY_DESCRIPTOR d = {8, 2, CU_AD_FORMAT_FLOAT, 1};
    CUDA_ARRAY3D_DESCRIPTOR d3 = {8, 2, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray m, got;
    CUarray level;
    CUfunction f;
    float x[2 * PITCH / 4], y[16];
    for (int i = 0; i < 2 * PITCH / 4; i++)
        x[i] = (float)i + 0.5f;
    for (int i = 0; i < 16; i++)
        y[i] = (float)(100 - i);
    OK(cuMemAlloc(&rows, sizeof x));
    OK(cuMemcpyHtoD(rows, x, sizeof x));
    OK(cuTexRefSetAddress2D(t, &d, rows, PITCH));
    CHECK(fetched("image", x + PITCH / 4));
    OK(cuTexRefGetAddress(&back, t));
    CHECK(back == rows);
    EXPECT(cuTexRefSetAddress2D(t, &d, rows + 4, PITCH), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetAddress2D(t, NULL, rows, PITCH), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefGetMipmappedArray(&got, t), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayCreate(&m, &d3, 2));
    OK(cuMipmappedArrayGetLevel(&level, m, 0));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = y,
                          .srcPitch = 32,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = level,
                          .WidthInBytes = 32,
                          .Height = 2};
    OK(cuMemcpy2D(&copy));
    OK(cuTexRefSetMipmappedArray(t, m, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES)); // which levels need
    CHECK(fetched("normalized", y + 8));
    OK(cuTexRefGetMipmappedArray(&got, t));
    CHECK(got == m);
    EXPECT(cuTexRefGetAddress(&back, t), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetMipmappedArray(t, m, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetMipmappedArray(t, NULL, CU_TRSA_OVERRIDE_FORMAT), CUDA_ERROR_INVALID_HANDLE);
    // Programs of old named a kernel's references; the module knows them.
    OK(cuModuleGetFunction(&f, module, "image"));
    OK(cuParamSetTexRef(f, CU_PARAM_TR_DEFAULT, t));
    EXPECT(cuParamSetTexRef(f, CU_PARAM_TR_DEFAULT, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(rows));
    OK(cuMipmappedArrayDestroy(m));
}

static void sampling(CUtexref t) {
    CUaddress_mode address;
    CUfilter_mode filter;
    unsigned flags;
    int aniso;
    float low, high, bias, border[4] = {1, 2, 3, 4}, got[4];
    OK(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_BORDER));
    OK(cuTexRefGetAddressMode(&address, t, 1));
    CHECK(address == CU_TR_ADDRESS_MODE_BORDER);
    OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefGetFilterMode(&filter, t));
    CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefSetMipmapFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefGetMipmapFilterMode(&filter, t));
    CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefSetMipmapLevelBias(t, 0.25f));
    OK(cuTexRefGetMipmapLevelBias(&bias, t));
    OK(cuTexRefSetMipmapLevelClamp(t, 1, 3));
    OK(cuTexRefGetMipmapLevelClamp(&low, &high, t));
    CHECK(bias == 0.25f && low == 1 && high == 3);
    OK(cuTexRefSetMaxAnisotropy(t, 4));
    OK(cuTexRefGetMaxAnisotropy(&aniso, t));
    OK(cuTexRefSetBorderColor(t, border));
    OK(cuTexRefGetBorderColor(got, t));
    CHECK(aniso == 4 && !memcmp(border, got, sizeof got));
    OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefGetFlags(&flags, t));
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES);
    EXPECT(cuTexRefSetAddressMode(t, 3, CU_TR_ADDRESS_MODE_WRAP), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetFilterMode(t, (CUfilter_mode)2), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetFlags(t, 0x1000), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 3), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefSetBorderColor(t, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void life(void) {
    CUtexref t, again;
    CUsurfref s;
    OK(cuModuleGetTexRef(&t, module, "tex"));
    OK(cuModuleGetTexRef(&again, module, "tex"));
    CHECK(t == again);
    OK(cuModuleGetSurfRef(&s, module, "surf"));
    EXPECT(cuModuleGetTexRef(&t, module, "none"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleGetTexRef(&t, module, "number"), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleGetTexRef(&t, NULL, "tex"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuModuleGetTexRef(NULL, module, "tex"), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexRefDestroy(again), CUDA_ERROR_INVALID_VALUE); // the module's
    linear(again);
    of_arrays(again, s);
    rows_and_levels(again);
    OK(cuTexRefCreate(&t));
    sampling(t);
    OK(cuTexRefDestroy(t));
    EXPECT(cuTexRefDestroy(t), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuTexRefSetFlags(t, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuModuleUnload(module));
    EXPECT(cuTexRefSetFlags(again, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuSurfRefSetArray(s, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
}

int main(void) {
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&module, ptx));
    OK(cuMemAlloc(&out, 32));
    life();
    CUtexref t;
    OK(cuTexRefCreate(&t)); // goes with the context
    OK(cuCtxDestroy(ctx));
    return check_result();
}
