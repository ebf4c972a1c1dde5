// Zero low bits of values: an optimistic analysis over all instructions until nothing changes,
// and the way back from addresses to the parameters that they are made of.
#include "passes/analysis/alignment.h"

#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"

enum { ALL = 64, SHARED_ZEROS = 10, DYNAMIC_ZEROS = 7, LOCAL_ZEROS = 4 };

struct pass {
    const struct kir_func *f;
    uint8_t *zeros; // by value id
    const struct aligned_param *params;
    uint32_t nparams;
};

static unsigned least(unsigned x, unsigned y) {
    return x < y ? x : y;
}

static unsigned zeros_of_bits(uint64_t x) {
    return x ? (unsigned)__builtin_ctzll(x) : ALL;
}

unsigned alignment_zeros(const uint8_t *zeros, const struct kir_value *v) {
    if (v->kind == KIR_VALUE_INST)
        return zeros[v->id];
    return v->kind == KIR_VALUE_CONST ? zeros_of_bits(v->bits.u64[0]) : ALL;
}

static bool is_integer(uint8_t ty) {
    return !isa_type_is_float((enum isa_type)ty) && ty != ISA_U16X2 && ty != ISA_S16X2;
}

static bool constant(const struct kir_value *v, uint64_t *out) {
    *out = v->bits.u64[0];
    return v->kind == KIR_VALUE_CONST;
}

// A load from a kernel's parameter block at a known place, and where.
static bool is_param(const struct kir_func *f, const struct kir_value *v, uint64_t *at) {
    const struct kir_inst *i = v->def;
    if (v->kind != KIR_VALUE_INST || !f->is_kernel || i->op != ISA_OP_LD ||
        i->mods.space != ISA_SPACE_PARAM || isa_type_bits(i->ty) != 64)
        return false;
    const struct kir_value *base = i->ops[0];
    if (base->kind != KIR_VALUE_INST || base->def->op != ISA_OP_SYMADDR || base->def->flag ||
        base->def->sym->space != ISA_SPACE_PARAM)
        return false;
    *at = base->def->sym->offset + (uint64_t)(base->def->offset + i->offset) + v->result * 8u;
    return *at % 8 == 0 && *at + 8 <= f->param_bytes;
}

static unsigned of_param(const struct pass *p, const struct kir_value *v) {
    uint64_t at;
    if (!p->nparams || !is_param(p->f, v, &at))
        return 0;
    for (uint32_t k = 0; k < p->nparams; k++)
        if (p->params[k].offset == at)
            return zeros_of_bits(p->params[k].align);
    return 0;
}

static unsigned of_symbol(const struct kir_inst *i) {
    const struct kir_symbol *s = i->sym;
    unsigned offset = zeros_of_bits((uint64_t)i->offset);
    switch (s->space) {
    case ISA_SPACE_SHARED: {
        unsigned at = s->dynamic ? DYNAMIC_ZEROS : zeros_of_bits(s->offset);
        return least(least(at, i->flag ? SHARED_ZEROS : ALL), offset);
    }
    case ISA_SPACE_LOCAL:
        return least(least(zeros_of_bits(s->offset), LOCAL_ZEROS), offset);
    case ISA_SPACE_PARAM:
        return least(least(zeros_of_bits(s->offset), i->flag ? LOCAL_ZEROS : ALL), offset);
    case ISA_SPACE_GENERIC:
        return least(LOCAL_ZEROS, offset); // a function's handle is a multiple of 16
    default:
        return least(s->align ? zeros_of_bits(s->align) : 0, offset);
    }
}

static unsigned of_cvta(const struct kir_inst *i, unsigned x) {
    switch (i->mods.space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_CLUSTER:
        return least(x, SHARED_ZEROS);
    case ISA_SPACE_LOCAL:
    case ISA_SPACE_PARAM:
        return least(x, LOCAL_ZEROS);
    default:
        return x;
    }
}

static unsigned of_integer(const struct kir_inst *i, const unsigned *x) {
    uint64_t c;
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return i->mods.sat ? 0 : least(x[0], x[1]);
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return i->nops == 2 ? least(x[0], x[1]) : 0;
    case ISA_OP_AND:
        return x[0] > x[1] ? x[0] : x[1];
    case ISA_OP_NEG:
        return x[0];
    case ISA_OP_MUL:
        return i->mods.half == ISA_HI ? 0 : least(x[0] + x[1], ALL);
    case ISA_OP_MAD:
        return i->mods.half == ISA_HI || i->mods.sat ? 0 : least(least(x[0] + x[1], ALL), x[2]);
    case ISA_OP_SHL:
        return constant(i->ops[1], &c) ? (c >= ALL ? ALL : least(x[0] + (unsigned)c, ALL)) : x[0];
    case ISA_OP_SHR:
        return constant(i->ops[1], &c) && c < x[0] && c < isa_type_bits(i->ty) ? x[0] - (unsigned)c
                                                                               : 0;
    case ISA_OP_CVT:
        return is_integer(i->ty2) && !i->mods.sat ? x[0] : 0;
    default:
        return 0;
    }
}

static unsigned transfer(const struct pass *p, const struct kir_inst *i) {
    unsigned x[3] = {0}, all = ALL;
    for (uint32_t k = 0; k < i->nops; k++) {
        unsigned z = alignment_zeros(p->zeros, i->ops[k]);
        if (k < 3)
            x[k] = z;
        all = least(all, z);
    }
    switch (i->op) {
    case ISA_OP_PHI:
        return all;
    case ISA_OP_MOV:
        return x[0];
    case ISA_OP_SELP:
        return least(x[0], x[1]);
    case ISA_OP_CVTA:
        return of_cvta(i, x[0]);
    case ISA_OP_SYMADDR:
        return of_symbol(i);
    default:
        return is_integer(i->ty) ? of_integer(i, x) : 0;
    }
}

// The first result of each instruction is known by its operands; others are not.
static bool run(const struct pass *p) {
    bool changed = false;
    for (uint32_t b = 0; b < p->f->blocks.len; b++) {
        for (struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next) {
            for (uint32_t r = 0; r < i->nres; r++) {
                unsigned z = i->op == ISA_OP_LD ? of_param(p, i->res[r]) : r ? 0 : transfer(p, i);
                uint8_t *old = &p->zeros[i->res[r]->id];
                if (z < *old) {
                    *old = (uint8_t)z;
                    changed = true;
                }
            }
        }
    }
    return changed;
}

uint8_t *alignment_find(struct arena *a, const struct kir_func *f,
                        const struct aligned_param *params, uint32_t n) {
    struct pass p = {f, arena_array(a, uint8_t, f->value_count + 1), params, n};
    for (uint32_t k = 0; k < f->value_count; k++)
        p.zeros[k] = ALL;
    while (run(&p))
        ;
    return p.zeros;
}

unsigned alignment_needed(const struct kir_inst *i) {
    if (i->op != ISA_OP_LD && i->op != ISA_OP_LDU && i->op != ISA_OP_ST && i->op != ISA_OP_ATOM &&
        i->op != ISA_OP_RED)
        return 1;
    unsigned bytes = isa_type_bits((enum isa_type)i->ty) / 8 * (i->mods.vec ? i->mods.vec : 1);
    return bytes ? bytes : 1;
}

bool alignment_proven(const uint8_t *zeros, const struct kir_inst *i) {
    unsigned align = alignment_needed(i);
    return align == 1 || ((uint64_t)i->offset % align == 0 &&
                          alignment_zeros(zeros, i->ops[0]) >= zeros_of_bits(align));
}

// ---- from addresses back to parameters -----------------------------------------------------

struct wish {
    const struct kir_value *v;
    unsigned zeros;
};

struct search {
    const struct kir_func *f;
    const uint8_t *zeros;
    uint8_t *asked; // by value id
    struct wish *stack;
    uint32_t depth, cap;
    struct aligned_param *found;
    uint32_t nfound;
};

static void ask(struct search *s, const struct kir_value *v, unsigned zeros) {
    if (v->kind != KIR_VALUE_INST || s->zeros[v->id] >= zeros || s->asked[v->id] >= zeros ||
        s->depth == s->cap)
        return;
    s->asked[v->id] = (uint8_t)zeros;
    s->stack[s->depth++] = (struct wish){v, zeros};
}

static void add_param(struct search *s, uint64_t at, unsigned zeros) {
    uint32_t k = 0;
    while (k < s->nfound && s->found[k].offset < at)
        k++;
    if (k == s->nfound || s->found[k].offset != at) {
        for (uint32_t n = s->nfound++; n > k; n--)
            s->found[n] = s->found[n - 1];
        s->found[k] = (struct aligned_param){(uint32_t)at, 1};
    }
    if (s->found[k].align < 1u << zeros)
        s->found[k].align = 1u << zeros;
}

static void follow(struct search *s, struct wish w) {
    const struct kir_inst *i = w.v->def;
    uint64_t c, at;
    if (is_param(s->f, w.v, &at)) {
        add_param(s, at, w.zeros);
        return;
    }
    switch (i->op) {
    case ISA_OP_PHI:
    case ISA_OP_MOV:
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_CVTA:
        for (uint32_t k = 0; k < i->nops; k++)
            ask(s, i->ops[k], w.zeros);
        break;
    case ISA_OP_SELP:
        ask(s, i->ops[0], w.zeros);
        ask(s, i->ops[1], w.zeros);
        break;
    case ISA_OP_MAD:
        ask(s, i->ops[2], w.zeros);
        break;
    case ISA_OP_SHL:
        if (constant(i->ops[1], &c) && c < w.zeros)
            ask(s, i->ops[0], w.zeros - (unsigned)c);
        break;
    default:
        break;
    }
}

uint32_t alignment_wanted(struct arena *a, const struct kir_func *f, struct aligned_param **out) {
    uint32_t cap = f->value_count * 6 + 8;
    struct search s = {.f = f, .cap = cap, .zeros = alignment_find(a, f, NULL, 0)};
    s.asked = arena_array(a, uint8_t, f->value_count + 1);
    s.stack = arena_array(a, struct wish, cap);
    s.found = arena_array(a, struct aligned_param, f->param_bytes / 8 + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            unsigned align = alignment_needed(i);
            if (align == 1 || (uint64_t)i->offset % align)
                continue;
            ask(&s, i->ops[0], zeros_of_bits(align));
            while (s.depth)
                follow(&s, s.stack[--s.depth]);
        }
    }
    *out = s.found;
    return s.nfound;
}
