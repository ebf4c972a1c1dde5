// Kernels whose results tell in which order they ran.
#ifndef KUDZU_TESTS_DRIVER_GRAPH_KERNELS_H
#define KUDZU_TESTS_DRIVER_GRAPH_KERNELS_H

#include "check.h"
#include "kernels.h"

// step(p, m, c): thread i of the grid makes p[i] = p[i] * m + c.
// join(out, a, b): *out = *a * 31 + *b.
// nothing(): no parameters, no effect.
static const char graph_ptx[] = PTX_HEAD PTX_NOTHING PTX_FILL
    ".visible .entry step(.param .u64 p, .param .u32 m, .param .u32 c)\n"
    "{\n"
    "    .reg .b32 %r<9>;\n"
    "    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    ld.param.u32 %r1, [m];\n"
    "    ld.param.u32 %r2, [c];\n"
    "    mov.u32 %r3, %ctaid.x;\n"
    "    mov.u32 %r4, %ntid.x;\n"
    "    mov.u32 %r5, %tid.x;\n"
    "    mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "    mul.wide.u32 %rd2, %r6, 4;\n"
    "    add.s64 %rd3, %rd1, %rd2;\n"
    "    ld.u32 %r7, [%rd3];\n"
    "    mad.lo.u32 %r8, %r7, %r1, %r2;\n"
    "    st.u32 [%rd3], %r8;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry join(.param .u64 out, .param .u64 a, .param .u64 b)\n"
    "{\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    ld.param.u64 %rd2, [a];\n"
    "    ld.param.u64 %rd3, [b];\n"
    "    ld.u32 %r1, [%rd2];\n"
    "    ld.u32 %r2, [%rd3];\n"
    "    mov.u32 %r3, 31;\n"
    "    mad.lo.u32 %r4, %r1, %r3, %r2;\n"
    "    st.u32 [%rd1], %r4;\n"
    "    ret;\n"
    "}\n";

static CUmodule graph_module;
static CUfunction nothing, fill, step, join;
static CUstream stream;

static inline CUcontext graph_context(void) {
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&graph_module, graph_ptx));
    NEED(cuModuleGetFunction(&nothing, graph_module, "nothing"));
    NEED(cuModuleGetFunction(&fill, graph_module, "fill"));
    NEED(cuModuleGetFunction(&step, graph_module, "step"));
    NEED(cuModuleGetFunction(&join, graph_module, "join"));
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return ctx;
}

static inline CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction f, unsigned grid, unsigned block,
                                                    void **params) {
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.func = f;
    p.gridDimX = grid;
    p.blockDimX = block;
    p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = params;
    return p;
}

// A node that makes *p = *p * m + c, after `after` (NULL: a root).
static inline CUgraphNode add_step(CUgraph g, CUgraphNode after, CUdeviceptr p, unsigned m,
                                   unsigned c) {
    CUgraphNode n = NULL;
    void *params[] = {&p, &m, &c};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(step, 1, 1, params);
    NEED(cuGraphAddKernelNode(&n, g, &after, after ? 1 : 0, &k));
    return n;
}

static inline unsigned word(CUdeviceptr p) {
    unsigned v = 0;
    OK(cuMemcpyDtoH(&v, p, 4));
    return v;
}

static inline CUDA_MEMCPY3D copy_1d(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = src;
    c.dstDevice = dst;
    c.WidthInBytes = bytes;
    c.Height = c.Depth = 1;
    return c;
}

#endif
