// Submitting a launch: checks, code, the block's layout.
#include "device/exec/launch.h"

#include <string.h>

#include "device/check/host/check_host.h"
#include "device/code/kernel.h"
#include "device/code/module.h"
#include "device/exec/fiber.h"
#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/dependent.h"
#include "device/sched/multi_grid.h"
#include "device/sched/op.h"
#include "support/check/check_filter.h"
#include "support/check/check_tools.h"

enum { MAX_THREADS = 1024, MAX_PARAMS = 32764, DYNAMIC_ALIGN = 128 };

static uint64_t threads_of(const uint32_t block[3]) {
    return (uint64_t)block[0] * block[1] * block[2];
}

static enum kd_status check_shape(const struct kd_launch_config *c) {
    const struct kj_kernel *info = c->kernel->info;
    for (int i = 0; i < 3; i++)
        if (c->grid[i] == 0 || c->block[i] == 0 || c->block[i] > MAX_THREADS)
            return kd_fail(KD_INVALID_VALUE,
                           "kernel %s: a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads",
                           info->name, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                           c->block[2]);
    uint64_t threads = threads_of(c->block);
    if (threads > MAX_THREADS)
        return kd_fail(KD_INVALID_VALUE, "kernel %s: %llu threads in a block; 1024 are the most",
                       info->name, (unsigned long long)threads);
    if (threads > kd_kernel_max_threads(c->kernel))
        return kd_fail(KD_INVALID_VALUE,
                       "kernel %s was compiled for at most %u threads in a block, not %llu",
                       info->name, kd_kernel_max_threads(c->kernel), (unsigned long long)threads);
    if (info->reqntid[0])
        for (int i = 0; i < 3; i++)
            if (c->block[i] != (info->reqntid[i] ? info->reqntid[i] : 1))
                return kd_fail(KD_INVALID_VALUE, "kernel %s requires another block shape",
                               info->name);
    return KD_OK;
}

// What the launch asks for, else what the kernel was compiled for, else single blocks.
static void cluster_shape(const struct kd_launch_config *c, uint32_t shape[3]) {
    const uint32_t *from = c->cluster[0] ? c->cluster : c->kernel->info->cluster;
    for (int i = 0; i < 3; i++)
        shape[i] = from[i] ? from[i] : 1;
}

static enum kd_status check_cluster(const struct kd_launch_config *c) {
    const struct kj_kernel *info = c->kernel->info;
    uint32_t shape[3];
    cluster_shape(c, shape);
    if (info->cluster_required && !c->cluster[0] && !info->cluster[0])
        return kd_fail(KD_INVALID_CLUSTER, "kernel %s must be launched with clusters", info->name);
    for (int i = 0; i < 3; i++) {
        if (info->cluster[0] && shape[i] != (info->cluster[i] ? info->cluster[i] : 1))
            return kd_fail(KD_INVALID_CLUSTER, "kernel %s requires clusters of another shape",
                           info->name);
        if (shape[i] > KD_CLUSTER_MAX_BLOCKS || c->grid[i] % shape[i])
            return kd_fail(KD_INVALID_CLUSTER,
                           "kernel %s: a grid of (%u,%u,%u) blocks cannot be cut into clusters of "
                           "(%u,%u,%u)",
                           info->name, c->grid[0], c->grid[1], c->grid[2], shape[0], shape[1],
                           shape[2]);
    }
    uint32_t blocks = shape[0] * shape[1] * shape[2];
    uint32_t most = info->max_cluster ? info->max_cluster : KD_CLUSTER_MAX_BLOCKS;
    if (blocks > (most < KD_CLUSTER_MAX_BLOCKS ? most : KD_CLUSTER_MAX_BLOCKS))
        return kd_fail(KD_INVALID_CLUSTER, "kernel %s: clusters of %u blocks; %u are the most",
                       info->name, blocks, most);
    return KD_OK;
}

static enum kd_status check_memory(const struct kd_launch_config *c) {
    const struct kd_kernel *k = c->kernel;
    // Of blocks that cannot be resident at all the first one is too many for a cooperative launch.
    if (c->shared_bytes > kd_kernel_max_dynamic_shared(k))
        return kd_fail(c->cooperative ? KD_COOPERATIVE_TOO_LARGE : KD_INVALID_VALUE,
                       "kernel %s: %u bytes of dynamic shared memory; it may have %u",
                       k->info->name, c->shared_bytes, kd_kernel_max_dynamic_shared(k));
    if (c->param_bytes > MAX_PARAMS || c->param_bytes < k->info->param_bytes ||
        (c->param_bytes && !c->params))
        return kd_fail(KD_INVALID_VALUE, "kernel %s takes %u bytes of parameters, not %u",
                       k->info->name, k->info->param_bytes, c->param_bytes);
    return KD_OK;
}

static enum kd_status check_cooperative(const struct kd_launch_config *c, int workers) {
    uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    uint64_t most =
        (uint64_t)kd_kernel_occupancy(c->kernel, (uint32_t)threads_of(c->block), c->shared_bytes) *
        (uint64_t)workers;
    if (c->cooperative && blocks > most)
        return kd_fail(KD_COOPERATIVE_TOO_LARGE,
                       "kernel %s: %llu blocks cannot be resident together; %llu can",
                       c->kernel->info->name, (unsigned long long)blocks, (unsigned long long)most);
    return KD_OK;
}

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}

static uint64_t local_stride(const struct kd_kernel *k, const struct code *code) {
    uint64_t n = code->info.local_bytes;
    // The limit is in bytes of a GPU's stack, where more lives in registers.
    if (code->info.recursive)
        n += 4 * kd_context_get_limit(k->module->context, KD_LIMIT_STACK) + 4096;
    n = round_up(n, 16);
    // Threads a multiple of a page apart would all fall into the same cache sets.
    return n >= 1024 && n % 1024 == 0 ? n + 64 : n;
}

// Of the machine's stack: what registers spill to, large frames, and the calls of a recursive
// kernel.
unsigned launch_stack_shift(const struct kd_kernel *k, const struct code *code) {
    uint64_t limit = kd_context_get_limit(k->module->context, KD_LIMIT_STACK);
    uint64_t recursion = code->info.recursive ? limit : 0;
    // Quick code keeps nearly all of its values in its frame.
    uint64_t times = code->info.flags & KD_CODE_QUICK ? 4 : 1;
    uint64_t frames = code->info.stack_bytes;
    switch (code->info.mode) {
    case KD_MODE_THREAD_STACKS:
        return stack_shift(times * ((64 << 10) + 16 * recursion) + frames);
    case KD_MODE_WARP_STACKS:
        return stack_shift(times * ((256 << 10) + 256 * recursion) + frames);
    default:
        return stack_shift(times * ((1 << 20) + 256 * recursion) + frames);
    }
}

static uint32_t units_of(const struct code *code, uint32_t threads) {
    switch (code->info.mode) {
    case KD_MODE_THREAD_STACKS:
        return threads;
    case KD_MODE_WARP_STACKS:
        return (threads + KD_WARP - 1) / KD_WARP;
    default:
        return code->info.flags & KD_CODE_SPLITS ? (threads + KD_WARP - 1) / KD_WARP : 1;
    }
}

static _Atomic uint64_t grids;

uint64_t launch_new_grids(uint64_t n) {
    return atomic_fetch_add_explicit(&grids, n, memory_order_relaxed);
}

// How many bytes each thread has to store so that all together store more than caches keep.
static uint64_t stream_bytes(const struct kd_launch_config *c) {
    uint64_t threads = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2] * threads_of(c->block);
    uint64_t from = c->kernel->module->options.stream_from;
    return from / threads + (from % threads > 0);
}

static void fill(struct kd_launch *l, const struct kd_launch_config *c, const struct code *code) {
    struct kd_kernel *k = c->kernel;
    l->kernel = k;
    l->code = code;
    l->name = k->info->name;
    l->in_queue = l->number = 0;
    l->unchecked = check_tools() && !check_filter_launch(l->name);
    memcpy(l->grid, c->grid, sizeof l->grid);
    memcpy(l->block, c->block, sizeof l->block);
    cluster_shape(c, l->cluster);
    l->cluster_blocks = l->cluster[0] * l->cluster[1] * l->cluster[2];
    l->cluster_explicit = c->cluster[0] || k->info->cluster[0];
    l->nthreads = (uint32_t)threads_of(c->block);
    l->nwarps = (l->nthreads + KD_WARP - 1) / KD_WARP;
    l->dynamic_offset = (uint32_t)round_up(k->info->shared_static, DYNAMIC_ALIGN);
    l->dynamic_bytes = c->shared_bytes;
    l->window_bytes = l->dynamic_offset + c->shared_bytes;
    l->local_stride = local_stride(k, code);
    l->gridid = launch_new_grids(1);
    l->stream_bytes = stream_bytes(c);
    l->vars = k->module->vars;
    l->units = units_of(code, l->nthreads);
    l->stack_shift = (uint8_t)launch_stack_shift(k, code);
    l->cooperative = c->cooperative;
    // What `kudzu check` knows of the order between launches is that of their ends.
    l->programmatic = c->programmatic && !check_tools();
    l->overlaps = c->programmatic && check_tools();
    l->nested = NULL;
    l->depth = 0;
    l->multi = NULL;
    l->workspace = (struct kd_grid_workspace){0};
    if (c->multi) {
        l->multi = multi_grid_ref(c->multi);
        l->workspace = multi_grid_workspace(c->multi, c->grid_rank);
    }
    l->may_wait = c->cooperative || (code->info.flags & KD_CODE_MAY_WAIT) || l->cluster_blocks > 1;
    bool any_order = !l->may_wait || ((code->info.flags & KD_CODE_ANY_ORDER) && !c->cooperative &&
                                      l->cluster_blocks <= 1);
    // Between chunks a launch changes to better code.
    l->may_group = any_order && !(code_now(code)->info.flags & KD_CODE_QUICK);
}

// Few enough blocks at a time that workers end together, enough that the counter is not fought
// over.
static uint64_t chunk_of(const struct op *op) {
    uint64_t n = op->units / ((uint64_t)op->device->scheduler.slots * 16);
    if (op->launch.cluster_blocks > 1)
        return op->launch.cluster_blocks;
    // Between chunks a launch changes to better code.
    if (op->launch.code->info.flags & KD_CODE_QUICK)
        n /= 4;
    // The more blocks a worker has at a time, the longer it walks through memory as it lies.
    if (op->launch.code->info.flags & KD_CODE_STRIDES)
        n = op->units / ((uint64_t)op->device->scheduler.slots * 2);
    if (op->launch.may_wait || n < 1)
        return 1;
    return n < 256 ? n : 256;
}

bool launch_copy_params(struct op *op, const struct kd_launch_config *c) {
    // Vector loads may read past the last parameter.
    size_t size = round_up(c->param_bytes, 64) + 64;
    uint8_t *p = op_bytes(op, size);
    if (!p)
        return false;
    if (c->param_bytes)
        memcpy(p, c->params, c->param_bytes);
    memset(p + c->param_bytes, 0, size - c->param_bytes);
    op->launch.params = p;
    return true;
}

enum kd_status launch_check(const struct kd_launch_config *c) {
    if (c->kernel->info->lacking)
        return kd_fail(KD_NOT_FOUND, "kernel %s can call what the device does not have",
                       c->kernel->info->name);
    enum kd_status status = check_shape(c);
    if (!status)
        status = check_memory(c);
    if (!status)
        status = check_cluster(c);
    if (!status && c->cooperative)
        status = check_cooperative(c, c->kernel->module->context->device->properties.workers);
    return status;
}

// What a launch may be, and the code for it.
static enum kd_status check(const struct kd_launch_config *c, const struct code **code) {
    enum kd_status status = launch_check(c);
    if (status)
        return status;
    *code = kernel_code(c->kernel, c->grid, c->block, c->params, &status);
    return *code ? KD_OK : status;
}

static void prepare(struct op *op, const struct kd_launch_config *c, const struct code *code) {
    fill(&op->launch, c, code);
    op->units = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    op->chunk = chunk_of(op);
}

enum kd_status launch_prepare(struct op *op, const struct kd_launch_config *c) {
    const struct code *code;
    enum kd_status status = check(c, &code);
    if (!status)
        prepare(op, c, code);
    return status;
}

static enum kd_status check_in(struct kd_queue *q, const struct kd_launch_config *c,
                               const struct code **code) {
    enum kd_status status = context_status(q->context);
    if (!status)
        status = check(c, code);
    if (!status && c->cooperative)
        status = check_cooperative(c, kd_queue_workers(q));
    return status;
}

enum kd_status kd_check_launch(struct kd_queue *q, const struct kd_launch_config *c) {
    const struct code *code;
    return check_in(q, c, &code);
}

// The events stand for places that the launch itself comes to.
static enum kd_status submit_with_events(struct kd_queue *q, struct op *op,
                                         const struct kd_launch_config *c) {
    op_ref(op);
    enum kd_status status = queue_submit(q, op);
    for (int i = 0; i < 2 && !status; i++)
        if (c->marks[i].event)
            event_set_early(c->marks[i].event, c->marks[i].at_begin ? op->begun : op->triggered,
                            op);
    op_unref(op);
    return status;
}

static bool asks(const struct kd_launch_config *c, bool at_begin) {
    bool found = false;
    for (int i = 0; i < 2; i++)
        found |= c->marks[i].event && c->marks[i].at_begin == at_begin;
    return found;
}

static enum kd_status submit_launch(struct kd_queue *q, const struct kd_launch_config *c) {
    const struct code *code;
    enum kd_status status = check_in(q, c, &code);
    if (status)
        return status;
    kd_context_flush_printf(q->context);
    if (!scheduler_start(q->context->device))
        return kd_fail(KD_SYSTEM, "the system does not let the device start its worker threads");
    struct op *op = op_new(q->context, OP_LAUNCH);
    if (!op || !launch_copy_params(op, c)) {
        if (op)
            op_unref(op);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a launch");
    }
    prepare(op, c, code);
    if (!dependent_prepare(op, asks(c, false), asks(c, true))) {
        op_unref(op);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the marks of a launch");
    }
    if (check_tools()) {
        op->launch.in_queue = kd_queue_id(q);
        op->launch.number = queue_number();
    }
    op->ranked = c->prioritized;
    if (c->prioritized)
        op->priority = queue_rank(q->context, c->priority);
    if (op->launch.overlaps)
        check_streams_begin();
    bool followed = check_host_follow();
    if (followed)
        op_ref(op);
    status = c->marks[0].event ? submit_with_events(q, op, c) : queue_submit(q, op);
    if (followed)
        check_host_submitted(op);
    return status;
}

enum kd_status kd_submit_launch(struct kd_queue *q, const struct kd_launch_config *c) {
    bool checked = check_tools() != 0;
    if (checked)
        check_host_launches(1);
    enum kd_status status = submit_launch(q, c);
    if (checked)
        check_host_launches(-1);
    return status;
}
