// A warp's sum or maximum by __shfl_xor_sync is alike in all lanes, though each has computed it by
// itself. That shows in how it came about: x + (x of the lane at distance d) is the same in both
// lanes, whatever x is, where the operation does not ask which operand comes first. Behind the last
// step a broadcast of lane 0 tells the passes behind this one, which compute what follows from it
// once, and LLVM drops what only the other lanes of the steps were for.
#include "passes/loops/butterfly.h"

#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"
#include "isa/ops/warp.h"

enum { ALL = 31 }; // distances 1, 2, 4, 8 and 16

static bool is_value(const struct kir_value *v, uint64_t bits) {
    return v->kind == KIR_VALUE_CONST && v->bits.u64[0] == bits;
}

// An exchange among all lanes of a warp, at one distance.
static bool exchanges(const struct kir_inst *i) {
    return i->op == ISA_OP_SHFL && i->mods.mode == ISA_SHFL_BFLY && i->nops == 4 &&
           i->ops[1]->kind == KIR_VALUE_CONST && is_value(i->ops[2], ALL) &&
           is_value(i->ops[3], UINT32_MAX);
}

// Not f64: of two NaNs it keeps the first one.
static bool commutes(const struct kir_inst *i) {
    bool word = i->ty == ISA_F32 || (!isa_type_is_float(i->ty) && isa_type_bits(i->ty) == 32);
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_MUL:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return word && i->nops == 2 && i->nres == 1 && !i->mods.cc;
    default:
        return false;
    }
}

// By value: the distances at which lanes have the same; of what has not been looked at, none.
static unsigned known(const uint8_t *alike, const struct kir_value *v) {
    return v->kind == KIR_VALUE_CONST ? ALL : v->kind == KIR_VALUE_INST ? alike[v->id] : 0;
}

// Of an operation of something and its exchange: the exchange.
static struct kir_inst *step(const struct kir_inst *i) {
    if (!commutes(i))
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        const struct kir_value *x = i->ops[k], *y = i->ops[1 - k];
        if (y->kind == KIR_VALUE_INST && y->result == 0 && exchanges(y->def) && y->def->ops[0] == x)
            return y->def;
    }
    return NULL;
}

static unsigned of_inst(const uint8_t *alike, const struct kir_inst *i) {
    const struct kir_inst *exchange = step(i);
    unsigned all = ALL, d = exchange ? exchange->ops[1]->bits.u64[0] & ALL : 0;
    if (exchanges(i))
        return known(alike, i->ops[0]);
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || !i->nops)
        return 0;
    for (uint32_t k = 0; k < i->nops; k++)
        all &= known(alike, i->ops[k]);
    // A distance of several bits leads to a lane that differs in all of them at once.
    return d & (d - 1) ? all : all | d;
}

// Where the last exchange stands all lanes are there; what it is for may stand where some are.
static void broadcast(struct kir_func *f, struct kir_inst *i) {
    struct kir_inst *exchange = step(i);
    struct kir_value *v = i->res[0];
    uint8_t type = v->type;
    struct kir_inst *b = kir_inst_new(f, ISA_OP_SHFL, ISA_B32, 4, 1, &type, 0);
    b->mods.mode = ISA_SHFL_IDX;
    b->file = i->file;
    b->line = i->line;
    kir_replace_uses(f, v, b->res[0]);
    b->ops[0] = v;
    b->ops[1] = kir_const(f, KIR_B32, 0);
    b->ops[2] = kir_const(f, KIR_B32, ALL);
    b->ops[3] = kir_const(f, KIR_B32, UINT32_MAX);
    kir_remove(i);
    kir_insert_after(exchange, i);
    kir_insert_after(i, b);
}

static bool has_exchanges(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (exchanges(i))
                return true;
    return false;
}

void butterflies(struct kir_func *f) {
    struct arena a = {0};
    bool any = false;
    if (!has_exchanges(f))
        return;
    uint8_t *alike = arena_array(&a, uint8_t, f->value_count + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *next, *i = f->blocks.data[b]->first; i; i = next) {
            next = i->next;
            unsigned same = of_inst(alike, i);
            if (i->nres)
                alike[i->res[0]->id] = (uint8_t)same;
            if (same == ALL && step(i)) {
                broadcast(f, i);
                any = true;
            }
        }
    if (any)
        kir_renumber(f);
    arena_free(&a);
}
