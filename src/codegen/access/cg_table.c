// Loads from small tables in shared memory: where an index is known to be below 16 or 32, as digits
// of a radix are, the table is loaded as it lies and permuted by the lanes' indices, where an
// address a lane would take three instructions a lane. AVX-512 has such permutations.
#include <string.h>

#include "codegen/access/cg_table.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/logic.h"
#include "passes/analysis/alignment.h"

enum { VECTOR = 16, MOST_ENTRIES = 32, MOST_STEPS = 8 };

static uint64_t ones(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

static uint64_t smaller(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

static uint64_t largest(const struct kir_value *v, unsigned steps);

// Of x * y, x + y or x << y in so many bits.
static uint64_t fitting(uint64_t x, uint64_t y, isa_op op, unsigned bits) {
    uint64_t r = 0;
    bool over = op == ISA_OP_MUL   ? __builtin_mul_overflow(x, y, &r)
                : op == ISA_OP_ADD ? __builtin_add_overflow(x, y, &r)
                                   : y >= bits || x > ones(bits) >> y;
    r = op == ISA_OP_SHL && !over ? x << y : r;
    return over || r > ones(bits) ? ones(bits) : r;
}

// Signed operands are what they look like as long as their sign bits are zero.
static uint64_t of_product(const struct kir_inst *i, unsigned bits, unsigned steps) {
    uint64_t x = largest(i->ops[0], steps), y = largest(i->ops[1], steps);
    bool plain = i->mods.half != ISA_WIDE || !isa_type_is_signed(i->ty) ||
                 (x | y) <= ones(isa_type_bits(i->ty) - 1);
    return i->mods.half == ISA_HI || !plain ? ones(bits) : fitting(x, y, ISA_OP_MUL, bits);
}

static uint64_t of_conversion(const struct kir_inst *i, unsigned bits, unsigned steps) {
    if (isa_type_is_float(i->ty) || isa_type_is_float(i->ty2) || i->mods.sat)
        return ones(bits);
    unsigned from = isa_type_bits(i->ty2), to = isa_type_bits(i->ty);
    uint64_t x = smaller(largest(i->ops[0], steps), ones(from));
    bool plain = x <= ones(isa_type_is_signed(i->ty2) ? from - 1 : from) &&
                 x <= ones(isa_type_is_signed(i->ty) ? to - 1 : to);
    return plain ? x : ones(bits);
}

// The largest number that v can be in any thread, taken as unsigned.
static uint64_t largest(const struct kir_value *v, unsigned steps) {
    unsigned bits = kir_type_bits(v->type);
    uint64_t c, all = ones(bits);
    if (flow_const(v, &c))
        return c & all;
    if (v->kind != KIR_VALUE_INST || !steps--)
        return all;
    const struct kir_inst *i = v->def;
    switch (i->op) {
    case ISA_OP_AND:
        return smaller(largest(i->ops[0], steps), largest(i->ops[1], steps));
    case ISA_OP_SHR:
        return flow_const(i->ops[1], &c) && !isa_type_is_signed(i->ty)
                   ? c < bits ? largest(i->ops[0], steps) >> c : 0
                   : all;
    case ISA_OP_SHL:
        return flow_const(i->ops[1], &c) ? fitting(largest(i->ops[0], steps), c, ISA_OP_SHL, bits)
                                         : all;
    case ISA_OP_MUL:
        return isa_type_is_float(i->ty) ? all : of_product(i, bits, steps);
    case ISA_OP_CVT:
        return of_conversion(i, bits, steps);
    default:
        return all;
    }
}

uint64_t cg_largest(const struct kir_value *v) {
    return largest(v, MOST_STEPS);
}

struct table {
    int64_t first;    // bytes from the beginning of shared memory
    unsigned entries; // 16 or 32
    struct kir_value *index;
};

// A constant place in the kernel's shared variables and an index of so many entries. Where the
// address comes from another block, its parts need not have been kept for this one.
static bool find_table(struct cg_func *g, const struct kir_inst *i, struct table *t) {
    struct kir_value *v = i->ops[0];
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD || v->type != KIR_B64)
        return false;
    for (int k = 0; k < 2; k++) {
        struct kir_value *u = v->def->ops[k], *x = v->def->ops[1 - k];
        if (cg_shape(g, u).kind != SHAPE_UNIFORM || x->kind != KIR_VALUE_INST)
            continue;
        uint64_t most = cg_largest(x);
        bool here = cg_at_hand(g, u) && cg_at_hand(g, x);
        LLVMValueRef base = here && most < MOST_ENTRIES * 4 ? cg_scalar(g, u) : NULL;
        if (!base || !LLVMIsAConstantInt(base) || alignment_zeros(g->zeros, x) < 2)
            continue;
        t->first = LLVMConstIntGetSExtValue(base) + i->offset;
        t->entries = most < VECTOR * 4 ? VECTOR : MOST_ENTRIES;
        t->index = x;
        return t->first >= 0 && t->first % 4 == 0 &&
               t->first + t->entries * 4 <= (int64_t)g->cg->kernel->shared_static;
    }
    return false;
}

static LLVMValueRef load_part(struct cg_func *g, const struct table *t, unsigned part) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i64(c, (uint64_t)t->first + part * VECTOR * 4);
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i8, g->shared_base, &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(c->b, LLVMVectorType(c->i32, VECTOR), p, "");
    LLVMSetAlignment(v, 4);
    return v;
}

static LLVMValueRef permute(struct cg *c, const LLVMValueRef *part, unsigned parts,
                            LLVMValueRef index) {
    LLVMValueRef args[3] = {part[0], index, part[1]};
    const char *name =
        parts == 1 ? "llvm.x86.avx512.permvar.si.512" : "llvm.x86.avx512.vpermi2var.d.512";
    return cg_call_intrinsic(c, name, NULL, 0, args, parts + 1);
}

static LLVMValueRef shuffle(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned from,
                            unsigned n) {
    LLVMValueRef idx[32];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, from + k);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, n), "");
}

bool cg_load_table(struct cg_func *g, const struct kir_inst *i, LLVMTypeRef elem,
                   LLVMValueRef *out) {
    struct cg *c = g->cg;
    struct table t;
    if (!c->target.mask_registers || c->width < VECTOR || !g->f->is_kernel ||
        i->mods.space != ISA_SPACE_SHARED || i->mods.sem != ISA_SEM_WEAK || i->mods.vec > 1 ||
        isa_type_bits(i->ty) != 32 || cg_shape(g, i->ops[0]).kind != SHAPE_VARYING ||
        !find_table(g, i, &t))
        return false;
    unsigned parts = t.entries / VECTOR;
    LLVMTypeRef words = cg_vec_of(c, c->i32);
    LLVMValueRef part[2] = {load_part(g, &t, 0), parts > 1 ? load_part(g, &t, 1) : NULL}, half[2];
    LLVMValueRef index = LLVMBuildTrunc(c->b, cg_vec(g, t.index), words, "");
    index = LLVMBuildLShr(c->b, index, cg_splat(c, cg_i32(c, 2)), "");
    if (c->width == VECTOR) {
        *out = permute(c, part, parts, index);
    } else {
        for (unsigned h = 0; h < 2; h++)
            half[h] = permute(c, part, parts,
                              shuffle(c, index, LLVMGetPoison(words), h * VECTOR, VECTOR));
        *out = shuffle(c, half[0], half[1], 0, 2 * VECTOR);
    }
    *out = LLVMBuildBitCast(c->b, *out, cg_vec_of(c, elem), "");
    return true;
}
