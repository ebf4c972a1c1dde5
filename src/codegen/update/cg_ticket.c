// Blocks that take a number from a counter instead of their index, so that each finds those before
// it begun (a scan with look-back, a queue of tiles):
//
//     if (threadIdx.x == 0)
//         tile = atomicAdd(next, 1);      // tile is shared
//     __syncthreads();
//     ... in[tile * 2048 + threadIdx.x] ...
//
// Which tile a worker takes next follows from how many there are that take one each meanwhile. A
// processor does not: to it each tile's pages are new ones, and it has to see some lines of each
// before it asks for the others. So some lines of that tile are asked for while this one's are
// accessed. Nothing depends on the guess.
#include <stdlib.h>

#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_ticket.h"

enum { MAX_DEPTH = 8, LINE = 64, EVERY = 256, LEAST_STEP = 64 };

static bool is_count(const struct kir_value *v) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    uint64_t by;
    return i && i->op == ISA_OP_ATOM && i->mods.atom == ISA_ATOM_ADD &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC) &&
           flow_const(i->ops[1], &by) && by == 1;
}

static const struct kir_symbol *shared_place(const struct kir_inst *i) {
    const struct kir_value *p = i->ops[0];
    bool shared = i->mods.space == ISA_SPACE_SHARED && !i->mods.vec && p->kind == KIR_VALUE_INST &&
                  p->def->op == ISA_OP_SYMADDR;
    return shared ? p->def->sym : NULL;
}

// Is v what a thread has taken from a counter and stored for all?
static bool is_ticket(const struct cg_func *g, const struct kir_value *v) {
    const struct cfg *cfg = g->fl->cfg;
    const struct kir_inst *ld = v->kind == KIR_VALUE_INST ? v->def : NULL;
    const struct kir_symbol *at = ld && ld->op == ISA_OP_LD ? shared_place(ld) : NULL;
    for (uint32_t p = 0; at && p < cfg->nblocks; p++)
        for (const struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST && shared_place(i) == at && i->offset == ld->offset)
                return is_count(i->ops[1]);
    return false;
}

static bool ticket_step(const struct cg_func *g, const struct kir_value *v, unsigned depth,
                        int64_t *step);

static bool product_step(const struct cg_func *g, const struct kir_inst *i, unsigned depth,
                         int64_t *step) {
    int64_t x, y;
    uint64_t by;
    if (!ticket_step(g, i->ops[0], depth, &x) || !ticket_step(g, i->ops[1], depth, &y))
        return false;
    *step = 0;
    if (!x && !y)
        return true;
    if ((x && y) || !flow_const(i->ops[x ? 1 : 0], &by))
        return false;
    *step = (x + y) * (int32_t)by;
    return true;
}

// By how much v is larger with the next number; false: that is not known.
static bool ticket_step(const struct cg_func *g, const struct kir_value *v, unsigned depth,
                        int64_t *step) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    int64_t x, y;
    uint64_t by;
    *step = 0;
    if (!i || isa_op_info[i->op].klass == ISA_CLASS_SOURCE ||
        (i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM))
        return true;
    if (is_ticket(g, v)) {
        *step = 1;
        return true;
    }
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || !depth--)
        return false;
    switch (i->op) {
    case ISA_OP_ADD:
        if (!ticket_step(g, i->ops[0], depth, &x) || !ticket_step(g, i->ops[1], depth, &y))
            return false;
        *step = x + y;
        return true;
    case ISA_OP_MUL:
        return product_step(g, i, depth, step);
    case ISA_OP_MAD:
        if (!product_step(g, i, depth, &x) || !ticket_step(g, i->ops[2], depth, &y))
            return false;
        *step = x + y;
        return true;
    case ISA_OP_SHL:
        if (!flow_const(i->ops[1], &by) || by > 31 || !ticket_step(g, i->ops[0], depth, &x))
            return false;
        *step = x * (INT64_C(1) << by);
        return true;
    case ISA_OP_CVT:
    case ISA_OP_CVTA:
    case ISA_OP_MOV:
        return !isa_type_is_float(i->ty) && ticket_step(g, i->ops[0], depth, step);
    default:
        for (uint32_t k = 0; k < i->nops; k++)
            if (!ticket_step(g, i->ops[k], depth, &x) || x)
                return false;
        return true;
    }
}

// Has an access before i in its block asked for lines as near as these?
static bool is_asked_for(const struct kir_inst *i) {
    for (const struct kir_inst *k = i->block->first; k != i; k = k->next)
        if (k->op == i->op && k->ops[0] == i->ops[0] && llabs(k->offset - i->offset) < EVERY)
            return true;
    return false;
}

void cg_prefetch_ticket(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                        unsigned bytes) {
    struct cg *c = g->cg;
    int64_t step;
    if (!c->target.prefetches_groups || c->quick || i->mods.space != ISA_SPACE_GLOBAL ||
        g->fl->cfg->loop[i->block->id] || bytes < EVERY || is_asked_for(i) ||
        !ticket_step(g, i->ops[0], MAX_DEPTH, &step) || llabs(step) < LEAST_STEP)
        return;
    LLVMValueRef n = cg_block_field(g, offsetof(struct kd_block, nsmid), c->i32, "workers");
    n = LLVMBuildMul(c->b, LLVMBuildZExt(c->b, n, c->i64, ""), cg_i64(c, (uint64_t)step), "");
    // Where the second cache is what is asked, it brings lines that were asked for, not their
    // neighbours.
    for (unsigned at = 0; at < bytes; at += c->target.second_cache ? LINE : EVERY) {
        LLVMValueRef by = LLVMBuildAdd(c->b, n, cg_i64(c, at), "");
        LLVMValueRef to = LLVMBuildGEP2(c->b, c->i8, p, &by, 1, "");
        cg_prefetch_to(c, to, false, CG_SECOND_CACHE);
    }
}
