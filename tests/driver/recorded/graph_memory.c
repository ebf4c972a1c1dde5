// Memory of graphs, of devices and managed (guide, chapter 16): which properties allocation nodes
// take, and when what they reserve comes and goes. (NVIDIA's driver, of CUDA 13.0, gives memory of
// the device for managed memory, too.)
#include "questions.h"

enum { SIZE = 32 << 20 };

static CUstream stream;

static CUDA_MEM_ALLOC_NODE_PARAMS params(CUmemAllocationType type, CUmemLocationType where) {
    return (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = type, .location = {.type = where, .id = 0}}, .bytesize = SIZE};
}

static void show(const char *when) {
    cuuint64_t now = 0, high = 0;
    MUST(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &now));
    MUST(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &high));
    printf("    %s: reserved %llu high %llu (MiB)\n", when, (unsigned long long)now >> 20,
           (unsigned long long)high >> 20);
    fflush(stdout);
}

static void trim(const char *when) {
    answer("trim", cuDeviceGraphMemTrim(0));
    show(when);
}

// Which properties a node takes.
static void ask_properties(int type, int where) {
    CUDA_MEM_ALLOC_NODE_PARAMS p = params((CUmemAllocationType)type, (CUmemLocationType)where);
    CUgraph g;
    CUgraphNode n;
    question_context();
    MUST(cuGraphCreate(&g, 0));
    answer("add", cuGraphAddMemAllocNode(&n, g, NULL, 0, &p));
}

static void ask_access(int type, int location) {
    CUDA_MEM_ALLOC_NODE_PARAMS p = params((CUmemAllocationType)type, CU_MEM_LOCATION_TYPE_DEVICE);
    static const CUmemAccess_flags flags[] = {CU_MEM_ACCESS_FLAGS_PROT_NONE,
                                              CU_MEM_ACCESS_FLAGS_PROT_READ,
                                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUgraph g;
    CUgraphNode n;
    question_context();
    MUST(cuGraphCreate(&g, 0));
    for (int i = 0; i < 3; i++) {
        CUmemAccessDesc d = {{.type = (CUmemLocationType)location, .id = 0}, flags[i]};
        p.accessDescs = &d;
        p.accessDescCount = 1;
        answer("add", cuGraphAddMemAllocNode(&n, g, NULL, 0, &p));
    }
}

static CUgraph graph_of(CUmemAllocationType type, int frees, CUdeviceptr *at) {
    CUDA_MEM_ALLOC_NODE_PARAMS p = params(type, CU_MEM_LOCATION_TYPE_DEVICE);
    CUgraph g;
    CUgraphNode a, set, f;
    CUcontext c;
    MUST(cuCtxGetCurrent(&c));
    MUST(cuGraphCreate(&g, 0));
    MUST(cuGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    CUDA_MEMSET_NODE_PARAMS s = {p.dptr, 0, 7, 1, SIZE, 1};
    MUST(cuGraphAddMemsetNode(&set, g, &a, 1, &s, c));
    if (frees)
        MUST(cuGraphAddMemFreeNode(&f, g, &set, 1, p.dptr));
    *at = p.dptr;
    return g;
}

// A graph that frees what it allocates, through its life.
static void ask_freed(int type, int late) {
    CUdeviceptr p;
    CUgraphExec e;
    question_context();
    MUST(cuStreamCreate(&stream, 0));
    show("at first");
    CUgraph g = graph_of((CUmemAllocationType)type, 1, &p);
    show("node added");
    MUST(cuGraphInstantiateWithFlags(&e, g, 0));
    show("instantiated");
    answer("upload", cuGraphUpload(e, stream));
    MUST(cuStreamSynchronize(stream));
    show("uploaded");
    answer("launch", cuGraphLaunch(e, stream));
    MUST(cuStreamSynchronize(stream));
    show("launched");
    if (!late)
        trim("trimmed");
    answer("launch", cuGraphLaunch(e, stream));
    MUST(cuStreamSynchronize(stream));
    show("launched again");
    MUST(cuGraphDestroy(g));
    show("graph destroyed");
    MUST(cuGraphExecDestroy(e));
    show("executable destroyed");
    trim("trimmed");
    trim("trimmed again");
}

// A graph that leaves its memory allocated.
static void ask_left(int type, int how) {
    CUdeviceptr p;
    CUgraphExec e;
    unsigned char byte = 0;
    question_context();
    MUST(cuStreamCreate(&stream, 0));
    CUgraph g = graph_of((CUmemAllocationType)type, 0, &p);
    MUST(cuGraphInstantiateWithFlags(&e, g, 0));
    show("instantiated");
    MUST(cuGraphLaunch(e, stream));
    MUST(cuStreamSynchronize(stream));
    show("launched");
    answer("copy", cuMemcpyDtoH(&byte, p, 1));
    answer("launch again", cuGraphLaunch(e, stream));
    trim("trimmed");
    answer("copy", cuMemcpyDtoH(&byte, p, 1));
    if (how >= 2) {
        MUST(cuGraphExecDestroy(e));
        show("executable destroyed");
        MUST(cuGraphDestroy(g));
        show("graph destroyed");
        trim("trimmed");
        answer("copy", cuMemcpyDtoH(&byte, p, 1));
    }
    if (how % 2)
        answer("free", cuMemFree(p));
    else
        answer("free", cuMemFreeAsync(p, stream));
    MUST(cuStreamSynchronize(stream));
    show("freed");
    answer("copy", cuMemcpyDtoH(&byte, p, 1));
    if (how == 0) {
        answer("launch again", cuGraphLaunch(e, stream));
        MUST(cuStreamSynchronize(stream));
        show("launched again");
        answer("free", cuMemFreeAsync(p, stream));
        MUST(cuStreamSynchronize(stream));
    }
    if (how < 2) {
        trim("trimmed");
        MUST(cuGraphExecDestroy(e));
        show("executable destroyed");
        MUST(cuGraphDestroy(g));
        show("graph destroyed");
    }
    trim("trimmed");
}

// What a graph that is gone reserved, and a later graph of the same or another size or kind.
static void ask_next(int first, int second) {
    CUdeviceptr p, q;
    CUgraphExec e;
    question_context();
    MUST(cuStreamCreate(&stream, 0));
    CUgraph g = graph_of((CUmemAllocationType)first, 1, &p);
    MUST(cuGraphInstantiateWithFlags(&e, g, 0));
    MUST(cuGraphLaunch(e, stream));
    MUST(cuStreamSynchronize(stream));
    MUST(cuGraphExecDestroy(e));
    MUST(cuGraphDestroy(g));
    show("first destroyed");
    g = graph_of((CUmemAllocationType)second, 1, &q);
    show("second made");
    MUST(cuGraphInstantiateWithFlags(&e, g, 0));
    MUST(cuGraphLaunch(e, stream));
    MUST(cuStreamSynchronize(stream));
    show("second launched");
    trim("trimmed");
    MUST(cuGraphExecDestroy(e));
    MUST(cuGraphDestroy(g));
    show("second destroyed");
    trim("trimmed");
}

int main(int argc, char **argv) {
    static const struct {
        CUmemAllocationType type;
        const char *name;
    } types[] = {{CU_MEM_ALLOCATION_TYPE_PINNED, "pinned"},
                 {CU_MEM_ALLOCATION_TYPE_MANAGED, "managed"}};
    static const char *const locations[] = {"nowhere", "device", "host", "numa", "numa_current"};
    static struct question q[64];
    int n = 0;
#define ADD(f, x, y, ...)                                                                          \
    do {                                                                                           \
        q[n] = (struct question){.ask = f, .a = (int)(x), .b = (int)(y)};                          \
        snprintf(q[n++].name, sizeof q->name, __VA_ARGS__);                                        \
    } while (0)
    for (int t = 0; t < 2; t++) {
        for (int l = 0; l < 5; l++)
            ADD(ask_properties, types[t].type, l, "%s of %s", types[t].name, locations[l]);
        for (int l = 1; l < 4; l++)
            ADD(ask_access, types[t].type, l, "%s with access of %s", types[t].name, locations[l]);
        ADD(ask_freed, types[t].type, 0, "%s freed", types[t].name);
        ADD(ask_freed, types[t].type, 1, "%s freed, trimmed late", types[t].name);
        for (int how = 0; how < 4; how++)
            ADD(ask_left, types[t].type, how, "%s left, %d", types[t].name, how);
        ADD(ask_next, types[t].type, types[t].type, "%s, then %s", types[t].name, types[t].name);
    }
    ADD(ask_properties, 0, CU_MEM_LOCATION_TYPE_DEVICE, "no type");
    return questions_run(q, n, argc, argv);
}
