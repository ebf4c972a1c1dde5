// One block: its threads, and which of them runs next. The lanes of a warp that stand at the same
// instruction run it together; the group that is furthest behind in the text goes first, so that
// lanes meet again after a branch. A lane that has waited long gets turns of its own, so that
// lanes of one warp can wait for each other (not in code for lanes in lockstep); warps take turns.
#include "ir/interp/interp.h"

#include <pthread.h>
#include <stdlib.h>

#include "ir/interp/interp_internal.h"
#include "support/memory.h"

enum {
    PATIENCE = 1024, // steps after which a lane that has not run is favoured
    FAVOUR = 128,    // for so many steps
    SPIN = 64,       // steps that an instruction counts for when loops that wait consist of it
};

// ---- registers -------------------------------------------------------------------------------

union isa_bits interp_get(const struct interp_thread *t, const struct interp_ref *r) {
    if (r->constant)
        return *r->constant;
    const uint64_t *regs = t->regs + t->frames[t->depth - 1].regs + r->slot;
    return (union isa_bits){.u64 = {regs[0], r->wide ? regs[1] : 0}};
}

static void set_slot(struct interp_thread *t, uint32_t slot, union isa_bits v, bool wide) {
    uint64_t *regs = t->regs + interp_top(t)->regs + slot;
    regs[0] = v.u64[0];
    if (wide)
        regs[1] = v.u64[1];
}

void interp_set(struct interp_thread *t, const struct interp_inst *i, uint32_t k,
                union isa_bits v) {
    unsigned bits = kir_type_bits(i->ir->res[k]->type);
    if (bits < 64)
        v.u64[0] &= (UINT64_C(1) << bits) - 1;
    set_slot(t, i->res[k], v, bits == 128);
}

// ---- states of threads -----------------------------------------------------------------------

static uint32_t lane_bit(const struct interp_thread *t) {
    return UINT32_C(1) << (t->id % KD_WARP);
}

void interp_fault_at(struct interp *in, const struct interp_thread *t, enum kd_fault fault,
                     uint64_t address) {
    in->failed = 1;
    const struct kir_inst *i = NULL;
    if (t->depth) {
        const struct interp_func *f = t->frames[t->depth - 1].func;
        i = t->pc < f->ncode ? f->code[t->pc].ir : NULL;
    }
    const char *file =
        i && i->line && i->file < in->m->files.len ? in->m->files.data[i->file] : NULL;
    in->rt->kd_rt_fault_at(in->b, t->id, fault, address, file, file ? i->line : 0);
}

void interp_fault(struct interp *in, const struct interp_thread *t, enum kd_fault fault) {
    interp_fault_at(in, t, fault, 0);
}

void interp_wait(struct interp *in, struct interp_thread *t, enum interp_state state) {
    t->state = (uint8_t)state;
    interp_warp_of(in, t)->ready &= ~lane_bit(t);
}

void interp_resume(struct interp *in, struct interp_thread *t) {
    t->state = INTERP_READY;
    t->pc++;
    interp_warp_of(in, t)->ready |= lane_bit(t);
}

void interp_finish(struct interp *in, struct interp_thread *t) {
    struct interp_warp *w = interp_warp_of(in, t);
    t->state = INTERP_DONE;
    in->live--;
    interp_cluster_ended(in, t);
    w->ready &= ~lane_bit(t);
    w->live &= ~lane_bit(t);
    interp_warp_check(in, w);
    interp_barrier_check(in);
}

// ---- which lanes run -------------------------------------------------------------------------

// Whether x goes before y: deeper in calls, then earlier in the text.
static bool goes_before(struct interp_thread *x, struct interp_thread *y) {
    const struct interp_func *fx = interp_top(x)->func, *fy = interp_top(y)->func;
    if (x->depth != y->depth)
        return x->depth > y->depth;
    if (fx != fy)
        return fx->ir->index < fy->ir->index;
    return x->pc < y->pc;
}

static bool together(struct interp_thread *x, struct interp_thread *y) {
    return x->depth == y->depth && x->pc == y->pc && interp_top(x)->func == interp_top(y)->func;
}

static struct interp_thread *choose_lane(struct interp *in, struct interp_warp *w) {
    struct interp_thread *threads = in->threads + w->first, *best = NULL, *oldest = NULL;
    for (uint32_t mask = w->ready; mask; mask &= mask - 1) {
        struct interp_thread *t = &threads[__builtin_ctz(mask)];
        if (!best || goes_before(t, best))
            best = t;
        if (!oldest || t->last_run < oldest->last_run)
            oldest = t;
    }
    if (w->favour && w->ready >> w->favoured & 1) {
        return &threads[w->favoured];
    }
    w->favour = 0;
    if (w->step - oldest->last_run < PATIENCE || in->m->lockstep)
        return best;
    w->favour = FAVOUR;
    w->favoured = oldest->id % KD_WARP;
    return oldest;
}

static uint32_t choose_group(struct interp *in, struct interp_warp *w) {
    struct interp_thread *first = choose_lane(in, w);
    uint32_t group = 0;
    for (uint32_t mask = w->ready; mask; mask &= mask - 1) {
        struct interp_thread *t = &in->threads[w->first + (uint32_t)__builtin_ctz(mask)];
        if (!together(t, first))
            continue;
        group |= lane_bit(t);
        t->last_run = w->step;
    }
    return group;
}

// Locks and flags are looked at by compare-and-swap, exchange and strong loads. A warp that does
// so often is likely to wait for somebody, who should run soon.
uint32_t interp_cost(const struct kir_inst *i) {
    bool swap =
        i->op == ISA_OP_ATOM && (i->mods.atom == ISA_ATOM_CAS || i->mods.atom == ISA_ATOM_EXCH);
    return swap || (i->op == ISA_OP_LD && i->mods.sem != ISA_SEM_WEAK) ? SPIN : 1;
}

// Lets a warp run for a while.
static void run_warp(struct interp *in, struct interp_warp *w) {
    w->give_way = false;
    for (uint32_t n = 0; n < INTERP_TURN && w->ready && !in->failed && !w->give_way;) {
        uint32_t group = choose_group(in, w);
        uint32_t steps =
            interp_cost(interp_at(&in->threads[w->first + (uint32_t)__builtin_ctz(group)])->ir);
        n += steps;
        w->step += steps;
        w->favour -= steps < w->favour ? steps : w->favour;
        interp_step(in, w, group);
    }
}

static bool run_round(struct interp *in, uint32_t nwarps) {
    bool ran = false;
    for (uint32_t k = 0; k < nwarps && !in->failed; k++)
        if (in->warps[k].ready) {
            run_warp(in, &in->warps[k]);
            ran = true;
        }
    return ran;
}

static const struct interp_thread *first_waiting(const struct interp *in) {
    const struct interp_thread *t = in->threads;
    while (t->state == INTERP_DONE)
        t++;
    return t;
}

// ---- memory that is kept from block to block -------------------------------------------------

static pthread_key_t pool_key;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

void interp_release(struct interp *in) {
    for (uint32_t k = 0; k < in->threads_cap; k++) {
        free(in->threads[k].regs);
        free(in->threads[k].frames);
    }
    free(in->threads);
    free(in->warps);
    arena_free(&in->code);
}

static void free_pool(void *p) {
    for (struct interp *in = p, *next; in; in = next) {
        next = in->next;
        interp_release(in);
        free(in);
    }
}

static void make_pool_key(void) {
    pthread_key_create(&pool_key, free_pool);
}

// This host thread's memory for block b: what the same block left behind, or what nobody uses.
static struct interp *take(struct kd_block *b) {
    pthread_once(&pool_once, make_pool_key);
    struct interp *first = pthread_getspecific(pool_key), *free_one = NULL;
    for (struct interp *in = first; in; in = in->next) {
        if (in->owner == b)
            return in;
        if (!in->owner)
            free_one = in;
    }
    if (free_one) {
        free_one->owner = b;
        return free_one;
    }
    struct interp *in = memory_calloc(1, sizeof *in);
    if (!in)
        return NULL;
    in->next = first;
    in->owner = b;
    pthread_setspecific(pool_key, in);
    return in;
}

// False: no memory.
static bool forget_code(struct interp *in, struct kir_module *m) {
    if (in->serial == m->serial)
        return true;
    arena_free(&in->code);
    in->code = (struct arena){0};
    in->max_moves = in->max_handed = 0;
    in->serial = 0;
    in->funcs = arena_try_alloc(&in->code, sizeof *in->funcs * m->funcs.len);
    if (!in->funcs)
        return false;
    in->serial = m->serial;
    return true;
}

static bool reserve(struct interp *in, uint32_t nthreads, uint32_t nwarps) {
    if (nthreads > in->threads_cap) {
        void *p = memory_realloc(in->threads, sizeof *in->threads * nthreads);
        if (!p)
            return false;
        in->threads = p;
        memset(in->threads + in->threads_cap, 0,
               sizeof *in->threads * (nthreads - in->threads_cap));
        in->threads_cap = nthreads;
    }
    if (nwarps > in->warps_cap) {
        void *p = memory_realloc(in->warps, sizeof *in->warps * nwarps);
        if (!p)
            return false;
        in->warps = p;
        in->warps_cap = nwarps;
    }
    return true;
}

static void start_threads(struct interp *in, const struct interp_func *f, uint32_t nthreads,
                          uint32_t nwarps) {
    memset(in->barriers, 0, sizeof in->barriers);
    in->live = nthreads;
    in->at_phases = 0;
    for (uint32_t k = 0; k < nwarps; k++) {
        uint32_t lanes = nthreads - k * KD_WARP;
        lanes = lanes > KD_WARP ? KD_WARP : lanes;
        uint32_t mask = lanes == KD_WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
        in->warps[k] =
            (struct interp_warp){.first = k * KD_WARP, .lanes = lanes, .live = mask, .ready = mask};
    }
    for (uint32_t k = 0; k < nthreads && !in->failed; k++) {
        struct interp_thread *t = &in->threads[k];
        t->id = k;
        t->state = INTERP_READY;
        t->pc = t->depth = 0;
        t->last_run = 0;
        t->cluster_arrived = false;
        interp_enter(in, t, f, NULL, 0);
    }
}

void interp_run(struct interp *in, struct kir_module *m, struct kir_func *kernel,
                struct kd_block *b, const struct kd_rt *rt) {
    uint32_t nthreads = b->nthreads, nwarps = (nthreads + KD_WARP - 1) / KD_WARP;
    in->m = m;
    const struct interp_func *f = reserve(in, nthreads, nwarps) && forget_code(in, m)
                                      ? interp_decode(in, kernel->index)
                                      : NULL;
    if (!f) {
        rt->kd_rt_fault_at(b, 0, KD_FAULT_OUT_OF_MEMORY, 0, NULL, 0);
        return;
    }
    in->kernel = kernel;
    in->b = b;
    in->rt = rt;
    in->failed = 0;
    in->asserted = NULL;
    start_threads(in, f, nthreads, nwarps);
    interp_cluster_start(in);
    while (in->live && !in->failed) {
        interp_cluster_pending(in);
        bool ran = in->way ? in->way->round(in->way, in) : run_round(in, nwarps);
        ran |= interp_phase_check(in);
        if (!in->live || in->failed)
            break;
        if (ran)
            rt->kd_rt_yield(b);
        else if (b->cluster_blocks > 1)
            rt->kd_rt_cluster_park(b);
        else
            interp_fault(in, first_waiting(in), KD_FAULT_DEADLOCK);
    }
}

void interp_block(struct kir_module *m, struct kir_func *kernel, struct kd_block *b,
                  const struct kd_rt *rt, const struct interp_way *way) {
    struct interp *in = take(b);
    if (!in) {
        rt->kd_rt_fault_at(b, 0, KD_FAULT_OUT_OF_MEMORY, 0, NULL, 0);
        return;
    }
    in->way = way;
    interp_run(in, m, kernel, b, rt);
    in->owner = NULL;
}

void kir_interp_block(struct kir_module *m, struct kir_func *kernel, struct kd_block *b,
                      const struct kd_rt *rt) {
    interp_block(m, kernel, b, rt, NULL);
}
