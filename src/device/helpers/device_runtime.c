// The functions of the device runtime (guide 13.3.1.8): what kernels call to launch kernels, to
// copy and set memory, and to ask about devices and functions. Errors and structures are the
// runtime API's. An argument that is an address is followed before anything is changed: a bad one
// ends the kernel like any access of its own.
#include <stdlib.h>
#include <string.h>

#include "cuda_device_runtime_api.h"
#include "driver_types.h"
#include "kudzu/runtime_errors.h"

#include "device/check/check.h"
#include "device/check/check_children.h"
#include "device/code/kernel.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/internal.h"
#include "device/sched/copy.h"
#include "device/sched/graph.h"
#include "device/sched/nested.h"
#include "support/check/check_tools.h"

enum { BUFFER_ALIGN = 64, MAX_PARAMS = 32764, VERSION = 12090 };

struct buffer {
    struct buffer *next;
    uint8_t *bytes;
    uint64_t size;
    // Of cudaGetParameterBufferV2: what will be launched.
    bool complete;
    uint64_t kernel;
    uint32_t grid[3], block[3], shared;
};

// What the threads of one block have done with the device runtime so far.
struct block_calls {
    uint64_t gridid, block_index;
    struct op *tail; // of the block's NULL stream, held
    struct buffer *buffers;
    bool failed; // some thread has an error
    uint16_t errors[MAX_UNITS];
};

struct call {
    struct kd_block *b;
    struct op *grid;
    struct kd_context *context;
    uint32_t thread;
    const uint64_t *args;
};

static const struct kd_device_queries *queries;

void kd_set_device_queries(const struct kd_device_queries *q) {
    queries = q;
}

// ---- State of a block ---------------------------------------------------------------------

static void drop_buffers(struct block_calls *s) {
    while (s->buffers) {
        struct buffer *b = s->buffers;
        s->buffers = b->next;
        free(b->bytes);
        free(b);
    }
}

static void reset(struct block_calls *s, const struct kd_block *b) {
    drop_buffers(s);
    if (s->tail)
        op_unref(s->tail);
    s->tail = NULL;
    if (s->failed)
        memset(s->errors, 0, sizeof s->errors);
    s->failed = false;
    s->gridid = b->gridid;
    s->block_index = b->block_index;
}

// NULL: no memory.
static struct block_calls *calls_of(const struct call *c) {
    struct resident *r = resident_of(c->b);
    struct block_calls *s = r->calls;
    if (!s) {
        s = r->calls = calloc(1, sizeof *s);
        if (s)
            reset(s, c->b);
    } else if (s->gridid != c->b->gridid || s->block_index != c->b->block_index) {
        reset(s, c->b);
    }
    return s;
}

// The calling thread's last error becomes `error`, unless there is none.
static cudaError_t done(const struct call *c, cudaError_t error) {
    struct block_calls *s = error ? calls_of(c) : NULL;
    if (s) {
        s->errors[c->thread] = (uint16_t)error;
        s->failed = true;
    }
    return error;
}

static cudaError_t last_error(const struct call *c, bool clear) {
    struct block_calls *s = calls_of(c);
    cudaError_t error = s ? (cudaError_t)s->errors[c->thread] : cudaErrorMemoryAllocation;
    if (s && clear)
        s->errors[c->thread] = 0;
    return error;
}

static void *pointer(const struct call *c, int k) {
    return (void *)(uintptr_t)c->args[k]; // NOLINT: a generic address is a host address
}

// An aggregate argument: an offset in the thread's local memory.
static const void *aggregate(const struct call *c, int k) {
    return c->b->local + (uint64_t)c->thread * c->b->local_stride + c->args[k];
}

static bool is_local_or_shared(const struct call *c, const void *p) {
    uint64_t address = (uint64_t)(uintptr_t)p, shared = (uint64_t)(uintptr_t)c->b->shared;
    uint64_t local = (uint64_t)(uintptr_t)c->b->local;
    return address - shared < c->b->shared_window_bytes ||
           address - local < c->b->local_stride * c->b->nthreads;
}

// ---- Streams and events -------------------------------------------------------------------

static cudaError_t place_of(const struct call *c, uint64_t stream, enum nested_place *place) {
    if (stream <= (uint64_t)(uintptr_t)cudaStreamPerThread)
        *place = NESTED_BLOCK; // work of a thread is in order there, too
    else if (stream == (uint64_t)(uintptr_t)cudaStreamTailLaunch)
        *place = NESTED_TAIL;
    else if (stream == (uint64_t)(uintptr_t)cudaStreamFireAndForget)
        *place = NESTED_FORGET;
    else if (nested_stream_known(c->grid, stream))
        *place = NESTED_STREAM;
    else
        return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
}

// A stream that can be waited for, and wait.
static cudaError_t ordered_place_of(const struct call *c, uint64_t stream,
                                    enum nested_place *place) {
    cudaError_t error = place_of(c, stream, place);
    return error                                              ? error
           : *place == NESTED_TAIL || *place == NESTED_FORGET ? cudaErrorInvalidValue
                                                              : cudaSuccess;
}

static cudaError_t stream_create(const struct call *c) {
    uint64_t *out = pointer(c, 0);
    if (!out || (uint32_t)c->args[1] != cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *out = 0;
    uint64_t stream = nested_stream_new(c->grid);
    *out = stream;
    return stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t stream_destroy(const struct call *c) {
    return nested_stream_free(c->grid, c->args[0]) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t event_create(const struct call *c) {
    uint64_t *out = pointer(c, 0);
    if (!out || (uint32_t)c->args[1] != cudaEventDisableTiming)
        return cudaErrorInvalidValue;
    *out = 0;
    uint64_t event = nested_event_new(c->grid);
    *out = event;
    return event ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t event_destroy(const struct call *c) {
    return nested_event_free(c->grid, c->args[0]) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t event_record(const struct call *c) {
    enum nested_place place;
    struct block_calls *s = calls_of(c);
    cudaError_t error = ordered_place_of(c, c->args[1], &place);
    if (error)
        return error;
    if (!nested_event_known(c->grid, c->args[0]))
        return cudaErrorInvalidResourceHandle;
    if (!s)
        return cudaErrorMemoryAllocation;
    nested_event_record(c->grid, c->args[0], place, c->args[1], s->tail);
    return cudaSuccess;
}

static cudaError_t stream_wait(const struct call *c) {
    enum nested_place place;
    struct block_calls *s = calls_of(c);
    cudaError_t error = ordered_place_of(c, c->args[0], &place);
    if (error)
        return error;
    if ((uint32_t)c->args[2])
        return cudaErrorInvalidValue;
    if (!nested_event_known(c->grid, c->args[1]))
        return cudaErrorInvalidResourceHandle;
    return s && nested_stream_wait(c->grid, place, c->args[0], &s->tail, c->args[1])
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

// ---- Launches -----------------------------------------------------------------------------

static struct kd_kernel *kernel_of(const struct call *c, uint64_t address) {
    struct kd_module *m = c->grid->launch.kernel->module;
    uint64_t index = (address - KD_KERNEL_HANDLE) / 16;
    bool known = address >= KD_KERNEL_HANDLE && address % 16 == 0 && index < m->info->nkernels;
    return known ? &m->kernels[index] : NULL;
}

static struct buffer *buffer_new(const struct call *c, uint64_t size) {
    struct block_calls *s = calls_of(c);
    struct buffer *b = s ? calloc(1, sizeof *b) : NULL;
    size_t rounded = (size + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    if (b)
        b->bytes = aligned_alloc(BUFFER_ALIGN, rounded ? rounded : BUFFER_ALIGN);
    if (!b || !b->bytes) {
        free(b);
        return NULL;
    }
    memset(b->bytes, 0, rounded ? rounded : BUFFER_ALIGN);
    if (check_tools() & CHECK_RACE) // the memory may have been another buffer
        check_race_forget((uint64_t)(uintptr_t)b->bytes, rounded);
    b->size = size;
    b->next = s->buffers;
    s->buffers = b;
    return b;
}

static struct buffer **find_buffer(struct block_calls *s, const void *bytes) {
    struct buffer **b = &s->buffers;
    while (*b && (*b)->bytes != bytes)
        b = &(*b)->next;
    return b;
}

static uint64_t parameter_buffer(const struct call *c) {
    if (c->args[1] > MAX_PARAMS || c->args[0] > BUFFER_ALIGN) {
        done(c, cudaErrorInvalidValue);
        return 0;
    }
    struct buffer *b = buffer_new(c, c->args[1]);
    if (!b)
        done(c, cudaErrorMemoryAllocation);
    return b ? (uint64_t)(uintptr_t)b->bytes : 0;
}

static uint64_t parameter_buffer_v2(const struct call *c) {
    struct kd_kernel *k = kernel_of(c, c->args[0]);
    struct buffer *b = k ? buffer_new(c, k->info->param_bytes) : NULL;
    if (!b) {
        done(c, k ? cudaErrorMemoryAllocation : cudaErrorInvalidDeviceFunction);
        return 0;
    }
    b->complete = true;
    b->kernel = c->args[0];
    memcpy(b->grid, aggregate(c, 1), sizeof b->grid);
    memcpy(b->block, aggregate(c, 2), sizeof b->block);
    b->shared = (uint32_t)c->args[3];
    return (uint64_t)(uintptr_t)b->bytes;
}

static cudaError_t error_of(enum kd_status status) {
    switch (status) {
    case KD_OK:
        return cudaSuccess;
    case KD_OUT_OF_MEMORY:
        return cudaErrorMemoryAllocation;
    case KD_OUT_OF_RESOURCES:
        return cudaErrorLaunchOutOfResources;
    case KD_NOT_FOUND:
        return cudaErrorSymbolNotFound;
    case KD_INVALID_CLUSTER:
        return cudaErrorInvalidClusterSize;
    case KD_INVALID_PTX:
        return cudaErrorInvalidPtx;
    case KD_NO_BINARY:
        return cudaErrorNoKernelImageForDevice;
    case KD_JIT_NOT_FOUND:
        return cudaErrorJitCompilerNotFound;
    case KD_SYSTEM:
        return cudaErrorOperatingSystem;
    default:
        return cudaErrorInvalidValue;
    }
}

static bool is_shape(const struct kd_launch_config *l) {
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    return l->grid[0] && l->grid[1] && l->grid[2] && l->block[0] && l->block[1] && l->block[2] &&
           l->grid[0] <= INT32_MAX && l->grid[1] <= 65535 && l->grid[2] <= 65535 &&
           l->block[0] <= 1024 && l->block[1] <= 1024 && l->block[2] <= 64 && threads <= 1024;
}

// The shape that the host has set for the kernel's clusters counts here, too.
static bool is_cluster(struct kd_launch_config *l) {
    uint32_t blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        l->cluster[i] = kd_kernel_cluster(l->kernel, i);
        blocks *= l->cluster[i];
    }
    return blocks <= KD_CLUSTER_PORTABLE || kd_kernel_large_clusters(l->kernel);
}

static bool reserve(struct kd_context *c) {
    uint64_t most = kd_context_get_limit(c, KD_LIMIT_PENDING_LAUNCHES);
    if (atomic_fetch_add(&c->pending_launches, 1) < most)
        return true;
    atomic_fetch_sub(&c->pending_launches, 1);
    return false;
}

static cudaError_t launch(const struct call *c, struct block_calls *s, uint64_t stream,
                          const struct kd_launch_config *config) {
    enum nested_place place;
    enum kd_status status;
    cudaError_t error = place_of(c, stream, &place);
    if (error)
        return error;
    if (c->grid->launch.depth >= NESTED_MAX_DEPTH && place != NESTED_TAIL)
        return cudaErrorLaunchMaxDepthExceeded;
    if (!reserve(c->context))
        return cudaErrorLaunchOutOfResources; // guide 13.4.3.1.3
    struct op *op = nested_launch_new(c->grid, config, &status);
    if (!op) {
        atomic_fetch_sub(&c->context->pending_launches, 1);
        return error_of(status);
    }
    op->counted = true;
    if (check_tools() & CHECK_RACE)
        check_child_launched(c->b, c->thread, op);
    return nested_submit(c->grid, op, place, stream, &s->tail) ? cudaSuccess
                                                               : cudaErrorMemoryAllocation;
}

static cudaError_t launch_kernel(const struct call *c, uint64_t kernel, const void *params,
                                 const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                                 uint64_t stream) {
    struct block_calls *s = calls_of(c);
    struct kd_launch_config l = {.kernel = kernel_of(c, kernel), .shared_bytes = shared};
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    if (!s)
        return cudaErrorMemoryAllocation;
    if (!l.kernel)
        return cudaErrorInvalidDeviceFunction;
    if (!is_shape(&l))
        return cudaErrorInvalidConfiguration;
    if (!is_cluster(&l))
        return cudaErrorInvalidClusterSize;
    struct buffer **at = find_buffer(s, params), *buffer = *at;
    l.param_bytes = l.kernel->info->param_bytes;
    l.params = params;
    if (l.param_bytes && (!params || (buffer && buffer->size < l.param_bytes)))
        return cudaErrorInvalidValue;
    return launch(c, s, stream, &l);
}

// A buffer is the launch's, whatever becomes of that.
static void drop_buffer(const struct call *c, const void *bytes) {
    struct block_calls *s = calls_of(c);
    struct buffer **at = s ? find_buffer(s, bytes) : NULL, *b = at ? *at : NULL;
    if (!b)
        return;
    *at = b->next;
    free(b->bytes);
    free(b);
}

static cudaError_t launch_device(const struct call *c) {
    cudaError_t error = launch_kernel(c, c->args[0], pointer(c, 1), aggregate(c, 2),
                                      aggregate(c, 3), (uint32_t)c->args[4], c->args[5]);
    drop_buffer(c, pointer(c, 1));
    return error;
}

static cudaError_t launch_device_v2(const struct call *c) {
    struct block_calls *s = calls_of(c);
    struct buffer *b = s ? *find_buffer(s, pointer(c, 0)) : NULL;
    if (!b || !b->complete)
        return cudaErrorInvalidValue;
    cudaError_t error =
        launch_kernel(c, b->kernel, b->bytes, b->grid, b->block, b->shared, c->args[1]);
    drop_buffer(c, pointer(c, 0));
    return error;
}

// ---- Copies and sets ----------------------------------------------------------------------

static cudaError_t submit(const struct call *c, struct op *op, uint64_t stream) {
    enum nested_place place;
    struct block_calls *s = calls_of(c);
    cudaError_t error = place_of(c, stream, &place);
    if (!error && !s)
        error = cudaErrorMemoryAllocation;
    if (error) {
        op_unref(op);
        return error;
    }
    op->immediate = false; // not on the stack of a kernel
    if (check_tools() & CHECK_RACE)
        check_child_launched(c->b, c->thread, op);
    return nested_submit(c->grid, op, place, stream, &s->tail) ? cudaSuccess
                                                               : cudaErrorMemoryAllocation;
}

// From the first byte to the last one.
static uint64_t span(uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch,
                     uint64_t slice) {
    bool none = !width || !height || !depth;
    return none ? 0 : width + (height - 1) * pitch + (depth - 1) * slice;
}

static void check_copy(const struct call *c, const struct kd_copy *copy) {
    uint64_t to = (uint64_t)(uintptr_t)copy->dst, from = (uint64_t)(uintptr_t)copy->src;
    check_submitted(c->b, c->thread, to, true,
                    span(copy->width, copy->height, copy->depth, copy->dst_pitch, copy->dst_slice));
    check_submitted(c->b, c->thread, from, false,
                    span(copy->width, copy->height, copy->depth, copy->src_pitch, copy->src_slice));
}

static cudaError_t submit_copy(const struct call *c, const struct kd_copy *copy, uint32_t kind,
                               uint64_t stream) {
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (is_local_or_shared(c, copy->dst) || is_local_or_shared(c, copy->src))
        return cudaErrorInvalidValue;
    if ((copy->height > 1 || copy->depth > 1) &&
        (copy->dst_pitch < copy->width || copy->src_pitch < copy->width))
        return cudaErrorInvalidPitchValue;
    if (check_tools() & CHECK_MEMORY)
        check_copy(c, copy);
    struct op *op = nested_op_new(c->grid, OP_COPY);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->copy = *copy;
    copy_plan(op);
    return submit(c, op, stream);
}

static cudaError_t copy_1d(const struct call *c) {
    uint64_t n = c->args[2];
    struct kd_copy copy = {.dst = pointer(c, 0),
                           .src = pointer(c, 1),
                           .width = n,
                           .height = 1,
                           .depth = 1,
                           .dst_pitch = n,
                           .src_pitch = n};
    return submit_copy(c, &copy, (uint32_t)c->args[3], c->args[4]);
}

static cudaError_t copy_2d(const struct call *c) {
    struct kd_copy copy = {.dst = pointer(c, 0),
                           .src = pointer(c, 2),
                           .width = c->args[4],
                           .height = c->args[5],
                           .depth = 1,
                           .dst_pitch = c->args[1],
                           .src_pitch = c->args[3]};
    return submit_copy(c, &copy, (uint32_t)c->args[6], c->args[7]);
}

static uint8_t *place_in(const struct cudaPitchedPtr *p, const struct cudaPos *at) {
    return (uint8_t *)p->ptr + (at->z * p->ysize + at->y) * p->pitch + at->x;
}

static cudaError_t copy_3d(const struct call *c) {
    const struct cudaMemcpy3DParms *p = pointer(c, 0);
    if (!p || p->srcArray || p->dstArray)
        return cudaErrorInvalidValue;
    struct kd_copy copy = {.dst = place_in(&p->dstPtr, &p->dstPos),
                           .src = place_in(&p->srcPtr, &p->srcPos),
                           .width = p->extent.width,
                           .height = p->extent.height,
                           .depth = p->extent.depth,
                           .dst_pitch = p->dstPtr.pitch,
                           .src_pitch = p->srcPtr.pitch,
                           .dst_slice = p->dstPtr.pitch * p->dstPtr.ysize,
                           .src_slice = p->srcPtr.pitch * p->srcPtr.ysize};
    return submit_copy(c, &copy, p->kind, c->args[1]);
}

static cudaError_t submit_set(const struct call *c, struct kd_set *set, int value,
                              uint64_t stream) {
    set->element = 1;
    set->value = (uint8_t)value;
    if (is_local_or_shared(c, set->dst))
        return cudaErrorInvalidValue;
    if ((set->height > 1 || set->depth > 1) && set->pitch < set->width)
        return cudaErrorInvalidPitchValue;
    if (check_tools() & CHECK_MEMORY)
        check_submitted(c->b, c->thread, (uint64_t)(uintptr_t)set->dst, true,
                        span(set->width, set->height, set->depth, set->pitch, set->slice));
    struct op *op = nested_op_new(c->grid, OP_SET);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->set = *set;
    set_plan(op);
    return submit(c, op, stream);
}

static cudaError_t set_1d(const struct call *c) {
    struct kd_set set = {.dst = pointer(c, 0), .width = c->args[2], .height = 1, .depth = 1};
    return submit_set(c, &set, (int)c->args[1], c->args[3]);
}

static cudaError_t set_2d(const struct call *c) {
    struct kd_set set = {.dst = pointer(c, 0),
                         .pitch = c->args[1],
                         .width = c->args[3],
                         .height = c->args[4],
                         .depth = 1};
    return submit_set(c, &set, (int)c->args[2], c->args[5]);
}

static cudaError_t set_3d(const struct call *c) {
    const struct cudaPitchedPtr *p = aggregate(c, 0);
    const struct cudaExtent *e = aggregate(c, 2);
    struct kd_set set = {.dst = p->ptr,
                         .pitch = p->pitch,
                         .slice = p->pitch * p->ysize,
                         .width = e->width,
                         .height = e->height,
                         .depth = e->depth};
    return submit_set(c, &set, (int)c->args[1], c->args[3]);
}

// ---- Graphs -------------------------------------------------------------------------------

static cudaError_t graph_launch(const struct call *c) {
    const uint64_t first = (uint64_t)(uintptr_t)cudaStreamGraphTailLaunch;
    uint64_t mode = c->args[1] / first; // the three streams are 1, 2 and 3 times the first
    if (!queries || c->args[1] % first || mode < NESTED_GRAPH_TAIL || mode > NESTED_GRAPH_SIBLING)
        return cudaErrorInvalidValue;
    struct kd_graph *g = queries->graph(c->args[0]);
    if (!g)
        return cudaErrorInvalidValue;
    cudaError_t error = error_of(graph_launch_nested(g, c->grid, (enum nested_graph_mode)mode));
    kd_graph_unref(g);
    return error;
}

// A copy of what a kernel points to, which is read before anything is locked or allocated: a bad
// address ends the kernel here.
static void *copy_of(const void *from, size_t size) {
    const volatile uint8_t *byte = from;
    for (size_t at = 0; at < size; at += 4096)
        (void)byte[at];
    (void)byte[size - 1];
    void *to = malloc(size);
    return to ? memcpy(to, from, size) : NULL;
}

static enum kd_status update_node(const struct cudaGraphKernelNodeUpdate *from) {
    struct cudaGraphKernelNodeUpdate u = *from;
    struct kd_kernel_update k = {0};
    void *value = NULL;
    switch (u.field) {
    case cudaGraphKernelNodeFieldGridDim:
        k.kind = KD_UPDATE_GRID;
        k.grid[0] = u.updateData.gridDim.x;
        k.grid[1] = u.updateData.gridDim.y;
        k.grid[2] = u.updateData.gridDim.z;
        break;
    case cudaGraphKernelNodeFieldParam:
        k.kind = KD_UPDATE_PARAM;
        k.offset = u.updateData.param.offset;
        k.size = u.updateData.param.size;
        if (!k.size || k.size > MAX_PARAMS || !u.updateData.param.pValue)
            return KD_INVALID_VALUE;
        if (!(k.value = value = copy_of(u.updateData.param.pValue, k.size)))
            return KD_OUT_OF_MEMORY;
        break;
    case cudaGraphKernelNodeFieldEnabled:
        k.kind = KD_UPDATE_ENABLED;
        k.enabled = u.updateData.isEnabled != 0;
        break;
    default:
        return KD_INVALID_VALUE;
    }
    enum kd_status status =
        queries ? queries->update((uint64_t)(uintptr_t)u.node, &k) : KD_NOT_FOUND;
    free(value);
    return status;
}

// In their order; the first that cannot be made ends it.
static cudaError_t update_nodes(const struct call *c) {
    const struct cudaGraphKernelNodeUpdate *u = pointer(c, 0);
    if (!u && c->args[1])
        return cudaErrorInvalidValue;
    for (uint64_t i = 0; i < c->args[1]; i++) {
        enum kd_status status = update_node(&u[i]);
        if (status)
            return status == KD_NOT_FOUND ? cudaErrorInvalidValue : error_of(status);
    }
    return cudaSuccess;
}

// ---- Memory -------------------------------------------------------------------------------

static cudaError_t allocate(const struct call *c) {
    uint64_t *out = pointer(c, 0);
    if (!out)
        return cudaErrorInvalidValue;
    *out = 0;
    uint64_t p = c->args[1] ? heap_take(c->context, c->args[1]) : 0;
    *out = p;
    return p || !c->args[1] ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t release(const struct call *c) {
    return heap_give(c->context, c->args[0]) ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- Questions ----------------------------------------------------------------------------

static const char *error_text(uint32_t error, bool name) {
    switch (error) {
#define CASE(id, value, text)                                                                      \
    case value:                                                                                    \
        return name ? #id : (text);
        KUDZU_RUNTIME_ERRORS(CASE)
#undef CASE
    default:
        return "unrecognized error code";
    }
}

// *out = value, an address of the kernel's.
static cudaError_t answer(const struct call *c, int k, int value) {
    int *out = pointer(c, k);
    if (!out)
        return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

static cudaError_t device_attribute(const struct call *c) {
    int value;
    if (!queries || !pointer(c, 0))
        return cudaErrorInvalidValue;
    if ((uint32_t)c->args[2] >= (uint32_t)queries->count())
        return cudaErrorInvalidDevice;
    return queries->attribute((int)c->args[2], (int)c->args[1], &value) ? answer(c, 0, value)
                                                                        : cudaErrorInvalidValue;
}

static cudaError_t device_limit(const struct call *c) {
    static const uint8_t limits[] = {
        [cudaLimitStackSize] = KD_LIMIT_STACK,
        [cudaLimitPrintfFifoSize] = KD_LIMIT_PRINTF_FIFO,
        [cudaLimitMallocHeapSize] = KD_LIMIT_MALLOC_HEAP,
        [cudaLimitDevRuntimePendingLaunchCount] = KD_LIMIT_PENDING_LAUNCHES,
        [cudaLimitMaxL2FetchGranularity] = KD_LIMIT_L2_FETCH,
        [cudaLimitPersistingL2CacheSize] = KD_LIMIT_PERSISTING_L2,
    };
    uint64_t *out = pointer(c, 0);
    uint32_t limit = (uint32_t)c->args[1];
    if (!out || limit >= sizeof limits)
        return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    *out = kd_context_get_limit(c->context, (enum kd_limit)limits[limit]);
    return cudaSuccess;
}

static cudaError_t function_attributes(const struct call *c) {
    const struct kd_kernel *k = kernel_of(c, c->args[1]);
    struct cudaFuncAttributes *out = pointer(c, 0);
    if (!out)
        return cudaErrorInvalidValue;
    if (!k)
        return cudaErrorInvalidDeviceFunction;
    const struct kj_module_info *m = k->module->info;
    struct cudaFuncAttributes a = {
        .sharedSizeBytes = k->info->shared_static,
        .constSizeBytes = kd_kernel_constant_bytes(k),
        .localSizeBytes = k->info->local_bytes,
        .maxThreadsPerBlock = (int)kd_kernel_max_threads(k),
        .numRegs = (int)k->info->registers,
        .ptxVersion = (int)m->target_sm,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)kd_kernel_max_dynamic_shared(k),
        .preferredShmemCarveout = -1,
        .clusterDimMustBeSet = k->info->cluster_required && !kd_kernel_cluster(k, 0),
        .requiredClusterWidth = (int)kd_kernel_cluster(k, 0),
        .requiredClusterHeight = (int)kd_kernel_cluster(k, 1),
        .requiredClusterDepth = (int)kd_kernel_cluster(k, 2),
        .nonPortableClusterSizeAllowed = kd_kernel_large_clusters(k),
    };
    *out = a;
    return cudaSuccess;
}

static cudaError_t occupancy(const struct call *c) {
    const struct kd_kernel *k = kernel_of(c, c->args[1]);
    int threads = (int)c->args[2];
    if (!k)
        return cudaErrorInvalidDeviceFunction;
    if (threads <= 0 || threads > 1024)
        return cudaErrorInvalidValue;
    uint64_t shared = c->args[3] < UINT32_MAX ? c->args[3] : UINT32_MAX;
    return answer(c, 0, (int)kd_kernel_occupancy(k, (uint32_t)threads, (uint32_t)shared));
}

// A handle is the address of the value that the node looks at.
static cudaError_t set_conditional(const struct call *c) {
    atomic_store((_Atomic uint32_t *)(uintptr_t)c->args[0], (uint32_t)c->args[1]);
    return cudaSuccess;
}

static cudaError_t current_device(const struct call *c) {
    const struct kd_device *d = c->context->device;
    return answer(c, 0, queries ? queries->ordinal(d) : d->index);
}

// ---- The table ----------------------------------------------------------------------------

static cudaError_t call_function(const struct call *c, uint32_t function) {
    switch (function) {
    case KD_cudaLaunchDevice:
        return launch_device(c);
    case KD_cudaLaunchDeviceV2:
        return launch_device_v2(c);
    case KD_cudaStreamCreateWithFlags:
        return stream_create(c);
    case KD_cudaStreamDestroy:
        return stream_destroy(c);
    case KD_cudaStreamWaitEvent:
        return stream_wait(c);
    case KD_cudaEventCreateWithFlags:
        return event_create(c);
    case KD_cudaEventRecordWithFlags:
        if ((uint32_t)c->args[2])
            return cudaErrorInvalidValue;
        return event_record(c);
    case KD_cudaEventRecord:
        return event_record(c);
    case KD_cudaEventDestroy:
        return event_destroy(c);
    case KD_cudaGetDevice:
        return current_device(c);
    case KD_cudaGetDeviceCount:
        return answer(c, 0, queries ? queries->count() : 1);
    case KD_cudaDeviceGetAttribute:
        return device_attribute(c);
    case KD_cudaDeviceGetLimit:
        return device_limit(c);
    case KD_cudaDeviceGetCacheConfig:
        return answer(c, 0, (int)kd_context_get_limit(c->context, KD_LIMIT_CACHE_CONFIG));
    case KD_cudaDeviceGetSharedMemConfig:
        return answer(c, 0, cudaSharedMemBankSizeFourByte);
    case KD_cudaRuntimeGetVersion:
        return answer(c, 0, VERSION);
    case KD_cudaFuncGetAttributes:
        return function_attributes(c);
    case KD_cudaOccupancyMaxActiveBlocksPerMultiprocessor:
    case KD_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
        return occupancy(c);
    case KD_cudaMalloc:
        return allocate(c);
    case KD_cudaFree:
        return release(c);
    case KD_cudaMemcpyAsync:
        return copy_1d(c);
    case KD_cudaMemcpy2DAsync:
        return copy_2d(c);
    case KD_cudaMemcpy3DAsync:
        return copy_3d(c);
    case KD_cudaMemsetAsync:
        return set_1d(c);
    case KD_cudaMemset2DAsync:
        return set_2d(c);
    case KD_cudaGraphLaunch:
        return graph_launch(c);
    case KD_cudaGraphKernelNodeUpdatesApply:
        return update_nodes(c);
    case KD_cudaMemset3DAsync:
        return set_3d(c);
    case KD_cudaGraphSetConditional:
        return set_conditional(c);
    default:
        return cudaErrorNotSupported;
    }
}

uint64_t kd_rt_device_function(struct kd_block *b, uint32_t thread, uint32_t function,
                               const uint64_t *args) {
    struct op *grid = launch_op(b->launch);
    struct call c = {b, grid, grid->context, thread, args};
    switch (function) {
    case KD_cudaGetLastError:
        return last_error(&c, true);
    case KD_cudaPeekAtLastError:
        return last_error(&c, false);
    case KD_cudaGetErrorName:
    case KD_cudaGetErrorString:
        return (uint64_t)(uintptr_t)error_text((uint32_t)args[0], function == KD_cudaGetErrorName);
    case KD_cudaGetParameterBuffer:
        return parameter_buffer(&c);
    case KD_cudaGetParameterBufferV2:
        return parameter_buffer_v2(&c);
    case KD_cudaGetCurrentGraphExec:
        return graph_current_handle(grid);
    case KD___cuda_syscall_aligned_malloc:
        return heap_take_aligned(c.context, args[0], args[1]);
    default:
        return done(&c, call_function(&c, function));
    }
}
