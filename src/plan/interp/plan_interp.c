// What is looked up by program counter, and blocks as a whole.
#include "plan/interp/plan_interp.h"

#include "plan/interp/groups.h"
#include "plan/interp/internal.h"

static bool is_guarded(const struct plan *p, const struct kir_inst *i) {
    return p->in.fl->width > 1 && flow_use(p->in.fl, i->ops[0], i->block).guard;
}

// The stores of the row whose last one stands at pc, from the end.
static void find_members(struct arena *a, const struct plan *p, const struct kir_inst *last,
                         uint32_t pc, struct plan_at *at) {
    const struct plan_access *row = at->access->row;
    at->members = arena_array(a, uint32_t, row->count);
    for (const struct kir_inst *i = last; i && at->nmembers < row->count; i = i->prev, pc--) {
        const struct plan_access *x = plan_access_of(p, i);
        if (x && x->row == row)
            at->members[at->nmembers++] = pc;
    }
}

static void describe(struct arena *a, const struct plan *p, struct plan_code *code) {
    const struct kir_func *f = p->in.fl->func;
    const struct cfg *cfg = p->in.fl->cfg;
    uint32_t pc = 0, *places = arena_array(a, uint32_t, f->blocks.len), place = 0;
    for (uint32_t k = 0; k < cfg->nblocks; k++) {
        places[cfg->order[k]->id] = place;
        for (const struct kir_inst *i = cfg->order[k]->first; i; i = i->next)
            place++;
    }
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            pc += i->op != ISA_OP_PHI;
    code->plan = p;
    code->at = arena_array(a, struct plan_at, pc);
    pc = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        place = places[b];
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (i->op == ISA_OP_PHI)
                continue;
            struct plan_at *at = &code->at[pc];
            at->place = place++;
            at->access = plan_access_of(p, i);
            at->guarded = at->access && is_guarded(p, i);
            if (at->access && at->access->row && at->access->last)
                find_members(a, p, i, pc, at);
            pc++;
        }
    }
}

struct plan_interp *plan_interp_new(struct arena *a, const struct kir_module *m,
                                    const struct plan *const *plans, void (*tell)(const char *)) {
    struct plan_interp *p = arena_new(a, struct plan_interp);
    p->way.round = plan_round;
    p->m = *m;
    p->m.serial = kir_module_serial(); // others may have other functions in a copy
    p->code = arena_array(a, struct plan_code, m->funcs.len);
    p->width = p->team = 1;
    p->tell = tell;
    for (uint32_t f = 0; f < m->funcs.len; f++) {
        if (!plans[f])
            continue;
        p->width = plans[f]->in.fl->width;
        p->team = plans[f]->in.fl->team;
        p->parks |= plans[f]->in.fl->parks;
        describe(a, plans[f], &p->code[f]);
    }
    return p;
}

void plan_interp_block(const struct plan_interp *p, struct kir_func *kernel, struct kd_block *b,
                       const struct kd_rt *rt) {
    interp_block((struct kir_module *)&p->m, kernel, b, rt, p->parks ? NULL : &p->way);
}
