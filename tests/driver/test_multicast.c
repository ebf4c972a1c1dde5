// Multicast objects: cuMulticast*, and multimem instructions on them, with two devices.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

enum { PAGE = 2 << 20 };

#define KERNEL(name, more)                                                                         \
    ".visible .entry " name "(.param .u64 at, .param .u64 out)\n{\n"                               \
    "    .reg .b32 %r<8>;\n    .reg .f32 %f<8>;\n    .reg .f64 %d<2>;\n    .reg .b16 %h<4>;\n"     \
    "    .reg .b64 %a, %o, %rd<4>;\n"                                                              \
    "    ld.param.u64 %a, [at];\n    ld.param.u64 %o, [out];\n" more "    ret;\n}\n"

static const char ptx[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
    // thread i: word i of both
    KERNEL("sum", "    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %rd1, %r1, 4;\n"
                  "    add.u64 %a, %a, %rd1;\n    add.u64 %o, %o, %rd1;\n"
                  "    multimem.ld_reduce.relaxed.gpu.global.add.s32 %r2, [%a];\n"
                  "    st.global.b32 [%o], %r2;\n")
        KERNEL("kinds",
               "    multimem.ld_reduce.weak.global.add.f32 %f1, [%a];\n"
               "    st.global.f32 [%o], %f1;\n"
               "    multimem.ld_reduce.weak.global.max.f16x2 %r1, [%a+8];\n"
               "    st.global.b32 [%o+4], %r1;\n"
               "    multimem.ld_reduce.acquire.sys.global.add.acc::f32.v2.f16x2 {%r1, %r2}, "
               "[%a+16];\n"
               "    st.global.v2.b32 [%o+8], {%r1, %r2};\n"
               "    multimem.ld_reduce.relaxed.cta.global.min.s64 %rd1, [%a+24];\n"
               "    st.global.b64 [%o+16], %rd1;\n"
               "    multimem.ld_reduce.relaxed.cta.global.xor.b32 %r1, [%a+32];\n"
               "    st.global.b32 [%o+24], %r1;\n")
            KERNEL("write", "    mov.f32 %f1, 0f3F800000;\n    mov.f32 %f2, 0f40000000;\n"
                            "    multimem.st.release.sys.global.v2.f32 [%a], {%f1, %f2};\n"
                            "    mov.b32 %r1, 5;\n"
                            "    multimem.red.relaxed.gpu.global.add.u32 [%a+8], %r1;\n"
                            "    multimem.red.release.sys.global.add.v2.f32 [%a+16], {%f1, %f2};\n")
                KERNEL("load", "    ld.global.b32 %r1, [%a];\n    st.global.b32 [%o], %r1;\n");

static CUmodule module;
static CUdeviceptr out;

static CUmemAllocationProp on_device(int device) {
    CUmemAllocationProp p = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    p.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
    return p;
}

static CUresult launch(const char *kernel, CUdeviceptr at, unsigned threads) {
    CUfunction f;
    void *params[] = {&at, &out};
    OK(cuModuleGetFunction(&f, module, kernel));
    OK(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, 0, params, NULL));
    return cuCtxSynchronize();
}

static void errors(void) {
    CUmulticastObjectProp prop = {.numDevices = 2, .size = 2 * PAGE}, bad = prop;
    CUmemGenericAllocationHandle mc, memory;
    CUmemAllocationProp plain = on_device(0);
    size_t granularity = 0;
    OK(cuMulticastGetGranularity(&granularity, &prop, CU_MULTICAST_GRANULARITY_RECOMMENDED));
    CHECK(granularity && PAGE % granularity == 0);
    EXPECT(cuMulticastGetGranularity(NULL, &prop, CU_MULTICAST_GRANULARITY_MINIMUM),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastGetGranularity(&granularity, &prop, (CUmulticastGranularity_flags)5),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastCreate(NULL, &prop), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastCreate(&mc, NULL), CUDA_ERROR_INVALID_VALUE);
    bad.numDevices = 0;
    EXPECT(cuMulticastCreate(&mc, &bad), CUDA_ERROR_INVALID_VALUE);
    bad.numDevices = 3;
    EXPECT(cuMulticastCreate(&mc, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = prop;
    bad.size = 4096;
    EXPECT(cuMulticastCreate(&mc, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = prop;
    bad.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    EXPECT(cuMulticastCreate(&mc, &bad), CUDA_ERROR_NOT_SUPPORTED);
    bad.handleTypes = 16;
    EXPECT(cuMulticastCreate(&mc, &bad), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastCreate(&mc, &prop));
    OK(cuMemCreate(&memory, PAGE, &plain, 0));
    EXPECT(cuMulticastAddDevice(mc, 7), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMulticastAddDevice(memory, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastAddDevice(mc, 0));
    EXPECT(cuMulticastAddDevice(mc, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastAddDevice(mc, 1));
    EXPECT(cuMulticastBindMem(mc, 0, mc, 0, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastBindMem(mc, 0, memory, 0, PAGE, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastBindMem(mc, 16, memory, 0, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastBindMem(mc, 0, memory, PAGE, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastBindMem(mc, 2 * PAGE, memory, 0, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastBindAddr(mc, 0, out, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastBindMem(mc, PAGE, memory, 0, PAGE, 0));
    EXPECT(cuMulticastBindMem(mc, PAGE, memory, 0, PAGE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastUnbind(mc, 1, PAGE, PAGE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastUnbind(mc, 0, 0, PAGE), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastUnbind(mc, 0, PAGE, PAGE));
    OK(cuMulticastBindMem(mc, 0, memory, 0, PAGE, 0));
    OK(cuMemRelease(memory)); // stays bound
    OK(cuMemRelease(mc));
    EXPECT(cuMulticastAddDevice(mc, 0), CUDA_ERROR_INVALID_VALUE);
}

// Memory of each device, mapped by itself, bound to one object.
struct team {
    CUmemGenericAllocationHandle mc, memory[2];
    CUdeviceptr own[2], all;
};

static CUdeviceptr mapped(CUmemGenericAllocationHandle h) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr p;
    NEED(cuMemAddressReserve(&p, PAGE, 0, 0, 0));
    NEED(cuMemMap(p, PAGE, 0, h, 0));
    NEED(cuMemSetAccess(p, PAGE, &access, 1));
    return p;
}

static struct team make_team(void) {
    struct team t;
    CUmulticastObjectProp prop = {.numDevices = 2, .size = PAGE};
    NEED(cuMulticastCreate(&t.mc, &prop));
    for (int d = 0; d < 2; d++) {
        CUmemAllocationProp plain = on_device(d);
        NEED(cuMulticastAddDevice(t.mc, d));
        NEED(cuMemCreate(&t.memory[d], PAGE, &plain, 0));
        t.own[d] = mapped(t.memory[d]);
    }
    OK(cuMulticastBindMem(t.mc, 0, t.memory[0], 0, PAGE, 0));
    OK(cuMulticastBindAddr(t.mc, 0, t.own[1], PAGE, 0));
    t.all = mapped(t.mc);
    return t;
}

static void instructions(const struct team *t) {
    int32_t word[2][64], got[64];
    for (int i = 0; i < 64; i++) {
        word[0][i] = i;
        word[1][i] = -3 * i + 7;
    }
    for (int d = 0; d < 2; d++)
        OK(cuMemcpyHtoD(t->own[d], word[d], sizeof word[d]));
    OK(launch("sum", t->all, 64));
    OK(cuMemcpyDtoH(got, out, sizeof got));
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == 7 - 2 * i);
    // f32 1.5 + 2; f16x2 {1, -2}, {0.5, 4}; {2048, 1} + {1, 1} twice; s64; b32
    uint32_t a[10] = {0x3fc00000, 0, 0xc0003c00, 0, 0x3c006800, 0x3c006800, 5, 0, 0xff00ff00},
             b[10] = {0x40000000, 0, 0x44003800, 0, 0x3c003c00, 0x3c003c00, ~0u, ~0u, 0x0ff00ff0};
    uint32_t r[8];
    OK(cuMemcpyHtoD(t->own[0], a, sizeof a));
    OK(cuMemcpyHtoD(t->own[1], b, sizeof b));
    OK(launch("kinds", t->all, 1));
    OK(cuMemcpyDtoH(r, out, sizeof r));
    CHECK(r[0] == 0x40600000 && r[1] == 0x44003c00);
    CHECK(r[2] == 0x40006800 && r[3] == 0x40006800); // 2049 is rounded to even
    CHECK(r[4] == ~0u && r[5] == ~0u && r[6] == 0xf0f0f0f0);
    OK(launch("write", t->all, 3));
    for (int d = 0; d < 2; d++) {
        float f[2];
        uint32_t n, before = d ? b[2] : a[2];
        OK(cuMemcpyDtoH(f, t->own[d], sizeof f));
        OK(cuMemcpyDtoH(&n, t->own[d] + 8, 4));
        CHECK(f[0] == 1 && f[1] == 2 && n == before + 15);
    }
}

// The addresses serve multimem alone; where nothing is bound, not even that.
static void misuse(struct team *t) {
    uint32_t w = 0;
    EXPECT(cuMemcpyHtoD(t->all, &w, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMulticastUnbind(t->mc, 0, 0, PAGE));
    int32_t one = 41, got;
    OK(cuMemcpyHtoD(t->own[1], &one, 4));
    OK(launch("sum", t->all, 1)); // of what is left
    OK(cuMemcpyDtoH(&got, out, 4));
    CHECK(got == 41);
    OK(cuMulticastUnbind(t->mc, 1, 0, PAGE));
    EXPECT(launch("sum", t->all, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}

struct late {
    CUmemGenericAllocationHandle mc;
};

static void *add_late(void *arg) {
    struct late *l = arg;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    OK(cuMulticastAddDevice(l->mc, 1));
    return NULL;
}

// Binding waits until all devices have been added.
static void waits(void) {
    CUmulticastObjectProp prop = {.numDevices = 2, .size = PAGE};
    CUmemAllocationProp plain = on_device(0);
    CUmemGenericAllocationHandle memory;
    struct late l;
    pthread_t thread;
    NEED(cuMulticastCreate(&l.mc, &prop));
    NEED(cuMemCreate(&memory, PAGE, &plain, 0));
    OK(cuMulticastAddDevice(l.mc, 0));
    pthread_create(&thread, NULL, add_late, &l);
    OK(cuMulticastBindMem(l.mc, 0, memory, 0, PAGE, 0));
    pthread_join(thread, NULL);
    OK(cuMemRelease(l.mc));
    OK(cuMemRelease(memory));
}

int main(void) {
    setenv("KUDZU_DEVICES", "2", 1);
    CUcontext ctx = check_context();
    int supported = 0;
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuMemAlloc(&out, 256));
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    CHECK(supported);
    errors();
    waits();
    struct team t = make_team();
    instructions(&t);
    misuse(&t);
    OK(cuCtxDestroy(ctx));
    // Everything can be given back, whatever happened to the context.
    OK(cuMemUnmap(t.all, PAGE));
    OK(cuMemAddressFree(t.all, PAGE));
    OK(cuMemRelease(t.mc));
    for (int d = 0; d < 2; d++) {
        OK(cuMemUnmap(t.own[d], PAGE));
        OK(cuMemAddressFree(t.own[d], PAGE));
        OK(cuMemRelease(t.memory[d]));
    }
    return check_result();
}
