// A rough count of cycles, per block and as often as its loops run: what a group of lanes takes in
// vectors against what its threads take one after the other.
//
// An access at an address a lane is a scalar access a lane in vectors, too, with the address taken
// out of a vector before and the value put into one behind it. Where lanes leave a loop at
// different iterations, a vector iterates as often as the slowest lane needs, with ever fewer lanes
// at work.
#include "passes/affine/lane_cost.h"

#include "isa/ops/arith.h"
#include "isa/ops/floats.h"
#include "isa/ops/memory.h"
#include "passes/affine/lane_run.h"

enum {
    TURNS = 8, // of a loop, where nothing is known
    MAX_DEPTH = 4,
    SPREAD = 3,  // an access of one lane of a vector: address out, access, value in, under a mask
    GATHER = 2,  // the same in one instruction, where the machine's are fast, or without a mask
    BRANCH = 3,  // of one thread: now and then it is mispredicted
    CHOICE = 6,  // the same within an iteration: often
    ATOMIC = 20, // one locked access, in either
    SLOW = 8     // division, roots, approximations, of one vector
};

struct cost {
    double vector, scalar;
};

static bool varies(const struct flow *fl, const struct kir_value *v) {
    return fl->shape[v->id].kind == SHAPE_VARYING;
}

static bool any_varies(const struct flow *fl, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nres; k++)
        if (varies(fl, i->res[k]))
            return true;
    return false;
}

// Is a result another number in each lane, if at a constant distance?
static bool any_has_own(const struct flow *fl, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nres; k++)
        if (fl->shape[i->res[k]->id].kind != SHAPE_UNIFORM)
            return true;
    return false;
}

// Lanes that can be loaded or stored together.
static bool is_line(const struct shape *s) {
    enum { NEAR = 32 };
    return s->kind == SHAPE_UNIFORM ||
           (s->kind == SHAPE_OFFSETS && s->offs[1] - s->offs[0] <= NEAR &&
            s->offs[1] - s->offs[0] >= -NEAR);
}

// Lanes that lie side by side as a rule; whether they do is looked at when it runs.
static bool is_run(const struct lane_runs *r, const struct kir_inst *i, double elements) {
    int64_t bytes = (int64_t)elements * isa_type_bits(i->ty) / 8;
    return kir_type_bits(i->ops[0]->type) == 64 &&
           lane_run(r, i->ops[0], i->block, bytes).lanes == r->fl->width;
}

// Without loops that lanes leave, masks are those of branches: mostly all lanes act, and words go
// into their vector as they are loaded.
static bool has_masks(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (fl->loop_divergent[k])
            return true;
    return false;
}

static struct cost access(const struct lane_runs *r, const struct kir_inst *i,
                          const struct machine *m, bool private_frame) {
    const struct flow *fl = r->fl;
    double w = fl->width, n = i->mods.vec ? i->mods.vec : 1;
    unsigned bits = isa_type_bits(i->ty);
    const struct shape *s = &fl->shape[i->ops[0]->id];
    if (i->mods.space == ISA_SPACE_PARAM)
        return (struct cost){0};
    bool local = i->mods.space == ISA_SPACE_LOCAL;
    if (local && private_frame && s->kind == SHAPE_UNIFORM)
        return (struct cost){2 * n, w * n};
    if (!local && (is_line(s) || is_run(r, i, n)))
        return (struct cost){s->kind == SHAPE_UNIFORM ? n : 2 * n, w * n};
    // Words of one lane that follow each other are one access.
    bool gathers = (m->fast_gathers || !has_masks(fl)) && i->op == ISA_OP_LD && n == 1 &&
                   (bits == 32 || bits == 64);
    return (struct cost){(gathers ? GATHER : SPREAD) * w, w};
}

static unsigned value_bits(const struct kir_inst *i) {
    unsigned bits = 32;
    for (uint32_t k = 0; k < i->nres; k++)
        if (i->res[k]->type != KIR_PRED && kir_type_bits(i->res[k]->type) > bits)
            bits = kir_type_bits(i->res[k]->type);
    return bits;
}

static bool is_slow(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_DIV:
    case ISA_OP_REM:
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
    case ISA_OP_RCP:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_LG2:
    case ISA_OP_EX2:
    case ISA_OP_TANH:
        return true;
    default:
        return false;
    }
}

// Conversions of indices and sums in addresses are part of scalar accesses.
static bool is_in_address(const struct kir_inst *i) {
    bool whole = !isa_type_is_float(i->ty) && i->nres == 1 && i->res[0]->type == KIR_B64;
    return whole && (i->op == ISA_OP_ADD || i->op == ISA_OP_SHL || i->op == ISA_OP_CVT ||
                     i->op == ISA_OP_MUL || i->op == ISA_OP_CVTA);
}

static struct cost pointwise(const struct flow *fl, const struct kir_inst *i,
                             const struct machine *m) {
    double w = fl->width, vectors = (value_bits(i) * w + m->vector_bits - 1) / m->vector_bits;
    double slow = is_slow(i) ? SLOW : 1;
    if (vectors < 1)
        vectors = 1;
    // A scalar that all lanes share is, as a rule, made before the loop over threads.
    if (!any_has_own(fl, i))
        return (struct cost){1, 1};
    return (struct cost){any_varies(fl, i) ? vectors * slow : 1,
                         is_in_address(i) ? w / 4 : w * slow / 2};
}

// Does i part lanes that meet again in the same iteration of their loop?
static bool is_choice(const struct flow *fl, const struct kir_inst *i) {
    const struct cfg_loop *l = fl->cfg->loop[i->block->id];
    for (uint32_t k = 0; l && k < i->ntargets; k++) {
        const struct cfg_loop *to = fl->cfg->loop[i->targets[k]->id];
        if (i->targets[k] == l->header || !to || !cfg_in_loop(l, to))
            return false;
    }
    return l != NULL;
}

static struct cost of_inst(const struct lane_runs *r, const struct kir_inst *i,
                           const struct machine *m, bool private_frame) {
    const struct flow *fl = r->fl;
    double w = fl->width;
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
        return pointwise(fl, i, m);
    case ISA_CLASS_MEMORY:
        if (i->op == ISA_OP_LD || i->op == ISA_OP_LDU || i->op == ISA_OP_ST)
            return access(r, i, m, private_frame);
        return (struct cost){ATOMIC * w, ATOMIC * w};
    case ISA_CLASS_CONTROL:
        if (i->op == ISA_OP_CBR && fl->divergent[i->block->id])
            return (struct cost){BRANCH, (is_choice(fl, i) ? CHOICE : BRANCH) * w};
        return (struct cost){1, 1};
    default:
        return (struct cost){0};
    }
}

// How much longer a vector iterates than its lanes do on average.
static double slowest_lane(const struct flow *fl, const struct cfg_loop *l) {
    double more = 1;
    for (; l; l = l->parent)
        if (fl->loop_divergent[l->index])
            more = 1.5;
    return more;
}

static double turns(const struct cfg_loop *l) {
    double n = 1;
    for (uint32_t d = 0; l && d < l->depth && d < MAX_DEPTH; d++)
        n *= TURNS;
    return n;
}

// Loops whose lanes iterate together keep their accesses in vectors, whatever they cost: groups run
// in teams there. Without loops rows of threads may have columns in common (cg_transpose.c).
static bool is_candidate(const struct flow *fl) {
    const uint32_t *n = fl->spec.ntid;
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (fl->loop_divergent[k])
            return true;
    return !fl->cfg->loops.len && n[1] * n[2] == 1;
}

bool scalars_are_faster(const struct flow *fl, const struct machine *m, bool private_frame) {
    if (!is_candidate(fl))
        return false;
    const struct lane_runs *r = lane_runs_of_flow(fl);
    struct cost sum = {0};
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        const struct cfg_loop *l = fl->cfg->loop[b->id];
        double often = turns(l), more = slowest_lane(fl, l);
        for (const struct kir_inst *i = b->first; i; i = i->next) {
            struct cost c = of_inst(r, i, m, private_frame);
            sum.vector += c.vector * often * more;
            sum.scalar += c.scalar * often;
        }
    }
    return sum.vector > 1.25 * sum.scalar;
}

struct lane_cost lane_cost_of_loop(const struct lane_runs *r, const struct cfg_loop *l,
                                   const struct machine *m, bool private_frame) {
    const struct flow *fl = r->fl;
    struct lane_cost sum = {0};
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        double often = turns(fl->cfg->loop[b->id]) / turns(l);
        for (const struct kir_inst *i = b->first; i; i = i->next) {
            struct cost c = of_inst(r, i, m, private_frame);
            sum.vector += c.vector * often;
            sum.one += c.scalar * often / fl->width;
        }
    }
    return sum;
}
