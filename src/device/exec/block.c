// Running the blocks of a launch.
#include "device/exec/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/check/check.h"
#include "device/check/schedule/check_schedule.h"
#include "device/code/jit_library.h"
#include "device/code/kernel.h"
#include "device/code/module.h"
#include "device/helpers/tensor_memory.h"
#include "device/internal.h"
#include "device/memory/page.h"
#include "device/memory/rights.h"
#include "device/sched/dependent.h"
#include "device/sched/op.h"

enum { GUARD = 64 << 10, SHARED_ALIGN = 1024 };

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) & ~(to - 1);
}

// ---- Memory of a block --------------------------------------------------------------------

// Grows a region, with guard pages on both sides, to at least `size` bytes.
static bool region_need(struct block_region *g, uint64_t size) {
    if (g->map && g->usable >= size)
        return true;
    size = whole_pages(size ? size : 1);
    uint8_t *p =
        mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    if (mprotect(p + GUARD, size, PROT_READ | PROT_WRITE)) {
        munmap(p, size + 2 * GUARD);
        return false;
    }
    if (g->map)
        munmap(g->map, g->map_size);
    *g = (struct block_region){p, size + 2 * GUARD, size};
    return true;
}

// The highest address that leaves `size` bytes before the guard.
static uint8_t *region_end_aligned(const struct block_region *g, uint64_t size) {
    return g->map + GUARD + g->usable - round_up(size, SHARED_ALIGN);
}

// The first address in a region whose low bits are an offset in shared memory, of which none is
// set.
static uint8_t *window_begin(const struct block_region *g) {
    return (uint8_t *)round_up((uint64_t)g->map + GUARD, KD_CLUSTER_STRIDE);
}

// The same for shared memory that begins there: nothing behind its last page can be touched.
static bool window_need(struct block_region *g, uint64_t size) {
    size = whole_pages(size ? size : 1);
    if (g->map && g->usable == size)
        return true;
    uint64_t map_size = GUARD + 3 * (uint64_t)KD_CLUSTER_STRIDE;
    if (g->map)
        munmap(g->map, g->map_size);
    *g = (struct block_region){0};
    uint8_t *p =
        mmap(NULL, map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    *g = (struct block_region){p, map_size, size};
    return !mprotect(window_begin(g), size, PROT_READ | PROT_WRITE);
}

static bool region_hit(const struct block_region *g, uint64_t address) {
    uint64_t base = (uint64_t)g->map;
    return base && address >= base && address < base + g->map_size;
}

static struct resident *resident_new(void) {
    struct resident *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->units = calloc(MAX_UNITS, sizeof *s->units);
    s->ready = calloc(MAX_UNITS, sizeof *s->ready);
    if (s->units && s->ready)
        return s;
    free(s->units);
    free(s->ready);
    free(s);
    return NULL;
}

static bool shared_memory(struct resident *s, const struct kd_launch *l) {
    if (l->code->info.flags & KD_CODE_DESCRIBES)
        return window_need(&s->window, l->window_bytes);
    return region_need(&s->shared, round_up(l->window_bytes, SHARED_ALIGN));
}

static uint8_t *shared_begin(const struct resident *s, const struct kd_launch *l) {
    return l->code->info.flags & KD_CODE_DESCRIBES
               ? window_begin(&s->window)
               : region_end_aligned(&s->shared, l->window_bytes);
}

static bool resident_memory(struct resident *s, const struct kd_launch *l) {
    uint64_t lanes = (uint64_t)l->nwarps * KD_WARP;
    bool own = l->cluster_blocks <= 1;
    return (!own || shared_memory(s, l)) && region_need(&s->local, lanes * l->local_stride) &&
           region_need(&s->spill, (uint64_t)l->nwarps * s->code->info.spill_bytes);
}

// Better code takes over from block to block: no block sees which code another one runs, as long as
// what was laid out for the launch fits both.
static const struct code *code_of(const struct kd_launch *l) {
    const struct kd_code_info *old = &l->code->info;
    const struct code *c = code_now(l->code);
    // Of the width other things follow where warps have stacks, or groups wait.
    bool any_width = c->info.mode == KD_MODE_BLOCK && !(c->info.flags & KD_CODE_SPLITS);
    bool fits = c->info.mode == old->mode && c->info.local_bytes == old->local_bytes &&
                c->info.recursive == old->recursive && (any_width || c->info.width == old->width) &&
                (c->info.flags & KD_CODE_SPLITS) == (old->flags & KD_CODE_SPLITS) &&
                launch_stack_shift(l->kernel, c) <= l->stack_shift;
    return fits ? c : l->code;
}

// Everything in the block's description but its place in the grid.
static bool resident_setup(struct runner *r, struct resident *s, struct op *op) {
    struct kd_launch *l = &op->launch;
    s->described = s->cancelled = 0;
    splits_forget(s);
    s->code = code_of(l);
    if (!resident_memory(s, l))
        return false;
    s->runner = r;
    s->op = op;
    s->launch = l;
    s->nunits = l->units;
    struct kd_block *b = &s->b;
    struct tensor_memory *tensor = b->tensor;
    memset(b, 0, sizeof *b);
    b->tensor = tensor;
    b->params = l->params;
    s->cluster = &s->alone;
    s->cluster_place = 0;
    s->alone = (struct cluster){.size = 1, .present = 1, .members = {s}};
    s->started = false;
    if (l->cluster_blocks <= 1)
        b->shared = shared_begin(s, l);
    b->cluster_shared = b->shared;
    memcpy(b->cluster_dim, l->cluster, sizeof b->cluster_dim);
    b->cluster_blocks = l->cluster_blocks;
    b->cluster_explicit = l->cluster_explicit;
    b->local = s->local.map + GUARD;
    b->local_stride = l->local_stride;
    b->spill = s->spill.map + GUARD;
    b->vars = l->vars;
    b->launch = l;
    memcpy(b->ntid, l->block, sizeof b->ntid);
    memcpy(b->nctaid, l->grid, sizeof b->nctaid);
    b->nthreads = l->nthreads;
    b->nwarps = l->nwarps;
    b->dynamic_shared = l->dynamic_offset;
    b->dynamic_shared_bytes = l->dynamic_bytes;
    b->shared_window_bytes = l->window_bytes;
    b->nsmid = (uint32_t)op->device->scheduler.slots;
    b->smid = r->smid < b->nsmid ? r->smid : 0;
    b->gridid = l->gridid;
    b->stream_bytes = l->stream_bytes;
    b->check_extents = check_extents();
    b->check_shadow = check_init_shadow();
    if (check_tools())
        check_init_window(b);
    b->grid_workspace = l->cooperative ? (uint64_t)(uintptr_t)&l->workspace : 0;
    return true;
}

static struct resident *resident_take(struct runner *r, struct op *op) {
    struct resident *s = r->spare;
    if (s)
        r->spare = s->next;
    else
        s = resident_new();
    if (s && resident_setup(r, s, op))
        return s;
    if (s) {
        s->next = r->spare;
        r->spare = s;
    }
    return NULL;
}

static void resident_give(struct runner *r, struct resident *s) {
    cluster_leave(r, s);
    s->op = NULL;
    s->next = r->spare;
    r->spare = s;
}

// Between the chunks of a launch whose blocks do not wait the description is kept.
static struct resident *resident_again(struct runner *r, struct op *op) {
    struct resident *s = r->spare;
    if (!s || s->described != op->launch.gridid + 1 || s->launch != &op->launch ||
        s->code != code_of(&op->launch))
        return NULL;
    r->spare = s->next;
    s->op = op;
    return s;
}

static void resident_keep(struct runner *r, struct resident *s) {
    s->described = s->launch->gridid + 1;
    s->op = NULL;
    s->next = r->spare;
    r->spare = s;
}

// Blocks of a cluster follow each other: unit `index` of the launch is block `index % blocks` of a
// cluster.
static void index_in_clusters(const struct kd_block *b, uint64_t index, uint32_t ctaid[3]) {
    const uint32_t *d = b->cluster_dim;
    uint32_t rank = (uint32_t)(index % b->cluster_blocks);
    uint64_t cluster = index / b->cluster_blocks;
    uint64_t nx = b->nctaid[0] / d[0], ny = b->nctaid[1] / d[1];
    ctaid[0] = (uint32_t)(cluster % nx) * d[0] + rank % d[0];
    ctaid[1] = (uint32_t)(cluster / nx % ny) * d[1] + rank / d[0] % d[1];
    ctaid[2] = (uint32_t)(cluster / nx / ny) * d[2] + rank / d[0] / d[1];
}

static void place_in_cluster(struct resident *s, uint64_t index) {
    struct kd_block *b = &s->b;
    b->cluster_rank = (uint32_t)(index % b->cluster_blocks);
    index_in_clusters(b, index, b->ctaid);
    b->block_index =
        ((uint64_t)b->ctaid[2] * b->nctaid[1] + b->ctaid[1]) * b->nctaid[0] + b->ctaid[0];
}

static bool is_reordered(void) {
    return __builtin_expect(check_schedule() != 0, 0);
}

// `kudzu check --schedules`: blocks that wait for others may rely on those before them. So they
// change places with those alone that a worker keeps waiting at the same time.
static uint64_t reordered(const struct resident *s, uint64_t index) {
    enum { TOGETHER = 32, UNITS = 4096 };
    const struct kd_launch *l = s->launch;
    uint64_t schedule = check_schedule(), n = s->op->units, first = 0;
    if (l->may_wait) {
        uint64_t most = UNITS / (l->units ? l->units : 1);
        most = l->cluster_blocks > 1 || l->multi ? 1 : most < TOGETHER ? most : TOGETHER;
        first = index - index % (most ? most : 1);
        n = n - first < most ? n - first : most;
    }
    return first + check_schedule_block(schedule, n, index - first);
}

static void place(struct resident *s, uint64_t index) {
    struct kd_block *b = &s->b;
    tensor_memory_reset(b->tensor);
    if (is_reordered())
        index = reordered(s, index);
    if (b->cluster_blocks > 1) {
        place_in_cluster(s, index);
        return;
    }
    b->block_index = index;
    b->ctaid[0] = (uint32_t)(index % b->nctaid[0]);
    b->ctaid[1] = (uint32_t)(index / b->nctaid[0] % b->nctaid[1]);
    b->ctaid[2] = (uint32_t)(index / b->nctaid[0] / b->nctaid[1]);
}

// The first block of the next row of blocks, without the divisions.
static void next_row(struct kd_block *b) {
    b->ctaid[0] = 0;
    if (++b->ctaid[1] < b->nctaid[1])
        return;
    b->ctaid[1] = 0;
    b->ctaid[2]++;
}

// ---- Faults -------------------------------------------------------------------------------

static const char *fault_words(enum kd_fault f) {
    switch (f) {
    case KD_FAULT_ILLEGAL_ADDRESS:
        return "touched memory that is not there";
    case KD_FAULT_MISALIGNED:
        return "made an access that is not aligned";
    case KD_FAULT_TRAP:
        return "trapped";
    case KD_FAULT_ASSERT:
        return "failed an assertion";
    case KD_FAULT_STACK_OVERFLOW:
        return "overflowed its stack";
    case KD_FAULT_ILLEGAL_INSTRUCTION:
        return "executed an illegal instruction";
    case KD_FAULT_INVALID_PC:
        return "called an address that is no function";
    case KD_FAULT_DEADLOCK:
        return "can never end: every thread of a block waits";
    case KD_FAULT_OUT_OF_MEMORY:
        return "could not run: the host has no memory for its blocks";
    default:
        return "failed";
    }
}

static void thread_index(const struct kd_launch *l, uint32_t linear, uint32_t out[3]) {
    out[0] = linear % l->block[0];
    out[1] = linear / l->block[0] % l->block[1];
    out[2] = linear / l->block[0] / l->block[1];
}

static void fault_text(struct kd_fault_record *f, const char *file, uint32_t line,
                       const char *message) {
    int n = snprintf(f->text, sizeof f->text, "kernel %s %s: block (%u,%u,%u)", f->kernel,
                     fault_words(f->fault), f->block[0], f->block[1], f->block[2]);
    if (f->thread_known && n > 0 && (size_t)n < sizeof f->text)
        n += snprintf(f->text + n, sizeof f->text - (size_t)n, ", thread (%u,%u,%u)", f->thread[0],
                      f->thread[1], f->thread[2]);
    if (f->address_known && n > 0 && (size_t)n < sizeof f->text)
        n += snprintf(f->text + n, sizeof f->text - (size_t)n, ", address 0x%llx",
                      (unsigned long long)f->address);
    if (line && n > 0 && (size_t)n < sizeof f->text)
        n += snprintf(f->text + n, sizeof f->text - (size_t)n, ", at %s:%u", file, line);
    if (message[0] && n > 0 && (size_t)n < sizeof f->text)
        snprintf(f->text + n, sizeof f->text - (size_t)n, " (%s)", message);
}

// Compiled code does not keep which lane touched a bad address: the interpreter finds out.
static void find_thread(const struct resident *s, struct kd_fault_record *f,
                        struct fault_info *info) {
    struct kd_kernel *k = s->launch->kernel;
    char log[256];
    enum kd_status status;
    struct kj_access a;
    struct kd_block b = s->b;
    const struct jit_library *lib = k->module->ptx ? jit_library_soon() : NULL;
    struct kj_module *jit =
        lib && lib->find_access ? module_jit(k->module, log, sizeof log, &status) : NULL;
    b.run = 0;
    if (!jit || !lib->find_access(jit, k->index, &b, f->address_known ? &f->address : NULL, &a))
        return;
    if (!f->address_known)
        f->address = a.address;
    f->address_known = true;
    info->thread_known = true;
    info->thread = a.thread;
    info->line = a.line;
    snprintf(info->file, sizeof info->file, "%s", a.file ? a.file : "");
}

static bool simple(const struct kd_launch *l) {
    return !l->may_wait &&
           (l->code->info.mode == KD_MODE_BLOCK || l->code->info.mode == KD_MODE_INTERPRETER);
}

// Each thread whose assertion fails says so (guide 10.32): other blocks of the launch, which would
// run at the same time on a GPU, come to theirs first. Not where blocks wait for each other.
static bool record_assertion(struct resident *s, const struct fault_info *info) {
    struct kd_fault_record f = {.fault = KD_FAULT_ASSERT, .thread_known = info->thread_known};
    if (!simple(s->launch) || context_faulted(s->op->context))
        return false;
    snprintf(f.kernel, sizeof f.kernel, "%s", s->launch->name);
    memcpy(f.block, s->b.ctaid, sizeof f.block);
    if (f.thread_known)
        thread_index(s->launch, info->thread, f.thread);
    fault_text(&f, info->file, info->line, info->message);
    check_fault(&s->b, f.fault, f.thread_known ? info->thread : KD_CHECK_NO_THREAD, info->file,
                info->line, info->message);
    return op_fails_at_end(s->op, &f);
}

static void record_fault(struct runner *r, struct resident *s) {
    r->assert_failed = false;
    const struct kd_launch *l = s->launch;
    if (r->fault.fault == KD_FAULT_ASSERT && record_assertion(s, &r->fault))
        return;
    struct fault_info *info = &r->fault;
    struct kd_fault_record f = {
        .fault = info->fault, .address_known = info->address_known, .address = info->address};
    if (!context_begin_fault(s->op->context))
        return;
    // Running off the end of local memory is what unlimited recursion looks like.
    if (f.fault == KD_FAULT_ILLEGAL_ADDRESS && region_hit(&s->local, f.address))
        f.fault = KD_FAULT_STACK_OVERFLOW;
    snprintf(f.kernel, sizeof f.kernel, "%s", l->name);
    memcpy(f.block, s->b.ctaid, sizeof f.block);
    if (!info->thread_known && thread_units(s)) {
        info->thread_known = true;
        info->thread = s->current;
    }
    if (f.fault == KD_FAULT_ILLEGAL_ADDRESS && !info->line && !info->message[0])
        find_thread(s, &f, info);
    f.thread_known = info->thread_known;
    if (f.thread_known)
        thread_index(l, info->thread, f.thread);
    fault_text(&f, info->file, info->line, info->message);
    check_fault(&s->b, f.fault, f.thread_known ? info->thread : KD_CHECK_NO_THREAD, info->file,
                info->line, info->message);
    context_end_fault(s->op->context, &f);
}

static void fault_without_block(struct op *op) {
    struct kd_fault_record f = {.fault = KD_FAULT_OUT_OF_MEMORY};
    if (!context_begin_fault(op->context))
        return;
    snprintf(f.kernel, sizeof f.kernel, "%s", op->launch.name);
    fault_text(&f, "", 0, "");
    context_end_fault(op->context, &f);
}

_Noreturn void block_fault(struct resident *s, enum kd_fault fault, const char *message) {
    struct fault_info *f = &s->runner->fault;
    memset(f, 0, sizeof *f);
    f->fault = fault;
    snprintf(f->message, sizeof f->message, "%s", message);
    runner_abandon(s->runner, OUTCOME_FAULT);
}

// ---- Whole blocks on one stack ------------------------------------------------------------

static void run_block(struct resident *s) {
    const struct code *c = s->code;
    if (c->info.mode == KD_MODE_INTERPRETER)
        c->interpret(c->module, c->kernel, &s->b);
    else
        ((void (*)(struct kd_block *))c->entry)(&s->b);
}

// For who depends on the launch: a block begins and ends.
static void tell_begun(struct resident *s) {
    s->triggered = false;
    if (dependent_counts_begun(s->op))
        dependent_begun(s->op, 1);
}

static void tell_ended(struct resident *s) {
    if (s->op->triggered && !s->triggered)
        dependent_triggered(s->op, 1);
}

void block_trigger(struct resident *s) {
    if (check_streams_follow())
        check_streams_triggered(s->op);
    if (!s->triggered)
        dependent_triggered(s->op, 1);
    s->triggered = true;
}

// Blocks of one row, from where s->b stands.
static void run_row(struct resident *s, uint32_t n) {
    struct kd_block *b = &s->b;
    if (s->code->info.flags & KD_CODE_RUNS_ROWS) {
        b->run = n;
        run_block(s);
        b->block_index += n;
        dependent_begun(s->op, n); // the last of them
        dependent_triggered(s->op, n);
        return;
    }
    for (uint32_t k = 0; k < n; k++, b->ctaid[0]++, b->block_index++) {
        tell_begun(s);
        run_block(s);
        tell_ended(s);
    }
}

struct chunk {
    struct resident *resident;
    uint64_t first, n;
    uint64_t at; // where blocks come in another order, which one runs
};

static void run_blocks(void *arg) {
    struct chunk *c = arg;
    struct resident *s = c->resident;
    struct kd_block *b = &s->b;
    if (is_reordered()) {
        for (c->at = c->first; c->at < c->first + c->n; c->at++) {
            place(s, c->at);
            run_row(s, 1);
        }
        return;
    }
    place(s, c->first);
    for (uint64_t left = c->n;;) {
        uint32_t in_row = b->nctaid[0] - b->ctaid[0];
        uint32_t n = left < in_row ? (uint32_t)left : in_row;
        run_row(s, n);
        left -= n;
        if (!left)
            return;
        next_row(b);
    }
}

// Around kernel code: whose it is, and what its device may touch.
static void enter_kernel(struct runner *r, struct resident *s) {
    r->block = s;
    rights_enter(s->op->context->device->index);
}

static void leave_kernel(struct runner *r) {
    r->block = NULL;
    rights_enter(-1);
}

// The fast path: nothing in these blocks waits for other blocks.
static void run_simple(struct runner *r, struct resident *s, uint64_t first, uint64_t n) {
    uint64_t last = first + n;
    enter_kernel(r, s);
    while (first < last) {
        struct chunk c = {s, first, last - first, first};
        if (runner_call(r, s->launch->stack_shift, run_blocks, &c) != OUTCOME_FAULT)
            break;
        record_fault(r, s);
        const struct kd_block *b = &s->b;
        uint64_t failed =
            is_reordered()
                ? c.at
                : ((uint64_t)b->ctaid[2] * b->nctaid[1] + b->ctaid[1]) * b->nctaid[0] + b->ctaid[0];
        if (context_faulted(s->op->context) || failed < first)
            break;
        first = failed + 1; // an assertion: the others come to theirs
    }
    leave_kernel(r);
}

// ---- Units on stacks of their own ---------------------------------------------------------

static void push_ready(struct resident *s, uint32_t unit) {
    s->ready[(s->ready_first + s->ready_count++) % MAX_UNITS] = (uint16_t)unit;
}

static uint32_t pop_first(struct resident *s) {
    uint32_t unit = s->ready[s->ready_first];
    s->ready_first = (s->ready_first + 1) % MAX_UNITS;
    s->ready_count--;
    return unit;
}

// `kudzu check --schedules`: any of those that can go on may be the next.
static uint32_t pop_ready(struct resident *s) {
    if (!is_reordered())
        return pop_first(s);
    uint64_t schedule = check_schedule(), rank = s->b.block_index << 32 | s->picks++;
    uint32_t last = s->ready_count - 1;
    uint32_t k =
        schedule == 1 ? last : (uint32_t)(check_schedule_rank(schedule, rank) % (last + 1));
    uint16_t *slot = &s->ready[(s->ready_first + k) % MAX_UNITS];
    uint32_t unit = *slot;
    *slot = s->ready[(s->ready_first + last) % MAX_UNITS];
    s->ready_count--;
    return unit;
}

static void set_current(struct resident *s, struct stack *stack) {
    s->current_stack = stack;
    s->runner->stack = stack;
}

// Is there work for one more unit?
static bool may_start(const struct resident *s) {
    return splits(s) ? s->b.pass_group < s->b.pass_groups : s->next_unit < s->nunits;
}

// A call more that shares the block's groups.
static uint32_t new_call(struct resident *s) {
    uint32_t u = 0;
    while (u < s->next_unit && s->units[u].wait != UNIT_ENDED)
        u++;
    if (u == s->next_unit)
        s->nunits = ++s->next_unit;
    s->live++;
    s->b.pass_calls++;
    return u;
}

static bool switch_away(struct resident *s, bool in_turn);

static void start_unit(struct resident *s) {
    uint32_t u = splits(s) ? new_call(s) : s->next_unit++;
    s->current = u;
    s->units[u].stack = s->current_stack;
    s->units[u].wait = UNIT_RUNS;
    if (on_stacks(s) && is_reordered()) { // which one begins is chosen when all are there
        push_ready(s, u);
        switch_away(s, false);
    }
    if (on_stacks(s))
        ((void (*)(struct kd_block *, uint32_t))s->code->entry)(&s->b, u);
    else
        run_block(s);
}

static void end_unit(struct resident *s) {
    uint32_t u = s->current;
    s->units[u].stack = NULL;
    s->units[u].wait = UNIT_ENDED;
    s->live--;
    s->b.pass_calls -= splits(s);
    s->yields = 0;
    hang_done();
    if (on_stacks(s)) {
        barrier_unit_ended(s, u);
        if (thread_units(s))
            warp_op_unit_ended(s, u);
        cluster_unit_ended(s, u);
    }
}

static const char all_wait[] =
    "each thread that is left waits: at a barrier, for a phase of an mbarrier object or for other "
    "lanes";

// Names a thread that waits, not the one that ran last.
static void blame_waiting(struct resident *s) {
    s->current = 0;
    while (s->current + 1 < s->nunits && s->units[s->current].wait == UNIT_ENDED)
        s->current++;
}

static _Noreturn void deadlock(struct resident *s) {
    blame_waiting(s);
    block_fault(s, KD_FAULT_DEADLOCK, all_wait);
}

// Another block of the cluster may let this one go on.
static bool others_may_help(const struct resident *s) {
    return s->cluster->present > 1;
}

// Everything in the block's description that is another one for each block.
static void begin_block(struct resident *s) {
    place(s, s->next_block++);
    tell_begun(s);
    s->grid_waits = 0;
    s->started = true;
    s->next_unit = s->at_phases = 0;
    s->nunits = splits(s) ? 0 : s->launch->units;
    s->live = s->nunits;
    s->b.pass_group = s->b.pass_calls = s->b.pass_groups = 0;
    if (splits(s)) // other code need not say how wide it is
        s->b.pass_groups = (s->b.nthreads + s->code->info.width - 1) / s->code->info.width;
    s->ready_first = s->ready_count = s->yields = s->picks = 0;
    if (on_stacks(s))
        memset(s->barriers, 0, sizeof s->barriers);
    if (s->cluster == &s->alone) // it may have run another block before
        s->alone = (struct cluster){.size = 1, .present = 1, .members = {s}};
    s->cluster_phase = s->cluster_units = 0;
    s->cluster_told = false;
    hang_forget(s);
    for (uint32_t u = 0; u < s->nunits; u++) {
        s->units[u].stack = NULL;
        s->units[u].cluster_mark = 0;
        s->units[u].ended = 0;
        s->units[u].op = 0;
        s->units[u].wait = UNIT_RUNS;
    }
}

// The next of the blocks that were handed out together, unless a block waits: it is looked at
// first.
static bool begin_next(struct resident *s) {
    if (s->next_block == s->end_block || s->runner->nwaiting || context_faulted(s->op->context))
        return false;
    begin_block(s);
    return true;
}

KD_NEVER_RETURNS static void fiber_main(void *arg) {
    struct resident *s = arg;
    do {
        while (may_start(s)) {
            start_unit(s);
            end_unit(s);
        }
        if (s->live == 0)
            tell_ended(s);
    } while (s->live == 0 && begin_next(s));
    if (s->live == 0)
        runner_abandon(s->runner, OUTCOME_DONE);
    if (s->ready_count == 0 && !others_may_help(s))
        deadlock(s);
    // This stack is free, but nobody takes it before the switch.
    stack_give(&s->runner->stacks, s->current_stack);
    if (s->ready_count == 0) {
        set_current(s, NULL);
        s->runner->outcome = OUTCOME_YIELD;
        kd_fiber_resume(s->runner->scheduler_sp);
    }
    uint32_t next = pop_ready(s);
    s->current = next;
    set_current(s, s->units[next].stack);
    kd_fiber_resume(s->units[next].stack->sp);
}

// Leaves the calling unit's stack for a new one or for a unit that is ready. False: neither.
// in_turn: for the one that has been ready longest.
static bool switch_away(struct resident *s, bool in_turn) {
    struct stack *mine = s->current_stack;
    uint32_t unit = s->current;
    if (may_start(s)) {
        struct stack *fresh = stack_take(&s->runner->stacks, s->launch->stack_shift);
        if (fresh) {
            set_current(s, fresh);
            kd_fiber_switch(&mine->sp, kd_fiber_prepare(fresh->high, fiber_main, s));
            return true;
        }
    }
    if (s->ready_count == 0)
        return false;
    uint32_t next = in_turn ? pop_first(s) : pop_ready(s);
    s->current = next;
    set_current(s, s->units[next].stack);
    if (next != unit)
        kd_fiber_switch(&mine->sp, s->units[next].stack->sp);
    return true;
}

static void leave_if_cancelled(struct resident *s) {
    if (context_faulted(s->op->context))
        runner_abandon(s->runner, OUTCOME_CANCELLED);
}

// Other blocks' turn.
static void to_scheduler(struct resident *s) {
    s->runner->outcome = OUTCOME_YIELD;
    s->runner->stack = NULL;
    kd_fiber_switch(&s->current_stack->sp, s->runner->scheduler_sp);
}

void block_wait(struct resident *s) {
    s->yields = 0;
    leave_if_cancelled(s);
    if (switch_away(s, false))
        return;
    if (may_start(s))
        block_fault(s, KD_FAULT_OUT_OF_MEMORY, "no memory for stacks");
    if (!others_may_help(s))
        deadlock(s);
    to_scheduler(s);
}

void block_release(struct resident *s, uint32_t unit) {
    hang_done();
    s->units[unit].wait = UNIT_RUNS;
    push_ready(s, unit);
}

void block_yield(struct resident *s) {
    leave_if_cancelled(s);
    s->yields++;
    push_ready(s, s->current);
    bool others = may_start(s) || s->yields < s->ready_count;
    if (others && switch_away(s, true))
        return;
    // A whole round has only yielded.
    s->yields = 0;
    to_scheduler(s);
}

void block_let_others(struct resident *s) {
    leave_if_cancelled(s);
    if (s->next_unit == s->nunits && s->ready_count == 0)
        return;
    push_ready(s, s->current);
    switch_away(s, true);
}

void block_wait_for_grids(struct resident *s) {
    s->grid_waits++;
    while (!dependent_may_go_on(s->op))
        block_yield(s);
    s->grid_waits--;
    hang_done();
}

bool block_cancel(struct resident *s, uint32_t ctaid[3]) {
    uint64_t first, n;
    if (code_of(s->launch) != s->code || !scheduler_take_more(s->runner, s->op, &first, &n))
        return false;
    index_in_clusters(&s->b, first, ctaid);
    s->cancelled += n;
    dependent_begun(s->op, n);
    dependent_triggered(s->op, n);
    hang_done();
    return true;
}

// ---- Blocks that can wait, from the runner's side -----------------------------------------

static void give_stacks(struct resident *s) {
    struct stack_pool *pool = &s->runner->stacks;
    bool current_seen = false;
    for (uint32_t u = 0; u < s->next_unit; u++) {
        struct stack *k = s->units[u].stack;
        s->units[u].stack = NULL;
        if (!k)
            continue;
        current_seen |= k == s->current_stack;
        stack_give(pool, k);
    }
    if (!current_seen && s->current_stack)
        stack_give(pool, s->current_stack);
}

// Control has come back from the block. True when the block waits for others.
static bool after_switch(struct runner *r, struct resident *s) {
    leave_kernel(r);
    if (r->outcome == OUTCOME_YIELD) {
        s->end_block = s->next_block; // others start what is left
        return true;
    }
    if (r->outcome == OUTCOME_FAULT)
        record_fault(r, s);
    give_stacks(s);
    return false;
}

// Starts blocks [first, first + n), one after the other, until one waits: then true, and it is the
// one before s->next_block.
static bool start_blocks(struct runner *r, struct resident *s, uint64_t first, uint64_t n) {
    s->next_block = first;
    s->end_block = first + n;
    begin_block(s);
    struct stack *k = stack_take(&r->stacks, s->launch->stack_shift);
    if (!k) {
        fault_without_block(s->op);
        return false;
    }
    enter_kernel(r, s);
    set_current(s, k);
    kd_fiber_switch(&r->scheduler_sp, kd_fiber_prepare(k->high, fiber_main, s));
    return after_switch(r, s);
}

// A block none of whose units can go on ends its launch.
static void fail_waiting(struct runner *r, struct resident *s) {
    blame_waiting(s);
    r->fault = (struct fault_info){.fault = KD_FAULT_DEADLOCK};
    snprintf(r->fault.message, sizeof r->fault.message, "%s", all_wait);
    record_fault(r, s);
    give_stacks(s);
}

static bool continue_block(struct runner *r, struct resident *s) {
    if (context_faulted(s->op->context)) {
        give_stacks(s);
        return false;
    }
    if (s->ready_count == 0) {
        if (!cluster_stuck(s->cluster))
            return true;
        fail_waiting(r, s);
        return false;
    }
    if (s->grid_waits && s->grid_waits == s->ready_count && !dependent_may_go_on(s->op))
        return true;
    uint32_t next = pop_ready(s);
    s->current = next;
    enter_kernel(r, s);
    set_current(s, s->units[next].stack);
    kd_fiber_switch(&r->scheduler_sp, s->units[next].stack->sp);
    return after_switch(r, s);
}

static void keep_waiting(struct runner *r, struct resident *s) {
    s->next = NULL;
    if (r->waiting_last)
        r->waiting_last->next = s;
    else
        r->waiting = s;
    r->waiting_last = s;
    r->nwaiting++;
    r->waiting_units += s->launch->units;
}

static void finish_block(struct runner *r, struct resident *s) {
    struct op *op = s->op;
    uint64_t done = 1 + s->cancelled;
    if (check_tools() && s->b.cluster_blocks > 1 && !context_faulted(op->context))
        check_block_leaves(&s->b);
    resident_give(r, s);
    op_units_done(op, done);
}

void runner_resume(struct runner *r) {
    hang_list(r);
    for (uint32_t n = r->nwaiting; n > 0; n--) {
        struct resident *s = r->waiting;
        r->waiting = s->next;
        if (!r->waiting)
            r->waiting_last = NULL;
        r->nwaiting--;
        r->waiting_units -= s->launch->units;
        if (continue_block(r, s))
            keep_waiting(r, s);
        else
            finish_block(r, s);
    }
}

// The blocks of one cluster, or none of them: then false.
static bool take_cluster(struct runner *r, struct op *op, struct resident **s) {
    uint32_t n = op->launch.cluster_blocks, have = 0;
    while (have < n && (s[have] = resident_take(r, op)))
        have++;
    bool describes = op->launch.code->info.flags & KD_CODE_DESCRIBES;
    struct cluster *c = have == n ? cluster_take(r, n, op->launch.window_bytes, describes) : NULL;
    for (uint32_t k = 0; k < have; k++) {
        if (!c) {
            resident_give(r, s[k]);
            continue;
        }
        s[k]->cluster = c;
        s[k]->cluster_place = k;
        c->members[k] = s[k];
        s[k]->b.shared = cluster_window(c, k);
        s[k]->b.cluster_shared = cluster_window(c, 0);
        check_init_window(&s[k]->b);
        check_init_shared(&s[k]->b);
    }
    return c != NULL;
}

static void run_cluster(struct runner *r, struct op *op, uint64_t first) {
    struct resident *s[KD_CLUSTER_MAX_BLOCKS];
    uint32_t n = op->launch.cluster_blocks;
    if (!take_cluster(r, op, s)) {
        fault_without_block(op);
        op_units_done(op, n);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!context_faulted(op->context) && start_blocks(r, s[k], first + k, 1))
            keep_waiting(r, s[k]);
        else
            finish_block(r, s[k]);
    }
}

// Blocks that may wait: then the next ones start. Returns how many have ended.
static uint64_t run_waiting(struct runner *r, struct resident *s, struct op *op, uint64_t first,
                            uint64_t n) {
    uint64_t ended = 0, last = first + n;
    while (first < last) {
        if (!s && !(s = resident_take(r, op))) {
            fault_without_block(op);
            ended += last - first;
            break;
        }
        if (context_faulted(op->context)) {
            ended += last - first;
            break;
        }
        bool waits = start_blocks(r, s, first, last - first);
        ended += s->next_block - first - waits;
        first = s->next_block;
        if (waits) {
            keep_waiting(r, s);
            s = NULL;
        } else {
            ended += s->cancelled;
            s->cancelled = 0;
        }
        if (r->nwaiting && first < last)
            runner_resume(r);
    }
    if (s)
        resident_give(r, s);
    return ended;
}

uint64_t launch_run(struct runner *r, struct op *op, uint64_t first, uint64_t n) {
    if (op->launch.cluster_blocks > 1) {
        // Chunks are whole clusters.
        for (uint64_t last = first + n; first < last; first += op->launch.cluster_blocks)
            run_cluster(r, op, first);
        return 0;
    }
    struct resident *s = resident_again(r, op);
    if (!s && !(s = resident_take(r, op))) {
        fault_without_block(op);
        return n;
    }
    if (simple(&op->launch)) {
        run_simple(r, s, first, n);
        resident_keep(r, s);
        return n;
    }
    return run_waiting(r, s, op, first, n);
}
