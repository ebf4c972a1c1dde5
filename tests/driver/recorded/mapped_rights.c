// Copies, sets and other work of the driver on mapped memory with every kind of access rights
// (guide 14.7): what a driver answers, at once and after waiting, and whether an error stays.
#include "questions.h"

enum { BYTES = 4096 };

// ---- Memory ---------------------------------------------------------------------------------

enum state {
    NONE,
    READ,
    BOTH,
    TAKEN,
    READ_LEFT,
    UNMAPPED,
    HALF_NONE,
    HALF_READ,
    HALF_UNMAPPED,
    HOST_NONE,
    HOST_ONLY,
    HOST_DEVICE,
    HOST_BOTH,
    STATES
};
static const char *const state_names[STATES] = {
    "none",      "read",          "both",      "taken",     "read_left",   "unmapped", "half_none",
    "half_read", "half_unmapped", "host_none", "host_only", "host_device", "host_both"};

static size_t page;

static CUresult allow(CUdeviceptr p, size_t size, CUmemLocationType type, CUmemAccess_flags flags) {
    CUmemAccessDesc d = {{.type = type, .id = 0}, flags};
    return cuMemSetAccess(p, size, &d, 1);
}

static void map(CUdeviceptr p, CUmemLocationType type) {
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {type, 0}};
    CUmemGenericAllocationHandle h;
    MUST(cuMemCreate(&h, page, &prop, 0));
    MUST(cuMemMap(p, page, 0, h, 0));
    MUST(cuMemRelease(h));
}

// Where the work is done: in the middle of two pages, or at the beginning of one.
static CUdeviceptr memory_in(enum state s) {
    static const CUmemAccess_flags none = CU_MEM_ACCESS_FLAGS_PROT_NONE,
                                   read = CU_MEM_ACCESS_FLAGS_PROT_READ,
                                   both = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    static const CUmemLocationType device = CU_MEM_LOCATION_TYPE_DEVICE,
                                   host = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {device, 0}};
    CUdeviceptr p, half;
    MUST(cuMemGetAllocationGranularity(&page, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    MUST(cuMemAddressReserve(&p, 2 * page, 0, 0, 0));
    half = p + page - BYTES / 2;
    if (s == UNMAPPED)
        return p;
    map(p, s >= HOST_NONE ? host : device);
    if (s == NONE || s == HOST_NONE)
        return p;
    if (s == HOST_ONLY) {
        answer("set access", allow(p, page, host, both));
        return p;
    }
    if (s != READ)
        MUST(allow(p, page, device, both));
    if (s == BOTH || s == HOST_DEVICE)
        return p;
    if (s == HOST_BOTH) {
        answer("set access", allow(p, page, host, both));
        return p;
    }
    if (s == READ) {
        answer("set access", allow(p, page, device, read));
        return p;
    }
    MUST(cuMemsetD8(p, 5, page));
    MUST(cuCtxSynchronize());
    if (s == TAKEN) {
        answer("set access", allow(p, page, device, none));
        return p;
    }
    if (s == READ_LEFT) {
        answer("set access", allow(p, page, device, read));
        return p;
    }
    if (s == HALF_UNMAPPED)
        return half;
    map(p + page, device);
    if (s == HALF_READ)
        answer("set access", allow(p + page, page, device, read));
    return half;
}

// ---- Work -----------------------------------------------------------------------------------

static char host[BYTES];
static char *pinned;
static CUdeviceptr plain, at;
static CUstream stream;

static CUDA_MEMCPY2D box_2d(int to_mapped) {
    CUDA_MEMCPY2D c = {.WidthInBytes = 512, .Height = BYTES / 1024};
    c.srcMemoryType = to_mapped ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstMemoryType = to_mapped ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    c.srcPitch = c.dstPitch = 1024;
    c.srcHost = c.dstHost = host;
    c.srcDevice = c.dstDevice = at;
    return c;
}

static CUDA_MEMCPY3D box_3d(CUdeviceptr to, CUdeviceptr from) {
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .dstDevice = to,
                           .srcPitch = 256,
                           .dstPitch = 256,
                           .srcHeight = 4,
                           .dstHeight = 4,
                           .WidthInBytes = 128,
                           .Height = 4,
                           .Depth = BYTES / 1024};
}

static CUresult h_to_d(void) {
    return cuMemcpyHtoD(at, host, BYTES);
}
static CUresult h_to_d_async(void) {
    return cuMemcpyHtoDAsync(at, host, BYTES, stream);
}
static CUresult h_to_d_pinned(void) {
    return cuMemcpyHtoDAsync(at, pinned, BYTES, stream);
}
static CUresult d_to_h(void) {
    return cuMemcpyDtoH(host, at, BYTES);
}
static CUresult d_to_h_async(void) {
    return cuMemcpyDtoHAsync(host, at, BYTES, stream);
}
static CUresult d_to_h_pinned(void) {
    return cuMemcpyDtoHAsync(pinned, at, BYTES, stream);
}
static CUresult to_mapped(void) {
    return cuMemcpyDtoD(at, plain, BYTES);
}
static CUresult from_mapped(void) {
    return cuMemcpyDtoD(plain, at, BYTES);
}
static CUresult within(void) {
    return cuMemcpyDtoD(at + BYTES / 2, at, BYTES / 2);
}
static CUresult to_mapped_async(void) {
    return cuMemcpyDtoDAsync(at, plain, BYTES, stream);
}
static CUresult from_mapped_async(void) {
    return cuMemcpyDtoDAsync(plain, at, BYTES, stream);
}
static CUresult unified_to(void) {
    return cuMemcpy(at, plain, BYTES);
}
static CUresult unified_from(void) {
    return cuMemcpy((CUdeviceptr)(uintptr_t)host, at, BYTES);
}
static CUresult set_8(void) {
    return cuMemsetD8(at, 1, BYTES);
}
static CUresult set_8_async(void) {
    return cuMemsetD8Async(at, 1, BYTES, stream);
}
static CUresult set_32_2d(void) {
    return cuMemsetD2D32(at, 1024, 1, 128, BYTES / 1024);
}
static CUresult h_to_d_2d(void) {
    CUDA_MEMCPY2D c = box_2d(1);
    return cuMemcpy2D(&c);
}
static CUresult d_to_h_2d(void) {
    CUDA_MEMCPY2D c = box_2d(0);
    return cuMemcpy2D(&c);
}
static CUresult to_mapped_3d(void) {
    CUDA_MEMCPY3D c = box_3d(at, plain);
    return cuMemcpy3D(&c);
}
static CUresult from_mapped_3d(void) {
    CUDA_MEMCPY3D c = box_3d(plain, at);
    return cuMemcpy3DAsync(&c, stream);
}
static CUresult write_value(void) {
    return cuStreamWriteValue32(stream, at, 1, 0);
}
static CUresult wait_value(void) {
    return cuStreamWaitValue32(stream, at, 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUarray array_of_row(void) {
    CUDA_ARRAY_DESCRIPTOR d = {BYTES, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray a;
    MUST(cuArrayCreate(&a, &d));
    return a;
}
static CUresult array_to_mapped(void) {
    return cuMemcpyAtoD(at, array_of_row(), 0, BYTES);
}
static CUresult mapped_to_array(void) {
    return cuMemcpyDtoA(array_of_row(), 0, at, BYTES);
}

static CUresult launch_kernel(const char *name) {
    return question_access(name, at, plain, stream);
}
static CUresult kernel_reads(void) {
    return launch_kernel("rd");
}
static CUresult kernel_writes(void) {
    return launch_kernel("wr");
}

static CUresult launch_graph(CUgraph g) {
    CUgraphExec e;
    CUresult r = answer("instantiate", cuGraphInstantiateWithFlags(&e, g, 0));
    return r ? r : cuGraphLaunch(e, stream);
}
static CUresult copy_node(CUdeviceptr to, CUdeviceptr from) {
    CUDA_MEMCPY3D c = box_3d(to, from);
    CUcontext ctx;
    CUgraph g;
    CUgraphNode n;
    MUST(cuCtxGetCurrent(&ctx));
    MUST(cuGraphCreate(&g, 0));
    CUresult r = answer("add", cuGraphAddMemcpyNode(&n, g, NULL, 0, &c, ctx));
    return r ? r : launch_graph(g);
}
static CUresult node_to_mapped(void) {
    return copy_node(at, plain);
}
static CUresult node_from_mapped(void) {
    return copy_node(plain, at);
}
static CUresult set_node(void) {
    CUDA_MEMSET_NODE_PARAMS p = {at, 0, 1, 1, BYTES, 1};
    CUcontext ctx;
    CUgraph g;
    CUgraphNode n;
    MUST(cuCtxGetCurrent(&ctx));
    MUST(cuGraphCreate(&g, 0));
    CUresult r = answer("add", cuGraphAddMemsetNode(&n, g, NULL, 0, &p, ctx));
    return r ? r : launch_graph(g);
}
static CUresult captured(int copy) {
    CUgraph g;
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    answer("call", copy ? cuMemcpyDtoDAsync(at, plain, BYTES, stream)
                        : cuMemsetD8Async(at, 1, BYTES, stream));
    CUresult r = answer("end", cuStreamEndCapture(stream, &g));
    return r ? r : launch_graph(g);
}
static CUresult captured_copy(void) {
    return captured(1);
}
static CUresult captured_set(void) {
    return captured(0);
}
static CUresult attribute(void) {
    CUpointer_attribute a[] = {CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               CU_POINTER_ATTRIBUTE_MAPPED};
    static const char *const names[] = {"access", "type", "mapped"};
    for (int i = 0; i < 3; i++) {
        int v = 0;
        CUresult r = cuPointerGetAttribute(&v, a[i], at);
        printf("    %s: %s %d\n", names[i], result_name(r), r ? 0 : v);
    }
    return CUDA_SUCCESS;
}

#define WORK(X)                                                                                    \
    X(h_to_d)                                                                                      \
    X(h_to_d_async)                                                                                \
    X(h_to_d_pinned)                                                                               \
    X(d_to_h)                                                                                      \
    X(d_to_h_async)                                                                                \
    X(d_to_h_pinned)                                                                               \
    X(to_mapped) X(from_mapped) X(within) X(to_mapped_async) X(from_mapped_async) X(unified_to)    \
        X(unified_from) X(set_8) X(set_8_async) X(set_32_2d) X(h_to_d_2d) X(d_to_h_2d)             \
            X(to_mapped_3d) X(from_mapped_3d) X(write_value) X(wait_value) X(array_to_mapped)      \
                X(mapped_to_array) X(kernel_reads) X(kernel_writes) X(node_to_mapped)              \
                    X(node_from_mapped) X(set_node) X(captured_copy) X(captured_set) X(attribute)
static const struct {
    const char *name;
    CUresult (*run)(void);
} work[] = {
#define ONE(f) {#f, f},
    WORK(ONE)
#undef ONE
};

// What is not compared. NVIDIA's driver ends the process where it copies memory that the host may
// not touch; it takes a set that is captured, and refuses to instantiate the graph; and a stream
// that writes a value where it may only read fails when it comes to that. This one refuses the
// calls.
static int differs(enum state s, const char *name) {
    int set = !strncmp(name, "set", 3) || !strcmp(name, "captured_set");
    int value = !strncmp(name, "w", 1) && strcmp(name, "within");
    int kernel = !strncmp(name, "kernel", 6);
    if (!strcmp(name, "captured_set"))
        return s != BOTH && s != HOST_DEVICE && s != HOST_BOTH;
    if (!strcmp(name, "write_value"))
        return s == READ || s == READ_LEFT;
    if (s == UNMAPPED)
        return !strncmp(name, "unified", 7);
    return s == HOST_NONE && !set && !value && !kernel && strcmp(name, "attribute");
}

static void ask(int w, int s) {
    CUdeviceptr p;
    question_context();
    at = memory_in((enum state)s);
    MUST(cuMemAlloc(&plain, BYTES));
    MUST(cuMemHostAlloc((void **)&pinned, BYTES, 0));
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuMemsetD8(plain, 3, BYTES));
    MUST(cuCtxSynchronize());
    answer("result", work[w].run());
    answer("wait", cuCtxSynchronize());
    answer("later", cuMemAlloc(&p, 16));
}

int main(int argc, char **argv) {
    enum { WORKS = sizeof work / sizeof *work };
    static struct question q[WORKS * STATES];
    int n = 0;
    for (int s = 0; s < STATES; s++)
        for (int w = 0; w < WORKS; w++) {
            if (differs((enum state)s, work[w].name))
                continue;
            snprintf(q[n].name, sizeof q[n].name, "%s %s", state_names[s], work[w].name);
            q[n].ask = ask;
            q[n].a = w;
            q[n++].b = s;
        }
    return questions_run(q, n, argc, argv);
}
