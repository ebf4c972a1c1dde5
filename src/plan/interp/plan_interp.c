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

// The place of each block's first instruction. Lanes that begin an iteration of a loop wait for
// those that are in one: a header comes behind all of its loop, and inner loops' before outer
// ones'.
struct layout {
    uint32_t *first, *header; // by block id; header: UINT32_MAX where none begins
};

static struct layout lay_out(struct arena *a, const struct kir_func *f, const struct cfg *cfg) {
    struct layout to = {arena_array(a, uint32_t, f->blocks.len),
                        arena_array(a, uint32_t, f->blocks.len)};
    uint32_t place = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        to.header[b] = UINT32_MAX;
    for (uint32_t k = 0; k < cfg->nblocks; k++) {
        to.first[cfg->order[k]->id] = place;
        for (const struct kir_inst *i = cfg->order[k]->first; i; i = i->next)
            place++;
        for (uint32_t n = cfg->loops.len; n-- > 0;) {
            const struct cfg_loop *l = cfg->loops.data[n];
            if (l->last == k && !l->irreducible && to.header[l->header->id] == UINT32_MAX)
                to.header[l->header->id] = place++;
        }
    }
    return to;
}

// Where lanes wait for others, or may, in a function that is called.
static bool may_meet(const struct kir_inst *i) {
    enum isa_class klass = isa_op_info[i->op].klass;
    return klass == ISA_CLASS_WARP || klass == ISA_CLASS_BLOCK || i->op == ISA_OP_CALL;
}

// By block id: whether lanes that come to its end can meet others behind it.
static bool *find_meetings(struct arena *a, const struct kir_func *f, const struct cfg *cfg) {
    bool *begins = arena_array(a, bool, f->blocks.len), *ends = arena_array(a, bool, f->blocks.len);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = cfg->nblocks; k-- > 0;) {
            const struct kir_block *b = cfg->order[k];
            bool end = ends[b->id], begin;
            for (uint32_t n = 0; n < b->last->ntargets; n++)
                end |= begins[b->last->targets[n]->id];
            begin = end;
            for (const struct kir_inst *i = b->first; i && !begin; i = i->next)
                begin = may_meet(i);
            changed |= begin != begins[b->id] || end != ends[b->id];
            begins[b->id] = begin;
            ends[b->id] = end;
        }
    }
    return ends;
}

static void describe(struct arena *a, const struct plan *p, struct plan_code *code) {
    const struct kir_func *f = p->in.fl->func;
    const struct layout layout = lay_out(a, f, p->in.fl->cfg);
    const bool *meets = find_meetings(a, f, p->in.fl->cfg);
    uint32_t pc = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            pc += i->op != ISA_OP_PHI;
    code->plan = p;
    code->at = arena_array(a, struct plan_at, pc);
    pc = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        uint32_t place = layout.first[b], header = layout.header[b], first = pc;
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (i->op == ISA_OP_PHI)
                continue;
            struct plan_at *at = &code->at[pc];
            at->place = header != UINT32_MAX ? header : place;
            header = UINT32_MAX;
            place++;
            at->only_ends = !meets[b];
            for (uint32_t n = pc + 1; may_meet(i) && n > first && code->at[n - 1].only_ends; n--)
                code->at[n - 1].only_ends = false;
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
    p->way.only_ends = plan_only_ends;
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
