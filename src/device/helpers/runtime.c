// The helpers that are neither barriers nor warp operations.
#include "device/helpers/runtime.h"
#include "device/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/check/check.h"
#include "device/exec/block.h"
#include "device/helpers/print_format.h"
#include "device/internal.h"
#include "device/memory/memory.h"
#include "device/sched/dependent.h"
#include "device/sched/op.h"

static struct kd_context *context_of(const struct kd_block *b) {
    return launch_op(b->launch)->context;
}

static struct fault_info *begin_fault(struct kd_block *b, uint32_t thread, enum kd_fault fault) {
    struct fault_info *f = &resident_of(b)->runner->fault;
    memset(f, 0, sizeof *f);
    f->fault = fault;
    f->thread_known = thread < b->nthreads;
    f->thread = thread;
    return f;
}

_Noreturn void runtime_fault(struct kd_block *b, uint32_t thread, enum kd_fault fault,
                             const char *message) {
    struct fault_info *f = begin_fault(b, thread, fault);
    snprintf(f->message, sizeof f->message, "%s", message);
    runner_abandon(resident_of(b)->runner, OUTCOME_FAULT);
}

void kd_rt_fault(struct kd_block *b, uint32_t thread, uint32_t fault) {
    kd_rt_fault_at(b, thread, fault, 0, NULL, 0);
}

void kd_rt_fault_at(struct kd_block *b, uint32_t thread, uint32_t fault, uint64_t address,
                    const char *file, uint32_t line) {
    struct runner *r = resident_of(b)->runner;
    bool failed_assert = fault == KD_FAULT_ASSERT && r->assert_failed;
    if (failed_assert)
        thread = r->assert_thread;
    struct fault_info *f = begin_fault(b, thread, (enum kd_fault)fault);
    if (failed_assert)
        snprintf(f->message, sizeof f->message, "%s", r->assert_text);
    f->address_known = fault == KD_FAULT_ILLEGAL_ADDRESS || fault == KD_FAULT_MISALIGNED;
    f->address = address;
    if (file && line)
        snprintf(f->file, sizeof f->file, "%s", file);
    f->line = line;
    runner_abandon(r, OUTCOME_FAULT);
}

static void thread_place(const struct kd_block *b, uint32_t thread, uint32_t t[3]) {
    t[0] = thread % b->ntid[0];
    t[1] = thread / b->ntid[0] % b->ntid[1];
    t[2] = thread / b->ntid[0] / b->ntid[1];
}

void kd_rt_assertfail(struct kd_block *b, uint32_t thread, const char *expr, const char *file,
                      uint32_t line, const char *func, uint64_t char_size) {
    uint32_t t[3];
    char text[512];
    thread_place(b, thread, t);
    // Read into a buffer of our own first: a bad pointer must not fault with stderr locked.
    snprintf(text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u]",
             file ? file : "", line, func ? func : "", b->ctaid[0], b->ctaid[1], b->ctaid[2], t[0],
             t[1], t[2]);
    char all[1024];
    snprintf(all, sizeof all, "%s Assertion `%s` failed.", text, expr ? expr : "");
    fprintf(stderr, "%s\n", all);
    struct runner *r = resident_of(b)->runner;
    if (r->assert_failed)
        return;
    r->assert_failed = true;
    r->assert_thread = thread;
    snprintf(r->assert_text, sizeof r->assert_text, "%.511s", all);
}

// ---- printf -------------------------------------------------------------------------------

static bool scratch_need(struct runner *r, size_t size) {
    if (r->scratch_size >= size)
        return true;
    char *p = realloc(r->scratch, size);
    if (!p)
        return false;
    r->scratch = p;
    r->scratch_size = size;
    return true;
}

enum { SCRATCH_BYTES = 4096 };

struct printing {
    struct kd_block *b;
    uint32_t thread;
};

static void check_string(void *data, const char *text) {
    const struct printing *p = data;
    check_printed(p->b, p->thread, (uint64_t)(uintptr_t)text);
}

int32_t kd_rt_vprintf(struct kd_block *b, uint32_t thread, const char *fmt, const void *args) {
    struct runner *r = resident_of(b)->runner;
    if (!fmt)
        return -1;
    if (!scratch_need(r, SCRATCH_BYTES))
        return -2;
    if (check_tools() & CHECK_MEMORY)
        print_strings(fmt, args, check_string, &(struct printing){b, thread});
    size_t length;
    int32_t count = print_format(r->scratch, r->scratch_size, fmt, args, &length);
    if (length >= r->scratch_size) { // did not fit: once more with room
        if (!scratch_need(r, length + 1))
            return -2;
        count = print_format(r->scratch, r->scratch_size, fmt, args, &length);
    }
    hang_done();
    print_buffer_append(&context_of(b)->print, r->scratch, length);
    return count;
}

// ---- Heap ---------------------------------------------------------------------------------

uint64_t kd_rt_malloc(struct kd_block *b, uint32_t thread, uint64_t size) {
    return heap_take(context_of(b), size);
}

void kd_rt_free(struct kd_block *b, uint32_t thread, uint64_t ptr) {
    // It has been reported.
    if (check_tools() && check_heap_bad(b, thread, ptr, NULL))
        return;
    if (!heap_give(context_of(b), ptr))
        runtime_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS,
                      "free of a pointer that malloc did not return, or that was freed before");
}

// ---- Time and waiting ---------------------------------------------------------------------

uint64_t kd_rt_globaltimer(void) {
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint32_t kd_rt_features(void) {
    return topology_features();
}

void kd_rt_allocation(uint64_t address, uint64_t *extent) {
    extent[0] = 0;
    extent[1] = ~(uint64_t)0;
    memory_extent(address, &extent[0], &extent[1]);
}

static bool can_switch(const struct resident *s) {
    return s->launch->may_wait || on_stacks(s);
}

void kd_rt_yield(struct kd_block *b) {
    struct resident *s = resident_of(b);
    if (s->launch->code->info.mode == KD_MODE_INTERPRETER)
        hang_done(); // which does not tell whether it waits
    if (can_switch(s))
        block_yield(s);
    else if (context_faulted(context_of(b)))
        runner_abandon(s->runner, OUTCOME_CANCELLED);
}

void kd_rt_wait(struct kd_block *b, uint32_t thread, uint32_t lanes, uint64_t address,
                uint32_t what, const char *file, uint32_t line) {
    if (what & KD_WAIT_SHARED)
        address += (uint64_t)(uintptr_t)b->shared;
    if (what & KD_WAIT_VARIABLE)
        address = (uint64_t)(uintptr_t)b->vars[address >> KD_WAIT_INDEX] + (uint32_t)address;
    const struct wait_site site = {.file = file,
                                   .line = line,
                                   .thread = thread,
                                   .lanes = lanes,
                                   .address = address,
                                   .alike = what & KD_WAIT_ALIKE};
    hang_looks(resident_of(b), &site, what & KD_WAIT_WRITES);
    if (!(what & KD_WAIT_GOES_ON))
        kd_rt_yield(b);
}

uint32_t kd_rt_grid(struct kd_block *b, uint32_t action, uint32_t lanes) {
    struct resident *s = resident_of(b);
    if (!lanes)
        return 1;
    if (action == KD_GRID_TRIGGER) {
        block_trigger(s);
        return 1;
    }
    if (check_streams_follow())
        check_streams_waited(s->op);
    if (dependent_may_go_on(s->op))
        return 1;
    else if (action == KD_GRID_ASK)
        return 0;
    else
        block_wait_for_grids(s);
    return 1;
}

void kd_rt_let_others(struct kd_block *b) {
    struct resident *s = resident_of(b);
    if (thread_units(s))
        block_let_others(s);
}

void kd_rt_nanosleep(struct kd_block *b, uint32_t thread, uint32_t ns) {
    // The manual's limit; it may end early, and must not keep a worker from other blocks.
    uint64_t end = kd_now_ns() + (ns < 1000000 ? ns : 1000000);
    if (!can_switch(resident_of(b))) {
        struct timespec ts = {0, (long)(ns < 1000000 ? ns : 1000000)};
        if (ns > 50000)
            nanosleep(&ts, NULL);
        else
            while (kd_now_ns() < end)
                kd_relax();
        return;
    }
    do {
        kd_rt_yield(b);
    } while (kd_now_ns() < end);
}

// ---- Tables -------------------------------------------------------------------------------

const struct kd_rt *runtime_table(void) {
#define ENTRY(ret, name, args) .name = name,
    static const struct kd_rt table = {KD_RT_FUNCTIONS(ENTRY)};
#undef ENTRY
    return &table;
}

void *runtime_symbol(const char *name) {
#define ENTRY(ret, helper, args) {#helper, (void *)helper},
    static const struct {
        const char *name;
        void *address;
    } table[] = {KD_RT_FUNCTIONS(ENTRY)};
#undef ENTRY
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].address;
    return NULL;
}
