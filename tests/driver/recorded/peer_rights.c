// Work of one device's context on mapped memory to which that device or another one has rights
// (guide 14.5, 14.7): whose right counts, with and without access between the contexts. It takes
// two devices.
#include "questions.h"

enum { BYTES = 4096 };

static CUdevice device[2];
static CUcontext context[2];
static CUdeviceptr plain[2], at;
static CUstream stream;
static char host[BYTES], *pinned;

// ---- Memory ---------------------------------------------------------------------------------

static const char *const words[] = {"none", "read", "both"};
static const CUmemAccess_flags flags[] = {CU_MEM_ACCESS_FLAGS_PROT_NONE,
                                          CU_MEM_ACCESS_FLAGS_PROT_READ,
                                          CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

// A page of device 0; right[d]: an index of flags, of device d. One that is none is not named.
static CUdeviceptr mapped(const int *right) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, device[0]}};
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    size_t page;
    MUST(cuMemGetAllocationGranularity(&page, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    MUST(cuMemAddressReserve(&p, page, 0, 0, 0));
    MUST(cuMemCreate(&h, page, &prop, 0));
    MUST(cuMemMap(p, page, 0, h, 0));
    MUST(cuMemRelease(h));
    for (int d = 0; d < 2; d++) {
        CUmemAccessDesc a = {{CU_MEM_LOCATION_TYPE_DEVICE, device[d]}, flags[right[d]]};
        if (right[d])
            answer(d ? "set access 1" : "set access 0", cuMemSetAccess(p, page, &a, 1));
    }
    return p;
}

// ---- Work, in the context of device 0 -------------------------------------------------------

static CUresult h_to_d(void) {
    return cuMemcpyHtoD(at, host, BYTES);
}
static CUresult h_to_d_pinned(void) {
    return cuMemcpyHtoDAsync(at, pinned, BYTES, stream);
}
static CUresult d_to_h(void) {
    return cuMemcpyDtoH(host, at, BYTES);
}
static CUresult d_to_h_pinned(void) {
    return cuMemcpyDtoHAsync(pinned, at, BYTES, stream);
}
static CUresult to_mapped(void) {
    return cuMemcpyDtoDAsync(at, plain[0], BYTES, stream);
}
static CUresult from_mapped(void) {
    return cuMemcpyDtoDAsync(plain[0], at, BYTES, stream);
}
static CUresult within(void) {
    return cuMemcpyDtoDAsync(at + BYTES, at, BYTES, stream);
}
static CUresult to_mapped_other(void) {
    return cuMemcpyDtoDAsync(at, plain[1], BYTES, stream);
}
static CUresult from_mapped_other(void) {
    return cuMemcpyDtoDAsync(plain[1], at, BYTES, stream);
}
static CUresult peer_to_mapped(void) {
    return cuMemcpyPeer(at, context[0], plain[1], context[1], BYTES);
}
static CUresult peer_to_mapped_1(void) {
    return cuMemcpyPeer(at, context[1], plain[0], context[0], BYTES);
}
static CUresult peer_from_mapped(void) {
    return cuMemcpyPeer(plain[1], context[1], at, context[0], BYTES);
}
static CUresult peer_from_mapped_1(void) {
    return cuMemcpyPeer(plain[0], context[0], at, context[1], BYTES);
}
static CUresult set_8(void) {
    return cuMemsetD8Async(at, 1, BYTES, stream);
}
static CUresult set_32_2d(void) {
    return cuMemsetD2D32(at, 1024, 1, 128, BYTES / 1024);
}
static CUresult write_value(void) {
    return cuStreamWriteValue32(stream, at, 1, 0);
}
static CUresult wait_value(void) {
    return cuStreamWaitValue32(stream, at, 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult launch_kernel(const char *name) {
    return question_access(name, at, plain[0], stream);
}
static CUresult kernel_reads(void) {
    return launch_kernel("rd");
}
static CUresult kernel_writes(void) {
    return launch_kernel("wr");
}

static CUresult copy_node(CUdeviceptr to, CUdeviceptr from, CUcontext of) {
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = from,
                       .dstDevice = to,
                       .WidthInBytes = BYTES,
                       .Height = 1,
                       .Depth = 1};
    CUgraph g;
    CUgraphNode n;
    CUgraphExec e;
    MUST(cuGraphCreate(&g, 0));
    CUresult r = answer("add", cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, of));
    if (!r)
        r = answer("instantiate", cuGraphInstantiateWithFlags(&e, g, 0));
    return r ? r : cuGraphLaunch(e, stream);
}
static CUresult node_to_mapped(void) {
    return copy_node(at, plain[0], context[0]);
}
static CUresult node_from_mapped(void) {
    return copy_node(plain[0], at, context[0]);
}
static CUresult node_to_mapped_1(void) {
    return copy_node(at, plain[0], context[1]);
}
static CUresult attribute(void) {
    CUpointer_attribute a[] = {CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
                               CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    for (int i = 0; i < 2; i++) {
        int v = 0;
        CUresult r = cuPointerGetAttribute(&v, a[i], at);
        printf("    %s: %s %d\n", i ? "device" : "access", result_name(r), r ? 0 : v);
    }
    return CUDA_SUCCESS;
}

#define WORK(X)                                                                                    \
    X(h_to_d)                                                                                      \
    X(h_to_d_pinned)                                                                               \
    X(d_to_h)                                                                                      \
    X(d_to_h_pinned)                                                                               \
    X(to_mapped)                                                                                   \
    X(from_mapped)                                                                                 \
    X(within)                                                                                      \
    X(to_mapped_other)                                                                             \
    X(from_mapped_other) X(peer_to_mapped) X(peer_to_mapped_1) X(peer_from_mapped)                 \
        X(peer_from_mapped_1) X(set_8) X(set_32_2d) X(write_value) X(wait_value) X(kernel_reads)   \
            X(kernel_writes) X(node_to_mapped) X(node_from_mapped) X(node_to_mapped_1)             \
                X(attribute)
static const struct {
    const char *name;
    CUresult (*run)(void);
} work[] = {
#define ONE(f) {#f, f},
    WORK(ONE)
#undef ONE
};

// ---- Questions ------------------------------------------------------------------------------

// Recorded: memory of device 0; rights up to "none and read".
enum { RIGHTS = 4, PEERS = 2 };

static void open_context(int d) {
    MUST(cuDeviceGet(&device[d], d));
    MUST(cuDevicePrimaryCtxRetain(&context[d], device[d]));
    MUST(cuCtxSetCurrent(context[d]));
    MUST(cuMemAlloc(&plain[d], BYTES));
    MUST(cuMemsetD8(plain[d], 3, BYTES));
    MUST(cuCtxSynchronize());
}

// state: the two rights, whether each context has access to the other.
static void ask(int w, int state) {
    int rights = state / PEERS, peers = state % PEERS;
    CUdeviceptr p;
    MUST(cuInit(0));
    open_context(1);
    open_context(0);
    if (peers) {
        MUST(cuCtxEnablePeerAccess(context[1], 0));
        MUST(cuCtxSetCurrent(context[1]));
        MUST(cuCtxEnablePeerAccess(context[0], 0));
        MUST(cuCtxSetCurrent(context[0]));
    }
    MUST(cuMemHostAlloc((void **)&pinned, BYTES, 0));
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    at = mapped((int[]){rights % 3, rights / 3});
    answer("result", work[w].run());
    answer("wait", cuCtxSynchronize());
    answer("later", cuMemAlloc(&p, 16));
}

// What is not compared. This driver refuses to write a value where NVIDIA's stream fails; that
// kernels of a device fault by that device's right takes protection keys (driver.rights).
static int differs(int rights, const char *name) {
    return (rights == 1 && !strcmp(name, "write_value")) ||
           (rights == 3 && !strncmp(name, "kernel", 6));
}

int main(int argc, char **argv) {
    enum { WORKS = sizeof work / sizeof *work };
    static struct question q[WORKS * RIGHTS * PEERS];
    int n = 0;
    for (int s = 0; s + 1 < RIGHTS * PEERS; s++)
        for (int w = 0; w < WORKS; w++) {
            int rights = s / PEERS;
            if (differs(rights, work[w].name))
                continue;
            snprintf(q[n].name, sizeof q[n].name, "%s and %s, %s: %s", words[rights % 3],
                     words[rights / 3], s % PEERS ? "peers" : "apart", work[w].name);
            q[n].ask = ask;
            q[n].a = w;
            q[n++].b = s;
        }
    return questions_run(q, n, argc, argv);
}
