// Graphs as text in the DOT language, for people to look at (cuGraphDebugDotPrint).
#include <stdio.h>

#include "driver/graph/graph.h"

struct dot {
    FILE *out;
    unsigned flags;
    unsigned clusters; // child graphs and bodies so far
};

static const char *type_name(CUgraphNodeType type) {
    static const char *const names[] = {"KERNEL",         "MEMCPY",       "MEMSET",
                                        "HOST",           "GRAPH",        "EMPTY",
                                        "WAIT_EVENT",     "EVENT_RECORD", "EXT_SEMAS_SIGNAL",
                                        "EXT_SEMAS_WAIT", "MEM_ALLOC",    "MEM_FREE",
                                        "BATCH_MEM_OP",   "CONDITIONAL"};
    return (unsigned)type < sizeof names / sizeof names[0] ? names[type] : "?";
}

static bool wants(const struct dot *d, unsigned flag) {
    return d->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static void print_kernel(const struct dot *d, const CUDA_KERNEL_NODE_PARAMS *p) {
    struct drv_function *f = NULL;
    if (drv_params_function(p, &f) == CUDA_SUCCESS)
        fprintf(d->out, "\\n%s", kd_kernel_info(f->k)->name);
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        fprintf(d->out, "\\ngrid (%u,%u,%u) block (%u,%u,%u) shared %u", p->gridDimX, p->gridDimY,
                p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ, p->sharedMemBytes);
}

static void print_params(const struct dot *d, const struct drv_node *n) {
    const CUgraphNodeParams *p = &n->params;
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL)
        print_kernel(d, &p->kernel);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
        wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
        fprintf(d->out, "\\n%zu x %zu x %zu bytes", p->memcpy.copyParams.WidthInBytes,
                p->memcpy.copyParams.Height, p->memcpy.copyParams.Depth);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMSET &&
        wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
        fprintf(d->out, "\\n%#llx = %#x, %zu x %zu elements of %u bytes", p->memset.dst,
                p->memset.value, p->memset.width, p->memset.height, p->memset.elementSize);
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
        wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS))
        fprintf(d->out, "\\n%zu bytes at %#llx", p->alloc.bytesize, p->alloc.dptr);
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
        wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
        fprintf(d->out, "\\n%#llx", p->free.dptr);
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
        fprintf(d->out, "\\nhandle %p", n->object.handle);
}

// Nodes are called by their numbers, which are the process's own.
static void print_graph(struct dot *d, const struct drv_graph *g) {
    for (const struct drv_node *n = g->first; n; n = n->next) {
        fprintf(d->out, "n%llu [label=\"%s", (unsigned long long)n->id, type_name(n->params.type));
        print_params(d, n);
        fputs("\"];\n", d->out);
        for (size_t e = 0; e < n->out.n; e++)
            fprintf(d->out, "n%llu -> n%llu%s;\n", (unsigned long long)n->id,
                    (unsigned long long)n->out.at[e].node->id,
                    n->out.at[e].data.type ? " [style=dashed]" : "");
        for (unsigned k = 0; k < n->ngraphs; k++) {
            fprintf(d->out, "subgraph cluster_%u {\nlabel=\"of n%llu\";\n", d->clusters++,
                    (unsigned long long)n->id);
            print_graph(d, n->graphs[k]);
            fputs("}\n", d->out);
        }
    }
}

// CUDA_ERROR_OPERATING_SYSTEM: the file cannot be written.
CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags) {
    ENTER();
    REQUIRE_POINTER(path);
    struct drv_graph *g;
    TRY(drv_graph_find(hGraph, &g));
    REQUIRE(!(flags & ~0xFFFFu), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of the output",
            flags);
    struct dot d = {fopen(path, "w"), flags, 0};
    REQUIRE(d.out, CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path);
    fputs("digraph dot {\n", d.out);
    print_graph(&d, g);
    fputs("}\n", d.out);
    bool written = !ferror(d.out);
    written = fclose(d.out) == 0 && written;
    REQUIRE(written, CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path);
    return CUDA_SUCCESS;
}
