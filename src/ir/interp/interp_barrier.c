// Barriers of a block, counted in threads. The lanes that a warp lacks, and those that have exited,
// arrive with its first lane, since counts are given in whole warps.
#include "ir/interp/interp_internal.h"
#include "isa/ops/block.h"

static struct interp_barrier *barrier_of(struct interp *in, struct interp_thread *t,
                                         const struct interp_inst *i, uint32_t *id) {
    *id = interp_get(t, &i->ops[0]).u32[0];
    if (*id < INTERP_BARRIERS)
        return &in->barriers[*id];
    interp_fault(in, t, KD_FAULT_ILLEGAL_INSTRUCTION);
    return NULL;
}

// Lanes of the warps of which one has arrived that will not.
static uint32_t absent(const struct interp *in, const struct interp_barrier *bar) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < in->b->nwarps; w++)
        if (bar->came[w])
            n += KD_WARP - (uint32_t)__builtin_popcount(in->warps[w].live | bar->came[w]);
    return n;
}

static bool complete(const struct interp *in, const struct interp_barrier *bar) {
    if (!bar->expected)
        return bar->waiting >= in->live;
    return bar->arrived + absent(in, bar) >= bar->expected;
}

static void release_one(struct interp *in, struct interp_thread *t,
                        const struct interp_barrier *bar) {
    const struct interp_inst *i = interp_at(t);
    if (i->ir->op == ISA_OP_BAR_RED) {
        uint64_t r = bar->truths;
        if (i->ir->mods.boolop == ISA_BOOL_AND)
            r = bar->truths == bar->lanes;
        else if (i->ir->mods.boolop == ISA_BOOL_OR)
            r = bar->truths != 0;
        interp_set64(t, i, 0, r);
    }
    interp_resume(in, t);
}

static void release(struct interp *in, uint32_t id) {
    struct interp_barrier bar = in->barriers[id];
    memset(&in->barriers[id], 0, sizeof bar);
    for (uint32_t k = 0; k < in->b->nthreads; k++) {
        struct interp_thread *t = &in->threads[k];
        if (t->state == INTERP_BAR_WAIT && t->barrier == id)
            release_one(in, t, &bar);
    }
}

static void check(struct interp *in, uint32_t id) {
    const struct interp_barrier *bar = &in->barriers[id];
    if (bar->arrived && complete(in, bar))
        release(in, id);
}

void interp_barrier_check(struct interp *in) {
    for (uint32_t id = 0; id < INTERP_BARRIERS; id++)
        check(in, id);
}

void interp_barrier_op(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    uint32_t id, last = i->ir->nops - 1;
    struct interp_barrier *bar = barrier_of(in, t, i, &id);
    if (!bar)
        return;
    bool counted = i->ir->flag || i->ir->op == ISA_OP_BAR_ARRIVE;
    bar->expected = counted ? interp_get(t, &i->ops[1]).u32[0] : 0;
    bar->arrived++;
    bar->came[t->id / KD_WARP] |= 1u << t->id % KD_WARP;
    if (i->ir->op == ISA_OP_BAR_RED) {
        bar->lanes++;
        bar->truths += interp_get(t, &i->ops[last]).u8[0] & 1;
    }
    if (i->ir->op == ISA_OP_BAR_ARRIVE) {
        t->pc++;
    } else {
        bar->waiting++;
        t->barrier = id;
        interp_wait(in, t, INTERP_BAR_WAIT);
    }
    check(in, id);
}
