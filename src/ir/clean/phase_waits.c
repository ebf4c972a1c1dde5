// Waits for a phase of an mbarrier object that end in no other way than by the end of the phase:
// what follows a negative answer leads back to the question, and does nothing on the way. Such a
// wait becomes one that blocks (`flag`) and whose answer is true, so that the loop around it goes
// away, the device need not ask again and again, and it finds out when everybody waits.
#include "ir/async.h"
#include "ir/clean/simplify.h"
#include "ir/eval.h"
#include "isa/ops/fence.h"

enum { MAX_PATH = 64, MAX_DEPTH = 32, MAX_STEPS = 256, MAX_LOOKS = 4096 };

struct path {
    const struct kir_inst *wait;
    const struct kir_block *blocks[MAX_PATH]; // from the wait's own on
    uint32_t n;
    uint32_t *looks; // values that were looked at, again and again where they meet
};

static int place(const struct path *p, const struct kir_block *b) {
    for (uint32_t k = 0; k < p->n; k++)
        if (p->blocks[k] == b)
            return (int)k;
    return -1;
}

// What a phi in a block of the path is when control comes from the block before it.
static const struct kir_value *from_path(const struct path *p, const struct kir_inst *phi) {
    int at = place(p, phi->block);
    if (at <= 0)
        return NULL;
    for (uint32_t k = 0; k < phi->nops; k++)
        if (phi->block->preds.data[k] == p->blocks[at - 1])
            return phi->ops[k];
    return NULL;
}

// The value of v on the path, when the wait says no.
static bool known(const struct path *p, const struct kir_value *v, int depth, union isa_bits *out) {
    if (v->kind == KIR_VALUE_CONST) {
        *out = v->bits;
        return true;
    }
    if (v->kind != KIR_VALUE_INST || depth > MAX_DEPTH || ++*p->looks > MAX_LOOKS)
        return false;
    const struct kir_inst *d = v->def;
    if (d == p->wait) {
        *out = (union isa_bits){0};
        return true;
    }
    if (d->op == ISA_OP_PHI) {
        const struct kir_value *o = from_path(p, d);
        return o && known(p, o, depth + 1, out);
    }
    union isa_bits src[4], dst[2] = {0};
    if (d->op == ISA_OP_SELP) {
        if (!known(p, d->ops[2], depth + 1, src))
            return false;
        return known(p, d->ops[src[0].u8[0] & 1 ? 0 : 1], depth + 1, out);
    }
    if (!kir_is_computable(d) || d->nops > 4 || d->nres > 2)
        return false;
    for (uint32_t k = 0; k < d->nops; k++)
        if (!known(p, d->ops[k], depth + 1, &src[k]))
            return false;
    if (!kir_eval(d, src, dst))
        return false;
    *out = dst[v->result];
    return true;
}

// Nothing that anybody could see, but for the time it takes.
static bool idle(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_NANOSLEEP:
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
        return true;
    case ISA_OP_LD:
        return i->mods.sem == ISA_SEM_WEAK;
    default:
        return !isa_op_info[i->op].side_effect && isa_op_info[i->op].klass != ISA_CLASS_WARP;
    }
}

static bool idle_between(const struct kir_inst *i, const struct kir_inst *end) {
    for (; i && i != end; i = i->next)
        if (!kir_is_terminator((isa_op)i->op) && !idle(i))
            return false;
    return true;
}

// Is v the same when control comes back?
static bool stays(const struct path *p, const struct kir_value *v, int depth) {
    if (v->kind != KIR_VALUE_INST || place(p, v->def->block) < 0)
        return true;
    const struct kir_inst *d = v->def;
    if (depth > MAX_DEPTH || ++*p->looks > MAX_LOOKS)
        return false;
    if (d->op == ISA_OP_PHI) {
        if (d->block != p->wait->block)
            return false;
        const struct kir_block *last = p->blocks[p->n - 1];
        for (uint32_t k = 0; k < d->nops; k++)
            if (d->block->preds.data[k] == last && d->ops[k] != v)
                return false;
        return true;
    }
    enum isa_class k = isa_op_info[d->op].klass;
    bool symbol = d->op == ISA_OP_SYMADDR || d->op == ISA_OP_PARAM;
    if (k != ISA_CLASS_POINTWISE && !symbol)
        return false;
    for (uint32_t n = 0; n < d->nops; n++)
        if (!stays(p, d->ops[n], depth + 1))
            return false;
    return true;
}

static bool leads_back(struct path *p, unsigned *steps);

static bool goes_on(struct path *p, const struct kir_block *b, unsigned *steps) {
    if (b == p->blocks[0])
        return stays(p, p->wait->ops[0], 0) && stays(p, p->wait->ops[1], 0);
    if (!*steps || p->n == MAX_PATH || place(p, b) >= 0 || !idle_between(b->first, NULL))
        return false;
    --*steps;
    p->blocks[p->n++] = b;
    bool back = leads_back(p, steps);
    p->n--;
    return back;
}

// Do all ways on from the end of the path lead back to the wait? A branch that does not depend on
// the answer, as in a loop that sleeps longer from iteration to iteration, is followed both ways.
static bool leads_back(struct path *p, unsigned *steps) {
    const struct kir_inst *t = p->blocks[p->n - 1]->last;
    union isa_bits c;
    if (t->op == ISA_OP_BRA)
        return goes_on(p, t->targets[0], steps);
    if (t->op != ISA_OP_CBR)
        return false;
    if (known(p, t->ops[0], 0, &c))
        return goes_on(p, t->targets[c.u8[0] & 1 ? 0 : 1], steps);
    return goes_on(p, t->targets[0], steps) && goes_on(p, t->targets[1], steps);
}

static bool endless(const struct kir_inst *i) {
    uint32_t looks = 0;
    struct path p = {.wait = i, .blocks = {i->block}, .n = 1, .looks = &looks};
    unsigned steps = MAX_STEPS;
    return idle_between(i->block->first, i) && idle_between(i->next, NULL) &&
           leads_back(&p, &steps);
}

bool kir_block_on_phases(struct kir_func *f) {
    bool progress = false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (!kir_async_waits(i) || i->flag || !endless(i))
                continue;
            i->flag = true;
            kir_replace_uses(f, i->res[0], kir_const(f, KIR_PRED, 1));
            progress = true;
        }
    return progress;
}
