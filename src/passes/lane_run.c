#include "passes/lane_run.h"

enum { MAX_DEPTH = 12 };

// A run of lanes that stays one when offs are added to addresses that are alike in `same` lanes.
static unsigned run_of(const struct flow *fl, const int64_t *offs, int64_t stride) {
    unsigned n = fl->width;
    for (unsigned l = 0; l < fl->width; l++)
        while (n > 1 && offs[l] != offs[l / n * n] + (int64_t)(l % n) * stride)
            n /= 2;
    return n;
}

static unsigned fewer(unsigned x, unsigned y) {
    return x < y ? x : y;
}

// What lanes took out of a divergent loop is of different turns.
static bool is_opaque(const struct flow *fl, const struct kir_value *v) {
    return v->kind != KIR_VALUE_INST || fl->live_out[v->id] ||
           isa_op_info[v->def->op].klass != ISA_CLASS_POINTWISE;
}

// Lanes with one value: what is computed alike from values that are alike.
static unsigned alike(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                      unsigned depth) {
    struct shape s = flow_use(fl, v, at);
    if (s.kind == SHAPE_UNIFORM)
        return fl->width;
    if (s.kind == SHAPE_OFFSETS && !s.guard)
        return run_of(fl, s.offs, 0);
    if (!depth || is_opaque(fl, v))
        return 1;
    unsigned n = fl->width;
    for (uint32_t k = 0; k < v->def->nops && n > 1; k++)
        n = fewer(n, alike(fl, v->def->ops[k], v->def->block, depth - 1));
    return n;
}

static bool adds(const struct kir_inst *i) {
    return i->op == ISA_OP_ADD && i->nops == 2 && i->nres == 1 && !i->mods.sat &&
           (i->ty == ISA_U64 || i->ty == ISA_S64) && kir_type_bits(i->res[0]->type) == 64 &&
           kir_type_bits(i->ops[0]->type) == 64 && kir_type_bits(i->ops[1]->type) == 64;
}

// A product of factors that are alike, and a term.
static bool multiplies_and_adds(const struct kir_inst *i) {
    return i->op == ISA_OP_MAD && i->nres == 1 && i->mods.half != ISA_HI && !i->mods.sat &&
           kir_type_bits(i->res[0]->type) == 64 && kir_type_bits(i->ops[2]->type) == 64 &&
           isa_type_bits(i->ty) == (i->mods.half == ISA_WIDE ? 32 : 64);
}

// The sum that v is, a term at a time: constant offsets are added up in offs, the others must be
// alike in the lanes of a run.
static unsigned terms(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                      int64_t *offs, unsigned depth) {
    struct shape s = flow_use(fl, v, at);
    if (s.kind == SHAPE_UNIFORM)
        return fl->width;
    if (s.kind == SHAPE_OFFSETS && !s.guard) {
        for (unsigned l = 0; l < fl->width; l++)
            offs[l] += s.offs[l];
        return fl->width;
    }
    bool sum = depth && !is_opaque(fl, v) && (adds(v->def) || multiplies_and_adds(v->def));
    if (s.kind != SHAPE_VARYING || !sum)
        return alike(fl, v, at, depth);
    struct kir_value *const *ops = v->def->ops;
    const struct kir_block *b = v->def->block;
    unsigned n = terms(fl, ops[v->def->nops - 1], b, offs, depth - 1);
    if (v->def->op == ISA_OP_ADD)
        return fewer(n, terms(fl, ops[0], b, offs, depth - 1));
    return fewer(n, fewer(alike(fl, ops[0], b, depth - 1), alike(fl, ops[1], b, depth - 1)));
}

unsigned lane_run(const struct flow *fl, const struct kir_value *v, const struct kir_block *at,
                  int64_t stride) {
    int64_t offs[32] = {0};
    if (fl->width == 1 || fl->width > 32)
        return 1;
    unsigned n = terms(fl, v, at, offs, MAX_DEPTH);
    return n > 1 ? fewer(n, run_of(fl, offs, stride)) : 1;
}
