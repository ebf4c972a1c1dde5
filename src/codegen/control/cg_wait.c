// Loops that wait: what the device is told when lanes have looked in vain, for who asks why a
// launch does not end (device/sched/hang.h).
#include <string.h>

#include "codegen/control/cg_wait.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/check.h"
#include "isa/ops/fence.h"
#include "support/work.h"

static bool is_inside(const struct cg_func *g, const struct cfg_loop *l,
                      const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && cfg_in_loop(l, g->fl->cfg->loop[v->def->block->id]);
}

static bool reads_memory(const struct kir_inst *i) {
    return (i->op == ISA_OP_LD || i->op == ISA_OP_ATOM) && !i->mods.nc &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_SHARED ||
            i->mods.space == ISA_SPACE_GENERIC);
}

// Could the loop, as often as it looks, write what others see? A compare-and-swap and an exchange
// that go on in vain mostly leave things as they are.
static bool writes(const struct kir_inst *i) {
    uint64_t c;
    switch (i->op) {
    case ISA_OP_ATOM:
        return i->mods.atom != ISA_ATOM_CAS && i->mods.atom != ISA_ATOM_EXCH &&
               !(flow_const(i->ops[1], &c) && c == 0);
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
    case ISA_OP_NANOSLEEP:
    case ISA_OP_CHECK_ACCESS:
    case ISA_OP_CHECK_SYNC:
        return false;
    default:
        return isa_op_info[i->op].side_effect && !kir_is_terminator((isa_op)i->op);
    }
}

// The variable that an access goes to, and where in it.
static const struct kir_symbol *variable_of(const struct kir_inst *access, int64_t *offset) {
    const struct kir_value *v = access->ops[0];
    *offset = access->offset;
    for (int steps = 0; steps < 8 && v->kind == KIR_VALUE_INST; steps++) {
        const struct kir_inst *d = v->def;
        uint64_t c;
        if (d->op == ISA_OP_SYMADDR) {
            *offset += d->offset;
            return d->sym;
        }
        if (d->op == ISA_OP_ADD && flow_const(d->ops[1], &c))
            *offset += (int64_t)c;
        else if (d->op != ISA_OP_CVTA && d->op != ISA_OP_MOV)
            return NULL;
        v = d->ops[0];
    }
    return NULL;
}

// Can the device be told where access i goes, at the loop's head?
static bool has_place(const struct cg_func *g, const struct cfg_loop *l, const struct kir_inst *i) {
    int64_t offset;
    const struct kir_symbol *sym = variable_of(i, &offset);
    return (sym && (sym->index >= 0 || (sym->space == ISA_SPACE_SHARED && !sym->dynamic))) ||
           !is_inside(g, l, i->ops[0]);
}

static bool is_exit(const struct cg_func *g, const struct cfg_loop *l, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->ntargets; k++)
        if (!cfg_in_loop(l, g->fl->cfg->loop[i->targets[k]->id]))
            return true;
    return false;
}

static bool is_clock(const struct kir_inst *i) {
    return i->op == ISA_OP_SREG &&
           (i->sreg == ISA_SREG_CLOCK || i->sreg == ISA_SREG_CLOCK_HI ||
            i->sreg == ISA_SREG_CLOCK64 || i->sreg == ISA_SREG_GLOBALTIMER ||
            i->sreg == ISA_SREG_GLOBALTIMER_LO || i->sreg == ISA_SREG_GLOBALTIMER_HI);
}

struct looked_at {
    const struct kir_inst *read; // the first whose address stays; NULL: none
    const struct kir_inst *at;   // says where in the source: a branch that leaves, else any
    bool writes, clock;
};

static struct looked_at look(const struct cg_func *g, const struct cfg_loop *l) {
    struct looked_at x = {0};
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next) {
            x.writes |= writes(i);
            x.clock |= is_clock(i);
            if (!x.read && reads_memory(i) && has_place(g, l, i))
                x.read = i;
            bool leaves = i->line && is_exit(g, l, i);
            if (i->line && (!x.at || (leaves && !is_exit(g, l, x.at))))
                x.at = i;
        }
    return x;
}

// The address that the first active lane looks at.
static LLVMValueRef address_of(struct cg_func *g, const struct kir_inst *read, LLVMValueRef lanes) {
    struct cg *c = g->cg;
    LLVMValueRef none_is_poison[2] = {lanes, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef first = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, none_is_poison, 2);
    first = LLVMBuildAnd(c->b, first, cg_i32(c, c->width - 1), "");
    LLVMValueRef a =
        c->width == 1 ? cg_vec(g, read->ops[0]) : cg_extract(g, cg_vec(g, read->ops[0]), first);
    a = LLVMTypeOf(a) == c->i64 ? a : LLVMBuildZExt(c->b, a, c->i64, "");
    return LLVMBuildAdd(c->b, a, cg_i64(c, (uint64_t)read->offset), "");
}

void cg_call_wait(struct cg_func *g, const struct cfg_loop *l, bool yields) {
    struct cg *c = g->cg;
    struct looked_at x = look(g, l);
    LLVMValueRef lanes = cg_i32(c, 1), address = cg_i64(c, 0);
    // What is made here is not at hand where the loop goes on.
    struct arena kept = {0};
    size_t bytes = (g->f->value_count + 1) * sizeof *g->now.vals;
    struct cg_val *known = arena_memdup(&kept, g->now.vals, bytes);
    work_spend(g->f->value_count);
    uint32_t what = (x.writes ? KD_WAIT_WRITES : 0) | (yields ? 0 : KD_WAIT_GOES_ON);
    if (!x.writes && !x.clock && g->fl->cfg->order[l->first]->first->op != ISA_OP_PHI)
        what |= KD_WAIT_ALIKE;
    if (c->width > 1) {
        lanes = cg_mask_bits(g, cg_mask(g));
        lanes = c->width < 32 ? LLVMBuildZExt(c->b, lanes, c->i32, "") : lanes;
    }
    int64_t offset = 0;
    const struct kir_symbol *sym = x.read ? variable_of(x.read, &offset) : NULL;
    if (sym && sym->index >= 0) {
        address = cg_i64(c, (uint64_t)sym->index << KD_WAIT_INDEX | (uint32_t)offset);
        what |= KD_WAIT_VARIABLE;
    } else if (sym && sym->space == ISA_SPACE_SHARED && !sym->dynamic) {
        address = cg_i64(c, sym->offset + (uint64_t)offset);
        what |= KD_WAIT_SHARED;
    } else if (x.read && !is_inside(g, l, x.read->ops[0])) {
        address = address_of(g, x.read, lanes);
        what |= x.read->mods.space == ISA_SPACE_SHARED ? KD_WAIT_SHARED : 0;
    }
    LLVMValueRef file = x.at ? cg_file_name(c, x.at) : LLVMConstNull(c->ptr);
    LLVMValueRef a[7] = {g->blk,
                         g->now.t0,
                         lanes,
                         address,
                         cg_i32(c, what),
                         file,
                         cg_i32(c, LLVMIsNull(file) ? 0 : x.at->line)};
    cg_call_rt(c, "kd_rt_wait", a, 7);
    memcpy(g->now.vals, known, bytes);
    arena_free(&kept);
}
