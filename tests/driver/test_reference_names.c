// Names of .texref, .samplerref and .surfref variables in PTX, bound by cuTexRef*, cuSurfRef*, and
// accesses to surfaces by texel (suld.p, sust.p, sured.p).
#include "check.h"

#define HEAD(name, more)                                                                           \
    ".visible .entry " name "(.param .u64 out)\n"                                                  \
    "{\n"                                                                                          \
    "    .reg .b32 %r<8>;\n"                                                                       \
    "    .reg .f32 %f<8>, %x;\n"                                                                   \
    "    .reg .b64 %rd<4>, %o;\n"                                                                  \
    "    ld.param.u64 %o, [out];\n"                                                                \
    "    mov.u32 %r0, %tid.x;\n"                                                                   \
    "    mul.wide.u32 %rd1, %r0, 16;\n"                                                            \
    "    add.u64 %o, %o, %rd1;\n"                                                                  \
    "    cvt.rn.f32.u32 %x, %r0;\n" more "    ret;\n}\n"
#define FETCH(name, instruction)                                                                   \
    HEAD(name, instruction "    st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\n")
#define WORDS(name, instruction)                                                                   \
    HEAD(name, instruction "    st.global.v4.b32 [%o], {%r1, %r2, %r3, %r4};\n")

static const char ptx[] =
    ".version 8.5\n.target sm_90, texmode_independent\n.address_size 64\n"
    ".global .texref image;\n"
    ".visible .global .surfref surface;\n"
    ".global .samplerref nearest = {filter_mode = nearest, addr_mode_0 = clamp_to_edge};\n"
    ".global .samplerref linear = {filter_mode = linear, addr_mode_0 = clamp_to_edge};\n"
    ".global .samplerref bordered = {addr_mode_0 = clamp_to_border};\n"
    // by the name, and by a register that was given it; between texels 0 and 1 and so on
    FETCH("named", "    tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%x}];\n")
        FETCH("moved", "    mov.u64 %rd2, image;\n"
                       "    tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd2, {%x}];\n")
            FETCH("samplers",
                  "    add.f32 %x, %x, 0f3F800000;\n" // x + 1: half way between x and x + 1
                  "    tex.1d.v4.f32.f32 {%f0, %f4, %f5, %f6}, [image, nearest, {%x}];\n"
                  "    tex.1d.v4.f32.f32 {%f1, %f4, %f5, %f6}, [image, linear, {%x}];\n"
                  "    add.f32 %x, %x, 0f42C80000;\n" // far outside
                  "    tex.1d.v4.f32.f32 {%f2, %f4, %f5, %f6}, [image, nearest, {%x}];\n"
                  "    tex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, bordered, {%x}];\n")
                WORDS("queries", "    txq.width.b32 %r1, [image];\n"
                                 "    txq.filter_mode.b32 %r2, [linear];\n"
                                 "    txq.addr_mode_0.b32 %r3, [bordered];\n"
                                 "    suq.width.b32 %r4, [surface];\n")
                    WORDS("load", "    suld.p.1d.v4.b32.zero {%r1, %r2, %r3, %r4}, "
                                  "[surface, {%r0}];\n")
                        WORDS("store", "    neg.s32 %r5, %r0;\n"
                                       "    mul.lo.s32 %r1, %r5, 100;\n"
                                       "    mul.lo.s32 %r2, %r0, 100;\n"
                                       "    mov.u32 %r3, %r0;\n"
                                       "    mov.u32 %r4, 7;\n"
                                       "    sust.p.1d.v4.s32.zero [surface, {%r0}], "
                                       "{%r1, %r2, %r3, %r4};\n")
                            WORDS("count", "    mov.u32 %r1, 2;\n"
                                           "    sured.p.add.1d.s32.zero [surface, {%r1}], %r0;\n"
                                           "    sured.p.min.1d.s32.zero [surface, {1}], -5;\n"
                                           "    mov.u32 %r2, 0;\n    mov.u32 %r3, 0;\n"
                                           "    mov.u32 %r4, 0;\n");

enum { THREADS = 8 };

static CUmodule module;
static CUdeviceptr out;

union words {
    float f[THREADS][4];
    int32_t i[THREADS][4];
};

static union words launch(const char *kernel) {
    CUfunction f;
    union words got;
    void *params[] = {&out};
    OK(cuModuleGetFunction(&f, module, kernel));
    OK(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, 0, params, NULL));
    OK(cuMemcpyDtoH(&got, out, sizeof got));
    return got;
}

static CUarray array_of(CUarray_format format, unsigned channels, const void *data, size_t bytes) {
    CUDA_ARRAY3D_DESCRIPTOR d = {THREADS, 0, 0, format, channels, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray a;
    OK(cuArray3DCreate(&a, &d));
    OK(cuMemcpyHtoA(a, 0, data, bytes));
    return a;
}

static void textures(void) {
    static const float texels[THREADS] = {1, 2, 4, 8, 16, 32, 64, 128};
    CUarray a = array_of(CU_AD_FORMAT_FLOAT, 1, texels, sizeof texels);
    CUtexref t, sampler;
    OK(cuModuleGetTexRef(&t, module, "image"));
    OK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    union words got = launch("named"), moved = launch("moved");
    for (int i = 0; i < THREADS; i++)
        CHECK(got.f[i][0] == texels[i] && got.f[i][1] == 0 && got.f[i][3] == 0);
    CHECK(!memcmp(&got, &moved, sizeof got));
    got = launch("samplers");
    for (int i = 0; i < THREADS; i++) {
        float next = texels[i + 1 < THREADS ? i + 1 : THREADS - 1];
        CHECK(got.f[i][0] == next);
        CHECK(got.f[i][1] == (texels[i] + next) / 2);
        CHECK(got.f[i][2] == 128);
        CHECK(got.f[i][3] == 0);
    }
    // A sampler that is bound takes what the texture reference says.
    OK(cuModuleGetTexRef(&sampler, module, "nearest"));
    OK(cuTexRefSetFilterMode(sampler, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefSetArray(sampler, a, CU_TRSA_OVERRIDE_FORMAT));
    got = launch("samplers");
    CHECK(got.f[0][0] == 1.5f && got.f[0][1] == 1.5f);
}

static void surfaces(void) {
    static const int8_t bytes[THREADS][4] = {{-1, 2, -3, 4}, {-128, 127, 0, 1}};
    static const uint16_t halves[THREADS][2] = {{0x3c00, 0xc000}, {0x0001, 0x7c00}};
    static const int32_t words[THREADS] = {0, 100, 1000};
    CUsurfref s;
    OK(cuModuleGetSurfRef(&s, module, "surface"));
    CUarray a = array_of(CU_AD_FORMAT_SIGNED_INT8, 4, bytes, sizeof bytes);
    OK(cuSurfRefSetArray(s, a, 0));
    union words got = launch("queries");
    CHECK(got.i[0][0] == THREADS && got.i[0][1] == 1 && got.i[0][2] == 3 && got.i[0][3] == THREADS);
    got = launch("load");
    for (int k = 0; k < 4; k++)
        CHECK(got.i[0][k] == bytes[0][k] && got.i[1][k] == bytes[1][k]);
    launch("store"); // saturates
    int8_t stored[THREADS][4];
    OK(cuMemcpyAtoH(stored, a, 0, sizeof stored));
    CHECK(stored[1][0] == -100 && stored[1][1] == 100 && stored[1][2] == 1 && stored[1][3] == 7);
    CHECK(stored[3][0] == -128 && stored[3][1] == 127 && stored[3][2] == 3);
    a = array_of(CU_AD_FORMAT_HALF, 2, halves, sizeof halves);
    OK(cuSurfRefSetArray(s, a, 0));
    got = launch("load");
    CHECK(got.f[0][0] == 1 && got.f[0][1] == -2 && got.f[0][2] == 0 && got.f[0][3] == 1);
    CHECK(got.f[1][0] == 0x1p-24f && got.i[1][1] == 0x7f800000);
    a = array_of(CU_AD_FORMAT_SIGNED_INT32, 1, words, sizeof words);
    OK(cuSurfRefSetArray(s, a, 0));
    launch("count");
    int32_t counted[THREADS];
    OK(cuMemcpyAtoH(counted, a, 0, sizeof counted));
    CHECK(counted[0] == 0 && counted[1] == -5 && counted[2] == 1000 + 28);
}

// A name that nothing is bound to: the handle 0 names no object.
static void unbound(void) {
    CUfunction f;
    void *params[] = {&out};
    OK(cuModuleGetFunction(&f, module, "named"));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void) {
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&module, ptx));
    OK(cuMemAlloc(&out, sizeof(union words)));
    textures();
    surfaces();
    OK(cuModuleUnload(module));
    NEED(cuModuleLoadData(&module, ptx));
    unbound();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
