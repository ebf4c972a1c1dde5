// What holds in a plan: representations fit types and shapes, what has an effect stands under a
// mask where not all lanes come, and accesses fit the shapes of their addresses.
#include <inttypes.h>

#include "plan/tables.h"

struct check {
    const struct plan *p;
    const struct kir_inst *i; // that is looked at
    struct strbuf *err;
    bool ok;
};

static void holds(struct check *c, bool ok, const char *what) {
    if (ok)
        return;
    c->ok = false;
    strbuf_printf(c->err, "plan of %s, bb%" PRIu32 ": ", c->p->in.fl->func->name, c->i->block->id);
    kir_print_inst(c->i, c->err);
    strbuf_printf(c->err, ": %s\n", what);
}

// ---- results ------------------------------------------------------------------------------------

static void check_result(struct check *c, const struct kir_value *v) {
    const struct flow *fl = c->p->in.fl;
    const struct plan_value *x = &c->p->values[v->id];
    bool is_integer = v->type == KIR_B16 || v->type == KIR_B32 || v->type == KIR_B64;
    bool has_offsets = x->form == PLAN_OFFSETS || x->form == PLAN_GUARDED;
    uint8_t kind = fl->shape[v->id].kind;
    holds(c, fl->width > 1 || x->form == PLAN_SCALAR, "one lane is a scalar");
    holds(c, !has_offsets || is_integer, "only integers have offsets");
    holds(c, fl->width == 1 || (x->form == PLAN_SCALAR) == (kind == SHAPE_UNIFORM),
          "a scalar is the same in all lanes");
    holds(c, !has_offsets || kind == SHAPE_OFFSETS, "no such offsets are known");
    holds(c, x->form != PLAN_OFFSETS || !fl->shape[v->id].guard, "the offsets may not hold");
    holds(c, fl->team > 1 || x->sharing == PLAN_OWN, "there is no team to share it");
    holds(c, x->sharing != PLAN_LAG || is_integer, "only integers have a lag");
}

// ---- masks --------------------------------------------------------------------------------------

static void check_mask(struct check *c) {
    const struct plan *p = c->p;
    const struct flow *fl = p->in.fl;
    uint8_t mask = p->masks[c->i->block->id];
    bool all_come = fl->full[c->i->block->id];
    holds(c, !plan_has_mask(c->i) || all_come || mask == PLAN_BLOCK,
          "not all lanes come here, and it has no mask");
    holds(c, mask != PLAN_ALL || p->in.all_lanes, "some lanes may not exist");
}

// ---- accesses -----------------------------------------------------------------------------------

static bool lanes_follow(const int64_t *offs, unsigned from, unsigned n, int64_t by) {
    for (unsigned k = 1; k < n; k++)
        if (offs[from + k] != offs[from + k - 1] + by)
            return false;
    return true;
}

static void check_pieces(struct check *c, const struct plan_access *a) {
    unsigned width = c->p->in.fl->width, n = a->n;
    int64_t size = (int64_t)a->count * a->bytes;
    bool divides = n > 1 && n <= width && width % n == 0;
    holds(c, divides, "pieces are equal parts of a group");
    for (unsigned k = 0; divides && k < width / n; k++)
        holds(c, lanes_follow(a->offs, k * n, n, a->same >> k & 1 ? 0 : size),
              "the lanes of a piece do not follow each other");
    holds(c, !a->same || a->inst->op != ISA_OP_ST, "one place has one store");
}

static void check_stride(struct check *c, const struct plan_access *a) {
    const struct plan_window *w = &a->window;
    unsigned width = c->p->in.fl->width;
    int64_t by = (int64_t)a->n * a->bytes;
    holds(c, a->n >= a->count && lanes_follow(a->offs, 0, width, by), "no such distance of lanes");
    if (!w->chunks)
        return;
    int64_t begin = a->inst->offset - w->lo;
    int64_t end = begin + (width - 1) * by + (int64_t)a->count * a->bytes;
    holds(c, a->inst->op != ISA_OP_ST && begin >= 0 && end <= w->bytes && begin % a->bytes == 0,
          "the access is not in its window");
    holds(c, (int64_t)w->chunks * w->n * a->bytes >= w->bytes, "the window has too few chunks");
}

static void check_words(struct check *c, const struct plan_access *a) {
    int64_t at = a->inst->offset - a->words_lo;
    if (!a->words)
        return;
    holds(c, a->words > 1 && (a->words & (a->words - 1)) == 0, "words are a power of two");
    holds(c,
          a->inst->op == ISA_OP_LD && a->bytes == 4 && at >= 0 && at % 4 == 0 &&
              at / 4 + a->count <= a->words,
          "the access is not in its words");
}

static void check_runs(struct check *c, const struct plan_access *a) {
    unsigned width = c->p->in.fl->width;
    // A lane by itself: its components are a vector.
    bool divides = a->n && a->n <= width && width % a->n == 0;
    holds(c, divides, "runs are equal parts of a group");
    uint32_t all = divides ? UINT32_MAX >> (32 - width / a->n) : 0;
    holds(c, !a->same || (a->same == all && a->inst->op != ISA_OP_ST),
          "all runs of loads have one place each, or none");
    holds(c, a->tested || !a->guess, "a guess is tested");
}

// What an address of this shape can have.
static void check_kind(struct check *c, const struct plan_access *a, const struct shape *s) {
    bool local = a->inst->mods.space == ISA_SPACE_LOCAL && c->p->in.fl->width > 1;
    bool vectors = a->kind == PLAN_LINE || a->kind == PLAN_PIECES || a->kind == PLAN_STRIDED ||
                   a->kind == PLAN_APART;
    bool has_offsets = s->kind == SHAPE_OFFSETS && a->offs;
    holds(c, a->kind != PLAN_ONE || (s->kind == SHAPE_UNIFORM && !local),
          "lanes have places of their own");
    holds(c, !vectors || has_offsets, "no constant offsets are known");
    holds(c, !local || a->kind == PLAN_EACH, "threads have local memory of their own");
    holds(c, a->kind != PLAN_RUNS || s->kind == SHAPE_VARYING, "constant offsets are known");
    holds(c, (a->kind == PLAN_STEPS) == (a->step.by.n != 0), "steps have a distance");
    holds(c, !a->whole || a->kind == PLAN_EACH || a->kind == PLAN_ONE || a->kind == PLAN_STEPS,
          "a lane's access would be taken apart");
    bool has_n = a->kind == PLAN_PIECES || a->kind == PLAN_RUNS || a->kind == PLAN_STRIDED;
    holds(c, has_n == (a->n != 0), "a number is there, or missing");
    check_words(c, a);
    if (vectors && !has_offsets)
        return;
    if (a->kind == PLAN_LINE)
        holds(c, lanes_follow(a->offs, 0, c->p->in.fl->width, (int64_t)a->count * a->bytes),
              "the lanes do not follow each other");
    else if (a->kind == PLAN_PIECES)
        check_pieces(c, a);
    else if (a->kind == PLAN_STRIDED)
        check_stride(c, a);
    else if (a->kind == PLAN_RUNS)
        check_runs(c, a);
}

static void check_joined(struct check *c, const struct plan_access *a) {
    const struct kir_inst *row = a->row ? a->row->inst : NULL, *i = a->inst;
    holds(c,
          !row || (row->op == ISA_OP_ST && i->op == ISA_OP_ST && row->ops[0] == i->ops[0] &&
                   row->ty == i->ty && a->row->count > 1),
          "this is no part of its row");
    holds(c,
          !a->beside || (a->beside->beside == a && a->beside->leads != a->leads &&
                         a->beside->inst->ops[0] == i->ops[0] && a->beside->inst->op == i->op),
          "what stands beside it does not");
}

static void check_access(struct check *c) {
    const struct plan *p = c->p;
    const struct plan_access *a = plan_access_of(p, c->i);
    holds(c, plan_is_access(c->i) == (a != NULL), "an access has a kind, nothing else has");
    if (!a)
        return;
    check_joined(c, a);
    struct plan_access own = plan_describe(p->in.fl, a->inst);
    struct shape s = {.kind = SHAPE_UNIFORM};
    if (p->in.fl->width > 1)
        s = flow_use(p->in.fl, c->i->ops[0], c->i->block);
    holds(c, a->count == own.count && a->bytes == own.bytes && a->whole == own.whole,
          "this is another access's plan");
    holds(c, a->lane < 0 || (p->in.fl->width > 1 && a->lane < (int)p->in.fl->width),
          "there is no such lane");
    holds(c,
          !a->in_block || (s.kind == SHAPE_OFFSETS && p->in.shared_static &&
                           c->i->mods.space == ISA_SPACE_SHARED),
          "not all lanes' places are the block's");
    holds(c, !a->by_page || a->kind == PLAN_LINE, "only neighbours have one page");
    holds(c, !a->lone || (c->i->op == ISA_OP_ST && s.kind == SHAPE_VARYING && a->lane < 0),
          "only scattered stores of several lanes are lone");
    holds(c, !a->past || (p->streams && c->i->op == ISA_OP_ST && c->i->mods.sem == ISA_SEM_WEAK),
          "this store may not be late");
    check_kind(c, a, &s);
}

bool plan_validate(const struct plan *p, struct strbuf *err) {
    const struct cfg *cfg = p->in.fl->cfg;
    struct check c = {.p = p, .err = err, .ok = true};
    for (uint32_t k = 0; k < cfg->nblocks; k++)
        for (const struct kir_inst *i = cfg->order[k]->first; i; i = i->next) {
            c.i = i;
            for (uint32_t r = 0; r < i->nres; r++)
                check_result(&c, i->res[r]);
            check_mask(&c);
            check_access(&c);
        }
    return c.ok;
}
