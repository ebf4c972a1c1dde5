// One instruction of each lane of a group.
#include "ir/async.h"
#include "ir/eval.h"
#include "ir/interp/interp_internal.h"
#include "isa/ops/all.h"

enum { MAX_OPERANDS = 16 };

// Phis read everything before they write anything.
void interp_take_edge(struct interp *in, struct interp_thread *t, const struct interp_edge *e) {
    uint64_t *regs = t->regs + interp_top(t)->regs;
    for (uint32_t k = 0; k < e->nmoves; k++)
        in->moved[k] = interp_get(t, &e->moves[k].from);
    for (uint32_t k = 0; k < e->nmoves; k++) {
        if (e->moves[k].undefined && in->way)
            continue; // what others have decided may stand for it
        regs[e->moves[k].to] = in->moved[k].u64[0];
        if (e->moves[k].from.wide)
            regs[e->moves[k].to + 1] = in->moved[k].u64[1];
    }
    t->pc = e->pc;
}

static void pointwise(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    union isa_bits src[MAX_OPERANDS] = {0}, dst[MAX_OPERANDS] = {0};
    if (i->ir->nops > MAX_OPERANDS || i->ir->nres > MAX_OPERANDS) {
        interp_fault(in, t, KD_FAULT_ILLEGAL_INSTRUCTION);
        return;
    }
    for (uint32_t k = 0; k < i->ir->nops; k++)
        src[k] = interp_get(t, &i->ops[k]);
    if (!kir_eval(i->ir, src, dst)) {
        interp_fault(in, t, KD_FAULT_ILLEGAL_INSTRUCTION);
        return;
    }
    for (uint32_t k = 0; k < i->ir->nres; k++)
        interp_set(t, i, k, dst[k]);
}

static void convert_address(struct interp *in, struct interp_thread *t,
                            const struct interp_inst *i) {
    uint64_t addr = interp_get(t, &i->ops[0]).u64[0];
    uint8_t space = i->ir->mods.space;
    if (i->ir->op == ISA_OP_ISSPACEP)
        interp_set64(t, i, 0, interp_is_in_space(in, t, space, addr));
    else if (i->ir->mods.to)
        interp_set64(t, i, 0, interp_from_generic(in, t, space, addr));
    else
        interp_set64(t, i, 0, interp_to_generic(in, t, space, addr));
}

static void read_param(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    const struct interp_frame *f = interp_top(t);
    const uint64_t *args = t->regs + f->regs + f->func->nslots;
    interp_set64(t, i, 0, args[i->ir->index]);
}

// Dynamic allocation in the frame: the top of the local stack is kept behind the arguments.
static void allocate(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    struct interp_frame *f = interp_top(t);
    uint64_t size = i->ir->op == ISA_OP_ALLOCA ? interp_get(t, &i->ops[0]).u64[0] : 0, align = 8;
    if (i->ir->op == ISA_OP_STACKRESTORE) {
        f->top = interp_get(t, &i->ops[0]).u64[0];
        return;
    }
    if (i->ir->op == ISA_OP_STACKSAVE) {
        interp_set64(t, i, 0, f->top);
        return;
    }
    if (i->ir->nops > 1)
        align = interp_get(t, &i->ops[1]).u64[0];
    align = align && !(align & (align - 1)) && align <= 4096 ? align : 8;
    uint64_t at = (f->top + align - 1) & ~(align - 1);
    if (size > in->b->local_stride || at > in->b->local_stride - size) {
        interp_fault(in, t, KD_FAULT_STACK_OVERFLOW);
        return;
    }
    f->top = at + size;
    interp_set64(t, i, 0, at);
}

static void access_image(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    uint64_t from[KD_IMAGE_MAX_INPUTS] = {0}, to[KD_IMAGE_MAX_OUTPUTS] = {0};
    uint32_t last = i->ir->nops - 1, form = interp_get(t, &i->ops[last]).u32[0];
    uint64_t object = interp_get(t, &i->ops[0]).u64[0];
    for (uint32_t k = 1; k < last && k <= KD_IMAGE_MAX_INPUTS; k++)
        from[k - 1] = interp_get(t, &i->ops[k]).u64[0];
    if (i->ir->op == ISA_OP_TEX)
        in->rt->kd_rt_tex(in->b, t->id, object, form, from, to);
    else
        in->rt->kd_rt_surf(in->b, t->id, object, form, from, to);
    for (uint32_t k = 0; k < i->ir->nres && k < KD_IMAGE_MAX_OUTPUTS; k++)
        interp_set64(t, i, k, to[k]);
}

uint32_t interp_edge(const struct interp_thread *t, const struct interp_inst *i) {
    uint32_t n = i->ir->ntargets;
    if (i->ir->op == ISA_OP_BRA)
        return 0;
    if (i->ir->op == ISA_OP_CBR)
        return interp_get(t, &i->ops[0]).u8[0] & 1 ? 0 : 1;
    uint32_t at = i->ir->op == ISA_OP_BRX_IDX ? interp_get(t, &i->ops[0]).u32[0] : n;
    return at < n ? at : n;
}

static void go_by_edge(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    uint32_t at = interp_edge(t, i);
    if (at >= i->ir->ntargets)
        interp_fault(in, t, KD_FAULT_INVALID_PC); // undefined behaviour
    else
        interp_take_edge(in, t, &i->edges[at]);
}

static void sleep_thread(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    struct interp_warp *w = interp_warp_of(in, t);
    w->give_way = true;
    if (in->live == 1) // nobody else of the block could run meanwhile
        in->rt->kd_rt_nanosleep(in->b, t->id, interp_get(t, &i->ops[0]).u32[0]);
}

// A thread that has to wait for other grids comes to the instruction again.
static void go_grid(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    bool waits = i->ir->mods.sem == ISA_SEM_ACQUIRE;
    if (in->rt->kd_rt_grid(in->b, waits ? KD_GRID_ASK : KD_GRID_TRIGGER, 1))
        t->pc++;
    else
        interp_warp_of(in, t)->give_way = true;
}

// What instructions do that set the program counter, or leave it for later.
static void go_call(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_call(in, t, i);
}

static void go_return(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_return(in, t, i);
}

static void go_exit(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_finish(in, t);
}

static void go_barrier(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_barrier_op(in, t, i);
}

static void go_cluster_arrive(struct interp *in, struct interp_thread *t,
                              const struct interp_inst *i) {
    interp_cluster_arrive(in, t);
}

static void go_cluster_wait(struct interp *in, struct interp_thread *t,
                            const struct interp_inst *i) {
    interp_cluster_wait(in, t);
}

// mbarrier objects and asynchronous copies are the device's work. A thread that finds a phase
// unfinished lets others run.
static void go_async(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    if ((i->ir->flag && kir_async_waits(i->ir)) || kir_async_tries(i->ir)) {
        interp_phase_wait(in, t, i);
        return;
    }
    uint64_t r = interp_async(in, t, i);
    if (i->ir->nres)
        interp_set64(t, i, 0, r);
    if (kir_async_waits(i->ir) && !r)
        interp_warp_of(in, t)->give_way = true;
    t->pc++;
}

static void read_sreg(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_set64(t, i, 0, interp_sreg(in, t, (enum isa_sreg)i->ir->sreg));
}

static void read_symbol(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_set64(t, i, 0, interp_symbol(in, t, i->ir));
}

static void order_memory(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_fence();
}

static void trap(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    interp_fault(in, t, KD_FAULT_TRAP);
}

// Edges make phis.
static void skip(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
}

// What each instruction does, as instructions.py says, but those of class warp; none: the reference
// semantics say it.
static const struct runner {
    void (*run)(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
    bool goes; // sets the program counter
} runners[ISA_OP_COUNT] = {
#include "isa/rules/run.inc"
};

void interp_run_lane(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    const struct runner *r = &runners[i->ir->op];
    if (r->run)
        r->run(in, t, i);
    else
        pointwise(in, t, i);
    if (!r->goes)
        t->pc++;
}

void interp_end_step(struct interp *in) {
    if (in->asserted && !in->failed)
        interp_fault(in, in->asserted, KD_FAULT_ASSERT);
}

void interp_step(struct interp *in, struct interp_warp *w, uint32_t group) {
    struct interp_thread *threads = in->threads + w->first;
    const struct interp_inst *i = interp_at(&threads[__builtin_ctz(group)]);
    if (isa_op_info[i->ir->op].klass == ISA_CLASS_WARP) {
        interp_warp_op(in, w, group);
        return;
    }
    for (; group && !in->failed; group &= group - 1) {
        struct interp_thread *t = &threads[__builtin_ctz(group)];
        interp_run_lane(in, t, i);
    }
    interp_end_step(in);
}
