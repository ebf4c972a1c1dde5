#include "passes/analysis/index_words.h"

#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"

enum {
    MASK = 0xffff,
    MOST_ROUNDS = 32 // over all blocks: what takes more of them stays as it is
};

struct words {
    struct kir_func *f;
    struct arena tmp;
    uint32_t n;               // values that existed at the start
    bool *data;               // by value id: from memory or other threads
    bool *wide;               // by value id: of 16 bits, can be computed in 32
    bool *needed;             // ... and an extension asks for it
    struct kir_value **word;  // by value id: it in 32 bits, alike modulo 2^16
    struct kir_inst **made;   // by value id: the instruction that takes its operands' place
    struct kir_value **exact; // the same without what is above 16 bits; NULL: not made yet
    VEC(struct kir_inst *) todo;
};

static bool is_whole(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && t != ISA_U16X2 && t != ISA_S16X2 && isa_type_bits(t) == bits;
}

static bool is_mask(const struct kir_inst *i) {
    const struct kir_value *c = i->op == ISA_OP_AND && i->nops == 2 ? i->ops[1] : NULL;
    return c && c->kind == KIR_VALUE_CONST && i->ty == ISA_B64 && c->type == KIR_B64 &&
           c->bits.u64[0] == UINT32_MAX && i->ops[0]->kind == KIR_VALUE_INST;
}

// A number of 16 bits that is the low part of one of 32 or 64.
static bool cuts(const struct kir_inst *i) {
    return i->op == ISA_OP_CVT && i->nres == 1 && !i->mods.sat && is_whole(i->ty, 16) &&
           (is_whole(i->ty2, 32) || is_whole(i->ty2, 64)) && i->res[0]->type == KIR_B16 &&
           kir_type_bits(i->ops[0]->type) == isa_type_bits(i->ty2);
}

// A number without sign of 16 bits, extended; or the whole product of two.
static bool extends(const struct kir_inst *i) {
    bool whole = i->op == ISA_OP_CVT && i->ty2 == ISA_U16 &&
                 (is_whole(i->ty, 32) || is_whole(i->ty, 64)) && i->ops[0]->type == KIR_B16 &&
                 kir_type_bits(i->res[0]->type) == isa_type_bits(i->ty);
    return i->nres == 1 && !i->mods.sat &&
           (whole || (i->op == ISA_OP_MUL && i->ty == ISA_U16 && i->mods.half == ISA_WIDE));
}

static bool shifts_by_less(const struct kir_inst *i) {
    const struct kir_value *c = i->ops[1];
    return c->kind == KIR_VALUE_CONST && c->bits.u64[0] < 16;
}

static bool is_upper(const struct kir_inst *i) {
    return i->op == ISA_OP_MUL && i->mods.half == ISA_HI;
}

// Do bits of its result come from higher ones of its operands? Upper halves have is_upper.
static bool sees_upper_bits(const struct kir_inst *i) {
    return i->op == ISA_OP_SHR || i->op == ISA_OP_DIV || i->op == ISA_OP_REM;
}

// Can it be computed in 32 bits, if its operands can?
static bool is_wideable(const struct kir_inst *i) {
    if (i->nres != 1 || i->res[0]->type != KIR_B16 || i->mods.sat || i->mods.cc)
        return false;
    if (i->op == ISA_OP_PHI)
        return true;
    if (i->op == ISA_OP_CVT)
        return cuts(i);
    if (!is_whole(i->ty, 16))
        return false;
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return true;
    case ISA_OP_MUL:
        return i->mods.half == ISA_LO || (is_upper(i) && i->ty == ISA_U16);
    case ISA_OP_MAD:
        return i->mods.half == ISA_LO;
    case ISA_OP_SHL:
        return shifts_by_less(i);
    case ISA_OP_SHR:
        return shifts_by_less(i) && !isa_type_is_signed(i->ty);
    case ISA_OP_DIV:
    case ISA_OP_REM: {
        const struct kir_value *c = i->ops[1];
        return i->ty == ISA_U16 && c->kind == KIR_VALUE_CONST && c->bits.u64[0] & MASK;
    }
    default:
        return false;
    }
}

static bool is_source(const struct kir_inst *i) {
    isa_op op = i->op;
    if (op == ISA_OP_PHI || isa_op_info[op].klass == ISA_CLASS_POINTWISE)
        return false;
    bool parameter = op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM;
    return !parameter && isa_op_info[op].klass != ISA_CLASS_SOURCE;
}

// What a source gives, and what is computed of that. False: it was not followed to the end.
static bool find_data(struct words *w) {
    bool changed = true;
    for (unsigned round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t b = 0; b < w->f->blocks.len; b++)
            for (const struct kir_inst *i = w->f->blocks.data[b]->first; i; i = i->next) {
                bool data = is_source(i);
                for (uint32_t k = 0; k < i->nops && i->nres && !data; k++)
                    data = i->ops[k]->kind == KIR_VALUE_INST && w->data[i->ops[k]->id];
                for (uint32_t r = 0; r < i->nres && data; r++) {
                    changed |= !w->data[i->res[r]->id];
                    w->data[i->res[r]->id] = true;
                }
            }
    }
    return !changed;
}

// The operands of 16 bits: counts of shifts have 32.
static bool has_wide_operands(const struct words *w, const struct kir_inst *i) {
    if (i->op == ISA_OP_CVT && cuts(i))
        return true;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->type == KIR_B16 && v->kind != KIR_VALUE_CONST &&
            (v->kind != KIR_VALUE_INST || !w->wide[v->id]))
            return false;
    }
    return true;
}

static bool find_wide(struct words *w) {
    for (uint32_t b = 0; b < w->f->blocks.len; b++)
        for (const struct kir_inst *i = w->f->blocks.data[b]->first; i; i = i->next)
            if (i->nres == 1 && !w->data[i->res[0]->id])
                w->wide[i->res[0]->id] = is_wideable(i);
    bool changed = true;
    for (unsigned round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t b = 0; b < w->f->blocks.len; b++)
            for (const struct kir_inst *i = w->f->blocks.data[b]->first; i; i = i->next)
                if (i->nres == 1 && w->wide[i->res[0]->id] && !has_wide_operands(w, i)) {
                    w->wide[i->res[0]->id] = false;
                    changed = true;
                }
    }
    return !changed;
}

static void need_operands(struct words *w, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nops; k++) {
        struct kir_value *v = i->ops[k];
        if (v->kind != KIR_VALUE_INST || v->type != KIR_B16 || w->needed[v->id])
            continue;
        w->needed[v->id] = true;
        vec_push(&w->tmp, &w->todo, v->def);
    }
}

// ---- what is made ------------------------------------------------------------------------------

static struct kir_inst *new_word(struct words *w, const struct kir_inst *like, isa_op op,
                                 enum isa_type ty, unsigned nops) {
    struct kir_inst *i = kir_inst_new(w->f, op, ty, nops, 1, &(uint8_t){KIR_B32}, 0);
    i->file = like->file;
    i->line = like->line;
    return i;
}

// The type of 32 bits that stands for one of 16.
static enum isa_type word_type(enum isa_type t) {
    return t == ISA_S16 ? ISA_S32 : t == ISA_U16 ? ISA_U32 : ISA_B32;
}

// An instruction for v, whose operands come later: those may stand behind it, around a loop.
static void make_word(struct words *w, struct kir_inst *i) {
    struct kir_value **word = &w->word[i->res[0]->id];
    if (cuts(i) && isa_type_bits(i->ty2) == 32) {
        *word = i->ops[0];
        return;
    }
    enum isa_type ty = i->op == ISA_OP_CVT ? ISA_U32 : word_type((enum isa_type)i->ty);
    struct kir_inst *n = new_word(w, i, (isa_op)i->op, ty, i->nops);
    n->mods = i->mods;
    kir_insert_after(i, n);
    *word = n->res[0];
    w->made[i->res[0]->id] = n;
    if (i->op == ISA_OP_CVT) {
        n->ty2 = ISA_U64;
        n->ops[0] = i->ops[0];
    } else if (is_upper(i)) {
        n->mods.half = ISA_LO;
        struct kir_inst *half = new_word(w, i, ISA_OP_SHR, ISA_U32, 2);
        half->ops[0] = n->res[0];
        half->ops[1] = kir_const(w->f, KIR_B32, 16);
        kir_insert_after(n, half);
        *word = half->res[0];
    }
}

// Does the instruction's word have nothing above 16 bits?
static bool is_small(const struct kir_inst *i) {
    return is_upper(i) || sees_upper_bits(i) ||
           (i->op == ISA_OP_AND && i->ops[1]->kind == KIR_VALUE_CONST);
}

static struct kir_value *constant(struct words *w, const struct kir_value *v) {
    return kir_const(w->f, KIR_B32, v->bits.u64[0] & MASK);
}

static struct kir_value *word_of(struct words *w, const struct kir_value *v) {
    return v->kind == KIR_VALUE_CONST ? constant(w, v) : w->word[v->id];
}

// Behind the phis of its block, if it is one.
static void put_behind(struct kir_inst *at, struct kir_inst *i) {
    while (at->op == ISA_OP_PHI && at->next->op == ISA_OP_PHI)
        at = at->next;
    kir_insert_after(at, i);
}

static struct kir_value *exact_of(struct words *w, const struct kir_value *v) {
    if (v->kind == KIR_VALUE_CONST || is_small(v->def))
        return word_of(w, v);
    struct kir_value **exact = &w->exact[v->id];
    if (*exact)
        return *exact;
    struct kir_inst *i = new_word(w, v->def, ISA_OP_AND, ISA_B32, 2);
    i->ops[0] = w->word[v->id];
    i->ops[1] = kir_const(w->f, KIR_B32, MASK);
    put_behind(w->made[v->id] ? w->made[v->id] : v->def, i);
    return *exact = i->res[0];
}

static void set_operands(struct words *w, struct kir_inst *i) {
    struct kir_inst *n = w->made[i->res[0]->id];
    if (!n || i->op == ISA_OP_CVT)
        return;
    for (uint32_t k = 0; k < i->nops; k++)
        n->ops[k] = i->ops[k]->type != KIR_B16          ? i->ops[k]
                    : is_upper(i) || sees_upper_bits(i) ? exact_of(w, i->ops[k])
                                                        : word_of(w, i->ops[k]);
}

static void change_extension(struct words *w, struct kir_inst *i, struct kir_value **to) {
    if (i->op == ISA_OP_MUL) {
        i->ty = ISA_U32;
        i->mods.half = ISA_LO;
        for (unsigned k = 0; k < 2; k++)
            i->ops[k] = exact_of(w, i->ops[k]);
    } else if (isa_type_bits(i->ty) == 64) {
        i->ops[0] = exact_of(w, i->ops[0]);
        i->ty2 = ISA_U32;
    } else {
        to[i->res[0]->id] = exact_of(w, i->ops[0]);
    }
}

static void change_mask(struct words *w, struct kir_inst *i) {
    struct kir_inst *low = new_word(w, i, ISA_OP_CVT, ISA_U32, 1);
    low->ty2 = ISA_U64;
    low->ops[0] = i->ops[0];
    kir_insert_before(i, low);
    i->op = ISA_OP_CVT;
    i->ty = ISA_U64;
    i->ty2 = ISA_U32;
    i->nops = 1;
    i->ops[0] = low->res[0];
}

// ---- the function ------------------------------------------------------------------------------

static bool is_extension(const struct words *w, const struct kir_inst *i) {
    return extends(i) && !w->data[i->res[0]->id] && has_wide_operands(w, i);
}

static bool is_masked_index(const struct words *w, const struct kir_inst *i) {
    return is_mask(i) && !w->data[i->res[0]->id];
}

// What is to change; false: nothing.
static bool find(struct words *w) {
    bool any = false;
    if (!find_data(w) || !find_wide(w))
        return false;
    for (uint32_t b = 0; b < w->f->blocks.len; b++)
        for (struct kir_inst *i = w->f->blocks.data[b]->first; i; i = i->next) {
            any |= is_masked_index(w, i) || is_extension(w, i);
            if (is_extension(w, i))
                need_operands(w, i);
        }
    while (w->todo.len) {
        const struct kir_inst *i = w->todo.data[--w->todo.len];
        if (i->op != ISA_OP_CVT)
            need_operands(w, i);
    }
    return any;
}

// Calls what for each instruction that was there at the start and whose result is needed.
static void for_needed(struct words *w, void (*what)(struct words *, struct kir_inst *)) {
    struct kir_inst *next;
    for (uint32_t b = 0; b < w->f->blocks.len; b++)
        for (struct kir_inst *i = w->f->blocks.data[b]->first; i; i = next) {
            next = i->next;
            if (i->nres == 1 && i->res[0]->id < w->n && w->needed[i->res[0]->id])
                what(w, i);
        }
}

static void apply(struct words *w) {
    struct kir_value **to = arena_array(&w->tmp, struct kir_value *, w->n + 1);
    for_needed(w, make_word);
    for_needed(w, set_operands);
    for (uint32_t b = 0; b < w->f->blocks.len; b++)
        for (struct kir_inst *i = w->f->blocks.data[b]->first; i; i = i->next) {
            if (i->nres != 1 || i->res[0]->id >= w->n)
                continue;
            if (is_masked_index(w, i))
                change_mask(w, i);
            else if (is_extension(w, i))
                change_extension(w, i, to);
        }
    kir_replace_all(w->f, to, w->n);
    kir_simplify_func(w->f);
}

static bool is_candidate(const struct kir_func *f) {
    bool cut = false, extended = false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (is_mask(i))
                return true;
            cut |= cuts(i);
            extended |= extends(i);
        }
    return cut && extended;
}

bool index_words(struct kir_func *f, bool change) {
    if (!is_candidate(f))
        return false;
    struct words w = {.f = f, .n = f->value_count};
    w.data = arena_array(&w.tmp, bool, w.n + 1);
    w.wide = arena_array(&w.tmp, bool, w.n + 1);
    w.needed = arena_array(&w.tmp, bool, w.n + 1);
    w.word = arena_array(&w.tmp, struct kir_value *, w.n + 1);
    w.made = arena_array(&w.tmp, struct kir_inst *, w.n + 1);
    w.exact = arena_array(&w.tmp, struct kir_value *, w.n + 1);
    bool any = find(&w);
    if (any && change)
        apply(&w);
    arena_free(&w.tmp);
    return any;
}
