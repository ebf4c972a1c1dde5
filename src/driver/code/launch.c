// Launches: parameters from an array of pointers or from one buffer, the documented limits, the
// attributes of cuLaunchKernelEx.
#include "driver/code/launch.h"

#include "driver/graph/capture.h"

#include <limits.h>
#include <string.h>

enum { MAX_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };

CUresult drv_launch_check_shape(const CUlaunchConfig *c) {
    const unsigned *grid = &c->gridDimX, *block = &c->blockDimX;
    REQUIRE(grid[0] && grid[1] && grid[2] && block[0] && block[1] && block[2],
            CUDA_ERROR_INVALID_VALUE, "grid (%u, %u, %u), block (%u, %u, %u): a dimension is 0",
            grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    REQUIRE(grid[0] <= INT_MAX && grid[1] <= MAX_GRID_YZ && grid[2] <= MAX_GRID_YZ,
            CUDA_ERROR_INVALID_VALUE,
            "a grid of (%u, %u, %u) is larger than (2147483647, 65535, 65535)", grid[0], grid[1],
            grid[2]);
    REQUIRE(block[0] <= MAX_THREADS && block[1] <= MAX_THREADS && block[2] <= MAX_BLOCK_Z &&
                block[0] * block[1] * block[2] <= MAX_THREADS,
            CUDA_ERROR_INVALID_VALUE,
            "a block of (%u, %u, %u) is larger than (1024, 1024, 64) or has over 1024 threads",
            block[0], block[1], block[2]);
    return CUDA_SUCCESS;
}

// `extra`: CU_LAUNCH_PARAM_BUFFER_POINTER, pointer, CU_LAUNCH_PARAM_BUFFER_SIZE, pointer to the
// size, CU_LAUNCH_PARAM_END.
static CUresult params_from_buffer(void **extra, uint32_t need, const void **params) {
    const void *buffer = NULL;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            REQUIRE(extra[1], CUDA_ERROR_INVALID_VALUE,
                    "extra: the pointer to the buffer's size is NULL");
            size = *(const size_t *)extra[1];
        } else {
            FAIL(CUDA_ERROR_INVALID_VALUE, "extra: %p is not a CU_LAUNCH_PARAM constant", *extra);
        }
    }
    REQUIRE(!need || (buffer && size >= need), CUDA_ERROR_INVALID_VALUE,
            "extra: the buffer has %zu bytes, the kernel's parameters need %u", size, need);
    *params = buffer;
    return CUDA_SUCCESS;
}

static CUresult params_from_pointers(const struct kj_kernel *info, void **pointers,
                                     uint8_t *storage) {
    REQUIRE(pointers || !info->nparams, CUDA_ERROR_INVALID_VALUE,
            "kernel %s has %u parameters, and kernelParams and extra are NULL", info->name,
            info->nparams);
    for (uint32_t i = 0; i < info->nparams; i++) {
        REQUIRE(pointers[i], CUDA_ERROR_INVALID_VALUE, "kernelParams[%u] of kernel %s is NULL", i,
                info->name);
        memcpy(storage + info->params[i].offset, pointers[i], info->params[i].size);
    }
    return CUDA_SUCCESS;
}

CUresult drv_launch_params(const struct kj_kernel *info, void **pointers, void **extra,
                           uint8_t *storage) {
    memset(storage, 0, info->param_bytes);
    REQUIRE(!pointers || !extra, CUDA_ERROR_INVALID_VALUE,
            "kernelParams and extra cannot both be given");
    if (!extra)
        return params_from_pointers(info, pointers, storage);
    const void *buffer = NULL;
    TRY(params_from_buffer(extra, info->param_bytes, &buffer));
    if (info->param_bytes)
        memcpy(storage, buffer, info->param_bytes);
    return CUDA_SUCCESS;
}

// What the attributes of a launch ask for.
struct attributes {
    bool cooperative;
    unsigned cluster[3];         // [0] 0: not given
    struct drv_event *events[2]; // recorded when the launch is complete
    unsigned char ports[2];      // where they are triggered in a graph
    bool external[2];            // recorded by nodes of their own there
    unsigned nevents;
    unsigned preferred[3]; // shape of clusters; [0] 0: not given
    bool prioritized;
    bool programmatic; // may overlap with the kernel before it
    bool updatable;    // by the device, as a node of a graph
    int priority;
    struct kd_multi_grid *multi; // a launch on several devices that it is a part of
    uint32_t grid_rank;
    bool only_check; // whether it can be launched
};

static CUresult submit(const CUlaunchConfig *c, struct drv_function *f, struct kd_queue *q,
                       struct drv_context *ctx, const void *params, const struct attributes *a) {
    struct kd_launch_config launch = {
        .kernel = f->k,
        .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
        .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
        .shared_bytes = c->sharedMemBytes,
        .params = params,
        .param_bytes = kd_kernel_info(f->k)->param_bytes,
        .cooperative = a->cooperative,
        .cluster = {a->cluster[0], a->cluster[1], a->cluster[2]},
        .prioritized = a->prioritized,
        .priority = a->priority,
        .programmatic = a->programmatic,
        .multi = a->multi,
        .grid_rank = a->grid_rank,
    };
    if (a->only_check)
        return drv_status(kd_check_launch(q, &launch), ctx);
    for (unsigned i = 0; i < a->nevents; i++) {
        drv_capture_forget_event(a->events[i]);
        launch.marks[i].event = a->events[i]->e;
        launch.marks[i].at_begin = a->ports[i] == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
    }
    TRY(drv_status(kd_submit_launch(q, &launch), ctx));
    if (__builtin_expect(!drv_launch_blocking, 1))
        return CUDA_SUCCESS;
    NO_CANCEL();
    return drv_status(kd_queue_wait(q), ctx);
}

static CUresult gather_and_submit(const CUlaunchConfig *c, struct drv_function *f,
                                  struct kd_queue *q, struct drv_context *ctx, void **pointers,
                                  const struct attributes *a) {
    const struct kj_kernel *info = kd_kernel_info(f->k);
    REQUIRE(info->param_bytes <= DRV_MAX_PARAM_BYTES, CUDA_ERROR_INVALID_VALUE,
            "kernel %s has %u bytes of parameters; 32764 are possible", info->name,
            info->param_bytes);
    _Alignas(16) uint8_t storage[info->param_bytes + 16];
    memset(storage, 0, info->param_bytes);
    TRY(params_from_pointers(info, pointers, storage));
    return submit(c, f, q, ctx, storage, a);
}

// The graph's node checks and copies the parameters.
static CUresult capture(const CUlaunchConfig *c, struct drv_function *f, struct kd_queue *q,
                        struct drv_context *ctx, void **pointers, void **extra,
                        const struct attributes *a) {
    NO_CANCEL();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                                .kernel = {.func = f->object.handle,
                                           .gridDimX = c->gridDimX,
                                           .gridDimY = c->gridDimY,
                                           .gridDimZ = c->gridDimZ,
                                           .blockDimX = c->blockDimX,
                                           .blockDimY = c->blockDimY,
                                           .blockDimZ = c->blockDimZ,
                                           .sharedMemBytes = c->sharedMemBytes,
                                           .kernelParams = pointers,
                                           .extra = extra,
                                           .ctx = ctx->handle}};
    CUlaunchAttribute inherited[DRV_INHERITED];
    unsigned n = drv_stream_inherited(c->hStream, inherited);
    TRY(drv_capture_kernel(q, &params, inherited, n, c->attrs, c->numAttrs));
    for (unsigned i = 0; i < a->nevents; i++)
        TRY(a->external[i] ? drv_capture_record_node(q, a->events[i])
                           : drv_capture_record(q, a->events[i], a->ports[i]));
    return CUDA_SUCCESS;
}

static CUresult launch(const CUlaunchConfig *c, CUfunction handle, void **pointers, void **extra,
                       const struct attributes *a) {
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_function *f;
    TRY(drv_stream_find(c->hStream, &q, &ctx));
    TRY(drv_function_find(handle, ctx, &f));
    REQUIRE(f->object.context == ctx, CUDA_ERROR_INVALID_HANDLE,
            "function and stream belong to different contexts");
    TRY(drv_launch_check_shape(c));
    unsigned cluster[3], grid[3] = {c->gridDimX, c->gridDimY, c->gridDimZ};
    TRY(drv_function_cluster(f, a->cluster, grid, cluster));
    struct attributes all = *a;
    if (cluster[0] * cluster[1] * cluster[2] > 1)
        memcpy(all.cluster, cluster, sizeof cluster);
    a = &all;
    REQUIRE(!pointers || !extra, CUDA_ERROR_INVALID_VALUE,
            "kernelParams and extra cannot both be given");
    bool captured;
    TRY(drv_capture_enter(q, ctx, &captured));
    REQUIRE(!captured || !a->multi, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "a launch on several devices cannot be captured");
    if (captured)
        return capture(c, f, q, ctx, pointers, extra, a);
    REQUIRE(!a->updatable, CUDA_ERROR_INVALID_VALUE,
            "only nodes of graphs can be updated by the device: the stream does not capture");
    if (!extra)
        return gather_and_submit(c, f, q, ctx, pointers, a);
    const void *params = NULL;
    TRY(params_from_buffer(extra, kd_kernel_info(f->k)->param_bytes, &params));
    return submit(c, f, q, ctx, params, a);
}

// CUDA_ERROR_INVALID_VALUE: sizes beyond the limits or beyond those of the kernel, parameters
// missing.
CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra) {
    ENTER_LIGHT();
    CUlaunchConfig c = {gridDimX,  gridDimY,       gridDimZ, blockDimX, blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  NULL,      0};
    return launch(&c, f, kernelParams, extra, &(struct attributes){0});
}

// All blocks must be resident together: else CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE.
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams) {
    ENTER();
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                     .value = {.cooperative = 1}};
    CUlaunchConfig c = {gridDimX,  gridDimY,       gridDimZ, blockDimX,    blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  &cooperative, 1};
    return launch(&c, f, kernelParams, NULL, &(struct attributes){.cooperative = true});
}

CUresult drv_launch_one_of(const CUDA_LAUNCH_PARAMS *p, struct kd_multi_grid *m, uint32_t rank,
                           bool only_check) {
    CUlaunchConfig c = {p->gridDimX,  p->gridDimY,       p->gridDimZ, p->blockDimX, p->blockDimY,
                        p->blockDimZ, p->sharedMemBytes, p->hStream,  NULL,         0};
    struct attributes a = {
        .cooperative = true, .multi = m, .grid_rank = rank, .only_check = only_check};
    return launch(&c, p->function, p->kernelParams, NULL, &a);
}

// ---- Attributes ---------------------------------------------------------------------------

// Neither kind of event may measure time.
static CUresult add_event(struct attributes *a, CUevent event, int flags, bool at_start) {
    REQUIRE(a->nevents < 2, CUDA_ERROR_INVALID_VALUE, "an attribute is given twice");
    REQUIRE(!(flags & ~CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a record", (unsigned)flags);
    struct drv_event *e;
    TRY(drv_event_find(event, &e));
    REQUIRE(e->flags & CU_EVENT_DISABLE_TIMING, CUDA_ERROR_INVALID_VALUE,
            "the event of a launch must be made with CU_EVENT_DISABLE_TIMING");
    REQUIRE(!(e->flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE,
            "the event of a launch cannot be one of several processes");
    a->external[a->nevents] = flags != 0;
    a->ports[a->nevents] =
        at_start ? CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER : CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    a->events[a->nevents++] = e;
    return CUDA_SUCCESS;
}

// What is not taken here is a hint about caches.
static CUresult take_attribute(struct attributes *a, const CUlaunchAttribute *attribute) {
    const CUlaunchAttributeValue *v = &attribute->value;
    TRY(drv_attribute_check(attribute->id, v));
    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        a->cooperative = v->cooperative != 0;
        break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        memcpy(a->cluster, &v->clusterDim, sizeof a->cluster);
        break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        memcpy(a->preferred, &v->preferredClusterDim, sizeof a->preferred);
        break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        a->programmatic = v->programmaticStreamSerializationAllowed != 0;
        break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return add_event(a, v->programmaticEvent.event, v->programmaticEvent.flags,
                         v->programmaticEvent.triggerAtBlockStart != 0);
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return add_event(a, v->launchCompletionEvent.event, v->launchCompletionEvent.flags, true);
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        a->prioritized = true;
        a->priority = v->priority;
        break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        a->updatable = v->deviceUpdatableKernelNode.deviceUpdatable != 0;
        break;
    default:
        break;
    }
    return CUDA_SUCCESS;
}

// The preferred shape is a multiple of the least one, by which all clusters are formed here.
static CUresult check_preferred(const struct attributes *a, const CUlaunchConfig *c) {
    const unsigned grid[3] = {c->gridDimX, c->gridDimY, c->gridDimZ};
    REQUIRE(!a->preferred[0] || a->cluster[0], CUDA_ERROR_INVALID_VALUE,
            "a preferred shape of clusters needs the least shape too");
    for (int i = 0; i < 3 && a->preferred[0]; i++)
        REQUIRE(
            a->preferred[i] % a->cluster[i] == 0 && grid[i] % a->preferred[i] == 0,
            CUDA_ERROR_INVALID_CLUSTER_SIZE,
            "the preferred %u blocks in direction %c are no multiple of the cluster's %u, or no "
            "divisor of the grid's %u",
            a->preferred[i], "xyz"[i], a -> cluster[i], grid[i]);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                          void **extra) {
    ENTER();
    REQUIRE_POINTER(config);
    REQUIRE(config->attrs || !config->numAttrs, CUDA_ERROR_INVALID_VALUE,
            "attrs cannot be NULL when there are %u attributes", config->numAttrs);
    struct attributes a = {0};
    for (unsigned i = 0; i < config->numAttrs; i++)
        TRY(take_attribute(&a, &config->attrs[i]));
    TRY(check_preferred(&a, config));
    return launch(config, f, kernelParams, extra, &a);
}
