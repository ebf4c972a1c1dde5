// How a kernel's blocks are run: by groups one after the other, or with stacks for warps or
// threads.
#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/own_kernel.h"
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/scalars.h"
#include "codegen/pipeline/team.h"
#include "codegen/pipeline/team_loops.h"
#include "codegen/pipeline/width.h"
#include "passes/analysis/thread_rows.h"
#include "passes/flow/meeting_waits.h"
#include "passes/flow/park_points.h"
#include "passes/flow/waiting.h"
#include "passes/loops/whole_blocks.h"
#include "support/check/check_tools.h"

// Could lanes in lockstep (ir.h) tell whether the warp is one vector?
static bool could_tell(const struct traits *t, bool waits) {
    return t->warp_ops || by_volatile(t) || waits;
}

// Do device functions, which are called with lanes of one split, have nothing that lanes do
// together?
static bool only_kernel_meets(const struct cg *c) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        const struct kir_func *f = c->ir->funcs.data[n];
        for (uint32_t b = 0; b < f->blocks.len && c->needed[n] && f != c->kernel; b++)
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (isa_op_info[i->op].klass == ISA_CLASS_WARP ||
                    isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                    return false;
    }
    return true;
}

// Could lanes in a device function wait for others that have not come to its call?
static bool functions_wait(const struct cg *c, struct flow **fl) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        for (uint32_t k = 0; fl[n] && n != c->kernel->index && k < fl[n]->cfg->loops.len; k++)
            if (fl[n]->loop_waits[k] == WAITS_FOR_OTHERS || fl[n]->loop_waits[k] == WAITS_PERHAPS)
                return true;
    return false;
}

// Where lanes of a warp may have to wait for others at a barrier, a warp operation or in a loop
// that looks: code in which they can be parked there. False: that is not enough, and all is as
// before.
static bool try_parks(struct pipeline *p, const struct traits *t) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    struct old_kernel old = old_kernel(c);
    if (c->width == 1 || c->ir->lockstep || t->odd_barrier || t->block_in_function ||
        t->device_runtime || t->mbarrier_wait || !can_park(c->kernel) || !only_kernel_meets(c))
        return false;
    struct kir_module *m = own_module(c);
    make_park_points(m->funcs.data[c->kernel->index], fl[c->kernel->index]);
    use_module(c, m);
    c->parks = true;
    if (analyse_all(p) && !functions_wait(c, fl))
        return true;
    c->parks = false;
    restore_kernel(c, old);
    analyse_all(p);
    return false;
}

// Do all loops that may wait stand in the kernel, with a barrier in each iteration? Then whoever
// gives way does so for the whole block.
static bool waits_together(const struct cg *c, struct flow **fl) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->needed[n] && fl[n] && c->ir->funcs.data[n] != c->kernel && waiting_any(fl[n]))
            return false;
    return meeting_loops(fl[c->kernel->index]);
}

// Waits for phases at which all threads of the block meet are barriers: see meeting_waits.h. False:
// nothing has changed.
static bool try_meetings(struct pipeline *p, struct traits *t) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    struct old_kernel old = old_kernel(c);
    if (!t->mbarrier_wait || t->odd_barrier || t->block_in_function || t->device_runtime ||
        c->ir->lockstep || c->width == 1 || !waits_together(c, fl))
        return false;
    use_module(c, own_module(c));
    analyse_all(p);
    if (meeting_waits(c->kernel, fl[c->kernel->index])) {
        bool independent = analyse_all(p);
        *t = traits_of(c);
        if (independent && !t->mbarrier_wait)
            return true;
    }
    restore_kernel(c, old);
    *t = traits_of(c);
    analyse_all(p);
    return false;
}

// How lanes and warps of the kernel wait for each other.
struct waiting {
    struct traits t;
    bool independent; // no lane waits for another of its vector
    bool together;    // who waits does so for the whole block
    bool stacks;      // a warp has to keep its place while others run
    bool threads;     // each thread does
};

// What asks for a stack of its own whatever the analyses say.
static bool needs_stacks(const struct traits *t) {
    return t->odd_barrier || t->block_in_function;
}

// Chooses the width, too.
static struct waiting find_waiting(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    struct waiting w = {.t = traits_of(c)};
    const struct traits *t = &w.t;
    // Any thread may be the next to run (`kudzu check --schedules`).
    bool apart = check_tools() & CHECK_APART;
    c->width = apart ? 1 : choose_width(c, t);
    c->team = 1;
    w.independent = analyse_all(p);
    if (w.independent)
        try_meetings(p, &w.t);
    if (!w.independent || (c->width > 1 && waiting_apart(fl[c->kernel->index])))
        w.independent = try_parks(p, t) || w.independent;
    w.together = w.independent && !t->mbarrier_wait && !needs_stacks(t) && !t->device_runtime &&
                 c->width > 1 && waits_together(c, fl);
    w.stacks = apart || needs_stacks(t) || (p->waits && !w.together);
    // A thread that launches waits for the others of its warp, see cg_meet_lanes.
    c->lanes_meet = t->device_runtime && !one_thread(c);
    bool lockstep = c->ir->lockstep && !c->lanes_meet;
    w.threads = !lockstep && c->width == 1 && (t->warp_ops || w.stacks || c->lanes_meet);
    // A warp on a stack of its own is one group: what its lanes may do apart is another question
    // than for narrower groups.
    if ((c->width > 1 && c->width < 32 && w.independent && w.stacks) ||
        (lockstep && c->width < 32 && could_tell(t, w.stacks || !w.independent))) {
        c->width = 32;
        w.independent = analyse_all(p);
    }
    w.stacks |= lockstep && !w.independent;
    if (!lockstep && c->width > 1 && !w.independent)
        w.threads = true;
    if (!lockstep && !c->parks && c->width > 1 && (t->block_in_function || p->waits) &&
        blocks_under_mask(c, fl))
        w.threads = true;
    return w;
}

static void run_on_thread_stacks(struct pipeline *p) {
    struct cg *c = p->c;
    c->mode = KD_MODE_THREAD_STACKS;
    if (c->width == 1)
        return;
    debug_masks(c, p->fl[c->kernel->index]);
    c->width = 1;
    analyse_all(p);
}

static void run_on_warp_stacks(struct cg *c, const struct traits *t) {
    c->mode = KD_MODE_WARP_STACKS;
    if (needs_stacks(t))
        because(c,
                t->block_in_function ? "a barrier stands in a function"
                : t->allocates       ? "memory from alloca lives across a barrier"
                                     : "a barrier is for some of the warps",
                t->barrier_at);
    else
        because(c, "the kernel waits for what others write", t->mbarrier_at);
}

static void widen(struct pipeline *p, unsigned width) {
    p->c->width = width;
    p->c->team = 1;
    analyse_all(p);
}

// Nothing but the kernel's speed tells how wide vectors are, and how many groups are a team.
static void choose_vectors(struct pipeline *p, bool may_widen) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    if (may_widen && groups_want_two_registers(c))
        widen(p, c->width * 2);
    c->team = choose_team(c, fl[c->kernel->index]);
    if (may_widen && rows_want_32(c)) {
        widen(p, 32);
        c->team = choose_team(c, fl[c->kernel->index]);
    }
    if (c->team > 1 && (c->spec.flags & KD_SPEC_QUICK)) {
        c->quick = true; // of the same width
        c->team = 1;
    } else if (c->team > 1) {
        try_team(p);
    } else if (may_widen && c->width < 32 && fit_registers(c, fl[c->kernel->index], 2, false) &&
               has_grid_stride_loop(fl[c->kernel->index])) {
        widen(p, 32);
    } else if (may_widen && rows_without_loops(c, fl[c->kernel->index])) {
        widen(p, c->width * 2);
    } else {
        try_transposed(p, may_widen);
    }
    unsigned wide = may_widen && c->team == 1 ? width_for_latency(c, fl[c->kernel->index]) : 0;
    if (wide > c->width)
        widen(p, wide);
}

static void run_blocks(struct pipeline *p, const struct traits *t) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    c->mode = KD_MODE_BLOCK;
    if (c->spec.width == 1 && c->width == 1) {
        c->thread_rows = thread_rows_are_vectors(fl[c->kernel->index]);
        run_threads(p);
    }
    if (wants_scalars(c, t, fl[c->kernel->index]))
        run_threads(p);
    else if (!c->quick && !c->parks)
        choose_vectors(p, !c->spec.width && c->width > 1 && c->width < 32 && t->f64 <= t->f32);
}

// Where masks cost, a kernel's code is there twice: for blocks in which all threads act, and
// others.
static void try_whole_blocks(struct cg *c) {
    if (c->target.mask_registers || !(c->spec.flags & KD_SPEC_SMALL_GRID) || c->quick)
        return;
    struct kir_module *m = own_module(c);
    bool full_rows = c->spec.ntid[0] && c->spec.ntid[0] % 8 == 0;
    if (whole_blocks(m->funcs.data[c->kernel->index], full_rows))
        use_module(c, m);
}

void choose_mode_anew(struct pipeline *p) {
    struct cg *c = p->c;
    try_whole_blocks(c);
    struct waiting w = find_waiting(p);
    if (w.threads) {
        run_on_thread_stacks(p);
    } else if (p->waits && !w.together && w.independent && !needs_stacks(&w.t) &&
               !w.t.mbarrier_wait && !w.t.device_runtime) {
        c->mode = KD_MODE_BLOCK;
        c->splits = true;
    } else if (w.stacks) {
        run_on_warp_stacks(c, &w.t);
    } else {
        run_blocks(p, &w.t);
    }
}

void choose_mode(struct pipeline *p) {
    if (!p->c->stride_limit)
        choose_mode_anew(p);
}
